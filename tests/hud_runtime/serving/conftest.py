"""Fixtures of the tests of the server over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")

from hud_runtime.log.store import SqliteEventStore
from hud_runtime.serve.http import Application, ServerLimits, Tokens

PLENTY = ["rate=100000", "burst=100000"]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Any]:
    opened = SqliteEventStore(tmp_path / "hud.db")
    yield opened
    opened.close()


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(tmp_path / "tokens.json")


@pytest.fixture
def made(log: Any, tokens: Tokens) -> Callable[..., Application]:
    """Makes an application of the store, with limits as they are given to the command."""

    def make(*limits: str, **settings: Any) -> Application:
        return Application(log, tokens, limits=ServerLimits.of([*PLENTY, *limits]), **settings)

    return make
