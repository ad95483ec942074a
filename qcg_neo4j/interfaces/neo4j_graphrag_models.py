"""Any model of the package neo4j-graphrag where ours are taken: its language models and its embedders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.addresses import redact
from qcg_neo4j.core.errors import EmbeddingError, LanguageModelError, needs
from qcg_neo4j.core.records import Usage
from qcg_neo4j.core.telemetry import observed_model
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors, unit_rows
from qcg_neo4j.models.embedding.known_models import Prefixes, prefixes_by_name
from qcg_neo4j.models.embedding.windows import beginnings, counting_of
from qcg_neo4j.models.llm import Budget, Completion, LanguageModelSettings
from qcg_neo4j.models.prompts import Message, Task

with needs("A model of neo4j-graphrag", "neo4j-graphrag", "neo4j-graphrag"):
    from neo4j_graphrag.embeddings import Embedder as TheirEmbedder
    from neo4j_graphrag.llm import LLMInterface, LLMInterfaceV2

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SHOWN = 300  # characters of another package's error


class GraphragModel:
    """A language model of neo4j-graphrag: give it to `LiveModel` or to `Writing` in the place of an `Endpoint`.

    Its sampling and its retries are its own; of ``settings`` the prices, concurrency and limits count. It writes an
    answer in one piece.
    """

    def __init__(
        self, model: LLMInterface | LLMInterfaceV2, settings: LanguageModelSettings = LanguageModelSettings()
    ) -> None:
        self.model = model.model_name
        self.address = f"{type(model).__module__.partition('.')[0]}:{type(model).__name__}"
        self.settings = replace(settings, model=self.model)
        self.budget = Budget(self.settings)
        self._model = model

    def close(self) -> None:
        """Nothing is open here: the model is its owner's."""

    def complete(self, messages: Sequence[Message], task: Task, longest: int | None = None) -> Completion:
        """Ask once; the form of the reply is asked for in the prompt.

        Raises:
            LanguageModelError: the model failed.
        """
        return self._ask(messages, longest, {"qcg.task": task.name})

    def stream(self, messages: Sequence[Message]) -> OnePiece:
        """A plain text, all of it at once."""
        return OnePiece(self, messages)

    def _ask(self, messages: Sequence[Message], longest: int | None, attributes: dict[str, Any]) -> Completion:
        reserved, paid = self.budget.reserve(messages, longest or self.settings.max_output_tokens), None
        try:
            with observed_model("chat", self.model, "", attributes) as seen:
                completion = self._completion(messages)
                paid = completion.usage
                if not paid.untold:
                    seen.attributes["gen_ai.usage.input_tokens"] = paid.input_tokens
                    seen.attributes["gen_ai.usage.output_tokens"] = paid.output_tokens
            return completion
        finally:
            self.budget.settle(reserved, paid)

    def _completion(self, messages: Sequence[Message]) -> Completion:
        told: Any = [dict(message) for message in messages]
        try:
            if isinstance(self._model, LLMInterface):
                system, last = told[0]["content"], told[-1]["content"]
                reply = self._model.invoke(last, message_history=told[1:-1] or None, system_instruction=system)
            else:
                reply = self._model.invoke(told)
        except Exception as error:  # each provider has errors of its own
            raise LanguageModelError(f"{self.model} failed: {redact(str(error)[:_SHOWN], ())}") from None
        counts = reply.usage and (reply.usage.request_tokens, reply.usage.response_tokens)
        known = counts is not None and None not in counts
        return Completion(reply.content, Usage(1, *counts) if known else Usage(1, untold=1))  # type: ignore[misc]


class OnePiece:
    """A text that comes all at once; ``usage`` is complete at the end."""

    def __init__(self, model: GraphragModel, messages: Sequence[Message]) -> None:
        self.usage = Usage(calls=1, untold=1)
        self._model, self._messages = model, messages

    def __iter__(self) -> Iterator[str]:
        completion = self._model._ask(self._messages, None, {})
        self.usage = completion.usage
        yield completion.text


class GraphragEmbedder(Embedder):
    """An embedder of neo4j-graphrag: give it to the stages, and to `Graph.embedder`.

    ``name`` is what the graph records as its model. ``tokenizer`` and ``window_tokens`` say what the model reads;
    without them tokens are estimated, and 512 are read. ``prefixes`` stand before questions and passages; without
    them those of the model's name.
    """

    def __init__(
        self,
        embedder: TheirEmbedder,
        name: str,
        *,
        tokenizer: str | None = None,
        window_tokens: int = 512,
        prefixes: Prefixes | None = None,
    ) -> None:
        self.name, self.reads = name, window_tokens
        self.prefixes = prefixes_by_name(name) if prefixes is None else prefixes
        self._embedder, self._tokenizer = embedder, tokenizer

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, or an estimate of its tokens."""
        return counting_of(self.name, self._tokenizer).tokenizer

    @cached_property
    def dimension(self) -> int:  # type: ignore[override] # learnt when somebody asks
        """How many numbers a vector has; embeds a word once."""
        return len(self._embed("dimension"))

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        readable = beginnings(texts, lambda: self.tokenizer, self._room(prefix))
        return unit_rows([self._embed(prefix + text) for text in readable], len(texts), self.name, self.dimension)

    def _embed(self, text: str) -> list[float]:
        try:
            return self._embedder.embed_query(text)
        except Exception as error:  # as above
            raise EmbeddingError(f"{self.name} failed: {redact(str(error)[:_SHOWN], ())}") from None
