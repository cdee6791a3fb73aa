"""Texts that are found again in a page without ids."""

# ruff: noqa: RUF012  (declarations as an author writes them)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hud_components import Domain, Hud, HudItem, ItemsSection, Line, NotesSection
from hud_runtime import EventDraft, HudStore
from hud_runtime.editing import Changes, EditError, changes
from hud_runtime.session import HudSession
from tests.hud_runtime.editing.support import SUPPORT
from tests.hud_runtime.editing.test_laws import TEXTS as WORDS
from tests.hud_runtime.editing.test_without_ids import notes, told
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import Element, render

Rows: TypeAlias = list[tuple[str, str]]

TEXTS = st.lists(st.text(alphabet="ab ", min_size=1, max_size=6).filter(str.strip), max_size=6)


def hud(texts: Sequence[str]) -> Element[Hud]:
    return Hud()[NotesSection(notes=notes(*texts).notes, limit=60)]


def rewritten(old: Sequence[str], new: Sequence[str]) -> Changes:
    """Put a page with the new texts in the place of one with the old ones."""
    return changes(hud(old), render(hud(new)))


class TestMatch:
    @given(TEXTS)
    def test_all_texts_are_found_in_themselves(self, texts: list[str]) -> None:
        assert told(rewritten(texts, texts)) == []

    @given(TEXTS, TEXTS)
    def test_no_text_is_two(self, old: list[str], new: list[str]) -> None:
        found = told(rewritten(old, new))
        named = [one for each in found for one in re.findall(r"^notes\.\w+ id='(n-\d+)'", each)]
        assert len(set(named)) == len(named)

    def test_another_list_is_not_compared_text_by_text(self) -> None:
        old, new = [f"Port {n}" for n in range(60)], [f"Gate {n}" for n in range(60)]
        found = rewritten(old, new)
        assert (found.operations, len(found.problems)) == ((), 60)

    def test_a_clear_pair_makes_another_one_clear(self) -> None:
        old = ["the worker is on port 8080", "the server is on port 9090"]
        new = ["the worker is on port 8081", "the server is at port 909"]
        assert told(rewritten(old, new)) == [
            f"notes.update id='n-{number}' content='{text}'" for number, text in enumerate(new, 2)
        ]


class Order(HudItem):
    """What a customer wants."""

    number: Line
    """Its number."""
    status: str = "open"
    """Where it is."""


class Orders(ItemsSection[Order]):
    """The orders, as they came."""

    name = "orders"
    lines = {"full": "**{number}** is *{status}*"}
    verbs = ("add", "update", "remove")


class Parcels(ItemsSection[Order]):
    """The parcels, in the order of sending."""

    name = "parcels"
    noun = "parcel"
    lines = {"full": "**{number}** is *{status}*"}
    verbs = ("add", "update", "remove", "reorder")


class Labels(ItemsSection[Order]):
    """The labels, which are never changed."""

    name = "labels"
    noun = "label"
    lines = {"full": "**{number}** is *{status}*"}
    verbs = ("add", "remove")


SHOP = Domain("shop", sections=(Orders, Parcels, Labels))
NAMES = ("orders", "parcels", "labels")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(("A-17", "A-18", "*B*")),
        st.sampled_from(("lost", "found", "on its way to the customer")) | WORDS,
    ),
    max_size=3,
)
LISTS = st.fixed_dictionaries(dict.fromkeys(NAMES, ROWS))


def shop(lists: Mapping[str, Rows]) -> HudSession[Any]:
    session = HudStore(ListEventStore(), domain=SHOP).session("s")
    drafts = [
        EventDraft(f"{name}.add", {"number": number, "status": status}, actor="agent")
        for name, rows in lists.items()
        for number, status in rows
    ]
    session.record_all(drafts, refused=lambda draft, error: None)
    return session


def ids_of(session: HudSession[Any], name: str) -> dict[str, str]:
    """The ids of items by their number, of those whose number no other one has."""
    items = getattr(session.state(), name)
    counts = Counter(each.number for each in items)
    return {each.number: each.id for each in items if counts[each.number] == 1}


class TestNumbers:
    """Items whose lines have no ids are told apart by their own text, however much of the rest changes."""

    @given(LISTS, LISTS)
    def test_a_number_that_is_there_once_keeps_its_item(
        self, old: Mapping[str, Rows], new: Mapping[str, Rows]
    ) -> None:
        session, wanted = shop(old), shop(new)
        before = {name: ids_of(session, name) for name in NAMES}
        text = wanted.hud().text
        try:
            session.edit(text, actor="agent")
        except EditError:
            event("problems")
            return
        assert sorted(session.hud().text.splitlines()) == sorted(text.splitlines())
        for name in ("orders", "parcels"):
            now, there = ids_of(session, name), ids_of(wanted, name)
            kept = before[name].keys() & there.keys()
            assert {number: now[number] for number in kept} == {
                number: before[name][number] for number in kept
            }
        event("recorded")

    def test_what_is_recorded_is_what_a_text_with_ids_records(self) -> None:
        lists = {name: [("A-17", "lost"), ("A-18", "lost")] for name in NAMES[:2]}
        for text_of in (lambda session: session.hud().text, lambda session: session.document()):
            session = shop(lists)
            events = session.edit(text_of(session).replace("lost", "on its way"))
            assert [(each.type, each.payload.id, each.actor) for each in events] == [
                ("orders.update", "o-2", "user"),
                ("orders.update", "o-3", "user"),
                ("parcels.update", "p-4", "user"),
                ("parcels.update", "p-5", "user"),
            ]

    def test_an_item_that_nothing_changes_is_another_one(self) -> None:
        session = shop({"labels": [("A-17", "lost"), ("A-18", "lost")]})
        text = session.hud().text.replace("lost", "on its way to Ada", 1)
        assert [each.type for each in session.edit(text)] == ["labels.remove", "labels.add"]

    def test_an_unclear_line_of_the_shown_hud_removes_nothing(self) -> None:
        session = shop({"orders": [("A-17", "lost"), ("A-17", "last")]})
        text = (
            session.hud().text.replace("is *lost*", "is *lest*").replace("is *last*", "is *list*")
        )
        with pytest.raises(EditError, match="this could be any of 'A-17 — lost', 'A-17 — last'"):
            session.edit(text)

    def test_an_id_in_a_text_is_text(self) -> None:
        session = shop({"orders": [("A-17", "lost")]})
        text = session.hud().text.replace("*lost*", "*with `o-2`*")
        assert [str(each.payload) for each in session.edit(text)] == [
            "id='o-2' number=None status='with `o-2`'"
        ]

    def test_a_field_that_only_verbs_set_makes_it_another_one(self) -> None:
        session = HudStore(ListEventStore(), domain=SUPPORT).session("s")
        session.record("remedies.add", what="A", outcome="worked")
        text = session.hud(density="full").text.replace("worked +0", "unclear +7")
        with pytest.raises(EditError, match="votes: only operations set it; leave it out"):
            session.edit(text)
