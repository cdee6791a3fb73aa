"""Claude Code: its hooks, and their answers.

In: a hook's standard input. Out: its standard output. The hooks are entries of Claude Code's settings, which
:func:`install` adds and :func:`uninstall` removes.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hud_components import THRESHOLDS, State
from hud_components.levels import Thresholds
from hud_runtime._errors import InstallError
from hud_runtime.context.delivery import Delivery, RequestMessage
from hud_runtime.integrations import _hook_events, _hooked
from hud_runtime.integrations._host_session import HostObservation, HostSession, SessionBegan
from hud_runtime.integrations._installing import HookInstaller, sockets_in
from hud_runtime.integrations._settings_file import read_file
from hud_runtime.integrations.bridge import Answer
from hud_runtime.observe import _observations as observed
from hud_runtime.observe import usage_in
from hud_runtime.observe._observations import Record, mapping, sequence, string, whole
from hud_runtime.observe.messages import MessagePart, parts_of, read_message
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.transcripts.formats import DECISION, answers_in, is_not_run
from ujsx.on_demand import on_demand
from ujsx.text import visible

if TYPE_CHECKING:
    from hud_runtime.context.compaction import CompactionPolicy

__all__ = ["ClaudeCode", "install", "programs", "uninstall"]

on_demand(globals())


# The messages of Claude Code's next request, and our texts among them.
#
# A session file has a line for each message, with the id of its parent. A rewind leaves its
# messages in the file, on a branch of their own, and a compaction begins a new chain. A hook's text
# is an attachment on the chain, written shortly after the hook has ended.

LARGEST = 16 * 1024 * 1024
"""Maximum bytes that are read of a new file. Older texts count as missing."""

SETTLED = 2_000
"""Milliseconds after which the file has an answer, and the status line shows it."""

SHOWN = 1024 * 1024
"""Maximum bytes of stored messages with tool calls and results, newest first; fewer are searched."""

BOUNDARY = "compact_boundary"
"""The subtype of the line at which a compaction begins a new chain."""

MOST_MISSES = 2
"""Maximum consecutive deliveries of a text that the file lacks: after these the host's format counts as unknown."""


class _Message(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b"")
    model: str | None = None
    usage: dict[str, Any] | None = None


class _Attachment(msgspec.Struct):
    type: str = ""
    content: Any = None


class _Line(msgspec.Struct):
    uuid: str
    type: str = ""
    subtype: str | None = None
    parent: str | None = msgspec.field(default=None, name="parentUuid")
    timestamp: str | None = None
    is_subagents: bool = msgspec.field(default=False, name="isSidechain")
    message: _Message | None = None
    attachment: _Attachment | None = None
    decision: Any = msgspec.field(default=None, name=DECISION)


class FileMessage(NamedTuple):
    """A message of the file."""

    parent: str | None
    words: tuple[str, ...] = ()
    """The texts that hooks added."""
    answered: int | None = None
    """The time of the model's answer, in milliseconds since the epoch; None for other messages."""
    tokens: int | None = None
    """The size of the context including it, for an answer."""
    said: str = ""
    """The words of the user, the model or the summary in it."""
    tools: bytes = b""
    """The content with tool calls or their results, as JSON, for the newest messages."""
    decision: object = None
    """The host's decision about the call, for a result."""


