"""A server of the Model Context Protocol: agents retrieve, answer, inspect and, where allowed, load."""

from qcg_neo4j.interfaces.mcp.serving import serve, server_of
from qcg_neo4j.interfaces.mcp.settings import McpSettings
from qcg_neo4j.interfaces.mcp.tools import Tools

__all__ = ["McpSettings", "Tools", "serve", "server_of"]
