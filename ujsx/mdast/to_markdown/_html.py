"""The HTML that a parser takes as a block, and that within a line (CommonMark 4.6, 6.6)."""

from __future__ import annotations

import re

from ujsx.mdast._faults import is_known
from ujsx.mdast._nodes import List, Node

_ATTRIBUTE = (
    r"""(?:[ \t\n]+[A-Za-z_:][\w.:-]*(?:[ \t\n]*=[ \t\n]*(?:[^ \t\n"'=<>`]+|'[^']*'|"[^"]*"))?)"""
)
_OPEN_TAG = rf"<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*[ \t\n]*/?>"
_CLOSING_TAG = r"</[A-Za-z][A-Za-z0-9-]*[ \t\n]*>"

_INLINE = re.compile(
    rf"""{_OPEN_TAG}|{_CLOSING_TAG}
    |<!-->|<!--->|<!--(?:(?!-->).)*-->
    |<\?(?:(?!\?>).)*\?>
    |<![A-Za-z][^>]*>
    |<!\[CDATA\[(?:(?!\]\]>).)*\]\]>""".replace("\n    |", "|"),
    re.DOTALL | re.ASCII,
)

_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|"
    "header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|"
    "param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)

_KINDS: tuple[tuple[int, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, re.compile(start, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for kind, start, end in (
        (1, r"<(?:script|pre|style|textarea)(?=[ \t>]|$)", r"</(?:script|pre|style|textarea)>"),
        (2, r"<!--", r"-->"),
        (3, r"<\?", r"\?>"),
        (4, r"<![a-z]", r">"),
        (5, r"<!\[CDATA\[", r"\]\]>"),
        (6, rf"</?(?:{_NAMES})(?=[ \t]|/?>|$)", r"\A[ \t]*\Z"),
        (7, rf"(?:{_OPEN_TAG}|{_CLOSING_TAG})[ \t]*$".replace(r"\n", ""), r"\A[ \t]*\Z"),
    )
)
"""The seven kinds of HTML block: what starts them on a line, and on what line they end."""

_LOOSE_STARTS = tuple(
    (kind, re.compile(start.pattern.replace(r"[ \t]", r"\s"), re.IGNORECASE))
    for kind, start, _ in _KINDS
)

ENDS_AT_BLANK_LINE = (6, 7)
"""The kinds that go on to the next blank line."""


def block_kind(line: str) -> int | None:
    """Return the kind of HTML block that a line starts.

    >>> block_kind("<!-- a -->"), block_kind("<b>"), block_kind("<b> c")
    (2, 7, None)
    """
    return next((kind for kind, start, _ in _KINDS if start.match(line)), None)


def may_start_block(line: str, *, is_first: bool) -> bool:
    """Return whether some parser takes a line within a paragraph for the start of HTML.

    Beyond ``block_kind``, Python's parsers count all of Unicode's white space as space.
    """
    return any(pattern.match(line) for kind, pattern in _LOOSE_STARTS if kind != 7 or is_first)


def is_inline(value: str) -> bool:
    """Return whether a text is one piece of HTML within a line.

    >>> is_inline("<b>"), is_inline("<b> c")
    (True, False)
    """
    return _INLINE.fullmatch(value) is not None


def in_place(value: str, behind: Node | None) -> str:
    r"""Return an HTML block so that its own indent is not another's, with the block before it.

    Behind a list it is less indented than the items: else it would be in one. How wide the markers
    will be is a matter of options, but none is less than a bullet and a space. A tab's width depends
    on what is before it.

    >>> in_place("   <p>", List()), in_place("   <p>", List(ordered=True)), in_place("\t<p>", None)
    (' <p>', '  <p>', '<p>')
    """
    if value[:1] not in ("\t", " "):
        return value
    rest = value.lstrip(" \t")
    indent = value[: len(value) - len(rest)]
    if "\t" in indent:
        return rest
    if isinstance(behind, List):
        return indent[: _MOST_INDENT[behind.ordered]] + rest
    return value if behind is None or is_known(behind) else rest  # one may take in what is indented


_MOST_INDENT = {False: 1, True: 2}
"""Spaces before HTML that follows a list, by whether the list is ordered."""


OPEN_END = "it has no end, and more follows"
"""The fault of HTML that goes on to the end of its container: none, if nothing follows it."""


def block_fault(value: str) -> str | None:
    r"""Return why a text is not one HTML block, or ``None`` if it is.

    >>> block_fault("<p>\n\nforged")
    'it has a blank line'
    """
    lines = value.split("\n")
    kind = block_kind(lines[0].lstrip(" "))
    if kind is None or lines[0][:4] == "    ":
        return "it does not start as an HTML block does"
    if kind in ENDS_AT_BLANK_LINE:
        return "it has a blank line" if any(not line.strip(" \t") for line in lines) else None
    end = _KINDS[kind - 1][2]
    skip = {2: 2, 4: 0}.get(kind, 0)
    for index, line in enumerate(lines):
        if end.search(line, skip if index == 0 else 0):
            return None if index == len(lines) - 1 else "it goes on after its end"
    return OPEN_END
