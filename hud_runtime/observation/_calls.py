"""The effects of a call, once its answer is there: files touched, steps done, checks run, errors met.

An edit that was refused has edited nothing, so nothing is told before the answer. An error belongs to what
was tried, such as a check or the edit of one file; when the same succeeds later, the error is resolved.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from hud_components import HudState
from hud_runtime.observation._call_arguments import ByFiles, files_of, first, scripts_of
from hud_runtime.observation._checked import Checked, said
from hud_runtime.observation._conversation import Conversation
from hud_runtime.observation._decisions import answers, plan_of
from hud_runtime.observation._edited_text import made_new
from hud_runtime.observation._facts import COMMIT, PULL_REQUEST, facts_in, under_way
from hud_runtime.observation._failures import (
    failure_in,
    is_misuse,
    is_slip,
    telling_line,
    was_refused,
)
from hud_runtime.observation._ledger import ErrorKind, Ledger, Told
from hud_runtime.observation._observations import ToolCall, ToolResult
from hud_runtime.observation._plan import Plan
from hud_runtime.observation._resume import open_errors
from hud_runtime.observation._sentences import cut
from hud_runtime.observation._shell import Touched, edits_open_file, touched, touched_by
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
        self._checked = Checked(self.errors, table.failures)
        self._has_made = False
        """Whether the session has made a pull request, or its host has told one."""

    def resume(self, state: HudState) -> None:
        """Go on from what a session's state tells of calls before."""
        for key, kind, message, check in open_errors(state):
            self.errors.resume(key, kind, message, self.turn, check)
        self.facts.update((each.name, each.value) for each in state.facts)
        self._has_made = PULL_REQUEST in self.facts
        self._checked.resume(each.name for each in state.checks if each.result == "fail")
        self.plan.resume(Todo(each.description, each.completed) for each in state.next_steps)

    def answered(self, call: ToolCall, result: ToolResult) -> Iterator[Told]:
        """Yield what an answered call has done."""
        tool = self._table.tool(call.name)
        if result.status == "cancelled":
            return
        if result.status == "refused" or (
            result.status == "failed" and result.exit_code is None and was_refused(result.text)
        ):
            yield from self._refused(call, tool, result)
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
                for event_type, answer in answers(given, result.text, result.data):
                    yield event_type, answer
                    yield from self._conversation.ruled(str(answer["summary"]))
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

    def _refused(self, call: ToolCall, tool: Tool | None, result: ToolResult) -> Iterator[Told]:
        # A server's error has whatever words it likes: those of a refusal, too.
        if result.wish and not call.name.startswith("mcp__"):
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
        commands, checks = self._checked.read(script)
        is_told = result.status != "silent"
        found = verdicts(commands, checks, result, self._table.failures) if is_told else []
        ran = touched_by(self._that_ran(commands, found, result), self._table.commands)
        directory = first(call.arguments, ("workdir", "dir_path", "directory", "cwd", "Cwd"))
        for file in self._workspace.resolved(ran, directory):
            yield from self._workspace.touch(file)
            if file.event == "file.edit":
                yield from self.errors.succeeded(("edit", file.path or ""))
        # A commit closes what was in its way, not what the same script ran into behind it.
        yield from self._checked.merge(commands, result, self.turn)
        for verdict in found:
            yield from self._checked.verdict(verdict, result, self.turn)
        if not found:
            yield from self._checked.unchecked(script, commands, result, self.turn)
        if "git" in script or "gh " in script:
            is_here = partial(self._workspace.holds, directory=directory)
            found_facts = list(facts_in(commands, result.text, is_here))
            merging = under_way(commands, result.text, is_here)
            if merging is not None:
                yield from self._checked.under_way(merging, self.turn)
            is_made = any(one.words[:3] == ["gh", "pr", "create"] for one in commands)
            for name, value in found_facts:
                # A pull request that is only looked at is not yet the session's.
                if name != PULL_REQUEST or is_made or not self._has_made:
                    yield from self.fact(name, value, is_sure=is_made)
            if is_made or any(name == COMMIT for name, _ in found_facts):
                self._conversation.committed()

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
            is_new = made_new(result)
            for one in files:
                yield from self._workspace.touch(replace(one, is_new=is_new) if is_new else one)
            for path in edited:
                yield from self.errors.succeeded(("edit", path))
            if edited:
                yield from self.errors.went_on("misuse")
        elif edited and not is_slip(result.text):
            words = said(edited[0], message)
            kind: ErrorKind = "misuse" if is_misuse(message) else "edit"
            yield from self.errors.failed(("edit", edited[0]), kind, words, self.turn)

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
            yield from self.errors.failed(key, "tool", said(call.name, message), self.turn)
