"""The reader of a session: observations to events."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias, TypedDict, Unpack, cast

from hud_components import CODING, Domain, HudState, State
from hud_runtime._errors import EventError, LimitError
from hud_runtime.log.events import Actor, EventDraft, EventType, catalog_of
from hud_runtime.observe import _checks, _conversation, _shell, _tools, _work
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._asks import TASK_MARKERS, TaskMarker, cut
from hud_runtime.observe._failures import (
    failure_in,
    is_slip,
    is_troubled,
    telling_line,
)
from hud_runtime.observe._observations import Record, replace_surrogates
from hud_runtime.observe._talk import Talk, remembering
from hud_runtime.observe.messages import MessagePart, rows
from ujsx.errors import shown
from ujsx.schema import ARGS, TOOL
from ujsx.tokens import CalibratedCounter, calibrated_by, estimate_tokens


class Calls:
    """The effects of a session's calls, in order."""

    def __init__(
        self,
        table: _tools.ToolTable,
        workspace: _work.Workspace,
        conversation: _conversation.Conversation,
    ) -> None:
        self.plan = _work.TrackedPlan()
        self.errors = _checks.Ledger()
        self.facts: dict[str, str] = {}
        self.unknown: Counter[str] = Counter()
        self._table = table
        self._workspace = workspace
        self._conversation = conversation
        self._checked = _checks.SessionChecks(self.errors, table.failures)
        self._has_made = False
        """Whether the session made a pull request, or its host reported one."""
        self.is_unchecked = True
        """Whether no check has run: unknown, and so False, where not all calls were seen."""
        self.is_flawless = True
        """Whether no call has failed: unknown, and so False, where not all calls were seen."""
        self._is_compacted = False

    def resume(self, state: HudState) -> None:
        """Resume from a session's state."""
        for error in _work.open_errors(state):
            self.errors.resume(*error)
        self.facts.update((each.name, each.value) for each in state.facts)
        self._has_made = _work.PULL_REQUEST in self.facts
        self.is_unchecked = self.is_flawless = state.task is None
        self._is_compacted = state.compacted_in is not None
        self._checked.resume(each.name for each in state.checks if each.result == "fail")

    def answered(
        self, call: observed.ToolCall, result: observed.ToolAnswer
    ) -> Iterator[_checks.EventPair]:
        """Yield the events of an answered call."""
        tool = self._table.tool(call.name)
        if isinstance(tool, _tools.QuestionTool | _tools.PlanTool) and _is_of_server(call):
            tool = None  # its answer is the server's, and not the user's
        if result.status == "cancelled":
            return
        if result.status == "refused":
            yield from self._refused(call, tool, result)
            return
        given = call.arguments
        match tool:
            case _tools.ShellTool():
                yield from self._ran(_tools.scripts_of(given, tool), call, result)
            case _ if isinstance(tool, _tools.ByFiles):
                yield from self._edited(tool, call, result)
            case _tools.TodoTool() if result.status != "failed":
                yield from self.plan.written(given, tool)
            case _tools.TaskTool() if result.status != "failed":
                yield from self.plan.task(tool, given, result.text, result.data)
            case _tools.QuestionTool() if result.status != "failed":
                for event_type, answer in _conversation.answers(given, result.text, result.data):
                    yield event_type, answer
                    yield from self._conversation.ruled(str(answer["summary"]))
                yield from self.commits()
            case _tools.PlanTool():
                title = _conversation.plan_of(given, result.text, result.data)
                if title is not None and result.status != "failed":
                    yield from self._conversation.approved(title)
            case None:
                self.unknown[call.name] += 1
                yield from self._other(call, result)
            case _:
                pass
        yield from self._workspace.shows(result.open_file)

    def _refused(
        self, call: observed.ToolCall, tool: _tools.Tool | None, result: observed.ToolAnswer
    ) -> Iterator[_checks.EventPair]:
        # Tools of servers choose the words of their answers, which may look like a refusal.
        if (
            result.wish
            and not isinstance(tool, _tools.QuietTool | None)
            and not _is_of_server(call)
        ):
            if isinstance(tool, _tools.PlanTool):
                yield "decision.record", {"summary": f"Plan sent back: {cut(result.wish)}"}
            yield from self._conversation.said(result.wish)

    # --- Commands ---

    def _ran(
        self, script: str, call: observed.ToolCall, result: observed.ToolAnswer
    ) -> Iterator[_checks.EventPair]:
        if _shell.edits_open_file(script, self._table.commands):
            files = self._workspace.resolved(
                _shell.touched(script, self._table.commands), or_open_file=True
            )
            yield from self._tried_edit(files, result)
            return
        commands, checks = self._checked.read(script)
        directory = _shell.first(call.arguments, ("workdir", "dir_path", "directory", "cwd", "Cwd"))
        folder = partial(self._workspace.folder, directory=directory)
        may_be_here = partial(self._workspace.may_hold, directory=directory)
        checks = [
            (at, replace(each, place="" if each.chain == "git" else folder(each.place)))
            for at, each in checks
            if each.chain != "git" or (may_be_here(each.place) and not commands[at].container)
        ]
        if any(self._is_check_of_work(check, directory) for _, check in checks):
            self.is_unchecked = False
            yield from self.fact(_work.CHECKS, "")
        is_told = result.status != "silent"
        found = _checks.verdicts(commands, checks, result, self._table.failures) if is_told else []
        not_applied = [each.check for each in found if _checks.is_not_applied(each)]
        undone = [commands[at] for at, check in checks if check in not_applied]
        ran = [each for each in self._that_ran(commands, found, result) if each not in undone]
        files = self._workspace.resolved(_shell.touched_by(ran, self._table.commands), directory)
        yield from self.deleted(files)
        for file in files:
            # Output that a command stores in a temporary file is not work.
            is_output = file.event == "file.edit" and self._workspace.is_scratch(file.path or "")
            yield from self._workspace.touch(
                _shell.FileUse("file.open", file.path) if is_output else file
            )
            if file.event == "file.edit":
                yield from self.errors.succeeded(("edit", file.path or ""))
        # A commit resolves the errors that blocked it, not those that came later in the same
        # script.
        own = (each for each, *_ in _work.in_project(commands, may_be_here))
        yield from self._checked.merge(own, result)
        for verdict in found:
            yield from self._checked.verdict(verdict, result)
        if not found:
            yield from self._checked.unchecked(script, commands, result)
        if "git" in script or "gh " in script:
            yield from self._about_repository(commands, result, directory)

    def _about_repository(
        self,
        commands: Sequence[_shell.SimpleCommand],
        result: observed.ToolAnswer,
        directory: str | None,
    ) -> Iterator[_checks.EventPair]:
        """Yield the facts of commands about the repository, and what they take back."""
        is_here = partial(self._workspace.holds, directory=directory)
        own = [each.words for each, *_ in _work.in_project(commands, is_here)]
        if any(_shell.git_operation(one)[0] == "commit" for one in own if one[0] == "git"):
            self._conversation.is_commit_unasked = False
            yield from self.commits()
        merging = _work.under_way(commands, result.text, is_here)
        if merging is not None:
            yield from self._checked.under_way(merging)
        is_made = any(one.words[:3] == ["gh", "pr", "create"] for one in commands)
        replaces = any("--amend" in one.words for one in commands)
        is_done = is_made
        edited, ran = self._workspace.edited, self._that_ran(commands, (), result)
        for told in _work.facts_in(commands, result.text, is_here, edited, ran):
            if isinstance(told, _work.TakenBack):
                yield from self._took_back(told, directory)
                continue
            name, value = told
            if name == _work.COMMIT:
                is_done = True
                self._workspace.edits.committed(value, replaces=replaces)
                yield from self._last_commit(value, over=_work.UNTIL_COMMIT)
            elif name == _work.PUSHED:
                yield from self.fact(_work.UNPUSHED, "")
            # A pull request that was only viewed is not yet the session's.
            if name != _work.PULL_REQUEST or is_made or not self._has_made:
                yield from self.fact(name, value, is_sure=is_made)
        if is_done:
            self._conversation.is_done = True
            yield from self.fact(_work.DELETED, "")

    def _last_commit(self, commit: str, over: Iterable[str]) -> Iterator[_checks.EventPair]:
        """Yield the fact of the last commit, and the files whose edits it lacks."""
        for each in over:
            yield from self.fact(each, "")
        for event in self.fact(_work.COMMIT, commit):
            yield event
            for path, place in self._workspace.edits.places.items():
                if commit and place in ("open", "new", "stash"):
                    yield "file.edit", {"path": path}

    def _took_back(
        self, one: _work.TakenBack, directory: str | None
    ) -> Iterator[_checks.EventPair]:
        """Yield what an operation of git takes back."""
        here = posixpath.join(directory or "", one.place)
        if one.of == "branch" and _work.is_commit(self.facts.get(_work.COMMIT, ""), one.told):
            yield from self.fact(_work.COMMIT, "")
        is_moved, commits, moved = self._workspace.take_back(one, here)
        if is_moved:
            yield from self._last_commit(one.told, over=(_work.PUSHED, _work.UNPUSHED))
        gone = [path for path, at in moved.items() if at in one.takes and one.to == "gone"]
        before = self.facts.get(_work.UNDONE, "")
        yield from self.fact(_work.UNDONE, _work.undone(before, commits, gone, one.told))
        if "open" in one.takes and one.to == "gone":
            deleted = _work.gone_from(self.facts.get(_work.DELETED, ""))
            back = self._workspace.chosen(one, deleted, here)
            yield from self.deleted(_shell.FileUse("file.edit", path) for path in back)
        for path, at in moved.items():
            if one.to == "gone":
                yield from self._workspace.touch(_shell.FileUse("file.close", path))
                if at != "new":
                    yield from self._workspace.touch(_shell.FileUse("file.open", path))
            elif one.to == "open":
                yield from self._workspace.touch(_shell.FileUse("file.edit", path))
        later = _shell.touched_by(one.later, self._table.commands)
        for file in self._workspace.resolved(later, here):
            if file.event == "file.edit" and file.path in moved:
                yield from self._workspace.touch(file)

    def fact(self, name: str, value: str, *, is_sure: bool = False) -> Iterator[_checks.EventPair]:
        """Yield the event of a fact, if it is new."""
        self._has_made = self._has_made or (name == _work.PULL_REQUEST and is_sure)
        if self.facts.get(name, "") != value:
            self.facts[name] = value
            yield "fact.set", {"name": name, "value": value}

    def compacted(self) -> Iterator[_checks.EventPair]:
        """Yield the facts of what was not done before a compaction."""
        self._is_compacted = True
        if self.is_flawless and not self.errors.has_had_any:
            yield from self.fact(_work.FAILURES, _work.NO_FAILURE)
        yield from self.commits()
        if self.is_unchecked:
            yield from self.fact(_work.CHECKS, _work.NO_CHECK)

    def failures(
        self, result: observed.ToolAnswer, *, is_output: bool
    ) -> Iterator[_checks.EventPair]:
        """Yield that it is no longer so that no call has failed."""
        if not (self.is_flawless or self.facts.get(_work.FAILURES)):
            return
        is_well = result.status in ("unknown", "done") and not result.exit_code
        if not is_well or self.errors.has_had_any or (is_output and is_troubled(result.text)):
            self.is_flawless = False
            yield from self.fact(_work.FAILURES, "")

    def commits(self) -> Iterator[_checks.EventPair]:
        """Yield from a compaction on what the request names, and that no commit was made or asked for, or that it is over."""
        is_so = self._conversation.is_commit_unasked and not self.facts.get(_work.COMMIT)
        if self._is_compacted:
            yield from self.fact(_work.NAMED, self._conversation.named)
        if self._is_compacted or not is_so:
            yield from self.fact(_work.COMMITS, _work.NO_COMMIT if is_so else "")

    def _is_check_of_work(self, check: _checks.CheckCommand, directory: str | None) -> bool:
        """Return whether a check is a test, a lint or a build; a script that the session wrote is none, unless its name says so."""
        if check.kind != "script":
            return check.kind not in ("git", "packages")
        path = self._workspace.shown(check.tool.partition(" ")[0], directory)
        return path not in self._workspace.edited or _checks.is_named_as_check(path)

    def deleted(self, files: Iterable[_shell.FileUse]) -> Iterator[_checks.EventPair]:
        """Yield the fact of deleted files, if files of the project are deleted or made again."""
        yield from self.fact(_work.DELETED, _work.deleted(self.facts.get(_work.DELETED, ""), files))

    def _that_ran(
        self,
        commands: Sequence[_shell.SimpleCommand],
        found: Sequence[_checks.CheckVerdict],
        result: observed.ToolAnswer,
    ) -> Sequence[_shell.SimpleCommand]:
        """The commands that succeeded: those before the one that failed."""
        if not _checks.has_failed(result):
            missing = len(result.text) < 500 and "No such file or directory" in result.text
            return () if missing and len(commands) == 1 else commands
        if any(verdict.message is not None for verdict in found):
            return commands
        return [one for one in commands[:-1] if one.joint != "&&"]

    # --- Files ---

    def _edited(
        self, tool: _tools.ByFiles, call: observed.ToolCall, result: observed.ToolAnswer
    ) -> Iterator[_checks.EventPair]:
        or_open_file = isinstance(tool, _tools.FileTool) and tool.on_open_file
        files = self._workspace.resolved(
            _tools.files_of(tool, call.arguments, observed.string(result.data.get("originalFile"))),
            or_open_file=or_open_file,
        )
        yield from self._tried_edit(files, result)

    def _tried_edit(
        self, files: Sequence[_shell.FileUse], result: observed.ToolAnswer
    ) -> Iterator[_checks.EventPair]:
        edited = [one.path or "" for one in files if one.event == "file.edit"]
        message = failure_in(result.text, "edit", self._table.failures) if edited else None
        if message is None and result.status == "failed":
            message = telling_line(result.text)
        if message is None:
            is_new = _shell.made_new(result)
            yield from self.deleted(files)
            for one in files:
                yield from self._workspace.touch(replace(one, is_new=is_new) if is_new else one)
            for path in edited:
                yield from self.errors.succeeded(("edit", path))
            if edited:
                yield from self.errors.went_on("misuse")
        elif edited and not is_slip(result.text):
            words = _checks.said(edited[0], message)
            yield from self.errors.failed(("edit", edited[0]), "edit", words)

    # --- Tools that nobody knows ---

    def _other(
        self, call: observed.ToolCall, result: observed.ToolAnswer
    ) -> Iterator[_checks.EventPair]:
        given = json.dumps(dict(call.arguments), sort_keys=True, default=str)
        key = ("tool", f"{call.name} {given[:500]}")
        message = failure_in(result.text, "command", self._table.failures)
        if message is None and result.status == "failed" and not is_slip(result.text):
            message = telling_line(result.text)
        if message is None:
            yield from self.errors.succeeded(key)
            for name, value in _work.issue_made([call.name.rpartition("__")[2]], result.text):
                yield from self.fact(name, value)
        else:
            yield from self.errors.failed(key, "tool", _checks.said(call.name, message))


