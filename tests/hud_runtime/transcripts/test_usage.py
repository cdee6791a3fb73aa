"""Figures of usage: each token once, whatever a host calls it."""

from __future__ import annotations

from typing import Any

import pytest

from hud_runtime.observation import AgentMessage, Reader, Usage
from hud_runtime.observation._usage import usage_in


class TestUsage:
    @pytest.mark.parametrize(
        "figures",
        [
            {"input_tokens": 5, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 95, "output_tokens": 10},
            {"inputTokens": 5, "cacheReadInputTokens": 800, "cacheWriteInputTokens": 95, "outputTokens": 10},
            {"tokensIn": 5, "tokensOut": 10, "cacheReads": 800, "cacheWrites": 95},
            {"input": 5, "output": 10, "cacheRead": 800, "cacheWrite": 95},
            {"input": 5, "output": 10, "reasoning": 7, "cache": {"read": 800, "write": 95}},
            {"input_tokens": 900, "cache_read_tokens": 800, "cache_write_tokens": 95, "output_tokens": 10},
        ],
    )  # fmt: skip
    def test_is_apart_in_every_dialect(self, figures: dict[str, Any]) -> None:
        assert usage_in(figures) == Usage(input=5, cache_read=800, cache_write=95, output=10)

    @pytest.mark.parametrize(
        "figures",
        [
            {"input_tokens": 900, "cached_input_tokens": 800, "output_tokens": 10, "total_tokens": 910},
            {"input_tokens": 900, "input_tokens_details": {"cached_tokens": 800}, "output_tokens": 10},
            {"prompt_tokens": 900, "prompt_tokens_details": {"cached_tokens": 800}, "completion_tokens": 10},
            {"input": 900, "output": 10, "cached": 800, "thoughts": 3, "total": 913},
            {"promptTokenCount": 900, "cachedContentTokenCount": 800, "candidatesTokenCount": 10},
        ],
    )  # fmt: skip
    def test_of_input_that_holds_what_was_cached_is_counted_once(
        self, figures: dict[str, Any]
    ) -> None:
        assert usage_in(figures) == Usage(input=100, cache_read=800, output=10)

    @pytest.mark.parametrize("figures", [{}, {"input_tokens": None}, {"total": 3}, {"input": "x"}])
    def test_of_nothing_is_none(self, figures: dict[str, Any]) -> None:
        assert usage_in(figures) is None

    def test_is_the_size_of_the_context(self) -> None:
        reader = Reader(limit=200_000)
        seen = AgentMessage(usage=Usage(input=5, cache_read=800, cache_write=95, output=10))
        [draft] = [*reader.feed(seen), *reader.finish()]
        assert draft.payload == {
            "used": 910, "limit": 200_000, "input": 5, "cache_read": 800, "cache_write": 95, "output": 10,
        }  # fmt: skip
