"""Options and settings of the command line: each setting by its one name, completion."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from qcg_neo4j.cli import GROUPS, VERBS, qcg
from qcg_neo4j.cli.command import COMMAND, Command, command
from qcg_neo4j.cli.method_options import step_settings
from qcg_neo4j.cli.options import Typed, place_of_model, settings_options
from qcg_neo4j.cli.tables import assigned, rows, tables
from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.settings import from_text
from qcg_neo4j.indexing.load import LoadSettings
from qcg_neo4j.models.llm import LanguageModelSettings


def refused(*arguments: str) -> str:
    """What a command says that cannot be given so."""
    result = CliRunner().invoke(qcg, list(arguments))
    assert result.exit_code != 0
    return result.stderr + str(result.exception)


def test_a_setting_comes_from_its_option_then_set_then_variable_then_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @command()
    @settings_options(LoadSettings, "load", Typed("chunk_tokens", "N", "largest chunk"))
    def show(load: LoadSettings) -> None:
        click.echo(f"{load.chunk_tokens} {load.overlap_tokens} {load.strict}")

    file = tmp_path / "qcg.toml"
    file.write_text("[load]\nchunk_tokens = 300\noverlap_tokens = 30\nstrict = true\n", encoding="utf-8")

    def shown(*arguments: str) -> str:
        return CliRunner().invoke(show, ["--settings", str(file), *arguments]).stdout.strip()

    assert shown() == "300 30 True"
    monkeypatch.setenv("QCG_LOAD_CHUNK_TOKENS", "400")
    monkeypatch.setenv("QCG_LOAD_STRICT", "no")
    assert shown() == "400 30 False"
    assert shown("--set", "load.chunk_tokens=500", "-s", "overlap-tokens=50") == "500 50 False"
    assert shown("--chunk-tokens", "600", "--set", "chunk_tokens=500") == "600 30 False"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["retrieve", "Where is the caf\udce9?"],
            "question is 'Where is the caf\\udce9?', which holds bytes",
        ),
        (["retrieve", "Who?", "--cypher", "--json"], "--cypher prints text for Browser, and --json prints JSON"),
        (["resolve", "--undo", "--dry-run"], "--dry-run and --undo contradict each other"),
        (["resolve", "--undo", "--apply"], "--apply and --undo contradict each other"),
        (["generate", "--source", "sentences", "--batch"], "--batch requires a language model, and the source is"),
        (["index", "no such folder", "--batch"], "--batch requires a language model, and the source is 'none'"),
        (
            ["train", "link-predictor", "--import", "a", "--avoid", __file__],
            "--avoid is for training, and --import reads",
        ),
    ],
)
def test_what_does_not_fit_is_refused_at_once(arguments: list[str], said: str) -> None:
    found = CliRunner().invoke(qcg, arguments)
    assert isinstance(found.exception, InputError)
    assert said in " ".join(str(found.exception).split())


@pytest.mark.parametrize(("file", "package"), [("a.png", "matplotlib"), ("a.html", "neo4j-viz")])
def test_what_cannot_be_drawn_is_not_searched_for(monkeypatch: pytest.MonkeyPatch, file: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package.replace("-", "_"), None)
    told = refused("show", "answer", "Who?", file)
    assert f"needs {package}, which is not installed" in told
    assert "qcg-neo4j[show]" in told


def test_a_port_for_agents_is_looked_at_first() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = refused("mcp", "--http", "--port", port)
    assert f"Port {port} of this machine is not free" in told
    assert "--port" in told
    assert "must be 1 to 65535" in refused("mcp", "--http", "--port", "0").replace(",", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hops", "is not of the form KEY=VALUE"),
        ("llm.endpoint:http://li:secret@host", "'llm.endpoint:http://host' is not of the form KEY=VALUE"),
        ("chunk_tokns=5", "Did you mean 'chunk_tokens'?"),
        ("bild.neighbours=5", "there is no table 'bild'"),
        ("build.neighbours=5", "this command does not use it"),
        ("temperature=1", "several settings have this name: llm.temperature, judge.temperature"),
    ],
)
def test_an_assignment_that_means_nothing_here(text: str, said: str) -> None:
    known = {name: tables()[name] for name in ("load", "llm", "judge")}
    with pytest.raises(SettingsError, match=said.replace("?", r"\?")):
        assigned(text, known)


def test_an_assignment_may_leave_out_the_first_part_of_a_table() -> None:
    known = {name: tables()[name] for name in ("retrieve.kg-cqr", "around")}
    for text in ("alpha=0.5", "kg-cqr.alpha=0.5", "kg_cqr.alpha=0.5", "retrieve.kg-cqr.alpha=0.5"):
        assert assigned(text, known) == ("retrieve.kg-cqr", "alpha", 0.5)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[retrieve]\nwhere = "a = 1"', "only tables of methods belong there"),
        ("[retrieve.layer]\npassages = 3", r"there is no table \[retrieve.layer\]"),
        ("[biuld]\nneighbours = 3", "Did you mean 'build'"),
        ("[retrieve.layers]\nwher = 'a = 1'", "has no setting 'wher'"),
    ],
)
def test_a_file_with_an_unknown_table_or_key_is_refused_by_any_command(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "qcg.toml"
    file.write_text(content, encoding="utf-8")
    for arguments in (["retrieve", "x"], ["build"], ["load", "y"]):
        with pytest.raises(SettingsError, match=said):
            CliRunner().invoke(qcg, [*arguments, "--settings", str(file)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("table", "text", "expected"),
    [
        ("llm", "qwen2.5@http://localhost:1/v1", {"model": "qwen2.5", "endpoint": "http://localhost:1/v1"}),
        ("llm", "gpt-4o-mini@openai", {"model": "gpt-4o-mini", "provider": "openai"}),
        ("llm", "@cf/meta/llama-3", {"model": "@cf/meta/llama-3"}),
        ("llm", "x@https://li:secret@host/v1", {"model": "x", "endpoint": "https://li:secret@host/v1"}),
        ("llm", "https://li:secret@host/v1", {"endpoint": "https://li:secret@host/v1"}),
        ("embedding", "e5-small-v2@local", {"model": "e5-small-v2", "embedder": "local"}),
        ("embedding", "@database", {"embedder": "database"}),
        ("embedding", "BAAI/bge-small-en-v1.5", {"model": "BAAI/bge-small-en-v1.5"}),
    ],
)
def test_a_model_is_named_with_its_place(table: str, text: str, expected: dict[str, str]) -> None:
    assert place_of_model(table, text) == expected


def test_the_variables_of_models_say_the_same_as_their_options(monkeypatch: pytest.MonkeyPatch) -> None:
    from qcg_neo4j.cli.models import llm_option

    @command()
    @llm_option
    def show(llm: LanguageModelSettings) -> None:
        click.echo(f"{llm.model} {llm.endpoint} {llm.retries}")

    monkeypatch.setenv("QCG_LLM", "small@http://a/v1")
    monkeypatch.setenv("QCG_LLM_RETRIES", "2")
    assert CliRunner().invoke(show).stdout == "small http://a/v1 2\n"
    assert CliRunner().invoke(show, ["--llm", "big", "-s", "retries=3"]).stdout == "big None 3\n"
    # As with any setting: --set overrides a variable, and an option overrides --set.
    assert CliRunner().invoke(show, ["-s", "model=set"]).stdout == "set http://a/v1 2\n"
    assert CliRunner().invoke(show, ["--llm", "big", "-s", "model=set"]).stdout == "big None 2\n"


@pytest.mark.parametrize(
    ("below", "place", "found"),
    [
        ({"PROVIDER": "anthropic"}, "q@http://other/v1", ("http://other/v1", None)),
        ({"PROVIDER": "azure"}, "q@http://other/v1", ("http://other/v1", "azure")),
        ({"ENDPOINT": "http://mine/v1"}, "q@openai", (None, "openai")),
        ({"ENDPOINT": "http://mine/v1"}, "q@azure", ("http://mine/v1", "azure")),
        ({"ENDPOINT": "http://mine/v1", "PROVIDER": "azure"}, "q", ("http://mine/v1", "azure")),
    ],
)
def test_no_key_goes_to_the_address_of_another(
    below: dict[str, str], place: str, found: tuple[str | None, str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from qcg_neo4j.cli.models import llm_option

    @command()
    @llm_option
    def show(llm: LanguageModelSettings) -> None:
        click.echo(f"{llm.endpoint} {llm.provider}")

    for name, value in below.items():
        monkeypatch.setenv(f"QCG_LLM_{name}", value)
    assert CliRunner().invoke(show, ["--llm", place]).stdout == "{} {}\n".format(*found)


def test_the_command_is_kept_without_secrets() -> None:
    @command()
    @click.argument("text")
    def show(text: str) -> None:
        click.echo(click.get_current_context().meta[COMMAND])

    told = CliRunner().invoke(show, ["--", "x@https://li:secret@host/v1?key=secret"]).stdout
    assert told == "show -- x@https://host/v1\n"


def test_steps_are_settings_around_the_method() -> None:
    found = step_settings(("rerank=m@http://localhost:8000/v1", "mmr=0.7", "fuse=fulltext,atomic"))
    assert found == {
        "rerank": "m",
        "rerank_endpoint": "http://localhost:8000/v1",
        "mmr": "0.7",
        "fuse": "fulltext,atomic",
    }
    assert step_settings(("rerank=m@http://li:secret@host/v1",)) == {
        "rerank": "m",
        "rerank_endpoint": "http://li:secret@host/v1",
    }
    with pytest.raises(SettingsError, match="no step 'rerank:m@http://host'"):
        step_settings(("rerank:m@http://li:secret@host",))
    for wrong, said in ((("rank=m",), "no step 'rank'"), (("mmr",), "STEP=VALUE"), (("mmr=1", "mmr=0"), "given twice")):
        with pytest.raises(SettingsError, match=said):
            step_settings(wrong)


@pytest.mark.parametrize(
    ("text", "hint", "value"),
    [
        ("off", bool, False),
        ("0.5", float, 0.5),
        ("many", int, "many"),
        ("4", str, "4"),
        ('"a b"', str, "a b"),
        ("none", int | None, None),
        ("['A', 'B']", tuple[str, ...], ["A", "B"]),
    ],
)
def test_a_value_is_read_as_its_setting_has_it(text: str, hint: Any, value: Any) -> None:
    assert from_text(text, hint) == value


def test_every_setting_is_listed_with_its_variable() -> None:
    listed = CliRunner().invoke(qcg, ["settings", "load"]).stdout
    for declared in fields(LoadSettings):
        assert f"load.{declared.name}" in listed
        assert f"QCG_LOAD_{declared.name.upper()}" in listed
    assert "QCG-RAG paper, §4.1" in " ".join(listed.split())
    assert "retrieve.qcg.hops" in CliRunner().invoke(qcg, ["settings", "qcg"]).stdout
    assert "link_predictor.epochs" in CliRunner().invoke(qcg, ["settings", "train", "link-predictor"]).stdout
    by_word = CliRunner().invoke(qcg, ["settings", "overlap"]).stdout
    assert "load.overlap_tokens" in by_word
    assert "load.chunk_tokens" not in by_word
    assert set(tables()) == {line.split()[0] for line in CliRunner().invoke(qcg, ["settings"]).stdout.splitlines()[1:]}
    assert "No setting contains 'zzz'" in refused("settings", "zzz")


def test_a_word_that_no_setting_contains_is_answered_in_a_line() -> None:
    said = refused("settings", "xyzzyx")
    assert "No setting contains 'xyzzyx'." in said
    assert len(said) < 200


def test_every_command_finds_its_tables() -> None:
    def commands(found: click.Command, context: click.Context) -> list[Command]:
        if isinstance(found, click.Group):
            inner = [found.get_command(context, name) for name in found.list_commands(context)]
            return [each for one in inner if one for each in commands(one, context)]
        return [found] if isinstance(found, Command) else []

    found = commands(qcg, click.Context(qcg))
    used = {name: kind for one in found for name, kind in one.tables.items() if name != "retrieve"}
    assert used == {name: kind for name, kind in tables().items() if not name.startswith("retrieve.")}
    assert len({row.variable for name, kind in tables().items() for row in rows(name, kind)}) == sum(
        len(fields(kind)) for kind in tables().values()
    )


def test_the_help_names_every_verb_once() -> None:
    text = CliRunner().invoke(qcg, ["--help"]).stdout
    assert all(group in text for group in GROUPS)
    for verb in VERBS:
        assert sum(line.split()[0] == verb or f"  {verb} " in line[30:] for line in text.splitlines()) == 1, verb


def test_help_explains_what_commands_share() -> None:
    for topic, option in (("database", "--corpus"), ("models", "QCG_LLM"), ("workers", "--worker-count")):
        lines = CliRunner().invoke(qcg, ["help", topic]).stdout.splitlines()
        assert any(option in line for line in lines)
        assert len(lines) <= 24
    assert CliRunner().invoke(qcg, ["help", "server", "start"]).stdout.startswith("Usage: qcg server start")
    assert "There is no help on 'retreive'" in refused("help", "retreive")


def test_methods_are_listed_with_what_they_require() -> None:
    text = CliRunner().invoke(qcg, ["methods"]).stdout
    assert "layers" in text
    assert "generate, build" in text
    listed = json.loads(CliRunner().invoke(qcg, ["methods", "--json"]).stdout)["methods"]
    found = {row["method"]: row["requires"] for row in listed}
    assert (found["graphrag-global"], found["d2q"], found["vector"]) == (
        "extract, build, report",
        "generate --baselines",
        "",
    )


@pytest.mark.rest
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["qcg", "retr"], "retrieve"),
        (["qcg", "retrieve", "--method", "at"], "atomic"),
        (["qcg", "retrieve", "--preset", ""], "tuned"),
        (["qcg", "retrieve", "--then", "re"], "rerank="),
        (["qcg", "retrieve", "x", "-m", "qcg", "--set", "ho"], "hops="),
        (["qcg", "load", "--set", "load.chunk"], "load.chunk_tokens="),
        (["qcg", "load", "--chunk-t"], "--chunk-tokens"),
    ],
)
def test_a_shell_completes(words: list[str], offered: str) -> None:
    environment = {
        **os.environ,
        "_QCG_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words) if words[-1] else " ".join(words[:-1]) + " ''",
        "COMP_CWORD": str(len(words) - 1),
    }
    line = [sys.executable, "-c", "from qcg_neo4j.cli import main; import sys; sys.argv[0] = 'qcg'; main()"]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert f"plain,{offered}" in done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_the_command(shell: str) -> None:
    script = CliRunner().invoke(qcg, ["completion", shell]).stdout
    assert f"_QCG_COMPLETE={shell}_complete" in script
