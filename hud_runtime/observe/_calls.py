"""Calls of tools, and of the HUD's own tool, as observations."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel

from hud_components import CODING, Domain, HudSection, HudState
from hud_runtime.log.events import EventType, New, catalog_of
from hud_runtime.observe._asks import cut
from hud_runtime.observe._checks import (
    Checked,
    CheckVerdict,
    ErrorKind,
    Ledger,
    Told,
    has_failed,
    said,
    verdicts,
)
from hud_runtime.observe._conversation import Conversation, answers, plan_of
from hud_runtime.observe._failures import (
    failure_in,
    is_misuse,
    is_slip,
    telling_line,
    was_refused,
)
from hud_runtime.observe._observations import ToolAnswer, ToolCall
from hud_runtime.observe._shell import (
    SimpleCommand,
    Touched,
    edits_open_file,
    made_new,
    touched,
    touched_by,
)
from hud_runtime.observe._tools import (
    ByFiles,
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
    files_of,
    first,
    operations_of,
    scripts_of,
)
from hud_runtime.observe._work import (
    COMMIT,
    PULL_REQUEST,
    TrackedPlan,
    Workspace,
    facts_in,
    issue_made,
    open_errors,
    under_way,
)
from hud_runtime.tools._operations import (
    NAME,
    STANDINGS,
    Layout,
    Named,
    document,
    hud_toolset,
    items_in,
    meaning,
)
from ujsx.tools import Operation, Toolset
from ujsx.tools import ToolResult as CallResult


class Calls:
    """The effects of a session's calls, one after the other."""

    def __init__(self, table: ToolTable, workspace: Workspace, conversation: Conversation) -> None:
        self.turn = 0
        self.plan = TrackedPlan()
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

    def answered(self, call: ToolCall, result: ToolAnswer) -> Iterator[Told]:
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

    def _refused(self, call: ToolCall, tool: Tool | None, result: ToolAnswer) -> Iterator[Told]:
        # A server's error has whatever words it likes: those of a refusal, too.
        if result.wish and not call.name.startswith("mcp__"):
            if isinstance(tool, PlanTool):
                yield "decision.record", {"summary": f"Plan sent back: {cut(result.wish)}"}
            yield from self._conversation.said(result.wish)

    # --- Commands ---

    def _shell(self, script: str, call: ToolCall, result: ToolAnswer) -> Iterator[Told]:
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
            # What a command leaves among temporary files is output that was kept, not work.
            is_output = file.event == "file.edit" and self._workspace.is_scratch(file.path or "")
            yield from self._workspace.touch(Touched("file.open", file.path) if is_output else file)
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
        self, commands: Sequence[SimpleCommand], found: Sequence[CheckVerdict], result: ToolAnswer
    ) -> Sequence[SimpleCommand]:
        """The commands that have done what they say: those before the one that failed."""
        if not has_failed(result):
            missing = len(result.text) < 500 and "No such file or directory" in result.text
            return () if missing and len(commands) == 1 else commands
        if any(verdict.message is not None for verdict in found):
            return commands
        return [one for one in commands[:-1] if one.joint != "&&"]

    # --- Files ---

    def _edited(self, tool: ByFiles, call: ToolCall, result: ToolAnswer) -> Iterator[Told]:
        or_open_file = isinstance(tool, FileTool) and tool.on_open_file
        files = self._workspace.resolved(files_of(tool, call.arguments), or_open_file=or_open_file)
        yield from self._tried_edit(files, result)

    def _tried_edit(self, files: Sequence[Touched], result: ToolAnswer) -> Iterator[Told]:
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

    def _other(self, call: ToolCall, result: ToolAnswer) -> Iterator[Told]:
        key = (
            "tool",
            f"{call.name} {json.dumps(dict(call.arguments), sort_keys=True, default=str)[:500]}",
        )
        message = failure_in(result.text, "command", self._table.failures)
        if message is None and result.status == "failed" and not is_slip(result.text):
            message = telling_line(result.text)
        if message is None:
            yield from self.errors.succeeded(key)
            for name, value in issue_made([call.name.rpartition("__")[2]], result.text):
                yield from self.fact(name, value)
        else:
            yield from self.errors.failed(key, "tool", said(call.name, message), self.turn)


# Calls of the agent's own HUD tool, read as the tool itself reads them.
#
# A toolset does the reading, so that every layout and every repair that the tool takes counts here
# too. Its operations record nothing: each answers with what it would record.

