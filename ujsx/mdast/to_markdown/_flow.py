"""Handlers of blocks: one small function per kind."""

from __future__ import annotations

import re

from ujsx.mdast._alerts import ALERT, MARK
from ujsx.mdast._nodes import (
    Blockquote,
    Code,
    Definition,
    FootnoteDefinition,
    Heading,
    Html,
    Node,
    Paragraph,
    Text,
    ThematicBreak,
    Yaml,
)

from ._errors import Unwritable
from ._html import OPEN_END, block_fault, in_place
from ._inline import footnote_label, reference_label
from ._join import has_line_end, is_setext
from ._merged import first
from ._resources import destination, title
from ._state import Handler, Writing

_GOES_ON = frozenset("'\"(|:-[")
"""What a paragraph starts with that could be the title of a definition on the line before, or the
second line of a table that starts there, or the box of a task."""
_BLANK_QUOTED = re.compile(r"^> $", re.MULTILINE)
_CLOSING_SEQUENCE = re.compile(r"(?:\A|(?<=[ \t]))(?=#+\Z)")
_INFO_UNSAFE = re.compile(r"\\(?=[!-/:-@\[-`{-~\n\r]|\Z)|&(?=#?[0-9A-Za-z]{1,31};)")
_INFO_SPACES = re.compile(r"[ \t\n\r]")
_FENCES = {marker: re.compile(rf"^[ \t]*({re.escape(marker)}+)", re.MULTILINE) for marker in "`~"}
_YAML_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


def paragraph(node: Paragraph, writing: Writing) -> str:
    """Lines of phrasing."""
    written = writing.lines(node.children)
    if not written:
        raise Unwritable(node, "it is empty")
    if (
        written[0] in _GOES_ON
        and writing.in_tight_item
        and isinstance(writing.behind, Definition)
        and isinstance(first(node.children), Text)
    ):
        return f"\\{written}"
    return written


def heading(node: Heading, writing: Writing) -> str:
    """``# a``, or two lines for a heading that holds a line end."""
    if not 1 <= node.depth <= 6:
        raise Unwritable(node, f"its depth {node.depth} is not between 1 and 6")
    if is_setext(node, writing.options) and (written := _underlined(node, writing)):
        return written
    writing.one_line = True
    written = writing.content(node.children)
    writing.one_line = False
    marker = "#" * node.depth
    if not written:
        return marker
    if written[-1] == "#":
        written = _CLOSING_SEQUENCE.sub(r"\\", written)
    return f"{marker} {written} {marker}" if writing.options.close_atx else f"{marker} {written}"


def _underlined(node: Heading, writing: Writing) -> str:
    try:
        written = writing.lines(node.children)
    except Unwritable:
        if has_line_end(node):
            raise
        return ""  # HTML that may stand behind a number sign, but not at the start of a line
    width = len(written) - written.rfind("\n") - 1
    return f"{written}\n{('=' if node.depth == 1 else '-') * max(3, width)}" if written else ""


def thematic_break(node: ThematicBreak, writing: Writing) -> str:
    """``---``; not with dashes where those would open front matter or underline a heading."""
    options = writing.options
    marker = options.rule
    if marker == "-" and (writing.is_first or writing.in_tight_item):
        marker = "*"
    return (" " if options.rule_spaces else "").join([marker] * options.rule_repetition)


def blockquote(node: Blockquote, writing: Writing) -> str:
    """``>`` before each line."""
    writing.enter(node)
    written = writing.flow(node, node.children)
    writing.leave()
    written = _as_alert(written) if ALERT in (node.data or ()) else _as_quote(written, node)
    return quoted(written)


def quoted(written: str) -> str:
    r"""Return blocks with ``>`` before each line.

    >>> quoted("a\n\nb")
    '> a\n>\n> b'
    """
    lines = "> " + written.replace("\n", "\n> ")
    return _BLANK_QUOTED.sub(">", lines) if "\n\n" in written or not written else lines


def _as_alert(written: str) -> str:
    """Return a quote whose alert's mark has no backslash: it closes its own bracket."""
    return written[1:] if written[:1] == "\\" and MARK.match(written, 1) else written


