"""Threads that take turns at listening."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence

import pytest

from hud_runtime.integrations.bridge import Turns
from hud_runtime.integrations.bridge._bridge import SPARE

Work = Callable[[], object]


def done(pieces: Sequence[Work]) -> None:
    left = iter(pieces)
    turns = Turns(lambda: next(left, None))
    turns.run()
    turns.finish(10.0)


def test_as_many_are_done_at_once_as_are_heard_of() -> None:
    together = threading.Barrier(20, timeout=10.0)
    met: list[int] = []
    done([lambda: met.append(together.wait())] * 20)
    assert sorted(met) == [*range(20)]


def test_one_thread_listens_at_a_time() -> None:
    listening: list[bool] = []
    lock = threading.Lock()
    left = iter(range(200))

    def heard() -> Work | None:
        listening.append(lock.acquire(blocking=False))
        try:
            return None if next(left, None) is None else lambda: None
        finally:
            lock.release()

    turns = Turns(heard)
    turns.run()
    turns.finish(10.0)
    assert len(listening) >= 201
    assert all(listening)


def test_what_comes_one_after_the_other_starts_no_thread_each() -> None:
    come: queue.Queue[Work | None] = queue.Queue()
    ours: set[int] = set()
    turns = Turns(come.get)
    running = threading.Thread(target=turns.run)
    running.start()
    for _ in range(50):
        has_run = threading.Event()
        come.put(lambda told=has_run: (ours.add(threading.get_ident()), told.set()))
        assert has_run.wait(10.0)
    come.put(None)
    running.join(10.0)
    turns.finish(10.0)
    assert len(ours) <= SPARE + 1


def test_threads_that_many_at_once_have_needed_go_again() -> None:
    come: queue.Queue[Work | None] = queue.Queue()
    together = threading.Barrier(10, timeout=10.0)
    before = threading.active_count()
    turns = Turns(come.get)
    running = threading.Thread(target=turns.run)
    running.start()
    for _ in range(10):
        come.put(together.wait)
    turns.finish(10.0)
    for _ in range(1_000):
        if threading.active_count() <= before + 1 + SPARE:
            break
        threading.Event().wait(0.01)
    assert threading.active_count() <= before + 1 + SPARE
    come.put(None)
    running.join(10.0)


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_what_fails_ends_nothing(error: type[BaseException]) -> None:
    told: list[str] = []

    def fails() -> None:
        raise error

    done([fails] * 5 + [lambda: told.append("heard")])
    assert told == ["heard"]


def test_what_is_under_way_is_waited_for_as_long_as_that_is_wanted() -> None:
    goes_on = threading.Event()
    left = iter([goes_on.wait])
    turns = Turns(lambda: next(left, None))
    turns.run()
    turns.finish(0.01)
    assert not goes_on.is_set()
    goes_on.set()
    turns.finish()


def test_who_cannot_listen_any_more_has_heard_the_last() -> None:
    def heard() -> Work | None:
        raise OSError

    turns = Turns(heard)
    turns.run()
    turns.finish()
