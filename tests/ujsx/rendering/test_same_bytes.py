"""What a tree becomes does not depend on who owns it, which rules say what opens, or what was rendered before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict

from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rendered,
    Renderer,
    Rung,
    Transform,
    mdast,
    registry,
    render,
    to_mdast,
)
from ujsx.elements import (
    BlockQuote,
    Emphasis,
    Item,
    List,
    Omitted,
    Paragraph,
    Section,
    Strong,
    Table,
    TableCell,
    TableRow,
    TrustedMarkdown,
)
from ujsx.mdast import to_markdown

FULL = Disclosure((Rung(Density.FULL),))


class Plain(Component):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


class OnALadder(Plain):
    disclosure: ClassVar[Disclosure] = FULL


WRAPPERS: dict[str, Callable[[Child], Child]] = {
    "ladder": lambda tree: OnALadder()[tree],
    "item": lambda tree: List()[Item()[tree], Item()["z"]],
    "item on a ladder": lambda tree: OnALadder()[List()[Item()[tree], Item()["z"]]],
    "quote": lambda tree: BlockQuote()[Plain()[tree]],
    "cell": lambda tree: Table()[TableRow()[TableCell()[tree]]],
}


def assert_forgets(
    before: Child,
    now: Child,
    contexts: tuple[RenderContext | None, RenderContext | None] = (None, None),
) -> None:
    """What was rendered before, twice and with a neighbour, must not show in what is rendered now."""
    for wrap in WRAPPERS.values():
        renderer = Renderer()
        for tree in (wrap(before), [wrap(before), "x"], wrap(before)):
            renderer.render(tree, context=contexts[0])
        fresh = Renderer().render(wrap(now), context=contexts[1])
        assert renderer.render(wrap(now), context=contexts[1]).text == fresh.text


class User(BaseModel):
    """Who is the same under another name."""

    model_config = ConfigDict(frozen=True)

    id: int
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, User) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


@dataclass(frozen=True)
class Labelled:
    id: int
    name: str = field(compare=False, repr=False)


class Numbered(msgspec.Struct, frozen=True):
    number: Any


class OfUser(Component):
    user: User

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return self.user.name


class OfLabelled(Component):
    labelled: Labelled

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return self.labelled.name


class OfNumbered(Component):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    numbered: Numbered

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return repr(self.numbered.number)


class Open(Component):
    model_config = ConfigDict(extra="allow")

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return str(self.__pydantic_extra__)


@looped(
    ("before", "now"),
    [
        (OfUser(user=User(id=1, name="Ada")), OfUser(user=User(id=1, name="Grace"))),
        (OfLabelled(labelled=Labelled(1, "a")), OfLabelled(labelled=Labelled(1, "b"))),
        (OfNumbered(numbered=Numbered(1)), OfNumbered(numbered=Numbered(True))),
        (Open(more="a"), Open(more="b")),  # type: ignore[call-arg]
    ],
)
def test_props_that_are_equal_and_show_something_else_are_not_the_same(
    before: Component, now: Component
) -> None:
    assert_forgets(before, now)
    assert before != now


@dataclass(frozen=True)
class State:
    """A value of the context."""

    value: Any


class Stating(Component):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        value = ctx.get(State).value  # type: ignore[union-attr]
        return value.name if isinstance(value, User) else repr(value)


@looped(
    ("before", "now"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([1], [True]),
        (User(id=1, name="Ada"), User(id=1, name="Grace")),
    ],
)
def test_contexts_that_are_equal_and_say_something_else_are_not_the_same(
    before: Any, now: Any
) -> None:
    contexts = (RenderContext().with_value(State(each)) for each in (before, now))
    assert_forgets(Stating(), Stating(), tuple(contexts))  # type: ignore[arg-type]


class Saying(Component):
    """Gives what it holds a context by its props."""

    disclosure: ClassVar[Disclosure] = FULL

    word: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_value(State(self.word))


class Limited(Component):
    """Has a ladder by its props."""

    limit: int

    def disclosed(self) -> Disclosure:
        return Disclosure((Rung(Density.FULL, self.limit),))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


class Limit(Component):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return str(ctx.limit)


def test_what_a_ladder_holds_follows_the_context_that_its_props_give() -> None:
    renderer = Renderer()
    for word in "abc":
        shown = renderer.render(Saying(word=word)[Stating(), List()[Item()[Stating()]]]).text
        assert shown == f"{word!r}\n\n- {word!r}\n"
    for limit in (1, 2, 3):
        assert renderer.render(Limited(limit=limit)[Limit()]).text == f"{limit}\n"


def in_two(node: str, transform: Transform) -> list[mdast.Text]:
    return [mdast.Text(node), mdast.Text("!")]


def as_code(node: str, transform: Transform) -> mdast.InlineCode:
    return mdast.InlineCode(node)


def struck(node: str, transform: Transform) -> mdast.Delete:
    return mdast.Delete((mdast.Text(node),))


def a_break(node: Element, transform: Transform) -> mdast.ThematicBreak:
    return mdast.ThematicBreak()


def below_a_break(node: Element, transform: Transform) -> list[Any]:
    return [mdast.ThematicBreak(), *transform.all(node.children)]


class TestRules:
    """A rule of one's own holds wherever the node stands."""

    @looped("owner", [Plain, OnALadder])
    @looped("inner", ["x", Plain()["x"], OnALadder()["x"]])
    def test_of_a_section(self, owner: type[Component], inner: Child) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Section)(below_a_break)
        tree = Section(title="T")[inner]
        assert Renderer(registry=mine).render(tree).text == "***\n\nx\n"
        assert Renderer(registry=mine).render(owner()[tree]).text == "***\n\nx\n"

    @looped("component", [Plain, OnALadder])
    def test_of_a_composite(self, component: type[Component]) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", component)(a_break)
        renderer = Renderer(registry=mine)
        assert renderer.render(component()["x"]).text == "***\n"
        assert renderer.render(BlockQuote()[component()["x"]]).text == "> ---\n"

    @looped("rule", [in_two, as_code, struck])
    def test_of_texts(self, rule: Any) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", str)(rule)
        renderer = Renderer(registry=mine)
        for mark in (Emphasis, Strong):
            bare = renderer.render(Paragraph()[mark()["a"]]).text
            assert bare == renderer.render(Paragraph()[mark()[Plain()["a"]]]).text

    def test_of_a_section_that_renders_is_its_render(self) -> None:
        class Titled(Section):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                return ["rendered ", self.title]

        assert render(Titled(title="t")["lost?"]) == "rendered t\n"
        assert render(OnALadder()[Titled(title="t")["lost?"]]) == "rendered t\n"


