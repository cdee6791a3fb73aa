"""The subjects that a test may render, and proof that they show something, fit their tokens and keep their prefix."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import partial
from inspect import signature
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from msgspec import field
from msgspec.structs import replace
from pydantic import BaseModel

from ujsx import (
    Child,
    Children,
    Component,
    Element,
    Fragment,
    RenderContext,
    Rendered,
    Renderer,
    compare,
)
from ujsx._density import DensityLike
from ujsx.calls import resolving
from ujsx.components import Now
from ujsx.components._component import as_element
from ujsx.components._element import normalize_children
from ujsx.elements import Section
from ujsx.errors import (
    ClockWarning,
    DefinitionError,
    RenderError,
    UnboundWarning,
    did_you_mean,
    listed,
    quoted,
    shown,
)
from ujsx.mdast import Heading
from ujsx.rendering import Piece
from ujsx.rendering._pieces import PiecesAccount

# The check that there is anything to test: a tree that shows nothing passes every test.
#
# A layout's sections look in the context for what they show. Where that was not bound, nothing is shown, and no test
# of it can fail. What was given data shows nothing because there is nothing in them, as in ``Notes(notes=())``; and of
# the many examples that Hypothesis makes up, some may.

T = TypeVar("T")


class AskedContext(RenderContext, frozen=True):
    """A context that notes what components looked for in it, and was not there.

    >>> context = AskedContext().with_value(3)
    >>> context.get(int), context.get(Now), [*context.missed]
    (3, None, [<class 'ujsx.components._context.Now'>])
    """

    missed: dict[type[Any], None] = field(default_factory=dict[type[Any], None])
    """The classes, in the order in which they were looked for; one for all contexts that are made of this one."""

    def get(self, kind: type[T]) -> T | None:
        """Return the value of that class, or note that there is none."""
        value = super().get(kind)
        if value is None:
            self.missed[kind] = None
        return value

    @classmethod
    def of(cls, context: RenderContext) -> AskedContext:
        """Return a context that is like another."""
        return cls(*(getattr(context, name) for name in RenderContext.__struct_fields__))


def shows_nothing(rendered: Rendered) -> bool:
    """Tell whether nothing but headings of sections stands in a rendering.

    Of one that was pickled that is not known, unless it is empty.

    >>> from ujsx import render_document
    >>> from ujsx.elements import Section
    >>> [shows_nothing(render_document(Section(title="A")[child])) for child in ("", "b")]
    [True, False]
    """
    account = rendered.account
    if not rendered.text or not isinstance(account, PiecesAccount):
        return not rendered.text
    return all(
        not part.blocks if part.piece.ladder else all(type(each) is Heading for each in part.blocks)
        for part in account.pieces
    )


def why_nothing(nodes: Children, missed: Collection[type[Any]]) -> str | None:
    """Return why trees that show nothing do so, and what to give; None where that may be meant.

    :param missed: what their components looked for, and was not bound.
    """
    if not missed or is_one_of_many() or any(map(_was_given_data, _components(nodes))):
        return None
    kinds = " and ".join(kind.__name__ for kind in missed)
    advice = (
        "give now=, in milliseconds since the Unix epoch"
        if {*missed} == {Now}
        else "give state=, such as session.state(), or context=RenderContext().with_value(…)"
    )
    return (
        f"there is nothing to test: of {shown_by(nodes)} nothing is shown, not even in full; {kinds} is looked for in "
        f"the context, and not bound; {advice}"
    )


def is_one_of_many() -> bool:
    """Tell whether a test is run with what Hypothesis makes up: of many examples, some show nothing."""
    hypothesis = sys.modules.get("hypothesis")
    return hypothesis is not None and bool(hypothesis.currently_in_test_context())


def shown_by(nodes: Children) -> str:
    """Return the names of the components that have no others in them, as a message lists them."""
    leaves = (type(each).__name__ for each in _components(nodes, leaves=True))
    return listed([*dict.fromkeys(leaves)]) or "an empty tree"


def _components(nodes: Iterable[Any], *, leaves: bool = False) -> Iterator[Component]:
    """The components in trees, in their order; those without children alone if that is asked for."""
    waiting: list[Any] = [*nodes][::-1]
    while waiting:
        node = waiting.pop()
        if type(node) is Element:
            inside = [each for each in node.children if not isinstance(each, str)]
            waiting += inside[::-1]
            if leaves and inside:
                continue
        if not isinstance(node, str):
            yield as_element(node).component


def _was_given_data(component: Component) -> bool:
    """Tell whether a prop of it holds something to show, or says that there is nothing: None, or a collection or a
    text that is empty. Numbers, choices and words say how to show it.
    """
    given = (getattr(component, name) for name in component.model_fields_set)
    return any(not (isinstance(each, _SETTINGS) and each != "") for each in given)


_SETTINGS = (int, float, str, Enum)
"""What is no data where nothing is shown of it."""


class Renders(Protocol):
    """Renders the same thing at any density, or within any budget.

    Bound methods do, such as ``session.hud``, and ``partial(session.hud, layout=mine)``.
    """

    def __call__(
        self, *, density: DensityLike | None = None, budget: int | None = None
    ) -> Rendered:
        """Return the rendering; it is asked for one of both."""
        ...


class ShowsHud(Protocol):
    """What shows a HUD, as a session does."""

    def hud(self, *, density: DensityLike | None = None, budget: int | None = None) -> Rendered:
        """Return the HUD at a density, or within a budget."""
        ...


Renderable: TypeAlias = "Child | ShowsHud | Renders"
"""A tree, a session, or a function that renders."""


LEAST_NOW = 10**11
"""The least number that is taken for milliseconds, a day of 1973; as seconds it is one of the year 5138."""


FAR = Now(253_370_764_800_000)
"""The first moment of the year 9999 in UTC, the last one of which every clock can tell the date: later than any data."""

EVERYTHING = 1_000_000_000
"""A budget that has room for everything."""


@dataclass(frozen=True, slots=True)
class RenderSubject:
    """The subject of a test, as a function that renders it."""

    render: Renders
    name: str
    """What it is called in messages."""

    nodes: Children | None = None
    """The tree; None for what renders one by itself."""

    context: AskedContext | None = None
    """The tree's context."""

    timed: Renders | None = None
    """The same, rendered as if it were ``FAR``; None where it is said what time it is, or cannot be."""

    is_usual: bool = False
    """Whether it shows the layout that it has by itself."""

    def __call__(
        self, *, density: DensityLike | None = None, budget: int | None = None
    ) -> Rendered:
        """Return the rendering; it is asked for one of both, or for what a budget shows below a density.

        :raises AssertionError: where a component takes data from the context that what is bound there lacks.
        """
        asked: dict[str, Any] = {"density": density, "budget": budget}
        how = {name: each for name, each in asked.items() if each is not None}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rendered = self.render(**(how or asked))
        lacks = [each for each in caught if issubclass(each.category, UnboundWarning)]
        if lacks:
            raise AssertionError(f"there is nothing to test: {lacks[0].message}")
        for each in caught:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        return rendered

    def check_clock(
        self, renderings: Iterable[tuple[Mapping[str, Any], Rendered]], *, level: int = 3
    ) -> None:
        """Warn, at the line that calls the caller, where a rendering shows less as nobody said what time it is.

        A section that looked for the time may show nothing of it, as it is folded, or has no data: so it is
        rendered once more with a time, and the two are compared. That the usual sections of a session tell no age
        where nobody says what time it is, is how a session shows itself, and is not warned of.

        :param renderings: each with what it was asked for.
        :param level: the frames up to that line, as :func:`warnings.warn` counts them.
        """
        is_asked = self.context is None or Now in self.context.missed
        if self.timed is None or not is_asked or is_one_of_many():
            return
        whole: dict[str, Any] = {"budget": EVERYTHING}
        known = _changed(self.render(**whole), self.timed(**whole), by_authors=self.is_usual)
        if not known:
            return
        # Within a budget, others change for the room that the time takes.
        changed = {
            name
            for how, rendered in renderings
            for name in _changed(rendered, self.timed(**how), by_authors=self.is_usual)
        }
        names = [each for each in known if each in changed]
        if names:
            warnings.warn(
                f"{listed(names)} {'tells' if len(names) == 1 else 'tell'} the time, and what is tested shows nothing "
                "of it: no time is given; give now=, in milliseconds since the Unix epoch, such as "
                "now=1_772_440_800_000",
                ClockWarning,
                stacklevel=level,
            )

    def check_is_bound(self, renderings: Iterable[Rendered]) -> None:
        """Assert that its components found what they looked for, where its renderings show nothing.

        :raises AssertionError: the message says what to give.
        """
        if self.nodes is None or self.context is None or not all(map(shows_nothing, renderings)):
            return
        if shows_nothing(self.render(budget=EVERYTHING)):
            why = why_nothing(self.nodes, self.context.missed)
            if why is not None:
                raise AssertionError(why)

    def check_shows(self, renderings: Iterable[Rendered]) -> None:
        """Assert that something is shown, were there room for it, or that nothing was given to be shown.

        :raises AssertionError: the message says what to give, or to record.
        :raises RenderError: where there is no tree at all.
        """
        if self.nodes == ():
            raise RenderError(
                "there is nothing to test: what is given is an empty tree, such as None or []; give a component, a "
                "layout with state=, or a session"
            )
        if not all(map(shows_nothing, shown := [*renderings])):
            return
        self.check_is_bound(shown)
        is_bound = self.context is None or bool(self.context.values)
        if is_bound and shows_nothing(self.render(budget=EVERYTHING)):
            of = self.name if self.nodes is None else shown_by(self.nodes)
            raise AssertionError(
                f"there is nothing to test: of {of} nothing is shown, not even in full; the state has nothing of it: "
                "record first, or give, what it is to show; where it is to show nothing, compare the text: "
                f"assert {'session.hud().text' if self.nodes is None else 'render(…)'} == {shown[0].text!r}"
            )


