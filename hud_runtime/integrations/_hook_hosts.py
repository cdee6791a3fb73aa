"""The table of coding agents whose hooks ask a bridge: one row each, all data.

A row names the host's events and fields, the limits of its texts, the place of its settings, and what a person has to
know. :mod:`~hud_runtime.integrations._hook_events` answers the events by these rows, and
:mod:`~hud_runtime.integrations._hook_settings` installs the hooks. A figure comes from a run of the real client, in the
version that its row names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Meaning: TypeAlias = Literal[
    "began", "ended", "prompted", "calls_hud", "used", "call_failed", "worked", "compacts",
    "compacted", "said", "subagent_began", "subagent_ended", "task_changed",
]  # fmt: skip
"""The meaning of an event, whatever a host calls it."""

SERVER = "ujsx"
"""The MCP server's name in a host's settings."""


class HookEvent(NamedTuple):
    """An event that is answered."""

    means: Meaning
    seconds: int = 10
    """The time that an answer may take."""
    matcher: str = ""
    """The tools whose calls are reported; all where it is empty."""
    server_fields: tuple[str, ...] | None = None
    """The fields that the host passes to the resident server, which answers then; None where the host starts our program."""
    is_optional: bool = False
    """Whether the event is asked for only where outputs of tools are pruned."""


class Readings(NamedTuple):
    """The places of a reading of the context in a line of a session's file."""

    usage: str
    model: str = "model"
    limit: str = ""
    """The place of the context's size, where it is told."""
    boundary: str = ""
    """The subtype of a line behind which no earlier reading counts: a compaction."""


class Distrust(NamedTuple):
    """The place where a host keeps in mind which folders the person does not trust."""

    file: str
    """The file in the settings' folder, with an object that has a word for each folder."""
    word: str
    """The word for a folder in which it starts no servers."""
    advice: str
    """The step that makes the host trust it."""


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
    """The oldest version with which a session was run."""
    events: Mapping[str, HookEvent]
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    """The host's names of fields that others call differently, each with the common name."""
    tool_prefix: str = f"mcp__{SERVER}__"
    """The text before the name of one of the server's tools, as hooks report it."""
    longest: int = 9_500
    """The longest text that a hook may give to the model, in characters."""
    in_bytes: bool = False
    """Whether the limit counts bytes of UTF-8."""
    guidance: int = 0
    """The longest text that a hook may add to the prompt for a summary, in characters; 0 where it cannot."""
    subagents_read: bool = True
    """Whether a subagent reads the answer to the event of its start."""
    readings: Readings | None = None
    """The readings in the session's file, where the host's class does not follow it by itself."""
    compacts_at: tuple[float, int] | None = None
    """The share of the context from which on the host compacts right behind a hook, and the tokens that it keeps free
    at least: the text of that hook is then all that is kept, so it tells all of the HUD."""
    compacts_in_file: bool = False
    """Whether the session's file alone tells of a compaction."""
    compact: str = "/compact"
    """The command that compacts."""

    # --- Settings ---

    variable: str
    """The environment variable that moves the settings."""
    below: str = ""
    """The settings' folder below the one that the variable names."""
    folder: str
    """The settings' folder below the user's own."""
    takes_words: bool = False
    """Whether a hook's command is a list of words; otherwise it is a line for a shell."""
    unit: int = 1
    """Units in a second, for times in settings."""
    server: Mapping[str, object] = field(default_factory=dict[str, object])
    """Further members of the server's entry."""
    team: str = ""
    """The reason why a project has no settings of one person; empty where it has some."""
    switch: tuple[tuple[str, ...], bool] | None = None
    """The setting that switches hooks off, and its value when it does."""
    distrust: Distrust | None = None
    """The folders in which the host starts no servers; None where trust does not matter, or is asked for by the host."""
    prunes: bool = False
    """Whether a hook can change the output of a tool."""
    after: str = ""
    """The step that is left to the person after an installation."""

    @property
    def compacts(self) -> str:
        """The answer to an agent that asks for a compaction."""
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
        # At these the host has no server yet, or none any more, or would wait for it: the first prompt comes before the
        # server is there.
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
        # Of Bash alone it is known in which form the host takes another output.
        "PostToolUse": HookEvent(
            "used",
            matcher="Bash",
            server_fields=("tool_name", "tool_input", "tool_response", "tool_use_id"),
            is_optional=True,
        ),
    },
    longest=9_500,  # of a text with more than 10,000 the model gets the first 2,000
    readings=Readings("message.usage", "message.model", boundary="compact_boundary"),
    guidance=9_500,
    variable="CLAUDE_CONFIG_DIR",
    folder=".claude",
    takes_words=True,
    server={"type": "stdio", "alwaysLoad": True},
    switch=(("disableAllHooks",), True),
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
        "SessionEnd": HookEvent("ended", 3),  # the host gives it three at most
    },
    # Of a text with more than 2,500 tokens, which the host counts as four bytes each, the model gets the beginning, the
    # end and the name of a file.
    longest=9_600,
    in_bytes=True,
    variable="CODEX_HOME",
    folder=".codex",
    team=_team(".codex", "Codex"),
    after="Codex asks you to review the hooks when it starts; until you trust them they do not run.",
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
    switch=(("disableAllHooks",), True),
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
    switch=(("hooksConfig", "enabled"), False),
    distrust=Distrust("trustedFolders.json", "DO_NOT_TRUST", "type /permissions there"),
    after="Gemini CLI runs servers and hooks in folders that you trust: type /permissions there, where it did not ask.",
)

HOOK_HOSTS: Mapping[str, HookHost] = {
    each.name: each for each in (CLAUDE_CODE, CODEX, QWEN_CODE, GEMINI_CLI)
}
"""The rows, by their names."""
