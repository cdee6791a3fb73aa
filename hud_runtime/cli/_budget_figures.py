"""How many tokens the parts of a target take: a HUD, a layout, a component, tools.

In: the name of a target, and what its components show. Out: figures by tier and part, zeros left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._budget_lock import Figures
from hud_runtime.cli._component_names import component_of
from hud_runtime.cli._files import existing
from hud_runtime.cli._output import remark
from hud_runtime.cli._render import read, rendered_with
from hud_runtime.cli._target import JSON, LAYOUTS, authors_code, target_of
from hud_runtime.projects import kind_of
from ujsx.errors import did_you_mean

if TYPE_CHECKING:
    from hud_components import HudState
    from ujsx import Component, Element, RenderContext
    from ujsx.rendering import RenderedNode
    from ujsx.tokens import TokenCounter

BUILT_IN = ("hud", "tools")
"""The targets that have a name."""

SHARE = " + "
"""What stands between the names of sections that share a line."""

TOTAL = "total"
"""The name of the figure for a whole tier."""


def figures_of(target: str, state: HudState, context: RenderContext) -> Figures:
    """Return the figures of a target.

    :param state: what the built-in HUD shows.
    :param context: what any other tree is rendered in; the same state is bound to it.
    :raises UsageError: if there is no such target, or it has no figures.
    """
    from hud_components import Hud
    from hud_runtime.tools import definitions

    if target == "hud":
        return _tiers(Hud.of(state), context)
    if target == "tools":
        return _tools(definitions, context.count_tokens)
    found = target_of(target)
    if found.is_session and Path(target).suffix.lower() in (*LAYOUTS, JSON):
        existing(target)  # says what is near
    if found.is_session:
        raise UsageError(
            f'"{target}" is no target: {did_you_mean(target, BUILT_IN)}; a layout\'s name ends in .md, or in .json for a '
            "tree as data, and an object of your code is named module:NAME or file.py:NAME; a session is given as "
            "--session"
        )
    if found.kind == "layout":
        return _tiers(read(target, type(state)), context)
    with authors_code():
        return _of_object(target, component_of(target), context)


def _of_object(name: str, found: Any, context: RenderContext) -> Figures:
    """The figures of what an import path names: a tree, a component, a model, a toolset."""
    from pydantic import BaseModel

    from hud_components import Domain
    from ujsx import Component, Element
    from ujsx.schema import tool_definition
    from ujsx.tools import Toolset

    count = context.count_tokens
    kind: type[Any] = found.__class__  # what type() gives of Any is unknown to pyright
    if issubclass(kind, Component | Element):
        return _tiers(found, context)
    if issubclass(kind, Toolset):
        return _tools(found.definitions, count)
    if issubclass(kind, Domain):
        raise UsageError(
            f"{name} is a domain, and what is measured is a layout of it: name one, such as LAYOUT = "
            f"Hud()[{', '.join(f'{each.__name__}()' for each in found.shown_as)}], with --domain {name} and --session; "
            "or one of its sections"
        )
    if not (issubclass(kind, type) and issubclass(found, BaseModel)):
        raise UsageError(
            f"{name} is {kind_of(found)}; what can be measured is a tree, a component, a "
            "Pydantic model, or a Toolset"
        )

    def definitions(dialect: str) -> list[dict[str, Any]]:
        return [tool_definition(found, dialect=dialect)]

    tools = _tools(definitions, count)
    if issubclass(found, Component) and not any(
        field.is_required() for field in found.model_fields.values()
    ):
        return {**_tiers(found(), context), **tools}
    return tools


def _tiers(node: Component | Element, context: RenderContext) -> Figures:
    """The tokens of each section at each density, and of the whole; none where no more than titles is shown."""
    from ujsx import Density
    from ujsx.rendering import RenderedSection

    figures: dict[str, dict[str, int]] = {}
    notes: list[str] = []
    is_shown = False
    for density in reversed(Density):
        rendered, said = rendered_with(node, context, density, None)
        notes += said
        parts = figures[density.value] = {}
        is_shown = is_shown or any(
            each.tokens and (isinstance(each, RenderedSection) or each.layer is not None)
            for each in rendered.nodes  # of these a heading alone is no section, and of no layer
        )
        for name, tokens in _by_line(rendered.nodes):
            _put(parts, name, tokens)
        if rendered.tokens:
            parts[TOTAL] = rendered.tokens
    if not is_shown:
        return {}
    for note in dict.fromkeys(notes):
        remark(note)
    return figures


def _by_line(nodes: Iterable[RenderedNode]) -> Iterator[tuple[str, int]]:
    """Yield each section with its tokens; those that share a line together, as a line is no sum of its parts."""
    from ujsx.rendering import RenderedSection

    lines: list[list[RenderedNode]] = []
    waiting: list[RenderedNode] | None = None
    for each in nodes:
        if each.goes_on and waiting is not None:
            waiting.append(each)
        elif each.tokens:
            waiting = [each]
            lines.append(waiting)
    for line in lines:
        if any(isinstance(each, RenderedSection) for each in line):
            yield SHARE.join(each.name for each in line), sum(each.tokens for each in line)


def _tools(definitions: Callable[[str], list[dict[str, Any]]], count: TokenCounter) -> Figures:
    """The tokens of each tool in each dialect that can say it, and of all of them."""
    from ujsx import SchemaError
    from ujsx.schema import DIALECTS, schema_tokens

    figures: dict[str, Mapping[str, int]] = {}
    for dialect in DIALECTS:
        try:
            tools = definitions(dialect)
        except SchemaError:
            continue
        parts: dict[str, int] = {}
        for tool in tools:
            _put(
                parts,
                str(tool.get("name") or tool.get("title") or "tool"),
                schema_tokens(tool, count),
            )
        figures[dialect] = {**parts, TOTAL: sum(parts.values())}
    return figures


def _put(parts: dict[str, int], name: str, tokens: int) -> None:
    """Note a part; of several that have one name, each but the first gets a number."""
    number, place = 1, name
    while place in parts:
        number += 1
        place = f"{name} {number}"
    parts[place] = tokens
