"""What is converted to text: PDF page by page; archives of XML (Word, books …) and separated values to Markdown."""

from __future__ import annotations

import asyncio
import csv
import io
import logging
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.indexing.load.validation import paged, written_by

if TYPE_CHECKING:
    import pypdf
    import xberg

# What the archive of each format holds (reStructuredText is none), and the format's name for the converter.
_OFFICE = "application/vnd.openxmlformats-officedocument"
_FORMATS = {
    ".docx": ("word/", f"{_OFFICE}.wordprocessingml.document"),
    ".pptx": ("ppt/", f"{_OFFICE}.presentationml.presentation"),
    ".xlsx": ("xl/", f"{_OFFICE}.spreadsheetml.sheet"),
    ".epub": ("META-INF/", "application/epub+zip"),
    ".rst": ("", "text/x-rst"),
}
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
UNPACKED_TIMES = 4  # an archive may unpack to so many times the largest document
SECONDS = 300


def convert(raw: bytes, largest: int, ending: str) -> SourceDocument:
    """The document in these bytes as Markdown; ``largest`` is the size of a document that is still taken.

    Raises:
        UnusableError: it is not what its ending says, is encrypted, or unpacks to too much.
        MissingPackageError: the converter is not installed.
    """
    if _FORMATS[ending][0]:
        _check(raw, ending, largest)
    try:
        # A thread of its own, because the caller's may have an event loop already, as in a notebook.
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(asyncio.run, _extracted(raw, ending, largest)).result()
    except RuntimeError as error:
        raise UnusableError(f"not a {ending} file that can be read: {error}") from None
    if not result.results:
        raise UnusableError(f"not a {ending} file that can be read")
    return _document(result.results[0], ending)


def _check(raw: bytes, ending: str, largest: int) -> None:
    if raw.startswith(_OLD_OFFICE):
        raise UnusableError(f"encrypted, or of an older format; save it as {ending} without a password")
    try:
        members = zipfile.ZipFile(BytesIO(raw)).infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError):  # a version or a name that is none
        raise UnusableError(f"not a {ending} file, or only a part of one") from None
    if not any(member.filename.startswith(_FORMATS[ending][0]) for member in members):
        raise UnusableError(f"not a {ending} file, though it is an archive")
    if any(member.flag_bits & 1 for member in members):
        raise UnusableError("encrypted; save it without a password")
    if (size := sum(member.file_size for member in members)) > UNPACKED_TIMES * largest:
        raise UnusableError(
            f"it unpacks to {size:,} bytes; at most {UNPACKED_TIMES * largest:,} are taken, "
            f"{UNPACKED_TIMES} times `load.largest_document`"
        )


async def _extracted(raw: bytes, ending: str, largest: int) -> xberg.ExtractionResult:
    with needs(f"Reading {ending}", "xberg", "documents"):
        import xberg
    config = xberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,
        enable_quality_processing=False,  # the text as it is
        output_format="markdown",
        escape_markdown=False,
        pages=xberg.PageConfig(extract_pages=True),
        mime_detection_policy="prefer_content",
        extraction_timeout_secs=SECONDS,
        # The sizes that an archive states can be lies; these are held while it is unpacked.
        security_limits=xberg.SecurityLimits(
            max_archive_size=UNPACKED_TIMES * largest, max_content_size=UNPACKED_TIMES * largest
        ),
    )
    return await xberg.extract(xberg.ExtractInput(kind="bytes", bytes=raw, mime_type=_FORMATS[ending][1]), config)


def _document(found: Any, ending: str) -> SourceDocument:
    slides = found.pages if ending == ".pptx" else None
    if slides:
        # The converter does not know which slide a note belongs to where some have none.
        spoken = [slide.speaker_notes.strip() for slide in slides if slide.speaker_notes]
        after = ["## Speaker's notes", *spoken] if spoken else []
        text, ends = paged([slide.content.strip() for slide in slides], after)
    else:
        text, ends = with_heads(found.content), ()
    return SourceDocument(
        "",
        text,
        title=found.metadata.title,
        published_at=found.metadata.created_at,
        metadata=written_by(found.metadata.authors or ()),
        markdown=True,
        pages=ends,
    )


def read_pdf(raw: bytes, largest: int) -> SourceDocument:
    """The document in a PDF: its text, page by page, its title, author and date of creation.

    Raises:
        UnusableError: it is broken, encrypted, has no text, or more than ``largest`` bytes of it.
        MissingPackageError: pypdf is not installed.
    """
    with needs("Reading PDF", "pypdf", "pdf"):
        import pypdf
        from pypdf.errors import FileNotDecryptedError, LimitReachedError
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # what it mends in files is no news to a person
    try:
        reader = pypdf.PdfReader(BytesIO(raw))
        facts = reader.metadata or pypdf.DocumentInformation()
        pages = list(_within(largest, (_readable(page.extract_text()).strip() for page in reader.pages)))
    except FileNotDecryptedError:
        raise UnusableError("the PDF is encrypted; save it without a password") from None
    except LimitReachedError as error:
        raise UnusableError(f"the PDF unpacks to more than is taken: {error}") from None
    except UnusableError:
        raise
    except Exception as error:  # broken files make the library fail in many ways
        raise UnusableError(f"not a readable PDF: {error}") from None
    if not any(pages):
        raise UnusableError("the PDF holds no text; scanned pages need text recognition first")
    text, ends = paged(pages)
    return SourceDocument(
        "",
        text,
        title=_text(facts.title),
        published_at=_created(facts),
        metadata=written_by([_text(facts.author)]),
        pages=ends,
        notes=_without_text(pages),
    )


