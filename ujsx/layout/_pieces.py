"""What a layout holds beside Markdown: tags, texts as they stand, comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from ujsx.layout._faults import Fault
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


class OpenComment(Fault):
    """A comment without an end."""


Piece: TypeAlias = Tag | Verbatim | Comment

_TAG = re.compile(r"<(?:[^\W\d]|[/>])")
_HTML = re.compile(r"<(?:!--|!\[CDATA\[|![A-Za-z]|\?)")
_VERBATIM = re.compile(r'\{"(?:[^"\\\n]|\\.)*+"\}')


def scan(text: str, at: int) -> Piece | None:
    r"""Return the piece that starts at ``at``, or ``None`` if what stands there is Markdown.

    :raises Fault: for what starts as a piece and is none.

    >>> scan('{"*a*"}', 0)
    Verbatim(value='*a*', at=0, end=7)
    >>> scan("a < b", 2), scan('{"a": 1}', 0)
    (None, None)
    """
    if text.startswith("{/*", at):
        end = text.find("*/}", at + 3)
        if end < 0:
            raise OpenComment("this comment is not closed; write */}", at, incomplete=True)
        return Comment(at, end + 3)
    if text.startswith('{"', at):
        if not _VERBATIM.match(text, at):
            return None
        value, end = scan_literal(text, at)
        return Verbatim(value, at, end)
    if _TAG.match(text, at):
        return scan_tag(text, at)
    if _HTML.match(text, at):
        raise Fault(
            r"a layout has no raw HTML; write {/* … */} for a comment, \< for the character", at
        )
    return None
