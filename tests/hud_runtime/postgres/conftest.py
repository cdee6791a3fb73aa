"""Fixtures of the tests with a PostgreSQL server. They run where ``UJSX_POSTGRES`` is 1: "make postgres"."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count

import pytest

from tests.hud_runtime.postgres.servers import Server, serving

collect_ignore = (
    []
    if find_spec("psycopg")
    else ["test_crash.py", "test_engine.py", "test_retries.py", "test_serving.py", "test_store.py"]
)

_numbers = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if os.environ.get("UJSX_POSTGRES") != "1":
        pytest.skip('it needs a PostgreSQL server: "make postgres" starts one')
    with serving() as one:
        yield one


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    """The address of an empty schema."""
    name = f"hud_{next(_numbers)}"
    yield server.make(name)
    server.drop(name)
