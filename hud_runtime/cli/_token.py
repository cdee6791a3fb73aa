"""Tokens for who uses `ujsx serve --http`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime.cli._commands import UsageError, define_json
from hud_runtime.cli._terminal import answer, put, remark

if TYPE_CHECKING:
    from hud_runtime.serving import Token, Tokens


def define_tokens(parser: ArgumentParser) -> None:
    """Add the options that name the file of tokens."""
    parser.add_argument("--tokens", metavar="FILE", help="their file (default: beside the store)")
    parser.add_argument(
        "--store", metavar="FILE", help="the store that they are of (default: your own)"
    )


def _tokens(options: Namespace) -> Tokens:
    from hud_runtime.serving import Tokens, tokens_beside

    return Tokens(Path(options.tokens) if options.tokens else tokens_beside(options.store))


def _data(token: Token) -> dict[str, object]:
    kind = "metrics" if token.project is None else "project"
    return {"id": token.id, "for": kind, "project": token.project, "made_at": token.made_at}


class AddToken:
    """Make a token of a project, and print it: once, for it is kept nowhere.

    Who sends it reads and writes the sessions of the project, whose ids begin with PROJECT/, and no others. A project may
    have several tokens, one for each machine, say. Servers that are running take it at once.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT", nargs="?", help="the project's name")
        parser.add_argument(
            "--metrics",
            action="store_true",
            help="a token for the figures at /metrics, and nothing else",
        )
        define_tokens(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        if (options.project is None) != options.metrics:
            raise UsageError("name one project, or give --metrics")
        tokens = _tokens(options)
        token, text = tokens.add(options.project)
        put(f"{text}\n")
        whose = "for the figures" if token.project is None else f"of {token.project}"
        remark(f"token {token.id} {whose}, in {tokens.path}; it is not shown again")
        return 0


class Listed:
    """List the tokens: the id of each, whose it is, and when it was made. None is shown."""

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_tokens(parser)
        define_json(parser, "them as data")

    @staticmethod
    def run(options: Namespace) -> int:
        tokens = _tokens(options)
        known = tokens.all()
        lines = [
            f"{each.id}  {datetime.fromtimestamp(each.made_at / 1_000, UTC):%Y-%m-%d}  "
            f"{'(metrics)' if each.project is None else each.project}"
            for each in known
        ]
        none = f"there are no tokens in {tokens.path}; `ujsx token add PROJECT` makes one"
        answer([_data(each) for each in known], lines or [none], as_json=options.json)
        return 0


class Revoke:
    """Let a token be valid no more. Servers that are running refuse it from their next request on."""

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="its id, as `ujsx token list` has it")
        define_tokens(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        tokens = _tokens(options)
        tokens.revoke(options.id)
        answer(None, [f"token {options.id} is valid no more"], as_json=False)
        return 0
