"""The constraints and indexes of a graph, made where they are missing, and by them its corpora.

Constraints of other applications on labels that our nodes have as well are found before anything is paid for.
"""

from __future__ import annotations

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.corpora import DEFAULT, KINDS, corpus_of, index, plain_name
from qcg_neo4j.database.statements import paths

# Raise it when another version of the package would read or write the graph wrongly.
FORM = 3
# Neo4j's analyzers by language (ISO 639-1): they know stems and the words that say nothing; cjk takes each two signs as
# a word. English keeps the plain one: with stems LiHua-World finds 88.4 percent among five passages by words alone
# (569 questions; plainly 88.5), MuSiQue-100 49.3 (plainly 49.8; the first hit 5 points later).
ANALYZERS = {
    "ar": "arabic",
    "bg": "bulgarian",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "gl": "galician",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "lv": "latvian",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
    **dict.fromkeys(("zh", "ja", "ko"), "cjk"),
}
_PLAIN = "standard-no-stop-words"
_OF_WORDS = ("schema/index/chunk_words", "schema/index/chunk_expanded_words")
_SECONDS = 3600  # that the indexes of words may take
_LAST = index("corpus_id")  # dropped last: by it a corpus is known
# By kind, what its nodes have besides an id, and others may demand to be unique.
PROPERTIES = {
    "Document": {"title", "source"},
    "Chunk": {"text", "index", "position"},
    "Window": {"text"},
    "Query": {"text", "question", "answer"},
    "Entity": {"name", "type", "description"},
    "Alias": {"name"},
    "Atom": {"text"},
    "Claim": {"type", "description"},
    "Community": {"level", "title"},
    "Stage": {"name"},
    "SyntheticQuery": {"question"},
}
_UNIQUE = ("UNIQUENESS", "NODE_PROPERTY_UNIQUENESS")
_ID = {"id"}  # of texts, so that two corpora have the same


def create_schema(graph: Connection) -> None:
    """Create the constraints and indexes that are missing, without those over vectors."""
    present = _present(graph)
    for path in _statements("index"):
        if index(path, graph.corpus) not in present:
            graph.run(path, **({"analyzer": analyzer_of(language_of(graph))} if path in _OF_WORDS else {}))
    graph.has_schema = True


def language_of(graph: Connection) -> str | None:
    """The language of the corpus (ISO 639-1); None where none was found or given."""
    return next((row["language"] for row in graph.rows("schema/model")), None)


def analyzer_of(language: str | None) -> str:
    """Neo4j's analyzer for texts of a language; one that only parts words where there is none, or none is better."""
    return ANALYZERS.get(language or "", _PLAIN)


def use_language(graph: Connection, language: str) -> None:
    """Record the language of the corpus; its full-text indexes are rebuilt if they need another analyzer."""
    graph.run("schema/use_language", language=language)
    graph.recorded = None
    analyzers = {row["name"]: row["analyzer"] for row in graph.rows("schema/indexes")}
    changed = [path for path in _OF_WORDS if analyzers.get(index(path, graph.corpus)) != analyzer_of(language)]
    for path in changed:
        graph.run("schema/drop_index", name=index(path, graph.corpus))
        graph.run(path, analyzer=analyzer_of(language))
    if changed:
        graph.run("schema/await_indexes", names=[index(path, graph.corpus) for path in changed], seconds=_SECONDS)


def corpora_of(graph: Connection) -> list[str]:
    """The names of the database's corpora, by a constraint that each has; the default one first."""
    found = {corpus_of(name) for name in _present(graph) if plain_name(name) == _LAST}
    return sorted(found, key=lambda name: (name != DEFAULT, name))


def corpus_is_there(graph: Connection) -> bool:
    """Whether the database has the connection's corpus; the default one always is there."""
    return graph.corpus == DEFAULT or graph.corpus in corpora_of(graph)


def check_corpus(graph: Connection) -> None:
    """Refuse a corpus that is not there.

    Raises:
        GraphError: says which there are.
    """
    if not corpus_is_there(graph):
        known = corpora_of(graph)
        others = nearest(graph.corpus, known) if known else "It has none yet."
        raise GraphError(
            f"The database has no corpus {graph.corpus!r}.",
            f"{others} Loading makes it: `qcg load --corpus {graph.corpus} PATH`.".lstrip(),
        )


