"""Make the tables of LiHua-World from any folder in its format, on an embedded server in that folder.

    python tests/reproduction/folder.py DATA

DATA is a folder with ``passages.jsonl`` and ``questions.jsonl``; recorded replies (``pairs``, ``graph``, ``analyses``,
``batches.jsonl``, in ``recorded/`` or beside them) may be there. What lacks its recordings is left out and named. The
tables go to ``DATA/tables``; where there is a ``DATA/expected.toml`` (``make expected DATA=FOLDER`` writes it from the
tables), a run is held to it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import lihuaworld
from making import Data, reproduce, run

COMMAND = "python tests/reproduction/folder.py DATA"
TABLES = lihuaworld.TABLES


def data(folder: Path) -> Data:
    """The texts, questions and recordings of a folder."""
    found = lihuaworld.data(folder)
    note = (
        f"{folder.resolve().name}: {len(found.documents):,} documents, {len(found.questions):,} questions. Where there "
        "is a model's text, it is recorded replies of a language model."
    )
    return replace(found, command=COMMAND, note=note)


main = reproduce(TABLES, data, None, lihuaworld.TEXTS)

if __name__ == "__main__":
    run(main)
