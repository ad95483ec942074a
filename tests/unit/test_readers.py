"""Reading documents: every format, and every kind of bad input with its message."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
from own_documents import FILES, book, report, write_all
from pypdf.generic import NameObject, StreamObject
from reportlab.pdfgen.canvas import Canvas

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.indexing.load import read_documents
from qcg_neo4j.indexing.run.vanished import holds_nothing

SAMPLE = Path(__file__).parents[2] / "qcg_neo4j" / "samples" / "lihuaworld" / "passages.jsonl"


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


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SourceDocument]:
    folder = tmp_path_factory.mktemp("own")
    write_all(folder)
    return {
        document.id: document
        for document in read_documents([folder], id_prefix="")
        if isinstance(document, SourceDocument)
    }


@pytest.mark.parametrize("name", FILES)
def test_what_people_have_is_read(own: dict[str, SourceDocument], name: str) -> None:
    _, wanted, unwanted = FILES[name]
    if name == "report.pdf":  # the cells of its table are a line each
        wanted = tuple(part.replace("Cold store 9", "Cold store\n9") for part in wanted)
    text = "\n" + re.sub(r"[ \t]+", " ", own[name].text)
    assert [part for part in wanted if part not in text] == []
    assert [part for part in unwanted if part in text] == []


def test_titles_dates_and_notes_of_what_people_have(own: dict[str, SourceDocument]) -> None:
    assert {name: document.title for name, document in own.items()} == {
        "book.epub": "Bread of the north",
        "deck.pptx": "Plans for 2027",  # the heading of its first slide
        "expenses.xlsx": "expenses",
        "festival.html": "Bread festival",
        "guide.rst": "Oven operation",
        "handbook.docx": "Employee handbook",
        "letter.eml": "Lieferung für die Bäckerei",
        "notes.md": "Notes on flour",
        "report.pdf": "report",  # its own is Microsoft Word - report.doc
        "suppliers.csv": "suppliers",
    }
    assert (own["notes.md"].published_at, own["notes.md"].metadata) == ("2026-02-03", {"tags": ["flour", "rye"]})
    assert own["letter.eml"].published_at == "2026-01-05T08:30:00+01:00"
    assert own["suppliers.csv"].notes == ("read as cp1252, because it is not UTF-8",)
    assert (len(own["report.pdf"].pages), len(own["deck.pptx"].pages)) == (3, 3)


@pytest.mark.parametrize(
    "title", ["untitled", "Microsoft Word - x.doc", "Document1", "scan.pdf", " ", "PowerPoint Presentation"]
)
def test_a_title_that_a_program_made_up_is_none(tmp_path: Path, title: str) -> None:
    report(tmp_path / "real name.pdf", title)
    assert only(tmp_path / "real name.pdf").title == "real name"


TEXTS = [
    ("cp1252", "El niño comió piñas mañana; Jürgen zahlte 5 €."),
    ("latin-1", "Die Bäckerei öffnet um sechs Uhr früh."),
    ("shift_jis", "有給休暇は二十八日です。病気の人は朝六時までに電話します。"),
    ("gb18030", "每个员工每年有二十八天的年假，必须在三月底之前休完。"),
    ("utf-16", "Die Bäckerei öffnet um sechs. 東京"),
    ("utf-32", "Die Bäckerei öffnet um sechs."),
    ("utf-8-sig", "Die Bäckerei öffnet um sechs."),
]


@pytest.mark.parametrize(("encoding", "text"), TEXTS)
def test_encodings_are_told(tmp_path: Path, encoding: str, text: str) -> None:
    document = only(file(tmp_path, "a.txt", ("Plain lines before it.\n" * 2000 + text).encode(encoding)))
    assert document.text.splitlines()[-1] == text
    assert bool(document.notes) == (encoding != "utf-8-sig")


def test_a_page_says_its_encoding(tmp_path: Path) -> None:
    body = "<p>Жители города читают книги каждый день и ходят в театр.</p>" * 6
    page = f"<html><head><meta charset='windows-1251'></head><body><article>{body}</article></body></html>"
    document = only(file(tmp_path, "a.html", page.encode("cp1251")))
    assert "Жители города" in document.text
    assert document.notes == ("read as windows-1251, because it is not UTF-8",)


MATTER = [
    ("---\ntitle: A\n---\n# B", ("A", None, {}, "# B")),
    ("---\r\ntitle: A\r\n---\r\n# B", ("A", None, {}, "# B")),
    ('+++\ntitle = "A"\ndate = 2026-01-05T10:00:00Z\nn = 1\n+++\nB', ("A", "2026-01-05T10:00:00+00:00", {"n": 1}, "B")),
    ("---\nauthor: {name: G, born: 1980-01-02}\nmixed: [a, 1]\n---\nB",
     ("a", None, {"author.name": "G", "author.born": "1980-01-02", "mixed": ["a", "1"]}, "B")),
    ("---\nsource: x\nid: 5\n---\nB", ("a", None, {"frontMatter.source": "x", "frontMatter.id": 5}, "B")),
    ("---\nBetween rules\n---\nB", ("Between rules", None, {}, "---\nBetween rules\n---\nB")),
    ("---\nnever closed: 1\n", ("a", None, {}, "---\nnever closed: 1\n")),
    ("# First\n---\na: 1\n---\n", ("First", None, {}, "# First\n---\na: 1\n---\n")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MATTER)
def test_front_matter_is_no_text(tmp_path: Path, text: str, expected: tuple[Any, ...]) -> None:
    document = only(file(tmp_path, "a.md", text.encode()))
    assert (document.title, document.published_at, document.metadata, document.text) == expected
    assert document.notes == ()


def test_front_matter_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    broken = only(file(tmp_path, "a.md", b"---\na: [1\n---\nB"))
    assert broken.text.endswith("B")
    assert "its front matter stays in the text" in broken.notes[0]
    deep = only(file(tmp_path, "b.md", b"---\na: {b: {c: 1}}\nl: [[1]]\nok: 1\n---\nB"))
    assert (deep.text, deep.metadata, len(deep.notes)) == ("B", {"ok": 1}, 2)
    assert "'a.b' holds an object" in deep.notes[0]
    odd = only(file(tmp_path, "c.md", b"---\na: !!set {b, c}\nd: !!binary aGk=\nok: 1\n---\nB"))
    assert (odd.metadata, len(odd.notes)) == ({"ok": 1}, 2)
    untrue = only(file(tmp_path, "d.md", b"---\na: !!bool maybe\nb: !!timestamp soon\n---\nB"))
    assert "its front matter stays in the text: a value is not of its type" in untrue.notes[0]


def test_aliases_of_yaml_do_not_multiply(tmp_path: Path) -> None:
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 30))
    document = only(file(tmp_path, "a.md", f"---\nl0: &l0 [x]\n{layers}title: *l29\n---\nB".encode()))
    assert document.metadata == {"l0": ["x"]}


def test_long_tables_say_their_columns_again(tmp_path: Path) -> None:
    rows = "\n".join(f"{number}\tflour" for number in range(100))
    text = only(file(tmp_path, "a.tsv", f"place\tgoods\n{rows}".encode())).text
    assert text.count("| place | goods |") == 5
    assert sum(line.endswith("| flour |") for line in text.splitlines()) == 100


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
    ('{"id": "a", "text": "x\\ud83d"}', "'text' contains an unpaired surrogate"),
    ('{"id": "a", "text": "x", "m": NaN}', "not JSON: NaN is no number"),
    ('{"id": "a", "text": "x", "m": ' + "9" * 5000 + "}", "too many digits"),
    ('{"id": "a", "text": "x", "contentHash": "0"}', "the field 'contentHash' has the name of a property"),
    ('{"id": "a", "text": "x", "adoptedFrom": "0"}', "the field 'adoptedFrom' has the name of a property"),
    ('{"id": "a", "text": "x", "qcgAdded": []}', "the field 'qcgAdded' has the name of a property"),
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


FIELDS: list[tuple[str, Any, str]] = [
    ('{"k": 1}', '{"k": 1}', "'m' holds an object; a property is a scalar or a list of scalars; it is kept"),
    ("[[1]]", "[[1]]", "'m' holds a list"),
    ('[1, "a"]', '[1, "a"]', "the list 'm' mixes a number and text; it is kept as text of JSON"),
    ("[1, 2.5]", [1.0, 2.5], ""),
    ("[null]", "[null]", "'m' holds null"),
    ("99999999999999999999", "99999999999999999999", "'m' is a whole number of more than 64 bits"),
    ("1e999", None, "'m' is an infinite number; it is left out"),
    ('"a\\u0000"', None, "'m' holds a NUL character; is it a binary file?; it is left out"),
    ('["\\ud83d"]', None, "'m' contains an unpaired surrogate, which is not Unicode text; it is left out"),
]


@pytest.mark.parametrize(("value", "kept", "note"), FIELDS)
def test_a_field_that_no_property_can_hold_does_not_cost_the_text(value: str, kept: Any, note: str) -> None:
    (document,) = lines('{"id": "a", "text": "x", "m": ' + value + "}")
    assert isinstance(document, SourceDocument)
    assert document.metadata == ({} if kept is None else {"m": kept})
    assert [text.startswith(note) for text in document.notes] == ([True] if note else [])


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


def archive(folder: Path, name: str, content: bytes = b"", members: dict[str, bytes] | None = None) -> Path:
    if members:
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as made:
            for member, data in members.items():
                made.writestr(member, data)
        return folder / name
    return file(folder, name, content)


BAD_FILES: list[Any] = [
    (lambda folder: file(folder, "a.xyz", b"x"), "unknown ending '.xyz'; known are .jsonl, .ndjson, .txt"),
    (lambda folder: file(folder, "a", b"x"), "unknown ending ''"),
    (lambda folder: file(folder, "a.txt", b""), "the file is empty"),
    (lambda folder: file(folder, "a.txt", b"\xff\xfe"), "'text' is empty"),
    (lambda folder: file(folder, "a.md", b"a\0b"), "it holds a NUL character; is it a binary file?"),
    (lambda folder: file(folder, "a.csv", b"\x89PNG" + bytes(range(128, 256)) * 9), "its encoding is unknown"),
    (lambda folder: file(folder, "a.csv", b"\n;\n;;\n"), "'text' is empty"),
    (lambda folder: file(folder, "a.eml", b"no letter at all"), "not an email"),
    (lambda folder: file(folder, "a.eml", b"Subject: nothing\n\n"), "the letter holds no text"),
    *(
        (partial(file, name="a.eml", content=head + b"\n\nText."), "not an email that can be read")
        for head in (
            b"From: <\nSubject: =?utf-8?q?=\nCc: @:;,<>",
            b"From: a@[\nTo: (",
            b"Subject: x\nDate: Mon, 5 Jan 2026 08:30:00 +99999999999999",
        )
    ),
    (
        lambda folder: file(folder, "a.html", b"<meta charset=undefined><p>\xff\xfe\xfd" + bytes(range(128, 256))),
        "unknown",
    ),
    (lambda folder: file(folder, "a.txt", b"x" * 20_000), "the file has 20,000 bytes; at most 10,000 are read"),
    (lambda folder: file(folder, "a.html", b"<html><body></body></html>"), "the page holds no text"),
    (lambda folder: file(folder, "a.html", b" "), "the file is empty"),
    (lambda folder: file(folder, "a.pdf", b"no pdf"), "not a readable PDF"),
    (lambda folder: pdf(folder / "empty.pdf", ""), "the PDF holds no text"),
    (encrypted, "the PDF is encrypted"),
    (partial(archive, name="a.docx", members={"word/document.xml": b"<a"}), "not a .docx file that can be read"),
    *(
        (partial(archive, name=f"a{ending}", **made), message)
        for ending in (".docx", ".pptx", ".xlsx", ".epub")
        for made, message in (
            ({"content": b"only text"}, f"not a {ending} file, or only a part of one"),
            ({"members": {"a.txt": b"x"}}, f"not a {ending} file, though it is an archive"),
            ({"content": bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)}, "encrypted, or of an older format"),
        )
    ),
]


@pytest.mark.parametrize(("make", "message"), BAD_FILES)
def test_a_bad_file_is_named(tmp_path: Path, make: Any, message: str) -> None:
    path = make(tmp_path)
    (rejected,) = read_documents([path], 10_000)
    assert isinstance(rejected, Rejected)
    assert rejected.source == path.as_posix()
    assert message in rejected.reason


def bomb(folder: Path, stated: int | None = None) -> Path:
    """A Word document of 60 MB in 60 kB; with ``stated`` it says that it were so small."""
    write_all(folder)
    source = zipfile.ZipFile(folder / "handbook.docx")
    members = {name: source.read(name) for name in source.namelist()}
    members["word/document.xml"] = members["word/document.xml"].replace(b"28 days", b"28 days" + b" " * 60_000_000)
    path = archive(folder, "bomb.docx", members=members)
    if stated is not None:
        size = len(members["word/document.xml"])
        path.write_bytes(path.read_bytes().replace(size.to_bytes(4, "little"), stated.to_bytes(4, "little")))
    return path


@pytest.mark.parametrize(("stated", "message"), [(None, "it unpacks to 60,"), (1000, "not a .docx file")])
def test_archives_are_not_unpacked_to_more_than_is_taken(tmp_path: Path, stated: int | None, message: str) -> None:
    path = bomb(tmp_path, stated)
    (rejected,) = read_documents([path], 1_000_000)
    assert isinstance(rejected, Rejected)
    assert message in rejected.reason


def test_a_pdf_is_not_unpacked_to_more_than_is_taken(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", *["word " * 200] * 30)
    (rejected,) = read_documents([path], 20_000)
    assert "its text has more than 20,000 characters" in str(rejected)
    writer = pypdf.PdfWriter(clone_from=pdf(tmp_path / "b.pdf", "x"))
    stream = StreamObject()
    stream.set_data(b"% \n" * 30_000_000)
    writer.pages[0][NameObject("/Contents")] = stream.flate_encode()
    writer.write(tmp_path / "c.pdf")
    assert (tmp_path / "c.pdf").stat().st_size < 1_000_000
    (rejected,) = read_documents([tmp_path / "c.pdf"], 1_000_000)
    assert isinstance(rejected, Rejected)
    assert "the PDF unpacks to more than is taken" in rejected.reason


def test_mislabelled_documents_are_read_as_what_they_are_or_left_out(tmp_path: Path) -> None:
    write_all(tmp_path / "own")
    (tmp_path / "own" / "handbook.docx").rename(tmp_path / "a.xlsx")
    (tmp_path / "own" / "report.pdf").rename(tmp_path / "b.docx")
    (tmp_path / "own" / "notes.md").rename(tmp_path / "c.txt")
    assert [
        str(item) if isinstance(item, Rejected) else item.id
        for item in read_documents([tmp_path / "a.xlsx", tmp_path / "b.docx", tmp_path / "c.txt"], id_prefix="")
    ] == [
        f"{(tmp_path / 'a.xlsx').as_posix()}: not a .xlsx file, though it is an archive",
        f"{(tmp_path / 'b.docx').as_posix()}: not a .docx file, or only a part of one",
        "c.txt",
    ]


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


@contextmanager
def not_the_superuser() -> Iterator[None]:
    """A user whose rights count, where the tests run as the superuser."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_cannot_be_read_is_told() -> None:
    with tempfile.TemporaryDirectory() as given:  # pytest's own folders are closed to others
        folder, closed = Path(given), Path(given) / "closed"
        folder.chmod(0o755)
        closed.mkdir()
        file(folder, "open.txt", b"Rye.").chmod(0o644)
        file(closed, "hidden.txt", b"Spelt.")
        closed.chmod(0)
        with not_the_superuser():
            found = list(read_documents([folder]))
            with pytest.raises(InputError, match="closed cannot be read: Permission denied"):
                read_documents([closed])
            assert not holds_nothing(closed)
        assert [type(item) for item in found] == [SourceDocument, Rejected]
        assert str(found[1]) == f"{closed}: the folder cannot be read: Permission denied"


