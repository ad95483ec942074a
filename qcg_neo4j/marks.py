"""What tells nodes of ours from those that others have in the same database.

Every node has the label of its kind, for people, and a second one, its mark: ``Chunk`` and ``QcgChunk``. Statements
find nodes by the mark alone, and constraints and indexes cover it alone.
"""

from __future__ import annotations

MARK = "Qcg"
KINDS = (
    *("Document", "Chunk", "Window", "Query", "Entity", "Alias", "Atom", "Claim", "Community"),
    *("SyntheticQuery", "LinkPredictor", "Stage", "Corpus", "Lock"),
)
_INDEX = "qcg_"


def mark(kind: str) -> str:
    """The second label of the nodes of a kind.

    >>> mark("Chunk")
    'QcgChunk'
    """
    return MARK + kind


MARKS = frozenset(map(mark, KINDS))


def index(path: str) -> str:
    """The name of the index or constraint that a statement of ``schema/`` makes.

    >>> index("schema/index/chunk_id")
    'qcg_chunk_id'
    """
    return _INDEX + path.rpartition("/")[2]