def drop_schema(graph: Connection) -> None:
    """Drop the constraints and indexes of a corpus; that by which it is known comes last."""
    for name in sorted(_own(graph), key=lambda name: plain_name(name) == _LAST):
        graph.run("schema/drop_constraint", name=name)
        graph.run("schema/drop_index", name=name)
    graph.has_schema, graph.recorded = False, None  # what is written makes it anew


def create_vector_indexes(graph: Connection, dimension: int, folder: str = "vector_index") -> None:
    """Create the indexes over vectors of a dimension that are missing; ``folder`` holds their statements.

    Raises:
        GraphError: an index of somebody else is where one would have to be.
    """
    present = _present(graph)
    names = {path: index(path, graph.corpus) for path in _statements(folder)}
    missing = {path: name for path, name in names.items() if present.get(name) != dimension}
    for path, name in missing.items():
        if name in present:  # left from vectors that are gone; it would take none of these, without a word
            graph.run("schema/drop_index", name=name)
        graph.run(path, dimension=dimension)
    if missing and (lacking := {*missing.values()} - _present(graph).keys()):
        _refuse(graph, lacking)


def await_indexes(graph: Connection, seconds: int = 300) -> None:
    """Wait until every index of the corpus is online."""
    graph.run("schema/await_indexes", names=_own(graph), seconds=seconds)


def nodes_of_others(graph: Connection) -> dict[str, int]:
    """How many nodes of others have a label that ours have as well, by label; they are neither read nor written."""
    left: dict[str, int] = {}
    for name in {*corpora_of(graph), graph.corpus}:
        for row in graph.beside(name).rows("schema/foreign"):
            left[row["label"]] = left.get(row["label"], row["number"]) - row["ours"]
    return {label: number for label, number in left.items() if number > 0}


def _own(graph: Connection) -> list[str]:
    return [name for name in _present(graph) if name.startswith(index("")) and corpus_of(name) == graph.corpus]


def _present(graph: Connection) -> dict[str, int | None]:
    return {row["name"]: row["dimension"] for row in graph.rows("schema/indexes")}


def _statements(folder: str) -> list[str]:
    return [path for path in paths() if path.startswith(f"schema/{folder}/")]


def _refuse(graph: Connection, lacking: set[str]) -> None:
    """Only relationships have no mark: an index over the vectors of RELATED_TO may be there already."""
    others = [row for row in graph.rows("schema/indexes") if row["covers"] == ["RELATED_TO"] and row["dimension"]]
    names = ", ".join(row["name"] for row in others)
    raise GraphError(
        f"The index {', '.join(sorted(lacking))} cannot be made: this database has another one ({names}) over the "
        "same property of RELATED_TO.",
        "Use a database of its own (`--database`), or drop that index if it is not needed.",
    )


def check_constraints(graph: Connection) -> None:
    """Refuse to write nodes that a constraint of another application may not let in.

    Raises:
        GraphError: names the constraint and what to do.
    """
    if graph.address.own_labels:
        return
    for row in graph.rows("schema/constraints"):
        name, label, properties = row["name"], row["label"], set(row["properties"])
        if label not in KINDS or name.startswith(index("")):
            continue
        met = properties & PROPERTIES.get(label, set())
        same_ids = properties == _ID and _is_beside_others(graph)
        if row["type"] not in _UNIQUE or same_ids or (met and properties <= met | _ID):
            raise _in_the_way(name, label, row["type"], row["properties"])


def _is_beside_others(graph: Connection) -> bool:
    """Whether another corpus holds documents, which may be the same."""
    names = [name for name in corpora_of(graph) if name != graph.corpus]
    return any(graph.beside(name).rows("schema/size", permitted=None)[0]["documents"] for name in names)


def _in_the_way(name: str, label: str, kind: str, properties: list[str]) -> GraphError:
    demanded = f"{kind.lower().replace('_', ' ')} of {label}.{f', {label}.'.join(properties)}"
    return GraphError(
        f"The constraint {name} of another application ({demanded}) would hold for our nodes, which have the label "
        f"{label} as well.",
        "Make the corpus with labels of its own (`--own-labels`, for a new one), use another database (`--database`), "
        f"or drop that constraint if it is not needed (`DROP CONSTRAINT {name}`).",
    )
