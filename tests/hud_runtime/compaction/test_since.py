"""H5: of a history counts what came since the last finished compaction; calls keep their results."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime.context.compaction import (
    CompactionPolicy,
    compact,
    is_summary,
    marked,
    messages_since_compaction,
    without_media,
)
from hud_runtime.observe.messages import read_message
from tests.hud_runtime.compaction.histories import FORMS, STORY, Turn, forms, turns
from tests.ids import looped
from tests.work import growth


def summary(form: str, text: str = "So far.", kept: int = 0) -> Any:
    like = FORMS[form] if form in ("gemini", "bedrock") else FORMS["chat"]
    return marked(like([Turn("user", text, 0)])[0], kept)


def whole_pairs(messages: list[Any]) -> bool:
    """Whether every result has its call before it, and every call but the last its result, as providers ask."""
    said = [read_message(each) for each in messages]
    calls: Counter[str] = Counter()
    for each in said:
        for part in each.parts:
            name = part.id or part.name
            if part.kind == "call":
                calls[name] += 1
            elif part.kind == "result":
                calls[name] -= 1
                if calls[name] < 0:
                    return False
    return not +calls


class TestFilter:
    @given(turns, forms)
    def test_h5_without_a_compaction_all_count(self, said: list[Turn], form: str) -> None:
        history = FORMS[form](said)
        assert messages_since_compaction(history) == history

    @given(turns, turns, forms)
    def test_h5_what_came_before_is_gone(self, old: list[Turn], new: list[Turn], form: str) -> None:
        later = [each._replace(number=each.number + 100) for each in new]
        before, after = FORMS[form](old), FORMS[form](later)
        mark = summary(form)
        found = messages_since_compaction([*before, mark, *after])
        assert found[1:] == after
        assert "summary" not in found[0]
        assert read_message(found[0]) == read_message(mark)

    @given(turns, forms, st.data())
    def test_h5_calls_keep_their_results_wherever_it_happened(
        self, said: list[Turn], form: str, data: st.DataObject
    ) -> None:
        history = FORMS[form](said)
        place = data.draw(st.integers(0, len(history)))
        kept = data.draw(st.integers(0, 3))
        told = [*history[:place], summary(form, kept=kept), *history[place:]]
        before = copy.deepcopy(told)
        found = messages_since_compaction(told)
        assert whole_pairs(found)
        assert told == before
        positions = [next(n for n, each in enumerate(told) if each is one) for one in found[1:]]
        assert positions == sorted(positions)
        assert all(any(each is one for one in found) for each in history[place:])

    @given(turns, forms)
    def test_h5_it_counts_once(self, said: list[Turn], form: str) -> None:
        history = FORMS[form](said)
        told = messages_since_compaction(
            [*history, summary(form, "old"), *history, summary(form), *history]
        )
        assert messages_since_compaction(told) == told

    @looped("form", FORMS)
    def test_h5_one_that_failed_is_none(self, form: str) -> None:
        history = FORMS[form](STORY)
        good, bad = summary(form, "good"), {**summary(form, "bad"), "error": "cut off"}
        unfinished = {**summary(form), "finish": False}
        found = messages_since_compaction([*history, good, *history, bad, unfinished])
        assert read_message(found[0]).text == "good"

    def test_h5_system_messages_stay(self) -> None:
        system = {"role": "system", "content": "You write code."}
        later = {"role": "developer", "content": "Be brief."}
        user = {"role": "user", "content": "Hi."}
        found = messages_since_compaction([system, user, later, summary("chat"), user])
        assert [each["content"] for each in found] == [
            "You write code.", "Be brief.", "So far.", "Hi.",
        ]  # fmt: skip

    def test_h5_words_that_look_like_a_mark_are_words(self) -> None:
        history = [
            {"role": "user", "content": '{"summary": true}'},
            {"role": "user", "content": [{"type": "text", "text": "x", "summary": True}]},
            {"role": "assistant", "content": None, "summary": "yes"},
        ]
        assert not any(map(is_summary, history))
        assert messages_since_compaction(history) == history

    def test_h5_a_call_is_brought_along_with_all_its_results(self) -> None:
        call: Any = {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "ls", "input": {"in": "."}},
                {"type": "tool_use", "id": "b", "name": "cat", "input": {"in": "a"}},
            ],
        }
        first = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}],
        }
        second = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "b", "content": "2"}],
        }
        user = {"role": "user", "content": "Go."}
        found = messages_since_compaction([user, call, first, summary("messages"), second])
        assert found[1:] == [call, first, second]

    def test_h5_thoughts_stay_with_their_call(self) -> None:
        items = FORMS["responses"]([Turn("user", "Go.", 0), Turn("call", "ls", 1)])
        found = messages_since_compaction([*items[:3], summary("chat"), items[3]])
        assert [each.get("type") for each in found[1:]] == [
            "reasoning", "function_call", "function_call_output",
        ]  # fmt: skip

    def test_h5_what_a_provider_has_compacted_itself(self) -> None:
        user = {"role": "user", "content": "Go."}
        anthropic = {"role": "assistant", "content": [{"type": "compaction", "content": "So far."}]}
        openai = {"type": "compaction", "encrypted_content": "xyz"}
        assert messages_since_compaction([user, anthropic, user]) == [anthropic, user]
        assert messages_since_compaction([user, openai, user]) == [openai, user]


def of_opencode(name: str, role: str, *parts: Any, **info: Any) -> Any:
    return {"info": {"id": name, "role": role, **info}, "parts": [*parts]}


class TestOpenCode:
    """OpenCode keeps its whole history, and asks for a compaction by a message of the user's."""

    text: ClassVar[Any] = {"type": "text", "text": "Hi"}
    asks: ClassVar[Any] = of_opencode("m3", "user", {"type": "compaction", "auto": True})
    done: ClassVar[Any] = of_opencode(
        "m4", "assistant", text, summary=True, finish="stop", parentID="m3"
    )
    history: ClassVar[list[Any]] = [
        of_opencode("m1", "user", text),
        of_opencode("m2", "assistant", text, finish="stop", parentID="m1"),
    ]

    def names(self, history: list[Any]) -> list[str]:
        return [each["info"]["id"] for each in messages_since_compaction(history)]

    def test_h5_it_begins_with_the_message_that_asked_for_it(self) -> None:
        later = of_opencode("m5", "user", self.text)
        assert self.names([*self.history, self.asks, self.done, later]) == ["m3", "m4", "m5"]

    def test_h5_an_unfinished_one_and_one_with_an_error_do_not_count(self) -> None:
        for change in ({"finish": None}, {"error": {"name": "MessageAbortedError"}}):
            info = {**self.done["info"], **change}
            history = [*self.history, self.asks, {**self.done, "info": info}]
            assert self.names(history) == ["m1", "m2", "m3", "m4"]

    def test_h5_the_tail_stands_behind_the_summary(self) -> None:
        part = {"type": "compaction", "auto": True, "tail_start_id": "m2"}
        asks = {**self.asks, "parts": [part]}
        assert self.names([*self.history, asks, self.done]) == ["m3", "m4", "m2"]


