"""How an answer is to be written: its length and form, and whether general knowledge may be in it."""

from __future__ import annotations

STYLES = ("passages", "abstract", "precise")  # each a prompt of its own; any other text is a wanted length and form
BRIEF = "Be as short as the question allows"
LONG = "Be as long as the question needs, in paragraphs, or as a list where the question asks for several things"
_SHORT = {"abstract": "one or more complete sentences", "precise": "the bare answer in a few words"}
_ALONE = "Use the {} alone. What they do not say, you do not know."
_GENERAL_KNOWLEDGE = (
    "The {} come first. You may add what is generally known and can be checked, but nothing made up; "
    'write "[general knowledge]" behind each such statement.'
)


def prompt_of(style: str) -> str:
    """The task that writes an answer from passages in that style."""
    return f"answer/{style if style in STYLES else STYLES[0]}"


def has_reasoning(style: str) -> bool:
    """Whether the style has the model reason before it answers."""
    return style in STYLES[1:]


def variables(what: str, style: str, usual: str = BRIEF, *, general_knowledge: bool = False) -> dict[str, str]:
    """The rules on sources and form for a prompt that shows items of the kind ``what``.

    ``usual`` is the form where the style asks for none.
    """
    rule = _GENERAL_KNOWLEDGE if general_knowledge else _ALONE
    form = usual if style in ("", STYLES[0]) else f"Length and form of the answer: {_SHORT.get(style, style)}"
    return {"knowledge": rule.format(what), "form": form}


def variables_of(style: str, *, general_knowledge: bool = False) -> dict[str, str]:
    """The same for the prompt of a style, which shows passages."""
    return variables("statements" if has_reasoning(style) else "passages", style, general_knowledge=general_knowledge)