class MessageChain:
    """The chain of messages at the end of a session file, which is read incrementally. Thread-safe.

    :param path: the file; it may not be there yet.
    :param is_subagents: whether it is a subagent's file.
    """

    def __init__(self, path: Path, *, is_subagents: bool = False) -> None:
        self.path = path
        self._is_subagents = is_subagents
        self._lock = threading.Lock()
        self._restart()

    def _restart(self) -> None:
        self._place = 0
        self._size_read = -1
        """The file's size at the last read."""
        self._reading: observed.ContextUsed | None = None
        self._entries: dict[str, FileMessage] = {}
        self._last: str | None = None
        self._seen: str | None = None
        """The newest message at the last call of :meth:`texts`."""
        self._told: list[tuple[int, str]] = []
        """Texts that are not in the file yet, each with the time of its delivery."""
        self._heard: list[tuple[int, str]] = []
        """Words of the request that are not in the file yet, each with their time."""
        self._misses = 0
        self._rewound_to: str | None = None
        self._kept: deque[tuple[str, int]] = deque()
        """The messages whose content with calls and results is stored, and the bytes of each."""
        self._size = 0

    def told(self, text: str) -> None:
        """Note that the host got a text for its next request."""
        with self._lock:
            self._told.append((_now(), text))

    def heard(self, text: str) -> None:
        """Note words of the next request: a prompt, or the host's summary."""
        with self._lock:
            self._heard.append((_now(), text))

    def branches(self) -> None:
        """Note that the next request continues from messages that the file may not show yet."""
        with self._lock:
            self._heard = []

    def conversation(self, *, newest: bool = False) -> Iterator[RequestMessage]:
        """Yield the messages of the next request, oldest first, including those that are not in the file
        yet.

        :param newest: whether to yield only words that are not in the file yet, which may show another
            branch.
        """
        with self._lock:
            self._read_on()
            entries = () if newest else (each for _, each in self._chain())
            chain = [each for each in entries if each.said or each.tools][::-1]
            # Words from before an answer are in the chain before it, or the model does not read
            # them.
            answered = max((each.answered or 0 for each in chain), default=0)
            self._heard = [each for each in self._heard if each[0] >= answered]
            heard = [text for _, text in self._heard]
        for each in chain:
            yield RequestMessage(each.said, each.answered is not None, texts_shown(each.tools))
        yield from map(RequestMessage, heard)

    def answers(self, calls: Collection[str]) -> dict[str, observed.ToolAnswer]:
        """Return the answers of calls that are among the newest messages, by the calls' ids."""
        found: dict[str, observed.ToolAnswer] = {}
        with self._lock:
            self._read_on()
            newest = [self._entries[name] for name, _ in reversed(self._kept)]
        for each in newest:
            if len(found) == len(calls):
                break
            if any(call.encode() in each.tools for call in calls):
                answers = answers_in(_parts_in(each.tools), {DECISION: each.decision})
                found.update((one.call_id or "", one) for one in answers if one.call_id in calls)
        return found

    def texts(self) -> tuple[str, ...] | None:
        """Return the hook texts in the next request; None if no delivered text is missing."""
        with self._lock:
            self._read_on()
            new: list[FileMessage] = []
            goes_on = False
            for name, entry in self._chain():
                goes_on = name == self._seen
                if goes_on:
                    break
                new.append(entry)
            answered = max((each.answered or 0 for each in new), default=0)
            words = [each for entry in new for each in entry.words]
            if not goes_on and not answered:
                return None
            self._seen = self._last
            # A text delivered before an answer is in the chain before it, or the model does not
            # read it.
            unseen = [
                each for each in self._told if not any(each[1].strip() in one for one in words)
            ]
            if len(unseen) < len(self._told):
                self._misses = 0
            missing = [each for each in unseen if each[0] < answered]
            self._misses += bool(missing)
            self._told = [each for each in unseen if each[0] >= answered]
            if (goes_on and not missing) or self._misses > MOST_MISSES:
                return None
            stand = [each for _, entry in self._chain() for each in reversed(entry.words)]
            return (*reversed(stand), *(text for _, text in self._told))

    def reading(self) -> observed.ContextUsed | None:
        """Return the reading of the last request; None if there was none since the last compaction."""
        with self._lock:
            self._read_on()
            return self._reading

    def is_rewound(self, tokens: int | None) -> bool:
        """Return whether the host has rewound to an earlier message, by its current context size.

        True once for each rewind, which the file does not show before the next answer.

        :param tokens: the size; None for an empty context.
        """
        with self._lock:
            self._read_on()
            answers = ((name, each) for name, each in self._chain() if each.tokens is not None)
            _, newest = next(answers, (None, None))
            if newest is None or newest.tokens == tokens:
                return False
            if (newest.answered or 0) > _now() - SETTLED:
                return False
            found = next((name for name, each in answers if each.tokens == tokens), "")
            if not found and tokens is not None:
                return False
            is_news, self._rewound_to = self._rewound_to != found, found
            self._heard = [] if is_news else self._heard
            return is_news

    def _chain(self) -> Iterator[tuple[str, FileMessage]]:
        """Yield the chain from the last message back to the first."""
        name = self._last
        for _ in range(len(self._entries)):
            entry = self._entries.get(name or "")
            if name is None or entry is None:
                return
            yield name, entry
            name = entry.parent

    def _read_on(self) -> None:
        try:
            size = self.path.stat().st_size
        except OSError:
            return
        if size == self._size_read:
            return  # further reads within one event would repeat it
        found = _hook_events.lines_of(self.path, self._start)
        if found is None:
            return
        self._size_read, self._place = size, found.end
        for line in found.lines:
            if b'"uuid"' in line:
                self._add(line)

    def _start(self, size: int) -> int:
        """The position from which a file of this size is read."""
        if size < self._place:
            self._restart()
        return self._place if self._entries else max(self._place, size - LARGEST)

    def _add(self, data: bytes) -> None:
        try:
            line = msgspec.json.decode(data, type=_Line)
        except msgspec.MsgspecError:  # a truncated line, or one of another kind
            return
        if line.is_subagents and not self._is_subagents:
            return
        words: tuple[str, ...] = ()
        answered = tokens = None
        said, tools = "", b""
        if line.attachment is not None and line.attachment.type == "hook_additional_context":
            words = tuple(map(str, sequence(line.attachment.content)))
        elif line.type in ("user", "assistant") and line.message is not None:
            content = bytes(line.message.content)
            said = words_said(content, line.decision)
            tools = content if b'"tool_use' in content or b'"tool_result"' in content else b""
        if line.type == "assistant" and line.message is not None:
            self._rewound_to = None
            answered = observed.milliseconds(line.timestamp)
            usage = usage_in(mapping(line.message.usage))
            if usage is not None and line.message.model != "<synthetic>":
                tokens = usage.total
                self._reading = observed.ContextUsed(usage=usage, model=line.message.model)
        elif line.subtype == BOUNDARY:
            self._reading = None
        self._entries[line.uuid] = FileMessage(
            line.parent, words, answered, tokens, said, tools, line.decision
        )
        self._last = line.uuid
        if tools:
            self._keep(line.uuid, len(tools))

    def _keep(self, name: str, size: int) -> None:
        """Store the calls and results of the newest messages alone."""
        self._kept.append((name, size))
        self._size += size
        while len(self._kept) > 1 and self._size > SHOWN:
            old, size = self._kept.popleft()
            self._size -= size
            self._entries[old] = self._entries[old]._replace(tools=b"")


