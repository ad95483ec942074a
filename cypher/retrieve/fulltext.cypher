// The chunks that share the most telling words with a question (BM25 of the full-text index), best first.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
// In the form that load/words gives to texts: one form of each letter and digit, no signs that are not seen.
WITH toLower(toUpper(normalize($question, NFKC))) AS text
WITH reduce(seen = text,
       sign IN split('\u00AD \u034F \u0640 \u064B \u064C \u064D \u064E \u064F \u0650 \u0651 \u0652 \u0670 \u200B \u200C \u200D \u200E \u200F \u202A \u202B \u202C \u202D \u202E \u2060 \u2066 \u2067 \u2068 \u2069 \uFE0F \uFEFF', ' ') |
       replace(seen, sign, '')) AS text
WITH reduce(seen = text, digit IN range(0, 9) |
       reduce(read = seen, digits IN ['٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '০১২৩৪৫৬৭৮৯', '๐๑๒๓๔๕๖๗๘๙', '໐໑໒໓໔໕໖໗໘໙', '၀၁၂၃၄၅၆၇၈၉', '០១២៣៤៥៦៧៨៩'] |
         replace(read, substring(digits, digit, 1), toString(digit)))) AS text
WITH reduce(words = text, sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’', ' ') | replace(words, sign, ' ')) AS words
WITH reduce(pairs = [], word IN [word IN split(words, [' ', '\n', '\t']) WHERE word <> ''] | pairs + word + CASE
       WHEN word =~ '.*[\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF].*' // no blank parts these: each two letters are a word
       THEN [place IN range(0, size(word) - 2) | substring(word, place, 2)] ELSE [] END) AS words
WITH reduce(terms = '', word IN words[..1000] | terms + ' ' + word) AS terms
WHERE terms <> ''
// Best first: with a filter as many are read as it takes.
CALL db.index.fulltext.queryNodes('qcg_chunk_words', 'words:(' + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: $passages} ELSE {} END)
  YIELD node AS chunk, score
WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
WITH chunk, score LIMIT $passages
RETURN chunk.id AS id, score, [] AS paths
ORDER BY score DESC, id
