"""All measures of answers: what needs no judge, what judges say, and ACC from both; and what judges will cost."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from qcg_neo4j.core.errors import InputError, WaitingError
from qcg_neo4j.core.progress import Bars, Progress, no_bars
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.evaluation import claims, pairwise
from qcg_neo4j.evaluation.answers import verdicts
from qcg_neo4j.evaluation.answers.earlier import EarlierRun
from qcg_neo4j.evaluation.answers.trials import Candidate
from qcg_neo4j.evaluation.answers.verdicts import Judged, refusal
from qcg_neo4j.evaluation.claims import lists
from qcg_neo4j.evaluation.questions import Answers, together
from qcg_neo4j.evaluation.settings import SCALED, AnswersSettings, PairwiseSettings
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.windows import mean_of_windows, parts
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval.answer.map_reduce import NOTHING
from qcg_neo4j.retrieval.answer.writing import DECLINED

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_REFUSED = re.compile(
    r"insufficient information|not enough (information|evidence)|evidence is (not there|missing)|"
    r"\b(passages?|statements?|evidence|context|documents?|material|text) (do|does) ?n[o']t "
    r"(hold|contain|say|mention|provide|state|give|tell)\b|"
    r"\bcan ?not be (answered|determined|said)\b"
)
_REFUSALS = ("unknown", "unanswerable", "no answer", "not answerable", "i dont know", "i do not know")


def normalized(text: str) -> str:
    """The text as SQuAD compares it: lower case, without punctuation and articles, single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, references: Iterable[str]) -> float:
    """1 if the answer is one of the references but for case, punctuation and articles, else 0."""
    return float(normalized(answer) in {normalized(reference) for reference in references})


def token_f1(answer: str, references: Iterable[str]) -> float:
    """The best F1 of the answer's words and those of a reference, in [0, 1]."""
    return max((_f1(normalized(answer).split(), normalized(one).split()) for one in references), default=0.0)


def _f1(found: list[str], wanted: list[str]) -> float:
    if not found or not wanted:
        return float(found == wanted)
    shared = sum((Counter(found) & Counter(wanted)).values())
    return 2 * shared / (len(found) + len(wanted))


def refuses(answer: str) -> bool:
    """Whether an answer says, as this program does or in a usual English way, that it has none; judges know more."""
    text = answer.replace("’", "'").strip()
    return text in (DECLINED, NOTHING) or normalized(text) in _REFUSALS or bool(_REFUSED.search(text.lower()))


MATCH, VERDICTS, GPT_SCORE, ACCURACY = "match", "verdict", "gpt-score", "acc"
PAIRWISE, CLAIMS = "pairwise", "claims"
GROUPS = {
    MATCH: "exact match and token F1; no judge",
    VERDICTS: "right, wrong or refused",
    GPT_SCORE: "correctness, faithfulness and relevance, 1 to 5",
    ACCURACY: "ACC of GraphRAG-Bench, from statements and similarity",
    PAIRWISE: "answers in pairs, without a reference",
    CLAIMS: "claims and their clusters, without a reference",
}
_BY_ITSELF = (VERDICTS, GPT_SCORE, ACCURACY)  # a judge is asked about one answer
COMPARING = (PAIRWISE, CLAIMS)  # need no reference: they compare answers with each other
JUDGED_GROUPS = (*_BY_ITSELF, *COMPARING)
# Tokens of a reply: a sentence or two and the verdict; three sentences; claims; a few sentences and numbers.
_REPLY_TOKENS = {
    verdicts.VERDICT: 60.0,
    verdicts.SCORES: 110.0,
    lists.TASK: 90.0,
    verdicts.STATEMENTS: 120.0,
    **pairwise.REPLY_TOKENS,
}


