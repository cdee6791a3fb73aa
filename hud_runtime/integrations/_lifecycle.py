"""The beginning and the end of a session, as a host reports them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hud_runtime.observation import AnyObservation, Observation

Source: TypeAlias = Literal["startup", "resume", "clear", "fork", "compact"]
"""Why a history begins: a new session; an old one that goes on; a new one in the place of an old one; a
copy of another; or a summary in the place of what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBegan(Observation):
    """The host's history begins, or goes on after a break: its next delivery has all of the HUD."""

    source: Source = "startup"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Observation):
    """The host is done with the session. Nothing depends on it: many hosts never say so."""

    reason: str = ""


HostObservation: TypeAlias = AnyObservation | SessionBegan | SessionEnded
"""All that a host can tell."""
