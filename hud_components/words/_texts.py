"""The HUD's own words: fixed texts by name, plurals, and reading back of filled texts; and cuts of texts for short
places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple

from ujsx import Child, RenderContext, UjsxError, mdast
from ujsx.elements import code
from ujsx.errors import did_you_mean
from ujsx.text import is_printable, one_line, paragraphs, unhidden
from ujsx.tokens import estimate_tokens
from ujsx.transforms import MAX_HEADING_DEPTH

# The fixed texts of the HUD's tool answers, by name. Those of a section's own verbs are in its declaration.

_TABLES: Mapping[str, Mapping[str, str]] = json.loads(
    Path(__file__).parents[1].joinpath("data", "texts.json").read_text("utf-8")
)
ANSWERS = _TABLES["answers"]
"""The texts by name."""


# Plural forms: rules as data, one pattern per form.
#
# A noun has its forms between bars, and a rule has a pattern for each form but the last, separated
# by spaces. The first pattern that the number's digits match picks the form, the last form has the
# rest. English, ``"^1$"``: "note|notes".

PLURALS: Mapping[str, str] = MappingProxyType({**_TABLES["plurals"]})
"""The rules of some languages for whole numbers, from the Unicode CLDR's plural rules.

``RenderContext(texts={"plurals": PLURALS["ru"], "notes.noun": "заметка|заметки|заметок"})``.
"""


def with_plural(noun: str) -> str:
    """Return an English noun with both its forms; one with several stays unchanged.

    >>> [with_plural(noun) for noun in ("remedy", "day", "customer box", "batch", "hypothesis")]
    ['remedy|remedies', 'day|days', 'customer box|customer boxes', 'batch|batches', 'hypothesis|hypotheses']
    >>> with_plural("staff|staff"), with_plural("late thanks"), with_plural("todos"), with_plural("open boxes")
    ('staff|staff', 'late thanks|late thanks', 'todo|todos', 'open box|open boxes')
    """
    if "|" in noun:
        return noun
    word = re.split("(?<=[^A-Z])(?=[A-Z])| ", noun)[-1]  # of a sentence, or of a class's name
    word = word.lower() if word.endswith("s") else word
    if word in _ONE_FORM.split():
        return f"{noun}|{noun}"
    if _PLURAL.search(word) and word not in _SINGULAR.split():
        return f"{_ENDING.sub(lambda ending: 'y' if ending[0] == 'ies' else '', noun)}|{noun}"
    if re.search("[^aeiou]y$", noun):
        return f"{noun}|{noun[:-1]}ies"
    if re.search("[a-z]{2}sis$", noun):
        return f"{noun}|{noun[:-2]}es"
    return f"{noun}|{noun}es" if re.search("(?:s|x|ch|sh)$", noun) else f"{noun}|{noun}s"


_PLURAL = re.compile("..[^sui]s$")
"""Matches a plural by its ending: "films", and not "class", "status", "axis" or "gas"."""

_ENDING = re.compile(
    "(?<=..)(?<!mov)(?<!ook)ies$|(?:(?<=ss)|(?<=sh)|(?<=ch)(?<!ca.h)|(?<=x)|(?<=[^ao]us))es$|s$"
)
"""The ending of a plural: of "cities", "boxes" and "films"; "movies" and "caches" have an e without it."""

_SINGULAR = (
    "alias atlas bias canvas christmas texas chaos cosmos ethos pathos thermos lens summons corps biceps forceps mars"
    " diabetes https"
)
"""Nouns that end as a plural does."""

_ONE_FORM = (
    "thanks news goods series species means savings earnings clothes belongings headquarters odds premises proceeds"
    " remains feedback equipment evidence information luggage furniture software"
)
"""Nouns whose plural is the same, or that have no singular."""


@lru_cache(maxsize=1024)
def form(noun: str, count: int, rule: str = "^1$") -> str:
    """Return the form of a noun for a count.

    A noun with fewer forms than the rule uses its last one for the rest.

    >>> form("note|notes", 1), form("note|notes", 0), form("min", 5)
    ('note', 'notes', 'min')
    >>> [form("заметка|заметки|заметок", count, PLURALS["ru"]) for count in (1, 3, 11, 21)]
    ['заметка', 'заметки', 'заметок', 'заметка']
    """
    forms, patterns = noun.split("|"), rule.split()
    digits = str(count)
    place = next(
        (place for place, each in enumerate(patterns) if re.search(each, digits)), len(patterns)
    )
    return forms[min(place, len(forms) - 1)]


COMMON: Mapping[str, str] = MappingProxyType({**_TABLES["hud"], **ANSWERS, **_TABLES["changes"]})
"""The texts by name."""

NO_TEXTS: Mapping[str, str] = MappingProxyType({"texts": "fixed texts by name are words={…}"})
"""The message about texts that are passed as ``texts=``."""


def handle_of(ctx: RenderContext, kind: str) -> str | None:
    """Return the call that shows a whole section, or the call of a line, or ``None``.

    :param ctx: with the section's texts, including the call.

    >>> from hud_components import NotesSection
    >>> handle_of(NotesSection.with_texts(RenderContext()), "notes"), handle_of(RenderContext(), "notes")
    ('hud notes.list', None)
    """
    return ctx.texts.get(f"{kind}.handle")


class TextError(UjsxError, ValueError):
    """A fixed text that cannot be used: its name is unknown, or it cannot be filled in."""


def format_text(ctx: RenderContext, name: str, **values: object) -> str:
    """Return the text of that name, filled in.

    :param ctx: with the texts of its section, if it has one.
    :raises TextError: for a replaced text that cannot be filled in.

    >>> format_text(RenderContext(), "count", count=3, noun="notes")
    '3 notes'
    >>> format_text(RenderContext(texts={"count": "{noun}: {count}"}), "count", count=3, noun="notes")
    'notes: 3'
    """
    template = ctx.texts.get(name)
    if template is None:
        template = COMMON[name]
    if not values:
        return template
    try:
        return template.format(**values)
    except (LookupError, ValueError, AttributeError) as error:
        raise TextError(_unfillable(template, values, error), path=f"texts[{name!r}]") from error


def counted(
    ctx: RenderContext, kind: str, count: int, name: str = "count", **values: object
) -> str:
    """Return a count with its noun in the matching form.

    >>> counted(RenderContext(), "days", 1), counted(RenderContext(), "days", 7, "more")
    ('1 day', '… 7 more days')
    """
    noun = form(format_text(ctx, f"{kind}.noun"), count, format_text(ctx, "plurals"))
    return format_text(ctx, name, count=count, noun=noun, **values)


def _unfillable(template: str, values: Mapping[str, object], error: Exception) -> str:
    fields = ", ".join(f"{{{name}}}" for name in values)
    if isinstance(error, KeyError):
        name = str(error.args[0])
        return f'"{template}" has no value for {{{name}}}; {did_you_mean(name, values)}'
    return f'"{template}" cannot be filled in ({error}); it may hold {fields}, and {{{{ for a brace'


# The inverse of ``format_text``: the values in a filled text.

NUMBER = r"\d+"
"""Matches a count."""

WORD = ".+?"
"""Matches any text, as little as possible."""


def parse_text(ctx: RenderContext, name: str, text: str, **patterns: str) -> dict[str, str] | None:
    """Return the arguments of ``format_text`` that give ``text``, or ``None``.

    :param patterns: the regular expression of each value; any text by default.

    >>> parse_text(RenderContext(), "more", "… 7 more notes", count=NUMBER)
    {'count': '7', 'noun': 'notes'}
    """
    match = _pattern(format_text(ctx, name), tuple(patterns.items())).fullmatch(text)
    return None if match is None else match.groupdict()


def parse_count(
    ctx: RenderContext, kind: str, text: str, name: str = "count", **patterns: str
) -> dict[str, int] | None:
    """Return the numbers for which ``counted`` gives ``text``, or ``None``.

    >>> parse_count(RenderContext(), "days", "… 7 more days", "more")
    {'count': 7}
    >>> parse_count(RenderContext(), "hours", "… 7 more days", "more")
    """
    read = parse_text(ctx, name, text, count=NUMBER, **patterns)
    if read is None:
        return None
    numbers = {key: int(value) for key, value in read.items() if key != "noun"}
    others = {key: value for key, value in numbers.items() if key != "count"}
    is_same = counted(ctx, kind, numbers.get("count", 0), name, **others) == text
    return numbers if is_same else None


@lru_cache(maxsize=256)
def _pattern(source: str, patterns: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    known = dict(patterns)
    parts: list[str] = []
    seen: set[str] = set()
    for literal, name, _, _ in Formatter().parse(source):
        parts.append(re.escape(literal))
        if name is not None:
            again = name in seen
            parts.append(f"(?P={name})" if again else f"(?P<{name}>{known.get(name, WORD)})")
            seen.add(name)
    return re.compile("".join(parts), re.DOTALL)


# Ages in words that rarely change.

SUMMARY_AGES = (5, 20, 40)
"""The turns after a compaction from which its summary is a line, only mentioned, and gone."""


def age_of_summary(turns: int) -> int:
    """Return the age of a summary, in steps: 0 for a new one.

    >>> [age_of_summary(turns) for turns in (0, 4, 5, 20, 300)]
    [0, 0, 1, 2, 3]
    """
    return sum(turns >= step for step in SUMMARY_AGES)


MINUTE = 60_000
"""Milliseconds in a minute."""


class Unit(NamedTuple):
    """A unit of age: the least age for its use, its length and its step, in milliseconds."""

    kind: str
    since: int
    length: int
    step: int


UNITS: tuple[Unit, ...] = (
    Unit("days", 2 * 24 * 60 * MINUTE, 24 * 60 * MINUTE, 24 * 60 * MINUTE),
    Unit("hours", 2 * 60 * MINUTE, 60 * MINUTE, 60 * MINUTE),
    Unit("minutes", 0, MINUTE, 5 * MINUTE),
)
"""The units, the longest first. Below two of a unit, the next shorter one is more precise."""


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
    """Return the least age, in milliseconds, with those words, or ``None``.

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


