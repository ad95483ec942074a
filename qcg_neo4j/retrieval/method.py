"""What a retrieval method is: a value that turns a question into one call of a statement, and rows into evidence."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.filters import Joined, Where, read, steps
from qcg_neo4j.core.records import Atom, Evidence, Neighbourhood, Passage, Report, Subgraph
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.asynchronous import AsyncGraph
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Rows, camel, configuration
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission, permission
from qcg_neo4j.database.statements import statement
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.evidence import passages_of, what_is_lacking, within

Vector = NDArray[np.float32]  # the embedding of a question
NEAR = "retrieve/near | "  # before the statement of a method: the entries of its indexes, of what is permitted
PASSAGES = " | retrieve/passages"  # behind the statement of a method: what is read of the chunks that it has found
ROUNDED = 1e-5  # by how much the length of a unit vector may differ from 1
LONGEST_QUESTION = 20_000  # characters; more is a document by mistake
MODEL = "model"  # the choice of a setting that asks a language model
ANSWER_PASSAGES = 25  # that an answer is written from at most, unless more are asked for
ANSWER_TOKENS = "answer_tokens"
QCG = "QCG-RAG paper, §4"
FILTER = 'Only of documents with this metadata, such as: author = "Wu" and published >= 2025-01-01.'


@dataclass(frozen=True)
class CandidateSettings(Settings):
    """How many passages, and of how many candidates."""

    passages: int = setting(5, "Number of passages (K).", source=QCG, minimum=1, maximum=1000)
    candidate_factor: int = setting(
        4, "Candidates from the vector index per hit; more miss less.", minimum=1, maximum=100
    )


@dataclass(frozen=True)
class RetrieveSettings(CandidateSettings):
    """What all methods share: how many passages, of how many candidates, how long together, of which documents.

    ``where`` is a filter as text, or as a dictionary, which becomes text.
    """

    context_tokens: int = setting(6000, "Maximum tokens of all passages together.", source=QCG, minimum=1)
    answer_tokens: int = setting(
        3000,
        "Tokens of the passages that an answer is written from: best first, at least the number of passages and at "
        f"most {ANSWER_PASSAGES}; 0 takes the number of passages.",
        minimum=0,
        in_database=False,
    )
    where: Where | None = setting(None, FILTER)

    def __post_init__(self) -> None:
        if self.where is not None:
            object.__setattr__(self, "where", self.where if isinstance(self.where, str) else str(read(self.where)))
            read(self.where)
        super().__post_init__()

    def listed(self) -> dict[str, Any]:
        """The settings of what is retrieved by their names; the filter only where there is one."""
        settings = {name: value for name, value in asdict(self).items() if name != ANSWER_TOKENS}
        return {name: value for name, value in settings.items() if name != "where" or value is not None}

    def told(self, name: str) -> Any:
        """The value of a setting as a parameter of a statement: the filter in steps."""
        return steps(read(self.where)) if name == "where" and self.where is not None else super().told(name)


class Method(Protocol):
    """A retrieval method; one statement, unless it holds another method or asks a model."""

    @property
    def name(self) -> str:
        """What tables and evidence call it."""

    @property
    def needs_vector(self) -> bool:
        """Whether the question's embedding is looked at."""

    @property
    def needs_text(self) -> bool:
        """Whether the question's words are looked at, so that its embedding alone does not do."""

    @property
    def searches_words(self) -> bool:
        """Whether chunks are searched for by the question's words (BM25)."""

    @property
    def asks_model(self) -> bool:
        """Whether a language model is asked, with these settings."""

    @property
    def settings(self) -> RetrieveSettings:
        """The settings of this value of the method."""

    def with_settings(self, settings: Any) -> Method:
        """The same method with other settings of its class."""

    def with_source(self, source: ReplySource | None) -> Method:
        """The same method with the language model (or recording) that it may ask; itself where it asks none."""

    def call(self, question: str, vector: Vector | None) -> Call:
        """The statement and its parameters for a question and its embedding (None where it is not needed)."""

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question; ``vector`` is its embedding where the caller already has it."""

    async def aretrieve(self, graph: AsyncGraph, question: str, vector: Vector | None = None) -> Evidence:
        """The same evidence on an event loop: statements are awaited, models and embeddings run in threads."""
        return await graph.ask(lambda asked: self.retrieve(asked, question, vector))


@dataclass(frozen=True)
class Found:
    """What a method finds of what is permitted: passages, best first, however long, and what else its evidence has.

    ``met`` are the kinds of nodes and relationships of which the graph is seen to hold some; ``otherwise`` says why
    nothing was found where the graph lacks nothing.
    """

    passages: Sequence[Passage] = ()
    met: Collection[str] = ()
    notes: Sequence[str] = ()
    otherwise: str = ""
    subgraph: Subgraph | None = None
    atoms: tuple[Atom, ...] = ()
    reports: tuple[Report, ...] = ()
    neighbourhood: Neighbourhood | None = None

    @classmethod
    def by_paths(cls, rows: Iterable[Mapping[str, Any]], notes: Sequence[str] = ()) -> Found:
        """The passages of the rows of a statement; their paths say what the graph is seen to hold."""
        passages = passages_of(rows)
        return cls(passages, {step.label for one in passages for path in one.paths for step in path}, notes)


class StoredMethod(Method):
    """What the methods of the graph have in common; each subclass is a frozen dataclass with ``settings``.

    ``paper`` and ``tuned`` are the settings of the presets of these names, ``looks_at`` the kinds of nodes or
    relationships that it looks at besides chunks, and ``procedure`` is what shows its evidence in Browser.
    """

    settings: RetrieveSettings
    name: ClassVar[str]
    procedure: ClassVar[str | None]

    needs_vector: ClassVar[bool] = True
    needs_text: ClassVar[bool] = True
    searches_words: ClassVar[bool] = False
    paper: ClassVar[Mapping[str, Any]] = {}
    tuned: ClassVar[Mapping[str, Any]] = {}
    looks_at: ClassVar[tuple[str, ...]] = ()
    nothing: ClassVar[Found] = Found()  # where a filter permits no document
    left_out: ClassVar[tuple[str, ...]] = ()  # notes on steps of the paper that are not taken

    @property
    def asks_model(self) -> bool:
        """Whether a language model is asked, with these settings."""
        return False

    def with_settings(self, settings: Any) -> Self:
        """The same method with other settings of its class."""
        return replace(self, settings=settings)  # type: ignore[type-var] # each subclass is a dataclass

    def with_source(self, source: ReplySource | None) -> Self:
        """Itself: no language model is asked."""
        return self

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """What is found for a question of what is permitted."""
        raise NotImplementedError

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question; ``vector`` is its embedding where the caller already has it.

        With a filter there is a round trip before: which documents are permitted.

        Raises:
            InputError: the question is empty or too long (`LONGEST_QUESTION`), or its vector has no direction.
            SettingsError: a setting asks for a language model, and there is none.
            MissingReplyError: the language model, or the recording, gave no reply.
            ModelMismatchError: the graph was made with another embedding model.
            GraphError: the graph, or its server, lacks what the method needs.
        """
        if self.needs_text or vector is None:
            question = checked_question(question)
        start = time.perf_counter()
        if self.needs_vector:
            vector = question_vector(graph, question, vector)
        permitted = permission(graph, self.settings.where)
        # None only where the method does not need it.
        found = self.nothing if permitted.is_empty else self._found(graph, question, vector, permitted)  # type: ignore[arg-type]
        passages, notes = within(found.passages, self.settings.context_tokens)
        lacking = () if permitted.is_empty else what_is_lacking(graph, self.looks_at, passages, found.met)
        if found.otherwise and not lacking:
            lacking = (found.otherwise,)
        return Evidence(
            question,
            self.name,
            passages,
            asdict(self.settings),
            time.perf_counter() - start,
            (*self.left_out, *permitted.notes, *notes, *lacking, *found.notes),
            found.subgraph,
            atoms=found.atoms,
            reports=found.reports,
            neighbourhood=found.neighbourhood,
        )


