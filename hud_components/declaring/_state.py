"""The state of a session: the facts of every session, and a value for each section of its domain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias, TypeVar, overload

from pydantic import Field, create_model

from hud_components._models import (
    ContextUsage,
    HudModel,
    Look,
    Milliseconds,
    SessionInfo,
    Text,
    Unreadable,
    UsageReading,
)
from hud_components.words._age import SUMMARY_AGES
from ujsx import DefinitionError
from ujsx.components import ReadInParts
from ujsx.errors import listed, shown

if TYPE_CHECKING:
    from hud_components._models import PlainItem
    from hud_components.declaring._items_section import ItemsSection
    from hud_components.declaring._section import HudSection
    from hud_components.declaring._value_section import ValueSection

    ItemT = TypeVar("ItemT", bound=PlainItem)
    ValueT = TypeVar("ValueT", bound=HudModel)


class State(ReadInParts, HudModel):
    """Everything a HUD can show: the fold of a session's events.

    It holds every item, resolved and completed ones too, oldest first; only rendering leaves
    things out. A domain's state has a field for each of its sections, between the session and the
    other facts: ``state[Remedies]`` is its value.
    """

    _as_child: ClassVar[str] = "write Hud.of(state), from hud_components import Hud"

    sections: ClassVar[tuple[type[HudSection], ...]] = ()
    """The sections of the domain, in the order in which its HUD shows them."""

    lists: ClassVar[tuple[str, ...]] = ()
    """The fields that hold items."""

    if TYPE_CHECKING:
        session: SessionInfo | None = None
        usage: ContextUsage | None = None
        readings: tuple[UsageReading, ...] = ()
        compacted_context: Text | None = None
        compacted_in: int | None = None
        summary_age: int = 0
        unconfirmed: tuple[str, ...] = ()
        layout: Text | None = None
        look: Look | None = None
        pinned_sections: tuple[Text, ...] = ()
        folded_sections: tuple[Text, ...] = ()
        unreadable: tuple[Unreadable, ...] = ()
        updated_at: Milliseconds = 0

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of the one section that another name means, as data may have it: ``state.steps``."""
            if not name.startswith("_"):
                from hud_components.declaring._spellings import sections_named  # few names need it

                found = sections_named(name, {own.field: own for own in self.sections if own.field})
                if len(found) == 1 and found[0] in vars(self):
                    return getattr(self, found[0])
            return super().__getattr__(name)

    @overload
    def __getitem__(self, section: type[ItemsSection[ItemT]]) -> tuple[ItemT, ...]: ...

    @overload
    def __getitem__(self, section: type[ValueSection[ValueT]]) -> ValueT | None: ...

    def __getitem__(self, section: type[HudSection]) -> Any:
        """Return the value of a section: its items, or its value or None.

        :raises DefinitionError: for a section that is not in the domain.
        """
        name: object = section
        if isinstance(name, str):
            by_name = {each: own for own in self.sections for each in (own.name, own.field)}
            section = by_name.get(name, section)
        for own in self.sections:
            if own is section and own.field:
                return getattr(self, own.field)
            if own is section:
                raise DefinitionError(
                    f"{own.__name__} has no value in a state: it shows what others have; ask for those,"
                    f" or make the section itself: {own.__name__}.of_state(state)"
                )
        names = [own.__name__ for own in self.sections if own.field]
        raise DefinitionError(
            f"{getattr(section, '__name__', shown(section))} is no section of this state's domain; it has {listed(names)};"
            " a store, or a command's --domain, is given the domain that has it"
        )


_MaybeText: TypeAlias = Text | None
_MaybeTurn: TypeAlias = int | None


def is_none(value: object) -> bool:
    """Tell whether a fact is left out of stored states: most sessions never set a layout."""
    return value is None


def is_new(age: int) -> bool:
    """Tell whether an age is left out of stored states: most summaries are not old."""
    return not age


def is_empty(value: tuple[object, ...]) -> bool:
    """Tell whether a fact is left out of stored states: most sessions never pin a section."""
    return not value


def recalls(state: State) -> bool:
    """Tell whether a HUD repeats what the conversation said before its last compaction: while there is a summary."""
    return state.compacted_in is not None and state.summary_age < len(SUMMARY_AGES)


BEFORE: dict[str, Any] = {
    "session": (
        SessionInfo | None,
        Field(default=None, description="The session; None for a state of no session."),
    )
}
"""The facts that stand first in a state, as ``create_model`` takes fields."""

BEHIND: dict[str, Any] = {
    "usage": (
        ContextUsage | None,
        Field(default=None, description="How full the context is; None before the first reading."),
    ),
    "readings": (
        tuple[UsageReading, ...],
        Field(
            default=(),
            description="The last readings of the context window, oldest first; the trend is read "
            "off them.",
        ),
    ),
    "compacted_context": (
        _MaybeText,
        Field(default=None, description="The summary of the last compaction."),
    ),
    "compacted_in": (
        _MaybeTurn,
        Field(default=None, exclude_if=is_none, description="The turn of the last compaction."),
    ),
    "summary_age": (
        int,
        Field(default=0, exclude_if=is_new, description="How old its summary is, in steps."),
    ),
    "unconfirmed": (
        tuple[Text, ...],
        Field(
            default=(),
            exclude_if=is_empty,
            description="The plans that nothing has touched since a compaction, by the state's fields.",
        ),
    ),
    "layout": (
        _MaybeText,
        Field(default=None, exclude_if=is_none, description="The layout that the agent has set."),
    ),
    "look": (
        Look | None,
        Field(
            default=None,
            exclude_if=is_none,
            description="The layout and the words that a person gave the HUD.",
        ),
    ),
    "pinned_sections": (
        tuple[Text, ...],
        Field(
            default=(),
            exclude_if=is_empty,
            description="The sections that are pinned open, by the state's fields.",
        ),
    ),
    "folded_sections": (
        tuple[Text, ...],
        Field(
            default=(),
            exclude_if=is_empty,
            description="The sections that are folded, by the state's fields.",
        ),
    ),
    "unreadable": (
        tuple[Unreadable, ...],
        Field(
            default=(),
            exclude_if=is_empty,
            description="Stored data that the domain cannot read, and the state lacks.",
        ),
    ),
    "updated_at": (
        Annotated[int, Field(ge=0)],
        Field(
            default=0,
            description="When its author last changed it: what hosts report, such as files and "
            "readings, is not\ncounted. 0 when that is not known.",
        ),
    ),
}
"""The facts that stand last."""

FACTS = (*BEFORE, *BEHIND)
"""The names of all facts, which no section can have."""


def state_model(
    name: str, sections: Iterable[type[HudSection]], base: type[State] | None = None
) -> type[State]:
    """Return the model of the states of a domain with these sections.

    :param base: the states of a domain that has all others of its sections.
    """
    fields: dict[str, Any] = {}
    for section in sections:
        value: Any = section.value
        if section.kind is None:
            fields[section.field] = (value | None, None)
        elif section.field:
            fields[section.field] = (tuple[value, ...], ())
    doc = "Everything its HUD can show: the fold of a session's events."
    if base is not None:
        return create_model(name, __base__=base, __doc__=doc, **fields)
    return create_model(name, __base__=State, __doc__=doc, **BEFORE, **fields, **BEHIND)


NOTHING = state_model("NoState", ())()
"""The state where none is bound."""
