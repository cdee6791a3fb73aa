"""The events that wait on this machine for a database server, and those that the server's store has refused."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime._location import is_address
from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._described import moment
from hud_runtime.cli._output import answer, inert, remark
from hud_runtime.cli._stored import define_store, writing
from hud_runtime.outbox import Letter, Letters, Outbox
from hud_runtime.session import settings_beside


class InOutbox:
    """List what waits in an outbox for a database server, and what its store has refused; deliver it, or remove it.

    What waits is recorded by itself when the store is opened with this outbox. Where a store has moved, --from gives it
    what waits for its old address.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--folder", metavar="FOLDER", help="the outbox (default: that of context.toml)"
        )
        parser.add_argument(
            "--deliver", action="store_true", help="record now what waits for the store of --store"
        )
        parser.add_argument(
            "--from",
            dest="place",
            metavar="ADDRESS",
            help="deliver what waits for this address, as it is listed, and what was refused there, too",
        )
        parser.add_argument(
            "--forget", metavar="NUMBER", type=int, help="remove a letter for good, unrecorded"
        )
        define_store(parser)
        define_json(parser, "the letters as data")

    @staticmethod
    def run(options: Namespace) -> int:
        outbox = Outbox(options.folder) if options.folder else settings_beside(None).outbox
        if outbox is None:
            raise UsageError(
                "no outbox is set: name one with --folder, or write [outbox] into context.toml"
            )
        letters = Letters(outbox, "", "")
        letters.check()
        for aside in letters.set_aside():
            remark(f"{aside} was damaged and is set aside: what could be read in it waits on")
        if options.forget is not None:
            if not letters.forget(options.forget):
                raise UsageError(f"there is no letter {options.forget} in {outbox.path}")
            remark(f"letter {options.forget} was removed")
        if options.deliver or options.place:
            _deliver(options.store, outbox, options.place)
        found = letters.all()
        if not found and not options.json:
            remark(f"nothing waits in {outbox.path}")
        answer([*map(data, found)], map(_line, found), as_json=options.json)
        return 0


def _deliver(store: str | None, outbox: Outbox, place: str | None) -> None:
    from hud_runtime.session._posting import Posting

    if store is None or not is_address(store):
        raise UsageError("--store names the database that it is delivered to: postgresql://...")
    with writing(store) as stored:
        letters = Letters(outbox, stored.place, str(stored.log.identity))
        if place is not None and not letters.adopt(place):
            raise UsageError(f"nothing waits for {place} in {outbox.path}")
        Posting(letters, stored.log, stored.opened).deliver()


def data(letter: Letter) -> dict[str, Any]:
    """Return a letter as JSON data, without what its events say."""
    return {
        "number": letter.number,
        "store": letter.place,
        "session": letter.session_id,
        "posted_at": letter.posted_at,
        "events": [
            {"id": event_id, "type": draft.type}
            for event_id, draft in zip(letter.ids, letter.drafts, strict=True)
        ],
        "refusal": letter.refusal,
    }


def _line(letter: Letter) -> str:
    types = ", ".join(draft.type for draft in letter.drafts)
    why = "" if letter.refusal is None else f"; refused: {letter.refusal}"
    told = f'{letter.number}  {moment(letter.posted_at)}  session "{letter.session_id}": {types}'
    return inert(f"{told}, for {letter.place}{why}")
