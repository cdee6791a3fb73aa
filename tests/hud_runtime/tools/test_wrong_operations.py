"""Operations and arguments as they are plausibly written wrong: understood, or refused with the right hint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest

from hud_components import CODING, CODING_MEMORY, Domain, HudItem, ItemsSection, Line, Verb
from hud_runtime import EventDraft, EventError, HudSession, HudStore
from hud_runtime.events import catalog_of
from hud_runtime.tools import hud_toolset

DESTRUCTIVE = re.compile(r"\.(?:remove|clear)\Z")


class Wrong(NamedTuple):
    """A line of the data file."""

    name: str
    arguments: dict[str, Any]
    is_understood: bool
    meant: str


def _read(line: str) -> Wrong:
    found = re.fullmatch(r"(\S+)(?: (\{.*\}))? ([=?]) (\S+)", line)
    assert found is not None, line
    return Wrong(found[1], json.loads(found[2] or "{}"), found[3] == "=", found[4])


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


@pytest.mark.parametrize("wrong", WRONG, ids=[f"{each.name} {[*each.arguments]}" for each in WRONG])
def test_a_wrong_operation(wrong: Wrong, session: HudSession[Any]) -> None:
    before = session.state()
    result = session.call("hud", {"op": wrong.name, **wrong.arguments})
    if wrong.is_understood:
        assert result.operation == wrong.meant, result.text
        assert not wrong.arguments or not result.is_error, result.text
        return
    assert result.is_error
    assert wrong.meant in result.text
    assert session.state() == before
    asked = re.findall(r'did you mean ("[^?]*")\?', result.text)
    if not DESTRUCTIVE.search(wrong.meant):
        assert not [
            each for each in re.findall(r'"([^"]*)"', "".join(asked)) if DESTRUCTIVE.search(each)
        ]


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
