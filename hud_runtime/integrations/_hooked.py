"""Hosts with hooks, one row each, and their common code."""

from __future__ import annotations

import json
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from hud_runtime._breaker import tried_again
from hud_runtime._location import home_folder
from hud_runtime.context.delivery import Delivery, RequestMessage
from hud_runtime.integrations._host_session import HostSession, Source
from hud_runtime.integrations._sending import Guard, HostSettings, asks_to_compact, nothing
from hud_runtime.integrations.bridge import Answer
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping
from hud_runtime.observe.messages import with_answers
from hud_runtime.session import HudStore

if TYPE_CHECKING:
    from ujsx.tools import Toolset

# The table of coding agents whose hooks ask a bridge: one row each, all data.
#
# A row has the host's events and fields, the limits of its texts, the place of its settings, and
# advice for the person. :mod:`~hud_runtime.integrations._hook_events` answers the events by these
# rows, and :mod:`~hud_runtime.integrations._installing` installs the hooks. A figure comes from a
# run of the real client, in the version that its row names.

Meaning: TypeAlias = Literal[
    "began", "ended", "prompted", "calls_hud", "used", "call_failed", "worked", "compacts",
    "compacted", "said", "subagent_began", "subagent_ended", "task_changed",
]  # fmt: skip
"""The meaning of an event, under any host's name."""

SERVER = "ujsx"
"""The MCP server's name in a host's settings."""


class HookEvent(NamedTuple):
    """An event that is answered."""

    means: Meaning
    seconds: int = 10
    """Maximum seconds for an answer."""
    matcher: str = ""
    """The tools whose calls are reported; empty for all."""
    server_fields: tuple[str, ...] | None = None
    """The fields that the host passes to the resident server, which then answers; None if the host starts
    our program.
    """
    is_optional: bool = False
    """True if the event is needed only for pruning tool outputs."""


class Readings(NamedTuple):
    """The places of a reading of the context in a line of a session's file."""

    usage: str
    model: str = "model"
    limit: str = ""
    """The place of the context's size, if the line has it."""
    boundary: str = ""
    """The subtype of the line of a compaction, before which readings do not count."""
    dialects: tuple[observed.UsageDialect, ...] = observed.DIALECTS
    """The names of the figures in a usage."""


class SessionFiles(NamedTuple):
    """The files of a session whose prompts have no event: JSON, below the settings' folder."""

    messages: str
    """The file with the member ``messages``, with the session's id as ``{0}``."""
    compaction: str
    """The file of the newest compaction, with the remaining messages."""
    prompt: str
    """The tag around the words of a prompt."""
    boundary: str
    """The member of the compaction's file that changes with each compaction."""
    summary: str
    """The place of the summary in one of its messages."""


class Switch(NamedTuple):
    """The setting that disables hooks."""

    file: str
    """The file in the settings' folder: JSON, or TOML."""
    place: tuple[str, ...]
    off: bool
    """The value that disables them."""


