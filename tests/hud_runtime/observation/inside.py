"""Parts of the reader of sessions that no user calls: one place for all its tests."""

from __future__ import annotations

from hud_runtime.observe._asks import ask_in, command_in
from hud_runtime.observe._checks import check_of, within
from hud_runtime.observe._conversation import (
    open_steps,
    plan_in,
    plan_title,
    summary_in,
    told_in,
    without_steps,
)
from hud_runtime.observe._failures import failure_in
from hud_runtime.observe._reader import limit_for
from hud_runtime.observe._shell import all_commands, patched, touched
from hud_runtime.observe._talk import LISTED, LONGEST, LONGEST_TALK, MOST, MOST_AT_ONCE, reasons_in
from hud_runtime.observe._work import Todo, changes

__all__ = [
    "LISTED",
    "LONGEST",
    "LONGEST_TALK",
    "MOST",
    "MOST_AT_ONCE",
    "Todo",
    "all_commands",
    "ask_in",
    "changes",
    "check_of",
    "command_in",
    "failure_in",
    "limit_for",
    "open_steps",
    "patched",
    "plan_in",
    "plan_title",
    "reasons_in",
    "summary_in",
    "told_in",
    "touched",
    "within",
    "without_steps",
]