def words_said(content: bytes, decision: object = None) -> str:
    """The words in a message: its text, or that of its blocks, with the user's in a refusal, without tool outputs.

    :param decision: the host's decision about the call, for a result.
    """
    if content[:1] != b'"' and b'"text"' not in content and b"the user said:" not in content:
        return ""
    parts = _parts_in(content)
    wishes = [each.wish for each in answers_in(parts, {DECISION: decision})]
    return "\n".join(filter(None, (*(each.text for each in parts if each.kind == "text"), *wishes)))


def texts_shown(tools: bytes) -> str:
    """The texts of calls, or of their results, in a message's content."""
    shown = (each.text for each in _parts_in(tools) if each.kind in ("call", "result"))
    return "\n".join(filter(None, shown))


def _parts_in(content: bytes) -> Sequence[MessagePart]:
    try:
        return read_message({"content": msgspec.json.decode(content)}).parts if content else ()
    except msgspec.DecodeError:
        return ()


def _now() -> int:
    return time.time_ns() // 1_000_000


# The choice between two HUDs for an event, if one is installed for all projects and another for one
# project.

KNOWN = 1_000
"""Maximum sessions whose choice is remembered."""


class Scope:
    """The sessions whose hooks a bridge answers: all, except those of projects with a HUD of their own.

    The host runs the hooks of both; of equal ones it runs one. So the bridge for all projects yields.

    :param socket: the bridge's, which its hooks name.

    >>> Scope(Path("b.sock")).has("s", "/nowhere")
    True
    """

    def __init__(self, socket: Path) -> None:
        self._socket = str(socket)
        self._known: OrderedDict[str, bool] = OrderedDict()

    def has(self, session: str, folder: str | None) -> bool:
        """Return whether to answer a session's hooks. The first event decides, wherever its agent goes
        then.

        :param folder: the agent's working folder.
        """
        if session not in self._known:
            self._known[session] = folder is None or self._is_ours(Path(folder))
            _hooked.bound(self._known, KNOWN)
        return self._known[session]

    def _is_ours(self, folder: Path) -> bool:
        for each in (folder, *folder.parents):
            try:
                text = read_file(each / _hooked.CLAUDE_CODE.project_hooks)
            except (OSError, InstallError):
                continue
            named = sockets_in(text or "")
            if named:
                return self._socket in named
        return True


# The origin of a copied session, according to session files.

BESIDE = 200
"""Maximum session files of a folder that are searched for the origin of a copy."""


