// What documents say of themselves, for filters: each property, how many documents have it, of which types, and an example.
MATCH (document:QcgDocument)
UNWIND keys(document) AS name
WITH name, document[name] AS value WHERE name <> 'contentHash'
RETURN name, count(*) AS documents, collect(DISTINCT replace(valueType(value), ' NOT NULL', '')) AS types, min(value) AS example
ORDER BY documents DESC, name
