"""Data under the names that JSON from JavaScript has, and a context's use that is given as a share."""

from __future__ import annotations

from collections.abc import Callable
from traceback import format_exception

import pytest
from pydantic import BaseModel, ValidationError

import hud_components
import hud_components.declaring
import hud_components.memory
from hud_components import (
    CODING,
    ActiveFiles,
    ContextBar,
    ContextUsage,
    DecisionsList,
    HudItem,
    HudSection,
    HudState,
    ItemsSection,
    NextSteps,
    Note,
    NotesSection,
    Task,
    TaskSection,
    WarningBanner,
)
from tests.ids import looped
from ujsx import PropError, render
from ujsx.elements import Section


class Ticket(HudItem):
    """A ticket of a domain of one's own."""

    opened_at: int = 0
    parent_ticket: Ticket | None = None


class TestCamelCase:
    def test_a_state_as_the_founding_documents_write_it(self) -> None:
        data = {
            "task": {"description": "Add a login", "updatedAt": 7},
            "activeFiles": [{"path": "app.py", "lastAccessed": 5, "status": "editing"}],
            "nextSteps": [{"id": "s-1", "description": "Test", "completed": False, "order": 1}],
        }
        state = HudState.model_validate(data)
        assert state.task == Task(description="Add a login", updated_at=7)
        assert state.active_files[0].last_accessed == 5
        assert HudState.model_validate_json('{"updatedAt": 3}').updated_at == 3

    def test_it_holds_within_props_and_in_items_within_items(self) -> None:
        shown = ActiveFiles.model_validate({"files": [{"path": "app.py", "lastAccessed": 5}]})
        assert shown.files[0].last_accessed == 5
        inner = Ticket.model_validate({"parentTicket": {"openedAt": 3}}).parent_ticket
        assert inner is not None
        assert inner.opened_at == 3

    def test_schemas_and_dumps_have_the_fields_own_names(self) -> None:
        assert "updated_at" in Task.model_json_schema()["properties"]
        assert "updatedAt" not in str(Task.model_json_schema())
        assert (
            Task.model_validate({"description": "a", "updatedAt": 7}).model_dump()["updated_at"]
            == 7
        )

    @looped(
        "data",
        [
            {"description": "a", "updatedAt": 1, "updated_at": 2},
            {"description": "a", "updatedAt": "soon"},
            {"description": "a", "updateAt": 1},
        ],
    )
    def test_what_is_given_twice_or_wrong_is_refused(self, data: dict[str, object]) -> None:
        with pytest.raises(ValidationError, match="update"):
            Task.model_validate(data)


class TestAShareOfTheContext:
    @looped(
        ("props", "used", "limit"),
        [
            ({"percentage": 67}, 134_000, 200_000),
            ({"percentage": "67"}, 134_000, 200_000),
            ({"percentage": 50, "limit": 10**400}, 5 * 10**399, 10**400),
            ({"percentage": 67.5, "limit": 1_000}, 675, 1_000),
            ({"percentage": 67, "used": 134_200}, 134_200, 200_000),
            ({"used": 500, "limit": 1_000, "model": "m"}, 500, 1_000),
            ({"info": {"percentage": 67}}, 134_000, 200_000),
            ({"info": ContextUsage(used=5)}, 5, 200_000),
        ],
    )
    def test_it_is_the_use(self, props: dict[str, object], used: int, limit: int) -> None:
        for made in (ContextBar.model_validate(props), WarningBanner.model_validate(props)):
            assert made.usage is not None
            assert (made.usage.used, made.usage.limit) == (used, limit)

    def test_a_limit_alone_is_that_of_items(self) -> None:
        assert (ContextBar(limit=3).limit, ContextBar(limit=3).usage) == (3, None)

    @looped("share", [0.1, 33.3, 69.9, 70, 84.99, 92.1])
    def test_it_is_at_least_as_much(self, share: float) -> None:
        usage = ContextUsage.model_validate({"percentage": share, "limit": 128_000})
        assert share <= usage.percentage < share + 0.001

    @looped(
        ("props", "said"),
        [
            ({"percentage": 67, "used": 5}, "5 of 200000 tokens are not 67 %; give one of them"),
            ({"percentage": "a lot"}, "valid number"),
            ({"percentage": 67, "used": "x"}, "usage.used"),
            ({"percentage": 67, "limit": 0}, "usage.limit"),
            ({"percentage": -1}, "greater than or equal to 0"),
            ({"percentage": float("nan")}, "finite"),
            ({"percentage": 67, "limit": "x"}, "usage.limit"),
            ({"percentage": 67, "limit": None}, "usage.limit"),
            ({"usage": 67}, "write used=67, or percentage=67"),
            ({"percentage": 67, "usage": None}, "percentage: no such prop"),
        ],
    )
    def test_what_it_cannot_be_is_refused(self, props: dict[str, object], said: str) -> None:
        make: Callable[..., ContextBar] = ContextBar
        with pytest.raises(PropError) as caught:
            make(**props)
        assert said in str(caught.value)

    def test_it_is_shown(self) -> None:
        make: Callable[..., ContextBar] = ContextBar
        assert render(make(percentage=67, step=1)) == "🟢 Context: 67% used\n"
        known = make(percentage=67, limit=200_000)
        assert render(known) == "🟢 Context: 67% used (134,000 / 200,000 tokens)\n"


