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
    refusal_in,
)
from tests.ids import looped
from tests.work import growth

sizes = st.integers(1, 2_000_000)


EXAMPLES = {
    "prompt is too long: 215000 tokens > 200000 maximum": "Anthropic",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again": "Anthropic",
    "stop_reason: model_context_window_exceeded": "Anthropic",
    "Error code: 400 - {'error': {'code': 'context_length_exceeded'}}": "OpenAI",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 428548 tokens.": "OpenAI, Azure",
    "Your input exceeds the context window of this model. Please adjust your input and try again.": "OpenAI Responses",
    "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens": "OpenAI Chat, OpenRouter, DeepSeek, vLLM",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.": "vLLM",
    "You passed 9001 input tokens. However, the model's context length is only 8192 tokens": "vLLM",
    "Input length (265330) exceeds model's maximum context length (262144).": "vLLM, SGLang",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).": "Gemini",
    "Unable to submit request because the input token count is 131335 but model only supports up to 131072.": "Vertex AI",
    "ValidationException: Input is too long for requested model.": "Bedrock",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.": "xAI",
    "Please reduce the length of the messages or completion.": "Groq",
    "prompt token count of 140000 exceeds the limit of 128000": "GitHub Copilot",
    "the request exceeds the available context size, try increasing it": "llama.cpp",
    "tokens to keep from the initial prompt is greater than the context length": "LM Studio",
    "prompt too long; exceeded max context length by 120 tokens": "Ollama",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length": "Mistral",
    "too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs.": "Cohere",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens": "Text Generation Inference",
    "Requested tokens (9001) exceed context window of 8192": "llama-cpp-python",
    "litellm.ContextWindowExceededError: litellm.BadRequestError: the request was refused": "LiteLLM",
    "Your request exceeded model token limit: 262144": "Moonshot",
    "invalid params, context window exceeds limit (2013)": "MiniMax",
    "The input (140000 tokens) is longer than the model's context length (131072 tokens).": "Together",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]": "Qwen",
}  # fmt: skip
"""The whole sentences, as somebody got them, and who says each."""


class TestFormulas:
    @given(sizes, st.integers(0, 200_000))
    def test_h1_without_a_limit_on_input_the_answer_is_taken_off(
        self, context: int, output: int
    ) -> None:
        if output >= context:
            with pytest.raises(ValueError, match="leaves nothing"):
                ModelWindow(context=context, output=output)
            return
        assert ModelWindow(context=context, output=output).usable() == context - output

    @given(sizes, st.integers(20_001, 1_000_000), st.integers(0, 200_000))
    def test_h1_with_a_limit_on_input_a_reserve_is_taken_off(
        self, context: int, limit: int, output: int
    ) -> None:
        window = ModelWindow(context=context, input=limit, output=output)
        assert window.usable() == limit - min(20_000, output)

    @given(st.integers(2, 1_000_000), st.data())
    def test_h1_the_reserve_can_be_configured(self, limit: int, data: st.DataObject) -> None:
        reserved = data.draw(st.integers(0, limit - 1))
        window = ModelWindow(context=2_000_000, input=limit, output=128_000)
        assert window.usable(reserved) == limit - reserved

    def test_h1_a_window_that_nobody_knows_has_no_end(self) -> None:
        assert ModelWindow(context=0, input=10, output=5).usable() is None

    def test_the_reserve_is_that_of_the_documents(self) -> None:
        assert RESERVED == 20_000
        window = ModelWindow(context=400_000, input=272_000, output=128_000)
        assert (window.reserved(), window.usable()) == (20_000, 252_000)
        assert (
            ModelWindow(context=32_000, output=8_000).usable() == 24_000
        )  # as OpenCode 1.18 has it

    @looped("figures", [{"context": -1}, {"context": 5, "output": -1}])
    def test_figures_below_zero_are_refused(self, figures: dict[str, int]) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            ModelWindow(**figures)

    def test_a_reserve_that_leaves_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="reserve less"):
            ModelWindow(context=10, input=10).usable(10)


class TestRefusals:
    @looped(("example", "who"), EXAMPLES.items())
    def test_h1_every_example_is_known(self, example: str, who: str) -> None:
        found = refusal_in(example)
        assert found is not None
        assert (found.who, bool(found.source)) == (who, True)

    def test_h1_every_row_has_an_example(self) -> None:
        found = {refusal_in(each) for each in EXAMPLES}
        assert found == {*REFUSALS}

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

        row = Refusal("house", re.compile("zu lang"), "our gateway")
        assert refusal_in("viel zu lang", (*REFUSALS, row)) is row

    def test_a_long_error_is_looked_at_in_proportion(self) -> None:
        def prepared(size: int) -> Callable[[], object]:
            text = "input token count " * size
            return lambda: refusal_in(text)

        assert growth(prepared, 500) < 2.3
