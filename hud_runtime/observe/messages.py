"""Messages of providers and SDKs, parsed in one place for adapters, transcripts, compaction and pruning.

In: a message of any form, as JSON data or as an object. Out: a statement, with the role of its speaker and its parts.
"""

# pyright: basic

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pkgutil import get_data
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ujsx.on_demand import on_demand
from ujsx.tools import opened

on_demand(globals())


# Tables in files: hud_runtime/data.


def rows(table: str) -> list[list[str]]:
    """Return the rows of a table in ``hud_runtime/data``, each with its cells; ``#`` begins a comment.

    >>> rows("error-words")[0][0]
    'stem'
    """
    text = cast("bytes", get_data("hud_runtime", f"data/{table}.tsv")).decode()
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]


def grouped(table: str) -> dict[str, list[str]]:
    """Return the second cells of a table's rows, by the first."""
    found: dict[str, list[str]] = {}
    for name, value in rows(table):
        found.setdefault(name, []).append(value)
    return found


def names(kind: str) -> frozenset[str]:
    """Return the names of a kind in the table of names."""
    return frozenset(", ".join(_names()[kind]).split(", "))


@cache
def _names() -> dict[str, list[str]]:
    return grouped("names")


# Tables of providers' messages: the speakers, the kinds of parts, and the names of their members.
#
# Anthropic's Messages, OpenAI's Chat and Responses, Gemini's contents, Bedrock's Converse, OpenCode's parts, and the
# messages of LangChain, Pydantic AI and Vercel's AI SDK. The code knows providers by these tables
# alone.

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Kind: TypeAlias = Literal["text", "call", "result", "media", "thought", "summary", "other"]
Status: TypeAlias = Literal["unknown", "silent", "done", "failed", "refused", "cancelled"]
"""The end of a call: unknown; unknown and without an answer; success; failure; refused by the user;
stopped otherwise.
"""


def _named(table: str) -> dict[str, Any]:
    return {
        name: value
        for of, value, several in rows("messages")
        if of == table
        for name in several.split()
    }


ROLES: Mapping[str, Role] = _named("role")
"""The speaker of a message, by all providers' names."""

KINDS: Mapping[str, Kind | None] = {
    name: None if kind == "-" else kind for name, kind in _named("kind").items()
}
"""The kind of a part by its type; None for parts that are for hosts, and give a model nothing."""

NAMELESS = frozenset({"computer_call", "local_shell_call", "shell_call", "apply_patch_call"})
"""Calls of tools that providers define: their type is the name."""

FREE = frozenset({"custom_tool_call", "custom"})
"""Calls whose arguments are a text, and not an object."""

ID = (
    "tool_use_id", "call_id", "tool_call_id", "toolCallId", "callID", "toolUseId", "id",
)  # fmt: skip
NAME = ("tool_name", "toolName", "name", "tool")
GIVEN = ("input", "arguments", "args", "action", "operation")
ANSWER = ("content", "output", "result")
"""The names of a part's members: the id of a call and of its result, the tool, the arguments, the answer."""

STATUSES: Mapping[str, Status] = _named("status")
"""Statuses that decide the end of a call; all others leave it open."""

ENDED = frozenset({"completed", "error", "output-available", "output-error", "output-denied", "result"})  # fmt: skip
"""States of a call whose part includes its result."""

MEDIA: Mapping[str, tuple[str, str]] = {
    name: tuple(words.split()) for name, words in _named("media").items()
}
"""Media parts: the word that represents one, and the type of a text in the same place."""

MEDIA_KEYS = ("inlineData", "inline_data", "fileData", "file_data")
"""The same for Gemini's parts, which have a key instead of a type; the MIME type gives the word."""

BEDROCK = ("image", "document", "video", "audio", "reasoningContent")
"""Keys of Bedrock's media parts."""


# The reader of providers' messages: the speaker and the parts. A message is JSON data, or an object
# with the same fields, as in SDKs. Only the tables know providers.

TOO_DEEP = "[nested too deep to be read]"
"""The text in place of data that is nested too deeply."""


