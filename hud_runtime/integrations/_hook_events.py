"""The answers to a host's hooks, by the host's row in the table."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hud_runtime.integrations import _hooked
from hud_runtime.integrations._host_session import HostSession, SessionBegan
from hud_runtime.integrations._sending import HostSettings, digest_of
from hud_runtime.integrations.bridge import Answer
from hud_runtime.observe import _observations as observed
from hud_runtime.observe import usage_in
from hud_runtime.observe._observations import Record, mapping, sequence, string, whole
from hud_runtime.observe._reader import limit_for
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.transcripts.formats._gemini import summary_in
from ujsx.tokens import estimate_tokens

if TYPE_CHECKING:
    from hud_runtime.context.compaction import CompactionPolicy
    from hud_runtime.context.delivery import Delivery

# A host's session file, read from one end: the last reading of the context, and the newest summary.

TAIL = 256 * 1024
"""Bytes that are read at the end of a session file, which grows by tens of thousands with each turn."""

HEAD = 64 * 1024
"""Bytes that are read at its beginning, which names the session that it is a copy of."""


SEARCHED = 16 * 1024 * 1024
"""Maximum bytes that are searched for a summary."""

LARGEST = 64 * 1024 * 1024
"""Maximum bytes of a file that is read as one object."""


def reading_in(
    records: Iterable[Record], places: _hooked.Readings | None, *, behind: object = None
) -> observed.ContextUsed | None:
    """Return the newest of records' readings, newest first; None if there is none since the last
    compaction.

    :param behind: the time of that compaction in the host's format, if no record has it: a host may write its
        file late.
    """
    if places is None:
        return None
    for record in records:
        if places.boundary and record.get("subtype") == places.boundary:
            return None
        model = string(field_at(record, places.model))
        usage = usage_in(mapping(field_at(record, places.usage)), places.dialects)
        if usage is not None and model != "<synthetic>":
            time = word(record, "timestamp")
            if isinstance(behind, str) and time and time <= behind:
                return None
            limit = whole(field_at(record, places.limit))
            return observed.ContextUsed(usage=usage, model=model, limit=limit)
    return None


def newest_summary(path: str, start: int) -> tuple[str, int]:
    """Return the first summary of the newest history in a file of Gemini's, and the end of its whole lines.

    :param start: the start of the search: the end of the last one. Of a new file, the last 16 MiB are read.
    """
    found = lines_of(Path(path), lambda size: max(start if start <= size else 0, size - SEARCHED))
    if found is None:
        return "", start
    told = (summary_in(mapping(observed.json_of(each))) for each in found.lines if b"$set" in each)
    return next(filter(None, reversed([*told])), ""), found.end


def file_of(host: _hooked.HookHost, name: str, session: str) -> Record:
    """Return the object in one of a session's files; an empty one if it cannot be read.

    :param name: the file, with the session's id as ``{0}``.
    """
    path = _hooked.settings_folder(host, None) / name.format(session)
    try:
        about = path.stat()
        return _read(path, about.st_mtime_ns, about.st_size) if about.st_size <= LARGEST else {}
    except (OSError, ValueError):  # no file, or an invalid name
        return {}


@lru_cache(maxsize=2)
def _read(path: Path, _changed_at: int, _size: int) -> Record:
    """The object in a file, cached by time and size: a hook reads the messages and the compaction repeatedly."""
    return mapping(observed.json_of(path.read_text("utf-8", "replace")))


def words_in(message: Record, tag: str) -> str:
    """Return a prompt's words within a tag; empty for any other message."""
    text = observed.prose(message.get("content")) if message.get("role") == "user" else ""
    if not text.startswith(f"<{tag}"):
        return ""
    return text.partition(">")[2].rpartition(f"</{tag}>")[0]


class WholeLines(NamedTuple):
    """The whole lines of a file from a position on."""

    lines: list[bytes]
    start: int
    """The start of the first line."""
    end: int
    """The end of the last line; the rest is still being written."""


