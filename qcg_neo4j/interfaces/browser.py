"""What makes Neo4j Browser comfortable: a guide, a style and favourites, as files and over a small local route."""

from __future__ import annotations

import io
import re
import threading
import zipfile
from collections.abc import Callable, Mapping
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from qcg_neo4j.core.errors import InputError, ServerError
from qcg_neo4j.database.corpora import DEFAULT, RELATED_TO, checked_name, chosen, mark, suffix, translated
from qcg_neo4j.database.statements import Statement, paths, statement
from qcg_neo4j.interfaces.palette import CAPTIONS, LINE, LOOKS, SEGMENTS, Look
from qcg_neo4j.server.machine import LOOPBACK

__all__ = ["FILES", "GuideRoute", "contents", "favourites", "guide", "style", "write_files"]
FOLDER = "qcg"
# What Browser's user types first, for the parameters that people cannot guess.
EXAMPLES = {
    "question": '"Which gym did Wolfgang recommend to Li Hua?"',
    "limit": "25",
    "others": "3",
    "similarity": "0.9",
    "level": "0",
    "name": '"Li Hua"',
    "permitted": "null",
    "after": '""',
}
_EARLY = 1980, 1, 1, 0, 0, 0  # the same bytes whenever it is made


def favourites(corpus: str = DEFAULT) -> bytes:
    """The zip: every statement of ``cypher/inspect``, with a line that sets each parameter."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in inspecting():
            found = statement(path)
            name = f"{FOLDER}/{path.removeprefix('inspect/').replace('/', '_')}.cypher"
            archive.writestr(zipfile.ZipInfo(name, _EARLY), translated(favourite(found), corpus))
    return made.getvalue()


def inspecting() -> list[str]:
    """The paths of the statements that are for people."""
    return [path for path in paths() if path.startswith("inspect/")]


def favourite(found: Statement) -> str:
    """A statement as Browser keeps it: its title, the parameters to set first (as comments), the text."""
    title = re.sub(r"\.$", "", found.title)
    lines = [f"// qcg: {title}"]
    if found.parameters:
        lines.append("// First set the parameters, each as a command of its own:")
    lines += [
        f"//   :param {parameter.name} => {EXAMPLES.get(parameter.name, '…')}   ({parameter.meaning})"
        for parameter in found.parameters
    ]
    return "\n".join([*lines, found.body]) + "\n"


def style(corpus: str = DEFAULT) -> str:
    """The rules for `:style`, also of a corpus's own marks and triples."""
    # Browser gives a label without a rule a colour of its own, and the later of two rules wins: both have the same.
    nodes = [_node(label, look) for kind, look in LOOKS.items() for label in (kind, mark(kind, corpus))]
    relationships = [_relationship(kind) for kind in SEGMENTS]
    if corpus != DEFAULT:
        relationships.append(_relationship(RELATED_TO, suffix(corpus)))
    return "\n".join([_EVERY_NODE, _EVERY_RELATIONSHIP, *nodes, *relationships])


def _rule(selector: str, **values: str) -> str:
    lines = "".join(f"  {name.replace('_', '-')}: {value};\n" for name, value in values.items())
    return f"{selector} {{\n{lines}}}\n"


def _node(label: str, look: Look) -> str:
    return _rule(
        f"node.{label}",
        color=look.colour,
        border_color=LINE,
        text_color_internal=look.text_colour,
        diameter=f"{look.diameter}px",
        caption=f'"{{{look.caption}}}"',
    )


def _relationship(kind: str, ending: str = "") -> str:
    caption = f"{{{CAPTIONS[kind]}}}" if kind in CAPTIONS else "<type>"
    return _rule(f"relationship.{kind}{ending}", caption=f'"{caption}"')


