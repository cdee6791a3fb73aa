"""The context of a session: how full it is, exactly, and what replaced its conversation after each compaction."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._described import LONGEST, moment
from hud_runtime.cli._output import answer, inert, put, put_json, remark
from hud_runtime.cli._stored import define_store, reading

if TYPE_CHECKING:
    from hud_runtime.tools import ContextFigures, Summary

PARTS = {
    "input": "plain input",
    "cache_read": "read from the cache",
    "cache_write": "written to it",
    "output": "output",
}
"""What of the tokens a host may tell apart, with words for it."""


class Context:
    """Tell the exact figures of a session's context, by its last reading, what to do next, and what its HUD has.

    A compaction ends what was read before it.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        define_store(parser)
        define_json(parser, "the figures as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with reading(options.store) as stored:
            figures = stored.session(options.session).context()
        if figures is None and not options.json:
            remark(
                "no reading of the context holds: none was recorded, or a compaction came after it"
            )
            return 0
        data = None if figures is None else figures.data()
        answer(data, [] if figures is None else _lines(figures), as_json=options.json)
        return 0


def _lines(figures: ContextFigures) -> Iterator[str]:
    trend = "" if figures.trend is None else f", {figures.trend}"
    yield (
        f"{figures.used:,} of {figures.limit:,} tokens, {figures.percentage:.2f}%: {figures.level};"
        f" {figures.remaining:,} left{trend}"
    )
    counts = {words: getattr(figures, name) for name, words in PARTS.items()}
    known = [f"{count:,} {words}" for words, count in counts.items() if count is not None]
    if known:
        yield ", ".join(known)
    model = f", {inert(figures.model)}" if figures.model else ""
    yield f"read {moment(figures.timestamp)}, turn {figures.turn}, event {figures.version}{model}"
    yield f"the HUD has {figures.hud:,} tokens, {100 * figures.hud / figures.limit:.2f}% of the window"
    yield figures.next


class Summaries:
    """List what stood for a session's conversation after each compaction, the newest last, or print one.

    A line has the version of the compaction's event, its time (UTC), turn, how many characters the
    summary has, and how it begins.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        parser.add_argument(
            "version", metavar="VERSION", nargs="?", help="print this one, all of it"
        )
        define_store(parser)
        define_json(parser, "the summaries as data, whole")

    @staticmethod
    def run(options: Namespace) -> int:
        with reading(options.store) as stored:
            found = stored.session(options.session).summaries()
        if options.version is not None:
            return _show(_one(found, options.version), as_json=options.json)
        if not found and not options.json:
            remark("no compaction left a summary")
        answer([asdict(each) for each in found], map(_line, found), as_json=options.json)
        return 0


def _show(summary: Summary, *, as_json: bool) -> int:
    from ujsx.text import visible

    if as_json:
        put_json(asdict(summary))
    else:
        put(f"{visible(summary.text.rstrip())}\n")
    return 0


def _one(found: tuple[Summary, ...], version: str) -> Summary:
    from ujsx.errors import did_you_mean, quoted

    by_version = {f"{each.version}": each for each in found}
    if version not in by_version:
        hint = did_you_mean(version, by_version) if found else "no compaction left one"
        raise UsageError(f"there is no summary {quoted(version)}; {hint}")
    return by_version[version]


def _line(summary: Summary) -> str:
    text = inert(summary.text)
    begins = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return (
        f"{summary.version:>5}  {moment(summary.timestamp)}  turn {summary.turn}"
        f"  {len(summary.text):,} characters  {begins}"
    )
