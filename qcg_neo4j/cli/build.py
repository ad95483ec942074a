"""What is joined without a language model: ``qcg build`` part by part, ``qcg resolve`` entities that are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar, results
from qcg_neo4j.core.errors import GraphError, InputError, number_of
from qcg_neo4j.database.permission import width_in_words
from qcg_neo4j.indexing import build as building
from qcg_neo4j.indexing.build.joins import JoinReport
from qcg_neo4j.indexing.build.leiden import AUTO, BY
from qcg_neo4j.indexing.resolve import Merge, ResolveSettings, merge, merged, named, part, propose

Rows = list[tuple[str, Any]]


@dataclass(frozen=True)
class Shown:
    """How a part of the build is shown, while it runs and when it is done."""

    progress: str
    title: str
    rows: Callable[[Any], Rows]


def _joined(report: JoinReport, counted: Rows, kind: str, sample: str) -> Rows:
    """The rows of a part that joins what is near: what was counted, the relationships, and how they were found."""
    added = [("of these searched for later, by the index", report.added)] if report.added else []
    recall = (f"recall ({sample}, exact)", f"{report.recall:.3f}")
    strategy = ("strategy", report.strategy)
    return [*counted, (kind, report.relationships), strategy, *added, recall, ("seconds", report.seconds)]


def _query_rows(report: building.BuildReport) -> Rows:
    return _joined(report, [("queries", report.queries)], "SIMILAR_TO", f"{report.sample} queries")


def _synonym_rows(report: building.SynonymReport) -> Rows:
    counted = [("entities", report.entities), ("of names long enough", report.named)]
    return _joined(report, counted, "SYNONYM_OF", f"{report.wanted} synonyms of {report.sample} entities")


def _atom_rows(report: building.AtomReport) -> Rows:
    counted = [("atoms", report.atoms), ("with a neighbour", report.joined)]
    return _joined(report, counted, "SIMILAR_TO", f"{report.sample} atoms")


def _community_rows(report: building.HierarchyReport) -> Rows:
    levels = [
        (
            f"C{row['level']}",
            f"{number_of(row['communities'], 'community', 'communities')}, "
            f"the largest of {number_of(row['largest'], 'entity', 'entities')}",
        )
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


def _index_rows(report: building.IndexesReport) -> Rows:
    kinds = [
        (f"{kind}: candidates for ten wanted", f"{wanted:,}, recall {report.recall[kind]:.3f}")
        for kind, wanted in report.candidates.items()
    ]
    return [*kinds, ("all are searched for", width_in_words(report.widening)), ("seconds", report.seconds)]


SHOWN: Mapping[str, Shown] = {
    "queries": Shown("Joining queries", "Query graph", _query_rows),
    "communities": Shown("Finding communities", "Communities", _community_rows),
    "synonyms": Shown("Joining synonyms", "Synonyms", _synonym_rows),
    "atoms": Shown("Joining atoms", "Atoms", _atom_rows),
    "indexes": Shown("Measuring indexes", "Vector indexes", _index_rows),
}


@command()
@click.argument("parts", nargs=-1, metavar="[PART]...", type=click.Choice(list(building.BUILD_PARTS)))
@settings_options(
    building.BuildSettings,
    "build",
    Typed("neighbours", "N", "nearest queries that each query is joined with"),
    Typed("strategy", "NAME", "auto, exact, ivf, index or gds"),
)
@settings_options(building.CommunitySettings, "communities")
@settings_options(building.SynonymSettings, "synonyms")
@settings_options(building.AtomSettings, "atoms")
@settings_options(building.IndexesSettings, "indexes")
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
            build_part, shown = building.BUILD_PARTS[name], SHOWN[name]
            chosen = {"by": by} if name == "communities" else {}
            with progress_bar(shown.progress) as progress:
                report = reports[name] = build_part.run(graph, sections[build_part.stage], progress, **chosen)
            if not as_json:
                if not report.changed:
                    results().print("The graph is up to date.")
                print_table(shown.title, ("what", "value"), shown.rows(report))
    if as_json:
        print_json({name: asdict(report) for name, report in reports.items()})


def _possible(graph: Any) -> list[str]:
    numbers = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    possible = [name for name, one in building.BUILD_PARTS.items() if numbers.get(one.kind)]
    if not possible:
        raise GraphError(
            "The graph holds nothing to join: no queries and no entities.", "Run `qcg generate` or `qcg extract` first."
        )
    return possible


@command()
@click.argument("names", nargs=-1)
@option("--apply/--dry-run", "apply", default=None, help="merge, or show the proposals (default)")
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
def resolve(
    connect: Connect, names: tuple[str, ...], apply: bool | None, undo: bool, as_json: bool, **sections: Any
) -> None:
    """Merge entities whose names agree in spelling and meaning.

    Without --apply the proposals are printed. NAMES restrict them to these names.
    """
    if undo and apply is not None:
        given = "--apply" if apply else "--dry-run"
        raise InputError(f"{given} and --undo contradict each other.", "Give one of them.")
    with connect() as graph:
        if undo:
            found = named(merged(graph), names)
            part(graph, embedder_of(graph, sections["embedding"]), found)
        else:
            with progress_bar("Comparing") as progress:
                found = named(propose(graph, sections["resolve"], progress), names)
            if apply:
                merge(graph, embedder_of(graph, sections["embedding"]), found)
    _show_merges(found, "Parted" if undo else "Merged" if apply else "Proposed", as_json)


def _show_merges(found: Sequence[Merge], title: str, as_json: bool) -> None:
    if as_json:
        print_json({"done": title.lower(), "merges": [asdict(item) for item in found]})
        return
    if found:
        rows = [(item.alias_name, item.entity_name, f"{item.score:.3f}") for item in found]
        print_table(title, ("name", "entity", "spelling"), rows)
    notices().print(f"{title}: {len(found):,}.{' Nothing is changed; --apply merges.' if title == 'Proposed' else ''}")
