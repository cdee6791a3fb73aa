"""Outboxes are delivered when a test says so."""

from __future__ import annotations

import threading

import pytest


@pytest.fixture(autouse=True)
def _by_the_test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that was away is asked again by nobody but the test."""
    start = threading.Thread.start

    def begun(thread: threading.Thread) -> None:
        if thread.name != "ujsx outbox":
            start(thread)

    monkeypatch.setattr(threading.Thread, "start", begun)
