"""The providers' messages about a request that is longer than their model's window.

A table, each row with who says it and where that is written; a user adds rows. Texts are compared without regard to
case, within the beginning of the error, behind its class. What is about rates and quotas speaks of tokens as well, and is none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LONGEST = 20_000
"""Characters of an error that are looked at: some hold the whole request."""

DEEPEST = 10
"""Errors behind an error that are looked at."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence, or a code, by which a provider refuses what is too long."""

    who: str
    """Who says it."""

    pattern: re.Pattern[str]
    """How it reads, whatever the figures."""

    example: str
    """The whole sentence, as somebody got it."""

    source: str
    """Where it is written."""


def _row(who: str, pattern: str, example: str, source: str) -> Refusal:
    return Refusal(who, re.compile(pattern, re.IGNORECASE), example, source)


_OPENCODE = "OpenCode, provider/error.ts"
_PI = "pi-mono, packages/ai/src/utils/overflow.ts"

REFUSALS: tuple[Refusal, ...] = (
    _row("Anthropic", r"prompt is too long",
         "prompt is too long: 215000 tokens > 200000 maximum", "platform.claude.com, Context windows"),
    _row("Anthropic", r"input length and `max_tokens` exceed context limit",
         "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
         "platform.claude.com, Errors"),
    _row("Anthropic", r"model_context_window_exceeded",
         "stop_reason: model_context_window_exceeded", "platform.claude.com, Handling stop reasons"),
    _row("OpenAI", r"context_length_exceeded",
         "Error code: 400 - {'error': {'code': 'context_length_exceeded'}}", "platform.openai.com, Error codes"),
    _row("OpenAI, Azure", r"input tokens exceed the configured limit of \d",
         "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 428548 tokens.",
         "openai.BadRequestError of models with a limit on input, such as gpt-5"),
    _row("OpenAI Responses", r"exceeds the (?:model's )?context window",
         "Your input exceeds the context window of this model. Please adjust your input and try again.", _PI),
    _row("OpenAI Chat, OpenRouter, DeepSeek, vLLM", r"maximum context length (?:is|of) \d",
         "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens",
         "platform.openai.com, Error codes; openrouter.ai, Errors; vllm, serving/openai"),
    _row("vLLM", r"longer than the maximum model length of \d",
         "The decoder prompt (length 9000) is longer than the maximum model length of 8192.", "vllm, v1/engine/processor.py"),
    _row("vLLM", r"context length is only \d+ tokens",
         "You passed 9001 input tokens. However, the model's context length is only 8192 tokens", _OPENCODE),
    _row("vLLM, SGLang", r"exceeds (?:the )?model's maximum context length",
         "Input length (265330) exceeds model's maximum context length (262144).", _PI),
    _row("Gemini", r"input token count\b.{0,80}\bexceeds the maximum number of tokens",
         "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
         "ai.google.dev, Troubleshooting"),
    _row("Vertex AI", r"input token count is \d+ but (?:the )?model (?:only )?supports up to \d",
         "Unable to submit request because the input token count is 131335 but model only supports up to 131072.",
         "github.com/google-gemini/gemini-cli, issue 19727"),
    _row("Bedrock", r"input is too long for requested model",
         "ValidationException: Input is too long for requested model.", "docs.aws.amazon.com, Bedrock, Converse"),
    _row("xAI", r"maximum prompt length is \d",
         "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", _PI),
    _row("Groq", r"reduce the length of the messages",
         "Please reduce the length of the messages or completion.", "console.groq.com, Errors"),
    _row("GitHub Copilot", r"token count of \d+ exceeds the limit of \d",
         "prompt token count of 140000 exceeds the limit of 128000", _OPENCODE),
    _row("llama.cpp", r"exceeds? the available context size|exceed_context_size_error",
         "the request exceeds the available context size, try increasing it", "ggml-org/llama.cpp, tools/server"),
    _row("LM Studio", r"greater than the context length",
         "tokens to keep from the initial prompt is greater than the context length", _OPENCODE),
    _row("Ollama", r"prompt too long; exceeded (?:max )?context length",
         "prompt too long; exceeded max context length by 120 tokens", _OPENCODE),
    _row("Mistral", r"too large for model with \d+ maximum context length",
         "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", _OPENCODE),
    _row("Cohere", r"too many tokens: (?:the )?(?:total number of tokens|size limit exceeded)",
         "too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs.",
         "docs.cohere.com, Errors; github.com/pydantic/pydantic-ai, pull request 4221"),
    _row("Text Generation Inference", r"`inputs` (?:tokens \+ `max_new_tokens` must be <=|must have less than) \d",
         "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
         "huggingface/text-generation-inference, router/src/validation.rs"),
    _row("llama-cpp-python", r"requested tokens (?:\(\d+\) )?exceed context window of \d",
         "Requested tokens (9001) exceed context window of 8192", "abetlen/llama-cpp-python, llama_cpp/llama.py"),
    _row("LiteLLM", r"context_?window_?exceeded",
         "litellm.ContextWindowExceededError: litellm.BadRequestError: the request was refused",
         "docs.litellm.ai, Exception mapping"),
    _row("Moonshot", r"exceeded model token limit",
         "Your request exceeded model token limit: 262144", _OPENCODE),
    _row("MiniMax", r"context window exceeds limit",
         "invalid params, context window exceeds limit (2013)", _OPENCODE),
    _row("Together", r"longer than the model's context length",
         "The input (140000 tokens) is longer than the model's context length (131072 tokens).", _PI),
    _row("Qwen", r"range of input length should be",
         "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
         "alibabacloud.com, Model Studio, Error messages"),
)  # fmt: skip
"""All that are known."""

