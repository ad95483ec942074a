"""Labels that distinguish our nodes from those of other applications.

Every node has the label of its kind, for people, and a second one, its mark: ``Chunk`` and ``QcgChunk``. Statements
find nodes by the mark alone, and constraints and indexes cover it alone. A corpus has marks and indexes of its own.
"""

from __future__ import annotations

from qcg_neo4j.database.corpora import DEFAULT, plain_name, suffix

MARK = "Qcg"
KINDS = (
    *("Document", "Chunk", "Window", "Query", "Entity", "Alias", "Atom", "Claim", "Community"),
    *("SyntheticQuery", "LinkPredictor", "Stage", "Corpus", "Lock"),
)
_INDEX = "qcg_"


def mark(kind: str, corpus: str = DEFAULT) -> str:
    """The second label of the nodes of a kind.

    >>> mark("Chunk"), mark("Chunk", "law")
    ('QcgChunk', 'QcgChunk__law')
    """
    return MARK + kind + suffix(corpus)


_MARKS = frozenset(map(mark, KINDS))


def is_mark(label: str) -> bool:
    """Whether a label is the mark of a kind, of whatever corpus.

    >>> is_mark("QcgChunk__law"), is_mark("Chunk")
    (True, False)
    """
    return plain_name(label) in _MARKS


def index(path: str, corpus: str = DEFAULT) -> str:
    """The name of the index or constraint that a statement of ``schema/`` makes.

    >>> index("schema/index/chunk_id"), index("schema/index/chunk_id", "law")
    ('qcg_chunk_id', 'qcg_chunk_id__law')
    """
    return _INDEX + path.rpartition("/")[2] + suffix(corpus)
