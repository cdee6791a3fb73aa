"""The subjects that a test may render, and checks that they show something, fit their budget and keep their prefix."""

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

# The check that there is anything to test: an empty rendering passes every test.
#
# A layout's sections take their data from the context. If they are not bound, nothing is shown, and no test can fail.
# Components with empty data show nothing on purpose, as in ``Notes(notes=())``; so may some of Hypothesis's examples.

T = TypeVar("T")


class AskedContext(RenderContext, frozen=True):
    """A context that records missing values that components requested.

    >>> context = AskedContext().with_value(3)
    >>> context.get(int), context.get(Now), [*context.missed]
    (3, None, [<class 'ujsx.components._context.Now'>])
    """

    missed: dict[type[Any], None] = field(default_factory=dict[type[Any], None])
    """The missing classes, in the order of requests; shared by all contexts derived from this one."""

    def get(self, kind: type[T]) -> T | None:
        """Return the value of that class, or record that it is missing."""
        value = super().get(kind)
        if value is None:
            self.missed[kind] = None
        return value

    @classmethod
    def of(cls, context: RenderContext) -> AskedContext:
        """Return a recording copy of a context."""
        return cls(*(getattr(context, name) for name in RenderContext.__struct_fields__))


def shows_nothing(rendered: Rendered) -> bool:
    """Tell whether a rendering has only headings of sections.

    For a pickled one this is unknown, unless it is empty.

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
    """Return the reason that trees show nothing, with the remedy; None if it may be intended.

    :param missed: the missing values that their components requested.
    """
    if not missed or is_one_of_many() or any(map(_was_given_data, _components(nodes))):
        return None
    kinds = " and ".join(kind.__name__ for kind in missed)
    advice = (
        "give now=, in milliseconds since the Unix epoch"
        if {*missed} == {Now}
        else "give state=, such as session.state(), or context=RenderContext().with_value(…), from ujsx import RenderContext"
    )
    return (
        f"there is nothing to test: of {shown_by(nodes)} nothing is shown, not even in full; {kinds} is looked for in "
        f"the context, and not bound; {advice}"
    )


def is_one_of_many() -> bool:
    """Tell whether a test runs with Hypothesis's examples, of which some show nothing."""
    hypothesis = sys.modules.get("hypothesis")
    return hypothesis is not None and bool(hypothesis.currently_in_test_context())


def shown_by(nodes: Children) -> str:
    """Return the names of the components without others in them, for a message."""
    leaves = (type(each).__name__ for each in _components(nodes, leaves=True))
    return listed([*dict.fromkeys(leaves)]) or "an empty tree"


def _components(nodes: Iterable[Any], *, leaves: bool = False) -> Iterator[Component]:
    """Yield the components in trees, in order; optionally only those without children."""
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
    """Tell whether a prop has data, or is explicitly empty: None, or an empty collection or text. Numbers, choices and
    words are settings.
    """
    given = (getattr(component, name) for name in component.model_fields_set)
    return any(not (isinstance(each, _SETTINGS) and each != "") for each in given)


_SETTINGS = (int, float, str, Enum)
"""Types of props that are not data if nothing is shown."""


class Renders(Protocol):
    """A function that renders the same thing at any density, or within any budget.

    Such as bound methods, ``session.hud``, and ``partial(session.hud, layout=mine)``.
    """

    def __call__(
        self, *, density: DensityLike | None = None, budget: int | None = None
    ) -> Rendered:
        """Return the rendering for one of the two."""
        ...


class ShowsHud(Protocol):
    """An object that shows a HUD, such as a session."""

    def hud(self, *, density: DensityLike | None = None, budget: int | None = None) -> Rendered:
        """Return the HUD at a density, or within a budget."""
        ...


Renderable: TypeAlias = "Child | ShowsHud | Renders"
"""A tree, a session, or a function that renders."""


LEAST_NOW = 10**11
"""The least number accepted as milliseconds, a day of 1973; as seconds it is in the year 5138."""


FAR = Now(253_370_764_800_000)
"""The first moment of the year 9999 in UTC, the last year that every clock can represent: later than any data."""

EVERYTHING = 1_000_000_000
"""A budget that has room for everything."""


