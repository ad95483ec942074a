"""What a document's fields must be, whichever format they come from."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from qcg_neo4j.core.json_lines import UnusableError, has_half
from qcg_neo4j.core.records import Scalar, SourceDocument
from qcg_neo4j.indexing.load.plain_text import without_data

LONGEST_ID = 512
OPTIONAL_TEXTS = {"title": "title", "source": "source", "publishedAt": "published_at"}
# Names of the Document's own properties, in both spellings, and of the fields of a record.
RESERVED = {
    "id",
    "text",
    "passages",
    "contentHash",
    "displayName",
    "content_hash",
    "published_at",
    "listedIn",
    "listed_in",
    "adoptedFrom",
    "adopted_from",
    "qcgAdded",
    "qcg_added",
    *OPTIONAL_TEXTS,
}


def document_from(record: Mapping[str, Any]) -> SourceDocument:
    """The document that a JSON object of the form `id`, `text` … describes."""
    identity = identifier(required(record, "id"), "id")
    text = filled(required(record, "text"), "text")
    extra = {name: value for name, value in record.items() if name not in {"id", "text", *OPTIONAL_TEXTS}}
    kept, notes = kept_metadata(extra)
    text, left_out = without_data(text)
    document = SourceDocument(identity, text, metadata=kept, notes=(*left_out, *notes))
    return replace(document, **optional_texts(record))  # type: ignore[arg-type]


def required(record: Mapping[str, Any], name: str) -> Any:
    """The value of a field that must be there."""
    if record.get(name) is None:
        raise UnusableError(f"the field {name!r} is missing")
    return record[name]


def identifier(value: Any, name: str) -> str:
    """An id: text, or a whole number taken as text; in one form of Unicode, as which it is asked for."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = unicodedata.normalize("NFC", filled(value, name))
    if len(text) > LONGEST_ID:
        raise UnusableError(f"{name!r} has {len(text)} characters; at most {LONGEST_ID} are allowed")
    return text


def filled(value: Any, name: str) -> str:
    """A text that holds more than white space, without a byte order mark."""
    text = clean(value, name).removeprefix("\ufeff")
    if not text.strip():
        raise UnusableError(f"{name!r} is empty")
    return text


def clean(value: Any, name: str) -> str:
    """A text that the database can keep."""
    if not isinstance(value, str):
        raise UnusableError(f"{name!r} must be text, but is {_kind(value)}")
    if "\0" in value:
        raise UnusableError(f"{name!r} holds a NUL character; is it a binary file?")
    if has_half(value):
        raise UnusableError(f"{name!r} contains an unpaired surrogate, which is not Unicode text")
    return value


def optional_texts(record: Mapping[str, Any]) -> dict[str, str | None]:
    """Title, source and date of publication where they are given."""
    return {
        ours: None if record.get(theirs) is None else clean(record[theirs], theirs)
        for theirs, ours in OPTIONAL_TEXTS.items()
    }


def metadata(extra: Mapping[str, Any]) -> dict[str, Scalar | list[Scalar]]:
    """Further fields as properties of the document: scalars, or lists of scalars of one kind; null is nothing."""
    return {_name(name): _property(value, name) for name, value in extra.items() if value is not None}


def kept_metadata(extra: Mapping[str, Any]) -> tuple[dict[str, Scalar | list[Scalar]], list[str]]:
    """Further fields as `metadata`; what no property can hold as text of JSON, or left out, with a note for each."""
    kept: dict[str, Scalar | list[Scalar]] = {}
    notes = []
    for name, value in extra.items():
        _name(name)
        try:
            kept.update(metadata({name: value}))
        except UnusableError as error:
            text = _as_json(value, name)
            if text is not None:
                kept[name] = text
            notes.append(f"{error}; it is {'left out' if text is None else 'kept as text of JSON'}")
    return kept, notes


def paged(pages: Sequence[str], after: Sequence[str] = ()) -> tuple[str, tuple[int, ...]]:
    """The text of pages, with what comes after them, and where the pages end in it."""
    gap = "\n\n"
    return gap.join([*pages, *after]), tuple(accumulate(len(page) + len(gap) for page in pages))


def written_by(authors: Iterable[str | None]) -> dict[str, Scalar | list[Scalar]]:
    """The property ``author`` of a file: a text, or a list where there are several authors; none without any."""
    names = [" ".join(name.replace("\0", "").split()) for name in authors if name]
    found: list[Scalar] = [name for name in dict.fromkeys(names) if name]
    return metadata({"author": found[0] if len(found) == 1 else found}) if found else {}


def _as_json(value: Any, name: str) -> str | None:
    """What no property can hold, as text of JSON; None where that says no more, or cannot be kept either."""
    try:
        text = clean(json.dumps(value, ensure_ascii=False, allow_nan=False), name)
    except (UnusableError, ValueError):
        return None
    return None if isinstance(value, str) or "\\u0000" in text else text


def _name(name: str) -> str:
    if name in RESERVED:
        raise UnusableError(f"the field {name!r} has the name of a property that the loader itself writes")
    if not clean(name, "name of a field").strip():
        raise UnusableError("a field has an empty name")
    return name


def _property(value: Any, name: str) -> Scalar | list[Scalar]:
    if not isinstance(value, list):
        return _scalar(value, name)
    kinds = {type(item) for item in value}
    if kinds == {int, float}:
        value, kinds = [float(item) for item in value], {float}
    if len(kinds) > 1:
        raise UnusableError(f"the list {name!r} mixes {' and '.join(sorted(_kind(item) for item in value[:2]))}")
    return [_scalar(item, name) for item in value]


def _scalar(value: Any, name: str) -> Scalar:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", clean(value, name))
    if not isinstance(value, str | int | float):  # YAML has sets and bytes, too
        raise UnusableError(f"{name!r} holds {_kind(value)}; a property is a scalar or a list of scalars")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UnusableError(f"{name!r} is a whole number of more than 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise UnusableError(f"{name!r} is an infinite number")
    return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null", bytes: "bytes"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else f"a {type(value).__name__}")
