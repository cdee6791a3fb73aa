"""Whose code a file is, and where in an author's code an error was raised."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_OURS = [
    str(Path(__file__).parents[2] / name) for name in ("ujsx", "hud_components", "hud_runtime")
]
_FOREIGN = tuple(
    f"{folder.rstrip('/')}/"
    for folder in [*(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")), *_OURS]
)


def is_of_author(file: str | None) -> bool:
    """Tell whether a source file is the author's: neither installed, nor Python's, nor ours.

    >>> is_of_author(__file__), is_of_author("/home/kim/app.py"), is_of_author("<string>")
    (False, True, False)
    """
    if file is None or file.startswith("<"):
        return False
    return not str(Path(file).resolve()).startswith(_FOREIGN)


def frames_of_author(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the author's own calls that an error went through, the last one last."""
    found = traceback.extract_tb(error.__traceback__)
    return [frame for frame in found if is_of_author(frame.filename)]


def told(error: BaseException) -> str:
    """Return what an error of an author's code says, behind its place, as compilers write it.

    >>> told(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    if isinstance(error, SyntaxError) and error.filename is not None:
        place, what = f"{error.filename}:{error.lineno}: ", error.msg
    else:
        frames = frames_of_author(error)
        place = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
        what = str(error)
    return f"{place}{type(error).__name__}: {what}"
