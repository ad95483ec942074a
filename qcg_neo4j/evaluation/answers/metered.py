"""A source of replies that counts what each answer takes, and asks again for each repetition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.judge import check_none_waits
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request, Result, replies_about


def repeated(request: Request, replicate: int) -> Request:
    """The request of a repetition: the first is the request itself, the others have keys of their own."""
    if replicate == 1:
        return request
    return Request(request.task, f"{request.key_text}\n(repetition {replicate})", request.variables)


class Metered:
    """Another source, with what its replies took.

    ``batched`` is asked instead for what is wanted all at once; None where that is asked like the rest. ``paid`` is all
    that was paid now; ``usage`` what was paid, whenever that was, for the replies since `begin`, and ``all_new`` is
    False when one of these was there already.
    """

    def __init__(self, source: ReplySource, batched: ReplySource | None = None) -> None:
        self._source, self._batched, self._replicate = source, batched or source, 1
        self.paid = self.usage = Usage()
        self.all_new = True

    @property
    def name(self) -> str:
        """The source's name."""
        return self._source.name

    def begin(self, replicate: int = 1) -> None:
        """Count from here, and ask for a repetition."""
        self._replicate, self.usage, self.all_new = replicate, Usage(), True

    def known(self, request: Request) -> Reply | None:
        """The reply if it is there without any cost."""
        found = self._source.known(repeated(request, self._replicate))
        return replace(found, request=request) if found else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request, in the order in which they come."""
        return self._counted(requests, self._source)

    def replies_at_once(self, requests: Iterable[Request]) -> Iterator[Result]:
        """The same for requests that are all there before the first reply is needed, which may go in batches."""
        return self._counted(requests, self._batched)

    def check_none_waits(self) -> None:
        """Refuse to go on without replies that are in batches which have not ended.

        Raises:
            WaitingError: there are some.
        """
        check_none_waits(self._batched)

    def _counted(self, requests: Iterable[Request], source: ReplySource) -> Iterator[Result]:
        for request, result in replies_about(source, requests, lambda asked: repeated(asked, self._replicate)):
            self.paid += result.usage
            self.usage += result.usage if isinstance(result, Failure) else usage_of(result)
            self.all_new = self.all_new and result.usage.calls > 0
            yield replace(result, request=request)


def usage_of(reply: Reply) -> Usage:
    """What a reply took when it was asked for: a call at least, its tokens where they are known."""
    return reply.paid if reply.paid.calls else replace(reply.paid, calls=1)
