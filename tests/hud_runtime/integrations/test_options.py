"""The options of adapters are those of the sessions that they make, by name and type."""

from __future__ import annotations

import inspect

from hud_runtime.integrations import HostSession
from hud_runtime.integrations._host_session import SentOptions

OWN = {"self", "session", "children"}
"""What an adapter sets itself."""


def test_the_options_of_adapters_are_those_of_a_host_session() -> None:
    taken = {
        name: each.annotation
        for name, each in inspect.signature(HostSession.__init__).parameters.items()
        if name not in OWN
    }
    typed = {name: each.__forward_arg__ for name, each in SentOptions.__annotations__.items()}
    assert typed == taken
