"""Whole stores moved between engines, and the rights of who uses one in a database server."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from hud_runtime._location import is_address
from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._files import existing
from hud_runtime.cli._output import answer, put


class Copy:
    """Copy a whole store into another one: from a file into a database server, back, or between two.

    Sessions keep their ids, versions, times and digests; snapshots, deliveries, kept outputs, what was purged
    and what was erased come along. A copy that was interrupted is gone on with. At the end each event is
    compared with the one it was copied from. What the target has beside that stays there.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FROM", help="a store: a file, or postgresql://...")
        parser.add_argument("target", metavar="TO", help="another one, which is made if need be")
        define_json(parser, "what was copied as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.session._open_log import open_log
        from hud_runtime.store._copy import copy_store

        source, target = options.source, options.target
        if source == target or (
            not is_address(source)
            and not is_address(target)
            and existing(source).resolve() == Path(target).resolve()
        ):
            raise UsageError("these are one store; name another one to copy to")
        place = source if is_address(source) else existing(source)
        with (
            closing(open_log(place, read_only=True)) as given,
            closing(open_log(target)) as made,
        ):
            done = copy_store(given, made)
            line = (
                f"{done.sessions:,} sessions, {done.events:,} events are the same in {made.place};"
                f" {done.copied:,} of them are new there, {done.archived:,} archived"
            )
        answer(asdict(done), [line], as_json=options.json)
        return 0


class Role:
    """Print the SQL that lets a role of a PostgreSQL server record in a store, or only read it.

    The log can be added to and not changed: the server refuses it. Archiving, purging and erasing are left
    to the owner of the tables. Run it as that owner: `ujsx store role fleet | psql DATABASE`.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("role", metavar="ROLE", help="the role's name")
        parser.add_argument("--read", action="store_true", help="it may only read and search")
        parser.add_argument(
            "--schema",
            metavar="NAME",
            default="public",
            help="where the tables are (default: public)",
        )

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.postgres import role_script

        script = role_script(options.role, "read" if options.read else "record", options.schema)
        put(f"{script}\n")
        return 0
