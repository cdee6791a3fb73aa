"""Output for terminals, pipes and files."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import textwrap
import time
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import BinaryIO, TextIO, TypeVar

from hud_runtime._location import without_password
from hud_runtime.cli._commands import UsageError
from ujsx.text import one_line, visible, width

# Lines that are wider than a terminal: cut, broken or narrowed, and never inside a number.

NARROWEST = 16
"""Minimum columns of text next to its indentation."""

CELL = 8
"""Minimum columns of a table's cell."""

_NUMERIC = frozenset("0123456789.,:%")
"""The characters of numbers, shares and times of the day."""

_GAP = re.compile(r"\S {2,}(?=\S)")
"""The gap between two columns of a line."""

_EDGE = re.compile(r" (?<!\\)\| ")
"""The separator of two cells in a row; a pipe within a cell is escaped."""

_OF_A_NUMBER = re.compile(r"(?<![\s,;:]) (?=\d[\d.,]*[\])]*(?:[,:]|$))")
"""The space between a label and its number in a list, as in "compact/3 41, full 144"."""

_KEPT = "\x1f"
"""The placeholder of such a space while lines are broken; no text of a terminal has it, as it is escaped."""

_DELIMITER = re.compile(r"\|(?: :?-+:? \|)+")
"""The second row of a Markdown table, as :func:`ujsx.render` writes it."""


def cut(line: str, columns: int) -> str:
    """Return a line that ends in "…" if it is too long; numbers are complete, or left out.

    >>> cut("context at 86.8%", 14), cut("context at 86.8%", 16)
    ('context at …', 'context at 86.8%')
    """
    if width(line) <= columns:
        return line
    lengths = range(len(line) + 1)
    kept = bisect_right(lengths, max(columns, 1) - 1, key=lambda length: width(line[:length])) - 1
    if line[kept] in _NUMERIC:
        kept = len(line[:kept].rstrip("".join(_NUMERIC)))
    return f"{line[:kept]}…"


def broken(text: str, columns: int, hanging: str = "") -> list[str]:
    """Return a text as lines, broken between words; a word that is too long stays whole.

    :param hanging: the indentation of all lines but the first.

    >>> broken("Port 8080 is taken", 12), broken("minimal 6, full 41", 16)
    (['Port 8080 is', 'taken'], ['minimal 6,', 'full 41'])
    """
    if width(text) <= columns:
        return [text]
    lines = textwrap.wrap(
        _OF_A_NUMBER.sub(_KEPT, text),
        columns,
        subsequent_indent=hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_KEPT, " ") for line in lines] or [""]


def laid_out(text: str, columns: int) -> str:
    r"""Return a report that fits a terminal of that width.

    Markdown tables are narrowed, widest column first; other lines continue below the start of their last
    column.

    >>> print(laid_out("section  rung  all of its rungs that there are\n", 32), end="")
    section  rung  all of its rungs
                   that there are
    """
    lines: list[str] = []
    for has_pipe, group in groupby(text.split("\n"), key=lambda line: line.startswith("|")):
        block = [*group]
        if has_pipe and len(block) > 1 and _DELIMITER.fullmatch(block[1]):
            lines += _narrowed(block, columns)
        else:
            for line in block:
                lines += broken(line, columns, " " * _hanging(line, columns))
    return "\n".join(lines)


def in_columns(rows: Sequence[Sequence[str]], columns: int | None) -> Iterator[str]:
    r"""Yield the lines of a table of numbers; columns without room follow below, as another table.

    :param rows: the header first. The first cell of each names its row.
    :param columns: the available columns; ``None`` for no limit.

    >>> print(*in_columns([("of", "a", "b"), ("x", "1,000", "2,000")], 9), sep="\n")
    of      a
    x   1,000
    <BLANKLINE>
    of      b
    x   2,000
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    is_first = True
    for chosen in _blocks(widths, columns):
        if not is_first:
            yield ""
        is_first = False
        for row in rows:
            cells = "".join(f"  {row[each]:>{widths[each]}}" for each in chosen)
            yield f"{row[0]:<{widths[0]}}{cells}"


def _blocks(widths: Sequence[int], columns: int | None) -> Iterator[list[int]]:
    """The columns, in groups that fit next to the first."""
    block: list[int] = []
    room = used = widths[0]
    for place, own in enumerate(widths[1:], start=1):
        if block and columns is not None and used + 2 + own > columns:
            yield block
            block, used = [], room
        block.append(place)
        used += 2 + own
    yield block


def _hanging(line: str, columns: int) -> int:
    """The indentation of a line's continuation: below its last column, if there is room, or a little further in."""
    ends = [gap.end() for gap in _GAP.finditer(line)]
    own = len(line) - len(line.lstrip(" ")) + 2
    last = ends[-1] if ends else own
    return last if last + NARROWEST <= columns else min(own, max(columns - NARROWEST, 0))