class MessagePart(NamedTuple):
    """A part of a message.

    >>> [call] = parts_of({"type": "tool_use", "id": "1", "name": "bash", "input": {"command": "ls"}})
    >>> call.name, call.text, call.arguments
    ('bash', '{"command": "ls"}', {'command': 'ls'})
    """

    kind: Kind
    value: Any = ""
    """Words; a call's arguments and a tool's answer as the provider has them; the word that
    represents media.
    """
    name: str = ""
    """The tool's name; for another part, its type."""
    id: str | None = None
    """The id of a call, in the call and in its result; None where the API has none."""
    status: Status = "unknown"
    """The end of the call, if its result reports it."""
    type: str = ""
    """The provider's name for the kind."""

    @property
    def text(self) -> str:
        """The text that a model reads."""
        return text_of(self.value)

    @property
    def words(self) -> str:
        """The words, without media."""
        return words_of(self.value)

    @property
    def is_known(self) -> bool:
        """True if the tables know its type; a text of unknown type is not known."""
        return self.kind != "other" and (self.kind != "text" or not self.type or self.type in KINDS)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a call; empty if they are broken."""
        if self.type in FREE:
            return {"input": self.value}
        given = self.value
        with suppress(ValueError, RecursionError):  # broken JSON may be repairable
            given = json.loads(given) if isinstance(given, str) else given
        try:
            return given if type(given) is dict else dict(opened(given, []))
        except ValueError:
            return {}


class Statement(NamedTuple):
    """A parsed message."""

    role: Role
    parts: tuple[MessagePart, ...] = ()

    @property
    def text(self) -> str:
        """The words alone."""
        return "\n".join(each.text for each in self.parts if each.kind == "text" and each.value)

    @property
    def is_user(self) -> bool:
        """True if it has words of the user: a tool's result alone is not a user message."""
        return self.role == "user" and self.has("text", "media")

    def has(self, *kinds: Kind) -> bool:
        """Return whether it has a part of one of these kinds."""
        return any(each.kind in kinds for each in self.parts)


Look: TypeAlias = Callable[[str], Any]
"""A function that finds a field of a message, or of a part; None if it is missing."""


def look_in(data: Any) -> Look:
    """Return the function that finds the fields of data, or of an object.

    >>> look_in({"role": "user"})("role")
    'user'
    """
    # The first test is for speed: almost all are plain dicts.
    if type(data) is dict or isinstance(data, Mapping):
        return data.get
    return lambda name: getattr(data, name, None)


def get(data: Any, *names: str) -> Any:
    """Return the first present field of data or of an object; None for none.

    >>> get({"toolName": "bash"}, "tool_name", "toolName")
    'bash'
    """
    return _first(look_in(data), names)


def _first(look: Look, names: Iterable[str]) -> Any:
    for name in names:
        found = look(name)
        if found is not None:
            return found
    return None


def read_message(message: Any) -> Statement:
    """Return a parsed message.

    >>> read_message({"role": "assistant", "content": "Done."}).text
    'Done.'
    >>> read_message({"type": "function_call_output", "call_id": "1", "output": "ok"}).role
    'tool'
    """
    look = look_in(message)
    info = look("info")
    parts = tuple(_parts(message, look, is_opencode=info is not None))
    return Statement(_role(look, info, parts), parts)


def _role(look: Look, info: Any, parts: tuple[MessagePart, ...]) -> Role:
    name = look("role") if info is None else get(info, "role")
    role = ROLES.get(str(name))
    if role is not None:
        return role
    kind = _first(look, ("type", "kind"))
    if name is None and str(kind) in ROLES:
        return ROLES[str(kind)]
    if any(each.type == "system-prompt" for each in parts):
        return "system"  # its first request, which may hold the user's first words as well
    kinds = {each.kind for each in parts}
    if kind == "response" or "call" in kinds:
        return "assistant"
    if "result" in kinds:
        return "tool"
    if not kinds.isdisjoint(("thought", "summary")):
        return "assistant"
    return "assistant" if kind not in (None, "message", "request") else "user"


