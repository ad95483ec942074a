"""End every server below a folder once standard input ends: run by the tests, outlives them, however they end."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil


def servers(folder: Path) -> list[psutil.Process]:
    """The processes whose home lies below the folder, by their command lines: no file can be out of date here."""
    named = f"--home-dir={folder}/"
    found = psutil.process_iter(["cmdline"])
    return [process for process in found if any(part.startswith(named) for part in process.info["cmdline"] or ())]


if __name__ == "__main__":
    sys.stdin.read()
    left = servers(Path(sys.argv[1]).resolve())
    for server in left:
        server.terminate()
    psutil.wait_procs(left, timeout=90)
