"""The handlers of nodes: one small function for each kind, with the pipes of table cells. Text and spans are in ``_phrasing``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import zip_longest
from operator import call, itemgetter
from typing import TypeAlias, cast

from ujsx.mdast import _nodes as m
from ujsx.mdast._nodes import ALERT, MARK, Node
from ujsx.mdast.to_markdown._phrasing import (
    OPEN_END,
    Unwritable,
    block_fault,
    first,
    in_place,
    is_inline,
    may_start_block,
    merged,
)
from ujsx.mdast.to_markdown._state import Handler, WriterState, has_line_end, is_setext, only_text
from ujsx.mdast.to_markdown._unsafe import (
    USUAL_STARTS,
    LineStarts,
    destination,
    identifier,
    info_string,
    label,
    resource,
    single_spaced,
    title,
)
from ujsx.on_demand import late_pattern
from ujsx.text import width

# Handlers of phrasing.

_AUTOLINK = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>]*")
_MAIL = late_pattern(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
_INDENTED_LINE = late_pattern(r"\n(?=[ \t])")
_INDENT = late_pattern(r"(?<=\n)[ \t]+")
_BACKTICKS = late_pattern(r"`+")
_SUFFIXES = {"collapsed": "[]", "shortcut": ""}
FOOTNOTE_LABEL = late_pattern(r"[^\s\x00-\x20\x7f\[\]\\^&|`<]+")
LABEL = late_pattern(r"(?=[\s\S]*[^ \t\n])(?:[^\\\[\]]|\\.){1,999}")


def inline_code(node: m.InlineCode, writing: WriterState) -> str:
    """Write a code span whose delimiters are longer or shorter than any run within."""
    value = node.value
    if not value:
        raise Unwritable(node, "it is empty")
    if ("\n" in value or "\r" in value) and not keeps_line_ends(
        value, one_line=writing.one_line, line_starts=writing.line_starts
    ):
        raise Unwritable(node, "a line end in it would be read as a space, or start a block")
    written = code_span(value)
    if writing.in_cell and "\\|" in written:  # references have no meaning in code
        raise Unwritable(node, "a backslash before a pipe in it would end its table cell")
    return written


def code_span(code: str) -> str:
    """Return nonempty code between delimiters unlike any run of backticks in it."""
    fence = "`"
    if fence in code:
        runs = set(_BACKTICKS.findall(code))
        while fence in runs:
            fence += "`"
    first, last = code[0], code[-1]
    is_bare = first != "`" and last != "`"
    if is_bare and not (first in " \n" and last in " \n" and code.strip(" \n")):
        return f"{fence}{code}{fence}"
    return f"{fence} {code} {fence}"  # a reader strips one space at each end


def keeps_line_ends(value: str, *, one_line: bool, line_starts: LineStarts = USUAL_STARTS) -> bool:
    """Return whether code may span several lines: none starts a block, at any indent."""
    if one_line or "\r" in value or starts_block(_INDENT.sub("", code_span(value)), line_starts):
        return False
    runs = {len(run) for run in _BACKTICKS.findall(value)}
    return not {1, 2} <= runs  # three backticks in front would open a code fence


def inline_html(node: m.Html, writing: WriterState) -> str:
    """Write HTML verbatim, if it is one piece.

    The first three spaces of a line's indent belong to the paragraph, so they are added.
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

    An indented line continues the paragraph: it is written with three more spaces.
    """
    rest = value[value.index("\n") + 1 :]
    return any(
        not line.strip(" \t") or line.startswith("[^") or may_start_block(line, is_first=False)
        for line in rest.split("\n")
    ) or line_starts.in_lines(value)


def line_break(node: m.Break, writing: WriterState) -> str:
    """Write a backslash at a line's end."""
    if writing.one_line:
        raise Unwritable(node, "its block has one line")
    return "\\\n"


def link(node: m.Link, writing: WriterState) -> str:
    """Write ``[a](url "title")``, or ``<url>`` if that is equivalent."""
    if writing.in_link:
        raise Unwritable(node, "it stands within a link")
    url, title, options = node.url, node.title, writing.options
    if title is None and not options.resource_link and (text := _autolink(node, writing)):
        return f"<{text}>"
    return f"[{_bracketed(node, writing)}]{resource(url, title, options.quote)}"