def _parts(message: Any, look: Look, *, is_opencode: bool) -> list[MessagePart]:
    content, many, role = look("content"), look("parts"), look("role")
    if many or (many is not None and content is None):
        return [one for each in _each(many) for one in parts_of(each, is_opencode=is_opencode)]
    type_ = "" if role else str(_first(look, ("part_kind", "type")))
    speaker = ROLES.get(str(role or type_))
    found: list[MessagePart] = []
    if speaker == "tool":
        found = _contents(content) if isinstance(content, list) else found
        if not any(each.kind == "result" for each in found):
            found = [_result(message, content, is_message=True)]
    elif content is not None and (role or speaker or type_ not in KINDS):
        found = _contents(content)
    elif (role or speaker) and isinstance(look("text"), str):
        found = [MessagePart("text", look("text"))]
    elif role is None:  # an item that is itself a part
        found = [*parts_of(message)]
    made, legacy = look("tool_calls"), look("function_call")
    if made:
        calls = [_call(each) for each in _each(made)]
        named = {each.id for each in calls if each.id is not None}
        found = [each for each in found if each.kind != "call" or each.id not in named]
        found += calls
    if legacy is not None and get(legacy, "name"):
        found.append(_call(legacy))
    return found


def _contents(content: Any) -> list[MessagePart]:
    if isinstance(content, str):
        return [MessagePart("text", content)]
    return [one for each in _each(content) for one in parts_of(each)]


def _each(value: Any) -> Sequence[Any]:
    """The items of a list; a single value as a list of one, and None as an empty list."""
    if isinstance(value, list | tuple):
        return value
    return () if value is None else (value,)


def parts_of(part: Any, *, is_opencode: bool = False) -> Sequence[MessagePart]:
    """Return the parts of a part: mostly one, two for a call with its result, none for a host's own.

    >>> [each.kind for each in parts_of({"functionCall": {"name": "ls", "args": {}}})]
    ['call']
    """
    if isinstance(part, str):
        return (MessagePart("text", part),)
    look = look_in(part)
    type_ = str(look("part_kind") or look("type") or look("kind") or "")
    kind: Kind | None = KINDS.get(type_, "other")
    if (is_opencode and type_ == "tool") or (kind in ("other", "call") and _is_both(part, type_)):
        return tuple(_call_and_result(part, type_))
    if type_ in MEDIA and not (type_ == "file" and is_opencode and _is_text_file(part)):
        return (MessagePart("media", MEDIA[type_][0], type=type_),)
    if kind is None or (kind == "summary" and is_opencode):  # there it requests one
        return ()
    return _READERS[kind](part, type_)


def _is_both(part: Any, kind: str) -> bool:
    """Whether it is a call with its result, as in the messages of Vercel's UI, and of MCP at OpenAI."""
    if kind == "mcp_call":
        return True
    is_tool = (kind.startswith("tool-") and kind not in KINDS) or kind == "dynamic-tool"
    return is_tool and get(part, "toolCallId", "toolInvocation") is not None


def _call_and_result(part: Any, type_: str) -> Iterator[MessagePart]:
    state = get(part, "state") or {}
    inner = get(part, "toolInvocation") or (part if isinstance(state, str) else state)
    inner = part if type_ == "mcp_call" else inner
    name = _name(part) or _name(inner) or type_.removeprefix("tool-")
    id_ = _id(get(part, *ID) or get(inner, *ID))
    yield MessagePart("call", get(inner, *GIVEN), name, id_, type=type_)
    word = str(get(inner, "state", "status"))
    said = get(inner, "errorText") if word == "output-error" else get(inner, "output", "result")
    said = get(inner, "error") if said is None else said
    if word in ENDED or (type_ == "mcp_call" and said is not None):
        status = _status(inner) if get(inner, "error") is None else "failed"
        yield MessagePart("result", said, name, id_, status, type_)


def _text(part: Any, type_: str) -> Sequence[MessagePart]:
    name = "system" if type_ == "system-prompt" else ""
    content = get(part, "text", "refusal", "content")
    if isinstance(content, list | tuple):
        return _contents(content)
    return () if content is None else (MessagePart("text", str(content), name, type=type_),)


def _reads(kind: Kind, *names: str) -> Callable[[Any, str], Sequence[MessagePart]]:
    """Return the function that reads a part whose text is in the first of these fields."""
    return lambda part, type_: (MessagePart(kind, text_of(get(part, *names)), type=type_),)


def _made_result(part: Any, type_: str) -> Sequence[MessagePart]:
    output = get(part, "output")
    if type_ == "tool-result" and get(output, "type") is not None:  # Vercel's, wrapped once more
        status = _status(part)
        said = get(output, "value", "reason")
        return (_result(part, said, STATUSES.get(str(get(output, "type")), status)),)
    return (_result(part, get(part, *ANSWER)),)


