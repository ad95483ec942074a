"""A predictor in the graph and in a file: its weights as bytes, and their sizes."""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

import numpy as np

from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.indexing.train.network import Floats
from qcg_neo4j.indexing.train.settings import PredictorSettings
from qcg_neo4j.indexing.train.weights import MEAN, NONE, SUM, Encoded, Layer, Scorer, Weights

_FILE_FORM = 1
_LARGEST = 1 << 30  # bytes of a file, unpacked; the largest predictor that can be set has a tenth of it
# What is told of a predictor.
_FIGURES = {
    *("model", "recipe", "atoms", "pairs", "training", "validation", "held_out", "paraphrases", "avoided"),
    *("best_epoch", "epochs", "mrr"),
}
# What NumPy, its archive and JSON say of a file that is none of theirs, and we of one that is none of ours.
_BROKEN = (
    *(ValueError, LookupError, TypeError, AttributeError, EOFError, MemoryError, RecursionError, NotImplementedError),
    *(BadZipFile, zlib.error, SettingsError),
)


@dataclass(frozen=True)
class Trained:
    """A predictor with all that must be known of it; ``facts`` are the settings and figures of its training."""

    weights: Weights
    threshold: float
    embedding_model: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def as_values(trained: Trained, encoded: Encoded) -> dict[str, Any]:
    """The properties of the node; `LinkModel.java` reads the same bytes."""
    weights = trained.weights
    numbers = [*weights.arrays(), *encoded.question_biases]
    stored = b"".join(np.ascontiguousarray(array, "<f4").tobytes() for array in numbers)
    return {
        "version": hashlib.sha256(stored).hexdigest()[:16],
        "weights": stored,
        "threshold": trained.threshold,
        "embeddingModel": trained.embedding_model,
        "facts": json.dumps(dict(trained.facts)),
        **_shape(weights),
    }


def of_values(values: Mapping[str, Any]) -> Trained:
    """The predictor of a node."""
    numbers = np.frombuffer(values["weights"], "<f4").astype(np.float32)
    weights = _cut(values, numbers)
    return Trained(weights, values["threshold"], values["embeddingModel"], json.loads(values["facts"]))


def question_biases(values: Mapping[str, Any]) -> tuple[Floats, ...]:
    """What the layers add to a question, which is linked to all atoms; the last of a node's numbers."""
    numbers = np.frombuffer(values["weights"], "<f4").astype(np.float32)
    size = int(values["layers"]) * int(values["hidden"])
    return tuple(numbers[len(numbers) - size :].reshape(int(values["layers"]), int(values["hidden"])))


def write_file(trained: Trained, path: Path) -> None:
    """Write a predictor to a file (NumPy's npz), which appears only when it is whole.

    Raises:
        InputError: the file cannot be written.
    """
    known = {"form": _FILE_FORM, "threshold": trained.threshold, "embeddingModel": trained.embedding_model}
    meta = json.dumps({**known, "facts": dict(trained.facts), **_shape(trained.weights)})
    numbers = np.concatenate([array.ravel() for array in trained.weights.arrays()])
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            np.savez(file, meta=np.array(meta), numbers=numbers)
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None


def read_file(path: Path) -> Trained:
    """The predictor of a file.

    Raises:
        InputError: the file cannot be read, or holds no predictor.
    """
    try:
        with path.open("rb") as file:
            return _trained(*_members(file))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    except _BROKEN as error:
        remedy = "`qcg train link-predictor --export` writes one."
        raise InputError(f"{path} holds no link predictor: {str(error)[:200]}.", remedy) from None


def _members(file: BinaryIO) -> tuple[dict[str, Any], Floats]:
    """What the file says of itself, and its numbers; nothing is unpacked beyond a predictor's size."""
    if sum(member.file_size for member in ZipFile(file).infolist()) > _LARGEST:
        raise ValueError(f"it unpacks to more than {_LARGEST:,} bytes")
    file.seek(0)
    with np.load(file, allow_pickle=False) as held:
        meta, numbers = json.loads(str(held["meta"])), held["numbers"]
    if meta["form"] != _FILE_FORM:
        raise ValueError(f"its form is {meta['form']}, and this version reads {_FILE_FORM}")
    if numbers.ndim != 1 or numbers.dtype.kind != "f" or not np.isfinite(numbers).all():
        raise ValueError("its numbers are not finite")
    return meta, np.asarray(numbers, np.float32)


def _trained(meta: Mapping[str, Any], numbers: Floats) -> Trained:
    sizes = [*(meta[name] for name in ("layers", "dimension", "hidden")), meta["scorerHidden"] + 1]
    if any(type(size) is not int for size in sizes) or min(sizes) < 1:
        raise ValueError("its sizes are not a predictor's")
    if meta["common"] not in (MEAN, SUM, NONE):
        raise ValueError(f"neighbours cannot count as {meta['common']!r}")
    weights = _cut(meta, numbers)
    if sum(array.size for array in weights.arrays()) != len(numbers):
        raise ValueError(f"it has {len(numbers):,} numbers, which do not fit its sizes")
    threshold, facts = float(meta["threshold"]), meta["facts"]
    if not math.isfinite(threshold) or not isinstance(meta["embeddingModel"], str):
        raise ValueError("its threshold is not a number, or its model has no name")
    PredictorSettings(**facts["settings"])
    if missing := _FIGURES - set(facts["figures"]):
        raise ValueError(f"it does not say {', '.join(sorted(missing))}")
    return Trained(weights, threshold, meta["embeddingModel"], facts)


def _shape(weights: Weights) -> dict[str, Any]:
    return {
        "layers": len(weights.layers),
        "dimension": weights.dimension,
        "hidden": weights.hidden,
        "scorerHidden": len(weights.scorer.bias) if weights.scorer else 0,
        "common": weights.common,
    }


def _cut(shape: Mapping[str, Any], numbers: Floats) -> Weights:
    hidden, width = int(shape["hidden"]), int(shape["scorerHidden"])
    place = 0

    def take(*size: int) -> Floats:
        nonlocal place
        start, place = place, place + int(np.prod(size))
        return numbers[start:place].reshape(size)

    layers = []
    for number in range(int(shape["layers"])):
        inputs = hidden if number else int(shape["dimension"])
        layers.append(Layer(take(hidden, inputs), take(hidden, inputs), take(hidden)))
    inputs = hidden if shape["common"] == NONE else 2 * hidden
    scorer = Scorer(take(width, inputs), take(width), take(width), float(take(1)[0])) if width else None
    temperature, offset = take(2).tolist()
    return Weights(tuple(layers), str(shape["common"]), scorer, temperature, offset)
