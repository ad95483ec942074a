"""Whatever a file holds, it is read or refused with a reason: documents of every format, and predictors.

Small real files are changed here and there, also inside of their archives; `make test` tries a few of each, `make fuzz`
as many as EXAMPLES says.
"""

from __future__ import annotations

import io
import json
import os
import resource
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import own_documents
import pytest
from conftest import SAMPLE
from hostile import JSON, LETTERS, NUMBERS, PLAIN, few, fuzz
from hypothesis import given
from hypothesis import strategies as some

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Rejected
from qcg_neo4j.indexing.load import read_documents
from qcg_neo4j.indexing.load.chunks import Chunker
from qcg_neo4j.indexing.load.files import ENDINGS
from qcg_neo4j.indexing.train.settings import PredictorSettings
from qcg_neo4j.indexing.train.stored import read_file, write_file
from qcg_neo4j.indexing.train.weights import Layer, Scorer, Weights, encode
from qcg_neo4j.models.embedding.windows import estimating

LARGEST = 300_000
MOST_MEMORY = 1_000_000  # kilobytes that the process may grow by
LINES = (
    '{"id": "a", "text": "Rye keeps.", "title": "Rye", "year": 2026, "tags": ["a", "b"], "publishedAt": "2026-02-03"}\n'
    '{"document": "b", "index": 0, "text": "One."}\n{"document": "b", "index": 1, "text": "Two.", "source": "x"}\n'
)
PLAIN_FILES = {"plain.txt": "Käse and rye.\n\nOn 12 May.\n".encode(), "lines.jsonl": LINES.encode()}

