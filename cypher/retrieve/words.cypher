// One row: the words that texts are searched for by, a list for each text, in the form that load/words gives to those of chunks.
// $texts: LIST<STRING>  the question as asked, or a question and a context; only letters and digits are searched for
WITH $texts AS texts
// One form of each letter, and no signs that are not seen: soft hyphens, widths of zero, directions, vowel marks.
WITH [text IN texts | toLower(toUpper(normalize(replace(text, '\r\n', '\n'), NFKC)))] AS texts
WITH [text IN texts | reduce(seen = replace(text, '\u00AD\n', ''),
       sign IN split('\u00AD \u034F \u0640 \u064B \u064C \u064D \u064E \u064F \u0650 \u0651 \u0652 \u0670 \u200B \u200C \u200D \u200E \u200F \u202A \u202B \u202C \u202D \u202E \u2060 \u2066 \u2067 \u2068 \u2069 \uFE0F \uFEFF', ' ') |
       replace(seen, sign, ''))] AS texts
WITH [text IN texts | reduce(seen = text, digit IN range(0, 9) |
       reduce(read = seen, digits IN ['٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '০১২৩৪৫৬৭৮৯', '๐๑๒๓๔๕๖๗๘๙', '໐໑໒໓໔໕໖໗໘໙', '၀၁၂၃၄၅၆၇၈၉', '០១២៣៤៥៦៧៨៩'] |
         replace(read, substring(digits, digit, 1), toString(digit))))] AS texts
WITH [text IN texts | reduce(parted = text, sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’', ' ') | replace(parted, sign, ' '))] AS texts
RETURN [text IN texts | reduce(words = [], word IN [word IN split(text, [' ', '\n', '\t', '\r']) WHERE word <> ''] | words + word + CASE
       WHEN word =~ '.*[\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF].*' // no blank parts these: each two letters are a word
       THEN [place IN range(0, size(word) - 2) | substring(word, place, 2)] ELSE [] END)] AS words
