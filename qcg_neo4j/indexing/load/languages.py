"""The language of documents: how their words are compared, and whether the embedding model was made for it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import language_of, use_language
from qcg_neo4j.models.embedding.embedder import Embedder

if TYPE_CHECKING:
    from tokenizers import Encoding

SAMPLES = 200
CHARACTERS = 2000  # of a document
FEWEST_BYTES = 60  # 60 letters of English, 20 of Chinese
ENGLISH = {"en", "zxx"}  # and what is no language
INSTEAD = "multilingual-e5-small"
_LOOKED_AT = 50  # samples whose language is found
_SHARE = 2 / 3  # of them that one language must have
_SURE = 0.9  # probability of a language, of a sample that counts
# A model for many languages has more tokens than this (100,000 to 250,000; English ones 30,000 to 50,000) …
LARGEST_OF_ONE_LANGUAGE = 65_000
# … and one for another language knows most of its words as they are: by the tokenizer of all-MiniLM-L6-v2 a word of
# English prose, of program text or of Cypher has 1.06 to 1.14 tokens, one of French 1.5, of German or Spanish 2.1; of
# Japanese and Chinese 23 to 46 percent are unknown to it.
MOST_TOKENS_PER_WORD = 1.35
MOST_UNKNOWN = 0.05


class Languages:
    """Looks at the beginnings of documents, or of chunks of others, as they come."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.samples: list[str] = []
        self._short = ""

    def see(self, text: str) -> None:
        """Take a document into account, by its text."""
        self._short = f"{self._short} {text[:CHARACTERS]}".strip()  # short ones say something together
        if len(self._short.encode()) >= FEWEST_BYTES:
            self.add([self._short])
            self._short = ""

    def add(self, samples: list[str]) -> None:
        """Take into account what others have seen."""
        self.samples += samples[: SAMPLES - len(self.samples)]

    def settle(self, graph: Graph, given: str | None) -> None:
        """Record the language of the corpus: the one that is given, else the one of most documents that came first."""
        if given is None and (not self.samples or language_of(graph) is not None):
            return
        if (language := given or self._of_most()) is not None:
            use_language(graph, language)

    def _of_most(self) -> str | None:
        samples = self.samples[:: len(self.samples) // _LOOKED_AT + 1]
        found = Counter(name for text in samples if (name := surely(text)))
        name, number = found.most_common(1)[0] if found else ("", 0)
        return name if number >= _SHARE * len(samples) else None

    def warnings(self) -> tuple[str, ...]:
        """A warning if many documents are in a language that the model's tokenizer does not know, and not English."""
        tokenizer = self._embedder.tokenizer
        if not self.samples or tokenizer.get_vocab_size() > LARGEST_OF_ONE_LANGUAGE:
            return ()
        encodings = tokenizer.encode_batch(self.samples, add_special_tokens=False)
        strange = [text for text, encoding in zip(self.samples, encodings, strict=True) if _is_strange(encoding)]
        if len(strange) * 4 < len(self.samples):
            return ()
        languages = Counter(name for text in strange if (name := probably(text)) not in ENGLISH)
        if languages.total() * 4 < len(self.samples):
            return ()
        name, _ = languages.most_common(1)[0]
        return (
            f"{languages.total()} of {len(self.samples)} documents looked at are not in English (most: '{name}'), and "
            f"{self._embedder.name} is made for English, so that little will be found by meaning: load them into an "
            f"empty graph with a multilingual model, such as `qcg server start --database-model FOLDER` with the ONNX "
            f"files of {INSTEAD}, or `--embedding intfloat/{INSTEAD}`",
        )


def _is_strange(encoding: Encoding) -> bool:
    words = len({place for place in encoding.word_ids if place is not None}) or 1
    unknown = sum(token in {"[UNK]", "<unk>"} for token in encoding.tokens)
    return len(encoding.ids) > MOST_TOKENS_PER_WORD * words or unknown > MOST_UNKNOWN * len(encoding.ids)


def probably(text: str) -> str:
    """The language of a text, be it certain or not."""
    return str(_identifier().classify(text)[0])


def surely(text: str) -> str | None:
    """The language of a text, where it is certain enough."""
    name, probability = _identifier().classify(text)
    # Latin letters are shared by many languages; other scripts say much by themselves.
    latin = sum(letter.isascii() for letter in text) > len(text) / 2
    return str(name) if probability >= (_SURE if latin else _SURE / 2) else None


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