@pytest.mark.parametrize(("name", "package"), [("a.html", "trafilatura"), ("a.pdf", "pypdf"), ("a.rst", "xberg")])
def test_a_missing_package_leaves_out_its_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    file(tmp_path, name, b"x")
    file(tmp_path, "b.txt", b"Rye.")
    left_out, read = read_documents([tmp_path])
    assert isinstance(read, SourceDocument)
    assert isinstance(left_out, Rejected)
    assert left_out.reason.endswith(f"needs {package}, which is not installed.")
    assert left_out.remedy.startswith("Install it with: pip install 'qcg-neo4j[")


def test_a_letter_of_a_web_page_needs_what_reads_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    (left_out,) = read_documents([file(tmp_path, "a.eml", b"From: a@b.c\nContent-Type: text/html\n\n<p>Rye.</p>")])
    assert isinstance(left_out, Rejected)
    assert left_out.remedy == "Install it with: pip install 'qcg-neo4j[html]'"


def test_a_package_that_lacks_another_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lxml_html_clean", None)
    for module in [name for name in sys.modules if name.startswith(("trafilatura", "justext", "lxml.html"))]:
        monkeypatch.delitem(sys.modules, module)
    (left_out,) = read_documents([file(tmp_path, "a.html", b"x")])
    assert isinstance(left_out, Rejected)
    assert "trafilatura, which cannot be imported: " in left_out.reason
    assert "lxml_html_clean" in left_out.reason


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder with links: to a file and a folder elsewhere, to itself, to a file and a folder of its own."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "own").mkdir(parents=True)
    (outside / "deeper").mkdir(parents=True)
    file(inside / "own", "rye.txt", b"Rye.")
    file(outside, "lynx.txt", b"Lynxes.")
    file(outside / "deeper", "otter.txt", b"Otters.")
    for name, target in {
        "a": outside, "b.txt": outside / "lynx.txt", "c": inside, "d": inside / "own", "e.txt": inside / "own/rye.txt",
        "own/f": outside / "deeper", "g.txt": outside / "nothing.txt",
    }.items():  # fmt: skip
        (inside / name).symlink_to(target)
    (outside / "back").symlink_to(inside)
    return inside


