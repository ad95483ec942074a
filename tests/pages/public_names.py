"""The public names of the package as the manual lists them: signature, types, first sentence."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from types import GenericAlias, ModuleType
from typing import Any, ForwardRef, is_typeddict

import qcg_neo4j
from qcg_neo4j.core.settings import Settings

_MODULE = re.compile(r"\b[a-z_]\w*\.(?=[A-Za-z_])")  # np.float32 -> float32
_ARRAY = re.compile(r"ndarray\[.+?, dtype\[(\w+)\]\]")  # as which numpy shows an NDArray depends on its version
_TOLD = (str, int, float, bool, tuple, type(None))  # defaults that are shown
# In the order of the data's way; a test holds that none is left out.
RECORDS = ("core.records", "retrieval.answer.records")
PACKAGES = (
    *RECORDS,
    *(f"database.{name}" for name in ("address", "asynchronous", "connection", "embedder", "graph")),
    *("indexing.aura", "evaluation.datasets"),
    *(
        f"indexing.{name}"
        for name in ("load", "adopt", "generate", "extract", "resolve", "build", "report", "run", "train")
    ),
    *("core.filters", "retrieval"),
    *(f"interfaces.{name}" for name in ("gds", "neo4j_graphrag", "langchain", "llama_index")),
    *("retrieval.answer", "evaluation"),
    *(f"interfaces.{name}" for name in ("show", "browser", "bloom", "mcp")),
    "server",
    *(f"models.embedding.{name}" for name in ("embedder", "windows")),
    *("models.llm", "models.prompts", "models.replies", "indexing.workers"),
)
INSIDE = ("database.", "models.embedding.")  # their other names serve the package itself


class _Shown:
    """Something whose representation is the given text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def from_the_package() -> str:
    """What the package itself exports: a line per name with its signature, and what can be called on it.

    Raises:
        ValueError: a public name has no docstring.
    """
    parts = []
    for package in PACKAGES:
        module = import_module(f"qcg_neo4j.{package}")
        lines = [line for name in _exported(module) for line in _full(package, name, getattr(module, name))]
        if lines:
            parts.append("\n".join([f"**qcg_neo4j.{package}**", "", *lines]))
    return "\n\n".join(parts)


def by_package() -> str:
    """All other public names of each package, and the fields of records; ``help(NAME)`` has their sentences.

    Raises:
        ValueError: a public name has no docstring.
    """
    parts = []
    for package in PACKAGES:
        module = import_module(f"qcg_neo4j.{package}")
        own = [name for name in public_names(module) if name not in _exported(module)]
        if own and not package.startswith(INSIDE):
            shown = [_short(package, name, getattr(module, name)) for name in own]
            names = ", ".join(f"`{name}`" for name, line in zip(own, shown, strict=True) if not line)
            parts.append("\n".join([f"**qcg_neo4j.{package}**", "", *filter(None, [names, *shown])]))
    return "\n\n".join(parts)


def _exported(module: ModuleType) -> list[str]:
    return [name for name in public_names(module) if name in qcg_neo4j.__all__]


def _full(package: str, name: str, value: Any) -> list[str]:
    if package in RECORDS:
        return [_record(name, value), *_methods(value)]
    return _lines(name, value)


def _short(package: str, name: str, value: Any) -> str:
    if package in RECORDS and isinstance(value, type) and is_dataclass(value):
        return _record(name, value)
    if callable(value) and not isinstance(value, GenericAlias):
        first_line(value, name)  # it has one
    return ""


def _record(name: str, value: Any) -> str:
    held = ", ".join(f"{field.name}: {_type(field.type)}{_field_default(field)}" for field in fields(value))
    return f"- `{name}({held})`: {first_line(value, name)}"


def public_names(module: ModuleType) -> list[str]:
    """What a module calls public: its ``__all__``, else the classes and functions that it defines itself."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", [name for name in own if not name.startswith("_")]))


def first_line(value: Any, name: str) -> str:
    """The first paragraph's first line of a docstring, as the manual writes code."""
    text = inspect.getdoc(value) or ""
    if not text or text.startswith(f"{name}("):  # which a dataclass makes up
        raise ValueError(f"{name} has no docstring")
    return text.splitlines()[0].replace("``", "`")


def _lines(name: str, value: Any) -> list[str]:
    if not callable(value) or isinstance(value, GenericAlias):
        return [f"- `{name}`: {_constant(value)}"]
    if not inspect.isclass(value):
        return [f"- `{name}{_signature(value)}`: {first_line(value, name)}"]
    if issubclass(value, Settings):
        return [f"- `{name}(…)`: {first_line(value, name)}"]
    if getattr(value, "_is_protocol", False):
        called = ""
    elif hasattr(value, "model_fields") or is_typeddict(value):  # pydantic takes many things of a framework's besides
        called = f"({', '.join(f'{field}: {_type(kind)}' for field, kind in inspect.get_annotations(value).items())})"
    else:
        called = _signature(value)
    return [f"- `{name}{called}`: {first_line(value, name)}", *_methods(value)]


def _methods(value: type) -> list[str]:
    found = [_method(name, member) for name, member in vars(value).items() if not name.startswith("_")]
    return [f"  - {line}" for line in found if line]


def _method(name: str, member: Any) -> str | None:
    function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
    if not inspect.isfunction(function) or not function.__module__.startswith("qcg_neo4j"):
        return None
    if not inspect.getdoc(function):
        return None  # what has no sentence of its own is said by the protocol that the class keeps
    called = "" if isinstance(member, property) else _signature(function, bound=not isinstance(member, staticmethod))
    return f"`.{name}{called}`: {first_line(function, name)}"


def _signature(value: Any, *, bound: bool = False) -> str:
    found = inspect.signature(value)
    parameters = list(found.parameters.values())[1 if bound else 0 :]
    shown = found.replace(
        parameters=[_parameter(parameter) for parameter in parameters],
        return_annotation=_annotation(found.return_annotation),
    )
    text = str(shown)
    return text.removesuffix(" -> None") if inspect.isclass(value) else text


def _parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    return parameter.replace(
        annotation=_annotation(parameter.annotation),
        default=default if default is inspect.Parameter.empty else _Shown(_default(default)),
    )


def _annotation(annotation: Any) -> Any:
    return annotation if annotation is inspect.Signature.empty else _Shown(_type(annotation))


def _type(annotation: Any) -> str:
    annotation = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _ARRAY.sub(r"NDArray[\1]", _MODULE.sub("", text))


def _default(value: Any) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}()"
    return repr(value) if isinstance(value, _TOLD) and len(repr(value)) < 60 else "…"


def _field_default(field: Any) -> str:
    if field.default_factory is not MISSING:
        return f" = {field.default_factory()!r}"
    return "" if field.default is MISSING else f" = {_default(field.default)}"


def _constant(value: Any) -> str:
    if isinstance(value, str):
        return f"`{value!r}`"
    if isinstance(value, Collection):
        texts = [f"`{item}`" for item in value if isinstance(item, str)]
        return ", ".join(texts) if texts else f"{len(value)} of `{type(next(iter(value))).__name__}`"
    return f"the type `{_type(value)}`"
