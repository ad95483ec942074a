"""Ray: a local one that is started and stopped, or a cluster that is there already; what it says becomes our errors."""

from __future__ import annotations

import logging
import os
import re
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qcg_neo4j.core.errors import InputError, MissingPackageError, WorkerError, needs, printable

LOCAL = "ray"
_SCHEME = "ray://"
_ADDRESS = re.compile(r"ray://(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/@]+):(?P<port>[0-9]{1,5})/?")
_OBJECTS = 128 * 1024 * 1024  # bytes that a local Ray sets aside for what is sent to workers
_SECONDS = 10  # that a cluster may take to answer
_QUIET: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "configure_logging": False}
SAME = (
    "Both sides need the same versions of Python, Ray and qcg-neo4j, and the cluster's token, if it has one "
    "(RAY_AUTH_MODE=token, RAY_AUTH_TOKEN)."
)


def checked_address(text: str) -> str:
    """The address as it is, where it is ``ray`` or ``ray://HOST:PORT``.

    Raises:
        InputError: it is something else.
    """
    found = _ADDRESS.fullmatch(text)
    if text != LOCAL and not (found and 0 < int(found["port"]) < 65536):
        raise InputError(
            f"Workers are found at {LOCAL!r} or {_SCHEME}HOST:PORT, not at {text!r}.",
            "`--workers ray` starts them on this machine; a cluster listens for clients at port 10001.",
        )
    return text


@contextmanager
def session(address: str, count: int | None) -> Iterator[tuple[Any, bool]]:
    """Ray while the block lasts; ``count`` is how many workers a local one has room for.

    Gives Ray's module, and whether its processes are of this machine and end with the block. Where the caller is
    connected to Ray already, that is taken, and left as it is.

    Raises:
        MissingPackageError: Ray is not installed.
        WorkerError: nothing answers at the address, or Ray does not start.
    """
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        os.environ.setdefault(name, "0")  # it would send figures of its use away, and warn of its future
    with needs("--workers", "Ray", "ray"):
        import ray
    if ray.is_initialized():
        yield ray, False
        return
    is_local = address == LOCAL
    if not is_local:
        _check_reachable(address)
    try:
        with _silence(ray):
            if is_local:
                ray.init("local", num_cpus=count, object_store_memory=_OBJECTS, **_QUIET)
            else:
                _join(ray, address)
    except ImportError:
        raise MissingPackageError(
            "A client of Ray needs grpcio, which is not installed.", "Install it with: pip install 'qcg-neo4j[ray]'"
        ) from None
    except Exception as error:
        where = "on this machine" if is_local else f"at {address}"
        raise WorkerError(f"Ray {where} cannot be used: {said(error)}", SAME) from None
    try:
        yield ray, is_local
    finally:
        ray.shutdown()


def _join(ray: Any, address: str) -> None:
    """Connect to a cluster, which forks a server for each client; now and then that ends before it begins."""
    for is_last in (False, True):
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
        except Exception as error:
            if is_last or "Initialization failure from server" not in str(error):
                raise
            ray.shutdown()
        else:
            return


def said(error: BaseException) -> str:
    """What an error of Ray says in a line: what it was caused by, else its beginning."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if re.match(r"(\w+\.)+[A-Z]\w+: |\w+(Error|Exception): ", line)]
    return printable((causes or lines[:1] or [type(error).__name__])[-1])


@contextmanager
def _silence(ray: Any) -> Iterator[None]:
    """Keep the log of Ray from standard error, and what it says of workers that died from standard output."""
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    if hasattr(ray._private.worker, "_worker_logs_enabled"):  # there is no setting for it
        ray._private.worker._worker_logs_enabled = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _check_reachable(address: str) -> None:
    """Ray itself tries for half a minute."""
    found = _ADDRESS.fullmatch(address)
    assert found is not None  # noqa: S101 - it was checked
    try:
        socket.create_connection((found["host"].strip("[]"), int(found["port"])), _SECONDS).close()
    except OSError as error:
        raise WorkerError(
            f"No Ray cluster answers at {address}: {error.strerror or error}.",
            "Its head listens for clients at port 10001 (`ray start --head --ray-client-server-port 10001`).",
        ) from None