class Shelf(List):
    """A list by another name."""


def test_a_list_by_another_name_takes_a_mark() -> None:
    items = Item()["a"], Omitted(count=2)
    assert render(Shelf()[items]) == render(List()[items])


@looped("inline", [Paragraph, Strong])
def test_trusted_markdown_of_one_line_stands_in_a_line_whoever_gives_it(inline: type) -> None:
    trusted = TrustedMarkdown(source="`x`")
    bare = render(
        Paragraph()[inline()["a ", trusted]] if inline is Strong else inline()["a ", trusted]
    )
    owned = inline()["a ", Plain()[Plain()[trusted]]]
    assert render(Paragraph()[owned] if inline is Strong else owned) == bare


class Deeper(Plain):
    def provide(self, ctx: RenderContext) -> RenderContext:
        return replace(ctx, depth=ctx.depth + 1)


@looped(
    "tree",
    [
        ["a", Deeper()["b"], "c"],
        [Section(title="t")["a"], Deeper()["b"], "c"],
        [Deeper()[Section(title="t")["a"]], Deeper()[Deeper()["b"]]],
    ],
)
def test_a_line_goes_on_within_a_section_whatever_its_context_says(tree: Child) -> None:
    texts = {render(tree), render(OnALadder()[tree]), render(Plain()[tree])}
    assert texts == {to_markdown(to_mdast(tree))}


class Primitive(Component):
    """A primitive with a ladder."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL, 3)))


def with_primitive() -> Any:
    mine = registry.copy()

    @mine.rule("ujsx -> mdast", Primitive)
    def primitive(node: Any, transform: Any) -> mdast.Paragraph:
        said = f"{transform.context.density} {transform.context.limit}"
        return mdast.Paragraph((mdast.Text(said),))

    return mine


@looped("density", ["minimal", "full"])
def test_a_primitive_stands_on_its_ladder_wherever_it_is(density: str) -> None:
    def shown(tree: Child, **options: Any) -> Rendered:
        return Renderer(registry=with_primitive()).render(tree, **options)

    said = shown(Primitive(), density=density).text
    assert said == {"minimal": "minimal 1\n", "full": "full 3\n"}[density]
    assert shown(Primitive(), density=density, budget=1_000).text == said
    assert shown(BlockQuote()[Primitive()], density=density).text == f"> {said}"
    (section,) = shown(Primitive()["x"], density=density).sections
    assert section.name == "Primitive"


def test_a_table_whose_head_is_empty_keeps_its_rows() -> None:
    tree = Table()[TableRow(), TableRow()[TableCell()["kept"]]]
    text = render(tree)
    assert "kept" in text
    assert mdast.from_markdown(text) == mdast.normalize(to_mdast(tree))
