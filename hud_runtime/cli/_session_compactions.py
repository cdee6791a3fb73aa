"""The log of a session's compactions, read off its events."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from hud_runtime.cli._arguments import define_json
from hud_runtime.cli._described import LONGEST, moment
from hud_runtime.cli._output import answer, inert, remark
from hud_runtime.cli._stored import define_store, reading

if TYPE_CHECKING:
    from hud_runtime.compaction import Compaction, FileChange

MOST_FILES = 5
"""Files that are named in the lines of a compaction; as data all of them are."""


class Compactions:
    """List the compactions of a session, the newest last: when and why, and what each did.

    Those that failed are among them, and one that was announced and of which nothing was heard yet. The summaries
    are printed by `ujsx session summaries`.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        define_store(parser)
        define_json(parser, "the compactions as data, with their summaries")

    @staticmethod
    def run(options: Namespace) -> int:
        with reading(options.store) as stored:
            found = stored.session(options.session).compactions()
        if not found and not options.json:
            remark("the conversation was never compacted")
        lines = (line for each in found for line in _lines(each))
        answer([asdict(each) for each in found], lines, as_json=options.json)
        return 0


def _lines(compaction: Compaction) -> Iterator[str]:
    why = inert(compaction.reason)
    why = why if len(why) <= LONGEST else f"{why[: LONGEST - 1]}…"
    yield (
        f"{compaction.number:>5}  {moment(compaction.timestamp)}  turn {compaction.turn}"
        f"  {compaction.outcome}"
        + (f", {compaction.trigger}" if compaction.trigger else "")
        + (f": {why}" if why else "")
    )
    told = [
        _from_to(compaction.tokens_before, compaction.tokens_after, "tokens"),
        _from_to(compaction.messages_before, compaction.messages_after, "messages"),
        f"{len(compaction.summary):,} characters of summary" if compaction.summary else "",
        "the request was asked again" if compaction.replayed else "",
        f"emptied {', '.join(compaction.cleared)}" if compaction.cleared else "",
        inert(compaction.error),
    ]
    if any(told):
        yield f"       {'; '.join(filter(None, told))}"
    if compaction.files:
        shown = [_file(each) for each in compaction.files[:MOST_FILES]]
        more = len(compaction.files) - len(shown)
        yield f"       {', '.join(shown)}" + (f", and {more} more files" if more else "")


def _from_to(before: int | None, after: int | None, what: str) -> str:
    if before is None and after is None:
        return ""
    first = "?" if before is None else f"{before:,}"
    return f"{first} {what}" if after is None else f"{first} → {after:,} {what}"


def _file(file: FileChange) -> str:
    name = inert(file.path)
    if file.additions is not None or file.deletions is not None:
        return f"{name} +{file.additions or 0} −{file.deletions or 0}"
    return f"{name} ×{file.edits}"
