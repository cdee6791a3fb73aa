"""Observations as JSON, for hosts that are not written in Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from hud_runtime._errors import ObservationError
from hud_runtime.integrations._lifecycle import HostObservation
from hud_runtime.observation import OfChild
from ujsx.errors import did_you_mean, shown

KINDS: Mapping[str, type[HostObservation]] = {
    re.sub(r"(?<=.)(?=[A-Z])", "_", each.__name__).lower(): each
    for each in get_args(HostObservation)
    if each is not OfChild
}
"""What a host can tell, by the name that it has in JSON."""


def observation_from(data: object) -> HostObservation:
    """Return the observation that JSON data tells: its ``kind``, and its fields.

    :raises ObservationError: for an unknown kind, or fields that do not fit.

    >>> observation_from({"kind": "user_message", "text": "Add a login."}).text
    'Add a login.'
    """
    given: dict[str, Any] = dict(data) if isinstance(data, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType]
    kind = given.pop("kind", None)
    if kind not in KINDS:
        raise ObservationError(
            f"{shown(kind)} is no kind of observation; {did_you_mean(str(kind), KINDS)}"
        )
    try:
        return msgspec.convert(given, KINDS[kind])
    except msgspec.ValidationError as error:
        raise ObservationError(f"{kind}: {error}") from error
