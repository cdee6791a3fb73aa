"""The ``ujsx`` command.

In: arguments. Out: text or JSON on standard output, remarks on standard error, an exit status.
Each subcommand is a module of its own, named in the table :data:`COMMANDS` and imported when it is
called, so that ``ujsx --version`` waits for nothing.
"""

from __future__ import annotations

from hud_runtime.cli._commands import COMMANDS, Command
from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._main import main

__all__ = ["COMMANDS", "Command", "UsageError", "main"]
