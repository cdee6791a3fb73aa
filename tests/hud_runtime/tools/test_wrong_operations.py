"""Operations and arguments as they are plausibly written wrong: understood, or refused with the right hint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import pytest

from hud_components import (
    CODING,
    Domain,
    HudItem,
    ItemsSection,
    Line,
    NextSteps,
    Verb,
)
from hud_components.memory import CODING_MEMORY
from hud_runtime import EventDraft, EventError, HudSession, HudStore
from hud_runtime.log.events import catalog_of
from hud_runtime.tools import hud_toolset
from tests.hud_runtime.tools.other_domains import DOMAINS, SEEDS
from tests.hud_runtime.tools.reading import recorded
from tests.ids import looped

DESTRUCTIVE = re.compile(r"\.(?:remove|clear)\Z")


class Wrong(NamedTuple):
    """A line of the data file."""

    domain: str
    tool: str
    call: dict[str, Any]
    is_understood: bool
    meant: str
    gives: Any


def _read(line: str) -> Wrong:
    found = re.fullmatch(
        r"(?:@(\w+) )?(?:!(\S+) )?([^\s{@!]\S*)?(?: ?(\{.*?\}))? ([=?]) (\S+)(?: -> (.*))?", line
    )
    assert found is not None, line
    domain, tool, op, arguments, sign, meant, gives = found.groups()
    call = {**({"op": op} if op else {}), **json.loads(arguments or "{}")}
    given = json.loads(gives) if gives else None
    return Wrong(domain or "coding", tool or "hud", call, sign == "=", meant, given)


WRONG = [
    _read(line)
    for line in Path(__file__).with_name("wrong_operations.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def _seeded(store: HudStore, domain: str, session_id: str = "s") -> HudSession[Any]:
    session: HudSession[Any] = store.session(session_id)
    session.record_all([EventDraft(*each) for each in SEEDS[domain]])
    return session


@pytest.fixture(scope="module")
def stores() -> Iterator[dict[str, HudStore]]:
    """A store for each domain, in which each call has a session of its own."""
    with ExitStack() as opened:
        yield {
            name: opened.enter_context(
                HudStore.open(":memory:", clock=lambda: 0, domain=DOMAINS[name])
            )
            for name in DOMAINS
        }


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        yield _seeded(store, "coding")


def _holds(said: Any, values: Any) -> bool:
    """Tell whether what is recorded says the values, or all of a list each one's."""
    if isinstance(values, dict):
        return all(name in said and _holds(said[name], each) for name, each in values.items())
    if isinstance(values, list):
        return len(said) == len(values) and all(map(_holds, said, values))
    return bool(said == values)


@looped(("number", "wrong"), enumerate(WRONG), ids=[f"{each.tool} {each.call}" for each in WRONG])
def test_a_wrong_operation(stores: dict[str, HudStore], number: int, wrong: Wrong) -> None:
    session = _seeded(stores[wrong.domain], wrong.domain, str(number))
    before, version = session.state(), session.version
    result = session.call(wrong.tool, wrong.call)
    if wrong.is_understood:
        assert wrong.meant in (result.operation or _operations(result.data)), result.text
        assert len(wrong.call) == 1 or not result.is_error, result.text
        events = [event.payload.model_dump() for event in session.events(after=version)]
        if isinstance(wrong.gives, dict):
            assert any(_holds(event, wrong.gives) for event in events), events
        elif wrong.gives is not None:
            assert _holds(events, wrong.gives), events
        return
    assert result.is_error
    assert result.data["error"] != "broken"
    assert wrong.meant == result.operation or wrong.meant in result.text
    assert session.state() == before
    asked = re.findall(r'did you mean ("[^?]*")\?', result.text)
    if not DESTRUCTIVE.search(wrong.meant):
        assert not [
            each for each in re.findall(r'"([^"]*)"', "".join(asked)) if DESTRUCTIVE.search(each)
        ]


