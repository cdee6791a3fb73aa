"""A session's deliveries, calls and requests as figures for metrics; never a text of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from hud_runtime.delivery import Delivery
from hud_runtime.observation import Usage
from hud_runtime.session import HudSession
from ujsx import Rendered, compare


@dataclass(frozen=True, slots=True)
class SectionFigures:
    """A section of a HUD, as it is shown."""

    name: str
    """The name of its component's class."""

    tokens: int
    """Tokens of its text; none where it stands in a line that another section begins, which has them."""

    rung: str
    """The density of its rung, such as "full"; empty where a budget hides it."""

    omitted: int
    """Items that it leaves out."""


@dataclass(frozen=True, slots=True)
class DeliveryFigures:
    """A delivery in numbers, with the words that the delivery itself chooses from."""

    mode: str
    why: str
    """Why all is sent, as :class:`hud_runtime.Delivery` has it; empty where it is not."""

    whole: int
    """Tokens of the parts that are all of the HUD."""

    delta: int
    """Tokens of the parts that say what changed, or what matters most once more."""

    hud: int
    """Tokens of the HUD as it would be shown as a whole."""

    kept: float
    """The share of what was shown last that is a prefix of what is shown now; 1 where nothing is repeated."""

    sections: tuple[SectionFigures, ...]


class Watch(Protocol):
    """What is told of a session's figures. It may do what it likes, and raise: the turn goes on."""

    def delivered(self, figures: DeliveryFigures) -> None:
        """Take in a delivery."""
        ...

    def called(self, *, repairs: int, is_error: bool) -> None:
        """Take in a call of one of the HUD's tools."""
        ...

    def used(self, usage: Usage) -> None:
        """Take in what a request took."""
        ...


class Figures:
    """Makes figures of the deliveries to one reader."""

    def __init__(self) -> None:
        self._before: Rendered | None = None

    def of(self, session: HudSession[Any], delivery: Delivery) -> DeliveryFigures:
        """Return the figures of a delivery.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     made = Figures().of(session, session.deliver())
        >>> made.mode, made.why, [each.name for each in made.sections if each.tokens]
        ('append', 'start', ['NotesSection'])
        """
        shown = session.hud()
        is_appended = delivery.mode == "append"
        kept = 1.0
        if self._before is not None and not is_appended:
            kept = compare(self._before, shown).kept
        self._before = shown
        tokens = {"whole": 0, "delta": 0, "brief": 0}
        for each in delivery.parts:
            tokens[each.kind] += shown.count_tokens(each.text)
        return DeliveryFigures(
            delivery.mode,
            delivery.why or "",
            tokens["whole"],
            tokens["delta"] + tokens["brief"],
            shown.tokens,
            kept,
            tuple(_sections(shown)),
        )


def _sections(shown: Rendered) -> list[SectionFigures]:
    omitted: dict[str, int] = {}
    for each in shown.omitted:
        omitted[each.section] = omitted.get(each.section, 0) + each.count
    return [
        SectionFigures(
            # A key may hold words of the session's.
            each.name.partition("[")[0],
            each.tokens,
            "" if each.rung is None else str(each.rung.density.value),
            omitted.get(each.name, 0),
        )
        for each in shown.sections
    ]