@dataclass(frozen=True, slots=True)
class RenderSubject:
    """The subject of a test, as a function that renders it."""

    render: Renders
    name: str
    """Its name in messages."""

    nodes: Children | None = None
    """The tree; None for a function that renders one."""

    context: AskedContext | None = None
    """The tree's context."""

    timed: Renders | None = None
    """The same, rendered at the time ``FAR``; None if the time is set, or cannot be."""

    is_usual: bool = False
    """True if it shows its default layout."""

    def __call__(
        self, *, density: DensityLike | None = None, budget: int | None = None
    ) -> Rendered:
        """Return the rendering for one of the two, or for a budget with a density as ceiling.

        :raises AssertionError: if a component needs data that the bound value lacks.
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
        """Warn, at the line that calls the caller, if a rendering shows less because the time is not set.

        A section that requested the time may not show it, as it is folded, or has no data: so it is rendered again with
        a time, and the two are compared. A session's default sections without ages are normal, and cause no warning.

        :param renderings: the renderings with their arguments.
        :param level: the frames up to that line, as :func:`warnings.warn` counts them.
        """
        is_asked = self.context is None or Now in self.context.missed
        if self.timed is None or not is_asked or is_one_of_many():
            return
        whole: dict[str, Any] = {"budget": EVERYTHING}
        known = _changed(self.render(**whole), self.timed(**whole), by_authors=self.is_usual)
        if not known:
            return
        # Within a budget, other parts change because of the room for the time.
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
        """Assert that its components found their data, if its renderings show nothing.

        :raises AssertionError: with the argument to pass.
        """
        if self.nodes is None or self.context is None or not all(map(shows_nothing, renderings)):
            return
        if shows_nothing(self.render(budget=EVERYTHING)):
            why = why_nothing(self.nodes, self.context.missed)
            if why is not None:
                raise AssertionError(why)

    def check_shows(self, renderings: Iterable[Rendered]) -> None:
        """Assert that something is shown, given room, or that there are no data to show.

        :raises AssertionError: with the data to pass, or to record.
        :raises RenderError: without a tree.
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
    """Return a function that renders ``what``.

    :param context: the components' context, beside the density.
    :param state: the value bound to that context, for a layout whose sections take their data from it.
    :param now: the current time, in milliseconds since the Unix epoch, for ages.
    :param words: replacements of fixed texts, by name.
    :raises RenderError: for a rendering; for a function without density and budget, or without words if there are some;
        for a context or a state beside an object with its own; and for an invalid context or state.
    :raises ChildError: for a value that is neither a tree nor renders one.

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
        # A generator can be read only once; its values can be rendered many times.
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
    """Return a context with ``state`` bound as its class, and as its base classes.

    A section requests the class that it was written for, which your own state extends.

    :raises RenderError: for an object that has a state but is not one, and for a class.

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
            "for is bound by context=RenderContext().with_value(…), from ujsx import RenderContext"
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
    named, other = _named(what), "give a session, or a layout with state="
    if now is not None:
        _argument(function, ["now"], f"{named} takes no now=; {other} and now=")
        function = partial(function, now=now)
    if words is not None:
        without = f"{named} takes no words, so it has no modes; {other}"
        function = partial(function, **{_argument(function, ["words", "texts"], without): words})
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


def _argument(function: Callable[..., Any], names: Collection[str], otherwise: str) -> str:
    """Return the first of these names that a function takes.

    :param otherwise: the message where it takes none.
    """
    for name in names:
        with suppress(TypeError):
            signature(function).bind_partial(**{name: None})
            return name
    raise RenderError(otherwise)


def _lacks_time(what: object) -> bool:
    """Tell whether a function that renders accepts the time, and did not get it."""
    function: Any = cast("Any", what).hud if _shows_hud(what) else what
    try:
        return signature(function).parameters["now"].default is None
    except (KeyError, ValueError):  # what is not written in Python may have no signature
        return False


def _changed(before: Rendered, after: Rendered, *, by_authors: bool) -> list[str]:
    """Return the names of the parts that only the other rendering of the same shows.

    :param by_authors: leave out what is of this library.
    """
    if before.text == after.text:
        return []
    if not isinstance(after.account, PiecesAccount):
        return []  # it was pickled, without its pieces
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
    """Return the class of a piece's component, or of the nearest around it; None for primitives of a tree."""
    if piece.ladder is not None:
        return type(piece.ladder)
    components = (each.component for each in around(piece))
    return next((type(each) for each in components if not each.is_primitive), None)


def around(piece: Piece) -> Iterator[Element]:
    """Yield the nodes around a piece, the innermost first."""
    trail = piece.trail
    while trail is not None:
        trail, node, _ = trail
        yield node


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


