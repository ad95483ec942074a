"""The version of the form that a graph is in: an older one is brought up to date, a newer one is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qcg_neo4j.errors import GraphError
from qcg_neo4j.graph.connection import Call, Connection

# Raise it when an older version of the package would read or write the graph wrongly. 1 is that of graphs from before
# the number was kept.
FORM = 2


def found_form(graph: Connection) -> int:
    """The form that the graph is in; of an empty one the present form.

    Raises:
        GraphError: it is a newer form.
    """
    found = graph.rows("schema/form")
    form = int(found[0]["form"]) if found else FORM
    if form > FORM:
        raise GraphError(
            f"The graph is in form {form}, which a newer version of qcg-neo4j made; this one knows forms up to {FORM}.",
            "Install a newer version: `pip install --upgrade qcg-neo4j`.",
        )
    return form


@contextmanager
def brought_up_to_date(graph: Connection) -> Iterator[None]:
    """Around what brings an older graph into the present form; the form is recorded when that has ended well.

    Raises:
        GraphError: the graph is in a newer form; nothing is written.
    """
    form = found_form(graph)
    yield
    if form < FORM:
        graph.write(Call("schema/use_form", {"form": FORM}))
