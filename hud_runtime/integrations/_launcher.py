"""How a host starts us: by this environment, or by what fetched it, where it does not stay."""

from __future__ import annotations

import os
import re
import shutil
import sys

from ujsx import __version__

_FLEETING = (
    (
        "uvx",
        re.compile(r"[/\\]uv[/\\]"),
        re.compile(r"[/\\](?:archive|environments|builds)-v\d+[/\\]"),
    ),
    ("pipx", re.compile(r"[/\\]pipx[/\\]"), re.compile(r"[/\\]\.?cache[/\\]")),
    ("pipx", re.compile(r"[/\\]\.?cache[/\\](?=pipx[/\\])"), re.compile(r"[/\\]pipx[/\\]")),
)
"""Places of environments that a run makes and a cache may drop: who makes them, and in which folder which
other one lies. Each is a pattern of its own: one for both would try each of the former with all behind."""


def launcher(prefix: str | None = None) -> list[str]:
    """Return the program and the arguments that start the command ``ujsx``.

    :param prefix: where the environment lies; this one when None.

    >>> launcher("/home/kim/shop/.venv")[1:]
    ['-P', '-m', 'hud_runtime']
    """
    place = f"{sys.prefix if prefix is None else prefix}/"
    for name, outer, inner in _FLEETING:
        program = shutil.which(name) if _lies_in(place, outer, inner) else None
        if program is not None:
            wanted = f"ujsx=={__version__}"
            return [program, *(("--from",) if name == "uvx" else ("run", "--spec")), wanted, "ujsx"]
    return [sys.executable, "-P", "-m", "hud_runtime"]


def _lies_in(place: str, outer: re.Pattern[str], inner: re.Pattern[str]) -> bool:
    found = outer.search(place)
    return found is not None and inner.search(place, found.end() - 1) is not None


def interpreter() -> str:
    """Return an interpreter that needs no environment, for the small programs."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(base)