def renders(
    what: Renderable,
    *,
    context: RenderContext | None = None,
    state: object = None,
    now: int | None = None,
    words: Mapping[str, str] | None = None,
) -> RenderSubject:
    """Return what renders ``what``.

    :param context: what the components of a tree know beside the density.
    :param state: what is bound to that context, for a layout whose sections take their data from it.
    :param now: what time it is, in milliseconds since the Unix epoch: for what tells an age.
    :param words: fixed texts by name, in place of the usual ones.
    :raises RenderError: for what is rendered already, for a function that takes no density and no
        budget, and no words where there are some, for a context or a state beside what has its own, and for what is no context and no state.
    :raises ChildError: for what is neither a tree nor renders one.

    >>> from functools import partial
    >>> from ujsx import render_document
    >>> from ujsx.elements import Paragraph
    >>> hello = Paragraph()["hello"]
    >>> renders(hello)(budget=5).text == renders(partial(render_document, hello))(budget=5).text
    True
    """
    _check_context(context)
    _check_moment(now)
    own, name = _own(what, now, words), _named(what)
    if own is None:
        known = AskedContext.of(context or RenderContext())
        if words is not None:
            known = replace(known, texts=MappingProxyType({**known.texts, **words}))
        bound = known if state is None else with_state(known, state)
        is_timed = now is not None or RenderContext.get(bound, Now) is not None
        far = None if is_timed else with_state(bound, FAR)
        bound = bound if now is None else with_state(bound, Now(now))
        # A generator can be read once; what it gave can be rendered many times.
        nodes = normalize_children(cast("Child", what), Fragment())
        return RenderSubject(
            partial(Renderer(context=bound).render, nodes),
            name,
            nodes,
            bound,
            None if far is None else partial(Renderer(context=far).render, nodes),
        )
    if context is not None or state is not None:
        raise RenderError(
            f"{name} renders its own state, so it takes no context= and no state=; give a "
            "layout with state=session.state(), or partial(session.hud, layout=…)"
        )
    timed = _own(what, FAR, words) if now is None and _lacks_time(what) else None
    with_layout = isinstance(what, partial) and what.keywords.get("layout") is not None
    return RenderSubject(own, name, timed=timed, is_usual=not with_layout)


