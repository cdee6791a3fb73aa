"""What a component reads of what is bound decides when it is made again; what it shows is that of a fresh rendering."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Renderer,
    Rung,
    render_document,
)
from ujsx.components import ReadInParts
from ujsx.elements import Item, List, Omitted, Paragraph, Section

MADE: list[str] = []


class Desk(ReadInParts, BaseModel, frozen=True):
    """What is bound, in parts."""

    words: tuple[str, ...] = ()
    port: int | bool = 0
    title: str = ""
    other: str = ""

    @property
    def both(self) -> str:
        return f"{self.title} {self.port!r}"


class NarrowDesk(Desk, frozen=True):
    """One of another class."""


@dataclass(frozen=True)
class Team:
    """What is bound as a whole."""

    name: str


READS: dict[str, Callable[[RenderContext], object]] = {
    "nothing": lambda ctx: None,
    "a field": lambda ctx: _desk(ctx).port,
    "a field that decides on another": lambda ctx: (
        _desk(ctx).title if _desk(ctx).port else _desk(ctx).other
    ),
    "a property": lambda ctx: _desk(ctx).both,
    "what is not there": lambda ctx: getattr(_desk(ctx), "nobody", "-"),
    "its class": lambda ctx: type(_desk(ctx)).__name__,
    "all fields": lambda ctx: vars(_desk(ctx)),
    "a dump": lambda ctx: _desk(ctx).model_dump(),
    "JSON": lambda ctx: _desk(ctx).model_dump_json(),
    "its repr": lambda ctx: repr(_desk(ctx)),
    "a comparison": lambda ctx: _desk(ctx) == Desk(title="a"),
    "a comparison from the other side": lambda ctx: Desk(title="a") == _desk(ctx),
    "a copy": lambda ctx: copy.deepcopy(_desk(ctx)).other,
    "a pickle": lambda ctx: pickle.loads(pickle.dumps(_desk(ctx))).title,
    "another one made of it": lambda ctx: _desk(ctx).model_copy(update={"port": 1}).other,
    "its items": lambda ctx: dict(_desk(ctx)),
    "what hashes alike": lambda ctx: hash(_desk(ctx)) == hash(Desk(title="a")),
    "what is bound as a whole": lambda ctx: ctx.get(Team),
    "all that is bound": lambda ctx: {
        kind.__name__: repr(each) for kind, each in ctx.values.items()
    },
    "which classes are bound": lambda ctx: sorted(kind.__name__ for kind in ctx.values),
    "by the rung": lambda ctx: _desk(ctx).other if ctx.limit == 0 else _desk(ctx).title,
}
"""Ways in which a component may look at what is bound."""


def _desk(ctx: RenderContext) -> Desk:
    return ctx.get(Desk) or Desk()


class Shows(Component):
    """Shows what it reads, on three rungs."""

    disclosure = Disclosure(
        (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 1), Rung(Density.FULL)),
        floor=Density.MINIMAL,
    )

    reads: tuple[str, ...] = ()
    lists: bool = False

    def render(self, ctx: RenderContext, children: Children) -> Child:
        MADE.append("Shows")
        told: list[Child] = [Paragraph()[f"{each}: {READS[each](ctx)!r}"] for each in self.reads]
        if self.lists:
            words = _desk(ctx).words
            shown = words[: ctx.limit]
            left = len(words) - len(shown)
            told.append(List()[(Item()[each] for each in shown)] if shown else None)
            told.append(left > 0 and Omitted(count=left))
        return [*told, children]


class Plain(Component):
    """The same without a ladder, in the middle of others."""

    reads: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return f"{READS[self.reads](ctx)!r}"


class Binds(Component):
    """Binds something else for what is inside; what that is, follows from what is bound around it."""

    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))

    how: str
    word: str = ""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        if self.how == "a word of its own":
            return ctx.with_value(Team(self.word))
        desk = _desk(ctx)
        if self.how == "a team":
            return ctx.with_value(Team(f"of {desk.title}"))
        if self.how == "the same":
            return ctx.with_value(desk)
        return ctx.with_value(desk.model_copy(update={"title": "inner"}))


contexts = st.builds(
    lambda desk, team, kind: (
        (RenderContext() if desk is None else RenderContext().with_value(kind(**desk))).with_value(
            Team(team)
        )
        if team
        else RenderContext()
        if desk is None
        else RenderContext().with_value(kind(**desk))
    ),
    st.none()
    | st.fixed_dictionaries(
        {
            "words": st.sampled_from([(), ("a",), ("a", "b", "c"), ("b", "c")]),
            "port": st.sampled_from([0, 1, True, False]),
            "title": st.sampled_from(["a", "# b"]),
            "other": st.sampled_from(["x", "y"]),
        }
    ),
    st.sampled_from(["", "red", "blue"]),
    st.sampled_from([Desk, Desk, NarrowDesk]),
)

reads = st.sampled_from([*READS])
leaves = st.one_of(
    st.builds(Shows, reads=st.lists(reads, max_size=2).map(tuple), lists=st.booleans()),
    st.builds(lambda each: Paragraph()["p ", Plain(reads=each)], reads),
    st.builds(Plain, reads=reads),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda each: Section(title="s")[each], st.lists(inner, max_size=3)),
        st.builds(
            lambda how, word, each: Binds(how=how, word=word)[each],
            st.sampled_from(["a team", "the same", "another desk", "a word of its own"]),
            st.sampled_from("ab"),
            st.lists(inner, max_size=2),
        ),
        st.builds(lambda each, said: Shows(reads=(said,))[each], inner, reads),
    ),
    max_leaves=5,
)
looks = st.tuples(st.sampled_from([None, *Density]), st.sampled_from([None, 15, 60]))


def _account(rendered: Any) -> list[Any]:
    """All that is told of a rendering, and not only what makes two of them equal."""
    return [
        (each.path, each.part.origin, [repr(node) for node in each.nodes])
        for each in rendered.nodes
    ]


class TestWhatIsKept:
    @settings(max_examples=15 * settings.default.max_examples // 2, deadline=None)
    @given(
        given_trees=st.lists(trees, min_size=1, max_size=3),
        bound=st.lists(st.tuples(contexts, looks), min_size=2, max_size=5),
        again=st.lists(st.integers(0, 4), max_size=4),
        keeps=st.sampled_from([0, 3, 1_000]),
        is_asked=st.booleans(),
    )
    def test_is_what_a_fresh_rendering_shows(
        self,
        given_trees: list[Element],
        bound: list[Any],
        again: list[int],
        keeps: int,
        is_asked: bool,
    ) -> None:
        renderer = Renderer(keeps=keeps)
        for place in [*range(len(bound)), *again]:
            context, (density, budget) = bound[place % len(bound)]
            tree = given_trees[place % len(given_trees)]
            kept = renderer.render(tree, density=density, budget=budget, context=context)
            fresh = render_document(tree, density=density, budget=budget, context=context)
            assert kept.text == fresh.text
            if is_asked:  # what is asked for late is that of this rendering, too
                assert kept == fresh
                assert _account(kept) == _account(fresh)
        assert kept == fresh
        assert _account(kept) == _account(fresh)

    @looped("keeps", [0, 9])
    def test_is_not_made_again_where_what_it_read_is_the_same(self, keeps: int) -> None:
        renderer, tree = Renderer(keeps=keeps), Shows(reads=("a field",))
        MADE.clear()
        for title in "abc":
            renderer.render(tree, context=RenderContext().with_value(Desk(port=1, title=title)))
        assert len(MADE) == 1
        renderer.render(tree, context=RenderContext().with_value(Desk(port=2)))
        assert len(MADE) == 2

    def test_is_found_again_by_what_it_read(self) -> None:
        renderer, tree = Renderer(keeps=9), Shows(reads=("its class",), lists=True)
        words = [("a",), ("b",)]
        MADE.clear()
        for turn in range(8):
            bound = Desk.model_construct(words=words[turn % 2], other=str(turn))  # the very words
            renderer.render(tree, context=RenderContext().with_value(bound))
        assert len(MADE) == 2

    def test_is_made_again_where_it_read_all(self) -> None:
        renderer, tree = Renderer(keeps=9), Shows(reads=("JSON",))
        MADE.clear()
        for other in "ab":
            renderer.render(tree, context=RenderContext().with_value(Desk(other=other)))
        assert len(MADE) == 2

    def test_forgets_the_ways_of_what_is_not_kept_any_more(self) -> None:
        renderer, tree = Renderer(keeps=2), Shows(reads=("a field",))
        for port in range(20):
            renderer.render(tree, context=RenderContext().with_value(Desk(port=port)))
        later: Any = renderer._later
        assert len(later._pieces) == 2
        assert sum(map(len, later._ways.values())) == 1
        assert sum(sum(each.values()) for each in later._ways.values()) == 2


class TestReadInParts:
    def test_a_model_without_anybody_who_reads_is_as_any(self) -> None:
        desk = Desk(words=("a",))
        assert vars(desk) == {"words": ("a",), "port": 0, "title": "", "other": ""}
        assert Desk.model_validate_json(desk.model_dump_json()) == desk
        assert copy.copy(desk) == copy.deepcopy(desk) == pickle.loads(pickle.dumps(desk)) == desk
        assert desk.model_fields_set == {"words"}
        with pytest.raises(AttributeError, match="nobody"):
            _ = desk.nobody  # type: ignore[attr-defined]
