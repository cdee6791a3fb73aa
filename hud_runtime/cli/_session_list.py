"""Sessions at a glance: all of a store, or one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from hud_runtime._errors import StoreDamagedError
from hud_runtime._location import default_path, is_address
from hud_runtime._session_ids import session_ids
from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._described import DATA, SUBJECT, moment, summary
from hud_runtime.cli._output import inert, put, put_json, remark
from hud_runtime.cli._stored import BEGIN, Stored, define_store, reading
from hud_runtime.cli._terminal import Style, style_for, told

DAMAGED = "damaged"
"""In place of what cannot be told."""

WIDEST = 40
"""Columns for ids; a longer one is whole, and what follows it is moved."""


class List:
    """List the sessions of a store, the last used first, and the defaults of projects among them.

    Those that are so damaged that they cannot be read come last; `ujsx doctor` says more of them.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_store(parser)
        define_json(parser, "the sessions as data")
        parser.add_argument(
            "--ids",
            action="store_true",
            help="the ids alone, at once; those that a shell completes",
        )

    @staticmethod
    def run(options: Namespace) -> int:
        if options.ids:
            put("".join(f"{each}\n" for each in _ids(options.store)))
            return 0
        found = _summaries(options.store)
        for each in found:
            if each["damaged"]:
                remark(each["damaged"])
        if options.json:
            put_json(found)
        elif found:
            put("".join(f"{line}\n" for line in _table(found, style_for())))
        else:
            remark(f"there are no sessions yet: {BEGIN}")
        return 0


def _ids(store: str | None) -> list[str]:
    """The ids that can stand in a line; those in a database are asked of it, which takes longer."""
    if store is not None and is_address(store):
        with reading(store) as stored:
            found = [*reversed(stored.ids())]
    else:
        found = session_ids(default_path() if store is None else Path(store).expanduser())
    return [each for each in found if each.isprintable()]


def _summaries(store: str | None) -> list[dict[str, Any]]:
    if store is None and not default_path().exists():
        return []
    with reading(store) as stored:
        ids = stored.ids()
        found = [_summary(stored, each) for each in told(ids, "reading sessions", len(ids))]
    return sorted(filter(None, found), key=lambda each: -(each["changed"] or 0))


def _summary(stored: Stored, session_id: str) -> dict[str, Any] | None:
    """What there is of a session, or what keeps it from being read."""
    try:
        found = summary(stored, session_id)
    except StoreDamagedError as error:
        return {**dict.fromkeys(DATA), "session": session_id, "damaged": str(error)}
    return found and {**found, "damaged": None}


def _table(found: list[dict[str, Any]], style: Style) -> list[str]:
    names = ["session", *(inert(each["session"]) for each in found)]
    width = min(max(map(len, names)), WIDEST, *([max(style.width - 58, 7)] if style.wraps else ()))
    lines = [f"{'changed':<20}  {'events':>7}  {'turn':>5}  {'session':<{width}}  about".rstrip()]
    for name, each in zip(names[1:], found, strict=True):
        if each["damaged"]:
            lines.append(style.fitting(f"{DAMAGED:<36}  {name:<{width}}  see `ujsx doctor`"))
            continue
        about = inert(": ".join(filter(None, (each["title"], each[SUBJECT]))))
        line = (
            f"{moment(each['changed']):<20}  {each['events']:>7,}  {each['turn']:>5,}"
            f"  {name:<{width}}  {about}"
        )
        lines.append(style.fitting(line.rstrip()))
    return [style.bold(style.fitting(lines[0])), *lines[1:]]


class Show:
    """Say what there is of a session: since when, how much, and what it holds.

    `ujsx hud` shows the HUD itself, `ujsx session tail` the events.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        define_store(parser)
        define_json(parser, "the same as data, and the state")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_components import Tally
        from hud_runtime.tools import status_line

        with reading(options.store) as stored:
            session_id = stored.id_of(options.session)
            found = summary(stored, session_id)
            if found is None:
                raise UsageError(f'session "{session_id}" was purged just now')
            state = stored.opened(session_id).known
        if options.json:
            put_json({**found, "state": state.model_dump(mode="json")})
            return 0
        style = style_for()
        rows = [*_rows(found, Tally.of(state).about), ("holds", status_line(state))]
        width = max(len(name) for name, _ in rows)
        for name, text in rows:
            first, *rest = style.broken(inert(text), width + 2)
            put(f"{style.bold(f'{name:<{width}}')}  {first}\n")
            put("".join(f"{'':<{width}}  {line}\n" for line in rest))
        return 0


def _rows(found: dict[str, Any], subject: str) -> list[tuple[str, str]]:
    """What is known of the session, each with its name.

    :param subject: the name of what it is about, in its domain.
    """
    parent = found["parent"] and f"{found['parent']}, as of its version {found['parent_version']}"
    counts = (("event", "events"), ("turn", "turn"), ("compaction", "compactions"))
    amounts = [f"{found[key]:,} {word}{'' if found[key] == 1 else 's'}" for word, key in counts]
    rows = {
        "session": found["session"],
        "title": found["title"],
        "project": found["project"],
        "parent": parent,
        "began": moment(found["began"]),
        "changed": moment(found["changed"]),
        "log": ", ".join(amounts),
        subject.replace("_", " "): found[SUBJECT],
    }
    return [(name, text) for name, text in rows.items() if text]
