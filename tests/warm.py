"""Processes that start warm: each is a fork of one that has imported the packages, and a program of its own.

A Python that imports ``hud_runtime`` anew takes half a second of a processor, with the MCP SDK more than one.
``python()`` returns the beginning of a command that stands for ``python`` before ``-m MODULE`` or ``-c CODE``:
its arguments, environment, folder, standard streams and exit status are those of the program, and signals
reach it. What a test says of the start itself, of ``kill -9``, or of options of Python, needs a real one.

The command is this file: it asks the one that has imported all, and waits. That one ends with who started it.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from marshal import dumps, loads
from select import select

LENGTH = 4
"""Bytes of a number."""

PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that reach the program."""


# --- The command, which imports next to nothing ----------------------------------------------


def ask(place: str, arguments: list[str]) -> None:
    """Have a program run with what is ours, pass signals on to it, and end as it does."""
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED)  # until it is known whom they are for
    ignored = [int(each) for each in PASSED if signal.getsignal(each) is signal.SIG_IGN]
    line = socket.socket(socket.AF_UNIX)
    line.connect(place)
    told = dumps((arguments, ignored, dict(os.environ), os.getcwd()))  # noqa: PTH109 - pathlib takes longer to import than all this
    socket.send_fds(line, [len(told).to_bytes(LENGTH, "big")], [0, 1, 2])
    line.sendall(told)
    pid = int.from_bytes(line.recv(LENGTH), "big")
    for each in PASSED:
        signal.signal(each, lambda number, _: os.kill(pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED)
    status = int.from_bytes(line.recv(LENGTH), "big", signed=True)
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


# --- The one that has imported all -----------------------------------------------------------


def serve(place: str) -> Callable[[], object]:
    """Fork for each who asks; return, in the fork, what is to be run."""
    import shutil

    _import_all()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen(64)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    asked: dict[int, socket.socket] = {}
    os.write(1, b"\n")  # ready
    while True:
        ready = select([0, woken, listening, *asked.values()], [], [])[0]
        if 0 in ready:  # who started this has ended
            shutil.rmtree(os.path.dirname(place))  # noqa: PTH120
            os._exit(0)
        if woken in ready:
            os.read(woken, 1_000)
            for pid, status in _ended():
                with asked.pop(pid) as line, suppress(OSError):
                    line.sendall(status.to_bytes(LENGTH, "big", signed=True))
        for pid, line in asked.items():
            if line in ready:  # who asked is gone
                os.kill(pid, signal.SIGKILL)
        if listening in ready:
            line = listening.accept()[0]
            length, streams, *_ = socket.recv_fds(line, LENGTH, 3)
            with line.makefile("rb") as given:
                told = loads(given.read(int.from_bytes(length, "big")))
            pid = os.fork()
            if pid == 0:
                for each in (listening, line, *asked.values()):
                    each.close()
                signal.set_wakeup_fd(-1)
                return _program(*told, streams)
            for each in streams:
                os.close(each)
            asked[pid] = line
            with suppress(OSError):
                line.sendall(pid.to_bytes(LENGTH, "big"))


def _ended() -> list[tuple[int, int]]:
    found = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        found.append((pid, os.waitstatus_to_exitcode(status)))


def _import_all() -> None:
    import gc

    from tests.growth import modules_of

    del sys.path[0]  # the folder of the tests' own start
    for _ in modules_of("hud_runtime"):
        pass
    gc.freeze()


def _program(
    arguments: list[str],
    ignored: list[int],
    environment: dict[str, str],
    folder: str,
    streams: list[int],
) -> Callable[[], object]:
    """Take on what the command has, and return what it runs."""
    import runpy
    from types import ModuleType

    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)
    for each in (signal.SIGCHLD, *PASSED):
        signal.signal(each, signal.SIG_IGN if each in ignored else signal.SIG_DFL)
    if signal.SIGINT not in ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = open(0, encoding=encoding)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=encoding, buffering=1 if os.isatty(1) else -1)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding=encoding, errors="backslashreplace", buffering=1)  # noqa: SIM115
    is_safe = arguments[0] == "-P"
    kind, what, *rest = arguments[is_safe:]
    paths = [each for each in environment.get("PYTHONPATH", "").split(os.pathsep) if each]
    sys.path[:0] = [*([] if is_safe else [folder if kind == "-m" else ""]), *paths]
    sys.argv = [kind, *rest]
    if kind == "-m":
        return lambda: runpy.run_module(what, run_name="__main__", alter_sys=True)
    main = sys.modules["__main__"] = ModuleType("__main__")
    return lambda: exec(compile(what, "<string>", "exec"), vars(main))


# --- Tests -----------------------------------------------------------------------------------


def python() -> list[str]:
    """Return what begins a command in the place of ``sys.executable``."""
    if not hasattr(os, "fork"):
        return [sys.executable]
    return [sys.executable, "-SI", __file__, _place()]


@cache
def _place() -> str:
    """Start the one that imports all, once for each process that runs tests."""
    import atexit
    import subprocess
    import tempfile
    from pathlib import Path

    place = f"{tempfile.mkdtemp(prefix='ujsx-warm-')}/socket"
    begun = subprocess.Popen(
        [sys.executable, "-m", "tests.warm", "--serve", place],
        cwd=Path(__file__).parents[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert begun.stdout is not None
    begun.stdout.readline()
    atexit.register(begun.communicate)  # which closes its standard input
    return place


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])()
    else:
        ask(sys.argv[1], sys.argv[2:])
