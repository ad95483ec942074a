"""Pictures of the graph: files to look at, made by well-known libraries."""

from qcg_neo4j.show.hierarchy import Place, hierarchy, write_html, write_picture

__all__ = ["Place", "hierarchy", "write_html", "write_picture"]
