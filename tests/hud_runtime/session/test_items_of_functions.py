"""What a verb's function gives back is a tuple of its section's items, or it is not recorded."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from hud_components import Domain, HudItem, ItemsSection, Line, Moment, Verb
from hud_components.declaring import HudModel, PlainItem
from hud_runtime import EventError, HudStore
from tests.ids import looped


class Risk(HudItem):
    """Something that may go wrong."""

    what: Line


class Word(HudModel):
    """What is said."""

    word: Line


class Named(PlainItem):
    """An item of another section."""

    what: Line


class Graver(Risk):
    """An item that says more."""


def weighed(items: tuple[Any, ...], said: Word, moment: Moment) -> tuple[Any, ...]:
    made: Any = {
        "text": said.word,
        "model": Named(id="x-1", what=said.word),
        "item": Risk(id="r-1", what=said.word),
        "graver": Graver(id="r-1", what=said.word),
    }[said.word]
    return (*items, made)


class Risks(ItemsSection[Risk]):
    """What may go wrong."""

    name = "risks"
    lines = MappingProxyType({"full": "{what}"})
    verbs = ("add", Verb("weigh", weighed))


DESK = Domain("desk", (Risks,))


@looped("word", ["text", "model"])
def test_what_is_no_item_is_refused_and_nothing_is_recorded(word: str) -> None:
    with HudStore.open(":memory:", domain=DESK) as store:
        session = store.session("s")
        session.record("risks.add", what="Rain")
        with pytest.raises(EventError, match="as an item; return items of the class Risk"):
            session.record("risks.weigh", word=word)
        assert session.version == 2
        assert "Rain" in session.call("hud", {"op": "risks.list"}).text


@looped("word", ["item", "graver"])
def test_an_item_or_one_that_says_more_is_taken(word: str) -> None:
    with HudStore.open(":memory:", domain=DESK) as store:
        session = store.session("s")
        session.record("risks.weigh", word=word)
        [risk] = session.state()[Risks]
        assert risk.what == word
