"""The tools: thin calls of what the command line calls, with limits; every error becomes one message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.filters import Where
from qcg_neo4j.core.records import Evidence, Passage, Rejected, SourceDocument
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import snake
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import model_name
from qcg_neo4j.database.plain import plain
from qcg_neo4j.database.restriction import can_be_restricted
from qcg_neo4j.database.statements import Statement, paths, statement
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.interfaces.mcp.settings import McpSettings
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Endpoint
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import DEFAULT_METHOD, Method, filtered, method
from qcg_neo4j.retrieval.answer import STYLES, Conversation, Turn, answer_question
from qcg_neo4j.retrieval.around.answering import Answering
from qcg_neo4j.retrieval.foreign import with_language_told
from qcg_neo4j.retrieval.reasons import nearness, telling

_FOLDER = "inspect/"
_NOT_ASKED = ("permitted",)  # a parameter that the connection fills in, and no agent


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
    ) -> dict[str, Any]:
        """The evidence for a question: passages with their positions and paths."""
        method = self._method(chosen, passages, settings, where)
        return self._evidence(self._conversation(method, history).search(question))

    def answer(
        self,
        question: str,
        chosen: str = DEFAULT_METHOD,
        passages: int = 5,
        style: str = STYLES[0],
        where: Where | None = None,
        history: Sequence[Mapping[str, str]] = (),
    ) -> dict[str, Any]:
        """A written answer with the passages it cites; without a language model, the evidence alone."""
        if style not in STYLES:
            raise InputError(f"There is no style {style!r}.", nearest(style, list(STYLES)))
        asked = self._method(chosen, passages, None, where)
        evidence = self._conversation(Answering(asked) if self.open_model else asked, history).search(question)
        found = self._evidence(evidence)
        if self.open_model is None:
            note = "no language model is configured, so this is the evidence alone"
            return {"text": None, "citations": [], "model": None, **found, "notes": [*found["notes"], note]}
        with closing(self.open_model()) as model:
            written = answer_question(evidence, model, style)
        return {"text": written.text, "citations": list(written.citations), "model": written.model, **found}

    def inspect(self, name: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The rows of a statement of ``cypher/inspect``, by its name; ``truncated`` says that there were more."""
        found = self._statement(name)
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
        made: Method = method(chosen, {**(settings or {}), "passages": passages})
        return made if where is None else filtered(made, where)

    def _conversation(self, method: Method, history: Sequence[Mapping[str, str]]) -> Conversation:
        for turn in history:
            if not {"question"} <= set(turn) <= {"question", "answer"}:
                raise InputError(
                    "A turn of the history has a question and an answer.", 'Give {"question": …, "answer": …}.'
                )
        return Conversation(self.graph, method, source=self.source, history=[Turn(**turn) for turn in history])

    def _evidence(self, evidence: Evidence) -> dict[str, Any]:
        # A method's settings may ask for any number of reports and atoms: what is returned is limited here.
        evidence = with_language_told(self.graph, evidence)
        most, near = self.settings.rows, nearness(evidence, model_name(self.graph))
        reports = [{"id": report.id, "title": report.title, "text": report.text} for report in evidence.reports]
        atoms = [{"id": atom.id, "text": atom.text, "score": atom.score} for atom in evidence.atoms]
        left_out = [
            f"{len(items) - most:,} {kind} are left out"
            for kind, items in (("reports", reports), ("atoms", atoms))
            if len(items) > most
        ]
        return {
            "question": evidence.question,
            "method": evidence.method,
            "passages": [self._passage(passage) for passage in evidence.passages],
            "reports": plain(reports[:most], self.settings.characters),
            "atoms": plain(atoms[:most], self.settings.characters),
            "nearest": asdict(near) if near else None,
            "notes": [*evidence.notes, *left_out],
        }

    def _passage(self, passage: Passage) -> dict[str, Any]:
        shown = asdict(replace(passage, paths=tuple(reason.path for reason in telling(passage))))
        # What a citation names stays whole.
        return {**plain(shown, self.settings.characters), "document": passage.document}

    def _statement(self, name: str) -> Statement:
        names = statement_names(self.graph.restriction is not None)
        if name not in names:
            raise InputError(f"There is no statement {name!r} to inspect with.", f"There are: {', '.join(names)}.")
        return statement(_FOLDER + name)


def statement_names(restricted: bool = False) -> list[str]:
    """The names of the statements that `Tools.inspect` runs; with a fixed filter, only the ones that honour it."""
    every = [path for path in paths() if path.startswith(_FOLDER)]
    return [path.removeprefix(_FOLDER) for path in every if not restricted or can_be_restricted(path)]


def statement_list(restricted: bool = False) -> str:
    """A line per statement: its name, its parameters with their types, what its rows are."""
    lines = []
    for name in statement_names(restricted):
        found = statement(_FOLDER + name)
        given = ", ".join(f"{item.name}: {item.type}" for item in found.parameters if item.name not in _NOT_ASKED)
        lines.append(f"{name}({given}): {found.title}")
    return "\n".join(lines)


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
