"""The bridge that the hooks of hosts ask: where it is, and what starts it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from hud_runtime.cli._domain import asked, asked_modules
from hud_runtime.integrations._hook_hosts import HOOK_HOSTS
from hud_runtime.integrations.bridge import Place, place_of

BRIDGED = tuple(HOOK_HOSTS)
"""Coding agents whose hooks have a bridge."""


def place(options: Namespace) -> Place:
    """Return the bridge of a store, and of what its new sessions are given, that a command was given."""
    found = place_of(options.store, asked(), options.layout, options.words, asked_modules())
    socket = getattr(options, "socket", None) or getattr(options, "bridge", None)
    return found if socket is None else found._replace(socket=Path(socket))