def _narrowed(table: list[str], columns: int) -> list[str]:
    if len(table[1]) <= columns:
        return table
    rows = [_EDGE.split(row[2:-2]) for row in table]
    room = [len(dashes) for dashes in rows[1]]
    spare = columns - (len(table[1]) - sum(room))
    fitting = (n for n in range(max(room), CELL, -1) if sum(min(n, own) for own in room) <= spare)
    widest = next(fitting, CELL)
    room = [min(widest, own) for own in room]
    rows[1] = [f"{own[:1]}{'-' * (n - 2)}{own[-1:]}" for own, n in zip(rows[1], room, strict=True)]
    lines = ([_cell(*pair) for pair in zip(row, room, strict=True)] for row in rows)
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(cell: str, columns: int) -> str:
    """A cell of a certain width, with its alignment; code that is cut ends as code."""
    text = cell.strip(" ")
    if width(text) > columns:
        is_code = text.startswith("`") and text.endswith("`")
        text = f"{cut(text[:-1], columns - 1)}`" if is_code else cut(text, columns)
    missing = " " * (columns - width(text))
    return f"{missing}{text}" if cell.startswith(" ") else f"{text}{missing}"


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


PLAIN_WIDTH = 80
"""The default columns of a layout without a terminal."""


@dataclass(frozen=True, slots=True)
class Style:
    """The abilities of a terminal: ANSI's bold and dim, and its number of columns.

    >>> Style(colour=False, width=80).bold("HUD")
    'HUD'
    """

    colour: bool
    width: int
    wraps: bool = False
    """True if lines that are too long are broken here; a pipe gets them whole."""

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def fitting(self, line: str) -> str:
        """Return a line of a table, cut at the terminal's edge; a pipe gets it whole.

        >>> Style(colour=False, width=6, wraps=True).fitting("Port 8080")
        'Port …'
        """
        return cut(line, self.width) if self.wraps else line

    def broken(self, text: str, indent: int = 0) -> list[str]:
        """Return the lines of a text that begins in a column; a pipe gets one line.

        >>> Style(colour=False, width=24, wraps=True).broken("Port 8080 is taken", 8)
        ['Port 8080 is', 'taken']
        """
        return broken(text, max(self.width - indent, NARROWEST)) if self.wraps else [text]

    def report(self, text: str) -> str:
        """Return a text with its tables fitted to the terminal; a pipe gets it unchanged."""
        return laid_out(text, self.width) if self.wraps else text

    def quoted(self, text: str) -> str:
        r"""Return ``text`` set off from the remarks about it.

        >>> Style(colour=False, width=80).quoted("# HUD\n\nText\n")
        '    # HUD\n\n    Text\n'
        """
        margin = self.dim("  │ ") if self.colour else "    "
        lines = (piece for line in text.splitlines() for piece in self._broken(line))
        return "".join(f"{margin}{line}".rstrip() + "\n" for line in lines)

    def _broken(self, line: str) -> list[str]:
        if not self.wraps:
            return [line]
        indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
        return textwrap.wrap(
            line, max(self.width - 4, 20), subsequent_indent=indent, break_on_hyphens=False
        ) or [""]


def style_for(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> Style:
    """Return the style that fits ``stream``: standard output when ``None``.

    Only a terminal gets ANSI codes, and none if ``NO_COLOR`` is set or ``TERM`` is ``dumb``.
    """
    stream = sys.stdout if stream is None else stream
    environ = os.environ if environ is None else environ
    if stream is None or not stream.isatty():  # it is None for a closed descriptor
        return Style(colour=False, width=PLAIN_WIDTH)
    colour = not environ.get("NO_COLOR") and environ.get("TERM") not in (None, "", "dumb")
    return Style(colour, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, wraps=True)


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
    put_report(f"{terminal_safe(text)}\n")


def put_report(text: str) -> None:
    """Write lines and tables for people, fitted to a terminal."""
    put(style_for().report(text))


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
    said = without_password(terminal_safe(text))
    lines, shown = style_for(sys.stderr).broken(said), screen()
    line = "".join(f"{each}\n" for each in lines)
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
