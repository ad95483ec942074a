"""A retriever that chooses: communities for questions about all, layers of sub-questions for chains, else layers."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.chain import LayersOfParts
from qcg_neo4j.retrieval.cues import cue
from qcg_neo4j.retrieval.graphrag import NO_REPORTS, GraphragGlobal
from qcg_neo4j.retrieval.layers import Layers
from qcg_neo4j.retrieval.method import MODEL, AskingMethod, Method, RetrieveSettings, checked_question
from qcg_neo4j.retrieval.model_steps import analysis

if TYPE_CHECKING:
    from qcg_neo4j.retrieval.method import Vector

Way = Literal["passages", "chain", "collection"]


@dataclass(frozen=True)
class AutoSettings(RetrieveSettings):
    """A choice between the layers, chains of facts and the communities, by what the question asks."""

    analysis: str = setting(
        "words",
        "Who says what a question asks: cues in its words, which know questions about the whole collection, or a "
        "language model's analysis, which also knows chains of facts.",
        choices=("words", "model"),
    )
    complexity: float = setting(
        6.5, "Complexity by the analysis above which a question goes to chains.", minimum=0.0, maximum=10.0
    )


@dataclass(frozen=True)
class Choice:
    """Which way a question goes, and why."""

    way: Way
    reason: str


@dataclass(frozen=True)
class Auto(AskingMethod):
    """The method for a question: ``collection``, ``chain`` or ``passages``.

    ``collection`` where the question asks about the whole collection and the graph has reports. ``chain`` where an
    analysis finds the question complex; it reads the same analysis. ``source`` is the language model (or recording)
    that analyses, where the settings want one.
    """

    settings: AutoSettings = AutoSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    passages: Method = Layers()
    collection: GraphragGlobal = GraphragGlobal()
    chain: LayersOfParts = LayersOfParts()
    name: ClassVar[str] = "auto"
    procedure: ClassVar[None] = None  # which one depends on the question

    @property
    def asks_model(self) -> bool:
        """Whether these settings ask a language model."""
        return self.settings.analysis == MODEL

    def call(self, question: str, vector: Vector | None) -> Call:
        """None: which statement is asked depends on the question.

        Raises:
            SettingsError: always.
        """
        raise SettingsError(
            "The method auto chooses between methods for each question; there is no single statement.",
            f"Name one of them: {self.passages.name} or {self.collection.name}.",
        )

    def choice(self, graph: Graph, question: str) -> Choice:
        """Which way a question goes; the graph is asked only where the passages alone might not do.

        Raises:
            SettingsError: a language model is to analyse the question, and none is given.
            MissingReplyError: the question has no analysis.
        """
        question = checked_question(question)
        found = self._by_model(graph, question) if self.asks_model else self._by_words(graph, question)
        if found.way == "collection" and self.settings.where is not None:
            return Choice("passages", f"{found.reason}, but reports are made of all documents, and a filter is given")
        return found

    def _by_words(self, graph: Graph, question: str) -> Choice:
        found = cue(question)
        if found is None:
            return Choice("passages", "nothing in the question's words asks about the whole collection")
        row = graph.rows("retrieve/auto/scope", question=question)[0]
        about = f"the question's words ask about the whole collection ({found})"
        if row["names"]:
            return Choice("passages", f"{about}, but it names {row['names'][0]}")
        return _where_there_are_reports(about, has_reports=row["has_reports"])

    def inner(self, choice: Choice) -> Method:
        """The method that was chosen, with these settings."""
        chosen = self.settings
        chain = self.chain.with_source(self.source)
        ways: dict[Way, Method] = {"collection": self.collection, "passages": self.passages, "chain": chain}
        method = ways[choice.way]
        shared: dict[str, Any] = {
            "passages": chosen.passages,
            "context_tokens": chosen.context_tokens,
            "candidate_factor": chosen.candidate_factor,
            "where": chosen.where,
        }
        return method.with_settings(replace(method.settings, **shared))

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence of the chosen method; its name and the notes say which it is, and why.

        Raises:
            SettingsError: a language model is to analyse the question, and none is given.
            MissingReplyError: the question has no analysis.
        """
        start = time.perf_counter()
        choice = self.choice(graph, question)
        method = self.inner(choice)
        found = method.retrieve(graph, question, vector)
        return replace(
            found,
            method=f"{self.name} ({method.name})",
            settings={**asdict(self.settings), **found.settings},
            seconds=time.perf_counter() - start,
            notes=(f"{method.name}: {choice.reason}", *found.notes),
        )

    def _by_model(self, graph: Graph, question: str) -> Choice:
        found = analysis(question, self.needed_source())
        about_all, complexity = found.get("scope") == "collection", found["complexity"]  # older ones have no scope
        if not about_all and complexity <= self.settings.complexity:
            return Choice("passages", "its analysis finds the question neither complex nor about the whole collection")
        if about_all:
            about = "its analysis says that the question asks about the whole collection"
            row = graph.rows("retrieve/auto/scope", question="")[0]
            return _where_there_are_reports(about, has_reports=row["has_reports"])
        return Choice("chain", f"its analysis finds the question complex ({complexity:g} of 10)")


def _where_there_are_reports(about: str, *, has_reports: bool) -> Choice:
    return Choice("collection", about) if has_reports else Choice("passages", f"{about}, but {NO_REPORTS}")
