"""The second part of the stage: train a link predictor, judge it, and put it into the graph."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import GraphError, MissingPackageError, ModelMismatchError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.indexing.train.network import Floats, Network, Split, read_network, split
from qcg_neo4j.indexing.train.settings import PredictorSettings, pace_of
from qcg_neo4j.indexing.train.stored import Trained, as_values, of_values, read_file, write_file
from qcg_neo4j.indexing.train.weights import Judge, Weights, encode

STAGE = "link_predictor"
_IMPORTED = "imported"  # in place of what marks the questions that a training avoided
_VECTORS_AT_ONCE = 1000


def fit(
    network: Network, split: Split, settings: PredictorSettings, progress: Progress = silent
) -> tuple[Weights, int, int]:
    """The weights of the epoch that ranks validation questions best, its number, and that of the last epoch.

    Training stops early when `patience` epochs in a row brought no better validation MRR.
    """
    from qcg_neo4j.indexing.train.learners import learner_of

    pace = pace_of(settings)
    learner = learner_of(network, split.training, settings, pace)
    judge = Judge(network, split.validation, settings.candidates)
    best, best_mrr, weights = 0, -1.0, learner.weights()
    for number in range(1, pace.epochs + 1):
        learner.epoch()
        progress(number, pace.epochs)
        if number % pace.judged_every and number < pace.epochs:
            continue
        known = learner.weights()
        mrr = judge.by(known).mrr
        if mrr > best_mrr:
            best, best_mrr, weights = number, mrr, known
        elif number - best >= pace.patience:
            break
    return weights, best, number


@dataclass(frozen=True)
class PredictorReport:
    """What was trained, on what, and how it ranks held-out questions beside plain cosine.

    ``changed`` is false when the graph's predictor was up to date already. ``paraphrases`` were left out of training
    because they resemble held-out questions, ``avoided`` because they resemble those that a person means to evaluate
    with.
    """

    changed: bool
    model: str
    recipe: str
    version: str
    atoms: int
    pairs: int
    training: int
    validation: int
    held_out: int
    paraphrases: int
    avoided: int
    best_epoch: int
    epochs: int
    mrr: float
    hits: Mapping[str, float] = field(default_factory=dict)
    cosine_mrr: float = 0.0
    cosine_hits: Mapping[str, float] = field(default_factory=dict)
    threshold: float = 0.0
    seconds: float = 0.0


@stages.writes("train link-predictor")
def train_predictor(
    graph: Graph,
    settings: PredictorSettings = PredictorSettings(),
    *,
    avoid: Floats | None = None,
    progress: Progress = silent,
) -> PredictorReport:
    """Train the graph's link predictor; does nothing when graph and settings are those of the last time.

    ``avoid`` are the vectors of questions that it must not have seen, nor paraphrases of them. An interruption while
    the atoms' vectors are written costs no second training.

    Raises:
        GraphError: there are no synthetic questions, or the atoms are not joined.
        InputError: too few questions to hold some out.
        MissingPackageError: PyTorch or torch-geometric is not installed.
    """
    known = stages.recorded(graph)
    mark = _mark(avoid)
    figures = known[STAGE].figures
    if stages.is_current(known, STAGE, settings) and figures.get("avoid") == mark:
        return _report(figures, changed=False)
    _check(graph, known)
    made_from = stages.basis(known, STAGE)
    interrupted = stages.begin(graph, STAGE, settings, made_from)
    network = read_network(graph)
    trained = _interrupted(graph, interrupted, mark)
    if trained is None:
        trained = _trained(graph, network, settings, avoid, mark, progress)
    return _put(graph, network, trained, settings, made_from)


@stages.writes("train import")
def import_predictor(graph: Graph, path: Path) -> PredictorReport:
    """Put the predictor of a file into the graph; its own settings and figures come along.

    A later training with the same settings trains anew: nobody knows which graph the imported one was trained on.

    Raises:
        InputError: the file cannot be read, or holds no predictor.
        ModelMismatchError: it was trained on vectors of another model or dimension than the graph's.
        GraphError: there are no atoms, or they are not joined.
    """
    trained = read_file(path)
    corpus = recorded_model(graph) or {"model": None, "dimension": None}
    own = (trained.embedding_model, trained.weights.dimension)
    if own != (corpus["model"], corpus["dimension"]):
        raise ModelMismatchError(
            f"{path} was trained on vectors of {own[0]!r} ({own[1]} dimensions), but the graph has those of "
            f"{corpus['model']!r} ({corpus['dimension']}).",
            "Train one for this graph: `qcg train link-predictor`.",
        )
    known = stages.recorded(graph)
    _check(graph, known, questions=False)
    settings = PredictorSettings(**trained.facts["settings"])
    figures = {**trained.facts["figures"], "avoid": _IMPORTED}
    made_from = stages.basis(known, STAGE)
    stages.begin(graph, STAGE, settings, made_from)
    imported = replace(trained, facts={**trained.facts, "figures": figures})
    return _put(graph, read_network(graph), imported, settings, made_from)


def export_predictor(graph: Graph, path: Path) -> None:
    """Write the graph's predictor to a file.

    Raises:
        GraphError: there is none.
        InputError: the file cannot be written.
    """
    found = graph.rows("train/predictor")
    if not found:
        raise GraphError("The graph has no link predictor.", "Train one: `qcg train link-predictor`.")
    write_file(of_values(found[0]["predictor"]), path)


def _check(graph: Graph, known: Mapping[str, stages.StageRecord], *, questions: bool = True) -> None:
    stages.check_current(known, "atoms", "The graph of the atoms is")
    if questions and not graph.rows("train/size")[0]["questions"]:
        raise GraphError("The graph holds no questions to learn from.", "Write them first: `qcg train questions`.")


def _interrupted(graph: Graph, version: str, mark: str) -> Trained | None:
    """The predictor that an interrupted run of the same has trained already."""
    found = graph.rows("train/predictor") if version else []
    if not found or found[0]["predictor"]["version"] != version:
        return None
    trained = of_values(found[0]["predictor"])
    return trained if trained.facts["figures"]["avoid"] == mark else None


def _trained(
    graph: Graph,
    network: Network,
    settings: PredictorSettings,
    avoid: Floats | None,
    mark: str,
    progress: Progress,
) -> Trained:
    start = time.perf_counter()
    parts = split(network, settings.held_out, settings.paraphrase, settings.random_seed, avoid)
    try:
        weights, best, last = fit(network, parts, settings, progress)
    except ImportError as error:
        raise MissingPackageError(
            f"Training needs PyTorch and torch-geometric ({error}).", "pip install 'qcg-neo4j[train]'"
        ) from None
    judge = Judge(network, parts.held_out, settings.candidates)
    found, cosine = judge.by(weights), judge.by_cosine()
    threshold = 0.0  # of the strict form: a probability of one half
    if settings.recipe != "paper":
        threshold = Judge(network, parts.validation, settings.candidates).threshold(weights)
    figures = {
        "model": settings.model,
        "recipe": settings.recipe,
        "atoms": len(network.atoms),
        "pairs": len(network.pairs),
        "training": len(parts.training),
        "validation": len(parts.validation),
        "held_out": len(parts.held_out),
        "paraphrases": parts.paraphrases,
        "avoided": parts.avoided,
        "best_epoch": best,
        "epochs": last,
        "mrr": found.mrr,
        "hits": found.hits,
        "cosine_mrr": cosine.mrr,
        "cosine_hits": cosine.hits,
        "threshold": threshold,
        "seconds": round(time.perf_counter() - start, 1),
        "avoid": mark,
    }
    model = recorded_model(graph) or {}
    return Trained(weights, threshold, model["model"], {"settings": asdict(settings), "figures": figures})


def _put(
    graph: Graph,
    network: Network,
    trained: Trained,
    settings: PredictorSettings,
    made_from: Mapping[str, int],
) -> PredictorReport:
    """Write the predictor, then the atoms' vectors, then say that both may be used."""
    edges, scores = network.directed
    encoded = encode(trained.weights, network.vectors, edges, scores)
    values = as_values(trained, encoded)
    note = Call("stage/note", {"name": STAGE, "cursor": values["version"]})
    graph.write(Call("train/write_predictor", {"values": values}), note)
    if settings.store_vectors:
        rows = ({"id": name, "vector": vector} for name, vector in zip(network.atoms, encoded.vectors, strict=True))
        graph.write_batches("train/write_vectors", rows, batch_size=_VECTORS_AT_ONCE)
    else:
        graph.run("train/forget_vectors")
    figures = {**trained.facts["figures"], "version": values["version"]}
    revision = made_from["extract"] + made_from["atoms"]
    graph.write(Call("train/ready", {"atoms_revision": revision}))
    stages.finish(graph, STAGE, settings, made_from, figures)
    return _report(figures, changed=True)


def _report(figures: Mapping[str, Any], *, changed: bool) -> PredictorReport:
    names = PredictorReport.__dataclass_fields__
    return PredictorReport(changed=changed, **{name: value for name, value in figures.items() if name in names})


def _mark(avoid: Floats | None) -> str:
    """Identifies the questions that were to be avoided."""
    if avoid is None or not len(avoid):
        return ""
    return hashlib.sha256(b"".join(sorted(bytes(row.tobytes()) for row in avoid))).hexdigest()[:16]
