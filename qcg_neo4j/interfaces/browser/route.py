"""A small web server on the loopback address, from which Browser loads guide, style and favourites."""

from __future__ import annotations

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.database.corpora import DEFAULT, checked_name
from qcg_neo4j.interfaces.browser.files import FILES, GUIDE, contents

LOOPBACK = "127.0.0.1"
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