class FolderTrust(NamedTuple):
    """Trust in folders, as in Gemini CLI and its forks: servers start in trusted folders only."""

    command: str
    """The command that makes the host trust a folder."""
    is_usual: bool
    """True if trust matters if the settings do not mention it."""
    setting: tuple[str, ...] = ("security", "folderTrust", "enabled")
    """The place of the setting that enables it."""
    file: str = "trustedFolders.json"
    """The file in the settings' folder with a word for each folder, which includes the folders in it."""
    word: str = "DO_NOT_TRUST"
    """The word for an untrusted folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookHost:
    """A coding agent with hooks."""

    name: str
    """Its name in commands."""
    title: str
    program: str
    """The command that starts it."""
    package: str
    """The command that installs it."""
    oldest: str
    """The oldest version in which a session was tested."""
    events: Mapping[str, HookEvent]
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    """The places of fields with another name than in other hosts, each with the common name."""
    tool_prefix: str = f"mcp__{SERVER}__"
    """The prefix of the server's tools, as hooks report them."""
    longest: int = 9_500
    """Maximum characters of a hook's text for the model."""
    in_bytes: bool = False
    """True if the limit is in bytes of UTF-8."""
    member: str = ""
    """The member of a hook's answer with the text for the model; empty for ``hookSpecificOutput``."""
    guidance: int = 0
    """Maximum characters that a hook may add to the prompt for a summary; 0 if it cannot."""
    subagents_read: bool = True
    """True if a subagent reads the answer to its start event."""
    readings: Readings | None = None
    """The readings in the session's file, unless the host's class follows it by itself."""
    session_file: str = ""
    """The session's file below the settings' folder, with the session's id as ``{0}``, if events do not name it."""
    files: SessionFiles | None = None
    """The files of a session, if prompts have no event."""
    compacts_at: tuple[float, int] | None = None
    """The share of the context at which the host compacts right after a hook, and its minimum of free
    tokens. Only that hook's text survives, so it delivers the whole HUD.
    """
    compacts_in_file: bool = False
    """True if only the session's file reports a compaction."""
    compact: str = "/compact"
    """The command that starts a compaction."""

    # --- Settings ---

    variable: str
    """The environment variable with the settings' location."""
    below: str = ""
    """The settings' folder below the variable's folder."""
    folder: str
    """The settings' folder below the user's home."""
    hooks_file: str = "settings.json"
    """The file of hooks below the settings' folder."""
    hook_files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The program's file for each event, if a hook is a file of its own, without matchers and times."""
    servers_file: str = "settings.json"
    """The file of servers below it: JSON, or TOML."""
    servers_folder: str | None = None
    """The folder of that file below the user's home, if it is not the settings' folder."""
    servers: str = "mcpServers"
    """The member with the servers."""
    project_hooks: str = ""
    """The personal file of hooks below a project's folder; empty for none."""
    projects: str = ""
    """The member of the servers' file with a person's servers by project; empty for none."""
    denied: tuple[str, ...] = ()
    """The place of the tools hidden from the model, for the one that hooks call."""
    has_status_line: bool = False
    """True if a command can provide a status line."""
    head: Mapping[str, object] = field(default_factory=dict[str, object])
    """The members that a file of hooks must begin with."""
    takes_words: bool = False
    """True if a hook's command is a list of words; otherwise it is a shell command line."""
    unit: int = 1
    """Units per second for times in settings."""
    server: Mapping[str, object] = field(default_factory=dict[str, object])
    """Further members of the server's entry."""
    team: str = ""
    """The reason why a project has no personal settings; empty if it has them."""
    switch: Switch | None = None
    """The setting that disables hooks; None for none."""
    trust: FolderTrust | None = None
    """Its trust in folders; None if it has none, or asks for it."""
    approvals: tuple[str, ...] = ()
    """The place in the servers' file of approved hooks, if a host runs no others."""
    prunes: bool = False
    """True if a hook can change the output of a tool."""
    after: str = ""
    """The step that is left to the person after installation."""

    def switches(self, folder: Path, here: Path) -> list[Path]:
        """Return the files that may disable hooks; the first with the setting decides.

        Tested with Claude Code 2.1.330, Qwen Code 0.24.4 and Gemini CLI 0.61.0. A project's TOML is untested.

        :param folder: that of the person's settings.
        :param here: the project's folder.
        """
        if self.switch is None:
            return []
        if not self.switch.file.endswith(".json"):
            return [folder / self.switch.file]
        own = [here / self.project_hooks] if self.project_hooks else []
        return [*own, here / self.folder / self.switch.file, folder / self.switch.file]

    @property
    def compacts(self) -> str:
        """The answer to an agent that requests a compaction."""
        return (
            f"No tool can make {self.title} compact: it does so by itself when the context is full, or when the user types"
            f" {self.compact}. Tell the user that this would be a good place."
        )


def _team(folder: str, title: str) -> str:
    return (
        f"{title} has no settings of yours for one project: those in its folder {folder} are the team's, and"
        " this machine's paths have no place there; leave --project out"
    )


