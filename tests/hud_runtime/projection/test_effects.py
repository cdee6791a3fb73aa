"""What other events do to a section: facts, sections with former names, items without an id."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hud_components import Domain, HudItem, ItemsSection, Line, Moment
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import DefinitionError


class Saying(HudItem):
    """Something said."""

    word: Line


class Words(ItemsSection[Saying]):
    """What was said."""

    name = "words"
    noun = "word|words"
    lines = MappingProxyType({"full": "{word}"})


class Spoken(ItemsSection[Saying]):
    """What was said, under the name of today."""

    name = "spoken"
    noun = "word|words"
    lines = MappingProxyType({"full": "{word}"})
    former = ("words",)


def echoed(items: tuple[Any, ...], said: Any, moment: Moment) -> tuple[Any, ...]:
    return (*items, Saying(word=f"{said.word}!"))


def failing(items: tuple[Any, ...], said: Any, moment: Moment) -> tuple[Any, ...]:
    raise RuntimeError("nothing comes of it")


def echo(**on: Any) -> type[ItemsSection[Saying]]:
    """A section that others do something to; two underscores stand for a full stop."""

    effects = {name.replace("__", "."): each for name, each in on.items()}

    class Echo(ItemsSection[Saying]):
        """What came back."""

        name = "echo"
        noun = "echo|echoes"
        lines = MappingProxyType({"full": "{word}"})
        on = MappingProxyType(effects)

    return Echo


@looped("fact", ["session.start", "session.title", "section.clear"])
def test_an_effect_of_a_fact_that_fails_changes_nothing(fact: str) -> None:
    domain = Domain("desk", (Words, echo(**{fact: failing})))
    with HudStore.open(":memory:", domain=domain) as store:
        session = store.session("s")
        session.record("words.add", word="Hello")
        session.record("session.title", title="Greetings")
        session.record("section.clear", section="words")
        state = session.state()
        assert state.session is not None
        assert state.session.title == "Greetings"
        assert state[Words] == ()


def test_items_that_an_effect_makes_have_ids_and_a_replay_comes_to_the_same(tmp_path: Path) -> None:
    """Without one, a removal by text took all of them, and its event could not be read again."""
    heard = echo(words__add=echoed)
    domain = Domain("desk", (Words, heard))
    with HudStore.open(tmp_path / "hud.db", domain=domain) as store:
        session = store.session("s")
        for word in ("one", "two", "three"):
            session.record("words.add", word=word)
        assert session.call("hud", {"op": "echo.remove", "id": "two!"}).text.startswith(
            "Removed e-3"
        )
        state = session.state()
        assert [(one.id, one.word) for one in state[heard]] == [("e-2", "one!"), ("e-4", "three!")]
    with HudStore.open(tmp_path / "hud.db", domain=domain) as store:
        assert store.session("s").state() == state


def test_items_of_one_event_are_told_apart() -> None:
    def split(items: tuple[Any, ...], said: Any, moment: Moment) -> tuple[Any, ...]:
        [*others, last] = items
        halves = last.word.split()
        return (*others, *(last.model_copy(update={"word": half}) for half in halves))

    heard = echo(words__update=split)
    with HudStore.open(":memory:", domain=Domain("desk", (Words, heard))) as store:
        session = store.session("s")
        session.record("echo.add", word="one two three")
        session.record("words.add", word="x")
        session.record("words.update", id="w-3", word="y")
        ids = [(one.id, one.word) for one in session.state()[heard]]
        assert ids == [("e-2", "one"), ("e-4", "two"), ("e-4.1", "three")]


@looped("name", ["words__add", "spoken__add"])
def test_an_effect_of_a_section_with_a_former_name(tmp_path: Path, name: str) -> None:
    """Under either name: what was recorded before the section had another one, and after."""
    path = tmp_path / "hud.db"
    with HudStore.open(path, domain=Domain("desk", (Words,))) as store:
        store.session("s").record("words.add", word="before")
    heard = echo(**{name: echoed})
    with HudStore.open(path, domain=Domain("desk", (Spoken, heard))) as store:
        session = store.session("s")
        session.record("spoken.add", word="after")
        assert [one.word for one in session.state()[Spoken]] == ["before", "after"]
        assert [one.word for one in session.state()[heard]] == ["before!", "after!"]


def test_an_effect_of_both_names_is_refused() -> None:
    heard = echo(words__add=echoed, spoken__add=echoed)
    with pytest.raises(DefinitionError, match=r"are the same event, .* keep one of them"):
        Domain("desk", (Spoken, heard))


def test_an_effect_of_an_event_of_its_own_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"'echo.add' is an event of its own; .* verbs: Verb"):
        Domain("desk", (Words, echo(echo__add=echoed)))
