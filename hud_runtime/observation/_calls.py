"""What a call has done, once its answer is there: files touched, steps done, checks run, errors met.

An edit that was refused has edited nothing, so nothing is told before the answer. An error belongs to what
was tried, such as a check or the edit of one file; when the same succeeds later, the error is resolved.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hud_components import HudState
from hud_runtime.observation._checks import Check, checks_in
from hud_runtime.observation._conversation import Conversation
from hud_runtime.observation._decisions import answers, plan_of
from hud_runtime.observation._facts import COMMIT, PULL_REQUEST, facts_in
from hud_runtime.observation._failures import (
    LONGEST,
    failure_in,
    is_misuse,
    is_slip,
    telling_line,
    was_refused,
)
from hud_runtime.observation._json import Record, sequence, string
from hud_runtime.observation._ledger import ErrorKind, Ledger, Told
from hud_runtime.observation._observations import ToolCall, ToolResult
from hud_runtime.observation._patches import patched
from hud_runtime.observation._plan import Plan
from hud_runtime.observation._resume import open_errors
from hud_runtime.observation._sentences import cut
from hud_runtime.observation._shell import Touched, edits_open_file, touched, touched_by
from hud_runtime.observation._shell_scripts import all_commands
from hud_runtime.observation._shell_words import Command
from hud_runtime.observation._todos import Todo
from hud_runtime.observation._tools import (
    CodeTool,
    EditorTool,
    FileTool,
    MoveTool,
    PatchTool,
    PlanTool,
    QuestionTool,
    ShellTool,
    TaskTool,
    TodoTool,
    Tool,
    ToolTable,
)
from hud_runtime.observation._verdicts import Verdict, has_failed, verdicts
from hud_runtime.observation._workspace import Workspace
from hud_runtime.observation._written_by_code import written_by

ByFiles: TypeAlias = FileTool | EditorTool | PatchTool | MoveTool | CodeTool
"""The tools whose calls name files."""

Script: TypeAlias = tuple[Sequence[Command], Sequence[tuple[int, Check]]]
"""The commands of a script, and the checks among them with their places."""

SHORT_SCRIPT, SCRIPTS_KEPT = 500, 256
"""Characters below which a script's commands are kept, and of how many scripts."""

COMMAND_SHOWN = 60
"""Characters of a command that an error repeats."""

GIT_CHECKS = frozenset(f"git {one}" for one in ("push", "commit", "merge", "rebase", "pull", "am", "cherry-pick", "revert"))  # fmt: skip
"""What of git stands among the checks when it fails, until it succeeds."""

_MERGES = frozenset({"merge", "rebase", "cherry-pick", "revert", "stash", "pull", "am"})
_ENDS_MERGE = frozenset({"--abort", "--continue", "--skip", "--quit"})
_ERROR_KINDS: dict[str, ErrorKind] = {"script": "script", "packages": "packages", "git": "git"}


