"""The stage `evaluate`: systems compared on questions whose answers are known."""

from qcg_neo4j.evaluate.questions import Question, read_questions, select
from qcg_neo4j.evaluate.result import Result, Row
from qcg_neo4j.evaluate.retrieval import evaluate_retrieval
from qcg_neo4j.evaluate.settings import EvaluateSettings
from qcg_neo4j.evaluate.systems import Lineup, System, lineup_of, read_lineup

__all__ = [
    "EvaluateSettings",
    "Lineup",
    "Question",
    "Result",
    "Row",
    "System",
    "evaluate_retrieval",
    "lineup_of",
    "read_lineup",
    "read_questions",
    "select",
]
