"""The ``ujsx`` command.

In: arguments. Out: text or JSON on standard output, remarks on standard error, an exit status.
Each subcommand is a function ``run`` of a module, or another one, named in the table :data:`COMMANDS` (``_commands``)
and imported when it is called, so that ``ujsx --version`` waits for nothing. Its decorators declare what it takes, and
Click reads that (``_options``); hosts' commands (``_bridge``) load no Click. Commands share the reading of files and
stores (``_stored``), of whatever else a user names (``_target``), and the output (``_terminal``).
"""

from __future__ import annotations

from hud_runtime.cli._commands import COMMANDS, Command, UsageError
from hud_runtime.cli._main import main

__all__ = ["COMMANDS", "Command", "UsageError", "main"]
