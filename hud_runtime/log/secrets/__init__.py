"""Secrets in texts: their patterns, their places, and the policy for them before anything is recorded.

In: a text, or a payload. Out: the same with each secret replaced by a mask that names its kind, or a
refusal. The patterns are a table, :data:`PATTERNS`; you may pass another one.
"""

from __future__ import annotations

from hud_runtime.log.secrets._patterns import PATTERNS
from hud_runtime.log.secrets._policy import Mode as Mode
from hud_runtime.log.secrets._policy import Place as Place
from hud_runtime.log.secrets._policy import SecretMatch as SecretMatch
from hud_runtime.log.secrets._policy import Secrets, masked
from hud_runtime.log.secrets._policy import find as find
from hud_runtime.log.secrets._policy import newly_masked as newly_masked
from hud_runtime.log.secrets._policy import place_name as place_name
from hud_runtime.log.secrets._policy import replaced as replaced
from hud_runtime.log.secrets._policy import texts_in as texts_in
from hud_runtime.log.secrets._surroundings import SecretPattern
from ujsx.on_demand import on_demand

__all__ = ["PATTERNS", "SecretPattern", "Secrets", "masked"]

on_demand(globals())
