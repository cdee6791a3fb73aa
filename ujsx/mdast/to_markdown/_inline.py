"""Handlers of phrasing: one small function per kind. Text and spans are in ``_phrasing``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ujsx.mdast._nodes import (
    Break,
    Definition,
    FootnoteDefinition,
    FootnoteReference,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    Node,
    Text,
)
from ujsx.mdast.to_markdown._links import identifier, label, resource, single_spaced
from ujsx.mdast.to_markdown._phrasing import Unwritable, is_inline, may_start_block
from ujsx.mdast.to_markdown._state import Handler, Writing
from ujsx.mdast.to_markdown._unsafe import USUAL_STARTS, LineStarts

_AUTOLINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>]*")
_MAIL = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
_INDENTED_LINE = re.compile(r"\n(?=[ \t])")
_INDENT = re.compile(r"(?<=\n)[ \t]+")
_BACKTICKS = re.compile(r"`+")
_SUFFIXES = {"collapsed": "[]", "shortcut": ""}
FOOTNOTE_LABEL = re.compile(r"[^\s\x00-\x20\x7f\[\]\\^&|`<]+")
LABEL = re.compile(r"(?=[\s\S]*[^ \t\n])(?:[^\\\[\]]|\\.){1,999}")


def inline_code(node: InlineCode, writing: Writing) -> str:
    """A code span whose delimiters are longer or shorter than any run within."""
    value = node.value
    if not value:
        raise Unwritable(node, "it is empty")
    if ("\n" in value or "\r" in value) and not keeps_line_ends(
        value, one_line=writing.one_line, line_starts=writing.line_starts
    ):
        raise Unwritable(node, "a line end in it would be read as a space, or start a block")
    written = code_span(value)
    if writing.in_cell and "\\|" in written:  # no reference can stand in code
        raise Unwritable(node, "a backslash before a pipe in it would end its table cell")
    return written


def code_span(code: str) -> str:
    """Return code, which is not empty, between delimiters that no run of backticks in it equals."""
    fence = "`"
    if fence in code:
        runs = set(_BACKTICKS.findall(code))
        while fence in runs:
            fence += "`"
    first, last = code[0], code[-1]
    is_bare = first != "`" and last != "`"
    if is_bare and not (first in " \n" and last in " \n" and code.strip(" \n")):
        return f"{fence}{code}{fence}"
    return f"{fence} {code} {fence}"  # one space at each end is no part of what is read


def keeps_line_ends(value: str, *, one_line: bool, line_starts: LineStarts = USUAL_STARTS) -> bool:
    """Return whether code may stand on several lines: none starts a block, however it is indented."""
    if one_line or "\r" in value or starts_block(_INDENT.sub("", code_span(value)), line_starts):
        return False
    runs = {len(run) for run in _BACKTICKS.findall(value)}
    return not {1, 2} <= runs  # three backticks in front would open a code fence


def html(node: Html, writing: Writing) -> str:
    """As it stands, if it is one piece.

    Of a line's indent the first three spaces belong to the paragraph, so that they are added.
    """
    value = node.value
    if not is_inline(value):
        raise Unwritable(node, "it is not one tag, comment, instruction, declaration or CDATA")
    if "\n" in value:
        if writing.one_line:
            raise Unwritable(node, "it holds a line end, where its block has one line")
        if starts_block(value, writing.line_starts):
            raise Unwritable(node, "a line of it would start a block")
        value = _INDENTED_LINE.sub("\n   ", value)
    if writing.in_cell and "|" in value:
        raise Unwritable(node, "the backslash that a pipe takes in a cell would be a part of it")
    return value


def starts_block(value: str, line_starts: LineStarts = USUAL_STARTS) -> bool:
    """Return whether a line after the first would start a block, or is blank.

    One with an indent goes on with the paragraph: it is written with three spaces more.
    """
    rest = value[value.index("\n") + 1 :]
    return any(
        not line.strip(" \t") or line.startswith("[^") or may_start_block(line, is_first=False)
        for line in rest.split("\n")
    ) or line_starts.in_lines(value)


def line_break(node: Break, writing: Writing) -> str:
    """A backslash at a line's end."""
    if writing.one_line:
        raise Unwritable(node, "its block has one line")
    return "\\\n"


def link(node: Link, writing: Writing) -> str:
    """``[a](url "title")``, or ``<url>`` where that says it all."""
    if writing.in_link:
        raise Unwritable(node, "it stands within a link")
    if not writing.options.resource_link and _is_autolink(node, writing):
        text = node.children[0]
        assert isinstance(text, Text)
        return f"<{text.value}>"
    text_of_link = _bracketed(node, writing)
    return f"[{text_of_link}]{resource(node.url, node.title, writing.options.quote)}"


