"""The state of a host's side of a session, for the process that continues it: the reports taken in, the place of its
reader, and facts that count later.

It is kept beside the log, as what readers were told is, and written in the transaction of the events that it goes
with: after a kill both are there, or neither. What is lost with it, by an erasure or a backup, is that something told before and
after that is counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError, StoreLockedError, StoreUnavailableError
from hud_runtime._telling import Telling, taking_in
from hud_runtime.observation import ReaderPlace
from hud_runtime.observation._json import sound
from hud_runtime.store import StoredDelivery
from hud_runtime.tools._lists import said
from ujsx.tools import ToolResult

if TYPE_CHECKING:
    from hud_runtime.session._session import HudSession

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


class Taken(msgspec.Struct, frozen=True):
    """What is to be kept of tellings together with the events that they have led to."""

    tellings: tuple[Telling, ...] = ()

    answers: dict[str, Answered] = {}
    """By telling: of calls."""

    place: ReaderPlace | None = None
    """Where the session's reader stands behind them; None where it has read nothing."""

    keep: dict[str, Any] = {}
    """What the host has told with them that counts later, by names of the host's."""


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

    def after(self, taken: Taken) -> Heard:
        """Return it once tellings were taken in; what is known of all of them already is not taken again.

        >>> heard = Heard().after(Taken((Telling("a", 3),), keep={"failed": "x"}))
        >>> heard.tellers, heard.kept, heard.after(Taken((Telling("a", 2),), keep={"failed": "y"})) == heard
        ({'a': 3}, {'failed': 'x'}, True)
        """
        is_known = bool(taken.tellings or taken.answers) and (
            all(map(self.has, taken.tellings)) and taken.answers.keys() <= self.answers.keys()
        )
        if is_known:
            return self
        tellers = self.tellers
        for telling in taken.tellings:
            others = {name: number for name, number in tellers.items() if name != telling.teller}
            tellers = _newest({**others, telling.teller: telling.number}, TELLERS)
        return Heard(
            tellers,
            _newest({**self.answers, **taken.answers}, ANSWERS),
            self.place if taken.place is None else taken.place,
            {**self.kept, **taken.keep},
        )


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
    ...     keep_heard(session, Heard().after(Taken((Telling("a", 3),))))
    ...     heard(session).tellers
    {'a': 3}
    """
    for row in session.log.deliveries(session.id, KEY):
        try:
            return msgspec.json.decode(row.body, type=_Body).told
        except msgspec.MsgspecError:  # of another version
            break
    return Heard()


def written(session: HudSession[Any], taken: Taken) -> str:
    """Return what goes beside a letter, as text. Secrets are masked as in events."""
    words = msgspec.structs.replace(taken, tellings=())
    body = {**_masked(session, words), "tellings": taken.tellings}
    return msgspec.json.encode(body).decode()


def taken_of(text: str) -> Taken:
    """Return what goes beside a letter; nothing, for what another version has written."""
    try:
        return msgspec.json.decode(text, type=Taken)
    except msgspec.MsgspecError:
        return Taken()


def deliver_heard(session: HudSession[Any], text: str) -> None:
    """Keep what came beside a letter; within the transaction of its events."""
    before = heard(session)
    after = before.after(taken_of(text))
    if after != before:
        keep_heard(session, after)


def keep_heard(session: HudSession[Any], what: Heard) -> None:
    """Keep what is to be known of a session, in place of what was kept. Secrets are masked as in events."""
    words = msgspec.structs.replace(what, tellers={})  # ids, and many: no words of anybody's
    told = {**_masked(session, words), "tellers": what.tellers}
    body = {"delivery": {"version": session.version}, "told": told}
    text = msgspec.json.encode(body).decode()
    session.log.save_delivery(StoredDelivery(session.id, KEY, ROW, is_sent=True, body=text))


def answered_once(
    session: HudSession[Any], telling: Telling, tool: str, arguments: object
) -> ToolResult:
    """Answer a call of the HUD's tools; where it is told again, as it was answered before.

    What a call records and its answer are kept together, also in an outbox while the server is away. One that records
    nothing is answered anew. While the store is locked, it is answered as one without an id: what is only read, can be.
    """
    key, has_begun = str(telling), False

    @tried_again
    def answer() -> ToolResult:
        nonlocal has_begun
        has_begun = False
        with session.exclusive():
            has_begun = True
            before = heard(session)
            known = before.answers.get(key)
            if known is not None:
                return ToolResult(known.text, is_error=known.is_error, data=known.data)
            version = session.version
            result = session.call(tool, arguments)
            if session.version != version:
                made = Answered(result.text, result.is_error, result.data)
                keep_heard(session, before.after(Taken(answers={key: made})))
            return result

    try:
        return answer()
    except StoreLockedError:
        return session.call(tool, arguments)
    except StoreUnavailableError:
        if has_begun:  # what became of it is not known
            raise
    kept = said(session, "answer.kept")
    if any(key in taken_of(text).answers for text in session.taken_waiting()):
        return ToolResult(kept)
    with taking_in(written(session, Taken(answers={key: Answered(kept)}))):
        return session.call(tool, arguments)


def _masked(session: HudSession[Any], words: msgspec.Struct) -> Mapping[str, Any]:
    """Return what somebody has said as data, as the log would take it in."""
    told = cast("dict[str, Any]", sound(msgspec.to_builtins(words, enc_hook=str)))
    try:
        return session.taken(told)
    except EventError:  # secrets are refused: what was told is not kept, that it was told is
        return {}


def _newest(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    names = [*given][-most:]
    return {name: given[name] for name in names}
