"""What a person sees is shown by the terminal, and never executed."""

from __future__ import annotations

import json

import pytest

from qcg_neo4j.cli.terminal import notices, print_json, print_table, results

EVIL = "a\x1b[2J\x1b]0;owned\x07\x9b1m\ud800"


def test_control_characters_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    results().print(EVIL, markup=False)
    notices().print(f"[bold]{EVIL}")
    print_table("Names", ("name", "number"), [(EVIL, 1)])
    told = capsys.readouterr()
    for text in (told.out, told.err):
        assert r"a\x1b[2J\x1b]0;owned\x9b1m\ud800" in text  # the bell is left out
        assert "\x1b" not in text
        assert text.encode()


@pytest.mark.parametrize(("no_color", "sign"), [("", "\x1b[33m"), ("1", "\x1b[")])
def test_colours_are_left_out_where_a_person_wants_none(
    no_color: str, sign: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)
    notices().print("outgrown", style="yellow")
    assert (sign in capsys.readouterr().err) == (not no_color)


def test_json_keeps_its_letters_and_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"größer": EVIL, "seit\ud800": 1})
    out = capsys.readouterr().out
    assert "größer" in out
    assert json.loads(out) == {"größer": EVIL, "seit\ud800": 1}
    assert out.encode()
    assert not {"\x1b", "\x07", "\x9b"} & set(out)


def test_a_narrow_table_cuts_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    name = "/home/ann/documents/handbook/chapter-one.md"
    print_table("Documents", ("id", "title"), [(name, "A long title of a chapter of the handbook")])
    out = capsys.readouterr().out
    assert "…" not in out
    assert name in "".join(line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│"))
