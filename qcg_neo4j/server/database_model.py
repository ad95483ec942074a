"""The model that embeds inside the database, as a start chooses it: a known one, or the folder of any other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.core.errors import QcgError, SettingsError
from qcg_neo4j.models.embedding import model_files
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL, IN_DATABASE, full_name

_FILES = ("onnx/model.onnx", "model.onnx")


@dataclass(frozen=True)
class DatabaseModel:
    """A model's name as graphs record it, the jar that carries it (None: it is in a folder), options for Java."""

    name: str
    artefact: str | None
    options: tuple[str, ...] = ()


def database_model(chosen: str | None) -> DatabaseModel:
    """The model of that name or in that folder; the default without any.

    Raises:
        SettingsError: it is neither, or the folder lacks a file.
    """
    chosen = chosen or DEFAULT_MODEL
    known = next((model for model in IN_DATABASE.values() if full_name(chosen) == model.name), None)
    if known is not None:
        return DatabaseModel(known.name, known.artefact)
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise SettingsError(
            f"The database cannot embed by {chosen!r}, which is no folder.",
            f"Name one of {', '.join(IN_DATABASE)}, or a folder that holds a model with its ONNX file.",
        )
    try:
        return _of_folder(folder.resolve())
    except QcgError as error:
        raise SettingsError(f"The database cannot embed by {chosen!r}: {error.problem}", error.remedy) from None


def _of_folder(folder: Path) -> DatabaseModel:
    place = str(folder)
    onnx = next((folder / name for name in _FILES if (folder / name).is_file()), None)
    if onnx is None:
        raise SettingsError(
            f"it has neither {' nor '.join(_FILES)}.",
            "Many models bring one on the model hub; `optimum-cli export onnx` makes one.",
        )
    facts = {
        "name": model_files.short_name(place),
        "dimension": model_files.read_hidden_size(place),
        "windowTokens": model_files.read_window(place, model_files.read_tokenizer(place)),
        "pooling": model_files.read_pooling(place),
        "model": onnx,
        "tokenizer": folder / "tokenizer.json",
    }
    return DatabaseModel(
        str(facts["name"]), None, tuple(f"-Dqcg.embedding.{key}={fact}" for key, fact in facts.items())
    )