CLAUDE_CODE = HookHost(
    name="claude-code",
    title="Claude Code",
    program="claude",
    package="npm install -g @anthropic-ai/claude-code",
    oldest="2.1.330",
    events={
        # For these events the host has no server yet, or none any more, or would wait for it: the
        # first prompt comes before the server starts.
        "SessionStart": HookEvent("began", 20),
        "UserPromptSubmit": HookEvent("prompted", 8),
        "SubagentStart": HookEvent("subagent_began", 10),
        "SessionEnd": HookEvent("ended", 1),
        "PreToolUse": HookEvent(
            "calls_hud", matcher=f"mcp__{SERVER}__.*", server_fields=("tool_use_id",)
        ),
        "PostToolUseFailure": HookEvent("call_failed", server_fields=("tool_use_id",)),
        "PostToolBatch": HookEvent("worked", server_fields=("tool_calls",)),
        "PreCompact": HookEvent("compacts", server_fields=("trigger",)),
        "Stop": HookEvent("said", server_fields=("last_assistant_message",)),
        "SubagentStop": HookEvent(
            "subagent_ended", server_fields=("agent_type", "last_assistant_message")
        ),
        "TaskCreated": HookEvent("task_changed", server_fields=("task_id", "task_subject")),
        "TaskCompleted": HookEvent("task_changed", server_fields=("task_id", "task_subject")),
        # Only Bash's form for a replaced output is known.
        "PostToolUse": HookEvent(
            "used",
            matcher="Bash",
            server_fields=("tool_name", "tool_input", "tool_response", "tool_use_id"),
            is_optional=True,
        ),
    },
    longest=9_500,  # of a longer text than 10,000 the model gets the first 2,000
    readings=Readings("message.usage", "message.model", boundary="compact_boundary"),
    guidance=9_500,
    variable="CLAUDE_CONFIG_DIR",
    folder=".claude",
    servers_file=".claude.json",
    servers_folder="",
    project_hooks=".claude/settings.local.json",
    projects="projects",
    denied=("permissions", "deny"),
    has_status_line=True,
    takes_words=True,
    server={"type": "stdio", "alwaysLoad": True},
    switch=Switch("settings.json", ("disableAllHooks",), True),
    prunes=True,
)

CODEX = HookHost(
    name="codex",
    title="Codex",
    program="codex",
    package="npm install -g @openai/codex",
    oldest="0.169.0",
    events={
        "SessionStart": HookEvent("began", 20),
        "UserPromptSubmit": HookEvent("prompted", 8),
        "PostToolUse": HookEvent("worked", 8),
        "SubagentStart": HookEvent("subagent_began", 10),
        "SessionEnd": HookEvent("ended", 3),  # the host's own limit
    },
    # Of a text with more than 2,500 tokens, which the host estimates at four bytes each, the model
    # gets the beginning, the end and a file name.
    longest=9_600,
    in_bytes=True,
    variable="CODEX_HOME",
    folder=".codex",
    hooks_file="hooks.json",
    servers_file="config.toml",
    servers="mcp_servers",
    team=_team(".codex", "Codex"),
    switch=Switch("config.toml", ("features", "hooks"), False),
    approvals=("hooks", "state"),
)

QWEN_CODE = HookHost(
    name="qwen-code",
    title="Qwen Code",
    program="qwen",
    package="npm install -g @qwen-code/qwen-code",
    oldest="0.24.4",
    events={
        "SessionStart": HookEvent("began", 20),
        "UserPromptSubmit": HookEvent("prompted", 8),
        "PreToolUse": HookEvent("calls_hud", 8, matcher=f"^mcp__{SERVER}__"),
        "PostToolBatch": HookEvent("worked", 8),  # the host waits fifteen seconds
        "PreCompact": HookEvent("compacts", 8),
        "PostCompact": HookEvent("compacted", 8),
        "Stop": HookEvent("said", 8),
        "SubagentStart": HookEvent("subagent_began", 8),
        "SessionEnd": HookEvent("ended", 3),
    },
    guidance=4_000,
    subagents_read=False,
    readings=Readings("usageMetadata", limit="contextWindowSize", boundary="chat_compression"),
    compacts_at=(0.85, 33_000),
    compact="/compress",
    variable="QWEN_HOME",
    folder=".qwen",
    server={"alwaysLoadTools": True},
    team=_team(".qwen", "Qwen Code"),
    switch=Switch("settings.json", ("disableAllHooks",), True),
    trust=FolderTrust("/trust", is_usual=False),
)

GEMINI_CLI = HookHost(
    name="gemini-cli",
    title="Gemini CLI",
    program="gemini",
    package="npm install -g @google/gemini-cli",
    oldest="0.61.0",
    events={
        "SessionStart": HookEvent("began", 20),
        "BeforeAgent": HookEvent("prompted", 8),
        "BeforeTool": HookEvent("calls_hud", 8, matcher=f"^mcp_{SERVER}_"),
        "AfterTool": HookEvent("worked", 8),
        "AfterAgent": HookEvent("said", 8),
        "SessionEnd": HookEvent("ended", 3),
    },
    fields={"prompt_response": "last_assistant_message"},
    tool_prefix=f"mcp_{SERVER}_",
    readings=Readings("tokens"),
    compacts_at=(0.5, 0),
    compacts_in_file=True,
    compact="/compress",
    variable="GEMINI_CLI_HOME",
    below=".gemini",
    folder=".gemini",
    unit=1_000,
    team=_team(".gemini", "Gemini CLI"),
    switch=Switch("settings.json", ("hooksConfig", "enabled"), False),
    trust=FolderTrust("/permissions", is_usual=True),
    after="Gemini CLI runs servers and hooks in folders that you trust: type /permissions there, where it did not ask.",
)

