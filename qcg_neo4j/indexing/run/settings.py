"""Settings of an index run, and those of the stages that it goes through."""

from __future__ import annotations

from dataclasses import dataclass, field

from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.indexing.build import AtomSettings, BuildSettings, CommunitySettings, IndexesSettings, SynonymSettings
from qcg_neo4j.indexing.extract import ExtractSettings
from qcg_neo4j.indexing.generate import GenerateSettings
from qcg_neo4j.indexing.load import LoadSettings
from qcg_neo4j.indexing.report import ReportSettings

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
