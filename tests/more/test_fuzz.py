"""Whatever comes in, one sentence comes out: models' replies, recordings, stores, settings, questions, text for people.

`make test` tries a few hundred inputs, `make fuzz` as many as EXAMPLES says.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hostile import DEEP, JSON, LETTERS, NUMBERS, PLAIN, fuzz
from hypothesis import given
from hypothesis import strategies as some

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError, LanguageModelError, QcgError, SettingsError, printable
from qcg_neo4j.core.filters import from_dictionary, parse
from qcg_neo4j.core.records import SourceDocument, Usage
from qcg_neo4j.core.settings import read_settings_file
from qcg_neo4j.indexing.extract.findings import MOST, clean
from qcg_neo4j.indexing.generate.pairs import clean as clean_pairs
from qcg_neo4j.indexing.load.chunks import Chunker
from qcg_neo4j.indexing.report.text import MOST_FINDINGS, read_report
from qcg_neo4j.indexing.report.window import Window
from qcg_neo4j.interfaces.mcp.serving import mended
from qcg_neo4j.models.embedding.windows import estimating
from qcg_neo4j.models.llm.attempts import Completion, ended, read_completion, read_piece
from qcg_neo4j.models.prompts import task, tasks
from qcg_neo4j.models.replies import ReplyStore, Request, read_recording, read_reply


def like(schema: Any) -> some.SearchStrategy[Any]:
    """Values that nearly have the form of a schema, so that what lies behind the check is reached."""
    kind = schema.get("type")
    if kind == "object":
        members = {name: like(inner) for name, inner in schema.get("properties", {}).items()}
        return some.one_of(some.fixed_dictionaries(members), some.fixed_dictionaries({}, optional=members), JSON)
    if kind == "array":
        return some.lists(like(schema.get("items", {})), max_size=4)
    return {"string": LETTERS, "number": NUMBERS, "integer": some.integers()}.get(str(kind), PLAIN)


def written(value: Any) -> str:
    """As a model might write it: JSON, perhaps cut, fenced or surrounded."""
    try:
        return json.dumps(value)
    except ValueError:  # an integer of thousands of digits
        return "{}"


REPLIES = some.one_of(*(some.tuples(some.just(name), like(dict(task(name).schema))) for name in tasks()))
CUT = some.sampled_from(
    [
        lambda text: text,
        lambda text: text[:-3],
        lambda text: f"```json\n{text}\n```",
        "So: {}!".replace("{}", "%s").__mod__,
    ]
)


@fuzz
@given(REPLIES, CUT)
def test_a_reply_is_read_or_refused(reply: tuple[str, Any], change: Callable[[str], str]) -> None:
    with suppress(LanguageModelError):
        found = read_reply(task(reply[0]), change(written(reply[1])))
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
        if reply[0].startswith("extract/g"):
            findings = clean([found])
            assert len(findings.relations) <= MOST["relations"]
        if reply[0] == "report/community":
            assert len(read_report(found, Window("", {}, 0)).findings) <= MOST_FINDINGS
        if reply[0] == "generate/pairs":
            clean_pairs(found, "question")


@fuzz
@given(some.one_of(LETTERS, DEEP, JSON.map(written)))
def test_any_text_is_a_reply_or_none(text: str) -> None:
    with suppress(LanguageModelError):
        read_reply(task("generate/pairs"), text)


MESSAGE = some.fixed_dictionaries({}, optional={"content": JSON, "refusal": JSON})
CHOICES = some.lists(
    some.fixed_dictionaries({}, optional={"message": MESSAGE | JSON, "finish_reason": JSON}), max_size=2
)
TOLD = some.fixed_dictionaries({}, optional={"prompt_tokens": PLAIN, "completion_tokens": PLAIN})
BODY = some.fixed_dictionaries({}, optional={"choices": CHOICES | JSON, "usage": TOLD | JSON}) | JSON


@fuzz
@given(some.one_of(BODY.map(lambda value: written(value).encode()), some.binary(max_size=60), DEEP.map(str.encode)))
def test_a_body_is_a_completion_or_none(body: bytes) -> None:
    with suppress(LanguageModelError):
        found = read_completion(body, "http://there", ())
        assert Completion.from_dict(json.loads(json.dumps(asdict(found)))) == found
        assert max(found.usage.input_tokens, found.usage.output_tokens) < 2**63


@fuzz
@given(BODY)
def test_an_event_of_a_stream_is_a_piece(event: Any) -> None:
    text, told, reason = read_piece(event)
    assert isinstance(text, str)
    assert told is None or isinstance(told, Usage)
    assert isinstance(ended(text, Usage(), reason), Completion)


LINE = some.fixed_dictionaries(
    {"task": some.sampled_from(tasks()) | LETTERS, "key": LETTERS, "reply": JSON},
    optional={"model": PLAIN, "prompt": PLAIN},
)


@fuzz
@given(some.lists(some.one_of(LINE.map(written), LETTERS, DEEP), max_size=4))
def test_a_recording_is_read_or_refused_and_stored_whole_or_not(lines: list[str]) -> None:
    folder = Path(os.environ["QCG_FUZZ_FOLDER"])
    file, place = folder / "recording.jsonl", folder / "import.sqlite"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    with ReplyStore(place) as store:
        with suppress(InputError):
            store.add(list(read_recording(file)))
        list(store.export())


@fuzz
@given(
    some.one_of(LETTERS, some.binary(max_size=40), some.integers(-(2**63), 2**63 - 1), DEEP), some.binary(max_size=200)
)
def test_a_store_is_used_or_refused(reply: Any, head: bytes) -> None:
    path = Path(os.environ["QCG_FUZZ_FOLDER"]) / "store.sqlite"
    path.unlink(missing_ok=True)
    asked = Request(task("generate/pairs"), "text", {"text": "text", "count": "1"})
    with ReplyStore(path) as store:
        store.put(asked, "model", {}, Usage())
        with closing(sqlite3.connect(path)) as database, database, suppress(UnicodeEncodeError):
            database.execute("UPDATE reply SET reply = ?, input_tokens = ?", [reply, reply])
        with suppress(InputError):
            store.find_paid(asked, "model")
    path.write_bytes(head)
    with suppress(InputError), ReplyStore(path) as store:
        store.find_paid(asked, "model")


TOML = some.one_of(
    LETTERS,
    some.builds(
        "[{}]\n{} = {}".format,
        some.sampled_from(["load", "qcg", "retrieve", "retrieve.qcg"]),
        some.sampled_from(["hops", "x", '"\\u0000"']),
        some.one_of(NUMBERS.map(str), DEEP, some.just("{a = 1}"), some.just("[1]")),
    ),
)


@fuzz
@given(TOML)
def test_a_settings_file_is_read_or_refused(content: str) -> None:
    file = Path(os.environ["QCG_FUZZ_FOLDER"]) / "settings.toml"
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    with suppress(SettingsError):
        read_settings_file(file)
    found = CliRunner().invoke(
        qcg, ["retrieve", "Who?", "-m", "qcg", "--uri", "bolt://127.0.0.1:9", "--settings", str(file)]
    )
    assert isinstance(found.exception, QcgError | SystemExit), found.exception


@fuzz
@given(
    LETTERS,
    some.lists(some.builds("{}={}".format, some.sampled_from(["hops", "passages", "x"]), LETTERS | DEEP), max_size=2),
)
def test_a_question_and_its_options_end_in_a_sentence(question: str, assignments: list[str]) -> None:
    given_ = [part for text in assignments for part in ("--set", text)]
    call = ["retrieve", "-m", "qcg", "--uri", "bolt://127.0.0.1:9", *given_, "--", question]
    found = CliRunner().invoke(qcg, call)
    assert isinstance(found.exception, QcgError | SystemExit), found.exception


FILTER = (
    "not (author = \"Wu\" or published >= 2025-01-31) and tags has 'law' and `a b` in [1, 2.5, true] and c is not null"
)


@fuzz
@given(
    LETTERS
    | some.tuples(some.integers(0, 100), some.integers(0, 100), LETTERS).map(
        lambda cut: FILTER[: cut[0]] + cut[2] + FILTER[cut[0] + cut[1] % 9 :]
    )
)
def test_any_text_is_a_filter_or_none(text: str) -> None:
    with suppress(InputError):
        part = parse(text)
        assert str(parse(str(part))) == str(part)


@fuzz
@given(JSON)
def test_any_dictionary_is_a_filter_or_none(value: Any) -> None:
    with suppress(InputError):
        part = from_dictionary(value)
        assert str(parse(str(part))) == str(part)


@fuzz
@given(LETTERS)
def test_what_is_told_can_be_written(text: str) -> None:
    printable(text).encode()
    assert not {"\x1b", "\x07", "\r", "\x9b"} & set(str(QcgError(text, text)))


@fuzz
@given(some.text(some.characters(exclude_categories=["Cs"]), max_size=400))
def test_any_text_is_cut_by_the_estimate(text: str) -> None:
    chunks = Chunker(estimating(), 16, 4).chunks(SourceDocument("d", text))
    assert all(chunk.text in text for chunk in chunks)


@fuzz
@given(JSON)
def test_what_agents_send_is_mended(value: Any) -> None:
    line = written(value).encode()
    json.loads(mended(line))
    json.dumps(json.loads(mended(line)), ensure_ascii=False).encode()


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    os.environ["QCG_FUZZ_FOLDER"] = str(tmp_path_factory.mktemp("fuzz"))
    yield
    del os.environ["QCG_FUZZ_FOLDER"]
