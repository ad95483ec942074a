"""Settings of the two parts of the stage: questions to learn from, and the predictor that learns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qcg_neo4j.core.settings import Settings, setting

MODEL, REPLIES, QUERIES = "model", "replies", "queries"
NCN, MLP, VGAE = "ncn", "mlp", "vgae"
TUNED, PAPER = "tuned", "paper"
LP_RAG = "LP-RAG paper"


@dataclass(frozen=True)
class QuestionSettings(Settings):
    """Who writes the questions that a predictor learns from."""

    source: str = setting(
        MODEL,
        "Who writes: a language model, recorded replies, or nobody (the queries that chunks have already).",
        choices=(MODEL, REPLIES, QUERIES),
    )
    per_batch: int = setting(2, "Questions asked for per batch of atoms.", source=LP_RAG, minimum=1, maximum=20)
    random_seed: int = setting(42, "Seed of the batches.", minimum=0)


@dataclass(frozen=True)
class PredictorSettings(Settings):
    """What a link predictor is made of and how it learns; None leaves the value to the recipe."""

    model: str = setting(
        NCN,
        "Neural common neighbour, a variational graph auto-encoder, or the control that sees no neighbours.",
        source=LP_RAG,
        choices=(NCN, VGAE, MLP),
    )
    recipe: str = setting(
        TUNED,
        "Learn what is to be added to the cosine, by softmax over hard negatives (tuned), or the strict form (paper).",
        choices=(TUNED, PAPER),
    )
    layers: int = setting(1, "Message-passing layers.", source=LP_RAG, minimum=1, maximum=3)
    hidden: int = setting(256, "Numbers of an atom's vector in the predictor.", source=LP_RAG, minimum=4, maximum=1024)
    scorer_hidden: int = setting(128, "Width of the scorer's hidden layer.", minimum=4, maximum=1024)
    dropout: float = setting(0.5, "Share of numbers left out while learning (tuned).", minimum=0.0, maximum=0.9)
    temperature: float = setting(
        20.0, "What the cosine is multiplied with at first (tuned).", minimum=0.1, maximum=1000
    )
    offset: float = setting(-12.0, "What is added to a score at first (tuned).", minimum=-1000, maximum=1000)
    learning_rate: float | None = setting(
        None, "Learning rate of Adam; 5e-4 (tuned), 4.3e-3 (paper).", minimum=1e-7, maximum=1.0
    )
    weight_decay: float = setting(1e-8, "Weight decay of Adam.", source=LP_RAG, minimum=0.0, maximum=1.0)
    batch_size: int | None = setting(
        None, "Questions of a step (tuned, 256), or links of a step (paper, 4,096).", minimum=1, maximum=100_000
    )
    epochs: int | None = setting(None, "Epochs at most; 6 (tuned), 100 (paper).", minimum=1, maximum=10_000)
    patience: int | None = setting(
        None,
        "Epochs without a better validation MRR before it stops; 2 (tuned), 10 (paper).",
        minimum=1,
        maximum=10_000,
    )
    hard_negatives: int = setting(50, "Near wrong atoms of a question (tuned).", minimum=0, maximum=1000)
    hard_pool: int = setting(100, "Nearest wrong atoms that they are drawn from (tuned).", minimum=1, maximum=10_000)
    random_negatives: int = setting(20, "Random wrong atoms of a question (tuned).", minimum=0, maximum=1000)
    negatives: str = setting(
        "uniform",
        "How random wrong atoms are drawn: all alike, or by their number of neighbours.",
        source=LP_RAG,
        choices=("uniform", "degree"),
    )
    query_neighbours: str = setting(
        "batch",
        "What a question is linked to while the strict form learns: its batch, or all atoms as at retrieval.",
        choices=("batch", "all"),
    )
    asking: str = setting(
        "questions",
        "Who asks while it learns: the synthetic questions, or atoms, for their neighbours (without any question).",
        choices=("questions", "atoms"),
    )
    held_out: float = setting(
        0.1,
        "Share of the batches that is held out for the report, and again for validation.",
        minimum=0.01,
        maximum=0.4,
    )
    paraphrase: float = setting(
        0.85, "Cosine from which a question counts as a paraphrase of one that is held out.", minimum=0.0, maximum=1.0
    )
    candidates: int = setting(200, "Nearest atoms that are ranked anew.", minimum=1, maximum=100_000)
    store_vectors: bool = setting(True, "Keep each atom's vector of the predictor on the atom, for speed.")
    random_seed: int = setting(0, "Seed of the split, the weights and the draws.", minimum=0)


@dataclass(frozen=True)
class Pace:
    """The pace of a recipe; every ``judged_every``-th epoch is judged by the validation questions."""

    learning_rate: float
    batch_size: int
    epochs: int
    patience: int
    judged_every: int = 1


RECIPES = {TUNED: Pace(5e-4, 256, 6, 2), PAPER: Pace(4.3e-3, 4096, 100, 10, 5)}


def pace_of(settings: PredictorSettings) -> Pace:
    """The pace of the recipe, but for what the settings say."""
    names = ("learning_rate", "batch_size", "epochs", "patience")
    given = {name: value for name in names if (value := getattr(settings, name)) is not None}
    return replace(RECIPES[settings.recipe], **given)
