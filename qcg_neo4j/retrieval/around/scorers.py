"""Models that score a question and a passage together: a CrossEncoder on this machine, or an endpoint."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from qcg_neo4j.core.addresses import is_address, redact, secrets_of, shown_address
from qcg_neo4j.core.errors import MissingPackageError, RerankError
from qcg_neo4j.core.records import Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.refusals import reason_of
from qcg_neo4j.retrieval.around.wrapper import Reordered


@dataclass(frozen=True)
class Reranked(Reordered):
    """A retriever whose passages a model reads together with the question, and orders by its scores."""

    scorer: Scorer = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """The inner method's name, the model's, and how many passages it reads."""
        return f"{self.retriever.name} + {self.scorer.name} over {self.candidates}"

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages by the model's scores."""
        texts = [passage.text for passage in passages]
        scores = self.scorer.scores(question, texts)
        scored = [replace(passage, score=score) for passage, score in zip(passages, scores, strict=True)]
        return sorted(scored, key=lambda passage: (-passage.score, passage.id))


RETRIES, SECONDS = 5, 120.0


class Scorer(Protocol):
    """Whatever scores texts for a question; higher is better, on a scale of its own."""

    @property
    def name(self) -> str:
        """What evidence and tables call it."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text.

        Raises:
            RerankError: the model or the endpoint gave no usable scores.
        """


class CrossEncoderScorer:
    """A CrossEncoder of sentence-transformers, by name or folder; loaded when the first passages are scored.

    Of a passage that is longer than the model reads, the beginning counts.
    """

    def __init__(self, model: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise MissingPackageError(
                "A reranker on this machine needs sentence-transformers, which is not installed.",
                "Install it: pip install 'qcg-neo4j[sentence-transformers]', or give --then rerank=MODEL@URL.",
            )
        self._location = str(Path(model).expanduser().resolve()) if Path(model).expanduser().is_dir() else model
        self.name = model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text."""
        if not texts:
            return []
        values = self._model.predict([(question, text) for text in texts], show_progress_bar=False)
        if getattr(values, "ndim", 1) != 1:
            raise RerankError(
                f"The reranker {self._location} gives {values.shape[1]} scores for a passage, and one is needed.",
                "Give a model with a single label.",
            )
        return [float(value) for value in values]

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns whenever a process forks
        import transformers
        from sentence_transformers import CrossEncoder

        transformers.utils.logging.disable_progress_bar()
        try:
            return CrossEncoder(
                self._location,
                local_files_only=Path(self._location).is_dir(),
                model_kwargs={"use_safetensors": True},  # the other form of weights may hold code
            )
        except Exception as error:  # many kinds, from missing files to broken weights
            raise RerankError(
                f"The reranker {self._location} cannot be loaded: {error}",
                "Give the name or the folder of a CrossEncoder.",
            ) from None


class EndpointScorer:
    """An endpoint with Cohere's and Jina's ``/rerank``, which vLLM and Infinity serve, too; or that of TEI."""

    def __init__(self, endpoint: str, model: str, api_key: str | None = None) -> None:
        self._endpoint, self._key, self._shown = endpoint, api_key, shown_address(endpoint)
        self._secrets = secrets_of(endpoint, api_key)
        if not is_address(endpoint):
            raise RerankError(
                f"{self._shown!r} is not the address of an endpoint.", "Such as http://localhost:8000/v1."
            )
        self._has_texts = False
        self.name = model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text."""
        if not texts:
            return []
        reply = self._ask(question, list(texts))
        found = reply.get("results") if isinstance(reply, dict) else reply
        scores: dict[int, float] = {}
        try:
            for item in found or []:
                scores[int(item["index"])] = float(item["relevance_score" if "relevance_score" in item else "score"])
            return [scores[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError, AttributeError):
            raise RerankError(
                f"{self._shown}/rerank gave {len(scores):,} scores for {len(texts):,} passages.",
                "It must serve `/rerank` as Cohere, Jina, vLLM, Infinity or Text Embeddings Inference do.",
            ) from None

    def _ask(self, question: str, texts: list[str]) -> Any:
        import openai

        while True:
            try:
                return self._client.post("/rerank", cast_to=object, body=self._body(question, texts))
            except openai.APIStatusError as error:
                # Text Embeddings Inference calls the passages otherwise, and says so.
                if error.status_code in (400, 422) and not self._has_texts and "texts" in str(error.body or error):
                    self._has_texts = True
                    continue
                raise self._failed(f"answered {error.status_code}: {reason_of(error, self._secrets)}") from None
            except (openai.APIError, ValueError, RecursionError) as error:
                raise self._failed(f"does not answer: {error}") from None

    def _body(self, question: str, texts: list[str]) -> dict[str, Any]:
        if self._has_texts:
            return {"query": question, "texts": texts}
        return {"model": self.name, "query": question, "documents": texts, "top_n": len(texts)}

    def _failed(self, what: str) -> RerankError:
        return RerankError(
            f"The reranker at {self._shown} {redact(what, self._secrets)}",
            "Check its address, the model's name, and the key in QCG_RERANK_API_KEY.",
        )

    @cached_property
    def _client(self) -> Any:
        import openai

        # Local servers want no key, but the client insists on one.
        client = openai.OpenAI(
            base_url=self._endpoint, api_key=self._key or "none", max_retries=RETRIES, timeout=SECONDS
        )
        # A method is a value that nobody closes: its connections go with it.
        weakref.finalize(self, client.close)
        return client
