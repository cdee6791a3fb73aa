"""Tags in source form, with their attributes, holes and faults."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ujsx.errors import LayoutError, UjsxError, shown
from ujsx.mdast.from_markdown._source import SPACES, MarkdownSource
from ujsx.text import visible

if TYPE_CHECKING:
    from markdown_it.token import Token

# The faults of a layout, and their places: from a place in a scanned text to a line and a column.
#
# A scanner raises a :class:`ScanFault` at an offset of the scanned text. The caller knows the text's place, and turns
# it into a ``LayoutError``.

WIDTH = 80
"""Columns of a source line that an error shows at most."""


class ScanFault(Exception):  # noqa: N818 - it becomes a LayoutError before anyone sees it
    """A syntax error at an offset of the scanned text.

    With ``incomplete``, the text ended too soon: more lines may complete it.
    """

    def __init__(self, message: str, at: int, *, incomplete: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.incomplete = incomplete


class LayoutFaults:
    """The faults of a layout: the first is raised, or all are gathered.

    When gathering, the reader continues with the nearest valid form.
    """

    def __init__(self, source: MarkdownSource, *, gathers: bool = False) -> None:
        self.source = source
        self.gathers = gathers
        self.found: list[LayoutError] = []
        self._unjudged: list[tuple[int, int, LayoutError]] = []
        """Parts of the source by their ends, with the one reported mistake of each."""

    def add(self, message: str, offset: int, cause: UjsxError | None = None) -> None:
        """Report a mistake at an offset of the source.

        :param cause: the underlying error, if there is one.
        :raises LayoutError: unless mistakes are gathered.
        """
        error = layout_error(self.source, message, offset)
        if not self.gathers:
            raise error from cause
        error.__cause__ = cause
        self.found.append(error)

    def add_whole(self, message: str, start: int, end: int) -> None:
        """Report a mistake that invalidates a whole part of the source: no other in it is reported.

        :raises LayoutError: unless mistakes are gathered.
        """
        if not self._unjudged or start >= self._unjudged[-1][1]:
            self.add(message, start)
            self._unjudged.append((start, end, self.found[-1]))

    def in_order(self) -> list[LayoutError]:
        """Return the mistakes in the order of the document, each once."""
        told = [each for each in self.found if not self._is_unjudged(each)]
        distinct = {(each.line, each.column, each.message): each for each in told}
        return sorted(distinct.values(), key=lambda each: (each.line or 0, each.column or 0))

    def _is_unjudged(self, error: LayoutError) -> bool:
        at = self.source.starts[(error.line or 1) - 1] + (error.column or 1) - 1
        place = bisect_right(self._unjudged, at, key=itemgetter(0)) - 1
        return (
            place >= 0 and at < self._unjudged[place][1] and error is not self._unjudged[place][2]
        )


def layout_error(source: MarkdownSource, message: str, offset: int) -> LayoutError:
    """Return the error at an ``offset`` of a source."""
    point = source.point(min(offset, len(source.text)))
    return LayoutError(
        message,
        line=point.line,
        column=point.column,
        excerpt=_excerpt(source, point.line - 1, point.column - 1),
    )


def _excerpt(source: MarkdownSource, line: int, column: int) -> str:
    """Return a source line, shortened if long, with a caret under one of its characters."""
    start, end = source.starts[line], source.line_end(line)
    first = max(0, min(column - WIDTH // 2, end - start - WIDTH))
    part = source.text[start + first : min(start + first + WIDTH, end)].replace("\t", " ")
    before = "…" if first else ""
    after = "…" if first + WIDTH < end - start else ""
    caret = " " * (len(before) + column - first) + "^"
    return f"  {before}{visible(part)}{after}\n  {caret}"


# A hole: braces with a name, whose value the caller passes.

_HOLE = re.compile(r"\{\s*+((?!(?:true|false|null|True|False|None)\b)[^\W\d]\w*+)\s*+\}")
_EXPRESSION = re.compile(r"\{\s*+((?!(?:true|false|null|True|False|None)\b)[^\W\d][^{}\n]{0,80}+)")
_FORMATTED = re.compile(r"([^\W\d]\w*):[^:=].*")
_NODES = "make the nodes in Python and pass them by name: write {{{0}}}, and pass {0}=[Item()[each] for each in {0}], from ujsx.elements import Item"
_NODE = (
    "make the node in Python and pass it by name: write {{{0}}}, and pass {0}=… if {0} else None"
)
_DECIDING = (
    (re.compile(r"\b([^\W\d]\w*+)\.map\("), f"braces take no loops; {_NODES}"),
    (re.compile(r"\bfor \w+ in ([^\W\d]\w*+)"), f"braces take no loops; {_NODES}"),
    (re.compile(r"^!?([^\W\d]\w*+) ?(?:&&|\?(?![.?]))"), f"braces take no conditions; {_NODE}"),
)
"""Python and JavaScript expressions in braces, and the form to write instead."""
_SPREAD = re.compile(r"\{\s*+(?:\.\.\.|\*\*)\s*+([^\W\d]\w*+)\s*+\}")
_LAST_NAME = re.compile(r"[^\W\d]\w*+(?=\W*+$)")


SPREAD = "..."
"""The beginning of an attribute's name whose value is a mapping of props: ``<Order {...order}/>``."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A name in braces, with the offsets of the braces."""

    name: str
    at: int
    end: int


