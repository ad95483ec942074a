"""Documents that a package converts: PDF page by page; archives of XML (Word, PowerPoint, Excel, books) to Markdown."""

from __future__ import annotations

import asyncio
import logging
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.indexing.load.tables import with_heads
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