# The calls in a message, and the results of tools, as observations.


class LinePlace(TypedDict, total=False):
    """The line and the time of an observation."""

    line: int
    timestamp: int | None


class FolderPlace(LinePlace, total=False):
    """The same with the working directory: the common fields of observations."""

    directory: str | None


def calls_in(
    parts: Iterable[MessagePart], **at: Unpack[FolderPlace]
) -> Iterator[observed.ToolCall]:
    """Yield the calls among a message's parts.

    >>> from hud_runtime.observe.messages import parts_of
    >>> use = {"type": "tool_use", "id": "1", "name": "bash", "input": {"command": "ls"}}
    >>> [each.arguments for each in calls_in(parts_of(use))]
    [{'command': 'ls'}]
    """
    for part in parts:
        if part.kind == "call" and part.name:
            given = part.arguments
            of_server = part.type.startswith("mcp_")
            yield observed.ToolCall(
                **at, name=part.name, arguments=given, call_id=part.id, of_server=of_server
            )


def results_in(
    parts: Iterable[MessagePart], **at: Unpack[FolderPlace]
) -> Iterator[observed.ToolAnswer]:
    """Yield the results among a message's parts."""
    for part in parts:
        if part.kind == "result":
            yield observed.ToolAnswer(**at, text=part.words, call_id=part.id, status=part.status)


