// What is on these chunks of others, and what of ours was made for them before: a row each.
// $elements: LIST<STRING>  their element ids
// $text: STRING  the property with their text
// $vector: STRING  the property with their vector; null to ignore it
UNWIND $elements AS element
MATCH (theirs) WHERE elementId(theirs) = element
CALL (theirs) {
  CALL (theirs) {
    WITH theirs WHERE theirs:QcgChunk
    RETURN theirs AS ours
    UNION
    MATCH (ours:QcgChunk)-[:ADOPTED_FROM]->(theirs)
    RETURN ours
  }
  MATCH (ours)-[:FROM_DOCUMENT]->(document:QcgDocument)
  RETURN collect({id: ours.id, textHash: ours.textHash, embeddedAs: ours.embeddedAs, document: document.id,
                  added: ours.qcgAdded}) AS held
}
RETURN element, theirs[$text] AS text,
       CASE WHEN NOT $vector IN coalesce(theirs.qcgAdded, []) THEN theirs[$vector] END AS vector,
       [name IN keys(theirs) WHERE NOT name IN coalesce(theirs.qcgAdded, [])] AS names, theirs.id AS id,
       theirs.index AS index, theirs:QcgChunk AND theirs.qcgAdded IS NOT NULL AS isAdopted, held