class OneStatement(StoredMethod):
    """A method that is one statement: one round trip through `retrieve`."""

    def rows(self, graph: Graph, question: str, vector: Vector | None, permitted: Permission) -> Rows:
        """The rows of the passages, of what is permitted."""
        return graph.rows(permitted.applied(self.call(question, vector)))

    def _found(self, graph: Graph, question: str, vector: Vector | None, permitted: Permission) -> Found:
        """The passages of the statement."""
        return Found.by_paths(self.rows(graph, question, vector, permitted))


def filtered(method: Method, where: Where) -> Method:
    """The method with a filter, as text or as a dictionary; one that it already has must hold as well.

    Raises:
        InputError: the filter cannot be read.
        SettingsError: the method cannot honour a filter.
    """
    held = method.settings.where
    both = read(where) if held is None else Joined("and", (read(held), read(where)))
    return method.with_settings(replace(method.settings, where=str(both)))


def call_of(path: str, settings: RetrieveSettings, question: str, vector: Vector | None, **more: Any) -> Call:
    """The call of a statement: each parameter is the setting of its name, what is searched for, or one of ``more``.

    A procedure's configuration are the settings.
    """
    asked = {"question": question, "texts": [question], "question_vector": vector}
    declared = {parameter.name for parameter in statement(path).parameters}
    known = {"configuration": configuration(settings)} if "configuration" in declared else {}
    values = {**asked, "permitted": None, **known, **asdict(settings), **more}
    return Call(path, {name: value for name, value in values.items() if camel(name) in declared})


def near_call(
    path: str, settings: RetrieveSettings, vectors: Mapping[str, Vector | None], wanted: int, **more: Any
) -> Call:
    """The call of a statement over ``retrieve/near``: ``wanted`` entries of each layer, compared with its vector."""
    values = {"vectors": vectors, "wanted": wanted, "candidates": settings.candidate_factor * wanted, **more}
    return call_of(NEAR + path, settings, "", None, **values)


def question_vector(graph: Graph, question: str, given: Vector | None) -> Vector:
    """The embedding of a question, of unit length: the one that is given, else the graph's own.

    Raises:
        InputError: the given one has no direction.
    """
    if given is None:
        return graph.embed_question(question)
    vector = np.asarray(given, np.float32)
    length = float(np.linalg.norm(vector))
    if not 0 < length < math.inf:
        raise InputError("The question's vector has no direction: it is empty, all zeros, or holds what is no number.")
    return vector if abs(length - 1) < ROUNDED else vector / np.float32(length)


def checked_question(question: str) -> str:
    """The question without white space at its ends.

    >>> checked_question("  Who is Li Hua?\\n")
    'Who is Li Hua?'

    Raises:
        InputError: it is empty or too long.
    """
    question = question.strip()
    if not question:
        raise InputError("The question is empty.")
    if len(question) > LONGEST_QUESTION:
        raise InputError(f"The question has {len(question):,} characters; at most {LONGEST_QUESTION:,} are taken.")
    return question
