"""What hosts are given when a HUD is installed in them, whatever they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hud_runtime.integrations._launcher import launcher
from hud_runtime.integrations.bridge import Place


@dataclass(frozen=True, slots=True)
class Installed:
    """What was done to which files."""

    changed: tuple[Path, ...]
    unchanged: tuple[Path, ...]
    backups: tuple[Path, ...] = ()


def store_options(place: Place) -> list[str]:
    """Return the options of the command that name a store, and the domain of its new sessions."""
    domain = [] if place.domain is None else ["--domain", place.domain]
    return ["--store", str(place.store), *domain]


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
