"""What each example does when it is run: it plays a story, shows its HUD, edits it, or serves it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hud_components import Domain
from hud_runtime import HudStore
from ujsx import Density, render


def show(domain: Domain[Any], *, edit: tuple[str, str], now: int | None = None) -> None:
    """Answer an agent's calls, which lie beside the example; show the HUD, and edit it as text.

    With the argument ``serve`` an MCP client gets the HUD instead.

    :param edit: words of the HUD, and what somebody writes in their place.
    :param now: what time it is for the HUD, in milliseconds since the epoch.
    """
    if sys.argv[1:] == ["serve"]:
        from hud_runtime.mcp import serve

        serve(domain=domain)
        return
    with HudStore.open(":memory:", domain=domain) as store:
        session = store.session("story")
        for line in (
            Path(__file__).with_name(f"{domain.name}.jsonl").read_text("utf-8").splitlines()
        ):
            print(session.call("hud", json.loads(line)).text.partition("\n")[0])
        for density in reversed(Density):
            print(f"\n--- {density} ---\n", session.hud(density=density, now=now), sep="\n")
        from hud_runtime.editing import changes, for_editing, record_changes

        hud, version = for_editing(session.state()), session.version
        edited = render(hud).replace(*edit)
        for event in record_changes(session, changes(hud, edited), since=version):
            print(f"edited: {event.type} {event.payload}")
