"""The sections of the coding HUD, one module each, and the sources of their values."""

from __future__ import annotations

import operator
from typing import Annotated, ClassVar, get_args

from pydantic import Field

from hud_components._models import KEPT, Actor, HudValue, Kept


class CodingValue(HudValue):
    """A value of the coding HUD. States were stored before it knew who said it: a dump tells that of
    what others said alone. What the agent said has no turn and no event; the log tells them.

    >>> CodingValue().model_dump(), CodingValue(said_by="tool", said_in=4, said_at=9).model_dump()
    ({}, {'said_by': 'tool', 'said_in': 4, 'said_at': 9})
    """

    tells_own: ClassVar[bool] = False

    said_by: Kept[Actor] = Field(default="agent", exclude_if=lambda by: by == "agent")
    """Who said it; of several the one whose words count least."""

    said_in: Annotated[int, Field(ge=0, exclude_if=operator.not_), KEPT] = 0
    """The agent's turn in which another than the agent last said its words; 0 otherwise."""

    said_at: Annotated[int, Field(ge=0, exclude_if=operator.not_), KEPT] = 0
    """The version of the event in which another than the agent said them; 0 otherwise."""


class ReportedValue(CodingValue):
    """A value of the coding HUD that is seen or reported: nobody wonders who said it."""

    expected_from: ClassVar[tuple[Actor, ...]] = get_args(Actor)
