"""The driver's errors in the words of this package; nothing secret is in them."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator

from neo4j import exceptions

from qcg_neo4j.core.errors import (
    AuthenticationError,
    GraphError,
    InputError,
    MissingPluginError,
    QcgError,
    UnreachableError,
)
from qcg_neo4j.database.address import BOLT, START_ONE, Address

Driver = exceptions.DriverError | exceptions.Neo4jError

NO_INDEX = (
    "The graph lacks what is searched; `qcg status` says what is there. "
    "The methods d2q and d2q-- need `qcg generate --baselines`."
)
RESTART = (
    "Start an embedded server again: `qcg server stop`, `qcg server start`. "
    "For another server, put the package's qcg.jar into its folder of plug-ins and restart it."
)
BRING_PLUGIN = "In a checkout, `make` builds it."
# What is being done while a statement of the folder runs, for a message.
DOING = {
    "adopt": "adopting what others made",
    "answer": "reading what an answer is written from",
    "build": "joining what belongs together",
    "embed": "embedding in the database",
    "evaluate": "reading what is evaluated",
    "extract": "writing what was extracted",
    "generate": "writing queries",
    "index": "looking at what is to be done",
    "inspect": "looking into the graph",
    "load": "writing documents",
    "lock": "looking who writes to the graph",
    "report": "writing reports",
    "resolve": "merging entities",
    "retrieve": "searching the graph",
    "schema": "preparing the graph",
    "show": "reading what is to be drawn",
    "stage": "noting how far a stage is",
    "train": "preparing what is learned from",
}
_MISSING_INDEX = re.compile(r"no such \w+ schema index: (?P<name>\w+)")
_REFUSED = re.compile(r"Caused by: qcg\.config\.Refusal: (?P<problem>.*)", re.DOTALL)
# What Neo4j says when its disk is full, and to all who come afterwards.
_STOPPED = re.compile("critical error, and needs to be restarted|No space left on device|Could not append transaction")
_GO_ON = (
    "Is its disk full? Make room, then `qcg server stop`, `qcg server start`, and run the same again: it goes on where "
    "it was. `qcg server logs` has the reason."
)
_REMEDIES = {
    "Neo.ClientError.Database.DatabaseNotFound": "`SHOW DATABASES` lists the existing ones.",
    "Neo.ClientError.Security.Forbidden": "Give the user the privilege, or connect as another one.",
    "Neo.ClientError.Transaction.TransactionTimedOut": "Ask for less, or allow more seconds.",
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration": "Ask for less, or allow more seconds.",
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError": "Use smaller batches, or give the server more memory.",
    "Neo.TransientError.General.OutOfMemoryError": "Give the server more memory (`qcg server start --heap`).",
}


def translate(error: Driver | ValueError, address: Address, statement: str = "") -> QcgError:
    """The error to raise instead of the driver's; ``statement`` is the path of the statement that ran."""
    uri = address.uri
    if isinstance(error, exceptions.AuthError):
        refused = "the user or the password" if address.password else f"the user {address.user} without a password"
        return AuthenticationError(
            f"The server at {uri} does not accept {refused}.",
            "Check NEO4J_USERNAME and NEO4J_PASSWORD; `qcg server status` says where an embedded server keeps its own.",
        )
    if isinstance(error, exceptions.ServiceUnavailable | exceptions.SessionExpired):
        return _unreachable(error, uri)
    if isinstance(error, UnicodeEncodeError):
        return InputError(
            f"The text contains an unpaired surrogate ({error.object[error.start]!a}) at offset {error.start:,}.",
            "Correct the text: such characters come from wrong decoding.",
        )
    if isinstance(error, exceptions.ConfigurationError | ValueError):
        return UnreachableError(f"{uri!r} is not an address of a Neo4j server: {error}", BOLT)
    return _refused(error, statement)


def _unreachable(error: BaseException, uri: str) -> UnreachableError:
    """Why no connection came about: the certificate, encryption on one side alone, or nothing that answers."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return UnreachableError(
                f"The certificate of the server at {uri} is not trusted: {cause.verify_message}.",
                "Name the file of its authority in SSL_CERT_FILE, or take any certificate: bolt+ssc:// or neo4j+ssc://.",
            )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return UnreachableError(
            f"The server at {uri} does not speak TLS.", "Give its address without encryption: bolt:// or neo4j://."
        )
    if any("handshake" in str(cause) for cause in causes):
        return UnreachableError(
            f"What answers at {uri} does not speak Bolt without encryption.",
            "If it is a Neo4j server with TLS, give its address with encryption: bolt+s:// or neo4j+s://.",
        )
    return UnreachableError(f"No Neo4j server answers at {uri}.", START_ONE)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and all that led to it; those of several addresses come in a group."""
    if error is None:
        return
    yield error
    for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _causes(inner)
    yield from _causes(error.__cause__ or error.__context__)


def check_plugin(found: str | None, package: str) -> None:
    """Refuse a server whose plug-in `qcg` is missing or of another version than the package.

    Raises:
        MissingPluginError: says both versions and what to do.
    """
    if found is None:
        raise MissingPluginError("The server lacks the plug-in qcg.", f"{BRING_PLUGIN} {RESTART}")
    if found != package:
        raise MissingPluginError(f"The server's plug-in qcg is {found}, the package is {package}.", RESTART)


def _refused(error: Driver, statement: str) -> QcgError:
    code = getattr(error, "code", None) or type(error).__name__
    message = getattr(error, "message", None) or str(error)
    doing = DOING.get(statement.partition("/")[0], f"running {statement}")  # one of a person's own has no folder
    where = f"While {doing}: " if statement else ""
    if "ProcedureNotFound" in code or "Unknown function" in message:
        others = "The server lacks a plug-in. An embedded server (`qcg server start`) has all plug-ins."
        return MissingPluginError(f"{where}{message}", RESTART if "qcg." in message else others)
    if own := _REFUSED.search(message):
        return GraphError(own["problem"])  # our procedures say themselves where and what is wrong
    if _STOPPED.search(message):
        return GraphError(f"{where}the server has stopped writing: {message}", _GO_ON)
    if missing := _MISSING_INDEX.search(message):
        return GraphError(f"{where}the graph has no index {missing['name']}.", NO_INDEX)
    return GraphError(f"{where}{message} ({code})", _REMEDIES.get(code, ""))
