"""What a request tells of a HUD, beside the state that it was made from."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hud_components import Hud
from hud_components.delta import read
from hud_components.delta._lines import lines_of
from tests.hosts.model import Request
from ujsx import render


def known(said: list[str]) -> set[str]:
    """Return the lines of the HUD that who reads these texts knows."""
    start = max(n for n, each in enumerate(said) if not each.startswith("# HUD changes"))
    return {line.text for line in read(said[start], said[start + 1 :])}


def is_counted(line: str) -> bool:
    """Whether a line tells a count or a reading, which is no news while the level is the same."""
    return line.startswith(("- *… ", "- 🟢", "- 🟡", "- 🟠", "- 🔴", "- **Session:**"))


def misses(said: list[str], session: Any, version: int) -> set[str]:
    """Return what texts do not tell of the state at a version, or tell, and is not so."""
    told = {each for each in known(said) if not is_counted(each)}
    node = Hud.of(session.state(at=version))
    shown, everything = (
        {each.line.text for each in lines_of(text) if not is_counted(each.line.text)}
        for text in (render(node), render(node, budget=10**9))
    )
    return (shown - told) | (told - everything)


def kept(requests: list[Request]) -> list[float]:
    """Return the share of each request's bytes that the next one begins with."""
    shares: list[float] = []
    for before, after in pairwise(requests):
        same = 0
        for one, other in zip(before.blocks(), after.blocks(), strict=False):
            if one != other:
                break
            same += len(one.encode())
        shares.append(same / sum(len(each.encode()) for each in before.blocks()))
    return shares
