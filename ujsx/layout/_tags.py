"""A component's tag, as it is written: ``<Name prop="text" other={3}>``, ``</Name>``, ``<>``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ujsx.errors import shown
from ujsx.layout._faults import Fault
from ujsx.layout._holes import refuse_expression, scan_hole
from ujsx.layout._literals import scan_literal, skip_space

_NAME = re.compile(r"[^\W\d][\w.-]*+")
_SHOWN = 60
"""Characters of a name that a message shows at most."""
_STRING = re.compile(r'"[^"\n]*+"|\'[^\'\n]*+\'')


@dataclass(frozen=True, slots=True)
class Attribute:
    """A prop as it is written, with the offsets of its name and its value."""

    name: str
    value: Any
    at: int
    value_at: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag; its name is empty for a fragment's. It ends before ``end``."""

    name: str
    attributes: tuple[Attribute, ...]
    at: int
    end: int
    closes: bool = False
    """Whether it is a closing tag, ``</Name>``."""
    is_whole: bool = False
    """Whether it needs no closing tag, ``<Name/>``."""
    is_broken: bool = False
    """Whether it cannot be read but for its name."""

    def __str__(self) -> str:
        return f"<{'/' * self.closes}{short(self.name)}{'/' * self.is_whole}>"


def short(name: str) -> str:
    """Return a name as a message shows it."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


def scan_tag(text: str, at: int, *, holes: bool = False) -> Tag:
    """Return the tag whose ``<`` stands at ``at``.

    A string ends on its line and knows no escapes; ``prop={"…"}`` does. A prop alone is ``true``.

    :param holes: whether a name in braces is a :class:`Hole`, the value of the prop.
    :raises Fault: for what is no tag, at the first character that cannot be right.

    >>> scan_tag("<Item checked/>", 0).attributes
    (Attribute(name='checked', value=True, at=6, value_at=6),)
    """
    closes = text.startswith("/", at + 1)
    name = _NAME.match(text, at + 1 + closes)
    here = name.end() if name else at + 1 + closes
    called = name[0] if name else ""
    attributes: dict[str, Attribute] = {}
    while True:
        before, here = here, skip_space(text, here)
        if text.startswith(">", here):
            return Tag(called, tuple(attributes.values()), at, here + 1, closes=closes)
        if here >= len(text):
            raise Fault(
                f"<{short(called)} is not closed; end the tag with > or />", at, incomplete=True
            )
        if not closes and called and text.startswith("/>", here):
            return Tag(called, tuple(attributes.values()), at, here + 2, is_whole=True)
        if closes or not called:
            what = "a closing tag" if closes else "a fragment's tag"
            raise Fault(f"{what} has no props; write > here", here)
        if before == here:
            raise Fault(
                f"{shown(text[here])} cannot stand here in a tag; write >, />, or a space", here
            )
        attribute, here = _scan_attribute(text, here, holes=holes)
        if attribute.name in attributes:
            raise Fault(f'"{short(attribute.name)}" is given twice; keep one', attribute.at)
        attributes[attribute.name] = attribute


_BROKEN = re.compile(r"<(?P<closes>/?)(?P<name>[^\W\d][\w.-]*+)[^<>\n]*+>")


_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]++@[A-Za-z0-9.-]++)>"
)
"""An address in angle brackets, which is a link (CommonMark 0.31.2, section 6.5)."""


def broken_tag(text: str, at: int) -> Tag | None:
    """Return what a tag that is malformed probably is: up to its bracket, without its props."""
    match = _BROKEN.match(text, at)
    if match is None or _AUTOLINK.match(text, at):
        return None
    is_whole = match[0].endswith("/>") and not match["closes"]
    return Tag(
        match["name"],
        (),
        at,
        match.end(),
        closes=bool(match["closes"]),
        is_whole=is_whole,
        is_broken=True,
    )


def _scan_attribute(text: str, at: int, *, holes: bool) -> tuple[Attribute, int]:
    name = _NAME.match(text, at)
    if name is None:
        if text[at] == "{":
            raise Fault("nothing can be spread in a tag, only literals are taken: name={…}", at)
        raise Fault(
            f"{shown(text[at])} cannot stand here in a tag; write >, /> or a prop's name", at
        )
    here = skip_space(text, name.end())
    if not text.startswith("=", here):
        return Attribute(name[0], True, at, at), name.end()
    here = skip_space(text, here + 1)
    if text.startswith("{", here):
        if holes:
            if (hole := scan_hole(text, here)) is not None:
                return Attribute(name[0], hole, at, here), hole.end
            refuse_expression(text, here)
        value, end = scan_literal(text, here)
        return Attribute(name[0], value, at, here), end
    if text.startswith(("'", '"'), here):
        string = _STRING.match(text, here)
        if string is None:
            raise Fault(
                'this string does not end on its line; for a line end write {"…\\n…"}', here
            )
        return Attribute(name[0], string[0][1:-1], at, here), string.end()
    raise Fault(
        f'a value is a string or a literal in braces: {short(name[0])}="…" or {short(name[0])}={{…}}',
        here,
        incomplete=here >= len(text),
    )
