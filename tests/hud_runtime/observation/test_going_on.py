"""A reader that goes on where another one stood tells what the other one would have told."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudSession, HudStore
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    Compacted,
    Reader,
    ReaderPlace,
    ToolAnswer,
    ToolCall,
    Undone,
    Usage,
    UserMessage,
)

ASKS = (
    "Add a login with JWT to the shop, with tests.",
    "Now the rate limit for wrong attempts, with its tests.",
    "ok",
    f"Rename the port, please. {'It has another name in the protocol. ' * 9}See src/store.py:7.",
)
COMMANDS = {"pytest tests/a.py": "FAILED tests/a.py::test_x - assert 0\n1 failed", "git commit -m x": "", "ls gone": "No such file",
            "sed -i s/a/b/ a.py": "", "git reset --hard HEAD~1": "fatal: no", "git stash": "", "git stash drop": ""}  # fmt: skip


def ran(command: str, *, fails: bool) -> tuple[AnyObservation, ...]:
    done = "[main 4f1c2d3] x" if "commit" in command else "1 passed"
    text, status = (COMMANDS[command], "failed") if fails else (done, "done")
    call = ToolCall(name="Bash", arguments={"command": command}, call_id="c")
    return (call, ToolAnswer(text=text, call_id="c", status=status))  # type: ignore[arg-type]


HAPPENINGS = st.one_of(
    st.builds(lambda text, n: (UserMessage(text=text, message_id=f"u{n}"),), st.sampled_from(ASKS), st.integers(0, 3)),
    st.builds(lambda n, used: (AgentMessage(message_id=f"m{n}", usage=Usage(input=used)),), st.integers(0, 2), st.sampled_from([1_000, 2_000])),
    st.just((*(AgentMessage() for _ in range(4)),)),
    st.builds(lambda command, fails: ran(command, fails=fails), st.sampled_from([*COMMANDS]), st.booleans()),
    st.builds(lambda n: (Undone(since=f"u{n}"),), st.integers(0, 3)),
    st.just((Compacted(summary="## Next steps\n- Run the tests"),)),
)  # fmt: skip


def fed(
    session: HudSession, reader: Reader, section_events: Sequence[Sequence[AnyObservation]]
) -> ReaderPlace:
    for each in section_events:
        for one in each:
            session.record_all([*reader.feed(one), *reader.finish()])
    return reader.place


def told(section_events: Sequence[Sequence[AnyObservation]], cut: int | None) -> list[object]:
    """What is recorded, by one reader or by another one from a place on."""
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        place = fed(session, Reader(), section_events[:cut])
        if cut is not None:
            other = Reader()
            other.resume(session.known, session.turn)
            other.go_on_from(place)
            fed(session, other, section_events[cut:])
        return [(each.type, each.turn, each.payload) for each in session.events(after=1)]


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(HAPPENINGS, min_size=2, max_size=12), st.data())
def test_at_any_place(section_events: list[Sequence[AnyObservation]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(section_events) - 1))
    assert told(section_events, cut) == told(section_events, None)


def test_an_error_is_no_longer_open_than_it_would_have_been() -> None:
    turns = (*(AgentMessage(usage=Usage(input=used)) for used in range(1_000, 41_000, 1_000)),)
    whole = told([ran("pytest tests/a.py", fails=True), turns, turns], None)
    assert "error.resolved" in str(whole)
    assert told([ran("pytest tests/a.py", fails=True), turns, turns], 2) == whole


def test_work_that_was_committed_is_done() -> None:
    asks = [(UserMessage(text=each),) for each in ASKS[:2]]
    section_events = [asks[0], ran("git commit -m x", fails=False), asks[1]]
    assert told(section_events, 2) == told(section_events, None)
    assert told([asks[0], asks[1]], None)[-1] != told(section_events, None)[-1]
