"""Presets: each is accepted by its method, differs from the defaults, and is named everywhere alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.evaluation import read_lineup
from qcg_neo4j.evaluation.answers.systems import answering_lineup
from qcg_neo4j.retrieval import METHODS, method, settings_of
from qcg_neo4j.retrieval.catalogue import DEFAULT, PAPER, PAPER_SETTINGS, TUNED, TUNED_SETTINGS, preset_settings


@pytest.mark.parametrize("name", TUNED_SETTINGS)
def test_a_tuned_preset_is_accepted_and_says_what_it_sets(name: str) -> None:
    tuned = method(name, preset=TUNED).settings
    assert {key: getattr(tuned, key) for key in TUNED_SETTINGS[name]} == dict(TUNED_SETTINGS[name])
    assert tuned != method(name).settings == settings_of(name)()
    assert method(name, preset=DEFAULT) == method(name)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_papers_preset_is_the_default_or_says_what_it_sets(name: str) -> None:
    chosen = method(name, preset=PAPER)
    expected = PAPER_SETTINGS.get(name, {})
    assert {key: getattr(chosen.settings, key) for key in expected} == dict(expected)
    assert (chosen == method(name)) == (not expected)


def test_a_setting_comes_before_the_presets() -> None:
    found = method("qcg", {"hops": 2, "passages": 9}, TUNED).settings
    assert vars(found).items() >= {"hops": 2, "passages": 9, "queries": 200, "aggregation": "max"}.items()


@pytest.mark.parametrize("name", sorted(set(METHODS) - set(TUNED_SETTINGS)))
def test_the_other_methods_say_who_has_one(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} has no preset 'tuned'.\nThese have: qcg, kg-cqr, atomic"):
        method(name, preset=TUNED)


def test_qcg_has_a_preset_for_each_data_set_of_its_paper() -> None:
    found = vars(method("qcg", preset="paper-lihua-world").settings)
    assert found.items() >= {"neighbours": 2, "queries": 10, "minimum_score": 1.5}.items()
    assert method("qcg", preset="paper-multihop-rag") == method("qcg")
    with pytest.raises(SettingsError, match=r"layers has no preset 'paper-lihua-world'.\nThese have: qcg"):
        method("layers", preset="paper-lihua-world")


@pytest.mark.parametrize("preset", ["tunde", 3, ["paper"]])
def test_an_unknown_preset_is_refused(preset: str) -> None:
    with pytest.raises(SettingsError, match="There is no preset"):
        preset_settings("qcg", preset)


def test_a_file_of_systems_names_presets(tmp_path: Path) -> None:
    file = tmp_path / "systems.toml"
    file.write_text(
        '[[system]]\nname = "a"\nmethod = "graphrag-local"\npreset = "tuned"\nentities = 7\nmmr = 0.5\n'
        '[[sweep]]\nname = "b"\nmethod = "qcg"\npreset = ["paper", "tuned"]\n',
        encoding="utf-8",
    )
    systems = {system.name: system.retriever.settings for system in read_lineup(file).systems}
    assert vars(systems["a"]).items() >= {"ranking": "relation", "entities": 7}.items()
    assert systems["b: preset paper"] == method("qcg").settings
    assert systems["b: preset tuned"] == method("qcg", preset=TUNED).settings


@pytest.mark.parametrize("read", [read_lineup, lambda file: answering_lineup(file, (), None, None)])
@pytest.mark.parametrize("name", ["graphrag-global", "qcg"])
def test_a_wrong_preset_in_a_file_is_named_with_its_place(tmp_path: Path, read: object, name: str) -> None:
    file = tmp_path / "systems.toml"
    file.write_text(f'[[system]]\nmethod = "{name}"\npreset = "best"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"systems.toml, system 1: There is no preset 'best'"):
        read(file)  # type: ignore[operator] # both take a path


def test_what_answers_in_its_own_way_has_its_preset_too(tmp_path: Path) -> None:
    file = tmp_path / "systems.toml"
    file.write_text('[[system]]\nmethod = "graphrag-global"\npreset = "tuned"\nlevel = 0\n', encoding="utf-8")
    found = answering_lineup(file, (), None, None).systems[0].retriever.settings
    assert vars(found).items() >= {"reports": 20, "level": 0}.items()


@pytest.mark.parametrize("read", [read_lineup, lambda file: answering_lineup(file, (), None, None)])
@pytest.mark.parametrize(
    ("method", "setting", "said"),
    [
        ("qcg", "rerank = 3", "around.rerank is 3, "),
        ("qcg", "hops = -1", "retrieve.qcg.hops is -1, "),
        ("qcg", "hopps = 1", "qcg: there is no setting 'hopps'"),
        ("graphrag-global", "level = -1", "retrieve.graphrag-global.level is -1, "),
    ],
)
def test_a_wrong_setting_in_a_file_is_named_as_the_command_line_does(
    tmp_path: Path, read: Callable[[Path], object], method: str, setting: str, said: str
) -> None:
    file = tmp_path / "systems.toml"
    file.write_text(f'[[system]]\nmethod = "{method}"\n{setting}\n', encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read(file)
    assert caught.value.problem.startswith(f"{file}, system 1: {said}")
