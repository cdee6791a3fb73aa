"""What is this engine's own: rights, locks, connections that break, words, and what others see."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_runtime import (
    ConcurrencyError,
    HudStore,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
)
from hud_runtime.cli import main
from hud_runtime.log.postgres import PostgresEventStore, role_script
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.inside import copy_store
from tests.hud_runtime.postgres.servers import Server
from tests.hud_runtime.store.contract import a_compaction, a_long_session, an_event, say
from tests.hud_runtime.store.test_search import found_as_listed

NASTY = (
    "'; DROP TABLE hud_event; --", "' OR 1=1 --", "$$", "%s%(x)s", "\\", "\\'", "?", "E'\\x'", "\0", "\x1a", "''", '"',
    "{}", "$1", "/*", "\n", "\t", " ", "!", "& | :*", "\u202e", "'||(select 1)||'",
)  # fmt: skip
"""Parts of what steers SQL, psycopg, a tsquery, or COPY."""

LOG = ("hud_event", "hud_archive", "hud_archive_file", "hud_tombstone")


@pytest.fixture
def store(address: str) -> Iterator[PostgresEventStore]:
    with closing(PostgresEventStore(address, busy_timeout=2_000)) as store:
        yield store


def link_to(address: str) -> Any:
    import psycopg

    return psycopg.connect(address, autocommit=True)


class TestLog:
    @pytest.mark.parametrize("table", LOG)
    @pytest.mark.parametrize("verb", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {}"])
    def test_is_never_changed_by_any_statement(self, address: str, table: str, verb: str) -> None:
        import psycopg

        column = "session_id" if table != "hud_archive_file" else "file"
        with closing(PostgresEventStore(address)) as store, link_to(address) as link:
            store.append("s", 0, a_long_session("s", 8))
            store.archive("s")
            store.append("t", 0, [an_event("t", 1)])
            store.purge("t")
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                link.execute(verb.format(table, column, column))
            assert store.verify() == ()

    def test_has_no_gap_by_any_statement(self, address: str, store: PostgresEventStore) -> None:
        import psycopg

        store.append("s", 0, [an_event("s", 1)])
        with (
            link_to(address) as link,
            pytest.raises(psycopg.errors.RaiseException, match="no gaps"),
        ):
            link.execute(
                "INSERT INTO hud_event (id, session_id, version, type, turn, timestamp, actor, format,"
                " payload, digest) VALUES ('x', 's', 3, 'note.add', 0, 0, 'agent', 1, '{}', '')"
            )

    def test_tells_what_a_disk_has_changed(self, address: str, store: PostgresEventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        with link_to(address) as link:
            link.execute("ALTER TABLE hud_event DISABLE TRIGGER USER")
            link.execute("UPDATE hud_event SET payload = '{}'")
            link.execute("DELETE FROM hud_event WHERE version = 0")
        [damage] = store.verify()
        assert (damage.session_id, damage.version) == ("s", 1)

    def test_is_read_by_who_goes_on_from_the_last_event_without_a_gap(
        self, store: PostgresEventStore
    ) -> None:
        """An event that is committed late has a position before one that was committed early."""
        begun, go = threading.Event(), threading.Event()

        def slow() -> None:
            with store.exclusive("slow"):
                store.append("slow", 0, [an_event("slow", 1)])
                begun.set()
                assert go.wait(30)

        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(slow)
            assert begun.wait(30)
            store.append("fast", 0, [an_event("fast", 1)])
            assert list(store.read_all()) == []  # not before the one that may still come
            assert [event.id for event in store.read("fast")] == ["fast/1"]
            go.set()
            late.result()
        assert [event.id for _, event in store.read_all()] == ["slow/1", "fast/1"]


class TestRoles:
    @pytest.fixture
    def roles(self, server: Server, address: str) -> Iterator[dict[str, str]]:
        schema = address.rpartition("%3D")[2]
        PostgresEventStore(address).close()
        made = {}
        with link_to(address) as link:
            for work in ("record", "read"):
                name = f'{work}er "{schema}'
                quoted = '"' + name.replace('"', '""') + '"'
                link.execute(f"CREATE ROLE {quoted} LOGIN")
                link.execute(role_script(name, work, schema))  # type: ignore[arg-type]  # one of two words
                made[work] = address.replace(
                    "owner@", f"{name.replace(' ', '%20').replace(chr(34), '%22')}@"
                )
            yield made
            for work in made:
                quoted = f'"{work}er ""{schema}"'
                link.execute(f"DROP OWNED BY {quoted}")
                link.execute(f"DROP ROLE {quoted}")

    def test_that_record_do_all_but_change_the_log(self, roles: dict[str, str]) -> None:
        import psycopg

        with HudStore.open(roles["record"]) as store, link_to(roles["record"]) as link:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            assert "Port 8080" in str(session.hud())
            assert [hit.version for hit in store.search("port")] == [2]
            for table in LOG:
                for verb in (
                    f"UPDATE {table} SET {'file' if 'file' in table else 'session_id'} = ''",
                    f"DELETE FROM {table}",
                ):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        link.execute(verb)
            with pytest.raises(StoreReadOnlyError, match="ujsx store role"):
                store.keeping.purge("s")

    def test_that_read_see_and_find_all(self, address: str, roles: dict[str, str]) -> None:
        with HudStore.open(address) as store:
            store.session("s").record("note.add", content="Port 8080")
            store.search("port")
            store.session("s").record("note.add", content="Port 9090 in use")
        with HudStore.open(roles["read"]) as store:
            assert len(store.session("s").state().notes) == 2
            assert [hit.version for hit in store.search("port")] == [2, 3]  # the shorter one first
            with pytest.raises(StoreReadOnlyError):
                store.session("s").record("note.add", content="more")


class TestConnections:
    def broken(self, address: str) -> None:
        """End all connections but this one, as a server that starts anew does."""
        with link_to(address) as link:
            link.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'ujsx' AND pid <> pg_backend_pid()"
            )

    def test_that_broke_while_idle_are_made_anew(
        self, address: str, store: PostgresEventStore
    ) -> None:
        say(store, "s", "one")
        for version in range(1, 4):
            self.broken(address)
            assert store.head("s").version == version
            self.broken(address)
            store.append("s", version, [an_event("s", version + 1)])
        self.broken(address)
        with store.exclusive("s"):
            store.append("s", 4, [an_event("s", 5)])
        assert [event.version for event in store.read("s")] == [1, 2, 3, 4, 5]

    @pytest.mark.parametrize("is_done", [False, True])
    def test_that_break_in_the_middle_of_an_append_record_once(
        self, store: PostgresEventStore, monkeypatch: pytest.MonkeyPatch, *, is_done: bool
    ) -> None:
        """The connection goes before the statement reaches the server, or before its answer comes back."""
        import psycopg

        broken: list[Any] = []
        execute = psycopg.Connection.execute

        def breaks(link: Any, query: Any, *rest: Any, **named: Any) -> Any:
            if "hud_append(" in str(query) and not broken:
                broken.append(link)
                if is_done:
                    execute(link, query, *rest, **named)
                link.close()
            return execute(link, query, *rest, **named)

        monkeypatch.setattr(psycopg.Connection, "execute", breaks)
        store.append("s", 0, [an_event("s", 1), an_event("s", 2)])
        assert broken
        assert [event.id for event in store.read("s")] == ["s/1", "s/2"]
        with pytest.raises(ConcurrencyError):  # who comes with the same again is another one
            store.append("s", 0, [an_event("s", 1), an_event("s", 2)])

    @pytest.mark.parametrize("is_done", [False, True])
    def test_that_break_at_a_commit_are_asked_what_became_of_it(
        self, store: PostgresEventStore, monkeypatch: pytest.MonkeyPatch, *, is_done: bool
    ) -> None:
        import psycopg

        execute = psycopg.Connection.execute

        def breaks(link: Any, query: Any, *rest: Any, **named: Any) -> Any:
            if query == "COMMIT":
                if is_done:
                    execute(link, query, *rest, **named)
                link.close()
            return execute(link, query, *rest, **named)

        monkeypatch.setattr(psycopg.Connection, "execute", breaks)
        refused: list[StoreError] = []
        try:
            with store.exclusive("s"):
                store.append("s", 0, [an_event("s", 1)])
        except StoreError as error:
            refused.append(error)
        monkeypatch.undo()
        assert bool(refused) is not is_done
        assert store.head("s").version == int(is_done)

    def test_of_a_server_that_is_not_there_have_a_clear_error(self) -> None:
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            PostgresEventStore("postgresql://ann:hush-hush@127.0.0.1:1/hud", busy_timeout=100)
        assert "hush" not in str(caught.value)


class TestManyAtOnce:
    def test_record_in_one_session_and_in_many(self, address: str) -> None:
        """Each thread has a store of its own, as processes have; half of them share a session."""

        def work(number: int) -> int:
            with HudStore.open(address) as store:
                session = store.session("all" if number % 2 else f"own-{number}")
                for count in range(8):
                    session.record("note.add", content=f"{number}-{count}")
            return 8

        with ThreadPoolExecutor(6) as pool:
            recorded = sum(pool.map(work, range(6)))
        with HudStore.open(address) as store:
            notes = [
                note.content
                for name in store.sessions()
                for note in store.session(name).state().notes
            ]
            assert len(notes) == len(set(notes)) == recorded
            assert store.keeping.verify() == ()


class TestLocks:
    def test_of_one_session_leave_the_others_alone(
        self, address: str, store: PostgresEventStore
    ) -> None:
        with closing(PostgresEventStore(address, busy_timeout=200)) as other, store.exclusive("s"):
            other.append("t", 0, [an_event("t", 1)])
            with pytest.raises(StoreLockedError, match=r'process [0-9]+ of the server, of "ujsx"'):
                other.append("s", 0, [an_event("s", 1)])
            assert other.head("s").version == 0
            store.append("s", 0, [an_event("s", 1)])
        assert store.head("s").version == 1

    def test_of_two_that_wait_for_each_other_end(
        self, address: str, store: PostgresEventStore
    ) -> None:
        meet = threading.Barrier(2, timeout=30)

        def both(mine: str, its: str) -> bool:
            with closing(PostgresEventStore(address, busy_timeout=20_000)) as own:
                try:
                    with own.exclusive(mine):
                        meet.wait()
                        with own.exclusive(its):
                            return True
                except StoreLockedError:
                    return False

        with ThreadPoolExecutor(2) as pool:
            done = [pool.submit(both, *pair) for pair in (("a", "b"), ("b", "a"))]
            assert sorted(each.result() for each in done) == [False, True]

    def test_are_many_when_tables_are_made(self, address: str) -> None:
        with ThreadPoolExecutor(6) as pool:
            stores = [*pool.map(PostgresEventStore, [address] * 6)]
        for each in stores:
            assert each.layout == 1
            each.close()


class TestNames:
    @pytest.mark.parametrize("text", ["\0", "\x1a", "a\0b\x1a0", "\x1a1\0", "'\"\\%s %(a)s $1 ?"])
    def test_of_any_characters_are_kept(self, store: PostgresEventStore, text: str) -> None:
        store.append(text, 0, [an_event(text, 1, content=f"said {text}")])
        assert store.sessions() == (text,)
        [event] = store.read(text)
        assert event.payload.model_dump()["content"] == f"said {text}"
        assert [hit.session_id for hit in store.search("said", session=text)] == [text]
        assert store.search(text) in ([], store.search("said"))
        assert store.known_ids([f"{text}/1", "x"]) == {f"{text}/1"}
        assert store.verify() == ()


class TestSearch:
    QUERIES = (
        "port", "8080 port", "jwt.py", "src/auth/j", "タワー", "東京タワー", "zurich", "Ünïcode", "a", "ab",
        "don't", "x_y", "foo-bar", "1.5", "naïve café", "word", "long wor", "日", "ﬁ", "İ", "²", "e\u0301",
    )  # fmt: skip
    TEXTS = (
        "Port 8080 is taken", "Authentication in src/auth/jwt.py", "src auth jwt", "東京タワーの設計",
        "Zürich and UNÏCODE", "a ab abc", "don't x_y foo-bar 1.5", "a naive cafe, naïve café",
        "word " * 50, "long word", "ﬁre İstanbul x² é", "", "the port: 9090\nport again",
    )  # fmt: skip

    @pytest.mark.parametrize("query", QUERIES)
    def test_finds_what_the_store_in_a_file_finds(
        self, store: PostgresEventStore, query: str
    ) -> None:
        texts = [text or "nothing" for text in self.TEXTS]
        with closing(SqliteEventStore(":memory:")) as other:
            for each in (store, other):
                say(each, "s", *texts)
            found, expected = (each.search(query) for each in (store, other))
        assert found == expected

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.sampled_from(NASTY) | st.text(max_size=4), min_size=1, max_size=6))
    def test_and_all_else_takes_names_texts_and_queries_as_data(
        self, store: PostgresEventStore, parts: list[str]
    ) -> None:
        name = f"{len(store.sessions())} {''.join(parts)}"
        store.append(name, 0, [an_event(name, 1, content=name)])
        assert [hit.session_id for hit in store.search(name, session=name)] == [name]
        for part in parts:
            assert store.search(part, session=name, limit=5) == store.search(part, session=name)
            assert store.deliveries(name, part) == []
            assert store.output(name, part) is None
            assert store.snapshot(name, part, 1, 5) is None
            assert not store.is_purged(part)
            assert store.known_ids([part]) == frozenset()
        assert store.verify() == ()

    NUMBERS = count()

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_gives_them_in_the_order_of_a_look_at_each_text(
        self, store: PostgresEventStore, data: st.DataObject
    ) -> None:
        store.purge_all(store.sessions())
        with pytest.MonkeyPatch.context() as patch:
            found_as_listed(store, data, patch, f"s-{next(self.NUMBERS)}")

    def test_finds_in_a_text_of_very_many_words(self, store: PostgresEventStore) -> None:
        words = " ".join(f"{number:x}word{number}" for number in range(70_000))
        say(store, "s", words, "short")
        assert [hit.version for hit in store.search("69999")] == []
        assert [hit.version for hit in store.search("1116fword69999")] == [1]
        assert [hit.version for hit in store.search("short")] == [2]

    def test_of_many_at_once_finds_everything(self, address: str) -> None:
        with ThreadPoolExecutor(4) as pool, closing(PostgresEventStore(address)) as store:

            def work(name: str) -> int:
                for number in range(10):
                    store.append(name, number, [an_event(name, number + 1, content="port")])
                    assert len(store.search("port", session=name, limit=100)) == number + 1
                return 10

            assert sum(pool.map(work, "abcd")) == len(store.search("port", limit=100)) == 40


class TestWaiting:
    def test_hears_of_a_new_event(self, address: str, store: PostgresEventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        assert store.wait("s", 1, timeout=0) == 1
        with ThreadPoolExecutor(1) as pool, link_to(address) as link:
            heard = pool.submit(store.wait, "s", 1, timeout=60)
            while not link.execute(
                "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
            ).fetchall():
                assert not heard.done()
            store.append("t", 0, [an_event("t", 1)])
            store.append("s", 1, [an_event("s", 2)])
            assert heard.result(60) == 2


class TestCopy:
    def test_goes_both_ways_and_is_the_same(
        self, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        first, back = tmp_path / "hud.db", tmp_path / "back.db"
        with HudStore.open(first) as store:
            for name in ("one", "two\0", "gone"):
                session = store.session(name)
                for number in range(30):
                    session.record("note.add", content=f"note {number} of {name}")
                session.record("compact.after", summary="so far")
            store.keeping.archive("one")
            store.keeping.erase("one", 3)
            store.keeping.purge("gone")
            expected = {name: str(store.session(name).hud()) for name in store.sessions()}
        assert main(["store", "copy", str(first), address]) == 0
        capsys.readouterr()
        assert main(["store", "copy", str(first), address, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["copied"] == 0
        assert main(["store", "copy", address, str(back)]) == 0
        for place in (address, back):
            with HudStore.open(place) as store:
                assert store.sessions() == ("one", "two\0")
                assert {name: str(store.session(name).hud()) for name in expected} == expected
                assert store.keeping.verify() == ()
                with pytest.raises(StoreError, match="purged"):
                    store.session("gone").record("note.add", content="again")

    def test_goes_on_where_it_was_interrupted(
        self, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with (
            closing(SqliteEventStore(tmp_path / "hud.db")) as source,
            closing(PostgresEventStore(address)) as target,
        ):
            for name in ("a", "b"):
                source.append(name, 0, [*a_long_session(name, events=700), a_compaction(name, 701)])

            def interrupted(after: int) -> Iterator[tuple[int, Any]]:
                yield from islice(SqliteEventStore.all_rows(source, after), 600)
                raise KeyboardInterrupt

            with monkeypatch.context() as patched:
                patched.setattr(source, "all_rows", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    copy_store(source, target)
            assert 0 < target.head("a").version < 701
            done = copy_store(source, target)
            assert (done.sessions, done.events) == (2, 1_402)
            assert done.copied < 1_402
            target.append("b", 701, [an_event("b", 702)])
            with pytest.raises(StoreError, match='"b" is not the same'):
                copy_store(source, target)


class TestCommands:
    def test_take_the_address(self, address: str, capsys: pytest.CaptureFixture[str]) -> None:
        at = ["--store", address]
        assert main(["session", "list", *at]) != 0  # nothing is made by looking
        assert "no store in this database" in capsys.readouterr().err
        assert main(["record", "s", "session.start", *at]) == 0
        assert main(["record", "s", "note.add", "--content", "Port 8080", *at]) == 0
        for command in (
            ["session", "list"], ["session", "show", "s"], ["hud", "s"], ["session", "search", "port"],
            ["session", "export", "s"], ["store", "sweep"], ["session", "archive", "s"],
        ):  # fmt: skip
            assert main([*command, *at]) == 0, capsys.readouterr()
        capsys.readouterr()
        assert main(["doctor", address]) == 0
        assert "all as they were written" in capsys.readouterr().out
        assert main(["session", "purge", "s", "--yes", *at]) == 0
        for command in (["store", "repair"], ["store", "checkpoint"]):
            assert main([*command, *at]) != 0
        assert "tools of its own" in capsys.readouterr().err