def _operations(data: Any) -> list[str]:
    """The operations that several calls in one are."""
    parts = data if isinstance(data, list) else []
    return [
        name
        for each in parts
        for name in ([each["op"]] if each["op"] else _operations(each["data"]))
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


class Patient(HudItem):
    """A patient."""

    name: Line
    status: Literal["waiting", "treated", "discharged", "gone"] = "waiting"


class Patients(ItemsSection[Patient]):
    """Patients, whose end an update sets."""

    lines: ClassVar[dict[str, str]] = {"full": "**{name}**: {status}"}
    done = ("discharged", "gone")


WARD = hud_toolset(None, domain=Domain("ward", sections=(Patients,)))


@looped(
    ("name", "values"),
    [
        ("treat", ["treated"]),
        *((name, ["discharged"]) for name in ("discharge", "discharged", "mark_discharged")),
        *((name, ["discharged", "gone"]) for name in ("complete", "done", "close", "finish")),
    ],
)
def test_a_word_for_a_choice_is_the_update_that_sets_it(name: str, values: list[str]) -> None:
    result = WARD.call("hud", {"op": f"patients.{name}", "id": "p-1"})
    given = " or ".join(f'"status": "{each}"' for each in values)
    assert result.text == (
        f'$.op: there is no operation "patients.{name}"; did you mean "patients.update" with {given}?'
    )


class Plays(ItemsSection[Ticket]):
    """Plays, whose ids begin like those of patients in no domain."""

    lines: ClassVar[dict[str, str]] = {"full": "{what}"}


def test_an_id_is_of_the_section_whose_ids_begin_so_in_the_domain() -> None:
    toolset = hud_toolset(None, domain=Domain("ward", sections=(Patients, Plays)))
    assert (
        toolset.call("hud", {"op": "p-1.update", "status": "gone"}).operation == "patients.update"
    )
    for call in ({"op": "patients.treat", "id": "p-1"}, {"op": "p-1.treat"}):
        assert '"patients.update" with "status": "treated"' in toolset.call("hud", call).text


def test_a_text_of_several_words_is_no_part_of_a_name() -> None:
    told = WARD.call("hud", {"op": "patients.weigh", "action": "weigh him"}).text
    assert told.startswith('$.op: there is no operation "patients.weigh"; known: ')


def test_a_list_is_not_offered_to_be_replaced_unasked() -> None:
    told = WARD.call("hud", {"op": "patients.weigh", "id": "p-1"}).text
    assert told.endswith("known: patients.list, patients.add, patients.update, patients.remove")
    assert "patients.set" in WARD.operations


def test_an_argument_that_is_not_known_is_answered_with_one_list() -> None:
    told = WARD.call("hud", {"op": "patients.add", "name": "Bo", "age": 3}).text.splitlines()
    assert told[0] == "$.age: no such argument; known: name, status"
    assert '"properties":["name","status"]' in told[1]


def test_an_example_with_choices_is_json_that_no_operation_takes() -> None:
    told = WARD.call("hud", {"op": "patients.update", "id": "p-1", "status": 7}).text
    call = json.loads(told.rpartition("for example ")[2])
    assert call["call"]["status"] == "<waiting | treated | discharged | gone>"
    assert WARD.call("hud", call).text.startswith("$.call.status: ")


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


@looped("name", ["", "..", "💥", "a" * 10_000, "notes.", ".add", "notes.add.add", "x\ny"])
def test_any_name_is_answered(session: HudSession[Any], name: str) -> None:
    assert len(session.call("hud", {"op": name}).text) < 3_200


def test_a_status_is_the_field_that_says_it(session: HudSession[Any]) -> None:
    for status, is_over in (("Done", True), ("to do", False)):
        assert not session.call(
            "hud", {"op": "steps.update", "id": "s-4", "status": status}
        ).is_error
        assert session.state()[NextSteps][0].completed is is_over


def test_no_text_of_an_argument_is_taken_for_half_a_name(session: HudSession[Any]) -> None:
    session.call("hud", {"op": "task.put", "name": "a new one"})
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


def test_a_path_is_one_file_however_it_is_written(session: HudSession[Any]) -> None:
    for path in ("./src/a.py", "src//a.py", "src/x/../a.py"):
        assert session.call("hud", {"op": "files.edit", "path": path}).operation == "files.edit"
    session.call("hud", {"op": "files.open", "path": "https://a.b/c"})
    assert [file.path for file in session.state().active_files] == ["src/a.py", "https://a.b/c"]
    assert not session.call("hud", {"op": "files.close", "path": "./src/a.py"}).is_error
    assert len(session.state().active_files) == 1


@looped(
    "one",
    ["Ship", {"description": "Ship"}, "[ ] Ship", "[]", {"id": "s-4", "description": "Ship"}, None],
)
def test_no_list_is_replaced_by_one_item(session: HudSession[Any], one: Any) -> None:
    before = session.state()
    for name in ("items", "steps", "value", "description"):
        result = session.call("hud", {"op": "steps.set", name: one})
        assert result.is_error
        assert session.state() == before


def test_a_text_alone_reads_and_does_nothing_else(session: HudSession[Any]) -> None:
    assert session.call("hud", "notes.show").operation == "notes.list"
    result = session.call("hud", "task.clear")
    assert result.is_error
    assert '{"call": {"op": "task.clear"}}' in result.text
    assert session.state().task is not None


def test_a_member_that_may_be_an_items_is_no_half_of_a_whole_name(
    session: HudSession[Any],
) -> None:
    result = session.call("hud", {"op": "errors.add", "type": "KeyError", "message": "x"})
    assert "$.type: no such argument" in result.text


HOSTILE: list[Any] = [
    None, 3, "", [], {}, "task.clear", {"op": None}, {"op": ["a", "b"]}, {"calls": [[]]}, {"op": "notes.add", "content": "\ud800"},
    {"op": "steps.set", "items": [None]}, {"op": "steps.set", "steps": [["a"]]}, {"section": ["notes"], "add": "a"},
    {"op": "steps.add", "status": ["done"]}, {"method": {"a": 1}}, {"op": "files.edit", "path": ""}, {"op": "a" * 5_000},
]  # fmt: skip


@looped("place", [0, 1, 2])
@looped("entry", HOSTILE, ids=lambda each: str(each)[:40])
def test_of_several_calls_all_are_done_or_none(
    session: HudSession[Any], entry: Any, place: int
) -> None:
    calls: list[Any] = [{"op": "todo_write", "todos": ["a", "b"]}, {"note": "a", "steps": ["c"]}]
    calls.insert(place, entry)
    before = session.version, session.state()
    assert session.call("hud", {"calls": calls}).is_error
    assert (session.version, session.state()) == before


def test_a_transcript_is_read_under_other_words() -> None:
    given = {"op": "update_plan", "plan": [{"step": "a", "status": "completed"}]}
    assert recorded(given, "Set: 1 item.") == [
        ("section.replace", {"next_steps": [{"description": "a", "completed": True}]})
    ]
    assert recorded({"op": "notes.record", "note": "a"}, "Added n-3.") == [
        ("note.add", {"content": "a", "id": "n-3"})
    ]
