"""The program that a host's hooks run: standard input goes to the bridge, its answer to standard output."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from hud_runtime.cli._arguments import one_of
from hud_runtime.cli._domain import define_domain
from hud_runtime.cli._hosts import BRIDGED, place
from hud_runtime.cli._look_options import define_look
from hud_runtime.cli._output import put, remark

PATIENCE = 10.0
"""Seconds that an answer may take."""


class Hook:
    """Answer a hook of a coding agent, such as `ujsx hook claude-code`.

    Standard input is what the hook is given, standard output what it says. `ujsx install` writes hooks that
    do the same at a fraction of the start; this is for settings that you write yourself. The exit status is
    0, and 1 where the settings are wrong, which a host tells you of; never 2, with which it takes a prompt away.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the host."""
        parser.add_argument("host", metavar="HOST", help=" or ".join(BRIDGED))
        parser.add_argument("--store", metavar="FILE", help="the store (default: yours)")
        define_domain(parser)
        define_look(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        one_of(options.host, BRIDGED, "host with hooks")
        return _ask(options, options.host)


class StatusLine:
    """Print the HUD's state in a line, for a host's status line.

    Standard input is what the host gives its status line's command. How much the context holds, Claude Code
    tells this command alone, so it is kept for the HUD.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the store."""
        parser.add_argument("--store", metavar="FILE", help="the store (default: yours)")
        define_domain(parser)
        define_look(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        return _ask(options, "claude-code-status")


def _ask(options: Namespace, kind: str) -> int:
    from hud_runtime.integrations._installing import bridge_program
    from hud_runtime.integrations.bridge import Link

    where = place(options)
    link = Link(where.socket, bridge_program(where), patience=PATIENCE)
    said = link.ask(kind, sys.stdin.buffer.read())
    if said is None:
        remark("no bridge answered; `ujsx bridge` in a terminal says why")
    put(said or "")
    return 0
