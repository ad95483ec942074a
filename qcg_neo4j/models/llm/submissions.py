"""The way of a batch: noted, uploaded, noted, created, noted, looked at, collected, forgotten.

Each step can be the last one of a run: the next one goes on from what is noted, and finds at the endpoint, by our name
for the batch, what was not.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import IO

from qcg_neo4j.core.errors import InvalidReplyError, LanguageModelError, number_of
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm.attempts import (
    ATTEMPTS,
    Completion,
    completion_of,
    given_up,
    next_attempt,
    read_form,
    read_value,
    reply_format,
)
from qcg_neo4j.models.llm.batch_endpoint import ENDED, BatchEndpoint, BatchLine, BatchState, request_line
from qcg_neo4j.models.llm.budget import SpentError
from qcg_neo4j.models.llm.endpoint import Endpoint
from qcg_neo4j.models.llm.settings import LanguageModelSettings
from qcg_neo4j.models.refusals import PermanentError, RefusedError
from qcg_neo4j.models.replies import Asked, Batch, ReplyStore, Request
from qcg_neo4j.models.replies.journal import PREPARED, Member

Identity = tuple[str, str, str]


def identity(asked: Asked) -> Identity:
    """What two equal requests have in common."""
    return asked.task.name, asked.key, asked.prompt


class _Part:
    """The file of one batch while it is written, and the requests in it with number and turn."""

    def __init__(self, opened: ExitStack) -> None:
        self.lines: IO[bytes] = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it is in one
        self.asked: list[tuple[int, Request, int]] = []
        self._size = 0

    def add(self, line: bytes, number: int, request: Request, turn: int) -> None:
        self.lines.write(line)
        self.asked.append((number, request, turn))
        self._size += len(line)

    def is_full(self, more: int, settings: LanguageModelSettings) -> bool:
        return len(self.asked) == settings.batch_requests or self._size + more > settings.batch_bytes


class Submissions:
    """The batches of one model at one endpoint.

    ``paid`` is what the replies cost that this run has collected, ``failed`` why others will not come, and whether the
    model did reply.
    """

    def __init__(self, endpoint: Endpoint, store: ReplyStore, told: Callable[[str], None]) -> None:
        self.paid: dict[Identity, Usage] = {}
        self.failed: dict[Identity, tuple[str, bool]] = {}
        self._endpoint, self._store, self._told = endpoint, store, told
        self._settings, self._model = endpoint.settings, endpoint.model
        self._batches_there = BatchEndpoint(endpoint)
        self._said: set[str] = set()

    def close(self) -> None:
        """Close all connections."""
        self._batches_there.close()

    def collect(self, asked: Sequence[Request]) -> None:
        """Look at each batch with requests of the tasks asked for, and store what those have brought that have ended.

        What others ask is theirs to collect: they are told what it cost and what failed.
        """
        tasks = {request.task.name for request in asked}
        with self._store.batches.lock():
            for batch in self._store.batches.under_way():
                is_ours = (batch.endpoint, batch.model) == (self._batches_there.address, self._model)
                if is_ours and self._store.batches.tasks(batch) & tasks:
                    self._look(batch, asked)

    def submit(self, requests: Sequence[Request]) -> None:
        """Submit the requests that are in no batch, in batches within the limits; duplicates once.

        Raises:
            SpentError: a further request could cost more than is allowed; what fits is submitted.
        """
        with self._store.batches.lock():
            todo = {identity(each): each for each in requests}
            free = (each for each in todo.values() if not self._store.batches.holding(each, self._model))
            for part in self._parts(each for each in free if not self._store.find_paid(each, self._model)):
                if part.asked:
                    self._send(part)

    def _parts(self, requests: Iterable[Request]) -> Iterator[_Part]:
        with ExitStack() as opened:
            part = _Part(opened)
            for number, request in enumerate(requests):
                came = self._came(request)
                if came and self._has_result(request, came):
                    continue
                attempt = next_attempt(request, came, self._settings.max_output_tokens)
                body = self._endpoint.body(attempt.messages, attempt.most_tokens, reply_format(request.task))
                line = request_line(number, body)
                if len(line) > self._settings.batch_bytes:
                    self._fail(request, f"it has {len(line):,} bytes, more than a batch may have")
                    continue
                if part.is_full(len(line), self._settings):
                    yield part
                    part = _Part(opened)
                try:
                    self._endpoint.budget.take(attempt.messages, attempt.most_tokens)
                except SpentError:
                    yield part
                    raise
                part.add(line, number, request, len(came))
            yield part

    def _has_result(self, request: Request, came: Sequence[Completion]) -> bool:
        """Whether what came before a run was killed settles a request; then it is kept, as that run would have."""
        *earlier, last = came
        try:
            value = read_value(request, last, self._longest(earlier))
        except InvalidReplyError as error:
            if len(came) < ATTEMPTS:
                return False
            self._give_up(request, error.problem)
        else:
            self._store.put(request, self._model, value, sum((each.usage for each in came), Usage()))
        return True

    def _longest(self, earlier: Sequence[Completion]) -> int:
        return self._settings.max_output_tokens << sum(each.cut_off for each in earlier)

    def _send(self, part: _Part) -> None:
        batch = self._store.batches.prepare(self._batches_there.address, self._model, part.asked)
        part.lines.seek(0)
        try:
            file = self._batches_there.upload(batch.name, part.lines)
        except LanguageModelError:
            self._store.batches.forget(batch)  # a file that nobody asks for costs nothing
            raise
        self._create(self._store.batches.note(batch, PREPARED, file=file), file)

    def _create(self, batch: Batch, file: str) -> Batch:
        try:
            state = self._batches_there.create(batch.name, file)
        except (PermanentError, RefusedError):
            self._store.batches.forget(batch)
            raise
        noted = self._store.batches.note(batch, state.state, known_as=state.id)
        self._say(f"Submitted batch {noted}")
        return noted

    def _look(self, batch: Batch, asked: Sequence[Request]) -> None:
        found = batch if batch.id else self._found(batch)
        if found is None or found.id is None:
            return
        try:
            state = self._batches_there.look(found.id)
            noted = self._store.batches.note(found, state.state, state.done)
            if state.state in ENDED:
                self._take(noted, state)
            else:
                self._say(f"Batch {noted}")
        except PermanentError as error:
            # An endpoint that does not know a batch any more will never; a person has to say that it is lost.
            remedy = (
                "Give the endpoint and the key that it was submitted with. "
                f"If it is lost: `qcg replies forget {found.name}`, and its requests are asked, and paid, again."
            )
            lost = PermanentError(f"Batch {found.id}: {error.problem}", remedy)
            if self._holds_any(found, asked):
                raise lost from None
            self._say(f"{lost} None of them is needed now".replace("\n", " "))

    def _holds_any(self, batch: Batch, asked: Sequence[Request]) -> bool:
        members = map(identity, self._store.batches.members(batch).values())
        return not set(members).isdisjoint(map(identity, asked))

    def _found(self, batch: Batch) -> Batch | None:
        """A batch whose creation was not noted: it is there, or is created now; None if its file never arrived."""
        state = self._batches_there.find(batch)
        if state:
            return self._store.batches.note(batch, state.state, state.done, known_as=state.id)
        file = batch.file or self._batches_there.find_file(batch)
        if file:
            return self._create(self._store.batches.note(batch, PREPARED, file=file), file)
        self._store.batches.forget(batch)
        return None

    def _take(self, batch: Batch, state: BatchState) -> None:
        """Store what a batch has brought; what expired is free to be asked again, other failures are told."""
        left, outcome = self._store.batches.members(batch), Counter[str]()
        for file in state.files:
            for line in self._batches_there.lines(file):
                member = left.pop(line.number, None)
                if member:
                    outcome[self._keep(member, line)] += 1
        if state.state != "expired":
            for member in left.values():
                why = f": {state.reason}" if state.reason else ""
                self._fail(member, f"batch {batch.id} ({state.state}) brought no reply{why}")
        self._store.batches.forget(batch)
        lacking = f", {batch.requests - outcome['usable']:,} without" if batch.requests > outcome["usable"] else ""
        why = f" ({state.reason})" if state.reason else ""
        brought = number_of(outcome["usable"], "reply", "replies")
        self._say(f"Collected batch {batch.id}, {state.state}{why}: {brought}{lacking}")
        if outcome["unusable"] >= self._settings.unusable_in_a_row and not outcome["usable"]:
            raise LanguageModelError(
                f"Batch {batch.id} brought {outcome['unusable']:,} replies, and none of them can be used.",
                f"Try another model than {self._model}.",
            )

    def _keep(self, member: Member, line: BatchLine) -> str:
        """Store the reply of a line, or what the next attempt goes on from; says which."""
        if line.expired:
            return "expired"
        if line.reason:
            if line.refused:
                self._store.journal.refuse(member, self._model, line.reason)
            return self._fail(member, line.reason)
        try:
            completion = completion_of(line.body, self._batches_there.address, self._endpoint.secrets)
        except LanguageModelError as error:
            return self._fail(member, error.problem)
        earlier = self._came(member)[: member.turn]
        self.paid[identity(member)] = self.paid.get(identity(member), Usage()) + completion.usage
        try:
            value = read_form(member.task, completion, self._longest(earlier))
        except InvalidReplyError as error:
            return self._reject(member, completion, error.problem)
        spent = sum((each.usage for each in earlier), completion.usage)
        self._store.put(member, self._model, value, spent)
        return "usable"

    def _reject(self, member: Member, completion: Completion, reason: str) -> str:
        if member.turn + 1 < ATTEMPTS:
            self._store.journal.deliver(member, self._model, member.turn, asdict(completion))
        else:
            self._give_up(member, reason)
        return "unusable"

    def _give_up(self, asked: Request | Member, reason: str) -> None:
        self._store.journal.settle(asked, self._model)
        self._fail(asked, given_up(reason), unusable=True)

    def _fail(self, asked: Request | Member, reason: str, *, unusable: bool = False) -> str:
        self.failed[identity(asked)] = (reason, unusable)
        return "failed"

    def _came(self, asked: Asked) -> list[Completion]:
        return [Completion.from_dict(came) for came in self._store.journal.delivered(asked, self._model)]

    def _say(self, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._told(f"{what}.")
