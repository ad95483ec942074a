// The chunks that state what reports cite, with the way there; through reports of communities below where a report cites these.
// $ids: LIST<STRING>  ids of communities, the most important first
// $passages: INTEGER  how many chunks are returned
UNWIND range(0, size($ids) - 1) AS place
MATCH (cited:QcgCommunity {id: $ids[place]})
MATCH (cited)<-[:PARENT*0..20]-(community:QcgCommunity)
WHERE community = cited OR any(record IN cited.records WHERE record STARTS WITH 'S')
WITH place, community, [record IN community.records | split(record, ' ')] AS records
UNWIND range(0, size(records) - 1) AS number
WITH place, community, number, records[number] AS record
WHERE record[0] STARTS WITH 'R'
MATCH ()-[relation:RELATED_TO {id: record[1]}]->()
WITH relation, place, community, number ORDER BY place, community.level, number
WITH relation.chunkId AS chunkId, head(collect({place: place, community: community, number: number, relation: relation})) AS way
ORDER BY way.place, way.community.level, way.number
LIMIT $passages
MATCH (chunk:QcgChunk {id: chunkId})-[:FROM_DOCUMENT]->(document:QcgDocument)
WITH chunk, document, way, startNode(way.relation) AS source, COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     } AS also
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.page AS page, chunk.lastPage AS lastPage, chunk.headings AS headings,
       also, document {.*} AS metadata, 1.0 / (1 + way.place) AS score,
       [[{label: 'Community', id: way.community.id, text: way.community.title, relationship: 'HIT', similarity: null,
          weight: null},
         {label: 'Entity', id: source.id, text: way.relation.ttr, relationship: 'IN_COMMUNITY', similarity: null,
          weight: null}]] AS paths
ORDER BY way.place, way.community.level, way.number