ContextT = TypeVar("ContextT", bound=RenderContext)


def with_state(context: ContextT, state: object) -> ContextT:
    """Return a context in which ``state`` is found under its class, and under those that it extends.

    A section looks for the class that it was written for; a state of one's own extends that class.

    :raises RenderError: for what has a state and is none, and for a class.

    >>> class State(int): ...
    >>> context = with_state(RenderContext(), State(3))
    >>> context.get(int), context.get(State)
    (3, 3)
    """
    if isinstance(state, type):
        raise RenderError(f"state= takes a state, not the class {state.__name__}; make one of it")
    if type(state).__module__ == "builtins":
        raise RenderError(
            f"state= takes a state such as session.state(), not a {type(state).__name__}; what else components look "
            "for is bound by context=RenderContext().with_value(…)"
        )
    if _shows_hud(state):
        raise RenderError(
            f"state= takes a state, not a {type(state).__name__}; write state=session.state(), or pass the session "
            "in place of the layout, as in partial(session.hud, layout=…)"
        )
    kinds = [each for each in type(state).__mro__ if each not in {object, BaseModel}]
    values: dict[type[Any], Any] = {**context.values, **dict.fromkeys(kinds, state)}
    return replace(context, values=MappingProxyType(values))


def _own(what: object, now: int | None, words: Mapping[str, str] | None = None) -> Renders | None:
    """What renders ``what`` by itself, at that time; ``None`` for a tree."""
    if isinstance(what, str):
        raise RenderError(
            f"a text is the same at every density, and {shown(what)} would be escaped as what somebody said; give the "
            "tree that was rendered, read_layout(text, …) of a layout, or Paragraph()[text] for a paragraph; one text "
            "is kept by assert text == snapshot(extension_class=MarkdownSnapshotExtension)"
        )
    if isinstance(what, Component | Element | type):
        return None
    if isinstance(what, Rendered):
        raise RenderError(
            "a Rendered is rendered already, at one density; give what renders it: the session, "
            "session.hud, partial(session.hud, layout=…), or the tree"
        )
    if isinstance(what, BaseModel):
        raise RenderError(
            f"a {type(what).__name__} is what a HUD shows, and no tree; give the session, or a layout with state="
        )
    function: Any = cast("Any", what).hud if _shows_hud(what) else what
    if not callable(function):
        return None
    _check_arguments(function, what)
    if now is not None:
        _check_now(function, what)
        function = partial(function, now=now)
    if words is not None:
        function = partial(function, **{_name_of_words(function, what): words})
    return partial(_rendered, function, _named(what))


