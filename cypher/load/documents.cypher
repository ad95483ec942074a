// No rows; writes documents with exactly these properties, whatever they had before.
// $rows: LIST<MAP>  id, properties (the free metadata), title, source, publishedAt, listedIn, contentHash (null while unfinished)
UNWIND $rows AS row
MERGE (document:QcgDocument:Document {id: row.id})
SET document = row.properties
SET document.id = row.id, document.title = row.title, document.source = row.source,
    document.publishedAt = row.publishedAt, document.listedIn = row.listedIn, document.contentHash = row.contentHash,
    // What Browser shows of a node without a style: of its properties it takes one that ends in "name".
    document.displayName = coalesce(row.title, last(split(row.id, '/')))
