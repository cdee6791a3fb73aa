"""Every fixed text of the HUD, in one table.

A user replaces texts by name through ``RenderContext(texts={…})``: another language, no emoji.
Words in braces are filled in; a noun has its forms between bars, "singular|plural". Wording is
information, not command.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_components.words._plurals import form
from ujsx import RenderContext, UjsxError
from ujsx.errors import did_you_mean

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "hud.title": "HUD",
        "task.title": "Task",
        "task.text": "{description}",
        "task.line": "**Task:** {description}",
        "task.text.goal": "{description} — *goal:* {goal}",
        "task.line.goal": "**Task:** {description} — *goal:* {goal}",
        "compacted.title": "Before the compaction",
        "compacted.line": "**Before the compaction:** {text}",
        "characters.noun": "character|characters",
        "decisions.title": "Decisions",
        "decisions.item": "**{summary}** — {details}",
        "decisions.short": "{summary}",
        "decisions.noun": "decision|decisions",
        "files.title": "Active files",
        "files.noun": "file|files",
        "files.reading": "`{path}` (reading)",
        "files.editing": "`{path}` (editing)",
        "files.referenced": "`{path}` (referenced)",
        "steps.title": "Next steps",
        "steps.item": "{description}",
        "steps.completed": "~~{description}~~",
        "steps.next": "**Next:** {description}",
        "steps.more": "… {count} more {noun}, {done} done",
        "steps.done": "All {count} {noun} done",
        "steps.noun": "step|steps",
        "notes.title": "Notes",
        "notes.item": "{content}",
        "notes.noun": "note|notes",
        "blockers.title": "⚠ Blockers",
        "blockers.item": "{description}",
        "blockers.line": "**⚠ Blocked:** {description}",
        "blockers.noun": "blocker|blockers",
        "errors.title": "Open errors",
        "errors.item": "{message}",
        "errors.noun": "open error|open errors",
        "origin.project": "from the project",
        "origin.parent": "from the parent session",
        "source.user": "said by the user",
        "source.host": "said by the host",
        "source.tool": "said by a tool",
        "count": "{count} {noun}",
        "more": "… {count} more {noun}",
        "plurals": "^1$",
        "session.line": "Session:",
        "session.name": "*{title}*",
        "session.project": "project *{project}*",
        "session.age": "began {age} ago",
        "session.checkpoints": "{count} {noun} available",
        "checkpoints.noun": "checkpoint|checkpoints",
        "age": "{count} {noun}",
        "age.short": "less than {count} {noun}",
        "minutes.noun": "min",
        "hours.noun": "h",
        "days.noun": "day|days",
        "stale": "The HUD was last updated {age} ago and may be stale",
        "stale.short": "Last updated {age} ago",
        "hint.new": "New session: nothing is recorded yet",
        "hint.compacted": "The history was compacted; what is recorded survives the next time too",
        "hint.more": "Full state",
        "call": ": ",
        "context.full": "{sign} Context: {percent}% of {limit} tokens used",
        "context.full.model": "{sign} Context: {percent}% of {limit} tokens used ({model})",
        "context.exact": "{sign} Context: {percent}% used ({used} / {limit} tokens)",
        "context.exact.model": "{sign} Context: {percent}% used ({used} / {limit} tokens, {model})",
        "context.compact": "{sign} Context: {percent}% used",
        "context.minimal": "{sign} {percent}% used",
        "context.trend": ", {trend}",
        "context.stable": "stable",
        "context.growing": "growing",
        "context.growing rapidly": "growing rapidly",
        "context.advice": ". {advice}",
        "context.green": "🟢",
        "context.yellow": "🟡",
        "context.red": "🟠",
        "context.critical": "🔴",
        "advice.green": "",
        "advice.yellow": "A compaction is possible; what the HUD holds survives it",
        "advice.red": "Compaction is near",
        "advice.critical": "Compaction is due",
        "warning.red": "⚠ The context is {percent}% full or more; compaction is near. What the HUD holds survives it.",
        "warning.critical": "⚠ The context is {percent}% full or more; compaction is due. What the HUD holds survives it.",
        "warning.red.short": "⚠ compaction is near",
        "warning.critical.short": "⚠ compaction is due",
        "status.task": "**{task}**",
        "status.count": "{count} {noun}",
        "status.alert": "⚠ {count} {noun}",
        "status.usage": "{sign} {percent}%",
        "status.separator": " · ",
        "status.no task": "no task",
        "status.nothing": "no {what}",
        "status.empty": "nothing open",
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

NO_EMOJI: Mapping[str, str] = MappingProxyType(
    {
        "blockers.title": "Blockers",
        "blockers.line": "**Blocked:** {description}",
        "context.green": "(green)",
        "context.yellow": "(yellow)",
        "context.red": "(red)",
        "context.critical": "(critical)",
        "warning.red": "The context is {percent}% full or more; compaction is near. What the HUD holds survives it.",
        "warning.critical": "The context is {percent}% full or more; compaction is due. What the HUD holds survives it.",
        "warning.red.short": "compaction is near",
        "warning.critical.short": "compaction is due",
        "status.alert": "{count} {noun}",
    }
)
"""Texts that say in words what ``TEXTS`` says in signs: ``RenderContext(texts=NO_EMOJI)``."""

HANDLES: Mapping[str, str] = MappingProxyType(
    {
        "decisions": "hud decisions.list",
        "files": "hud files.list",
        "steps": "hud steps.list",
        "notes": "hud notes.list",
        "errors": "hud errors.list",
        "blockers": "hud blockers.list",
        "compacted": "hud snapshot",
        "stale": "hud help",
        "hint.new": "hud help",
        "hint.compacted": "hud notes.add",
        "hint.more": "hud snapshot",
        "advice": "hud_compact",
    }
)
"""The call that shows a whole section, or that a line is about."""


def handle_of(ctx: RenderContext, kind: str) -> str | None:
    """Return the call that shows a whole section, or ``None`` if there is none.

    >>> handle_of(RenderContext(), "notes"), handle_of(RenderContext(), "risks")
    ('hud notes.list', None)
    """
    return ctx.texts.get(f"{kind}.handle") or HANDLES.get(kind)


class TextError(UjsxError, ValueError):
    """A fixed text that cannot be used: its name is unknown, or it cannot be filled in."""


def format_text(ctx: RenderContext, name: str, **values: object) -> str:
    """Return the text of that name, filled in.

    :raises TextError: for a replaced text that cannot be filled in.

    >>> format_text(RenderContext(), "count", count=3, noun="notes")
    '3 notes'
    >>> format_text(RenderContext(texts={"count": "{noun}: {count}"}), "count", count=3, noun="notes")
    'notes: 3'
    """
    template = ctx.texts.get(name)
    if template is None:
        template = TEXTS[name]
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

    >>> counted(RenderContext(), "notes", 1), counted(RenderContext(), "notes", 7, "more")
    ('1 note', '… 7 more notes')
    """
    noun = form(format_text(ctx, f"{kind}.noun"), count, format_text(ctx, "plurals"))
    return format_text(ctx, name, count=count, noun=noun, **values)


def _unfillable(template: str, values: Mapping[str, object], error: Exception) -> str:
    fields = ", ".join(f"{{{name}}}" for name in values)
    if isinstance(error, KeyError):
        name = str(error.args[0])
        return f'"{template}" has no value for {{{name}}}; {did_you_mean(name, values)}'
    return f'"{template}" cannot be filled in ({error}); it may hold {fields}, and {{{{ for a brace'
