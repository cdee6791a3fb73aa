"""The pager for output that is longer than the terminal, as ``git`` and ``man`` have it."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, TextIO

NO_PAGER = "--no-pager"

SETTINGS: Mapping[str, str] = {"LESS": "-R", "LV": "-c"}
"""What pagers are told where the user tells them nothing: that bold and dim text is shown as such."""

PLAIN: frozenset[str] = frozenset({"", "cat"})
"""What ``PAGER`` names where no pager is wanted."""

_CODE = re.compile("\x1b\\[[0-9;]*m")


class Screen(io.TextIOBase):
    """A terminal's standard output: text is kept until it is a screenful, and then given to the pager.

    What is handed over before that, by :meth:`flush`, goes straight to the terminal, and so does all that follows:
    somebody waits for it.
    """

    def __init__(self, terminal: TextIO, pager: list[str]) -> None:
        self._terminal = terminal
        self._command = pager
        self._kept: list[str] = []
        self._remarks: list[tuple[TextIO, str]] = []
        self._rows = 0
        self._pager: subprocess.Popen[str] | None = None
        self.is_off = False
        """Whether nothing goes through a pager any more."""

    def write(self, text: str, /) -> int:
        """Take a text in.

        :raises BrokenPipeError: where the reader has left the pager.
        """
        if self._pager is not None:
            self._to_pager(text)
        elif self.is_off:
            self._terminal.write(text)
        else:
            # What cannot be written is told to whoever asks for it, not when all is handed over.
            text.encode(self._terminal.encoding, self._terminal.errors or "strict")
            self._kept.append(text)
            width, height = shutil.get_terminal_size()
            self._rows += _rows(text, width)
            if self._rows >= height:
                self._open()
        return len(text)

    def flush(self) -> None:
        """Hand over what was written, unless a pager shows it."""
        if self._pager is None:
            self.is_off = True
            self._hand_over()
            self._terminal.flush()

    def remark(self, stream: TextIO, text: str) -> None:
        """Write to another stream of the terminal, in its turn: not into the picture that the pager draws."""
        if self._pager is not None:
            self._remarks.append((stream, text))
            return
        self.flush()
        print(text, end="", file=stream, flush=True)

    def finish(self) -> None:
        """Hand over the rest, and wait until the reader has left the pager."""
        if self._pager is None:
            self._hand_over()
            return
        with suppress(BrokenPipeError):
            if self._pager.stdin is not None:
                self._pager.stdin.close()
        while True:
            with suppress(KeyboardInterrupt):  # it is the pager's, which stays
                self._pager.wait()
                break
        self._pager, self.is_off = None, True
        for stream, text in self._remarks:
            print(text, end="", file=stream, flush=True)

    @property
    def is_drawing(self) -> bool:
        """True if a pager has the terminal."""
        return self._pager is not None

    @property
    def buffer(self) -> BinaryIO:
        """The terminal's, for who writes bytes: no pager gets them."""
        self.flush()
        return self._terminal.buffer

    def isatty(self) -> bool:
        """True if it is a terminal: that it is."""
        return True

    def fileno(self) -> int:
        """Return the terminal's descriptor."""
        return self._terminal.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # typeshed has a variable here
        """The terminal's."""
        return self._terminal.encoding

    def _open(self) -> None:
        environ = {**SETTINGS, **os.environ}
        try:
            self._pager = subprocess.Popen(  # noqa: S603  # the command is the user's own choice
                self._command, stdin=subprocess.PIPE, env=environ, text=True, encoding=self.encoding
            )
        except OSError as error:
            self.flush()
            reason = error.strerror or error
            self.remark(sys.stderr, f"PAGER: {self._command[0]} cannot be started: {reason}\n")
            return
        for text in self._kept:
            self._to_pager(text)
        self._kept.clear()

    def _to_pager(self, text: str) -> None:
        if self._pager is not None and self._pager.stdin is not None:
            self._pager.stdin.write(text)

    def _hand_over(self) -> None:
        for text in self._kept:
            self._terminal.write(text)
        self._kept.clear()


def screen() -> Screen | None:
    """Return the screen that standard output is, if it is one."""
    stream: object = sys.stdout
    return stream if isinstance(stream, Screen) else None


@contextmanager
def paged(environ: Mapping[str, str] | None = None) -> Generator[None]:
    """Let what is longer than the terminal go through a pager, where standard output is one.

    ``PAGER`` names it, ``less`` where it does not; none is used if that is empty or ``cat``, or ``TERM`` is
    ``dumb``.
    """
    stream: TextIO | None = sys.stdout  # None behind a closed descriptor
    command = None if stream is None else _pager(stream, os.environ if environ is None else environ)
    if stream is None or command is None:
        yield
        return
    shown = Screen(stream, command)
    sys.stdout = shown
    try:
        yield
    finally:
        try:
            shown.finish()
        finally:
            sys.stdout = stream


def _pager(stream: TextIO, environ: Mapping[str, str]) -> list[str] | None:
    named = environ.get("PAGER", "less").strip()
    if named in PLAIN or environ.get("TERM") in {None, "", "dumb"}:
        return None
    try:
        if not os.isatty(stream.fileno()):
            return None
    except (OSError, ValueError):  # in a test it may be no file at all
        return None
    try:
        command = shlex.split(named)
    except ValueError:  # a quotation that does not end
        command = [named]
    is_chosen = "PAGER" in environ
    return command if is_chosen or shutil.which(command[0]) else None


def _rows(text: str, width: int) -> int:
    """How many rows of a terminal a text takes."""
    lines = _CODE.sub("", text).split("\n")
    broken = sum(max(len(line) - 1, 0) // max(width, 1) for line in lines)
    return len(lines) - 1 + broken


def define_paging(parser: ArgumentParser) -> None:
    """Add the option that turns the pager off."""
    parser.add_argument(
        NO_PAGER, action=_Off, nargs=0, default=SUPPRESS, help="print to the terminal itself"
    )


def turn_off() -> None:
    """Use no pager from here on."""
    shown = screen()
    if shown is not None:
        shown.flush()


class _Off(Action):
    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        turn_off()