# The check that a tree fits its token budget, and the distribution of its tokens.


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
    """Assert that ``budget`` has room for a part of every section of ``what``.

    A budget climbs the ladders as far as it allows, so only the tree's shortest form may exceed it. Then sections with
    a floor are shown anyway, and the rendering exceeds the budget; those without are hidden, and the rendering fits
    because it is empty. Both fail, unless allowed.

    :param what: a tree, a session, or what renders one, as for ``tier_snapshots``.
    :param budget: the token budget of the text.
    :param density: the highest density that the budget may choose.
    :param state: the data of a layout's sections.
    :param now: the current time, in milliseconds since the Unix epoch, for clocks and ages.
    :param context: the rest of the components' context, including the token counter.
    :param may_hide: the sections that a budget may hide, by class name as in ``rendered.sections``; ``True`` for all.
    :param or_floor: whether the rendering may exceed the budget if it is the floor.
    :raises AssertionError: with the tokens of each section. Also if nothing is shown at any budget, because the data
        that the components need are not bound.
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

    :raises DefinitionError: for a text in place of a collection, and for an invalid name.
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
    """Return the names of a rendering's sections, and those of their classes if they have keys."""
    names = {each.name for each in rendered.sections}
    return names | {name.partition("[")[0] for name in names}


def unknown_names(option: str, given: Collection[str], known: Collection[str]) -> str:
    """Return the message about unknown names; empty if all are known.

    >>> unknown_names("may_hide", ["NotesList"], ["NotesSection"])
    '; may_hide= names "NotesList", which is not there: did you mean "NotesSection"?'
    """
    return "".join(
        f"; {option}= names {quoted(name)}, which is not there: {did_you_mean(name, known)}"
        for name in given
        if name not in known
    )


def over_budget(rendered: Rendered, budget: int) -> str:
    """Return the message about a rendering that exceeds its budget, with the remedy."""
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
    """Return the tokens of each section, most first, and of the content between sections."""
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
    """Yield the rows of sections without a ladder, by title."""
    account = rendered.account
    if not isinstance(account, PiecesAccount):
        return  # it was pickled
    for piece in (part.piece for part in account.pieces if part.piece.ladder is None):
        for node in piece.nodes:
            if isinstance(node, Element) and isinstance(node.component, Section):
                tokens = account.cost(replace(piece, nodes=(node,)))
                yield tokens, f'Section "{node.component.title}"', ""


# The check that renderings keep a prefix, which a provider's prompt cache can reuse.


def prefix_kept(renderings: Iterable[Rendered | str]) -> float:
    """Return the share of their bytes that renderings have in common with their predecessor.

    It is the sum of the lengths of neighbors' common prefixes over the sum of their lengths; 1.0 for a single
    rendering.

    :raises RenderError: for a value that is not a rendering, such as a session.

    >>> prefix_kept(["abcd", "abxx", "abxy"])
    0.625
    """
    texts = list(map(str, _turns(renderings)))
    lengths = sum(_size(later) for later in texts[1:])
    kept = sum(_size(later[: _common(former, later)]) for former, later in pairwise(texts))
    return kept / lengths if lengths else 1.0


def assert_prefix_stable(renderings: Iterable[Rendered | str], at_least: float = 0.9) -> None:
    r"""Assert that neighboring renderings keep enough of a common prefix.

    Appended content is not kept either, so a growing text keeps a smaller share the more it grows, though nothing
    breaks it.

    :param renderings: a HUD's successive renderings, at least two.
    :param at_least: the share of bytes, from 0 to 1, that must be kept.
    :raises AssertionError: with the kept share, and for the rendering with the largest loss, the break of the prefix:
        the node and its field, as in :func:`ujsx.compare`; for texts, the heading and the line. Also if there is
        nothing to compare.
    :raises RenderError: for a value that is not a rendering, such as a session.
    :raises DefinitionError: for an invalid share.

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
    # New bytes, and whether they are appended; a broken prefix comes first.
    new = [
        (not later.startswith(former), _size(later[_common(former, later) :]), turn)
        for turn, (former, later) in enumerate(pairwise(map(str, turns)), 1)
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
    """Return the place and the kind of the first difference; a text gives less detail than a rendering."""
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
    """Return the phrase for the text under the last heading before ``place``."""
    lines = text[: text.find("\n", place)].split("\n")
    heading = next((line for line in reversed(lines) if line.startswith("#")), None)
    return "the text" if heading is None else f"what is under {shown(heading)}"


def _line(text: str, place: int) -> str:
    """Return the line with the character at ``place``."""
    end = text.find("\n", place)
    return text[text.rfind("\n", 0, place) + 1 : len(text) if end < 0 else end]


def _common(left: str, right: str) -> int:
    """Return the length of the common prefix, in characters."""
    if right.startswith(left):
        return len(left)
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))


def _size(text: str) -> int:
    """Return the length in UTF-8 bytes."""
    return len(text.encode("utf-8", "surrogatepass"))
