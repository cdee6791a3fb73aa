"""The installation of a HUD in any host."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from hud_runtime.integrations._launcher import launcher
from hud_runtime.integrations.bridge import Place


@dataclass(frozen=True, slots=True)
class Installed:
    """The changes made to files."""

    changed: tuple[Path, ...]
    unchanged: tuple[Path, ...]
    backups: tuple[Path, ...] = ()


def store_options(place: Place) -> list[str]:
    """Return the options of the command that name a store, and what its new sessions are given."""
    given = [
        ("--domain", place.domain),
        ("--layout", place.layout),
        ("--words", place.words),
        *(("--with", each) for each in place.modules),
    ]
    named = [part for option, name in given if name is not None for part in (option, name)]
    return ["--store", str(place.store), *named]


def bridge_program(place: Place) -> list[str]:
    """Return what starts the bridge of a place."""
    return [*launcher(), "bridge", "--socket", str(place.socket), *store_options(place)]


def server_program(place: Place, host: str | None = None, *, memory: bool = False) -> list[str]:
    """Return what starts the server of a place, whose tools a host's agents call.

    :param memory: whether the tools for memory are among them.
    """
    which = [] if host is None else ["--host", host]
    more = ["--memory"] if memory else []
    return [
        *(*launcher(), "serve", "--bridge", str(place.socket)),
        *(*which, *store_options(place), *more),
    ]


GIVEN = ("--domain", "--layout", "--words", "--with")
"""The options that name what new sessions are given."""

PATIENCE = 60.0
"""Seconds that a check may take: a program may be fetched first."""


def problem_of(program: Sequence[str]) -> str | None:
    """Return why what a host starts cannot use what it is given; None where it can.

    It is asked in no project's folder, as a host may start it in any.

    :param program: a bridge's or a server's.
    """
    if shutil.which(program[0]) is None:
        return f"there is no program {program[0]}"
    at = min(program.index(each) for each in ("bridge", "serve") if each in program)
    start, options = program[:at], pairwise(program[at:])
    given = [part for option, value in options if option in GIVEN for part in (option, value)]
    if not given:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the program that the host starts
            [*start, "bridge", "--check", *given],
            cwd=Path.cwd().anchor,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else None
