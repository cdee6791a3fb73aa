"""The parts of hosts' adapters that no host reaches by itself: their tests import them from here alone.

A dialogue and a wire are driven without any SDK, a store is killed at each of its commits, a bridge is asked by strangers
byte by byte, and texts of settings are changed by generated values. Rows of hosts are told sessions that real clients
had, and lines of deliveries are read as a reader of them does.
"""

from __future__ import annotations

from hud_components.changes._lines import lines_of
from hud_components.changes._update import said_words
from hud_runtime._breaker import LOCKED, Backoff
from hud_runtime.integrations import _dialogue as dialogue
from hud_runtime.integrations import _sending as sending
from hud_runtime.integrations import _settings_file as settings_file
from hud_runtime.integrations._hook_events import HookedHost
from hud_runtime.integrations._hooked import HOOK_HOSTS
from hud_runtime.integrations._installing import HookInstaller
from hud_runtime.integrations._wire import Wire, client_of
from hud_runtime.integrations.bridge import _client as client
from hud_runtime.integrations.bridge import _place as place
from hud_runtime.log.store._open_file import OpenFile

__all__ = [
    "HOOK_HOSTS",
    "LOCKED",
    "NO_PAUSE",
    "HookInstaller",
    "HookedHost",
    "OpenFile",
    "Wire",
    "client",
    "client_of",
    "dialogue",
    "lines_of",
    "place",
    "said_words",
    "sending",
    "settings_file",
]

NO_PAUSE = Backoff(first=0.0, longest=0.0)
"""Between two attempts to reach a store that is locked."""
