"""The operations of the tool ``memory`` on the HUD: each is one of the tool ``hud``, under another name.

The names, and those of the sections, are of the document that the tool was first described in.
"""

from __future__ import annotations

from typing import Any, Literal

from hud_components import Domain, HudSection
from hud_runtime._errors import EventError, HistoryError
from hud_runtime.tools import status_line
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import Operation, ToolResult
from ujsx.tools._names import folded

DOCUMENTED = {
    "currenttask": "task",
    "keydecisions": "decisions",
    "activefiles": "files",
    "nextsteps": "steps",
}
"""What the document calls sections, without case and separators, and what they are called here."""


def hud_of(ctx: object) -> Any:
    """Return the session whose agent calls.

    :raises HistoryError: where the call came without one.
    """
    if ctx is None:
        raise HistoryError("no session is known here, and the HUD is that of a session")
    return ctx


def hud(ctx: object, section: str | None = None) -> ToolResult:
    """Your HUD's state, or one section.

    :param section: current_task, key_decisions, active_files, notes, blockers, next_steps.
    """
    session = hud_of(ctx)
    if section is None:
        return _called(session, "snapshot")
    one = _section(session.domain, section)
    return _called(session, f"{one.name}.{'get' if one.kind is None else 'list'}")


def hud_update(ctx: object, section: str, value: str | list[str] | None = None) -> ToolResult:
    """A section anew: a text, or the whole list.

    :param section: As in hud.
    :param value: Nothing clears it.
    """
    session = hud_of(ctx)
    one = _section(session.domain, section)
    if one.kind is None:
        if isinstance(value, list):
            raise HistoryError(f"{one.name} is one text, and no list")
        if value is None or not value.strip():
            return hud_clear(ctx, section)
        setting = f"{one.name}.set"
        told = next(
            iter(session.domain.payload(session.domain.operations[setting].type).model_fields)
        )
        return _called(session, setting, **{told: value})
    if value is None:
        return hud_clear(ctx, section)
    if not one.can_replace:
        raise HistoryError(f"{one.name} cannot be replaced as a whole")
    items = [value] if isinstance(value, str) else value
    before = session.state()
    known = {getattr(each, one.kind.text): each for each in getattr(before, one.field)}
    new = [
        _item(session.domain, one, each, known.get(each))
        for each in dict.fromkeys(items)
        if each.strip()
    ]
    try:
        session.record("section.replace", **{one.field: new})
    except EventError as error:
        raise type(error)(error.message.removeprefix("section.replace: ")) from error
    is_same = session.known is before
    text = "Nothing changed." if is_same else f"{one.title or one.name}: {len(new)} now."
    return _with_status(session, text)


def hud_note(ctx: object, note: str) -> ToolResult:
    """Add a note."""
    return _called(hud_of(ctx), "notes.add", content=note)


def hud_decision(ctx: object, decision: str, details: str | None = None) -> ToolResult:
    """Record a decision.

    :param details: Why.
    """
    more = {} if details is None else {"details": details}
    return _called(hud_of(ctx), "decisions.record", summary=decision, **more)


def hud_file(ctx: object, file: str, action: Literal["add", "remove"] = "add") -> ToolResult:
    """A file in use, or no longer."""
    operation = "files.open" if action == "add" else "files.close"
    return _called(hud_of(ctx), operation, path=file)


def hud_blocker(ctx: object, blocker: str, action: Literal["add", "remove"] = "add") -> ToolResult:
    """What is in the way, or no longer."""
    if action == "add":
        return _called(hud_of(ctx), "blockers.add", description=blocker)
    return _called(hud_of(ctx), "blockers.remove", id=blocker)


def hud_step(ctx: object, step: str) -> ToolResult:
    """Add a next step."""
    return _called(hud_of(ctx), "steps.add", description=step)


def hud_clear(ctx: object, section: str | None = None) -> ToolResult:
    """Empty a section, or all.

    :param section: As in hud; all of them when it is not given.
    """
    session = hud_of(ctx)
    if section is not None:
        one = _section(session.domain, section)
        return _called(session, "section.clear", section=one.field)
    before = session.state()
    session.record("section.clear")
    is_same = session.known is before
    return _with_status(session, "Nothing changed." if is_same else "Cleared all sections.")


def operations(*, rare: bool) -> list[Operation]:
    """Return these operations.

    :param rare: whether the tool's schema leaves them out, and ``help`` alone tells of them.
    """
    written = (hud_update, hud_note, hud_decision, hud_file, hud_blocker, hud_step, hud_clear)
    return [
        Operation.of(hud, reads=True, rare=rare),
        *(Operation.of(each, rare=rare) for each in written),
    ]


def _called(session: Any, operation: str, **arguments: object) -> ToolResult:
    """The answer of the tool ``hud``, which is given the same call."""
    result: ToolResult = session.call("hud", {"call": {"op": operation, **arguments}})
    return result


def _with_status(session: Any, text: str) -> ToolResult:
    return ToolResult(f"{text}\n{status_line(session.known)}")


def _section(domain: Domain[Any], name: str) -> Any:
    """The section that is meant, by any of its names."""
    sections: dict[str, type[HudSection]] = {}
    for field, one in domain.fields.items():
        if one.has_operations:
            sections |= {folded(field): one, folded(one.name): one}
    wanted = folded(name)
    found = sections.get(wanted) or sections.get(DOCUMENTED.get(wanted, ""))
    if found is None:
        known = [one.name for one in domain.fields.values() if one.has_operations]
        raise HistoryError(f"there is no section {quoted(name)}; {did_you_mean(name, known)}")
    return found


def _item(domain: Domain[Any], section: Any, text: str, known: Any) -> dict[str, object]:
    """An item of a list; one that says the same already stays as it is."""
    if known is None:
        return {section.kind.text: text}
    kept: dict[str, object] = known.model_dump(include={*domain.replacement(section).model_fields})
    return kept
