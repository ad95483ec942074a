"""The stage `evaluate`: systems compared on questions whose evidence is known, and by their answers to global ones."""

from qcg_neo4j.evaluate.answers import Answers, read_answers
from qcg_neo4j.evaluate.claims import ClaimsResult, count_claims
from qcg_neo4j.evaluate.global_questions import GlobalQuestion, GlobalQuestions, write_questions
from qcg_neo4j.evaluate.pairwise import PairwiseResult, compare_pairwise
from qcg_neo4j.evaluate.questions import Question, read_questions, select
from qcg_neo4j.evaluate.result import Result, Row
from qcg_neo4j.evaluate.retrieval import evaluate_retrieval
from qcg_neo4j.evaluate.settings import ClaimsSettings, EvaluateSettings, PairwiseSettings, QuestionsSettings
from qcg_neo4j.evaluate.systems import Lineup, System, lineup_of, read_lineup

__all__ = [
    "Answers",
    "ClaimsResult",
    "ClaimsSettings",
    "EvaluateSettings",
    "GlobalQuestion",
    "GlobalQuestions",
    "Lineup",
    "PairwiseResult",
    "PairwiseSettings",
    "Question",
    "QuestionsSettings",
    "Result",
    "Row",
    "System",
    "compare_pairwise",
    "count_claims",
    "evaluate_retrieval",
    "lineup_of",
    "read_answers",
    "read_lineup",
    "read_questions",
    "select",
    "write_questions",
]
