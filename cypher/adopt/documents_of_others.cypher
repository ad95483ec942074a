// What is on these documents of others, and the id of ours that was made for each before: a row each.
// $elements: LIST<STRING>  their element ids
UNWIND $elements AS element
MATCH (theirs) WHERE elementId(theirs) = element
OPTIONAL MATCH (ours:QcgDocument)-[:ADOPTED_FROM]->(theirs)
RETURN element, [name IN keys(theirs) WHERE NOT name IN coalesce(theirs.qcgAdded, [])] AS names,
       theirs:QcgDocument AND theirs.qcgAdded IS NOT NULL AS isAdopted,
       theirs.title AS title, theirs.source AS source, theirs.publishedAt AS publishedAt,
       [name IN ['id', 'fileName', 'path', 'url', 'source', 'name', 'title'] | theirs[name]] AS candidates,
       CASE WHEN theirs:QcgDocument THEN theirs.id ELSE ours.id END AS held