def _shows_hud(what: object) -> bool:
    """Tell whether something is a session, or shows a HUD as one does."""
    return not isinstance(what, Component | Element) and callable(getattr(what, "hud", None))


def _check_moment(now: object) -> None:
    if now is None:
        return
    advice = "now= is in milliseconds since the Unix epoch"
    if isinstance(now, datetime):
        raise RenderError(f"{advice}, not a datetime; give int(moment.timestamp() * 1000)")
    if not isinstance(now, int) or isinstance(now, bool):
        is_time = isinstance(now, float)
        raise RenderError(
            f"{advice}, not {shown(now)}; give {'int(time.time() * 1000)' if is_time else 'a whole number'}"
        )
    if now < LEAST_NOW:
        raise RenderError(
            f"{advice}, and {now} of them are a day before March 1973; where it is in seconds, give now={now * 1000}"
        )


def _check_context(context: object) -> None:
    if context is not None and not isinstance(context, RenderContext):
        raise RenderError(
            f"context= takes a RenderContext, not {shown(context)}; give what a layout shows as state=, such as "
            "session.state()"
        )


def _check_arguments(function: Callable[..., Any], what: object) -> None:
    try:
        for name in ("density", "budget"):
            signature(function).bind(**{name: None})
    except TypeError as error:
        raise RenderError(
            f"{_named(what)} cannot render tiers: it is called with density= or with budget=, and "
            f"gives a Rendered; {error}"
        ) from None
    except ValueError:  # what is not written in Python may have no signature
        return


