// No rows; creates the atoms and entities of an atom-entity graph.
// $atoms: LIST<STRING>  ids of the atoms
// $entities: LIST<STRING>  ids of the entities
CALL () {
  UNWIND $atoms AS id
  CREATE (:QcgAtom:Atom {id: id})
}
CALL () {
  UNWIND $entities AS id
  CREATE (:QcgEntity:Entity {id: id})
}
