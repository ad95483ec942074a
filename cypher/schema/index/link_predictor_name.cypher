// No rows; each LinkPredictor has a name of its own.
CREATE CONSTRAINT qcg_link_predictor_name IF NOT EXISTS
FOR (node:QcgLinkPredictor) REQUIRE node.name IS UNIQUE
