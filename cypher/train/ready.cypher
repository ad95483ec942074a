// No rows; from now on the graph's link predictor is used.
// $atomsRevision: INTEGER  the sum of the revisions of the stages extract and atoms that it was made from
MATCH (predictor:QcgLinkPredictor {name: 'default'})
SET predictor.ready = true, predictor.atomsRevision = $atomsRevision