def lines_of(path: Path, start: Callable[[int], int], most: int = -1) -> WholeLines | None:
    """Return the whole lines of a file that is written line by line; None if it cannot be read.

    :param start: returns the start position for a file size.
    :param most: the maximum bytes to read; -1 for all.
    """
    try:
        with path.open("rb") as file:
            place = file.seek(max(0, start(file.seek(0, 2))))
            data = file.read(most)
    except (OSError, ValueError):  # no file, or an invalid name
        return None
    lines, end, _ = data.rpartition(b"\n")
    return WholeLines(lines.split(b"\n") if end else [], place, place + len(lines) + len(end))


def records_in(path: str | None, *, at_end: bool = True) -> Iterator[Record]:
    """Yield the records at one end of a file, from that end, except those of subagents."""
    if not path:
        return
    most = TAIL if at_end else HEAD
    found = lines_of(Path(path), lambda size: size - TAIL if at_end else 0, most)
    lines = [] if found is None else found.lines
    for line in reversed(lines) if at_end else lines:
        record = mapping(observed.json_of(line))  # empty for a truncated line
        if record and record.get("isSidechain") is not True and not record.get("agentId"):
            yield record


LATE, LOOK = 0.3, 0.01
"""Seconds that are waited for a message in a file at most, and between two looks into it."""


def await_calls(path: str, event: Record) -> None:
    """Wait until a session's file has the message with the calls that an event tells of, or what follows it.

    A busy host writes its file late, and the reading in that message tells that it compacts right behind the hook.
    """
    calls = (word(mapping(each), "tool_use_id") for each in sequence(event.get("tool_calls")))
    call, end = next(filter(None, calls), None), time.monotonic() + LATE
    wanted = json.dumps(call).encode()
    while call and (found := lines_of(Path(path), lambda size: size - TAIL)):
        if any(wanted in line for line in found.lines) or time.monotonic() > end:
            return
        time.sleep(LOOK)


JOINED = 1_000
"""Maximum calls of the HUD's tool whose session is remembered until the server's request."""

MOST_EQUAL = 16
"""Maximum equal calls among these."""

GUIDANCE = """\
The agent's HUD (its task, decisions, plan, notes, blockers, open files and errors) is kept outside the
conversation, and given again in full behind the summary. Do not repeat it: say what it does not hold.
Keep what the user asked for or ruled out and still holds, what was found out that the code does not tell at a
glance, what is under way, and exact names, paths and numbers."""
"""The addition to the prompt for a summary. It is repeated in the history, so it is short."""

FORESEEN = "foreseen"
"""The key of the session's note that the whole HUD was delivered ahead of a compaction."""

RETELLS = "retells"
"""The key of the session's note that the next prompt delivers the whole HUD, as the history has changed."""

CUT = "cut"
"""The key of the session's newest compaction time, in the host's format."""

PLACE = "place"
"""The key of the position up to which the session's file was searched for a compaction."""


class CallOwner(NamedTuple):
    """The session, and the subagent in it, that makes a call."""

    session_id: str
    agent_id: str | None
    call: str = ""


PARENT = "parent_agent_id"
"""The field with the parent of the event's agent, if a host reports it."""

TEXTS = ("response_parts", "llmContent", "text_result_for_llm")
"""The members of a result that the model reads, by hosts' names."""


