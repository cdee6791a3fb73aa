"""Claude Code's session files: a JSON object on each line.

A message's blocks may come on several lines with one ``message.id``. Each has the usage figures; the
context's size is the sum of input, output, and both kinds of cached tokens. Sub-agents have lines of their
own: their changes of files count for the session, and their words do not.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, string
from hud_runtime.observe._reader import FolderPlace, LinePlace, calls_in
from hud_runtime.observe.messages import names, read_message
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats import Format, RecordReader, answers_in, of_child

SYNTHETIC = "<synthetic>"
"""The model of messages that the program wrote itself, whose figures are meaningless."""

PARENT_CALL = "parent_tool_use_id"
"""The member that identifies a sub-agent's messages in the output of ``claude -p`` and ``qwen``."""

QUIET = names("quiet in claude code")
"""The kinds of records without meaning for the session's state."""


def recognises(source: Source) -> str | None:
    """Return the reason to read a file as Claude Code's, or None."""
    if source.kind == "value":
        if _is_one(source.first):
            return "its records have a session's id"
        return "it has loglines" if observed.is_list(source.first.get("loglines")) else None
    if source.kind != "lines":
        return None
    if any("parts" in mapping(one.get("message")) for one in source.head):
        return None  # Qwen's, which look similar
    return "its lines have a type and a session's id" if any(map(_is_one, source.head)) else None


def _is_one(record: Record) -> bool:
    kind = record.get("type")
    if kind == "summary":
        return "leafUuid" in record
    if "role" in record or not isinstance(kind, str) or "payload" in record:
        return False
    is_message = kind in ("user", "assistant") and isinstance(record.get("message"), dict)
    return is_message or ("sessionId" in record and "data" not in record and "uuid" in record)


def begin(source: Source) -> RecordReader:
    """Begin a session: a sub-agent's own, or one that contains sub-agents."""
    sides = [one.get("isSidechain") is True for one in source.head if "message" in one]
    return _ClaudeSession(source, is_child=bool(sides) and all(sides)).record


