"""G1: how much a model's context holds: said by the host, or by a table of models, and never less than is used."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.observe import (
    API_LIMITS,
    MODEL_LIMITS,
    AgentMessage,
    ContextUsed,
    ModelLimit,
    Reader,
    Usage,
    limit_for,
)
from tests.growth import superlinear
from tests.ids import looped

OWN = (ModelLimit(r"^in-house", 32_768), *MODEL_LIMITS)


class TestTables:
    @looped(
        ("model", "size", "of_makers"),
        [
            ("claude-opus-5", 200_000, 1_000_000),
            ("anthropic/claude-sonnet-4.6", 200_000, 1_000_000),
            ("claude-sonnet-4-5-20250929", 200_000, 200_000),
            ("claude-haiku-4-5", 200_000, 200_000),
            ("claude-opus-4-20250514", 200_000, 200_000),
            ("claude-sonnet-4-5[1m]", 1_000_000, 1_000_000),
            ("claude-opus-5-5", 1_000_000, 1_000_000),
            ("gpt-5.1", 400_000, 400_000),
            ("gpt-5.5", 400_000, 1_050_000),
            ("gemini-3-pro-preview", 1_048_576, 1_048_576),
            ("GPT-4o", 128_000, 128_000),
            ("someone-elses", None, None),
            ("", None, None),
        ],
    )
    def test_g1_limit_by_the_name_of_a_model(
        self, model: str, size: int | None, of_makers: int | None
    ) -> None:
        assert limit_for(model, 1_000) == size
        assert limit_for(model, 1_000, API_LIMITS) == of_makers

    @given(st.text(max_size=30), st.integers(0, 5_000_000), st.sampled_from([MODEL_LIMITS, API_LIMITS, OWN, ()]))  # fmt: skip
    def test_g1_limit_is_never_below_what_is_used(
        self, model: str, used: int, limits: tuple[ModelLimit, ...]
    ) -> None:
        size = limit_for(model, used, limits)
        assert size is None or size >= max(used, 1)

    def test_g1_limit_patterns_are_linear(self) -> None:
        for row in API_LIMITS:
            assert superlinear(re.compile(row.pattern), "search") is None, row

    @looped(
        ("make", "told"),
        [
            (lambda: ModelLimit("gpt(", 5), "cannot be used"),
            (lambda: ModelLimit("gpt", 0), "a positive integer"),
            (lambda: ModelLimit("gpt", True), "a positive integer"),
            (lambda: HudStore.open(":memory:", model_limits=[("gpt", 5)]), "write ModelLimit"),  # type: ignore[list-item]
        ],
    )
    def test_g1_limit_tables_are_checked(self, make: Any, told: str) -> None:
        with pytest.raises(ValueError, match=told):
            make()


class TestReadings:
    def host(self, **options: Any) -> HostSession:
        store = HudStore.open(":memory:", clock=lambda: 0, model_limits=OWN)
        return HostSession(store.session("s"), **options)

    def read(self, host: HostSession, used: int, **more: Any) -> int:
        host.observe(ContextUsed(used=used, **more))
        usage = host.session.state().usage
        assert usage is not None
        assert usage.used == used
        return usage.limit

    def test_g1_limit_of_a_host_goes_before_all_others(self) -> None:
        assert (
            self.read(self.host(limit=50_000), 1_000, model="in-house-7b", limit=64_000) == 64_000
        )

    def test_g1_limit_of_an_option_goes_before_the_table(self) -> None:
        assert self.read(self.host(limit=50_000), 1_000, model="in-house-7b") == 50_000
        assert self.read(self.host(limit=50_000).child("reader"), 1_000) == 50_000

    def test_g1_limit_of_a_stores_table_goes_before_the_usual(self) -> None:
        host = self.host()
        assert self.read(host, 1_000, model="in-house-7b") == 32_768
        assert self.read(host, 1_001, model="gpt-5") == 400_000

    def test_g1_limit_that_a_host_tells_is_never_below_what_is_used(self) -> None:
        """A context that is fuller than its host says is full: 100 %, and no other size is made up."""
        assert self.read(self.host(), 210_000, limit=200_000) == 210_000
        assert self.read(self.host(limit=200_000), 210_000) == 210_000

    def test_g1_limit_of_a_reader(self) -> None:
        reader = Reader(model_limits=OWN)
        usage = Usage(input=1_000)
        seen = AgentMessage(message_id="a", model="in-house", usage=usage)
        drafts = [*reader.feed(seen), *reader.finish()]
        [reading] = [each for each in drafts if each.type == "context.snapshot"]
        assert reading.payload["limit"] == 32_768