COUNTS = observed.UsageDialect("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")

COPILOT = HookHost(
    name="copilot",
    title="Copilot CLI",
    program="copilot",
    package="npm install -g @github/copilot",
    oldest="1.0.102",
    events={
        "SessionStart": HookEvent("began", 20),
        "UserPromptSubmit": HookEvent("prompted", 8),  # also a subagent's prompt
        "PreToolUse": HookEvent("calls_hud", 8, matcher=f"^{SERVER}-.*"),
        "PostToolUse": HookEvent("worked", 8),
        "PostToolUseFailure": HookEvent("worked", 8),
        # The summary is made meanwhile; everything after this event stays in the history.
        "PreCompact": HookEvent("compacted", 8),
        "SessionEnd": HookEvent("ended", 3),
    },
    # In a subagent, the session's id is the subagent's own.
    fields={"tool_result": "tool_response", "parent_agent_id": "session_id"},
    tool_prefix=f"{SERVER}-",
    longest=9_500,  # a text after a result is cut after 10,240 characters
    member="additionalContext",
    readings=Readings(
        "data.usage",
        "data.usage.model",
        limit="data.usage.maxPromptTokens",
        dialects=(COUNTS,),
    ),
    session_file="session-state/{0}/events.jsonl",
    variable="COPILOT_HOME",
    folder=".copilot",
    hooks_file="hooks/ujsx.json",
    servers_file="mcp-config.json",
    head={"version": 1},
    team=_team(".github", "Copilot CLI"),
)

CALL_FIELDS = {
    "name": "tool_name", "input": "tool_input", "id": "tool_use_id", "output": "tool_response",
    "error": "error",
}  # fmt: skip

CLINE = HookHost(
    name="cline",
    title="Cline",
    program="cline",
    package="npm install -g cline",
    oldest="3.0.65",
    events={  # no hook reports a prompt, and the host does not wait for those of a run's start
        "tool_call": HookEvent("calls_hud", 8),
        "tool_result": HookEvent("worked", 8),
        "agent_end": HookEvent("said", 8),
    },
    fields={
        "hookName": "hook_event_name",
        "sessionContext.rootSessionId": "session_id",
        "workspaceRoots.0": "cwd",
        "taskId": "run",  # changes when a session is resumed
        **{
            f"{call}.{theirs}": ours
            for call in ("tool_call", "tool_result")
            for theirs, ours in CALL_FIELDS.items()
        },
        "turn.outputText": "last_assistant_message",
    },
    tool_prefix=f"{SERVER}__",
    longest=49_000,  # a longer text than 50,000 characters is cut
    member="context",
    subagents_read=False,
    readings=Readings("metrics", "modelInfo.id", dialects=(COUNTS,)),
    files=SessionFiles(
        messages="data/sessions/{0}/{0}.messages.json",
        compaction="data/sessions/{0}/{0}.compaction.json",
        prompt="user_input",
        boundary="source_last_message_key",
        summary="metadata.summary",
    ),
    variable="CLINE_DIR",
    folder=".cline",
    hook_files={
        "tool_call": "hooks/PreToolUse.py",
        "tool_result": "hooks/PostToolUse.py",
        "agent_end": "hooks/TaskComplete.py",
    },
    servers_file="data/settings/cline_mcp_settings.json",
    server={"timeout": 30},  # by default it waits three seconds for a server
    team=_team(".clinerules", "Cline"),
)

HOOK_HOSTS: Mapping[str, HookHost] = {
    each.name: each for each in (CLAUDE_CODE, CODEX, QWEN_CODE, GEMINI_CLI, COPILOT, CLINE)
}
"""The rows by name."""


def settings_folder(host: HookHost, config: Path | None, folder: str | None = None) -> Path:
    """Return the folder of a host's settings.

    :param config: the requested folder; None for the environment's.
    :param folder: the folder below the user's home, if the environment names none; None for the row's.
    """
    named = os.environ.get(host.variable)
    if config is not None:
        return config
    usual = host.folder if folder is None else folder
    return Path(named, host.below) if named else home_folder() / usual


