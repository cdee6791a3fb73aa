"""Declarations change; the logs that were written before are read all the same."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import create_model

from hud_components import (
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Line,
    NotesSection,
    Text,
    ValueSection,
)
from hud_runtime import HudStore
from hud_runtime.log.events import Stored


def desk(fields: dict[str, Any], *others: Any, name: str = "remedies", **body: Any) -> Domain[Any]:
    """A domain of one name, whose section may be another one each time."""
    model = create_model("Remedy", __base__=HudItem, **fields)
    space = {
        "name": name,
        "lines": {"full": f"**{{{next(iter(fields))}}}**"},
        "__module__": __name__,
        "__qualname__": "Remedies",
        **body,
    }
    base: Any = ItemsSection[model]  # type: ignore[valid-type]
    section: Any = types.new_class("Remedies", (base,), {}, lambda own: own.update(space))
    return Domain("desk", [section, *others])


WHAT = {"what": (Line, ...)}
OLD = desk({**WHAT, "outcome": (Text, "")})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store in which something was tried twice, reworded and replaced; a child inherits nothing."""
    file = tmp_path / "desk.db"
    with HudStore.open(file, domain=OLD) as store:
        session = store.session("s", project="p")
        session.record("remedies.add", what="Restart", outcome="failed")
        session.record("remedies.add", what="New cable")
        session.record("remedies.update", id="r-3", outcome="worked")
        session.record("note.add", content="x") if "note.add" in OLD.section_events else None
    return file


def told(path: Path, domain: Domain[Any]) -> tuple[list[Any], list[str]]:
    """The items of the first section, and the types of what could not be read."""
    with HudStore.open(path, domain=domain) as store:
        session = store.session("s")
        stored = [each.type for each in session.events() if isinstance(each.payload, Stored)]
        field = next(iter(domain.fields))
        return [
            item.model_dump(exclude={"id", *HudValue.model_fields})
            for item in getattr(session.state(), field)
        ], stored


class TestWhatStaysReadable:
    def test_a_field_is_added(self, path: Path) -> None:
        new = desk({**WHAT, "outcome": (Text, ""), "why": (Line | None, None)})
        items, stored = told(path, new)
        assert [each["why"] for each in items] == [None, None]
        assert [each["outcome"] for each in items] == ["failed", "worked"]
        assert not stored

    def test_a_field_has_another_name(self, path: Path) -> None:
        new = desk({"tried": (Line, ...), "outcome": (Text, "")}, former_fields={"what": "tried"})
        items, stored = told(path, new)
        assert [each["tried"] for each in items] == ["Restart", "New cable"]
        assert not stored

    def test_a_field_is_gone_and_says_so(self, path: Path) -> None:
        items, stored = told(path, desk(WHAT, former_fields={"outcome": None}))
        assert items == [{"what": "Restart"}, {"what": "New cable"}]
        assert stored == ["remedies.update"]  # it changed nothing that there still is

    def test_a_field_takes_less_and_an_upcast_makes_it_fit(self, path: Path) -> None:
        fields = {**WHAT, "outcome": (Literal["good", "bad"], "bad")}
        words = {"worked": "good", "failed": "bad", "": "bad"}

        def newer(old: dict[str, Any]) -> dict[str, Any]:
            return {**old, "outcome": words[old["outcome"]]}

        new = desk(fields, upcasts={"remedies.add": newer, "remedies.update": newer})
        items, stored = told(path, new)
        assert [each["outcome"] for each in items] == ["bad", "good"]
        assert not stored

    def test_a_section_has_another_name(self, path: Path) -> None:
        new = desk({**WHAT, "outcome": (Text, "")}, name="attempts", former=("remedies",))
        items, stored = told(path, new)
        assert [each["what"] for each in items] == ["Restart", "New cable"]
        assert not stored
        with HudStore.open(path, domain=new) as store:
            session = store.session("s")
            event = session.record("attempts.add", what="Again")
            assert event.type == "attempts.add"
            event = session.record("remedies.add", what="Under the old name")
            assert event.type == "attempts.add"
            assert [each.type for each in session.events()][1:] == [
                "remedies.add",
                "remedies.add",
                "remedies.update",
                "attempts.add",
                "attempts.add",
            ]
            assert "remedies.add" not in session.call("hud", {"op": "history"}).text

    def test_a_section_is_added(self, path: Path) -> None:
        items, stored = told(path, desk({**WHAT, "outcome": (Text, "")}, NotesSection))
        assert len(items) == 2
        assert not stored


class TestWhatIsKeptAndSkipped:
    def test_a_field_is_gone_without_a_word(self, path: Path) -> None:
        items, stored = told(path, desk(WHAT))
        assert items == []
        assert stored == ["remedies.add", "remedies.add", "remedies.update"]

    def test_a_verb_is_gone(self, path: Path) -> None:
        items, stored = told(path, desk({**WHAT, "outcome": (Text, "")}, verbs=("add",)))
        assert [each["outcome"] for each in items] == ["failed", ""]
        assert stored == ["remedies.update"]

    def test_a_section_is_gone(self, path: Path) -> None:
        items, stored = told(path, Domain("desk", [NotesSection]))
        assert items == []
        assert stored == ["remedies.add", "remedies.add", "remedies.update"]

    def test_an_upcast_that_fails_is_no_failure_of_the_session(self, path: Path) -> None:
        def broken(old: dict[str, Any]) -> dict[str, Any]:
            raise RuntimeError("no")

        fields = {**WHAT, "outcome": (Literal["good"], "good")}
        _, stored = told(path, desk(fields, upcasts={"remedies.add": broken}))
        assert stored == ["remedies.add", "remedies.add", "remedies.update"]

    def test_is_the_same_bytes_when_it_is_read_and_written(self, path: Path) -> None:
        def rows(domain: Domain[Any]) -> list[tuple[str, Any]]:
            with HudStore.open(path, domain=domain) as store:
                return [
                    (each.type, each.payload.model_dump(mode="json"))
                    for each in store.session("s").events()
                ][1:]

        assert rows(desk(WHAT)) == rows(OLD)


