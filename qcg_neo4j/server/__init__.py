"""A Neo4j server of your own, from packages alone: no container, no build tool, no Java to install."""

from qcg_neo4j.server.archive import backup, restore
from qcg_neo4j.server.control import start, stop, wants_memory
from qcg_neo4j.server.embedding import put_embedding
from qcg_neo4j.server.home import data_folder, default_cache, default_home, log_file
from qcg_neo4j.server.process import ServerAddress, running
from qcg_neo4j.server.settings import ServerSettings
from qcg_neo4j.server.status import Status, status

__all__ = [
    "ServerAddress",
    "ServerSettings",
    "Status",
    "backup",
    "data_folder",
    "default_cache",
    "default_home",
    "log_file",
    "put_embedding",
    "restore",
    "running",
    "start",
    "status",
    "stop",
    "wants_memory",
]
