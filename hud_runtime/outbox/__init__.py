"""What is recorded while a database server is away waits here, on this machine's disk, until it is back.

In: drafts of events, with the ids that their events will have. Out: the same, in order, for who delivers them.
Nothing here knows the server: :mod:`hud_runtime.session` posts and delivers.
"""

from __future__ import annotations

from hud_runtime.outbox._letters import Letter, Letters, Posted, letters_in
from hud_runtime.outbox._outbox import FILE, Outbox

__all__ = ["FILE", "Letter", "Letters", "Outbox", "Posted", "letters_in"]