def _check_now(function: Callable[..., Any], what: object) -> None:
    try:
        signature(function).bind_partial(now=None)
    except TypeError:
        raise RenderError(
            f"{_named(what)} takes no now=; give a session, or a layout with state= and now="
        ) from None


def _name_of_words(function: Callable[..., Any], what: object) -> str:
    """The name of the argument that takes words."""
    for name in ("words", "texts"):
        with suppress(TypeError):
            signature(function).bind_partial(**{name: None})
            return name
    raise RenderError(
        f"{_named(what)} takes no words, so it has no modes; give a session, or a layout with state="
    )


def _lacks_time(what: object) -> bool:
    """Tell whether what renders by itself could be told the time, and was not."""
    function: Any = cast("Any", what).hud if _shows_hud(what) else what
    try:
        return signature(function).parameters["now"].default is None
    except (KeyError, ValueError):  # what is not written in Python may have no signature
        return False


def _changed(before: Rendered, after: Rendered, *, by_authors: bool) -> list[str]:
    """The names of what another rendering of the same shows, and this one does not.

    :param by_authors: leave out what is of this library.
    """
    if before.text == after.text:
        return []
    if not isinstance(after.account, PiecesAccount):
        return []  # it was pickled, and has left behind what it was made of
    known = {(each.name, each.text.strip()) for each in before.nodes}
    changed = [
        part.piece
        for part, each in zip(after.account.pieces, after.nodes, strict=True)
        if each.text.strip() and (each.name, each.text.strip()) not in known
    ]
    names: dict[str, None] = {}
    for piece in changed:
        kind = _shown_by(piece)
        if not by_authors or (kind and kind.__module__.partition(".")[0] not in _OURS):
            names[kind.__name__ if kind else piece.label] = None
    return [*names]


def _shown_by(piece: Piece) -> type[Any] | None:
    """The class of the component that a piece is of, or the nearest around it; None for primitives of a tree."""
    if piece.ladder is not None:
        return type(piece.ladder)
    trail = piece.trail
    while trail is not None:
        trail, around, _ = trail
        if not around.component.is_primitive:
            return type(around.component)
    return None


_OURS = frozenset({"ujsx", "hud_components", "hud_runtime"})
"""The packages of this library."""


def _rendered(function: Callable[..., object], name: str, /, **how: object) -> Rendered:
    rendered = function(**how)
    if isinstance(rendered, Rendered):
        return rendered
    raise RenderError(
        f"{name} gave {shown(rendered)}, and not a Rendered; session.hud and render_document give one"
    )


def _named(what: object) -> str:
    return getattr(what, "__qualname__", None) or type(what).__name__


# The check that a tree fits its token budget, and what its tokens are spent on.


