"""The plug-in for the server that this package carries; `make` builds it into this folder."""

from __future__ import annotations

import zipfile
from pathlib import Path

PLUGIN = Path(__file__).parent / "qcg.jar"


def version_of(jar: Path) -> str | None:
    """The version of the plug-in in that file; None where there is none."""
    try:
        with zipfile.ZipFile(jar) as archive:
            lines = archive.read("qcg.properties").decode().splitlines()
    except (FileNotFoundError, KeyError, zipfile.BadZipFile):
        return None
    return next((line.partition("=")[2].strip() for line in lines if line.startswith("version=")), None)
