"""The walk of the layers from names in slow, plain Python: the twin that the statements are held to."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.retrieval import LayersSettings

if TYPE_CHECKING:
    from reference import Whole


def naming(whole: Whole, entity: str) -> list[str]:
    """The chunks that name an entity."""
    return [chunk for chunk, entities in whole.entities.items() if entity in entities]


def about(whole: Whole, chunk: str) -> dict[str, float]:
    """How much a chunk is about each of its entities: its triples and atoms, beside those of the entity with most.

    One that no model has read is about its title.
    """
    if chunk in whole.unread:
        return {entity: 1.0 if whole.names[entity] in whole.unread[chunk] else 0.1 for entity in whole.entities[chunk]}
    said = dict.fromkeys(whole.entities[chunk], 0.0)
    for source, target, _ in whole.stated[chunk]:
        said[source] += 1
        said[target] += 0.3
    for entities in whole.mentions[chunk]:
        for entity in entities:
            said[entity] += 0.3
    most = max(said.values()) or 1
    return {entity: max(0.1, value / most) for entity, value in said.items()}


def spelled(text: str) -> list[str]:
    """The words of a name or question: without accents, signs are spaces."""
    folded = "".join(letter for letter in unicodedata.normalize("NFKD", text) if unicodedata.category(letter)[0] != "M")
    return re.sub(r"[\W_]", " ", folded).split()


def names_in(whole: Whole, question: str) -> list[list[str]]:
    """The entities of each name that a question holds, the longest first, then in the question's order."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for entity, name in whole.names.items():
        if any(letter.isupper() for letter in name) and len(naming(whole, entity)) <= 100:
            for form in (name, name.split("(")[0]):
                bearers[" ".join(spelled(form)).lower()].add(entity)
    words = spelled(question)
    free = [True] * len(words)
    found: dict[str, tuple[int, list[str]]] = {}
    spans = [(start, start + length) for length in range(12, 0, -1) for start in range(len(words) - length + 1)]
    for start, end in spans:
        name = " ".join(words[start:end]).lower()
        proper = any(word[0].isupper() for word in words[max(start, 1) : end])  # the first one always has a capital
        if proper and name in bearers and all(free[start:end]):
            free[start:end] = [False] * (end - start)
            found.setdefault(name, (start, sorted(bearers[name])))
    return [entities for _, entities in sorted(found.values())]


def named(whole: Whole, question: str, page_share: float) -> list[tuple[list[str], dict[str, float]]]:
    """Per name with a page its entities, and its chunks with how much they are about it: the page holds most."""
    names = []
    for entities in names_in(whole, question):
        said: dict[str, float] = {}
        for entity in entities:
            for chunk in naming(whole, entity):
                said[chunk] = max(said.get(chunk, 0.0), about(whole, chunk)[entity])
        most = max(said.values())
        if most >= 0.8 and most**2 >= page_share * sum(value**2 for value in said.values()):
            names.append((entities, said))
    return names


def chain(
    whole: Whole,
    promising: Mapping[str, float],
    names: Sequence[tuple[list[str], dict[str, float]]],
    question: NDArray[np.float64],
    settings: LayersSettings,
) -> dict[str, float]:
    """The walk from the pages of names, over entities by what is stated about them, to chunks that are about them."""
    rest = without(whole, question, names)
    seeds: dict[str, float] = defaultdict(float)
    for _, said in names:
        pages = pages_of(said)[: settings.walk_seeds]
        whole_of_it = sum(said[chunk] ** settings.about_power for chunk in pages)
        for chunk in pages:
            seeds[chunk] += settings.name_share / len(names) * said[chunk] ** settings.about_power / whole_of_it
    for chunk, part in promising.items() if settings.name_share < 1 else ():
        seeds[chunk] += (1 - settings.name_share) * part
    blocked = {entity for entities, _ in names for entity in entities}
    came = _step(whole, seeds, rest, blocked, settings)
    further = sorted(came, key=lambda chunk: (-came[chunk], chunk))[: settings.further_chunks]
    again = _step(whole, {chunk: came[chunk] for chunk in further}, rest, blocked, settings)
    reached: dict[str, float] = defaultdict(float)
    for chunk, part in [*((seed, part / 2) for seed, part in seeds.items()), *came.items(), *again.items()]:
        reached[chunk] += part
    for chunk in further:
        reached[chunk] -= came[chunk] / 2
    return reached


def pages_of(said: Mapping[str, float]) -> list[str]:
    """The chunks that are about a name, the page of its own first."""
    return sorted(said, key=lambda chunk: (-said[chunk], chunk))


def without(
    whole: Whole, question: NDArray[np.float64], names: Sequence[tuple[list[str], dict[str, float]]]
) -> NDArray[np.float64]:
    """The question without what it shares with its names."""
    rest: NDArray[np.float64] = question / np.linalg.norm(question)
    for entities, said in names:
        page = pages_of(said)[0]
        bearer = next(entity for entity in entities if about(whole, page).get(entity) == said[page])
        rest = rest - rest @ whole.name_vectors[bearer] * whole.name_vectors[bearer]
    return rest


def _step(
    whole: Whole,
    seeds: Mapping[str, float],
    rest: NDArray[np.float64],
    blocked: set[str],
    settings: LayersSettings,
) -> dict[str, float]:
    """Where the half that goes on comes to."""
    came: dict[str, float] = defaultdict(float)
    for seed, part in seeds.items():
        for entity, share in _leaving(whole, seed, rest, blocked, settings.relation_sharpness).items():
            ends = {chunk: about(whole, chunk)[entity] ** settings.about_power for chunk in naming(whole, entity)}
            if len(ends) <= settings.max_entity_degree:
                for chunk, weight in ends.items():
                    came[chunk] += part / 2 * share * weight / sum(ends.values())
    return came


def _leaving(
    whole: Whole, chunk: str, rest: NDArray[np.float64], blocked: set[str], sharpness: float
) -> dict[str, float]:
    """The shares of a chunk's entities by the nearest triple that is stated about each."""
    near: dict[str, float] = {}
    for source, target, vector in whole.stated[chunk]:
        for entity in (source, target):
            near[entity] = max(
                near.get(entity, -2.0), float(vector @ rest / np.linalg.norm(vector) / np.linalg.norm(rest))
            )
    least = min(near.values(), default=0.0) - 0.1
    weights = {
        entity: math.exp(sharpness * near.get(entity, least))
        for entity in whole.entities[chunk]
        if entity not in blocked
    }
    return {entity: weight / sum(weights.values()) for entity, weight in weights.items()}
