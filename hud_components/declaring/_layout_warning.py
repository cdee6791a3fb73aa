"""Layouts that work, but hardly as their authors meant them: how that is said, and where."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from ujsx.errors import UnboundWarning


class LayoutWarning(UserWarning):
    """A layout that works, but hardly as its author meant it.

    Like any warning it is shown once for each place, and ``warnings.filterwarnings`` silences it or
    makes it an error. The place is the author's line that attached the sections, or that asked for the rendering.
    """


class SectionWarning(LayoutWarning, UnboundWarning):
    """A section of a layout that is none of the domain of the state that is bound."""


def warn(complaint: str, category: type[LayoutWarning] = LayoutWarning) -> None:
    """Say what is wrong with a layout, at the author's line."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - only mistakes are looked at so
    level = 2
    while frame is not None and _package(frame) in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(complaint, category, stacklevel=2 if frame is None else level)


def _package(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


_OURS = frozenset({"ujsx", "hud_components", "hud_runtime", "pydantic", "abc"})
"""The packages whose lines no author has written; Pydantic makes the classes of sections."""