class _ClaudeSession:
    def __init__(self, source: Source, *, is_child: bool) -> None:
        self._source = source
        self._is_child = is_child
        self._tellers = {
            "assistant": self._assistant,
            "user": self._user,
            "system": self._system,
            "queue-operation": self._queued,
            "attachment": self._attached,
        }
        self._titles: dict[str, str] = {}
        self._queue: deque[str] = deque()
        self._is_named = False
        self._branch = ""
        self._prompts: list[str] = []
        """The user's prompts on the branch to the last record."""
        self._prompts_at: dict[str, int] = {}
        """The number of prompts at each record."""
        self._children: dict[str, _ClaudeSession] = {}
        self._background = BackgroundCommands()
        self._roots: dict[str, str] = {}
        """The first record of each sub-agent, by its records."""

    def record(self, line: int, record: Record) -> Iterator[observed.AnyObservation]:
        """Yield the observations of one line."""
        uuid = string(record.get("uuid"))
        if uuid is not None:
            if uuid in self._prompts_at:  # a resumed session repeats earlier records
                self._source.skip("repeated")
                return
            parent = string(record.get("parentUuid")) or string(record.get("logicalParentUuid"))
            self._prompts_at[uuid] = self._prompts_at.get(parent or "", len(self._prompts))
            if (title := self._titles.pop(uuid, None)) is not None and not self._is_named:
                yield observed.Title(line=line, text=title)
        at: LinePlace = {"line": line, "timestamp": observed.milliseconds(record.get("timestamp"))}
        data = mapping(record.get("data"))
        if record.get("type") == "progress" and not self._is_child and mapping(data.get("message")):
            step = {**mapping(data["message"]), "agentId": data.get("agentId"), "isSidechain": True}
            record = {**record, **step}  # a sub-agent's message, printed while it works
        kind = string(record.get("type")) or "untyped"
        is_side = record.get("isSidechain") is True or string(record.get(PARENT_CALL)) is not None
        if is_side and not self._is_child:
            yield from self._of_child(line, record)
            return
        yield from self._on_branch(at, record)
        told = self._tellers.get(kind)
        yield from self._about(line, kind, record) if told is None else told(at, record)

    def _on_branch(self, at: LinePlace, record: Record) -> Iterator[observed.AnyObservation]:
        branch = string(record.get("gitBranch"))
        if branch is not None and branch not in (self._branch, "HEAD"):
            self._branch = branch
            yield observed.Found(
                **at, directory=string(record.get("cwd")), name="branch", value=branch
            )

    def _of_child(self, line: int, record: Record) -> Iterator[observed.AnyObservation]:
        """A sub-agent's actions: those on files count for the session, too; the rest for a session of its own."""
        self._source.skip("sidechain")
        child = self._child_of(record)
        told = self._children.get(child)
        if told is None:
            told = self._children[child] = _ClaudeSession(self._source, is_child=True)
        for seen in told.record(line, record):
            yield from of_child(child, seen)

    def _child_of(self, record: Record) -> str:
        """The sub-agent's id: its own, else that of its first record."""
        uuid, parent = string(record.get("uuid")), string(record.get("parentUuid"))
        root = self._roots.get(parent or "", uuid or "")
        if uuid is not None:
            self._roots[uuid] = root
        return string(record.get("agentId")) or string(record.get(PARENT_CALL)) or root

    def _assistant(self, at: LinePlace, record: Record) -> Iterator[observed.AnyObservation]:
        message = mapping(record.get("message"))
        model = string(message.get("model"))
        usage = mapping(message.get("usage"))
        is_synthetic = model == SYNTHETIC
        if is_synthetic and record.get("isApiErrorMessage") is True:
            self._source.skip("error of the interface")
            return
        said = read_message(message)
        self._source.count_parts(said)
        yield observed.AgentMessage(
            **at,
            directory=string(record.get("cwd")),
            text=said.text,
            message_id=string(message.get("id")),
            usage=None if is_synthetic else observed.usage_in(usage),
            model=None if is_synthetic else model,
        )
        for call in calls_in(said.parts, **at):
            self._background.called(call)
            yield call

    def _user(self, at: LinePlace, record: Record) -> Iterator[observed.AnyObservation]:
        message = mapping(record.get("message"))
        said, text = read_message(message), observed.prose(message.get("content"))
        self._source.count_parts(said)
        directory = string(record.get("cwd"))
        if said.has("result"):
            here: FolderPlace = {**at, "directory": directory}
            for result in answers_in(said.parts, record, **here):
                yield from self._background.answered(result)
            if not text.strip():  # else the user wrote while the tool ran
                return
        if text.lstrip().startswith("<task-notification>"):
            yield from self._background.ended(at, text)
        if record.get("isCompactSummary") is True:
            yield observed.Compacted(**at, summary=text)
        elif record.get("isMeta") is True or "sourceToolUseID" in record:
            self._source.skip("meta")
        else:
            plan = string(record.get("planContent"))
            uuid = string(record.get("uuid")) or ""
            yield from self._rewound(at, record)
            self._prompts.append(uuid)
            self._prompts_at[uuid] = len(self._prompts)
            yield observed.UserMessage(
                **at,
                directory=directory,
                text=text if plan is None or "\n" in text else plan,
                is_plan=plan is not None and "\n" not in text,
                message_id=uuid,
            )
            yield from _of_user_shell(at, text)

    def _rewound(self, at: LinePlace, record: Record) -> Iterator[observed.Undone]:
        """A prompt that continues from an earlier record: the prompts after that record were undone."""
        parent = string(record.get("parentUuid")) or ""
        kept = self._prompts_at.get(parent, len(self._prompts))
        if kept < len(self._prompts):
            yield observed.Undone(**at, since=self._prompts[kept])
            del self._prompts[kept:]

    def _system(self, at: LinePlace, record: Record) -> Iterator[observed.AnyObservation]:
        if record.get("subtype") == "compact_boundary":
            trigger = string(mapping(record.get("compactMetadata")).get("trigger"))
            yield observed.Compacting(**at, reason=trigger or "")
        else:
            self._source.skip("system")

    def _queued(self, at: LinePlace, record: Record) -> Iterator[observed.AnyObservation]:
        """Prompts while the agent works: passed on at once, submitted later, or withdrawn."""
        content = record.get("content")
        match record.get("operation"):
            case "enqueue":
                self._queue.append(content if isinstance(content, str) else observed.prose(content))
            case "remove" if self._queue:
                text = self._queue.popleft()
                if not text.lstrip().startswith("<"):
                    yield observed.UserMessage(**at, text=text)
            case "dequeue" if self._queue:
                self._queue.popleft()
            case "popAll":
                self._queue.clear()
            case _:
                self._source.skip("queue-operation")

    def _attached(self, at: LinePlace, record: Record) -> Iterator[observed.AnyObservation]:
        attachment = mapping(record.get("attachment"))
        text = observed.prose(attachment.get("prompt"))
        is_prompt = attachment.get("commandMode", "prompt") == "prompt"
        if attachment.get("type") == "queued_command" and text and is_prompt:
            yield observed.UserMessage(**at, text=text)
        else:
            self._source.skip("attachment")

    def _about(self, line: int, kind: str, record: Record) -> Iterator[observed.AnyObservation]:
        """Records about the session, apart from its messages."""
        match kind:
            case "summary":
                title, leaf = string(record.get("summary")), string(record.get("leafUuid"))
                if title is None or leaf is None:
                    self._source.skip("summary")
                elif leaf in self._prompts_at:
                    if not self._is_named:
                        yield observed.Title(line=line, text=title)
                else:  # of another session, unless its last line follows
                    self._titles[leaf] = title
            case "custom-title" if title := string(record.get("customTitle")):
                self._is_named = True
                yield observed.Title(line=line, text=title)
            case "ai-title" if (title := string(record.get("aiTitle"))) and not self._is_named:
                yield observed.Title(line=line, text=title)
            case "pr-link" if number := observed.whole(record.get("prNumber")):
                yield observed.Found(line=line, name="pull request", value=f"#{number}")
            case "worktree-state":
                worktree = mapping(record.get("worktreeSession"))
                if branch := string(worktree.get("worktreeBranch")):
                    yield observed.Found(line=line, name="branch", value=branch)
            case _:
                self._source.skip(kind)


