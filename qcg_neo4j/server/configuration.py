"""Neo4j's configuration, its first user, and Java's options for one start of one home."""

from __future__ import annotations

import filecmp
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.home import USER, Home, create_private, read_password, replace_text
from qcg_neo4j.server.lines import PLUGIN as PLUGIN_FOLDER
from qcg_neo4j.server.lines import Artefact
from qcg_neo4j.server.machine import LOOPBACK
from qcg_neo4j.server.plugins import PLUGIN

DATABASE = "neo4j"  # the default database, unless a person names another
ITERATIONS = 1024  # of a hash over 192 random bits: as many as the server's own command writes
JAVA_OPTIONS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Djol.skipHotspotSAAttach=true",
    "-Dfile.encoding=UTF-8",
    "-XX:+ExitOnOutOfMemoryError",  # a server without memory answers nothing and cannot be stopped
)


def write_configuration(home: Home, page_cache: str, bolt_port: int, http_port: int) -> None:
    """Write the home's neo4j.conf; the person's own lines take the place of ours of the same name.

    Lines that would open the server to others, or move what we have to find, are refused by a `ServerError`.
    """
    fixed = _fixed(home, bolt_port, http_port)
    own = _extra(home)
    for name in own:
        if name in fixed:
            raise ServerError(
                f"{home.extra_configuration} sets {name}, which the start itself decides.",
                "Take the line out; ports are options of `qcg server start`.",
            )
    lines = {**_defaults(page_cache), **own, **fixed}
    text = "# Written at each start; your own lines belong into extra.conf.\n"
    replace_text(home.configuration / "neo4j.conf", text + "".join(f"{n}={v}\n" for n, v in lines.items()))


def _fixed(home: Home, bolt_port: int, http_port: int) -> dict[str, str]:
    return {
        "dbms.security.auth_enabled": "true",
        "server.default_listen_address": LOOPBACK,
        "server.default_advertised_address": "localhost",
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{LOOPBACK}:{bolt_port}",
        "server.bolt.advertised_address": f"localhost:{bolt_port}",
        "server.http.enabled": "true",
        "server.http.listen_address": f"{LOOPBACK}:{http_port}",
        "server.http.advertised_address": f"localhost:{http_port}",
        "server.https.enabled": "false",
        # Below the home, as Neo4j takes them: what it reads of an absolute path is another where that has letters
        # outside of ASCII or a backslash.
        **{
            f"server.directories.{name}": folder.relative_to(home.root).as_posix()
            for name, folder in (("data", home.data), ("logs", home.logs), ("plugins", home.jars), ("run", home.run))
        },
    }


def _defaults(page_cache: str) -> dict[str, str]:
    return {
        "server.memory.pagecache.size": page_cache,
        "dbms.security.procedures.unrestricted": "gds.*",
        "dbms.security.procedures.allowlist": "gds.*,qcg.*",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        # From where Browser takes guides and styles: from this machine alone, as `qcg server open` serves them.
        "browser.remote_content_hostname_whitelist": f"{LOOPBACK},localhost",
        # A corpus can be loaded again: old logs of transactions are worth less than the disk they take.
        "db.tx_log.rotation.retention_policy": "1 files",
        "db.tx_log.rotation.size": "32m",
        "db.tx_log.preallocate": "false",
        # Beside writes statistics change all the time; a new plan of a long statement takes a question seconds.
        "dbms.cypher.min_replan_interval": "1m",
        # Else a statement is planned once more when it has run ten times, in one question, and is no faster then.
        "internal.cypher.expression_engine": "INTERPRETED",
        # Graph Data Science leaves megabytes of each projection with the thread that made it, until that thread ends.
        "server.bolt.thread_pool_min_size": "1",
        "server.bolt.thread_pool_keep_alive": "10s",
        # The databases are closed by then; with the default of 5 s each, every stop takes ten seconds longer.
        "internal.server.bolt.thread_pool_shutdown_wait_time": "1s",
        "internal.server.bolt.connection_shutdown_wait_time": "1s",
    }


def default_database(home: Home) -> str:
    """The database that a home's server asks where none is named: a person's line may give it another name."""
    return _extra(home).get("initial.dbms.default_database", DATABASE)


def _extra(home: Home) -> dict[str, str]:
    try:
        lines = home.extra_configuration.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ServerError(f"{home.extra_configuration} cannot be read: {error}.") from None
    pairs = (line.partition("=") for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def write_java_options(
    home: Home, heap: str, files: Mapping[Artefact, Path], ours: Sequence[Path] = (), more: Sequence[str] = ()
) -> Path:
    """Write the options of the JVM, class path included, into a file that it reads; returns its path.

    The plug-ins are on the class path as well: Graph Data Science looks for its extensions there. ``ours`` are those
    of this package; one of the same name that the person has put into the home takes its place. ``more`` are further
    options.
    """
    _bring_plugin(home)
    named = {jar.name: jar for jar in (*ours, *sorted(home.plugins.glob("*.jar")))}
    own = list(named.values())
    _gather_plugins(home, [*(path for jar, path in files.items() if jar.folder == PLUGIN_FOLDER), *own])
    # Java runs in the home; relative paths may hold what parts a class path.
    below = {jar: jar.relative_to(home.root) for jar in own if jar.is_relative_to(home.root)}
    class_path = os.pathsep.join(str(below.get(path, path)) for path in (*files.values(), *own))
    target = home.run / "java.options"
    options = (f"-Xmx{heap}", *JAVA_OPTIONS, *more, "-cp", class_path)
    replace_text(target, "".join(f"{_quoted(option)}\n" for option in options))
    return target


def _bring_plugin(home: Home) -> None:
    """Put the plug-in of this package into the home, where the one there is another."""
    target = home.plugins / PLUGIN.name
    if PLUGIN.is_file() and not (target.is_file() and filecmp.cmp(PLUGIN, target)):
        fresh = target.with_suffix(".fresh")
        shutil.copy2(PLUGIN, fresh)  # with its time, so that the next start need not compare the bytes
        fresh.replace(target)


def _quoted(option: str) -> str:
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _gather_plugins(home: Home, jars: Iterable[Path]) -> None:
    """Put the plug-ins of the line and the person's own into a fresh folder, where Neo4j looks for procedures."""
    shutil.rmtree(home.jars, ignore_errors=True)
    home.jars.mkdir(mode=0o700)
    for jar in jars:
        try:
            (home.jars / jar.name).symlink_to(jar)
        except OSError:  # where links are not allowed
            shutil.copy2(jar, home.jars)


def ensure_password(home: Home) -> None:
    """See to it that the home has a password; generated and set where there are no databases yet.

    Neo4j's own command for the first password takes it as an argument, where every user of the machine can read it.
    It leaves a salted hash in ``data/dbms/auth.ini``, from which the server makes its user at its first start; so that
    file is written here, and there is no moment with a known or a visible password.
    """
    if not home.password_file.exists() and not home.has_data():
        create_private(home.password_file, secrets.token_urlsafe(24) + "\n")
    password = read_password(home)
    if not home.has_data():
        folder = home.data / "dbms"
        folder.mkdir(mode=0o700, exist_ok=True)
        salt = secrets.token_bytes(32)
        digest = hashlib.sha256(salt + password.encode()).digest()
        for _ in range(ITERATIONS - 1):
            digest = hashlib.sha256(digest).digest()
        replace_text(folder / "auth.ini", f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{ITERATIONS}:\n")