def image(node: m.Image, writing: WriterState) -> str:
    """Write ``![alt](url "title")``."""
    target = resource(node.url, node.title, writing.options.quote)
    return f"![{_alt(node.alt, writing, one_line=writing.one_line)}]{target}"


def link_reference(node: m.LinkReference, writing: WriterState) -> str:
    """Write ``[a][label]``, ``[label][]`` or ``[label]``."""
    if writing.in_link:
        raise Unwritable(node, "it stands within a link")
    return _reference(node, _bracketed(node, writing), writing)


def image_reference(node: m.ImageReference, writing: WriterState) -> str:
    """Write ``![alt][label]``, ``![label][]`` or ``![label]``."""
    return f"!{_reference(node, text_of_reference(node, writing), writing)}"


def footnote_reference(node: m.FootnoteReference, writing: WriterState) -> str:
    """``[^label]``."""
    writing.note_reference(node)
    return f"[^{footnote_label(node)}]"


def footnote_label(node: m.FootnoteReference | m.FootnoteDefinition) -> str:
    """Return a footnote's label, which cannot contain white space, brackets or escapes."""
    for source in (node.label or "", node.identifier):
        if FOOTNOTE_LABEL.fullmatch(source) and identifier(source) == node.identifier:
            return source
    raise Unwritable(node, f"{node.identifier!r} is not possible as a footnote's label")


def reference_label(node: m.Definition | m.LinkReference | m.ImageReference) -> str:
    """Return the label's source: ``label`` if it leads to the identifier, else the identifier."""
    sources = [single_spaced(node.identifier), label(node.identifier)]
    if node.label is not None:
        sources.insert(0, label(node.label))
    for source in sources:
        if LABEL.fullmatch(source) and identifier(source) == node.identifier:
            return source
    raise Unwritable(node, f"{node.identifier!r} is not possible as a label")


def text_of_reference(node: m.LinkReference | m.ImageReference, writing: WriterState) -> str:
    """Return the text in a reference's first brackets."""
    if isinstance(node, m.ImageReference):
        return _alt(node.alt, writing, one_line=True)
    return _bracketed(node, writing)


def _reference(node: m.LinkReference | m.ImageReference, text: str, writing: WriterState) -> str:
    writing.note_reference(node)
    if node.reference_type == "full" or not is_label_of(text, node, writing):
        label_source = reference_label(node)
        if writing.in_cell and "|" in label_source:
            why = "the backslash that a pipe takes in a cell makes it another label"
            raise Unwritable(node, why)
        return f"[{text}][{label_source}]"
    return f"[{text}]{_SUFFIXES[node.reference_type]}"


def is_label_of(
    text: str, node: m.Definition | m.LinkReference | m.ImageReference, writing: WriterState
) -> bool:
    """Return whether a reference's text, as written, leads to its definition."""
    if writing.in_cell and "|" in text:  # it gets a backslash, which changes the label
        return False
    if "\n" in text and writing.line_starts.in_lines(text):  # so does the start of a line
        return False
    return LABEL.fullmatch(text) is not None and identifier(text) == node.identifier


def _bracketed(node: m.Link | m.LinkReference, writing: WriterState) -> str:
    """Return the phrasing within a link's brackets."""
    writing.enter(node)
    writing.in_link = True
    text = writing.run(node.children, "label")
    writing.in_link = False
    writing.leave()
    return text


def _alt(alt: str | None, writing: WriterState, *, one_line: bool) -> str:
    if not alt:
        return ""
    written = writing.escapes.text(alt, "label", one_line=one_line)
    if "\n" in (written[0], written[-1]):
        written = writing.escapes.text(alt, "label", one_line=True)
    # In cmark-gfm ``![^`` is an exclamation mark before a footnote's mark, or a link.
    return f"\\{written}" if alt[0] == "^" else written


