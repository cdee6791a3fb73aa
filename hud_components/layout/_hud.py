"""The HUD: its sections under one title, its tokens by density, and a HUD of a given state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from math import isqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, TypeVar, cast

from msgspec.structs import replace
from pydantic import PrivateAttr, SerializeAsAny, ValidationError

from hud_components._coding import CODING, HudState
from hud_components._models import (
    ContextUsage,
    HudItem,
    HudModel,
    HudValue,
    milliseconds_of,
    usage_of,
)
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lines import warn
from hud_components.declaring._section import HudSection
from hud_components.declaring._spellings import sections_named
from hud_components.declaring._state import State
from hud_components.declaring._value_section import View, made_of, section_of
from hud_components.folding import with_sections
from hud_components.levels import (
    THRESHOLDS,
    USAGE,
    Fullness,
    Threshold,
    Thresholds,
    density_for,
    of_reading,
    reached,
    thresholds_in,
)
from hud_components.sections._about_session import StaleNotice
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._context_bar import ContextBar
from hud_components.words._texts import format_text
from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    ContentModel,
    Density,
    DensityLike,
    Disclosure,
    Element,
    PropError,
    RenderContext,
    Rendered,
    mdast,
    render,
)
from ujsx.calls import READING, resolving
from ujsx.components import PLAIN, Fragment, Node, as_element, fields_of, normalize_children
from ujsx.components._context import Now
from ujsx.elements import Section
from ujsx.errors import complaint, did_you_mean, mistakes_of, quoted, shown, synonym
from ujsx.rendering import token_budget
from ujsx.tokens import ExactCounter, doubt

# The tokens of a HUD, by its density, which depends on the fullness of the context.


class Tier(NamedTuple):
    """The range of tokens of a HUD at a density."""

    least: int
    """The least tokens, unless nothing is omitted."""

    most: int
    """The most tokens, unless mandatory content has more."""


class _ByDensity(dict[Density, Tier]):
    def __missing__(self, name: Any) -> Tier:
        return self[Density.of(name)]  # which says what to write


BUDGETS: Mapping[Density, Tier] = MappingProxyType(
    _ByDensity(
        {
            Density.FULL: Tier(300, 500),
            Density.COMPACT: Tier(100, 150),
            Density.MINIMAL: Tier(30, 50),
        }
    )
)
"""Tokens of a HUD by its density: the ranges of the HUD's design documents."""

AIM = 24, 25
"""The share of a tier's most that a HUD aims at; the rest is a margin for the estimate."""

if TYPE_CHECKING:
    Budget: TypeAlias = int | Literal["off"] | Mapping[Any, Any] | None
    """Tokens, or tokens by density; "off" for as many as it takes; None for as many as the density allows."""
else:

    class Budget:
        """Tokens; "off" for as many as it takes; None for as many as the density allows."""

        def __new__(cls, tokens):  # noqa: ANN001, ANN204
            return token_budget(tokens)


