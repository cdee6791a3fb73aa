"""Print a component as a tool: its props are the tool's parameters.

COMPONENT is a component of the HUD, a primitive, or any component or Pydantic model by its import
path, such as `acme.layout:Badge`; modules in the current folder are found too. Where the dialect
cannot say what the component says, `--lint` tells what becomes of it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._component_names import component_of
from hud_runtime.cli._output import put_json, put_report
from hud_runtime.cli._terminal import style_for
from hud_runtime.projects import components


def define(parser: ArgumentParser) -> None:
    parser.add_argument(
        "component", metavar="COMPONENT", nargs="?", help="a name, or package.module:Class"
    )
    parser.add_argument("--all", action="store_true", help="all of the HUD and the primitives")
    parser.add_argument(
        "--dialect",
        help="whose shape the tool has, such as openai or mcp (default: json-schema; with --lint "
        "and --cost, all)",
    )
    parser.add_argument(
        "--lint", action="store_true", help="list what becomes of keywords that a dialect lacks"
    )
    parser.add_argument("--cost", action="store_true", help="count the tokens of the definition")
    define_json(parser, "data instead of a table")


def run(options: Namespace) -> int:
    if options.lint and options.cost:
        raise UsageError("give either --lint or --cost; each has a table of its own")
    chosen = _chosen(options)
    from ujsx.schema import DIALECTS, dialect_of, tool_definition

    dialects = [*DIALECTS] if options.dialect is None else [dialect_of(options.dialect).name]
    if options.lint or options.cost:
        from hud_runtime.cli._schema_report import account, costs, losses, table

        if options.lint:
            found: Any = losses(chosen, dialects)
            text = account(found, len(dialects))
        else:
            found = costs(chosen, dialects)
            style = style_for()
            text = table(found, style.width if style.wraps else None)
        put_json(found) if options.json else put_report(text)
        return 0
    tools = [tool_definition(each, dialect=options.dialect or "json-schema") for each in chosen]
    put_json(tools if options.all else tools[0])
    return 0


def _chosen(options: Namespace) -> list[Any]:
    if options.all == (options.component is not None):
        raise UsageError("give either a COMPONENT or --all; see ujsx schema --help")
    return [*components().values()] if options.all else [component_of(options.component)]
