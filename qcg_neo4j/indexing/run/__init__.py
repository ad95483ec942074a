"""Files and folders into a graph that is ready to be asked: all stages in one run, each only what changed."""

from qcg_neo4j.indexing.run.plan import IndexSettings, Plan, StageSettings, make_plan
from qcg_neo4j.indexing.run.stage import IndexEstimate, IndexReport, Step, Told, estimate_index, index_files
from qcg_neo4j.indexing.stage import Payer

__all__ = [
    "IndexEstimate",
    "IndexReport",
    "IndexSettings",
    "Payer",
    "Plan",
    "StageSettings",
    "Step",
    "Told",
    "estimate_index",
    "index_files",
    "make_plan",
]
