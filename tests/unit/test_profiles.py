"""Profiles: their settings are settings of the stages, and stand below a settings file and options."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.index import PROFILES, STAGES, profile_option
from qcg_neo4j.cli.options import settings_options
from qcg_neo4j.core.settings import from_mapping
from qcg_neo4j.indexing.load import LoadSettings


@command()
@profile_option
@settings_options(LoadSettings, "load")
def loading(load: LoadSettings) -> None:
    click.echo(f"{load.chunk_tokens} {load.overlap_tokens}")


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_sets_what_stages_have(name: str) -> None:
    for stage, table in PROFILES[name].items():
        chosen = from_mapping(STAGES[stage], table, stage)
        assert {key: getattr(chosen, key) for key in table} == table


def test_options_come_before_the_file_and_the_file_before_the_profile(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[load]\noverlap_tokens = 50\n", encoding="utf-8")
    asked = ["--profile", "graphrag"]
    for more, expected in (
        ([], "600 100"),
        (["--settings", str(file)], "600 50"),
        (["--settings", str(file), "--set", "chunk_tokens=700"], "700 50"),
    ):
        assert CliRunner().invoke(loading, asked + more, catch_exceptions=False).output.strip() == expected