def scan_hole(text: str, at: int) -> Hole | None:
    """Return the hole whose opening brace is at ``at``; ``None`` for other braces.

    >>> scan_hole("a {task}", 2), scan_hole("{true}", 0), scan_hole("{state.task}", 0)
    (Hole(name='task', at=2, end=8), None, None)
    """
    found = _HOLE.match(text, at)
    return None if found is None else Hole(found[1], at, found.end())


def refuse_expression(text: str, at: int) -> None:
    """Refuse braces with more than a name, with the line to write.

    >>> refuse_expression("{state.task}", 0)
    Traceback (most recent call last):
    ujsx.layout._tags.ScanFault: a value is passed by name: write {task}, and pass task=state.task
    """
    found = _EXPRESSION.match(text, at)
    if found is not None:
        raise ScanFault(how_to_pass(found[1]), at)


def how_to_pass(expression: str) -> str:
    r"""Return the hint for passing the value of a Python expression to a template.

    >>> how_to_pass("at:%H:%M")
    'formats are Python\'s: write {at}, and pass at=f"{at:%H:%M}"'
    """
    expression = " ".join(expression.split()).removeprefix("...")
    for pattern, line in _DECIDING:
        if found := pattern.search(expression):
            return line.format(found[1])
    if "<" in expression:
        return "braces take no markup; make the node in Python and pass it by name: write {row}, and pass row=…"
    if expression.startswith(("{", "%", "#")):
        return (
            "templates have one brace, and no tags: write {name}, and pass name=…; what a loop or a"
            " condition makes is made in Python: write {rows}, and pass rows=[…]"
        )
    if formatted := _FORMATTED.fullmatch(expression):
        name = formatted[1]
        return f'formats are Python\'s: write {{{name}}}, and pass {name}=f"{{{expression}}}"'
    last = _LAST_NAME.search(expression)
    name = "value" if last is None else last[0]
    return f"a value is passed by name: write {{{name}}}, and pass {name}={expression}"


# A literal in braces: JSON, which needs no evaluation.

_RULE = (
    "braces are not evaluated; write a JSON literal: string, number, true, false, null, list or "
    "object"
)

_ADVICE: tuple[tuple[str, str], ...] = (
    (r"'", 'write it as JSON: {"…"}, or {["…", "…"]}'),
    (r"`", 'there are no templates; write the text itself: {"…"}'),
    (r"\.\.\.", "spread is not supported; write the values"),
    (r"(?:None|undefined)\b", "write null"),
    (r"True\b", "write true"),
    (r"False\b", "write false"),
    (r"/\*", "move the comment out of the tag"),
    (r"[\])}]", "remove the comma before it, or write the missing value"),
    (r"[^\W\d]\w*\s*:", "put the name in double quotes"),
    (
        r"[^\W\d][\w.?]*+\s*+\}",
        "no name is looked up; leave the prop out where the component finds its own data, or write the value",
    ),
)
"""Remedies by the text found instead of JSON."""

_SPACE = re.compile(r"[ \t\n]*+")


