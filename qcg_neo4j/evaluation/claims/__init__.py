"""Count claims: answers in, figures and their files out."""

from __future__ import annotations

from pathlib import Path

from qcg_neo4j.core.errors import MissingReplyError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.evaluation.claims.lists import TASK, extract_claims
from qcg_neo4j.evaluation.claims.page import as_markdown, records
from qcg_neo4j.evaluation.claims.result import ClaimsResult, result_of, unknown_questions
from qcg_neo4j.evaluation.folder import checked_folder, write_texts
from qcg_neo4j.evaluation.given_answers import Answers
from qcg_neo4j.evaluation.page import as_csv
from qcg_neo4j.evaluation.settings import ClaimsSettings
from qcg_neo4j.models.replies import ReplySource

TABLE, NUMBERS, LISTS = "claims.md", "claims.csv", "claims.jsonl"
REPLY_TOKENS = {TASK: 31 * 20.0}  # GraphRAG found 31 claims in an answer; a claim is a sentence


def count_claims(
    answers: Answers,
    source: ReplySource,
    output: Path,
    settings: ClaimsSettings | None = None,
    *,
    command: str = "",
    progress: Progress = silent,
) -> ClaimsResult:
    """Let a model list the claims of each answer, and write ``claims.md``, ``claims.csv`` and ``claims.jsonl``.

    Lists are kept where ``source`` keeps its replies, so that the same call goes on after an interruption.

    Raises:
        InputError: the folder cannot be written.
        LanguageModelError: the endpoint failed for good; what came before is stored.
        MissingReplyError: no question has the claims of every system.
    """
    settings = settings or ClaimsSettings()
    folder = checked_folder(output)
    claims, asked = extract_claims(answers, source, progress)
    if len(unknown_questions(claims)) == len(answers.questions):
        failed = next(item.failed for item in claims if item.failed)
        raise MissingReplyError(f"There is no question with the claims of every system. The first gap: {failed}")
    result = result_of(answers, claims, asked, settings, command)
    lists = "".join(item.line() for item in claims)
    write_texts(folder, {LISTS: lists, NUMBERS: as_csv(list(records(result))), TABLE: as_markdown(result)})
    return result
