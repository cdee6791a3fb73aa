"""The options of adapters are the settings of the sessions that they make, by name and type."""

from __future__ import annotations

from dataclasses import fields

from tests.hud_runtime.integrations.inside import host_session


def test_the_options_of_adapters_are_the_settings_of_a_host_session() -> None:
    typed = {
        name: each.__forward_arg__
        for name, each in host_session.SentOptions.__annotations__.items()
    }
    assert typed == {each.name: each.type for each in fields(host_session.HostSettings)}
