"""Pictures of the graph: files to look at, made by well-known libraries; a `Picture` shows itself in a notebook."""

from qcg_neo4j.interfaces.show.hierarchy import Place, hierarchy, write_html, write_picture
from qcg_neo4j.interfaces.show.picture import Dot, Line, Picture
from qcg_neo4j.interfaces.show.selections import community_picture, document_picture, evidence_picture, sample_picture

__all__ = [
    "Dot",
    "Line",
    "Picture",
    "Place",
    "community_picture",
    "document_picture",
    "evidence_picture",
    "hierarchy",
    "sample_picture",
    "write_html",
    "write_picture",
]
