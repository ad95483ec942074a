// No rows; finds aliases by the words of their name.
CREATE INDEX qcg_alias_spelling IF NOT EXISTS
FOR (alias:QcgAlias) ON (alias.spelling)