@resolving()
def assert_fits(
    what: Renderable,
    budget: int,
    *,
    density: DensityLike | None = None,
    state: object = None,
    now: int | None = None,
    context: RenderContext | None = None,
    may_hide: bool | Collection[str] = False,
    or_floor: bool = False,
) -> None:
    """Assert that something of every section of ``what`` can be shown within ``budget``.

    A budget climbs as far up the ladders as it reaches, so only the least that the tree can show may be
    too much for it. What has a floor is then shown all the same, and the rendering exceeds the budget;
    what has none is hidden as a whole, and the rendering fits because it says nothing. Both fail, unless
    they are allowed.

    :param what: a tree, a session, or what renders one, as for ``tier_snapshots``.
    :param budget: how many tokens the text may have.
    :param density: the most that a budget may show.
    :param state: what the sections of a layout show.
    :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
    :param context: what the components know beside that, the token counter among it.
    :param may_hide: the sections of which a budget need not show anything, by the names of their classes, as
        ``rendered.sections`` has them; all of them for ``True``.
    :param or_floor: whether the rendering may exceed the budget where it is the floor.
    :raises AssertionError: the message says what each section takes. And where nothing would be shown by any
        budget, because nothing is bound of what the components look for.
    :raises DefinitionError: for a text in place of a collection of names.

    >>> from ujsx.elements import Paragraph
    >>> assert_fits(Paragraph()["hello"], 10)
    >>> assert_fits(Paragraph()["hello to all of you"], 2, or_floor=True)
    >>> from ujsx import Component, Disclosure
    >>> class Greeting(Component):
    ...     disclosure = Disclosure()
    ...     def render(self, ctx, children):
    ...         return "hello to all of you"
    >>> assert_fits(Greeting(), 2)
    Traceback (most recent call last):
    AssertionError: a budget of 2 tokens shows nothing of Greeting, which has no floor and takes 6 tokens at least; give more, let its ladder begin lower, or allow it: may_hide=("Greeting",)
    """
    allowed = () if may_hide is True else names_given("may_hide", may_hide or (), "Hints")
    shows = renders(what, context=context, state=state, now=now)
    rendered = shows(density=density, budget=budget)
    shows.check_is_bound([rendered])
    shows.check_clock([({"density": density, "budget": budget}, rendered)], level=4)
    if rendered.budgeted > budget or rendered.over_budget:
        if not or_floor:
            raise AssertionError(over_budget(rendered, budget))
        return
    missed = [] if may_hide is True else _missed(rendered, allowed)
    if missed:
        unknown = unknown_names("may_hide", allowed, section_names(rendered))
        raise AssertionError(
            f"a budget of {budget} tokens shows nothing of {_names_of_missed(missed)}{unknown}"
        )


def names_given(option: str, given: Any, example: str) -> Collection[str]:
    """Return names as an option takes them.

    :raises DefinitionError: for a text in place of a collection, and for what is no name.
    """
    kind: type[Any] = given.__class__
    is_many = issubclass(kind, Collection) and not issubclass(kind, str)
    if not is_many or not all(isinstance(each, str) for each in given):
        raise DefinitionError(
            f'{option}= is a collection of names, such as ("{example}",), not {shown(given)}'
        )
    names: Collection[str] = given
    return names


def section_names(rendered: Rendered) -> set[str]:
    """Return the names of a rendering's sections, and those of their classes where they have keys."""
    names = {each.name for each in rendered.sections}
    return names | {name.partition("[")[0] for name in names}


def unknown_names(option: str, given: Collection[str], known: Collection[str]) -> str:
    """Return what a message says of names that are among no known ones; nothing if all are.

    >>> unknown_names("may_hide", ["NotesList"], ["NotesSection"])
    '; may_hide= names "NotesList", which is not there: did you mean "NotesSection"?'
    """
    return "".join(
        f"; {option}= names {quoted(name)}, which is not there: {did_you_mean(name, known)}"
        for name in given
        if name not in known
    )


def over_budget(rendered: Rendered, budget: int) -> str:
    """Return what is wrong with a rendering that has more tokens than its budget, and what to do."""
    return (
        f"the floor, the least that can be shown, has {rendered.budgeted} tokens, "
        f"{rendered.budgeted - budget} more than the budget of {budget}:\n"
        f"{_spending(rendered)}\n"
        f"give it {rendered.budgeted} tokens, let a section begin lower, or allow the floor: "
        "or_floor=True"
    )