class TestBelonging:
    def test_the_filter_is_in_proportion(self) -> None:
        def prepared(size: int) -> Callable[[], object]:
            history = FORMS["gemini"]([Turn("call", "ls", n) for n in range(size)])
            history.insert(len(history) // 2 * 2 - 1, summary("gemini"))
            return lambda: messages_since_compaction(history)

        assert growth(prepared, 60) < 2.3


class TestMedia:
    @given(turns, forms)
    def test_h3_media_are_words_and_all_else_is_as_it_was(
        self, said: list[Turn], form: str
    ) -> None:
        history = FORMS[form](said)
        before = copy.deepcopy(history)
        bare = without_media(history)
        assert history == before
        assert "iVBOR" not in json.dumps(
            [each for each, turn in zip(bare, bare, strict=True) if turn]
        )
        for old, new in zip(history, bare, strict=True):
            assert (new is old) == ("iVBOR" not in json.dumps(old))

    def test_h3_media_in_a_result_and_arguments_that_look_like_media(self) -> None:
        image = {"type": "image", "source": {"data": "iVBOR"}}
        result = {"type": "tool_result", "tool_use_id": "1", "content": [image]}
        use = {"type": "tool_use", "id": "1", "name": "draw", "input": {"content": [image]}}
        bare: Any
        [bare] = without_media([{"role": "user", "content": [result, use]}])
        assert bare["content"][0]["content"] == [{"type": "text", "text": "[image]"}]
        assert bare["content"][1] == use

    def test_h3_what_is_nested_too_deep_stays(self) -> None:
        deep: Any = {"type": "image"}
        for _ in range(5_000):
            deep = {"content": [deep]}
        assert without_media([deep])[0] is deep
        result: Any = "x"
        for _ in range(5_000):
            result = [{"type": "tool_result", "tool_use_id": "1", "content": result}]
        assert "nested too deep" in read_message({"role": "user", "content": result}).parts[0].text


class TestOtherParts:
    """What no table knows is not left out in silence, and is nobody's request."""

    def test_h3_they_are_told_as_they_are(self) -> None:
        part = {"type": "tool-bash", "state": "output-available", "output": "a.py"}
        [found] = read_message({"role": "assistant", "parts": [part]}).parts
        assert (found.kind, found.name, "a.py" in found.text) == ("other", "tool-bash", True)

    def test_h3_a_call_of_the_old_form_is_one(self) -> None:
        call: Any = {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "ls", "arguments": "{}"},
        }
        answer = {"role": "function", "name": "ls", "content": "a.py"}
        assert [part.kind for part in read_message(call).parts] == ["call"]
        told = [call, summary("chat"), answer]
        assert messages_since_compaction(told)[1:] == [call, answer]

    def test_h3_what_is_for_hosts_is_silent(self) -> None:
        parts = [{"type": "step-start"}, {"type": "text", "text": "Hi"}, {"type": "patch"}]
        assert len(read_message({"info": {"role": "assistant"}, "parts": parts}).parts) == 1

    @given(
        st.recursive(
            st.none() | st.text(max_size=3) | st.integers(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "role",
                            "content",
                            "type",
                            "parts",
                            "info",
                            "text",
                            "summary",
                            "id",
                            "tool_calls",
                            "output",
                            "function_call",
                        ]
                    ),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=12,
        )
    )
    def test_h3_any_data_is_read(self, data: Any) -> None:
        read_message(data)
        assert without_media([data]) is not None
        assert isinstance(messages_since_compaction([data, data]), list)


@looped("keep", [0, 1, 50, 10**9])
@looped("replay", [False, True])
def test_opencodes_history_can_be_kept_whole(keep: int, *, replay: bool) -> None:
    """What is appended is a mark in its form too, and not one of OpenCode's own, which has a parent."""
    state = {"status": "completed", "input": {}, "output": "a.py\n" * 900}
    tool = {"type": "tool", "tool": "ls", "callID": "1", "state": state}
    history: list[Any] = [
        {
            "info": {"role": "user", "id": "m1"},
            "parts": [{"type": "text", "text": "Add a login. " * 900}],
        },
        {"info": {"role": "assistant", "id": "m2", "parentID": "m1"}, "parts": [tool]},
        {"info": {"role": "user", "id": "m3"}, "parts": [{"type": "text", "text": "Now the API."}]},
    ]
    made = compact(history, lambda _: "So far.", policy=CompactionPolicy(keep=keep), replay=replay)
    assert messages_since_compaction([*history, *made.appended]) == made.messages
