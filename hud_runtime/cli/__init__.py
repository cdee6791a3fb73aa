"""The ``ujsx`` command.

In: arguments. Out: text or JSON on standard output, remarks on standard error, an exit status.
Each subcommand is a module, or a class in one, named in the table :data:`COMMANDS` and imported when
it is called, so that ``ujsx --version`` waits for nothing. What is imported late in them is what costs
time. What they share: ``_arguments`` (what is typed), ``_target``, ``_files`` and ``_stored`` (what it names),
``_shown_session`` and ``_shown_hud`` (what is shown of it), ``_output`` and ``_terminal`` (how).
"""

from __future__ import annotations

from hud_runtime.cli._commands import COMMANDS, Command, UsageError
from hud_runtime.cli._main import main

__all__ = ["COMMANDS", "Command", "UsageError", "main"]
