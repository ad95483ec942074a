"""Documents that are archives of XML (Word, PowerPoint, Excel, books): checked, then converted to Markdown."""

from __future__ import annotations

import asyncio
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from qcg_neo4j.core.errors import needs
from qcg_neo4j.indexing.load.validation import UnusableError

if TYPE_CHECKING:
    import xberg

# What the archive of each format holds, and the format's name for the converter.
_OFFICE = "application/vnd.openxmlformats-officedocument"
_FORMATS = {
    ".docx": ("word/", f"{_OFFICE}.wordprocessingml.document"),
    ".pptx": ("ppt/", f"{_OFFICE}.presentationml.presentation"),
    ".xlsx": ("xl/", f"{_OFFICE}.spreadsheetml.sheet"),
    ".epub": ("META-INF/", "application/epub+zip"),
}
_TEXTS = {".rst": "text/x-rst"}
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
UNPACKED_TIMES = 4  # an archive may unpack to so many times the largest document
SECONDS = 300


class Converted(NamedTuple):
    """The Markdown of a document, its slides and speaker's notes if any, its title, authors and date of creation."""

    text: str
    slides: tuple[str, ...]
    spoken: tuple[str, ...]
    title: str | None
    authors: tuple[str, ...] = ()
    created: str | None = None


def convert(raw: bytes, ending: str, largest: int) -> Converted:
    """The document in these bytes as Markdown; ``largest`` is the size of a document that is still taken.

    Raises:
        UnusableError: it is not what its ending says, is encrypted, or unpacks to too much.
        MissingPackageError: the converter is not installed.
    """
    if ending in _FORMATS:
        _check(raw, ending, largest)
    try:
        # A thread of its own, because the caller's may have an event loop already, as in a notebook.
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(asyncio.run, _extracted(raw, ending, largest)).result()
    except RuntimeError as error:
        raise UnusableError(f"not a {ending} file that can be read: {error}") from None
    if not result.results:
        raise UnusableError(f"not a {ending} file that can be read")
    return _converted(result.results[0], ending)


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
    mime = _FORMATS[ending][1] if ending in _FORMATS else _TEXTS[ending]
    return await xberg.extract(xberg.ExtractInput(kind="bytes", bytes=raw, mime_type=mime), config)


def _converted(document: Any, ending: str) -> Converted:
    slides = document.pages or [] if ending == ".pptx" else []
    spoken = tuple(slide.speaker_notes.strip() for slide in slides if slide.speaker_notes)
    about = document.metadata
    return Converted(
        document.content,
        tuple(slide.content.strip() for slide in slides),
        spoken,
        about.title,
        tuple(about.authors or ()),
        about.created_at,
    )