# The kinds of blocks in a parsed HUD that sections distinguish.


def is_titled(blocks: Sequence[Any], title: str, ctx: RenderContext) -> bool:
    """Tell whether blocks start with a section of that title with a single block.

    :param ctx: its depth is the number of enclosing sections.
    """
    return len(blocks) > 1 and heading_of(blocks[0], ctx) == title


def heading_of(block: Any, ctx: RenderContext) -> str | None:
    """Return the title of the section that a block opens, or ``None``."""
    if type(block) is not mdast.Heading or block.depth != min(ctx.depth + 1, MAX_HEADING_DEPTH):
        return None
    if not block.children:
        return ""
    text = only_child(block)
    return value_of(text) if type(text) is mdast.Text else None


def value_of(node: Any) -> str:
    """Return the original text of a text or a code span, with visible forms of hidden characters reversed."""
    return unhidden(node.value)


def only_child(node: Any) -> Any:
    """Return the only child of a paragraph, a heading or an item, if it is a plain node."""
    if type(node) is mdast.ListItem and (node.checked is not None or node.spread):
        return None
    if type(node) in _HOLDERS and len(node.children) == 1:
        return node.children[0]
    return None


def only_line(node: Any) -> Sequence[Any] | None:
    """Return the line of an item, if it is a single line."""
    paragraph = only_child(node)
    return paragraph.children if type(paragraph) is mdast.Paragraph else None


