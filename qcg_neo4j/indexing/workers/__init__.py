"""Stages on several processes, perhaps of several machines, by Ray: each runs the ordinary stage on parts of it."""

from qcg_neo4j.indexing.workers.ray_workers import RayWorkers

__all__ = ["RayWorkers"]