@resolving(percentage=USAGE, meaning=of_reading)
def budget_for(
    percentage: Fullness,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> int:
    """Return the token budget of a HUD at a fullness of the context: the most of its density's tier.

    :param percentage: the used share of the context, in percent; the name of a level, or a reading.
    :param remaining: the remaining tokens, if known.
    :param thresholds: the table of levels and densities.
    :raises ValueError: for a percentage that is negative or not a number.

    >>> [budget_for(used) for used in (30, 70, 85, 93)]
    [500, 150, 50, 50]
    >>> budget_for("yellow")
    150
    """
    return BUDGETS[density_for(percentage, remaining=remaining, thresholds=thresholds)].most


class Room(NamedTuple):
    """The room for a HUD."""

    density: Density | None
    """The highest density; None if the budget alone decides."""

    budget: int | None
    """Tokens; None for no limit."""

    def fill(self, render: Callable[[Room], Rendered]) -> tuple[Room, Rendered]:
        """Render within the room, or a smaller one, and return the room used and the rendering.

        An estimate may be a few tokens too low. So in a tier's own room the whole text stays below the tier's most by a
        margin, three quarters of its root: 45 of 50 tokens, 141 of 150; up to twice as much in languages other than
        English. Otherwise the budget shrinks by the excess. Measured with o200k on recorded sessions (``python -m
        tests.benchmarks.tiers``).

        >>> from hud_components import Hud, HudState, Task
        >>> from ujsx import render_document
        >>> hud = Hud.of(HudState(task=Task(description="Add a login with short-lived tokens, and " * 9)))
        >>> room, rendered = room_for(None, "minimal").fill(
        ...     lambda room: render_document(hud, density=room.density, budget=room.budget)
        ... )
        >>> room.budget, rendered.tokens
        (46, 45)
        """
        room, rendered = self, render(self)
        most = _MOST.get(self)
        while room.budget and most and not rendered.over_budget:
            if (over := _counted(rendered, room) - most) <= 0:
                break
            room = room._replace(budget=max(room.budget - over, 1))
            rendered = render(room)
        return room, rendered


def _counted(rendered: Rendered, room: Room) -> int:
    """Return the tokens, with the possible excess over the estimate for a text in another language, or at minimal for
    any text.
    """
    if room.density is None or isinstance(rendered.count_tokens, ExactCounter):
        return rendered.budgeted
    text = rendered.budgeted_text
    if room.density is Density.MINIMAL:
        return rendered.budgeted + doubt(text)
    return rendered.budgeted + min(len(_OTHER_LETTERS.findall(text)), _margin(room.density))


_OTHER_LETTERS = re.compile(r"[^\W\d_\x00-\x7f]")
"""Letters not used in English."""


def _margin(density: Density) -> int:
    """Return the margin of an estimate below a tier's most, in tokens."""
    return 3 * isqrt(BUDGETS[density].most) // 4


_ROOMS = {density: Room(density, tier.most * AIM[0] // AIM[1]) for density, tier in BUDGETS.items()}
"""The default room of a HUD at each density."""

_MOST = {_ROOMS[density]: tier.most - _margin(density) for density, tier in BUDGETS.items()}
"""The most tokens of a whole text there."""


def room_for(
    usage: ContextUsage | None,
    density: DensityLike | None = None,
    budget: Budget = None,
    *,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Room:
    """Return the room for a HUD.

    The default density is that of the context's level; full without a reading. The default budget is the most in
    :data:`BUDGETS` for the density, less a margin.

    :param budget: tokens, which then decide alone, or "off"; or one of these for each density.
    :param thresholds: the table of levels.
    :raises DensityError: for an unknown density.
    :raises RenderError: for a budget that is neither a number of tokens nor "off".

    >>> room_for(ContextUsage(used=150_000))
    Room(density=<Density.COMPACT: 'compact'>, budget=144)
    >>> room_for(None, "full").budget, room_for(None, "full", {"full": 600}).budget
    (480, 600)
    """
    named = None if density is None else Density.of(density)
    if budget is not None and budget != "off" and not isinstance(budget, Mapping):
        return Room(named, token_budget(budget, or_else='"off"'))
    usage = usage_of(usage)
    row = next(iter(thresholds)) if usage is None else reached(usage, thresholds)
    picked = row.density if named is None else named
    if isinstance(budget, Mapping):
        own = {Density.of(name): tokens for name, tokens in budget.items()}
        return room_for(usage, picked, own.get(picked))
    if budget == "off":
        return Room(picked, None)
    return _ROOMS[picked]


# Warnings about layouts that work, but probably not as intended.
#
# A provider caches a prompt's prefix. Everything after the first changed byte is billed again, so a section of the
# layer "turn" invalidates all stable ones after it. And sections without their own data show nothing if no state is
# bound.


def warn_if_volatile_first(children: Children, *, attached: bool) -> None:
    """Warn if a section that changes every turn precedes one that does not.

    The order is not changed. Only components with their own ladder declare a layer. A warning when sections are
    attached is not repeated when they are rendered.
    """
    kinds = tuple(map(type, children))
    if not _OTHERS.isdisjoint(kinds):
        kinds = tuple(map(type, _sections(children)))
    complaint = _complaint(kinds)
    if complaint is None or (not attached and complaint in _SAID):
        return
    if attached:
        _SAID.add(complaint)
    warn(complaint)


_OTHERS: frozenset[type] = frozenset({Element, str})
"""Nodes that are not components themselves."""

_SAID: set[str] = set()


@lru_cache(maxsize=256)
def _complaint(sections: tuple[type[Component], ...]) -> str | None:
    volatile: str | None = None
    for section in sections:
        if section.disclosure is PLAIN:
            continue
        if section.disclosure.layer == "turn":
            volatile = volatile or section.__name__
        elif volatile is not None:
            return f"{ends_cache(volatile, section.__name__)}, or filter out LayoutWarning"
    return None


def ends_cache(volatile: str, behind: str) -> str:
    """Return the message about an order, with the remedy, without a final period."""
    return f"{volatile} changes every turn, so nothing after it ({behind}) is cached; put {volatile} last"


def exact_at_the_end(children: Children) -> Children:
    """Return the sections; a last line about the context shows the exact share.

    Nothing cacheable follows it then. Its author's steps stay.
    """
    for place in range(len(children) - 1, -1, -1):
        node: Any = children[place]
        component = node.component if type(node) is Element else node
        if isinstance(component, ContextBar):
            exact = component.exact()
            made = Element(exact, (), node.key) if type(node) is Element else exact
            return (*children[:place], made, *children[place + 1 :])
        if not isinstance(component, HudSection) or component.disclosure.layer != "turn":
            return children
    return children


def components_of(node: Node) -> Iterator[Component]:
    """Yield the components of a tree in order."""
    if not isinstance(node, str):
        element = as_element(node)
        yield element.component
        for child in element.children:
            yield from components_of(child)


def is_moving(component: Component | type[Component]) -> bool:
    """Tell whether a component changes every turn."""
    return component.disclosure is not PLAIN and component.disclosure.layer == "turn"


def warn_if_nothing_to_show(children: Children) -> None:
    """Warn if no state is bound, and no section of the HUD has its own data."""
    names: list[str] = []
    for section in _sections(children):
        if not isinstance(section, HudSection):
            continue
        if _has_data(section):
            return
        names.append(type(section).__name__)
    if names:
        why = f"no state is bound, and no section has data ({', '.join(names)})"
        line = "context=RenderContext().with_value(state), from ujsx import RenderContext"
        warn(f"the HUD shows nothing: {why}; render with {line}, or give the sections their data")


def _has_data(section: HudSection) -> bool:
    """Tell whether a section has its own data; missing data come from the state."""
    if isinstance(section, View):
        return not section.reads or not section.model_fields_set <= _OF_VIEWS
    return any(
        isinstance(getattr(section, name), _DATA)
        for name in section.model_fields_set
        if name not in _SETTINGS
    )


_SETTINGS = frozenset(fields_of(HudSection))
"""The props of all sections, which are not data."""

_OF_VIEWS = frozenset({*_SETTINGS, "now"})
"""The props of all views, which are not data."""

_DATA = (tuple, str, HudModel)
"""Types of data; numbers and booleans are settings."""


def _sections(children: Children) -> Iterator[Component]:
    """Yield the components with a ladder or without children, in the order of display."""
    child: Any
    for child in children:
        if type(child) is Element:
            if child.component.disclosure is PLAIN:
                yield from _sections(child.children)
            else:
                yield child.component
        elif type(child) is not str:
            yield child


StateT = TypeVar("StateT", bound=State)

OF_USAGE = "info context_info contextInfo"
"""Other names of ``usage``."""


class Hud(Component):
    """What an agent should know at every turn.

    Its children are its sections, in the author's order; without children it has the default ones.
    Sections without data of their own show the state that is bound to the context; a HUD that has
    neither says so with a :class:`LayoutWarning`.

    >>> from ujsx import render
    >>> from hud_components import HudState, Task
    >>> print(render(Hud.of(HudState(task=Task(description="Add login"))), density="compact"))
    # HUD
    <BLANKLINE>
    **Task:** Add login
    <BLANKLINE>
    """

    content_model = ContentModel(("flow",), "flow")

    _instead: ClassVar[Mapping[str, str]] = {
        "Hud.of(state), from hud_components import Hud": "build create make"
    }

    _of_class: ClassVar[Mapping[str, str]] = {**Component._of_class, "of": "fromstate"}  # noqa: SLF001

    title: str | None = None
    """The heading; the usual one when None, which minimal density leaves out; none when empty."""

    rules: bool = True
    """Whether the user's rules stand first, in a layout that does not place them itself, too."""

    if TYPE_CHECKING:

        def __init__(
            self,
            title: str | None = None,
            rules: bool = True,
            *,
            state: State | Mapping[str, Any] = ...,
            usage: ContextUsage | None = None,
        ) -> None: ...

    else:

        def __new__(cls, /, *values: Any, **props: Any) -> Self:
            """Return a HUD of its own state if one is passed: ``Hud(state=state)[TaskSection()]``."""
            named = (name for name in props if name not in fields_of(Hud))
            of_state = any(len(sections_named(each, CODING.fields)) == 1 for each in named)
            is_given = "state" in props or of_state or isinstance(next(iter(values), None), State)
            if cls is not Hud or not is_given:
                return super().__new__(cls)

            return super().__new__(_bound_hud())

    @classmethod
    def _hint_for(cls, name: str) -> str | None:
        if name in {"usage", *OF_USAGE.split(), *READING.split(), "ContextUsage"}:
            return "write Hud(state=state, usage=ContextUsage(percentage=67)), from hud_components import ContextUsage"
        if name == "HudSession":
            return "write session.hud(), or of its state Hud.of(session.state()), from hud_components import Hud"
        meant = synonym(name, ["budget", "density"], is_sure=True)
        if meant is not None:
            value = "300" if meant == "budget" else '"compact"'
            return f"write render(Hud()[…], {meant}={value})"
        found = [] if name[:1].isupper() else sections_named(name, CODING.fields)
        return f'write Hud(state={{"{found[0]}": …}})' if len(found) == 1 else None

    @classmethod
    @resolving(
        write='write render(Hud.of(state, ContextUsage(percentage=67)), "compact", budget=300), from hud_components import ContextUsage',
        usage_=READING,
        usage=OF_USAGE,
    )
    def of(
        cls,
        state: State,
        usage: ContextUsage | None = None,
        *,
        now: int | None = None,
        stale_after: int | None = None,
        thresholds: Thresholds = THRESHOLDS,
    ) -> Element[Self]:
        """Return the default layout of a state, with sections that change every turn last.

        Missing data are not in the layout, so that another state, bound to the context, cannot replace them. The same
        state gives equal nodes.

        :param usage: the context usage; the state's last reading when ``None``.
        :param now: the current time, in milliseconds since the Unix epoch. Without it no ages are shown.
        :param stale_after: the age in minutes from which an unchanged state counts as stale.
        :param thresholds: the table of levels. Bind it to the context of the rendering, too:
            ``context=RenderContext().with_value(thresholds)``.
        :raises PropError: for a value that is not a state.
        """
        state = state_in(state)
        usage = usage_of(usage) or state.usage
        sections = _shown(state, usage, milliseconds_of(now), thresholds)
        if stale_after is not None:
            sections = (
                each.model_copy(update={"after": stale_after})
                if isinstance(each, StaleNotice)
                else each
                for each in sections
            )
        return Element(cls(), _with_notice(tuple(sections), state) or (Fragment(),))

    def _data_in(self, element: Element[Any], kind: type[Any] | str) -> Any:
        """Return the items, or the value, of a section that is shown, by its class, theirs, or its name, as a state does."""
        nodes: list[Any] = element._all(HudSection)  # noqa: SLF001
        shown: list[Any] = [getattr(each, "component", each) for each in nodes]
        found = [each for each in shown if kind in (type(each), each.value, each.name, each.field)]
        if len(found) > 1:
            lines = " or ".join(f"hud[{type(each).__name__}]" for each in found)
            name = getattr(kind, "__name__", kind)
            raise ChildError(f"{len(found)} sections show {name}; write {lines}", path="Hud")
        if found:
            return getattr(found[0], found[0].prop)
        _check_read(element, section_of(kind))
        if isinstance(kind, type) and issubclass(kind, HudValue):
            return () if issubclass(kind, HudItem) else None
        if isinstance(kind, str) and kind.isidentifier() and shown:
            hint = did_you_mean(kind, [each.name for each in shown])
            raise ChildError(f"it shows no {quoted(kind)}; {hint}", path="Hud")
        return super()._data_in(element, kind)

    @staticmethod
    def reporting(layout: Child, state: StateT) -> tuple[Child, StateT]:
        """Return a layout that reports a state's unreadable data, and the state to bind to it.

        A HUD does so by itself; any other layout gets an :class:`UnreadableNotice` at its end, and the
        user's rules at its beginning.

        >>> from hud_components import HudState, NotesSection, Unreadable
        >>> state = HudState(unreadable=(Unreadable(section="notes", item="n-2", version=2),))
        >>> Hud.reporting(Hud(), state) == (Hud(), state)
        True
        >>> [type(each).__name__ for each in Hud.reporting(NotesSection(), state)[0]]
        ['NotesSection', 'UnreadableNotice']
        """
        children = normalize_children(layout, Fragment())
        if _holds(children, Hud):
            return layout, state
        notice, with_rules = _notice_of(state), _with_rules(children, state)
        if notice is None:
            return (layout if with_rules is children else with_rules), state
        return (*with_rules, notice), with_sections(state, unreadable=())

    def __getitem__(self, children: Child) -> Element[Self]:
        """Attach sections, in order.

        Warns with a :class:`LayoutWarning` if one that changes every turn precedes one that does not.

        :raises ChildError: for a child that is not a node.
        """
        element = super().__getitem__(children)
        warn_if_volatile_first(element.children, attached=True)
        return element

    def render(self, ctx: RenderContext, children: Children) -> Child:
        state = ctx.get(State)
        sections = children or _SECTIONS
        if state is not None and not children:
            sections = (*_shown(state, state.usage, ctx.get(Now), thresholds_in(ctx)),)
        if state is None:
            warn_if_nothing_to_show(sections)
        warn_if_volatile_first(sections, attached=False)
        if children:
            sections = exact_at_the_end(children)
        if state is not None:
            if self.rules:
                sections = _with_rules(sections, state)
            elif not children:
                sections = tuple(each for each in sections if not _is_apart(each))
            sections = _with_notice(sections, state) or (Fragment(),)
        title = self.title
        if title is None and ctx.density is not Density.MINIMAL:
            title = format_text(ctx, "hud.title")
        return Element(Section.model_construct(title=title), sections) if title else sections


def _check_read(element: Element[Any], section: Any) -> None:
    """Refuse to look for the data of a section whose text was not read as one.

    :raises ChildError: with its first line that is not in a form of the section.
    """
    if not (isinstance(section, type) and issubclass(section, HudSection)):
        return
    title = section.texts.get(f"{section.name}.title")
    nodes: list[Any] = element._all(Section)  # noqa: SLF001
    shown_as = (each for each in nodes if getattr(each, "component", each).title == title)
    unread = next(shown_as, None)
    if title is None or unread is None:
        return
    heading, *blocks = mdast.from_markdown(render(unread)).children
    lists = [each for each in blocks if isinstance(each, mdast.List)]
    items = [replace(each, children=(item,)) for each in lists for item in each.children]
    wrong = [
        each for each in items or blocks if not section.parse([heading, each], RenderContext())
    ]
    line = mdast.to_markdown(mdast.Root((*wrong[:1],))).strip()
    why = f": {shown(line, width=200)} is in none of its lines" if line else ""
    raise ChildError(
        f"the section {quoted(title)} was not read as {section.__name__}{why}; hud.find_all(Section) shows it",
        path="Hud",
    )


def state_in(given: object) -> State:
    """Return a state from itself, or its data.

    :raises PropError: for anything else.
    """
    if isinstance(given, Mapping):
        try:
            return HudState.model_validate(dict(cast("Mapping[str, Any]", given)))
        except ValidationError as error:
            first = mistakes_of(error)[0]
            name, said = ".".join(map(str, first["loc"])), complaint(first)
            is_unknown = first["type"] == "extra_forbidden" and len(first["loc"]) == 1
            said = (is_unknown and Hud._hint_for(name)) or said  # noqa: SLF001 - as its own props are
            raise PropError(f"{said} (got {shown(first['input'])})", path=f"Hud.{name}") from None
    if isinstance(given, State):
        return given
    raise PropError(f"a HUD takes a State, such as session.state(), not {shown(given)}")


def _holds(children: Children, kind: type[Component]) -> bool:
    return any(isinstance(one, kind) for child in children for one in components_of(child))


def _notice_of(state: State) -> HudSection | None:
    if not state.unreadable:
        return None
    from hud_components.layout._notices import UnreadableNotice  # few states need it

    return UnreadableNotice.of_state(state)


def _with_rules(sections: Children, state: State) -> Children:
    """Return the sections, preceded by the rules of a state if they lack them."""
    lacking = [
        each
        for each in state.sections
        if _is_apart(each) and not _holds(sections, each) and each.of_state(state) is not None
    ]
    return (*(each() for each in lacking), *sections) if lacking else sections


def _is_apart(section: Any) -> bool:
    return isinstance(section.disclosure, Disclosure) and section.disclosure.is_apart


def _with_notice(sections: Children, state: State) -> Children:
    """The sections, before the first list a line about what the state lacks as it cannot be read.

    It hardly ever changes, and where there is little room it shares a line with the counts of the lists.
    """
    notice = _notice_of(state)
    if notice is None or _holds(sections, type(notice)):
        return sections
    behind = (
        place
        for place, child in enumerate(sections)
        for one in components_of(child)
        if isinstance(one, ItemsSection) or is_moving(one)
    )
    place = next(behind, len(sections))
    return (*sections[:place], notice, *sections[place:])


def _shown(
    state: State, usage: ContextUsage | None, now: int | None, thresholds: Thresholds
) -> Iterator[HudSection]:
    """Return the sections with data in a state, pinned or folded as in it; nothing old opens a HUD.

    An old summary follows all sections that do not change every turn, until it is gone.
    """
    is_set = bool(state.pinned_sections or state.folded_sections)
    old: HudSection | None = None
    for section in state.sections:
        made = made_of(section, state, usage, now, thresholds)
        if made is None:
            continue
        if isinstance(made, CompactedContext) and made.age:
            old = made
            continue
        if old is not None and is_moving(made):
            yield old
            old = None
        yield made.as_set(state) if is_set or made.has_props_of_state else made
    if old is not None:
        yield old


_SECTIONS: Children = tuple(section() for section in CODING.sections)
"""The default sections, without data, which come from the context."""


@cache
def _bound_hud() -> type[Hud]:
    """Return the class of a HUD of a given state; created on first use, as few layouts need it."""

    class BoundHud(Hud):
        """A HUD of a state that it is given, whatever state is bound around it."""

        state: SerializeAsAny[State]
        """The state that its sections show."""

        _named: tuple[type[HudSection], ...] = PrivateAttr(())
        """The sections of what it was given by name."""

        _reading: ContextUsage | None = PrivateAttr(None)
        """The reading that it was given, which chooses its density."""

        @resolving("write Hud(state=state)", rest="state", usage_=READING, usage=OF_USAGE)
        def __init__(
            self,
            state: object,
            usage: object = None,
            title: str | None = None,
            *,
            rules: bool = True,
        ) -> None:
            known, reading = state_in(state), usage_of(usage)
            if reading is not None:
                known = with_sections(known, usage=reading)
            props: dict[str, Any] = {"state": known, "title": title, "rules": rules}
            super().__init__(**props)
            self._reading = reading
            if isinstance(state, Mapping):
                self._named = tuple(
                    each
                    for field, each in CODING.fields.items()
                    if getattr(known, field, None) and not issubclass(each, View)
                )

        def __getitem__(self, children: Child) -> Element[Self]:
            element = super().__getitem__(children)
            sections = (each for each in components_of(element) if isinstance(each, HudSection))
            shown = {type(each) for each in sections if each.prop not in each.model_fields_set}
            for section in self._named if element.children else ():
                if section not in shown:
                    line = f"put {section.__name__}() among its sections"
                    why = f"its sections do not show {section.field}, which it is given"
                    raise ChildError(f"{why}; {line}", path="Hud")
            return element

        def __reduce__(self) -> tuple[Any, ...]:
            return _unfilled, (), self.__getstate__()

        def _usual_density(self, ctx: RenderContext) -> Density | None:
            reading = self._reading
            return None if reading is None else reached(reading, thresholds_in(ctx)).density

        def provide(self, ctx: RenderContext) -> RenderContext:
            return ctx.with_value(self.state)

        def render(self, ctx: RenderContext, children: Children) -> Child:
            return super().render(self.provide(ctx), children)

    BoundHud.__name__ = BoundHud.__qualname__ = Hud.__name__  # nothing else distinguishes them
    return BoundHud


def _unfilled() -> Hud:
    """Return a HUD of a given state before its pickled props are filled in."""
    return object.__new__(_bound_hud())
