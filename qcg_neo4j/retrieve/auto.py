"""A retriever that chooses: communities for a question about the whole collection, the layers for every other."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from qcg_neo4j.errors import SettingsError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.records import Evidence
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.retrieve.graphrag import NO_REPORTS, GraphragGlobal
from qcg_neo4j.retrieve.method import Method, checked_question
from qcg_neo4j.retrieve.methods import Layers
from qcg_neo4j.retrieve.reasoning import asks_about_collection
from qcg_neo4j.retrieve.scope import cue
from qcg_neo4j.retrieve.settings import AutoSettings

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector

MODEL = "model"


@dataclass(frozen=True)
class Choice:
    """Whether a question goes to the communities, and why it does or does not."""

    collection: bool
    reason: str


@dataclass(frozen=True)
class Auto:
    """``collection`` for a question about the whole collection where the graph has reports, else ``passages``.

    ``source`` is the language model (or recording) that analyses the question, where the settings want one.
    """

    settings: AutoSettings = AutoSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    passages: Method = Layers()
    collection: GraphragGlobal = GraphragGlobal()
    name: ClassVar[str] = "auto"
    needs_vector: ClassVar[bool] = True

    def with_settings(self, settings: AutoSettings) -> Auto:
        """The same with other settings."""
        return replace(self, settings=settings)

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
        """Which way a question goes; the graph is asked only where the question seems to be about all of it.

        Raises:
            SettingsError: a language model is to analyse the question, and none is given.
            MissingReplyError: the question has no analysis.
        """
        question = checked_question(question)
        if self.asks_model():
            return self._by_model(graph, question)
        found = cue(question)
        if found is None:
            return Choice(False, "nothing in the question's words asks about the whole collection")
        row = graph.rows("retrieve/scope", question=question)[0]
        about = f"the question's words ask about the whole collection ({found})"
        if row["names"]:
            return Choice(False, f"{about}, but it names {row['names'][0]}")
        return _where_there_are_reports(about, has_reports=row["has_reports"])

    def inner(self, choice: Choice) -> Method:
        """The method that was chosen, with these settings."""
        chosen = self.settings
        method: Method = self.collection if choice.collection else self.passages
        shared = {
            "passages": chosen.passages,
            "context_tokens": chosen.context_tokens,
            "candidate_factor": chosen.candidate_factor,
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
        if self.source is None:
            raise SettingsError(
                "The settings of auto ask for a language model, and none is given.",
                "Give --language-model-endpoint and --language-model, or leave analysis at words.",
            )
        if not asks_about_collection(question, self.source):
            return Choice(False, "its analysis does not say that the question asks about the whole collection")
        row = graph.rows("retrieve/scope", question="")[0]
        about = "its analysis says that the question asks about the whole collection"
        return _where_there_are_reports(about, has_reports=row["has_reports"])


def _where_there_are_reports(about: str, *, has_reports: bool) -> Choice:
    return Choice(True, about) if has_reports else Choice(False, f"{about}, but {NO_REPORTS}")
