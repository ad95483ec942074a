"""Learn which atoms answer a question (LP-RAG): questions to learn from, and link predictors."""

from qcg_neo4j.indexing.train.predictor import PredictorReport, export_predictor, import_predictor, train_predictor
from qcg_neo4j.indexing.train.questions import QuestionReport, estimate_questions, write_questions
from qcg_neo4j.indexing.train.settings import PredictorSettings, QuestionSettings

__all__ = [
    "PredictorReport",
    "PredictorSettings",
    "QuestionReport",
    "QuestionSettings",
    "estimate_questions",
    "export_predictor",
    "import_predictor",
    "train_predictor",
    "write_questions",
]
