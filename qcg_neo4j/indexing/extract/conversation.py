"""What is asked about a chunk, one thing after the other, and many chunks at the same time; and what that will cost.

Gleaning has the two steps of the GraphRAG paper, A.2: were any missed, yes or no? On yes: many were, add them.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from qcg_neo4j.core.records import Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.extract.findings import MOST, Findings, clean
from qcg_neo4j.indexing.extract.settings import GRANULAR, Domain, ExtractSettings, read_domain
from qcg_neo4j.indexing.stage import Payer, StoredChunk, stored_chunks
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm import Estimate, cost, estimate
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request

GRAPH, MISSED, GLEAN, CLAIMS = "extract/graph", "extract/missed", "extract/glean", "extract/claims"
ATOMS = "extract/granular"
# A graph as JSON in tokens of MiniLM, over 2,400 recorded ones of LiHua-World and MuSiQue: these and one per token
# of the text.
FIXED_TOKENS = 500
_FOLLOWING = 150  # tokens of a reply that adds to another one


@dataclass
class Conversation:
    """The requests about one chunk and the replies that have come."""

    chunk: StoredChunk
    settings: ExtractSettings
    domain: Domain
    replies: list[Mapping[str, Any]] = field(default_factory=list)
    missed: bool = False
    granular: list[Mapping[str, Any]] = field(default_factory=list)
    claims: list[Mapping[str, Any]] = field(default_factory=list)
    written_by: str = ""
    failure: str = ""
    usage: Usage = field(default_factory=Usage)

    def next_request(self) -> Request | None:
        """What to ask now; None when all is said."""
        if self.failure:
            return None
        if not self.replies:
            return self._request(GRAPH)
        if len(self.replies) <= self.settings.rounds and any(self.replies[-1].values()):
            return self._request(GLEAN if self.missed else MISSED, round_number=len(self.replies))
        if self.settings.atoms == GRANULAR and not self.granular:
            return self._request(ATOMS)
        if self.settings.claims and not self.claims:
            return self._request(CLAIMS)
        return None

    def take(self, result: Reply | Failure) -> None:
        """Go on with a reply, or end with a failure."""
        self.usage += result.usage
        name = result.request.task.name
        if isinstance(result, Failure):
            if name in (MISSED, GLEAN) and not self.settings.requires_gleaning:
                self.replies.append({})
            else:
                self.failure = result.reason
        elif name == ATOMS:
            self.granular.append(result.value)
        elif name == CLAIMS:
            self.claims.append(result.value)
        elif name == MISSED and result.value["missed"] == "yes":
            self.missed = True
        else:
            self.missed = False
            self.replies.append({} if name == MISSED else result.value)  # an empty one ends the gleaning
        if isinstance(result, Reply):
            self.written_by = self.written_by or result.model

    def findings(self) -> Findings | None:
        """What the replies say; None without any."""
        if not self.replies:
            return None
        atoms = self.replies if not self.granular else [{**reply, "atoms": []} for reply in self.replies]
        return clean([*atoms, *self.granular], self.claims)

    def _request(self, name: str, round_number: int = 1) -> Request:
        variables = {"text": self.chunk.text, **self.domain.variables()}
        # A later round has another input, and so another key.
        key_text = self.chunk.text if round_number == 1 else f"{self.chunk.text}\n{round_number}"
        if name in (MISSED, GLEAN):
            variables["found"] = json.dumps(_joined(self.replies), ensure_ascii=False)
        elif name in (CLAIMS, ATOMS):
            variables["names"] = "\n".join(entity.name for entity in clean(self.replies).entities)
        return Request(task(name), key_text, variables, self.settings.demonstration)


def _joined(replies: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = ("entities", "relations", "atoms")
    return {name: [item for reply in replies for item in reply.get(name, [])][: MOST[name]] for name in names}


def converse(source: ReplySource, started: Iterable[Conversation]) -> Iterator[Conversation]:
    """Have all the conversations, several at a time; each is given back when it is over."""
    asked: defaultdict[tuple[str, str], list[Conversation]] = defaultdict(list)  # equal texts ask the same
    going_on: deque[Conversation] = deque()
    waiting = iter(started)

    def requests() -> Iterator[Request]:
        while conversation := going_on.popleft() if going_on else next(waiting, None):
            request = conversation.next_request()
            assert request is not None  # noqa: S101 - only those that have something to ask wait
            asked[request.key, request.prompt].append(conversation)
            yield request

    # What a last reply leads to is asked in another turn, because the requests of this one have ended.
    while True:
        for result in source.replies(requests()):
            conversation = asked[result.request.key, result.request.prompt].pop()
            conversation.take(result)
            if conversation.next_request():
                going_on.append(conversation)
            else:
                yield conversation
        if not going_on:
            return


def estimate_extraction(
    graph: Graph, settings: ExtractSettings, payer: Payer, texts: Iterable[StoredChunk] = ()
) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    ``texts`` are chunks that the graph will hold besides. What is asked after the first unknown reply of a chunk can
    only be guessed; summaries of descriptions are left out.
    """
    source, count = payer.source, payer.count
    mean, _ = payer.store.mean_tokens(GRAPH, payer.settings.model or "") or (None, 0)
    domain = read_domain(settings.domain)
    following = Usage()  # calls behind the first of each chunk whose reply is not known

    def expected(request: Request) -> float:
        tokens = mean or FIXED_TOKENS + count(request.key_text)
        return min(tokens if request.task.name == GRAPH else _FOLLOWING, float(payer.settings.max_output_tokens))

    def requests() -> Iterator[Request]:
        nonlocal following
        seen: set[str] = set()
        for chunk in chain(stored_chunks(graph, "extract/chunks"), texts):
            conversation = Conversation(chunk, settings, domain)
            while request := conversation.next_request():
                yield request
                known = source.known(request)
                if known is None:
                    if chunk.text not in seen:
                        following += _following(conversation, request, count, expected(request))
                    seen.add(chunk.text)
                    break
                conversation.take(known)

    first = estimate(requests(), source, payer.settings, count, expected, "")
    usage = first.usage + following
    basis = f"mean of earlier replies of {payer.settings.model}" if mean else "by the length of recorded graphs"
    return replace(
        first,
        requests=first.requests + following.calls,
        usage=usage,
        cost=cost(usage, payer.settings),
        assumption=f"{basis}; {_FOLLOWING} for each of {following.calls:,} further calls about the same chunks",
    )


def _following(conversation: Conversation, request: Request, count: TokenCounter, reply: float) -> Usage:
    """The calls that will come after this one, each about as long as it and its reply together."""
    settings = conversation.settings
    up_to_atoms = settings.rounds + (settings.atoms == GRANULAR)
    every = up_to_atoms + settings.claims
    asked = {ATOMS: up_to_atoms, CLAIMS: every}.get(request.task.name, len(conversation.replies))
    calls = every - asked
    if calls <= 0:
        return Usage()
    length = sum(count(message["content"]) for message in request.messages()) + round(reply)
    return Usage(calls, calls * length, calls * _FOLLOWING)
