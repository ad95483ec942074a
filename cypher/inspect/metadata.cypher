// What documents say of themselves, for filters: each property, how many documents have it, of which types, and an example.
// $permitted: LIST<STRING>  the ids of the permitted documents; null for all
MATCH (document:QcgDocument)
WHERE $permitted IS NULL OR document.id IN $permitted
UNWIND keys(document) AS name
WITH name, document[name] AS value WHERE NOT name IN ['contentHash', 'displayName', 'listedIn']
RETURN name, count(*) AS documents, collect(DISTINCT replace(valueType(value), ' NOT NULL', '')) AS types, min(value) AS example
ORDER BY documents DESC, name
