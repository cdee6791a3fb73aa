"""A reader that goes on with a session that another one has begun: what it has to know, its state tells.

What the log does not keep, such as calls that wait for an answer, is forgotten. An error that cannot be
told apart any more is closed by its age.
"""

from __future__ import annotations

from collections.abc import Iterator

from hud_components import HudState
from hud_runtime.observation._asks import cut
from hud_runtime.observation._checks import Check, checks_in
from hud_runtime.observation._ledger import ErrorKind
from hud_runtime.observation._shell_words import all_commands

LABEL = 60
"""Characters of a command that an error's message begins with."""


def open_errors(state: HudState) -> Iterator[tuple[tuple[str, str], ErrorKind, str, Check | None]]:
    """Yield the errors that are open: what was tried, of which kind it is, the message, the check.

    >>> from hud_components import ErrorRecord
    >>> state = HudState(errors=(ErrorRecord(id="e-1", message="src/a.py: no such text"),))
    >>> [(key, kind) for key, kind, *_ in open_errors(state)]
    [(('edit', 'src/a.py'), 'edit')]
    """
    checks = [(cut(each.command, LABEL), each.command) for each in state.checks]
    for error in state.errors:
        if error.resolved:
            continue
        label = error.message.partition(": ")[0]
        command = next((whole for short, whole in checks if _begins(error.message, short)), "")
        found = [check for _, check in checks_in(all_commands(command))]
        if found:
            kind = _KINDS.get(found[-1].kind, "check")
            yield ("check", found[-1].name), kind, error.message, found[-1]
        elif _is_path(label):
            yield ("edit", label), "edit", error.message, None
        elif " " in label:
            yield ("command", label), "command", error.message, None
        else:
            yield ("tool", error.message), "tool", error.message, None


_KINDS: dict[str, ErrorKind] = {"script": "script", "packages": "packages", "git": "git"}


def _begins(message: str, label: str) -> bool:
    return message.startswith(f"{label}: ")


def _is_path(label: str) -> bool:
    return " " not in label and ("/" in label or "." in label)
