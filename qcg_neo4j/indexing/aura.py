"""Sessions of Aura Graph Analytics: Graph Data Science rented from Neo4j for a while, beside whatever server one has.

What is computed on is sent from this side, so the session needs no access to the database. Untested against Aura: a
stand-in for its sessions is what tests open; what runs in one is tested by the same client on a server of our own.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from qcg_neo4j.core.errors import AuthenticationError, GraphError, QcgError, SettingsError, UnreachableError, needs

if TYPE_CHECKING:
    from graphdatascience import Graph as Projected
    from graphdatascience import GraphDataScience
    from graphdatascience.session import AuraGraphDataScience, CloudLocation, GdsSessions

    Client: TypeAlias = AuraGraphDataScience | GraphDataScience

__all__ = ["AuraSettings", "Size", "open_session"]
WHAT = "A session of Aura Graph Analytics"
ID, SECRET, PROJECT, LOCATION = (
    "AURA_API_CLIENT_ID",
    "AURA_API_CLIENT_SECRET",
    "AURA_API_PROJECT_ID",
    "QCG_AURA_LOCATION",
)
WEIGHT = "weight"
_CREDENTIALS = f"Set {ID} and {SECRET} to those of a client of Aura's API: console.neo4j.io, API keys."


@dataclass(frozen=True)
class AuraSettings:
    """Who rents a session, where it is (such as ``gcp/europe-west1``), and how long it outlives its last use."""

    client_id: str
    client_secret: str = field(repr=False)
    project_id: str | None = None
    location: str = ""
    time_to_live: timedelta = timedelta(hours=1)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> AuraSettings:
        """What ``AURA_API_CLIENT_ID``, ``…_CLIENT_SECRET``, ``…_PROJECT_ID`` and ``QCG_AURA_LOCATION`` say.

        Raises:
            SettingsError: one of the first two is missing.
        """
        for name in (ID, SECRET):
            if not environment.get(name):
                raise SettingsError(f"{WHAT} requires credentials, and {name} is not set.", _CREDENTIALS)
        project, location = environment.get(PROJECT) or None, environment.get(LOCATION, "")
        return cls(environment[ID], environment[SECRET], project, location)


@dataclass(frozen=True)
class Size:
    """How large the graph is that a session is to hold; relationships count once in each direction."""

    nodes: int
    relationships: int


@contextmanager
def open_session(
    size: Size, algorithms: str, settings: AuraSettings | None = None, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Client]:
    """A session as large as Aura estimates for these algorithms (a category); deleted at the end, however that comes.

    ``settings`` are those of the environment unless given. ``tell`` is called with a sentence before the wait begins.

    Raises:
        MissingPackageError: the package graphdatascience is not installed.
        SettingsError: there are no credentials, or it is not said where the session is to be.
        AuthenticationError: Aura refuses the credentials.
        UnreachableError: Aura's API does not answer.
        GraphError: the graph is too large, or Aura opens (or deletes) no session for another reason.
    """
    with needs(WHAT, "graphdatascience", "aura"):
        from graphdatascience.session import AuraAPICredentials, GdsSessions
    chosen = settings or AuraSettings.from_environment()
    name = f"qcg-{secrets.token_hex(4)}"  # of no other run, so that whatever has this name may be deleted
    with translated(chosen):
        sessions = GdsSessions(AuraAPICredentials(chosen.client_id, chosen.client_secret, chosen.project_id))
        memory = _memory(sessions, size, algorithms)
        location = _location(sessions, chosen)
    tell(f"{WHAT} with {memory.value} is opened in {location.provider}/{location.region}, which takes some minutes.")
    try:
        with translated(chosen):
            client = sessions.get_or_create(
                name, memory, ttl=chosen.time_to_live, cloud_location=location, show_progress=False
            )
        try:
            yield client
        finally:
            client.close()
    finally:
        _delete(sessions, name, chosen)


def _memory(sessions: GdsSessions, size: Size, algorithms: str) -> Any:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        memory = sessions.estimate(size.nodes, size.relationships, [algorithms], relationship_property_count=1)
    for one in warned:
        if "exceeds" in str(one.message):
            raise GraphError(
                f"The graph is too large for a session of your Aura project: {one.message}",
                "Ask Neo4j for a higher limit, or compute elsewhere: with leidenalg, by push, on a server with GDS.",
            )
    return memory


def _location(sessions: GdsSessions, chosen: AuraSettings) -> CloudLocation:
    from graphdatascience.session import CloudLocation

    if chosen.location:
        provider, _, region = chosen.location.partition("/")
        return CloudLocation(provider, region)
    offered = sessions.available_cloud_locations()
    if len(offered) == 1:
        return offered[0]
    names = ", ".join(sorted(f"{one.provider}/{one.region}" for one in offered))
    raise SettingsError(
        f"The region of the session is not set. Aura offers: {names}.",
        f"Set {LOCATION} to one of these.",
    )


def _delete(sessions: GdsSessions, name: str, chosen: AuraSettings) -> None:
    try:
        with translated(chosen):
            sessions.delete(session_name=name)
    except QcgError as error:
        hours = chosen.time_to_live / timedelta(hours=1)
        raise GraphError(
            f"The session {name} of Aura Graph Analytics could not be deleted, and costs until it is. {error.problem}",
            f"Delete it in Aura's console; otherwise it ends {hours:g} hours after its last use.",
        ) from None


@contextmanager
def translated(settings: AuraSettings | None = None) -> Iterator[None]:
    """Around what asks Aura or a client: what goes wrong there in our words, without the secret.

    Raises:
        AuthenticationError: the credentials are refused.
        UnreachableError: nothing answers.
        GraphError: all else.
    """
    try:
        yield
    except QcgError:
        raise
    except Exception as error:
        raise _ours(error, settings.client_secret if settings else "") from None


def _ours(error: Exception, secret: str) -> QcgError:
    from graphdatascience.session.aura_api import AuraApiError
    from requests import RequestException

    if isinstance(error, RequestException):
        return UnreachableError(f"Aura's API does not answer ({type(error).__name__}).", "Try it again later.")
    if isinstance(error, AuraApiError) and error.status_code in (401, 403):
        return AuthenticationError(
            "Aura's API refuses the credentials, or their permissions are insufficient.", _CREDENTIALS
        )
    text = " ".join(str(error).split())
    told = text.replace(secret, "…") if secret else text
    remedy = f"Set {PROJECT} to the id of one of them." if "project_id" in told or "multiple projects" in told else ""
    return GraphError(f"{WHAT} failed: {told or type(error).__name__}.", remedy)


def send(
    client: Client, nodes: Mapping[str, Any], relationships: Mapping[str, Any], *, undirected: bool = True
) -> Projected:
    """A graph in the memory of the client's GDS, from columns; of ``nodeId``, and ``sourceNodeId``, ``targetNodeId``.

    Further columns are ``labels``, ``relationshipType``, and properties.
    """
    from pandas import DataFrame

    with translated():
        return client.graph.construct(
            f"qcg_session_{secrets.token_hex(4)}",
            DataFrame(nodes),
            DataFrame(relationships) if relationships["sourceNodeId"] else None,
            undirected_relationship_types=["*"] if undirected and relationships["sourceNodeId"] else None,
        )
