"""The tool outputs of which a session's agent was shown a part."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._described import moment
from hud_runtime.cli._output import answer, inert, put, put_json, remark
from hud_runtime.cli._stored import define_store, reading

if TYPE_CHECKING:
    from hud_runtime.store import StoredOutput


class Outputs:
    """List the tool outputs that were pruned and kept, the newest last, or print one, all of it.

    A line has the output's id, its time (UTC), the tool, how hard it was pruned, its lines and characters. The
    texts of old ones are swept: `ujsx store sweep` says when.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        parser.add_argument("output", metavar="OUTPUT", nargs="?", help="print this one, all of it")
        define_store(parser)
        define_json(parser, "the outputs as data; the text of one alone")

    @staticmethod
    def run(options: Namespace) -> int:
        with reading(options.store) as stored:
            session = stored.session(options.session)
            if options.output is not None:
                return _show(session.output(options.output), options)
            found = session.outputs()
        if not found and not options.json:
            remark("no output was pruned")
        answer([asdict(each) for each in found], map(_line, found), as_json=options.json)
        return 0


def _show(found: StoredOutput | None, options: Namespace) -> int:
    from ujsx.errors import quoted
    from ujsx.text import visible

    if found is None:
        raise UsageError(f"no output {quoted(options.output)} was kept in this session")
    if options.json:
        put_json(asdict(found))
    elif found.text is None:
        raise UsageError(f"the output {found.id} was swept; its tool has to be called again")
    else:
        put(visible(found.text))
    return 0


def _line(each: StoredOutput) -> str:
    size = f"{each.lines:,} lines, {each.characters:,} characters"
    return f"{each.id}  {moment(each.kept_at)}  {inert(each.tool)}, {each.mode}  {size}"