# The context sizes of models in tokens, by name, where a host reports none.
#
# Hosts often give a model less room than its maker does (200,000 of a million, 272,000 of
# 1,050,000). So there are two tables, both looked up in November 2026: agents' default sizes, which
# warn early rather than late, and makers' sizes. A size that the host reports with a reading takes
# precedence. For other models, put rows before these, or pass your own table.


@dataclass(frozen=True, slots=True)
class ModelLimit:
    """The context sizes of some models, in tokens.

    >>> ModelLimit("llama[", 8_192)
    Traceback (most recent call last):
    hud_runtime._errors.LimitError: the pattern 'llama[' of model names cannot be used: unterminated character set \
at position 5
    """

    pattern: str
    """A regular expression that is searched for in a model's name, in lower case; empty for all
    other models.
    """

    limit: int
    """The size in tokens: of a request and its answer together, as most makers count."""

    larger: int | None = None
    """The maker's next larger size, for a context that exceeds ``limit``; ``None`` where there is none."""

    def __post_init__(self) -> None:
        limit: object = self.limit
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise LimitError(
                f"the limit of models named {shown(self.pattern)} must be a positive integer, not {shown(limit)}"
            )
        try:
            re.compile(self.pattern)
        except (re.error, TypeError) as error:
            raise LimitError(
                f"the pattern {shown(self.pattern)} of model names cannot be used: {error}"
            ) from None


