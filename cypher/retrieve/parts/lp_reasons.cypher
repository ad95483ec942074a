// Scored atoms, best first, with the chunks that state them and the neighbours that raised them (LP-RAG).
// $found: LIST<MAP>  id, score, similarity and raising (lists of the id of a neighbour and the score of the pair) of each atom
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS item
MATCH (atom:QcgAtom {id: item.id})
RETURN atom.id AS id, atom.text AS text, item.score AS score, item.similarity AS similarity,
       COLLECT {
         MATCH (atom)-[:FROM_CHUNK]->(chunk:QcgChunk)
         CALL (chunk) {
           // Of the documents that hold the text those that are permitted, its own first; the place is that in the first.
           MATCH (chunk)<-[:SAME_TEXT_AS*0..1]-(holder)-[:FROM_DOCUMENT]->(document:QcgDocument)
           WHERE $permitted IS NULL OR document.id IN $permitted
           WITH holder {.index, .page, .lastPage, .headings}, document {.*}, holder <> chunk AS isCopy ORDER BY isCopy, document.id
           RETURN head(collect(holder)) AS place, head(collect(document)) AS document, collect(DISTINCT document {.id, .title})[1..] AS also
         }
         WITH chunk {.id, .text, .tokenCount}, place, document, also WHERE document IS NOT NULL
         RETURN chunk {.*, index: place.index, page: place.page, lastPage: place.lastPage, headings: place.headings,
           document: document.id, title: document.title, metadata: document, also: also} AS chunk ORDER BY chunk.id
       } AS chunks,
       [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT', similarity: item.similarity, weight: null}]] + COLLECT {
         UNWIND item.raising AS raising
         MATCH (other:QcgAtom {id: raising[0]})
         RETURN [{label: 'Atom', id: other.id, text: other.text, relationship: 'HIT', weight: null,
                  similarity: 2 * vector.similarity.cosine(other.embedding, $questionVector) - 1},
                 {label: 'Atom', id: atom.id, text: atom.text, relationship: 'SIMILAR_TO', weight: raising[1],
                  similarity: item.similarity}]
       } AS paths
ORDER BY score DESC, id
