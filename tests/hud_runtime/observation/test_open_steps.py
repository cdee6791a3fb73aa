"""The open steps of a host's summary: they stand in for a plan where a session has none."""

from __future__ import annotations

import pytest

from hud_components import HudState
from hud_components.words import SUMMARY_AGES
from hud_runtime import HudSession, HudStore
from hud_runtime.context.compaction import CompactionPolicy
from hud_runtime.integrations import HostSession
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    Compacted,
    Reader,
    ToolAnswer,
    ToolCall,
    UserMessage,
)
from tests.hud_runtime.observation.inside import open_steps, summary_in, without_steps
from tests.ids import looped

CLAUDE_CODE = """This session is being continued from a previous conversation that ran out of context.
<analysis>
Pending: - nothing of this counts
</analysis>

<summary>
1. Primary Request and Intent:
   - Port the ledger

7. Pending Tasks:
   - Run the **ledger** tests of `tests/ledger`
   - Write the changelog

8. Current Work:
   - Renaming `post()`
</summary>"""

CODEX = """Another language model started to solve this problem and produced a summary of its thinking process.

**Progress so far:**
- Ported the ledger

**What remains to be done:**
1. Run the ledger tests
2. ~~Update the lock file~~
3. Tag the release — done
4. Done: the version is set

**Notes:**
- Keep Python 3.11"""

GEMINI = """<state_snapshot>
<overall_goal>
Port the ledger
</overall_goal>
<current_plan>
1. [DONE] Read the schema
2. [TODO] Write the changelog
3. [IN PROGRESS] Port `post()`
</current_plan>
</state_snapshot>"""

OPENCODE = """## Goal
- Port the ledger

## Progress
### Done
- Read the schema
### In Progress
- Port `post()`
### Blocked
- (none)

## Next Steps
1. Write the changelog
   - for users
2. [x] Tag it

## Relevant Files
- src/ledger.py: still open"""


class TestOpenSteps:
    @looped(
        ("summary", "steps"),
        [
            (CLAUDE_CODE, ["Run the ledger tests of tests/ledger", "Write the changelog"]),
            (CODEX, ["Run the ledger tests"]),
            (GEMINI, ["Port post()", "Write the changelog"]),
            (OPENCODE, ["Port post()", "Write the changelog"]),
            ("Done.\n\nRemaining:\n- [ ] Ship it\n- [x] Test it\nNotes:\n- Port 8080", ["Ship it"]),
            ("Left to do:\n* Ship it\n\nDone:\n* Test it", ["Ship it"]),
            ("## TODO\n```\n- [ ] in code\n```\n- Keep __init__ and src/**/a.py", ["Keep __init__ and src/**/a.py"]),
            ("Pending Tasks:\n- None explicitly requested.\n- N/A\n- (none)\n- No pending tasks", []),
            ("Next steps:\n- No longer import `foo`\n- None of the tests may go", ["No longer import foo", "None of the tests may go"]),
            ("I then checked the remaining callers:\n- src/a.py\n\n## Files\n1. src/b.py", []),
            ("Next step: run the tests.", []),
            ("", []),
        ],
    )  # fmt: skip
    def test_are_what_is_listed_as_open(self, summary: str, steps: list[str]) -> None:
        assert open_steps(summary_in(summary)) == steps

    def test_are_few_and_short_whatever_a_summary_lists(self) -> None:
        steps = open_steps("Pending:\n" + "\n".join(f"- {n} {'word ' * 200}" for n in range(50)))
        assert len(steps) == 12
        assert max(map(len, steps)) <= 200

    def test_take_their_section_along_where_it_says_no_more(self) -> None:
        assert without_steps(summary_in(CLAUDE_CODE)).startswith("# Current Work")
        told = "# Pending Tasks\n\n- Ship it\n  - by hand\n\n# Goal\n\nA ledger."
        assert without_steps(told) == told, "a detail is lost in no case"
        only = "# Pending Tasks\n\n- Ship it"
        assert without_steps(only) == only


