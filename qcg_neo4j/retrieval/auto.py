"""A retriever that chooses: communities for questions about all, layers of sub-questions for chains, else layers."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.chain import LayersOfParts
from qcg_neo4j.retrieval.graphrag import NO_REPORTS, GraphragGlobal
from qcg_neo4j.retrieval.layers import Layers
from qcg_neo4j.retrieval.method import MODEL, Method, RetrieveSettings, Vector, checked_question
from qcg_neo4j.retrieval.model_steps import AskingMethod, analysis

# What people call a collection, and its parts all together.
_COLLECTION = r"(?:collection|corpus|corpora|data ?set|data|archive|library|material|knowledge base|graph)"
_PARTS = (
    r"(?:documents|texts|files|papers|articles|reports|records|notes|stories|books|chapters|sources|passages|pages|"
    r"posts|threads|chats|conversations|discussions|dialogues|messages|e-?mails|letters|transcripts|interviews|reviews)"
)
# What runs through many texts; in the singular it is as a rule that of one of them.
_THREADS = (
    r"(?:themes|topics|subjects|issues|concerns|worries|complaints|problems|questions|reasons|ideas|opinions|views|"
    r"attitudes|arguments|debates|conflicts|interests|activities|habits|trends|patterns|tendencies|developments|motifs|"
    r"narratives|storylines|threads|takeaways|insights|lessons)"
)
_WEIGHTY = (
    r"(?:main|major|central|key|core|principal|chief|dominant|predominant|prevailing|prominent|overarching|"
    r"recurring|recurrent|repeated|common|commonest|frequent|widespread|broad|broader|general|overall|biggest|"
    r"largest|most important)"
)
_EVERYBODY = r"(?:people|persons|users|participants|members|speakers|authors|writers|characters|everyone|everybody)"

# Each cue by what it is called in the evidence's notes. The order is that in which they are looked for.
CUES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        # "this corpus", "the whole set of reports", "all the chats", "across the conversations"
        "the collection": (
            rf"(?<!according to )\b(?:this|the|our|my|whole|entire|full) (?:whole |entire |full )?(?:text |document )?"
            rf"(?:collection|corpus|corpora|data ?set|archive|knowledge base)\b"
            rf"|\b(?:whole|entire|full|all(?: of)?(?: the| this| these)?) (?:set of |body of )?(?:\w+ )?"
            rf"(?:{_COLLECTION}|{_PARTS})\b"
            rf"|\b(?:these|across|throughout|among)(?: the| these| all)? (?:\w+ )?(?:{_COLLECTION}|{_PARTS})\b"
        ),
        # "Overall, …", "… as a whole"
        "overall": (
            r"^(?:overall|in general|generally(?: speaking)?|broadly(?: speaking)?)\b|, (?:overall|in general),"
            r"|\b(?:overall|all in all)\W*$"
            r"|\b(?:as a whole|on the whole|by and large|all in all|taken together|big picture|bigger picture)\b"
        ),
        # "main themes", "most common reasons", "recurring patterns"
        "main themes": (
            rf"\b{_WEIGHTY}(?:,? (?:and )?\w+)? {_THREADS}\b"
            rf"|\b(?:what|which|any) (?:\w+ )?{_THREADS} (?:(?:can|could) be (?:seen|found|observed)|"
            rf"come up|came up|recur|stand out|emerge|dominate|prevail|keep|run through|"
            rf"(?:are|were) (?:most|mostly|repeatedly|often|commonly|frequently|there))\b"
        ),
        # "what topics come up most often"
        "most often": r"\b(?:come|comes|came|mentioned|discussed|talked|talk|raised|appear|appears|occur|occurs) "
        r"(?:up |about )?(?:the )?(?:most(?: often| frequently)?|again and again|repeatedly|over and over)\b",
        # "summarize the …", "an overview of …"
        "summary": (
            r"^(?:please |can you |could you )*(?:summari[sz]e|sum up|outline|recap) "
            r"(?:the|this|these|all|everything|what|it|our|my)\b"
            r"|\b(?:give|write|provide|make|show)(?: me| us)? (?:an?|the) (?:\w+ )?"
            r"(?:summary|overview|outline|synopsis) of\b"
            r"|\b(?:the gist of|in a nutshell|bird's[- ]eye view)\b"
        ),
        # "what kinds of events do people plan"
        "what kinds": (
            rf"\b(?:what|which) (?:kinds|sorts|types) of (?:\w+ ){{1,3}}?"
            rf"(?:(?:do|did|are|were|have) (?:the |these |most )?{_EVERYBODY}\b|"
            rf"(?:come|came|appear|occur|recur|"
            r"(?:are|were) (?:there|mentioned|discussed|described|covered|reported))\b)"
        ),
        # "what do these people do", "how do people here get along"
        "everybody": (
            rf"\b(?:these|most|all) {_EVERYBODY}\b"
            rf"|\b(?:{_EVERYBODY}) (?:here|tend to|in general|usually|mostly|generally|typically)\b"
            rf"|^(?:what|how|why|where|when|which) (?:do|did|are|were) (?:the )?{_EVERYBODY} "
            r"(?!(?:with|who|of|from|at)\b)"
        ),
        # "how does the tone change over the year"
        "over time": (
            r"\b(?:change|changes|changed|evolve|evolves|evolved|develop|develops|developed|shift|shifts|shifted) "
            r"(?:over|through|during|in the course of)(?: the| these)? "
            r"(?:time|(?:whole |entire )?(?:year|years|months|weeks|decades|period))\b"
        ),
    }.items()
}


def cue(question: str) -> str | None:
    """The name of the first cue that a question asks about the whole collection; None where there is none.

    >>> cue("What are the main themes of these chats?"), cue("Who recommended the gym?")
    ('the collection', None)
    """
    text = " ".join(question.split())
    return next((name for name, pattern in CUES.items() if pattern.search(text)), None)


Way = Literal["passages", "chain", "collection"]


@dataclass(frozen=True)
class AutoSettings(RetrieveSettings):
    """A choice between the layers, chains of facts and the communities, by what the question asks."""

    analysis: str = setting(
        "words",
        "How the question is classified: by its words (finds questions about the whole "
        "collection) or by a language model (also finds chains of facts).",
        choices=("words", "model"),
    )
    complexity: float = setting(6.5, "Complexity above which a question counts as a chain.", minimum=0.0, maximum=10.0)


@dataclass(frozen=True)
class Choice:
    """Which way a question goes, and why."""

    way: Way
    reason: str


@dataclass(frozen=True)
class Auto(AskingMethod):
    """Chooses by the question: reports, sub-questions, or ``layers`` alone.

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
            "The method auto chooses a method for each question, so it has no statement of its own.",
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
        if found.way == "collection" and (self.settings.where is not None or graph.restriction is not None):
            return Choice("passages", f"{found.reason}, but reports are made of all documents, and a filter is given")
        return found

    def _by_words(self, graph: Graph, question: str) -> Choice:
        found = cue(question)
        if found is None:
            return Choice("passages", "nothing in the question's words asks about the whole collection")
        row = graph.rows("retrieve/auto/scope", question=question, permitted=None)[0]
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
            row = graph.rows("retrieve/auto/scope", question="", permitted=None)[0]
            return _where_there_are_reports(about, has_reports=row["has_reports"])
        return Choice("chain", f"its analysis finds the question complex ({complexity:g} of 10)")


def _where_there_are_reports(about: str, *, has_reports: bool) -> Choice:
    return Choice("collection", about) if has_reports else Choice("passages", f"{about}, but {NO_REPORTS}")
