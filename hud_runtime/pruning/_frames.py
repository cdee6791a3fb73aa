"""Stack traces: which of their lines are a library's, or say again what was said.

The frames of five languages, each with how a frame looks, how one of a library does, and what belongs to it.
A table that a user extends. Own frames stay, and so does each trace's first and last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hud_runtime.pruning._keys import LOOKED_AT

MANY = 6
"""Frames of one trace, up to which it is left alone."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The look of a language's frames in a stack trace."""

    name: str
    frame: re.Pattern[str]
    """The first line of a frame."""
    library: re.Pattern[str]
    """What in it, or in what belongs to it, tells that it is a library's."""
    more: re.Pattern[str] | None = None
    """Lines that belong to the frame before them."""


FRAMES: tuple[Frames, ...] = (
    Frames(
        "python",
        re.compile(r'^[ \t|]*File "[^"\n]{1,500}", line \d+'),
        re.compile(
            r'(?:site-packages|dist-packages|lib/python[\d.]*|lib\\python|Lib\\|<frozen |<string>)[/\\>a-z_.]?|File "<'
        ),
        re.compile(r"^[ \t|]{4,}(?!File \")\S|^\s*\[Previous line repeated \d+"),
    ),
    Frames(
        "javascript",
        re.compile(r"^\s+at (?:async |new )?[^\n]*?(?::\d+:\d+\)?|\(<anonymous>\)|\(native\))$"),
        re.compile(r"node_modules[/\\]|\(?node:|internal[/\\]|<anonymous>\)|\(native\)|webpack[:/]"),
    ),
    Frames(
        "java",
        re.compile(r"^\s+(?:at [\w$.<>/@-]{3,300}\(|\.\.\. \d+ (?:more|common frames))"),
        re.compile(
            r"^\s+(?:at (?:[\w.-]+(?:@[\w.-]+)?/)?(?:java|javax|jdk|sun|com\.sun|jakarta|kotlin|kotlinx|scala|org\.(?:junit|springframework|apache|gradle|hibernate"
            r"|eclipse|mockito|jetbrains|scalatest)|io\.(?:netty|micrometer|undertow)|reactor|com\.(?:google|fasterxml|intellij))\.|\.\.\. \d+ )"
        ),
    ),
    Frames(
        "go",
        re.compile(r"^(?:created by )?[\w./*()@~\[\]{}-]{2,300}\([^\n]*\)$|^created by \S+"),
        re.compile(r"^(?:created by )?(?:runtime|testing|net|reflect|sync|internal|os|syscall)[./]|/(?:usr/local/go|libexec)/src/|/pkg/mod/|/go/src/(?:runtime|testing|net)/"),
        re.compile(r"^\t\S+\.(?:go|s):\d+"),
    ),
    Frames(
        "rust",
        re.compile(r"^\s+\d+: (?:0x[\da-f]+ - )?\S"),
        re.compile(r"^\s+\d+: (?:0x[\da-f]+ - )?<?&?(?:std|core|alloc|tokio|rust_begin_unwind|__|_start|main$|backtrace|test)(?:::|\b)|/rustc/|\.cargo/registry"),
        re.compile(r"^\s+at \S+:\d+"),
    ),
)  # fmt: skip
"""The languages whose traces are known."""


def dispensable(lines: Sequence[str], frames: Sequence[Frames] = FRAMES) -> Iterator[int]:
    """Yield the numbers of the lines that a reader of the traces can do without.

    >>> own = ['  File "a.py", line 1, in a', "    b()"]
    >>> lib = ['  File "/x/site-packages/b.py", line 1, in b', "    c()"]
    >>> [*dispensable(["Traceback:", *own, *lib * 8, *own, "ValueError: x"])]
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    """
    place = 0
    while place < len(lines):
        kind = next(
            (each for each in frames if each.frame.search(lines[place], 0, LOOKED_AT)), None
        )
        if kind is None:
            place += 1
            continue
        found, place = _trace(lines, place, kind)
        if len(found) > MANY:
            yield from _without(lines, found, kind)


def _trace(lines: Sequence[str], start: int, kind: Frames) -> tuple[list[range], int]:
    """The frames of the trace that begins at a line, and where it ends."""
    found: list[range] = []
    place = start
    while place < len(lines) and kind.frame.search(lines[place], 0, LOOKED_AT):
        end = place + 1
        while (
            end < len(lines)
            and kind.more is not None
            and kind.more.search(lines[end], 0, LOOKED_AT)
            and not kind.frame.search(lines[end], 0, LOOKED_AT)
        ):
            end += 1
        found.append(range(place, end))
        place = end
    return found, place


def _without(lines: Sequence[str], found: Sequence[range], kind: Frames) -> Iterator[int]:
    told: set[tuple[str, ...]] = set()
    for number, frame in enumerate(found):
        said = tuple(lines[each] for each in frame)
        is_library = any(kind.library.search(each, 0, LOOKED_AT) for each in said)
        if 0 < number < len(found) - 1 and (is_library or said in told):
            yield from frame
        told.add(said)
