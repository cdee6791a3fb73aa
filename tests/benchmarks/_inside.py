"""Parts that the benchmarks measure or reckon with, and no user calls: those of the runtime, each imported here alone.

They play whole sessions by their bills, read files of sessions record by record, and hold rows of a table beside
those that the store writes.
"""

from hud_runtime.context.delivery._bill import EACH, WAYS, Course, Turn, cost_of, tool_tokens
from hud_runtime.context.delivery._prices import Block, spent
from hud_runtime.integrations.bridge._place import CLIENT, interpreter
from hud_runtime.log.store._log_store import LogStore
from hud_runtime.log.store._rows import COLUMNS, to_row
from hud_runtime.observe._observations import Record, mapping, sequence, whole
from hud_runtime.observe._shell import all_commands, edits_open_file
from hud_runtime.observe._tools import scripts_of
from hud_runtime.transcripts._source import open_source
from hud_runtime.transcripts._transcript import recognised

__all__ = [
    "CLIENT",
    "COLUMNS",
    "EACH",
    "WAYS",
    "Block",
    "Course",
    "LogStore",
    "Record",
    "Turn",
    "all_commands",
    "cost_of",
    "edits_open_file",
    "interpreter",
    "mapping",
    "open_source",
    "recognised",
    "scripts_of",
    "sequence",
    "spent",
    "to_row",
    "tool_tokens",
    "whole",
]
