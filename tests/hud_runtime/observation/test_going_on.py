"""A reader that goes on where another one stood tells what the other one would have told."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudSession, HudStore
from hud_runtime.observation import (
    AgentMessage,
    AnyObservation,
    Reader,
    ReaderPlace,
    ToolCall,
    ToolResult,
    Undone,
    Usage,
    UserMessage,
)

ASKS = (
    "Add a login with JWT to the shop, with tests.",
    "Now the rate limit for wrong attempts, with its tests.",
    "ok",
)
COMMANDS = {"pytest tests/a.py": "FAILED tests/a.py::test_x - assert 0\n1 failed", "git commit -m x": "", "ls gone": "No such file"}  # fmt: skip


def ran(command: str, *, fails: bool) -> tuple[AnyObservation, ...]:
    text, status = (COMMANDS[command], "failed") if fails else ("1 passed", "done")
    call = ToolCall(name="Bash", arguments={"command": command}, call_id="c")
    return (call, ToolResult(text=text, call_id="c", status=status))  # type: ignore[arg-type]


HAPPENINGS = st.one_of(
    st.builds(lambda text, n: (UserMessage(text=text, message_id=f"u{n}"),), st.sampled_from(ASKS), st.integers(0, 3)),
    st.builds(lambda n, used: (AgentMessage(message_id=f"m{n}", usage=Usage(input=used)),), st.integers(0, 2), st.sampled_from([1_000, 2_000])),
    st.just((*(AgentMessage() for _ in range(4)),)),
    st.builds(lambda command, fails: ran(command, fails=fails), st.sampled_from([*COMMANDS]), st.booleans()),
    st.builds(lambda n: (Undone(since=f"u{n}"),), st.integers(0, 3)),
)  # fmt: skip


def fed(
    session: HudSession, reader: Reader, happenings: Sequence[Sequence[AnyObservation]]
) -> ReaderPlace:
    for each in happenings:
        for one in each:
            session.record_all([*reader.feed(one), *reader.finish()])
    return reader.place


@settings(max_examples=40)
@given(st.lists(HAPPENINGS, min_size=2, max_size=12), st.data())
def test_at_any_place(happenings: list[Sequence[AnyObservation]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(happenings) - 1))
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        whole, parts = store.session("whole"), store.session("parts")
        fed(whole, Reader(), happenings)
        place = fed(parts, Reader(), happenings[:cut])
        other = Reader()
        other.resume(parts.known, parts.turn)
        other.go_on_from(place)
        fed(parts, other, happenings[cut:])
        told = [[(each.type, each.turn, each.payload) for each in one.events(after=1)] for one in (whole, parts)]  # fmt: skip
        assert told[0] == told[1]
