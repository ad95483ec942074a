"""``qcg demo``: from nothing to an answer's evidence, on a sample that comes with the package."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.models import embedder_of
from qcg_neo4j.cli.options import place_option
from qcg_neo4j.cli.retrieve import browser_script, print_evidence
from qcg_neo4j.cli.server import browser_uri
from qcg_neo4j.cli.terminal import notices, progress_bar, starting
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.corpora import DEFAULT
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import model_name
from qcg_neo4j.indexing import train
from qcg_neo4j.indexing.build import BuildSettings, build_atoms, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import method
from qcg_neo4j.server import ServerAddress, ServerSettings, default_home, start

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
GLOBAL_QUESTION = "What do these people do in their free time?"
NEXT_QUESTION = "What kind of hot pot is Wolfgang's favorite?"
UNANSWERED_QUESTION = "What is the boiling point of mercury?"
BROWSER_PASSAGES = 2  # as much of the evidence as is readable in one picture

BROWSER = """
See it as a graph: open {browser}
  user      {user}
  password  {password}
"""
CALLS = """Paste one of these lines into its editor and run it:

CALL qcg.retrieve.qcg({question}, {{passages: {passages}}})
CALL qcg.retrieve.layers({question}, {{passages: {passages}}})
CALL qcg.retrieve.kgCqr({question}, {{passages: {passages}}})
CALL qcg.retrieve.atomic({question}, {{passages: {passages}}})
CALL qcg.retrieve.lp({question}, {{passages: {passages}}})
CALL qcg.retrieve.graphragGlobal({global_question}, {{level: 0, passages: {passages}}})
"""
SCRIPT = """Paste these lines into its editor and run them:

{parameters}

Then paste and run this:

