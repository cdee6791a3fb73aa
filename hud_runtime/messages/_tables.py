"""Tables of providers' messages: who speaks, which part is what, and under which names its members stand.

Anthropic's Messages, OpenAI's Chat and Responses, Gemini's contents, Bedrock's Converse, OpenCode's parts, and the
messages of LangChain, Pydantic AI and Vercel's AI SDK. A provider is known by these tables alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Kind: TypeAlias = Literal["text", "call", "result", "media", "thought", "summary", "other"]
Status: TypeAlias = Literal["unknown", "silent", "done", "failed", "refused", "cancelled"]
"""The end of a call: nobody says; nobody says, and there is no answer; well; badly; the user said no; something
else stopped it."""

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "tool": "tool",
    "function": "tool",
    "toolResult": "tool",
}
"""The speaker of a message, in everybody's words."""

KINDS: Mapping[str, Kind | None] = {
    **dict.fromkeys(
        ("text", "input_text", "output_text", "refusal", "summary_text", "user-prompt", "system-prompt"), "text"
    ),
    **dict.fromkeys(
        ("thinking", "redacted_thinking", "reasoning", "thought", "reasoning_text"), "thought"
    ),
    **dict.fromkeys(("compaction", "compaction_summary"), "summary"),
    **dict.fromkeys(
        (
            "tool_use", "server_tool_use", "mcp_tool_use",
            "function_call", "custom_tool_call", "mcp_call",
            "computer_call", "local_shell_call", "shell_call", "apply_patch_call",
            "tool_call", "toolCall", "function", "tool-call", "builtin-tool-call",
        ),
        "call",
    ),
    **dict.fromkeys(
        (
            "tool_result", "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result",
            "code_execution_tool_result", "bash_code_execution_tool_result",
            "text_editor_code_execution_tool_result", "tool_search_tool_result",
            "function_call_output", "function_result", "custom_tool_call_output", "computer_call_output",
            "local_shell_call_output", "shell_call_output", "apply_patch_call_output",
            "tool-result", "tool-return", "builtin-tool-return", "retry-prompt",
        ),
        "result",
    ),
    **dict.fromkeys(("step-start", "step-finish", "snapshot", "patch", "item_reference", "source-url", "source-document")),
}  # fmt: skip
"""The kind of a part by its type; None for parts that are for hosts, and tell a model nothing."""

NAMELESS = frozenset({"computer_call", "local_shell_call", "shell_call", "apply_patch_call"})
"""Calls of tools that providers know themselves: their type is the name."""

FREE = frozenset({"custom_tool_call", "custom"})
"""Calls whose arguments are a text, and not an object."""

ID = (
    "tool_use_id", "call_id", "tool_call_id", "toolCallId", "callID", "toolUseId", "id",
)  # fmt: skip
NAME = ("tool_name", "toolName", "name", "tool")
GIVEN = ("input", "arguments", "args", "action", "operation")
ANSWER = ("content", "output", "result")
"""The names of a part's members: the id of a call and of its result, the tool, the arguments, what the tool said."""

STATUSES: Mapping[str, Status] = {
    **dict.fromkeys(
        ("error", "failed", "incomplete", "retried", "output-error", "error-text", "error-json"), "failed"
    ),
    **dict.fromkeys(("denied", "output-denied", "execution-denied"), "refused"),
    "interrupted": "cancelled",
}  # fmt: skip
"""Words of a status that say how a call ended; all others leave it open."""

ENDED = frozenset({"completed", "error", "output-available", "output-error", "output-denied", "result"})  # fmt: skip
"""States of a call whose part has its result as well."""

MEDIA: Mapping[str, tuple[str, str]] = {
    # Anthropic's Messages
    "image": ("image", "text"),
    "document": ("document", "text"),
    "container_upload": ("file", "text"),
    # OpenAI's Chat, and those that speak it
    "image_url": ("image", "text"),
    "input_audio": ("audio", "text"),
    "video_url": ("video", "text"),
    "file": ("file", "text"),
    "audio": ("audio", "text"),
    "video": ("video", "text"),
    # OpenAI's Responses
    "input_image": ("image", "input_text"),
    "input_file": ("file", "input_text"),
    "input_video": ("video", "input_text"),
    "computer_screenshot": ("image", "input_text"),
    # Pydantic AI
    "image-url": ("image", "text"),
    "audio-url": ("audio", "text"),
    "video-url": ("video", "text"),
    "document-url": ("document", "text"),
    "binary": ("file", "text"),
}
"""Parts that are no words: what stands for one, and the type of a text in the same place."""

MEDIA_KEYS = ("inlineData", "inline_data", "fileData", "file_data")
"""The same in Gemini's parts, which have no type, but a key; what stands for one follows from its MIME type."""

BEDROCK = ("image", "document", "video", "audio", "reasoningContent")
"""Keys of Bedrock's parts that are no words."""
