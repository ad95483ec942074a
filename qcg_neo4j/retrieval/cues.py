"""Whether a question asks about the whole collection, told from its words alone: a transparent rule, in English."""

from __future__ import annotations

import re

# What people call a collection, and its parts all together.
_COLLECTION = r"(?:collection|corpus|corpora|data ?set|data|archive|library|material|knowledge base|graph)"
_PARTS = (
    r"(?:documents|texts|files|papers|articles|reports|records|notes|stories|books|chapters|sources|passages|pages|"
    r"posts|threads|chats|conversations|discussions|dialogues|messages|e-?mails|letters|transcripts|interviews|reviews)"
)
# What runs through many texts; in the singular it is as a rule that of one of them.
_THREADS = (
    r"(?:themes|topics|subjects|issues|concerns|worries|complaints|problems|questions|reasons|ideas|opinions|views|"
    r"attitudes|arguments|debates|conflicts|interests|activities|habits|trends|patterns|tendencies|developments|motifs|"
    r"narratives|storylines|threads|takeaways|insights|lessons)"
)
_WEIGHTY = (
    r"(?:main|major|central|key|core|principal|chief|dominant|predominant|prevailing|prominent|overarching|"
    r"recurring|recurrent|repeated|common|commonest|frequent|widespread|broad|broader|general|overall|biggest|"
    r"largest|most important)"
)
_EVERYBODY = r"(?:people|persons|users|participants|members|speakers|authors|writers|characters|everyone|everybody)"

# Each cue by what it is called in the evidence's notes. The order is that in which they are looked for.
CUES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        # "this corpus", "the whole set of reports", "all the chats", "across the conversations"
        "the collection": (
            rf"(?<!according to )\b(?:this|the|our|my|whole|entire|full) (?:whole |entire |full )?(?:text |document )?"
            rf"(?:collection|corpus|corpora|data ?set|archive|knowledge base)\b"
            rf"|\b(?:whole|entire|full|all(?: of)?(?: the| this| these)?) (?:set of |body of )?(?:\w+ )?"
            rf"(?:{_COLLECTION}|{_PARTS})\b"
            rf"|\b(?:these|across|throughout|among)(?: the| these| all)? (?:\w+ )?(?:{_COLLECTION}|{_PARTS})\b"
        ),
        # "Overall, …", "… as a whole"
        "overall": (
            r"^(?:overall|in general|generally(?: speaking)?|broadly(?: speaking)?)\b|, (?:overall|in general),"
            r"|\b(?:overall|all in all)\W*$"
            r"|\b(?:as a whole|on the whole|by and large|all in all|taken together|big picture|bigger picture)\b"
        ),
        # "main themes", "most common reasons", "recurring patterns"
        "main themes": (
            rf"\b{_WEIGHTY}(?:,? (?:and )?\w+)? {_THREADS}\b"
            rf"|\b(?:what|which|any) (?:\w+ )?{_THREADS} (?:(?:can|could) be (?:seen|found|observed)|"
            rf"come up|came up|recur|stand out|emerge|dominate|prevail|keep|run through|"
            rf"(?:are|were) (?:most|mostly|repeatedly|often|commonly|frequently|there))\b"
        ),
        # "what topics come up most often"
        "most often": r"\b(?:come|comes|came|mentioned|discussed|talked|talk|raised|appear|appears|occur|occurs) "
        r"(?:up |about )?(?:the )?(?:most(?: often| frequently)?|again and again|repeatedly|over and over)\b",
        # "summarize the …", "an overview of …"
        "summary": (
            r"^(?:please |can you |could you )*(?:summari[sz]e|sum up|outline|recap) "
            r"(?:the|this|these|all|everything|what|it|our|my)\b"
            r"|\b(?:give|write|provide|make|show)(?: me| us)? (?:an?|the) (?:\w+ )?"
            r"(?:summary|overview|outline|synopsis) of\b"
            r"|\b(?:the gist of|in a nutshell|bird's[- ]eye view)\b"
        ),
        # "what kinds of events do people plan"
        "what kinds": (
            rf"\b(?:what|which) (?:kinds|sorts|types) of (?:\w+ ){{1,3}}?"
            rf"(?:(?:do|did|are|were|have) (?:the |these |most )?{_EVERYBODY}\b|"
            rf"(?:come|came|appear|occur|recur|"
            r"(?:are|were) (?:there|mentioned|discussed|described|covered|reported))\b)"
        ),
        # "what do these people do", "how do people here get along"
        "everybody": (
            rf"\b(?:these|most|all) {_EVERYBODY}\b"
            rf"|\b(?:{_EVERYBODY}) (?:here|tend to|in general|usually|mostly|generally|typically)\b"
            rf"|^(?:what|how|why|where|when|which) (?:do|did|are|were) (?:the )?{_EVERYBODY} "
            r"(?!(?:with|who|of|from|at)\b)"
        ),
        # "how does the tone change over the year"
        "over time": (
            r"\b(?:change|changes|changed|evolve|evolves|evolved|develop|develops|developed|shift|shifts|shifted) "
            r"(?:over|through|during|in the course of)(?: the| these)? "
            r"(?:time|(?:whole |entire )?(?:year|years|months|weeks|decades|period))\b"
        ),
    }.items()
}


def cue(question: str) -> str | None:
    """The name of the first cue that a question asks about the whole collection; None where there is none.

    >>> cue("What are the main themes of these chats?"), cue("Who recommended the gym?")
    ('the collection', None)
    """
    text = " ".join(question.split())
    return next((name for name, pattern in CUES.items() if pattern.search(text)), None)


_ORDER = re.compile(
    r"\b(?:before|after|first|last|latest|earliest|(?:most )?recent(?:ly)?|earlier|later|in (?:what|which) order)\b",
    re.IGNORECASE,
)


def asks_order(question: str) -> bool:
    """Whether a question asks about the order of events, by its words.

    >>> asks_order("Did she call before he left?"), asks_order("Who called?")
    (True, False)
    """
    return _ORDER.search(question) is not None
