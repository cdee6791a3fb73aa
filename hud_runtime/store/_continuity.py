"""What every store checks of events before it takes them."""

from __future__ import annotations

from collections.abc import Sequence

from hud_runtime._errors import StoreError
from hud_runtime.events import Event


def check_continuity(session_id: str, expected_version: int, events: Sequence[Event]) -> None:
    """Raise :class:`StoreError` unless the events go on after that version, without a gap.

    >>> check_continuity("s", 3, [])
    """
    for version, event in enumerate(events, start=expected_version + 1):
        if event.session_id != session_id:
            raise StoreError(f'the event is of session "{event.session_id}", not "{session_id}"')
        if event.version != version:
            raise StoreError(
                f'session "{session_id}" has no gaps: an event with version {event.version}'
                f" stands where {version} belongs"
            )