def _autolink(node: m.Link, writing: WriterState) -> str:
    """Return the text for angle brackets, if an autolink is equivalent."""
    text, url = only_text(node), node.url
    if not url.endswith(text) or url not in (text, f"mailto:{text}"):
        return ""
    if writing.in_cell and "|" in text:  # its backslash would become part of the address
        return ""
    is_one = _AUTOLINK.fullmatch(text) if text == url else _MAIL.fullmatch(text)
    return text if is_one else ""


PHRASING_HANDLERS: dict[type[Node], Handler] = {
    m.InlineCode: inline_code,
    m.Html: inline_html,
    m.Break: line_break,
    m.Link: link,
    m.Image: image,
    m.LinkReference: link_reference,
    m.ImageReference: image_reference,
    m.FootnoteReference: footnote_reference,
}


# Handlers of blocks.

_GOES_ON = frozenset("'\"(|:-[")
"""First characters of a paragraph that could be the title of a definition or the second line of a table on the line
before, or a task's box.
"""
_BLANK_QUOTED = late_pattern(r"^> $", re.MULTILINE)
_CLOSING_SEQUENCE = late_pattern(r"(?:\A|(?<=[ \t]))(?=#+\Z)")
INFO_SPACE = late_pattern(r"[ \t\n\r]")
_FENCES = {marker: late_pattern(rf"^[ \t]*({re.escape(marker)}+)", re.MULTILINE) for marker in "`~"}
YAML_FENCE = late_pattern(r"^---[ \t]*$", re.MULTILINE)


def paragraph(node: m.Paragraph, writing: WriterState) -> str:
    """Write lines of phrasing."""
    written = writing.lines(node.children)
    if not written:
        raise Unwritable(node, "it is empty")
    if (
        written[0] in _GOES_ON
        and writing.in_tight_item
        and isinstance(writing.behind, m.Definition)
        and isinstance(first(node.children), m.Text)
    ):
        return f"\\{written}"
    return written


def heading(node: m.Heading, writing: WriterState) -> str:
    """Write ``# a``, or two lines for a heading with a line end."""
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


def _underlined(node: m.Heading, writing: WriterState) -> str:
    try:
        written = writing.lines(node.children)
    except Unwritable:
        if has_line_end(node):
            raise
        return ""  # HTML that is valid after a number sign, but not at the start of a line
    width = len(written) - written.rfind("\n") - 1
    return f"{written}\n{('=' if node.depth == 1 else '-') * max(3, width)}" if written else ""


def thematic_break(node: m.ThematicBreak, writing: WriterState) -> str:
    """Write ``---``, without dashes where those would open front matter or underline a heading."""
    options = writing.options
    marker = options.rule
    if marker == "-" and (writing.is_first or writing.in_tight_item):
        marker = "*"
    return (" " if options.rule_spaces else "").join([marker] * options.rule_repetition)


def blockquote(node: m.Blockquote, writing: WriterState) -> str:
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
    """Return a quote whose alert mark has no backslash, as it closes its own bracket."""
    return written[1:] if written[:1] == "\\" and MARK.match(written, 1) else written


def _as_quote(written: str, node: m.Blockquote) -> str:
    """Return a quote that is not an alert, though its text may start like one."""
    if written[:2] != "[!" or not MARK.match(written):
        return written
    is_text = isinstance(first(getattr(node.children[0], "children", ())), m.Text)
    return f"\\{written}" if is_text else written


def code(node: m.Code, writing: WriterState) -> str:
    """Write a fence longer than any within."""
    value, info = node.value, node.lang or ""
    if "\r" in value:
        raise Unwritable(node, "a carriage return in it would be read as a line end")
    if info and INFO_SPACE.search(info):
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
        info = info_string(info)
        if info[0] == marker:
            info = f"\\{info}"
    fence = marker * max(3, length)
    return f"{fence}{info}\n{value}\n{fence}" if value else f"{fence}{info}\n{fence}"


def html_block(node: m.Html, writing: WriterState) -> str:
    """Write HTML verbatim, if it is one block."""
    value = in_place(node.value, writing.behind)
    fault = block_fault(value)
    if fault == OPEN_END and writing.is_last and not writing.must_end:
        if writing.before_item and value.endswith("\n"):
            raise Unwritable(node, "it has no end, and blank lines in it would make the list loose")
        writing.is_kept = False  # it depends on the next block
    elif fault is not None:
        raise Unwritable(node, fault)
    return value.rstrip("\n")


