"""Files that are one document each: text, Markdown, web pages, PDF, letters, tables, office documents, books."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from pathlib import Path

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.records import Scalar, SourceDocument
from qcg_neo4j.indexing.load.archives import convert
from qcg_neo4j.indexing.load.encodings import decoded
from qcg_neo4j.indexing.load.front_matter import front_matter
from qcg_neo4j.indexing.load.headings import headings
from qcg_neo4j.indexing.load.mail import read_letter
from qcg_neo4j.indexing.load.no_text import LEFT_OUT, without_data
from qcg_neo4j.indexing.load.pdf import read_pdf
from qcg_neo4j.indexing.load.tables import markdown_table, with_heads
from qcg_neo4j.indexing.load.validation import UnusableError, clean, filled, identifier, written_by

_BETWEEN_PAGES = "\n\n"
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


@dataclass(frozen=True)
class Content:
    """The text of a file and what it says about itself; ``pages`` are where its pages end.

    ``titled`` says that its first heading can be its title, which the name of a sheet is not.
    """

    text: str
    title: str | None = None
    markdown: bool = False
    pages: tuple[int, ...] = ()
    published_at: str | None = None
    metadata: Mapping[str, Scalar | list[Scalar]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    titled: bool = True


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
    content = _without_data(ENDINGS[path.suffix.lower()](raw, largest))
    return SourceDocument(
        identifier(identity, "id"),
        filled(content.text, "text"),
        title=_title(content) or path.stem,
        source=path.as_posix(),
        published_at=content.published_at,
        metadata=content.metadata,
        markdown=content.markdown,
        pages=content.pages,
        notes=content.notes,
    )


def _without_data(content: Content) -> Content:
    if content.pages:  # whose ends are counted in characters; and these are laid out for people
        return content
    text, note = without_data(content.text)
    if note and not text.strip(f"{LEFT_OUT} \t\r\n"):
        raise UnusableError("it holds no text that a person reads: pictures, base64 or minified code alone")
    return replace(content, text=text, notes=(*content.notes, *_notes(note)))


def _title(content: Content) -> str | None:
    """The title that the file gives, unless a program made it up; else its first heading."""
    given = clean(content.title or "", "title").strip()
    if given and not _NO_TITLE.fullmatch(given):
        return given
    if not (content.markdown and content.titled):
        return None
    return next((heading.text for heading in headings(content.text[:_TITLE_WITHIN])), None)


def _plain(raw: bytes, _: int) -> Content:
    text, note = decoded(raw)
    return Content(text, notes=_notes(note))


def _json(raw: bytes, _: int) -> Content:
    """JSON with a value a line and its letters as they are; what cannot be parsed is a text like any other."""
    text, note = decoded(raw)
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return Content(text, notes=_notes(note))


def _markdown(raw: bytes, _: int) -> Content:
    text, note = decoded(raw)
    head = front_matter(text)
    return Content(
        text[head.end :],
        head.title,
        markdown=True,
        published_at=head.published_at,
        metadata=head.metadata,
        notes=(*_notes(note), *head.notes),
    )


def _html(raw: bytes, _: int) -> Content:
    declared = _CHARSET.search(raw[:2048])
    source, note = decoded(raw, declared.group(1).decode() if declared else None)
    return replace(_main_text(source), notes=_notes(note))


def _main_text(source: str) -> Content:
    """What a web page says, without its navigation, and its title, author and date as its head states them."""
    with needs("Reading HTML", "trafilatura", "html"):
        import trafilatura
    text = trafilatura.extract(source, output_format="markdown", include_comments=False, favor_recall=True)
    if not text:
        raise UnusableError("the page holds no text besides its navigation")
    facts = trafilatura.extract_metadata(source, extensive=False)
    if not facts:
        return Content(text, markdown=True)
    about = written_by((facts.author or "").split("; "))
    return Content(text, facts.title, markdown=True, published_at=facts.date, metadata=about)


def _pdf(raw: bytes, largest: int) -> Content:
    found = read_pdf(raw, largest)
    content = _paged(found.pages, found.title, markdown=False)
    empty = [str(number) for number, page in enumerate(found.pages, start=1) if not page]
    pages = f"{'page' if len(empty) == 1 else 'pages'} {', '.join(empty[:10])}{' …' if len(empty) > 10 else ''}"
    note = f"{pages} of {len(found.pages)} without text; scanned pages need text recognition first" if empty else None
    about = written_by([found.author])
    return replace(content, published_at=found.created, metadata=about, notes=_notes(note))


def _letter(raw: bytes, _: int) -> Content:
    letter = read_letter(raw)
    body = letter.text if letter.text.strip() else _main_text(letter.page).text
    return Content(f"{letter.head}\n\n{body}", letter.subject, published_at=letter.sent)


def _table(raw: bytes, _: int) -> Content:
    text, note = decoded(raw)
    return Content(markdown_table(text), markdown=True, notes=_notes(note))


def _converted(ending: str) -> Callable[[bytes, int], Content]:
    def read(raw: bytes, largest: int) -> Content:
        found = convert(raw, ending, largest)
        about = partial(replace, published_at=found.created, metadata=written_by(found.authors))
        if not found.slides:
            content = Content(with_heads(found.text), found.title, markdown=True, titled=ending != ".xlsx")
            return about(content)
        # The converter does not know which slide a note belongs to where some have none.
        notes = ["## Speaker's notes\n\n" + _BETWEEN_PAGES.join(found.spoken)] if found.spoken else []
        return about(_paged(found.slides, found.title, markdown=True, after=notes))

    return read


def _paged(pages: Sequence[str], title: str | None, *, markdown: bool, after: Sequence[str] = ()) -> Content:
    ends = tuple(accumulate(len(page) + len(_BETWEEN_PAGES) for page in pages))
    return Content(_BETWEEN_PAGES.join([*pages, *after]), title, markdown=markdown, pages=ends)


def _notes(note: str | None) -> tuple[str, ...]:
    return (note,) if note else ()


# Each reads the bytes of a file, given the most bytes that a document may have.
ENDINGS: dict[str, Callable[[bytes, int], Content]] = {
    **dict.fromkeys((".txt", ".log", *CODE), _plain),
    ".json": _json,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
    ".csv": _table,
    ".tsv": _table,
    ".eml": _letter,
    **{ending: _converted(ending) for ending in (".docx", ".pptx", ".xlsx", ".epub", ".rst")},
}