def _missed(rendered: Rendered, allowed: Collection[str]) -> list[tuple[str, int]]:
    """The sections of which nothing is shown, with the tokens of the least that they could show."""
    account = rendered.account
    least = {
        piece.name: account.cost(piece.on(piece.ladder.disclosed().ladder[0]))
        for piece in (part.piece for part in account.pieces)
        if piece.is_hidden and piece.ladder is not None
    } if isinstance(account, PiecesAccount) else {}  # fmt: skip
    return [
        (each.name, least.get(each.name, 0))
        for each in rendered.sections
        if each.rung is None and not {each.name, each.name.partition("[")[0]} & {*allowed}
    ]


def _names_of_missed(missed: list[tuple[str, int]]) -> str:
    names = list(dict.fromkeys(name for name, _ in missed))
    quoted = ", ".join(f'"{name}"' for name in names) + ("," if len(names) == 1 else "")
    if len(missed) == 1:
        return (
            f"{names[0]}, which has no floor and takes {missed[0][1]} tokens at least; give more, "
            f"let its ladder begin lower, or allow it: may_hide=({quoted})"
        )
    rows = "\n".join(f"  {tokens:>6}  {name}" for name, tokens in missed)
    return (
        f"these sections, which have no floor and take at least:\n{rows}\n"
        f"give more, let their ladders begin lower, or allow it: may_hide=({quoted})"
    )


def _spending(rendered: Rendered) -> str:
    """What each section takes, most first, and what stands between the sections."""
    rows = [(each.tokens, each.name, str(each.rung)) for each in rendered.sections if each.rung]
    rows += _without_ladders(rendered)
    rest = rendered.tokens - sum(tokens for tokens, *_ in rows)
    rows.append((rest, "between sections", ""))
    rows = [row for row in sorted(rows, key=lambda row: -row[0]) if row[0] > 0]
    width = max((len(name) for _, name, _ in rows), default=0)
    return "\n".join(
        f"  {tokens:>6}  {name:<{width}}  {rung}".rstrip() for tokens, name, rung in rows
    )


def _without_ladders(rendered: Rendered) -> Iterator[tuple[int, str, str]]:
    """Yield the rows of sections without a ladder, by their titles."""
    account = rendered.account
    if not isinstance(account, PiecesAccount):
        return  # it was pickled
    for piece in (part.piece for part in account.pieces if part.piece.ladder is None):
        for node in piece.nodes:
            if isinstance(node, Element) and isinstance(node.component, Section):
                tokens = account.cost(replace(piece, nodes=(node,)))
                yield tokens, f'Section "{node.component.title}"', ""


# The check that renderings keep a prefix: what a provider's prompt cache can use again.


def prefix_kept(renderings: Iterable[Rendered | str]) -> float:
    """Return the share of their bytes that renderings have in common with the one before.

    It is the sum of the lengths of neighbours' common prefixes over the sum of their lengths; 1.0
    where nothing follows anything.

    :raises RenderError: for what is no rendering, such as a session.

    >>> prefix_kept(["abcd", "abxx", "abxy"])
    0.625
    """
    texts = list(map(str, _turns(renderings)))
    lengths = sum(_size(later) for later in texts[1:])
    kept = sum(_size(later[: _common(former, later)]) for former, later in pairwise(texts))
    return kept / lengths if lengths else 1.0