def definition(node: m.Definition, writing: WriterState) -> str:
    """Write ``[a]: url "title"``."""
    writing.definitions.add(node.identifier)
    target = f"[{reference_label(node)}]: {destination(node.url)}"
    if node.title is None:
        return target
    return f"{target} {title(node.title, writing.options.quote)}"


def footnote_definition(node: m.FootnoteDefinition, writing: WriterState) -> str:
    """Write ``[^a]: `` and the blocks, indented by four."""
    writing.footnotes.add(node.identifier)
    writing.enter(node)
    written = writing.flow(node, node.children)
    writing.leave()
    start = f"[^{footnote_label(node)}]:"
    if not written:
        return start
    # After the label, HTML's own indent would belong to the label.
    between = "\n    " if written[0] == " " else " "
    return f"{start}{between}{indented(written, '    ')}"


def yaml(node: m.Yaml, writing: WriterState) -> str:
    """Write front matter within its fences."""
    if not writing.is_first:
        raise Unwritable(node, "front matter is only allowed at the start of a document")
    if YAML_FENCE.search(node.value):
        raise Unwritable(node, "a line of it would end it")
    if "\r" in node.value:
        raise Unwritable(node, "a carriage return in it would be read as a line end")
    return f"---\n{node.value}\n---" if node.value else "---\n---"


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


# Handlers of lists and their items.

MAX_NUMBER = 999_999_999
"""The largest number of an item: nine digits (CommonMark 5.2)."""

_BULLETS = "-*+"
_BOXES = {True: "[x]", False: "[ ]"}
_BOX = late_pattern(r"\[[ \t\nxX]\](?=[ \t\n]|\Z)")
"""Text that looks like a task's box (GFM 5.3)."""


def list_(node: m.List, writing: WriterState) -> str:
    """Write items after their markers; a list after a list takes another bullet."""
    if not node.children:
        raise Unwritable(node, "it is empty")
    avoid = writing.bullet_to_avoid(node, writing.behind)
    contents = _contents(node, writing)
    first = {*map(_FIRST, contents)}
    between = "\n\n" if node.spread else "\n"
    indent = writing.options.list_item_indent
    are_lines = indent == "one" and _are_lines(contents, first)
    if node.ordered:
        markers = _numbers(node, avoid, writing)
        writing.bullet = markers[0][-1]
    else:
        writing.bullet = bullet = _bullet(contents, first, avoid, writing)
        if are_lines:  # the usual case
            return f"{bullet} " + f"{between}{bullet} ".join(contents)
        markers = [bullet] * len(contents)
    pairs = zip(markers, contents, strict=True)
    if are_lines:
        return between.join(map(" ".join, pairs))
    return between.join([_item(marker, content, indent) for marker, content in pairs])


_FIRST = itemgetter(slice(1))


def _contents(node: m.List, writing: WriterState) -> list[str]:
    *others, last = node.children
    must_end, before_item = writing.must_end, writing.before_item
    writing.must_end, writing.before_item = node.spread, not node.spread
    contents = writing.known_each(others, _content)
    writing.must_end, writing.before_item = must_end, before_item
    return [*contents, writing.known(last, _content)]


def _content(node: m.ListItem, writing: WriterState) -> str:
    """Return an item's blocks, or those of its canonical form if it is unwritable."""
    depth, must_end, before_item = writing.depth, writing.must_end, writing.before_item
    try:
        return item_content(node, writing)
    except Unwritable:
        if writing.mend is None:
            raise
    writing.must_end, writing.before_item = must_end, before_item
    (made,) = writing.mended(writing.mend((m.List(children=(node,)),)), depth).children
    writing.mends[id(node)] = node, made
    return item_content(made, writing)


def _are_lines(contents: Sequence[str], first: Collection[str]) -> bool:
    """Tell whether each content is one line that does not begin with a space.

    :param first: their first characters; an empty one for an empty content.
    """
    return "" not in first and " " not in first and "\n" not in "".join(contents)


