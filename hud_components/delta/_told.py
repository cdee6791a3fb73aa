"""The record of what a reader was sent: data that can be kept, as JSON too.

It is kept by the state's own names: the lines of a section's items by what names those items, those of
any other part of a HUD by numbers. So an item is followed whether a later rendering shows it or not.
"""

from __future__ import annotations

import msgspec

from hud_components.delta._lines import Line
from ujsx import Density


class Stand(msgspec.Struct, frozen=True):
    """How a part of a HUD was told."""

    density: Density
    """That of the rung it stood on."""

    limit: int | None = None
    """How many items that rung shows."""

    by_item: bool = False
    """Whether its lines are those of items."""

    more: tuple[int, int] | None = None
    """How many items were never told, and how many of those are done; None where nothing says so."""

    width: int | None = None
    """How many characters of an item's text that rung shows, where its density does not say that."""

    detailed: int | None = None
    """How many items that rung shows in detail, where not all."""

    in_changes: bool | msgspec.UnsetType = msgspec.UNSET
    """False where changes do not tell of it: what was told of it stays as it was. Else nothing is kept."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a reader knows, and what it is about."""

    part: str
    """The part of the HUD, by its name and its number among those of that name."""

    key: str
    """What names the item within it."""

    line: Line

    is_told: bool = True
    """Whether a delivery told it as it stands; else the messages of the request show the item, or a line that names several."""

    shown: str | None = None
    """The text of the line as newer messages of the request show the item, or as a line says it that names several; empty
    where the item has ended."""

    after: str = ""
    """The digest of the newest message when it was told, or last seen in the request."""

    @property
    def is_seen(self) -> bool:
        """True if the messages of the request alone show the item."""
        return not self.is_told and self.shown is None

    @property
    def known(self) -> str:
        """The text of the line that the reader knows."""
        return self.line.text if self.shown is None else self.shown


class Told(msgspec.Struct, frozen=True):
    """All that is known to a reader of a HUD."""

    stands: dict[str, Stand]
    """How each part was told, by its name."""

    entries: tuple[Entry, ...]
    """The entries that are known, in the order in which it was told or seen."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that deliveries told, in their order: what :func:`read` makes of the texts."""
        return tuple(each.line for each in self.entries if each.is_told)

    def of(self, part: str) -> dict[str, Line]:
        """Return the lines of a part by what they are about, those too that the request alone shows."""
        return {each.key: each.line for each in self.entries if each.part == part}
