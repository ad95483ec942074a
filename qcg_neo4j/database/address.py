"""Where the database is: what the caller says, else the environment, else the running embedded server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from qcg_neo4j.core.errors import UnreachableError, printable
from qcg_neo4j.database.corpora import DEFAULT, checked_name

NO_SERVER = "No address of a Neo4j server is given, and no embedded server runs in {home}."
BOLT = "An address of a Neo4j server looks like bolt://localhost:7687."
_SCHEMES = tuple(f"{name}{encryption}" for name in ("bolt", "neo4j") for encryption in ("", "+s", "+ssc"))
START_ONE = "Start one with `qcg server start`, or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD."


@dataclass(frozen=True)
class Address:
    """How to reach a database; the password stays out of every printed form."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None
    data: Path | None = None  # of an embedded server: the folder of its databases
    corpus: str = DEFAULT
    own_labels: bool = False  # nodes have the labels of their corpus alone, none that others' nodes may have
    read_only: bool = False  # nothing is written, not even what a graph's schema lacks

    def __post_init__(self) -> None:
        checked_name(self.corpus)  # before it becomes a part of Cypher


def find_address(
    uri: str | None = None,
    user: str | None = None,
    password: str | None = None,
    database: str | None = None,
    home: Path | None = None,
    corpus: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Address:
    """The address from the arguments, else from ``NEO4J_*`` and ``QCG_CORPUS``, else of the server of ``home``.

    NEO4J_DATABASE is of the server that an address names, and means nothing in a home.

    Raises:
        InputError: ``corpus`` is no name of one.
        UnreachableError: nothing is given and no embedded server runs.
    """
    corpus = corpus or environment.get("QCG_CORPUS") or DEFAULT
    uri = uri or (None if home else environment.get("NEO4J_URI"))
    if uri:
        uri, own_user, own_password = _without_user(uri)
        scheme = uri.partition("://")[0].lower()
        if scheme not in _SCHEMES:
            kind = "an address of Browser, not" if scheme in ("http", "https") else "no address"
            raise UnreachableError(f"{printable(uri)} is {kind} of Bolt.", BOLT)
        user = user or own_user or environment.get("NEO4J_USERNAME") or environment.get("NEO4J_USER") or "neo4j"
        password = password or own_password or environment.get("NEO4J_PASSWORD", "")
        database = database or environment.get("NEO4J_DATABASE")
        return Address(uri, user, password, database, corpus=corpus)
    from qcg_neo4j import server

    own_home = environment.get("QCG_HOME")
    home = home or (Path(own_home) if own_home else server.default_home())
    found = server.running(home)
    if found is None:
        raise UnreachableError(NO_SERVER.format(home=home), START_ONE)
    return Address(found.uri, found.user, found.password, database, server.data_folder(home), corpus)


def _without_user(uri: str) -> tuple[str, str | None, str | None]:
    """An address without the user and the password in it, and these: what is printed of it holds no secret.

    >>> _without_user("bolt://ann:secret%21@there:7687/?policy=x")
    ('bolt://there:7687/?policy=x', 'ann', 'secret!')
    >>> _without_user("bolt://ann:se/cret@there")
    ('bolt://there', 'ann', 'se/cret')
    """
    scheme, mark, rest = uri.partition("://")
    told, at, host = rest.partition("?")[0].rpartition("@")
    if not at:
        return uri, None, None
    user, _, password = told.partition(":")
    bare = f"{scheme}{mark}{host}{rest[len(told) + len(at) + len(host) :]}"
    return bare, unquote(user) or None, unquote(password) or None
