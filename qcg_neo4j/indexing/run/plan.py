"""Who writes what in a run, what is left out, and why; refused where it would replace what was paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import language_of
from qcg_neo4j.database.stages import StageRecord, is_current
from qcg_neo4j.indexing.build import AtomSettings, BuildSettings, CommunitySettings, IndexesSettings, SynonymSettings
from qcg_neo4j.indexing.build.leiden import missing_for_leiden
from qcg_neo4j.indexing.extract import ExtractSettings, missing_for_spacy
from qcg_neo4j.indexing.extract.readers import CAPITALS, writer
from qcg_neo4j.indexing.extract.settings import SPACY
from qcg_neo4j.indexing.generate.pairs import SENTENCES, GenerateSettings
from qcg_neo4j.indexing.load import LoadSettings
from qcg_neo4j.indexing.report.stage import EXTRACTIVE, ReportSettings
from qcg_neo4j.models.replies import Recording, ReplySource

# Percent of the evidence that `layers` finds among five passages with a language model's index, and without; a test
# holds them to the tables of the results.
FOUND: Mapping[str, tuple[float, float]] = {
    "LiHua-World": (95.8, 91.6),
    "MuSiQue": (80.9, 74.8),
    "2WikiMultiHopQA": (96.8, 95.8),
}
_KINDS = {"generate": "queries", "extract": "extractions", "report": "reports"}
AUTO, MODEL, NONE = "auto", "model", "none"


@dataclass(frozen=True)
class IndexSettings(Settings):
    """Who writes, and what becomes of documents whose files have vanished."""

    source: str = setting(
        AUTO,
        "Source of queries, entities and reports: a language model, or none (sentences, spaCy, "
        "extracts); auto uses the model if one is configured.",
        choices=(AUTO, MODEL, NONE),
    )
    keep: bool = setting(False, "Keep documents whose files have vanished.")


@dataclass(frozen=True)
class StageSettings:
    """The settings of each stage; who writes is up to the run, whatever ``source`` they name."""

    load: LoadSettings = field(default_factory=LoadSettings)
    generate: GenerateSettings = field(default_factory=GenerateSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    build: BuildSettings = field(default_factory=BuildSettings)
    synonyms: SynonymSettings = field(default_factory=SynonymSettings)
    communities: CommunitySettings = field(default_factory=CommunitySettings)
    atoms: AtomSettings = field(default_factory=AtomSettings)
    indexes: IndexesSettings = field(default_factory=IndexesSettings)
    report: ReportSettings = field(default_factory=ReportSettings)


@dataclass(frozen=True)
class Plan:
    """What a run does: the model that writes (or None), the stages with it as source, what is left out.

    ``held`` says by stage and writer how much the graph holds already, ``left_out`` of each stage that is passed over
    why; ``notes`` are sentences for a person, ``reader`` is who extracts where no model writes.
    """

    model: str | None
    stages: StageSettings
    held: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reader: str = ""

    def is_done(self, known: Mapping[str, StageRecord], name: str) -> bool:
        """Whether a stage has nothing to do: it is current, complete, and written by the same source."""
        figures, nobody = known[name].figures, {"generate": SENTENCES, "extract": self.reader}
        return (
            is_current(known, name, getattr(self.stages, name))
            and not (figures.get("missing") or figures.get("undescribed"))
            and set(self.held.get(name, ())) <= {self.model or nobody.get(name, EXTRACTIVE)}
        )


def make_plan(graph: Graph, settings: IndexSettings, stages: StageSettings, replies: ReplySource | None) -> Plan:
    """What a run will do on this graph.

    Raises:
        InputError: a model shall write and none is given, or none shall and would replace what a model wrote.
    """
    if settings.source == MODEL and replies is None:
        raise InputError(
            "source=model requires a language model, and none is configured.", "Configure one, or use source=auto."
        )
    model = replies.name if replies is not None and settings.source != NONE else None
    held: dict[str, dict[str, int]] = {name: {} for name in _KINDS}
    for row in graph.rows("index/writers"):
        held[row["stage"]][row["writer"]] = row["number"]
    left_out: dict[str, str] = {}
    if model is None:
        _refuse_to_replace(held, settings)
        if reason := missing_for_spacy(stages.extract.spacy_model):
            left_out["extract"] = reason
    if reason := missing_for_leiden(graph):
        left_out["communities"] = left_out["report"] = reason
    recorded = isinstance(replies, Recording)  # whose replies are those of models that it names
    notes = tuple(_notes(held, model, settings, left_out, recorded=recorded))
    reader = writer(stages.extract, language_of(graph))
    with_sources = replace(
        stages,
        generate=replace(stages.generate, source=MODEL if model else SENTENCES).as_used(),
        extract=replace(stages.extract, source=MODEL if model else SPACY),
        report=replace(stages.report, source=MODEL if model else EXTRACTIVE),
    )
    return Plan(model, with_sources, held, left_out, notes, reader)


def _by_models(written: Mapping[str, int]) -> dict[str, int]:
    nobody = (SENTENCES, EXTRACTIVE, CAPITALS)
    return {name: number for name, number in written.items() if name not in nobody and not name.startswith(SPACY)}


def _refuse_to_replace(held: Mapping[str, Mapping[str, int]], settings: IndexSettings) -> None:
    """Nobody's work shall not silently take the place of a model's."""
    paid = {name: _by_models(written) for name, written in held.items()}
    if settings.source == NONE or not any(paid.values()):
        return
    what = " and ".join(f"{sum(written.values()):,} {_KINDS[name]}" for name, written in paid.items() if written)
    writers = ", ".join(sorted({name for written in paid.values() for name in written}))
    raise InputError(
        f"The graph holds {what} by {writers}, and no language model is configured now; sentences would replace them. "
        "Nothing was changed.",
        "Give --llm NAME@URL (or QCG_LLM), or replace them with --source none. For a graph of your own beside this: "
        "`--corpus mine`; or `unset QCG_HOME`, where that names the home of another graph, as the demonstration's.",
    )


def _notes(
    held: Mapping[str, Mapping[str, int]],
    model: str | None,
    settings: IndexSettings,
    left_out: Mapping[str, str],
    *,
    recorded: bool,
) -> Iterator[str]:
    if model:
        yield f"{model} writes queries, entities, facts and reports."
        others = sorted({name for written in held.values() for name in written} - {model})
        if others and not recorded:
            yield f"What {', '.join(others)} wrote is replaced."
    else:
        found = "are left out" if "extract" in left_out else "are names and sentences by spaCy"
        why = "as --source none wants" if settings.source == NONE else "since none is configured"
        yield (
            f"No language model writes, {why}: queries are the texts' own sentences, "
            f"entities and facts {found}, reports are extracts."
        )
        less = ", ".join(f"{without} % instead of {by} on {name}" for name, (by, without) in FOUND.items())
        yield f"Less is found so than with one: of the evidence among five passages {less}."
    for name, reason in left_out.items():
        yield f"Without {name}: {reason}."
