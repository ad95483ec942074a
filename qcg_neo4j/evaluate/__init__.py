"""The stage `evaluate`: systems compared on questions whose evidence is known, and by their answers."""

from qcg_neo4j.evaluate.answers.answer_run import AnswerRun
from qcg_neo4j.evaluate.answers.evaluation import evaluate_answers, evaluate_given
from qcg_neo4j.evaluate.answers.measures import Measuring
from qcg_neo4j.evaluate.answers.result import AnswersResult, AnswersRow
from qcg_neo4j.evaluate.claims.evaluation import count_claims
from qcg_neo4j.evaluate.claims.result import ClaimsResult, ClaimsRow
from qcg_neo4j.evaluate.figures import Difference, Figure
from qcg_neo4j.evaluate.given_answers import Answers, read_answers
from qcg_neo4j.evaluate.global_questions import GlobalQuestion, GlobalQuestions, write_questions
from qcg_neo4j.evaluate.lineup import Lineup, System, lineup_of, read_lineup
from qcg_neo4j.evaluate.pairwise.evaluation import compare_pairwise
from qcg_neo4j.evaluate.pairwise.result import PairwiseResult
from qcg_neo4j.evaluate.questions import Question, read_questions, select
from qcg_neo4j.evaluate.retrieval.evaluation import evaluate_retrieval
from qcg_neo4j.evaluate.retrieval.result import RetrievalResult, RetrievalRow
from qcg_neo4j.evaluate.settings import (
    AnswersSettings,
    ClaimsSettings,
    EvaluateSettings,
    PairwiseSettings,
    QuestionsSettings,
)

__all__ = [
    "AnswerRun",
    "Answers",
    "AnswersResult",
    "AnswersRow",
    "AnswersSettings",
    "ClaimsResult",
    "ClaimsRow",
    "ClaimsSettings",
    "Difference",
    "EvaluateSettings",
    "Figure",
    "GlobalQuestion",
    "GlobalQuestions",
    "Lineup",
    "Measuring",
    "PairwiseResult",
    "PairwiseSettings",
    "Question",
    "QuestionsSettings",
    "RetrievalResult",
    "RetrievalRow",
    "System",
    "compare_pairwise",
    "count_claims",
    "evaluate_answers",
    "evaluate_given",
    "evaluate_retrieval",
    "lineup_of",
    "read_answers",
    "read_lineup",
    "read_questions",
    "select",
    "write_questions",
]
