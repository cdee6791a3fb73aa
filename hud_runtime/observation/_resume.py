"""A reader that goes on with a session that another one has begun: what it has to know, its state tells.

What the log does not keep, such as calls that wait for an answer, is forgotten. An error that cannot be
told apart any more is closed by its age.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hud_components import Check as Shown
from hud_components import HudState
from hud_runtime.observation._checked import COMMAND_SHOWN, ERROR_KINDS
from hud_runtime.observation._checks import Check, checks_in, within
from hud_runtime.observation._ledger import ErrorKind
from hud_runtime.observation._shell_scripts import all_commands


def open_errors(state: HudState) -> Iterator[tuple[tuple[str, str], ErrorKind, str, Check | None]]:
    """Yield the errors that are open: what was tried, of which kind it is, the message, the check.

    >>> from hud_components import ErrorRecord
    >>> state = HudState(errors=(ErrorRecord(id="e-1", message="src/a.py: no such text"),))
    >>> [(key, kind) for key, kind, *_ in open_errors(state)]
    [(('edit', 'src/a.py'), 'edit')]
    """
    for error in state.errors:
        if error.resolved:
            continue
        label = error.message.partition(": ")[0]
        shown = next((one for one in state.checks if _begins(error.message, one.command)), None)
        check = None if shown is None else _check(shown)
        if check is not None:
            yield ("check", check.name), ERROR_KINDS.get(check.kind, "check"), error.message, check
        elif _is_path(label):
            yield ("edit", label), "edit", error.message, None
        elif " " in label:
            yield ("command", label), "command", error.message, None
        else:
            yield ("tool", error.message), "tool", error.message, None


def _begins(message: str, command: str) -> bool:
    return message.startswith(f"{within(command, COMMAND_SHOWN)}: ")


def _check(shown: Shown) -> Check | None:
    """What a check that the HUD shows checks; the end of a long command stands in its name alone."""
    found = [check for _, check in checks_in(all_commands(shown.command))]
    if not found or found[-1].name == shown.name:
        return found[-1] if found else None
    rest = shown.name.removeprefix(found[-1].tool).split()
    return replace(found[-1], scope=frozenset(rest))


def _is_path(label: str) -> bool:
    return " " not in label and ("/" in label or "." in label)