def item_content(node: m.ListItem, writing: WriterState) -> str:
    """Return an item's blocks, without a marker."""
    children = node.children
    writing.in_tight_item = False
    # Most items are one paragraph.
    if (
        len(children) == 1
        and node.checked is None
        and type(children[0]) is m.Paragraph
        and writing.flow_handlers.get(m.Paragraph) is paragraph
    ):
        written = paragraph(children[0], writing)
        return _without_box(written, children[0]) if written[0] == "[" else written
    children = tuple(writing.saying_something(children))  # type: ignore[arg-type]
    if not children:
        if node.checked is not None:
            raise Unwritable(node, "a task's box needs a paragraph after it")
        return ""
    writing.enter(node)
    writing.behind_box = node.checked is not None
    written = writing.flow(node, children)
    writing.leave()
    if node.checked is None:
        return _without_box(written, children[0])
    if not isinstance(children[0], m.Paragraph):
        raise Unwritable(node, "a task's box needs a paragraph after it")
    return f"{_BOXES[node.checked]} {written}"


def _without_box(content: str, first: Node) -> str:
    """Return the content of an item other than a task, which may start like a box."""
    if content[:1] != "[" or _BOX.match(content) is None:
        return content
    inline = merged(getattr(first, "children", ()))
    if inline and isinstance(inline[0], m.LinkReference):
        raise Unwritable(inline[0], "at the start of an item it would be a task's box")
    return f"\\{content}"