_ID = r"`?(?P<id>[\w.:-]+?)`?"
"""An id as an answer shows it."""


def recorded(
    name: str, given: Mapping[str, object], answer: str, domain: Domain[Any, Any] = CODING
) -> list[tuple[EventType, dict[str, Any]]]:
    """Return the events of an answered call, each with its payload; none for a call that only reads.

    A new item gets the id that the answer tells, by which later calls name it.

    Raises :class:`ValueError` for a call that the tool would not have understood.

    >>> recorded("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}, "Added n-3.")
    [('note.add', {'content': 'Port 8080', 'id': 'n-3'})]
    """
    result = _calls(domain).call(_tool(name, domain), dict(given))
    if result.is_error:
        if result.operation is not None and operations_of(domain)[result.operation] is None:
            return []
        raise ValueError(f"{name}: {_why(result)}")
    several = result.operation is None
    one = {"op": result.operation, "data": result.data}
    calls: list[dict[str, Any]] = result.data if several else [one]
    lines = answer.splitlines() if several else [answer]
    told = lines if len(lines) in (len(calls), len(calls) + 1) else [""] * len(calls)  # the status
    events = (_event(each, line, domain) for each, line in zip(calls, told, strict=False))
    return [event for event in events if event is not None]


def _event(
    call: Mapping[str, Any], answer: str, domain: Domain[Any, Any]
) -> tuple[EventType, dict[str, Any]] | None:
    """The event of one call; None where it only reads."""
    operation = call["op"]
    event = operations_of(domain)[operation]
    if event is None:
        return None
    payload: dict[str, Any] = call["data"]
    told = _told_id(operation, answer, domain)
    if told is not None and issubclass(catalog_of(domain)[event], New):
        payload.setdefault("id", told)
    return event, payload


@lru_cache(maxsize=8)
def _calls(domain: Domain[Any, Any]) -> Toolset:
    own = hud_toolset(None, domain=domain, layouts=True).operations
    events = operations_of(domain)
    former = {name: event for name, event in events.items() if event and name not in own}
    return Toolset(
        [
            *(replace(each, handler=_handler(each, domain)) for each in own.values()),
            *(Operation(name, catalog_of(domain)[former[name]], _payload) for name in former),
        ],
        name=NAME,
        meant=meaning(domain, own.values()),
        transaction=nullcontext,
    )


def _handler(operation: Operation, domain: Domain[Any, Any]) -> Callable[[Any], CallResult]:
    """The function that answers a call with the event that it records."""
    event = operations_of(domain).get(operation.name)
    if event == "layout.set":
        return partial(_document, domain)
    if event in STANDINGS:
        return _section
    section = _section_of(operation.name, domain) if event == "section.replace" else None
    return _payload if section is None else partial(_items, section.field)


def _payload(arguments: BaseModel) -> CallResult:
    return CallResult("", data=arguments.model_dump(mode="json", exclude_unset=True))


def _items(field: str, asked: BaseModel) -> CallResult:
    return CallResult("", data={field: items_in(asked)})


def _section_of(operation: str, domain: Domain[Any, Any]) -> type[HudSection] | None:
    name = operation.rpartition(".")[0]
    return next((each for each in domain.tools if each.name == name), None)


def _document(domain: Domain[Any, Any], asked: Layout) -> CallResult:
    return CallResult("", data={"layout": document(asked.layout, domain.state)})


def _section(asked: Named) -> CallResult:
    return CallResult("", data={"section": asked.section})


def _tool(name: str, domain: Domain[Any, Any]) -> str:
    """The tool's own name, without a server's before it; a user may call the tool otherwise."""
    bare = name.rpartition("__")[2]
    return bare if _calls(domain).has(bare) else NAME


def _told_id(operation: str, answer: str, domain: Domain[Any, Any]) -> str | None:
    happening = domain.operations.get(operation)
    if happening is None:
        return None
    pattern = re.escape(happening.verb.answer).replace(re.escape("{id}"), _ID)
    rest = "$" if happening.verb.also is None else r"(?: [^\n]*)?$"
    found = re.match(f"{pattern}{rest}", answer, re.MULTILINE)
    return None if found is None else found.groupdict().get("id")


def _why(result: CallResult) -> str:
    problems: list[dict[str, Any]] = result.data["problems"]
    return "; ".join(
        ": ".join(each[name] for name in ("path", "problem") if name in each) for each in problems
    )