def test_links_out_of_a_folder_are_named(linked: Path) -> None:
    found = list(read_documents([linked], id_prefix=""))
    assert [item.id for item in found if isinstance(item, SourceDocument)] == ["e.txt", "own/rye.txt"]
    reasons = {Path(item.source).name: item.reason for item in found if isinstance(item, Rejected)}
    assert reasons.keys() == {"a", "b.txt", "f", "g.txt"}
    assert reasons["a"] == f"a link out of the folder, to {linked.parent / 'outside'}; see --follow-links"


def test_links_are_followed_once_where_that_is_asked(linked: Path) -> None:
    found = list(read_documents([linked], id_prefix="", follow_links=True))
    assert [item.id for item in found if isinstance(item, SourceDocument)] == [
        "b.txt", "e.txt", "own/rye.txt", "own/f/otter.txt", "a/lynx.txt",
    ]  # fmt: skip
    assert [str(item) for item in found if isinstance(item, Rejected)] == [
        f"{linked / 'g.txt'}: cannot be read: No such file or directory"
    ]


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    (tmp_path / "folder.txt").symlink_to("/dev")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.md"))
        found = list(read_documents([tmp_path, tmp_path / "zero.txt"]))
    reasons = {Path(item.source).name: item.reason for item in found if isinstance(item, Rejected)}
    assert reasons.pop("folder.txt").startswith("a link out of the folder")
    kinds = {"pipe.txt": "a named pipe", "socket.md": "a socket", "zero.txt": "a device"}
    assert reasons == {name: f"it is {kind}; only regular files are read" for name, kind in kinds.items()}


