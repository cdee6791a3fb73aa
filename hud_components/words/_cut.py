"""Short places: texts cut, facts apart, calls, labels and ages in a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hud_components.words._texts import counted, format_text, parse_count
from ujsx import Child, RenderContext, mdast
from ujsx.components import Now
from ujsx.elements import code
from ujsx.text import is_printable, one_line, paragraphs, unhidden
from ujsx.tokens import estimate_tokens
from ujsx.transforms import MAX_HEADING_DEPTH

# Ages in words that stay the same for a while.

__all__ = ["MINUTE", "SUMMARY_AGES", "UNITS", "Now", "Unit", "age", "age_of_summary", "told_age"]

SUMMARY_AGES = (5, 20, 40)
"""Turns behind a compaction from which on its summary is a line, only said to be there, and gone."""


def age_of_summary(turns: int) -> int:
    """Return how old a summary is, in steps: 0 for one that is new.

    >>> [age_of_summary(turns) for turns in (0, 4, 5, 20, 300)]
    [0, 0, 1, 2, 3]
    """
    return sum(turns >= step for step in SUMMARY_AGES)


MINUTE = 60_000
"""Milliseconds in a minute."""


class Unit(NamedTuple):
    """A unit of age: from which age on it is used, its length and its step, in milliseconds."""

    kind: str
    since: int
    length: int
    step: int


UNITS: tuple[Unit, ...] = (
    Unit("days", 2 * 24 * 60 * MINUTE, 24 * 60 * MINUTE, 24 * 60 * MINUTE),
    Unit("hours", 2 * 60 * MINUTE, 60 * MINUTE, 60 * MINUTE),
    Unit("minutes", 0, MINUTE, 5 * MINUTE),
)
"""The units, the longest first. Below two of a unit, the next shorter one says more."""


def age(ctx: RenderContext, milliseconds: int) -> str:
    """Return an age in words, rounded down to a step of its unit.

    >>> [age(RenderContext(), n * MINUTE) for n in (1, 43, 119, 125, 3000)]
    ['less than 5 min', '40 min', '115 min', '2 h', '2 days']
    """
    unit = next((unit for unit in UNITS if milliseconds >= unit.since), UNITS[-1])
    steps = milliseconds // unit.step
    count = max(steps, 1) * unit.step // unit.length
    return counted(ctx, unit.kind, count, "age" if steps > 0 else "age.short")


def told_age(ctx: RenderContext, words: str) -> int | None:
    """Return the least age, in milliseconds, that is told in those words; ``None`` if none is.

    >>> told_age(RenderContext(), "40 min") == 40 * MINUTE
    True
    """
    for unit in UNITS:
        for name, least in (("age", 0), ("age.short", MINUTE)):
            told = parse_count(ctx, unit.kind, words, name)
            if told is None:
                continue
            milliseconds = least or told.get("count", 0) * unit.length
            if age(ctx, milliseconds) == words:
                return milliseconds
    return None


# The kinds of blocks in a parsed HUD, as far as sections distinguish them.


def is_titled(blocks: Sequence[Any], title: str, ctx: RenderContext) -> bool:
    """Tell whether blocks start with a section of that title, and one thing in it.

    :param ctx: its depth is the number of sections around.
    """
    return len(blocks) > 1 and heading_of(blocks[0], ctx) == title


def heading_of(block: Any, ctx: RenderContext) -> str | None:
    """Return the title of the section that a block opens, or ``None`` if it opens none."""
    if type(block) is not mdast.Heading or block.depth != min(ctx.depth + 1, MAX_HEADING_DEPTH):
        return None
    if not block.children:
        return ""
    text = only_child(block)
    return value_of(text) if type(text) is mdast.Text else None


def value_of(node: Any) -> str:
    """Return the text of a text or a code span as it was before what it hides was made visible."""
    return unhidden(node.value)


def only_child(node: Any) -> Any:
    """Return what a paragraph, a heading or an item consists of, if it is one plain node."""
    if type(node) is mdast.ListItem and (node.checked is not None or node.spread):
        return None
    if type(node) in _HOLDERS and len(node.children) == 1:
        return node.children[0]
    return None


def only_line(node: Any) -> Sequence[Any] | None:
    """Return the line that an item consists of, if it is one line."""
    paragraph = only_child(node)
    return paragraph.children if type(paragraph) is mdast.Paragraph else None


def line_of(block: Any) -> tuple[Any, ...]:
    """Return the phrasing of a paragraph; of other blocks, nothing."""
    return block.children if type(block) is mdast.Paragraph else ()


def text_of(block: Any) -> str | None:
    """Return the text of a paragraph that is nothing but text."""
    text = only_child(block) if type(block) is mdast.Paragraph else None
    return value_of(text) if type(text) is mdast.Text else None


_HOLDERS = frozenset({mdast.Paragraph, mdast.Heading, mdast.ListItem})


# A line of information, and the call that it is about.


def with_call(ctx: RenderContext, text: str, kind: str) -> list[Child]:
    """Return a text and its call as inline content.

    :param kind: whose call it is: the name of its text, without ".handle".
    """
    return [text, format_text(ctx, "call"), code(ctx.texts[f"{kind}.handle"])]


OPERATION = re.compile(r"hud ([a-z_]+\.[a-z_]+|help)")
"""A call of one of the tool's operations."""


