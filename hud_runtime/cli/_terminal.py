"""Output for terminals, pipes and files."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO, TextIO, TypeVar

from hud_runtime._location import without_password
from hud_runtime.cli._commands import UsageError
from ujsx.text import one_line, visible

# The pager for output that is longer than the terminal: Click starts it.

NO_PAGER = "--no-pager"

PLAIN: frozenset[str] = frozenset({"", "cat"})
"""The values of ``PAGER`` that disable it."""

_CODE = re.compile("\x1b\\[[0-9;]*m")


class Screen(io.TextIOBase):
    """A terminal's standard output: text is stored until the command ends, and then shown, in a pager if it
    is long.

    A :meth:`flush` before that writes directly to the terminal, and so does all later output: somebody waits
    for it.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._kept: list[str] = []
        self._remarks: list[tuple[TextIO, str]] = []
        self._rows = 0
        self._is_off = False

    def write(self, text: str, /) -> int:
        """Store a text."""
        if self._is_off:
            self._terminal.write(text)
        else:
            # A text that cannot be written raises here, and not when everything is written.
            text.encode(self._terminal.encoding, self._terminal.errors or "strict")
            self._kept.append(text)
            self._rows += _rows(text, shutil.get_terminal_size().columns)
        return len(text)

    def flush(self) -> None:
        """Write the stored text, and use no pager any more."""
        self._is_off = True
        self._hand_over()
        self._terminal.flush()

    def remark(self, stream: TextIO, text: str) -> None:
        """Write to another stream of the terminal in order: after the text for a pager."""
        if self._is_long:
            self._remarks.append((stream, text))
            return
        self.flush()
        print(text, end="", file=stream, flush=True)

    def finish(self) -> None:
        """Show the rest; if it is long, return after the reader has left the pager."""
        if self._is_long:
            import click

            whole = "".join(self._kept).removesuffix("\n")  # Click adds a final one
            self._kept.clear()
            click.echo_via_pager(whole, color=True)
        self._hand_over()
        for stream, text in self._remarks:
            print(text, end="", file=stream, flush=True)

    @property
    def buffer(self) -> BinaryIO:
        """The terminal's buffer, for bytes, which no pager gets."""
        self.flush()
        return self._terminal.buffer

    def isatty(self) -> bool:
        """Return True, as it is a terminal."""
        return True

    def fileno(self) -> int:
        """Return the terminal's descriptor."""
        return self._terminal.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # typeshed has a variable here
        """The terminal's encoding."""
        return self._terminal.encoding

    @property
    def _is_long(self) -> bool:
        return not self._is_off and self._rows >= shutil.get_terminal_size().lines

    def _hand_over(self) -> None:
        for text in self._kept:
            self._terminal.write(text)
        self._kept.clear()


def screen() -> Screen | None:
    """Return standard output, if it is a :class:`Screen`."""
    stream: object = sys.stdout
    return stream if isinstance(stream, Screen) else None


@contextmanager
def paged(environ: Mapping[str, str] | None = None) -> Generator[None]:
    """Show output that is longer than the terminal in a pager, if standard output is a terminal.

    ``PAGER`` names the pager; the default is ``less``. None is used if it is empty or ``cat``, or if ``TERM``
    is ``dumb``.
    """
    stream: TextIO | None = sys.stdout  # None for a closed descriptor
    if stream is None or not _is_paged(stream, os.environ if environ is None else environ):
        yield
        return
    shown = Screen(stream)
    sys.stdout = shown
    try:
        yield
    finally:
        sys.stdout = stream
        shown.finish()


def _is_paged(stream: TextIO, environ: Mapping[str, str]) -> bool:
    if environ.get("PAGER", "less").strip() in PLAIN or environ.get("TERM") in {None, "", "dumb"}:
        return False
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError):  # in a test it may not be a file
        return False


def _rows(text: str, width: int) -> int:
    """The number of a text's rows in a terminal."""
    lines = _CODE.sub("", text).split("\n")
    broken = sum(max(len(line) - 1, 0) // max(width, 1) for line in lines)
    return len(lines) - 1 + broken


def turn_off() -> None:
    """Use no pager from here on."""
    shown = screen()
    if shown is not None:
        shown.flush()


@dataclass(frozen=True, slots=True)
class Style:
    """The abilities of standard output: ANSI's bold and dim, where it is a terminal.

    >>> Style(colour=False).bold("HUD")
    'HUD'
    """

    colour: bool
    is_terminal: bool = False

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def quoted(self, text: str) -> str:
        r"""Return ``text`` set off from the remarks about it.

        >>> Style(colour=False).quoted("# HUD\n\nText\n")
        '    # HUD\n\n    Text\n'
        """
        margin = self.dim("  │ ") if self.colour else "    "
        return "".join(f"{margin}{line}".rstrip() + "\n" for line in text.splitlines())


def style_for() -> Style:
    """Return the style of standard output.

    Only a terminal gets ANSI codes, and none if ``NO_COLOR`` is set or ``TERM`` is ``dumb``.
    """
    stream: TextIO | None = sys.stdout
    if stream is None or not stream.isatty():  # it is None for a closed descriptor
        return Style(colour=False)
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "", "dumb")
    return Style(colour=not is_plain, is_terminal=True)


