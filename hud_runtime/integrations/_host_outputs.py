"""A tool's answer as hosts with hooks tell of it: a text, blocks, or an object with texts; pruned in that form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hud_runtime.integrations._host_session import HostSession
from hud_runtime.observation._json import Record, is_list, is_object, mapping, string

SAID: Mapping[str, tuple[str, ...]] = {"bash": ("stdout", "stderr")}
"""The fields with texts of a host's own tools, by their names in lower case. Others' forms are left alone: a host may
refuse an answer that has not the form of its tool."""


def pruned_text(host: HostSession, tool: str, arguments: object, text: str) -> str:
    """Return what the model is to read of a tool's text."""
    from hud_runtime.pruning import ToolOutput

    return host.pruned(ToolOutput(text=text, tool=tool, arguments=mapping(arguments)))


def pruned_answer(host: HostSession, tool: str, arguments: object, answer: object) -> Any:
    r"""Return an answer in its own form with pruned texts; None where it stays as it is.

    >>> from hud_runtime import HudStore
    >>> told = {"stdout": "".join(f"a/{n}.py\n" for n in range(200)), "stderr": "", "interrupted": False}
    >>> with HudStore.open(":memory:") as store:
    ...     host = HostSession(store.session("s"), prune=True)
    ...     made = pruned_answer(host, "Bash", {"command": "find a"}, told)
    >>> made["stdout"].count("\n"), made["interrupted"]
    (61, False)
    """
    made: Any = answer
    if isinstance(answer, str):
        made = pruned_text(host, tool, arguments, answer)
    elif is_list(answer):
        made = [_block(host, tool, arguments, each) for each in answer]  # type: ignore[attr-defined]
    elif is_object(answer):
        made = dict(mapping(answer))
        for name in SAID.get(tool.lower(), ()):
            if isinstance(made.get(name), str):
                made[name] = pruned_text(host, tool, arguments, made[name])
    return None if made == answer else made


def _block(host: HostSession, tool: str, arguments: object, block: object) -> object:
    found: Record = mapping(block)
    text = string(found.get("text"))
    if text is None or found.get("type") != "text" or found.get("synthetic") is True:
        return block
    return {**found, "text": pruned_text(host, tool, arguments, text)}
