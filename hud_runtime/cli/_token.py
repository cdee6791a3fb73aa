"""Tokens for who uses `ujsx serve --http`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime.cli._click import Declared, argument, option, together
from hud_runtime.cli._commands import Options, UsageError
from hud_runtime.cli._options import json_option
from hud_runtime.cli._terminal import answer, put, remark

if TYPE_CHECKING:
    from hud_runtime.serve.http import Token, Tokens


in_token_file: Declared = together(
    option("--tokens", metavar="FILE", help="their file (default: beside the store)"),
    option("--store", metavar="FILE", help="the store that they are of (default: your own)"),
)


def _tokens(options: Options) -> Tokens:
    from hud_runtime.serve.http import Tokens, tokens_beside

    return Tokens(Path(options.tokens) if options.tokens else tokens_beside(options.store))


def _data(token: Token) -> dict[str, object]:
    kind = "metrics" if token.project is None else "project"
    return {"id": token.id, "for": kind, "project": token.project, "made_at": token.made_at}


@argument("project", metavar="PROJECT", required=False, help="the project's name")
@option("--metrics", is_flag=True, help="a token for the figures at /metrics, and nothing else")
@in_token_file
def add_token(options: Options) -> int:
    """Make a token of a project, and print it: once, for it is kept nowhere.

    Who sends it reads and writes the sessions of the project, whose ids begin with PROJECT/, and no others. A project may
    have several tokens, one for each machine, say. Servers that are running take it at once.
    """
    if (options.project is None) != options.metrics:
        raise UsageError("name one project, or give --metrics")
    tokens = _tokens(options)
    token, text = tokens.add(options.project)
    put(f"{text}\n")
    whose = "for the figures" if token.project is None else f"of {token.project}"
    remark(f"token {token.id} {whose}, in {tokens.path}; it is not shown again")
    return 0


@in_token_file
@json_option("them as data")
def listed(options: Options) -> int:
    """List the tokens: the id of each, whose it is, and when it was made. None is shown."""
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


@argument("id", metavar="ID", help="its id, as `ujsx token list` has it")
@in_token_file
def revoke(options: Options) -> int:
    """Let a token be valid no more. Servers that are running refuse it from their next request on."""
    tokens = _tokens(options)
    tokens.revoke(options.id)
    answer(None, [f"token {options.id} is valid no more"], as_json=False)
    return 0
