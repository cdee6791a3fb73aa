"""The log in PostgreSQL: the contract, and what is this engine's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hud_runtime.log.postgres import PostgresEventStore
from hud_runtime.log.store import EventStore
from tests.hud_runtime.store.contract import EventStoreContract


class TestContract(EventStoreContract):
    @pytest.fixture
    def store(self, address: str) -> Iterator[EventStore]:
        store = PostgresEventStore(address)
        yield store
        store.close()
