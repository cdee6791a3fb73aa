"""What a host's side of a session has to know when it goes on in another process: which tellings it has taken in, where
its reader stands, and what the host has told that counts later.

It is kept beside the log, as what readers were told is, and written in the transaction of the events that it goes
with: after a kill both are there, or neither. What is lost with it, by an erasure or a backup, is that something told before and
after that is counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from hud_runtime._errors import EventError, StoreLockedError, StoreUnavailableError
from hud_runtime.integrations._telling import Telling
from hud_runtime.observation import ReaderPlace
from hud_runtime.observation._json import sound
from hud_runtime.session import HudSession
from hud_runtime.store import StoredDelivery
from ujsx.tools import ToolResult

KEY = "(told)"
"""Stands where deliveries have their reader: one row for each session."""

ROW = "z"
"""Its id, which sorts behind those of deliveries: of the readers of a session, it is never the one that was told longest ago."""

TELLERS = 32
"""Tellers whose last telling is kept in mind. Each command that a hook runs is one."""

ANSWERS = 16
"""Answers to calls that are kept in mind: as many as may be under way when a bridge is killed."""


class Answered(msgspec.Struct, frozen=True):
    """What a call was answered that has recorded something."""

    text: str
    is_error: bool = False
    data: Any = None


class Heard(msgspec.Struct, frozen=True):
    """What is kept of a session."""

    tellers: dict[str, int] = {}
    """By teller: the number of the last telling that has led to something."""

    answers: dict[str, Answered] = {}
    """By telling: of calls."""

    place: ReaderPlace = ReaderPlace()
    """Where the session's reader stands."""

    kept: dict[str, Any] = {}
    """What the host has told that counts later, by names of the host's."""

    def has(self, telling: Telling) -> bool:
        """Tell whether a telling was taken in.

        >>> Heard(tellers={"a": 3}).has(Telling("a", 3)), Heard(tellers={"a": 3}).has(Telling("a", 4))
        (True, False)
        """
        return telling.number <= self.tellers.get(telling.teller, -1)

    def after(self, telling: Telling) -> Heard:
        """Return it once a telling was taken in."""
        others = {name: number for name, number in self.tellers.items() if name != telling.teller}
        told = _newest({**others, telling.teller: telling.number}, TELLERS)
        return msgspec.structs.replace(self, tellers=told)

    def answering(self, telling: Telling, result: ToolResult) -> Heard:
        """Return it once a call was answered."""
        made = Answered(result.text, result.is_error, result.data)
        answers = _newest({**self.answers, str(telling): made}, ANSWERS)
        return msgspec.structs.replace(self, answers=answers)


class _Version(msgspec.Struct, frozen=True):
    version: int


class _Body(msgspec.Struct, frozen=True):
    """A row, in the form that deliveries have: one of a version from before an erasure is not kept."""

    delivery: _Version
    told: Heard = Heard()


def heard(session: HudSession[Any]) -> Heard:
    """Return what is kept of a session; nothing, for a session of which nothing is.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     keep_heard(session, Heard().after(Telling("a", 3)))
    ...     heard(session).tellers
    {'a': 3}
    """
    for row in session.log.deliveries(session.id, KEY):
        try:
            return msgspec.json.decode(row.body, type=_Body).told
        except msgspec.MsgspecError:  # of another version
            break
    return Heard()


def keep_heard(session: HudSession[Any], what: Heard) -> None:
    """Keep what is to be known of a session, in place of what was kept. Secrets are masked as in events."""
    words = msgspec.structs.replace(what, tellers={})  # ids, and many: no words of anybody's
    told = cast("dict[str, Any]", sound(msgspec.to_builtins(words, enc_hook=str)))
    try:
        taken = session.taken(told)
    except EventError:  # secrets are refused: what was told is not kept, that it was told is
        taken = {}
    body = {"delivery": {"version": session.version}, "told": {**taken, "tellers": what.tellers}}
    text = msgspec.json.encode(body).decode()
    session.log.save_delivery(StoredDelivery(session.id, KEY, ROW, is_sent=True, body=text))


def answered_once(
    session: HudSession[Any], telling: Telling, tool: str, arguments: object
) -> ToolResult:
    """Answer a call of the HUD's tools; where it is told again, as it was answered before.

    What a call records and its answer are kept together. One that records nothing is answered anew. While the store is
    locked, or its server away, it is answered as one without an id: what is only read, can be, and an outbox keeps what is
    to be recorded.
    """
    has_begun = False
    try:
        with session.exclusive():
            has_begun = True
            before = heard(session)
            known = before.answers.get(str(telling))
            if known is not None:
                return ToolResult(known.text, is_error=known.is_error, data=known.data)
            version = session.version
            result = session.call(tool, arguments)
            if session.version != version:
                keep_heard(session, before.answering(telling, result))
            return result
    except StoreLockedError:
        return session.call(tool, arguments)
    except StoreUnavailableError:
        if has_begun:  # what became of it is not known
            raise
        return session.call(tool, arguments)


def _newest(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    names = [*given][-most:]
    return {name: given[name] for name in names}