class Calls:
    """The effects of a session's calls, one after the other."""

    def __init__(self, table: ToolTable, workspace: Workspace, conversation: Conversation) -> None:
        self.turn = 0
        self.plan = Plan()
        self.errors = Ledger()
        self.facts: dict[str, str] = {}
        self.unknown: Counter[str] = Counter()
        self._table = table
        self._workspace = workspace
        self._conversation = conversation
        self._failing: set[str] = set()
        self._scripts: dict[str, Script] = {}
        self._has_made = False
        """Whether the session has made a pull request, or its host has told one."""

    def resume(self, state: HudState) -> None:
        """Go on from what a session's state tells of calls before."""
        for key, kind, message, check in open_errors(state):
            self.errors.resume(key, kind, message, self.turn, check)
        self.facts.update((each.name, each.value) for each in state.facts)
        self._has_made = PULL_REQUEST in self.facts
        self._failing.update(each.name for each in state.checks if each.result == "fail")
        self.plan.resume(Todo(each.description, each.completed) for each in state.next_steps)

    def answered(self, call: ToolCall, result: ToolResult) -> Iterator[Told]:
        """Yield what an answered call has done."""
        tool = self._table.tool(call.name)
        if result.status == "cancelled":
            return
        if result.status == "refused" or (result.status == "failed" and was_refused(result.text)):
            yield from self._refused(tool, result)
            return
        given = call.arguments
        match tool:
            case ShellTool():
                yield from self._shell(scripts_of(given, tool), call, result)
            case FileTool() | EditorTool() | PatchTool() | MoveTool() | CodeTool():
                yield from self._edited(tool, call, result)
            case TodoTool() if result.status != "failed":
                yield from self.plan.written(given, tool)
            case TaskTool() if result.status != "failed":
                yield from self.plan.task(tool, given, result.text, result.data)
            case QuestionTool() if result.status != "failed":
                yield from answers(given, result.text, result.data)
            case PlanTool():
                title = plan_of(given, result.text, result.data)
                if title is not None and result.status != "failed":
                    yield from self._conversation.approved(title)
            case None:
                self.unknown[call.name] += 1
                yield from self._other(call, result)
            case _:
                pass
        yield from self._workspace.shows(result.open_file)

    def _refused(self, tool: Tool | None, result: ToolResult) -> Iterator[Told]:
        if result.wish:
            if isinstance(tool, PlanTool):
                yield "decision.record", {"summary": f"Plan sent back: {cut(result.wish)}"}
            yield from self._conversation.said(result.wish)

    # --- Commands ---

    def _shell(self, script: str, call: ToolCall, result: ToolResult) -> Iterator[Told]:
        if edits_open_file(script, self._table.commands):
            files = self._workspace.resolved(
                touched(script, self._table.commands), or_open_file=True
            )
            yield from self._tried_edit(files, result)
            return
        commands, checks = self._read(script)
        is_told = result.status != "silent"
        found = verdicts(commands, checks, result, self._table.failures) if is_told else []
        ran = touched_by(self._that_ran(commands, found, result), self._table.commands)
        directory = _first(call.arguments, ("workdir", "dir_path", "directory", "cwd", "Cwd"))
        for file in self._workspace.resolved(ran, directory):
            yield from self._workspace.touch(file)
            if file.event == "file.edit":
                yield from self.errors.succeeded(("edit", file.path or ""))
        for verdict in found:
            yield from self._verdict(verdict, result)
        yield from self._merge(commands, result)
        yield from self._unchecked(script, commands, found, result)
        if "git" in script or "gh " in script:
            found_facts = list(facts_in(commands, result.text))
            is_made = any(one.words[:3] == ["gh", "pr", "create"] for one in commands)
            for name, value in found_facts:
                # A pull request that is only looked at is not yet the session's.
                if name != PULL_REQUEST or is_made or not self._has_made:
                    yield from self.fact(name, value, is_sure=is_made)
            if is_made or any(name == COMMIT for name, _ in found_facts):
                self._conversation.committed()

    def _read(self, script: str) -> Script:
        """The commands of a script and the checks among them; agents run the same ones again and again."""
        known = self._scripts.get(script)
        if known is None:
            commands = all_commands(script)
            known = commands, checks_in(commands)
            if len(script) < SHORT_SCRIPT:
                if len(self._scripts) == SCRIPTS_KEPT:
                    self._scripts.clear()
                self._scripts[script] = known
        return known

    def fact(self, name: str, value: str, *, is_sure: bool = False) -> Iterator[Told]:
        """Yield what is told of a fact, if it is news."""
        self._has_made = self._has_made or (name == PULL_REQUEST and is_sure)
        if self.facts.get(name, "") != value:
            self.facts[name] = value
            yield "fact.set", {"name": name, "value": value}

    def _that_ran(
        self, commands: Sequence[Command], found: Sequence[Verdict], result: ToolResult
    ) -> Sequence[Command]:
        """The commands that have done what they say: those before the one that failed."""
        if not has_failed(result):
            missing = len(result.text) < 500 and "No such file or directory" in result.text
            return () if missing and len(commands) == 1 else commands
        if any(verdict.message is not None for verdict in found):
            return commands
        return [one for one in commands[:-1] if one.joint != "&&"]

    def _verdict(self, verdict: Verdict, result: ToolResult) -> Iterator[Told]:
        check, message = verdict.check, verdict.message
        key = ("check", check.name)
        if verdict.compiles and check.chain:
            yield from self.errors.compiled(check)
        if message is None:
            yield from self.errors.passed(check, verdict.chain)
            if check.kind == "git":
                yield from self.errors.went_on("git")
        elif is_slip(result.text):
            return
        elif "CONFLICT (" in result.text and check.kind == "git":
            yield from self.errors.failed(
                ("conflict", ""),
                "conflict",
                _said(check.command, conflicts(result.text)),
                self.turn,
            )
        else:
            misused = is_misuse(message)
            kind = "misuse" if misused else _ERROR_KINDS.get(check.kind, "check")
            yield from self.errors.failed(
                key,
                kind,
                _said(check.command, message),
                self.turn,
                check,
                compiles=verdict.compiles,
                chain=verdict.chain,
            )
            if misused and check.name not in self._failing:
                return
        is_news = message is not None or check.name in self._failing
        if check.kind == "git" and not (is_news and check.name in GIT_CHECKS):
            return
        if message is None and check.kind == "packages" and check.name not in self._failing:
            return
        (self._failing.discard if message is None else self._failing.add)(check.name)
        outcome = "pass" if message is None else "fail"
        yield "check.result", {"name": check.name, "command": check.command, "result": outcome}

    def _merge(self, commands: Sequence[Command], result: ToolResult) -> Iterator[Told]:
        """What ends a merge: a commit, giving it up, going on with it."""
        if has_failed(result):
            return
        for command in commands:
            words = command.words
            if words[:1] != ["git"]:
                continue
            if "commit" in words[:4] or "reset" in words[:4] or _ENDS_MERGE.intersection(words):
                yield from self.errors.merged()
                for name in [one for one in self._failing if one.removeprefix("git ") in _MERGES]:
                    self._failing.discard(name)
                    yield "check.result", {"name": name, "command": name, "result": "pass"}
            if "commit" in words[:4]:
                yield from self.errors.committed(self.turn)

    def _unchecked(
        self, script: str, commands: Sequence[Command], found: Sequence[Verdict], result: ToolResult
    ) -> Iterator[Told]:
        """What went wrong, in words that any command may say, in a script that checks nothing."""
        if found or any(one.text for one in commands) or any("-c" in one.words for one in commands):
            return
        key = ("command", " ".join(script.split())[:500])
        message = failure_in(result.text, "command", self._table.failures)
        if message is None or is_slip(result.text):
            yield from self.errors.succeeded(key)
            return
        label = cut(script.strip().partition("\n")[0], COMMAND_SHOWN)
        kind: ErrorKind = "misuse" if is_misuse(message) else "command"
        yield from self.errors.failed(key, kind, _said(label, message), self.turn)

    # --- Files ---

    def _edited(self, tool: ByFiles, call: ToolCall, result: ToolResult) -> Iterator[Told]:
        or_open_file = isinstance(tool, FileTool) and tool.on_open_file
        files = self._workspace.resolved(files_of(tool, call.arguments), or_open_file=or_open_file)
        yield from self._tried_edit(files, result)

    def _tried_edit(self, files: Sequence[Touched], result: ToolResult) -> Iterator[Told]:
        edited = [one.path or "" for one in files if one.event == "file.edit"]
        message = failure_in(result.text, "edit", self._table.failures) if edited else None
        if message is None and result.status == "failed":
            message = telling_line(result.text)
        if message is None:
            for one in files:
                yield from self._workspace.touch(one)
            for path in edited:
                yield from self.errors.succeeded(("edit", path))
            if edited:
                yield from self.errors.went_on("misuse")
        elif edited and not is_slip(result.text):
            said = _said(edited[0], message)
            kind: ErrorKind = "misuse" if is_misuse(message) else "edit"
            yield from self.errors.failed(("edit", edited[0]), kind, said, self.turn)

    # --- Tools that nobody knows ---

    def _other(self, call: ToolCall, result: ToolResult) -> Iterator[Told]:
        key = (
            "tool",
            f"{call.name} {json.dumps(dict(call.arguments), sort_keys=True, default=str)[:500]}",
        )
        message = failure_in(result.text, "command", self._table.failures)
        if message is None and result.status == "failed" and not is_slip(result.text):
            message = telling_line(result.text)
        if message is None:
            yield from self.errors.succeeded(key)
        else:
            yield from self.errors.failed(key, "tool", _said(call.name, message), self.turn)


