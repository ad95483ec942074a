"""The stage `evaluate`: systems compared on questions whose evidence is known, and by their answers."""

from qcg_neo4j.evaluation.answers import evaluate_answers, evaluate_given
from qcg_neo4j.evaluation.answers.answer_run import AnswerRun
from qcg_neo4j.evaluation.answers.measures import Measuring
from qcg_neo4j.evaluation.answers.result import AnswersResult, AnswersRow
from qcg_neo4j.evaluation.claims import ClaimsResult, ClaimsRow, count_claims
from qcg_neo4j.evaluation.figures import Difference, Figure
from qcg_neo4j.evaluation.global_questions import GlobalQuestion, GlobalQuestions, write_questions
from qcg_neo4j.evaluation.lineup import Lineup, System, lineup_of, read_lineup
from qcg_neo4j.evaluation.pairwise import compare_pairwise
from qcg_neo4j.evaluation.pairwise.result import PairwiseResult
from qcg_neo4j.evaluation.questions import Answers, Question, read_answers, read_questions, select
from qcg_neo4j.evaluation.retrieval import evaluate_retrieval
from qcg_neo4j.evaluation.retrieval.result import RetrievalResult, RetrievalRow
from qcg_neo4j.evaluation.settings import (
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
