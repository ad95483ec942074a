// No rows; replaces the graph's link predictor; it is not used before train/ready.
// $values: MAP  what it is made of, and its weights
MERGE (predictor:QcgLinkPredictor:LinkPredictor {name: 'default'})
SET predictor = $values
SET predictor.name = 'default', predictor.ready = false, predictor.trainedAt = datetime()