def call_in(block: Any) -> str:
    """Return the call at the end of a paragraph; empty where there is none."""
    *_, last = line_of(block) or (None,)
    return last.value if type(last) is mdast.InlineCode else ""


def text_before_call(block: Any, kind: str, ctx: RenderContext) -> str | None:
    """Return the text of a paragraph that ends in that call, or ``None`` if it does not."""
    text, *call = line_of(block) or (None,)
    joint = format_text(ctx, "call")
    if type(text) is not mdast.Text or call != [mdast.InlineCode(ctx.texts[f"{kind}.handle"])]:
        return None
    said = value_of(text)
    return said.removesuffix(joint) if said.endswith(joint) else None


CHARACTERS = 3
"""The fewest characters that a token of a cut text stands for: where a writing has more tokens, fewer
of its characters are shown. A text that is cut to 80 characters has 26 tokens at most."""

_LOOKS_AT = 4
"""The part of a text that is looked at first, in widths of the cut; more where that is mostly white space."""

_MIN_WORDS = 0.6
"""A cut goes back to the last space only if that keeps at least this share of the width."""


def line(text: str, width: int | None = None) -> str:
    r"""Return a text on one line, without spaces at its edges, cut to a width.

    :param width: characters at most, and a third as many tokens; all of the text when ``None``.

    >>> line("first\nsecond")
    'first second'
    """
    if width is None:
        return _on_one_line(text)
    return _cut_to(_beginning(text, width, _on_one_line), width)


def _on_one_line(text: str) -> str:
    return text.strip(" ") if text.isprintable() else one_line(text).strip(" \t")


def _beginning(text: str, width: int, cleaned: Callable[[str], str]) -> str:
    """Return the cleaned text, or so much of its beginning that a cut to the width finds all it looks at.

    The work goes by the width: of a long text only white space is read on.
    """
    size = _LOOKS_AT * width
    while size < len(text):
        beginning = cleaned(text[:size])
        if len(beginning) > width + 1:
            return beginning
        size *= 2
    return cleaned(text)


_CLAUSE_END = re.compile(r"[.!?;:,](?=[ …])|[—–](?= )|[。！？；：，、]")


CLAUSE_CHARACTERS = 5
"""Characters of a clause's width for each token that it may have: about those of a token of prose."""


def clause(text: str, width: int | None = None) -> str:
    """Return a text on one line, cut to a width at the end of a clause where one is near.

    :param width: characters at most, and a fifth as many tokens; all of the text when ``None``.

    >>> clause("Never push to main, not even for a hotfix, and ask me first", 55)
    'Never push to main, not even for a hotfix…'
    """
    if width is None:
        return line(text)
    whole = _beginning(text, width, _on_one_line)
    short = _cut_to(whole, width, CLAUSE_CHARACTERS)
    if short == whole:
        return short
    ends = [each.start() for each in _CLAUSE_END.finditer(short)]
    if not ends or ends[-1] < _MIN_WORDS * len(short):
        return short
    return f"{short[: ends[-1]].rstrip()}…"


_LINE_ENDS = re.compile(r"[\r\n\u2028\u2029\v\f\x1c-\x1e\x85]+")


def in_lines(text: str, width: int | None = None) -> str:
    r"""Return a text line by line, without blank ones and without spaces at their edges.

    :param width: characters at most; all of the text when ``None``.

    >>> in_lines("- [x] schema\n\n  - [ ] login  ")
    '- [x] schema\n- [ ] login'
    """
    if width is None:
        return _in_lines(text)
    return _cut_to(_beginning(text, width, _in_lines), width)


def _in_lines(text: str) -> str:
    kept = filter(None, (line(each).strip(" \t") for each in _LINE_ENDS.split(text)))
    return "\n".join(kept)


def in_paragraphs(text: str, width: int | None = None) -> str:
    r"""Return a text with a blank line between its paragraphs, without spaces at the edges of lines.

    :param width: characters at most; all of the text when ``None``.

    >>> in_paragraphs("a\n  b\n\n\n\ncde", 6), in_paragraphs("a\n\n\nb", 4)
    ('a\nb\n\n…', 'a\n\nb')
    """
    if width is None:
        return _in_paragraphs(text)
    return cut(_beginning(text, width, _in_paragraphs), width)


def _in_paragraphs(text: str) -> str:
    return "\n\n".join(paragraphs(text))


