"""The command by which a host starts us: of this environment, or of the tool that fetched it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ujsx import __version__

_OF_UV = re.compile(r"[/\\](?:archive|environments|builds)-v\d+[/\\]")
"""A folder of uv's cache in which it makes environments."""

_OF_PIPX = (
    (re.compile(r"[/\\]pipx[/\\]"), re.compile(r"[/\\]\.?cache[/\\]")),
    (re.compile(r"[/\\]\.?cache[/\\](?=pipx[/\\])"), re.compile(r"[/\\]pipx[/\\]")),
)
"""Where pipx makes environments for one run: in which folder which other one lies. Each is a pattern of its own: one for
both would try each of the former with all behind."""


def launcher(prefix: str | None = None) -> list[str]:
    """Return the program and the arguments that start the command ``ujsx``.

    Where this environment was made for one run, in a cache that may be dropped, it is what made it; that fetches ujsx
    from where it came from.

    :param prefix: where the environment lies; this one when None.

    >>> launcher("/home/kim/shop/.venv")[1:]
    ['-P', '-m', 'hud_runtime']
    """
    place = f"{sys.prefix if prefix is None else prefix}/"
    if _lies_in_uv(place) and (program := shutil.which("uvx")) is not None:
        return [program, "--from", wanted(), "ujsx"]
    if any(_lies_in(place, *each) for each in _OF_PIPX) and (program := shutil.which("pipx")):
        return [program, "run", "--spec", wanted(), "ujsx"]
    return [sys.executable, "-P", "-m", "hud_runtime"]


def _lies_in_uv(place: str) -> bool:
    """Whether an environment is one of uv's cache, which lies in a folder of that name, or has the tag of caches."""
    found = _OF_UV.search(place)
    if found is None:
        return False
    root = place[: found.start()]
    return "uv" in re.split(r"[/\\]", root) or Path(root, "CACHEDIR.TAG").exists()


def _lies_in(place: str, outer: re.Pattern[str], inner: re.Pattern[str]) -> bool:
    found = outer.search(place)
    return found is not None and inner.search(place, found.end() - 1) is not None


def wanted() -> str:
    """Return what is to be fetched, so that this ujsx comes: its version, or the file or the commit it came from."""
    # These take longer to import than the rest of what a server is started with.
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told: object = json.loads(distribution("ujsx").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        told = {}
    none: Mapping[str, Any] = {}
    origin = cast("Mapping[str, Any]", told) if isinstance(told, dict) else none
    url, vcs = origin.get("url"), origin.get("vcs_info")  # PEP 610
    if not isinstance(url, str):
        return f"ujsx=={__version__}"
    return f"ujsx @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f"ujsx @ {url}"


def interpreter() -> str:
    """Return an interpreter that needs no environment, for the small programs."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(base)