KEPT = 64
"""Maximum sessions in memory; a session that returns later is read from the store."""

SOURCES: Mapping[str, Source] = {each: each for each in get_args(Source)}
"""The causes of a session's start, by hosts' names."""


MEMORY_TOOL = "memory"
"""The tool that reads past sessions; a server offers it on request."""


class HookedSessions:
    """The sessions of a host with hooks, in a store.

    :param store: opens the store; retried after a failure.
    :param settings: the settings of its sessions; outputs are pruned if a hook requests it.
    :param member: the member of a hook's answer with its text; empty for ``hookSpecificOutput``.
    :param compacts: the answer to an agent that requests a compaction: how to get one in this host.
    """

    def __init__(
        self,
        store: Callable[[], HudStore[Any]],
        settings: HostSettings,
        *,
        member: str = "",
        compacts: str = "",
    ) -> None:
        self.lock = threading.RLock()
        self._store = store
        self._compacts = compacts
        self._member = member
        self._settings = settings
        self._sessions: OrderedDict[str, HostSession] = OrderedDict()
        self._news: list[str] = []
        self._told: dict[str, set[str]] = {}
        """The sentences that each session's person was told, including its subagents'."""

    def of(self, event: Record) -> HostSession:
        """Return the session of an event."""
        name = session_id_in(event)
        with self.lock:
            found = self._sessions.get(name)
            if found is None:
                found = self._sessions[name] = HostSession.of(
                    self._store,
                    name,
                    project=filled(event.get("cwd")),
                    settings=self._settings,
                    on_warning=partial(self._tell, name),
                )
                for old in [*self._sessions][:-KEPT]:
                    if not self._sessions[old].flush():
                        self.forget(old)
            self._sessions.move_to_end(name)
            return found

    def reader(self, event: Record) -> HostSession:
        """Return the session of the event, or that of the event's subagent."""
        agent = filled(event.get("agent_id"))
        host = self.of(event)
        return host if agent is None else host.child(agent)

    def end(self, event: Record) -> None:
        """Drop a session that is over, once all its observations are recorded."""
        with self.lock:
            host = self._sessions.get(session_id_in(event))
            if host is not None and not host.flush():
                self.forget(session_id_in(event))

    def forget(self, name: str) -> None:
        """Drop a session, including its waiting events."""
        with self.lock:
            self._sessions.pop(name, None)
            self._told.pop(name, None)

    def _tell(self, name: str, sentence: str) -> None:
        told = self._told.setdefault(name, set())
        if sentence not in told:
            told.add(sentence)
            self._news.append(sentence)

    def copy(self, origin: str, name: str) -> None:
        """Begin a session as a copy of another one, with all its events, unless it exists."""

        @tried_again
        def copy() -> None:
            store = self._store()
            if store.version_of(name) or not store.version_of(origin):
                return
            # All or nothing: a partial copy would count as an existing session.
            with store.session(origin).exclusive():
                events = [
                    each.model_copy(update={"session_id": name, "id": ""})
                    for each in store.events(origin, as_recorded=True)
                ]
                store.import_events(name, events)
                store.keeping.copy_outputs(origin, name)

        self._attempt("copy a session", copy)

    def purge(self, name: str) -> None:
        """Delete all data of a session, if it exists."""

        def purge() -> None:
            store = self._store()
            if store.version_of(name):
                store.keeping.purge(name)

        self._attempt("delete a session", purge)

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
        """Return a hook's output: the delivery for the model, and the news for the person.

        :param texts: the texts that the model will read, if they must be checked.
        :param conversation: the words of its messages: see :meth:`HostSession.before_request`.
        :param arrived: called with the delivery once the host has received it.
        """
        made = host.before_request(fresh=fresh, texts=texts, sent=False, conversation=conversation)

        def confirm() -> None:
            if made.parts:
                host.sent(made)
                if arrived is not None:
                    arrived(made)

        said = context(event, made.text, self.taken_news(), member=self._member)
        return Answer(said, confirm)

    def silent(self, event: str) -> Answer:
        """Return the output of a hook without text for the model: the news for the person."""
        return Answer(context(event, "", self.taken_news()))

    def taken_news(self) -> str:
        """Return the news for the person, and mark it as reported."""
        with self.lock:
            news, self._news[:] = " ".join(self._news), []
        return news

    def called(self, event: Record, tool: str, arguments: object) -> Answer:
        """Answer a call of the HUD's tool, by the model of the event's session."""
        if not session_id_in(event):
            return refused("no session is known here yet; send a message first")
        result = self.reader(event).call(tool, arguments, toolsets=_toolsets_of(tool))
        # Data for the host is left out of the content, which the model would read and pay for.
        host = {"ujsx": result.data} if asks_to_compact(result) else None
        text = f"{result.text}\n{self._compacts}" if host and self._compacts else result.text
        return _told(text, is_error=result.is_error, meta=host)


