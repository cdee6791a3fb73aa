"""What needs no server: addresses and what is told of them, rights as SQL, text, and copies between files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudStore, StoreError, StoreUnavailableError
from hud_runtime.cli import main
from hud_runtime.integrations.bridge import place_of
from hud_runtime.log.postgres import role_script
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.inside import Backoff, Breaker, copy_store
from tests.hud_runtime.store.contract import a_long_session, an_event, an_output
from tests.ids import looped

PARTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
SECRETS = st.text("abcdefgh:/@?#%& '\\=", min_size=6, max_size=20).filter(
    lambda text: len(set(text)) > 3
)


class TestAddress:
    @looped("place", ["postgresql://db/hud", "postgres://ann@db:1/hud?a=b"])
    def test_is_no_path(self, place: str) -> None:
        assert place_of(place).store == place
        assert place_of(f"./{place}").store == Path(place).absolute()
        assert place_of(place).socket != place_of(f"{place}2").socket

    @given(SECRETS)
    @settings(max_examples=10)
    def test_with_a_password_is_known_for_one(
        self, tmp_path_factory: pytest.TempPathFactory, secret: str
    ) -> None:
        hidden, place = quote(secret, safe=""), str(tmp_path_factory.mktemp("project"))
        for address, is_one in (
            (f"postgresql://ann:{hidden}@db/hud", True),
            (f"postgresql://ann@db/hud?password={hidden}", True),
            (f"postgresql://{hidden}@db/hud?user={hidden}", False),
        ):
            with (
                pytest.MonkeyPatch.context() as patch,
                redirect_stderr(StringIO()) as told,
                redirect_stdout(StringIO()),
            ):
                for name in ("CLAUDE_CONFIG_DIR", "UJSX_HOME"):
                    patch.setenv(name, f"{place}-of-its-own")
                main(["install", "claude-code", "--project", place, "--store", address])
            assert ("password file" in told.getvalue()) is is_one

    @given(PARTS, SECRETS, PARTS)
    @settings(max_examples=10, deadline=None)
    def test_is_told_without_its_password(self, user: str, secret: str, name: str) -> None:
        pytest.importorskip("psycopg_pool")
        from hud_runtime.log.postgres import PostgresEventStore

        user, hidden, name = (quote(each, safe="") for each in (user, secret, name))

        def told(password: str, more: str) -> str:
            address = f"postgresql://{user}{password}@127.0.0.1:1/{name}{more}"
            with pytest.raises(StoreUnavailableError, match="cannot be reached") as refused:
                PostgresEventStore(address, busy_timeout=1)
            return str(refused.value)

        assert told(f":{hidden}", "?sslpassword=hush-hush") == told("", "")

    @given(SECRETS)
    def test_that_cannot_be_read_is_not_repeated(self, secret: str) -> None:
        pytest.importorskip("psycopg_pool")
        with pytest.raises(StoreError, match="not an address") as caught:
            HudStore.open(f"postgresql://ann:{secret}%zz@[db/hud")
        assert secret not in str(caught.value)
        assert caught.value.__cause__ is None

    def test_with_a_password_is_not_written_into_settings_of_hosts(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        address = "postgresql://ann:hush-hush@db/hud"
        assert main(["install", "claude-code", "--project", str(tmp_path), "--store", address]) != 0
        told = capsys.readouterr()
        assert "password file" in told.err
        assert "hush" not in told.err + told.out
        assert [*tmp_path.iterdir()] == []

    @looped(
        "address",
        ["postgresql://ann:hush@db", "postgresql://ann:hush", "postgresql://db?password=hush"],
    )
    @looped(
        "command",
        [
            "hud ADDRESS",
            "session list ADDRESS",
            "store restore ADDRESS",
            "ADDRESS",
            "parse ADDRESS",
        ],
    )
    def test_at_the_wrong_place_is_repeated_without_its_password(
        self, capsys: pytest.CaptureFixture[str], address: str, command: str
    ) -> None:
        assert main(command.replace("ADDRESS", address).split()) != 0
        told = capsys.readouterr()
        assert "postgresql:" in told.err
        assert "hush" not in told.out + told.err

    @pytest.mark.parametrize("size", [1_000, 100_000])
    def test_of_great_length_is_looked_through_once(self, size: int) -> None:
        for part in ("postgres:", "postgresql://a:1", "password", "a:b@"):
            begin = time.process_time()
            with redirect_stderr(StringIO()) as told:
                assert main(["parse", part * size]) != 0
            assert told.getvalue()
            assert time.process_time() - begin < 2

    def test_whose_port_is_none_is_refused(self) -> None:
        pytest.importorskip("psycopg_pool")
        from hud_runtime.log.postgres import PostgresEventStore

        with pytest.raises(StoreError, match="not an address"):
            HudStore.open("postgresql://ann:hush")
        with pytest.raises(StoreUnavailableError, match="cannot be reached"):
            PostgresEventStore("postgresql://127.0.0.1:1,127.0.0.1:2/hud", busy_timeout=1)

    def test_without_psycopg_is_refused_by_the_name_of_the_extra(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [each for each in sys.modules if each.startswith("hud_runtime.log.postgres.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(StoreError, match=r'pip install "ujsx\[postgres\]"'):
            HudStore.open("postgresql://db/hud")

    def test_is_no_file_to_mend(self) -> None:
        for work in (HudStore.repair, lambda place: HudStore.restore("backup", place)):
            with pytest.raises(StoreError, match="own tools"):
                work("postgresql://db/hud")


class TestRole:
    @given(st.text(max_size=20))
    def test_is_a_name_and_nothing_more(self, name: str) -> None:
        if not name or "\0" in name or len(name.encode("utf-8", "replace")) > 63:
            with pytest.raises(StoreError, match="a name of 1 to 63 bytes"):
                role_script(name)
            return
        quoted = '"' + name.replace('"', '""') + '"'
        usual = role_script("fleet")
        assert role_script(name) == usual.replace('"fleet"', quoted)

    def test_may_never_change_the_log(self) -> None:
        for work in ("record", "read"):
            for line in role_script("fleet", work).splitlines():
                if line.startswith("GRANT") and ("UPDATE" in line or "DELETE" in line):
                    assert "hud_event" not in line
                    assert "hud_archive" not in line
                    assert "hud_tombstone" not in line

    def test_is_printed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["store", "role", "fleet", "--read", "--schema", "team"]) == 0
        assert 'GRANT SELECT ON "team".hud_event' in capsys.readouterr().out


class TestCopy:
    def test_has_all_that_was_there(self, tmp_path: Path) -> None:
        with (
            closing(SqliteEventStore(tmp_path / "one.db")) as source,
            closing(SqliteEventStore(tmp_path / "two.db")) as target,
        ):
            source.append("s", 0, a_long_session("s", 4, 8))
            source.append("t", 0, [an_event("t", 1)])
            source.append("gone", 0, [an_event("gone", 1)])
            source.keep_output(an_output("o-1", "text"))
            source.archive("s")
            source.purge("gone")
            done = copy_store(source, target)
            assert (done.sessions, done.events, done.copied, done.archived) == (2, 13, 13, 7)
            assert [each for _, each in target.read_all()] == [
                each for _, each in source.read_all()
            ]
            assert target.outputs("s") == source.outputs("s")
            assert target.is_purged("gone")
            assert target.verify() == ()
            assert copy_store(source, target).copied == 0

    def test_into_another_story_is_refused(self, tmp_path: Path) -> None:
        with (
            closing(SqliteEventStore(tmp_path / "one.db")) as source,
            closing(SqliteEventStore(tmp_path / "two.db")) as target,
        ):
            source.append("s", 0, [an_event("s", 1), an_event("s", 2)])
            target.append("s", 0, [an_event("s", 1, content="another")])
            with pytest.raises(StoreError, match='"s" is not the same in both stores: its event 1'):
                copy_store(source, target)
            assert target.head("s").version == 1

    def test_onto_itself_is_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        place = str(tmp_path / "one.db")
        SqliteEventStore(place).close()
        assert main(["store", "copy", place, str(tmp_path / "." / "one.db")]) != 0
        assert "one store" in capsys.readouterr().err


class TestServerThatIsAway:
    """There is none at port 1, which no server is given."""

    @pytest.fixture
    def tried(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """What connections were asked for, other than by a pool in the background."""
        psycopg = pytest.importorskip("psycopg")
        pytest.importorskip("psycopg_pool")
        tried, real = list[str](), psycopg.connect

        def connect(*args: object, **named: object) -> object:
            tried.append(str(named["port"]))
            return real(*args, **named)

        monkeypatch.setattr(psycopg, "connect", connect)
        return tried

    @pytest.fixture
    def now(self) -> list[float]:
        return [0.0]

    @pytest.fixture
    def connections(self, tried: list[str], now: list[float]) -> Iterator[Any]:
        from tests.hud_runtime.inside import Connections

        address = "postgresql://fleet@127.0.0.1:1/hud"
        made = Connections(address, busy_timeout=50, durable=False, read_only=False, most=2)
        made.breaker = Breaker(Backoff(0.25, 5.0), lambda: now[0])
        with closing(made):
            yield made

    def test_is_waited_for_by_one_and_the_others_are_told_at_once(
        self, connections: Any, tried: list[str], now: list[float]
    ) -> None:
        for work in (
            lambda: connections.again(never, "nothing was read"),
            lambda: connections.again(never, "nothing was read", alone=True),
        ):
            with pytest.raises(StoreUnavailableError, match="cannot be reached"):
                work()
            looked = len(tried)
            for _ in range(9):
                with pytest.raises(StoreUnavailableError, match=r"again in [0-9.]+ s$"):
                    work()
            assert len(tried) == looked
            now[0] += 5.0

    def test_is_asked_all_the_same_where_something_may_have_been_done(
        self, connections: Any, tried: list[str]
    ) -> None:
        connections.breaker.failed(StoreUnavailableError("it was away"))
        with pytest.raises(StoreUnavailableError, match="cannot be reached"):
            connections.again(never, "not known", insists=True)
        assert tried


def never(*_: object, **__: object) -> None:
    raise AssertionError("there was a server")