@dataclass(frozen=True)
class Measuring:
    """How answers are measured: by which groups of measures, by which judge, and the command that the page names.

    ``judge`` may be None where no group needs one. ``open_embedder`` is called for ACC alone. ``pairwise`` says how
    answers are compared in pairs, ``against`` with which system; None is each with each. ``earlier`` is the run that
    the figures are compared with.
    """

    groups: tuple[str, ...]
    judge: ReplySource | None
    settings: AnswersSettings
    open_embedder: Callable[[], Embedder]
    command: str = ""
    pairwise: PairwiseSettings = PairwiseSettings()
    against: str | None = None
    earlier: EarlierRun | None = None

    def __post_init__(self) -> None:
        for name in self.groups:
            if name not in GROUPS:
                raise InputError(f"There are no measures {name!r}.", nearest(name, list(GROUPS)))
        needing = [name for name in self.groups if name in JUDGED_GROUPS]
        if needing and self.judge is None:
            raise InputError(f"The measures {', '.join(needing)} need a judge.", "Give one, or only --measure match.")

    @property
    def compares(self) -> bool:
        """Whether a question without a reference has a measure."""
        return not set(COMPARING).isdisjoint(self.groups)

    @property
    def times_judged(self) -> int:
        """How often an answer that is there is judged by itself; it counts once where it is not."""
        return 1 if set(_BY_ITSELF).isdisjoint(self.groups) else self.settings.replicates

    def score(self, candidates: Sequence[Candidate], folder: Path, bars: Bars = no_bars) -> Judged:
        """The measures of the chosen groups for every answer; of null questions, those of refusals alone.

        Where answers are compared with each other, the files of that go to ``folder``.

        Raises:
            InputError: no question has been answered by all systems that are to be compared.
            MissingReplyError: there is nothing to compare.
            WaitingError: verdicts are in batches that have not ended; those of all groups are submitted.
            LanguageModelError: the judge's endpoint failed for good; what came before is stored.
            EmbeddingError: likeness could not be computed.
        """
        judged = Judged()
        answerable = _answerable(candidates)
        if VERDICTS not in self.groups:
            for candidate in candidates:
                judged.set(candidate.trial, {refusal(candidate.trial): float(refuses(candidate.text))})
        if MATCH in self.groups:
            _match(answerable, judged)
        steps = (
            (VERDICTS, "Judging", verdicts.judge_verdicts, _with_reference(candidates)),
            (GPT_SCORE, "Scoring", verdicts.judge_scores, answerable),
            (ACCURACY, "Comparing statements", verdicts.judge_statements, answerable),
            (PAIRWISE, "Comparing", partial(self._compare, folder), candidates),
            (CLAIMS, "Listing claims", partial(self._count, folder), candidates),
        )
        waiting: WaitingError | None = None
        for group, title, ask, asked in steps:
            if self.judge is not None and group in self.groups:
                try:
                    with bars(title) as progress:
                        ask(asked, self.judge, judged, progress)
                except WaitingError as error:
                    waiting = error  # it names the batches of the groups before, too
        if waiting:
            raise waiting
        if ACCURACY in self.groups:
            _accuracy(answerable, self.settings, judged, self.open_embedder())
        for candidate in answerable:
            _evidence(candidate, judged)
        return judged

    def _compare(
        self, folder: Path, candidates: Sequence[Candidate], judge: ReplySource, judged: Judged, progress: Progress
    ) -> None:
        judged.pairwise = pairwise.compare_pairwise(
            side_by_side(candidates),
            judge,
            folder,
            self.pairwise,
            baseline=self.against,
            command=self.command,
            progress=progress,
        )
        judged.took(judged.pairwise.judges, judged.pairwise.usage)

    def _count(
        self, folder: Path, candidates: Sequence[Candidate], judge: ReplySource, judged: Judged, progress: Progress
    ) -> None:
        answers = side_by_side(candidates)
        judged.claims = claims.count_claims(
            answers, judge, folder, self.settings, command=self.command, progress=progress
        )
        judged.took(judged.claims.models, judged.claims.usage)

    def requests(self, candidates: Sequence[Candidate]) -> Iterator[Request]:
        """What judges will be asked about these answers; statements not yet listed are taken as of usual length."""
        answerable = _answerable(candidates)
        if VERDICTS in self.groups:
            yield from map(verdicts.verdict_request, _with_reference(candidates))
        if GPT_SCORE in self.groups:
            yield from map(verdicts.scores_request, answerable)
        if ACCURACY in self.groups:
            yield from verdicts.claims_requests(answerable)
            for candidate in answerable:
                yield verdicts.statements_request(candidate, [candidate.text], [candidate.trial.question.answer or ""])
        if PAIRWISE in self.groups:
            answers = side_by_side(candidates)
            yield from pairwise.pairwise_requests(answers, self.pairwise, baseline=self.against)
        if CLAIMS in self.groups:
            yield from lists.requests(side_by_side(candidates)).values()

    @property
    def reply_tokens(self) -> dict[str, float]:
        """The usual length of a judge's reply to each task, in tokens."""
        return {**_REPLY_TOKENS, **claims.REPLY_TOKENS} if CLAIMS in self.groups else _REPLY_TOKENS