ModelLimits: TypeAlias = tuple[ModelLimit, ...]
"""A table of models: the first matching row counts."""


def _limits(of: str) -> ModelLimits:
    return tuple(
        ModelLimit(pattern, int(limit), int(larger) if larger else None)
        for where, limit, larger, pattern in rows("model-limits")
        if where == of
    )


MODEL_LIMITS: ModelLimits = _limits("agent")
"""The default context sizes of agents, by makers and families of models, as of November 2026."""

API_LIMITS: ModelLimits = (*_limits("api"), *MODEL_LIMITS)
"""The context sizes of makers' own APIs, as of November 2026: for agents that call these themselves."""


def limit_for(model: str | None, used: int, limits: ModelLimits = MODEL_LIMITS) -> int | None:
    """Return the size of a model's context, at least the tokens used; None if it is unknown.

    :param limits: the table, whose first matching row counts.

    >>> limit_for("claude-haiku-4-5", 50_000), limit_for("claude-haiku-4-5", 330_000)
    (200000, 1000000)
    >>> limit_for("in-house-7b", 5_000, (ModelLimit("in-house", 32_768), *MODEL_LIMITS))
    32768
    >>> limit_for("in-house-7b", 5_000) is None
    True
    """
    row = _by_name(model or "", limits)
    sizes = () if row is None else (row.limit, row.larger or 0)
    return next((size for size in sizes if used <= size), None)


