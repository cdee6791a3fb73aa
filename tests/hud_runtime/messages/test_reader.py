"""One statement, told in the form of every provider and SDK: what a reader finds in each is the same."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from hud_runtime.observe.messages import MessagePart, parts_of, read_message, with_answers, words_of
from hud_runtime.transcripts.formats import answers_in
from tests.ids import looped

GIVEN = {"command": "ls"}
TEXT = json.dumps(GIVEN)
SAID = "no such file"

CALLS: dict[str, Any] = {
    "Anthropic": {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "bash", "input": GIVEN}]},
    "Chat": {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "bash", "arguments": TEXT}}]},
    "Responses": {"type": "function_call", "id": "fc_9", "call_id": "1", "name": "bash", "arguments": TEXT},
    "Gemini": {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "bash", "args": GIVEN}}]},
    "Bedrock": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "bash", "input": GIVEN}}]},
    "Vercel": {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "bash", "input": GIVEN}]},
    "Vercel's window": {"role": "assistant", "parts": [{"type": "tool-bash", "toolCallId": "1", "state": "input-available", "input": GIVEN}]},
    "LangChain": {"type": "ai", "content": "", "tool_calls": [{"id": "1", "name": "bash", "args": GIVEN, "type": "tool_call"}]},
    "LangChain with its provider's block": {"type": "ai", "content": [{"type": "function_call", "call_id": "1", "name": "bash", "arguments": "{"}],
                                            "tool_calls": [{"id": "1", "name": "bash", "args": GIVEN}]},
    "Pydantic AI": {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "bash", "args": TEXT, "tool_call_id": "1", "id": "x"}]},
    "Inspect": {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": "bash", "arguments": GIVEN}]},
    "Pi": {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "bash", "arguments": GIVEN}]},
    "OpenCode": {"info": {"role": "assistant"}, "parts": [{"type": "tool", "callID": "1", "tool": "bash", "state": {"status": "running", "input": GIVEN}}]},
}  # fmt: skip

RESULTS: dict[str, Any] = {
    "Anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": SAID, "is_error": True}]},
    "Gemini": {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "bash", "response": {"error": SAID}}}]},
    "Bedrock": {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"text": SAID}], "status": "error"}}]},
    "Vercel": {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "1", "toolName": "bash", "output": {"type": "error-text", "value": SAID}}]},
    "Vercel's window": {"role": "assistant", "parts": [{"type": "tool-bash", "toolCallId": "1", "state": "output-error", "input": GIVEN, "errorText": SAID}]},
    "LangChain": {"type": "tool", "content": SAID, "tool_call_id": "1", "status": "error", "id": "m-9"},
    "Pydantic AI": {"kind": "request", "parts": [{"part_kind": "retry-prompt", "tool_name": "bash", "tool_call_id": "1", "content": SAID}]},
    "Pi": {"role": "toolResult", "toolCallId": "1", "content": [{"type": "text", "text": SAID}], "isError": True},
    "OpenCode": {"info": {"role": "assistant"}, "parts": [{"type": "tool", "callID": "1", "tool": "bash", "state": {"status": "error", "input": GIVEN, "error": SAID}}]},
    "Responses": {"type": "function_call_output", "call_id": "1", "output": SAID, "status": "incomplete"},
}  # fmt: skip


def as_object(value: Any) -> Any:
    """The same as an SDK has it: an object with fields."""
    if isinstance(value, list):
        return [as_object(each) for each in value]
    if not isinstance(value, dict) or value is GIVEN:
        return value
    return SimpleNamespace(**{name: as_object(each) for name, each in value.items()})


@looped("form", CALLS)
def test_a_call_is_the_same_in_every_form(form: str) -> None:
    for message in (CALLS[form], as_object(CALLS[form])):
        said = read_message(message)
        assert said.role == "assistant"
        [call] = [part for part in said.parts if part.kind == "call"]
        assert (call.name, call.arguments, call.id) == ("bash", GIVEN, "1")


@looped("form", RESULTS)
def test_an_answer_is_the_same_in_every_form(form: str) -> None:
    for message in (RESULTS[form], as_object(RESULTS[form])):
        [part] = [each for each in read_message(message).parts if each.kind == "result"]
        assert (part.words, part.id, part.status) == (SAID, "1", "failed")
        [answer] = answers_in([part])
        assert (answer.text, answer.call_id, answer.status) == (SAID, "1", "failed")


def test_what_a_model_thinks_is_none_of_its_words() -> None:
    said = read_message({"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Done."}]})  # fmt: skip
    assert said.text == "Done."


def test_a_call_of_a_text_has_it_as_its_input() -> None:
    item = {"type": "custom_tool_call", "call_id": "1", "name": "exec", "input": '{"not": "arguments"}'}  # fmt: skip
    assert [each.arguments for each in parts_of(item)] == [{"input": '{"not": "arguments"}'}]


@looped(
    ("content", "words"),
    [
        ([{"type": "text", "text": "a"}, {"type": "image", "source": {"data": "x"}}], "a"),
        ([{"query": "grep", "result": "a.py:1", "success": True}], "a.py:1"),
        ([{"stdout": "1 failed\n", "stderr": "", "outcome": {"exit_code": 1}}], "1 failed\n"),
        ({"output": {"a": 1}}, '{"a": 1}'),
        (7, "7"),
        (None, ""),
    ],
)
def test_data_in_an_answer_are_read(content: Any, words: str) -> None:
    assert words_of(content) == words


def test_a_part_without_a_table_is_kept_and_is_no_speech() -> None:
    said = read_message({"role": "user", "content": [{"type": "hologram", "data": "x"}]})
    assert [each.kind for each in said.parts] == ["other"]
    assert (said.text, said.is_user) == ("", False)


def test_a_failed_answer_says_so_where_its_text_is_changed() -> None:
    seen: list[MessagePart] = []

    def change(text: str, found: MessagePart, _holder: Any) -> str:
        seen.append(found)
        return text.upper()

    made = with_answers(RESULTS["Anthropic"], change)
    assert made["content"][0]["content"] == SAID.upper()
    assert [each.status for each in seen] == ["failed"]
    assert with_answers(CALLS["Anthropic"], change) is CALLS["Anthropic"]


@looped(
    "message",
    [
        {"role": "tool", "parts": [None]},
        {"type": "dynamic-tool", "toolCallId": "1", "state": {"status": {"odd": 1}}},
        {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": [], "content": 7}]},
        {"type": "mcp_call", "output": {}, "error": [], "name": {}, "arguments": "["},
    ],
)
def test_broken_messages_are_read_and_stay(message: Any) -> None:
    for each in read_message(message).parts:
        assert isinstance(each.text + each.words, str)
    assert with_answers(message, lambda text, *_: text) is message
