"""APOC Core, by which the writer of `neo4j_graphrag` writes relationships: only a measurement needs it.

The last version in the repository is made for the line 5.26; a server of 2026.08 warns of it and runs what is needed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.home import Home, default_cache
from qcg_neo4j.server.lines import PLUGIN, Artefact
from qcg_neo4j.server.settings import ServerSettings

APOC = (
    Artefact(
        "org.neo4j.procedure:apoc-core:5.26.19",
        632958,
        "63b942deda37996932bbada7a4ed1c163c9f82bca35696c569ef33d3eaa3bde4",
        PLUGIN,
    ),
    Artefact(
        "org.neo4j.procedure:apoc-common:5.26.19",
        388557,
        "b1ea58a4cf9509181fdb0130151f9b84be4169250b6fd91b998f9d0534e64096",
        PLUGIN,
    ),
    Artefact(
        "com.opencsv:opencsv:5.7.1", 238754, "d05a7bd25fd62bf27803d71b80f98ad2d929420072648c09a26d45344d25d6b8", PLUGIN
    ),
    Artefact(
        "org.roaringbitmap:RoaringBitmap:0.7.17",
        300785,
        "60f25f5eb24852fff3b9a5c5f3793aa4f1eb5d0424d3cdaaf90cdfdd0619dcac",
        PLUGIN,
    ),
    Artefact(
        "com.jayway.jsonpath:json-path:2.9.0",
        276633,
        "11a9ee6f88bb31f1450108d1cf6441377dec84aca075eb6bb2343be157575bea",
        PLUGIN,
    ),
    Artefact(
        "org.hdrhistogram:HdrHistogram:2.1.9",
        114165,
        "95d40913be28dfd439cefea9170c40898ea84f11f25e6ff8de50339b8a7b5e3e",
        PLUGIN,
    ),
)


def add_apoc(home: Path, settings: ServerSettings, progress: Progress) -> None:
    """Put APOC into the plug-ins of a home whose server does not run yet.

    Raises:
        ServerError: it could not be downloaded.
    """
    place = Home(home)
    place.prepare()
    cache = Path(settings.cache).expanduser() if settings.cache else default_cache()
    for artefact, file in fetch(APOC, cache, progress).items():
        shutil.copy(file, place.plugins / artefact.file_name)
    place.extra_configuration.write_text("dbms.security.procedures.allowlist=*\n", encoding="utf-8")
