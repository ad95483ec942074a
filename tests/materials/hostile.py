"""What a fuzz test tries: how much of it, and values of every kind that nobody expects."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as some

EXAMPLES = int(os.environ.get("QCG_FUZZ_EXAMPLES", "40"))
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=60_000,  # milliseconds: nothing hangs; a busy machine imports a reader in 15,000
    derandomize=EXAMPLES <= 40,  # `make test` tries the same every time
    database=None,
    suppress_health_check=list(HealthCheck),
)
few = settings(fuzz, max_examples=EXAMPLES // 4)  # where there are many targets
# Where each try asks a server: a failing one is shown as it is, since to make it smaller would take minutes.
asking = settings(few, phases=[Phase.explicit, Phase.generate])
LETTERS = some.text(some.characters(), max_size=60)  # halves of surrogate pairs and control characters included
NUMBERS = some.one_of(
    some.integers(), some.floats(), some.integers(2**60, 2**80), some.sampled_from([10**400, -(10**999)])
)
PLAIN = some.one_of(some.none(), some.booleans(), NUMBERS, LETTERS)
JSON = some.recursive(
    PLAIN, lambda inner: some.lists(inner, max_size=5) | some.dictionaries(LETTERS, inner, max_size=5)
)
DEEP = some.builds(
    lambda sign, times: sign * times, some.sampled_from(["[", '{"a":', "[{", '"', "\\"]), some.integers(1, 5000)
)
