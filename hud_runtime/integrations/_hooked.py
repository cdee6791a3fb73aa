"""The base of hosts that run hooks: the input and answer of a hook, and the sessions of its events.

In: JSON on a hook's standard input, with a session's id, a folder, and the subagent in which it happens. Out:
JSON for its standard output, and a word when the model has been given what it says.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from hud_runtime._breaker import tried_again
from hud_runtime.delivery import Delivery, RequestMessage
from hud_runtime.integrations._compacting import asks_to_compact
from hud_runtime.integrations._guard import Guard, nothing
from hud_runtime.integrations._host_session import HostSession, SentOptions
from hud_runtime.integrations._lifecycle import SessionEnded, Source
from hud_runtime.integrations.bridge import Answer
from hud_runtime.observation._json import Record, json_of, mapping, string
from hud_runtime.session import NO_LOOK, GivenLook, HudStore

if TYPE_CHECKING:
    from hud_runtime.compaction import CompactionPolicy
    from ujsx.tools import Toolset

KEPT = 64
"""Sessions that are kept in mind; one that comes back later is read from the store."""

SOURCES: dict[str, Source] = {
    "startup": "startup",
    "resume": "resume",
    "clear": "clear",
    "fork": "fork",
    "compact": "compact",
}
"""Why a session starts, in the words of hosts."""


MEMORY_TOOL = "memory"
"""The tool by which past sessions are read; a server offers it where it was asked for."""


class HookedSessions:
    """The sessions of a host whose hooks tell of them, in a store.

    :param store: opens the store; it is tried again after it failed.
    :param longest: how long a text may be that a hook gives to the model, as ``size`` measures it.
    :param policy: how a summary is asked for.
    :param compacts: what an agent is told that asks for a compaction: how the host comes to one.
    :param look: the layout and the words of its sessions.
    :param marked: that a tail gets a cache breakpoint before it.
    :param toolsets: tools that are offered beside the HUD's.
    """

    def __init__(
        self,
        store: Callable[[], HudStore[Any]],
        *,
        longest: int | None = None,
        size: Callable[[str], int] = len,
        policy: CompactionPolicy | None = None,
        compacts: str = "",
        look: GivenLook = NO_LOOK,
        marked: bool = False,
        toolsets: Iterable[Toolset] = (),
    ) -> None:
        self.lock = threading.RLock()
        self._store = store
        self._compacts = compacts
        self._options: SentOptions = {
            "longest": longest,
            "size": size,
            "prune": True,  # what a hook asks for
            "policy": policy,
            "layout": look.layout,
            "words": look.words,
            "marked": marked,
            "toolsets": tuple(toolsets),
        }
        self._sessions: OrderedDict[str, HostSession] = OrderedDict()
        self._news: list[str] = []
        self._told: dict[str, set[str]] = {}
        """By session: what its person was told, of its subagents' too."""

    def of(self, event: Record) -> HostSession:
        """Return the session that an event belongs to."""
        name = session_id_in(event)
        with self.lock:
            found = self._sessions.get(name)
            if found is None:
                options: SentOptions = {**self._options, "tell": partial(self._tell, name)}
                project = filled(event.get("cwd"))
                found = HostSession.of(self._store, name, project=project, **options)
                self._sessions[name] = found
                for old in [*self._sessions][:-KEPT]:
                    if not self._sessions[old].flush():
                        self.forget(old)
            self._sessions.move_to_end(name)
            return found

    def reader(self, event: Record) -> HostSession:
        """Return the session of the event, or that of the subagent that it happens in."""
        agent = filled(event.get("agent_id"))
        host = self.of(event)
        return host if agent is None else host.child(agent)

    def end(self, event: Record) -> None:
        """Let go of a session that is over, once all that was seen is recorded."""
        with self.lock:
            host = self._sessions.get(session_id_in(event))
            if host is not None:
                host.observe(SessionEnded(reason=string(event.get("reason")) or ""))
                if not host.flush():
                    self.forget(session_id_in(event))

    def forget(self, name: str) -> None:
        """Let go of a session, whatever waits of it."""
        with self.lock:
            self._sessions.pop(name, None)
            self._told.pop(name, None)

    def _tell(self, name: str, sentence: str) -> None:
        told = self._told.setdefault(name, set())
        if sentence not in told:
            told.add(sentence)
            self._news.append(sentence)

    def copy(self, origin: str, name: str) -> None:
        """Begin a session as a copy of another one."""
        self._attempt("copy a session", partial(copy, self._store, origin, name))

    def purge(self, name: str) -> None:
        """Delete all that is kept of a session."""
        self._attempt("delete a session", partial(purge, self._store, name))

    def _attempt(self, what: str, work: Callable[[], None]) -> None:
        Guard(self._news.append).run(what, work, nothing)

    def delivered(
        self,
        event: str,
        host: HostSession,
        *,
        fresh: bool = False,
        texts: Iterable[str] | None = None,
        conversation: Iterable[RequestMessage] | None = None,
        arrived: Callable[[Delivery], object] | None = None,
    ) -> Answer:
        """Return a hook's output: what the model has yet to be told, and the news for the person.

        :param texts: what the model is going to read, where that has to be looked at.
        :param conversation: the words of its messages: see :meth:`HostSession.before_request`.
        :param arrived: called with the delivery once the host has got it.
        """
        made = host.before_request(fresh=fresh, texts=texts, sent=False, conversation=conversation)

        def confirm() -> None:
            if made.parts:
                host.sent(made)
                if arrived is not None:
                    arrived(made)

        return Answer(context(event, made.text, self.taken_news()), confirm)

    def silent(self, event: str) -> Answer:
        """Return the output of a hook that tells the model nothing: the news for the person."""
        return Answer(context(event, "", self.taken_news()))

    def taken_news(self) -> str:
        """Return what a person is yet to be told, and take it as told."""
        with self.lock:
            news, self._news[:] = " ".join(self._news), []
        return news

    def called(self, event: Record, tool: str, arguments: object) -> Answer:
        """Answer a call of the HUD's tool, by the model of the event's session."""
        if not session_id_in(event):
            return refused("no session is known here yet; send a message first")
        result = self.reader(event).call(tool, arguments, toolsets=_toolsets_of(tool))
        # What only a host can use is no content, which the model would read and pay for.
        host = {"ujsx": result.data} if asks_to_compact(result) else None
        text = f"{result.text}\n{self._compacts}" if host and self._compacts else result.text
        return _told(text, is_error=result.is_error, meta=host)


