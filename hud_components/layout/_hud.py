"""The HUD: its sections under one title."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from hud_components._coding import CODING, HudState
from hud_components._levels import THRESHOLDS, Thresholds, thresholds_in
from hud_components._models import ContextUsage, milliseconds_of, usage_of
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import HudSection
from hud_components.declaring._spellings import sections_named
from hud_components.declaring._state import State
from hud_components.declaring._view import made_of
from hud_components.folding import with_sections
from hud_components.layout._order import (
    components_of,
    exact_at_the_end,
    is_moving,
    warn_if_nothing_to_show,
    warn_if_volatile_first,
)
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._stale_notice import StaleNotice
from hud_components.words._age import Now
from hud_components.words._texts import format_text
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    Density,
    Disclosure,
    Element,
    PropError,
    RenderContext,
)
from ujsx.calls import BUDGET, READING, resolving
from ujsx.components import Fragment, normalize_children
from ujsx.elements import Section
from ujsx.errors import shown

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

    _instead: ClassVar[Mapping[str, str]] = {"Hud.of(state)": "fromstate build create make"}

    title: str | None = None
    """The heading; the usual one when None, which minimal density leaves out; none when empty."""

    rules: bool = True
    """Whether the user's rules stand first, in a layout that does not place them itself, too."""

    if not TYPE_CHECKING:

        def __new__(cls, /, *values: Any, **props: Any) -> Self:
            """Return a HUD of a state of its own where one is given: ``Hud(state=state)[TaskSection()]``."""
            is_given = "state" in props or isinstance(next(iter(values), None), State)
            if cls is not Hud or not is_given:
                return super().__new__(cls)
            from hud_components.layout._bound_hud import BoundHud  # few layouts need it

            return super().__new__(BoundHud)

    @classmethod
    def _hint_for(cls, name: str) -> str | None:
        if name in {"usage", *OF_USAGE.split(), *READING.split(), "ContextUsage"}:
            return "write Hud(state=state, usage=ContextUsage(percentage=67))"
        if name in {"density", *BUDGET.split(), "budget"}:
            of = '"compact"' if name == "density" else "300"
            return f"write render(Hud()[…], {'budget' if name != 'density' else name}={of})"
        found = sections_named(name, CODING.fields)
        return f'write Hud(state={{"{found[0]}": …}})' if len(found) == 1 else None

    @classmethod
    @resolving(
        write='write render(Hud.of(state, ContextUsage(percentage=67)), "compact", budget=300)',
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
        """Return the default layout of a state: what changes every turn stands last.

        What the state does not have is not in the layout, so that nothing of another state, bound
        to the context, takes its place. Asked again for the same state it gives equal nodes.

        :param usage: the use of the context; the state's last reading when ``None``.
        :param now: what time it is, in milliseconds since the Unix epoch. Without it nothing
            tells an age.
        :param stale_after: from how many minutes on a state that nobody touched counts as stale.
        :param thresholds: from where on each level holds. Bind them to the context of the rendering, too:
            ``context=RenderContext().with_value(thresholds)``.
        :raises PropError: for what is no state.
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
        return Element(cls(), _with_notice(tuple(sections), state) or (_Nothing(),))

    @staticmethod
    def reporting(layout: Child, state: StateT) -> tuple[Child, StateT]:
        """Return a layout that reports what cannot be read of a state, and the state to bind to it.

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
        """Attach sections, in their order.

        Says so, as a :class:`LayoutWarning`, when one that changes every turn stands before one
        that does not.

        :raises ChildError: for a child that is no node.
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
            sections = _with_notice(sections, state) or (_Nothing(),)
        title = self.title
        if title is None and ctx.density is not Density.MINIMAL:
            title = format_text(ctx, "hud.title")
        return Element(Section.model_construct(title=title), sections) if title else sections


def state_in(given: object) -> State:
    """Return the state that somebody gave: itself, or its data.

    :raises PropError: for anything else.
    """
    if isinstance(given, Mapping):
        return HudState.model_validate(dict(cast("Mapping[str, Any]", given)))
    if isinstance(given, State):
        return given
    raise PropError(f"a HUD takes a State, such as session.state(), not {shown(given)}")


class _Nothing(Component):
    """What a HUD holds that has nothing to show: without children it would show the bound state."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return None


def _holds(children: Children, kind: type[Component]) -> bool:
    return any(isinstance(one, kind) for child in children for one in components_of(child))


def _notice_of(state: State) -> HudSection | None:
    if not state.unreadable:
        return None
    from hud_components.sections._unreadable_notice import UnreadableNotice  # few states need it

    return UnreadableNotice.of_state(state)


def _with_rules(sections: Children, state: State) -> Children:
    """The sections, before them the rules of a state, where they do not have them."""
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
    """The sections that have something of a state, as it says that they stand: nothing old opens a HUD.

    An old summary stands behind all that does not change every turn, until it is gone.
    """
    is_set = bool(state.pinned_sections or state.folded_sections)
    is_set = is_set or state.compacted_in is not None  # all else follows from a compaction
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
        yield made.as_set(state) if is_set else made
    if old is not None:
        yield old


_SECTIONS: Children = tuple(section() for section in CODING.sections)
"""The default sections, without data: they take it from the context."""
