"""Domains are joined, a session moves to one that has all sections of its own, and a child sees what both share."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from docs.examples.support import SUPPORT
from hud_components import CODING, ContextBar, Domain, ItemsSection, NotesSection, TaskSection
from hud_runtime import EventError, HudStore
from hud_runtime.history.exchange import export_log, export_session, import_log
from tests.hud_runtime.session.test_a_section_more import Risk, Risks
from tests.ids import looped
from tests.warm import python
from ujsx import DefinitionError, UjsxError

BOTH = CODING | SUPPORT
DESK = Domain("desk", sections=(NotesSection, ContextBar))


class TestJoined:
    def test_has_each_section_once_in_the_order_of_both(self) -> None:
        assert BOTH.name == "coding-support"
        assert (
            len(BOTH.sections)
            == len({*BOTH.sections})
            == len({*CODING.sections, *SUPPORT.sections})
        )
        kept = [each for each in BOTH.sections if each in CODING.sections]
        assert kept == [*CODING.sections]
        assert {*BOTH.operations} == {*CODING.operations, *SUPPORT.operations}
        assert {*BOTH.fields} == {*CODING.fields, *SUPPORT.fields}
        assert issubclass(BOTH.state, CODING.state)

    def test_is_one_of_them_where_it_has_all_sections(self) -> None:
        assert CODING | CODING is CODING
        assert (CODING | DESK, DESK | CODING) == (CODING, CODING)
        assert BOTH | SUPPORT is BOTH

    def test_tells_agents_what_both_tell(self) -> None:
        one = Domain("one", [NotesSection], instructions="Keep notes.", first=["notes"])
        two = Domain(
            "two", [TaskSection], instructions="Name the task.", shown_instructions="Task!"
        )
        both = one | two
        assert both.instructions == "Keep notes.\n\nName the task."
        assert both.shown_instructions == "Keep notes.\n\nTask!"
        assert both.tools[0] is NotesSection

    def test_takes_domains_alone(self) -> None:
        with pytest.raises(TypeError, match="unsupported operand"):
            _ = CODING | [NotesSection]  # type: ignore[operator]

    def test_names_sections_that_clash(self) -> None:
        class OtherNotes(ItemsSection[Risk]):
            """Other notes."""

            name = "notes"
            lines = MappingProxyType({"full": "{what}"})

        with pytest.raises(DefinitionError, match=r"^coding \| other: .*OtherNotes and NotesSection have the same name, 'notes'; give one of them another: .*; or leave one of them out"):  # fmt: skip
            _ = CODING | Domain("other", [OtherNotes])


def support(path: Path | str) -> HudStore[Any]:
    return HudStore.open(path, domain=SUPPORT, domains=[BOTH], clock=lambda: 0)


class TestMoved:
    def test_keeps_all_and_can_record_more(self) -> None:
        with support(":memory:") as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            session.record("remedies.add", what="Restarted the router")
            before = session.state()
            moved = store.move("s", BOTH)
            moved.record("decision.record", summary="Use JWT")
            after = moved.state()
            assert moved is store.session("s")
            assert moved.domain is BOTH
            assert {each: getattr(after, each) for each in SUPPORT.fields} == {
                each: getattr(before, each) for each in SUPPORT.fields
            }
            assert [each.summary for each in after.decisions] == ["Use JWT"]
            assert not after.unreadable
            assert moved.call("hud", {"op": "decisions.list"}).text.startswith("- `d-5`")
            assert "moved to the domain coding-support" in moved.call("hud", {"op": "history"}).text
            assert store.domain_name("s") == "coding-support"
            assert not store.keeping.verify()

    def test_is_read_by_its_new_domain_from_a_file_and_a_snapshot(self, tmp_path: Path) -> None:
        with support(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record("remedies.add", what="Restarted the router")
            session.record("compact.after")  # which takes a snapshot
            store.move("s", "coding-support").record("task.set", description="Fix it")
        with support(tmp_path / "hud.db") as store:
            store.keeping.archive("s")
            session = store.session("s")
            assert (len(session.state().remedies), session.state().task.description) == (
                1,
                "Fix it",
            )
            assert [each.type for each in store.events("s")][-2:] == ["session.domain", "task.set"]

    def test_twice_is_once(self) -> None:
        with support(":memory:") as store:
            store.session("s")
            assert store.move("s", BOTH).version == store.move("s", BOTH).version == 2

    def test_of_the_coding_hud_too(self) -> None:
        with HudStore.open(":memory:", domains=[BOTH]) as coding:
            coding.session("s").record("note.add", content="Port 8080")
            session = coding.move("s", BOTH)
            session.record("remedies.add", what="Restarted the router")
            assert len(session.state().remedies) == len(session.state().notes) == 1

    @looped(
        ("session", "domain", "said"),
        [
            ("s", DESK, r'"desk" lacks sections of "support", the domain of the session: Ticket, .*; move it to both: support \| desk'),
            ("s", "codng", 'the domain "codng" is not loaded; open the store with domains='),
            ("s", Domain("coding-support", [Risks]), "is not loaded"),
        ],
    )  # fmt: skip
    def test_to_a_domain_that_cannot_be_is_refused(
        self, session: str, domain: Any, said: str
    ) -> None:
        with HudStore.open(":memory:", domain=SUPPORT, domains=[BOTH, DESK]) as store:
            store.session("s")
            with pytest.raises(UjsxError, match=said):
                store.move(session, domain)
            assert store.version_of("s") == 1

    def test_that_has_not_begun_is_refused_and_nobody_else_records_it(self) -> None:
        with support(":memory:") as store:
            with pytest.raises(EventError, match='there is no session "t" to be moved'):
                store.move("t", BOTH)
            with pytest.raises(EventError, match=r"only the store records it: store\.move"):
                store.session("s").record("session.domain", domain="coding-support")

    def test_in_a_transaction_that_ends_in_an_error_it_stays(self) -> None:
        with support(":memory:") as store:
            session = store.session("s")
            with pytest.raises(ZeroDivisionError), session.exclusive():
                store.move("s", BOTH).version // 0
            assert store.domain_name("s") == "support"
            assert store.session("s").domain is SUPPORT


class TestWhoDoesNotKnowTheDomain:
    def test_lists_exports_and_takes_it_in(self, tmp_path: Path) -> None:
        with support(tmp_path / "hud.db") as store:
            store.session("s").record("remedies.add", what="Restarted the router")
            store.move("s", BOTH).record("task.set", description="Fix it")
            lines = [*export_session(store.session("s"))]
            assert '"domain":"support"' in lines[1]
        with HudStore.open(tmp_path / "hud.db", domain=SUPPORT) as store:
            assert store.sessions() == ("s",)
            assert [*export_log(store, "s")] == lines
            with pytest.raises(UjsxError, match='belongs to the domain "coding-support"'):
                store.session("s")
        with HudStore.open(tmp_path / "other.db") as store:  # not even the first domain is at hand
            import_log(store, lines)
        with support(tmp_path / "other.db") as store:
            state = store.session("s").state()
            assert (len(state.remedies), state.task.description) == (1, "Fix it")

    def test_goes_on_with_what_it_knows_where_it_has_the_session_open(self, tmp_path: Path) -> None:
        with support(tmp_path / "hud.db") as store:
            session = store.session("s")
            code = (
                "from tests.hud_runtime.session.test_moves import BOTH, support\n"
                f"with support({str(tmp_path / 'hud.db')!r}) as store:\n"
                "    store.move('s', BOTH).record('decision.record', summary='Use JWT')\n"
            )
            subprocess.run([*python(), "-c", code], check=True, cwd=Path(__file__).parents[3])
            session.record("note.add", content="Port 8080")
            assert [each.content for each in session.state().notes] == ["Port 8080"]
            assert [each.section for each in session.state().unreadable] == ["decision"]
            del session
        with support(tmp_path / "hud.db") as store:
            state = store.session("s").state()
            assert len(state.notes) == len(state.decisions) == 1
            assert not state.unreadable


class TestAChildOfAnotherDomain:
    def test_inherits_and_sees_the_sections_of_both(self) -> None:
        with HudStore.open(":memory:", domains=[SUPPORT, BOTH]) as store:
            parent = store.session("s")
            parent.record("decision.record", summary="Use JWT")
            parent.record("note.add", content="Port 8080")
            parent.record("task.set", description="Ship it")
            store.move("s", BOTH).record("remedies.add", what="Restarted the router")
            child = store.session("s/child", parent="s")
            assert child.domain is CODING
            assert [each.summary for each in child.state().decisions] == ["Use JWT"]
            said = child.call("hud", {"op": "parent.show"}).text
            assert "Ship it" in said
            assert "Port 8080" in said
            assert "router" not in said

    def test_sees_nothing_where_they_share_nothing(self) -> None:
        alone = Domain("alone", sections=(Risks,))
        with HudStore.open(":memory:", domain=SUPPORT, domains=[alone]) as store:
            store.session("s").record("note.add", content="Port 8080")
            with HudStore(store.session("s").log, domain=alone, domains=[SUPPORT]) as other:
                child = other.session("s/child", parent="s")
                assert child.state().risks == ()
                with pytest.raises(
                    EventError, match="your parent's HUD is of another kind, support"
                ):
                    child.parent_seen()
