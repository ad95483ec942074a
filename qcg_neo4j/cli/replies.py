"""``qcg replies``: the replies of a language model as files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from qcg_neo4j.cli.command import Group, option
from qcg_neo4j.cli.models import reply_home_option, store_option, store_path
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.models.prompts import tasks
from qcg_neo4j.models.replies import ReplyStore, read_recording, recorded_line

FILE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
task_option = option(
    "--task", type=click.Choice(tasks()), metavar="TASK", help="only this task, such as generate/pairs"
)


@click.group(cls=Group)
def replies() -> None:
    """Export and import the stored replies of a language model."""


@replies.command("export")
@click.argument("file", type=FILE)
@task_option
@store_option
@reply_home_option
def export_replies(file: Path, task: str | None, store: Path | None, home: Path | None) -> None:
    """Write the stored replies to FILE as JSON Lines; - is standard output."""
    path = store_path(store, home)
    if not path.is_file():
        raise InputError(f"There is no reply store at {path}.", "Give another one with --store.")
    with ReplyStore(path) as opened:
        lines = [recorded_line(reply) for reply in opened.export(task or "")]
    if str(file) == "-":
        sys.stdout.writelines(lines)
    else:
        from qcg_neo4j.evaluation.folder import write_texts

        write_texts(file.parent, {file.name: "".join(lines)})
    notices().print(f"{number_of(len(lines), 'reply', 'replies')} written to {file}.")


@replies.command("import")
@click.argument("file", type=FILE)
@task_option
@store_option
@reply_home_option
def import_replies(file: Path, task: str | None, store: Path | None, home: Path | None) -> None:
    """Store the replies of FILE (- is standard input); a wrong line stores nothing."""
    path = Path("/dev/stdin") if str(file) == "-" else file
    recorded = list(read_recording(path, task))
    with ReplyStore(store_path(store, home)) as opened:
        new = opened.add(recorded)
    notices().print(f"{number_of(new, 'reply', 'replies')} stored, {len(recorded) - new:,} were there already.")


@replies.command("forget")
@click.argument("batch")
@store_option
@reply_home_option
def forget_batch(batch: str, store: Path | None, home: Path | None) -> None:
    """Forget a BATCH that its endpoint has lost; its requests are paid again."""
    with ReplyStore(store_path(store, home)) as opened:
        found = [each for each in opened.batches.under_way() if batch in (each.name, each.id)]
        if not found:
            raise InputError(f"No batch {batch!r} is under way.", "`qcg status` lists the batches under way.")
        opened.batches.forget(found[0])
    notices().print(f"Batch {batch} with {number_of(found[0].requests, 'request')} is forgotten.")