def model_limits_of(rows: Iterable[ModelLimit]) -> ModelLimits:
    """Return a table of models.

    :raises LimitError: for anything that is not a row.

    >>> model_limits_of([("gpt", 5)])
    Traceback (most recent call last):
    hud_runtime._errors.LimitError: ('gpt', 5) is not a row of a table of models; write ModelLimit("gpt-5", 400_000)
    """
    table = tuple(rows)
    for row in table:
        given: object = row
        if not isinstance(given, ModelLimit):
            raise LimitError(
                f'{shown(given)} is not a row of a table of models; write ModelLimit("gpt-5", 400_000)'
            )
    return table


@lru_cache(maxsize=512)
def _by_name(model: str, limits: ModelLimits) -> ModelLimit | None:
    name = model.lower()
    return next((row for row in limits if re.search(row.pattern, name)), None)


WAITING = 1_000
"""Maximum calls without a result that are tracked."""


@dataclass(frozen=True, slots=True)
class ReaderPlace:
    """The position of a reader: the data that its successor needs in addition to the session's state."""

    turn: int = 0

    message: str | None = None
    """The id of the agent's last message."""

    read: tuple[int, dict[str, object]] | None = None
    """The last reading of the context, with its turn."""

    is_done: bool = False
    """True if work was committed since the last ask."""

    lives: dict[str, int] = field(default_factory=dict[str, int])
    """The last turn in which each open error is open, by the error's message."""

    asked: list[tuple[str, str | None, str | None]] = field(default_factory=list[Any])
    """The state to restore when user messages are undone: the id of each, the ask and the goal before it."""

    talk: tuple[list[str], list[str], str] = ([], [], "")
    """The agent's message so far, its commands since the previous one, and the end of the last message."""

    is_commit_unasked: bool = False
    """True if all messages were heard, and none is about commits."""

    is_unchecked: bool = False
    """True if all calls were seen, and none is a check."""

    is_flawless: bool = False
    """True if all calls were seen, and none failed."""

    named: str = ""
    """What the request names beside the words of the task."""

    edits: _work.EditedFiles = field(default_factory=_work.EditedFiles)
    """The last commits, and the places of the edited files' edits."""


