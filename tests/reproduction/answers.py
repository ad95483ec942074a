"""Score the recorded answers of a data set by its recorded verdicts.

    python tests/reproduction/answers.py lihuaworld DATA
    python tests/reproduction/answers.py musique DATA

DATA is the folder of the data set. Its ``recorded/answers.jsonl`` holds what a large language model answered from the
passages of each system, and how it judged each answer. No server and no model is needed. Which documents these were is
not recorded: ``found.jsonl`` beside the tables has those that a later version finds; ``--home`` searches again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import lihuaworld
import musique
from making import own_graph, run

from qcg_neo4j.evaluation.answers import TABLE, evaluate_given, given_candidates
from qcg_neo4j.evaluation.answers.measures import VERDICTS, Measuring
from qcg_neo4j.evaluation.answers.page import as_markdown
from qcg_neo4j.evaluation.answers.trials import Candidate
from qcg_neo4j.evaluation.answers.verdicts import VERDICT, verdict_request
from qcg_neo4j.evaluation.folder import write_texts
from qcg_neo4j.evaluation.questions import Question, read_answers
from qcg_neo4j.evaluation.settings import AnswersSettings
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import Layers, LayersSettings, Method, Qcg, VectorBaseline

HERE = Path(__file__).parent
DATA_SETS = {"lihuaworld": lihuaworld.data, "musique": musique.data}
FOUND = "found.jsonl"
LATER = (
    "The answers were written from the passages of an earlier version, which are not recorded: whether all evidence "
    "was read is told by what a later version finds."
)
SYSTEMS: dict[str, Method] = {
    "vector": VectorBaseline(),
    "qcg, paper": Qcg(),
    "layers": Layers(),
    "layers, 15 passages": Layers(LayersSettings(passages=15)),
}


def answered(questions: Sequence[Question], lines: Sequence[Mapping[str, str]]) -> list[Question]:
    """The questions that the recorded lines answer, each with the reference that the judge saw."""
    references = {line["id"]: line["reference"] for line in lines}
    return [replace(one, answer=references[one.id]) for one in questions if one.id in references]


def recorded_verdicts(lines: Sequence[Mapping[str, str]], candidates: Sequence[Candidate]) -> Iterator[str]:
    """The verdicts of the lines as a recording of the judge's task."""
    verdicts = {(line["system"], line["question"]): line["verdict"] for line in lines}
    for candidate in candidates:
        verdict = verdicts[candidate.trial.system, candidate.trial.question.text]
        reply = {"reasoning": "recorded", "verdict": verdict}
        yield json.dumps({"task": VERDICT, "key": verdict_request(candidate).key, "reply": reply}) + "\n"


def find(lines: Sequence[Mapping[str, str]], home: Path) -> Iterator[str]:
    """The documents that each system finds for the questions that it answered, a line each."""
    with own_graph(home) as graph:
        for line in lines:
            passages = SYSTEMS[line["system"]].retrieve(graph, line["question"]).passages
            documents = list(dict.fromkeys(one.id for passage in passages for one in passage.documents))
            yield json.dumps({"system": line["system"], "id": line["id"], "documents": documents}) + "\n"


def with_documents(lines: Sequence[Mapping[str, str]], found: Path) -> Iterator[str]:
    """The lines with the documents that a later version finds for them (`LATER`)."""
    rows = map(json.loads, found.read_text(encoding="utf-8").splitlines())
    documents = {(row["system"], row["id"]): row["documents"] for row in rows}
    for line in lines:
        yield json.dumps({**line, "documents": documents[line["system"], line["id"]]}) + "\n"


@click.command()
@click.argument("name", type=click.Choice(list(DATA_SETS)))
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--output", type=click.Path(path_type=Path), help="Folder of the table.")
@click.option("--home", type=click.Path(path_type=Path), help="Home of a server that holds the graph: search again.")
def main(name: str, data: Path, output: Path | None, home: Path | None) -> None:
    """Write the table of judged answers of a data set; `vector` is the baseline."""
    path, settings, found = data / "recorded/answers.jsonl", AnswersSettings(replicates=1), HERE / name / FOUND
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if home:
        found.write_text("".join(find(lines, home)), encoding="utf-8")
    with TemporaryDirectory() as folder:
        together = Path(folder) / path.name
        together.write_text("".join(with_documents(lines, found)), encoding="utf-8")
        answers, questions = read_answers([together]), answered(DATA_SETS[name](data).questions, lines)
        recording = Path(folder) / "verdicts.jsonl"
        candidates = given_candidates(answers, questions, 1)
        recording.write_text("".join(recorded_verdicts(lines, candidates)), encoding="utf-8")
        command = f"python tests/reproduction/answers.py {name} DATA"
        measuring = Measuring(
            ("match", VERDICTS), Recording([recording]), settings, lambda: open_embedder(EmbeddingSettings()), command
        )
        target = output or HERE / name / "tables/answers"
        result = evaluate_given(answers, questions, target, measuring, baseline="vector")
        write_texts(target, {TABLE: as_markdown(replace(result, note=LATER))})
    for row in result.rows:
        click.echo(f"{row.name}: {100 * row.figures['judged'].mean:.1f} % of {row.questions['judged']} judged right")
    click.echo(f"The table is in {target}.")


if __name__ == "__main__":
    run(main)
