// No rows; each Atom has a id of its own.
CREATE CONSTRAINT qcg_atom_id IF NOT EXISTS
FOR (node:QcgAtom) REQUIRE node.id IS UNIQUE
