"""What events say of files."""

from __future__ import annotations

from typing import Literal

from hud_components import FileDraft
from hud_runtime.events._payload import Payload


class FileOpen(Payload, FileDraft):
    """The agent looks at a file, or something points it there."""

    status: Literal["reading", "referenced"] = "reading"
    """Whether the file is read, or only mentioned. A file that is edited stays so."""


class FileEdit(Payload, FileDraft):
    """The agent changes a file."""


class FileClose(Payload, FileDraft):
    """A file is gone, or falls out of what the agent works on."""