def origin_of(path: str | None, session_id: str) -> str | None:
    """Return the session of which a session file is a copy, if it is one."""
    for record in _hook_events.records_in(path, at_end=False):
        forked = string(mapping(record.get("forkedFrom")).get("sessionId"))
        named = forked or string(record.get("requestSessionId") or record.get("sessionId"))
        if named is not None and named != session_id:
            return named
    return None


def origin_beside(path: str | None, tokens: int | None, seconds: int | None) -> str | None:
    """Return the origin of a copied session that has no file yet.

    It is the session in the same folder with the copy's context size at its last answer; of several, the one
    whose file is as old as that answer.

    :param tokens: the size of the copy's context; if it is None, the origin is not found.
    :param seconds: the age of the last answer.
    """
    if not path or not tokens:
        return None
    ages: list[tuple[float, Path]] = []
    for each in Path(path).parent.glob("*.jsonl"):
        with suppress(OSError):
            ages.append((abs(time.time() - each.stat().st_mtime - (seconds or 0)), each))
    for _, each in sorted(ages)[:BESIDE]:
        reading = _hook_events.reading_in(
            _hook_events.records_in(str(each)), _hooked.CLAUDE_CODE.readings
        )
        if reading is not None and reading.usage and reading.usage.total == tokens:
            return each.stem
    return None


def subagents_file(path: Path, agent: str) -> Path:
    """Return the file of a subagent's messages, next to its session's.

    >>> subagents_file(Path("p/s.jsonl"), "a1").as_posix()
    'p/s/subagents/agent-a1.jsonl'
    """
    return path.with_suffix("") / "subagents" / f"agent-{Path(agent).name}.jsonl"


# The meaning of Claude Code's events, and the answers to them.

FAILED = "failed"
"""The key of a session's failed calls: their ids, until their step is over."""

MOST_FAILED = 64

SUMMARY = "summary"
"""The key of the summarizer's words, until the session continues with the summary."""


