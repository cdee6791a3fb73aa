"""``resolve``: components become primitives, and errors say where."""

from __future__ import annotations

import gc
import warnings
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest
from hypothesis import given

from tests.ids import looped, stable
from tests.strategies import documents, trees
from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    Fragment,
    RenderContext,
    RenderError,
    Rung,
    UjsxError,
    component,
    fragment,
    render,
    render_document,
    resolve,
    to_mdast,
)
from ujsx.elements import Item, List, Paragraph, Section, em, strong


@component
def Loud(ctx: RenderContext, children: Children) -> Child:
    return strong(children, "!")


@component
def Twice(ctx: RenderContext, children: Children) -> Child:
    return [Loud()[children], Loud()[children]]


@component
def Facts(ctx: RenderContext, children: Children) -> Child:
    return f"{ctx.density} {ctx.limit} {ctx.depth} {ctx.get(int)}"


@component
def Nothing(ctx: RenderContext, children: Children) -> Child:
    return None


@component
def Broken(ctx: RenderContext, children: Children) -> Child:
    return str(1 // 0)


@component
def Itself(ctx: RenderContext, children: Children) -> Child:
    return Itself()[children]


@component
def InItself(ctx: RenderContext, children: Children) -> Child:
    return Section(title="again")[InItself()]


class Wrong(Component):
    """Its render gives whatever it is told to."""

    what: Any

    def render(self, ctx: RenderContext, children: Children) -> Child:
        given: Any = self.what
        return given


class Laddered(Component):
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 3), Rung(Density.FULL, 10))
    )

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [Facts(), children]


class TestResolve:
    def test_leaves_primitives_as_they_are(self) -> None:
        tree = Section(title="a")[strong("x")]
        assert resolve(tree) is tree

    @given(tree=trees())
    def test_a_tree_of_primitives_is_its_own_universal_tree(self, tree: Element) -> None:
        assert resolve(tree) == resolve(resolve(tree))

    @given(tree=documents())
    def test_leaves_no_composite(self, tree: Element) -> None:
        def primitive(node: Any) -> bool:
            if isinstance(node, str):
                return True
            element = node if isinstance(node, Element) else node[()]
            return element.component.is_primitive and all(map(primitive, element.children))

        assert primitive(resolve(tree))

    @given(tree=documents())
    def test_is_the_same_every_time(self, tree: Element) -> None:
        assert resolve(tree) == resolve(tree)

    def test_expands_a_composite(self) -> None:
        assert resolve(Loud()["hey"]) == strong("hey", "!")

    def test_expands_composites_in_composites_and_in_primitives(self) -> None:
        tree = Paragraph()["a", em(Twice()["b"])]
        assert resolve(tree) == Paragraph()["a", em(strong("b", "!"), strong("b", "!"))]

    def test_several_nodes_come_in_a_fragment(self) -> None:
        assert resolve(Twice()["a"]) == fragment(strong("a", "!"), strong("a", "!"))
        assert resolve(["a", "b"]) == fragment("a", "b")

    @looped("nothing", [None, [], Nothing(), fragment(), False])
    def test_nothing_comes_as_an_empty_fragment(self, nothing: Child) -> None:
        assert resolve(nothing) == Fragment()

    def test_text_is_text(self) -> None:
        assert resolve("a") == "a"

    def test_keeps_keys_of_primitives(self) -> None:
        tree = List()[Item()[Loud()["a"]].keyed("k")]
        assert resolve(tree) == List()[Item()[strong("a", "!")].keyed("k")]


class TestContext:
    def test_passes_through_composites_and_primitives(self) -> None:
        ctx = RenderContext(density=Density.COMPACT, limit=3).with_value(7)
        assert resolve(Paragraph()[Facts()], ctx) == Paragraph()["compact 3 0 7"]

    def test_counts_the_sections_around(self) -> None:
        inner = Section(title="b")[Facts()]
        assert (
            resolve(Section(title="a")[inner, Facts()])
            == Section(title="a")[Section(title="b")["full None 2 None"], "full None 1 None"]
        )

    def test_of_a_component_with_a_ladder_is_on_its_rung(self) -> None:
        picked = [resolve(Laddered(), RenderContext(density=each)) for each in Density]
        assert picked == ["minimal 0 0 None", "compact 3 0 None", "full 10 0 None"]

    def test_of_its_children_is_on_its_rung_too(self) -> None:
        made = resolve(Laddered()[Facts()], RenderContext(density=Density.COMPACT))
        assert made == fragment("compact 3 0 None", "compact 3 0 None")

    def test_of_its_siblings_is_not(self) -> None:
        made = resolve([Laddered(), Facts()], RenderContext(density=Density.COMPACT))
        assert made == fragment("compact 3 0 None", "compact None 0 None")

    def test_a_node_may_narrow_its_own_ladder(self) -> None:
        class Narrow(Laddered):
            def disclosed(self) -> Disclosure:
                return Disclosure(ladder=(Rung(Density.COMPACT, 1),))

        assert resolve(Narrow()) == "compact 1 0 None"


