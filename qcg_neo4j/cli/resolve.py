"""``qcg resolve``: entities that are the same although their names differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.indexing.resolve import Merge, ResolveSettings, merge, merged, named, part, propose


@command()
@click.argument("names", nargs=-1)
@option("--apply/--dry-run", "apply", default=False, help="merge, or show the proposals (default)")
@option("--undo", is_flag=True, help="split merged entities again")
@settings_options(
    ResolveSettings,
    "resolve",
    Typed("similarity", "COSINE", "lowest cosine of two names"),
    Typed("spelling", "SHARE", "lowest share of common letters"),
)
@embedding_option
@connection_options
@json_option
def resolve(connect: Connect, names: tuple[str, ...], apply: bool, undo: bool, as_json: bool, **sections: Any) -> None:
    """Merge entities whose names agree in spelling and meaning.

    Without --apply the proposals are printed. NAMES restrict them to these names.
    """
    if apply and undo:
        raise InputError("--apply and --undo contradict each other.")
    with connect() as graph:
        if undo:
            found = named(merged(graph), names)
            part(graph, embedder_of(graph, sections["embedding"]), found)
        else:
            with progress_bar("Comparing") as progress:
                found = named(propose(graph, sections["resolve"], progress), names)
            if apply:
                merge(graph, embedder_of(graph, sections["embedding"]), found)
    _show(found, "Parted" if undo else "Merged" if apply else "Proposed", as_json)


def _show(found: Sequence[Merge], title: str, as_json: bool) -> None:
    if as_json:
        print_json({"done": title.lower(), "merges": [asdict(item) for item in found]})
        return
    if found:
        rows = [(item.alias_name, item.entity_name, f"{item.score:.3f}") for item in found]
        print_table(title, ("name", "entity", "spelling"), rows)
    notices().print(f"{title}: {len(found):,}.{' Nothing is changed; --apply merges.' if title == 'Proposed' else ''}")