def _toolsets_of(tool: str) -> tuple[Toolset, ...]:
    """What answers a tool that is not the HUD's; it is loaded when it is first called."""
    if tool != MEMORY_TOOL:
        return ()
    from hud_runtime.history import MEMORY

    return (MEMORY,)


def refused(text: str) -> Answer:
    """Return the answer of a call that cannot be made."""
    return _told(text, is_error=True, meta=None)


def _told(text: str, *, is_error: bool, meta: object) -> Answer:
    told = {"text": text, "is_error": is_error, "meta": meta}
    return Answer(json.dumps(told, ensure_ascii=False, default=str))


@tried_again
def copy(store: Callable[[], HudStore[Any]], origin: str, name: str) -> None:
    """Begin a session as a copy of another one, with all its events, if it has not begun yet."""
    opened = store()
    if opened.version_of(name) or not opened.version_of(origin):
        return
    # All or nothing: half a copy would be a session that has begun.
    with opened.session(origin).exclusive():
        events = [
            each.model_copy(update={"session_id": name, "id": ""})
            for each in opened.events(origin, as_recorded=True)
        ]
        opened.import_events(name, events)
        opened.copy_outputs(origin, name)


def purge(store: Callable[[], HudStore[Any]], name: str) -> None:
    """Delete all that is kept of a session, if there is any."""
    opened = store()
    if opened.version_of(name):
        opened.purge(name)


# --- What a hook is given, and says ---


def context(event: str, text: str, news: str = "") -> str:
    """Return what a hook prints so that the model reads a text, and the user the news.

    >>> context("UserPromptSubmit", "# HUD")
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"# HUD"}}'
    >>> context("UserPromptSubmit", "")
    ''
    """
    said: dict[str, object] = {}
    if text:
        said["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": text}
    if news:
        said["systemMessage"] = news
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else ""


_UNFILLED = re.compile(r"\$\{[\w.]*\}")


def filled(value: object) -> str | None:
    """Return a text that a hook's template has filled in; None where there was nothing to fill in.

    >>> filled("${agent_id}"), filled(""), filled("a1")
    (None, None, 'a1')
    """
    if not isinstance(value, str) or not value or _UNFILLED.fullmatch(value):
        return None
    return value


def session_id_in(event: Record) -> str:
    """Return the id of the session that an event belongs to; empty where none is told."""
    return filled(event.get("session_id")) or ""


def record_of(given: bytes) -> Record:
    """Return the object that a hook is given; an empty one for anything else."""
    return mapping(json_of(given.decode("utf-8", "replace")))


def bound(kept: OrderedDict[Any, Any], most: int) -> None:
    """Drop the oldest beyond so many."""
    while len(kept) > most:
        kept.popitem(last=False)
