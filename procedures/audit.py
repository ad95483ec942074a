"""Known vulnerabilities of the jars that a server is made of: ``make audit`` asks the public database OSV.

    python procedures/audit.py [ADDRESS]

Nothing but coordinates and versions is sent. The exit code is 1 where a jar has a known vulnerability.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
import requests

from qcg_neo4j.server.embedding import LOCK
from qcg_neo4j.server.lines import LINES, read_lock

OSV = "https://api.osv.dev"
AT_ONCE = 500  # OSV takes a thousand


def locked() -> list[str]:
    """The coordinates ``group:artifact:version`` of all locked jars, sorted."""
    jars = (jar.coordinates.split(":")[:3] for name in (*LINES, LOCK) for jar in read_lock(name))
    return sorted({":".join(parts) for parts in jars})


def known(coordinates: Sequence[str], address: str = OSV) -> Iterator[tuple[str, list[str]]]:
    """Each jar that has known vulnerabilities, with their names.

    Raises:
        requests.RequestException: the database does not answer.
    """
    for start in range(0, len(coordinates), AT_ONCE):
        part = coordinates[start : start + AT_ONCE]
        answer = requests.post(f"{address}/v1/querybatch", json={"queries": [_query(one) for one in part]}, timeout=60)
        answer.raise_for_status()
        for one, found in zip(part, answer.json()["results"], strict=True):
            if names := [entry["id"] for entry in found.get("vulns", ())]:
                yield one, names


def _query(coordinates: str) -> Any:
    group, artifact, version = coordinates.split(":")
    return {"package": {"ecosystem": "Maven", "name": f"{group}:{artifact}"}, "version": version}


def main(address: str = OSV) -> int:
    """Print what is known; the exit code."""
    jars = locked()
    try:
        found = list(known(jars, address))
    except requests.RequestException as error:
        click.echo(f"Error: {address} does not answer: {type(error).__name__}. Try again with a network.", err=True)
        return 2
    for one, names in found:
        click.echo(f"{one}: {', '.join(names)}")
    click.echo(f"{len(found)} of {len(jars)} jars have a known vulnerability.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
