// No rows; finds aliases by the words of their name without what follows in brackets.
CREATE INDEX qcg_alias_short_spelling IF NOT EXISTS
FOR (alias:QcgAlias) ON (alias.shortSpelling)
