"""A session's address, whatever its id has in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.serve.mcp import _server
from hud_runtime.serve.mcp._server import address_of, content_of, part_of, uri_of

ids = st.text(min_size=1).filter(lambda text: text.strip() == text)


class TestAddress:
    @given(ids, st.sampled_from(["json", "markdown"]))
    def test_is_read_back(self, session_id, form):
        uri = uri_of(session_id, form)
        assert address_of(uri) == (session_id, form)
        assert uri.isascii()
        assert uri.count("/") == (4 if form == "markdown" else 3)

    @pytest.mark.parametrize(
        "uri",
        [
            "",
            "hud://session/",
            "hud://session",
            "file:///etc",
            "hud://session/a/html",
            "hud://session/a/b/markdown",
        ],
    )
    def test_is_none_for_other_uris(self, uri):
        assert address_of(uri) is None


class TestContent:
    def test_is_the_state_or_the_hud(self):
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.record("task.set", description="# Add a login")
            data = json.loads(content_of(session, "json"))
            assert (data["session_id"], data["version"]) == ("s", 2)
            assert data["state"]["task"]["description"] == "# Add a login"
            assert "\\# Add a login" in content_of(session, "markdown")

    def test_is_what_another_process_has_recorded(self, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store, HudStore.open(path) as other:
            session = store.session("s")
            for number in range(2):
                other.session("s").record("note.add", content=f"Port {number}")
                assert f"Port {number}" in content_of(session, "markdown")
                other.session("s").record("note.add", content=f"Host {number}")
                told = json.loads(content_of(session, "json"))
                assert told["state"]["notes"][-1]["content"] == f"Host {number}"
                assert told["version"] == 3 + 2 * number

    @pytest.mark.parametrize("form", ["json", "markdown"])
    def test_that_is_long_comes_in_parts(self, form, monkeypatch):
        monkeypatch.setattr(_server, "LONGEST", 2_000)
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            shown_in = session.hud
            monkeypatch.setattr(session, "hud", lambda **how: shown_in(budget="off"))
            for number in range(30):
                session.record("note.add", content=f"Note {number} " + "y" * 1_000)
            uri, found = uri_of("s", form), []
            while uri:
                text = content_of(session, form, part_of(uri))
                assert len(text) < 2_000 * 1.3
                if form == "json":
                    data = json.loads(text)
                    found.append(data["state_json"])
                    uri = data["next"]
                else:
                    shown, _, where = text.rpartition("\n\nPart ")
                    found.append(shown)
                    uri = where.strip().partition("; the next: ")[2]
            assert len(found) > 1
            if form == "json":
                assert json.loads("".join(found)) == session.state().model_dump(mode="json")
            else:
                assert "".join(found) == session.hud(budget="off").text
            assert content_of(session, form, len(found) + 1) is None