class HookedHost:
    """Answers the hooks of a host, for all its sessions of a store.

    :param store: opens the store; retried after a failure.
    :param host: the host's row.
    :param policy: how to request a summary.
    :param look: the layout and the words of its sessions.

    >>> import json
    >>> from hud_runtime.integrations._hooked import QWEN_CODE
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     qwen = HookedHost(lambda: store, QWEN_CODE)
    ...     event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
    ...     "Add a login." in qwen.hook(json.dumps(event).encode()).text
    True
    """

    def __init__(
        self,
        store: Callable[[], HudStore[Any]],
        host: _hooked.HookHost,
        *,
        policy: CompactionPolicy | None = None,
        look: GivenLook = NO_LOOK,
    ) -> None:
        self._host = host
        settings = HostSettings(
            longest=host.longest,
            size=bytes_of if host.in_bytes else len,
            prune=True,
            policy=policy,
            layout=look.layout,
            words=look.words,
        )
        self._sessions = _hooked.HookedSessions(
            store, settings, member=host.member, compacts=host.compacts
        )
        self._lock = self._sessions.lock
        self._owners: OrderedDict[str, list[CallOwner]] = OrderedDict()
        """The owners of an imminent call, by its key; of equal calls, the newest one is last."""
        self._roots: OrderedDict[str, str] = OrderedDict()
        """The session of each subagent; its own subagents' events name the subagent alone."""
        self._servers: OrderedDict[str, str] = OrderedDict()
        """The server of each session's last call."""

    def hook(self, given: bytes) -> Answer:
        """Answer a hook, given its standard input, or its filled template."""
        event = self._common(_hooked.record_of(given))
        known = self._host.events.get(string(event.get("hook_event_name")) or "")
        if known is None or not _hooked.session_id_in(event) or not self._is_ours(event):
            return Answer()
        answer: Callable[[Record], Answer] = getattr(self, f"_{known.means}")
        return answer(self._rooted(event))

    def _rooted(self, event: Record) -> Record:
        """The event in the root session, if the agent's parent is a subagent."""
        agent, session = _hooked.filled(event.get("agent_id")), _hooked.session_id_in(event)
        with self._lock:
            root = self._roots.get(session, session)
            if agent is not None:
                self._roots[agent] = root
                _hooked.bound(self._roots, JOINED)
        return {**event, "session_id": root}

    def call(self, given: bytes) -> Answer:
        """Answer a call of the HUD's tool: ``{"tool", "arguments", "session_id", …}``.

        The hook before the call has named its owner. A call that a person then refuses leaves its owner
        behind. So of several owners, one whose calls this server has made comes first, and then the newest.
        """
        asked = _hooked.record_of(given)
        tool, arguments = word(asked, "tool") or "hud", asked.get("arguments")
        owner = self._caller(asked, tool, arguments)
        event = {
            "cwd": asked.get("cwd"),
            "session_id": owner.session_id,
            "agent_id": owner.agent_id,
        }
        return self._sessions.called(event, tool, arguments)

    def _owner_of(self, key: str, server: str) -> CallOwner | None:
        """Remove and return the owner of a call.

        :param server: the server's process, each of which belongs to one process of the host; empty if
            unknown.
        """

        def rank(owner: CallOwner) -> tuple[bool, bool]:
            known = self._servers.get(owner.session_id)
            return known == server, known is None

        with self._lock:
            owners = self._owners.get(key, [])
            owner = max(reversed(owners), key=rank, default=None)
            if owner is not None:
                owners.remove(owner)
                self._servers[owner.session_id] = server
                _hooked.bound(self._servers, _hooked.KEPT)
            if not owners:
                self._owners.pop(key, None)
            return owner

    # --- Events ---

    def _began(self, event: Record) -> Answer:
        source = _hooked.SOURCES.get(word(event, "source"), "startup")
        if source != "compact":  # it has an event of its own
            keep = {RETELLS: True} if source != "startup" else None
            self._sessions.of(event).observe(SessionBegan(source=source), keep=keep)
        return self._silent(event)  # a prompt comes first

    def _ended(self, event: Record) -> Answer:
        self._sessions.end(event)
        return Answer()

    def _prompted(self, event: Record) -> Answer:
        prompt = word(event, "submitted_prompt") or word(event, "prompt")
        if not prompt.strip():  # the host continues on its own, and does not store this hook's text
            return Answer()
        return self._asked(event, prompt)

    def _asked(self, event: Record, prompt: str) -> Answer:
        said = observed.UserMessage(text=prompt)
        return self._answered(event, prompt, lambda reading: filter(None, (reading, said)))

    def _calls_hud(self, event: Record) -> Answer:
        name, prefix = word(event, "tool_name"), self._host.tool_prefix
        if self._host.hook_files and not name.startswith(prefix):  # such a hook has no matcher
            return Answer()
        tool = name.removeprefix(prefix)
        key = self._key_of(event, tool, event.get("tool_input"))
        call = word(event, "tool_use_id") or word(event, "timestamp")
        owner = CallOwner(_hooked.session_id_in(event), _hooked.filled(event.get("agent_id")), call)
        with self._lock:
            owners = self._owners.setdefault(key, []) if key else [owner]
            if owner not in owners:  # an event may be retried
                owners.append(owner)
            del owners[:-MOST_EQUAL]
            _hooked.bound(self._owners, JOINED)
        return Answer()

    def _worked(self, event: Record) -> Answer:
        done = [*self._done(event)]
        news = "".join(each.text for each in done if isinstance(each, observed.ToolAnswer))
        return self._answered(
            event, news, lambda reading: (self._message_of(event, reading), *done)
        )

    def _compacts(self, event: Record) -> Answer:
        host = self._sessions.of(event)
        guidance = host.policy.guidance(GUIDANCE)[: self._host.guidance]
        return Answer(_hooked.context(word(event, "hook_event_name"), guidance))

    def _compacted(self, event: Record) -> Answer:
        summary = word(event, "compact_summary")
        keep = {FORESEEN: False, CUT: word(event, "timestamp")}
        self._sessions.reader(event).observe(observed.Compacted(summary=summary), keep=keep)
        return Answer()

    def _said(self, event: Record) -> Answer:
        """Record the agent's words at the end of its work: the user answers them."""
        said = _hooked.filled(event.get("last_assistant_message"))
        if said is not None and _hooked.filled(event.get("agent_id")) is None:
            self._sessions.of(event).observe(observed.AgentMessage(text=said))
        return Answer()

    def _subagent_began(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        host.observe(SessionBegan())
        if not self._host.subagents_read:  # the subagent reads all of it with its first results
            return self._silent(event)
        return self._delivered(event, host, fresh=True)

    # --- The parts that a host may have of its own ---

    def _caller(self, asked: Record, tool: str, arguments: object) -> CallOwner:
        """The owner of a call of the HUD's tool."""
        owner = self._owner_of(self._key_of(asked, tool, arguments), str(asked.get("server", "")))
        return owner or CallOwner(word(asked, "session_id"), _hooked.filled(asked.get("agent_id")))

    def _common(self, told: Record) -> Record:
        """The event with the common field names."""
        found = ((name, field_at(told, place)) for place, name in self._host.fields.items())
        event = {**told, **{name: value for name, value in found if value is not None}}
        # An agent without a parent is the session's own.
        is_own = PARENT in told and told[PARENT] is None
        return {**event, "agent_id": None} if is_own else event

    def _is_ours(self, _event: Record) -> bool:
        """Whether this bridge answers the event."""
        return True

    def _key_of(self, told: Record, tool: str, arguments: object) -> str:
        """The key of a call of the HUD's tool, the same for the hook before it: the tool and its arguments."""
        return json.dumps([tool, arguments], sort_keys=True)

    def _done(self, event: Record) -> Iterator[observed.AnyObservation]:
        """The calls of a step with their results: one, or several in a list.

        A result is an object with a text, a text, or a list with a part for each command or file.
        """
        from hud_runtime.transcripts.formats._gemini import called

        for call in map(mapping, sequence(event.get("tool_calls")) or [event]):
            given = call.get("tool_response")
            answer, parts = mapping(given), [*map(mapping, sequence(given))]
            error = answer.get("error", call.get("error"))
            texts = [
                string(each.get("error")) or observed.prose(each.get("result")) for each in parts
            ]
            text = error or string(given) or "\n".join(filter(None, texts))
            told = next((answer[name] for name in TEXTS if name in answer), text)
            is_failed = error or any(each.get("success") is False for each in parts)
            failed = "error" if is_failed else "success"
            if not word(call, "tool_name").startswith(self._host.tool_prefix):
                yield from called(
                    {
                        "name": call.get("tool_name"),
                        "args": call.get("tool_input"),
                        "id": call.get("tool_use_id"),
                        "status": call.get("status", failed),
                        "result": told if observed.is_list(told) else [{"text": told}],
                    }
                )

    # --- Readings ---

    def _reading(self, event: Record, host: HostSession) -> observed.ContextUsed | None:
        """The newest reading of the context, if it is new: the host writes its file late, and each event reads it."""
        is_subagent = _hooked.filled(event.get("agent_id")) is not None
        if is_subagent or self._host.readings is None:
            return None  # a subagent's messages are in a file that no hook names
        return news_in(host, self._newest_reading(event, host))

    def _newest_reading(self, event: Record, host: HostSession) -> observed.ContextUsed | None:
        """The newest reading after the newest compaction."""
        path, place = _hooked.filled(event.get("transcript_path")), self._host.session_file
        cut = host.kept(CUT)
        if self._host.files is not None:
            return reading_in(reversed(self._messages(event)), self._host.readings, behind=cut)
        if path is None and place:
            path = str(
                _hooked.settings_folder(self._host, None)
                / place.format(_hooked.session_id_in(event))
            )
        if path is not None and self._host.compacts_at is not None:
            await_calls(path, event)
        return reading_in(records_in(path), self._host.readings, behind=cut)

    def _message_of(
        self, event: Record, reading: observed.ContextUsed | None
    ) -> observed.AgentMessage:
        """The message of the model that called tools, with its reading."""
        seen, directory = reading or observed.ContextUsed(), _hooked.filled(event.get("cwd"))
        return observed.AgentMessage(
            usage=seen.usage, model=seen.model, limit=seen.limit, directory=directory
        )

    def _answered(
        self,
        event: Record,
        news: str,
        seen: Callable[[observed.ContextUsed | None], Iterable[observed.AnyObservation]],
    ) -> Answer:
        """The answer to an event, all of whose observations are processed at once.

        :param news: the text that enters the context in addition to the hook's.
        :param seen: returns the event's observations, given the reading of the context.
        """
        host = self._sessions.reader(event)
        in_file, keep = self._in_file(event, host)
        is_cut = any(isinstance(each, observed.Compacted) for each in in_file)
        reading = None if is_cut else self._reading(event, host)
        is_foreseen = self._overflows(reading, news) and not host.kept(FORESEEN)
        is_undone = any(isinstance(each, observed.Undone) for each in in_file)
        if is_foreseen:
            # With such a reading the HUD would be shorter, but the context will be emptied soon.
            reading, keep = None, {**keep, FORESEEN: True}
        host.observe(*in_file, *seen(reading), keep=keep)
        return self._delivered(event, host, fresh=is_foreseen or is_undone)

    def _overflows(self, reading: observed.ContextUsed | None, news: str) -> bool:
        """Whether the host compacts right after this hook, and keeps its text."""
        at = self._host.compacts_at
        if at is None or reading is None or reading.usage is None:
            return False
        size = reading.usage.total
        limit = reading.limit or limit_for(reading.model, size)
        least = None if limit is None else min(at[0] * limit, limit - at[1])
        return least is not None and size + estimate_tokens(news) >= least

    def _messages(self, event: Record) -> Sequence[Record]:
        """The messages in the session's file; none for a subagent, which has no file."""
        files = self._host.files
        if files is None or _hooked.filled(event.get("agent_id")) is not None:
            return ()
        found = file_of(self._host, files.messages, _hooked.session_id_in(event))
        return [*map(mapping, sequence(found.get("messages")))]

    def _in_file(
        self, event: Record, host: HostSession
    ) -> tuple[tuple[observed.AnyObservation, ...], dict[str, object]]:
        """New compactions and prompts in the session's files, for a host without such events, and the
        note of the position.
        """
        messages = self._messages(event)
        if self._host.files is None or not messages:
            return self._compaction(event, host)
        known, files = mapping(host.kept(PLACE)), self._host.files
        told = {word(each, "id"): words_in(each, files.prompt) for each in messages}
        prompts = {name: words for name, words in told.items() if words}
        names, cut = [*prompts], file_of(self._host, files.compaction, _hooked.session_id_in(event))
        is_there = known.get("prompt") in prompts
        new = names[names.index(str(known["prompt"])) + 1 :] if is_there else names[-1:]
        seen: list[observed.AnyObservation] = [
            observed.UserMessage(text=prompts[name]) for name in new
        ]
        now = {"prompt": names[-1] if names else "", "cut": cut.get(files.boundary)}
        now["run"] = word(event, "run")
        keep: dict[str, object] = {PLACE: now}
        if known and now["run"] != known.get("run"):  # the session continues in another process
            keep[RETELLS] = True
        if known and now["cut"] != known.get("cut"):
            left = (field_at(each, files.summary) for each in sequence(cut.get("messages")))
            seen.insert(0, observed.Compacted(summary=next(filter(None, map(string, left)), "")))
        return (*seen,), keep

    def _compaction(
        self, event: Record, host: HostSession
    ) -> tuple[tuple[observed.Compacted, ...], dict[str, object]]:
        """A new compaction in the session's file of lines, for a host without such an event, and the note
        of the position.
        """
        path = _hooked.filled(event.get("transcript_path"))
        if path is None or not self._host.compacts_in_file:
            return (), {}
        known = mapping(host.kept(PLACE))
        is_first = known.get("path") != path
        before = "" if is_first else word(known, "summary")
        summary, end = newest_summary(path, 0 if is_first else whole(known.get("end")))
        now = digest_of(summary) if summary else before
        keep: dict[str, object] = {PLACE: {"path": path, "end": end, "summary": now}}
        if is_first or now == before:  # the host rewrites it with each change of its history
            return (), keep
        return (observed.Compacted(summary=summary),), {**keep, FORESEEN: False}

    # --- What the model is told ---

    def _delivered(self, event: Record, host: HostSession, *, fresh: bool = False) -> Answer:
        retells = _hooked.filled(event.get("agent_id")) is None and bool(host.kept(RETELLS))

        def arrived(_made: Delivery) -> None:
            if retells:
                host.observe(keep={RETELLS: False})

        name = word(event, "hook_event_name")
        return self._sessions.delivered(name, host, fresh=fresh or retells, arrived=arrived)

    def _silent(self, event: Record) -> Answer:
        return self._sessions.silent(word(event, "hook_event_name"))


def field_at(told: object, place: str) -> object:
    """Return the value at a dotted path of names and numbers; None for nothing.

    >>> field_at({"roots": ["/shop"]}, "roots.0")
    '/shop'
    """
    for name in place.split("."):
        items = sequence(told)
        told = (
            mapping(told).get(name) if not name.isdigit() else next(iter(items[int(name) :]), None)
        )
    return told


def news_in(host: HostSession, reading: observed.ContextUsed | None) -> observed.ContextUsed | None:
    """Return a reading, with the context's size if known; None if it repeats the last reading."""
    session = host.opened
    known = None if session is None else session.known.usage
    if reading is None or known is None:
        return reading
    if reading.model in (None, known.model):
        reading = replace(reading, limit=reading.limit or known.limit)
    used = reading.used if reading.usage is None else reading.usage.total
    last = (known.used, known.model, known.limit)
    return None if (used, reading.model, reading.limit) == last else reading


def bytes_of(text: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def word(event: Record, name: str) -> str:
    """Return the text in an event's field; empty for none."""
    return string(event.get(name)) or ""
