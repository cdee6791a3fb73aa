"""Ids of events are random in every process, also where one was forked from the other."""

from __future__ import annotations

import os

import pytest

from hud_runtime.log.store import EventIds


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_draws_its_own() -> None:
    ids = EventIds(lambda: 0)
    ids.next()  # some random bytes are drawn ahead by now
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, ids.next().encode())
        os._exit(0)
    assert os.read(reading, 100).decode()[19:] != ids.next()[19:]
    os.wait()


def test_no_two_are_alike() -> None:
    ids = EventIds(lambda: 0)
    made = [ids.next() for _ in range(1_000)]
    assert len({each[19:] for each in made}) == 1_000
    assert made == sorted(made)