class TestWhatIsInherited:
    def test_is_read_with_sections_and_items_that_can_still_be(self, path: Path) -> None:
        old = desk({**WHAT, "outcome": (Text, "")}, from_parent=True)
        with HudStore.open(path, domain=old) as store:
            store.session("child", parent="s")
        fields = {"tried": (Line, ...), "outcome": (Literal["failed"], "failed")}
        new = desk(fields, name="attempts", former=("remedies",), former_fields={"what": "tried"})
        with HudStore.open(path, domain=new) as store:
            state = store.session("child").state()
            assert [each.tried for each in state.attempts] == ["Restart"]
            assert state.session is not None


class TestSnapshots:
    def test_are_others_for_another_declaration(self) -> None:
        fields = {**WHAT, "outcome": (Text, "")}
        others = [
            desk(WHAT),
            desk(fields, revision=2),
            desk(fields, name="attempts", former=("remedies",)),
            desk(fields, former_fields={"was": "what"}),
            desk(fields, upcasts={"remedies.add": dict}),
            desk(fields, verbs=("add",)),
            desk(fields, on={"compact.after": lambda value, said, moment: value}),
        ]
        revisions = {OLD.revision, *(each.revision for each in others)}
        assert len(revisions) == len(others) + 1
        assert desk(fields).revision == OLD.revision


class TestWhatASessionInherited:
    """It stands in the session's first event, as items and as values; no event of it was recorded."""

    @staticmethod
    def older(path: Path, **body: Any) -> None:
        domain = desk({**WHAT, "outcome": (Text, "")}, from_parent=True, **body)
        with HudStore.open(path, domain=domain) as store:
            parent = store.session("parent")
            kind = next(iter(domain.fields))
            parent.record(f"{kind}.add", actor="user", what="Restart", outcome="failed")
            parent.record(f"{kind}.add", what="New cable", outcome="worked")
            store.session("child", parent="parent").record(
                f"{kind}.add", what="Own", outcome="failed"
            )

    @staticmethod
    def newer(old: dict[str, Any]) -> dict[str, Any]:
        return {"what": old["what"], "outcome": {"worked": "good", "failed": "bad"}[old["outcome"]]}

    @pytest.mark.parametrize("asked", ["remedies.add", "attempts.add"])
    def test_is_brought_up_to_date_by_the_upcast_of_what_made_it(
        self, tmp_path: Path, asked: str
    ) -> None:
        path = tmp_path / "desk.db"
        self.older(path)
        fields = {"tried": (Line, ...), "outcome": (Literal["good", "bad"], ...)}
        renamed = {"name": "attempts", "former": ("remedies",)}
        domain = desk(
            fields,
            from_parent=True,
            former_fields={"what": "tried"},
            upcasts={asked: self.newer},
            **renamed,
        )
        with HudStore.open(path, domain=domain) as store:
            child = store.session("child")
            items = getattr(child.state(), "attempts")  # noqa: B009
            assert [(each.tried, each.outcome) for each in items] == [
                ("Restart", "bad"),
                ("New cable", "good"),
                ("Own", "bad"),
            ]
            assert [each.id.partition(":")[0] for each in items] == [
                "parent",
                "parent",
                items[2].id,
            ]
            assert [each.said_by for each in items] == ["user", "agent", "agent"]
            first = next(iter(child.events()))
            assert domain.left_out(first.payload.model_dump(mode="json")) == ()

    def test_is_left_out_where_the_upcast_cannot_mend_it(self, tmp_path: Path) -> None:
        path = tmp_path / "desk.db"
        self.older(path)

        def failing(old: dict[str, Any]) -> dict[str, Any]:
            raise KeyError(old["what"])

        fields = {**WHAT, "outcome": (Literal["good", "bad"], ...)}
        domain = desk(fields, from_parent=True, upcasts={"remedies.add": failing})
        with HudStore.open(path, domain=domain) as store:
            assert getattr(store.session("child").state(), "remedies") == ()  # noqa: B009

    def test_a_value_is_brought_up_to_date_too(self, tmp_path: Path) -> None:
        def ticket(fields: dict[str, Any], **body: Any) -> Domain[Any]:
            model = create_model("Ticket", __base__=HudValue, **fields)
            space = {
                "__module__": __name__,
                "name": "ticket",
                "lines": {"full": "{what}"},
                "from_parent": True,
                **body,
            }
            base: Any = ValueSection[model]  # type: ignore[valid-type]
            section: Any = types.new_class(
                "TicketSection", (base,), {}, lambda own: own.update(space)
            )
            return Domain("desk", [section])

        path = tmp_path / "desk.db"
        with HudStore.open(path, domain=ticket({**WHAT, "tier": (Text, "")})) as store:
            store.session("parent").record("ticket.set", what="No light", tier="two")
            store.session("child", parent="parent")
        new = ticket(
            {**WHAT, "tier": (int, ...)},
            upcasts={"ticket.set": lambda old: {**old, "tier": {"two": 2}[old["tier"]]}},
        )
        with HudStore.open(path, domain=new) as store:
            assert getattr(store.session("child").state(), "ticket").tier == 2  # noqa: B009