_EVERY_NODE = _rule(
    "node", diameter="50px", color="#A5ABB6", border_color=LINE, border_width="2px", text_color_internal="#000000",
    font_size="10px",
)  # fmt: skip
_EVERY_RELATIONSHIP = _rule(
    "relationship", color=LINE, shaft_width="1px", font_size="8px", padding="3px",
    text_color_external="#000000", text_color_internal="#FFFFFF", caption='"<type>"',
)  # fmt: skip


def guide(style: str, favourites: str, corpus: str = DEFAULT) -> str:
    """The guide's page for a corpus; ``style`` and ``favourites`` are the addresses that it leads to."""
    page = files("qcg_neo4j").joinpath("interfaces", "guide.html").read_text(encoding="utf-8")
    page = translated(page, corpus).replace("{{corpus}}", "" if corpus == DEFAULT else f", {chosen(corpus)}")
    return page.replace("{{style}}", escape(style)).replace("{{favourites}}", escape(favourites))


GUIDE, STYLE, FAVOURITES = "guide.html", "qcg.grass", "qcg-favourites.zip"
FILES: Mapping[str, str] = {
    GUIDE: "text/html; charset=utf-8",
    STYLE: "text/plain; charset=utf-8",
    FAVOURITES: "application/zip",
}


def contents(name: str, address: str, corpus: str = DEFAULT) -> bytes:
    """The bytes of one of `FILES` for a corpus; ``address`` is where all are served from, for the links."""
    makers: dict[str, Callable[[], bytes]] = {
        GUIDE: lambda: guide(f"{address}/{STYLE}", f"{address}/{FAVOURITES}", corpus).encode(),
        STYLE: lambda: style(corpus).encode(),
        FAVOURITES: lambda: favourites(corpus),
    }
    return makers[name]()


def write_files(folder: Path, address: str, corpus: str = DEFAULT) -> list[Path]:
    """Write all files into a folder, made where it is missing, for a web server at that address.

    Raises:
        InputError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            (folder / name).write_bytes(contents(name, address, corpus))
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.strerror}.", "Choose another.") from None
    return [folder / name for name in FILES]


# The name that Browser allows before anybody has logged in, when it knows no setting of the server yet.
NAME = "localhost"
# Whoever opens the files as pages of their own runs nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class GuideRoute:
    """Serves `FILES` on a free port while its ``with`` block lasts."""

    def __init__(self, corpus: str = DEFAULT) -> None:
        try:
            self._server = _Serving((LOOPBACK, 0), _Files)
        except OSError as error:
            raise ServerError(f"No port of {LOOPBACK} is free for the guide: {error.strerror}.") from None

        self._server.corpus = checked_name(corpus)

    @property
    def address(self) -> str:
        """Where the files are served."""
        return f"http://{NAME}:{self._server.server_address[1]}"

    @property
    def guide(self) -> str:
        """The address of the guide, for `:play`."""
        return f"{self.address}/{GUIDE}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Serving(ThreadingHTTPServer):
    """A server that knows for which corpus the files are."""

    corpus: str


class _Files(BaseHTTPRequestHandler):
    """Answers reads of the files, and what a browser asks before it lets a page of another port read them."""

    server: _Serving

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].lstrip("/")
        if name not in FILES:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"There is no such file.\n")
            return
        # The name that it was asked by: the links of the guide lead to where the guide came from, and nowhere else.
        named = str(self.headers["Host"]).partition(":")[0]
        host = named if named == LOOPBACK else NAME
        address = f"http://{host}:{self.connection.getsockname()[1]}"
        self._answer(HTTPStatus.OK, FILES[name], contents(name, address, self.server.corpus))

    def do_OPTIONS(self) -> None:
        self._answer(HTTPStatus.NO_CONTENT, "text/plain", b"")

    def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        # Browser runs on another port, so it is another origin. It sends headers of several kinds along.
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Methods", "GET, OPTIONS")
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Allow-Private-Network", "true")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the standard library has it
        """Say nothing: what a person reads on the terminal is the address alone."""
