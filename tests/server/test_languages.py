"""Words of many languages: the right passage among five, though the question writes its words in another form."""

from __future__ import annotations

import unicodedata

import pytest
from conftest import emptied
from languages import TEXTS
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import analyzer_of, language_of
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.retrieval import Hybrid, HybridSettings, KgCqr, KgCqrSettings, Layers, LayersSettings, Method
from qcg_neo4j.retrieval.baselines import Fulltext
from qcg_neo4j.retrieval.evidence import with_language_told


def load(graph: Graph, language: str, settings: LoadSettings = LoadSettings()) -> None:
    documents = [SourceDocument(str(place), text) for place, (text, _) in enumerate(TEXTS[language])]
    load_documents(graph, SmallEmbedder(), documents, settings)


def first(graph: Graph, language: str) -> list[str | None]:
    found = [Fulltext().retrieve(graph, question).passages for _, question in TEXTS[language]]
    return [passages[0].document if passages else None for passages in found]


@pytest.mark.parametrize("language", sorted(TEXTS))
@pytest.mark.rest("de", "ar", "hi", "th", "ja", "ko", "ru")
def test_the_right_passage_among_five(graph: Graph, language: str) -> None:
    load(graph, language)
    assert language_of(graph) == language
    assert first(graph, language) == ["0", "1", "2", "3", "4"]


@pytest.mark.rest
def test_a_corpus_keeps_its_language_until_another_is_given(graph: Graph) -> None:
    load(graph, "de")
    load(graph, "ru")
    assert language_of(graph) == "de"
    load(graph, "ru", LoadSettings(language="ru"))
    assert language_of(graph) == "ru"
    analyzers = {row["name"]: row["analyzer"] for row in graph.rows("schema/indexes") if row["analyzer"]}
    assert analyzers["qcg_chunk_words"] == analyzers["qcg_chunk_expanded_words"] == "russian"
    assert first(graph, "ru") == ["0", "1", "2", "3", "4"]


def test_english_and_what_is_unknown_have_the_plain_analyzer() -> None:
    assert analyzer_of("en") == analyzer_of(None) == analyzer_of("xx") == "standard-no-stop-words"
    with pytest.raises(SettingsError, match=r"LoadSettings\.language is 'German', not a code of ISO 639-1\."):
        LoadSettings(language="German")


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


# A text, and a word of it in another form of Unicode.
FORMS = [
    (decomposed("Die Brücke von Zürich"), "Brücke"),
    ("Die Kapelle von Köln", decomposed("Köln")),
    (decomposed("시립도서관 화요일"), "시립도서관"),
    (decomposed("Thư viện mở cửa"), "thư viện"),
    ("The o\ufb03cial work\ufb02ow", "official"),
    ("The tram\u00adpo\u00adline", "trampoline"),
    ("The re\u200bgatta", "regatta"),
    ("Ｇａｕｇｅ　ＺＸ８１", "ZX81"),
    ("ｶﾞﾗｽ製品", "ガラス"),
    ("\ufee3\ufedc\ufe98\ufe92\ufe94", "مكتبة"),
    ("المُدِيرُ", "المدير"),
    ("Die Große Straße", "Strasse"),
    ("the planeta-\nrium and more-\r\nover it", "planetarium"),
    ("الغرفة ٣٤٥", "345"),
    ("12 km² of lake", "km2"),
]


@pytest.mark.rest
def test_words_are_found_in_any_form_of_unicode(graph: Graph) -> None:
    documents = [SourceDocument(str(place), text) for place, (text, _) in enumerate(FORMS)]
    load_documents(graph, SmallEmbedder(), documents, LoadSettings(language="en"))
    found = [Fulltext().retrieve(graph, question).passages for _, question in FORMS]
    assert [[passage.document for passage in passages] for passages in found] == [
        [document.id] for document in documents
    ]
    assert found[0][0].text == FORMS[0][0]  # which stays as it is


# Questions in another form than the text, and the document that has their word.
ASKED = {"zur Straße?": "11", "o\ufb03cial": "4", decomposed("KÖLN"): "1", "tram\u00adpoline": "5", "Raum ３４５": "13"}
# By words alone, so that no vector helps.
BY_WORDS = [
    Hybrid(HybridSettings(window_weight=0.0)),
    Layers(LayersSettings(query_weight=0.0, window_weight=0.0, atom_weight=0.0, triple_weight=0.0, walk_weight=0.0)),
    KgCqr(KgCqrSettings(search="fulltext")),
]


@pytest.mark.parametrize("method", BY_WORDS, ids=lambda method: method.name)
@pytest.mark.rest
def test_each_method_that_searches_words_finds_them_in_any_form(graph: Graph, method: Method) -> None:
    """Written in the text as above, and in the question."""
    documents = [SourceDocument(str(place), text) for place, (text, _) in enumerate(FORMS)]
    load_documents(graph, SmallEmbedder(), documents, LoadSettings(language="en"))
    graph.embedder = SmallEmbedder()
    for question, expected in [*((word, str(place)) for place, (_, word) in enumerate(FORMS)), *ASKED.items()]:
        found = method.retrieve(graph, question).passages
        assert [passage.document for passage in found] == [expected], question
        assert method.name == "kg-cqr" or {path[-1].layer for path in found[0].paths} <= {"words", "expandedWords"}


class English(SmallEmbedder):
    """The small embedder under the name of a model that reads English."""

    name = "all-MiniLM-L6-v2"


class Multilingual(SmallEmbedder):
    """The small embedder under the name of a model that reads many languages."""

    name = "multilingual-e5-small"


@pytest.mark.rest
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Wer schließt abends die Stadtbücherei ab?", "(de) than the documents (en)"),
        ("図書館は何時に開きますか。", "(ja) than the documents (en)"),
        ("Who closes the library?", None),
        ("Li Hua FitZone", None),  # of no language for certain
    ],
)
def test_a_question_in_another_language_is_told(graph: Graph, question: str, told: str | None) -> None:
    text = SourceDocument("a", "The public library opens on Tuesdays at nine and is closed on Mondays.")
    for embedder in (English(), Multilingual()):
        emptied(graph)
        load_documents(graph, embedder, [text], LoadSettings(language="en"))
        graph.embedder = embedder
        notes = with_language_told(graph, Fulltext().retrieve(graph, question)).notes
        found = [note for note in notes if "another language" in note]
        assert len(found) == (told is not None and isinstance(embedder, English))
        assert all(str(told) in note and "all-MiniLM-L6-v2 reads English" in note for note in found)