def may_be_cut(values: Iterable[object], width: int | None) -> bool:
    """Tell, by their lengths alone, whether a cut to a width may shorten some of these values.

    >>> may_be_cut(["short", 5, None], 80), may_be_cut(["x" * 79], 80), may_be_cut(["x"], None)
    (False, True, False)
    """
    if width is None:
        return False
    tokens = width // CHARACTERS
    for each in values:
        if isinstance(each, str):
            if len(each) > tokens:
                return True
        elif not (each is None or isinstance(each, int | float)):
            return True
    return False


def are_lines(texts: Sequence[str]) -> bool:
    """Tell whether each text stands on one line as it is, and all its characters are printable."""
    return is_printable("".join(texts))


def lines(texts: Sequence[str], width: int | None = None) -> Sequence[str]:
    r"""Return texts, each as :func:`line` has it: one look mostly tells that all of them may stay.

    >>> lines(["first\nsecond", "third"])
    ['first second', 'third']
    """
    if not are_lines(texts):
        return [line(text, width) for text in texts]
    stripped = [text.strip(" ") for text in texts]
    return stripped if width is None else [_cut_to(text, width) for text in stripped]


def _cut_to(text: str, width: int, characters: int = CHARACTERS) -> str:
    tokens = max(width // characters, 1)
    short = cut(text, width)
    if len(short) <= tokens or estimate_tokens(short) <= tokens:
        return short
    low, high = 1, width
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(cut(text, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    return cut(text, low)


def ends(text: str, width: int) -> str:
    """Return a text on one line, without its middle where it is longer than ``width`` characters.

    A text mostly ends with what it comes to: three fifths of the width are for its end. Cut again to the same
    width, it stays what it is.

    >>> ends("Found it: the index is stale. Shall I rebuild it?", 40)
    'Found it: the… Shall I rebuild it?'
    >>> ends("Port 8080", 40)
    'Port 8080'
    """
    whole = line(text)
    if len(whole) <= width:
        return whole
    head = line(whole, width * 2 // 5)
    left = width - len(head) - 1
    while True:
        tail = whole[-left:]
        first = tail.find(" ")
        made = f"{head} {tail[first + 1 :] if 0 <= first < len(tail) // 2 else tail}"
        short = line(made, width)
        if short == made or left < 2:
            return short
        left = left * 9 // 10  # a dense text has room for less of its end


def cut(text: str, width: int) -> str:
    """Return at most ``width`` characters of ``text``, ending in "…" when some are missing.

    The cut falls on a space where one is near.

    >>> cut("bcrypt for password hashing", 20)
    'bcrypt for password…'
    """
    if len(text) <= width:
        return text
    kept = text[: width - 1]
    at_space = kept.rfind(" ")
    if text[width - 1] != " " and at_space >= _MIN_WORDS * width:
        kept = kept[:at_space]
    return kept.rstrip(" ") + "…"


# The label that a place in the tree has, which what stands there begins with.


class Label(NamedTuple):
    """The label of a place in the tree, as a value of the context: ``ctx.get(Label)``."""

    text: str
    """The labels around, the outer ones first."""

    unlabelled: Mapping[str, str]
    """The replaced texts as they are without a label."""

    def before(self, text: str) -> str:
        """Return a text with the label before it."""
        return f"{self.text}: {text}"


# Facts in one line, apart from each other by a separator of the table.
#
# Text from outside stands under a mark in such a line, so that a separator in it parts nothing.


def separated(parts: Sequence[Child], ctx: RenderContext) -> list[Child]:
    """Return the parts as one line of inline content."""
    separator = format_text(ctx, "status.separator")
    line: list[Child] = []
    for part in parts:
        line += [separator, part] if line else [part]
    return line


def apart(line: Sequence[Any], ctx: RenderContext) -> list[list[Any]]:
    """Return the parts of a parsed line, each as its nodes.

    >>> [text_in(part) for part in apart([mdast.Text("3 notes · 1 step")], RenderContext())]
    ['3 notes', '1 step']
    """
    separator = format_text(ctx, "status.separator")
    parts: list[list[Any]] = [[]]
    for node in line:
        if type(node) is not mdast.Text:
            parts[-1].append(node)
            continue
        first, *others = node.value.split(separator)
        parts[-1] += [mdast.Text(first)] if first else []
        parts += [[mdast.Text(other)] if other else [] for other in others]
    return parts


def text_in(part: Sequence[Any]) -> str:
    """Return the text that a part consists of; ``""`` if it is something else."""
    return value_of(part[0]) if len(part) == 1 and type(part[0]) is mdast.Text else ""


def without_space(line: Sequence[Any]) -> Sequence[Any]:
    """Return a line without the space that it starts with."""
    first, *others = line
    if type(first) is not mdast.Text or not first.value.startswith(" "):
        return line
    text = first.value[1:]
    return (mdast.Text(text), *others) if text else others
