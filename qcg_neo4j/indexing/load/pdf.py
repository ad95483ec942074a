"""The text of a PDF, page by page."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.indexing.load.validation import paged, written_by

if TYPE_CHECKING:
    import pypdf


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
