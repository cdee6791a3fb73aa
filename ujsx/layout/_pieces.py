"""The pieces of a layout beside its Markdown: tags, texts as they stand, comments, holes; and other braces, which it refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ujsx.layout._faults import Fault
from ujsx.layout._holes import Hole, scan_hole
from ujsx.layout._literals import scan_literal
from ujsx.layout._tags import Tag, scan_tag


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text as it stands, ``{"…"}``: no Markdown in it, and none of its white space lost."""

    value: str
    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark for who reads the source, ``{/* … */}``."""

    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Braces:
    """Braces that hold neither a text nor a comment, such as an expression of JSX; or half of a pair."""

    at: int
    end: int


class OpenComment(Fault):
    """A comment without an end."""


Piece: TypeAlias = Tag | Verbatim | Comment | Hole | Braces

LONGEST_BRACES = 1_000
"""Characters within which an opening brace finds its partner."""

_TAG = re.compile(r"<(?:[^\W\d]|[/>])")
_HTML = re.compile(r"<(?:!--|!\[CDATA\[|![A-Za-z]|\?)")
_BRACE = re.compile(r"[{}]")
_VERBATIM = re.compile(r'\{"(?:[^"\\\n]|\\.)*+"\}')


class Scanner:
    r"""Reads the pieces of one text.

    :param holes: whether a name in braces is a hole.

    >>> Scanner('{"*a*"}').scan(0)
    Verbatim(value='*a*', at=0, end=7)
    >>> Scanner("a < b").scan(2), Scanner("{state.task}").scan(0)
    (None, Braces(at=0, end=12))
    """

    def __init__(self, text: str, *, holes: bool = False) -> None:
        self.text = text
        self._holes = holes

    def scan(self, at: int) -> Piece | None:
        """Return the piece that starts at ``at``, or ``None`` if what stands there is Markdown.

        :raises Fault: for what starts as a piece and is none.
        """
        text = self.text
        if text.startswith("{/*", at):
            end = text.find("*/}", at + 3)
            if end < 0:
                raise OpenComment("this comment is not closed; write */}", at, incomplete=True)
            return Comment(at, end + 3)
        if _VERBATIM.match(text, at):
            value, end = scan_literal(text, at)
            return Verbatim(value, at, end)
        if text.startswith(("{", "}"), at):
            hole = scan_hole(text, at) if self._holes else None
            if hole is not None:
                return hole
            return Braces(at, self.braces.get(at, at + 1))
        if _TAG.match(text, at):
            return scan_tag(text, at, holes=self._holes)
        if _HTML.match(text, at):
            raise Fault(
                r"a layout has no raw HTML; write {/* … */} for a comment, \< for the character", at
            )
        return None

    @cached_property
    def braces(self) -> Mapping[int, int]:
        """The pairs of braces in the text."""
        return braces_in(self.text)


def braces_in(text: str) -> Mapping[int, int]:
    """Return where each pair of braces ends, by where it begins.

    >>> braces_in("{a.map(b => {b.c})} {")
    {12: 17, 0: 19}
    """
    ends: dict[int, int] = {}
    open_braces: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            open_braces.append(brace.start())
        elif open_braces and brace.end() - (start := open_braces.pop()) <= LONGEST_BRACES:
            ends[start] = brace.end()
    return ends
