// One row: the folder that the server has its databases in.
SHOW SETTINGS YIELD name, value
WHERE name = 'server.directories.data'
RETURN value AS folder
