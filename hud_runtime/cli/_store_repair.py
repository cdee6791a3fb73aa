"""Repair a store: make anew what is derived, and save what can be read of a damaged log.

The damaged files are kept in a folder beside the store. What could be read and has no place in the log
any more, because events before it are lost, is in that folder as JSON lines. The exit status is 0
when no event is missing, 1 when some are.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from hud_runtime.cli._output import put_json, put_line
from hud_runtime.cli._stored import define_store, store_path

if TYPE_CHECKING:
    from hud_runtime.store import LostEvents, Repaired

MISSING = 1
"""The exit status when events are lost."""


def define(parser: ArgumentParser) -> None:
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print the account as data")


def run(options: Namespace) -> int:
    from hud_runtime import HudStore

    repaired = HudStore.repair(store_path(options.store))
    if options.json:
        aside = None if repaired.set_aside is None else str(repaired.set_aside)
        put_json(
            {
                "path": str(repaired.path),
                "whole": repaired.is_whole,
                "made_anew": repaired.made_anew,
                "sessions": repaired.sessions,
                "events": repaired.events,
                "lost": [asdict(each) for each in repaired.lost],
                "not_as_written": repaired.not_as_written,
                "set_aside": aside,
            }
        )
    else:
        for line in _lines(repaired):
            put_line(line)
    return 0 if repaired.is_whole else MISSING


def _lines(repaired: Repaired) -> Iterator[str]:
    counts = f"{repaired.sessions:,} sessions, {repaired.events:,} events"
    if repaired.set_aside is None:
        yield f"{repaired.path}: its log is sound: {counts}"
    else:
        yield f"{repaired.path}: saved {counts}"
        yield f"the damaged files are in {repaired.set_aside}"
    for each in repaired.made_anew:
        yield f"made anew: {each}"
    for one in repaired.lost:
        yield _lost(one)
    if repaired.not_as_written or any(one.put_beside for one in repaired.lost):
        yield "what could be read and is not in the log is there too, in not-in-the-log.jsonl"


def _lost(one: LostEvents) -> str:
    stretches = [
        f"{first}" if first == last else f"{first} to {last}" for first, last in one.missing
    ]
    beside = f", {one.put_beside:,} put beside" if one.put_beside else ""
    return (
        f'session "{one.session_id}": missing: version {", ".join(stretches)};'
        f" {one.kept:,} events kept{beside}"
    )
