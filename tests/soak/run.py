"""One soak: who takes part, what is counted."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import numpy as np
import psutil
from mcp import Client, StdioServerParameters

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import METHODS, method
from soak.corpus import EMBEDDER, STATES, questions, texts, write

# A long chunk is as near as its nearest window, a short one is its own.
ALL_WINDOWS = """
MATCH (chunk:Chunk) WHERE NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
OPTIONAL MATCH (window:Window)-[:FROM_CHUNK]->(chunk)
RETURN chunk.id AS chunk, coalesce(window, chunk).embedding AS vector
"""
LONG_READS = """
SHOW TRANSACTIONS YIELD metaData, currentQueryStatus AS status, currentQueryElapsedTime AS elapsed
WHERE metaData.statement STARTS WITH 'retrieve/' AND elapsed.milliseconds > 1000
RETURN metaData.statement AS statement, status
"""
LOOK_SECONDS = 0.1
QUESTIONS = 6
SAMPLE_SECONDS = 5.0
Key = tuple[str, str]


@dataclass
class Soak:
    """What one run has seen so far; ``moment`` is odd while something is written."""

    home: Path
    process: int
    until: float
    moment: int = 1
    expected: dict[Key, list[str]] = field(default_factory=dict)
    latencies: dict[bool, dict[str, list[float]]] = field(default_factory=lambda: {True: {}, False: {}})
    counts: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    waits: Counter[str] = field(default_factory=Counter)
    measured: list[dict[str, float]] = field(default_factory=list)
    over: Event = field(default_factory=Event)
    tell: Callable[[str], None] = print

    def going_on(self) -> bool:
        """Whether time is left."""
        return time.monotonic() < self.until and not self.over.is_set()


def soak(home: Path, process: int, minutes: float, readers: int, seed: int) -> Soak:
    """Let all take part for so many minutes, after the graph has been made."""
    run = Soak(home, process, time.monotonic() + 1e9)
    with Graph.connect(home=home) as graph:
        write(graph, STATES[0])
        _settle(run, graph)
        run.until = time.monotonic() + 60 * minutes
        with ThreadPoolExecutor(readers + 4) as pool:
            parts = [pool.submit(_read, run, seed + number) for number in range(readers)]
            parts += [pool.submit(part, run) for part in (_agent, _measure, _look)]
            try:
                _write(run, graph, random.Random(seed))  # noqa: S311 - nothing is to be kept secret
            finally:
                run.over.set()
            for part in parts:
                part.result()
    return run


def _settle(run: Soak, graph: Graph) -> None:
    """What every method answers now, nobody writing; for the vector baseline held to a comparison with all chunks."""
    graph.embedder = EMBEDDER
    expected = {}
    rows = graph.driver.execute_query(ALL_WINDOWS).records
    vectors = np.array([row["vector"] for row in rows])
    for question in questions(QUESTIONS):
        vector = EMBEDDER.embed([question])[0]
        for name in METHODS:
            expected[name, question] = [each.id for each in method(name).retrieve(graph, question, vector).passages]
        nearest: dict[str, float] = {}
        for row, score in zip(rows, vectors @ vector, strict=True):
            nearest[row["chunk"]] = max(score, nearest.get(row["chunk"], -1.0))
        found = method("vector", {"candidate_factor": 100}).retrieve(graph, question, vector).passages
        best = sorted(nearest.values(), reverse=True)[: len(found)]
        if not np.allclose([nearest[each.id] for each in found], best, atol=1e-4):
            run.problems["vector does not find the nearest chunks"] += 1
    run.expected, run.moment = expected, run.moment + 1
    run.tell(f"{run.counts['writes']} writes, {run.counts.total():,} counted, problems: {dict(run.problems) or 'none'}")


def _read(run: Soak, seed: int) -> None:
    choose, known = random.Random(seed), texts()  # noqa: S311
    with Graph.connect(home=run.home) as graph:
        graph.embedder = EMBEDDER
        while run.going_on():
            key = choose.choice(list(METHODS)), choose.choice(questions(QUESTIONS))
            vector = EMBEDDER.embed([key[1]])[0]
            moment, begun = run.moment, time.perf_counter()
            try:
                passages = method(key[0]).retrieve(graph, key[1], vector).passages
            except QcgError as error:
                _refused(run, key[0], error, quiet=moment == run.moment and moment % 2 == 0)
                continue
            except Exception as error:
                run.problems[f"{key[0]}: {type(error).__name__}: {str(error)[:200]}"] += 1
                continue
            quiet = moment == run.moment and moment % 2 == 0
            run.latencies[quiet].setdefault(key[0], []).append(time.perf_counter() - begun)
            run.counts["answers" if quiet else "answers beside a write"] += 1
            if quiet and [each.id for each in passages] != run.expected[key]:
                run.problems[f"{key[0]}: another answer than that of the present state"] += 1
            if any(each.text not in known for each in passages):
                run.problems[f"{key[0]}: a text that no state has"] += 1


def _refused(run: Soak, name: str, error: QcgError, *, quiet: bool) -> None:
    """While something is written a method may say that what it needs is being made; else an error is one."""
    stated = ("is being written", "is stale", "not up to date", "has no", "changed since", "holds no", "older than")
    if not quiet and any(words in error.problem for words in stated):
        run.refusals[f"{name}: {error.problem[:120]}"] += 1
    else:
        run.problems[f"{name}: {error.problem[:200]}"] += 1


def _write(run: Soak, graph: Graph, choose: random.Random) -> None:
    place = 0
    while run.going_on():
        place = (place + 1) % len(STATES)
        run.moment += 1
        if choose.random() < 0.5:
            _killed(run, STATES[place], choose.uniform(0, 4))
        begun = time.monotonic()
        write(graph, STATES[place])
        run.counts["writes"] += 1
        run.counts["seconds of writing"] += round(time.monotonic() - begun)
        _settle(run, graph)
        run.over.wait(choose.uniform(2, 6))


def _killed(run: Soak, state: str, seconds: float) -> None:
    """Another client begins the same, and is killed."""
    command = [sys.executable, str(Path(__file__).with_name("killed.py")), str(run.home), state]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(seconds)
        process.kill()
    run.counts["clients killed"] += 1


def _agent(run: Soak) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "qcg_neo4j", "mcp", "--home", str(run.home)])

    async def talk() -> None:
        async with Client(command, read_timeout_seconds=120) as client:
            while run.going_on():
                for tool, arguments in (
                    ("retrieve", {"question": questions(1)[0], "method": "fulltext"}),
                    ("inspect", {"statement": "counts"}),
                    ("status", {}),
                ):
                    found = await client.call_tool(tool, arguments)
                    run.counts["calls of the agent"] += 1
                    if found.is_error:
                        run.problems[f"agent, {tool}: {found.content[0].text[:200]}"] += 1
                await asyncio.sleep(0.5)

    asyncio.run(talk())


def _measure(run: Soak) -> None:
    client, server = psutil.Process(), psutil.Process(run.process)
    while run.going_on():
        figures: dict[str, float] = {}
        for name, process in (("client", client), ("server", server)):
            figures[f"{name} MB"] = process.memory_info().rss / 1e6
            figures[f"{name} handles"] = process.num_fds()
        run.measured.append(figures)
        run.over.wait(SAMPLE_SECONDS)


def _look(run: Soak) -> None:
    """What reads that take long are at: planned, waiting, running; looked at ten times a second."""
    with Graph.connect(home=run.home) as graph:
        while run.going_on():
            for row in graph.driver.execute_query(LONG_READS).records:
                run.waits[f"{row['statement']}, {row['status']}, tenths of a second"] += 1
            run.over.wait(LOOK_SECONDS)


def growth(run: Soak) -> dict[str, tuple[float, float]]:
    """The means of memory and handles over the second and the last quarter of the run."""
    quarter = max(1, len(run.measured) // 4)
    parts = run.measured[quarter : 2 * quarter] or run.measured, run.measured[-quarter:]
    found: dict[str, tuple[float, float]] = {}
    for name in run.measured[0]:
        before, after = (float(np.mean([each[name] for each in part])) for part in parts)
        found[name] = before, after
    return found


def latencies(run: Soak) -> dict[bool, dict[str, dict[str, float]]]:
    """In quiet and beside a write, by method and of all: how many answers, and what they took in milliseconds."""
    shown: dict[bool, dict[str, dict[str, float]]] = {}
    for quiet, by_method in run.latencies.items():
        every = {"all": [each for times in by_method.values() for each in times], **by_method}
        shown[quiet] = {name: _figures(times) for name, times in every.items() if times}
    return shown


def _figures(seconds: list[float]) -> dict[str, float]:
    times = 1000 * np.array(seconds)
    quantiles = {"median": 50, "95 %": 95, "greatest": 100}
    return {"number": len(times), **{name: float(np.percentile(times, part)) for name, part in quantiles.items()}}
