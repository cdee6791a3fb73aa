"""H1: overflow by both formulas, off where it is off; the errors by which providers say it themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime.context.compaction import (
    REFUSALS,
    RESERVED,
    ModelWindow,
    Refusal,
    is_overflow,
    refusal_in,
)
from tests.ids import looped
from tests.work import growth

sizes = st.integers(1, 2_000_000)


class TestFormulas:
    @given(sizes, st.integers(0, 200_000), st.integers(0, 3_000_000))
    def test_h1_without_a_limit_on_input_the_answer_is_taken_off(
        self, context: int, output: int, tokens: int
    ) -> None:
        if output >= context:
            with pytest.raises(ValueError, match="leaves nothing"):
                ModelWindow(context=context, output=output)
            return
        window = ModelWindow(context=context, output=output)
        assert is_overflow(tokens, window) == (tokens >= context - output)

    @given(
        sizes, st.integers(20_001, 1_000_000), st.integers(0, 200_000), st.integers(0, 3_000_000)
    )
    def test_h1_with_a_limit_on_input_a_reserve_is_taken_off(
        self, context: int, limit: int, output: int, tokens: int
    ) -> None:
        window = ModelWindow(context=context, input=limit, output=output)
        assert is_overflow(tokens, window) == (tokens >= limit - min(20_000, output))

    @given(st.integers(2, 1_000_000), st.integers(0, 3_000_000), st.data())
    def test_h1_the_reserve_can_be_configured(
        self, limit: int, tokens: int, data: st.DataObject
    ) -> None:
        reserved = data.draw(st.integers(0, limit - 1))
        window = ModelWindow(context=2_000_000, input=limit, output=128_000)
        assert is_overflow(tokens, window, reserved=reserved) == (tokens >= limit - reserved)

    @given(st.integers(0, 3_000_000), sizes)
    def test_h1_it_is_off_where_it_is_switched_off_and_where_nobody_knows_the_window(
        self, tokens: int, context: int
    ) -> None:
        assert not is_overflow(tokens, ModelWindow(context=context), auto=False)
        assert not is_overflow(tokens, ModelWindow(context=0, input=10, output=5))

    @given(st.integers(0, 3_000_000), sizes)
    def test_h1_a_summary_is_not_counted(self, tokens: int, context: int) -> None:
        assert not is_overflow(tokens, ModelWindow(context=context), is_summary=True)

    @given(sizes, st.integers(0, 2_000_000), st.integers(0, 1_000))
    def test_h1_more_tokens_never_end_an_overflow(
        self, context: int, tokens: int, more: int
    ) -> None:
        window = ModelWindow(context=context)
        assert is_overflow(tokens, window) <= is_overflow(tokens + more, window)

    def test_the_reserve_is_that_of_the_documents(self) -> None:
        assert RESERVED == 20_000
        window = ModelWindow(context=400_000, input=272_000, output=128_000)
        assert (window.reserved(), window.usable()) == (20_000, 252_000)
        assert (
            ModelWindow(context=32_000, output=8_000).usable() == 24_000
        )  # as OpenCode 1.18 has it

    @pytest.mark.parametrize("figures", [{"context": -1}, {"context": 5, "output": -1}])
    def test_figures_below_zero_are_refused(self, figures: dict[str, int]) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            ModelWindow(**figures)

    def test_a_reserve_that_leaves_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="reserve less"):
            is_overflow(1, ModelWindow(context=10, input=10), reserved=10)


class TestRefusals:
    @looped("row", REFUSALS, ids=lambda row: f"{row.who}: {row.pattern.pattern}")
    def test_h1_every_row_knows_its_example(self, row: Refusal) -> None:
        assert row.pattern.search(row.example)
        assert refusal_in(row.example) is not None
        assert row.source

    @looped(
        "text",
        [
            "",
            "Connection error.",
            "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 200000, Requested 353175.",
            "Too many tokens, please wait before trying again. ThrottlingException",
            "max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens",
            "Incorrect API key provided",
            "The file is too long to be shown",
        ],
    )
    def test_other_errors_are_none(self, text: str) -> None:
        assert refusal_in(text) is None
        assert refusal_in(RuntimeError(text)) is None

    def test_an_error_behind_an_error_is_found(self) -> None:
        error = RuntimeError("the model could not be asked")
        error.__cause__ = ValueError("prompt is too long: 2 tokens > 1 maximum")
        assert refusal_in(error) is not None
        group = ExceptionGroup("many", [KeyError("x"), ValueError("context_length_exceeded")])
        assert refusal_in(group) is not None

    def test_the_answer_of_a_client_is_read(self) -> None:
        class BadRequestError(Exception):
            body: ClassVar[object] = {"error": {"code": "context_length_exceeded"}}

        assert refusal_in(BadRequestError("Error code: 400")) is not None
        assert (
            refusal_in({"error": {"message": "Input is too long for requested model."}}) is not None
        )

    def test_an_error_that_cannot_be_read_is_none(self) -> None:
        class MuteError(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        error = MuteError()
        error.__cause__ = error
        assert refusal_in(error) is None

    def test_a_user_adds_rows(self) -> None:
        import re

        row = Refusal("house", re.compile("zu lang"), "zu lang", "our gateway")
        assert refusal_in("viel zu lang", (*REFUSALS, row)) is row

    def test_a_long_error_is_looked_at_in_proportion(self) -> None:
        def prepared(size: int) -> Callable[[], object]:
            text = "input token count " * size
            return lambda: refusal_in(text)

        assert growth(prepared, 500) < 2.3