# Ends of parts, signs of encodings, entities, deep and long things: what readers trip over.
TOKENS = [
    *(b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b'"', b"\\ud800", b"&#0;", b"&#xd800;", b"]]>", b"<!--"),
    *(b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>&b;", b"<table>" * 300, b"[" * 3000, b"9" * 5000),
    *(b"charset=utf-7;", b"charset=none;", b"Content-Transfer-Encoding: x\n", b"Date: \n", b"--", b"%PDF-9\n", b"0 R"),
    *(
        b"/Length 99999999999",
        b"stream\n",
        b"endobj",
        b"1e999",
        b"NaN",
        b'"index": true',
        b"\xed\xa0\x80",
        b"PK\x03\x04",
    ),
]
EDIT = some.tuples(
    some.sampled_from(["insert", "replace", "cut", "twice"]),
    some.floats(0, 1),
    some.one_of(some.binary(max_size=6), some.sampled_from(TOKENS)),
    some.integers(0, 400),
)
EDITS = some.lists(EDIT, max_size=6)


def edited(content: bytes, edits: Sequence[tuple[str, float, bytes, int]]) -> bytes:
    """The bytes with something inserted, replaced, cut out or repeated at some places."""
    for kind, share, token, length in edits:
        place = int(share * len(content))
        head, body, tail = content[:place], content[place : place + length], content[place + length :]
        content = {
            "insert": head + token + body + tail,
            "replace": head + token + content[place + len(token) :],
            "cut": head + tail,
            "twice": head + body + body + tail,
        }[kind]
    return content


def edited_inside(archive: bytes, member: float, edits: Sequence[tuple[str, float, bytes, int]]) -> bytes:
    """An archive of which one member is edited."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as given_, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written:
        names = given_.namelist()
        for place, name in enumerate(names):
            content = given_.read(name)
            written.writestr(name, edited(content, edits) if place == int(member * (len(names) - 1)) else content)
    return made.getvalue()


@cache
def original(name: str) -> bytes:
    """A small file of its kind."""
    if name in PLAIN_FILES:
        return PLAIN_FILES[name]
    place = folder() / f"original-{name}"
    own_documents.FILES[name][0](place)
    return place.read_bytes()


def folder() -> Path:
    """Where files are written."""
    return Path(os.environ["QCG_FUZZ_FOLDER"])


def held(path: Path, content: bytes) -> None:
    """Hold what is read of a file to what the graph can keep; what is left out has a short reason."""
    path.write_bytes(content)
    chunker = Chunker(estimating(), 16, 4)
    for item in read_documents([str(path)], LARGEST):
        json.dumps(asdict(item), ensure_ascii=False, allow_nan=False).encode()
        if isinstance(item, Rejected):
            assert len(str(item)) < 2000
        else:
            assert "\0" not in item.text
            assert item.title is None or item.title.strip()
            assert all(chunk.text in item.text or item.passages for chunk in chunker.chunks(item))


@pytest.mark.parametrize("name", [*own_documents.FILES, *PLAIN_FILES])
@few
@given(some.data())
def test_a_changed_file_is_read_or_refused(name: str, data: some.DataObject) -> None:
    content, edits = original(name), data.draw(EDITS)
    if zipfile.is_zipfile(io.BytesIO(content)) and data.draw(some.booleans()):
        content = edited_inside(content, data.draw(some.floats(0, 1)), edits)
    else:
        content = edited(content, edits)
    held(folder() / name, content)


@fuzz
@given(some.sampled_from([*ENDINGS, ".jsonl"]), some.one_of(some.binary(max_size=300), some.sampled_from(TOKENS)))
def test_any_bytes_are_a_document_or_none(ending: str, content: bytes) -> None:
    held(folder() / f"bytes{ending}", content)


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "gb18030", "shift_jis", "koi8_r", "utf-7", "cp037")


@fuzz
@given(
    some.text(some.characters(exclude_categories=["Cs"]), max_size=200),
    some.sampled_from(ENCODINGS),
    some.sampled_from([".txt", ".md", ".csv", ".html", ".eml"]),
)
def test_any_encoding_is_read_or_refused(text: str, encoding: str, ending: str) -> None:
    held(folder() / f"encoded{ending}", text.encode(encoding, "replace"))


VALUES = some.one_of(
    some.sampled_from(
        [
            *(
                "!!bool maybe",
                "!!int x",
                "!!float x",
                "!!timestamp soon",
                "!!binary '!'",
                "!!binary aGk=",
                "!!set {a, b}",
                "!!omap [a]",
            ),
            *("!!python/object/apply:os.system ['true']", "2026-13-99", "2026-02-03T25:61:00Z", "190:20:30", "0o9"),
            *(
                ".nan",
                "-.inf",
                "1e999",
                "0x" + "f" * 40,
                "&a [*a]",
                "*b",
                "<<",
                "{[a]: b}",
                "{? {a: b} : c}",
                "[[[1]]]",
            ),
            *("'\\0'", '"\\ud800"', '"\\U00110000"', "|\n  a", ">-", "~", "[1, a, 2026-02-03]", "{a: {b: {c: d}}}"),
        ]
    ),
    LETTERS,
    NUMBERS.map(lambda number: repr(number)[:400] if isinstance(number, float) else "7" * 300),
)
NAMES = some.one_of(some.sampled_from(["title", "date", "tags", "id", "text", "source", "contentHash", "a.b"]), LETTERS)


@fuzz
@given(some.lists(some.tuples(NAMES, VALUES), max_size=4), some.sampled_from(["---", "+++"]))
def test_any_front_matter_is_used_or_said(entries: list[tuple[str, str]], fence: str) -> None:
    sign = ": " if fence == "---" else " = "
    lines = [fence, *(f"{name}{sign}{value}" for name, value in entries), fence, "Rye keeps for months."]
    held(folder() / "front.md", "\n".join(lines).encode("utf-8", "surrogatepass"))


RECORD = some.fixed_dictionaries(
    {},
    optional={
        **{name: some.one_of(some.just("a"), PLAIN) for name in ("id", "document", "title", "source", "publishedAt")},
        "text": some.one_of(some.just("Rye."), PLAIN),
        "index": some.one_of(some.integers(-1, 2), PLAIN),
        "tags": JSON,
    },
)


@fuzz
@given(some.lists(RECORD, max_size=5))
def test_any_lines_are_documents_or_none(records: list[dict[str, Any]]) -> None:
    with suppress(ValueError):  # an integer that Python does not write
        held(folder() / "records.jsonl", "\n".join(json.dumps(record) for record in records).encode())


# ---------------------------------------------------------------------------------------------------------------------
# Predictors
# ---------------------------------------------------------------------------------------------------------------------


def used(content: bytes) -> None:
    """A predictor that is taken can be used: its sizes fit together, and its settings are such."""
    path = folder() / "predictor.npz"
    path.write_bytes(content)
    with suppress(InputError):
        found = read_file(path)
        shape = found.weights
        vectors = np.zeros((2, shape.dimension), np.float32)
        edges = np.array([[0, 1], [1, 0]])
        assert encode(shape, vectors, edges, np.ones(2, np.float32)).vectors.shape == (2, shape.hidden)
        assert all(np.isfinite(array).all() for array in shape.arrays())
        PredictorSettings(**found.facts["settings"])
        write_file(found, folder() / "again.npz")


@cache
def small_predictor() -> tuple[dict[str, Any], Any]:
    """What a file says of itself, and its numbers: those of the sample's, with fewer of them."""
    with np.load(SAMPLE / "predictor.npz", allow_pickle=False) as file:
        meta = json.loads(str(file["meta"]))
    ones = np.ones((2, 3), np.float32)
    layer = Layer(ones, ones, np.ones(2, np.float32))
    scorer = Scorer(np.ones((2, 4), np.float32), np.ones(2, np.float32), np.ones(2, np.float32), 1.0)
    numbers = np.concatenate([array.ravel() for array in Weights((layer,), "mean", scorer).arrays()])
    return {**meta, "layers": 1, "dimension": 3, "hidden": 2, "scorerHidden": 2, "common": "mean"}, numbers


def packed(meta: Any, numbers: Any) -> bytes:
    """The file of a predictor."""
    made = io.BytesIO()
    np.savez(made, meta=np.array(meta), numbers=numbers)
    return made.getvalue()


ARRAYS: list[Callable[[Any], Any]] = [
    lambda numbers: numbers,
    lambda numbers: numbers[:-3],
    lambda numbers: np.append(numbers, 1.0),
    lambda numbers: numbers.reshape(2, -1) if len(numbers) % 2 == 0 else numbers.reshape(1, -1),
    lambda numbers: numbers * np.nan,
    lambda numbers: numbers.astype("U8"),
    lambda numbers: numbers.astype(complex),
    lambda _: np.array(1.0),
    lambda _: np.zeros(0),
]


@fuzz
@given(
    some.dictionaries(
        some.sampled_from(sorted({*small_predictor()[0], "more"})), JSON | some.integers(-2, 9), max_size=3
    ),
    some.sampled_from(ARRAYS),
)
def test_a_predictor_of_any_form_is_used_or_refused(changes: dict[str, Any], change: Callable[[Any], Any]) -> None:
    meta, numbers = small_predictor()
    with suppress(ValueError):
        used(packed(json.dumps({**meta, **changes}), change(numbers)))


@fuzz
@given(EDITS)
def test_a_changed_predictor_is_used_or_refused(edits: list[tuple[str, float, bytes, int]]) -> None:
    meta, numbers = small_predictor()
    used(edited(packed(json.dumps(meta), numbers), edits))


@pytest.fixture(autouse=True, scope="module")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder for the files; afterwards the process has not grown by more than is allowed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    os.environ["QCG_FUZZ_FOLDER"] = str(tmp_path_factory.mktemp("fuzz"))
    yield
    del os.environ["QCG_FUZZ_FOLDER"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY
