"""The tools: thin calls of what the command line calls, with limits; every error becomes one message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from qcg_neo4j.core.errors import InputError, SettingsError, number_of
from qcg_neo4j.core.filters import Where
from qcg_neo4j.core.records import Atom, Evidence, Passage, Rejected, Report, SourceDocument
from qcg_neo4j.core.settings import Settings, nearest, setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import plain, snake
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import model_name
from qcg_neo4j.database.permission import can_be_restricted
from qcg_neo4j.database.statements import Parameter, Statement, paths, statement
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Endpoint
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import DEFAULT_METHOD, Method, filtered, method
from qcg_neo4j.retrieval.answer import STYLES, Conversation, Turn, answer_question
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.reasons import amount, excerpt, nearness, shortened, telling, way

_FOLDER = "inspect/"
# Unless more is asked for: characters of a passage alone and beside reports or atoms, of what led to it, of a report
# with its title; items.
_SHORT, _SHORTER, _BESIDE, _REPORT, _MOST = 300, 220, 120, 160, 5
_NOT_ASKED = ("permitted",)  # a parameter that the connection fills in, and no agent


@dataclass(frozen=True)
class McpSettings(Settings):
    """Limits of every call, and where the server listens when it speaks HTTP."""

    rows: int = setting(100, "Maximum number of rows, reports and atoms returned", minimum=1, maximum=10_000)
    passages: int = setting(20, "Maximum number of passages per request", minimum=1, maximum=1000)
    characters: int = setting(2000, "Maximum number of characters of a text; written answers are complete", minimum=100)
    documents: int = setting(100, "Maximum number of documents per load", minimum=1, maximum=100_000)
    seconds: float = setting(30.0, "Time limit of a database transaction in seconds", minimum=0.1, maximum=3600)
    allow_write: bool = setting(False, "Let agents load documents")
    http: bool = setting(False, "Serve streamable HTTP on 127.0.0.1 instead of standard input and output")
    where: str | None = setting(
        None, "Restrict all tools to documents that match this filter; an agent can only narrow it, and none can load"
    )
    port: int = setting(8765, "Port of HTTP", minimum=1, maximum=65535)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.allow_write and self.where is not None:
            raise SettingsError(
                "Agents that see only some documents cannot load.", "Leave one of --where and --allow-write out."
            )


@dataclass(frozen=True)
class Tools:
    """What agents may do with a graph.

    ``open_model`` opens the language model that writes answers, None without one; ``open_embedder`` that of what is
    loaded; ``source`` rewrites follow-ups.
    """

    graph: Graph
    settings: McpSettings
    open_embedder: Callable[[], Embedder]
    open_model: Callable[[], Endpoint] | None = None
    source: ReplySource | None = None

    def retrieve(
        self,
        question: str,
        chosen: str = DEFAULT_METHOD,
        passages: int = 5,
        settings: Mapping[str, Any] | None = None,
        where: Where | None = None,
        history: Sequence[Mapping[str, str]] = (),
        *,
        full: bool = False,
    ) -> dict[str, Any]:
        """The evidence for a question: the part of each passage around the hit, or all of it with ``full``, and why."""
        method = self._method(chosen, passages, settings, where)
        return self._evidence(self._conversation(method, history).search(question), full=full)

    def answer(
        self,
        question: str,
        chosen: str = DEFAULT_METHOD,
        passages: int = 5,
        style: str = STYLES[0],
        where: Where | None = None,
        history: Sequence[Mapping[str, str]] = (),
        *,
        full: bool = False,
    ) -> dict[str, Any]:
        """A written answer with what it cites, by its numbers; without a language model, the evidence alone."""
        if style not in STYLES:
            raise InputError(f"There is no style {style!r}.", nearest(style, list(STYLES)))
        asked = self._method(chosen, passages, None, where)
        evidence = self._conversation(Answering(asked) if self.open_model else asked, history).search(question)
        if self.open_model is None:
            note = "no language model is configured, so this is the evidence alone"
            return {"text": None, **self._evidence(replace(evidence, notes=(*evidence.notes, note)), full=full)}
        with closing(self.open_model()) as model:
            written = answer_question(evidence, model, style)
        unsupported = () if written.supported else ("no passage supports this answer",)
        told = replace(evidence, notes=tuple(dict.fromkeys((*evidence.notes, *written.notes, *unsupported))))
        return {"text": written.text, "model": written.model, **self._evidence(told, written.citations, full=full)}

    def inspect(self, name: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The rows of a statement of ``cypher/inspect``, by its name; ``truncated`` says that there were more.

        Without a name, what each statement takes and gives.
        """
        known, name = statements(self.graph.restriction is not None), name.removeprefix("inspect/")
        if not name:
            return {"statements": [f"{name}({_parameters(one)}): {one.title}" for name, one in known.items()]}
        if name not in known:
            raise InputError(f"There is no statement {name!r} to inspect with.", f"There are: {', '.join(known)}.")
        found = known[name]
        own = {item.name: None for item in found.parameters if item.name in _NOT_ASKED}
        values = {**own, **{snake(key): value for key, value in (parameters or {}).items() if key not in _NOT_ASKED}}
        most = self.settings.rows
        rows = self.graph.rows(Call(found.path, values), most + 1)
        shown = [plain(row, self.settings.characters) for row in rows[:most]]
        return {"statement": name, "meaning": found.title, "rows": shown, "truncated": len(rows) > most}

    def load(self, documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Bring documents into the graph; says what became of them, and which stages are stale now."""
        if not self.settings.allow_write:
            raise SettingsError("This server only reads.", "Start it with `qcg mcp --allow-write` to let agents load.")
        most = self.settings.documents
        if len(documents) > most:
            raise InputError(f"{len(documents):,} documents were given; at most {most:,} are taken.", "Load in parts.")
        report = load_documents(
            self.graph, self.open_embedder(), [_document(given) for given in documents], LoadSettings()
        )
        stale = {stage.name: stage.stale for stage in status(self.graph).stages if stage.stale}
        return {**asdict(report), "rejections": [str(item) for item in report.rejections], "stale": stale}

    def status(self) -> dict[str, Any]:
        """What the graph holds, stage by stage, what is stale, and what is missing."""
        found = replace(status(self.graph), corpora=())  # other corpora are no concern of this one's agents
        shown: dict[str, Any] = plain(asdict(found), self.settings.characters)
        return shown

    def _method(self, chosen: str, passages: int, settings: Mapping[str, Any] | None, where: Where | None) -> Method:
        most = self.settings.passages
        if not 1 <= passages <= most:
            raise InputError(f"{passages:,} passages were asked for; from 1 to {most:,} may be.")
        made: Method = method(chosen, {**(settings or {}), "passages": passages}).with_source(self.source)
        return made if where is None else filtered(made, where)

    def _conversation(self, method: Method, history: Sequence[Mapping[str, str]]) -> Conversation:
        for turn in history:
            if not {"question"} <= set(turn) <= {"question", "answer"}:
                raise InputError(
                    "A turn of the history has a question and an answer.", 'Give {"question": …, "answer": …}.'
                )
        return Conversation(self.graph, method, source=self.source, history=[Turn(**turn) for turn in history])

    def _evidence(self, evidence: Evidence, cited: Collection[str] | None = None, *, full: bool) -> dict[str, Any]:
        """What is there of the evidence; only what is ``cited``, where that is given."""
        most, near = self.settings.rows, nearness(evidence, model_name(self.graph))
        limits = dict.fromkeys(("reports", "atoms"), most if full else min(most, _MOST))
        places = _numbered(evidence.passages) | _numbered(evidence.reports[: limits["reports"]])
        short = _SHORTER if evidence.reports or evidence.atoms else _SHORT
        # Without the signs that something is left out.
        part = None if full else min(short, self.settings.characters) - 2
        numbered = {
            "passages": [self._passage(one, places, evidence.question, part) for one in evidence.passages],
            "reports": [self._report(number, one, full=full) for number, one in enumerate(evidence.reports, start=1)],
            "atoms": [self._atom(number, one, full=full) for number, one in enumerate(evidence.atoms, start=1)],
        }
        kept = {
            kind: [item for item in items if cited is None or item["id"] in cited][: limits.get(kind)]
            for kind, items in numbered.items()
        }
        if cited is None and not full:  # the reasons of the passages tell most of them
            told = {reason.last.id for passage in evidence.passages for reason in telling(passage)}
            kept["atoms"] = [item for item in kept["atoms"] if item["id"] not in told]
        left_out = [
            f"{number_of(len(numbered[kind]) - limit, f'{kind[:-1]} is', f'{kind} are')} left out"
            for kind, limit in limits.items()
            if cited is None and len(numbered[kind]) > limit
        ]
        return _there(
            {
                "question": evidence.question,
                "method": evidence.method,
                "nearest": near and {**asdict(near), "similarity": round(near.similarity, 2)},
                **kept,
                "notes": [*evidence.notes, *left_out],
            }
        )

    def _passage(self, one: Passage, places: Mapping[str, int], question: str, part: int | None) -> dict[str, Any]:
        characters = self.settings.characters
        ways = {reason: way(reason, one, places, min(_BESIDE, characters)) for reason in telling(one)}
        return _there(
            {
                "number": places[one.id],
                "id": one.id,
                # What a citation names stays whole.
                "document": one.document,
                "title": None if one.title == one.document else one.title,
                "index": one.index,
                "place": one.place,
                "also": [str(other) for other in one.also],
                "metadata": plain(dict(one.metadata), characters),
                "score": float(f"{one.score:.3g}"),
                "text": plain(one.text, characters) if part is None else excerpt(one, question, part).text,
                "reasons": [f"{reason.kind} {amount(reason)} {told}" for reason, told in ways.items()],
            }
        )

    def _report(self, number: int, one: Report, *, full: bool) -> dict[str, Any]:
        characters = self.settings.characters
        text = plain(one.text, characters) if full else shortened(one.text, min(_REPORT, characters))
        title = None if one.text.startswith(one.title) else one.title
        return _there({"number": number, "id": one.id, "title": title, "text": text})

    def _atom(self, number: int, one: Atom, *, full: bool) -> dict[str, Any]:
        text = plain(one.text, self.settings.characters) if full else shortened(one.text, _BESIDE)
        return {"number": number, "id": one.id, "title": one.title, "text": text, "score": float(f"{one.score:.3g}")}


def statements(restricted: bool = False) -> dict[str, Statement]:
    """The statements that `Tools.inspect` runs, by name; with a fixed filter, only the ones that honour it."""
    every = [path for path in paths() if path.startswith(_FOLDER)]
    shown = [path for path in every if not restricted or can_be_restricted(path)]
    return {path.removeprefix(_FOLDER): statement(path) for path in shown}


def _parameters(found: Statement) -> str:
    return ", ".join(f"{item.name}: {item.type}" for item in _asked(found))


def signatures(restricted: bool = False) -> str:
    """The names of the statements with those of their parameters."""
    found = statements(restricted)
    return " ".join(f"{name}({','.join(item.name for item in _asked(one))})" for name, one in found.items())


def _asked(found: Statement) -> list[Parameter]:
    return [item for item in found.parameters if item.name not in _NOT_ASKED]


def _numbered(items: Sequence[Passage | Report]) -> dict[str, int]:
    return {item.id: number for number, item in enumerate(items, start=1)}


def _there(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without what says nothing: null, no text, nothing in a list or map."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def _document(given: Mapping[str, Any]) -> SourceDocument | Rejected:
    known = ("id", "text", "title", "source", "published_at")
    texts = {name: given.get(name) for name in known}
    wrong = [name for name in given if name not in known]
    if wrong:
        raise InputError(f"A document has no field {wrong[0]!r}.", nearest(wrong[0], list(known)))
    for name in ("id", "text"):
        if not isinstance(texts[name], str) or not str(texts[name]).strip():
            raise InputError(f"A document's {name} is {texts[name]!r}.", "Give it as a text that is not blank.")
    return SourceDocument(**{name: value for name, value in texts.items() if value is not None})
