"""How costs are printed: the estimate before, the bill after."""

from __future__ import annotations

from typing import Any

from qcg_neo4j.cli.models import tokens_told
from qcg_neo4j.cli.terminal import notices, print_table
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, cost

BY_BYTES = "a token for four bytes"
BY_TOKENIZER = "counted with the embedding model's tokenizer"
_TOKENS = ("input_tokens", "output_tokens")


def show_estimate(expected: Estimate, counted: str, what: str = "Estimate") -> None:
    """Say what a run will cost; ``counted`` is how the input tokens were."""
    usage = expected.usage
    price = "unknown without prices" if expected.cost is None else f"{expected.cost:,.4f}"
    notices().print(
        f"{what}: {usage.calls:,} calls ({expected.known:,} of {expected.requests:,} replies are known), "
        f"{usage.input_tokens:,} input tokens ({counted}), "
        f"{usage.output_tokens:,} output tokens ({expected.assumption}), cost {price}."
    )


def warn_of_limit(expected: Estimate, language_model: LanguageModelSettings) -> None:
    """Say beforehand that a run will not come to its end."""
    most = language_model.max_cost
    if most is not None and expected.cost is not None and expected.cost > most:
        notices().print(f"Note: that is more than --max-cost {most:g}. The run will stop before it is passed.")


def show_costs(usage: Usage, expected: Estimate, language_model: LanguageModelSettings) -> None:
    """Show what a run has cost beside what was expected."""
    real_cost = cost(usage, language_model)
    in_words = "not reported" if usage.untold else f"{real_cost:.4f}" if real_cost is not None else ""
    rows: list[tuple[Any, ...]] = [
        ("calls", expected.usage.calls, usage.calls),
        *((name.replace("_", " "), getattr(expected.usage, name), _real(usage, name)) for name in _TOKENS),
    ]
    if expected.cost is not None and real_cost is not None:
        rows.append(("cost", f"{expected.cost:.4f}", in_words))
    print_table("Language model", ("what", "estimated", "real"), rows)


def _real(usage: Usage, name: str) -> int | str:
    return tokens_told(usage, name) if usage.untold else int(getattr(usage, name))
