"""Logs and traces of statements and model calls: the log ``qcg_neo4j``, and spans of OpenTelemetry.

Paths, numbers, durations and kinds of errors; never a text, a parameter, a key, or an error's own words. Without the
package opentelemetry-api there are no spans; without a handler nobody hears the log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from qcg_neo4j.core.errors import MissingPluginError

LOG = logging.getLogger("qcg_neo4j")
LOG.addHandler(logging.NullHandler())
BOLT_PORT = 7687
OfError = Callable[[BaseException], Mapping[str, Any]]


@dataclass
class Observed:
    """What is known of a call at its end."""

    rows: int = 0
    attributes: dict[str, Any] = field(default_factory=dict)


@contextmanager
def observed_statement(path: str, uri: str, database: str | None) -> Iterator[Observed]:
    """Around a statement; its caller adds the number of rows."""
    seen, start = Observed(), time.perf_counter()
    told = {"db.system.name": "neo4j", "db.query.summary": path, **_server(uri, BOLT_PORT)}
    if database:
        told["db.namespace"] = database
    with _span(path, told, seen, lambda error: {"db.response.status_code": getattr(error.__cause__, "code", None)}):
        try:
            yield seen
        except Exception as error:
            # Whether there is a plug-in is asked by calling it, at each question.
            level = logging.DEBUG if isinstance(error, MissingPluginError) else logging.WARNING
            LOG.log(level, "%s refused after %.1f ms: %s", path, _milliseconds(start), _kind(error))
            raise
        seen.attributes["db.response.returned_rows"] = seen.rows
    LOG.debug("%s: %d rows, %.1f ms", path, seen.rows, _milliseconds(start))


@contextmanager
def observed_model(operation: str, model: str, address: str, attributes: Mapping[str, Any]) -> Iterator[Observed]:
    """Around a call of a model, ``chat`` or ``embeddings``; its caller adds the result."""
    seen, start = Observed(), time.perf_counter()
    told = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": "openai",  # whose wire format it is
        "gen_ai.request.model": model,
        **_server(address, None),
        **attributes,
    }
    with _span(f"{operation} {model}", told, seen, lambda _: {}):
        try:
            yield seen
        except Exception as error:
            LOG.warning("%s %s failed after %.1f ms: %s", operation, model, _milliseconds(start), _kind(error))
            raise
    LOG.debug("%s %s: %.1f ms", operation, model, _milliseconds(start))


@contextmanager
def _span(name: str, attributes: Mapping[str, Any], seen: Observed, of_error: OfError) -> Iterator[None]:
    """A span of a call to another process; nothing where OpenTelemetry is not installed."""
    tracer = _tracer()
    if tracer is None:
        yield
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    # It is not made the current one: a stream may be begun by one thread and ended by another.
    span = tracer.start_span(name, kind=SpanKind.CLIENT, attributes=attributes)
    try:
        yield
    except BaseException as error:
        told = {"error.type": _kind(error), **of_error(error)}
        span.set_attributes({key: value for key, value in told.items() if value})
        span.set_status(Status(StatusCode.ERROR))  # without a description: an error's words may quote texts
        raise
    finally:
        span.set_attributes(seen.attributes)
        span.end()


@cache
def _tracer() -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace.get_tracer("qcg_neo4j", version("qcg-neo4j"))


def _server(address: str, port: int | None) -> dict[str, Any]:
    parts = urlsplit(address)
    try:
        found = parts.port or port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        found = None
    told = {"server.address": parts.hostname, "server.port": found}
    return {key: value for key, value in told.items() if value}


def _kind(error: BaseException) -> str:
    return type(error).__name__


def _milliseconds(start: float) -> float:
    return 1000 * (time.perf_counter() - start)