def _without_text(pages: Sequence[str]) -> tuple[str, ...]:
    """A note on pages that hold no text, where there are any."""
    empty = [str(number) for number, page in enumerate(pages, start=1) if not page]
    named = f"{'page' if len(empty) == 1 else 'pages'} {', '.join(empty[:10])}{' …' if len(empty) > 10 else ''}"
    note = f"{named} of {len(pages)} without text; scanned pages need text recognition first"
    return (note,) if empty else ()


def _text(fact: str | None) -> str | None:
    return _readable(str(fact)) if fact else None


def _created(facts: pypdf.DocumentInformation) -> str | None:
    try:
        return facts.creation_date.isoformat() if facts.creation_date else None
    except ValueError:  # not of the form that PDF prescribes
        return None


def _within(largest: int, pages: Iterable[str]) -> Iterator[str]:
    """The pages, while they have no more than so many characters together."""
    characters = 0
    for page in pages:
        characters += len(page)
        if characters > largest:
            raise UnusableError(f"its text has more than {largest:,} characters (`load.largest_document`)")
        yield page


def _readable(text: str) -> str:
    """Fonts without a table of their letters come out as NUL or half characters; the rest of the page is good."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


_SAMPLE = 20_000
_LONGEST_CELL = 10_000_000
_STATED = re.compile(r"\s*\"?sep=(.)\"?[ \t]*(?:\r\n?|\n|\Z)", re.IGNORECASE)
ROWS_PER_HEAD = 20
_RULE = re.compile(r"^\|(?: *:?-+:? *\|)+ *$")


def markdown_table(text: str) -> str:
    """The table in a text of separated values, its first row as head.

    >>> print(markdown_table("bread;hours\\nrye;18\\n"))
    | bread | hours |
    | --- | --- |
    | rye | 18 |

    Raises:
        UnusableError: a row cannot be read.
    """
    csv.field_size_limit(_LONGEST_CELL)
    stated = _STATED.match(text)  # Excel's own line about the delimiter
    delimiter = stated.group(1) if stated else _delimiter(text)
    try:
        source = io.StringIO(text[stated.end() if stated else 0 :], newline="")  # any line end: csv reads them itself
        rows = [row for row in csv.reader(source, delimiter=delimiter) if any(row)]
    except csv.Error as error:
        raise UnusableError(f"not a table of separated values: {error}") from None
    width = max(map(len, rows), default=0)
    above = list(takewhile(lambda row: _is_above(row, width), rows))
    lines = [_line(row + [""] * (width - len(row))) for row in rows[len(above) :]]
    table = with_heads("\n".join([*lines[:1], _line(["---"] * width), *lines[1:]])) if lines else ""
    return "\n\n".join([*(delimiter.join(row).strip(f" {delimiter}") for row in above), table]).strip()


def _is_above(row: list[str], width: int) -> bool:
    """Whether a row is a line above the head: a comment, or a title that fills one of several columns."""
    return row[0].lstrip().startswith("#") or (width > 1 and sum(bool(cell.strip()) for cell in row) == 1)


def with_heads(markdown: str) -> str:
    """The text with each long table as several, each below the same head.

    A chunk of a long table then says what its columns are, and stays a slice of the text.
    """
    lines, shown = markdown.split("\n"), list[str]()
    head: list[str] = []
    rows = 0
    for number, line in enumerate(lines):
        if head and line.startswith("|"):
            rows += 1
            if rows > ROWS_PER_HEAD:
                shown += ["", *head]
                rows = 1
        else:
            head = []
        shown.append(line)
        if number and _RULE.match(line) and lines[number - 1].startswith("|") and not head:
            head, rows = lines[number - 1 : number + 1], 0
    return "\n".join(shown)


def _delimiter(text: str) -> str:
    """The sign of which the first lines have the same number most often; of equals the one that parts more."""
    first = text[:_SAMPLE].splitlines()[:50]
    counts = {sign: [line.count(sign) for line in first if line.strip()] for sign in ",;\t|"}
    return max(counts, key=lambda sign: (_steadiness(counts[sign]), sum(counts[sign])))


def _steadiness(counts: list[int]) -> float:
    most = max(set(counts), key=counts.count, default=0)
    return counts.count(most) / len(counts) if most else 0.0


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"
