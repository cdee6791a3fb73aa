"""Sections that only show: what other sections and the facts of the session come to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, ClassVar, Self, TypeVar

from hud_components._levels import THRESHOLDS, Thresholds, thresholds_in
from hud_components._models import ContextUsage, Milliseconds
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import FACTS, State
from hud_components.words._age import Now
from ujsx import Child, Children, Component, DefinitionError, RenderContext
from ujsx.components import fields_of
from ujsx.errors import did_you_mean, shown


class View(HudSection):
    r"""A section without a value and without verbs: it is made of what others have.

    It says what that is, in ``reads``, and finds it in :meth:`read` when it renders; nothing else of
    the state is there, so that it is made anew only when that changes.

    One that has props of its own takes them from a state in :meth:`of_state`. Where it stands in a
    layout without them, they are taken so from the bound state, with its use of the context and the
    context's ``Now``; where some are given, only others that are None. It shows nothing where
    :meth:`of_state` gives None.

    >>> from hud_components import HudState, NotesSection
    >>> from ujsx import render
    >>> class NoteCount(View):
    ...     reads = (NotesSection,)
    ...     def render(self, ctx, children):
    ...         return f"{len(self.read(ctx)[NotesSection])} notes"
    >>> render(NoteCount.of_state(HudState()))
    '0 notes\n'
    """

    reads: ClassVar[tuple[type[HudSection] | str, ...]] = ()
    """The sections, and the facts by name ("session", "usage" …), that it is made of; "now", where
    it tells the time."""

    state: State | None = None
    """The part of a state that it is made of; that of the bound state when None."""

    now: Milliseconds | None = None
    """What time it is, where it reads that; the context's ``Now`` when None."""

    def read(self, ctx: RenderContext) -> Any:
        """Return the state that it reads: ``self.read(ctx)[Ticket]`` is a section's value."""
        return bound(ctx) if self.state is None else self.state

    def time(self, ctx: RenderContext) -> int | None:
        """Return what time it is, in milliseconds since the Unix epoch, where that is known."""
        return ctx.get(Now) if self.now is None else self.now

    def filled(self, ctx: RenderContext) -> Self | None:
        """Return the view with what it lacks taken from the bound state; None for nothing to show.

        :raises DefinitionError: for an ``of_state`` that gives what is no view.
        """
        state, given = ctx.get(State), self.model_fields_set
        own = fields_of(type(self)).keys() - fields_of(View).keys()
        known = given & own
        if state is None or "state" in given or not _takes(type(self)) or (own and own <= given):
            return self
        made = made_of(type(self), state, state.usage, self.time(ctx), thresholds_in(ctx))
        if made is None:
            return self if known else None
        lacking = {name for name in own - known if getattr(self, name) is None} if known else own
        kept = {name: getattr(self, name) for name in (given | own) - lacking}
        return made.model_copy(update=kept) if kept else made

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.verbs or cls.on:
            raise DefinitionError(
                f"{cls.__name__}: a view has no value that something could happen to; make it an "
                "ItemsSection or a ValueSection, or leave verbs out"
            )
        _check_reads(cls)
        if cls.render is Component.render:
            raise DefinitionError(
                f"{cls.__name__} does not say what it shows; define render(self, ctx, children)"
            )
        if "of_state" in vars(cls):
            _check_of_state(cls)
        if "render" in vars(cls):
            own: Any = cls
            own.render = _filling(cls.render)

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        names = [each if isinstance(each, str) else each.field for each in cls.reads]
        known: dict[str, Any] = {
            name: usage if name == "usage" else getattr(state, name)
            for name in names
            if name in type(state).model_fields
        }
        read = type(state).model_construct(None, **known) if known else None
        return cls.model_construct(state=read, now=now if NOW in names else None)


NOW = "now"
"""What a view reads that tells the time."""


SectionT = TypeVar("SectionT", bound=HudSection)


def made_of(
    section: type[SectionT],
    state: State,
    usage: ContextUsage | None,
    now: int | None,
    thresholds: Thresholds = THRESHOLDS,
) -> SectionT | None:
    """Return a section with what a state has for it, or None where that is nothing.

    A view that is made so has all its props: nothing of another state takes the place of one.

    :param thresholds: given to an ``of_state`` that has an argument of that name.
    :raises DefinitionError: for an ``of_state`` that gives what is no such section.
    """
    if thresholds is not THRESHOLDS and _goes_by_levels(section):
        of_state: Any = section.of_state
        made: SectionT | None = of_state(state, usage, now, thresholds=thresholds)
    else:
        made = section.of_state(state, usage, now)
    if made is None:
        return None
    given: object = made
    if not isinstance(given, section):
        raise DefinitionError(
            f"{section.__name__}.of_state gives {shown(given)}; return cls(…) with its props, or None "
            "for nothing to show, and write the text in render(self, ctx, children)"
        )
    if isinstance(made, View) and _takes(type(made)):
        made.model_fields_set.update(fields_of(type(made)))
    return made


@lru_cache(maxsize=256)
def _goes_by_levels(section: type[HudSection]) -> bool:
    """Tell whether what a section makes of a state depends on the thresholds."""
    return "thresholds" in signature(section.of_state).parameters


def _takes(view: type[View]) -> bool:
    """Tell whether a view has an ``of_state`` of its own."""
    own: Any = view.of_state
    usual: Any = View.of_state
    return own.__func__ is not usual.__func__


def _filling(
    render: Callable[[Any, RenderContext, Children], Child],
) -> Callable[[Any, RenderContext, Children], Child]:
    @wraps(render)
    def filling(self: View, ctx: RenderContext, children: Children) -> Child:
        filled = self.filled(ctx)
        return None if filled is None else render(filled, ctx, children)

    return filling


def _holds_a_value(read: Any) -> bool:
    return isinstance(read, type) and issubclass(read, HudSection) and bool(read.field)


def _check_reads(view: type[View]) -> None:
    given: Any = view.reads
    if not isinstance(given, tuple | list):
        name = given.__name__ if isinstance(given, type) else shown(given)
        raise DefinitionError(f"{view.__name__}.reads is no tuple; write reads = ({name},)")
    several: tuple[Any, ...] = tuple(view.reads)
    for read in several:
        if isinstance(read, str):
            if read not in (*FACTS, NOW):
                raise DefinitionError(
                    f"{view.__name__}.reads: there is no fact {shown(read)};"
                    f" {did_you_mean(read, (*FACTS, NOW))}"
                )
        elif not _holds_a_value(read):
            raise DefinitionError(
                f"{view.__name__}.reads: {shown(read)} is no section with a value; name an"
                ' ItemsSection or a ValueSection, or a fact, such as "usage"'
            )


def _check_of_state(view: type[View]) -> None:
    is_method = isinstance(vars(view)["of_state"], classmethod)
    try:
        for arguments in ((None,), (None, None, None)):
            signature(view.of_state).bind(*arguments)
    except TypeError:
        is_method = False
    if not is_method:
        raise DefinitionError(
            f"{view.__name__}.of_state takes other arguments; write @classmethod, and"
            " def of_state(cls, state, usage=None, now=None)"
        )
