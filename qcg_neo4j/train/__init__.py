"""Learn which atoms answer a question (LP-RAG): questions to learn from, and link predictors."""

from qcg_neo4j.train.questions import QuestionReport, estimate_questions, write_questions
from qcg_neo4j.train.settings import PredictorSettings, QuestionSettings

__all__ = [
    "PredictorSettings",
    "QuestionReport",
    "QuestionSettings",
    "estimate_questions",
    "write_questions",
]
