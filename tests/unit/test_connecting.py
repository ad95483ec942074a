"""Why no connection comes about: certificates, encryption on one side alone, nobody there, a corpus that is not."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from qcg_neo4j.core.errors import GraphError, UnreachableError
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import check_corpus

Serve = Callable[[socket.socket], None]


@contextmanager
def listening(serve: Serve) -> Iterator[int]:
    """Something that answers as it likes; gives its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    serve(connection)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        # To close it alone would leave the thread waiting: it would take a connection that another test makes later.
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        listener.close()
        assert not thread.is_alive()


def refusal(address: str) -> str:
    with pytest.raises(UnreachableError) as refused:
        Graph.connect(address, "neo4j", "a password")
    assert "a password" not in str(refused.value)
    return str(refused.value)


@pytest.fixture
def encrypted(tmp_path: Path) -> Serve:
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    subprocess.run([*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return lambda connection: context.wrap_socket(connection, server_side=True).close()


def closing(connection: socket.socket) -> None:
    connection.recv(4096)


@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s"])
def test_a_certificate_of_their_own(encrypted: Serve, scheme: str) -> None:
    with listening(encrypted) as port:
        said = refusal(f"{scheme}://localhost:{port}")
    assert "is not trusted: self-signed certificate" in said
    assert "SSL_CERT_FILE" in said
    assert "+ssc://" in said


@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s", "bolt+ssc"])
def test_encryption_that_the_server_has_not(scheme: str) -> None:
    with listening(closing) as port:
        assert "does not speak TLS.\nGive its address without encryption" in refusal(f"{scheme}://localhost:{port}")


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_encryption_that_the_address_has_not(encrypted: Serve, scheme: str) -> None:
    with listening(encrypted) as port:
        assert "give its address with encryption: bolt+s://" in refusal(f"{scheme}://localhost:{port}")


def test_nobody_there() -> None:
    assert "No Neo4j server answers" in refusal("bolt://localhost:9")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ([], "It has none yet."),
        (["qcg_corpus_id__lwa"], "Did you mean 'lwa'?"),
        (["qcg_corpus_id__chats"], "Known are: chats."),
    ],
)
def test_a_corpus_that_is_not_there(held: list[str], said: str) -> None:
    graph: Any = SimpleNamespace(corpus="law", rows=lambda _: [{"name": name, "dimension": None} for name in held])
    with pytest.raises(GraphError, match="The database has no corpus 'law'") as refused:
        check_corpus(graph)
    assert refused.value.remedy == f"{said} Loading makes it: `qcg load --corpus law PATH`."


@pytest.mark.parametrize(("number", "asked"), [(0, 1), (3, 2), (4, 3)])
def test_a_short_page_is_the_last(number: int, asked: int) -> None:
    ids = [{"id": str(each)} for each in range(number)]
    calls = []

    def rows(_: str, after: str, limit: int) -> list[dict[str, str]]:
        calls.append(after)
        return [row for row in ids if row["id"] > after][:limit]

    pages = Connection.pages(SimpleNamespace(rows=rows), "any", 2)  # type: ignore[arg-type]
    assert [row for page in pages for row in page] == ids
    assert len(calls) == asked
