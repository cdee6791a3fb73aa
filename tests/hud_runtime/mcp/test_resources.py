"""A session's resources, whatever its id has in it, and however long it is."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudSession, HudStore
from hud_runtime.serve.mcp import Sessions, hud_server

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")

ids = st.text(min_size=1).filter(lambda text: text.strip() == text)


def read(store: HudStore[Any], *uris: str, own: str = "s") -> list[str | None]:
    """Return what resources say; None for those that are not there."""

    async def each() -> list[str | None]:
        found: list[str | None] = []
        async with mcp.Client(hud_server(Sessions(store, session_id=own))) as client:
            for uri in uris:
                try:
                    [content] = (await client.read_resource(uri)).contents
                    found.append(content.text)
                except mcp.MCPError:
                    found.append(None)
        return found

    return anyio.run(each)


@given(ids)
def test_an_address_has_any_id(session_id: str) -> None:
    with HudStore.open(":memory:") as store:
        state, shown = read(
            store,
            f"hud://session/{quote(session_id, safe='')}",
            f"hud://session/{quote(session_id, safe='')}/markdown",
            own=session_id,
        )
        assert json.loads(state or "")["session_id"] == session_id
        assert shown == "Nothing recorded yet.\n"
        assert store.sessions() == (), "reading begins none"


def test_other_addresses_lead_nowhere() -> None:
    others = ["hud://session/", "hud://session", "file:///etc", "hud://session/a/html", "hud://session/a/b/markdown"]  # fmt: skip
    with HudStore.open(":memory:") as store:
        assert read(store, *others) == [None] * len(others)


def test_it_is_the_state_and_the_hud() -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        store.session("s").record("task.set", description="# Add a login")
        state, shown = read(store, "hud://session/s", "hud://session/s/markdown")
        data = json.loads(state or "")
        assert (data["session_id"], data["version"]) == ("s", 2)
        assert data["state"]["task"]["description"] == "# Add a login"
        assert "\\# Add a login" in (shown or "")


def test_it_is_what_another_process_has_recorded(tmp_path: Any) -> None:
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store, HudStore.open(path) as other:
        store.session("s")
        for number in range(2):
            other.session("s").record("note.add", content=f"Port {number}")
            [shown] = read(store, "hud://session/s/markdown")
            assert f"Port {number}" in (shown or "")
            other.session("s").record("note.add", content=f"Host {number}")
            [state] = read(store, "hud://session/s")
            told = json.loads(state or "")
            assert told["state"]["notes"][-1]["content"] == f"Host {number}"
            assert told["version"] == 3 + 2 * number


@pytest.mark.parametrize("form", ["", "/markdown"])
def test_what_is_long_comes_in_parts(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session, whole = store.session("s"), HudSession.hud
        monkeypatch.setattr(
            HudSession, "hud", lambda self, **_: whole(self, density="full", budget="off")
        )
        for number in range(14):
            session.record("note.add", content=f"Note {number} " + "y" * 10_000)
        uri, found = f"hud://session/s{form}", []
        while uri:
            [text] = read(store, uri)
            assert text is not None
            assert len(text) < 60_000 * 1.3
            if form == "":
                data = json.loads(text)
                found.append(data["state_json"])
                uri = data["next"]
            else:
                shown, _, where = text.rpartition("\n\nPart ")
                found.append(shown)
                uri = where.strip().partition("; the next: ")[2]
        assert len(found) == 3
        if form == "":
            assert json.loads("".join(found)) == session.state().model_dump(mode="json")
        else:
            assert "".join(found) == session.hud().text
        assert read(store, f"hud://session/s{form}?part=4") == [None]
