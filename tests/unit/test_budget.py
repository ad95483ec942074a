"""What calls may cost together: no call is made that could pass it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint import Body, FakeEndpoint, Manner, Raw, Say, endpoint, normal, pairs, request

from qcg_neo4j.core.errors import LanguageModelError, SettingsError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import Budget, Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.llm.budget import SpentError
from qcg_neo4j.models.replies import ReplyStore, Request

PRICES = {"input_price": 1.0, "output_price": 10.0}
REAL = (100 * 1.0 + 40 * 10.0) / 1e6  # what a call of tests/materials/endpoint.py costs
MANY = [request(f"Text {number}.") for number in range(60)]


def dearest(asked: Request) -> float:
    """The most that a call may cost: every byte of the prompt a token, and the longest reply."""
    return sum(len(message["content"].encode()) + 16 for message in asked.messages()) / 1e6 + 100 * 10.0 / 1e6


def settings(fake: FakeEndpoint, **changes: Any) -> LanguageModelSettings:
    values = {**PRICES, "max_output_tokens": 100, "concurrency": 4, "retries": 0, **changes}
    return LanguageModelSettings(endpoint=fake.url, model="small", **values)


def test_no_call_is_made_that_could_pass_the_limit(tmp_path: Path) -> None:
    limit = dearest(MANY[0]) + 10.5 * REAL
    with endpoint(normal) as fake, ReplyStore(tmp_path / "store") as store:
        model = LiveModel(settings(fake, max_cost=limit), store)
        with pytest.raises(LanguageModelError, match=rf"could pass --max-cost {limit:g}: 0.0055 is spent"):
            list(model.replies(MANY))
        assert len(fake.calls) == len(list(store.export())) == 11
        assert model.endpoint.budget.spent == pytest.approx(11 * REAL)
        more = LiveModel(settings(fake, max_cost=1.0), store)
        assert len(list(more.replies(MANY))) == len(fake.calls) == 60


def test_what_the_endpoint_does_not_tell_counts_as_the_most(tmp_path: Path) -> None:
    def untold(_: int, body: Body) -> Manner:
        return Raw(json.dumps({"choices": [{"message": {"content": pairs(body)}}]}).encode())

    with endpoint(untold) as fake, ReplyStore(tmp_path / "store") as store:
        model = LiveModel(settings(fake, max_cost=3.5 * dearest(MANY[0])), store)
        with pytest.raises(LanguageModelError, match="could pass --max-cost"):
            list(model.replies(MANY))
        assert len(fake.calls) == 3


def test_several_models_may_share_a_budget(tmp_path: Path) -> None:
    with endpoint(normal) as fake, ReplyStore(tmp_path / "store") as store:
        chosen = settings(fake, max_cost=dearest(MANY[0]) + 3.5 * REAL)
        budget = Budget(chosen)
        assert len(list(LiveModel(chosen, store, budget=budget).replies(MANY[:3]))) == 3
        with pytest.raises(LanguageModelError, match="could pass"):
            list(LiveModel(chosen, store, budget=budget).replies(MANY))
        assert len(fake.calls) == 4


def test_two_models_at_prices_of_their_own_stay_within_one_limit() -> None:
    chosen = LanguageModelSettings(input_price=1.0, output_price=0.0, max_cost=0.001)
    first = Budget(chosen)
    second = Budget(LanguageModelSettings(input_price=2.0, output_price=0.0), first)
    reserved = second.reserve([{"role": "user", "content": "x" * 284}], 0)
    assert reserved.input_tokens == 300
    second.settle(reserved, Usage(1, 300, 0))
    assert (first.spent, second.spent) == (0.0006, 0.0006)
    with pytest.raises(SpentError, match=r"could pass --max-cost 0.001: 0.0006 is spent, and it may cost up to 0.0006"):
        second.hold(0.0006)
    assert first.hold(0.0003)


def test_a_streamed_answer_is_paid_from_it_too() -> None:
    with endpoint(lambda *_: Say("Adam met Li.")) as fake:
        model = Endpoint(settings(fake, max_cost=0.002))
        assert list(model.stream([])) == ["Adam ", "met ", "Li."]
        assert model.budget.spent == pytest.approx(REAL)
        assert list(model.stream([]))
        assert list(model.stream([]))
        with pytest.raises(LanguageModelError, match="could pass --max-cost"):
            list(model.stream([]))


def test_a_limit_needs_prices() -> None:
    with pytest.raises(SettingsError, match=r"not what tokens cost.\n.*--set llm.input_price"):
        LanguageModelSettings(max_cost=1.0, input_price=1.0)


def test_nothing_is_counted_without_a_limit() -> None:
    budget = Budget(LanguageModelSettings())
    reserved = budget.reserve([{"role": "user", "content": "größer"}], 50)
    assert reserved == Usage(1, 8 + 16, 50)
    budget.settle(reserved, Usage(1, 5, 5))
    assert budget.spent == 0.0
