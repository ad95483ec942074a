"""The sentences of a chunk: what becomes a node when no language model is there (the QCG paper's ablation)."""

from __future__ import annotations

import re

from qcg_neo4j.indexing.generate.pairs import Cleaned, Pair, says_something

# A line that goes on in lower case is wrapped prose; any other line, as in a chat, ends a sentence.
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
_LINE_END = re.compile(r"\s*\n\s*(?![a-z\s])")


def sentences(text: str, language: str) -> Cleaned:
    """Each sentence of the text once; fragments (a list's numbers, a lone letter or emoji) count as empty.

    Headings of Markdown name what follows and state nothing: they are no sentences.
    """
    from sentencex import segment

    found = [
        " ".join(sentence.split())
        for line in _LINE_END.split(_HEADING.sub("\n", text))
        for sentence in segment(language, line)
        if sentence.strip()
    ]
    usable = [sentence for sentence in found if says_something(sentence)]
    unique = dict.fromkeys(usable)
    return Cleaned(tuple(Pair(sentence) for sentence in unique), len(found) - len(usable), len(usable) - len(unique))
