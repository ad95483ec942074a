"""What embeds inside the database: our plug-in, and the model and libraries that a server gets beside it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.core.errors import QcgError, ServerError, SettingsError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.models.embedding import model_files
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL, IN_DATABASE, full_name
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.lines import Artefact, read_lock
from qcg_neo4j.server.plugins import PLUGIN

LOCK = "embedding"
JAR = "qcg-embedding.jar"
# Only their two files are used, model and tokenizer, so that what their own classes need is left out.
MODELS = tuple(model.artefact for model in IN_DATABASE.values() if model.artefact)
LIBRARIES = ("com.microsoft.onnxruntime:onnxruntime:1.20.0", "ai.djl.huggingface:tokenizers:0.36.0")
_FILES = ("onnx/model.onnx", "model.onnx")  # of a model in a folder


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


def embedding_artefacts(line: str, model: DatabaseModel) -> tuple[Artefact, ...]:
    """The jars of the lock file that a server of the line does not bring itself; of models only the given one's."""
    brought = {_name(jar) for jar in read_lock(line)}
    others = {*MODELS} - {model.artefact}
    return tuple(jar for jar in read_lock(LOCK) if _name(jar) not in brought and jar.coordinates not in others)


def embedding_jar() -> Path | None:
    """The plug-in itself, which comes with this package; None in a checkout where `make` has not run."""
    jar = PLUGIN.with_name(JAR)
    return jar if jar.is_file() else None


def wants_embedding(chosen: bool | None) -> bool:
    """Whether a start installs all of this: as chosen, else where the plug-in is there, which a choice demands."""
    if chosen and embedding_jar() is None:
        raise ServerError(
            f"The plug-in {JAR} is not built, so the database cannot embed.",
            "Build it with `make plugins`, or start without --embedding.",
        )
    return chosen is not False and embedding_jar() is not None


def put_embedding(
    folder: Path, line: str, cache: Path, progress: Progress = silent, model: str | None = None
) -> list[Path]:
    """Copy both plug-ins, and what a server of the line lacks for them, into the folder of plug-ins of another server.

    Another known model's jar that is there goes: the plug-in takes the one that it finds.

    Raises:
        SettingsError: there is no such model, or it is in a folder, which another server does not see.
        ServerError: a plug-in is not built, a download failed, or the folder cannot be written.
    """
    chosen = database_model(model)
    if chosen.artefact is None:
        raise SettingsError("Another server takes a known model only.", f"Name one of {', '.join(IN_DATABASE)}.")
    wants_embedding(True)
    plugin = embedding_jar()
    if not PLUGIN.is_file():
        raise ServerError(f"The plug-in {PLUGIN.name} is not built.", "Build it with `make plugins`.")
    files = fetch(embedding_artefacts(line, chosen), cache, progress)
    others = {jar.file_name for jar in read_lock(LOCK) if jar.coordinates in MODELS} - {p.name for p in files.values()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in others:
            (folder / name).unlink(missing_ok=True)
        return [Path(shutil.copy2(jar, folder)) for jar in (PLUGIN, plugin, *files.values()) if jar]
    except OSError as error:
        raise ServerError(f"{folder} cannot be written: {error.strerror}.") from None


def _name(jar: Artefact) -> tuple[str, ...]:
    return tuple(jar.coordinates.split(":")[:2])
