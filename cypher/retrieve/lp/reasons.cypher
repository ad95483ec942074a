// Scored atoms with the neighbours that raised them (LP-RAG).
// $scored: LIST<MAP>  id, score, similarity and raising (lists of the id of a neighbour and the score of the pair) of each atom
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
UNWIND $scored AS item
MATCH (atom:QcgAtom {id: item.id})
RETURN atom.id AS id, atom.text AS text, item.score AS score, item.similarity AS similarity,
       [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT', similarity: item.similarity, weight: null}]] + COLLECT {
         UNWIND item.raising AS raising
         MATCH (other:QcgAtom {id: raising[0]})
         RETURN [{label: 'Atom', id: other.id, text: other.text, relationship: 'HIT', weight: null,
                  similarity: 2 * vector.similarity.cosine(other.embedding, $questionVector) - 1},
                 {label: 'Atom', id: atom.id, text: atom.text, relationship: 'SIMILAR_TO', weight: raising[1],
                  similarity: item.similarity}]
       } AS paths
