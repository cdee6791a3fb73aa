"""A session's address, whatever its id has in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.mcp._resources import address_of, content_of, uri_of

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
