"""Parts of the preview that no user calls: one place for all its tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hud_runtime.context.delivery._bill import COSTS
from hud_runtime.preview import _preview
from hud_runtime.preview import _process as process
from hud_runtime.preview import _reading as reading
from hud_runtime.preview._answers import EARLY, PAGE, Answers, AwaitedError, beside, spread
from hud_runtime.preview._preview import Fault, LeftError, PreviewLook, Subject, load, loaded
from hud_runtime.preview._process import fault_of, files_in_traceback
from hud_runtime.preview._reading import (
    TAGS,
    ReadBlocks,
    States,
    blocks_of,
    by_node,
    changed_parts,
    data_of,
    utf16,
)
from hud_runtime.preview._server import HEADERS, MORE, NO_HOST, POLICY, PageGuard
from hud_runtime.preview._server import PAGE as SERVED
from hud_runtime.serve.http._access import KNOWN
from ujsx.rendering._pieces import RenderedPiece

__all__ = [
    "COSTS",
    "EARLY",
    "HEADERS",
    "KNOWN",
    "MORE",
    "NO_HOST",
    "PAGE",
    "POLICY",
    "SERVED",
    "TAGS",
    "Answers",
    "AwaitedError",
    "Fault",
    "LeftError",
    "PageGuard",
    "PreviewLook",
    "ReadBlocks",
    "RenderedPiece",
    "States",
    "Subject",
    "beside",
    "blocks_of",
    "by_node",
    "changed_parts",
    "data_of",
    "fault_of",
    "files_in_traceback",
    "load",
    "loaded",
    "preview_by",
    "process",
    "reading",
    "spread",
    "utf16",
]


def preview_by(patch: pytest.MonkeyPatch, interpreter: Sequence[str]) -> None:
    """Start the processes of previews by another interpreter."""
    patch.setattr(_preview, "COMMAND", (*interpreter, *_preview.COMMAND[1:]))