class Reader:
    """Converts observations to event drafts, one at a time.

    A turn is one message of the agent with the effects of its calls; turn 0 comes before the first.
    Every message brings a reading of the context: the reported figure, or with ``estimates`` the
    tokens of all texts so far.

    :param table: the meaning of tools, commands and failures.
    :param markers: the patterns that find the task in a prompt.
    :param limit: the size of the context in tokens, if no reading has it; None for the model's
        size.
    :param model_limits: the sizes by model name; :data:`MODEL_LIMITS` when None.
    :param estimates: whether to estimate the tokens in the context, as nobody reports them.
    :param domain: the domain of the session. If it has working memory, facts worth remembering that
        no other section has are recorded there.

    >>> reader = Reader()
    >>> [draft.type for draft in reader.feed(observed.UserMessage(text="Add a login."))]
    ['task.set']
    """

    def __init__(
        self,
        table: _tools.ToolTable | None = None,
        *,
        markers: tuple[TaskMarker, ...] = TASK_MARKERS,
        limit: int | None = None,
        model_limits: ModelLimits | None = None,
        estimates: bool = False,
        domain: Domain[Any, Any] = CODING,
    ) -> None:
        self.turn = 0
        """The number of the agent's messages."""
        self.calls = 0
        """The number of calls."""
        self.problems: list[observed.Problem] = []
        """Calls that could not be read."""
        self.skipped: Counter[str] = Counter()
        """The number of ignored observations, by reason."""
        self.recorded: list[EventDraft] = []
        """Events that the agent recorded with its HUD's tool."""
        self.has_hud = False
        """Whether the agent called that tool at all."""
        self._table = _tools.ToolTable() if table is None else table
        self._limit = limit
        self._model_limits = MODEL_LIMITS if model_limits is None else model_limits
        self._estimates = estimates
        self._domain = domain
        self._memory = remembering(domain, self._table.memory)
        self._workspace = _work.Workspace()
        self._conversation = _conversation.Conversation(markers)
        self._effects = Calls(self._table, self._workspace, self._conversation)
        self.unknown = self._effects.unknown
        """The number of calls to unknown tools, by name."""
        self._talk = Talk()
        self._waiting: dict[str, observed.ToolCall] = {}
        self._unnamed: list[observed.ToolCall] = []
        self._message: str | None = None
        self._tokens = 0
        self._readings: list[tuple[int, int]] = []
        self._model: str | None = None
        self._reading: EventDraft | None = None
        self._read: EventDraft | None = None
        self._now: int | None = None
        self._has_run = False
        """Whether the last result is the output of a command."""

    def resume(self, state: State, turn: int) -> None:
        """Resume a session with this state, at this turn.

        >>> from hud_components import HudState, Task
        >>> reader = Reader()
        >>> reader.resume(HudState(task=Task(description="Add a login.")), 7)
        >>> [draft.type for draft in reader.feed(observed.UserMessage(text="Add a login."))]
        []
        """
        self.turn = self._effects.errors.turn = turn
        self.remember(state)
        self._conversation.rules.resume(getattr(state, "rules", ()))
        if isinstance(state, HudState):
            self._conversation.resume(state.task)
            self._effects.resume(state)
            project = None if state.session is None else state.session.project
            commit = self._effects.facts.get(_work.COMMIT, "")
            self._workspace.resume(project, state.active_files, commit)

    @property
    def place(self) -> ReaderPlace:
        """The position of the reader beyond the session's state, once all drafts are yielded
        (:meth:`finish`).
        """
        read = self._read
        return ReaderPlace(
            self.turn,
            self._message,
            None if read is None else (read.turn or 0, dict(read.payload)),
            self._conversation.is_done,
            self._effects.errors.lives,
            self._conversation.before,
            self._talk.place,
            self._conversation.is_commit_unasked,
            self._effects.is_unchecked,
            self._effects.is_flawless,
            self._conversation.named,
            deepcopy(self._workspace.edits),
        )

    def go_on_from(self, place: ReaderPlace) -> None:
        """Resume from another reader's position, after :meth:`resume`.

        >>> before = Reader()
        >>> _ = [*before.feed(observed.AgentMessage(message_id="m-1"))]
        >>> reader = Reader()
        >>> reader.go_on_from(before.place)
        >>> _ = [*reader.feed(observed.AgentMessage(message_id="m-1"))]
        >>> reader.turn
        1
        """
        self.advance(place.turn)
        self._message = place.message
        if place.read is not None:
            turn, payload = place.read
            self._read = EventDraft("context.snapshot", payload, turn)
        self._conversation.is_done = place.is_done
        self._conversation.before = place.asked
        self._talk.place = place.talk
        self._conversation.is_commit_unasked = place.is_commit_unasked
        self._effects.is_unchecked = place.is_unchecked
        self._effects.is_flawless = place.is_flawless
        self._conversation.named = place.named
        self._workspace.edits = deepcopy(place.edits)
        self._effects.errors.live_until(place.lives)

    def remember(self, state: State) -> None:
        """Read a state's plan and memory, which another writer may have changed."""
        if isinstance(state, HudState):
            self._effects.plan.resume(state)
        if self._memory is not None:
            self._memory.resume(state)

    def advance(self, turn: int) -> None:
        """Advance to this turn, unless it is past: another writer may have recorded turns."""
        self.turn = self._effects.errors.turn = max(self.turn, turn)

    def feed(self, seen: observed.AnyObservation) -> Iterator[EventDraft]:
        """Yield the drafts of one more observation."""
        if isinstance(seen, observed.OfChild):
            return  # another session's, with a reader of its own
        if self._memory is None:
            yield from self._meaning(seen)
            return
        for draft in self._meaning(seen):
            if not self._memory.takes(draft.type, draft.payload, draft.actor):
                yield draft
        who = SAYING.get(type(seen))
        if who is not None and (who != "tool" or self._has_run):
            self._memory.hear(who, getattr(seen, "text", ""))
        for by, told in self._memory.told(who or "host"):
            yield from self._drafts(seen.line, [(self._memory.event, told)], by)

    def _meaning(self, seen: observed.AnyObservation) -> Iterator[EventDraft]:
        if not isinstance(seen, (observed.AgentMessage, observed.ToolCall, observed.ContextUsed)):
            yield from self.finish(
                is_last=isinstance(
                    seen, observed.UserMessage | observed.Compacting | observed.Compacted
                )
            )
        if seen.timestamp is not None:
            self._now = seen.timestamp
        match seen:
            case observed.AgentMessage():
                yield from self._speech(seen)
            case observed.ToolCall():
                self._called(seen)
            case observed.ToolAnswer():
                self._count(seen.text if seen.is_read else "")
                yield from self._result(seen)
            case observed.UserMessage():
                self._count(seen.text)
                self._workspace.enter(seen.directory)
                told = self._conversation.said(
                    seen.text,
                    is_plan=seen.is_plan,
                    message_id=seen.message_id,
                    heard=self._talk.heard(seen.text),
                )
                yield from self._drafts(seen.line, told, "user")
                yield from self._drafts(seen.line, self._effects.commits(), "host")
            case observed.ContextUsed():
                self._measured(seen, seen.used)
            case observed.Undone():
                told = self._conversation.undone(seen.turns, seen.since)
                yield from self._drafts(seen.line, told, "user")
            case observed.Background():
                self._count(seen.text)
            case observed.Compacted():
                self._tokens = 0
                self._count(seen.summary)
                yield from self._drafts(
                    seen.line, self._compacted(_conversation.summary_in(seen.summary)), "host"
                )
            case _:
                self._workspace.enter(seen.directory)
                yield from self._drafts(seen.line, self._told_apart(seen), "host")

    def _compacted(self, summary: str) -> Iterator[_checks.EventPair]:
        """Yield the events of a summary: its open steps, unless a plan is known, what it tells beside them, and its text."""
        # Steps that the agent itself recorded are a plan, too, which its host's lacks.
        has_planned = any(draft.type.startswith("step.") for draft in self.recorded)
        told = [] if has_planned else [*self._effects.plan.summed(summary, self.turn)]
        yield from told
        gone = _work.gone_from(self._effects.facts.get(_work.DELETED, ""))
        yield from _conversation.told_in(summary, sorted(self._workspace.files), gone)
        yield from self._effects.compacted()
        moved = any(event == "step.add" for event, _ in told)
        yield (
            "compact.after",
            {"summary": _conversation.without_steps(summary) if moved else summary},
        )

    def finish(self, *, is_last: bool = True) -> Iterator[EventDraft]:
        """Yield the drafts of the message that ends here, and its reading: its last part has the
        final figure.

        :param is_last: whether the agent's turn is over.
        """
        yield from self._drafts(0, self._talk.told(is_last=is_last), "agent")
        if self._reading is not None:
            yield self._reading
            self._read, self._reading = self._reading, None

    def _told_apart(self, seen: observed.AnyObservation) -> Iterable[_checks.EventPair]:
        match seen:
            case observed.Title() if seen.text.strip():
                return [("session.title", {"title": cut(seen.text)})]
            case observed.Compacting():
                return [("compact.before", {"reason": seen.reason})]
            case observed.Found() if self._workspace.holds(""):
                return self._effects.fact(seen.name, seen.value, is_sure=True)
            case observed.FileChanged():
                path = self._workspace.shown(seen.path)
                return self._workspace.touch(_shell.FileUse(seen.event, path))
            case observed.PlanWritten():
                return self._effects.plan.steps(seen.steps)
            case observed.Decided():
                decided: dict[str, object] = {
                    "summary": cut(seen.summary),
                    "details": cut(seen.details),
                }
                return [("decision.record", decided)]
            case observed.Failed():
                message = telling_line(seen.message)
                return self._effects.errors.failed(("host", message), "tool", message)
            case _:
                return ()

    def _speech(self, speech: observed.AgentMessage) -> Iterator[EventDraft]:
        if speech.message_id is None or speech.message_id != self._message:
            yield from self.finish(is_last=False)
            self.turn += 1
            self._message = speech.message_id
            yield from self._drafts(speech.line, self._effects.errors.begin(self.turn), "host")
            yield from self._drafts(speech.line, self._effects.plan.forgotten(self.turn), "host")
        if speech.message_id is None:
            # Such formats answer every call before the next message, and reuse their ids.
            self._unnamed.clear()
        self._workspace.enter(speech.directory)
        self._talk.says(speech.text)
        self._count(speech.text)
        is_estimated = self._estimates and not speech.usage
        self._measured(speech, speech.used or (self._tokens if is_estimated else None))

    def _measured(
        self, seen: observed.AgentMessage | observed.ContextUsed, used: int | None
    ) -> None:
        self._model = seen.model or self._model
        used = used or (seen.usage.total if seen.usage else None)
        if not used:
            return
        self._readings.append((self._tokens, used))
        told = seen.limit or self._limit
        size = max(told, used) if told else limit_for(self._model, used, self._model_limits)
        if size is None:
            return  # no percentage without a size
        payload: dict[str, object] = {"used": used, "limit": size}
        if seen.usage is not None:
            payload |= seen.usage.figures
        if self._model is not None:
            payload["model"] = self._model
        for draft in self._drafts(seen.line, [("context.snapshot", payload)], "host"):
            read = self._read
            if read is None or (read.turn, read.payload) != (draft.turn, draft.payload):
                self._reading = draft

    # --- Calls and their answers ---

    def _called(self, call: observed.ToolCall) -> None:
        if not call.by_user:
            self.calls += 1
            self._talk.calls()
        tool = self._table.tool(call.name)
        if isinstance(tool, _tools.ShellTool) and not call.by_user:
            self._talk.runs(_tools.scripts_of(call.arguments, tool))
        if not call.in_text:
            self._count(json.dumps(dict(call.arguments), ensure_ascii=False, default=str))
        if call.call_id is None:
            self._unnamed.append(call)
            return
        self._waiting[call.call_id] = call
        if len(self._waiting) > WAITING:
            del self._waiting[next(iter(self._waiting))]

    def _result(self, result: observed.ToolAnswer) -> Iterator[EventDraft]:
        call = self._answered(result)
        self._has_run = (
            call is not None
            and result.status not in ("failed", "refused", "cancelled")
            and isinstance(self._table.tool(call.name), _tools.ShellTool)
        )
        if call is None:
            self.skipped["answer without a call"] += 1
        elif isinstance(tool := self._table.tool(call.name), _tools.HudTool):
            yield from self._operation(tool, call, result)
        elif result.is_final:
            directory = call.directory or None
            self._workspace.enter(directory)
            yield from self._drafts(call.line, self._effects.answered(call, result), "tool")
            failures = self._effects.failures(result, is_output=self._has_run)
            yield from self._drafts(call.line, failures, "tool")
        self._workspace.enter(result.directory)

    def _answered(self, result: observed.ToolAnswer) -> observed.ToolCall | None:
        if result.call_id is not None and result.call_id in self._waiting:
            if result.is_final:
                return self._waiting.pop(result.call_id)
            return self._waiting[result.call_id]
        if result.call_id is None:
            if self._unnamed:
                return self._unnamed.pop(0)
            if self._waiting:
                return self._waiting.pop(next(iter(self._waiting)))
        return None

    def _operation(
        self, tool: _tools.HudTool, call: observed.ToolCall, result: observed.ToolAnswer
    ) -> Iterator[EventDraft]:
        self.has_hud = True
        if result.status in ("failed", "refused", "cancelled"):
            return
        ours = {tool.operation: TOOL, tool.arguments: ARGS}
        given = {ours.get(name, name): value for name, value in call.arguments.items()}
        try:
            found = _tools.recorded(call.name, given, result.text, self._domain)
        except ValueError as error:
            self.problems.append(observed.Problem(call.line, str(error)))
            return
        for draft in self._drafts(call.line, found, "agent"):
            self.recorded.append(draft)
            yield draft

    # --- Drafts ---

    def _drafts(
        self, line: int, told: Iterable[_checks.EventPair], actor: Actor
    ) -> Iterator[EventDraft]:
        """Yield the drafts of events, or record why one is invalid."""
        for event_type, payload in told:
            said = cast("Record", replace_surrogates(payload))
            domain = self._domain if event_type in catalog_of(self._domain) else CODING
            try:
                catalog_of(domain).parse(event_type, said)
            except EventError as error:
                self.problems.append(observed.Problem(line, str(error)))
            else:
                yield EventDraft(
                    event_type, said, self.turn, self._now, _speaker(event_type, actor)
                )

    def _count(self, text: str) -> None:
        self._tokens += estimate_tokens(text)

    @property
    def calibration(self) -> CalibratedCounter | None:
        """The token estimate, corrected by the host's figures; None if the host reported too few."""
        return None if self._estimates else calibrated_by(self._readings)


def _is_of_server(call: observed.ToolCall) -> bool:
    """Return whether a call is to a server's tool, by its record or its name."""
    return call.of_server or call.name.startswith("mcp__")


SAYING: dict[type[observed.AnyObservation], _tools.Saying] = {
    observed.UserMessage: "user",
    observed.AgentMessage: "agent",
    observed.ToolAnswer: "tool",
}
"""The speaker of each observation with words."""


def _speaker(event_type: EventType, actor: Actor) -> Actor:
    """The actor of an event in a tool's answer: decisions, tasks and rules are the user's, steps
    the agent's.
    """
    return _SPEAKERS.get(event_type.partition(".")[0], actor) if actor == "tool" else actor


_SPEAKERS: dict[str, Actor] = {"step": "agent", "decision": "user", "task": "user", "rule": "user"}
