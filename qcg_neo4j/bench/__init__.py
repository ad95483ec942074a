"""Measurements of speed: retrieval by the number of queries, writing against the writer of `neo4j-graphrag`."""

from qcg_neo4j.bench.communities import bench_communities
from qcg_neo4j.bench.database import empty_database, own_database
from qcg_neo4j.bench.embed import bench_embed
from qcg_neo4j.bench.links import bench_links
from qcg_neo4j.bench.load import bench_load
from qcg_neo4j.bench.page_rank import bench_page_rank
from qcg_neo4j.bench.paths import bench_paths
from qcg_neo4j.bench.result import Measured, Result
from qcg_neo4j.bench.retrieve import bench_retrieve
from qcg_neo4j.bench.settings import (
    CommunitiesBenchSettings,
    EmbedBenchSettings,
    LinksBenchSettings,
    LoadBenchSettings,
    PageRankBenchSettings,
    PathsBenchSettings,
    RetrieveBenchSettings,
    TrainingBenchSettings,
)
from qcg_neo4j.bench.table import as_markdown, columns, rows
from qcg_neo4j.bench.training import bench_training

__all__ = [
    "CommunitiesBenchSettings",
    "EmbedBenchSettings",
    "LinksBenchSettings",
    "LoadBenchSettings",
    "Measured",
    "PageRankBenchSettings",
    "PathsBenchSettings",
    "Result",
    "RetrieveBenchSettings",
    "TrainingBenchSettings",
    "as_markdown",
    "bench_communities",
    "bench_embed",
    "bench_links",
    "bench_load",
    "bench_page_rank",
    "bench_paths",
    "bench_retrieve",
    "bench_training",
    "columns",
    "empty_database",
    "own_database",
    "rows",
]
