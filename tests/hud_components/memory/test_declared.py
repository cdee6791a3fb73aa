"""What declarations can say since memory needed it: texts with room, lines that stay, texts said once."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field

from hud_components import (
    Domain,
    HudItem,
    HudState,
    HudValue,
    ItemsSection,
    Line,
    ValueSection,
    Verb,
    parse,
)
from hud_components.folding import Append
from hud_components.memory import (
    CODING_MEMORY,
    SLOTS,
    AgentMemory,
    Slot,
    WorkingMemory,
    working_memory,
)
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import DefinitionError, render
from ujsx.tools import Operation


class Wish(HudItem):
    """Something that is wanted."""

    what: Annotated[Line, Field(max_length=10)]
    """What is wanted."""
    size: int = 1


class Wishes(ItemsSection[Wish]):
    """What is wanted."""

    name = "wishes"
    noun = "wish|wishes"
    lines = {"full": "{what} ({size})"}  # noqa: RUF012
    verbs: ClassVar[tuple[str | Verb, ...]] = ("add", "append", "remove")
    says_once = True


class PoemText(HudValue):
    """A few lines."""

    lines: Annotated[Line, Field(max_length=20)]
    """They."""


class Poem(ValueSection[PoemText]):
    """A few lines."""

    name = "poem"
    lines = {"full": "{lines}"}  # noqa: RUF012
    verbs = ("set", "append", "clear")
    keeps_lines = True

    poem: PoemText | None = None
    """The lines; those of the session when None."""


def test_append_of_items_and_values_keeps_to_the_room_of_a_text() -> None:
    with HudStore.open(":memory:", domain=Domain("d", sections=(Wishes, Poem))) as store:
        session = store.session("s")

        def call(op: str, **arguments: object) -> str:
            return session.call("hud", {"op": op, **arguments}).text.rpartition("\n")[0]

        assert call("poem.append", text="a rose") == "Updated."
        assert call("poem.append", text="is a rose") == "Updated."
        assert call("poem.append", text="is a rose") == (
            "the lines has 16 characters, and would have 26; it holds 20 at most: say it in fewer, or"
            " set the whole anew"
        )
        assert "poem says more: text is a rose" in call("history")
        assert call("wishes.add", what="A bike") == "Added w-4."
        assert "would have 11; it holds 10" in call("wishes.append", id="w-4", text="blue")
        assert call("wishes.add", what="A bike", size=3) == "Known already: w-4."
        poem = session.state()[Poem]
        assert poem is not None
        text = render(Poem(poem=poem))
        assert text == "# Poem\n\na rose\nis a rose\n"
        assert parse(text, vocabulary=(Poem,)).children == (
            Poem(poem=PoemText(lines="a rose\nis a rose")),
        )


def test_a_verb_says_more_in_its_answer() -> None:
    def count(before: Any, after: Any) -> str:
        return f"{len(before)} before, {len(after)} now."

    class Counted(Wishes):
        """The same."""

        name = "counted"
        verbs = (Append("append", help="more", answer="Done.", also=count), "add")

    with HudStore.open(":memory:", domain=Domain("d", sections=(Counted,))) as store:
        session = store.session("s")
        session.record("counted.add", what="A")
        said = session.call("hud", {"op": "counted.append", "id": "A", "text": "b"})
        assert said.text.startswith("Done. 1 before, 1 now.")
    broken: Any = "no function"
    kind: Any = type(Wishes)
    with pytest.raises(DefinitionError, match="also is a function of the value before and after"):
        kind(
            "Broken",
            (Wishes,),
            {"__module__": __name__, "name": "broken", "verbs": (Verb("x", broken, also=broken),)},
        )


def test_what_hosts_hear_does_not_make_a_hud_fresh() -> None:
    with HudStore.open(":memory:", domain=CODING_MEMORY, clock=lambda: 5_000) as store:
        session = store.session("s")
        before = session.state().updated_at
        session.record("working_memory.notice", found=[{"content": "a"}], actor="tool")
        assert session.state().updated_at == before
        session.record("working_memory.add", content="b")
        assert session.state().updated_at == 5_000


def test_a_domain_with_more_sections_is_still_one_of_its_kind() -> None:
    more = CODING_MEMORY.with_sections(Wishes)
    assert more.name == "coding-memory-wishes"
    assert issubclass(more.state, HudState)
    assert {*CODING_MEMORY.fields} < {*more.fields}


@looped(
    ("slots", "says"),
    [
        ((Slot("pool", 1, "Pool", ""),), "'pool' is not a valid name for a slot"),
        ((Slot("A b", 1, "A", ""),), "'A b' is not a valid name for a slot"),
        ((Slot("a", 0, "A", ""),), "a holds 0 things"),
        ((Slot("a", 1, " ", ""),), "' ' is not a label"),
        ((Slot("a", 1, "*A*", ""),), "is not a label"),
        ((*SLOTS, SLOTS[0]), "two have the same name"),
        ((Slot("a", 1, "A", ""), Slot("b", 1, "A", "")), "two have the same label"),
    ],
)
def test_slots_that_cannot_be_are_refused(slots: tuple[Slot, ...], says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        working_memory(*slots)


def test_a_section_whose_items_name_other_slots_is_refused() -> None:
    made: Any = type(WorkingMemory)
    body: dict[str, Any] = {"__module__": __name__, "name": "m", "slots": SLOTS[:2]}
    with pytest.raises(DefinitionError, match="make them the same, or take working_memory"):
        made("Mine", (AgentMemory,), body)
    with pytest.raises(DefinitionError, match="above 0 and below 1"):
        made("Mine", (AgentMemory,), {**body, "slots": SLOTS, "decay": 1.0})


def test_an_operation_may_take_the_context_of_its_call() -> None:
    def handler(context: object, arguments: object) -> str:
        return f"{context}: {type(arguments).__name__}"

    asked = Operation("ask", PoemText, handler, takes_context=True)
    assert asked.answer(PoemText(lines="a"), "Kim") == "Kim: PoemText"
    with pytest.raises(
        DefinitionError, match="called with the call's context and the arguments' model"
    ):
        Operation("ask", PoemText, lambda _one: "", takes_context=True)
