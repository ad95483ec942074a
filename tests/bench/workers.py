"""Chunks a second through a language model that takes its time: on workers, and by as many threads of one process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from small_embedder import SmallEmbedder

from bench import own
from bench.figures import Measured, Result, Times, compared, turned
from bench.measurement import measurement, numbers
from bench.synthetic import Synthetic
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import load_documents
from qcg_neo4j.indexing.stage import Workers
from qcg_neo4j.indexing.workers import RayWorkers
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore

ONE = "one process"
_PLACES = {"PYTHONPATH": os.pathsep.join(sys.path)}  # where other processes find what this one imports
_SERVE = """
import sys
from endpoint import Say, endpoint, pairs
with endpoint(lambda _, body: Say(pairs(body), seconds=float(sys.argv[1]))) as fake:
    print(fake.url, flush=True)
    sys.stdin.read()
"""


@dataclass(frozen=True)
class WorkersSettings(Settings):
    """Throughput of `generate` by the number of workers."""

    chunks: int = setting(400, "Chunks that queries are written for.", minimum=1)
    latency: float = setting(0.2, "Seconds that the endpoint takes for a call.", minimum=0)
    calls: int = setting(8, "Calls at once of each worker.", minimum=1)
    repetitions: int = setting(3, "How often each does it, in turns, after one untimed time.", minimum=1)
    seed: int = setting(0, "Seed of the synthetic chunks.", minimum=0)


@measurement(WorkersSettings, numbers("--sizes", "1,2,4", "Numbers of workers."))
def workers(graph: Graph, sizes: Sequence[int], settings: WorkersSettings) -> Result:
    """Compare workers on this machine with one process that makes as many calls at once.

    Raises:
        GraphError: a chunk has no queries.
    """
    os.environ.update(_PLACES)  # for Ray's processes
    embedder = SmallEmbedder()
    synthetic = Synthetic(settings.seed, 8, chunk_words=60)
    texts = (text for number in range(settings.chunks) for text in synthetic.topic(number).chunk_texts)
    load_documents(graph, embedder, [SourceDocument(f"{n}", next(texts)) for n in range(settings.chunks)])
    rows: list[Measured] = []
    with served(settings.latency) as url:
        for size in sizes:
            model = LanguageModelSettings(endpoint=url, model="slow", concurrency=settings.calls)
            alone = LanguageModelSettings(endpoint=url, model="slow", concurrency=settings.calls * size)
            with RayWorkers(count=size) as started, progress_bar(f"Workers: {size}") as progress:
                ways = {ONE: (alone, None), f"workers: {size}": (model, started)}
                rows += compared(_speeds(graph, settings, ways, progress), settings.calls * size, ONE)
    notes = (
        f"{settings.chunks:,} synthetic chunks of 60 words, seed {settings.seed}; the endpoint, a process on the same "
        f"machine, takes {settings.latency:g} s for a call; vectors come from a table, so that calls are what is "
        f"measured. Each worker makes {settings.calls} calls at once, one process as many as the workers together.",
        f"{settings.repetitions} repetitions in turns after an untimed one, each with an empty store of replies; that "
        "Ray starts is not in it. The ratio is the median, over the repetitions, of the throughput by that of one "
        "process.",
    )
    return Result("Chunks with queries", "chunks/s", "calls at once", ONE, tuple(rows), notes)


def _speeds(
    graph: Graph,
    settings: WorkersSettings,
    ways: Mapping[str, tuple[LanguageModelSettings, Workers | None]],
    progress: Progress,
) -> Times:
    speeds: Times = {name: [] for name in ways}
    for number in range(settings.repetitions + 1):  # the first one warms up
        for name in turned(list(ways), number):
            taken = _seconds(graph, *ways[name])
            if number:
                speeds[name].append(settings.chunks / taken)
        progress(number + 1, settings.repetitions + 1)
    return speeds


def _seconds(graph: Graph, model: LanguageModelSettings, started: Workers | None) -> float:
    """How long the stage takes, from nothing."""
    graph.run(own("forget_queries"))
    with (
        TemporaryDirectory() as folder,
        ReplyStore(Path(folder) / "replies.sqlite") as store,
        closing(LiveModel(model, store)) as source,
    ):
        start = time.perf_counter()
        report = generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=started)
        taken = time.perf_counter() - start
    if report.missing or report.written != report.chunks:
        raise GraphError(f"{len(report.missing):,} chunks have no queries.")
    return taken


@contextmanager
def served(latency: float) -> Iterator[str]:
    """A language model in a process of its own, by its address."""
    with subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(latency)],
        env={**os.environ, **_PLACES},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as serving:
        assert serving.stdin is not None
        assert serving.stdout is not None
        yield serving.stdout.readline().decode().strip()
        serving.stdin.close()