def line_of(block: Any) -> tuple[Any, ...]:
    """Return the phrasing of a paragraph; of other blocks, nothing."""
    return block.children if type(block) is mdast.Paragraph else ()


def text_of(block: Any) -> str | None:
    """Return the text of a paragraph of plain text."""
    text = only_child(block) if type(block) is mdast.Paragraph else None
    return value_of(text) if type(text) is mdast.Text else None


_HOLDERS = frozenset({mdast.Paragraph, mdast.Heading, mdast.ListItem})


# A line of information, with its call.


def with_call(ctx: RenderContext, text: str, kind: str) -> list[Child]:
    """Return a text and its call as inline content.

    :param kind: the owner of the call: the name of its text, without ".handle".
    """
    return [text, format_text(ctx, "call"), code(ctx.texts[f"{kind}.handle"])]


OPERATION = re.compile(r"hud ([a-z_]+\.[a-z_]+|help)")
"""A call of one of the tool's operations."""


def call_in(block: Any) -> str:
    """Return the call at the end of a paragraph, or an empty text."""
    *_, last = line_of(block) or (None,)
    return last.value if type(last) is mdast.InlineCode else ""


def text_before_call(block: Any, kind: str, ctx: RenderContext) -> str | None:
    """Return the text of a paragraph that ends in that call, or ``None``."""
    text, *call = line_of(block) or (None,)
    joint = format_text(ctx, "call")
    if type(text) is not mdast.Text or call != [mdast.InlineCode(ctx.texts[f"{kind}.handle"])]:
        return None
    said = value_of(text)
    return said.removesuffix(joint) if said.endswith(joint) else None


CHARACTERS = 3
"""The fewest characters per token of a cut text: in scripts with more tokens, fewer characters are shown. A text cut to
80 characters has at most 26 tokens.
"""

_LOOKS_AT = 4
"""The part of a text that is examined first, in widths of the cut; more if it is mostly white space."""

_MIN_WORDS = 0.6
"""A cut goes back to the last space only if that keeps at least this share of the width."""


def line(text: str, width: int | None = None) -> str:
    r"""Return a text on one line, without spaces at its edges, cut to a width.

    :param width: the most characters, and a third as many tokens; the whole text when ``None``.

    >>> line("first\nsecond")
    'first second'
    """
    if width is None:
        return _on_one_line(text)
    return _cut_to(_beginning(text, width, _on_one_line), width)


def _on_one_line(text: str) -> str:
    return text.strip(" ") if text.isprintable() else one_line(text).strip(" \t")