ThingT = TypeVar("ThingT")

PATIENCE = 0.5
"""Seconds before progress is shown: shorter work needs none."""


_BACK = "\r\x1b[K"
"""Returns to the line's beginning, and clears it (ECMA-48, ``EL``)."""

_standing: TextIO | None = None
"""The terminal with a line of progress, which is cleared before any other output."""


def told(things: Iterable[ThingT], doing: str, total: int | None = None) -> Iterator[ThingT]:
    """Yield the things, and show their number meanwhile on a terminal at standard error.

    :param doing: the action, such as ``"exporting events"``.
    :param total: their total number, if known.

    >>> [*told([1, 2], "counting")]
    [1, 2]
    """
    stream: TextIO | None = sys.stderr
    if stream is None or not stream.isatty():  # it is None for a closed descriptor
        yield from things
        return
    rest, begun, count = iter(things), time.monotonic(), 0
    for thing in rest:
        yield thing
        count += 1
        if time.monotonic() - begun >= PATIENCE:
            break
    else:
        return
    import click

    global _standing  # noqa: PLW0603  # a process has one terminal
    left = None if total is None else max(total - count, 0)
    with click.progressbar(rest, length=left, label=doing, show_pos=True, file=stream) as bar:
        _standing = stream
        try:
            yield from bar
        finally:
            _standing = None


# The command's output, safe for a terminal, a file or a pipe.

_ESCAPED: dict[int, str] = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""Characters that JSON may contain literally, but that control a terminal."""


def put(text: str) -> None:
    """Write ``text`` to standard output; characters missing in its encoding are escaped."""
    try:
        _print(text, sys.stdout)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        _print(text.encode(encoding, "backslashreplace").decode(encoding), sys.stdout)


def put_json(data: object) -> None:
    """Write data as indented JSON."""
    put(json.dumps(data, indent=2, ensure_ascii=False).translate(_ESCAPED) + "\n")


def put_json_line(text: str) -> None:
    """Write a JSON text as a line of its own."""
    put(text.rstrip("\n").translate(_ESCAPED) + "\n")


def put_line(text: str) -> None:
    """Write one line. Names and texts from outside cannot control the terminal."""
    put(f"{terminal_safe(text)}\n")


def answer(data: object, lines: Iterable[str], *, as_json: bool, nothing: str = "") -> None:
    """Write the result of a command: as data, or as lines of :func:`put_line`.

    :param nothing: the remark if there is no data, and so no lines.
    """
    if as_json:
        put_json(data)
        return
    if nothing and not data:
        remark(nothing)
    for line in lines:
        put_line(line)


def remark(text: str) -> None:
    """Write one line to standard error. Names from outside cannot control the terminal, nor reveal a password."""
    line, shown = f"{without_password(terminal_safe(text))}\n", screen()
    if shown is None:
        _print(line, sys.stderr)
    else:
        shown.remark(sys.stderr, line)


def is_attended() -> bool:
    """Return whether a person at the terminal can be asked."""
    ends: tuple[TextIO | None, ...] = (sys.stdin, sys.stderr)  # None for a closed descriptor
    return all(each is not None and each.isatty() for each in ends)


def ask(question: str) -> str | None:
    """Ask the person at the terminal, and return the answer; ``None`` if there is no person."""
    if not is_attended():
        return None
    flush()
    _print(f"{terminal_safe(question)} ", sys.stderr, flush=True)
    return sys.stdin.readline().strip()


YES = frozenset({"y", "yes"})


def is_meant(question: str, otherwise: str) -> bool:
    """Ask the person at the terminal to confirm an action.

    :param otherwise: the action's effect, for the error if nobody can be asked.
    :raises UsageError: if nobody can be asked.
    """
    reply = ask(f"{question}? [y/N]")
    if reply is None:
        raise UsageError(f"this {otherwise}; confirm it with --yes")
    return reply.lower() in YES


def terminal_safe(text: str) -> str:
    r"""Return ``text`` on one line, with terminal control characters made visible.

    >>> terminal_safe("note\n\x1b[2J")
    'note ␛[2J'
    """
    return one_line(visible(text))


def flush() -> None:
    """Write the pending output, while an error can still be reported."""
    _print("", sys.stdout, flush=True)


def abandon() -> None:
    """Discard all further standard output, even at the interpreter's end."""
    with suppress(OSError, ValueError):  # in a test it may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str, stream: TextIO, *, flush: bool = False) -> None:
    if _standing is not None and text:
        print(_BACK, end="", file=_standing, flush=True)
    # Not stream.write: print does nothing for a closed descriptor, whose stream is None.
    print(text, end="", file=stream, flush=flush)
