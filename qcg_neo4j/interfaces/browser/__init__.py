"""What makes Neo4j Browser comfortable: a guide, a style and favourites, as files and over a small local route."""

from qcg_neo4j.interfaces.browser.files import FILES, contents, favourites, guide, style, write_files
from qcg_neo4j.interfaces.browser.route import GuideRoute

__all__ = ["FILES", "GuideRoute", "contents", "favourites", "guide", "style", "write_files"]