class TestFoundingNames:
    def test_of_a_state_are_those_of_its_fields(self) -> None:
        data = {
            "currentTask": "Add a login",
            "keyDecisions": ["Use JWT"],
            "filesModified": ["app.py"],
            "nextSteps": ["Test"],
            "lastUpdated": 3,
        }
        today = {
            "task": "Add a login",
            "decisions": ["Use JWT"],
            "active_files": ["app.py"],
            "next_steps": ["Test"],
            "updated_at": 3,
        }
        assert HudState.model_validate(data) == HudState.model_validate(today)
        assert HudState.model_json_schema() == HudState.model_json_schema(by_alias=False)

    def test_are_not_taken_from_a_section_that_has_such_a_name(self) -> None:
        class Plan(ItemsSection[Note]):
            name = "plan"
            noun = "stage"
            prefix = "g"
            lines = {"full": "{content}"}  # noqa: RUF012

        state = CODING.with_sections(Plan).state.model_validate({"plan": ["a"], "todo": ["b"]})
        assert [each.content for each in state[Plan]] == ["a"]
        assert [each.description for each in state[NextSteps]] == ["b"]

    @looped(
        ("section", "prop", "today"),
        [
            (TaskSection, "currentTask", "task"),
            (DecisionsList, "keyDecisions", "decisions"),
            (NextSteps, "nextSteps", "steps"),
            (ActiveFiles, "filesModified", "files"),
            (NotesSection, "items", "notes"),
        ],
    )
    def test_of_a_prop_are_todays(self, section: type[HudSection], prop: str, today: str) -> None:
        made: Callable[..., object] = section
        assert made(**{prop: "x"}) == made("x") == made(**{today: "x"})

    def test_an_unknown_field_is_answered_with_the_nearest_one_alone(self) -> None:
        with pytest.raises(ValidationError) as refused:
            Note(contnt="Port 8080")  # type: ignore[call-arg]
        told = [each["msg"] for each in refused.value.errors() if each["loc"] == ("contnt",)]
        assert told == ['Note has no field "contnt"; did you mean "content"?']
        assert "errors.pydantic.dev" not in "".join(format_exception(refused.value))

    @looped(
        ("mistaken", "answer"),
        [
            (
                lambda: hud_components.File(path="a.py", status="deleted"),  # type: ignore[arg-type]
                "is none of reading, editing, referenced; a file that is gone is not listed; leave it out",
            ),
            (
                lambda: hud_components.File(path="a.py", status="staged"),  # type: ignore[arg-type]
                "(path='a.py', status='reading')",
            ),
            (
                lambda: hud_components.Error(file="a.py", line=3, message="x"),  # type: ignore[call-arg]
                "(message='x (file: a.py, line: 3)')",
            ),
            (
                lambda: setattr(NotesSection("x"), "title", "Port"),
                "write class Mine(NotesSection): title = 'Port'",
            ),
            (
                lambda: Section(title="x")["y"].find_all("Order"),
                'no node of the tree is called "Order"; known: Section; for items, write hud[Order]',
            ),
            (
                lambda: hud_components.parse("# HUD\n\n## Notes\n\n- Port\n- Port *80*\n", CODING)[
                    Note
                ],
                "the section \"Notes\" was not read as NotesSection: '- Port *80*' is in none of its lines",
            ),
            (
                lambda: hud_components.parse("# HUD\n\n## Notes\n", CODING)[NotesSection],
                'the section "Notes" was not read as NotesSection; hud.find_all(Section) shows it',
            ),
            (
                lambda: hud_components.parse("# HUD\n\n## Notes\n\n- Port\n")["nots"],
                'Hud: it shows no "nots"; did you mean "notes"?',
            ),
            (
                lambda: hud_components.parse("# HUD\n\n## Notes\n\n- Port\n")["task"],
                'Hud: it shows no "task"; known: notes',
            ),
        ],
    )
    def test_a_mistake_is_answered_with_the_line_to_write(
        self, mistaken: Callable[[], object], answer: str
    ) -> None:
        with pytest.raises(Exception) as refused:
            mistaken()
        assert answer in str(refused.value)


PUBLIC = sorted(
    {
        each
        for package in (hud_components, hud_components.declaring, hud_components.memory)
        for each in (getattr(package, name) for name in package.__all__)
        if isinstance(each, type) and issubclass(each, BaseModel)
    },
    key=lambda each: each.__name__,
)


@looped("made", PUBLIC)
def test_no_first_mistake_ends_in_an_address_of_pydantic(made: type[BaseModel]) -> None:
    first = next(iter(made.model_fields), "text")
    for given in ({"budget": 5}, {"task": "x", "budget": 5}, {first: object()}):
        try:
            made(**given)
        except Exception as error:  # noqa: BLE001 - whatever a new user would read
            told = str(error)
        else:
            continue
        assert "pydantic.dev" not in told
        assert "Extra inputs" not in told
