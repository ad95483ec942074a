"""``qcg build``: join what belongs together, part by part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar, results
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.indexing.build import (
    BUILD_PARTS,
    AtomReport,
    AtomSettings,
    BuildReport,
    BuildSettings,
    CommunitySettings,
    HierarchyReport,
    IndexesReport,
    IndexesSettings,
    SynonymReport,
    SynonymSettings,
)
from qcg_neo4j.indexing.build.leiden import AUTO, BY

Rows = list[tuple[str, Any]]


@dataclass(frozen=True)
class Shown:
    """How a part of the build is shown, while it runs and when it is done."""

    progress: str
    title: str
    rows: Callable[[Any], Rows]


def _searched(report: BuildReport | SynonymReport | AtomReport, wanted: str) -> Rows:
    added = [("of these searched for later, by the index", report.added)] if report.added else []
    recall = (f"recall ({wanted}, exact)", f"{report.recall:.3f}")
    return [("strategy", report.strategy), *added, recall, ("seconds", report.seconds)]


def _query_rows(report: BuildReport) -> Rows:
    return [
        ("queries", report.queries),
        ("SIMILAR_TO", report.relationships),
        *_searched(report, f"{report.sample} queries"),
    ]


def _community_rows(report: HierarchyReport) -> Rows:
    levels = [
        (f"C{row['level']}", f"{row['communities']:,} communities, the largest of {row['largest']:,} entities")
        for row in report.sizes
    ]
    return [
        *levels,
        ("modularity at C0", f"{report.modularity:.4f}"),
        ("partitioned", report.partitioned),
        ("by Leiden of", report.leiden),
        ("rebuilt", "yes" if report.anew else "no"),
        ("seconds", report.seconds),
    ]


def _synonym_rows(report: SynonymReport) -> Rows:
    return [
        ("entities", report.entities),
        ("of names long enough", report.named),
        ("SYNONYM_OF", report.relationships),
        *_searched(report, f"{report.wanted} synonyms of {report.sample} entities"),
    ]


def _atom_rows(report: AtomReport) -> Rows:
    return [
        ("atoms", report.atoms),
        ("with a neighbour", report.joined),
        ("SIMILAR_TO", report.relationships),
        *_searched(report, f"{report.sample} atoms"),
    ]


def _index_rows(report: IndexesReport) -> Rows:
    kinds = [
        (f"{kind}: candidates for ten wanted", f"{wanted:,}, recall {report.recall[kind]:.3f}")
        for kind, wanted in report.candidates.items()
    ]
    return [*kinds, ("searched wider than usual", f"{report.widening:g} times"), ("seconds", report.seconds)]


SHOWN: Mapping[str, Shown] = {
    "queries": Shown("Joining queries", "Query graph", _query_rows),
    "communities": Shown("Finding communities", "Communities", _community_rows),
    "synonyms": Shown("Joining synonyms", "Synonyms", _synonym_rows),
    "atoms": Shown("Joining atoms", "Atoms", _atom_rows),
    "indexes": Shown("Measuring indexes", "Vector indexes", _index_rows),
}


@command()
@click.argument("parts", nargs=-1, metavar="[PART]...", type=click.Choice(list(BUILD_PARTS)))
@settings_options(
    BuildSettings,
    "build",
    Typed("neighbours", "N", "nearest queries that each query is joined with"),
    Typed("strategy", "NAME", "auto, exact, ivf, index or gds"),
)
@settings_options(CommunitySettings, "communities")
@settings_options(SynonymSettings, "synonyms")
@settings_options(AtomSettings, "atoms")
@settings_options(IndexesSettings, "indexes")
@option(
    "--by",
    type=click.Choice(BY),
    metavar="NAME",
    default=AUTO,
    help=f"library that finds communities: {', '.join(BY)} [{AUTO}]",
)
@connection_options
@json_option
def build(connect: Connect, parts: tuple[str, ...], by: str, as_json: bool, **sections: Any) -> None:
    """Join similar queries, synonyms, communities and atoms; each PART alone, or all.

    queries: each query with its nearest; synonyms: entities of nearly the same name; atoms: mutual nearest facts; all
    are checked by exact search. communities: a hierarchy of entities. indexes: how far vector indexes must be searched.
    A part without changes is skipped.
    """
    reports = {}
    with connect() as graph:
        for name in parts or _possible(graph):
            part, shown = BUILD_PARTS[name], SHOWN[name]
            chosen = {"by": by} if name == "communities" else {}
            with progress_bar(shown.progress) as progress:
                reports[name] = part.run(graph, sections[part.stage], progress, **chosen)
            if not as_json:
                _show(shown, reports[name])
    if as_json:
        print_json({name: asdict(report) for name, report in reports.items()})


def _possible(graph: Any) -> list[str]:
    numbers = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    possible = [name for name, part in BUILD_PARTS.items() if numbers.get(part.kind)]
    if not possible:
        raise GraphError(
            "The graph holds nothing to join: no queries and no entities.", "Run `qcg generate` or `qcg extract` first."
        )
    return possible


def _show(shown: Shown, report: Any) -> None:
    if not report.changed:
        results().print("The graph is up to date.")
    print_table(shown.title, ("what", "value"), shown.rows(report))
