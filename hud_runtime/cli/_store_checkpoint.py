"""Copy what is in the write-ahead log into the database, and cut the log to nothing.

It happens by itself now and then. The exit status is 1 when somebody who reads or writes is in the way;
nothing is lost then, and the log stays for longer.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from hud_runtime.cli._output import put_json, put_line
from hud_runtime.cli._stored import define_store, writing

BLOCKED = 1
"""The exit status when the log could not be emptied."""


def define(parser: ArgumentParser) -> None:
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print what was done as data")


def run(options: Namespace) -> int:
    with writing(options.store) as stored:
        done = stored.store.checkpoint()
    if options.json:
        put_json(asdict(done))
    elif done.blocked:
        put_line(f"{done.after:,} bytes stay in the write-ahead log: {done.blocked}")
    else:
        put_line(f"the write-ahead log is empty; it had {done.before:,} bytes")
    return BLOCKED if done.blocked else 0