def call(name: str, **arguments: object) -> tuple[AnyObservation, ...]:
    return (
        AgentMessage(),
        ToolCall(name=name, arguments=arguments, call_id="c"),
        ToolAnswer(text="ok", call_id="c"),
    )


def planned(*steps: str, status: str = "pending") -> tuple[AnyObservation, ...]:
    return call("TodoWrite", todos=[{"content": step, "status": status} for step in steps])


def after(*seen: AnyObservation, anew: bool = False) -> HudSession[HudState]:
    """A session that has seen this; with ``anew``, each by a reader that knows but the state, as a hook's process does."""
    reader, session = Reader(), HudStore.open(":memory:", clock=lambda: 0).session("s")
    for each in seen:
        if anew and not isinstance(each, ToolAnswer):
            place, reader = reader.place, Reader()
            reader.resume(session.state(), session.turn)
            reader.go_on_from(place)
        session.record_all([*reader.feed(each), *reader.finish()])
    return session


def steps(session: HudSession[HudState]) -> list[tuple[str, str]]:
    return [(each.description, each.said_by) for each in session.state().next_steps]


COMPACTED = Compacted(summary=CLAUDE_CODE)
FIRST = "Run the ledger tests of tests/ledger"


@pytest.mark.parametrize("anew", [False, True])
class TestSessions:
    def test_without_a_plan_take_a_summarys_steps_as_unconfirmed_words_of_the_host(
        self, anew: bool
    ) -> None:
        session = after(UserMessage(text="Port the ledger."), COMPACTED, anew=anew)
        assert steps(session) == [(FIRST, "host"), ("Write the changelog", "host")]
        assert session.state().unconfirmed == ("next_steps",)
        assert f"1. {FIRST} *(unconfirmed)*" in session.hud().text
        text = session.hud(density="minimal", budget=40).text
        assert f"**Next:** {FIRST} *(unconfirmed)* *1 more*" in text
        assert "Pending Tasks" not in (session.state().compacted_context or "")

    @looped("status", ["pending", "COMPLETED", "finished"])
    def test_with_a_plan_keep_theirs(self, anew: bool, status: str) -> None:
        session = after(*planned("Ship it", status=status), COMPACTED, anew=anew)
        [step] = session.state().next_steps
        assert (step.description, step.completed) == ("Ship it", status != "pending")
        assert (session.state().compacted_context or "").startswith("# Pending Tasks")

    def test_in_which_the_agent_noted_steps_itself_keep_those(self, anew: bool) -> None:
        own = call("hud", call={"op": "steps.add", "description": "Ship it"})
        session = after(*own, COMPACTED, anew=anew)
        assert steps(session) == [("Ship it", "agent")]

    def test_let_a_plan_or_the_next_summary_take_their_place(self, anew: bool) -> None:
        session = after(COMPACTED, Compacted(summary=CODEX), anew=anew)
        assert steps(session) == [("Run the ledger tests", "host")]
        session = after(COMPACTED, *planned("Write the changelog", "Ship it"), anew=anew)
        assert [each for each, _ in steps(session)] == ["Write the changelog", "Ship it"]
        assert session.state().unconfirmed == ()

    def test_lose_them_with_the_summary(self, anew: bool) -> None:
        def turns(count: int) -> list[AnyObservation]:
            return [AgentMessage(message_id=f"m-{n}") for n in range(count)]

        assert steps(after(COMPACTED, *turns(SUMMARY_AGES[-1] - 1), anew=anew))
        assert not steps(after(COMPACTED, *turns(SUMMARY_AGES[-1]), anew=anew))


def test_are_done_once_the_file_that_one_makes_is_there() -> None:
    listed = "## Next steps\n- Write CHANGES.md\n- Create CHANGES.md and tag it\n- Read CHANGES.md"
    made = (
        AgentMessage(),
        ToolCall(call_id="w", name="Write", arguments={"file_path": "CHANGES.md", "content": "1"}),
        ToolAnswer(call_id="w", text="File created successfully at: CHANGES.md"),
    )
    session = after(Compacted(summary=listed), *made)
    assert [each.completed for each in session.state().next_steps] == [True, False, False]


