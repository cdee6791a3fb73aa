"""The parts of hosts' adapters that no host reaches by itself: their tests import them from here alone.

A dialogue and a wire are driven without any SDK, a bridge is killed at each of its commits and asked by strangers, and
texts of settings are changed by generated values. Faults are put where a disk, a folder or a clock would have them.
"""

from __future__ import annotations

from hud_components.delta._lines import lines_of
from hud_components.delta._update import said_words
from hud_runtime._breaker import LOCKED, Pauses
from hud_runtime._telling import Telling, answering
from hud_runtime.cli._bridge import BRIDGED
from hud_runtime.integrations import _host_session as host_session
from hud_runtime.integrations import _settings_file as settings_file
from hud_runtime.integrations._dialogue import (
    Conversations,
    Dialogue,
    HostMessage,
    checked_mode,
    outputs_in,
    with_outputs,
)
from hud_runtime.integrations._hook_events import HookedHost
from hud_runtime.integrations._hooked import HOOK_HOSTS, HookHost, copy
from hud_runtime.integrations._installing import HookInstaller, problem_of
from hud_runtime.integrations._wire import Wire, client_of
from hud_runtime.integrations.bridge import _bridge as bridge
from hud_runtime.integrations.bridge import _client as client
from hud_runtime.integrations.bridge import _place as place
from hud_runtime.log.store._open_file import OpenFile
from hud_runtime.session._posting import Heard, RequestRecord, heard, keep_heard

__all__ = [
    "BRIDGED",
    "HOOK_HOSTS",
    "LOCKED",
    "NO_PAUSE",
    "Conversations",
    "Dialogue",
    "Heard",
    "HookHost",
    "HookInstaller",
    "HookedHost",
    "HostMessage",
    "OpenFile",
    "RequestRecord",
    "Telling",
    "Wire",
    "answering",
    "bridge",
    "checked_mode",
    "client",
    "client_of",
    "copy",
    "heard",
    "host_session",
    "keep_heard",
    "lines_of",
    "outputs_in",
    "place",
    "problem_of",
    "said_words",
    "settings_file",
    "with_outputs",
]

NO_PAUSE = Pauses(first=0.0, longest=0.0)
"""Between two attempts to reach a store that is locked."""
