"""Answers of any system, written and scored: exact match, token F1, judged, GPT-score, ACC."""

from qcg_neo4j.evaluate.answering.kept import open_kept
from qcg_neo4j.evaluate.answering.matching import exact_match, refuses, token_f1
from qcg_neo4j.evaluate.answering.metering import Metered
from qcg_neo4j.evaluate.answering.result import AnswersResult
from qcg_neo4j.evaluate.answering.running import (
    Measuring,
    about_graph,
    answerable,
    evaluate_answers,
    evaluate_given,
    given_candidates,
    trials_of,
)
from qcg_neo4j.evaluate.answering.scoring import GROUPS
from qcg_neo4j.evaluate.answering.systems import SYSTEMS, answering_lineup
from qcg_neo4j.evaluate.answering.writing import Answering

__all__ = [
    "GROUPS",
    "SYSTEMS",
    "Answering",
    "AnswersResult",
    "Measuring",
    "Metered",
    "about_graph",
    "answerable",
    "answering_lineup",
    "evaluate_answers",
    "evaluate_given",
    "exact_match",
    "given_candidates",
    "open_kept",
    "refuses",
    "token_f1",
    "trials_of",
]
