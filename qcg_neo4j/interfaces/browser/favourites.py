"""Favourites for Browser: a zip of statements that is dropped onto its window; a file's first line is its title."""

from __future__ import annotations

import io
import re
import zipfile

from qcg_neo4j.database.corpora import DEFAULT, translated
from qcg_neo4j.database.statements import Statement, paths, statement

FOLDER = "qcg"
# What Browser's user types first, for the parameters that people cannot guess.
EXAMPLES = {
    "question": '"Which gym did Wolfgang recommend to Li Hua?"',
    "limit": "25",
    "others": "3",
    "similarity": "0.9",
    "level": "0",
    "name": '"Li Hua"',
    "permitted": "null",
    "after": '""',
}
_EARLY = 1980, 1, 1, 0, 0, 0  # the same bytes whenever it is made


def favourites(corpus: str = DEFAULT) -> bytes:
    """The zip: every statement of ``cypher/inspect``, with a line that sets each parameter."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in inspecting():
            found = statement(path)
            name = f"{FOLDER}/{path.removeprefix('inspect/').replace('/', '_')}.cypher"
            archive.writestr(zipfile.ZipInfo(name, _EARLY), translated(favourite(found), corpus))
    return made.getvalue()


def inspecting() -> list[str]:
    """The paths of the statements that are for people."""
    return [path for path in paths() if path.startswith("inspect/")]


def favourite(found: Statement) -> str:
    """A statement as Browser keeps it: its title, the parameters to set first (as comments), the text."""
    title = re.sub(r"\.$", "", found.title)
    lines = [f"// qcg: {title}"]
    if found.parameters:
        lines.append("// First set the parameters, each as a command of its own:")
    lines += [
        f"//   :param {parameter.name} => {EXAMPLES.get(parameter.name, '…')}   ({parameter.meaning})"
        for parameter in found.parameters
    ]
    return "\n".join([*lines, found.body]) + "\n"