def _beginning(text: str, width: int | None, cleaned: Callable[[str], str]) -> str:
    """Return the cleaned text, or enough of its beginning for a cut to the width.

    The work depends on the width: of a long text only white space is read further.
    """
    size = len(text) if width is None else _LOOKS_AT * width
    while width is not None and size < len(text):
        beginning = cleaned(text[:size])
        if len(beginning) > width + 1:
            return beginning
        size *= 2
    return cleaned(text)


_CLAUSE_END = re.compile(r"[.!?;:,](?=[ …])|[—–](?= )|[。！？；：，、]")


CLAUSE_CHARACTERS = 5
"""The characters of a clause's width per allowed token: about those of a token of prose."""


def clause(text: str, width: int | None = None) -> str:
    """Return a text on one line, cut to a width at the end of a nearby clause.

    :param width: the most characters, and a fifth as many tokens; the whole text when ``None``.

    >>> clause("Never push to main, not even for a hotfix, and ask me first", 55)
    'Never push to main, not even for a hotfix…'
    """
    whole = _beginning(text, width, _on_one_line)
    short = _cut_to(whole, width, CLAUSE_CHARACTERS)
    if short == whole:
        return short
    ends = [each.start() for each in _CLAUSE_END.finditer(short)]
    if not ends or ends[-1] < _MIN_WORDS * len(short):
        return short
    return f"{short[: ends[-1]].rstrip()}…"


def same_words(text: str) -> str:
    """Return a text's words as texts are compared that differ by case, spaces and end punctuation only.

    >>> same_words("Never  push to Main.") == same_words("never push to main")
    True
    """
    return " ".join(text.casefold().split()).rstrip(" .!…;,:。！；，：") or text


_LINE_ENDS = re.compile(r"[\r\n\u2028\u2029\v\f\x1c-\x1e\x85]+")


def in_lines(text: str, width: int | None = None) -> str:
    r"""Return a text line by line, without blank ones and without spaces at their edges.

    :param width: the most characters; the whole text when ``None``.

    >>> in_lines("- [x] schema\n\n  - [ ] login  ")
    '- [x] schema\n- [ ] login'
    """
    return _cut_to(_beginning(text, width, _in_lines), width)


def _in_lines(text: str) -> str:
    kept = filter(None, (line(each).strip(" \t") for each in _LINE_ENDS.split(text)))
    return "\n".join(kept)


def in_paragraphs(text: str, width: int | None = None) -> str:
    r"""Return a text with a blank line between its paragraphs, without spaces at the edges of lines.

    :param width: the most characters; the whole text when ``None``.

    >>> in_paragraphs("a\n  b\n\n\n\ncde", 6), in_paragraphs("a\n\n\nb", 4)
    ('a\nb\n\n…', 'a\n\nb')
    """
    whole = _beginning(text, width, lambda part: "\n\n".join(paragraphs(part)))
    return whole if width is None else cut(whole, width)


def may_be_cut(values: Iterable[object], width: int | None) -> bool:
    """Tell by length alone whether a cut to a width may shorten some of these values.

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
    """Tell whether each text is already on one line, with printable characters only."""
    return is_printable("".join(texts))


def lines(texts: Sequence[str], width: int | None = None) -> Sequence[str]:
    r"""Return each text as in :func:`line`; a quick check mostly shows that all may stay unchanged.

    >>> lines(["first\nsecond", "third"])
    ['first second', 'third']
    """
    if not are_lines(texts):
        return [line(text, width) for text in texts]
    return [_cut_to(text.strip(" "), width) for text in texts]


def _cut_to(text: str, width: int | None, characters: int = CHARACTERS) -> str:
    if width is None:
        return text
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
    """Return a text on one line, without its middle if longer than ``width`` characters.

    A text mostly ends with its conclusion: three fifths of the width are for its end. Another cut to the same width
    changes nothing.

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

    The cut is at a nearby space if possible.

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


# The label of a place in the tree, with which its content begins.


class Label(NamedTuple):
    """The label of a place in the tree, as a value of the context: ``ctx.get(Label)``."""

    text: str
    """The enclosing labels, the outer ones first."""

    unlabelled: Mapping[str, str]
    """The replaced texts without a label."""

    def before(self, text: str) -> str:
        """Return a text with the label before it."""
        return f"{self.text}: {text}"


# Facts in one line, with a separator from the table.
#
# Untrusted text is under a mark in such a line, so that a separator in it has no effect.


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
    """Return the text of a part; ``""`` if it is not a text."""
    return value_of(part[0]) if len(part) == 1 and type(part[0]) is mdast.Text else ""


def without_space(line: Sequence[Any]) -> Sequence[Any]:
    """Return a line without its leading space."""
    first, *others = line
    if type(first) is not mdast.Text or not first.value.startswith(" "):
        return line
    text = first.value[1:]
    return (mdast.Text(text), *others) if text else others