def _call(call: Any) -> MessagePart:
    look = look_in(call)
    type_ = str(_first(look, ("part_kind", "type")) or "")
    inner = _first(look, ("function", "custom")) or call
    if isinstance(inner, str):  # Inspect's, where it is the name
        inner, name = call, inner
    else:
        name = _name(inner) or (type_ if type_ in NAMELESS else "")
    given = get(inner, *GIVEN)
    type_ = "custom" if look("custom") else type_
    given = _first(look, GIVEN) if given is None else given
    return MessagePart("call", given, name, _id(_first(look, ID)), type=type_)


def _result(
    part: Any, said: Any, status: Status | None = None, *, is_message: bool = False
) -> MessagePart:
    type_ = "" if is_message else str(get(part, "part_kind", "type") or "")
    failed: Status = "failed" if type_ == "retry-prompt" else _status(part)
    # A message may have an id of its own.
    ids = get(part, *ID[: len(ID) - is_message]) or next(
        iter(_each(get(part, "tool_call_ids"))), None
    )
    return MessagePart("result", said, _name(part), _id(ids), status or failed, type_)


def _status(part: Any) -> Status:
    if get(part, "is_error", "isError") is True:
        return "failed"
    for name in ("status", "outcome", "state"):
        word = get(part, name)
        if isinstance(word, str) and word in STATUSES:
            return STATUSES[word]
    return "unknown"


def _name(part: Any) -> str:
    found = get(part, *NAME)
    return found if isinstance(found, str) else ""


def _id(found: Any) -> str | None:
    return str(found) if isinstance(found, str | int) and found != "" else None


def _by_key(part: Any, type_: str) -> Sequence[MessagePart]:
    """A part of Gemini's or Bedrock's, which has a key instead of a type; anything else as plain text."""
    look = look_in(part)
    text = look("text")
    if text and isinstance(text, str):
        return (MessagePart("thought" if look("thought") is True else "text", text, type=type_),)
    if (call := _first(look, ("functionCall", "function_call", "toolUse"))) is not None:
        return (_call(call),)
    answer = _first(look, ("functionResponse", "function_response", "toolResult"))
    if answer is not None:
        said = get(answer, "response", "content")
        failed = get(said, "error") is not None
        value = get(said, "error", "output", "result")
        return (_result(answer, said if value is None else value, "failed" if failed else None),)
    if (data := _first(look, MEDIA_KEYS)) is not None:
        return (MessagePart("media", word_for(data)),)
    if not type_ and (found := next(filter(look, BEDROCK), None)):
        return (MessagePart("thought" if found == "reasoningContent" else "media", found),)
    if isinstance(said := look("content") if text is None else text, str):
        return (MessagePart("text", said, type=type_),)
    is_other = type_ or (isinstance(part, Mapping) and part)
    return (MessagePart("other", part, type_, type=type_),) if is_other else ()


_READERS: Mapping[Kind, Callable[[Any, str], Sequence[MessagePart]]] = {
    "text": _text,
    "thought": _reads("thought", "text", "thinking", "content"),
    "summary": _reads("summary", "content", "text"),
    "call": lambda part, _type: (_call(part),),
    "result": _made_result,
    "other": _by_key,
}


def word_for(data: Any) -> str:
    """Return the word that represents data with a MIME type.

    >>> word_for({"mimeType": "image/png"}), word_for({"mime_type": "application/pdf"})
    ('image', 'file')
    """
    kind = str(get(data, "mimeType", "mime_type") or "").partition("/")[0]
    return kind if kind in ("image", "audio", "video") else "file"


def _is_text_file(part: Any) -> bool:
    """Whether a part is a text file of OpenCode's, which has the text in another part, too."""
    return str(get(part, "mime")) in ("text/plain", "application/x-directory")


# --- Texts ---


