// One row: the documents that a filter permits, how much wider a vector index must be searched for as many hits, and from how many candidates on looking at all that is permitted is sooner.
// $where: LIST<MAP>  the filter's steps in the order in which they are evaluated: tests (operator, name, value, moment), 'not', 'and', 'or'
// $permitted: LIST<STRING>  the ids of the documents that are known to who asks; null for all
MATCH (document:QcgDocument)
WHERE $permitted IS NULL OR document.id IN $permitted
// A stack of what the tests say: true, false, or null where the document lacks the property, or has another type that has no order with it.
WITH document, reduce(said = [], step IN $where | CASE step.operator
  WHEN 'not' THEN said[..-1] + [NOT said[-1]]
  WHEN 'and' THEN said[..-2] + [said[-2] AND said[-1]]
  WHEN 'or' THEN said[..-2] + [said[-2] OR said[-1]]
  ELSE said + [held IN [CASE
      WHEN NOT coalesce(step.moment, false) THEN document[step.name]
      // Times are compared as far as the filter tells them; what is less exact, or no time, says nothing.
      WHEN toStringOrNull(document[step.name]) =~ '[0-9]{4}(-.*)?' AND size(toStringOrNull(document[step.name])) >= size(step.value)
        THEN left(replace(toStringOrNull(document[step.name]), ' ', 'T'), size(step.value)) END] | CASE step.operator
    WHEN '=' THEN held = step.value
    WHEN '!=' THEN held <> step.value
    WHEN '<' THEN held < step.value
    WHEN '<=' THEN held <= step.value
    WHEN '>' THEN held > step.value
    WHEN '>=' THEN held >= step.value
    WHEN 'in' THEN CASE WHEN held IS NOT NULL THEN held IN step.value END // which an empty list would deny
    WHEN 'has' THEN step.value IN [] + held // of a list, or the value itself
    WHEN 'is null' THEN held IS NULL
    WHEN 'prefix' THEN CASE WHEN valueType(held) STARTS WITH 'STRING' THEN held STARTS WITH step.value END
    WHEN 'contains' THEN CASE WHEN valueType(held) STARTS WITH 'STRING' THEN held CONTAINS step.value END
    WHEN 'icontains' THEN CASE WHEN valueType(held) STARTS WITH 'STRING' THEN toLower(held) CONTAINS toLower(step.value) END END]
END)[0] AS isPermitted
WITH count(*) AS documents, collect(CASE WHEN isPermitted THEN document.id END) AS permitted
WITH permitted, documents, COUNT { (:QcgChunk) } AS chunks,
     [step IN $where WHERE step.name IS NOT NULL AND NOT EXISTS {
       MATCH (any:QcgDocument) WHERE ($permitted IS NULL OR any.id IN $permitted) AND any[step.name] IS NOT NULL } | step.name] AS unknown
CALL (unknown) {
  WITH unknown WHERE size(unknown) > 0
  MATCH (document:QcgDocument) WHERE $permitted IS NULL OR document.id IN $permitted
  UNWIND keys(document) AS name
  WITH name WHERE NOT name IN ['contentHash', 'displayName', 'listedIn']
  RETURN collect(DISTINCT name) AS known
}
WITH *, COUNT { (:QcgDocument) } AS whole
WITH *, CASE whole WHEN 0 THEN 0.0 ELSE 1.0 * size(permitted) / whole END AS share
OPTIONAL MATCH (corpus:QcgCorpus {id: 'corpus'})
// At least twelve times as many: of 100,000 vectors the index itself misses one in ten of the 15 nearest among 60, and none among 600.
WITH *, CASE WHEN corpus.widening > 12 THEN corpus.widening ELSE 12.0 END AS width
RETURN permitted, documents, unknown, known, CASE share WHEN 0 THEN 1.0 ELSE width / share END AS widening,
       12.0 / width * chunks * share ^ 2 AS exactFrom
