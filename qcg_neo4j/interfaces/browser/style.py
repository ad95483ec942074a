"""The style of the graph as Browser reads it (GraSS): a rule per label and type of relationship."""

from __future__ import annotations

from qcg_neo4j.database.corpora import DEFAULT, RELATED_TO, suffix
from qcg_neo4j.database.labels import mark
from qcg_neo4j.interfaces.palette import LINE, LOOKS, RELATIONSHIPS, Look


def style(corpus: str = DEFAULT) -> str:
    """The rules for `:style`, also of a corpus's own marks and triples."""
    # Browser gives a label without a rule a colour of its own, and the later of two rules wins: both have the same.
    nodes = [_node(label, look) for kind, look in LOOKS.items() for label in (kind, mark(kind, corpus))]
    relationships = [_relationship(kind, caption) for kind, caption in RELATIONSHIPS.items()]
    if corpus != DEFAULT:
        relationships.append(_relationship(RELATED_TO + suffix(corpus), RELATIONSHIPS[RELATED_TO]))
    return "\n".join([_EVERY_NODE, _EVERY_RELATIONSHIP, *nodes, *relationships])


def _rule(selector: str, **values: str) -> str:
    lines = "".join(f"  {name.replace('_', '-')}: {value};\n" for name, value in values.items())
    return f"{selector} {{\n{lines}}}\n"


def _node(label: str, look: Look) -> str:
    return _rule(
        f"node.{label}",
        color=look.colour,
        border_color=LINE,
        text_color_internal=look.text_colour,
        diameter=f"{look.diameter}px",
        caption=f'"{{{look.caption}}}"',
    )


def _relationship(kind: str, caption: str) -> str:
    shown = caption if caption == "<type>" else f"{{{caption}}}"
    return _rule(f"relationship.{kind}", caption=f'"{shown}"')


_EVERY_NODE = _rule(
    "node", diameter="50px", color="#A5ABB6", border_color=LINE, border_width="2px", text_color_internal="#000000",
    font_size="10px",
)  # fmt: skip
_EVERY_RELATIONSHIP = _rule(
    "relationship", color=LINE, shaft_width="1px", font_size="8px", padding="3px",
    text_color_external="#000000", text_color_internal="#FFFFFF", caption='"<type>"',
)  # fmt: skip