def _joined(content: Any, of_part: Callable[[Any], str]) -> str | None:
    """The texts of a list's parts, a text unchanged, and None as an empty text; None for anything else."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list | tuple):
        return None
    try:
        return "\n".join(filter(None, map(of_part, content)))
    except RecursionError:
        return TOO_DEEP


def text_of(content: Any) -> str:
    r"""Return the text that a model reads of a content: its words, and words that represent media;
    anything else as JSON.

    >>> text_of([{"type": "text", "text": "see"}, {"type": "image", "source": {}}])
    'see\n[image]'
    """
    joined = _joined(content, _text_of_part)
    if joined is not None:
        return joined
    kind = get(content, "type")
    is_part = isinstance(kind, str) and (kind in MEDIA or KINDS.get(kind) == "text")
    return _text_of_part(content) if is_part else _json(content)


def _text_of_part(part: Any) -> str:
    said = parts_of(part)
    if not said or said[0].kind == "other":
        return _json(part)
    return "\n".join(f"[{each.text}]" if each.kind == "media" else each.text for each in said)


def words_of(content: Any) -> str:
    r"""Return the words of a content: texts, and data as JSON; media are left out.

    >>> words_of([{"type": "text", "text": "see"}, {"type": "image", "source": {}}, {"json": {"a": 1}}])
    'see\n{"a": 1}'
    """
    joined = _joined(content, _words_of_part)
    if joined is not None:
        return joined
    return _json(content) if isinstance(content, int | float) else _words_of_part(content)


def _words_of_part(part: Any) -> str:
    said = parts_of(part)
    if [each.kind for each in said] == ["other"]:
        if isinstance(get(part, "stdout"), str):
            return f"{get(part, 'stdout')}{get(part, 'stderr') or ''}"
        inner = get(part, *ANSWER, "json")
        return text_of(inner) if inner is not None else _json(part)
    return "\n".join(each.text for each in said if each.kind == "text")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (RecursionError, TypeError, ValueError):
        # It is nested too deeply, circular, or has odd keys.
        return f"[{type(value).__name__} that cannot be written]"


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", exclude_none=True) if callable(dump) else str(value)


# Replacement of tools' answers in messages of JSON data. Calls and results stay paired: no message,
# and no part, is removed or moved.

Change: TypeAlias = Callable[[str, MessagePart, Mapping[str, Any]], str]
"""A function that returns a new text for a text, the answer around it, and the object that holds it."""

SAID = ("result", "output", "content", "stdout", "text")
"""The fields of Gemini's response that hold a tool's answer."""


def with_answers(message: Any, change: Change) -> Any:
    """Return a message with replaced texts of tools; the identical object if nothing changes.

    >>> with_answers({"role": "tool", "tool_call_id": "1", "content": "a.py"}, lambda *_: "…")
    {'role': 'tool', 'tool_call_id': '1', 'content': '…'}
    """
    if message.get("role") == "tool" and "parts" not in message:
        return _with(message, "content", partial(_texts, read_message(message).parts[0], change))
    if KINDS.get(str(message.get("type"))) == "result":
        return _part(change, message)
    if message.get("role") in ("assistant", "model"):
        return message
    for key in ("content", "parts"):
        if isinstance(message.get(key), list):
            message = _with(message, key, lambda parts: [_part(change, each) for each in parts])
    return message


def _with(holder: Any, key: str, made_of: Callable[[Any], Any]) -> Any:
    made = made_of(holder.get(key))
    return holder if made == holder.get(key) else {**holder, key: made}


def _part(change: Change, part: Any) -> Any:
    if not isinstance(part, dict) or part.get("synthetic") is True:
        return part
    found = next((each for each in parts_of(part) if each.kind == "result"), None)
    if found is None:
        return part
    if isinstance(part.get("functionResponse"), dict):
        answer = _with(
            part["functionResponse"], "response", partial(_response, found, change, part)
        )
        return _with(part, "functionResponse", lambda _: answer)
    key = "output" if "output" in part else "content"
    return _with(part, key, partial(_texts, found, change))


def _response(found: MessagePart, change: Change, part: Any, response: Any) -> Any:
    if not isinstance(response, dict):
        return response
    key = next((each for each in SAID if isinstance(response.get(each), str)), None)
    return response if key is None else {**response, key: change(response[key], found, part)}


def _texts(found: MessagePart, change: Change, content: Any) -> Any:
    """An answer with replaced texts: a text itself, or a list of parts some of which are texts."""
    if isinstance(content, str):
        return change(content, found, {})
    if not isinstance(content, list):
        return content
    made: list[Any] = []
    for each in content:
        is_text = isinstance(each, dict) and isinstance(each.get("text"), str)
        if is_text and KINDS.get(str(each.get("type"))) == "text":
            made.append(_with(each, "text", _changing(change, found, each)))
        else:
            made.append(each)
    return made


def _changing(change: Change, found: MessagePart, holder: Any) -> Callable[[str], str]:
    return lambda text: change(text, found, holder)