def test_never_more_than_the_limit_is_read(tmp_path: Path) -> None:
    (rejected,) = read_documents([file(tmp_path, "a.txt", b"x" * 2001)], 2000)
    assert "the file has 2,001 bytes; at most 2,000 are read" in str(rejected)
    untrue = Path("/proc/self/smaps")  # says that it has no bytes
    (tmp_path / "b.txt").symlink_to(untrue)
    (rejected,) = read_documents([tmp_path / "b.txt"], 2000)
    assert "the file has 2,001 bytes" in str(rejected)


def test_a_name_that_is_not_utf_8_is_told_in_words(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("Otters.")
    (rejected,) = read_documents([tmp_path])
    assert isinstance(rejected, Rejected)
    assert rejected.source.endswith("caf\\xe9.txt")
    assert rejected.reason.startswith("its name is not UTF-8")


def test_authors_and_dates_of_files(tmp_path: Path) -> None:
    head = "<meta name='author' content='Greta Ahlers'><meta property='article:published_time' content='2026-03-01'>"
    body = "<p>The rye loaf won the first prize of the jury in Hamburg this year.</p>" * 5
    file(tmp_path, "a.html", f"<html><head>{head}</head><body><article>{body}</article></body></html>".encode())
    writer = pypdf.PdfWriter(clone_from=pdf(tmp_path / "b.pdf", "Rye."))
    writer.add_metadata({"/Author": "Greta Ahlers", "/CreationDate": "D:20260301120000+01'00'"})
    writer.write(tmp_path / "b.pdf")
    word = docx.Document()
    word.add_paragraph("Rye.")
    word.core_properties.author, word.core_properties.created = "Greta Ahlers", datetime(2026, 3, 1, 12)
    word.save(str(tmp_path / "c.docx"))
    book(tmp_path / "d.epub")
    found = {path.name: only(path) for path in sorted(tmp_path.iterdir())}
    assert {name: document.metadata for name, document in found.items()} == {
        name: {"author": "Greta Ahlers"} for name in ("a.html", "b.pdf", "c.docx", "d.epub")
    }
    assert [document.published_at for document in found.values()] == [
        "2026-03-01", "2026-03-01T12:00:00+01:00", "2026-03-01T12:00:00Z", "2026-02-01",
    ]  # fmt: skip


TABLES = [
    ("sep=;\na;b\n1;2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ('"sep=;"\r\na;b\r\n1;2\r\n', "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ("sep=;\ra;b\r1;2\r", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ('a,b\r1,"two\rlines"\r', "| a | b |\n| --- | --- |\n| 1 | two lines |"),
    (
        "# made by a program\n# on Monday\na,b\n1,2\n",
        "# made by a program\n\n# on Monday\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    ("Suppliers;;\na;b;c\n1;2;3\n", "Suppliers\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
]


@pytest.mark.parametrize(("text", "table"), TABLES)
def test_lines_above_a_table_are_no_head(tmp_path: Path, text: str, table: str) -> None:
    assert only(file(tmp_path, "a.csv", text.encode())).text == table


def test_pages_without_text_are_told(tmp_path: Path) -> None:
    document = only(pdf(tmp_path / "a.pdf", "Rye.", "", "Spelt.", ""))
    assert document.notes == ("pages 2, 4 of 4 without text; scanned pages need text recognition first",)


BASE64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkr"
DATA = [
    (
        "a.md",
        f"The oven.\n\n![oven](data:image/png;base64,{BASE64 * 99})\n\nIt is hot.",
        "The oven.\n\n![oven](…)\n\nIt is hot.",
    ),
    ("a.txt", "Our key:\n" + f"{BASE64[:76]}\n" * 30 + "Keep it.\n", "Our key:\n…\nKeep it.\n"),
    ("a.txt", "The script:\n" + "function a(b){return b+1};" * 200 + "\nends.", "The script:\n…\nends."),
    ("a.csv", "id,blob\n1," + "x" * 200_000 + "\n", "| id | blob |\n| --- | --- |\n| 1 | … |"),
]


@pytest.mark.parametrize(("name", "text", "kept"), DATA)
def test_what_is_no_text_is_left_out_of_it(tmp_path: Path, name: str, text: str, kept: str) -> None:
    document = only(file(tmp_path, name, text.encode()))
    assert document.text == kept
    assert "characters of data (pictures, base64, minified code) are left out" in document.notes[0]


def test_minified_code_alone_is_no_document(tmp_path: Path) -> None:
    (rejected,) = read_documents([file(tmp_path, "a.js", b"function a(b){return b+1};" * 200)])
    assert "no text that a person reads" in str(rejected)


def test_long_lines_of_prose_in_any_script_stay(tmp_path: Path) -> None:
    for text in (
        "Rye" + " " * 3000 + "Spelt",
        "The gym closes at ten. " * 200,
        "市立图书馆每周二上午九点开门。" * 300,
        "ห้องสมุดเปิดวันอังคาร" * 300,
    ):
        assert only(file(tmp_path, "a.txt", text.encode())).text == text


def test_json_logs_and_code_are_texts(tmp_path: Path) -> None:
    found = only(file(tmp_path, "a.json", b'{"name":"M\\u00fchle","towns":["Celle"]}'))
    assert found.text == '{\n "name": "Mühle",\n "towns": [\n  "Celle"\n ]\n}'
    for name in ("a.log", "a.py", "broken.json"):
        assert only(file(tmp_path, name, b"{oven = 250 # degrees")).text == "{oven = 250 # degrees"


def test_ids_and_fields_are_in_one_form_of_unicode() -> None:
    (document,) = lines(json.dumps({"id": "Zu\u0308rich", "text": "x", "town": "Zu\u0308rich"}))
    assert isinstance(document, SourceDocument)
    assert (document.id, document.metadata) == ("Zürich", {"town": "Zürich"})