def scripts_of(given: Record, tool: ShellTool) -> str:
    r"""Return the script that a call runs, which may be a text, a command's words, or several scripts.

    >>> scripts_of({"command": ["bash", "-lc", "make test"]}, ShellTool())
    "bash -lc 'make test'"
    """
    for name in tool.command:
        value = given.get(name)
        if isinstance(value, str):
            return value
        words = [*filter(None, map(string, sequence(value)))]
        if words:
            return "\n".join(words) if name == "commands" else shlex.join(words)
    return ""


def files_of(tool: ByFiles, given: Record) -> Iterator[Touched]:
    """Yield the files that a call of a tool is about."""
    match tool:
        case FileTool():
            yield Touched(tool.event, _first(given, tool.path))
        case EditorTool():
            command = string(given.get(tool.command))
            writes = any(
                name in given
                for name in ("content", "new_string", "new_str", "file_text", "new_text")
            )
            event = tool.events.get(command or ("edit" if writes else "view"))
            if event is not None:
                yield Touched(event, _first(given, tool.path))
        case PatchTool():
            found = list(patched(_first(given, tool.patch) or ""))
            for change, changed in found:
                yield Touched(change, changed)
            if not found:
                yield Touched("file.edit", _first(given, ("path", "file_path", "filePath")))
        case CodeTool():
            for written in written_by(_first(given, tool.code) or ""):
                yield Touched("file.edit", written)
        case MoveTool():
            source, target = _first(given, tool.source), _first(given, tool.target)
            if source and target:
                yield Touched("file.close", source)
                yield Touched("file.edit", target)


def conflicts(text: str) -> str:
    r"""Return which files are in conflict.

    >>> conflicts("CONFLICT (content): Merge conflict in a.py\nCONFLICT (content): Merge conflict in b.py")
    'CONFLICT in a.py, b.py'
    """
    lines = [line for line in text.splitlines() if line.startswith("CONFLICT (")]
    files = [line.rpartition(" in ")[2].strip() or line for line in lines]
    shown = ", ".join(files[:4])
    more = f" (+{len(files) - 4} more)" if len(files) > 4 else ""
    return f"CONFLICT in {shown}{more}"


def _first(given: Record, names: Sequence[str]) -> str | None:
    return next(filter(None, (string(given.get(name)) for name in names)), None)


def _said(label: str, message: str) -> str:
    return cut(f"{cut(label, COMMAND_SHOWN)}: {message}", LONGEST)
