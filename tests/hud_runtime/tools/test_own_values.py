"""A section of one value, of one's own: what its operations answer, and how the history tells of them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest

from hud_components import Domain, HudValue, Line, ValueSection
from hud_components.folding import Update
from hud_runtime import HudStore
from hud_runtime.projection import described
from hud_runtime.session import HudSession


class Guest(HudValue):
    """Who stays."""

    who: Line
    room: int | None = None


class GuestSection(ValueSection[Guest]):
    """The guest at the desk."""

    name = "guest_at_desk"
    lines = MappingProxyType(
        {"full": ("**{who}** in {room}", "**{who}**"), "compact": "**Guest:** {who}"}
    )
    verbs = (
        "set",
        "update",
        Update("rename", answer="Renamed {id}.", told="{id} goes by {who}{item}"),
    )


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", domain=Domain("hotel", (GuestSection,))) as store:
        session = store.session("s")
        session.record("guest_at_desk.set", who="Ada")
        yield session


def test_an_answer_names_nothing(session: HudSession[Any]) -> None:
    updated = session.call("hud", {"op": "guest_at_desk.update", "room": 7})
    assert updated.text.startswith("Updated.")
    renamed = session.call("hud", {"op": "guest_at_desk.rename", "who": "Bob"})
    assert renamed.text.startswith("Renamed.")


def test_the_history_tells_what_it_says_now_and_said_before(session: HudSession[Any]) -> None:
    session.record("guest_at_desk.update", room=7)
    event = session.record("guest_at_desk.update", room=8)
    history = session.call("hud", {"op": "history"}).text
    assert "guest at desk reads anew: room 8 (was: 7)" in history
    assert described(event, session.domain) == "guest at desk reads anew: room 8"


def test_the_history_tells_of_verbs_of_ones_own(session: HudSession[Any]) -> None:
    event = session.record("guest_at_desk.rename", who="Bob")
    assert described(event, session.domain) == "guest at desk goes by Bob"
