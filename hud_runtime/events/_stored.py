"""The stored form of an event that its domain cannot read, or not any more: JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic import model_serializer

from hud_components.folding import Payload


class Stored(Payload):
    """Kept as it is, and counted when a state is folded; `ujsx doctor` names it.

    >>> Stored(text='{"what": "Restart"}').model_dump()
    {'what': 'Restart'}
    """

    text: str
    """The payload's JSON."""

    reason: str = ""
    """Why it cannot be read."""

    def data(self) -> Any:
        """Return the payload as data; None for one that is nested too deeply for Python to read."""
        try:
            return json.loads(self.text)
        except RecursionError:
            return None

    @model_serializer(mode="plain")
    def _as_it_is(self) -> Any:
        return json.loads(self.text)
