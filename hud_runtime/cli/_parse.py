"""Read Markdown and print its tree as JSON, or what it is in HTML.

An mdast tree is as the mdast specification has it, with the positions of blocks. A ujsx tree is
made of primitives, and `ujsx.load` reads it. A HUD is the components that a HUD's text shows, with
their data; what is no section of it stays as primitives. HTML is what stands in a page's body: HTML in the file
shows as text in it, and a link that would run code leads nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from hud_runtime.cli._click import argument, option
from hud_runtime.cli._commands import Options, one_of
from hud_runtime.cli._stored import read_text
from hud_runtime.cli._terminal import put, put_json, remark

if TYPE_CHECKING:
    from ujsx.mdast import Root
    from ujsx.mdast.from_markdown import Engine


def _mdast(root: Root) -> None:
    from ujsx.mdast import to_dict

    put_json(to_dict(root))


def _ujsx(root: Root) -> None:
    from ujsx import dump, from_mdast

    put_json(dump(from_mdast(root)))


def _hud(root: Root) -> None:
    from hud_components import HudSection, parse
    from ujsx import dump

    hud = parse(root, foreign=True)
    put_json(dump(hud))
    others = [one for one in hud.children if not isinstance(one, HudSection)]
    if others:
        many = len(others) != 1
        remark(
            f"{len(others)} part{'s' if many else ''} of it {'are' if many else 'is'} no section of a HUD,"
            f" and stay{'' if many else 's'} as {'they are' if many else 'it is'}"
        )


def _html(root: Root) -> None:
    from ujsx import registry
    from ujsx.hast import to_html
    from ujsx.text import visible

    text = to_html(registry.transform("mdast -> hast", root))
    put(visible(f"{text}\n" if text else ""))  # what steers a terminal has no place in a page


ENGINES = ("markdown-it", "mistune")
"""Who can read a file; a test holds them against those that ``from_markdown`` knows."""

TARGETS: dict[str, Callable[[Root], None]] = {
    "mdast": _mdast,
    "ujsx": _ujsx,
    "hud": _hud,
    "html": _html,
}
"""What a Markdown file can become, by name."""


@argument("file", metavar="FILE", help="a Markdown file, or - for standard input")
@option(
    "--to",
    metavar="TREE",
    words=TARGETS,
    default="mdast",
    help=f"{', '.join([*TARGETS][:-1])} or {[*TARGETS][-1]} (default: mdast)",
)
@option(
    "--engine",
    metavar="NAME",
    words=ENGINES,
    default=ENGINES[0],
    help=f"who reads: {' or '.join(ENGINES)} (default: {ENGINES[0]})",
)
def run(options: Options) -> int:
    target = TARGETS[one_of(options.to, [*TARGETS], "kind of tree")]
    engine = cast("Engine", one_of(options.engine, ENGINES, "engine"))
    text = read_text(options.file)
    from ujsx.mdast import from_markdown

    target(from_markdown(text, engine=engine))
    return 0
