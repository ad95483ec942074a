"""``qcg build``: join what belongs together, part by part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click

from qcg_neo4j.build import (
    AtomReport,
    AtomSettings,
    BuildReport,
    BuildSettings,
    CommunitySettings,
    HierarchyReport,
    SynonymReport,
    SynonymSettings,
    build_atoms,
    build_communities,
    build_queries,
    build_synonyms,
)
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar, results
from qcg_neo4j.errors import GraphError

Rows = list[tuple[str, Any]]


@dataclass(frozen=True)
class Part:
    """A part of the build: the settings it takes, the kind of nodes it joins, how it runs and how it is shown."""

    section: str
    kind: str
    progress: str
    title: str
    run: Callable[..., Any]
    rows: Callable[[Any], Rows]


def _query_rows(report: BuildReport) -> Rows:
    return [
        ("queries", report.queries),
        ("SIMILAR_TO", report.relationships),
        ("strategy", report.strategy),
        (f"recall ({report.sample} queries, exact)", f"{report.recall:.3f}"),
        ("seconds", report.seconds),
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
        ("made anew", "yes" if report.anew else "no"),
        ("seconds", report.seconds),
    ]


def _synonym_rows(report: SynonymReport) -> Rows:
    return [
        ("entities", report.entities),
        ("of names long enough", report.named),
        ("SYNONYM_OF", report.relationships),
        ("strategy", report.strategy),
        (f"recall ({report.wanted} synonyms of {report.sample} entities, exact)", f"{report.recall:.3f}"),
        ("seconds", report.seconds),
    ]


def _atom_rows(report: AtomReport) -> Rows:
    return [
        ("atoms", report.atoms),
        ("with a neighbour", report.joined),
        ("SIMILAR_TO", report.relationships),
        ("strategy", report.strategy),
        (f"recall ({report.sample} atoms, exact)", f"{report.recall:.3f}"),
        ("seconds", report.seconds),
    ]


PARTS: Mapping[str, Part] = {
    "queries": Part("build", "Query", "Joining queries", "Query graph", build_queries, _query_rows),
    "communities": Part(
        "communities", "Entity", "Finding communities", "Communities", build_communities, _community_rows
    ),
    "synonyms": Part("synonyms", "Entity", "Joining synonyms", "Synonyms", build_synonyms, _synonym_rows),
    "atoms": Part("atoms", "Atom", "Joining atoms", "Atoms", build_atoms, _atom_rows),
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@settings_options(BuildSettings, "build")
@settings_options(CommunitySettings, "communities", shared=True)
@settings_options(SynonymSettings, "synonyms", shared=True)
@settings_options(AtomSettings, "atoms", shared=True)
@settings_file_option
@connection_options
@json_option
def build(connect: Connect, parts: tuple[str, ...], as_json: bool, **sections: Any) -> None:
    """Join what belongs together; without PARTS, every part for which the graph holds something.

    `queries` joins each query with its nearest others, `synonyms` the entities of nearly the same name, `atoms` each
    atom with those of its nearest that find it just as near; all are checked by exact search. `communities` puts
    entities into communities and these into larger ones; what a change has not touched stays.

    A part does nothing while its nodes and settings are those of its last build.
    """
    reports = {}
    with connect() as graph:
        for name in parts or _possible(graph):
            part = PARTS[name]
            with progress_bar(part.progress) as progress:
                reports[name] = part.run(graph, sections[part.section], progress)
            if not as_json:
                _show(part, reports[name])
    if as_json:
        print_json({name: asdict(report) for name, report in reports.items()})


def _possible(graph: Any) -> list[str]:
    numbers = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    possible = [name for name, part in PARTS.items() if numbers.get(part.kind)]
    if not possible:
        raise GraphError(
            "The graph holds nothing to join: no queries and no entities.", "Run `qcg generate` or `qcg extract` first."
        )
    return possible


def _show(part: Part, report: Any) -> None:
    if not report.changed:
        results().print("The graph is up to date.")
    print_table(part.title, ("what", "value"), part.rows(report))