def _item(marker: str, content: str, indent: str) -> str:
    if not content:
        return marker
    if indent == "one" and "\n" not in content and content[0] != " ":  # most items
        return f"{marker} {content}"
    width = len(marker) + 1
    if content[0] == " ":  # HTML's own indent, which on the first line would belong to the marker
        pad = " " * width
        return f"{marker}\n{pad}{indented(content, pad)}"
    if indent == "tab" or (indent == "mixed" and "\n\n" in content):
        width = -(-width // 4) * 4
    pad = " " * width
    lead = f"{marker}{pad[len(marker) :]}"
    return f"{lead}{indented(content, pad)}"


def _numbers(node: m.List, avoid: str, writing: WriterState) -> list[str]:
    start = 1 if node.start is None else node.start
    if not 0 <= start <= MAX_NUMBER:
        raise Unwritable(node, f"its start {start} is not between 0 and {MAX_NUMBER:,}")
    delimiter = writing.options.bullet_ordered
    if delimiter == avoid:
        delimiter = ")" if delimiter == "." else "."
    step = 1 if writing.options.increment_list_marker else 0
    return [f"{min(start + step * i, MAX_NUMBER)}{delimiter}" for i in range(len(node.children))]


def _bullet(
    contents: Sequence[str], first: Collection[str], avoid: str, writing: WriterState
) -> str:
    options = writing.options
    candidates: list[str] = [options.bullet, options.bullet_other or "", *_BULLETS]
    for bullet in candidates:
        if not bullet or bullet == avoid:
            continue
        if bullet not in first or not any(_draws_rule(bullet, c) for c in contents):
            return bullet
    raise AssertionError("a plus never draws a rule, and only one bullet is to be avoided")


def _draws_rule(bullet: str, content: str) -> bool:
    """Tell whether a bullet and the line after it form a thematic break instead of an item."""
    if not content or content[0] != bullet or bullet == "+":
        return False
    line = content.split("\n", 1)[0]
    return line.count(bullet) > 1 and re.fullmatch(rf"[{bullet} \t]+", line) is not None


# Handlers of tables (GFM 4.10).

MAX_WIDTH = 120
"""The maximum column width for padding. A wider cell exceeds its column; otherwise one long cell would lengthen every
row.
"""

_PIPE = late_pattern(r"\\?\|")

_DELIMITERS: dict[m.AlignType, tuple[str, str]] = {
    None: ("", ""),
    "left": (":", ""),
    "right": ("", ":"),
    "center": (":", ":"),
}
"""The ends of a column's delimiter."""


def table(node: m.Table, writing: WriterState) -> str:
    """Write rows between pipes; the second line has the alignment of columns."""
    if not node.children or not node.children[0].children:
        raise Unwritable(node, "it has no head")
    count = len(node.children[0].children)
    align = node.align
    if len(align) != count:
        if writing.mend is None:
            raise Unwritable(node, f"it has {count} columns and {len(align)} alignments")
        align = (*align, *[None] * count)[:count]
    rows = writing.known_each(node.children, _cells)
    options = writing.options
    padding = " " if options.table_cell_padding else ""
    least = [len(_delimiter(each, 1)) for each in align]
    columns: Sequence[int] = ()
    if options.table_pipe_align:
        own = zip_longest(least, *[widths for _, widths in rows], fillvalue=0)
        columns = [max([each for each in column if each <= MAX_WIDTH]) for column in own]
    pads = [_PADS[each] for each in (*align, *[None] * (len(columns) - count))]

    def line(row: _Cells, _writing: WriterState) -> str:
        cells, widths = row
        if not columns:
            return _row(cells, padding)
        goals = columns
        if not "".join(cells).isascii():
            goals = [w + len(c) - n for c, n, w in zip(cells, widths, columns, strict=False)]
        return _row([*map(_CALL, pads, cells, goals)], padding)

    head, *others = writing.known_each(rows, line, columns, align)
    delimiters = [_delimiter(*each) for each in zip(align, columns or least, strict=False)]
    return "\n".join([head, _row(delimiters, padding), *others])


_Cells: TypeAlias = tuple[Sequence[str], Sequence[int]]
"""The cells of a row, and their widths."""


def _cells(row: m.TableRow, writing: WriterState) -> _Cells:
    if not row.children and writing.mend is None:
        raise Unwritable(row, "it has no cells")
    cells = [cell(child, writing) for child in row.children] or [""]
    return cells, [*map(len if "".join(cells).isascii() else width, cells)]


def table_row(node: m.TableRow, writing: WriterState) -> str:
    """Write a single row."""
    return _row([cell(child, writing) for child in node.children], " ")


def cell(node: m.TableCell, writing: WriterState) -> str:
    """Write a cell's phrasing in one line, its pipes escaped, or that of its canonical form if needed."""
    depth = writing.depth
    writing.one_line = writing.in_cell = True
    try:
        written = writing.content(node.children)
    except Unwritable:
        if writing.mend is None:
            raise
        table = writing.mended(writing.mend((m.Table((None,), (m.TableRow((node,)),)),)), depth)
        writing.one_line = writing.in_cell = True
        written = writing.content(table.children[0].children[0].children)
    writing.one_line = writing.in_cell = False
    if "|" in written:
        # Parsers disagree on a backslash before an escaped pipe; all agree on a reference.
        written = _PIPE.sub(lambda pipe: "\\|" if pipe[0] == "|" else "\\&#x7C;", written)
    return written


def _row(cells: Sequence[str], padding: str) -> str:
    if padding:
        return f"| {' | '.join(cells)} |"
    # A backslash right before a pipe would escape it.
    return "|".join(["", *[f"{c} " if c.endswith("\\") else c for c in cells], ""])


def _delimiter(align: m.AlignType, columns: int) -> str:
    start, end = _DELIMITERS[align]
    return f"{start}{'-' * max(1, columns - len(start) - len(end))}{end}"


_PADS: dict[m.AlignType, Callable[[str, int], str]] = {
    None: str.ljust,
    "left": str.ljust,
    "right": str.rjust,
    "center": str.center,
}
"""The padding of a cell, by its column's alignment."""

_CALL = cast("Callable[..., str]", call)


FLOW_HANDLERS: dict[type[Node], Handler] = {
    m.Paragraph: paragraph,
    m.Heading: heading,
    m.ThematicBreak: thematic_break,
    m.Blockquote: blockquote,
    m.Code: code,
    m.Html: html_block,
    m.Definition: definition,
    m.FootnoteDefinition: footnote_definition,
    m.Yaml: yaml,
    m.List: list_,
    m.Table: table,
    m.TableRow: table_row,
    m.TableCell: cell,
}
"""The handler of each kind of block."""
