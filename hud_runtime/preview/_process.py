"""The process that loads a subject: an author's code runs here."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from linecache import getline
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any

import msgspec

from hud_runtime._errors import ProjectError
from hud_runtime.preview._preview import Fault, Frame, PreviewLook, Subject, files_of, loaded
from hud_runtime.preview._reading import ReadBlocks, tree_data
from hud_runtime.projects import frames_of_author, is_of_author, module_of_file, unnamed
from ujsx.errors import LayoutError, UjsxError
from ujsx.text import visible

if TYPE_CHECKING:
    from hud_runtime.preview._answers import Answers
    from ujsx import Component, RenderContext

# An error as a fault with its place: in a layout, in an unreadable module, or in the author's code.

LONGEST = 2_000
"""Maximum characters of a message."""

FRAMES = 12
"""Maximum calls in a fault, the innermost ones."""


def fault_of(error: BaseException, file: str | None = None) -> Fault:
    """Return an error's message and place.

    :param file: the file that was read, for an error in its content.
    """
    message = _cut(_sentence(error))
    if isinstance(error, LayoutError) and error.line is not None:
        return Fault(
            _cut(error.message), "", file, error.line, error.column, excerpt=error.excerpt or ""
        )
    frames, kind = _frames(error), type(error).__name__
    origin = error.origin if isinstance(error, UjsxError) else None
    if origin is not None and is_of_author(origin.co_filename):
        source = getline(origin.co_filename, origin.co_firstlineno).strip()
        return Fault(message, kind, origin.co_filename, origin.co_firstlineno, None, _cut(source))
    if isinstance(error, SyntaxError) and error.filename is not None:
        text, column = (error.text or "").rstrip("\n"), error.offset
        marked = f"{text}\n{' ' * (column - 1)}^" if text and column else text
        return Fault(_cut(error.msg), kind, error.filename, error.lineno, column, marked, frames)
    if frames:
        last = frames[-1]
        return Fault(message, kind, last.file, last.line, None, last.source, frames)
    return Fault(message, "", file)


def files_in_traceback(error: BaseException) -> list[str]:
    """Return the author's files in an error's traceback, or with the error's place."""
    files = [each.file for each in _frames(error)]
    if isinstance(error, UjsxError) and error.origin is not None:
        files.append(error.origin.co_filename)
    if isinstance(error, SyntaxError) and error.filename is not None:
        files.append(error.filename)
    return files


def _frames(error: BaseException) -> tuple[Frame, ...]:
    chain: list[BaseException] = [error]
    while (
        cause := chain[-1].__cause__ or chain[-1].__context__
    ) is not None and cause not in chain:
        chain.append(cause)
    # An error of ours in place of the author's is raised where the rendering was requested.
    theirs = [
        each for each in chain if not (isinstance(each, UjsxError) and each.__cause__ is not None)
    ]
    for each in [*theirs, *chain]:
        frames = [
            Frame(frame.filename, frame.lineno or 0, frame.name, _cut(frame.line or ""))
            for frame in frames_of_author(each)
        ]
        if frames:
            return tuple(frames[-FRAMES:])
    return ()


