"""Reading a file that is no transcript, or half of one: a sentence each, and nothing is silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore, TranscriptError, read_transcript, replay
from hud_runtime.testing import Ticking

DEMO = Path(__file__).parents[3] / "hud_runtime" / "data" / "demo.jsonl"

HELLO = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Add a login."}}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


class TestFile:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is empty"),
            (b" \n\n", "is empty"),
            (b"\x7fELF\x00\x01", "is a binary file"),
            (b"{}", "is no transcript that is known here"),
            (b'{"name": "ujsx"}\n', "known formats: Codex rollout"),
            (b'{\n "name": "ujsx"\n}\n', "it has no list of messages"),
            (
                b'Exporting: s_1{"info": {"id": "s_1"}}',
                'is JSON behind other words ("Exporting: s_1")',
            ),
            (b"\0" * 4096 + b"\n{}\n", "is cut off: it begins with null bytes"),
            (b"[1, 2]", "is no transcript that is known here"),
            (b"# Notes\n\nHello\n", "is no transcript that is known here"),
            (b'"text"', "is no transcript that is known here"),
        ],
    )
    def test_that_is_no_transcript_is_one_sentence(
        self, path: Path, content: bytes, message: str
    ) -> None:
        path.write_bytes(content)
        with pytest.raises(TranscriptError) as caught:
            read_transcript(path)
        assert message in str(caught.value)
        assert str(caught.value).startswith(f"{path} is ")

    def test_that_is_missing_is_one_sentence(self, path: Path) -> None:
        with pytest.raises(TranscriptError, match="cannot be read: No such file"):
            read_transcript(path)

    def test_whose_name_cannot_be_is_one_sentence(self) -> None:
        with pytest.raises(TranscriptError, match="cannot be read: embedded null"):
            read_transcript("a\0b")

    def test_that_is_a_folder_is_one_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(TranscriptError, match="is a folder"):
            read_transcript(tmp_path)


class TestLines:
    def test_that_are_broken_are_named(self, path: Path) -> None:
        hello = json.dumps(HELLO).encode()
        path.write_bytes(
            b"\n"
            + b"\n".join(
                [
                    b"{oops",
                    hello,
                    b"[1]",
                    b"\xff\xfe",
                    b"[" * 99_999,
                    b"null",
                    b"\0" * 4096,
                    hello[:40],
                ]
            )
        )
        transcript = read_transcript(path)
        assert [draft.type for draft in transcript] == ["task.set"]
        assert [problem.line for problem in transcript.problems] == [2, 4, 5, 6, 7, 8, 9]
        words = [
            "not JSON", "not a JSON object", "not UTF-8", "nested", "not a JSON object", "null bytes",
            "ends in the middle",
        ]  # fmt: skip
        for word, problem in zip(words, transcript.problems, strict=True):
            assert word in str(problem)

    def test_that_tell_nothing_are_counted(self, path: Path) -> None:
        lines = [
            HELLO,
            {**HELLO, "isSidechain": True, "message": {"role": "user", "content": "Read a file."}},
            {**HELLO, "isMeta": True},
            {"type": "system", "sessionId": "s"},
            {"type": "progress", "sessionId": "s"},
        ]
        path.write_text("\n".join(map(json.dumps, lines)))
        transcript = read_transcript(path)
        assert transcript.skipped == {"sidechain": 1, "meta": 1, "system": 1, "progress": 1}
        assert transcript.problems == ()

    @given(data=st.data())
    def test_never_break_the_reader(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
    ) -> None:
        records = [json.loads(line) for line in DEMO.read_text("utf-8").splitlines()[:24]]
        place = data.draw(st.integers(0, len(records) - 1))
        node = records[place]
        for _ in range(data.draw(st.integers(0, 4))):
            inner = [
                key for key, value in _entries(node) if isinstance(value, (dict, list)) and value
            ]
            if not inner:
                break
            node = node[data.draw(st.sampled_from(inner))]
        key = data.draw(st.sampled_from([key for key, _ in _entries(node)]))
        node[key] = data.draw(json_values)
        path = tmp_path_factory.mktemp("mutated") / "session.jsonl"
        path.write_text("\n".join(map(json.dumps, records)), "utf-8")
        with HudStore.open(":memory:", clock=Ticking()) as store:
            replay(path, store.session("s"))


def _entries(node: dict[str, object] | list[object]) -> list[tuple[object, object]]:
    return list(node.items()) if isinstance(node, dict) else list(enumerate(node))


class TestShapes:
    MESSAGES = (
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": [{"type": "text", "text": "Task: add a login"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "function": {"name": "read", "arguments": '{"filePath": "a.py"}'}},
                {"id": "2", "function": {"name": "write", "arguments": {"filePath": "b.py"}}},
            ],
        },
        {"role": "tool", "tool_call_id": "2", "content": "ok"},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
    )

    @pytest.mark.parametrize("shape", ["list", "lines", "history", "one line", "indented"])
    def test_of_the_same_messages_tell_the_same(self, path: Path, shape: str) -> None:
        written = {
            "list": json.dumps(self.MESSAGES),
            "lines": "\n".join(map(json.dumps, self.MESSAGES)),
            "history": json.dumps({"history": self.MESSAGES, "info": {}}, indent=1),
            "one line": json.dumps({"messages": self.MESSAGES}),
            "indented": json.dumps(self.MESSAGES, indent=2),
        }
        path.write_text(written[shape])
        transcript = read_transcript(path)
        assert transcript.turns == 1
        assert [(draft.type, draft.payload) for draft in transcript if draft.actor != "host"] == [
            ("task.set", {"description": "add a login"}),
            ("file.edit", {"path": "b.py"}),
            ("file.open", {"path": "a.py"}),
        ]

    def test_of_blocks_are_read_too(self, path: Path) -> None:
        messages = [
            {"role": "user", "content": "Add a login"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "/a"}}
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}],
            },
        ]
        path.write_text(json.dumps(messages))
        assert [draft.type for draft in read_transcript(path)] == [
            "task.set", "file.open",
        ]  # fmt: skip
