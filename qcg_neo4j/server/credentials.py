"""The password of a home: generated, kept in a file that only its owner can read, passed to the server as a hash.

Neo4j's own command for the first password takes it as an argument, where every user of the machine can read it. What
that command does is to leave a salted hash in ``data/dbms/auth.ini``, from which the server makes its user at its first
start; so that file is written here, and there is no moment with a known or a visible password.
"""

from __future__ import annotations

import hashlib
import secrets

from qcg_neo4j.server.home import Home, read_password
from qcg_neo4j.server.replacement import create_private, replace_text

USER = "neo4j"
ITERATIONS = 1024  # of a hash over 192 random bits: as many as the server's own command writes


def ensure_password(home: Home) -> None:
    """See to it that the home has a password; generated and set where there are no databases yet."""
    if not home.password_file.exists() and not home.has_data():
        create_private(home.password_file, secrets.token_urlsafe(24) + "\n")
    password = read_password(home)
    if not home.has_data():
        folder = home.data / "dbms"
        folder.mkdir(mode=0o700, exist_ok=True)
        replace_text(folder / "auth.ini", initial_user(password, secrets.token_bytes(32)))


def initial_user(password: str, salt: bytes) -> str:
    """The line from which a server makes its first user."""
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{ITERATIONS}:\n"