@looped(
    ("command", "result", "done"),
    [
        ("make test", "ok", [True, False, False]),
        ("make test", "FAILED tests/test_a.py::test_b - assert 0", [False, False, False]),
        ("make tests", "ok", [False, False, False]),
    ],
)
def test_are_done_once_the_check_that_one_runs_has_passed(
    command: str, result: str, done: list[bool]
) -> None:
    listed = (
        "## Next steps\n- Run `make test`\n- Run `make test` and tag it\n- Say what make test is"
    )
    ran = (
        AgentMessage(),
        ToolCall(call_id="r", name="Bash", arguments={"command": command}),
        ToolAnswer(call_id="r", text=result, status="failed" if "FAILED" in result else "done"),
    )
    session = after(Compacted(summary=listed), *ran)
    assert [each.completed for each in session.state().next_steps] == done


@looped(
    ("command", "done"),
    [
        ("python tools/reproduce.py", [True, True, False, False]),
        ("python reproduce.py --fast", [True, True, False, False]),
        ("python other.py", [False, False, False, False]),
        ("rm reproduce.py", [False, False, False, True]),
        ("git mv reproduce.py a.py", [False, False, False, True]),
        ("rm other.py", [False, False, False, False]),
    ],
)
def test_are_done_once_the_file_that_one_ends_with_a_run_of_has_run_or_is_gone(
    command: str, done: list[bool]
) -> None:
    listed = (
        "## Next steps\n- Put the code into `reproduce.py` and run it\n- Fill reproduce.py, then check the result\n"
        "- Run reproduce.py and fix what it finds in the whole project\n- Remove reproduce.py"
    )
    files = ("reproduce.py", "other.py")
    made = [
        each
        for path in files
        for each in (
            ToolCall(call_id="w", name="Write", arguments={"file_path": path, "content": "1"}),
            ToolAnswer(call_id="w", text="ok"),
        )
    ]
    ran = (
        AgentMessage(),
        ToolCall(call_id="r", name="Bash", arguments={"command": command}),
        ToolAnswer(call_id="r", text="345", status="done"),
    )
    session = after(AgentMessage(), *made, Compacted(summary=listed), *ran)
    assert [each.completed for each in session.state().next_steps] == done


def test_are_done_once_the_file_that_one_changes_is_changed() -> None:
    listed = "## Next steps\n- Update `src/a.py`\n- Update `src/a.pyi`\n- Rename the port in a.py\n- Fix a.py\n- Read a.py"
    changed = (
        AgentMessage(),
        ToolCall(
            call_id="e",
            name="Edit",
            arguments={"file_path": "src/a.py", "old_string": "1", "new_string": "2"},
        ),
        ToolAnswer(call_id="e", text="The file src/a.py has been updated."),
    )
    session = after(Compacted(summary=listed), *changed)
    assert [each.completed for each in session.state().next_steps] == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_of_a_host_without_a_compaction_of_its_own_stand_in_for_a_plan_too() -> None:
    session = HudStore.open(":memory:").session("s")
    roles = ("user", "assistant")
    history = [{"role": roles[n % 2], "content": f"{n} " + "words " * 400} for n in range(9)]
    host = HostSession(session, policy=CompactionPolicy(keep=100))
    made = host.compact(history, lambda _request: CLAUDE_CODE)
    assert made.error is None
    assert made.unrecorded is None
    assert steps(session) == [(FIRST, "host"), ("Write the changelog", "host")]
    assert session.state().unconfirmed == ("next_steps",)
    assert len(session.compactions()) == 1


def test_are_recorded_once_where_two_processes_tell_of_one_compaction() -> None:
    with HudStore.open(":memory:") as store:
        readers = [Reader(), Reader()]
        session = store.session("s")
        for reader in readers:
            reader.resume(session.state(), session.turn)
        for reader in readers:
            session.record_all(reader.feed(COMPACTED))
        assert steps(session) == [(FIRST, "host"), ("Write the changelog", "host")]