# --- Commands of the user's own shell, after "!" ---

_RUN, _PRINTED, _ERRORS = "<bash-input>", "<bash-stdout>", "</bash-stdout><bash-stderr>"


def _of_user_shell(at: LinePlace, text: str) -> Iterator[observed.AnyObservation]:
    """Yield a command of the user's shell as a call, or what it printed as the answer."""
    said = text.strip()
    if said.startswith(_RUN):
        given = {"command": said.removeprefix(_RUN).removesuffix("</bash-input>")}
        yield observed.ToolCall(
            **at, name="Bash", arguments=given, call_id=_RUN, in_text=True, by_user=True
        )
    elif said.startswith(_PRINTED):
        printed = said.removeprefix(_PRINTED).removesuffix("</bash-stderr>")
        printed = printed.replace(_ERRORS, "\n", 1).removesuffix("</bash-stdout>").strip()
        yield observed.ToolAnswer(**at, text=printed, call_id=_RUN, is_read=False)


# --- Commands in the background: another call, or a notification, tells how they ended ---

_BACKGROUND = re.compile(r"running in (?:the )?background with ID:? ?(?P<id>\w{1,40})")
_TASK = re.compile(r"<(?:task[_-]id|shell[_-]id|bash[_-]id)>\s*(?P<id>\w{1,40})\s*</")
_ENDED = re.compile(
    r"<exit_code>\s*(?P<code>-?\d{1,5})\s*</exit_code>|\(exit code (?P<other>-?\d{1,5})\)"
)
_ASKS_OUTPUT = frozenset(
    ["BashOutput", "TaskOutput", "AgentOutputTool", "KillShell", "KillBash", "TaskStop"]
)
_OUTPUT = re.compile(r"<(?P<of>output|stdout)>\n?(?P<output>[\s\S]*?)\n?(?:</(?P=of)>|\Z)")


class BackgroundCommands:
    """The commands in the background, by their ids."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}
        """The calls of the commands, by the commands' ids."""
        self._asked: set[str | None] = set()
        """The calls that request a command's output."""

    def called(self, call: observed.ToolCall) -> None:
        """Note a call: another tool's output does not end a command."""
        if call.name in _ASKS_OUTPUT:
            self._asked.add(call.call_id)

    def answered(self, result: observed.ToolAnswer) -> Iterator[observed.ToolAnswer]:
        """Yield the answer; it is not final if a command continues in the background."""
        begun = _BACKGROUND.search(result.text[:300]) if result.status == "done" else None
        if begun and result.call_id is not None:
            self._running[begun["id"]] = result.call_id
            yield replace(result, text="", is_final=False)
            return
        yield result
        if result.call_id in self._asked:
            yield from self.ended({"line": result.line, "timestamp": result.timestamp}, result.text)

    def ended(self, at: LinePlace, text: str) -> Iterator[observed.ToolAnswer]:
        """Yield the result of a command whose end a text reports."""
        found = _TASK.search(text[:2_000]) if self._running else None
        said = _ENDED.search(text[:2_000]) if found else None
        if found and said and (call_id := self._running.pop(found["id"], None)):
            output, code = _OUTPUT.search(text), int(said["code"] or said["other"])
            yield observed.ToolAnswer(
                **at,
                call_id=call_id,
                text=output["output"] if output else "",
                exit_code=code,
                status="failed" if code else "done",
            )


FORMAT = Format.of_records("Claude Code", recognises, begin, quiet=QUIET)
