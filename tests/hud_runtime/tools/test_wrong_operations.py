"""Operations and arguments as they are plausibly written wrong: understood, or refused with the right hint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest

from hud_components import (
    CODING,
    CODING_MEMORY,
    Domain,
    HudItem,
    ItemsSection,
    Line,
    NextSteps,
    Verb,
)
from hud_runtime import EventDraft, EventError, HudSession, HudStore
from hud_runtime.events import catalog_of
from hud_runtime.tools import hud_toolset

DESTRUCTIVE = re.compile(r"\.(?:remove|clear)\Z")


class Wrong(NamedTuple):
    """A line of the data file."""

    call: dict[str, Any]
    is_understood: bool
    meant: str


def _read(line: str) -> Wrong:
    found = re.fullmatch(r"([^\s{]\S*)?(?: ?(\{.*\}))? ([=?]) (\S+)", line)
    assert found is not None, line
    named = {"op": found[1]} if found[1] else {}
    return Wrong({**named, **json.loads(found[2] or "{}")}, found[3] == "=", found[4])


WRONG = [
    _read(line)
    for line in Path(__file__).with_name("wrong_operations.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session: HudSession[Any] = store.session("s")
        session.record("task.set", description="Add a login")
        session.record("decision.record", summary="Use JWT")
        session.record("step.add", description="Add tests")
        session.record("note.add", content="Port 8080")
        session.record("blocker.add", description="No key")
        yield session


UNDERSTOOD = [each for each in WRONG if each.is_understood]


@pytest.mark.parametrize("wrong", UNDERSTOOD, ids=[json.dumps(each.call) for each in UNDERSTOOD])
def test_a_wrong_operation_is_understood(wrong: Wrong, session: HudSession[Any]) -> None:
    result = session.call("hud", wrong.call)
    assert result.operation == wrong.meant, result.text
    assert len(wrong.call) == 1 or not result.is_error, result.text


def test_a_wrong_operation_is_refused_with_the_right_hint(session: HudSession[Any]) -> None:
    before = session.state()
    for wrong in WRONG:
        if wrong.is_understood:
            continue
        result = session.call("hud", wrong.call)
        assert result.is_error, wrong
        assert wrong.meant in result.text, wrong
        assert session.state() == before, wrong
        asked = "".join(re.findall(r'did you mean ("[^?]*")\?', result.text))
        if not DESTRUCTIVE.search(wrong.meant):
            assert not any(map(DESTRUCTIVE.search, re.findall(r'"([^"]*)"', asked))), wrong


def test_there_are_200_of_them() -> None:
    assert len(WRONG) >= 200


@pytest.mark.parametrize(
    ("written", "fields", "event"),
    [
        ("notes.add", {"content": "a"}, "note.add"),
        ("notes.record", {"note": "a"}, "note.add"),
        ("decisions.add", {"decision": "a", "reason": "b"}, "decision.record"),
        ("steps.done", {"step": "Add tests"}, "step.complete"),
        ("errors.add", {"error": "a"}, "error.encountered"),
        ("errors.fixed", {"error": "a"}, "error.resolved"),
        ("files.edit", {"filePath": "a.py"}, "file.edit"),
        ("task.add", {"task": "a"}, "task.set"),
        ("addNote", {"Content": "a"}, "note.add"),
    ],
)
def test_an_event_takes_the_operations_spelling(
    session: HudSession[Any], written: Any, fields: dict[str, object], event: str
) -> None:
    session.record("error.encountered", message="a")
    recorded = session.record(written, **fields)
    assert recorded.type == event
    assert session.events(after=recorded.version - 1) is not None
    assert [each.type for each in session.events(after=recorded.version - 1)] == [event]


def test_an_event_in_doubt_is_refused_with_those_of_its_section(session: HudSession[Any]) -> None:
    for written in ("steps.reopen", "note.frobnicate", "note"):
        version = session.version
        with pytest.raises(EventError, match=r'"(?:step\.update|note\.add)"|known: note\.add'):
            session.record_all([EventDraft(written, {})])  # type: ignore[arg-type]
        assert session.version == version


def test_a_stored_event_is_read_by_its_own_type_alone() -> None:
    with pytest.raises(EventError, match=r'unknown event type "notes\.add"'):
        catalog_of(CODING).recorded("notes.add")


def test_a_mended_call_says_so(session: HudSession[Any]) -> None:
    result = session.call("hud", {"op": "decisions.add", "decision": "a"})
    assert [(each.kind, each.path) for each in result.repairs] == [
        ("name", "$.op"),
        ("name", "$.decision"),
    ]


class Ticket(HudItem):
    """A ticket."""

    what: Line


def _close(value: tuple[Ticket, ...], said: Ticket, moment: object) -> tuple[Ticket, ...]:
    return value


class Tickets(ItemsSection[Ticket]):
    """Tickets."""

    name = "tickets"
    aliases = ("case",)
    lines: ClassVar[dict[str, str]] = {"full": "{what}"}
    verbs = ("add", "remove", Verb("record", _close), Verb("forget", _close))


DESK = Domain("desk", sections=(Tickets,))


def test_a_verb_of_the_domains_own_goes_first() -> None:
    toolset = hud_toolset(None, domain=DESK)
    called = {
        name: toolset.call("hud", {"op": name, "nothing": 1}).operation
        for name in (
            "tickets.record",
            "ticket.forget",
            "tickets.create",
            "tickets.delete",
            "cases.add",
        )
    }
    assert called == {
        "tickets.record": "tickets.record",
        "ticket.forget": "tickets.forget",
        "tickets.create": "tickets.add",
        "tickets.delete": "tickets.remove",
        "cases.add": "tickets.add",
    }


def test_a_tool_that_only_reads_says_where_to_record(session: HudSession[Any]) -> None:
    result = session.call("hud_read", {"op": "notes.record", "content": "a"})
    assert result.is_error
    assert "call the tool hud" in result.text
    assert session.call("hud_read", {"op": "notes.show"}).operation == "notes.list"


def test_a_name_of_two_sections_is_refused_with_both() -> None:
    told = hud_toolset(None, domain=CODING_MEMORY)
    with pytest.raises(Exception, match="did you mean"):
        told.describe("remember")


@pytest.mark.parametrize(
    "name", ["", "..", "💥", "a" * 10_000, "notes.", ".add", "notes.add.add", "x\ny"]
)
def test_any_name_is_answered(session: HudSession[Any], name: str) -> None:
    assert len(session.call("hud", {"op": name}).text) < 3_200


def test_a_status_is_the_field_that_says_it(session: HudSession[Any]) -> None:
    for status, is_over in (("Done", True), ("to do", False)):
        assert not session.call(
            "hud", {"op": "steps.update", "id": "s-4", "status": status}
        ).is_error
        assert session.state()[NextSteps][0].completed is is_over


def test_no_text_of_an_argument_is_taken_for_half_a_name(session: HudSession[Any]) -> None:
    session.call("hud", {"op": "task.add", "name": "a new one"})
    session.call("hud", {"op": "steps.add", "name": "notes"})
    state = session.state()
    assert state.task is not None
    assert state.task.description == "a new one"
    assert state[NextSteps][-1].description == "notes"


def test_a_section_named_like_a_list_of_calls_is_that_section() -> None:
    class Actions(Tickets):
        """Actions."""

        name = "actions"
        aliases = ()

    with HudStore.open(":memory:", domain=Domain("desk", sections=(Actions,))) as store:
        session = store.session("s")
        assert not session.call("hud", {"actions": ["Call back", "Write"]}).is_error
        assert len(session.state()[Actions]) == 2
        assert session.call("hud", {"op": "section.clear", "section": "action"}).operation
        assert not session.state()[Actions]


@pytest.mark.parametrize(
    "given",
    [
        {"operations": [{"op": "notes.add", "content": "a"}, {"type": "steps.add", "step": "b"}]},
        {"calls": [{"op": "add", "section": "notes", "content": "a"}, {"steps.add": "b"}]},
        {"actions": [{"action": "add", "target": "notes", "text": "a"}, {"step": "b"}]},
    ],
)
def test_calls_of_any_shape_are_several_in_one(session: HudSession[Any], given: Any) -> None:
    assert not session.call("hud", given).is_error
    assert len(session.state().notes) == len(session.state().next_steps) == 2


def test_one_argument_tells_what_a_bare_verb_is_about(session: HudSession[Any]) -> None:
    session.call("hud", {"op": "blockers.add", "description": "CI is down"})
    assert session.call("hud", {"action": "remove", "blocker": "CI is down"}).text.startswith(
        "Removed b-"
    )
