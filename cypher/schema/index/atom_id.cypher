// No rows; each Atom has a id of its own.
CREATE CONSTRAINT atom_id IF NOT EXISTS
FOR (node:Atom) REQUIRE node.id IS UNIQUE
