"""A line of information, and the call that it is about."""

from __future__ import annotations

from hud_components._texts import HANDLES, say
from ujsx import Child, RenderContext
from ujsx.elements import code


def with_call(ctx: RenderContext, text: str, kind: str) -> list[Child]:
    """Return a text and its call as inline content.

    :param kind: the call's name in the table of handles.
    """
    return [text, say(ctx, "call"), code(HANDLES[kind])]