def side_by_side(candidates: Sequence[Candidate]) -> Answers:
    """The first answer of each system to each question; one must have been answered by all."""
    first = [candidate for candidate in candidates if candidate.trial.replicate == 1]
    return together({(one.trial.system, one.trial.question.text): one.text for one in first})


def _with_reference(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [candidate for candidate in candidates if candidate.trial.question.has_reference]


def _answerable(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [candidate for candidate in _with_reference(candidates) if not candidate.trial.question.is_null]


def _match(candidates: Sequence[Candidate], judged: Judged) -> None:
    for candidate in candidates:
        text, references = candidate.text, candidate.trial.question.references
        values = {"exact match": exact_match(text, references), "F1": token_f1(text, references)}
        judged.set(candidate.trial, values)


def _evidence(candidate: Candidate, judged: Judged) -> None:
    """Whether an answer is refused with all evidence read or with some missing, and whether a right one cites any."""
    values, wanted = judged.values.get(candidate.trial, {}), set(candidate.trial.question.evidence)
    refused = values.get(refusal(candidate.trial))
    if not wanted:
        return
    if refused is not None and candidate.read is not None:
        complete = wanted <= candidate.read
        found = {verdicts.REFUSED_WITH_ALL: refused * complete, verdicts.REFUSED_WITHOUT: refused * (not complete)}
        judged.set(candidate.trial, found)
    if values.get("judged") == 1 and candidate.cited is not None:
        judged.set(candidate.trial, {verdicts.RIGHT_AND_CITED: float(not wanted.isdisjoint(candidate.cited))})


def _accuracy(candidates: Sequence[Candidate], settings: AnswersSettings, judged: Judged, embedder: Embedder) -> None:
    """``ACC = weight · FC + (1 − weight) · SS`` where FC is there; SS is the cosine, or ``(1 + cosine) / 2``.

    An empty answer is not embedded, which an endpoint may refuse: its SS is 0.
    """
    weight = settings.accuracy_weight
    vectors = _vectors((text for one in candidates for text in (one.text, one.trial.question.answer or "")), embedder)
    for candidate in candidates:
        trial, likeness = candidate.trial, 0.0
        if candidate.text:
            cosine = float(vectors[candidate.text] @ vectors[trial.question.answer or ""])
            likeness = (1 + cosine) / 2 if settings.accuracy_similarity == SCALED else cosine
        judged.set(trial, {"SS": likeness})
        facts = judged.values[trial].get("FC")
        if facts is not None:
            judged.set(trial, {"ACC": weight * facts + (1 - weight) * likeness})


def _vectors(texts: Iterable[str], embedder: Embedder) -> dict[str, Vectors]:
    """The vector of each text, of a long one the mean of its windows; all are embedded at once."""
    cut = {text: parts(text, embedder, as_passage=True) for text in texts if text}
    embedded = iter(embedder.embed([piece for pieces in cut.values() for piece in pieces]))
    return {text: mean_of_windows([next(embedded) for _ in pieces]) for text, pieces in cut.items()}
