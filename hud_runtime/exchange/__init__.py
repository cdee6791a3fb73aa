"""Exchange: sessions as files, to be kept, moved, and taken over from other tools.

In and out: a session's log as JSON lines, which loses nothing; and the JSON state files that HUD
plugins keep (``sessions/ID.json``, ``project/HASH.json``), which hold what is current, and those that the
plugin for working memory keeps (``memory-core/ID.json``, ``memory-working/ID.json``), which are read. A
recorded file, be it a transcript or a log, is replayed where it is only to be looked at.
"""

from hud_runtime.exchange._json_lines import (
    export_log,
    export_session,
    import_log,
    import_session,
)
from hud_runtime.exchange._memory_files import (
    CoreMemoryFile,
    MemoryFile,
    WorkingMemoryFile,
    memory_file_kind,
    read_memory_file,
)
from hud_runtime.exchange._state_files import (
    ONLY_PROJECTS,
    ProjectFile,
    SessionFile,
    project_file,
    read_project_file,
    read_session_file,
    session_file,
)
from ujsx.on_demand import on_demand

__all__ = [
    "ONLY_PROJECTS",
    "CoreMemoryFile",
    "MemoryFile",
    "ProjectFile",
    "SessionFile",
    "WorkingMemoryFile",
    "export_log",
    "export_session",
    "import_log",
    "import_session",
    "memory_file_kind",
    "project_file",
    "read_memory_file",
    "read_project_file",
    "read_session_file",
    "session_file",
]

on_demand(globals())