{statement}
"""
NEXT = """Guided:   {qcg} server open --home {home}
Ask on:   {qcg} retrieve "{question}" --home {home}
Stop it:  {qcg} server stop --home {home}"""


@command()
@place_option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    default=lambda: default_home().with_name("demo"),
    help="folder of the demo's server [in the user's data folder]",
)
@option("--question", metavar="TEXT", default=QUESTION, help=f"question to ask [{QUESTION}]")
def demo(home: Path, question: str) -> None:
    """Start a server, load a sample, build the graph, ask a question, show the evidence.

    The sample is 60 chat records of LiHua-World with recorded replies; no language model is called.
    """
    console = notices()
    console.rule("Neo4j")
    with starting("Starting Neo4j") as progress:
        address = start(home, ServerSettings(), progress)
    console.print(f"Neo4j runs at {address.uri}.")
    with Graph.connect(home=home, corpus=DEFAULT) as graph:
        _make_graph(graph, embedder_of(graph, EmbeddingSettings()))
        vector, model = graph.embed_question(question), model_name(graph)

        def show(title: str, name: str, asked: str = question, **settings: Any) -> Evidence:
            console.rule(title)
            found = method(name, settings).retrieve(graph, asked, vector if asked == question else None)
            print_evidence(found, model)
            return found

        few = BROWSER_PASSAGES
        show("Evidence by all layers of the graph, the first passages", "layers", passages=few)
        nothing = "A question that nothing here answers: what is found is not near to it"
        show(nothing, "layers", UNANSWERED_QUESTION, passages=1)
        evidence = show("Evidence by the query-centric graph (QCG-RAG)", "qcg")
        show("Evidence by a completed subgraph (KG-CQR), the first passages", "kg-cqr", passages=few)
        by_page_rank = "Evidence by PageRank over the atom-entity graph (AtomicRAG), the first passages"
        show(by_page_rank, "atomic", passages=few)
        show("Evidence by a trained link predictor (LP-RAG), the first passages", "lp", passages=few)
        about_all = "Reports on communities (GraphRAG), for a question about all of it"
        show(about_all, "graphrag-global", GLOBAL_QUESTION, level=0, reports=3, passages=few)
        in_browser = _calls(question) if graph.embeds() else _script(evidence)
    _point_to_browser(in_browser, address, home)


def _make_graph(graph: Graph, embedder: Embedder) -> None:
    console, sample = notices(), Path(str(files("qcg_neo4j"))) / "samples" / "lihuaworld"
    console.rule("Sample")
    settings = LoadSettings()
    with progress_bar("Loading") as progress:
        documents = read_documents((str(sample / "passages.jsonl"),), settings.largest_document)
        loaded = load_documents(graph, embedder, documents, settings, progress)
    console.print(f"Loaded: {loaded.added} documents new, {loaded.unchanged} unchanged.")
    with progress_bar("Generating") as progress:
        replies = Recording([sample / "pairs.jsonl"], "generate/pairs")
        generated = generate_queries(graph, embedder, GenerateSettings(source="replies"), replies, progress=progress)
    console.print(f"Queries: {generated.kept:,} kept of a language model's recorded replies.")
    with progress_bar("Joining queries") as progress:
        built = build_queries(graph, BuildSettings(), progress)
    console.print(f"Joined: {built.relationships:,} SIMILAR_TO, recall {built.recall:.3f} against exact search.")
    with progress_bar("Extracting") as progress:
        replies = Recording([sample / "graph.jsonl"], "extract/graph")
        found = extract_graph(graph, embedder, ExtractSettings(source="replies"), replies, progress=progress)
    console.print(f"Extracted: {found.entities:,} entities, {found.relations:,} relations, {found.atoms:,} atoms.")
    with progress_bar("Finding communities") as progress:
        hierarchy = build_communities(graph, progress=progress)
    console.print(f"Communities: {hierarchy.communities:,} on {hierarchy.levels} levels.")
    with progress_bar("Reporting") as progress:
        written = write_reports(graph, embedder, ReportSettings(source="extractive"), progress=progress)
    console.print(f"Reports: {written.communities:,}, extractive: no language model wrote them.")
    with progress_bar("Joining synonyms") as progress:
        joined = build_synonyms(graph, progress=progress)
    console.print(f"Joined: {joined.relationships:,} SYNONYM_OF, recall {joined.recall:.3f} against exact search.")
    with progress_bar("Joining atoms") as progress:
        atoms = build_atoms(graph, progress=progress)
    console.print(
        f"Joined: {atoms.relationships:,} SIMILAR_TO of atoms, recall {atoms.recall:.3f} against exact search."
    )
    _make_predictor(graph, embedder, sample)
    graph.embedder = embedder


def _make_predictor(graph: Graph, embedder: Embedder, sample: Path) -> None:
    """Train one where PyTorch is installed, else take the one that the package carries."""
    console = notices()
    if find_spec("torch_geometric") is None:
        train.import_predictor(graph, sample / "predictor.npz")
        console.print("Link predictor: the one of the package; with the extra `train` it is trained here.")
        return
    batches = sample / "batches.jsonl"
    with progress_bar("Writing questions") as progress:
        recording, settings = Recording([batches], "train/questions"), train.QuestionSettings(source="replies")
        asked = train.write_questions(graph, embedder, settings, recording, files=[batches], progress=progress)
    with progress_bar("Training") as progress:
        small = train.PredictorSettings(hidden=32, scorer_hidden=16, batch_size=16, learning_rate=1e-3)
        trained = train.train_predictor(graph, small, progress=progress)
    console.print(
        f"Link predictor: trained on {asked.questions:,} recorded questions in {trained.seconds:.0f} s; "
        f"MRR of held-out ones {100 * trained.mrr:.1f} (cosine {100 * trained.cosine_mrr:.1f})."
    )


def _calls(question: str) -> str:
    """What to run in Browser where the database embeds the question itself."""
    questions = {"question": question, "global_question": GLOBAL_QUESTION}
    quoted = {name: json.dumps(text, ensure_ascii=False) for name, text in questions.items()}
    return CALLS.format(**quoted, passages=BROWSER_PASSAGES)


def _script(evidence: Evidence) -> str:
    """What to run in Browser else: the paths that were found here."""
    parameters, statement = browser_script(evidence_path(evidence, BROWSER_PASSAGES))
    return SCRIPT.format(parameters=parameters, statement=statement)


def _point_to_browser(in_browser: str, address: ServerAddress, home: Path) -> None:
    password = f"in {home / 'password'}"
    click.echo(BROWSER.format(browser=browser_uri(address), user=address.user, password=password) + in_browser)
    command = "qcg" if which("qcg") else sys.argv[0]
    click.echo(NEXT.format(qcg=command, home=shlex.quote(str(home)), question=NEXT_QUESTION))


def evidence_path(evidence: Evidence, passages: int) -> Call:
    """The statement that shows the paths to the best passages as a graph."""
    shown = evidence.passages[:passages]
    steps = [step for passage in shown for path in passage.paths for step in path if step.label == "Query"]
    return Call(
        "inspect/evidence_path",
        {"query_ids": list(dict.fromkeys(step.id for step in steps)), "chunk_ids": [passage.id for passage in shown]},
    )
