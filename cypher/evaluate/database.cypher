// One row: the id by which the server tells this database from every other.
CALL db.info() YIELD id
RETURN id
