"""Which session a client works in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hud_components import CODING, Domain, NotesSection
from hud_runtime import HudStore, ServeError, StoreUnavailableError
from hud_runtime.serve.mcp import Sessions, serve

ROOT = Path(__file__).parents[3]


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:") as opened:
        yield opened


class TestSessions:
    def test_follow_the_first_root_that_is_a_folder_here(self, store, tmp_path):
        sessions = Sessions(store)
        assert sessions.wants_roots
        sessions.follow(["https://host/a", "file:///no/such/folder", tmp_path.as_uri()])
        assert sessions.current().id == str(tmp_path)
        assert sessions.current().state().session.project == str(tmp_path)
        assert not sessions.wants_roots

    def test_follow_the_current_folder_without_a_root(self, store, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        sessions = Sessions(store)
        sessions.follow([])
        assert sessions.current().id == str(tmp_path)

    def test_ask_again_when_the_roots_have_changed(self, store, tmp_path):
        sessions = Sessions(store)
        sessions.follow([])
        sessions.forget()
        assert sessions.wants_roots

    def test_a_folder_that_is_given_wins_over_the_roots(self, store, tmp_path):
        sessions = Sessions(store, folder=tmp_path)
        assert not sessions.wants_roots
        sessions.follow(["file:///"])
        assert sessions.current().id == str(tmp_path)

    def test_a_session_that_is_named_is_that_one(self, store, tmp_path):
        sessions = Sessions(store, session_id="mine", folder=tmp_path)
        assert sessions.current().id == "mine"
        assert not sessions.wants_roots

    def test_a_session_of_another_project_is_resumed_by_its_id(self, store, tmp_path):
        store.session("mine", "elsewhere")
        session = Sessions(store, session_id="mine", folder=tmp_path).current()
        assert session.state().session.project == "elsewhere"

    def test_stay_in_memory_between_calls(self, store, tmp_path):
        sessions = Sessions(store, folder=tmp_path)
        assert sessions.current() is sessions.current()

    def test_reading_starts_none(self, store):
        assert Sessions(store).find("nobody") is None
        assert store.sessions() == ()

    def test_what_names_no_folder_is_passed_over(self, store, tmp_path):
        folder = tmp_path / "my shop ä%20"
        folder.mkdir()
        others = ["", "file:", "http://x/y", "file:relative", "file:///a%00b"]
        sessions = Sessions(store)
        sessions.follow([*others, folder.as_uri()])
        assert sessions.current().id == str(folder)


class TestServe:
    def test_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "mcp", None)
        with pytest.raises(ServeError, match=r'pip install "ujsx\[mcp\]"'):
            serve(":memory:")

    def test_refuses_a_folder_that_is_none(self, tmp_path):
        with pytest.raises(ServeError, match="nowhere is not a folder"):
            serve(":memory:", project=tmp_path / "nowhere")
        (tmp_path / "file").touch()
        with pytest.raises(ServeError, match="file is not a folder"):
            serve(":memory:", project=Path(tmp_path / "file"))


class TestImports:
    def test_tools_are_those_of_the_session_that_is_served(self, tmp_path):
        desk = Domain("desk", [NotesSection])
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("code").record("decision.record", summary="Use JWT")
        with HudStore.open(path, domain=desk) as store:
            assert Sessions(store, session_id="code").domain is CODING
            assert Sessions(store, session_id="not begun").domain is desk
            assert Sessions(store).domain is desk
        with HudStore.open(path, domain=desk) as store:
            store.session("t-1")
        with HudStore.open(path) as store:  # a session whose domain is not loaded
            assert Sessions(store, session_id="t-1").domain is CODING

    def test_tools_of_a_store_that_was_away_are_asked_for_again(self, tmp_path, monkeypatch):
        desk = Domain("desk", [NotesSection])
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("code")
        with HudStore.open(path, domain=desk) as store:
            sessions = Sessions(store, session_id="code")

            def away(*_: object) -> object:
                raise StoreUnavailableError("gone")

            with monkeypatch.context() as patch:
                patch.setattr(store._events, "head", away)
                assert sessions.domain is desk
            assert sessions.domain is CODING

    def test_the_sdk_is_loaded_by_nothing_but_the_server(self):
        script = (
            "import sys, hud_runtime.serve.mcp, hud_runtime.tools, hud_runtime.cli._serve;"
            "print([name for name in ('mcp', 'mcp_types', 'anyio', 'sqlite3') if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"
