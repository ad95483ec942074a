"""Words of many languages: the right passage among five, though the question writes its words in another form."""

from __future__ import annotations

import pytest
from languages import TEXTS
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import analyzer_of, language_of
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.retrieval.baselines import Fulltext


def load(graph: Graph, language: str, settings: LoadSettings = LoadSettings()) -> None:
    documents = [SourceDocument(str(place), text) for place, (text, _) in enumerate(TEXTS[language])]
    load_documents(graph, SmallEmbedder(), documents, settings)


def first(graph: Graph, language: str) -> list[str | None]:
    found = [Fulltext().retrieve(graph, question).passages for _, question in TEXTS[language]]
    return [passages[0].document if passages else None for passages in found]


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_the_right_passage_among_five(graph: Graph, language: str) -> None:
    load(graph, language)
    assert language_of(graph) == language
    assert first(graph, language) == ["0", "1", "2", "3", "4"]


def test_a_corpus_keeps_its_language_until_another_is_given(graph: Graph) -> None:
    load(graph, "de")
    load(graph, "ru")
    assert language_of(graph) == "de"
    load(graph, "ru", LoadSettings(language="ru"))
    assert language_of(graph) == "ru"
    analyzers = {row["name"]: row["analyzer"] for row in graph.rows("schema/present") if row["analyzer"]}
    assert analyzers["qcg_chunk_words"] == analyzers["qcg_chunk_expanded_words"] == "russian"
    assert first(graph, "ru") == ["0", "1", "2", "3", "4"]


def test_english_and_what_is_unknown_have_the_plain_analyzer() -> None:
    assert analyzer_of("en") == analyzer_of(None) == analyzer_of("xx") == "standard-no-stop-words"
    with pytest.raises(SettingsError, match=r"LoadSettings\.language is 'German', not a code of ISO 639-1\."):
        LoadSettings(language="German")
