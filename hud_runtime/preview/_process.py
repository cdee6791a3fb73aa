"""The process that holds a subject: an author's code runs here, and nothing else depends on it.

In: lines of JSON, the subject first, then what is asked of it. Out: a line for each. What the author's code
prints goes to standard error. The process ends when nobody asks any more, whatever it is doing.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any

import msgspec

from hud_runtime.preview._subject import Fault, Look, Subject

if TYPE_CHECKING:
    from hud_runtime.preview._answers import Answers
    from hud_runtime.preview._gallery import Gallery

RUBBISH = 200_000
"""Objects that are made before Python looks for rubbish by itself: it looks while nobody asks, as a look at all that is
kept of many turns takes half a second.
"""

ENDED = 0
"""The exit status when nobody asks any more."""

IDLE = 0.1
"""Seconds without a question after which what may be asked next is made ahead."""

LONG = 1.0
"""Seconds of a processor that a step of that may take, and that somebody waits for one which does not step aside: an author's
code that takes longer, or has no end, is asked for and no more. On a busy machine a second takes longer than a second.
"""

LOOKS = 4
"""How often in so many seconds it is looked whether they are over."""


def main() -> int:
    """Answer what standard input asks, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what is printed by an author's code is no answer
    lines: SimpleQueue[str] = SimpleQueue()
    given = os.fdopen(os.dup(0), encoding="utf-8")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    threading.Thread(target=_read, args=(given, lines), daemon=True).start()
    with ExitStack() as held:
        subject = msgspec.json.decode(lines.get(), type=Subject)
        gc.set_threshold(RUBBISH)
        answers, opening = _opened(subject, held, lines)
        _put(out, opening)
        while True:
            asked = json.loads(_next(lines, answers))
            if asked["what"] != "hurry":  # there is nothing that could be left
                _put(out, _answer(answers, subject, asked))


def _next(lines: SimpleQueue[str], answers: Answers | Gallery | None) -> str:
    """Wait for the next question, and make ahead meanwhile what it may ask for."""
    if answers is None or not hasattr(signal, "setitimer"):
        return lines.get()
    pause = IDLE
    while True:
        try:
            return lines.get(timeout=pause)
        except Empty:
            pause = 0.0
            _take_out_rubbish()
            if not _step_ahead(answers, lambda: not lines.empty()):
                return lines.get()


def _take_out_rubbish() -> None:
    """Collect what nobody holds any more, and leave out the rest from now on: what is kept of turns is all there is."""
    gc.collect()
    gc.freeze()


class _TookLongError(BaseException):
    """A step took too long; an author's ``except Exception`` does not hold it up."""


def _step_ahead(answers: Answers | Gallery, is_awaited: Callable[[], bool]) -> bool:
    is_running, waits, begun = True, 0, time.process_time()

    def look(*_: object) -> None:
        nonlocal waits
        waits = waits + 1 if is_awaited() else 0
        is_long = waits > LOOKS or time.process_time() - begun >= LONG
        if is_running and is_long:
            raise _TookLongError

    former = signal.signal(signal.SIGALRM, look)
    try:
        signal.setitimer(signal.ITIMER_REAL, LONG / LOOKS, LONG / LOOKS)
        return answers.ahead()
    except _TookLongError:
        answers.give_up()
        return False
    except (Exception, SystemExit):  # noqa: BLE001 - whoever asks for that turn is told
        return False
    finally:
        is_running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _read(given: IO[str], lines: SimpleQueue[str]) -> None:
    """Take in what is asked; at its end this process has nobody to answer."""
    for line in given:
        lines.put(line)
    os._exit(ENDED)  # even out of a loop without an end


def _opened(
    subject: Subject, held: ExitStack, lines: SimpleQueue[str]
) -> tuple[Answers | Gallery | None, dict[str, Any]]:
    from hud_runtime.preview._answers import Answers
    from hud_runtime.preview._faults import fault_of, files_of
    from hud_runtime.preview._gallery import Gallery
    from hud_runtime.preview._loaded import loaded
    from hud_runtime.projects import told_of_no_session

    try:
        answers: Answers | Gallery
        if subject.gallery is not None:
            answers = Gallery(subject, held)
            files = answers.files
        else:
            found = loaded(subject, held)
            answers, files = Answers(found, subject.name, lambda: not lines.empty()), found.files
        answers.view(Look())  # what cannot be rendered is not what is shown
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's code may raise anything
        if subject.shows_nobodys:
            told_of_no_session(error)
        named = [*subject.files, *files_of(error)]
        return None, _told(fault_of(error, subject.layout or subject.transcript), named)
    return answers, {"files": files}


def _answer(
    answers: Answers | Gallery | None, subject: Subject, asked: dict[str, Any]
) -> dict[str, Any]:
    from hud_runtime.preview._answers import AwaitedError
    from hud_runtime.preview._faults import fault_of

    try:
        look = msgspec.convert(asked.get("look", {}), Look)
        return {"answer": getattr(answers, asked["what"])(*_looks(asked, look), **asked["more"])}
    except AwaitedError:
        return {"stepped_aside": True}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's code may raise anything
        return _told(fault_of(error, subject.layout), ())


def _looks(asked: dict[str, Any], look: Look) -> tuple[Look, ...]:
    return () if asked["what"] in ("stamp", "ahead") else (look,)


def _told(fault: Fault, files: Any) -> dict[str, Any]:
    return {"fault": msgspec.to_builtins(fault), "files": [*dict.fromkeys(files)]}


def _put(out: IO[str], told: dict[str, Any]) -> None:
    # Escapes stand for all that is not ASCII: half of a surrogate pair has no other form.
    out.write(json.dumps(told, separators=(",", ":")) + "\n")
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
