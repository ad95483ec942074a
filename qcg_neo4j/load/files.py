"""Files that are one document each: plain text, Markdown, HTML, PDF."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.errors import needs
from qcg_neo4j.load.validation import UnusableError, clean, filled, identifier
from qcg_neo4j.records import SourceDocument

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(frozen=True)
class Content:
    """The text of a file, its title where it has one, and whether the text is Markdown."""

    text: str
    title: str | None = None
    markdown: bool = False


def read_document(path: Path, identity: str, largest: int) -> SourceDocument:
    """The document in a file whose ending is one of `ENDINGS`.

    Raises:
        UnusableError: the file holds no text that can be used; the reason.
        MissingPackageError: its format needs a package that is not installed.
    """
    size = path.stat().st_size
    if size > largest:
        raise UnusableError(f"the file has {size:,} bytes; at most {largest:,} are read (`--largest-document`)")
    content = ENDINGS[path.suffix.lower()](path)
    return SourceDocument(
        identifier(identity, "id"),
        filled(content.text, "text"),
        title=clean(content.title, "title") if content.title else path.stem,
        source=path.as_posix(),
        markdown=content.markdown,
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusableError(f"not UTF-8: byte {error.object[error.start]:#04x} at position {error.start}") from None


def _plain(path: Path) -> Content:
    return Content(_text(path))


def _markdown(path: Path) -> Content:
    text = _text(path)
    heading = _HEADING.search(text)
    return Content(text, heading.group(1) if heading else None, markdown=True)


def _html(path: Path) -> Content:
    with needs("Reading HTML", "trafilatura", "html"):
        import trafilatura
    source = _text(path)
    if not source.strip():
        raise UnusableError("'text' is empty")
    text = trafilatura.extract(source, output_format="markdown", include_comments=False, favor_recall=True)
    if not text:
        raise UnusableError("the page holds no text that can be told from its navigation")
    facts = trafilatura.extract_metadata(source)
    return Content(text, facts.title if facts else None, markdown=True)


def _pdf(path: Path) -> Content:
    with needs("Reading PDF", "pypdf", "pdf"):
        import pypdf
        from pypdf.errors import FileNotDecryptedError
    try:
        reader = pypdf.PdfReader(path)
        text = "\n\n".join(page.extract_text().strip() for page in reader.pages)
        title = reader.metadata.title if reader.metadata else None
    except FileNotDecryptedError:
        raise UnusableError("the PDF is encrypted; save it without a password") from None
    except Exception as error:  # broken files make the library fail in many ways
        raise UnusableError(f"not a PDF that can be read: {error}") from None
    if not text.strip():
        raise UnusableError("the PDF holds no text; scanned pages need text recognition first")
    # Fonts without a table of their letters come out as NUL or half characters; the rest of the page is good.
    return Content(text.replace("\0", "").encode("utf-8", "replace").decode(), str(title) if title else None)


ENDINGS: dict[str, Callable[[Path], Content]] = {
    ".txt": _plain,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
}
