"""What nodes and indexes of ours are called, beside those of other applications and in each of several corpora.

Every node has the label of its kind, for people, and a second one, its mark: ``Chunk`` and ``QcgChunk``. Statements
find nodes by the mark alone, and constraints and indexes cover it alone. The marks, indexes and relations of a corpus
end in its name: of a corpus ``law`` the chunks are ``Chunk:QcgChunk__law``, found by the index
``qcg_chunk_embedding__law``. The default corpus has the plain names, which the files of ``cypher/`` say; `translated`
makes the text for another one of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from qcg_neo4j.core.errors import InputError

DEFAULT = "default"
MARK = "Qcg"
KINDS = (
    *("Document", "Chunk", "Window", "Query", "Entity", "Alias", "Atom", "Claim", "Community"),
    *("SyntheticQuery", "LinkPredictor", "Stage", "Corpus", "Lock"),
)
_INDEX = "qcg_"  # what the name of each of our indexes begins with
LONGEST = 30
NAME = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"  # nowhere two low lines, which begin the suffix
# Of RELATED_TO the type has the suffix, because relationships have no mark; where it is a word for people it has none.
OWN = r"\b(?:Qcg[A-Z]|qcg_[a-z])\w*|(?<=[:|])RELATED_TO\b"
RELATED_TO = "RELATED_TO"
_BETWEEN = "__"
_OWN = re.compile(OWN)
_BOTH = re.compile(r":(Qcg(\w+)):\2\b")  # the label of a corpus, and beside it that for people


def checked_name(name: str) -> str:
    """The name of a corpus, as it may become a part of Cypher.

    Raises:
        InputError: it is none.
    """
    if len(name) > LONGEST or not re.fullmatch(NAME, name):
        raise InputError(
            f"{name!r} is not a valid name of a corpus.",
            f"A name starts with a lower-case letter, has lower-case letters, digits and single "
            f"underscores, and at most {LONGEST} characters, as in law_2025.",
        )
    return name


def suffix(corpus: str) -> str:
    """What the names of a corpus end in.

    >>> suffix("law"), suffix(DEFAULT)
    ('__law', '')
    """
    return "" if corpus == DEFAULT else _BETWEEN + checked_name(corpus)


@lru_cache(maxsize=2048)
def translated(text: str, corpus: str, own_labels: bool = False) -> str:
    """The Cypher text for a corpus; that of a file is for the default one. With ``own_labels`` nodes get no others.

    >>> translated("MATCH (:QcgEntity)-[:RELATED_TO|SYNONYM_OF]-() RETURN 'RELATED_TO'", "law")
    "MATCH (:QcgEntity__law)-[:RELATED_TO__law|SYNONYM_OF]-() RETURN 'RELATED_TO'"
    >>> translated("MERGE (node:QcgEntity:Entity {id: 1})", DEFAULT, own_labels=True)
    'MERGE (node:QcgEntity {id: 1})'
    """
    if own_labels:
        text = _BOTH.sub(r":\1", text)
    ending = suffix(corpus)
    if not ending:
        return text
    return _OWN.sub(lambda found: found[0] + ending, text).replace(chosen(DEFAULT), chosen(corpus))


def chosen(corpus: str) -> str:
    """How a statement passes its corpus to a procedure.

    >>> chosen("law")
    "corpus: 'law'"
    """
    return f"corpus: '{corpus}'"


def plain_name(name: str) -> str:
    """A label, a type or an index without its corpus.

    >>> plain_name("RELATED_TO__law"), plain_name("RELATED_TO")
    ('RELATED_TO', 'RELATED_TO')
    """
    return name.partition(_BETWEEN)[0]


def corpus_of(name: str) -> str:
    """The corpus that a mark, a type or an index of ours belongs to.

    >>> corpus_of("qcg_chunk_id__law"), corpus_of("qcg_chunk_id")
    ('law', 'default')
    """
    return name.partition(_BETWEEN)[2] or DEFAULT


def mark(kind: str, corpus: str = DEFAULT) -> str:
    """The second label of the nodes of a kind.

    >>> mark("Chunk"), mark("Chunk", "law")
    ('QcgChunk', 'QcgChunk__law')
    """
    return MARK + kind + suffix(corpus)


def is_mark(label: str) -> bool:
    """Whether a label is the mark of a kind, of whatever corpus.

    >>> is_mark("QcgChunk__law"), is_mark("Chunk")
    (True, False)
    """
    name = plain_name(label)
    return name.startswith(MARK) and name.removeprefix(MARK) in KINDS


def index(path: str, corpus: str = DEFAULT) -> str:
    """The name of the index or constraint that a statement of ``schema/`` makes.

    >>> index("schema/index/chunk_id"), index("schema/index/chunk_id", "law")
    ('qcg_chunk_id', 'qcg_chunk_id__law')
    """
    return _INDEX + path.rpartition("/")[2] + suffix(corpus)
