"""What the messages of many SDKs say, whatever their form: words, calls, results, media.

Anthropic's Messages, OpenAI's Chat and Responses, Gemini's contents, OpenCode's messages with parts; as JSON data or
as objects with the same fields, as SDKs have them: those of LangChain and Pydantic AI as well. What a part of a
message is follows from its ``type`` by tables, which are all that is known of a provider here.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Kind: TypeAlias = Literal["text", "call", "result", "media", "thought", "summary", "other"]

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Who says a message, in everybody's words."""

TEXTS = frozenset(
    {"text", "input_text", "output_text", "refusal", "summary_text", "user-prompt", "system-prompt"}
)
"""Parts that are words."""

THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "thought", "reasoning_text"})
"""Parts that are a model's thoughts, which nobody else is to read."""

SUMMARIES = frozenset({"compaction"})
"""Parts by which a provider stands for what was said before: it leaves that out itself."""

SILENT = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "compaction", "item_reference"}
)
"""Parts that tell a model nothing: they are for hosts."""

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

CALLS: Mapping[str, tuple[str, str, str]] = {
    "tool_use": ("id", "name", "input"),
    "server_tool_use": ("id", "name", "input"),
    "mcp_tool_use": ("id", "name", "input"),
    "function_call": ("call_id", "name", "arguments"),
    "custom_tool_call": ("call_id", "name", "input"),
    "computer_call": ("call_id", "type", "action"),
    "local_shell_call": ("call_id", "type", "action"),
    "shell_call": ("call_id", "type", "action"),
    "apply_patch_call": ("call_id", "type", "operation"),
    "tool_call": ("id", "name", "args"),
    "tool-call": ("tool_call_id", "tool_name", "args"),
}
"""Calls by their type: the fields of their id, name and arguments."""

RESULTS: Mapping[str, tuple[str, str]] = {
    "tool_result": ("tool_use_id", "content"),
    "mcp_tool_result": ("tool_use_id", "content"),
    "web_search_tool_result": ("tool_use_id", "content"),
    "web_fetch_tool_result": ("tool_use_id", "content"),
    "code_execution_tool_result": ("tool_use_id", "content"),
    "bash_code_execution_tool_result": ("tool_use_id", "content"),
    "text_editor_code_execution_tool_result": ("tool_use_id", "content"),
    "tool_search_tool_result": ("tool_use_id", "content"),
    "function_call_output": ("call_id", "output"),
    "custom_tool_call_output": ("call_id", "output"),
    "computer_call_output": ("call_id", "output"),
    "local_shell_call_output": ("id", "output"),
    "shell_call_output": ("call_id", "output"),
    "apply_patch_call_output": ("call_id", "output"),
    "tool-return": ("tool_call_id", "content"),
    "retry-prompt": ("tool_call_id", "content"),
}
"""Results by their type: the fields of the call's id, and of what the tool said."""


class Part(NamedTuple):
    """A part of a message."""

    kind: Kind
    text: str = ""
    """Words; the arguments of a call; what a tool said; what stands for media."""
    name: str = ""
    """A tool's name."""
    id: str | None = None
    """The id of a call, in the call and in its result; None where the API has none."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a message says."""

    role: Role
    parts: tuple[Part, ...] = ()

    @property
    def text(self) -> str:
        """Its words, and nothing else."""
        return "\n".join(each.text for each in self.parts if each.kind == "text")

    @property
    def is_user(self) -> bool:
        """Whether the user says something in it: a tool's result alone is no user's."""
        return self.role == "user" and any(each.kind in ("text", "media") for each in self.parts)


def get(data: Any, *names: str) -> Any:
    """Return the first of these fields that there is, of data or of an object; None for none.

    >>> get({"toolName": "bash"}, "tool_name", "toolName")
    'bash'
    """
    for name in names:
        found = data.get(name) if isinstance(data, Mapping) else getattr(data, name, None)
        if found is not None:
            return found
    return None


def said_in(message: Any) -> Said:
    """Return what a message says.

    >>> said_in({"role": "assistant", "content": "Done."})
    Said(role='assistant', parts=(Part(kind='text', text='Done.', name='', id=None),))
    >>> said_in({"type": "function_call_output", "call_id": "1", "output": "ok"}).role
    'tool'
    """
    info = get(message, "info")
    parts = tuple(_parts(message, info))
    return Said(_role(message, info, parts), parts)


