"""The first thing that a person runs, whole: server, sample, graph, evidence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from qcg_neo4j.server import stop


def test_the_demonstration_shows_the_answers_evidence(new_home: Callable[[str], Path]) -> None:
    home = new_home("demo")
    command = [sys.executable, "-m", "qcg_neo4j", "demo", "--home", str(home)]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=500)
    finally:
        stop(home)
    assert "Embedding in the database" in shown.stderr
    queries, _, triples = shown.stdout.partition("qcg, 5 passages")
    assert "→ Which gym did Wolfgang Schulz recommend to Li Hua? FitZone." in queries
    assert "FitZone" in triples
    assert "Subgraph: " in triples
    _, _, atoms = triples.partition("kg-cqr, 2 passages")
    assert "Atoms: 25, best first." in atoms
    assert "FitZone" in atoms.partition("atomic, 2 passages")[0]
    assert "FitZone" in atoms.partition("atomic, 2 passages")[2].partition("lp, 2 passages")[0]
    assert "Link predictor: trained on 626 recorded questions" in shown.stderr
    assert 'CALL qcg.retrieve.atomic("Which gym did Wolfgang recommend to Li Hua?", {passages: 2})' in triples
    assert 'CALL qcg.retrieve.kgCqr("Which gym did Wolfgang recommend to Li Hua?", {passages: 2})' in triples
