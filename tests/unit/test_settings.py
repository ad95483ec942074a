"""Settings from files and options: what cannot be used is told in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from qcg_neo4j.cli import qcg
from qcg_neo4j.cli.tables import read_tables
from qcg_neo4j.core.errors import InputError, QcgError, SettingsError, printable
from qcg_neo4j.core.settings import read_settings_file
from qcg_neo4j.models.llm import LanguageModelSettings
from qcg_neo4j.retrieval import LayersSettings


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("retrieve = 3", r"retrieve is 3, but must be a table of settings.\nWrite a line \[retrieve\]"),
        ("[[load]]\nchunk_tokens = 3", r"load is \[\{'chunk_tokens': 3\}\], but must be a table"),
        ("qcg = [1]", r"qcg is \[1\], but must be a table"),
        ("load = " + "[" * 100_000, "nested too deep"),
        ("[load]\nchunk_tokens = " + "7" * 5000, "number that is too long"),
        ("[load", "is not TOML"),
        ("\0", "is not TOML"),
    ],
)
def test_a_file_of_the_wrong_shape(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(content)
    with pytest.raises(SettingsError, match=said) as caught:
        read_settings_file(file)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("retrieve = 3", "must be a table"),
        ("[retrieve]\nqcg = [1]", "retrieve.qcg is [1], but must be a table"),
        ("[llm]\nendpoint = {a = 1}", "must be of type str"),
        ("[llm]\ntimeout_seconds = nan", "timeout_seconds is nan, which is out of range"),
        ("[llm]\ntimeout_seconds = inf", "timeout_seconds is inf, which is out of range"),
        ("[llm]\nmax_output_tokens = " + "7" * 900, "out of range"),
    ],
)
def test_the_command_ends_with_a_sentence(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(content)
    result = CliRunner().invoke(qcg, ["retrieve", "Who?", "-m", "qcg", "--settings", str(file)])
    assert isinstance(result.exception, SettingsError)
    assert said in str(result.exception)
    assert len(str(result.exception)) < 400


@pytest.mark.parametrize("value", [b"\xff".decode("utf-8", "surrogateescape"), "a\ud800"])
def test_bytes_that_are_no_text(value: str) -> None:
    with pytest.raises(SettingsError, match="holds bytes that are no text") as caught:
        LanguageModelSettings(model=value)
    assert str(caught.value).encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größer 你好 🎉\n\tnext", "größer 你好 🎉\n\tnext"),
        ("a\x1b[2Jb\x07\r\x9b3m", r"a\x1b[2Jb\x07\r\x9b3m"),
        ("\udcff\u202e", r"\udcff\u202e"),
        ("👨\u200d👩\u200d👧 a\xa0b", "👨\u200d👩\u200d👧 a\xa0b"),
    ],
)
def test_what_a_terminal_would_execute_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert str(InputError(text, text)) == f"{shown}\n{shown}"


@pytest.mark.parametrize("kind", [QcgError, SettingsError])
def test_no_message_is_longer_than_a_screen(kind: Any) -> None:
    told = str(kind("7" * 100_000))
    assert len(told) < 1800
    assert "98,400 characters" in told


def test_a_whole_number_for_a_fraction_is_one() -> None:
    """By an integer the same statement would be planned once more."""
    chosen = LayersSettings(walk_weight=2, hits=4)
    assert chosen == LayersSettings(walk_weight=2.0, hits=4)
    assert (type(chosen.walk_weight), type(chosen.hits)) == (float, int)


@pytest.mark.parametrize("name", ["about_power", "relation_sharpness"])
def test_an_exponent_that_would_overflow_is_refused(name: str) -> None:
    highest: dict[str, Any] = {name: 100.0}
    assert LayersSettings(**highest)
    with pytest.raises(SettingsError, match=rf"{name} is 101\.0, but must be 0\.0 to 100\.0"):
        LayersSettings(**{name: highest[name] + 1})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[retrieve]\nwhere = 'a = 1'", r"\[retrieve\] holds 'where', but only tables of methods belong there"),
        ("[retrieve.layer]\nwhere = 'a = 1'", r"no table \[retrieve\.layer\].\nDid you mean 'retrieve\.layers'"),
        ("[retrieve.layers]\nwher = 'a = 1'", r"\[retrieve\.layers\] has no setting 'wher'.\nDid you mean 'where'"),
        ("[retrieve.graphrag-drift]\nwher = 1", "has no setting 'wher'"),
        ("[generate]\nwhere = 1", r"\[generate\] has no setting 'where'"),
        ("[index.load]\nx = 1", r"\[index\] has no setting 'load'"),
        ("[retreive]", r"there is no table \[retreive\]"),
        ("where = 1", "must be a table"),
    ],
)
def test_every_table_of_a_file_is_checked_whoever_reads_it(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=problem):
        read_tables(file)
