// No rows; forgets with which settings chunks were adopted.
MATCH (stage:QcgStage {name: 'adopt'})
DELETE stage
