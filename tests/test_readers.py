"""Reading documents: every format, and every kind of bad input with its message."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pypdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from qcg_neo4j.errors import InputError, MissingPackageError
from qcg_neo4j.load import read_documents
from qcg_neo4j.records import Rejected, SourceDocument

SAMPLE = Path(__file__).parents[1] / "qcg_neo4j" / "samples" / "lihuaworld" / "passages.jsonl"


def lines(content: bytes | str, largest: int = 10_000) -> list[SourceDocument | Rejected]:
    raw = content if isinstance(content, bytes) else content.encode()
    return list(read_documents(["-"], largest, io.BytesIO(raw)))


def only(path: Path, **options: Any) -> SourceDocument:
    (document,) = read_documents([path], **options)
    assert isinstance(document, SourceDocument), str(document)
    return document


def pdf(path: Path, *pages: str, title: str = "") -> Path:
    canvas = Canvas(str(path))
    canvas.setTitle(title)
    for page in pages:
        canvas.drawString(72, 700, page)
        canvas.showPage()
    canvas.save()
    return path


# What is good


def test_json_lines_with_all_fields() -> None:
    record = {
        "id": "ä/1", "text": "Hi\r\n 🎉", "title": "T", "source": "S", "publishedAt": "2026-01-05",
        "n": 1, "x": 0.5, "yes": True, "tags": ["a", "b"], "nothing": None, "no tags": [], "a`b": "$c",
    }  # fmt: skip
    (document,) = lines("\ufeff" + json.dumps(record) + "\r\n\n   \n")
    metadata: Any = {"n": 1, "x": 0.5, "yes": True, "tags": ["a", "b"], "no tags": [], "a`b": "$c"}
    assert document == SourceDocument("ä/1", "Hi\r\n 🎉", (), "T", "S", "2026-01-05", metadata)


def test_a_number_may_be_an_id() -> None:
    assert lines('{"id": 7, "text": "x"}') == [SourceDocument("7", "x")]


def test_passages_are_kept_exactly() -> None:
    text = "".join(
        json.dumps({"document": name, "index": index, "text": f" {index}\n", "tokens": 3, "title": "T"}) + "\n"
        for name, index in [("a", 0), ("a", 1), (5, 0), ("b", 0)]
    )
    assert lines(text) == [
        SourceDocument("a", passages=(" 0\n", " 1\n"), title="T"),
        SourceDocument("5", passages=(" 0\n",), title="T"),
        SourceDocument("b", passages=(" 0\n",), title="T"),
    ]


def test_the_sample() -> None:
    documents = [document for document in read_documents([SAMPLE]) if isinstance(document, SourceDocument)]
    wanted = [json.loads(line)["text"] for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert [text for document in documents for text in document.passages] == wanted
    assert (len(documents), len(wanted)) == (60, 75)


def test_folders_are_read_in_order_without_hidden_files(tmp_path: Path) -> None:
    (tmp_path / "b" / ".git").mkdir(parents=True)
    for name in ("b/two.txt", "b/one.md", "a.TXT", ".hidden.txt", "b/.git/x.txt"):
        (tmp_path / name).write_text("# Heading ##\n\ntext", encoding="utf-8")
    found = [document for document in read_documents([tmp_path]) if isinstance(document, SourceDocument)]
    assert [(document.id, document.title, document.markdown) for document in found] == [
        ((tmp_path / "a.TXT").as_posix(), "a", False),
        ((tmp_path / "b/one.md").as_posix(), "Heading", True),
        ((tmp_path / "b/two.txt").as_posix(), "two", False),
    ]
    assert [document.source for document in found] == [document.id for document in found]


def test_html_gives_the_article_without_its_navigation(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    body = "".join(f"<p>Paragraph {n} says that Li Hua met Wolfgang for lunch in the city.</p>" for n in range(5))
    file.write_text(
        f"<html><head><title>Lunch</title></head><body><nav><a href='/'>Home</a></nav><article><h2>Part</h2>{body}"
        "</article><script>alert(1)</script></body></html>",
        encoding="utf-8",
    )
    document = only(file)
    assert "Paragraph 4 says that Li Hua" in document.text
    assert "Home" not in document.text
    assert "alert" not in document.text
    assert (document.id, document.title, document.markdown) == (file.as_posix(), "Lunch", True)


def test_pdf_gives_its_pages(tmp_path: Path) -> None:
    document = only(pdf(tmp_path / "paper.pdf", "First page.", "Second page.", title="A paper"))
    assert document.text.split("\n\n") == ["First page.", "Second page."]
    assert document.title == "A paper"


# What is bad

BAD_LINES = [
    ('{"id": "a"', "not JSON: Expecting ',' delimiter at column 11"),
    ("[1]", "not a JSON object"),
    ("nonsense", "not JSON: Expecting value at column 1"),
    ('{"text": "x"}', "the field 'id' is missing"),
    ('{"id": "a"}', "the field 'text' is missing"),
    ('{"id": null, "text": "x"}', "the field 'id' is missing"),
    ('{"id": "a", "text": " \\n"}', "'text' is empty"),
    ('{"id": "", "text": "x"}', "'id' is empty"),
    ('{"id": "a", "text": 5}', "'text' must be text, but is a number"),
    ('{"id": true, "text": "x"}', "'id' must be text, but is true or false"),
    ('{"id": ["a"], "text": "x"}', "'id' must be text, but is a list"),
    ('{"id": "a", "text": "x", "title": {}}', "'title' must be text, but is an object"),
    ('{"id": "a", "text": "x\\u0000"}', "'text' holds a NUL character"),
    ('{"id": "a", "text": "x\\ud83d"}', "'text' holds half of a surrogate pair"),
    ('{"id": "a", "text": "x", "m": {"k": 1}}', "'m' holds an object; a property is a scalar or a list of scalars"),
    ('{"id": "a", "text": "x", "m": [[1]]}', "'m' holds a list"),
    ('{"id": "a", "text": "x", "m": [1, "a"]}', "the list 'm' mixes a number and text"),
    ('{"id": "a", "text": "x", "m": [null]}', "'m' holds null"),
    ('{"id": "a", "text": "x", "m": 99999999999999999999}', "'m' is a whole number of more than 64 bits"),
    ('{"id": "a", "text": "x", "m": NaN}', "not JSON: NaN is no number"),
    ('{"id": "a", "text": "x", "m": 1e999}', "'m' is a number without bounds"),
    ('{"id": "a", "text": "x", "m": ' + "9" * 5000 + "}", "too many digits"),
    ('{"id": "a", "text": "x", "contentHash": "0"}', "the field 'contentHash' has the name of a property"),
    ('{"id": "a", "text": "x", "passages": ["0"]}', "the field 'passages' has the name of a property"),
    ('{"id": "a", "text": "x", "": 1}', "a field has an empty name"),
    ('{"id": "' + "a" * 513 + '", "text": "x"}', "'id' has 513 characters; at most 512 are allowed"),
    ('{"id": "a", "text": "' + "x" * 10_000 + '"}', "the line is longer than 10,000 bytes"),
    ('{"id": "ok", "text": "again"}', "the id 'ok' occurs twice in the input"),
    ('{"document": "a", "index": 1, "text": "x"}', "'index' is 1, but 0 comes next"),
    ('{"document": "a", "index": false, "text": "x"}', "'index' is False, but 0 comes next"),
    ('{"document": "a", "text": "x"}', "the field 'index' is missing"),
    ('{"document": {}, "index": 0, "text": "x"}', "'document' must be text, but is an object"),
    ("[" * 9000, "nested too deeply"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_a_bad_line_is_named_and_the_others_are_read(line: str, message: str) -> None:
    found = lines('{"id": "ok", "text": "x"}\n' + line + '\n{"id": "ok2", "text": "x"}\n')
    assert [item.id for item in found if isinstance(item, SourceDocument)] == ["ok", "ok2"]
    (rejected,) = (item for item in found if isinstance(item, Rejected))
    assert (rejected.source, rejected.line) == ("standard input", 2)
    assert message in rejected.reason


def test_bytes_that_are_not_utf_8() -> None:
    found = lines(b'{"id": "ok", "text": "x"}\n{"id": "a", "text": "\xff"}\n')
    assert str(found[1]) == "standard input:2: not UTF-8: byte 0xff at position 21"


def test_a_document_with_a_bad_passage_is_left_out_as_a_whole() -> None:
    passages = [("a", 0, "x"), ("b", 0, "x"), ("b", 1, ""), ("b", 2, "x"), ("c", 0, "x"), ("a", 0, "y")]
    found = lines("\n".join(json.dumps({"document": d, "index": i, "text": t}) for d, i, t in passages))
    assert [str(item) if isinstance(item, Rejected) else item.id for item in found] == [
        "a",
        "standard input:3: 'text' is empty",
        "standard input:2: the document 'b' is left out, because line 3 is one of its passages",
        "c",
        "standard input:6: the id 'a' occurs twice in the input",
    ]


def test_an_unreadable_passage_line_breaks_its_document() -> None:
    found = lines(
        '{"document": "a", "index": 0, "text": "x"}\n{"document\n{"document": "a", "index": 2, "text": "x"}\n'
    )
    assert all(isinstance(item, Rejected) for item in found)
    assert "'index' is 2, but 1 comes next" in str(found[1])


def encrypted(folder: Path) -> Path:
    writer = pypdf.PdfWriter(clone_from=pdf(folder / "plain.pdf", "Secret."))
    writer.encrypt("password", algorithm="RC4-128")
    writer.write(folder / "locked.pdf")
    return folder / "locked.pdf"


def file(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


BAD_FILES = [
    (lambda folder: file(folder, "a.docx", b"x"), "unknown ending '.docx'; known are .jsonl, .ndjson, .txt"),
    (lambda folder: file(folder, "a", b"x"), "unknown ending ''"),
    (lambda folder: file(folder, "a.txt", b""), "'text' is empty"),
    (lambda folder: file(folder, "a.txt", b"\xff\xfe"), "not UTF-8: byte 0xff at position 0"),
    (lambda folder: file(folder, "a.md", b"a\0b"), "'text' holds a NUL character; is it a binary file?"),
    (lambda folder: file(folder, "a.txt", b"x" * 20_000), "the file has 20,000 bytes; at most 10,000 are read"),
    (lambda folder: file(folder, "a.html", b"<html><body></body></html>"), "the page holds no text"),
    (lambda folder: file(folder, "a.html", b" "), "'text' is empty"),
    (lambda folder: file(folder, "a.pdf", b"no pdf"), "not a PDF that can be read"),
    (lambda folder: pdf(folder / "empty.pdf", ""), "the PDF holds no text"),
    (encrypted, "the PDF is encrypted"),
]


@pytest.mark.parametrize(("make", "message"), BAD_FILES)
def test_a_bad_file_is_named(tmp_path: Path, make: Any, message: str) -> None:
    path = make(tmp_path)
    (rejected,) = read_documents([path], 10_000)
    assert isinstance(rejected, Rejected)
    assert rejected.source == path.as_posix()
    assert message in rejected.reason


def ids(*paths: str | Path, prefix: str | None = None) -> list[str]:
    found = list(read_documents(paths, id_prefix=prefix))
    assert all(isinstance(document, SourceDocument) for document in found)
    return [document.id for document in found if isinstance(document, SourceDocument)]


@pytest.fixture
def two_folders(tmp_path: Path) -> Path:
    """Two folders with a file of the same name each."""
    for folder in ("a", "b"):
        (tmp_path / folder / "in").mkdir(parents=True)
        (tmp_path / folder / "in" / "x.txt").write_text("x")
    return tmp_path


def test_a_file_has_the_same_id_however_it_is_given(two_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [(two_folders / folder / "in" / "x.txt").as_posix() for folder in ("a", "b")]
    assert ids(two_folders / "a", two_folders / "b") == whole
    (two_folders / "link").symlink_to(two_folders / "a")
    for here, given in ((two_folders, "a"), (two_folders / "a", "."), (two_folders / "b", "../a/in/x.txt")):
        monkeypatch.chdir(here)
        assert ids(given) == whole[:1]
    assert ids(two_folders / "link" / "in") == whole[:1]


def test_a_prefix_stands_before_ids(two_folders: Path) -> None:
    assert ids(two_folders / "a", prefix="manual/") == ["manual/in/x.txt"]
    assert ids(two_folders / "a" / "in" / "x.txt", prefix="") == ["x.txt"]
    file(two_folders, "lines.jsonl", b'{"id": "1", "text": "x"}')
    assert ids(two_folders / "lines.jsonl", prefix="p-") == ["p-1"]


def test_the_same_id_in_two_files(two_folders: Path) -> None:
    found = list(read_documents([two_folders / "a" / "in", two_folders / "b" / "in"], id_prefix=""))
    assert (
        str(found[1]) == f"{(two_folders / 'b' / 'in' / 'x.txt').as_posix()}: the id 'x.txt' occurs twice in the input"
    )


def test_a_path_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file or folder"):
        read_documents([SAMPLE, tmp_path / "nothing.txt"])


@pytest.mark.parametrize(("name", "package"), [("a.html", "trafilatura"), ("a.pdf", "pypdf")])
def test_a_missing_package_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingPackageError, match=rf"needs {package}.*\n.*pip install 'qcg-neo4j\["):
        list(read_documents([file(tmp_path, name, b"x")]))
