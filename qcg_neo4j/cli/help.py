"""What the command line says of itself: ``qcg help`` and ``qcg completion``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from importlib.resources import files

import click
from click.shell_completion import get_completion_class

from qcg_neo4j.cli.command import GROUPS, WIDTH, command, options_of, shown
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import nearest

DATABASE = """
How a command finds the database: --uri, else NEO4J_URI, else the server of --home
or QCG_HOME, else the server in the user's data folder. The password comes from
NEO4J_PASSWORD or from the home's own file; no option takes it.
"""
MODELS = """
--llm qwen2.5@http://localhost:11434/v1    an OpenAI-compatible address
--llm gpt-4o-mini@openai                   a provider
--embedding e5-small-v2@local              in this process; @database: in Neo4j
Providers: {providers}.
Keys come from the environment: OPENAI_API_KEY (and its like of each provider),
QCG_JUDGE_API_KEY, QCG_RERANK_API_KEY. Replies are stored as they arrive, so that
an interrupted run pays nothing twice. All settings: qcg settings llm
"""
WORKERS = """
A stage runs in parts, on processes of this machine (ray) or of a Ray cluster
(ray://HOST:PORT). Requires the extra `ray`, with the same versions everywhere.
"""
TOPICS = {"database": "status", "models": "extract", "workers": "extract"}  # and the command whose options are listed

AGENTS = "agents"


@command()
@click.argument("words", nargs=-1, metavar="[database|models|workers|agents|VERB]")
@click.pass_context
def help(context: click.Context, /, words: tuple[str, ...]) -> None:  # noqa: A001 - the verb's name
    """Explain the options that commands share, or a verb.

    `qcg help agents` prints a SKILL.md, for an agent's folder of skills.
    """
    root = context.find_root()
    if not words:
        click.echo(root.get_help())
    elif words == (AGENTS,):
        click.echo((files("qcg_neo4j.interfaces") / "SKILL.md").read_text("utf-8"), nl=False)
    elif words[0] in TOPICS and len(words) == 1:
        click.echo("\n".join(_topic(root, words[0])))
    else:
        click.echo(_of_verb(root, words))


def _of_verb(root: click.Context, words: tuple[str, ...]) -> str:
    found, context = root.command, root
    for word in words:
        inner = found.get_command(context, word) if isinstance(found, click.Group) else None
        if inner is None:
            names = found.list_commands(context) if isinstance(found, click.Group) else []
            raise InputError(f"There is no help on {' '.join(words)!r}.", nearest(word, [*names, *TOPICS, AGENTS]))
        found, context = inner, click.Context(inner, parent=context, info_name=word)
    return found.get_help(context)


def _topic(root: click.Context, topic: str) -> Iterator[str]:
    from qcg_neo4j.models.llm.settings import PROVIDERS

    text = {"database": DATABASE, "models": MODELS.format(providers=", ".join(PROVIDERS)), "workers": WORKERS}[topic]
    yield from text.strip().splitlines()
    assert isinstance(root.command, click.Group)  # noqa: S101 - it is the group of all verbs
    verb = root.command.get_command(root, TOPICS[topic])
    assert verb is not None  # noqa: S101 - it is one of the verbs
    for one in [one for group, name in GROUPS.items() if name == topic for one in options_of(verb, group)]:
        variable = f" ({one.envvar})" if one.envvar else ""
        meaning = textwrap.wrap(f"{one.help}{variable}", WIDTH - 28)
        name = f"  {shown(one):<26}"
        if not name.endswith(" "):
            yield name
            name = " " * 28
        yield f"{name}{meaning[0]}"
        yield from (" " * 28 + line for line in meaning[1:])


SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_QCG_COMPLETE"  # which click reads


@command()
@click.argument("shell", type=click.Choice(SHELLS), metavar="SHELL")
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print the completion script of SHELL: bash, zsh or fish.

    For bash and zsh add `eval "$(qcg completion bash)"` to the shell's start file; for fish: `qcg completion fish |
    source`.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click knows each of them
    click.echo(kind(context.find_root().command, {}, "qcg", VARIABLE).source())
