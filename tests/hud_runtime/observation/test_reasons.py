"""The reasons that an agent gives are heard from its own messages, and kept with the conversation's end."""

from __future__ import annotations

from hud_components import HudState
from hud_runtime.observe import AgentMessage, Reader, ToolAnswer, ToolCall, UserMessage
from tests.hud_runtime.observation.inside import LISTED, MOST, reasons_in
from tests.ids import looped

WHY = [
    "I chose SQLite over a JSON file because two processes write to it.",
    "Switched from polling to webhooks since the API limits us to ten calls a minute.",
    "The root cause is the cached token, which nobody refreshes.",
    "This rules out the garbage collector: the store was empty.",
    "I reverted the retry, as it hid the real error from the caller.",
    "We kept the old flag so that scripts go on working.",
    "Ich habe Redis statt Memcached genommen, weil wir Listen brauchen.",
    "J'ai choisi SQLite parce que deux processus écrivent.",
    "Elegí SQLite porque dos procesos escriben a la vez.",
    "我选择了 SQLite 而不是 JSON 文件,因为有两个进程同时写入。",
    "二つのプロセスが書き込むため、SQLiteを選びました。",
]

NO_WHY = [
    "Let me run the tests.",
    "All tests pass.",
    "Shall I use SQLite instead of a file, because two processes write to it?",
    "Let me look at the store first, because something is odd.",
    "| SQLite instead of JSON | because two processes write |",
    "```\n# kept because the linter wants it\n```",
    "2026-01-01 10:00:00 ERROR failed because the disk is full",
    "I updated the three files and ran the linter.",
]


@looped("sentence", WHY)
def test_a_sentence_that_says_why_is_heard_among_others(sentence: str) -> None:
    assert reasons_in(f"Done.\n\n{sentence}\n\n```python\nx = 1\n```\n\nWhat next?") == [sentence]


@looped("text", NO_WHY)
def test_what_says_no_reason_is_not_heard(text: str) -> None:
    assert reasons_in(text) == []


def test_lists_and_tables_of_decisions_are_heard_as_one() -> None:
    listed = (
        "**Design decisions:**\n\n- **One field** — low friction\n- No version — rarely needed\n"
    )
    assert reasons_in(listed) == [
        "Design decisions: One field — low friction; No version — rarely needed"
    ]
    long = "## Decisions\n" + "".join(f"- Choice {n} — {'reason ' * 40}\n" for n in range(40))
    assert [len(each) <= LISTED for each in reasons_in(long)] == [True]


def test_few_of_one_message_are_kept() -> None:
    text = "\n".join(f"I chose option {n} because it is the smallest of all." for n in range(90))
    assert len(reasons_in(text)) == MOST


@looped("piece", ["since ", ", as it ", "not ", "I chose ", "- ", "**", "| "])
def test_takes_no_longer_for_hostile_text(piece: str) -> None:
    assert isinstance(reasons_in(piece * 8_000), list)


def session(*seen: object) -> HudState:
    from hud_runtime import HudStore, replay

    reader = Reader()
    drafts = [draft for each in seen for draft in reader.feed(each)]  # type: ignore[arg-type]
    with HudStore.open(":memory:") as store:
        made = store.session("s")
        replay([*drafts, *reader.finish()], made)
        state = made.known
    assert isinstance(state, HudState)
    return state


def test_no_output_of_a_tool_becomes_a_reason() -> None:
    state = session(
        UserMessage(text="Fix the build."),
        AgentMessage(text="Reading.", message_id="a"),
        ToolCall(name="Bash", arguments={"command": "cat x"}, call_id="1"),
        ToolAnswer(text=WHY[0], call_id="1", status="ok"),
    )
    assert [each for each in state.where if each.speaker == "why"] == []


def test_what_an_edit_puts_in_and_that_it_makes_a_file_is_kept_without_secrets() -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2
    edits = {
        "a.py": ("Edit", {"old_string": "x = 1\ny = 2", "new_string": "x = 1\nretries = 5"}, "ok"),
        "b.py": (
            "Write",
            {"content": "import os\n# All of it.\ndef run():\n"},
            "File created successfully at: b.py",
        ),
        "c.env": ("Write", {"content": f"TOKEN={token}"}, "Updated"),
    }
    seen: list[object] = [UserMessage(text="Fix the build."), AgentMessage(text="", message_id="a")]
    for path, (name, given, answer) in edits.items():
        seen.append(ToolCall(name=name, arguments={"file_path": path, **given}, call_id=path))
        seen.append(ToolAnswer(text=answer, call_id=path, status="ok"))
    state = session(*seen)
    assert [(each.path, each.change, each.is_new) for each in state.active_files][:2] == [
        ("a.py", "retries = 5", False),
        ("b.py", "def run():", True),
    ]
    assert token not in state.model_dump_json()