def _role(message: Any, info: Any, parts: tuple[Part, ...]) -> Role:
    name = get(info, "role") if info is not None else get(message, "role")
    kind = get(message, "type", "kind")
    role = ROLES.get(str(name if name is not None else kind))
    if role is not None:
        return role
    if any(each.kind == "text" and each.name == "system" for each in parts):
        return "system"  # its first request, which may hold the user's first words as well
    if any(each.kind == "result" for each in parts):
        return "tool"
    if kind == "response" or any(each.kind in ("call", "thought", "summary") for each in parts):
        return "assistant"
    return "assistant" if kind not in (None, "message", "request") else "user"


def _parts(message: Any, info: Any) -> Iterator[Part]:
    content = get(message, "content")
    many = get(message, "parts")
    found_in: list[Part] = []
    if many is not None:
        for each in _each(many):
            yield from _part(each, is_opencode=info is not None)
    elif str(get(message, "role") or get(message, "type")) in ("tool", "function"):
        found = _id(get(message, "tool_call_id"))
        yield Part("result", words_of(content), str(get(message, "name") or ""), found)
    elif content is None:
        if get(message, "role") is None:  # an item of Responses, which is a part itself
            yield from _part(message)
        elif isinstance(get(message, "text"), str):
            yield Part("text", get(message, "text"))
    else:
        found_in += _contents(content)
        yield from found_in
    if many is None:
        named = {each.id for each in found_in if each.kind == "call"}
        made = map(_call, _each(get(message, "tool_calls")))
        yield from (each for each in made if each.id is None or each.id not in named)
    legacy = get(message, "function_call") if many is None else None
    if legacy is not None and get(legacy, "name"):
        yield Part("call", words_of(get(legacy, "arguments")), str(get(legacy, "name")), None)