class ClaudeCode(_hook_events.HookedHost):
    """Answers the hooks of Claude Code, for all its sessions of a store.

    :param store: opens the store; retried after a failure.
    :param policy: how to request a summary.
    :param socket: the bridge's socket, if a bridge answers: then sessions of projects with a HUD of their own
        are ignored.
    :param look: the layout and the words of its sessions.

    >>> import json
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     claude = ClaudeCode(lambda: store)
    ...     event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
    ...     "Add a login." in claude.hook(json.dumps(event).encode()).text
    True
    """

    def __init__(
        self,
        store: Callable[[], HudStore[Any]],
        *,
        policy: CompactionPolicy | None = None,
        socket: Path | None = None,
        look: GivenLook = NO_LOOK,
    ) -> None:
        super().__init__(store, _hooked.CLAUDE_CODE, policy=policy, look=look)
        self._scope = None if socket is None else Scope(socket)
        self._histories: OrderedDict[str, MessageChain] = OrderedDict()

    def _is_ours(self, event: Record) -> bool:
        return self._scope is None or self._scope.has(
            _hooked.session_id_in(event), _hooked.filled(event.get("cwd"))
        )

    def _key_of(self, told: Record, tool: str, arguments: object) -> str:
        return _hooked.filled(told.get("tool_use_id")) or ""

    def status(self, given: bytes) -> Answer:
        """Answer the status line's command, which alone receives the size of the context."""
        told = _hooked.record_of(given)
        if not _hooked.session_id_in(told):
            return Answer()
        host = self._sessions.of(told)
        window = mapping(told.get("context_window"))
        model = string(mapping(told.get("model")).get("id"))
        usage = usage_in(mapping(window.get("current_usage")))
        limit = whole(window.get("context_window_size"))
        reading = observed.ContextUsed(usage=usage, model=model, limit=limit)
        seen = _hook_events.news_in(host, reading if limit and usage is not None else None)
        # No hook reports a rewind, and the file shows it only after the next request.
        history = self._history(told) if window else None
        is_rewound = history and history.is_rewound(None if usage is None else usage.total)
        keep = {_hook_events.RETELLS: True} if is_rewound else None
        if seen or keep:
            host.observe(*filter(None, (seen,)), keep=keep)
        session = host.opened
        return Answer(
            "" if session is None else f"{status_of(session.known, session.thresholds)}\n"
        )

    # --- Events ---

    def _began(self, event: Record) -> Answer:
        source = _hooked.SOURCES.get(string(event.get("source")) or "", "startup")
        path, name = string(event.get("transcript_path")), _hooked.session_id_in(event)
        keep: dict[str, object] = {}
        if source == "fork":
            origin = origin_of(path, name) or origin_beside(
                path,
                whole(event.get("context_tokens")),
                whole(event.get("seconds_since_last_response")),
            )
            if origin is not None:
                self._sessions.copy(origin, name)
        host = self._sessions.of(event)
        seen: list[HostObservation] = [SessionBegan(source=source)]
        summary = string(host.kept(SUMMARY)) or ""
        if source == "compact":
            seen.append(observed.Compacted(summary=summary))
            keep[SUMMARY] = ""
        elif source != "startup":
            keep[_hook_events.RETELLS] = True
        used = whole(event.get("context_tokens"))
        reading = _hook_events.news_in(host, observed.ContextUsed(used=used) if used else None)
        host.observe(*seen, *filter(None, (reading,)), keep=keep)
        history = self._history(event)
        if history is not None:
            history.branches()
            if source == "compact":
                history.heard(summary)
        if source != "compact":  # a prompt comes first, and some starts drop a hook's text
            return self._silent(event)
        return self._delivered(event, host, fresh=True)

    def _prompted(self, event: Record) -> Answer:
        prompt = string(event.get("prompt")) or ""
        history = self._history(event)
        if history is not None:
            history.heard(prompt)
        return self._asked(event, prompt)

    def _used(self, event: Record) -> Answer:
        """A pruned tool output in the tool's own form; empty if it is unchanged."""
        tool, given, told = (
            event.get(name) for name in ("tool_name", "tool_input", "tool_response")
        )
        given, told = (
            observed.json_of(each) if isinstance(each, str) else each for each in (given, told)
        )
        made = _hooked.pruned_answer(
            self._sessions.reader(event), string(tool) or "", given, mapping(told)
        )
        if made is None:
            return Answer()
        said = {"hookEventName": "PostToolUse", "updatedToolOutput": made}
        text = json.dumps({"hookSpecificOutput": said}, ensure_ascii=False, separators=(",", ":"))
        return Answer(text)

    def _call_failed(self, event: Record) -> Answer:
        call = _hooked.filled(event.get("tool_use_id"))
        if call is not None:
            host = self._sessions.reader(event)
            with host.undisturbed():
                failed = [*sequence(host.kept(FAILED)), call][-MOST_FAILED:]
                host.observe(keep={FAILED: failed})
        return Answer()

    def _worked(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        message = self._message_of(event, self._reading(event, host))
        recorded = _recorded(event, self._history(event))
        with host.undisturbed():
            failed = frozenset(map(str, sequence(host.kept(FAILED))))
            done = [*_done(event, failed, recorded)]
            left = failed.difference(
                each.call_id or "" for each in done if isinstance(each, observed.ToolAnswer)
            )
            host.observe(message, *done, keep={FAILED: sorted(left)} if left != failed else None)
        return self._delivered(event, host)

    def _compacts(self, event: Record) -> Answer:
        """The addition to the prompt for a summary: Claude Code's own comes first, and the policy's after it."""
        host = self._sessions.of(event)
        # The last reading of the replaced history.
        host.observe(*filter(None, (self._reading(event, host),)))
        return Answer(host.policy.guidance(_hook_events.GUIDANCE)[: self._host.guidance])

    def _subagent_ended(self, event: Record) -> Answer:
        """Store the summarizer's words, a subagent without a type: the compaction's event follows."""
        said = _hooked.filled(event.get("last_assistant_message"))
        if _hooked.filled(event.get("agent_type")) is None and said is not None:
            self._sessions.of(event).observe(keep={SUMMARY: said})
        return Answer()

    def _task_changed(self, event: Record) -> Answer:
        task = _hooked.filled(event.get("task_id"))
        subject = _hooked.filled(event.get("task_subject"))
        if task is None or subject is None:
            return Answer()
        made = observed.ToolCall(
            name="TaskCreate", arguments={"subject": subject}, call_id=f"+{task}"
        )
        result = observed.ToolAnswer(
            call_id=f"+{task}", status="done", data={"task": {"id": task, "subject": subject}}
        )
        seen: list[HostObservation] = [made, result]
        if event.get("hook_event_name") == "TaskCompleted":
            done = {"taskId": task, "status": "completed"}
            seen.append(observed.ToolCall(name="TaskUpdate", arguments=done, call_id=f"={task}"))
            seen.append(observed.ToolAnswer(call_id=f"={task}", status="done"))
        self._sessions.reader(event).observe(*seen)
        return Answer()

    # --- What the model is told ---

    def _delivered(self, event: Record, host: HostSession, *, fresh: bool = False) -> Answer:
        """The delivery, except for texts that are already among the next request's messages."""
        name = string(event.get("hook_event_name")) or ""
        history, retells = self._history(event), bool(host.kept(_hook_events.RETELLS))
        fresh = fresh or retells
        texts = None if fresh or history is None else history.texts()
        conversation = None if history is None else history.conversation(newest=fresh)

        def arrived(made: Delivery) -> None:
            if history is not None:
                history.told(made.text)
            if retells:
                host.observe(keep={_hook_events.RETELLS: False})

        return self._sessions.delivered(
            name, host, fresh=fresh, texts=texts, conversation=conversation, arrived=arrived
        )

    def _newest_reading(self, event: Record, host: HostSession) -> observed.ContextUsed | None:
        history = self._history(event)  # the file has a line for each compaction
        return None if history is None else history.reading()

    def _history(self, event: Record) -> MessageChain | None:
        path = _hooked.filled(event.get("transcript_path"))
        agent = _hooked.filled(event.get("agent_id"))
        if path is None:
            return None
        if agent is not None:
            path = str(subagents_file(Path(path), agent))
        with self._lock:
            found = self._histories.get(path)
            if found is None:
                found = self._histories[path] = MessageChain(
                    Path(path), is_subagents=agent is not None
                )
                _hooked.bound(self._histories, _hooked.KEPT)
            self._histories.move_to_end(path)
            return found


def _calls(event: Record) -> Iterator[Record]:
    """Yield the calls of a step."""
    batch = event.get("tool_calls")
    yield from map(mapping, sequence(observed.json_of(batch) if isinstance(batch, str) else batch))


def _recorded(event: Record, history: MessageChain | None) -> Mapping[str, observed.ToolAnswer]:
    """The answers of a step's calls as the session's file has them: no event tells of a refusal.

    Only an answer that looks like one is waited for, as a busy host writes its file late.
    """
    if history is None:
        return {}
    answers = {
        _hook_events.word(each, "tool_use_id"): each.get("tool_response") for each in _calls(event)
    }
    doubtful = {call for call, said in answers.items() if is_not_run(said)}
    end = time.monotonic() + _hook_events.LATE
    while not doubtful <= (found := history.answers(answers)).keys() and time.monotonic() < end:
        time.sleep(_hook_events.LOOK)
    return found


_RAN: Record = {DECISION: {"decision": "accept"}}
"""The record of a call of which an event tells: it ran, and its answer is the tool's."""


def _done(
    event: Record, failed: frozenset[object], recorded: Mapping[str, observed.ToolAnswer]
) -> Iterator[observed.AnyObservation]:
    """The calls of a step with their results, as written in a session file.

    :param failed: the ids of the failed ones.
    :param recorded: the results that the file has; only these tell of a refusal.
    """
    for call in _calls(event):
        name, call_id = string(call.get("tool_name")), string(call.get("tool_use_id"))
        if name is None:
            continue
        given, said = mapping(call.get("tool_input")), call.get("tool_response")
        yield observed.ToolCall(name=name, arguments=given, call_id=call_id)
        block: Record = {
            "type": "tool_result",
            "content": said if isinstance(said, str) or observed.is_list(said) else None,
            "is_error": call_id in failed,
            "tool_use_id": call_id,
        }
        known = recorded.get(call_id or "")
        if known is not None:
            yield known
        elif not is_not_run(said):  # otherwise nobody knows whether it ran
            yield from answers_in(parts_of(block), _RAN)


def status_of(state: State, thresholds: Thresholds = THRESHOLDS) -> str:
    """Return a state in a line for a terminal: its words, without Markdown.

    :param thresholds: the levels of the context's use.

    >>> from hud_components import HudState, Task
    >>> status_of(HudState(task=Task(description="Mend *all* of it")))
    'Mend *all* of it'
    """
    from hud_components import StatusLine
    from ujsx import RenderContext, to_mdast
    from ujsx.mdast.util import to_string

    line = to_mdast(StatusLine(state=state), RenderContext().with_value(thresholds))
    return visible(" ".join(to_string(line).split()))


_INSTALLER = HookInstaller(_hooked.CLAUDE_CODE)
install, uninstall = _INSTALLER.install, _INSTALLER.uninstall
programs = _INSTALLER.programs
