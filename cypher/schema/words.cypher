// No rows; gives every chunk that has none its words: its text, parted where the index's analyzer would join (_ and ').
MATCH (chunk:QcgChunk) WHERE chunk.words IS NULL AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
SET chunk.words = replace(replace(replace(chunk.text, '_', ' '), "'", ' '), '’', ' ')
