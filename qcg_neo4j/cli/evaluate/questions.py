"""``qcg evaluate questions``: questions that need the whole corpus."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.options import Typed, settings_options
from qcg_neo4j.cli.paid_runs import PaidRun, incomplete, named, paid_run
from qcg_neo4j.cli.terminal import notices, print_json, print_table
from qcg_neo4j.core.errors import InputError, MissingReplyError, number_of
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.evaluation.folder import checked_folder, write_texts
from qcg_neo4j.evaluation.global_questions import GlobalQuestions, estimate_questions, write_questions
from qcg_neo4j.evaluation.settings import QuestionsSettings
from qcg_neo4j.models.replies import ReplySource


@command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@option("--description", metavar="TEXT", help="description of the corpus instead of FILE")
@option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    default=Path("global_questions.jsonl"),
    help="JSON Lines of the questions [global_questions.jsonl]",
)
@settings_options(
    QuestionsSettings,
    "evaluate_questions",
    Typed("personas", "N", "people who use the corpus"),
    Typed("tasks", "N", "tasks of each of them"),
    Typed("questions", "N", "questions of each task"),
)
@paid_run
def questions(
    file: Path | None, description: str | None, output: Path, evaluate_questions: QuestionsSettings, paid: PaidRun
) -> None:
    """Write questions about the whole corpus from its description in FILE (- is standard input).

    A language model imagines people who use the corpus, their tasks, and their questions. An interrupted run continues
    where it stopped.
    """
    text = _text(file, description)

    def work(source: ReplySource, progress: Progress) -> GlobalQuestions:
        checked_folder(output.parent)
        return write_questions(text, evaluate_questions, source, progress)

    found = paid.run(
        "Asking",
        lambda source, store: estimate_questions(text, evaluate_questions, source, paid.prices, store),
        work,
    )
    if found:
        _check(found, output)
        write_texts(output.parent, {output.name: "".join(question.line() for question in found.questions)})
        _show(found, output, paid.as_json)


def _check(found: GlobalQuestions, output: Path) -> None:
    """Refuse to put an empty file in the place of an earlier one."""
    if not found.questions:
        raise MissingReplyError(
            "\n".join([f"There is no question to write; {output} is left as it is.", *named(found.missing)]),
            "Run the same again to ask once more, or name another model.",
        )


def _text(file: Path | None, description: str | None) -> str:
    if (file is None) == (description is None):
        raise InputError(
            "The corpus is described by FILE or by --description.", f"Give {'one' if file is None else 'only one'}."
        )
    if file is None:
        return description or ""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"The description {file} cannot be read: {error.strerror}.", "A text itself goes to --description."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"The description {file} is not UTF-8: {error}.") from None


def _show(found: GlobalQuestions, output: Path, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
    else:
        names = ("expected", "duplicates", "not_given", "without_reply")
        rows = [(name.replace("_", " "), getattr(found, name)) for name in names]
        print_table("Global questions", ("what", "number"), [*rows, ("written", len(found.questions))])
    notices().print(f"Written to {output}.")
    if found.missing:
        raise incomplete(
            f"{number_of(len(found.missing), 'request has', 'requests have')} no usable reply", found.missing
        )
