"""The stage `adopt`: chunks that others keep in the database become ours too, and stay theirs."""

from qcg_neo4j.indexing.adopt.found import AdoptSettings, Found, find
from qcg_neo4j.indexing.adopt.stage import AdoptReport, UndoReport, adopt_chunks, remembered, undo_adoption

__all__ = ["AdoptReport", "AdoptSettings", "Found", "UndoReport", "adopt_chunks", "find", "remembered", "undo_adoption"]
