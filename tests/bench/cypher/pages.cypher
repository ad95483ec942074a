// No rows; writes pages of an encyclopedia: a chunk, its entity, what it states about others, and an entity that many name.
// $rows: LIST<MAP>  id, text, name and embedding of a page, whether it names the world, and others: name, id and embedding of a triple
// $world: STRING  the name of that entity
MERGE (document:QcgDocument:Document {id: 'encyclopedia'})
MERGE (world:QcgEntity:Entity {id: $world}) SET world.name = $world, world.spelling = toLower($world)
WITH document, world
UNWIND $rows AS row
MERGE (chunk:QcgChunk:Chunk {id: row.id})
SET chunk.text = row.text, chunk.words = row.text, chunk.expandedWords = row.text, chunk.tokenCount = 20, chunk.index = 0
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
MERGE (entity:QcgEntity:Entity {id: row.name})
SET entity.name = row.name, entity.spelling = toLower(row.name), entity.shortSpelling = toLower(row.name)
MERGE (entity)-[said:FROM_CHUNK]->(chunk) SET said.about = 1.0
FOREACH (_ IN CASE WHEN row.world THEN [1] ELSE [] END | MERGE (world)-[all:FROM_CHUNK]->(chunk) SET all.about = 0.1)
WITH chunk, entity, row
CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.embedding)
CALL db.create.setNodeVectorProperty(entity, 'embedding', row.embedding)
UNWIND row.others AS other
MERGE (next:QcgEntity:Entity {id: other.name})
MERGE (next)-[named:FROM_CHUNK]->(chunk) SET named.about = 0.1
MERGE (entity)-[triple:RELATED_TO {id: other.id}]->(next)
SET triple.chunkId = chunk.id, triple.ttr = entity.name + ' leads to ' + other.name + '.'
WITH triple, other
CALL db.create.setRelationshipVectorProperty(triple, 'embedding', other.embedding)
