"""Fixed texts by name, plurals, and the way back from a filled text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from string import Formatter
from types import MappingProxyType

from ujsx import RenderContext, UjsxError
from ujsx.errors import did_you_mean

# The fixed texts of what the HUD's tools answer, by name. Those of a section's own verbs stand in its declaration.

ANSWERS: Mapping[str, str] = MappingProxyType(
    {
        "answer.known": "Known already: {id}.",
        "answer.same": "Nothing changed.",
        "answer.kept": "Kept, but not in the HUD yet: the store cannot be reached. It is recorded when the store is"
        " back; do not repeat it.",
        "answer.masked": "Masked, as secrets are not kept: {kinds}.",
        "answer.set": "Set: {count} {noun}.",
        "answer.gone": "Gone: {items}. {call} takes nothing away.",
        "items.noun": "item|items",
        "answer.cleared": "Cleared {id}.",
        "answer.stays": "{count} stay, as only the user can end them.",
        "answer.pin": "Pinned {section}: shown in full, as far as there is room.",
        "answer.fold": "Folded {section}: {call} shows all.",
        "answer.reset": "Reset {section}: neither pinned nor folded.",
        # What reads.
        "answer.none": "None.",
        "answer.none after": "None after {count}.",
        "answer.no value": "No {section}.",
        "answer.page": "{first}–{last} of {total}",
        "answer.next": "; the next: ",
        "answer.more": "More: ",
        "answer.nothing yet": "Nothing recorded yet.",
        "answer.nothing left": "Nothing is left of what was recorded.",
        "answer.not found": "Nothing found.",
        "answer.remembered": "This is what was known at version {version}:",
        "answer.summary": "t{turn}, {time}, {count} characters: {text}",
        # The context.
        "answer.unread": "No reading of the context yet; the HUD has {tokens} tokens.",
        "answer.unread since": "No reading of the context since the last compaction; the HUD has {tokens} tokens.",
        "answer.used": "{used} of {limit} tokens used, {share}: {level}; {left} left",
        "answer.share": "{share} used: {level}",
        "answer.parts": "of them: {parts}",
        "answer.input": "input {count}",
        "answer.cache_read": "read from the cache {count}",
        "answer.cache_write": "written to it {count}",
        "answer.output": "output {count}",
        "answer.read in": "read in ",
        "answer.hud": "the HUD has {tokens} tokens, {share} of the window",
        "answer.red": "compaction is near: what only the conversation tells can be recorded in the HUD, and a"
        " compaction asked for",
        "answer.critical": "compaction is due: what only the conversation tells can be recorded in the HUD, and a"
        " compaction asked for",
        "level.green": "green",
        "level.yellow": "yellow",
        "level.red": "red",
        "level.critical": "critical",
        "trend.stable": "stable",
        "trend.growing": "growing",
        "trend.growing rapidly": "growing rapidly",
        # Compactions.
        "answer.compact": "Recorded at version {version}; what the HUD holds survives a compaction. Compacting the"
        " conversation itself is up to the program that runs you.",
        "answer.not compacted": "Not compacted: the context is {percent}% full; a compaction is worth its price from"
        " {least}% on.",
        "answer.compact later": "A compaction is asked for at version {version}. {used}It runs after this turn, where the"
        " program that runs you can do it; go on, and end your turn. What the HUD holds survives it.",
        "answer.compact used": "The context is {percent}% full. ",
        # The agent's layout.
        "answer.layout": "Layout set; the HUD has {tokens} tokens with it.",
        "answer.layout added": "Shown in any case, and so added: {names}.",
        "answer.layout reset": "Layout reset.",
        "answer.layout default": "The default layout:",
        "answer.layout own": "Your layout:",
        "answer.layout not shown": "Your layout, which is not shown now: {why}",
        "answer.layout tags": "A layout is Markdown with these tags: Hud (title), {sections} (limit={{3}}, density=compact),"
        ' Compact, When ({conditions}level="red"){loops}{values}. No links, images or HTML.',
        # A child and its parent.
        "answer.parent": "Your parent ",
        "answer.parent now": " now, at version {version}:",
        "answer.parent begun": " as it was when you began, at version {version}:",
        "answer.parent nothing": "nothing to see.",
        "answer.parent nothing new": "nothing new to see.",
        "answer.parent not live": "Nothing: you see your parent as it was when you began.",
        "answer.handed back": "Handed back: {id} of your parent's {section}.",
        "answer.handed by": "(handed back by {child})",
        "answer.handed before": "Your parent has that already, as {id} of its {section}.",
    }
)
"""The texts by name."""


# Plural forms: rules as data, one pattern per form.
#
# A noun has its forms between bars, and a rule has a pattern for each form but the last, separated
# by spaces. The first pattern that the number's digits match picks the form, the last form has the
# rest. English, ``"^1$"``: "note|notes".

_NOT_TEENS = "(?:^|[^1])"
"""Before the last digit: nothing, or any digit but the 1 of the teens."""

PLURALS: Mapping[str, str] = MappingProxyType(
    {
        "en": "^1$",
        "de": "^1$",
        "es": "^1$",
        "fr": "^[01]$",
        "pt": "^[01]$",
        "pl": f"^1$ {_NOT_TEENS}[2-4]$",
        "ru": f"{_NOT_TEENS}1$ {_NOT_TEENS}[2-4]$",
        "uk": f"{_NOT_TEENS}1$ {_NOT_TEENS}[2-4]$",
        "cs": "^1$ ^[2-4]$",
        "ar": "^0$ ^1$ ^2$ (?:^|0)[3-9]$|10$ [1-9][0-9]$",
        "ja": "",
        "ko": "",
        "zh": "",
    }
)
"""The rules of some languages for whole numbers, from the Unicode CLDR's plural rules.