def assert_prefix_stable(renderings: Iterable[Rendered | str], at_least: float = 0.9) -> None:
    r"""Assert that neighbouring renderings keep enough of a common prefix.

    What is new behind all that was there is not kept either, so what only grows keeps a smaller share the more it
    grows, though nothing breaks it.

    :param renderings: a HUD's renderings, turn after turn: two at least.
    :param at_least: the share of bytes, from 0 to 1, that must be kept.
    :raises AssertionError: with the share that is kept, and for the rendering in which most is
        lost, what broke the prefix: the node and its field, as :func:`ujsx.compare` finds them; in
        texts, the heading and the line. And where there is nothing to compare.
    :raises RenderError: for what is no rendering, such as a session.
    :raises DefinitionError: for a share that is none.

    >>> assert_prefix_stable(["head\n\none", "head\n\none two"], at_least=0.5)
    """
    _check_share(at_least)
    turns = _turns(renderings)
    if not any(map(str, turns[1:])):
        raise AssertionError(
            f"there is nothing to compare: {_count(turns)}; give those of two turns at least, such as "
            "[session.hud(turn=n) for n in range(1, 4)], in which something is shown"
        )
    share = prefix_kept(turns)
    if share >= at_least:
        return
    kept = f"{share:.1%} of the bytes are kept as a prefix, not {at_least:.1%}"
    # Bytes that are new, and whether they stand behind all that was there; a prefix that breaks counts first.
    new = [
        (
            not str(later).startswith(str(former)),
            _size(str(later)[_common(str(former), str(later)) :]),
            turn,
        )
        for turn, (former, later) in enumerate(pairwise(turns), 1)
    ]
    is_broken, size, turn = max(new, key=lambda each: each[:2])
    if not is_broken:
        raise AssertionError(
            f"{kept}; nothing breaks it: each rendering begins with all of the one before, and most is new in "
            f"rendering {turn} (the first is 0), {size} bytes; renderings that only grow keep what was there: "
            f"at_least={math.floor(share * 100) / 100}"
        )
    raise AssertionError(
        f"{kept}; most is lost in rendering {turn} (the first is 0), {size} bytes: "
        f"{_break(turns[turn - 1], turns[turn])}"
    )


def _turns(renderings: Any) -> list[Rendered | str]:
    kind: type[Any] = renderings.__class__
    is_many = issubclass(kind, Iterable) and not issubclass(kind, str | Rendered)
    turns: list[Any] = [*renderings] if is_many else []
    wrong = [each for each in turns if not isinstance(each, Rendered | str)]
    if wrong or not is_many:
        raise RenderError(
            "renderings are those of turns, one after another, such as [session.hud(turn=n) for n in range(1, 4)], "
            f"not {shown(wrong[0] if wrong else renderings)}"
        )
    return turns


def _check_share(share: Any) -> None:
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if not is_number or not 0 <= share <= 1:
        raise DefinitionError(
            f"at_least= is a share from 0 to 1, such as 0.9 for nine bytes of ten, not {shown(share)}"
        )


def _count(turns: list[Rendered | str]) -> str:
    if len(turns) < 2:
        return "one rendering" if turns else "no rendering"
    return f"{len(turns)} renderings, and nothing stands in them"


def _break(former: Rendered | str, later: Rendered | str) -> str:
    """Where ``later`` leaves what ``former`` was, and how; a text knows less than a rendering."""
    if isinstance(former, Rendered) and isinstance(later, Rendered):
        return str(compare(former, later))
    before, after = str(former), str(later)
    place = _common(before, after)
    line = after.count("\n", 0, place) + 1
    return (
        f"{_heading(after, place)} breaks the prefix in line {line}: "
        f"{shown(_line(before, place))} is now {shown(_line(after, place))}"
    )


def _heading(text: str, place: int) -> str:
    """What stands under the last heading before ``place``."""
    lines = text[: text.find("\n", place)].split("\n")
    heading = next((line for line in reversed(lines) if line.startswith("#")), None)
    return "the text" if heading is None else f"what is under {shown(heading)}"


def _line(text: str, place: int) -> str:
    """The line that has the character at ``place``."""
    end = text.find("\n", place)
    return text[text.rfind("\n", 0, place) + 1 : len(text) if end < 0 else end]


def _common(left: str, right: str) -> int:
    """How many characters both begin with."""
    if right.startswith(left):
        return len(left)
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))


def _size(text: str) -> int:
    """The length in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))
