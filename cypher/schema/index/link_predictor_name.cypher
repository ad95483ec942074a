// No rows; each LinkPredictor has a name of its own.
CREATE CONSTRAINT link_predictor_name IF NOT EXISTS
FOR (node:LinkPredictor) REQUIRE node.name IS UNIQUE
