// One row: the graph's link predictor, with its weights.
MATCH (predictor:LinkPredictor {name: 'default'})
RETURN predictor {.*, trainedAt: toString(predictor.trainedAt)} AS predictor
