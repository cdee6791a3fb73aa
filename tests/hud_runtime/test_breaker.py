"""What does not answer is left alone: all are told at once, one looks, and it is back when that one finds it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import StoreUnavailableError
from tests.hud_runtime.inside import Backoff, Breaker

AWAY = StoreUnavailableError("the server is away")

FIRST, LONGEST = 0.25, 5.0
"""Seconds between two looks for a server."""


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(Backoff(FIRST, LONGEST), clock)


def away() -> None:
    raise StoreUnavailableError("still away")


def never() -> None:
    raise AssertionError("somebody looked")


def test_nothing_is_looked_for_while_nothing_is_wrong(breaker: Breaker) -> None:
    breaker.look(never)
    breaker.refuse()
    assert not breaker.is_open


def test_who_comes_in_a_pause_is_told_at_once_what_is_wrong_and_when_it_is_tried(
    breaker: Breaker,
) -> None:
    breaker.failed(AWAY)
    with pytest.raises(
        StoreUnavailableError, match=r"^the server is away; it is tried again in 0.2 s$"
    ):
        breaker.look(never)


def test_pauses_grow_up_to_the_longest_and_begin_anew(breaker: Breaker, clock: Clock) -> None:
    breaker.failed(AWAY)
    pauses: list[float] = []
    for _ in range(8):
        pauses.append(breaker.left)
        clock.now += breaker.left
        with pytest.raises(StoreUnavailableError, match="still away"):
            breaker.look(away)
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0]
    clock.now += breaker.left
    breaker.look(int)
    breaker.look(never)
    breaker.failed(AWAY)
    assert breaker.left == FIRST


def test_what_others_find_in_a_pause_is_no_news(breaker: Breaker) -> None:
    breaker.failed(AWAY)
    for _ in range(9):
        breaker.failed(AWAY)
    assert breaker.left == FIRST


@given(st.integers(1, 9), st.integers(1, 9), st.lists(st.integers(0, 20), max_size=30))
def test_of_any_times_none_is_tried_twice_within_a_pause(
    first: int, longest: int, steps: list[int]
) -> None:
    clock, tried = Clock(), list[float]()
    pauses = Backoff(min(first, longest), max(first, longest))
    breaker = Breaker(pauses, clock)
    breaker.failed(AWAY)

    def reach() -> None:
        tried.append(clock.now)
        away()

    for step in steps:
        clock.now += step
        with pytest.raises(StoreUnavailableError):
            breaker.look(reach)
    assert all(later - one >= pauses.first for one, later in pairwise(tried))
    assert breaker.left <= pauses.longest


@pytest.mark.parametrize("back", [True, False])
def test_of_many_threads_one_looks(breaker: Breaker, clock: Clock, *, back: bool) -> None:
    breaker.failed(AWAY)
    clock.now += FIRST
    looks, goes_on, is_in = list[int](), threading.Event(), threading.Event()

    def reach() -> None:
        looks.append(threading.get_ident())
        is_in.set()
        assert goes_on.wait(30)
        if not back:
            away()

    def ask() -> str:
        try:
            breaker.look(reach)
        except StoreUnavailableError as error:
            return str(error)
        return "back"

    with ThreadPoolExecutor(5) as pool:
        trial = pool.submit(ask)
        assert is_in.wait(30)
        others = [pool.submit(ask).result(30) for _ in range(4)]
        assert breaker.is_open
        goes_on.set()
        assert trial.result(30) == ("back" if back else "still away")
    assert others == ["the server is away; it is being tried again"] * 4
    assert len(looks) == 1
    assert breaker.is_open is not back


@pytest.mark.parametrize("abort", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_a_look_that_is_aborted_is_none(
    breaker: Breaker, clock: Clock, abort: type[BaseException]
) -> None:
    breaker.failed(AWAY)
    clock.now += FIRST

    def reach() -> None:
        raise abort

    with pytest.raises(abort):
        breaker.look(reach)
    assert not breaker.is_open
    with pytest.raises(StoreUnavailableError, match="still away"):
        breaker.look(away)
    assert breaker.left == 2 * FIRST


def test_who_comes_in_the_middle_of_a_look_in_the_same_thread_is_refused(
    breaker: Breaker, clock: Clock
) -> None:
    breaker.failed(AWAY)
    clock.now += FIRST

    def reach() -> None:  # as a signal handler would
        with pytest.raises(StoreUnavailableError, match="being tried again"):
            breaker.look(never)

    breaker.look(reach)
    assert not breaker.is_open


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_that_is_forked_meanwhile_looks_itself(breaker: Breaker, clock: Clock) -> None:
    breaker.failed(AWAY)
    clock.now += FIRST
    codes: list[int] = []

    def reach() -> None:
        child = os.fork()
        if not child:
            found = list[bool]()
            breaker.look(lambda: found.append(True))
            os._exit(7 if found else 1)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    breaker.look(reach)
    assert codes == [7]
