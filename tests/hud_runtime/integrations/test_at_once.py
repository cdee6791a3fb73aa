"""Work that is done as it is heard of, each piece in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from hud_runtime.integrations.bridge import do_at_once
from tests.ids import looped

Work = Callable[[], object]


def done(pieces: Sequence[Work], patience: float | None = 10.0) -> None:
    left = iter(pieces)
    do_at_once(lambda: next(left, None), patience)


def test_as_many_are_done_at_once_as_are_heard_of() -> None:
    together = threading.Barrier(20, timeout=10.0)
    met: list[int] = []
    done([lambda: met.append(together.wait())] * 20)
    assert sorted(met) == [*range(20)]


def test_one_thread_listens() -> None:
    listening: set[int] = set()
    left = iter(range(200))

    def heard() -> Work | None:
        listening.add(threading.get_ident())
        return None if next(left, None) is None else lambda: None

    do_at_once(heard, 10.0)
    assert listening == {threading.get_ident()}


def test_threads_that_many_at_once_have_needed_go_again() -> None:
    before = threading.active_count()
    together = threading.Barrier(10, timeout=10.0)
    done([together.wait] * 10, None)
    assert threading.active_count() == before


@looped("error", [ValueError, SystemExit])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_fails_ends_nothing(error: type[BaseException]) -> None:
    told: list[str] = []

    def fails() -> None:
        raise error

    done([fails] * 5 + [lambda: told.append("heard")])
    assert told == ["heard"]


def test_what_is_under_way_is_waited_for_as_long_as_that_is_wanted() -> None:
    goes_on, is_done = threading.Event(), threading.Event()

    def work() -> None:
        goes_on.wait()
        is_done.set()

    done([work], 0.01)
    assert not is_done.is_set()
    goes_on.set()
    assert is_done.wait(10.0)
    done([work], None)
    assert is_done.is_set()


def test_who_cannot_listen_any_more_has_heard_the_last() -> None:
    is_done = threading.Event()
    left = iter([is_done.set])

    def heard() -> Work | None:
        if work := next(left, None):
            return work
        raise OSError

    do_at_once(heard, 10.0)
    assert is_done.is_set()
