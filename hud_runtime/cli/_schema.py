"""Print a component as a tool: its props are the tool's parameters.

COMPONENT is a component of the HUD, a primitive, or any component, Pydantic model, toolset, function or domain
by its import path, such as `acme.layout:Badge`; modules in the current folder are found too. `tools` is the
HUD's own tools, `hud` and `hud_compact` one of them; a domain is its HUD's tools. Where the dialect cannot say what the component says,
`--lint` tells what becomes of it, and exits with 1 if it refuses something.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._output import put_json, put_report
from hud_runtime.cli._terminal import style_for


def define(parser: ArgumentParser) -> None:
    parser.add_argument(
        "component", metavar="COMPONENT", nargs="?", help="a name, or package.module:name"
    )
    parser.add_argument("--all", action="store_true", help="all of the HUD and the primitives")
    parser.add_argument(
        "--dialect",
        help="whose shape the tool has, such as openai or mcp (default: json-schema; with --lint "
        "and --cost, all)",
    )
    parser.add_argument(
        "--layout",
        help="how the operations of a toolset share a tool: grouped, signatures, flat, loose, or separate (default: "
        "separate; of the HUD's tools signatures)",
    )
    parser.add_argument(
        "--lint", action="store_true", help="list what becomes of keywords that a dialect lacks"
    )
    parser.add_argument("--cost", action="store_true", help="count the tokens of the definition")
    define_json(parser, "data instead of a table")


def run(options: Namespace) -> int:
    if options.lint and options.cost:
        raise UsageError("give either --lint or --cost; each has a table of its own")
    chosen, are_several = _chosen(options)
    from ujsx.schema import DIALECTS, dialect_of

    dialects = [*DIALECTS] if options.dialect is None else [dialect_of(options.dialect).name]
    if options.lint:
        from hud_runtime.cli._schema_report import account, losses

        found = losses(chosen, dialects)
        put_json(found) if options.json else put_report(account(found, len(dialects)))
        return int(any(each["outcome"] == "refused" for each in found))
    if options.cost:
        from hud_runtime.cli._schema_report import costs, table

        cost = costs(chosen, dialects)
        style = style_for()
        width = style.width if style.wraps else None
        put_json(cost) if options.json else put_report(table(cost, width))
        return 0
    tools = [each.define(options.dialect or "json-schema") for each in chosen]
    put_json(tools if are_several else tools[0])
    return 0


def _chosen(options: Namespace) -> tuple[list[Any], bool]:
    if options.all == (options.component is not None):
        raise UsageError("give either a COMPONENT or --all; see ujsx schema --help")
    from hud_runtime.cli._schema_subjects import all_components, subjects_of

    if not options.all:
        return subjects_of(options.component, options.layout)
    if options.layout is not None:
        raise UsageError("--layout is for the operations of a toolset; --all is all components")
    return all_components(), True
