"""The method that chooses: the rule over questions of both kinds, what the graph has a say in, and its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE
from endpoint import Body, Manner, Say, endpoint

from qcg_neo4j.core.errors import MissingReplyError, SettingsError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model, use_model
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore
from qcg_neo4j.models.replies.exchange import key_of
from qcg_neo4j.retrieval import Auto, AutoSettings, GraphragGlobal, Layers, LayersSettings
from qcg_neo4j.retrieval.answer import answer_if_about_collection
from qcg_neo4j.retrieval.auto import CUES, cue
from qcg_neo4j.retrieval.catalogue import AroundSettings, compose
from qcg_neo4j.retrieval.chain import LayersOfParts
from qcg_neo4j.retrieval.graphrag import NO_REPORTS
from qcg_neo4j.retrieval.layers import STATEMENT

PLAIN = "Which gym did Wolfgang recommend to Li Hua?"
ABOUT_ALL = "What are the main themes of these conversations?"
# Written before the cues were.
BEFORE = (
    "What are the main themes in these conversations?",
    "Summarize the collection in a few sentences.",
    "What topics come up most often across all documents?",
    "Overall, how do the people in these chats get along with each other?",
    "What kinds of events do people plan together?",
    "In general, what worries the people here?",
    "What are the most common reasons for cancelling a meeting?",
    "Give me an overview of what this corpus is about.",
    "Which issues are discussed throughout the dataset?",
    "How does the tone of the messages change over the year?",
    "What patterns can be seen in the way treatments are chosen?",
    "What do these documents have in common?",
    "What are the key takeaways from the whole set of reports?",
    "Which trends stand out in the texts as a whole?",
)
# Written when the cues were fixed; these four are not caught, and no cue was made for them.
AFTER = (
    "What is this collection about?",
    "What do people here care about most?",
    "Tell me what everyone has been talking about.",  # not caught
    "Which subjects keep coming back?",
    "What are the biggest sources of conflict between the participants?",  # not caught
    "How would you characterise the community described in these chats?",
    "What lessons can be learned from all of these cases?",  # not caught
    "Are people mostly happy or unhappy with their lives?",
    "What are the five most important things to know about this archive?",
    "Describe the overall mood of the messages.",  # not caught
    "Which methods of treatment are discussed most frequently?",
    "What sorts of problems do the authors report?",
    "In what ways did the discussions shift over the months?",
    "Sum up the main arguments on both sides.",
    "Who are the central figures across the stories?",
    "What is the big picture?",
)
# Each has the words of a cue, but asks about something in particular.
PARTICULAR = (
    "What is the main topic of the conversation on 2026-04-28 at 5 PM?",
    "What kinds of flowers does Li Hua recommend to Adam Smith for the flower beds?",
    "What topics will be covered in the community medical knowledge lecture?",
    "Which anatomical sites are included for esophageal cancer in general?",
    "What is the most common type of skin cancer?",
    "How does the treatment affect overall survival?",
    "According to the documents, who wrote the letter?",
    "How does Rowan describe Cersei's transformation throughout the series?",
    "What are the main subtypes of thyroid cancer?",
)


def sample_questions() -> list[str]:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


@pytest.mark.parametrize(("questions", "share"), [(BEFORE, 1.0), (AFTER, 0.75), (BEFORE + AFTER, 0.8)])
def test_questions_about_all_are_noticed(questions: tuple[str, ...], share: float) -> None:
    assert sum(cue(question) is not None for question in questions) >= share * len(questions)


def test_every_cue_notices_something() -> None:
    more = ("Overall, are they content?", "Can you outline the plot?", "What do most people think?")
    assert {cue(question) for question in BEFORE + AFTER + more} - {None} == set(CUES)


@pytest.mark.parametrize("question", [*sample_questions(), *PARTICULAR])
def test_questions_about_something_in_particular_are_not(question: str) -> None:
    assert cue(question) is None


def test_a_plain_question_goes_to_the_layers_without_a_further_round_trip(
    sample_reports: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    vector = sample_reports.embed_question(PLAIN)
    recorded_model(sample_reports)  # once per connection
    calls: list[str] = []
    execute = sample_reports.driver.execute_query

    def counted(query: Any, values: Any, **more: Any) -> Any:
        calls.append(query.metadata["statement"])
        return execute(query, values, **more)

    monkeypatch.setattr(sample_reports.driver, "execute_query", counted)
    expected = Layers(LayersSettings(passages=3)).retrieve(sample_reports, PLAIN, vector)
    alone = calls.copy()
    calls.clear()
    found = Auto(AutoSettings(passages=3)).retrieve(sample_reports, PLAIN, vector)
    assert (found.method, found.passages) == ("auto (layers)", expected.passages)
    assert found.notes[0].startswith("layers: nothing in the question's words")
    assert (found.settings["analysis"], found.settings["passages"], found.settings["walk_seeds"]) == ("words", 3, 3)
    assert calls == alone == ["retrieve/layers/names", STATEMENT]  # the question has capital letters inside


def test_a_question_about_all_goes_to_the_communities(sample_reports: Graph) -> None:
    found = Auto(AutoSettings(passages=3)).retrieve(sample_reports, ABOUT_ALL)
    expected = GraphragGlobal().retrieve(sample_reports, ABOUT_ALL)
    assert found.method == "auto (graphrag-global)"
    assert found.reports == expected.reports
    assert found.passages == expected.passages[:3]
    assert found.notes[0] == "graphrag-global: the question's words ask about the whole collection (the collection)"


@pytest.mark.parametrize("question", BEFORE + AFTER)
def test_the_graph_names_nothing_in_most_of_them(sample_reports: Graph, question: str) -> None:
    assert sample_reports.rows("retrieve/auto/scope", question=question, permitted=None)[0] == {
        "names": [],
        "has_reports": True,
    }


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What are the main themes of Li Hua's conversations?", "Li Hua"),
        ("Summarize the relationship between Wolfgang Schulz and others.", "Wolfgang Schulz"),
        ("summarize what li hua did", "Li Hua"),
        ("What kinds of workouts do people do at FitZone?", "FitZone"),
    ],
)
def test_a_question_that_names_what_the_graph_knows_stays_with_the_layers(
    sample_reports: Graph, question: str, named: str
) -> None:
    found = Auto().choice(sample_reports, question)
    assert found.way == "passages"
    assert found.reason.endswith(f"but it names {named}")


@pytest.mark.parametrize("question", ["Overall \\E(", 'Overall "*~ AND', "Overall 🎉", "Summarize the a:b^2~ \\Q"])
def test_signs_are_harmless(sample_reports: Graph, question: str) -> None:
    assert Auto().choice(sample_reports, question).way == "collection"


@pytest.mark.rest
def test_without_reports_the_notes_say_why_the_layers_were_taken(graph: Graph) -> None:
    from small_embedder import SmallEmbedder

    graph.embedder = SmallEmbedder()
    use_model(graph, "small", 384)
    found = Auto().retrieve(graph, ABOUT_ALL)
    assert found.method == "auto (layers)"
    assert found.notes[0].endswith(f"(the collection), but {NO_REPORTS}")


def analyses(folder: Path, **scopes: str | None) -> Recording:
    """Recorded analyses; None for one that was made before they said the scope."""
    lines = []
    for question, scope in scopes.items():
        reply: dict[str, Any] = {"complexity": 1, "entities": [], "sub_questions": [], "hypothetical_passage": ""}
        reply |= {} if scope is None else {"scope": scope}
        lines.append(json.dumps({"task": "analyse/question", "key": key_of(question), "reply": reply}))
    file = folder / "analyses.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return Recording([file])


def test_a_models_analysis_decides_where_it_is_wanted(sample_reports: Graph, tmp_path: Path) -> None:
    recorded = analyses(tmp_path, **{PLAIN: "collection", ABOUT_ALL: "passages", "Who?": None})
    method = compose("auto", {"analysis": "model"}, AroundSettings(), recorded)
    assert method.asks_model
    assert not compose("auto", {}, AroundSettings(), recorded).asks_model
    assert method.retrieve(sample_reports, PLAIN).method == "auto (graphrag-global)"
    for question in (ABOUT_ALL, "Who?"):
        assert method.retrieve(sample_reports, question).method == "auto (layers)"
    with pytest.raises(MissingReplyError, match="analyse/question"):
        method.retrieve(sample_reports, "Who else?")
    with pytest.raises(SettingsError, match="none is given"):
        Auto(AutoSettings(analysis="model")).retrieve(sample_reports, PLAIN)


def complex_question(folder: Path, complexity: float) -> Recording:
    reply = {
        "complexity": complexity,
        "entities": ["Wolfgang", "FitZone"],
        "sub_questions": [{"focus": "entity", "question": "Which gym did Wolfgang recommend?"}],
        "hypothetical_passage": "",
        "scope": "passages",
    }
    file = folder / "analyses.jsonl"
    line = {"task": "analyse/question", "key": key_of(PLAIN), "reply": reply}
    file.write_text(json.dumps(line), encoding="utf-8")
    return Recording([file])


def test_a_complex_question_goes_to_the_layers_of_its_sub_questions(sample_reports: Graph, tmp_path: Path) -> None:
    recorded = complex_question(tmp_path, 7)
    found = Auto(AutoSettings(analysis="model", passages=3), recorded).retrieve(sample_reports, PLAIN)
    three = LayersSettings(passages=3)
    assert found.method == "auto (layers of sub-questions)"
    assert found.notes[:2] == (
        "layers of sub-questions: its analysis finds the question complex (7 of 10)",
        "asked as well: Which gym did Wolfgang recommend?",
    )
    assert found.passages == LayersOfParts(three, recorded).retrieve(sample_reports, PLAIN).passages
    assert found.passages != Layers(three).retrieve(sample_reports, PLAIN).passages


@pytest.mark.parametrize(("complexity", "threshold"), [(6.5, 6.5), (7, 7), (2, 6.5)])
def test_a_question_at_the_threshold_is_not_complex(
    sample_reports: Graph, tmp_path: Path, complexity: float, threshold: float
) -> None:
    settings = AutoSettings(analysis="model", complexity=threshold)
    found = Auto(settings, complex_question(tmp_path, complexity)).choice(sample_reports, PLAIN)
    assert (found.way, found.reason.split(" the ")[0]) == ("passages", "its analysis finds")


def test_there_is_no_single_statement() -> None:
    with pytest.raises(SettingsError, match=r"no statement of its own.\nName one of them: layers or graphrag-global."):
        Auto().call(PLAIN, None)


def script(_: int, body: Body) -> Manner:
    if body["messages"][0]["content"].startswith("You write the answer"):
        return Say(json.dumps({"answer": "Sport and food [1].", "citations": ["1"]}))
    return Say(json.dumps({"answer": "There is sport [1].", "score": 50, "citations": ["1"]}))


def test_an_answer_to_a_question_about_all_is_mapped_and_reduced(sample_reports: Graph, tmp_path: Path) -> None:
    with endpoint(script) as fake, ReplyStore(tmp_path / "replies.sqlite") as store:
        live = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0), store)
        assert answer_if_about_collection(sample_reports, PLAIN, Auto(), live) is None
        assert not fake.paid
        found = answer_if_about_collection(sample_reports, ABOUT_ALL, Auto(), live)
        live.close()
    assert found is not None
    assert (found.text, found.evidence.method) == ("Sport and food [1].", "auto (graphrag-global C1)")
    assert found.notes[0].startswith("graphrag-global: the question's words")
    assert found.evidence.reports
