"""The messages that Claude Code's next request is made of, and the words of ours that stand in them.

A session file has a line for each message, with the id of the message before it. A rewind leaves its messages in the
file, on a branch of their own, and a compaction begins a chain anew. A hook's text is an attachment on the chain, written
shortly after the hook has ended.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hud_runtime.delivery import RequestMessage
from hud_runtime.integrations._session_file import Reading, lines_of
from hud_runtime.observation import usage_in
from hud_runtime.observation._json import Record, mapping, milliseconds, sequence

LARGEST = 16 * 1024 * 1024
"""Bytes that are read at most of a file that is seen for the first time. Older words count as missing."""

SETTLED = 2_000
"""Milliseconds after which the file has an answer, and the status line shows it."""

SHOWN = 1024 * 1024
"""Bytes of the newest messages with calls of tools and results that are kept: what is looked at of them is less."""

TOOLS = frozenset({"tool_use", "tool_result"})
"""The blocks of a message that call a tool, or answer a call."""

BOUNDARY = "compact_boundary"
"""The subtype of the line at which a compaction begins a chain anew."""

MOST_MISSES = 2
"""Times in a row that a text is told again which the file does not have: then the host writes in a form of its own."""


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


class Entry(NamedTuple):
    """A message of the file."""

    parent: str | None
    words: tuple[str, ...] = ()
    """The texts that hooks have added."""
    answered: int | None = None
    """When the model gave it, in milliseconds since the epoch; None for a message that is not the model's."""
    tokens: int | None = None
    """The size of the context with it, where the model gave it."""
    said: str = ""
    """The words of the user, the model or the summary in it."""
    tools: bytes = b""
    """The content with calls of tools or their results, as JSON, as long as the message is among the newest."""