``RenderContext(texts={"plurals": PLURALS["ru"], "notes.noun": "заметка|заметки|заметок"})``.
"""


def with_plural(noun: str) -> str:
    """Return an English noun with both its forms; one that has several already stays as it is.

    >>> [with_plural(noun) for noun in ("remedy", "day", "customer box", "batch", "hypothesis")]
    ['remedy|remedies', 'day|days', 'customer box|customer boxes', 'batch|batches', 'hypothesis|hypotheses']
    >>> with_plural("staff|staff")
    'staff|staff'
    """
    if "|" in noun:
        return noun
    if re.search("[^aeiou]y$", noun):
        return f"{noun}|{noun[:-1]}ies"
    if re.search("[a-z]{2}sis$", noun):
        return f"{noun}|{noun[:-2]}es"
    return f"{noun}|{noun}es" if re.search("(?:s|x|ch|sh)$", noun) else f"{noun}|{noun}s"


@lru_cache(maxsize=1024)
def form(noun: str, count: int, rule: str = "^1$") -> str:
    """Return the form of a noun that goes with a count.

    A noun with fewer forms than the rule has uses its last one for the rest.

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


COMMON: Mapping[str, str] = MappingProxyType(
    {
        "hud.title": "HUD",
        "origin.project": "from the project",
        "origin.parent": "from the parent session",
        "source.user": "said by the user",
        "source.agent": "set by the agent",
        "source.host": "said by the host",
        "source.tool": "said by a tool",
        "count": "{count} {noun}",
        "count.newest": "{count} {noun}: {newest}",
        "pinned.count": "{text}, pinned",
        "more": "… {count} more {noun}",
        "line.label": "{title}:",
        "line.more": "{count} more",
        "plurals": "^1$",
        "age": "{count} {noun}",
        "age.short": "less than {count} {noun}",
        "minutes.noun": "min",
        "hours.noun": "h",
        "days.noun": "day|days",
        "call": ": ",
        "status.separator": " · ",
        "pressure.notice": "[Memory Pressure: {percent}% ({level}) - {used}/{limit} tokens]",
        "pressure.share": "[Memory Pressure: {percent}% ({level})]",
        "pressure.green": "safe",
        "pressure.yellow": "moderate",
        "pressure.red": "high",
        "pressure.critical": "critical",
        "pressure.actions": "What can be done while there is room:",
        "pressure.compact": "A compaction can be asked for; what the HUD holds survives it",
        "pressure.record": "What only the conversation tells can be recorded in the HUD before that",
        "pressure.trim": "What no longer holds can be removed from the HUD, and sections can be folded",
        **ANSWERS,
        "delta.title": "HUD changes",
        "delta.new": "new",
        "delta.changed": "changed",
        "delta.now": "now",
        "delta.done": "done",
        "delta.over": "done, no longer listed",
        "delta.gone": "gone",
        "delta.hidden": "no longer shown",
    }
)
"""The texts by name."""

NO_TEXTS: Mapping[str, str] = MappingProxyType({"texts": "fixed texts by name are words={…}"})
"""The refusal of words that are passed as ``texts=``."""


def handle_of(ctx: RenderContext, kind: str) -> str | None:
    """Return the call that shows a whole section, or that a line is about; ``None`` if there is none.

    :param ctx: with the texts of the section, among which the call is.

    >>> from hud_components import NotesSection
    >>> handle_of(NotesSection.with_texts(RenderContext()), "notes"), handle_of(RenderContext(), "notes")
    ('hud notes.list', None)
    """
    return ctx.texts.get(f"{kind}.handle")


class TextError(UjsxError, ValueError):
    """A fixed text that cannot be used: its name is unknown, or it cannot be filled in."""


def format_text(ctx: RenderContext, name: str, **values: object) -> str:
    """Return the text of that name, filled in.

    :param ctx: with the texts of the section that has it, where one has.
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
    """Return a count with its noun, in the form that the count takes.

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


# The inverse of ``format_text``: what a text of the table was filled in with.

NUMBER = r"\d+"
"""Reads a count."""

WORD = ".+?"
"""Reads any text, as little of it as possible."""


def parse_text(ctx: RenderContext, name: str, text: str, **patterns: str) -> dict[str, str] | None:
    """Return what ``format_text`` was given to make ``text``, or ``None`` if it did not make it.

    :param patterns: by value, what it looks like (a regular expression); any text when not given.

    >>> parse_text(RenderContext(), "more", "… 7 more notes", count=NUMBER)
    {'count': '7', 'noun': 'notes'}
    """
    match = _pattern(format_text(ctx, name), tuple(patterns.items())).fullmatch(text)
    return None if match is None else match.groupdict()


def parse_count(
    ctx: RenderContext, kind: str, text: str, name: str = "count", **patterns: str
) -> dict[str, int] | None:
    """Return the numbers that ``counted`` was given to make ``text``, or ``None``.

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
