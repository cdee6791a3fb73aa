"""The ``ujsx`` command.

In: arguments. Out: text or JSON on standard output, remarks on standard error, an exit status.
Each subcommand is a module, or a class in one, named in the table :data:`COMMANDS` and imported when
it is called, so that ``ujsx --version`` waits for nothing. Imports that cost time are made late. Commands
share the reading of arguments (``_commands``), of files and stores (``_stored``), of whatever else a user
names (``_target``), and the output (``_terminal``).
"""

from __future__ import annotations

from hud_runtime.cli._commands import COMMANDS, Command, UsageError
from hud_runtime.cli._main import main

__all__ = ["COMMANDS", "Command", "UsageError", "main"]
