"""A language model that only copies: what it says of a text stands in the text; for tests that ask one over HTTP."""

from __future__ import annotations

import json
import re

from endpoint import Body, Manner, Say, material, pairs

_NUMBERED = re.compile(r"^\[(\d+)\] \(.*?\)\n(.*?)(?=^\[\d+\] \(|^</passages|\Z)", re.MULTILINE | re.DOTALL)


def words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 2}


def answer(body: Body) -> str:
    """The sentence that shares most words with the question, and where it stands."""
    asked = body["messages"][1]["content"].rpartition("Question: ")[2]
    passages = _NUMBERED.findall(body["messages"][1]["content"])
    sentences = [(line, number) for number, text in passages for line in re.split(r"(?<=\.)\s|\n", text)]
    best, number = max(sentences, key=lambda one: len(words(one[0]) & words(asked)))
    return f"{best.strip()} [{number}]"


def graph_of(body: Body) -> str:
    """Entities and facts of a chunk: words with a capital, and the lines that name them."""
    lines = [line.strip() for line in material(body).splitlines() if len(words(line)) > 2][:8]
    named = [(line, re.findall(r"\b[A-ZÄÖÜ]\w{3,}", line)[:3]) for line in lines]
    entities = sorted({name for _, names in named for name in names})
    relations = [
        {"source": names[0], "predicate": "goes with", "target": names[1], "strength": 5}
        for _, names in named
        if len(set(names[:2])) == 2
    ]
    atoms = [{"text": line, "entities": names} for line, names in named if names]
    return json.dumps({"entities": [{"name": name} for name in entities], "relations": relations, "atoms": atoms})


def report(body: Body) -> str:
    """A report on the first of its material."""
    first = re.findall(r"^([ERCS]\d+): (.*)", material(body), re.MULTILINE)[0]
    finding = {"summary": f"{first[1][:40]} [{first[0]}].", "explanation": "So it is."}
    more = {"summary": "All of it.", "rating": 3, "rating_explanation": "middling", "findings": [finding]}
    return json.dumps({"title": f"About {first[1][:30]}", **more})


def copying(_: int, body: Body) -> Manner:
    """A reply to any task of an index run, and to a question."""
    system = body["messages"][0]["content"]
    if system.startswith("You answer"):
        return Say(answer(body))
    if "questions" in system[:40]:
        return Say(pairs(body))
    if system.startswith("You read"):
        return Say(graph_of(body))
    return Say('{"missed": "no"}' if system.startswith("You decide") else report(body))
