// One row if Graph Data Science is installed, else none.
SHOW FUNCTIONS YIELD name
WHERE name = 'gds.version'
RETURN name
