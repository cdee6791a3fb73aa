"""The fixed texts that no section has to itself, and how a text is filled in.

The texts of a section stand in its declaration. A user replaces any of them by name through
``RenderContext(texts={…})``: another language, no emoji. Words in braces are filled in; a noun has its
forms between bars, "singular|plural". Wording is information, not command.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_components.words._answers import ANSWERS
from hud_components.words._plurals import form
from ujsx import RenderContext, UjsxError
from ujsx.errors import did_you_mean

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