def _contents(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", content)
        return
    for each in _each(content):
        yield from _part(each)


def _each(value: Any) -> Sequence[Any]:
    """What is listed; one thing is a list of it, and nothing is none."""
    if isinstance(value, list | tuple):
        return value
    return () if value is None else (value,)


def _call(call: Any) -> Part:
    inner = get(call, "function", "custom") or call
    given = get(inner, "arguments", "args", "input")
    found = get(call, "id", "call_id")
    return Part("call", words_of(given), str(get(inner, "name") or ""), _id(found))


def _id(found: Any) -> str | None:
    return None if found is None or found == "" else str(found)


def _part(part: Any, *, is_opencode: bool = False) -> Iterator[Part]:
    """What a part of a message is, by its type."""
    if isinstance(part, str):
        yield Part("text", part)
        return
    kind = str(get(part, "part_kind", "type", "kind") or "")
    if is_opencode and kind == "tool":
        yield from _tool_of_opencode(part)
    elif kind in CALLS:
        id_, name, given = CALLS[kind]
        found = get(part, id_)
        said = words_of(get(part, given))
        yield Part("call", said, str(get(part, name) or ""), _id(found))
    elif kind in RESULTS:
        id_, content = RESULTS[kind]
        found = get(part, id_)
        name = str(get(part, "tool_name", "name") or "")
        said = words_of(get(part, content))
        yield Part("result", said, name, _id(found))
    elif kind in MEDIA and not (kind == "file" and is_opencode and _is_text_file(part)):
        yield Part("media", MEDIA[kind][0])
    elif kind in THOUGHTS:
        yield Part("thought", words_of(get(part, "text", "thinking", "content")))
    elif kind in SUMMARIES:
        if not is_opencode:  # whose part of that name says that a compaction was asked for
            yield Part("summary", words_of(get(part, "content", "text")))
    elif kind in TEXTS:
        yield from _words_in(part, kind)
    elif kind not in SILENT:
        yield from _by_key(part, kind)


def _words_in(part: Any, kind: str) -> Iterator[Part]:
    name = "system" if kind == "system-prompt" else ""
    content = get(part, "text", "refusal", "content")
    if isinstance(content, list | tuple):
        yield from _contents(content)
    elif content is not None:
        yield Part("text", str(content), name)


def _by_key(part: Any, kind: str) -> Iterator[Part]:
    """A part of Gemini's or Bedrock's, which has a key in the place of a type; anything else in its own words."""
    call = get(part, "functionCall", "function_call", "toolUse")
    answer = get(part, "functionResponse", "function_response", "toolResult")
    data = get(part, *MEDIA_KEYS)
    if call is not None:
        said = words_of(get(call, "args", "input"))
        yield Part("call", said, str(get(call, "name") or ""), _id(get(call, "id", "toolUseId")))
    elif answer is not None:
        response = get(answer, "response", "content")
        said = words_of(get(response, "output", "result", "error") or response)
        yield Part(
            "result", said, str(get(answer, "name") or ""), _id(get(answer, "id", "toolUseId"))
        )
    elif data is not None:
        yield Part("media", word_for(data))
    elif not kind and (found := next((each for each in BEDROCK if get(part, each)), None)):
        yield Part("thought" if found == "reasoningContent" else "media", found)
    elif isinstance(get(part, "text"), str):
        yield Part("thought" if get(part, "thought") is True else "text", get(part, "text"))
    elif isinstance(get(part, "content"), str):
        yield Part("text", get(part, "content"))
    elif kind or (isinstance(part, Mapping) and part):
        yield Part("other", _json(part), kind)


BEDROCK = ("image", "document", "video", "audio", "reasoningContent")
"""Keys of Bedrock's parts that are no words."""


def word_for(data: Any) -> str:
    """Return the word that stands for data with a MIME type.

    >>> word_for({"mimeType": "image/png"}), word_for({"mime_type": "application/pdf"})
    ('image', 'file')
    """
    kind = str(get(data, "mimeType", "mime_type") or "").partition("/")[0]
    return kind if kind in ("image", "audio", "video") else "file"


def _tool_of_opencode(part: Any) -> Iterator[Part]:
    """A call with its result, which are one part there."""
    state, name = get(part, "state") or {}, str(get(part, "tool") or "")
    yield Part("call", words_of(get(state, "input")), name, _id(get(part, "callID")))
    if get(state, "status") in ("completed", "error"):
        yield Part(
            "result", words_of(get(state, "output", "error")), name, _id(get(part, "callID"))
        )


def _is_text_file(part: Any) -> bool:
    """OpenCode puts what a text file says beside it, as words."""
    return str(get(part, "mime")) in ("text/plain", "application/x-directory")


def words_of(content: Any) -> str:
    r"""Return what a content says: its words, and what stands for media; anything else as JSON.

    >>> words_of([{"type": "text", "text": "see"}, {"type": "image", "source": {}}])
    'see\n[image]'
    """
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list | tuple):
        try:
            return "\n".join(filter(None, map(_words_of_part, content)))
        except RecursionError:
            return TOO_DEEP
    kind = get(content, "type")
    is_part = isinstance(kind, str) and (kind in MEDIA or kind in TEXTS)
    return _words_of_part(content) if is_part else _json(content)


TOO_DEEP = "[nested too deep to be read]"
"""What stands for what nobody has written by hand."""


def _words_of_part(part: Any) -> str:
    said = list(_part(part))
    if not said:
        return _json(part)
    return "\n".join(f"[{each.text}]" if each.kind == "media" else each.text for each in said)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (RecursionError, TypeError, ValueError):
        # It is deeper than anybody reads, in a circle, or has odd keys.
        return f"[{type(value).__name__} that cannot be written]"


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", exclude_none=True) if callable(dump) else str(value)


def written(like: Any, role: Literal["user", "assistant"], text: str) -> Any:
    """Return a message as data, in the form of another one.

    >>> written({"role": "model", "parts": []}, "assistant", "Done.")
    {'role': 'model', 'parts': [{'text': 'Done.'}]}
    >>> written({"role": "user", "content": "Hi"}, "user", "Go on.")
    {'role': 'user', 'content': 'Go on.'}
    """
    if get(like, "info") is not None:
        return {"info": {"role": role}, "parts": [{"type": "text", "text": text}]}
    content = get(like, "content")
    if isinstance(content, list) and content and get(content[0], "type") is None:  # Bedrock's
        return {"role": role, "content": [{"text": text}]}
    if get(like, "parts") is not None:
        name = "model" if role == "assistant" else "user"
        return {"role": name, "parts": [{"text": text}]}
    return {"role": role, "content": text}


def texts_of(messages: Iterable[Any]) -> Iterator[str]:
    """Yield all that a model reads of messages, as text: what their tokens are counted by."""
    for message in messages:
        yield "\n".join(f"{each.name} {each.text}" for each in said_in(message).parts)
