"""Observations: the source-independent records of a session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from hud_runtime.observe.messages import Status, get
from ujsx.tools import opened

# Defensive access to data of unknown shape.

Record: TypeAlias = Mapping[str, object]
"""A JSON object."""


def json_of(text: str | bytes) -> object:
    """Return the value of a JSON text; None where it is not JSON, or nested too deeply.

    >>> json_of('{"a": 1}'), json_of("["), json_of("[" * 100_000)
    ({'a': 1}, None, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_object(value: object) -> bool:
    """Tell whether a value is a JSON object."""
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: object) -> bool:
    """Tell whether a value is a JSON list."""
    return isinstance(value, list)


def mapping(value: object) -> Record:
    """Return an object unchanged, and anything else as an empty one."""
    # The first test is for speed: almost all are plain dicts, and the second looks at more than the
    # class.
    return cast("Record", value) if type(value) is dict or isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list unchanged, and anything else as an empty list."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def string(value: object) -> str | None:
    """Return a text unchanged; None for anything else and for the empty text."""
    return value if isinstance(value, str) and value else None


def whole(value: object) -> int:
    """Return a count unchanged, and anything else as 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def count_in(digits: str, unit: str = "") -> int:
    """Return a count from the digits that programs print: with commas, in thousands or millions.

    >>> count_in("12.5", "k"), count_in("1,024"), count_in("..")
    (12500, 1024, 0)
    """
    try:
        return round(
            float(digits.replace(",", "")) * {"K": 1_000, "M": 1_000_000}.get(unit.upper(), 1)
        )
    except ValueError:
        return 0


def arguments(value: object) -> Record:
    """Return a call's arguments, which some formats write as JSON in a text.

    >>> arguments('{"path": "a.py"}')
    {'path': 'a.py'}
    """
    try:
        return opened(value, [])
    except ValueError:
        return {}


def prose(content: object) -> str:
    r"""Return the text of a message, which may be a text or a list of blocks.

    >>> prose([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
    'a\nb'
    """
    if isinstance(content, str):
        return content
    blocks = (mapping(block) for block in sequence(content))
    return "\n".join(filter(None, (string(block.get("text")) for block in blocks)))


def milliseconds(value: object) -> int | None:
    """Return a time as milliseconds since the epoch: from ISO 8601, or from Unix time.

    A number below 10^11 is in seconds: in milliseconds it would be before March 1973.

    >>> milliseconds("2025-06-14T10:00:00Z")
    1749895200000
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        value = moment.timestamp() * 1000
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        value = value * 1000 if value < 1e11 else value
    else:
        return None
    return round(value) if 0 <= value < 2**53 else None


def replace_surrogates(value: object) -> object:
    r"""Return data with each half of a surrogate pair replaced, as no encoding can write it.

    >>> replace_surrogates({"text": "a\ud83d"})
    {'text': 'a\ufffd'}
    """
    if isinstance(value, str):
        return value if value.isascii() else _paired(value)
    if isinstance(value, Mapping):
        said = cast("Record", value)
        if all(
            name.isascii() and (type(one) is int or (type(one) is str and one.isascii()))
            for name, one in said.items()
        ):
            return said
        return {
            cast("str", replace_surrogates(name)): replace_surrogates(one)
            for name, one in said.items()
        }
    if isinstance(value, (list, tuple)):
        return [replace_surrogates(one) for one in cast("Sequence[object]", value)]
    return value


def _paired(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def value_at(holder: object, path: Iterable[str]) -> object:
    """Return the value at a path of keys; None if there is none.

    >>> value_at({"a": {"b": 1}}, ("a", "b"))
    1
    """
    for key in path:
        holder = mapping(holder).get(key)
    return holder


FileEvent: TypeAlias = Literal["file.open", "file.edit", "file.close"]
"""The events of a file."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one model call, each counted once.

    >>> Usage.of_prompt(20_000, cache_read=19_000, cache_write=400, output=100).input
    600
    """

    input: int = 0
    """Input that was neither read from a cache nor written to one."""
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def figures(self) -> dict[str, int]:
        """All figures by name."""
        return asdict(self)

    @property
    def prompt(self) -> int:
        """The whole input."""
        return self.input + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        """The size of the context after the call."""
        return self.prompt + self.output

    @classmethod
    def of_prompt(
        cls, prompt: int, *, cache_read: int = 0, cache_write: int = 0, output: int = 0
    ) -> Usage:
        """Return the usage of a whole prompt, of which so many tokens were cached, as most providers count."""
        return cls(max(0, prompt - cache_read - cache_write), cache_read, cache_write, output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A record of something at a line of a file, or at a time."""

    line: int = 0
    """The line in a file of lines, else the message's number; starts at 1."""

    timestamp: int | None = None
    """Milliseconds since the epoch, if known."""

    directory: str | None = None
    """The working directory from here on, if known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage(Observation):
    """A message of the user."""

    text: str

    is_plan: bool = False
    """True if it is a plan that the user approves by sending it."""

    message_id: str = ""
    """The id by which it can be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage(Observation):
    """A message of the agent, with or without tool calls; each new id begins a turn."""

    text: str = ""
    message_id: str | None = None
    """The id that the parts of one message share; None always begins a new message."""
    used: int | None = None
    """Tokens in the context after this message, if known; else the usage's total."""
    usage: Usage | None = None
    """The tokens of the call by category, if known."""
    model: str | None = None
    limit: int | None = None
    """The size of the model's context in tokens, if known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsed(Observation):
    """A reading of the context's size, reported apart from any message."""

    used: int | None = None
    usage: Usage | None = None
    limit: int | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Observation):
    """A tool call of the agent."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    call_id: str | None = None
    in_text: bool = False
    """True if the previous message's text, and so its token count, includes the call, or a
    sub-agent made it.
    """
    of_server: bool = False
    """True if the tool is a server's, whose answers are not the user's words."""
    by_user: bool = False
    """True if it is a command that the user ran in the host's own shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer(Observation):
    """The result of a tool call."""

    text: str = ""
    call_id: str | None = None
    """The id of its call; None for the oldest call without a result."""
    status: Status = "unknown"
    exit_code: int | None = None
    """The exit status of a command, if known."""
    is_final: bool = True
    """True if the call is over; a command may continue in the background."""
    open_file: str | None = None
    """The file that the agent's editor shows now; empty for none, None if unknown."""
    is_read: bool = True
    """True if the session's model reads it; it does not read a sub-agent's."""
    wish: str = ""
    """The user's words while refusing the call."""
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    """The host's data beside the text: answers to questions, tasks, plans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanged(Observation):
    """An opened, changed or removed file, reported apart from any call."""

    path: str
    event: FileEvent = "file.edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWritten(Observation):
    """The steps of the plan, reported apart from any call."""

    steps: tuple[tuple[str, str], ...]
    """Each step's text and status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Observation):
    """A decision of the user or the agent, reported apart from any call."""

    summary: str
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Observation):
    """A fact, such as the branch; an empty value removes it."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Observation):
    """An error apart from any call."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Observation):
    """The last turns of the user are undone."""

    turns: int = 1
    """The number of the user's messages."""

    since: str = ""
    """The id of the first of them, if known; it takes precedence over the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(Observation):
    """Text in the agent's context without any event, such as a system prompt."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Title(Observation):
    """A name for the session."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(Observation):
    """The start of a compaction by the host."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Observation):
    """The summary that replaces the conversation so far."""

    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfChild(Observation):
    """An observation of a sub-agent's own session."""

    child: str
    """The sub-agent's id."""

    seen: AnyObservation


AnyObservation: TypeAlias = (
    UserMessage
    | AgentMessage
    | ContextUsed
    | ToolCall
    | ToolAnswer
    | FileChanged
    | PlanWritten
    | Decided
    | Found
    | Failed
    | Undone
    | Background
    | Title
    | Compacting
    | Compacted
    | OfChild
)


# The problem of an unreadable part, and its line.


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a transcript that could not be read or recorded."""

    line: int | None
    """The line in a file of lines, else the message's number; from 1."""

    what: str
    """One sentence."""

    def __str__(self) -> str:
        return self.what if self.line is None else f"line {self.line}: {self.what}"


# Usage figures by the names that hosts use: uncached input, cache reads and writes, and output,
# apart.


class UsageDialect(NamedTuple):
    """The names of figures; a dot enters an object, a plus adds."""

    input: str
    output: str
    cache_read: str
    cache_write: str = ""
    is_apart: bool = False
    """True if the input excludes cached tokens."""


DIALECTS: tuple[UsageDialect, ...] = (
    UsageDialect("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", is_apart=True),
    UsageDialect("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens", is_apart=True),
    UsageDialect("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", is_apart=True),
    UsageDialect("tokensIn", "tokensOut", "cacheReads", "cacheWrites", is_apart=True),
    UsageDialect("input", "output", "cacheRead", "cacheWrite", is_apart=True),
    UsageDialect("input", "output", "cache.read", "cache.write", is_apart=True),
    UsageDialect("input", "output", "cached"),
    UsageDialect("input_tokens", "output_tokens", "cached_input_tokens"),
    UsageDialect("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    UsageDialect("input_tokens", "output_tokens", "input_tokens_details.cached_tokens", "input_tokens_details.cache_write_tokens"),
    UsageDialect("input_tokens", "output_tokens", "input_token_details.cache_read", "input_token_details.cache_creation+input_token_details.cache_write"),
    UsageDialect("prompt_tokens", "completion_tokens", "prompt_tokens_details.cached_tokens", "prompt_tokens_details.cache_write_tokens"),
    UsageDialect("prompt_tokens", "completion_tokens", "cached_tokens"),
    UsageDialect("promptTokenCount", "candidatesTokenCount+thoughtsTokenCount", "cachedContentTokenCount"),
)  # fmt: skip
"""Tried in this order: the first with a cached figure counts, else the first with an input."""


def usage_in(figures: Any, dialects: Iterable[UsageDialect] = DIALECTS) -> Usage | None:
    """Return the figures of one call, each token counted once; None where there are none.

    :param figures: data, or an SDK's object with the same fields.

    >>> usage_in({"input_tokens": 900, "output_tokens": 50, "cached_input_tokens": 800})
    Usage(input=100, cache_read=800, cache_write=0, output=50)
    """
    fitting = [one for one in dialects if figures and get(figures, one.input) is not None]
    cached = (
        one
        for one in fitting
        for name in (one.cache_read, one.cache_write)
        if _figure(figures, name) is not None
    )
    dialect = next(cached, next(iter(fitting), None))
    if dialect is None:
        return None
    given, output, read, written = (_figure(figures, name) or 0 for name in dialect[:4])
    plain = given if dialect.is_apart else max(given - read - written, 0)
    found = Usage(plain, read, written, output)
    return found if found.total else None


def _figure(figures: Any, name: str) -> int | None:
    if "+" in name:
        found = [_figure(figures, one) for one in name.split("+")]
        return sum(filter(None, found)) if any(one is not None for one in found) else None
    for each in name.split("."):
        figures = get(figures, each)
    return None if figures is None else whole(figures)
