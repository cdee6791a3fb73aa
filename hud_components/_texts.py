"""Every fixed text of the HUD, in one table.

A user replaces texts by name through ``RenderContext(texts={…})``: another language, no emoji.
Words in braces are filled in; a noun is
written "singular|plural". Wording is information, not command.
"""

from __future__ import annotations

from ujsx import RenderContext

TEXTS: dict[str, str] = {
    "hud.title": "HUD",
    "task.title": "Task",
    "task.line": "Task:",
    "decisions.title": "Decisions",
    "decisions.details": " — ",
    "decisions.noun": "decision|decisions",
    "files.title": "Active files",
    "files.noun": "file|files",
    "files.reading": "reading",
    "files.editing": "editing",
    "files.referenced": "referenced",
    "steps.title": "Next steps",
    "steps.next": "Next:",
    "steps.more": "… {count} more {noun}, {done} done",
    "steps.done": "All {count} steps done",
    "steps.noun": "step|steps",
    "notes.title": "Notes",
    "notes.noun": "note|notes",
    "blockers.title": "⚠ Blockers",
    "blockers.line": "⚠ Blocked:",
    "blockers.noun": "blocker|blockers",
    "errors.title": "Open errors",
    "errors.noun": "open error|open errors",
    "count": "{count} {noun}",
    "more": "… {count} more {noun}",
    "context.full": "{sign} Context: {percent}% used ({used} / {limit} tokens)",
    "context.full.model": "{sign} Context: {percent}% used ({used} / {limit} tokens, {model})",
    "context.compact": "{sign} Context: {percent}% used",
    "context.minimal": "{sign} {percent}% used",
    "context.trend": ", {trend}",
    "context.stable": "stable",
    "context.growing": "growing",
    "context.growing rapidly": "growing rapidly",
    "context.green": "🟢",
    "context.yellow": "🟡",
    "context.red": "🟠",
    "context.critical": "🔴",
    "warning.red": "⚠ The context is {percent}% full; compaction is near. What the HUD holds survives it.",
    "warning.critical": "⚠ The context is {percent}% full; compaction is due. What the HUD holds survives it.",
    "warning.red.short": "⚠ compaction is near",
    "warning.critical.short": "⚠ compaction is due",
    "status.separator": " · ",
    "status.no task": "no task",
}
"""The texts by name."""

HANDLES: dict[str, str] = {
    "decisions": "hud decisions.list",
    "files": "hud snapshot",
    "steps": "hud steps.list",
    "notes": "hud notes.list",
    "errors": "hud snapshot",
}
"""The call that shows a whole section."""


def say(ctx: RenderContext, name: str, **values: object) -> str:
    """Return the text of that name, filled in.

    >>> say(RenderContext(), "count", count=3, noun="notes")
    '3 notes'
    >>> say(RenderContext(texts={"count": "{noun}: {count}"}), "count", count=3, noun="notes")
    'notes: 3'
    """
    template = ctx.texts.get(name) or TEXTS[name]
    return template.format(**values) if values else template


def counted(
    ctx: RenderContext, kind: str, count: int, name: str = "count", **values: object
) -> str:
    """Return a count with its noun, which is written "singular|plural" in the table.

    >>> counted(RenderContext(), "notes", 1), counted(RenderContext(), "notes", 7, "more")
    ('1 note', '… 7 more notes')
    """
    one, _, many = say(ctx, f"{kind}.noun").partition("|")
    return say(ctx, name, count=count, noun=one if count == 1 else many or one, **values)
