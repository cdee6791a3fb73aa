"""How a host starts us: by this environment, or by what fetched it, where it does not stay."""

from __future__ import annotations

import os
import re
import shutil
import sys

from ujsx import __version__

_FLEETING = (
    (re.compile(r"[/\\]uv[/\\](?:.*[/\\])?(?:archive|environments|builds)-v\d+[/\\]"), "uvx"),
    (re.compile(r"[/\\]pipx[/\\](?:.*[/\\])?\.?cache[/\\]|[/\\]\.?cache[/\\]pipx[/\\]"), "pipx"),
)
"""Places of environments that a run makes and a cache may drop, and who makes them."""


def launcher(prefix: str | None = None) -> list[str]:
    """Return the program and the arguments that start the command ``ujsx``.

    :param prefix: where the environment lies; this one when None.

    >>> launcher("/home/kim/shop/.venv")[1:]
    ['-P', '-m', 'hud_runtime']
    """
    place = f"{sys.prefix if prefix is None else prefix}/"
    for pattern, name in _FLEETING:
        program = shutil.which(name) if pattern.search(place) else None
        if program is not None:
            wanted = f"ujsx[mcp]=={__version__}"
            return [program, *(("--from",) if name == "uvx" else ("run", "--spec")), wanted, "ujsx"]
    return [sys.executable, "-P", "-m", "hud_runtime"]


def interpreter() -> str:
    """Return an interpreter that needs no environment, for the small programs."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(base)