def ways() -> list[Any]:
    return [resolve, render, to_mdast, render_document]


class TestPaths:
    """An error names its place the same way, whichever function meets it."""

    @looped("way", ways())
    @looped(
        ("tree", "path"),
        [
            (Broken(), "Broken"),
            (Paragraph()[Broken()], "Paragraph / Broken[0]"),
            (["a", Broken()], "Broken[1]"),
            (fragment("a", Broken()), "Broken[1]"),
            (Twice()[Broken()], "Twice / Loud[0] / Strong[0] / Broken[0]"),
            (
                Section(title="a")["x", Section(title="b")[Broken()]],
                "Section / Section[1] / Broken[0]",
            ),
            (List()[Item()["a"], Item()[Broken()]], "List / Item[1] / Broken[0]"),
            (List()[Item()["a"], Item()[Broken()].keyed("d-12")], "List / Item[d-12] / Broken[0]"),
            (Section(title="a")[Broken().keyed("k")], "Section / Broken[k]"),
            (Laddered()["x", Broken()], "Laddered / Broken[2]"),
            (["x", Laddered()["x", Broken()]], "Laddered[1] / Broken[2]"),
        ],
        ids=repr,
    )
    def test_lead_from_the_root_to_the_node(self, way: Any, tree: Child, path: str) -> None:
        with pytest.raises(RenderError) as caught:
            way(tree)
        assert caught.value.path == path
        assert str(caught.value).startswith(f"{path}: render raised ZeroDivisionError")

    @looped("way", ways())
    def test_through_composites(self, way: Any) -> None:
        class X(Component):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                return ["first", children]

        class Hud(Component):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                return children

        with pytest.raises(RenderError) as caught:
            way(Hud()["a", "b", X()[Broken()]])
        assert caught.value.path == "Hud / X[2] / Broken[1]"


class TestErrors:
    def test_what_render_raised_is_the_cause(self) -> None:
        with pytest.raises(RenderError) as caught:
            resolve(Broken())
        assert type(caught.value.__cause__) is ZeroDivisionError
        assert "render raised ZeroDivisionError: " in str(caught.value)

    def test_an_error_of_ours_in_render_keeps_its_class_and_gains_the_path(self) -> None:
        @component
        def Refused(ctx: RenderContext, children: Children) -> Child:
            bad: Any = 3
            return Paragraph()[bad]

        with pytest.raises(ChildError) as caught:
            resolve(Section(title="a")[Refused()])
        assert caught.value.path == "Section / Refused[0] / Paragraph[0]"

    @looped("what", [3, 1.5, b"x", frozenset("a"), print, ("a", 3)])
    def test_a_result_that_is_no_node_is_a_child_error(self, what: Any) -> None:
        with pytest.raises(ChildError, match="is not a valid child") as caught:
            resolve(Section(title="a")[Wrong(what=what)])
        assert (caught.value.path or "").startswith("Section / Wrong[0]")

    @looped("loop", [Itself(), Itself()["x"], InItself()])
    @looped("way", ways())
    def test_a_component_that_renders_itself_is_an_error(self, way: Any, loop: Child) -> None:
        with pytest.raises(RenderError, match=r"nested more than 150 deep; does it render itself?"):
            way(loop)

    def test_a_tree_up_to_that_depth_is_rendered(self) -> None:
        tree: Any = Loud()["x"]
        for _ in range(90):
            tree = Section(title="a")[Paragraph()["x"], tree]
        assert render(tree).count("#") > 90

    @looped("way", ways())
    def test_a_tree_that_is_too_deep_is_an_error_of_ours(self, way: Any) -> None:
        tree: Any = Paragraph()["x"]
        for _ in range(1_500):
            tree = Section(title="a")[tree]
        with pytest.raises(UjsxError, match="nested more than 150 deep"):
            way(tree) if way is not resolve else to_mdast(tree)

    def test_keyboard_interrupts_pass(self) -> None:
        @component
        def Stopped(ctx: RenderContext, children: Children) -> Child:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            resolve(Stopped())


class Asynchronous(Component):
    async def render(self, ctx: RenderContext, children: Children) -> Child:  # type: ignore[override]
        return "x"


class AsynchronousGenerator(Component):
    async def render(self, ctx: RenderContext, children: Children) -> AsyncIterator[str]:  # type: ignore[override]
        yield "x"


class Future:
    def __await__(self) -> Any:
        yield


class TestAsynchronous:
    @looped("node", [Asynchronous(), AsynchronousGenerator(), Wrong(what=Future())], ids=stable)
    def test_render_is_refused_with_what_to_do_instead(self, node: Component) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RenderError) as caught:
                resolve(Section(title="a")[node])
            gc.collect()
        assert "render must not be async" in str(caught.value)
        assert "pass it as a prop" in str(caught.value)
        assert caught.value.path == f"Section / {type(node).__name__}[0]"

    def test_a_coroutine_is_closed_and_warns_of_nothing(self) -> None:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with pytest.raises(RenderError):
                resolve(Asynchronous())
            gc.collect()
        assert warned == []
