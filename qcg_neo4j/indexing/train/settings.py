"""Settings of the two parts of the stage: questions to learn from, and the predictor that learns."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.prompts import DEMONSTRATION

MODEL, REPLIES, QUERIES = "model", "replies", "queries"
NCN, MLP, VGAE = "ncn", "mlp", "vgae"
TUNED, PAPER = "tuned", "paper"
LP_RAG = "LP-RAG paper"


@dataclass(frozen=True)
class QuestionSettings(Settings):
    """Who writes the questions that a predictor learns from."""

    source: str = setting(
        MODEL,
        "Source of the questions: a language model, recorded replies, or the chunks' own queries (no model).",
        choices=(MODEL, REPLIES, QUERIES),
    )
    per_batch: int = setting(2, "Questions per batch of atoms.", source=LP_RAG, minimum=1, maximum=20)
    demonstration: bool = setting(False, DEMONSTRATION)
    random_seed: int = setting(42, "Seed of the batches.", minimum=0)


@dataclass(frozen=True)
class PredictorSettings(Settings):
    """What a link predictor is made of and how it learns; None leaves the value to the recipe."""

    model: str = setting(
        NCN,
        "Neural common neighbour, a variational graph auto-encoder, or a baseline without neighbours.",
        source=LP_RAG,
        choices=(NCN, VGAE, MLP),
    )
    recipe: str = setting(
        TUNED,
        "Learn a correction to the cosine by softmax over hard negatives (tuned), or follow the paper (paper).",
        choices=(TUNED, PAPER),
    )
    layers: int | None = setting(
        None, "Message-passing layers; 1, or table 8's of the model (paper).", minimum=1, maximum=3
    )
    hidden: int | None = setting(
        None,
        "Dimension of an atom's vector in the predictor; 256, or table 8's of the model (paper).",
        minimum=4,
        maximum=1024,
    )
    scorer_hidden: int = setting(128, "Width of the scorer's hidden layer.", minimum=4, maximum=1024)
    dropout: float = setting(0.5, "Dropout (tuned).", minimum=0.0, maximum=0.9)
    temperature: float = setting(20.0, "Initial scale of the cosine (tuned).", minimum=0.1, maximum=1000)
    offset: float = setting(-12.0, "Initial bias of a score (tuned).", minimum=-1000, maximum=1000)
    learning_rate: float | None = setting(
        None, "Learning rate of Adam; 5e-4 (tuned), or table 8's of the model (paper).", minimum=1e-7, maximum=1.0
    )
    weight_decay: float | None = setting(
        None, "Weight decay of Adam; 1e-8, or table 8's of the model (paper).", minimum=0.0, maximum=1.0
    )
    batch_size: int | None = setting(
        None, "Batch size: questions (tuned, 256) or links (paper, 4,096).", minimum=1, maximum=100_000
    )
    epochs: int | None = setting(
        None, "Maximum number of epochs; 6 (tuned), or table 8's of the model (paper).", minimum=1, maximum=10_000
    )
    patience: int | None = setting(
        None,
        "Epochs without a better validation MRR before training stops; 2 (tuned), 10 (paper).",
        minimum=1,
        maximum=10_000,
    )
    hard_negatives: int = setting(50, "Hard negatives per question (tuned).", minimum=0, maximum=1000)
    hard_pool: int = setting(
        100, "Number of nearest wrong atoms that hard negatives are drawn from (tuned).", minimum=1, maximum=10_000
    )
    random_negatives: int = setting(20, "Random negatives per question (tuned).", minimum=0, maximum=1000)
    negatives: str = setting(
        "uniform",
        "Distribution of random negatives: uniform, or by number of neighbours.",
        source=LP_RAG,
        choices=("uniform", "degree"),
    )
    query_neighbours: str = setting(
        "batch",
        "Links of a question during training with recipe=paper: its batch, or all atoms as at retrieval.",
        choices=("batch", "all"),
    )
    asking: str = setting(
        "questions",
        "Training examples: synthetic questions, or atoms that ask for their neighbours.",
        choices=("questions", "atoms"),
    )
    held_out: float = setting(
        0.1,
        "Share of batches held out for the report, and the same share for validation.",
        minimum=0.01,
        maximum=0.4,
    )
    paraphrase: float = setting(
        0.85, "Minimum cosine of a paraphrase of a held-out question.", minimum=0.0, maximum=1.0
    )
    candidates: int = setting(200, "Number of nearest atoms that are reranked.", minimum=1, maximum=100_000)
    store_vectors: bool = setting(True, "Store the predictor's vector on each atom, for speed.")
    random_seed: int = setting(0, "Seed of the split, the weights and the draws.", minimum=0)


@dataclass(frozen=True)
class Pace:
    """The pace of a recipe; every ``judged_every``-th epoch is judged by the validation questions."""

    learning_rate: float
    batch_size: int
    epochs: int
    patience: int
    judged_every: int = 1


@dataclass(frozen=True)
class Row:
    """What table 8 of the LP-RAG paper has for a model."""

    learning_rate: float
    weight_decay: float
    layers: int
    epochs: int
    hidden: int


T = TypeVar("T", Pace, Row)

RECIPES = {TUNED: Pace(5e-4, 256, 6, 2), PAPER: Pace(4.3e-3, 4096, 100, 10, 5)}
TABLE_8 = {NCN: Row(4.3e-3, 1e-8, 1, 100, 256), VGAE: Row(1e-2, 1e-4, 2, 400, 32), MLP: Row(1e-3, 5e-4, 2, 1000, 1000)}


def row_of(settings: PredictorSettings) -> Row:
    """Layers, sizes and decay as set, else as table 8 has them for the model or, if tuned, for NCN."""
    return _as_set(TABLE_8[settings.model if settings.recipe == PAPER else NCN], settings)


def pace_of(settings: PredictorSettings) -> Pace:
    """The pace of the recipe, but for what the settings say."""
    pace = RECIPES[settings.recipe]
    if settings.recipe == PAPER:
        row = TABLE_8[settings.model]
        pace = replace(pace, learning_rate=row.learning_rate, epochs=row.epochs)
    return _as_set(pace, settings)


def _as_set(values: T, settings: PredictorSettings) -> T:
    """The values, but for those that the settings say."""
    names = [one.name for one in fields(values) if getattr(settings, one.name, None) is not None]
    return replace(values, **{name: getattr(settings, name) for name in names})
