"""Components written as functions."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest
from pydantic import Field

from tests.ids import looped
from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    DefinitionError,
    PropError,
    RenderContext,
    component,
    dump,
    load,
    render,
)
from ujsx.elements import Section
from ujsx.schema import tool_schema


@component
def Badge(
    ctx: RenderContext,
    children: Children,
    *,
    label: Annotated[str, Field(description="What it says.", max_length=9)],
    size: int = 1,
) -> Child:
    """A label, and what it labels."""
    return [label * size, ": ", children]


class TestComponent:
    def test_is_a_real_subclass(self) -> None:
        assert isinstance(Badge, type)
        assert issubclass(Badge, Component)
        assert isinstance(Badge(label="a"), Badge)

    def test_is_a_composite(self) -> None:
        assert not Badge.is_primitive  # type: ignore[attr-defined]

    def test_has_the_functions_name_description_and_module(self) -> None:
        cls: Any = Badge
        assert cls.__name__ == cls.__qualname__ == "Badge"
        assert cls.__doc__ == "A label, and what it labels."
        assert cls.__module__ == __name__

    def test_renders_what_the_function_returns(self) -> None:
        assert render(Badge(label="new", size=2)["text"]) == "newnew: text\n"

    def test_passes_children_through(self) -> None:
        seen: list[Children] = []

        @component
        def Through(ctx: RenderContext, children: Children) -> Child:
            seen.append(children)
            return children

        assert render(Through()["a", None, ["b"]]) == "ab\n"
        assert seen == [("a", "b")]

    def test_gives_the_context(self) -> None:
        @component
        def Dense(ctx: RenderContext, children: Children) -> Child:
            return str(ctx.density)

        assert render(Dense(), density="compact") == "compact\n"

    def test_stands_in_a_vocabulary(self) -> None:
        assert load(dump(Badge(label="a")["x"]), [Badge]) == Badge(label="a")["x"]


class TestProps:
    def test_have_the_functions_defaults(self) -> None:
        assert Badge(label="a") == Badge(label="a", size=1)

    def test_have_the_annotated_descriptions_and_limits(self) -> None:
        assert tool_schema(Badge) == {
            "type": "object",
            "properties": {
                "label": {"description": "What it says.", "maxLength": 9, "type": "string"},
                "size": {"default": 1, "type": "integer"},
            },
            "required": ["label"],
            "additionalProperties": False,
        }

    def test_are_checked(self) -> None:
        with pytest.raises(PropError, match=r'Badge\.lable: .* did you mean "label"\?'):
            Badge(lable="a")  # type: ignore[call-arg]
        with pytest.raises(PropError, match=r"Badge\.label: String should have at most 9"):
            Badge(label="a" * 10)

    def test_may_be_of_a_type_local_to_the_author(self) -> None:
        class Colour(Enum):
            RED = "red"

        @component
        def Painted(ctx: RenderContext, children: Children, *, colour: Colour) -> Child:
            return colour.value

        assert render(Painted(colour=Colour.RED)) == "red\n"

    def test_have_to_be_hashable(self) -> None:
        @component
        def Listing(ctx: RenderContext, children: Children, *, items: list[str]) -> Child:
            return f"{items}"

        assert render(Listing(items=["a"])) == "('a',)\n"

    def test_may_not_shadow_what_a_component_has(self) -> None:
        with pytest.raises(DefinitionError, match=r"Shadow\.copy"):

            @component
            def Shadow(ctx: RenderContext, children: Children, *, copy: str) -> Child:
                return None

    def test_keep_the_default_of_a_field(self) -> None:
        @component
        def Limited(
            ctx: RenderContext, children: Children, *, limit: Annotated[int, Field(ge=0)] = 3
        ) -> Child:
            return str(limit)

        assert render(Limited()) == "3\n"
        with pytest.raises(PropError):
            Limited(limit=-1)

    def test_of_a_component_type_are_nodes(self) -> None:
        @component
        def Framed(ctx: RenderContext, children: Children, *, inner: Section) -> Child:
            return inner["x"]

        assert render(Framed(inner=Section(title="a"))) == "# a\n\nx\n"


def bare(ctx: RenderContext, children: Children, *, label) -> Child:  # type: ignore[no-untyped-def]
    return label


def several(ctx: RenderContext, children: Children, *labels: str) -> Child:
    return labels


def anything(ctx: RenderContext, children: Children, **props: str) -> Child:
    return None


class TestGiven:
    """The arguments of functions that leave out what they do not use."""

    def test_are_those_that_it_names(self) -> None:
        def plain(text: str, mark: str = "!") -> Child:
            return text + mark

        def dense(ctx: RenderContext, *, text: str) -> Child:
            return f"{ctx.density} {text}"

        def around(children: Children, mark: str) -> Child:
            return [mark, children, mark]

        def keywords(*, ctx: RenderContext, children: Children) -> Child:
            return [str(ctx.density), children]

        def nothing() -> Child:
            return "nothing"

        made: list[Any] = [
            component(cast("Any", each)) for each in (plain, dense, around, keywords, nothing)
        ]
        nodes = [
            made[0](text="a"),
            made[1](text="a"),
            made[2](mark="*")["a"],
            made[3]()["a"],
            made[4](),
        ]
        assert [*map(render, nodes)] == ["a!\n", "full a\n", "\\*a\\*\n", "fulla\n", "nothing\n"]

    def test_leave_no_children_out(self) -> None:
        plain: Any = component(cast("Any", lambda: "a"))
        with pytest.raises(ChildError, match="it takes no children"):
            plain()["b"]


class TestRefusedFunctions:
    @looped(
        ("function", "message"),
        [
            (several, r"several\(labels\): a prop is keyword-only"),
            (anything, r"anything\(props\): a prop is keyword-only"),
            (bare, r"bare\(label\): a prop needs an annotation, such as label: str"),
        ],
    )
    def test_are_named_with_what_to_write(self, function: Callable[..., Any], message: str) -> None:
        with pytest.raises(DefinitionError, match=message):
            component(function)

    def test_an_annotation_that_names_nothing_is_an_error_of_ours(self) -> None:
        with pytest.raises(DefinitionError, match="Unknown: an annotation names Missing"):

            @component
            def Unknown(ctx: RenderContext, children: Children, *, x: Missing) -> Child:  # type: ignore[name-defined]  # noqa: F821
                return None

    def test_something_that_is_no_function_is_refused(self) -> None:
        bad: Any = SimpleNamespace()
        with pytest.raises(TypeError):
            component(bad)
