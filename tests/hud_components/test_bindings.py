"""``When``, ``Each`` and ``Value``: what a layout shows of a state, without code."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from pydantic import BaseModel, ConfigDict, computed_field, create_model

from hud_components import (
    ActiveFile,
    Blocker,
    ContextUsage,
    Decision,
    Each,
    HudState,
    Note,
    Task,
    Value,
    When,
    check_layout,
)
from hud_components.layout import BindingError, layout_vocabulary
from tests.ids import looped
from ujsx import Density, PropError, RenderContext, read_layout, render, render_document
from ujsx.elements import Item, List, Paragraph, Section, strong
from ujsx.testing import assert_inert
from ujsx.testing.strategies import texts


class Kind(Enum):
    """A choice."""

    SAIL = "sail"


STATE = HudState(
    task=Task(description="Add *login*", updated_at=7),
    decisions=(Decision(id="d-1", summary="JWT", details="scales"), Decision(summary="PDF")),
    notes=tuple(Note(id=f"n-{number}", content=f"note {number}") for number in range(1, 31)),
    blockers=(Blocker(description="CI", resolved=True), Blocker(description="keys")),
    active_files=(ActiveFile(path="a.py", status="editing"), ActiveFile(path="b.py")),
    usage=ContextUsage(used=171_000),
)


def shown(layout: Any, state: BaseModel = STATE, **how: Any) -> str:
    tree = read_layout(layout, layout_vocabulary()) if isinstance(layout, str) else layout
    return render(tree, context=RenderContext().with_value(state), **how)


class TestValue:
    @looped(
        ("path", "text"),
        [
            ("task.description", "Add \\*login\\*\n"),
            ("task.updated_at", "7\n"),
            ("usage.percentage", "85.5\n"),
            ("usage.used", "171000\n"),
            ("notes", "30\n"),
            ("usage.model", ""),
            ("session.title", ""),
            ("compacted_context", ""),
        ],
    )
    def test_is_the_text_of_a_field(self, path: str, text: str) -> None:
        assert shown(Value(of=path)) == text

    def test_stands_in_a_line_and_as_code(self) -> None:
        layout = 'On **<Value of="task.description"/>**: <Value of="usage.used" code/>'
        assert shown(layout) == "On **Add \\*login\\***: `171000`\n"

    def test_is_nothing_without_a_state(self) -> None:
        assert render(Value(of="task.description")) == ""

    @given(text=texts())
    def test_is_inert(self, text: str) -> None:
        state = HudState(compacted_context=text)
        context = RenderContext().with_value(state)
        assert_inert(Paragraph()["a ", Value(of="compacted_context"), " b"], context=context)

    @looped(
        ("path", "message"),
        [
            ("task.descripton", 'a Task has no field "descripton"; did you mean "description"?'),
            ("tsk.description", 'a HudState has no field "tsk"; did you mean "task"?'),
            ("task.description.upper", "text has no fields"),
            ("notes.content", "there are several; repeat for each of them"),
            ("task", '"task" is a Task; name one of its fields'),
            ("task.model_dump", 'a Task has no field "model_dump"'),
            ("usage.model_config", 'a ContextUsage has no field "model_config"'),
            ("task.description.format", "text has no fields"),
        ],
    )
    def test_of_a_path_that_leads_nowhere_is_refused(self, path: str, message: str) -> None:
        for state in (STATE, HudState()):  # whatever there is
            with pytest.raises(BindingError) as caught:
                shown(Value(of=path), state)
            assert message in caught.value.message
            assert caught.value.prop == "of"

    @looped(
        "path", ["__class__", "task.__dict__", "task._x", "", "a..b", "a b", "a.", "()", "task[0]"]
    )
    def test_of_what_is_no_path_is_refused(self, path: str) -> None:
        with pytest.raises(PropError, match="should match pattern"):
            Value(of=path)

    @looped(
        ("value", "text"),
        [
            (date(2026, 5, 1), "2026-05-01"),
            (datetime(2026, 5, 1, 9, 30, tzinfo=UTC), "2026-05-01T09:30:00+00:00"),
            (time(9, 30), "09:30:00"),
            (timedelta(minutes=5), "PT5M"),
            (Decimal("1.50"), "1.50"),
            (Kind.SAIL, "sail"),
            (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        ],
    )
    def test_shows_what_a_line_has(self, value: Any, text: str) -> None:
        state = create_model("Own", __base__=HudState, at=(type(value) | None, None))
        assert shown(Value(of="at"), state(at=value)) == f"{text}\n"
        assert shown(Value(of="at"), state()) == ""

    def test_of_what_has_no_fields_names_none(self) -> None:
        state = create_model("Own", __base__=HudState, at=(dict[str, int], {}))
        with pytest.raises(BindingError, match='"at" is a dict; no line shows such a value'):
            shown(Value(of="at"), state())

    def test_looks_at_fields_alone(self) -> None:
        class Loud(HudState):
            name: str = "n"

            @property
            def secret(self) -> str:
                raise AssertionError("a property was asked")

            @computed_field
            def told(self) -> str:
                return "computed"

            def method(self) -> str:
                raise AssertionError("a method was called")

        assert shown(Value(of="name"), Loud()) == "n\n"
        assert shown(Value(of="told"), Loud()) == "computed\n"
        for path in ("secret", "method", "copy", "model_fields"):
            with pytest.raises(BindingError):
                shown(Value(of=path), Loud())


class TestWhen:
    @looped(
        ("condition", "holds"),
        [
            ('has="task"', True),
            ('lacks="task"', False),
            ('has="errors"', False),
            ('lacks="session.title"', True),
            ('field="notes" above={29}', True),
            ('field="notes" above={30}', False),
            ('field="notes" at_least={30} below={31}', True),
            ('field="usage.percentage" at_most={85}', False),
            ('field="usage.limit" equals={200000}', True),
            ('field="task.description" equals="Add *login*"', True),
            ('field="session.compactions" at_least={0}', False),
            ('has="task" lacks="notes"', False),
            ('level="green"', True),
            ('level="red"', True),
            ('level="critical"', False),
            ('any="blockers" lacks="resolved"', True),
            ('none="blockers" has="resolved"', False),
            ('none="errors" lacks="resolved"', True),
            ('any="active_files" field="status" equals="editing"', True),
            ('any="active_files" field="status" equals="referenced"', False),
            ('any="notes"', True),
            ('none="errors"', True),
        ],
    )
    def test_shows_its_children_where_it_holds(self, condition: str, holds: bool) -> None:
        assert shown(f"<When {condition}>\nYes.\n</When>") == ("Yes.\n" if holds else "")

    def test_without_a_reading_no_level_is_reached(self) -> None:
        assert shown(When(level="green")["a"], HudState()) == ""

    def test_is_transparent(self) -> None:
        layout = '<List><Item>a</Item><When has="task"><Item>b</Item></When></List>'
        assert shown(layout) == "- a\n- b\n"
        layout = '<Hud><When has="decisions">\n<DecisionsList/>\n</When></Hud>'
        assert "## Decisions" in shown(layout)

    def test_leaves_the_sections_in_it_their_ladders(self) -> None:
        tree = read_layout('<When has="notes"><NotesSection/></When>', layout_vocabulary())
        context = RenderContext().with_value(STATE)
        rendered = render_document(tree, budget=60, context=context)
        assert [section.name for section in rendered.sections] == ["NotesSection"]
        assert not rendered.over_budget

    @looped(
        ("props", "message"),
        [
            ({}, "it has no condition"),
            ({"above": 3}, 'a comparison needs field="…"'),
            ({"field": "notes"}, "field is compared with one of equals, above"),
            ({"any": "notes", "none": "errors"}, "any and none cannot both be given"),
            ({"level": "orange"}, "Input should be 'green', 'yellow', 'red' or 'critical'"),
        ],
    )
    def test_that_asks_nothing_is_refused(self, props: Any, message: str) -> None:
        with pytest.raises(PropError) as caught:
            When(**props)
        assert message in caught.value.message

    @looped(
        ("condition", "message"),
        [
            ('has="blokers"', 'did you mean "blockers"?'),
            ('any="task" has="description"', '"task" is a Task, and no list'),
            ('any="blockers" has="resolvd"', 'did you mean "resolved"?'),
            ('field="task.description" above={3}', "is text, which is not a number"),
            ('field="task" equals="a"', "is a Task, which cannot be compared"),
            ('field="task.description" equals={3}', "is text, and never 3"),
            ('any="active_files" field="status" equals="edting"', 'did you mean "editing"?'),
        ],
    )
    def test_of_what_cannot_be_is_refused(self, condition: str, message: str) -> None:
        for state in (STATE, HudState()):
            with pytest.raises(BindingError) as caught:
                shown(f"<When {condition}>a</When>", state)
            assert message in caught.value.message


class TestEach:
    def test_makes_one_list_of_a_list(self) -> None:
        layout = (
            '<Each of="decisions">\n1. **<Value of="summary"/>** '
            '<When has="details">— <Value of="details"/></When>\n</Each>'
        )
        assert shown(layout) == "1. **JWT** — scales\n2. **PDF**\n"

    def test_repeats_anything_else(self) -> None:
        tree = Each(of="decisions")[Section(title="D")[Value(of="summary")]]
        assert shown(tree) == "# D\n\nJWT\n\n# D\n\nPDF\n"

    def test_stands_in_a_line(self) -> None:
        layout = 'Files: <Each of="active_files" separator=", "><Value of="path" code/></Each>.'
        assert shown(layout) == "Files: `a.py`, `b.py`.\n"

    def test_makes_rows_of_a_table(self) -> None:
        layout = (
            "<Table><TableRow><TableCell>a</TableCell></TableRow>"
            '<Each of="notes" limit={2}><TableRow><TableCell><Value of="id"/></TableCell></TableRow></Each>'
            "</Table>"
        )
        rows = [line.strip("| ") for line in shown(layout).splitlines()]
        assert [rows[0], *rows[2:]] == ["a", "n-29", "n-30", "*… 28 more notes: `hud notes.list`*"]

    def test_takes_only_what_fits(self) -> None:
        layout = '<Each of="blockers" lacks="resolved">\n- <Value of="description"/>\n</Each>'
        assert shown(layout) == "- keys\n"

    def test_shows_nothing_of_nothing(self) -> None:
        assert shown('<Each of="errors">\n- a\n</Each>') == ""

    def test_names_what_it_leaves_out_in_text_and_account(self) -> None:
        tree = read_layout(
            '<Each of="notes">\n- <Value of="content"/>\n</Each>', layout_vocabulary()
        )
        context = RenderContext().with_value(STATE)
        for density in Density:
            rendered = render_document(tree, density=density, context=context)
            listed = sum(line.startswith("- note") for line in rendered.text.splitlines())
            (omitted,) = rendered.omitted
            assert omitted.count == len(omitted.ids) == 30 - listed
            assert omitted.handle == "hud notes.list"
            assert str(omitted.count) in rendered.text

    def test_climbs_with_its_budget(self) -> None:
        tree = read_layout(
            '<Each of="notes">\n- <Value of="content"/>\n</Each>', layout_vocabulary()
        )
        context = RenderContext().with_value(STATE)
        counts = []
        for budget in (10, 40, 80, 160, 400):
            rendered = render_document(tree, budget=budget, context=context)
            assert rendered.tokens <= budget
            counts.append(rendered.text.count("- note"))
        assert counts == sorted(counts)
        assert (counts[0], counts[-1]) == (0, 30)

    def test_keeps_the_first_and_the_newest_of_a_long_list(self) -> None:
        tree = Each(of="notes", limit=20)[List()[Item()[Value(of="content")]]]
        lines = shown(tree).splitlines()
        assert (lines[0], lines[-1]) == ("- note 1", "- note 30")
        assert sum("more notes" in line for line in lines) == 1

    def test_with_an_own_handle_says_that(self) -> None:
        text = shown(Each(of="notes", limit=1, handle="cat notes")[Value(of="id")])
        assert "`cat notes`" in text

    def test_without_children_is_refused(self) -> None:
        with pytest.raises(Exception, match="there is nothing to repeat"):
            shown(Each(of="notes"))

    def test_of_items_in_items(self) -> None:
        class Group(BaseModel):
            model_config = ConfigDict(frozen=True)
            name: str
            tags: tuple[str, ...] = ()
            kind: Literal["a", "b"] = "a"

        class State(HudState):
            groups: tuple[Group, ...] = ()
            name: str = "outer"

        state = State(groups=(Group(name="x", tags=("1", "2")), Group(name="y", kind="b")))
        layout = (
            '<Each of="groups">\n- <Value of="name"/>: '
            '<Each of="tags" separator="+"><Value of="name"/><Value of="."/></Each>\n</Each>\n\n'
            'At last <Value of="name"/>.'
        )
        assert shown(layout, state) == "- x: x1+x2\n- y:\n\nAt last outer.\n"

    def test_in_python_is_the_same(self) -> None:
        tree = When(has="decisions")[
            Each(of="decisions")[List()[Item()[strong(Value(of="summary"))]]]
        ]
        assert shown(tree) == "- **JWT**\n- **PDF**\n"

    def test_in_an_older_and_a_newer_state_is_rendered_anew(self) -> None:
        from ujsx import Renderer

        tree = read_layout(
            '<Each of="notes">\n- <Value of="content"/>\n</Each>', layout_vocabulary()
        )
        renderer = Renderer()
        for count in (3, 4, 2, 4):
            state = STATE.model_copy(update={"notes": STATE.notes[:count]})
            kept = renderer.render(tree, context=RenderContext().with_value(state))
            assert kept.text == shown(tree, state)


def test_without_a_state_it_is_said_that_none_is_bound():
    with pytest.raises(
        BindingError,
        match=r'has no field "hives".*; no state is bound, .*with_value\(session\.state\(\)\)',
    ):
        render(When(has="hives")["There are hives."])
    with pytest.raises(BindingError) as caught:
        render(
            When(has="hives")["There are hives."], context=RenderContext().with_value(HudState())
        )
    assert "no state is bound" not in str(caught.value)


@looped(
    ("path", "lacking", "meant"),
    [
        ("hives", (HudState,), None),
        ("tsk", (HudState,), "task"),
        ("task.descripton", (Task,), "description"),
        ("task.description.upper", (), None),
        ("notes.content", (), None),
    ],
)
def test_that_are_missing_are_told_by_the_error_beside_its_words(path, lacking, meant):
    with pytest.raises(BindingError) as caught:
        render(Value(of=path), context=RenderContext().with_value(STATE))
    assert (caught.value.lacking, caught.value.meant) == (lacking, meant)
    assert caught.value.prop == "of"
    [mistake] = check_layout(f'<Value of="{path}"/>')
    assert isinstance(mistake.__cause__, BindingError)
    assert (mistake.__cause__.lacking, mistake.message) == (lacking, mistake.__cause__.message)
