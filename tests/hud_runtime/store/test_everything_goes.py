"""A deleted session takes everything of it along: from every table, from every file, from integrations' folders."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, SnapshotPolicy
from hud_runtime.integrations.claude_code import install as install_claude_code
from hud_runtime.integrations.opencode import OpenCode
from hud_runtime.integrations.opencode import install as install_opencode
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.store.statements import Statements
from tests.hud_runtime.store.test_full_disk import in_steps
from tests.hud_runtime.store.test_purge import bytes_of

WORDS = "zebra quagga okapi"
"""Words that nothing else says."""


def fill(path: Path) -> HudStore[Any]:
    """Return a store with a session of which there is something in every table, and its child."""
    store = HudStore.open(path, clock=Ticking(), snapshots=SnapshotPolicy(every=5))
    session = store.session("gone")
    for number in range(20):
        session.record("note.add", content=f"{WORDS} {number}")
        if number == 10:
            session.record("compact.after", summary=WORDS)
    session.record("decision.record", summary=f"{WORDS} is decided")
    session.record("blocker.add", description="a child of it inherits this")
    child = store.session("child", parent="gone")
    child.record("note.add", content="harmless")
    store.keeping.erase("gone", 3)
    for number in range(20, 26):
        session.record("note.add", content=f"{WORDS} {number}")
    store.search("quagga")
    session.refresh()
    session.delivered(session.deliver().id)
    session.keep_output("o-1", f"{WORDS} in an output")
    assert store.keeping.archive("gone") > 5
    return store


def held(path: Path) -> dict[str, int]:
    """Return how many rows of the session there are, by table."""
    with closing(sqlite3.connect(path)) as db:
        tables = db.execute(
            "SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c"
            " WHERE m.type = 'table' AND c.name = 'session_id' AND m.name NOT LIKE 'hud_search_%'"
        ).fetchall()
        return {
            name: db.execute(f"SELECT count(*) FROM {name} WHERE session_id = 'gone'").fetchone()[0]
            for (name,) in tables
        }


@pytest.mark.parametrize("steps", [None, 3], ids=["at once", "in steps"])
def test_m1_a_deleted_session_takes_everything_along(
    tmp_path: Path, statements: Statements, steps: int | None
) -> None:
    with fill(tmp_path / "hud.db") as store:
        before = held(tmp_path / "hud.db")
        assert {name for name, rows in before.items() if not rows} == {"hud_tombstone"}
        assert WORDS.encode() in bytes_of(tmp_path)
        if steps is not None:
            in_steps(statements, tmp_path / "hud.db", steps)
        store.keeping.purge("gone")
        statements.before = None
        after = held(tmp_path / "hud.db")
        assert {name: rows for name, rows in after.items() if rows} == {"hud_tombstone": 1}
        # The child has a copy of the decision, which is its own; so it goes with the child.
        left = bytes_of(tmp_path)
        for number in range(26):
            assert f"{WORDS} {number}".encode() not in left
        assert store.search("quagga")[0].session_id == "child"
        store.keeping.purge("child")
        left = bytes_of(tmp_path)
        assert all(word.encode() not in left for word in WORDS.split())
        assert b"inherits" not in left
    left = bytes_of(tmp_path)
    assert all(word.encode() not in left for word in WORDS.split())


def test_m1_children_keep_what_they_inherited(tmp_path: Path) -> None:
    with fill(tmp_path / "hud.db") as store:
        before = store.session("child").hud(density="full").text
        assert "is decided" in before
        store.keeping.purge("gone")
        assert store.session("child").hud(density="full").text == before
    with HudStore.open(tmp_path / "hud.db") as store:
        assert store.session("child").hud(density="full").text == before
        assert store.keeping.verify() == ()


def test_m1_many_are_swept_at_once(tmp_path: Path) -> None:
    with fill(tmp_path / "hud.db") as store:
        old = store.keeping.unused_for(0, now=2**50)
        assert {*old} == {"gone", "child"}
        counts = store.keeping.purge_all(old)
        assert counts["child"] == 2
        assert store.sessions() == ()
        assert store.keeping.purge_all([]) == {}
        assert all(word.encode() not in bytes_of(tmp_path) for word in WORDS.split())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("UJSX_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("HOME", "home"),
                         ("XDG_RUNTIME_DIR", "run"), ("UJSX_CONFIG", "trust")):  # fmt: skip
        (tmp_path / folder).mkdir(mode=0o700, exist_ok=True)
        monkeypatch.setenv(name, str(tmp_path / folder))
    return tmp_path


def opencode_session(bridge: OpenCode) -> None:
    def tell(kind: str, **event: object) -> None:
        line = ["ses_gone"]
        bridge.hook(json.dumps({"type": kind, "line": line, **event}).encode())

    said = [{"type": "text", "text": f"Look after the {WORDS}."}]
    tell("chat.message", message={"id": "msg_1"}, parts=said)
    call = {"tool": "bash", "args": {"command": "echo quagga"}, "callID": "c"}
    tell("tool.execute.after", **call, output={"output": WORDS})
    tell("request", messages=["msg_1"])
    arguments = {"op": "notes.add", "content": WORDS}
    given = {"line": ["ses_gone"], "tool": "hud", "arguments": {"call": arguments}}
    bridge.call(json.dumps(given).encode())
    bridge.hook(json.dumps({"type": "session.deleted", "line": ["ses_gone"]}).encode())


def test_m1_no_file_of_an_integration_keeps_anything(home: Path) -> None:
    install_opencode()
    install_claude_code()
    with HudStore.open() as store:
        opencode_session(OpenCode(lambda: store))
        assert store.sessions() == ()
    assert (home / "data" / "hud.db").is_file()
    assert sum(path.is_file() for path in home.rglob("*")) >= 3
    left = bytes_of(home)
    for word in (*WORDS.split(), "Look after"):
        assert word.encode() not in left


def test_m1_a_session_deleted_in_opencode_stays_where_that_is_asked_for() -> None:
    with HudStore.open(":memory:") as store:
        opencode_session(OpenCode(lambda: store, keeps_deleted=True))
        assert store.sessions() == ("ses_gone",)
        assert store.session("ses_gone").state().notes[0].content == WORDS


def test_m3_nobody_else_can_read_what_is_stored(home: Path) -> None:
    with HudStore.open() as store:
        store.session("s").record("compact.after", summary="x")
        store.session("s").record("note.add", content="y")
        store.keeping.archive("s")
        store.search("y")
        for path in (home / "data").rglob("*"):
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o700 if path.is_dir() else 0o600), path
    with HudStore.open() as store:
        store.keeping.backup(home / "data" / "backup")
    for path in (home / "data" / "backup").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_m3_the_docs_say_that_it_is_not_encrypted() -> None:
    docs = Path(__file__).parents[3] / "docs"
    for page in ("do/govern-what-is-stored.md", "understand/what-is-stored-where.md"):
        assert "not encrypted" in (docs / page).read_text("utf-8"), page
