// No rows; gives chunks the words that they are found by, in the form in which questions are read: of headings and text, and of all that was made from them besides their own sentences.
// $chunkIds: LIST<STRING>  ids of chunks; duplicates of another chunk get none
UNWIND $chunkIds AS chunkId
MATCH (chunk:QcgChunk {id: chunkId})
WHERE chunk.text IS NOT NULL AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
WITH chunk, reduce(own = '', heading IN coalesce(chunk.headings, []) | own + heading + '\n') + chunk.text AS own,
     COLLECT {
       MATCH (chunk)<-[:FROM_CHUNK]-(made:QcgQuery|QcgAtom)
       WHERE NOT CASE WHEN made:QcgQuery THEN made.source = 'sentences' ELSE coalesce(chunk.namesOnly, false) END
       RETURN coalesce(made.question + ' ' + made.answer, made.text) AS text ORDER BY text
     } +
     COLLECT { MATCH ()-[relation:RELATED_TO {chunkId: chunk.id}]->() WHERE chunk.namesOnly IS NULL
       RETURN relation.ttr AS text ORDER BY text } AS made,
     coalesce(chunk.namesOnly, false) OR EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgQuery {source: 'sentences'}) } AS repeats
// A small embedding model reads few scripts besides those with capital letters: texts that begin in another count by their words twice.
WITH chunk, [own] + CASE WHEN made <> [] OR (NOT repeats OR own =~ '(?s)\\P{L}*[\\p{Lo}&&[^ªº]].*')
         AND (chunk.generated IS NOT NULL OR chunk.extracted IS NOT NULL)
       THEN [reduce(whole = own, text IN made | whole + '\n' + coalesce(text, ''))] ELSE [] END AS texts
// One form of each letter, and no signs that are not seen: soft hyphens, widths of zero, directions, vowel marks.
WITH chunk, [text IN texts | toLower(toUpper(normalize(replace(text, '\r\n', '\n'), NFKC)))] AS texts
WITH chunk, [text IN texts | reduce(seen = replace(text, '\u00AD\n', ''),
       sign IN split('\u00AD \u034F \u0640 \u064B \u064C \u064D \u064E \u064F \u0650 \u0651 \u0652 \u0670 \u200B \u200C \u200D \u200E \u200F \u202A \u202B \u202C \u202D \u202E \u2060 \u2066 \u2067 \u2068 \u2069 \uFE0F \uFEFF', ' ') |
       replace(seen, sign, ''))] AS texts
WITH chunk, [text IN texts | reduce(seen = text, digit IN range(0, 9) |
       reduce(read = seen, digits IN ['٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '০১২৩৪৫৬৭৮৯', '๐๑๒๓๔๕๖๗๘๙', '໐໑໒໓໔໕໖໗໘໙', '၀၁၂၃၄၅၆၇၈၉', '០១២៣៤៥៦៧៨៩'] |
         replace(read, substring(digits, digit, 1), toString(digit))))] AS texts
// A word that is split at the end of a line is also found whole; the index's analyzer would take 20260105_11 or Schulz's as one.
WITH chunk, [text IN texts | text + reduce(joined = '', line IN range(1, size(split(text, '-\n')) - 1) |
       joined + ' ' + last(split(split(text, '-\n')[line - 1], ' ')) + split(split(text, '-\n')[line], ' ')[0])] AS texts
WITH chunk, [text IN texts | replace(replace(replace(text, '_', ' '), "'", ' '), '’', ' ')] AS texts
// Scripts that put no blank between words, Thai, Lao, Khmer and Burmese: each two letters are a word.
WITH chunk, [text IN texts | CASE WHEN NOT text =~ '(?s).*[\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF].*' THEN text ELSE
       reduce(words = '', word IN split(text, [' ', '\n', '\t']) | words + ' ' + word + CASE
         WHEN word =~ '.*[\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF].*'
         THEN reduce(pairs = '', place IN range(0, size(word) - 2) | pairs + ' ' + substring(word, place, 2)) ELSE '' END) END] AS words
WHERE chunk.words IS NULL OR chunk.words <> words[0] OR coalesce(chunk.expandedWords <> words[1], size(words) = 2)
SET chunk.words = words[0], chunk.expandedWords = words[1]
