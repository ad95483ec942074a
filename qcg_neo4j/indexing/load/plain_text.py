"""Bytes as text, of the encoding that they most probably have; and what no person reads in it left out."""

from __future__ import annotations

import codecs
import re

from qcg_neo4j.core.json_lines import UnusableError

_MARKS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What files that are not Unicode mostly are, the more frequent ones first: of two that are as likely it is taken.
_CANDIDATES = [
    "cp1252",
    "gb18030",
    "cp932",
    "euc_jp",
    "big5",
    "cp949",
    "cp1251",
    "koi8_r",
    "cp1250",
    "cp1253",
    "cp1254",
]
_FOREIGN_LINE = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_SAMPLE_BYTES = 200_000
LEFT_OUT = "…"
_DATA = re.compile(
    r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=%]{64,}"  # an address that is a picture
    r"|(?:^[ \t>]*[A-Za-z0-9+/]{60,}={0,2}[ \t]*(?:\r?\n|\Z)){5,}"  # base64 in lines, as in letters and keys
    r"|[A-Za-z0-9+/=_-]{1000,}",
    re.MULTILINE,
)
_LONG_LINE = re.compile(r"[^\n]{2000,}")
_LEAST_WORDS = 0.09  # of the letters of a line: English has 0.2, Finnish 0.13, minified code 0.02 to 0.08


def decoded(raw: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and a note on its encoding where it is not UTF-8; ``declared`` is what the file itself says.

    >>> decoded("Käse".encode("utf-16"))
    ('Käse', ('read as utf-16',))

    Raises:
        UnusableError: it is no text, or of an encoding that cannot be told.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _as(raw, encoding), () if encoding == "utf-8-sig" else (f"read as {encoding}",)
    try:
        return _without_nul(raw.decode()), ()
    except UnicodeDecodeError:
        pass
    _without_nul(raw.decode("latin-1"))
    encoding = declared if declared and _fits(raw, declared) else _detected(raw)
    return _as(raw, encoding), (f"read as {encoding}, because it is not UTF-8",)


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise UnusableError("it holds a NUL character; is it a binary file?")
    return text


def _as(raw: bytes, encoding: str) -> str:
    try:
        return _without_nul(raw.decode(encoding))
    except UnicodeDecodeError as error:
        raise UnusableError(f"not {encoding} as it seemed: {error.reason} at position {error.start}") from None


def _fits(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except (LookupError, UnicodeError):
        return False
    return True


def _detected(raw: bytes) -> str:
    import charset_normalizer

    # What is plain ASCII says nothing; no byte of a line's end is part of another character in any of the candidates.
    sample, size = [], 0
    for line in _FOREIGN_LINE.finditer(raw):
        sample.append(line.group()[:_SAMPLE_BYTES])
        size += len(sample[-1])
        if size > _SAMPLE_BYTES:
            break
    matches = charset_normalizer.from_bytes(b"".join(sample), cp_isolation=_CANDIDATES)
    if (best := matches.best()) is None:
        raise UnusableError("it is not UTF-8, and its encoding is unknown; is it a binary file?")
    equal = [match for match in matches if (match.chaos, match.coherence) == (best.chaos, best.coherence)]
    return min((name for match in equal for name in match.could_be_from_charset), key=_CANDIDATES.index)


def without_data(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without what no person reads in it, and a note where that was something.

    >>> without_data("An oven: ![oven](data:image/png;base64," + "iVBORw0KGgo" * 50 + ") It is hot.")
    ('An oven: ![oven](…) It is hot.', ('572 characters of data (pictures, base64, minified code) are left out',))
    """
    kept = _DATA.sub(lambda data: f"{LEFT_OUT}\n" if data.group().endswith("\n") else LEFT_OUT, text)
    kept = _LONG_LINE.sub(lambda line: LEFT_OUT if _is_minified(line.group()) else line.group(), kept)
    gone = len(text) - len(kept) + kept.count(LEFT_OUT) - text.count(LEFT_OUT)
    note = f"{gone:,} characters of data (pictures, base64, minified code) are left out"
    return kept, (note,) if gone else ()


def _is_minified(line: str) -> bool:
    """Whether a long line is in a script that puts blanks between words, and has next to none."""
    # Counted by what runs in C: a file may be a line of many megabytes.
    words = line.split()
    letters = sum(map(len, words))
    return len(words) < _LEAST_WORDS * letters and len(line.encode("ascii", "ignore")) > 0.9 * len(line)
