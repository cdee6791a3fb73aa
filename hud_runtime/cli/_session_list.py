"""List the sessions of a store, the last used first, and the defaults of projects among them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime._location import default_path
from hud_runtime.cli._event_line import moment
from hud_runtime.cli._output import inert, put, put_json, remark
from hud_runtime.cli._progress import told
from hud_runtime.cli._stored import define_store, reading
from hud_runtime.cli._style import Style, style_for

WIDEST = 40
"""Columns for ids; a longer one is whole, and what follows it is moved."""


def define(parser: ArgumentParser) -> None:
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print the sessions as data")


def run(options: Namespace) -> int:
    found = _summaries(options.store)
    if options.json:
        put_json(found)
    elif found:
        put("".join(f"{line}\n" for line in _table(found, style_for())))
    else:
        remark("there are no sessions yet")
    return 0


def _summaries(store: str | None) -> list[dict[str, Any]]:
    from hud_runtime.cli._session_summary import summary

    if store is None and not default_path().exists():
        return []
    with reading(store) as stored:
        ids = stored.ids()
        found = [summary(stored, each) for each in told(ids, "reading sessions", len(ids))]
    return sorted(filter(None, found), key=lambda each: -each["changed"])


def _table(found: list[dict[str, Any]], style: Style) -> list[str]:
    names = ["session", *(inert(each["session"]) for each in found)]
    width = min(max(map(len, names)), WIDEST)
    lines = [f"{'changed':<20}  {'events':>7}  {'turn':>5}  {'session':<{width}}  about".rstrip()]
    for name, each in zip(names[1:], found, strict=True):
        about = inert(": ".join(filter(None, (each["title"], each["task"]))))
        line = (
            f"{moment(each['changed']):<20}  {each['events']:>7,}  {each['turn']:>5,}"
            f"  {name:<{width}}  {about}"
        )
        lines.append(style.fitting(line.rstrip()))
    return [style.bold(style.fitting(lines[0])), *lines[1:]]
