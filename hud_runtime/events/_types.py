"""The types of events, as far as type checkers and editors can know them."""

from __future__ import annotations

from typing import TypeAlias

from hud_components import CodingEvent

EventType: TypeAlias = CodingEvent | str
"""The type of an event: what a domain's sections declare, and what every session has."""
