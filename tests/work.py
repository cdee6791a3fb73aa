"""Work, counted exactly: a count does not depend on the machine, nor on who else uses it.

In: something to do. Out: how many lines Python ran, how many steps SQLite took, how many bytes were in
use at the peak. What C code does within one call is not seen by the first; a loop in Python is, wherever it
stands.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

from ujsx import tokens

Act = Callable[[], object]


def lines_run(act: Act) -> int:
    """Return how many lines Python runs until ``act`` is done: each turn of a loop is one at least."""
    gc.disable()  # a collection in between would run finalizers of others
    try:
        return _monitored(act) if sys.version_info >= (3, 12) else _traced(act)
    finally:
        gc.enable()


def _traced(act: Act) -> int:
    count = 0

    def trace(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        count += event == "line"  # a jump back to the same line is one, too
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def _monitored(act: Act) -> int:
    """The same by PEP 669, in which a jump back to the same line is an event of its own."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    counted = (monitoring.events.LINE, monitoring.events.JUMP)
    count = 0

    def seen(*_: object) -> None:
        nonlocal count
        count += 1

    tool = monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "tests.work")
    try:
        for event in counted:
            monitoring.register_callback(tool, event, seen)
        monitoring.set_events(tool, sum(counted))
        try:
            act()
        finally:
            monitoring.set_events(tool, monitoring.events.NO_EVENTS)
            for event in counted:
                monitoring.register_callback(tool, event, None)
    finally:
        monitoring.free_tool_id(tool)
    return count


def peak(act: Act) -> int:
    """Return how many bytes ``act`` has in use at its peak, beyond what there was before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        act()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def steps(connections: list[Any], act: Act) -> int:
    """Return how many instructions SQLite's virtual machine runs on these connections."""
    count = 0

    def progress() -> int:
        nonlocal count
        count += 1
        return 0

    for connection in connections:
        connection.set_progress_handler(progress, 1)
    try:
        act()
    finally:
        for connection in connections:
            connection.set_progress_handler(None, 0)
    return count


def growth(
    prepared: Callable[[int], Act], size: int, work: Callable[[Act], int] = lines_run
) -> float:
    """Return by how much work grows when the input doubles: 2 is linear, 4 quadratic.

    ``prepared`` makes an input of a size, and returns what is to be done with it. It is done once with
    another of about the size before anything is counted, so that what is imported and cached once, be it
    only for long inputs, is not part of it.
    """
    prepared(size + 1)()
    return _anew(prepared(2 * size), work) / _anew(prepared(size), work)


def _anew(act: Act, work: Callable[[Act], int]) -> int:
    """Return the work where no text's tokens are known yet: what was counted for one size is not for the other."""
    tokens._costs.clear()
    return work(act)
