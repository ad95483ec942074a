"""Any filter, over metadata that holds some of what it asks for."""

from __future__ import annotations

from datetime import date

from hypothesis import HealthCheck, settings
from hypothesis import strategies as some

from qcg_neo4j.core.filters import from_dictionary

DATES = ["2024-12-31", "2025-01-01", "2025-01-01T10:00:00", "2025", "2025-01", "spring 2025", "2025-01-01 09:00"]
VALUES = some.one_of(
    some.sampled_from([1, 2, 2025, 1.5, True, False, "", "Wu", "wu", "Wu Li", "law"]), some.sampled_from(DATES)
)
HELD = some.one_of(VALUES, some.lists(some.sampled_from(["law", "tax", "Wu"]), min_size=1, max_size=3))
NAMES = ("author", "year", "publishedAt", "tags")
COMPARED = some.tuples(
    some.sampled_from(NAMES), some.sampled_from(["$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$has"]), VALUES
)
SIMPLE = some.one_of(
    COMPARED,
    some.tuples(
        some.sampled_from(NAMES),
        some.sampled_from(["$prefix", "$contains", "$ilike"]),
        some.sampled_from(["Wu", "w", "20"]),
    ),
    some.tuples(some.sampled_from(NAMES), some.sampled_from(["$in", "$nin"]), some.lists(VALUES, max_size=3)),
    some.tuples(some.sampled_from(NAMES), some.just("$null"), some.booleans()),
    some.tuples(some.sampled_from(NAMES), some.sampled_from(["$gte", "$lt", "$eq"]), some.just(date(2025, 1, 1))),
).map(lambda test: {test[0]: {test[1]: test[2]}})
DICTIONARIES = some.recursive(
    SIMPLE,
    lambda inner: some.one_of(
        some.tuples(some.sampled_from(["$and", "$or"]), some.lists(inner, min_size=1, max_size=3)).map(
            lambda one: dict([one])
        ),
        inner.map(lambda one: {"$not": one}),
    ),
    max_leaves=6,
)
FILTERS = DICTIONARIES.map(from_dictionary)
seldom = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
