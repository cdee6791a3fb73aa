"""Transcripts: what happened in a session, read off the files that agents leave behind.

In: a file of Claude Code, SWE-agent, or chat messages. Out: drafts of events, and the name of
every line that could not be read. What a tool, a command, a failure or an opening means is a
table that a user can extend.
"""

from hud_runtime.transcripts._failures import FAILURES, Failure
from hud_runtime.transcripts._operations import OPERATIONS
from hud_runtime.transcripts._replay import Replay, replay
from hud_runtime.transcripts._source import Problem
from hud_runtime.transcripts._task import TASK_MARKERS, TaskMarker, task_in
from hud_runtime.transcripts._tools import (
    COMMANDS,
    TOOLS,
    EditorTool,
    FileCommand,
    FileTool,
    HudTool,
    ShellTool,
    TodoTool,
    Tool,
    ToolTable,
)
from hud_runtime.transcripts._transcript import Transcript, read_transcript

__all__ = [
    "COMMANDS",
    "FAILURES",
    "OPERATIONS",
    "TASK_MARKERS",
    "TOOLS",
    "EditorTool",
    "Failure",
    "FileCommand",
    "FileTool",
    "HudTool",
    "Problem",
    "Replay",
    "ShellTool",
    "TaskMarker",
    "TodoTool",
    "Tool",
    "ToolTable",
    "Transcript",
    "read_transcript",
    "replay",
    "task_in",
]
