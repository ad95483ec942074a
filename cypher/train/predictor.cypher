// One row: the graph's link predictor, with its weights.
MATCH (predictor:QcgLinkPredictor {name: 'default'})
RETURN predictor {.*, trainedAt: toString(predictor.trainedAt)} AS predictor
