"""A line of information, and the call that it is about."""

from __future__ import annotations

import re
from typing import Any

from hud_components.words._reading import line_of, value_of
from hud_components.words._texts import format_text
from ujsx import Child, RenderContext, mdast
from ujsx.elements import code


def with_call(ctx: RenderContext, text: str, kind: str) -> list[Child]:
    """Return a text and its call as inline content.

    :param kind: whose call it is: the name of its text, without ".handle".
    """
    return [text, format_text(ctx, "call"), code(ctx.texts[f"{kind}.handle"])]


OPERATION = re.compile(r"hud ([a-z_]+\.[a-z_]+|help)")
"""A call of one of the tool's operations."""


def call_in(block: Any) -> str:
    """Return the call at the end of a paragraph; empty where there is none."""
    *_, last = line_of(block) or (None,)
    return last.value if type(last) is mdast.InlineCode else ""


def text_before_call(block: Any, kind: str, ctx: RenderContext) -> str | None:
    """Return the text of a paragraph that ends in that call, or ``None`` if it does not."""
    text, *call = line_of(block) or (None,)
    joint = format_text(ctx, "call")
    if type(text) is not mdast.Text or call != [mdast.InlineCode(ctx.texts[f"{kind}.handle"])]:
        return None
    said = value_of(text)
    return said.removesuffix(joint) if said.endswith(joint) else None