def _toolsets_of(tool: str) -> tuple[Toolset, ...]:
    """The toolsets of a tool other than the HUD's, imported on the first call."""
    if tool != MEMORY_TOOL:
        return ()
    from hud_runtime.history import MEMORY

    return (MEMORY,)


def refused(text: str) -> Answer:
    """Return the answer to a call that cannot be made."""
    return _told(text, is_error=True, meta=None)


def _told(text: str, *, is_error: bool, meta: object) -> Answer:
    told = {"text": text, "is_error": is_error, "meta": meta}
    return Answer(json.dumps(told, ensure_ascii=False, default=str))


# --- What a hook is given, and says ---


def context(event: str, text: str, news: str = "", *, member: str = "") -> str:
    """Return a hook's output with a text for the model, and news for the user.

    :param member: the member of the answer with the text; empty for ``hookSpecificOutput``.

    >>> context("UserPromptSubmit", "# HUD")
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"# HUD"}}'
    >>> context("UserPromptSubmit", "# HUD", member="context"), context("UserPromptSubmit", "")
    ('{"context":"# HUD"}', '')
    """
    said: dict[str, object] = {}
    if text and member:
        said[member] = text
    elif text:
        said["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": text}
    if news:
        said["systemMessage"] = news
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else ""


_UNFILLED = re.compile(r"\$\{[\w.]*\}")


def filled(value: object) -> str | None:
    """Return a text that a hook's template has filled in; None for an unfilled placeholder.

    >>> filled("${agent_id}"), filled(""), filled("a1")
    (None, None, 'a1')
    """
    if not isinstance(value, str) or not value or _UNFILLED.fullmatch(value):
        return None
    return value


def session_id_in(event: Record) -> str:
    """Return the id of an event's session; empty for none."""
    return filled(event.get("session_id")) or ""


def record_of(given: bytes) -> Record:
    """Return a hook's input object; an empty one for anything else."""
    return mapping(observed.json_of(given.decode("utf-8", "replace")))


def bound(kept: OrderedDict[Any, Any], most: int) -> None:
    """Drop the oldest items beyond a maximum."""
    while len(kept) > most:
        kept.popitem(last=False)


# A tool's answer in the forms of hosts with hooks: a text, blocks, or an object with texts; pruned
# in that form.

SAID: Mapping[str, tuple[str, ...]] = {"bash": ("stdout", "stderr")}
"""The text fields of a host's own tools, by their names in lower case. Other forms are unchanged: a host
may reject an answer that does not have its tool's form.
"""


def pruned_answer(host: HostSession, tool: str, arguments: object, answer: object) -> Any:
    r"""Return an answer with pruned texts in its own form; None if it is unchanged.

    >>> from hud_runtime import HudStore
    >>> told = {"stdout": "".join(f"a/{n}.py\n" for n in range(200)), "stderr": "", "interrupted": False}
    >>> with HudStore.open(":memory:") as store:
    ...     host = HostSession(store.session("s"), prune=True)
    ...     made = pruned_answer(host, "Bash", {"command": "find a"}, told)
    >>> made["stdout"].count("\n"), made["interrupted"]
    (61, False)
    """
    from hud_runtime.context.pruning import ToolOutput

    def pruned(text: str, _answer: object, holder: Record) -> str:
        output = ToolOutput(
            text=text,
            tool=tool,
            arguments=mapping(arguments),
            synthetic=holder.get("synthetic") is True,
        )
        return host.pruned(output)

    if not observed.is_object(answer):
        made: Any = with_answers({"type": "tool_result", "content": answer}, pruned)["content"]
    else:
        made = dict(mapping(answer))
        for name in SAID.get(tool.lower(), ()):
            if isinstance(made.get(name), str):
                made[name] = pruned(made[name], None, {})
    return None if made == answer else made
