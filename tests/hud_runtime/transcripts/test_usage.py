"""Figures of usage: each token once, whatever a host calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import read_transcript
from hud_runtime.observe import AgentMessage, Reader, Usage, UserMessage, usage_in
from tests.ids import looped
from ujsx.tokens import estimate_tokens


class TestUsage:
    @looped(
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

    @looped(
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

    @looped("figures", [{}, {"input_tokens": None}, {"total": 3}, {"input": "x"}])
    def test_of_nothing_is_none(self, figures: dict[str, Any]) -> None:
        assert usage_in(figures) is None

    def test_is_the_size_of_the_context(self) -> None:
        reader = Reader(limit=200_000)
        seen = AgentMessage(usage=Usage(input=5, cache_read=800, cache_write=95, output=10))
        [draft] = [*reader.feed(seen), *reader.finish()]
        assert draft.payload == {
            "used": 910, "limit": 200_000, "input": 5, "cache_read": 800, "cache_write": 95, "output": 10,
        }  # fmt: skip


class TestCalibration:
    WORDS = "Read the ledger, then write the test. "

    def reader(self, *, share: float, estimates: bool = False) -> Reader:
        """A session of ten messages whose host counts so many times the tokens that are estimated."""
        reader, text = Reader(limit=200_000, estimates=estimates), self.WORDS * 20
        for turn in range(1, 11):
            used = round(12_000 + share * turn * estimate_tokens(text))
            for seen in (UserMessage(text=text), AgentMessage(text="", used=used)):
                list(reader.feed(seen))
        return reader

    def test_is_learned_from_what_a_host_reports(self) -> None:
        counter = self.reader(share=1.3).calibration
        assert counter is not None
        assert counter.share == pytest.approx(1.3, abs=0.01)

    def test_needs_figures(self) -> None:
        assert Reader().calibration is None
        assert self.reader(share=1.3, estimates=True).calibration is None

    def test_stands_in_a_transcript(self, tmp_path: Path) -> None:
        path = tmp_path / "session.jsonl"
        text = self.WORDS * 20
        records: list[dict[str, Any]] = []
        for turn in range(1, 11):
            usage = {"input_tokens": 12_000 + turn * 2 * estimate_tokens(text), "output_tokens": 0}
            message = {"id": f"m-{turn}", "role": "assistant", "content": [], "usage": usage}
            user = {"role": "user", "content": text}
            records += [
                {"type": "user", "uuid": f"u-{turn}", "sessionId": "s", "message": user},
                {"type": "assistant", "uuid": f"a-{turn}", "sessionId": "s", "message": message},
            ]
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        counter = read_transcript(path).calibration
        assert counter is not None
        assert counter.share == pytest.approx(2, abs=0.05)
