"""The criteria by which two answers are compared; directness is the control, which thorough answers should lose."""

from __future__ import annotations

CRITERIA = {
    "comprehensiveness": (
        "How completely does the answer cover what the question asks about? Better is the answer that deals with more "
        "of the question's aspects, and with each in the detail that it needs. To repeat a point, or to add what does "
        "not belong to the question, covers nothing more."
    ),
    "diversity": (
        "How many different perspectives and insights does the answer offer? Better is the answer that looks at the "
        "question from more sides: other points of view, other groups of people, other causes, cases and sources. Many "
        "points of the same kind, or a single source or opinion, are little diversity."
    ),
    "empowerment": (
        "How well does the answer enable its reader to understand the matter and to come to a sound judgement? Better "
        "is the answer that explains and gives reasons, examples and sources for what it claims, and that does not "
        "mislead by claims without support."
    ),
    "directness": (
        "How directly and clearly does the answer respond to exactly what was asked? Better is the answer that comes "
        "to the point and leaves out what is not needed."
    ),
}
