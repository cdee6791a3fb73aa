"""Old outputs of tools, and what sweeps have done with them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._described import moment
from hud_runtime.cli._output import answer, inert, remark
from hud_runtime.cli._stored import define_store, reading, writing

if TYPE_CHECKING:
    from hud_runtime.store import Swept

FAILED = 1
"""The exit status when something stood in the way."""


class Sweep:
    """Let go of the texts of old tool outputs, which were kept when they were pruned.

    It happens by itself, each 500 events: of each session the newest 300 stay, and none for more than 7 days. With
    --log nothing is done, and the last sweeps are told. The exit status is 1 when something stood in the way.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--newest", metavar="N", type=int, help="outputs of a session that stay"
        )
        parser.add_argument("--days", metavar="N", type=int, help="days after which one goes")
        parser.add_argument(
            "--log", action="store_true", help="tell what the last sweeps have done"
        )
        define_store(parser)
        define_json(parser, "what was done as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.store import SweepRules

        if options.log:
            with reading(options.store) as stored:
                found = stored.store.sweeps()
            if not found and not options.json:
                remark("nothing was swept yet")
            answer([asdict(each) for each in found], map(_line, found), as_json=options.json)
            return 0
        usual = SweepRules()
        newest = usual.newest if options.newest is None else options.newest
        days = usual.days if options.days is None else options.days
        if min(newest, days) < 1:
            raise UsageError("--newest and --days are whole numbers above 0")
        with writing(options.store) as stored:
            done = stored.store.sweep(SweepRules(newest=newest, days=days))
        answer(asdict(done), [_line(done)], as_json=options.json)
        return FAILED if done.errors else 0


def _line(swept: Swept) -> str:
    told = f"{swept.scanned:,} looked at, {swept.deleted:,} let go of, {swept.bytes:,} bytes"
    errors = "".join(f"; {inert(each)}" for each in swept.errors)
    return f"{moment(swept.at)}  {told}{errors}"
