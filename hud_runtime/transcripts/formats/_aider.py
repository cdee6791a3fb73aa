"""aider's chat history: Markdown, in which the user's lines and the program's are marked.

Lines behind "#### " are the user's, commands with a slash among them; those behind "> " are the program's, the
output of commands too; all else is the model's. Many sessions stand in one file: the last is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from hud_runtime.observe._observations import (
    AgentMessage,
    AnyObservation,
    ContextUsed,
    Failed,
    FileChanged,
    Found,
    ToolAnswer,
    ToolCall,
    UserMessage,
    count_in,
    milliseconds,
)
from hud_runtime.observe._reader import LinePlace
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source

_START = re.compile(r"^# aider chat started at (?P<time>.+?)\s*$", re.MULTILINE)
_APPLIED = re.compile(r"Applied edit to (?P<path>.+)")
_ADDED = re.compile(r"Added (?P<path>.+) to the chat")
_COMMIT = re.compile(r"Commit (?P<hash>[0-9a-f]{6,40}) (?P<subject>.+)")
_TOKENS = re.compile(
    r"Tokens: (?P<sent>[\d.,]+)(?P<k>[kM]?) sent(?:, [^,]*cache[^,]*)*, (?P<got>[\d.,]+)(?P<l>[kM]?) received"
)
_MODEL = re.compile(r"(?:Main model|Model|aider --model):? (?P<name>[^\s,]+)")
_FAILED = re.compile(r"(?<!\d)\d{1,4} SEARCH/REPLACE blocks? failed to match")
_RUN = re.compile(r"/(?:run|test|git|lint) (?P<command>.+)")
_ECHO = "I ran this command:"
_ASKS = re.compile(r"/(?:ask|code|architect|context) +(?P<words>\S[\s\S]*)")
"""Commands whose words are the user's; all others are for the program, which takes beginnings of them, too."""


def recognises(source: Source) -> str | None:
    """Tell why a file is such a history."""
    return (
        "it says when aider's chats started"
        if source.kind == "text" and _START.search(source.text)
        else None
    )


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the last session tells."""
    starts = list(_START.finditer(source.text))
    if len(starts) > 1:
        source.skipped["earlier session"] += len(starts) - 1  # known, and not asked for
    begin = next(
        (
            one
            for one, end in zip(reversed(starts), _ends(source.text, starts), strict=True)
            if _said(source.text, one, end)
        ),
        starts[-1],
    )
    end = next((one.start() for one in starts if one.start() > begin.start()), len(source.text))
    number = source.text.count("\n", 0, begin.end()) + 1
    timestamp = _time(begin["time"])
    block: list[str] = []
    kind = ""
    first = number
    lines = source.text[begin.end() : end].split("\n")
    session = _AiderSession()
    for offset, line in enumerate([*lines, "#### "]):
        of, words = _kind(line)
        if of == "" and not line.strip():
            block.append("")
            continue
        if of != kind or offset == len(lines):
            if kind or any(block):
                yield from session.block({"line": first, "timestamp": timestamp}, kind, block)
            kind, block, first = of, [], number + offset
        block.append(words)
    yield from session.ended(first)


def _ends(text: str, starts: list[re.Match[str]]) -> Iterator[int]:
    """Where the sessions end, the last first."""
    yield len(text)
    yield from (one.start() for one in reversed(starts[1:]))


def _said(text: str, begin: re.Match[str], end: int) -> bool:
    """Tell whether the user says something in a session, beside commands for the program."""
    return _WORDS.search(text, begin.end(), end) is not None


_WORDS = re.compile(r"^#### +(?:/(?:ask|code|architect|run|test) |[^\s/])", re.MULTILINE)


def _kind(line: str) -> tuple[str, str]:
    if line.startswith("####") and line[4:5] in ("", " "):
        return "user", line[5:].rstrip()
    if line.startswith(">"):
        return "program", line[2:].rstrip()
    return "", line


def _time(text: str) -> int | None:
    try:
        return milliseconds(datetime.fromisoformat(text).isoformat())
    except ValueError:
        return None


class _AiderSession:
    def __init__(self) -> None:
        self._is_running = False
        self._model: str | None = None

    def ended(self, line: int) -> Iterator[AnyObservation]:
        """Yield what is left at the end."""
        if self._is_running:
            yield ToolAnswer(line=line)

    def block(self, at: LinePlace, kind: str, lines: list[str]) -> Iterator[AnyObservation]:
        """Yield what lines of one kind tell."""
        text = "\n".join(lines).strip()
        if self._is_running and kind != "program":
            self._is_running = False
            yield ToolAnswer(**at)
        if kind == "user":
            run = _RUN.fullmatch(text)
            asks = _ASKS.fullmatch(text)
            if run:
                self._is_running = True
                command = run["command"] if not text.startswith("/git") else f"git {run['command']}"
                yield ToolCall(**at, name="bash", arguments={"command": command})
            elif asks:
                yield UserMessage(**at, text=asks["words"])
            elif text and not text.startswith((_ECHO, "/")):
                yield UserMessage(**at, text=text)
        elif kind == "program":
            yield from self._program(at, lines, text)
        elif text:
            yield AgentMessage(**at, text=text, model=self._model)

    def _program(self, at: LinePlace, lines: list[str], text: str) -> Iterator[AnyObservation]:
        if self._is_running:
            self._is_running = False
            output = "\n".join(one for one in lines if "command output to the chat" not in one)
            yield ToolAnswer(**at, text=output)
        for place, words in enumerate(lines, start=at.get("line", 0)):
            here: LinePlace = {**at, "line": place}
            if match := _APPLIED.match(words):
                yield FileChanged(**here, path=match["path"].strip())
            elif match := _ADDED.match(words):
                yield FileChanged(**here, path=match["path"].strip(), event="file.open")
            elif match := _COMMIT.match(words):
                yield Found(
                    **here, name="commit", value=f"{match['hash']} {match['subject'].strip()[:120]}"
                )
            elif match := _TOKENS.search(words):
                used = count_in(match["sent"], match["k"]) + count_in(match["got"], match["l"])
                yield ContextUsed(**here, used=used or None, model=self._model)
            elif match := _MODEL.search(words):
                self._model = match["name"]
            elif _FAILED.search(words):
                yield Failed(**here, message=words.strip())


FORMAT = Format("aider history", recognises, observations, where=".aider.chat.history.md")
