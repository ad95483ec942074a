"""Prefixes for models that were trained with them: one for questions, another for passages."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qcg_neo4j.models.embedding import model_files
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings, Prefixes, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_SEARCH = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
# By names in lower case, the first that fits; as the models' own pages say. Many files do not tell.
_KNOWN = (
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
_QUESTION, _PASSAGE = ("query",), ("document", "passage", "corpus")  # names of prompts in a model's files


def prefixes_by_name(model: str) -> Prefixes:
    """The prefixes that the model of this name was trained with; none for most.

    >>> prefixes_by_name("intfloat/multilingual-e5-small").passage
    'passage: '
    """
    found = (prefixes for pattern, prefixes in _KNOWN if re.search(pattern, model.lower()))
    return next(found, Prefixes())


def prefixes_of_files(model: str) -> Prefixes:
    """The prefixes that the files of a model on this machine name; else those of its name."""
    prompts = model_files.read_prompts(model)
    told = Prefixes(_first(prompts, _QUESTION), _first(prompts, _PASSAGE))
    return told if told != Prefixes() else prefixes_by_name(model_files.short_name(model))


def _first(prompts: dict[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def chosen_prefixes(settings: EmbeddingSettings, own: Prefixes) -> Prefixes:
    """The prefixes of the settings where they are given, even as empty; else the model's own."""
    question, passage = settings.question_prefix, settings.passage_prefix
    return Prefixes(own.question if question is None else question, own.passage if passage is None else passage)


class Prefixing(ABC):
    """What all embedders have in common: the prefix before each text, and the room in the window that it takes.

    An embedder says its ``prefixes``, its ``tokenizer``, how much it ``reads``, and how texts become ``_vectors``.
    """

    prefixes: Prefixes
    reads: int

    @property
    @abstractmethod
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, without truncation and padding."""

    @abstractmethod
    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        """Vectors of the texts with the prefix before each."""

    @property
    def window_tokens(self) -> int:
        """How many tokens of a passage the model reads, special tokens and the prefix not counted."""
        return self._room(self.prefixes.passage)

    @property
    def question_tokens(self) -> int:
        """How many tokens of a question the model reads, special tokens and the prefix not counted."""
        return self._room(self.prefixes.question)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, (len(texts), dimension), in the given order, rows of unit length."""
        return self._vectors(texts, self.prefixes.passage)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, (len(texts), dimension), in the given order, rows of unit length."""
        return self._vectors(texts, self.prefixes.question)

    def _room(self, prefix: str) -> int:
        taken = len(self.tokenizer.encode(prefix, add_special_tokens=False).ids) if prefix else 0
        return max(self.reads - taken, 1)