def _as_quote(written: str, node: Blockquote) -> str:
    """Return a quote that is no alert, though its text may start as one."""
    if written[:2] != "[!" or not MARK.match(written):
        return written
    is_text = isinstance(first(getattr(node.children[0], "children", ())), Text)
    return f"\\{written}" if is_text else written


def code(node: Code, writing: Writing) -> str:
    """A fence longer than any within."""
    value, info = node.value, node.lang or ""
    if "\r" in value:
        raise Unwritable(node, "a carriage return in it would be read as a line end")
    if info and _INFO_SPACES.search(info):
        raise Unwritable(node, "its lang holds white space")
    if node.meta:
        if not info:
            raise Unwritable(node, "it has meta without lang")
        if node.meta.strip(" \t\n\r") != node.meta:
            raise Unwritable(node, "its meta has white space at an edge")
        info = f"{info} {node.meta}"
    marker = "~" if "`" in info else writing.options.fence
    length = 3
    if marker in value:
        length = max([2, *map(len, _FENCES[marker].findall(value))]) + 1
    if info:
        info = _INFO_UNSAFE.sub(_escaped, info).replace("\n", "&#xA;").replace("\r", "&#xD;")
        if info[0] == marker:
            info = f"\\{info}"
    fence = marker * max(3, length)
    return f"{fence}{info}\n{value}\n{fence}" if value else f"{fence}{info}\n{fence}"


def html(node: Html, writing: Writing) -> str:
    """As it stands, if it is one block."""
    value = in_place(node.value, writing.behind)
    fault = block_fault(value)
    if fault == OPEN_END and writing.is_last and not writing.must_end:
        if writing.before_item and value.endswith("\n"):
            raise Unwritable(node, "it has no end, and blank lines in it would make the list loose")
        writing.is_kept = False  # it depends on what follows
    elif fault is not None:
        raise Unwritable(node, fault)
    return value.rstrip("\n")


def definition(node: Definition, writing: Writing) -> str:
    """``[a]: url "title"``."""
    writing.definitions.add(node.identifier)
    target = f"[{reference_label(node)}]: {destination(node.url)}"
    if node.title is None:
        return target
    return f"{target} {title(node.title, writing.options.quote)}"


def footnote_definition(node: FootnoteDefinition, writing: Writing) -> str:
    """``[^a]: `` and the blocks, indented by four."""
    writing.footnotes.add(node.identifier)
    writing.enter(node)
    written = writing.flow(node, node.children)
    writing.leave()
    start = f"[^{footnote_label(node)}]:"
    if not written:
        return start
    # Behind the label, the indent that is HTML's own would be the label's.
    between = "\n    " if written[0] == " " else " "
    return f"{start}{between}{indented(written, '    ')}"


def yaml(node: Yaml, writing: Writing) -> str:
    """Front matter within its fences."""
    if not writing.is_first:
        raise Unwritable(node, "front matter stands first in a document, and nowhere else")
    if _YAML_FENCE.search(node.value):
        raise Unwritable(node, "a line of it would end it")
    if "\r" in node.value:
        raise Unwritable(node, "a carriage return in it would be read as a line end")
    return f"---\n{node.value}\n---" if node.value else "---\n---"


def _escaped(match: re.Match[str]) -> str:
    return "&amp;" if match[0] == "&" else f"\\{match[0]}"


def indented(text: str, indent: str) -> str:
    r"""Indent all lines but the first and the empty ones.

    >>> indented("a\n\nb", "  ")
    'a\n\n  b'
    """
    if "\n" not in text:
        return text
    if "\n\n" not in text:
        return text.replace("\n", f"\n{indent}")
    first, *rest = text.split("\n")
    return "\n".join([first, *[indent + line if line else line for line in rest]])


HANDLERS: dict[type[Node], Handler] = {
    Paragraph: paragraph,
    Heading: heading,
    ThematicBreak: thematic_break,
    Blockquote: blockquote,
    Code: code,
    Html: html,
    Definition: definition,
    FootnoteDefinition: footnote_definition,
    Yaml: yaml,
}
