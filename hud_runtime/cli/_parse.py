"""Read Markdown and print its tree as JSON.

An mdast tree is as the mdast specification has it, with the positions of blocks. A ujsx tree is
made of primitives, and `ujsx.load` reads it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._files import read_text
from hud_runtime.cli._output import put_json
from hud_runtime.cli._parser import one_of

if TYPE_CHECKING:
    from ujsx.mdast import Root


def define(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a Markdown file, or - for standard input")
    parser.add_argument(
        "--to",
        metavar="TREE",
        default="mdast",
        help=f"{' or '.join(TARGETS)} (default: %(default)s)",
    )


def run(options: Namespace) -> int:
    target = TARGETS[one_of(options.to, [*TARGETS], "kind of tree")]
    text = read_text(options.file)
    from ujsx.mdast import from_markdown

    put_json(target(from_markdown(text)))
    return 0


def _mdast(root: Root) -> dict[str, Any]:
    from ujsx.mdast import to_dict

    return to_dict(root)


def _ujsx(root: Root) -> dict[str, Any]:
    from ujsx import dump, from_mdast

    return dump(from_mdast(root))


TARGETS: dict[str, Callable[[Root], dict[str, Any]]] = {"mdast": _mdast, "ujsx": _ujsx}
"""What a Markdown file can become, by name."""
