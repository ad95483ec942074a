// One row: the version and the edition of the server.
CALL dbms.components() YIELD name, versions, edition
WITH name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version, edition