def image(node: Image, writing: Writing) -> str:
    """``![alt](url "title")``."""
    target = resource(node.url, node.title, writing.options.quote)
    return f"![{_alt(node.alt, writing, one_line=writing.one_line)}]{target}"


def link_reference(node: LinkReference, writing: Writing) -> str:
    """``[a][label]``, ``[label][]`` or ``[label]``."""
    if writing.in_link:
        raise Unwritable(node, "it stands within a link")
    return _reference(node, _bracketed(node, writing), writing)


def image_reference(node: ImageReference, writing: Writing) -> str:
    """``![alt][label]``, ``![label][]`` or ``![label]``."""
    return f"!{_reference(node, text_of_reference(node, writing), writing)}"


def footnote_reference(node: FootnoteReference, writing: Writing) -> str:
    """``[^label]``."""
    writing.references.append(node)
    return f"[^{footnote_label(node)}]"


def footnote_label(node: FootnoteReference | FootnoteDefinition) -> str:
    """Return a footnote's label, which cannot hold white space, brackets or escapes."""
    for source in (node.label, node.identifier):
        if (
            source is not None
            and FOOTNOTE_LABEL.fullmatch(source)
            and identifier(source) == node.identifier
        ):
            return source
    raise Unwritable(node, f"{node.identifier!r} is not possible as a footnote's label")


def reference_label(node: Definition | LinkReference | ImageReference) -> str:
    """Return the label's source: ``label`` if it leads to the identifier, else the identifier."""
    for source in _label_sources(node):
        if LABEL.fullmatch(source) and identifier(source) == node.identifier:
            return source
    raise Unwritable(node, f"{node.identifier!r} is not possible as a label")


def _label_sources(node: Definition | LinkReference | ImageReference) -> Iterator[str]:
    if node.label is not None:
        yield label(node.label)
    yield single_spaced(node.identifier)
    yield label(node.identifier)


def text_of_reference(node: LinkReference | ImageReference, writing: Writing) -> str:
    """Return what stands in a reference's first brackets."""
    if isinstance(node, ImageReference):
        return _alt(node.alt, writing, one_line=True)
    return _bracketed(node, writing)


def _reference(node: LinkReference | ImageReference, text: str, writing: Writing) -> str:
    writing.references.append(node)
    if node.reference_type == "full" or not is_label_of(text, node, writing):
        label_source = reference_label(node)
        if writing.in_cell and "|" in label_source:
            raise Unwritable(
                node, "the backslash that a pipe takes in a cell makes it another label"
            )
        return f"[{text}][{label_source}]"
    return f"[{text}]{_SUFFIXES[node.reference_type]}"


def is_label_of(
    text: str, node: Definition | LinkReference | ImageReference, writing: Writing
) -> bool:
    """Return whether a reference's text, as written, leads to its definition."""
    if writing.in_cell and "|" in text:  # it takes a backslash, which makes it another label
        return False
    if "\n" in text and writing.line_starts.in_lines(text):  # so does a line's start
        return False
    return LABEL.fullmatch(text) is not None and identifier(text) == node.identifier


def _bracketed(node: Link | LinkReference, writing: Writing) -> str:
    """Return the phrasing that stands within a link's brackets."""
    writing.enter(node)
    writing.in_link = True
    text = writing.run(node.children, "label")
    writing.in_link = False
    writing.leave()
    return text


def _alt(alt: str | None, writing: Writing, *, one_line: bool) -> str:
    if not alt:
        return ""
    written = writing.escapes.text(alt, "label", one_line=one_line)
    if "\n" in (written[0], written[-1]):
        written = writing.escapes.text(alt, "label", one_line=True)
    # To cmark-gfm ``![^`` is an exclamation mark in front of a footnote's mark, or of a link.
    return f"\\{written}" if alt[0] == "^" else written


def _is_autolink(node: Link, writing: Writing) -> bool:
    if node.title is not None or len(node.children) != 1 or type(node.children[0]) is not Text:
        return False
    text = node.children[0].value
    if writing.in_cell and "|" in text:  # its backslash would be a part of the address
        return False
    if text == node.url:
        return _AUTOLINK.fullmatch(text) is not None
    return node.url == f"mailto:{text}" and _MAIL.fullmatch(text) is not None


HANDLERS: dict[type[Node], Handler] = {
    InlineCode: inline_code,
    Html: html,
    Break: line_break,
    Link: link,
    Image: image,
    LinkReference: link_reference,
    ImageReference: image_reference,
    FootnoteReference: footnote_reference,
}
