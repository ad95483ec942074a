// No rows; forgets every stage: what is left of what they made is to be deleted.
MATCH (stage:QcgStage)
DELETE stage
