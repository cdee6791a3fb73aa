"""Tools whose answers stay whole, from any server."""

from __future__ import annotations

from collections.abc import Iterable

from hud_runtime._errors import PruningError
from hud_runtime.pruning._output import ToolOutput, bare
from ujsx.errors import shown

NEVER = frozenset({"skill", "activate_skill", "hud", "hud_read", "hud_compact", "memory_compact", "todowrite", "todoread"})  # fmt: skip
"""Tools whose answers are never cut: instructions that hold on, and the HUD's own answers."""


def protected(names: Iterable[str]) -> frozenset[str]:
    """Return names of tools as they are compared: in lower case, without a server's prefix.

    :raises PruningError: for one text in the place of several, and for what is no text.

    >>> sorted(protected(["Glob", "mcp__files__Read"]))
    ['glob', 'read']
    """
    known: list[object] = [names] if isinstance(names, str) else [*names]
    texts = [each for each in known if isinstance(each, str) and each]
    if isinstance(names, str) or len(texts) < len(known):
        wrong = next((each for each in known if each not in texts), names)
        raise PruningError(
            f"never is a list of the names of tools, such as ['skill'], not {shown(wrong)}"
        )
    return frozenset(map(bare, texts))


def is_protected(output: ToolOutput, names: frozenset[str]) -> bool:
    """Tell whether an output is of one of these tools; a host may write a server's name and ``_`` before it.

    >>> is_protected(ToolOutput(text="", tool="ujsx_hud"), NEVER)
    True
    """
    tool = output.bare_tool
    return tool in names or any(tool.endswith(f"_{each}") for each in names)