def _sentence(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ended the process, with the status {error.code!r}"
    if isinstance(error, RecursionError):
        return "calls nest without an end"
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001 - the text of an author's error is the author's code
        return type(error).__name__


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# A gallery: the examples of all components of a file, each at every density.


class Gallery:
    """Answers questions about a file with components, by showing their examples.

    :raises ProjectError: for a file without a component that declares examples.
    :raises Exception: anything that the file's code raises.
    """

    def __init__(self, subject: Subject, held: ExitStack) -> None:
        from ujsx.components import has_examples

        assert subject.gallery is not None
        before = frozenset(sys.modules)
        sys.dont_write_bytecode = True
        self._name = subject.name
        module = module_of_file(subject.gallery, Path.cwd())
        self._kinds = components_of(module)
        if not any(map(has_examples, self._kinds)):
            raise ProjectError(
                f"no component in {subject.name} declares examples, such as examples: ClassVar[Examples] = lambda: "
                f'{{"usual": …}}; without them name what is to be shown: {unnamed(subject.name, Path.cwd(), rendered=True)}'
            )
        self._context = _context_of(subject, held)
        self._readings = ReadBlocks()
        self.files = (*files_of(sys.modules.keys() - before), *subject.files)

    def view(self, look: PreviewLook) -> dict[str, Any]:
        """Return the rendered examples; one with an error has a fault instead."""
        return {"name": self._name, "components": [self._component(each) for each in self._kinds]}

    def stamp(self) -> dict[str, Any]:
        """Return data that changes with the session; changed files have other times."""
        return {"version": 0}

    def ahead(self) -> bool:
        """Return False: there is nothing to prepare."""
        return False

    def give_up(self) -> None:
        """Do nothing: there is no preparation."""

    def _component(self, kind: type[Component]) -> dict[str, Any]:
        from ujsx.components import examples_of
        from ujsx.schema._generate import for_a_model

        told: dict[str, Any] = {"name": kind.__name__, "module": kind.__module__, "examples": []}
        told["about"] = visible(for_a_model(kind.__doc__ or "").strip())
        try:
            examples = examples_of(kind)
        except Exception as error:  # noqa: BLE001 - an author's code may raise anything
            return {**told, "fault": msgspec.to_builtins(fault_of(error))}
        return {**told, "examples": [self._example(name, node) for name, node in examples.items()]}

    def _example(self, name: str, node: Any) -> dict[str, Any]:
        told: dict[str, Any] = {"name": visible(name), "tree": tree_data(node)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                told["tiers"] = [*self._tiers(node)]
            except Exception as error:  # noqa: BLE001 - an author's code may raise anything
                told["fault"] = msgspec.to_builtins(fault_of(error))
        return {**told, "notes": [*dict.fromkeys(visible(str(each.message)) for each in caught)]}

    def _tiers(self, node: Any) -> Iterator[dict[str, Any]]:
        from ujsx import Density, render_document

        for density in reversed(Density):
            rendered = render_document(node, density=density, context=self._context)
            (reading,) = self._readings.of(rendered.text, [rendered.text])
            yield {
                "tier": density.value,
                "tokens": rendered.tokens,
                "text": rendered.text,
                "reading": reading,
            }


def components_of(module: object) -> list[type[Component]]:
    """Return the components that a module defines, and those with examples that it imports from its author's code."""
    from hud_components import View
    from ujsx import Component
    from ujsx.components import has_examples

    def is_told(kind: type[Component]) -> bool:
        if has_examples(kind):
            return _is_of(kind, module)
        is_named = bool(getattr(kind, "name", kind.__name__)) or issubclass(kind, View)
        is_base = kind.render is Component.render or not is_named
        return kind.__module__ == getattr(module, "__name__", None) and not is_base

    named = {name: each for name, each in vars(module).items() if not name.startswith("_")}
    kinds = [
        each for each in named.values() if isinstance(each, type) and issubclass(each, Component)
    ]
    return [each for each in dict.fromkeys(kinds) if is_told(each)]


def _is_of(kind: type[Component], module: object) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return kind.__module__ == getattr(module, "__name__", None) or is_of_author(file)


def _context_of(subject: Subject, held: ExitStack) -> RenderContext:
    """The context of all examples: the state of the named session, or of a domain's example."""
    from ujsx import RenderContext

    if subject.shows_nobodys:
        return RenderContext()
    session = loaded(msgspec.structs.replace(subject, gallery=None), held).session
    return RenderContext().with_value(session.known)


RUBBISH = 200_000
"""New objects before a garbage collection, which otherwise runs between questions: scanning all cached
turns takes half a second.
"""

ENDED = 0
"""The exit status at the end of input."""

IDLE = 0.1
"""Seconds without a question after which likely answers are prepared."""

LONG = 1.0
"""Maximum CPU seconds of a preparation step, and of the wait for one that cannot be interrupted: if an
author's code takes longer, or never ends, preparation stops. On a busy machine, this takes longer than a
second.
"""

LOOKS = 4
"""The number of checks per :data:`LONG` seconds."""


def main() -> int:
    """Answer the questions on standard input, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # an author's code must not print into answers
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
            if asked["what"] != "hurry":  # there is nothing to interrupt
                _put(out, _answer(answers, subject, asked))


def _next(lines: SimpleQueue[str], answers: Answers | Gallery | None) -> str:
    """Wait for the next question, and prepare likely answers meanwhile."""
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
    """Collect garbage, and exclude the remaining objects from later collections: nearly all are cached turns."""
    gc.collect()
    gc.freeze()


class _TookLongError(BaseException):
    """A step took too long; an author's ``except Exception`` does not catch it."""


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
    """Read questions; at the end of input, end this process."""
    for line in given:
        lines.put(line)
    os._exit(ENDED)  # even out of an endless loop


def _opened(
    subject: Subject, held: ExitStack, lines: SimpleQueue[str]
) -> tuple[Answers | Gallery | None, dict[str, Any]]:
    from hud_runtime.preview._answers import Answers
    from hud_runtime.preview._preview import loaded
    from hud_runtime.projects import told_of_no_session

    try:
        answers: Answers | Gallery
        if subject.gallery is not None:
            answers = Gallery(subject, held)
            files = answers.files
        else:
            found = loaded(subject, held)
            answers, files = Answers(found, subject.name, lambda: not lines.empty()), found.files
        answers.view(PreviewLook())  # after an error, the current one stays
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's code may raise anything
        if subject.shows_nobodys:
            told_of_no_session(error)
        named = [*subject.files, *files_in_traceback(error)]
        return None, _told(fault_of(error, subject.layout or subject.transcript), named)
    return answers, {"files": files}


def _answer(
    answers: Answers | Gallery | None, subject: Subject, asked: dict[str, Any]
) -> dict[str, Any]:
    from hud_runtime.preview._answers import AwaitedError

    try:
        look = msgspec.convert(asked.get("look", {}), PreviewLook)
        looks = () if asked["what"] in ("stamp", "ahead") else (look,)
        return {"answer": getattr(answers, asked["what"])(*looks, **asked["more"])}
    except AwaitedError:
        return {"stepped_aside": True}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's code may raise anything
        return _told(fault_of(error, subject.layout), ())


def _told(fault: Fault, files: Any) -> dict[str, Any]:
    return {"fault": msgspec.to_builtins(fault), "files": [*dict.fromkeys(files)]}


def _put(out: IO[str], told: dict[str, Any]) -> None:
    # Escapes for all non-ASCII characters: half of a surrogate pair has no other form.
    out.write(json.dumps(told, separators=(",", ":")) + "\n")
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