class History:
    """The chain of messages at the end of a session file, which is read on from where it was.

    Threads may share it.

    :param path: the file; it may not be there yet.
    :param is_subagents: whether it is a subagent's own.
    """

    def __init__(self, path: Path, *, is_subagents: bool = False) -> None:
        self.path = path
        self._is_subagents = is_subagents
        self._lock = threading.Lock()
        self._restart()

    def _restart(self, place: int = 0) -> None:
        self._place = place
        self._size_read = -1
        """The file's size when it was read last."""
        self._reading: Reading | None = None
        self._entries: dict[str, Entry] = {}
        self._last: str | None = None
        self._seen: str | None = None
        """The newest message at the last look."""
        self._told: list[tuple[int, str]] = []
        """Texts that were not seen in the file yet, each with when it was told."""
        self._heard: list[tuple[int, str]] = []
        """Words of the request that were not seen in the file yet, each with when they were heard."""
        self._misses = 0
        self._rewound_to: str | None = None
        self._kept: deque[tuple[str, int]] = deque()
        """The messages whose contents with calls and results are kept, and the bytes of each."""
        self._size = 0

    def told(self, text: str) -> None:
        """Note that the host was given a text for its next request."""
        with self._lock:
            self._told.append((_now(), text))

    def heard(self, text: str) -> None:
        """Note words that the next request has: a prompt, or the host's summary."""
        with self._lock:
            self._heard.append((_now(), text))

    def branches(self) -> None:
        """Note that the next request goes on from messages that the file may not show yet."""
        with self._lock:
            self._heard = []

    def conversation(self, *, newest: bool = False) -> Iterator[RequestMessage]:
        """Yield the messages of the next request, oldest first, with those that are not in the file yet.

        :param newest: whether only the words count that are not in the file yet, which may show another branch.
        """
        with self._lock:
            self._read_on()
            entries = () if newest else (each for _, each in self._chain())
            chain = [each for each in entries if each.said or each.tools][::-1]
            # Words that were heard before an answer stand before it in the chain, or the model does not read them.
            answered = max((each.answered or 0 for each in chain), default=0)
            self._heard = [each for each in self._heard if each[0] >= answered]
            heard = [text for _, text in self._heard]
        for each in chain:
            yield RequestMessage(each.said, each.answered is not None, texts_shown(each.tools))
        yield from map(RequestMessage, heard)

    def texts(self) -> tuple[str, ...] | None:
        """Return the texts of hooks that the next request has; None where all that was told is among them."""
        with self._lock:
            self._read_on()
            new: list[Entry] = []
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
            # A text that was told before an answer stands before it in the chain, or the model does not read it.
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

    def reading(self) -> Reading | None:
        """Return the context as the last request left it; None where there was none since the last compaction."""
        with self._lock:
            self._read_on()
            return self._reading

    def is_rewound(self, tokens: int | None) -> bool:
        """Tell whether the host has gone back to an earlier message, by the size of the context that it shows.

        It is told once of each rewind. The file shows nothing of it before the next answer.

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

    def _chain(self) -> Iterator[tuple[str, Entry]]:
        """Yield the messages that lead to the last one, from that one on."""
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
            return  # each look within one event would read it again
        found = lines_of(self.path, self._start)
        if found is None:
            return
        self._size_read, self._place = size, found.end
        for line in found.lines:
            if b'"uuid"' in line:
                self._add(line)

    def _start(self, size: int) -> int:
        """Where the file is read on, which has this size."""
        if size < self._place:
            self._restart()
        return self._place if self._entries else max(self._place, size - LARGEST)

    def _add(self, data: bytes) -> None:
        try:
            line = msgspec.json.decode(data, type=_Line)
        except msgspec.MsgspecError:  # a line that is cut, or of another kind
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
            said = words_said(content)
            tools = content if b'"tool_use' in content or b'"tool_result"' in content else b""
        if line.type == "assistant" and line.message is not None:
            self._rewound_to = None
            answered = milliseconds(line.timestamp)
            usage = usage_in(mapping(line.message.usage))
            if usage is not None and line.message.model != "<synthetic>":
                tokens = usage.total
                self._reading = Reading(usage, line.message.model)
        elif line.subtype == BOUNDARY:
            self._reading = None
        self._entries[line.uuid] = Entry(line.parent, words, answered, tokens, said, tools)
        self._last = line.uuid
        if tools:
            self._keep(line.uuid, len(tools))

    def _keep(self, name: str, size: int) -> None:
        """Keep the calls and results of the newest messages alone."""
        self._kept.append((name, size))
        self._size += size
        while len(self._kept) > 1 and self._size > SHOWN:
            old, size = self._kept.popleft()
            self._size -= size
            self._entries[old] = self._entries[old]._replace(tools=b"")


def words_said(content: bytes) -> str:
    """The words in a message: its text, or that of its blocks, with the user's in a refusal, without outputs of tools."""
    if content[:1] == b'"':
        return msgspec.json.decode(content, type=str)
    if b'"text"' not in content and b"the user said:" not in content:
        return ""
    blocks = map(mapping, sequence(msgspec.json.decode(content)))
    return "\n".join(filter(None, map(_words_of, blocks)))


def _words_of(block: Record) -> str:
    answer = block.get("content") if block.get("is_error") else None
    if isinstance(answer, str):
        from hud_runtime.transcripts._answers import wish_in

        return wish_in(answer)
    return str(block.get("text", "")) if block.get("type") == "text" else ""


def texts_shown(tools: bytes) -> str:
    """The texts of calls, or of their results, in a message's content."""
    try:
        blocks = map(mapping, sequence(msgspec.json.decode(tools))) if tools else ()
    except msgspec.DecodeError:
        return ""
    shown = (each.get("input", each.get("content")) for each in blocks if each.get("type") in TOOLS)
    return "\n".join(
        each if isinstance(each, str) else msgspec.json.encode(each).decode()
        for each in shown
        if each is not None
    )


def _now() -> int:
    return time.time_ns() // 1_000_000
