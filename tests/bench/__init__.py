"""How fast it is, beside what a user would pick instead: `python tests/bench`."""

from pathlib import Path

STATEMENTS = Path(__file__).parent / "cypher"


def own(name: str) -> str:
    """The path of a statement that only measurements need, as `Graph` takes it."""
    return str(STATEMENTS / name)
