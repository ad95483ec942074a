"""Conversations: follow-ups stand alone, citations keep their numbers, nothing of it is kept in the graph."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import TestServer
from endpoint import Body, FakeEndpoint, Manner, Say, endpoint

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Recording, ReplyStore
from qcg_neo4j.models.replies.exchange import key_of
from qcg_neo4j.retrieval import VectorBaseline, VectorSettings
from qcg_neo4j.retrieval.answer import Conversation, Turn, answer, standalone

FIRST, SECOND = "Which gym did Wolfgang recommend to Li Hua?", "And who closes it?"
ALONE = "What does Adam Smith say of the water tap?"
FEW = VectorBaseline(VectorSettings(passages=2, answer_tokens=0))
HISTORY = (Turn(FIRST, "Wolfgang recommended FitZone [1]."),)


def replying(_: int, body: Body) -> Manner:
    """Rewrites the follow-up; answers what else is asked, citing the second passage."""
    return Say(json.dumps({"question": ALONE}) if "response_format" in body else "It is so [2].")


@contextmanager
def talking(graph: Graph, folder: Path) -> Iterator[tuple[Conversation, FakeEndpoint]]:
    with endpoint(replying) as fake, ReplyStore(folder / "store") as store:
        settings = LanguageModelSettings(endpoint=fake.url, model="m", retries=0)
        with closing(LiveModel(settings, store)) as live, closing(Endpoint(settings, None)) as model:
            yield Conversation(graph, FEW, model, live), fake


def test_a_follow_up_is_rewritten_by_one_call_that_is_recorded(sample: Graph, tmp_path: Path) -> None:
    before = sample.rows("inspect/counts")
    with talking(sample, tmp_path) as (talk, fake):
        first, second = talk.ask(FIRST), talk.ask(SECOND)
        assert len(fake.calls) == 3  # two answers and one follow-up
        talk.history = talk.history[:1]
        assert talk.search(SECOND).question == ALONE
        assert len(fake.calls) == 3  # its reply is in the store
    assert (first.evidence.question, second.evidence.question) == (FIRST, ALONE)
    assert second.evidence.notes[0] == f"understood as: {ALONE}"
    assert first.evidence.notes == ()
    assert sample.rows("inspect/counts") == before


def test_citations_keep_their_numbers(sample: Graph, tmp_path: Path) -> None:
    with talking(sample, tmp_path) as (talk, _):
        answers = [talk.ask(question) for question in (FIRST, SECOND, SECOND)]
    cited = [one.evidence.passages[1].id for one in answers]
    assert cited[0] != cited[1] == cited[2]
    assert [one.text for one in answers] == ["It is so [1].", "It is so [2].", "It is so [2]."]
    assert [one.citations for one in answers] == [(name,) for name in cited]
    assert [one.id for one in talk.sources] == list(talk.numbers) == cited[:2]


def test_without_a_model_names_of_the_last_turns_join_the_question(sample: Graph) -> None:
    talk = Conversation(sample, FEW)
    assert talk.search(FIRST).question == FIRST
    talk.keep(FIRST)
    assert talk.search(SECOND).question == f"{SECOND} (Li Hua)"
    assert "Li Hua)" not in standalone(sample, "What does Li Hua like?", HISTORY)
    with pytest.raises(SettingsError, match="without a language model"):
        talk.ask(SECOND)


def test_a_history_may_be_given_and_a_recording_may_rewrite(sample: Graph, tmp_path: Path) -> None:
    told = f"Question: {FIRST}\nAnswer: Wolfgang recommended FitZone."
    line = {"task": "analyse/follow_up", "key": key_of(json.dumps([told, SECOND])), "reply": {"question": ALONE}}
    (tmp_path / "replies.jsonl").write_text(json.dumps(line) + "\n")
    recording = Recording([tmp_path / "replies.jsonl"])
    assert standalone(sample, SECOND, HISTORY, recording) == ALONE
    with endpoint(replying) as fake, closing(Endpoint(LanguageModelSettings(endpoint=fake.url, model="m"), None)) as m:
        written = answer(sample, SECOND, m, FEW, history=HISTORY, source=recording)
    assert (written.text, written.evidence.question) == ("It is so [1].", ALONE)
    with pytest.raises(InputError, match="empty"):
        standalone(sample, " ", HISTORY, recording)


def test_the_prompt_of_a_follow_up_holds_the_turns() -> None:
    prompt = task("analyse/follow_up").messages({"conversation": "THE TURNS", "question": "Q?", "mark": "m"})
    assert "THE TURNS\n\nNext question: Q?" in prompt[1]["content"]


def place(server: TestServer, folder: Path) -> dict[str, str]:
    found = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    return {**found, "QCG_STORE": str(folder / "store")}


def test_the_command_answers_in_turns(sample: Graph, sample_server: TestServer, tmp_path: Path) -> None:
    typed = f"/sources\n{FIRST}\n\n{SECOND}\n/what\n/sources\n/quit\nnever asked\n"
    with endpoint(replying) as fake:
        options = ["--llm", f"m@{fake.url}", "--method", "vector"]
        done = CliRunner().invoke(qcg, ["chat", *options], input=typed, env=place(sample_server, tmp_path))
    assert done.exit_code == 0, done.output
    assert done.stdout.count("It is so [") == 2
    assert "It is so [2]." in done.stdout
    assert "[1] " in done.stdout
    assert f"understood as: {ALONE}" in " ".join(done.output.split())
    assert "Nothing was asked yet." in done.output
    assert "There is no /what." in done.output
    assert len(fake.calls) == 3


def test_the_command_shows_evidence_without_a_model(sample: Graph, sample_server: TestServer, tmp_path: Path) -> None:
    typed = f"{FIRST}\n{SECOND}\n"
    done = CliRunner().invoke(qcg, ["chat", "-m", "vector"], input=typed, env=place(sample_server, tmp_path))
    assert done.exit_code == 0, done.output
    assert "No language model is configured" in done.output
    assert "FitZone" in done.stdout
    assert f"understood as: {SECOND} (" in " ".join(done.output.split())


def test_the_command_says_how_near_and_in_which_language(
    sample: Graph, sample_server: TestServer, tmp_path: Path
) -> None:
    typed = f"{FIRST}\nWer schließt abends die Stadtbücherei ab?\n"
    done = CliRunner().invoke(qcg, ["chat", "-m", "qcg"], input=typed, env=place(sample_server, tmp_path))
    told = " ".join(done.output.split())
    assert "has nothing to do with it): found." in told
    assert "seems to be in another language (de) than the documents (en)" in told
