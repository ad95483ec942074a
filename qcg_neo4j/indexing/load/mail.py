"""Letters (.eml): what was written, with who wrote it to whom on top."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from qcg_neo4j.indexing.load.validation import UnusableError

_SHOWN = ("From", "To", "Cc", "Date", "Subject")


class Letter(NamedTuple):
    """A letter's text, or its page where it has only that, with its head, its subject and its date."""

    head: str
    text: str
    page: str
    subject: str | None
    sent: str | None


def read_letter(raw: bytes) -> Letter:
    """The letter in these bytes.

    Raises:
        UnusableError: they are no letter, or one without text.
    """
    message = message_from_bytes(raw, policy=policy.default)
    lines = [f"{name}: {message[name]}" for name in _SHOWN if message[name]]
    if not lines:
        raise UnusableError("not an email: it has neither sender nor subject")
    text, page = _body(message, "plain"), _body(message, "html")
    if not text.strip() and not page.strip():
        raise UnusableError("the letter holds no text")
    names = [name for part in message.iter_attachments() if (name := part.get_filename())]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
    subject = message["Subject"]
    return Letter("\n".join(lines), text, page, str(subject) if subject else None, _sent(message))


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
