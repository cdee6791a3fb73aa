"""The state of a session, the order of worth, and sections that are pinned or folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar, overload

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
from hud_components.folding import with_values
from hud_components.words._cut import SUMMARY_AGES
from ujsx import DefinitionError, Density, Disclosure, Rung, Worth
from ujsx.components import ReadInParts
from ujsx.errors import listed, shown

if TYPE_CHECKING:
    from hud_components.declaring._section import HudSection

# The order of worth: what a HUD shows first when tokens are short, and why.
#
# A rung of a section's ladder says what the step up to it is worth; steps are taken in this order,
# whatever they cost. What says nothing stands between what is shown in short and what is shown in full.

OBSTACLES = Worth(10, "nothing goes on while it stands")
COUNTED = Worth(6, "how much there is")
FILES_NAMED = Worth(COUNTED.rank, "what is worked on, by name")
FAILURE_NAMED = Worth(COUNTED.rank, "what failed, by name")
CHECKS_NAMED = Worth(7, "what was checked last, by name")
AIM = Worth(8, "what it is all about")
IN_SHORT = Worth(12, "what it says, in short")
STALE = Worth(14, "what follows may mislead")
MISSING = Worth(STALE.rank, "what is missing")
PINNED = Worth(15, "it is pinned")
PINNED_IN_SHORT = Worth(5, "it is pinned: the newest of it, in short")
FOLDED = Worth(COUNTED.rank, "it is folded")
NEXT_UP = Worth(16, "what is to be done next")
LAST_CHECKS = Worth(17, "what was checked last, and what of it failed")
OPEN_ERRORS = Worth(18, "what is wrong now")
NEWEST = Worth(20, "the newest of what holds from now on")
IN_WORK = Worth(21, "what is in work")
NEWEST_FEW = Worth(22, "the newest few of what holds from now on")
A_FEW = Worth(NEWEST_FEW.rank, "a few of its items")
LAST_FINDING = Worth(23, "what the agent last found, offered or asked")
WHERE_IT_STANDS = Worth(24, "where the work stands")
MORE_IN_SHORT = Worth(30, "more of it, in short")
FINDING_RECALLED = Worth(33, "what the agent said before the compaction")
FILES_RECALLED = Worth(35, "what became of the files that were edited")
OBSTACLES_IN_FULL = Worth(40, "all of what stands in the way")
IN_FULL = Worth(41, "what it says, in full")
REASONS_RECALLED = Worth(IN_FULL.rank, "why the agent did what it did")
PLAN_IN_FULL = Worth(42, "the plan in full")
ERRORS_IN_FULL = Worth(43, "what is wrong now, in full")
NEWEST_IN_FULL = Worth(44, "what holds from now on, with its reasons")
IN_WORK_IN_FULL = Worth(60, "all of what is in work")
SHORT = 28
"""Characters of a text that are shown in any case: they say what it is about."""

BRIEF = 80
"""Characters of a text that say most of it."""

LONG = 400
"""Characters of a text that are shown before all other sections are shown in full."""

MOST = 640
"""Characters of a text that are shown below full where nothing else is left to show: more than there is room for."""

DONE_OR_OLD = Worth(70, "what is long, done, committed or old")
REST = Worth(DONE_OR_OLD.rank, "the rest of it")
LAST_FINDING_IN_FULL = Worth(75, "what the agent last said, in full")
ABOUT = Worth(80, "what is about the session itself")
LAST_MESSAGES = Worth(90, "the newest of what was said")


# Sections that the user or the agent pinned open or folded, and the ladders that this gives them.
#
# It is a fact of the session, so it holds over turns and compactions, in every process, until it is taken
# back. A pin raises what a section's rungs are worth, and no density is a ceiling to it; a budget still is.
# What is folded shows its least, whatever there is room for.

StateT = TypeVar("StateT", bound=HudModel)

Standing: TypeAlias = Literal["pinned", "folded", "usual"]
"""Pinned: shown in full, as far as the budget goes. Folded: shown at its least. Usual: neither, whatever
the bound state says."""


def standing_of(section: type[HudSection], state: State) -> Standing | None:
    """Return how a section stands in a state; ``None`` where nobody pinned or folded it.

    >>> from hud_components import HudState, NotesSection
    >>> standing_of(NotesSection, HudState(folded_sections=("notes",)))
    'folded'
    """
    if not section.field:
        return None
    if section.field in state.pinned_sections:
        return "pinned"
    return "folded" if section.field in state.folded_sections and can_fold(section) else None


def can_fold(section: type[HudSection]) -> bool:
    """Tell whether a section can be folded: what has to be seen cannot."""
    return not section.stays_shown


def as_usual(state: StateT) -> StateT:
    """Return a state in which no section is pinned or folded: what it holds, whoever looks.

    >>> from hud_components import HudState
    >>> as_usual(HudState(folded_sections=("notes",))).folded_sections
    ()
    """
    return with_values(state, pinned_sections=(), folded_sections=())


@lru_cache(maxsize=256)
def disclosed_as(section: Any, standing: Standing, narrowed: Disclosure | None) -> Disclosure:
    """Return the disclosure of a section that is pinned or folded.

    :param section: its class.
    :param narrowed: its disclosure where its props narrow it.
    """
    disclosure: Disclosure = section.disclosure if narrowed is None else narrowed
    if standing == "folded":
        return _folded(disclosure, has_count=section.kind is not None and section.is_cut)
    return replace(disclosure, ladder=tuple(_pinned(disclosure.ladder)), is_pinned=True)


FEW = 3
"""Items that a pinned list says in short before all else."""


def _pinned(ladder: Sequence[Rung]) -> Iterator[Rung]:
    """The rungs, worth more; a spare one is for any budget where all above show at least as much.

    A list that is counted at its least has rungs above that which say its newest few items in short.
    """
    least, *others = ladder
    if least.limit == 0 and all(rung.is_spare or rung.density > least.density for rung in others):
        most = ladder[-1].limit
        short = [Rung(least.density, 1, width=SHORT), Rung(Density.COMPACT, FEW, width=SHORT)]
        short = [each for each in short if most is None or _reach(each) <= most]
        yield replace(least, worth=min(least.worth, PINNED_IN_SHORT))
        yield from (replace(each, worth=PINNED_IN_SHORT) for each in short)
        dense = [each for each in others if each.density > least.density]
        ladder = [each for each in dense if not short or _reach(each) >= _reach(short[-1])]
    for place, rung in enumerate(ladder):
        above = [each for each in ladder[place + 1 :] if not each.is_spare]
        is_spare = rung.is_spare and any(_reach(each) < _reach(rung) for each in above[:1])
        yield replace(rung, worth=min(rung.worth, PINNED), is_spare=is_spare)


def _reach(rung: Rung) -> float:
    return float("inf") if rung.limit is None else rung.limit


def _folded(disclosure: Disclosure, *, has_count: bool) -> Disclosure:
    """A ladder that leads no higher than its least: of a list a count, with the call that shows all."""
    rungs = (
        (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 0)) if has_count else disclosure.ladder[:1]
    )
    return replace(
        disclosure,
        ladder=tuple(replace(rung, worth=FOLDED) for rung in rungs),
        floor=disclosure.floor and rungs[0].density,
        whole=disclosure.top,
    )


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
            f"{getattr(section, '__name__', shown(section))} is not a section of this state's domain; it has {listed(names)};"
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
