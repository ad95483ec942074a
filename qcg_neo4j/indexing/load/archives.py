"""Documents that are archives of XML (Word, PowerPoint, Excel, books): checked, then converted to Markdown."""

from __future__ import annotations

import asyncio
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.indexing.load.tables import with_heads
from qcg_neo4j.indexing.load.validation import paged, written_by

if TYPE_CHECKING:
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
    except zipfile.BadZipFile:
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
