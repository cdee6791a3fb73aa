"""Calls and attributes under other names."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from copy import copy
from inspect import signature
from typing import Any, ClassVar

import pytest

from hud_components import HudState, Note, TaskSection
from hud_components.levels import Thresholds
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import CallError
from ujsx.calls import Answering, resolving, with_attributes


class Kettle(Answering):
    _instead: ClassVar[Mapping[str, str]] = {"kettle.boil()": "heat cook"}

    def boil(self) -> None: ...

    @property
    def broken(self) -> Any:
        raise KeyError("lid")

    @property
    def empty(self) -> Any:
        raise AttributeError("no water")


@resolving(usage="context", usage_="percentage used limit")
def shown(usage: object = None, *, density: str = "full") -> object:
    return usage


class TestFieldsInThePlaceOfAnArgument:
    def test_are_gathered(self) -> None:
        call: Any = shown
        assert call(used=5, limit=10, density="compact") == {"used": 5, "limit": 10}
        assert call(context=5) == 5

    def test_stand_beside_it_only_to_be_refused(self) -> None:
        call: Any = shown
        with pytest.raises(CallError, match="multiple values for argument 'usage'"):
            call({"used": 5}, used=5)
        with pytest.raises(CallError, match=r"shown takes no used= \(got 5\)"):
            call(usage={"used": 5}, used=5)


@resolving(name="title", rest="fields")
def say(name: str, /, fields: object = None) -> object:
    """A function with a first argument that has no name for its callers, and a mapping of the others."""
    return name, fields


class TestArgumentsWithOtherNames:
    def test_one_without_a_name_is_found_by_any(self) -> None:
        given: Any = say
        assert given(title="a") == given(name="a") == ("a", None)

    def test_the_rest_are_gathered_where_the_mapping_is_not_given(self) -> None:
        given: Any = say
        assert given("a", size=1, color="red") == ("a", {"size": 1, "color": "red"})
        with pytest.raises(CallError, match="takes no size="):
            given("a", {}, size=1)


class TestAMethodWithAttributes:
    def test_is_a_method_and_has_those_of_what_it_returns(self) -> None:
        class Pot:
            @with_attributes
            def water(self, hot: float = 0.5) -> float:
                """Return the water."""
                return hot

        pot = Pot()
        read: Any = pot.water
        assert (pot.water(0.7), read.as_integer_ratio()) == (0.7, (1, 2))
        assert str(signature(read)) == "(hot: 'float' = 0.5) -> 'float'"
        assert (read.__doc__, read.__name__) == ("Return the water.", "water")
        assert copy(read)() == 0.5
        with pytest.raises(AttributeError):
            _ = read.frobnicate


class TestAnAttributeThatIsNotThere:
    @looped(
        ("owner", "name", "line"),
        [
            (Kettle(), "heat", "kettle.boil()"),
            (Kettle(), "boill", ".boil"),
            (TaskSection, "lint", "from ujsx.schema import lint"),
            (TaskSection(task="a"), "cloneElement", "component.model_copy(update={…})"),
            (HudState(), "pined_sections", ".pinned_sections"),
        ],
    )
    def test_is_answered_with_the_line_to_write(self, owner: object, name: str, line: str) -> None:
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert f" has no attribute {name!r}; write {line}" in str(caught.value)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)

    def test_may_be_one_in_the_spelling_of_javascript(self) -> None:
        note, state = Note(content="a"), HudState()
        owners: Any = note, state
        assert owners[0].updatedAt == note.updated_at
        assert owners[1].pinnedSections == state.pinned_sections

    def test_may_be_a_function_of_another_package(self) -> None:
        task: Any = TaskSection(task="a")
        section: Any = TaskSection
        assert task.toMarkdown() == "# Task\n\na\n"
        assert section.tool_definition("openai")["type"] == "function"
        assert not hasattr(TaskSection, "to_markdown")

    def test_is_no_attribute(self) -> None:
        for owner in (Kettle(), Note(content="a"), TaskSection, TaskSection(task="a"), HudState()):
            assert not hasattr(owner, "frobnicate")
            assert not hasattr(owner, "_frobnicate")
            assert getattr(owner, "frobnicate", None) is None

    def test_of_an_object_without_a_hint_is_told_plainly(self) -> None:
        with pytest.raises(
            AttributeError, match=r"^'Kettle' object has no attribute 'frobnicate'$"
        ):
            getattr(Kettle(), "frobnicate")  # noqa: B009

    def test_is_not_what_fails_in_a_property(self) -> None:
        with pytest.raises(KeyError):
            _ = Kettle().broken
        with pytest.raises(AttributeError, match=r"^no water$"):
            _ = Kettle().empty

    def test_survives_a_copy(self) -> None:
        for each in (Note(content="a"), TaskSection(task="a"), HudState(), Thresholds(red=80)):
            assert pickle.loads(pickle.dumps(each)) == each


class TestASection:
    def test_of_a_state_is_found_under_its_other_names(self) -> None:
        state: Any = HudState(notes=(Note(content="a"),))
        assert state.note is state.notes
        assert state.steps == state.plan == state.nextSteps == ()
        assert not hasattr(state, "remedies")

    def test_of_a_session_is_what_its_state_has_and_records(self) -> None:
        with HudStore.open(":memory:") as store:
            session: Any = store.session("s")
            session.next_steps.add("Add tests")
            assert session.next_steps == session.state().next_steps
            with pytest.raises(AttributeError, match=r"have no 'bake'; write session\.record\("):
                _ = session.next_steps.bake