OTHERS = re.compile(
    r"rate.?limit|tokens per (?:min|day)|too many requests|insufficient_quota|throttl",
    re.IGNORECASE,
)
"""What is said of rates and quotas."""

NEAR = 300
"""Characters around a refusal, and at an error's beginning, in which it is said that a rate is meant: further away it
stands in the request that some errors tell again."""


def refusal_in(error: object, table: Iterable[Refusal] = REFUSALS) -> Refusal | None:
    """Return the row of the table that an error is, or one of those behind it; None for any other error.

    :param error: an exception, what a provider answered as data, or a text.

    >>> refusal_in("prompt is too long: 215000 tokens > 200000 maximum").who
    'Anthropic'
    >>> refusal_in("Rate limit reached: tokens per min (TPM): Limit 200000") is None
    True
    """
    rows = tuple(table)
    for text in _texts(error):
        found = next((each for each in rows if each.pattern.search(text)), None)
        if found is not None and not _is_of_rates(text, found):
            return found
    return None


def _is_of_rates(text: str, refusal: Refusal) -> bool:
    match = refusal.pattern.search(text)
    where = (0, 0) if match is None else match.span()
    around = text[max(0, where[0] - NEAR) : where[1] + NEAR]
    return any(OTHERS.search(each) is not None for each in (around, text[:NEAR]))


def _texts(error: object) -> Iterator[str]:
    """What an error says, and then those behind it."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting and len(seen) < DEEPEST:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        said = said_by(one)
        yield f"{type(one).__name__}: {said}" if isinstance(one, BaseException) else said
        if isinstance(one, BaseException):
            within: tuple[object, ...] = getattr(one, "exceptions", ())
            waiting += [getattr(one, "body", None), one.__cause__, one.__context__, *within]


def said_by(error: object) -> str:
    r"""Return what an error says, as far as it is looked at; nothing, where it cannot even say that.

    >>> said_by(ValueError("no\nsuch model"))
    'no such model'
    """
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an error of somebody else's, whose words are all that is asked for
        return type(error).__name__
    return " ".join(said[:LONGEST].split()) or type(error).__name__