def scan_literal(text: str, at: int) -> tuple[Any, int]:
    """Return the value of the literal whose opening brace is at ``at``, and its end.

    A string may have single quotes, as in JavaScript.

    :raises ScanFault: for anything but a literal, at its first invalid character.

    >>> scan_literal('{["a", 1]}', 0), scan_literal("{['a']}", 0)
    ((['a', 1], 10), (['a'], 7))
    """
    start = skip_space(text, at + 1)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        is_single = text.startswith("'", error.pos)
        meant = _with_single_quotes(text, start) if is_single else None
        if meant is None:
            # Before Python 3.13 a trailing comma is reported at the character after it.
            comma = error.msg.startswith("Illegal trailing comma")
            raise _fault(text, error.pos + comma, at) from None
        value, end = meant
    except ValueError as error:  # refused by the decoder's hooks
        raise ScanFault(str(error), start) from None
    except RecursionError:
        raise ScanFault("a literal that is nested too deep; flatten it", start) from None
    if "\\u" in text[start:end] and not _is_text(value):
        raise ScanFault(
            "half of a surrogate pair is not a character; write the whole character", start
        )
    end = skip_space(text, end)
    if not text.startswith("}", end):
        raise _fault(text, end, at)
    return value, end + 1


def _with_single_quotes(text: str, start: int) -> tuple[Any, int] | None:
    """Return the value of a literal with single-quoted strings, and the end of its braces; None for anything else."""
    parts: list[str] = []
    here, depth = start, 1
    while (token := _TOKEN.match(text, here)) is not None:
        depth += (token[0] in "{[") - (token[0] in "]}")
        if not depth:
            with suppress(ValueError, RecursionError):
                return _DECODER.decode("".join(parts)), here
            return None
        single = token["single"]
        parts.append(token[0] if single is None else f'"{_ESCAPED.sub(_escaped, single)}"')
        here = token.end()
    return None


def _escaped(match: re.Match[str]) -> str:
    return {'"': '\\"', "\\'": "'"}.get(match[0], match[0])


_TOKEN = re.compile(r"""'(?P<single>(?:[^'\\\n]|\\.)*+)'|"(?:[^"\\\n]|\\.)*+"|[^'"<>]""")
"""A string in either quotes, or a character between strings; a tag ends a possible literal."""

_ESCAPED = re.compile(r'\\.|"')


def skip_space(text: str, at: int) -> int:
    """Return the end of the white space at ``at``."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _fault(text: str, at: int, opening: int) -> ScanFault:
    at = skip_space(text, at)
    if at >= len(text):
        return ScanFault("this brace is not closed; write }", opening, incomplete=True)
    advice = next((advice for found, advice in _ADVICE if re.compile(found).match(text, at)), None)
    return ScanFault(f"braces take a JSON literal; {advice}" if advice else _RULE, at)


def _is_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; write null, or a number")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits[:20]} is too large for a number")
    return value


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python's limit of 4,300 digits
        raise ValueError(f"{len(digits)} digits are too many for a number") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, value in pairs:
        if name in known:
            raise ValueError(f'"{name}" is given twice in one object; keep one')
        known[name] = value
    return known


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite, parse_int=_integer
)


# The origins of scanned texts, which lack the prefixes of the containers around them.


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The places of a scanned text's lines in the source."""

    text: Sequence[int]
    """The offset of each line in the scanned text."""
    source: Sequence[int]
    """The offset of each line in the source."""

    def offset(self, at: int) -> int:
        """Return the offset in the source of a character of the scanned text.

        >>> LineOrigin((0, 2), (4, 10)).offset(3)
        11
        """
        line = bisect_right(self.text, at) - 1
        return max(self.source[line] + at - self.text[line], 0)


IN_SOURCE = LineOrigin((0,), (0,))
"""The origin of the source itself."""


def origins(tokens: Iterable[Token], source: MarkdownSource) -> Iterator[LineOrigin]:
    """Yield the origin of each text for the inline parser, in order."""
    for token in tokens:
        if token.type == "table":
            for row in token.meta["rows"]:
                for cell in row:
                    yield LineOrigin((0,), (source.text.find(cell.text, cell.start, cell.end),))
        elif token.type in ("paragraph", "heading"):
            assert token.map is not None
            lines = token.content.split("\n")
            numbers = range(token.map[0], token.map[0] + len(lines))
            starts = [
                source.starts[number] + _column(line, source.line(number))
                for line, number in zip(lines, numbers, strict=True)
            ]
            yield LineOrigin(line_offsets(lines), starts)


def line_offsets(lines: Iterable[str]) -> list[int]:
    """Return the offset of each line in their joined text.

    >>> line_offsets(["ab", "", "c"])
    [0, 3, 4]
    """
    return [*accumulate((len(line) + 1 for line in lines), initial=0)][:-1]


