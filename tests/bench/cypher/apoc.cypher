// One row if the procedure is installed by which neo4j-graphrag writes relationships, else none.
SHOW PROCEDURES YIELD name
WHERE name = 'apoc.merge.relationship'
RETURN name
