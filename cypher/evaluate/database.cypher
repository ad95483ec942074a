// One row: the id that identifies this database on the server.
CALL db.info() YIELD id
RETURN id