def _column(text: str, line: str) -> int:
    """Return the column where a block's text begins in its source line: the text is the line's end, except in a
    heading.
    """
    core, line = text.strip(SPACES), line.rstrip(SPACES)
    column = len(line) - len(core) if line.endswith(core) else line.find(core)
    return column - (len(text) - len(text.lstrip(SPACES)))


_NAME = re.compile(r"[^\W\d][\w.-]*+")
_SHOWN = 60
"""Characters of a name that a message shows at most."""
_STRING = re.compile(r'"[^"\n]*+"|\'[^\'\n]*+\'')


@dataclass(frozen=True, slots=True)
class Attribute:
    """A prop in source form, with the offsets of its name and its value."""

    name: str
    value: Any
    at: int
    value_at: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag, with an empty name for a fragment. It ends before ``end``."""

    name: str
    attributes: tuple[Attribute, ...]
    at: int
    end: int
    closes: bool = False
    """True if it is a closing tag, ``</Name>``."""
    is_whole: bool = False
    """True if it needs no closing tag, ``<Name/>``."""
    is_broken: bool = False
    """True if only its name can be read."""

    def moved(self, origin: LineOrigin) -> Tag:
        """Return the tag with its offsets in the source."""
        attributes: list[Attribute] = []
        for each in self.attributes:
            value = each.value
            if type(value) is Hole:
                value = replace(value, at=origin.offset(value.at))
            at, value_at = origin.offset(each.at), origin.offset(each.value_at)
            attributes.append(Attribute(each.name, value, at, value_at))
        return replace(self, attributes=tuple(attributes), at=origin.offset(self.at))

    def __str__(self) -> str:
        return f"<{'/' * self.closes}{short(self.name)}{'/' * self.is_whole}>"


def short(name: str) -> str:
    """Return a name shortened for a message."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


def scan_tag(text: str, at: int, *, holes: bool = False) -> Tag:
    """Return the tag whose ``<`` is at ``at``.

    A string ends on its line and has no escapes, unlike ``prop={"…"}``. A prop without a value is ``true``.

    :param holes: whether a name in braces is a :class:`Hole`, the value of the prop.
    :raises ScanFault: for anything but a tag, at its first invalid character.

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
            raise ScanFault(
                f"<{short(called)} is not closed; end the tag with > or />", at, incomplete=True
            )
        if not closes and called and text.startswith("/>", here):
            return Tag(called, tuple(attributes.values()), at, here + 2, is_whole=True)
        if closes or not called:
            what = "a closing tag" if closes else "a fragment's tag"
            raise ScanFault(f"{what} has no props; write > here", here)
        if before == here:
            raise ScanFault(
                f"{shown(text[here])} is not allowed here in a tag; write >, />, or a space", here
            )
        attribute, here = _scan_attribute(text, here, holes=holes)
        if attribute.name in attributes:
            raise ScanFault(f'"{short(attribute.name)}" is given twice; keep one', attribute.at)
        attributes[attribute.name] = attribute


_BROKEN = re.compile(r"<(?P<closes>/?)(?P<name>[^\W\d][\w.-]*+)[^<>\n]*+>")


_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]++@[A-Za-z0-9.-]++)>"
)
"""An address in angle brackets, a link (CommonMark 0.31.2, section 6.5)."""


def broken_tag(text: str, at: int) -> Tag | None:
    """Return the probable reading of a malformed tag: up to its bracket, without its props."""
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
        if holes and (spread := _SPREAD.match(text, at)):
            of = Hole(spread[1], at, spread.end())
            return Attribute(f"{SPREAD}{of.name}", of, at, at), of.end
        if text[at] == "{" and holes:
            line = "write {...props}, and pass props=…; or each prop: name={…}"
            raise ScanFault(f"braces in a tag take one name, of a mapping of props: {line}", at)
        if text[at] == "{":
            raise ScanFault("a tag takes no spread; write each prop: name={…}", at)
        raise ScanFault(
            f"{shown(text[at])} is not allowed here in a tag; write >, /> or a prop's name", at
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
            raise ScanFault(
                'this string does not end on its line; for a line end write {"…\\n…"}', here
            )
        return Attribute(name[0], string[0][1:-1], at, here), string.end()
    raise ScanFault(
        f'a value is a string or a literal in braces: {short(name[0])}="…" or {short(name[0])}={{…}}',
        here,
        incomplete=here >= len(text),
    )
