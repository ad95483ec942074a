// No rows; sets the vectors of atoms in the link predictor.
// $rows: LIST<MAP>  id and vector of each atom
UNWIND $rows AS row
MATCH (atom:QcgAtom {id: row.id})
CALL db.create.setNodeVectorProperty(atom, 'linkVector', row.vector)
