"""Files that are one document each: text, Markdown, web pages, PDF, letters, tables, office documents, books."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path

from qcg_neo4j.core.errors import MissingPackageError, needs
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.indexing.load.converters import convert, markdown_table, read_pdf
from qcg_neo4j.indexing.load.markdown import headings, read_markdown
from qcg_neo4j.indexing.load.plain_text import LEFT_OUT, decoded, without_data
from qcg_neo4j.indexing.load.validation import clean, filled, identifier, written_by

_TITLE_WITHIN = 20_000  # characters at the beginning in which a heading can be the title
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# Titles that programs make up.
_NO_TITLE = re.compile(
    r"untitled\W*\d*|(document|presentation|slide|sheet|book|page)\W*\d*|(no )?title|microsoft \w+( - .*)?"
    r"|powerpoint presentation|.*\.(docx?|pptx?|xlsx?|odt|rtf|tex|dvi|indd|qxd|ps|pdf|html?|md|txt)",
    re.IGNORECASE,
)


# Program text, configurations and markup are read as the texts that they are.
CODE = (
    *(".py", ".js", ".ts", ".jsx", ".tsx", ".java", ".kt", ".scala", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp"),
    *(".cs", ".swift", ".rb", ".php", ".pl", ".lua", ".r", ".jl", ".m", ".sh", ".bash", ".ps1", ".bat", ".sql"),
    *(".cypher", ".graphql", ".css", ".scss", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties"),
    *(".xml", ".tex", ".bib", ".org", ".adoc", ".asciidoc", ".srt", ".vtt"),
)


def read_document(path: Path, identity: str, largest: int) -> SourceDocument:
    """The document in a file whose ending is one of `ENDINGS`.

    Raises:
        UnusableError: the file holds no text that can be used; the reason.
        MissingPackageError: its format needs a package that is not installed.
    """
    with path.open("rb") as stream:
        raw = stream.read(largest + 1)
    if len(raw) > largest:  # the size that a file states may be untrue, as in /proc
        size = max(path.stat().st_size, len(raw))
        raise UnusableError(f"the file has {size:,} bytes; at most {largest:,} are read (`load.largest_document`)")
    if not raw.strip():
        raise UnusableError("the file is empty")
    ending = path.suffix.lower()
    document = _without_data(ENDINGS[ending](raw, largest))
    return replace(
        document,
        id=identifier(identity, "id"),
        text=filled(document.text, "text"),
        title=_title(document, ending) or path.stem,
        source=path.as_posix(),
    )


def _without_data(document: SourceDocument) -> SourceDocument:
    if document.pages:  # whose ends are counted in characters; and these are laid out for people
        return document
    text, note = without_data(document.text)
    if note and not text.strip(f"{LEFT_OUT} \t\r\n"):
        raise UnusableError("it holds no text that a person reads: pictures, base64 or minified code alone")
    return replace(document, text=text, notes=(*document.notes, *note))


def _title(document: SourceDocument, ending: str) -> str | None:
    """The title that the file gives, unless a program made it up; else its first heading."""
    given = clean(document.title or "", "title").strip()
    if given and not _NO_TITLE.fullmatch(given):
        return given
    if not document.markdown or ending == ".xlsx":  # whose headings are names of sheets
        return None
    return next((heading.text for heading in headings(document.text[:_TITLE_WITHIN])), None)


def _of_text(make: Callable[[str], SourceDocument], raw: bytes, _: int) -> SourceDocument:
    """What is made of a text, with a note on its encoding."""
    text, notes = decoded(raw)
    document = make(text)
    return replace(document, notes=(*notes, *document.notes))


def _json(text: str) -> SourceDocument:
    """JSON with a value a line and its letters as they are; what cannot be parsed is a text like any other."""
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return SourceDocument("", text)


def _table(text: str) -> SourceDocument:
    return SourceDocument("", markdown_table(text), markdown=True)


def _html(raw: bytes, _: int) -> SourceDocument:
    declared = _CHARSET.search(raw[:2048])
    source, notes = decoded(raw, declared.group(1).decode() if declared else None)
    return replace(_main_text(source), notes=notes)


def _main_text(source: str) -> SourceDocument:
    """What a web page says, without its navigation, and its title, author and date as its head states them."""
    with needs("Reading HTML", "trafilatura", "html"):
        import trafilatura
    text = trafilatura.extract(source, output_format="markdown", include_comments=False, favor_recall=True)
    if not text:
        raise UnusableError("the page holds no text besides its navigation")
    facts = trafilatura.extract_metadata(source, extensive=False)
    if not facts:
        return SourceDocument("", text, markdown=True)
    about = written_by((facts.author or "").split("; "))
    return SourceDocument("", text, title=facts.title, markdown=True, published_at=facts.date, metadata=about)


def _letter(raw: bytes, _: int) -> SourceDocument:
    """What was written, with who wrote it to whom on top."""
    try:
        return _of_letter(raw)
    except (UnusableError, MissingPackageError):
        raise
    except Exception as error:  # the parser of the standard library fails on many a broken head, each in its own way
        raise UnusableError(f"not an email that can be read: {error or type(error).__name__}") from None


def _of_letter(raw: bytes) -> SourceDocument:
    message = message_from_bytes(raw, policy=policy.default)
    head = [f"{name}: {message[name]}" for name in ("From", "To", "Cc", "Date", "Subject") if message[name]]
    if not head:
        raise UnusableError("not an email: it has neither sender nor subject")
    text, page = _body(message, "plain"), _body(message, "html")
    if not text.strip() and not page.strip():
        raise UnusableError("the letter holds no text")
    if names := [name for part in message.iter_attachments() if (name := part.get_filename())]:
        head.append(f"Attachments: {', '.join(names)}")
    body = text if text.strip() else _main_text(page).text
    subject = message["Subject"]
    return SourceDocument(
        "", "\n".join(head) + f"\n\n{body}", title=str(subject) if subject else None, published_at=_sent(message)
    )


def _body(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    if part is None:
        return ""
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError):  # an encoding that does not exist, or is not what it says
        return bytes(part.get_payload(decode=True) or b"").decode("utf-8", "replace")


def _sent(message: EmailMessage) -> str | None:
    try:
        return parsedate_to_datetime(str(message["Date"])).isoformat()
    except ValueError:
        return None


# Each reads the bytes of a file, given the most bytes that a document may have; the id is not known there.
ENDINGS: dict[str, Callable[[bytes, int], SourceDocument]] = {
    **dict.fromkeys((".txt", ".log", *CODE), partial(_of_text, partial(SourceDocument, ""))),
    ".json": partial(_of_text, _json),
    **dict.fromkeys((".md", ".markdown"), partial(_of_text, read_markdown)),
    **dict.fromkeys((".html", ".htm"), _html),
    ".pdf": read_pdf,
    **dict.fromkeys((".csv", ".tsv"), partial(_of_text, _table)),
    ".eml": _letter,
    **{ending: partial(convert, ending=ending) for ending in (".docx", ".pptx", ".xlsx", ".epub", ".rst")},
}
