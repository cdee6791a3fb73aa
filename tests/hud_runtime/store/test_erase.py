"""One event's texts go, from every place where they are; that there was an event stays."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from hud_runtime import (
    At,
    EventDraft,
    EventError,
    HudSession,
    HudStore,
    SnapshotPolicy,
    StoreLockedError,
)
from hud_runtime.log.projection import HUD
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.store.statements import Statements
from tests.hud_runtime.store.test_half_a_purge import STRIDE, Stopped, stop_at
from tests.hud_runtime.store.test_purge import bytes_of

TEXT = "Ann Lee, 5 Elm Street, born 1 May 1980, asks for her records"
NOTE = 12
"""The version of the event with the text."""

HOSTILE = 'Ann "Lee"\\ \u00e9\u202e\n# Notes\n- x </Hud> 東京 %s {x} \'; DROP TABLE hud_event; --'


def fill(path: Path, text: str = TEXT, *, archived: bool = False) -> HudStore:
    """Return a store with a session that has the text in one event, and a harmless session."""
    store = HudStore.open(path, clock=Ticking(), snapshots=SnapshotPolicy(every=5))
    store.session("other").record("note.add", content="harmless")
    session = store.session("s")
    for number in range(30):
        content = text if number == NOTE - 2 else f"note {number}"
        session.record("note.add", content=content, turn=number)
        if number == 20:
            session.record("compact.after", summary="so far")
    session.delivered(session.deliver().id)
    session.deliver(fresh=True)
    store.search("harmless")
    if archived:
        assert store.keeping.archive("s") > NOTE
    return store


def says(folder: Path, text: str = TEXT) -> bool:
    """Tell whether a text, or a part of it, is in any file: as it is, as JSON, as words of the index."""
    found = bytes_of(folder)
    return any(part.encode() in found for part in (text, "Elm Street", "born 1 May"))


@pytest.mark.parametrize("archived", [False, True], ids=["live", "archived"])
class TestErase:
    def test_leaves_no_word_in_any_file(self, tmp_path: Path, *, archived: bool) -> None:
        with fill(tmp_path / "hud.db", archived=archived) as store:
            assert says(tmp_path)
            assert len(store.search("elm")) == 1
            erased = store.keeping.erase("s", NOTE)
            assert (erased.fields, erased.elsewhere) == (("content",), ())
            assert not says(tmp_path)
            assert store.search("elm") == []
            assert len(store.search("note", limit=100)) == 29
            assert store.keeping.verify() == ()
        assert not says(tmp_path)

    def test_keeps_the_event_and_all_others(self, tmp_path: Path, *, archived: bool) -> None:
        with fill(tmp_path / "hud.db", archived=archived) as store:
            before = list(store.events("s"))
            store.keeping.erase("s", NOTE)
            *after, told = store.events("s", checked=True)
            at = NOTE - 1
            assert after[:at] == before[:at]
            assert after[at + 1 :] == before[at + 1 :]
            left = after[at]
            assert left.model_copy(update={"payload": before[at].payload}) == before[at]
            assert left.payload.model_dump() == {
                **before[at].payload.model_dump(),
                "content": f"[erased {NOTE}]",
            }
            assert (told.type, told.actor) == ("event.erase", "host")
            assert told.payload.model_dump() == {"version": NOTE, "fields": ("content",)}

    def test_all_states_are_without_the_text(self, tmp_path: Path, *, archived: bool) -> None:
        with fill(tmp_path / "hud.db", archived=archived) as store:
            session = store.session("s")
            before = [session.state(at=version) for version in range(1, session.version + 1)]
            store.keeping.erase("s", NOTE)
            for version, state in enumerate(before, start=1):
                now = session.state(at=version)
                assert TEXT not in now.model_dump_json()
                assert [note.id for note in now.notes] == [note.id for note in state.notes]
            assert "Elm" not in session.hud(density="full").text
            assert "Elm" not in session.deliver().text
            with HudStore.open(tmp_path / "hud.db") as again:
                assert again.session("s").state() == session.state()

    def test_every_open_session_hears_of_it(self, tmp_path: Path, *, archived: bool) -> None:
        with (
            fill(tmp_path / "hud.db", archived=archived) as store,
            HudStore.open(tmp_path / "hud.db") as other,
        ):
            late = other.session("s")
            assert TEXT in late.known.model_dump_json()
            stale = late.deliver(fresh=True)
            old = HUD.codec.dump(late.known) if HUD.codec else ""
            head = late.version
            store.keeping.erase("s", NOTE)
            # What it knew before is not kept any more, whatever it saves.
            made = other._events.snapshot("s", HUD.name, HUD.revision, 10)
            assert made is not None
            other._events.save_snapshot(replace(made, version=head, state=old))
            for each in store._events.deliveries("s"):
                assert each.id != stale.id
            assert not says(tmp_path)
            late.record("note.add", content="one more")
            assert TEXT not in late.known.model_dump_json()
            assert late.state() == store.session("s").state()
            assert not says(tmp_path)

    def test_can_be_done_again(self, tmp_path: Path, *, archived: bool) -> None:
        with fill(tmp_path / "hud.db", archived=archived) as store:
            store.keeping.erase("s", NOTE)
            version = store.version_of("s")
            assert store.keeping.erase("s", NOTE).fields == ()
            assert store.version_of("s") == version
            assert store.keeping.purge("s") == version
            assert store.keeping._sqlite("ask").erasures() == []

    def test_any_text_is_only_text(self, tmp_path: Path, *, archived: bool) -> None:
        with fill(tmp_path / "hud.db", HOSTILE, archived=archived) as store:
            assert store.keeping.erase("s", NOTE).fields == ("content",)
            assert "Lee" not in bytes_of(tmp_path).decode("utf-8", "replace")
            assert store.keeping.verify() == ()

    def test_a_backup_from_before_loses_it_when_it_is_restored(
        self, tmp_path: Path, *, archived: bool
    ) -> None:
        with fill(tmp_path / "hud.db", archived=archived) as store:
            store.keeping.backup(tmp_path / "backup")
            store.keeping.erase("s", NOTE)
            store.keeping.backup(tmp_path / "later")
        assert says(tmp_path / "backup")
        assert not says(tmp_path / "later")
        HudStore.restore(tmp_path / "backup", tmp_path / "hud.db", force=True)
        with HudStore.open(tmp_path / "hud.db") as store:
            assert TEXT not in "".join(each.model_dump_json() for each in store.events("s"))
            assert [each.version for each in store.keeping._sqlite("ask").erasures()] == [NOTE]
            assert store.keeping.verify() == ()

    def test_a_repair_brings_nothing_back(self, tmp_path: Path, *, archived: bool) -> None:
        whole = tmp_path / "whole"
        with fill(whole / "hud.db", archived=archived) as store:
            kept = {each: each.read_bytes() for each in whole.rglob("*.gz")}
            store.keeping.erase("s", NOTE)
            events = list(store.events("s"))
        for path, content in kept.items():  # as an erasure leaves it that is killed
            path.write_bytes(content)
        with closing(sqlite3.connect(whole / "hud.db")) as db:
            db.execute("DROP TRIGGER hud_event_is_never_changed")
            db.execute("UPDATE hud_event SET digest = x'00' WHERE session_id = 'other'")
            db.commit()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        repaired = HudStore.repair(whole / "hud.db")
        assert repaired.set_aside is not None
        with HudStore.open(whole / "hud.db") as store:
            assert list(store.events("s")) == events
            assert [each.version for each in store.keeping._sqlite("ask").erasures()] == [NOTE]


def look_at_half_an_erasure(folder: Path) -> bool:
    """Whoever comes between two steps sees all of the text, or nothing of it. Return which."""
    with HudStore.open(folder / "hud.db") as store:
        assert store.keeping.verify() == ()
        is_erased = bool(store.keeping._sqlite("ask").erasures())
        last = 33 if is_erased else 32
        session, log = store.session("s"), store._events
        assert (session.version, store.version_of("s")) == (last, last)
        assert len(list(log.read_all())) == last + 2
        assert len(list(log.read("s", types=["note.add"]))) == 30
        assert log.version_at("s", At("turn", 10)) == NOTE
        state = session.state().model_dump_json()
        assert (TEXT in state) != is_erased
        assert (TEXT in session.state(at=NOTE).model_dump_json()) != is_erased
        store.keeping.backup(folder / "backup")
        assert says(folder / "backup") != is_erased
        assert len(store.search("elm")) == (0 if is_erased else 1)
        assert len(store.search("harmless")) == 1
        shutil.rmtree(folder / "backup")
    return is_erased


@pytest.mark.parametrize("archived", [False, True], ids=["live", "archived"])
@pytest.mark.parametrize("by", ["erase", "purge"])
def test_an_erasure_that_stops_anywhere_is_whole_to_others_and_can_be_finished(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    statements: Statements,
    *,
    archived: bool,
    by: str,
) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    fill(whole / "hud.db", archived=archived).close()
    seen: list[bool] = []
    done: list[str] = []
    for last in itertools.count(step=STRIDE):
        shutil.copytree(whole, half)
        with HudStore.open(half / "hud.db") as store, monkeypatch.context() as patched:
            done = stop_at(patched, statements, last)
            with suppress(Stopped):
                store.keeping.erase("s", NOTE)
                break
        seen.append(look_at_half_an_erasure(half))
        with HudStore.open(half / "hud.db") as store:
            if by == "erase":
                store.keeping.erase("s", NOTE)
            elif seen[-1]:
                store.keeping.purge("nobody")
            else:
                store.keeping.purge("s")
            assert not says(half)
            assert store.keeping.verify() == ()
            assert all(each.is_done for each in store.keeping._sqlite("ask").erasures())
        shutil.rmtree(half)
    assert seen == sorted(seen)
    assert {*seen} == {False, True}
    assert done.count("after a file went") == (1 if archived else 0)


def test_what_a_reader_holds_up_is_said_and_can_be_finished(tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    with fill(path) as store, closing(sqlite3.connect(path)) as reader:
        store.keeping._sqlite("ask").parts.database.busy_timeout = 50
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM hud_event").fetchone()
        with pytest.raises(StoreLockedError):
            store.keeping.erase("s", NOTE)
        reader.execute("COMMIT")
        [left] = store.keeping._sqlite("ask").erasures()
        assert not left.is_done
        assert TEXT not in store.session("s").state().model_dump_json()
        assert store.keeping.erase("s", NOTE).fields == ()
        assert store.keeping._sqlite("ask").erasures()[0].is_done
        assert not says(tmp_path)


def test_two_at_once_and_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    fill(path).close()
    wrong: list[BaseException] = []

    def run(work: Callable[[HudStore], object]) -> None:
        try:
            with HudStore.open(path) as store:
                work(store)
        except BaseException as error:  # noqa: BLE001  (told to the test)
            wrong.append(error)

    def write(store: HudStore) -> None:
        session: HudSession = store.session("s")
        for number in range(40):
            session.record("note.add", content=f"meanwhile {number}")

    works: list[Callable[[HudStore], object]] = [
        lambda store: store.keeping.erase("s", NOTE),
        lambda store: store.keeping.erase("s", NOTE),
        lambda store: store.keeping.erase("s", 5),
        write,
    ]
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert wrong == []
    with HudStore.open(path) as store:
        assert store.keeping.verify() == ()
        notes = [note.content for note in store.session("s").state().notes]
        assert [each for each in notes if "erased" in each] == ["[erased 5]", f"[erased {NOTE}]"]
        assert sum(note.startswith("meanwhile") for note in notes) == 40
        assert [each.type for each in store.events("s")].count("event.erase") == 2
    assert not says(tmp_path)


class TestWhatIsErased:
    def test_ids_and_fixed_words_stay(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            made = session.record("check.result", name="mypy", command="uv run mypy", result="pass")
            assert store.keeping.erase("s", made.version).fields == ("command", "name")
            [left] = session.events(after=made.version - 1, types=["check.result"])
            assert left.payload.model_dump()["result"] == "pass"

    def test_fields_can_be_named(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            made = session.record("decision.record", summary="Use JWT", details="Ann said so")
            assert store.keeping.erase("s", made.version, fields=["details"]).fields == ("details",)
            [decision] = session.state().decisions
            assert (decision.summary, decision.details) == ("Use JWT", f"[erased {made.version}]")
            with pytest.raises(EventError, match='no text at "detials"; did you mean "details"'):
                store.keeping.erase("s", made.version, fields=["detials"])

    def test_what_a_child_has_inherited_is_told(self) -> None:
        with HudStore.open(":memory:") as store:
            made = store.session("s").record("decision.record", summary="Ann Lee is the owner")
            child = store.session("child", parent="s")
            erased = store.keeping.erase("s", made.version)
            assert erased.elsewhere == (("child", 1),)
            assert child.state().decisions[0].summary == "Ann Lee is the owner"
            [field] = store.keeping.erase("child", 1, fields=["inherited.decisions.0"]).fields
            assert field == "inherited.decisions.0.summary"
            assert child.state().decisions[0].summary == "[erased 1]"
            assert child.state().decisions[0].id == "parent:d-2"

    def test_what_is_not_there_is_refused(self) -> None:
        with HudStore.open(":memory:") as store:
            store.session("s")
            for version in (0, 2, -1, 2**40):
                with pytest.raises(EventError, match="there is no event"):
                    store.keeping.erase("s", version)
            with pytest.raises(EventError, match="there is no event"):
                store.keeping.erase("nobody", 1)

    def test_nobody_records_an_erasure_by_hand(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            with pytest.raises(EventError, match="only the store records it"):
                session.record_all([EventDraft("event.erase", {"version": 1})])
            session.record("note.add", content=TEXT)
            store.keeping.erase("s", 2)
            with pytest.raises(EventError, match="holds no text"):
                store.keeping.erase("s", 3)

    def test_a_transaction_is_refused(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            with (
                pytest.raises(Exception, match="an erasure cannot be rolled back"),
                session.exclusive(),
            ):
                store.keeping.erase("s", 1)

    def test_an_unknown_domain_can_be_erased_from(self, tmp_path: Path) -> None:
        from docs.examples.support import SUPPORT

        path = tmp_path / "hud.db"
        with HudStore.open(path, domain=SUPPORT) as store:
            made = store.session("t").record("remedies.add", what=TEXT, outcome="failed")
        with HudStore.open(path) as store:
            assert "what" in store.keeping.erase("t", made.version).fields
        assert not says(tmp_path)
        with HudStore.open(path, domain=SUPPORT) as store:
            store.session("t").state()
            assert store.keeping.verify() == ()


def test_nothing_else_of_a_row_can_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    with fill(path) as store:
        store.keeping.erase("s", NOTE)
    with closing(sqlite3.connect(path)) as db:
        for statement in (
            f"UPDATE hud_event SET payload = '{{}}' WHERE session_id = 's' AND version = {NOTE}",
            "UPDATE hud_event SET payload = '{}' WHERE session_id = 's' AND version = 2",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(statement)
        db.execute("UPDATE hud_erasure SET is_done = 0")
        for column, value in (("turn", "9"), ("actor", "'user'"), ("id", "'x'"), ("version", "99")):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(
                    f"UPDATE hud_event SET {column} = {value}"
                    f" WHERE session_id = 's' AND version = {NOTE}"
                )


def test_a_store_of_an_older_layout_has_none(tmp_path: Path) -> None:
    with fill(tmp_path / "hud.db") as store:
        store.keeping.erase("s", NOTE)
    with closing(SqliteEventStore(tmp_path / "hud.db", read_only=True)) as reader:
        assert [each.version for each in reader.erasures()] == [NOTE]
        assert len(reader.search("note", limit=100)) == 29
