"""``ujsx token``, and what ``ujsx serve --http`` refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hud_runtime.serve.http import Tokens


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UJSX_HOME", str(tmp_path))
    return tmp_path / "tokens.json"


def test_a_token_is_printed_once(ujsx: Any, place: Path) -> None:
    done = ujsx("token", "add", "shop")
    text = done.out.strip()
    [token] = Tokens(place).all()
    assert Tokens(place).of(text) == token
    assert token.id in done.err
    assert text not in done.err
    listed = ujsx("token", "list").out
    assert token.id in listed
    assert text[-20:] not in listed
    assert json.loads(ujsx("token", "list", "--json").out) == [
        {"id": token.id, "for": "project", "project": "shop", "made_at": token.made_at}
    ]


def test_a_revoked_one_is_gone(ujsx: Any, place: Path) -> None:
    ujsx("token", "add", "--metrics")
    [token] = Tokens(place).all()
    assert "(metrics)" in ujsx("token", "list").out
    assert ujsx("token", "revoke", token.id).out == f"token {token.id} is valid no more\n"
    assert "there are no tokens" in ujsx("token", "list").out
    assert "there is no token" in ujsx("token", "revoke", token.id).refusal


def test_they_stand_beside_the_store_that_is_named(ujsx: Any, place: Path, tmp_path: Path) -> None:
    ujsx("token", "add", "shop", "--store", tmp_path / "fleet" / "hud.db")
    ujsx("token", "add", "shop", "--tokens", tmp_path / "own.json")
    assert not place.exists()
    assert (tmp_path / "fleet" / "tokens.json").stat().st_mode & 0o777 == 0o600
    assert len(Tokens(tmp_path / "own.json").all()) == 1


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (("token", "add"), "name one project, or give --metrics"),
        (("token", "add", "shop", "--metrics"), "name one project, or give --metrics"),
        (("token", "add", "a/b"), "not a valid name for a project"),
        (("token", "revoke", "x"), "there are none"),
        (("serve", "--tokens", "x"), "are of --http"),
        (("serve", "--http", "x"), "is not an address"),
        (("serve", "--http", "0", "--limit", "rats=1"), 'did you mean "rate"'),
        (("serve", "--http", "0", "--memory"), "not served over HTTP"),
        (("serve", "--http", "0", "--bridge", "x"), "for many"),
        (("serve", "--http", "0", "--project", "nowhere"), "is not a folder"),
    ],
)
def test_what_cannot_be_is_told(ujsx: Any, place: Path, arguments: Any, refusal: str) -> None:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
    assert refusal in ujsx(*arguments).refusal
