"""What a call says is validated once on its way into the log, by the model that its schema shows."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import field_validator

from hud_components import Domain, HudItem, ItemsSection, Line
from hud_runtime import HudStore
from tests.ids import looped

looked: list[str] = []


class Ride(HudItem):
    """A ride."""

    where: Line
    """Where it goes."""
    by: Line | None = None
    """What it is by."""

    @field_validator("where")
    @classmethod
    def _look(cls, where: str) -> str:
        looked.append(where)
        return where.title()


class Rides(ItemsSection[Ride]):
    """Rides."""

    name = "rides"
    noun = "ride"
    lines: ClassVar[dict[str, str]] = {"full": "{where}"}


CALLS: dict[str, tuple[dict[str, Any], int]] = {
    "a new item": ({"op": "rides.add", "where": "to ulm"}, 1),
    "its null says nothing": ({"op": "rides.add", "where": "to ulm", "by": None}, 1),
    "no words": ({"op": "rides.remove", "id": "r-2"}, 0),
}
"""Calls, and how often their words are looked at."""


@looped("name", CALLS)
def test_validated_once(name: str) -> None:
    arguments, times = CALLS[name]
    with HudStore.open(":memory:", domain=Domain("taxi", sections=(Rides,))) as store:
        session = store.session("s")
        session.record("rides.add", id="r-2", where="home")
        looked.clear()
        result = session.call("hud", arguments)
        assert not result.is_error, result.text
        assert len(looked) == times
        assert [event.payload for event in store.session("s").events()] == [
            event.payload for event in session.events()
        ]
        assert all(ride.where.istitle() for ride in session.state()[Rides])
