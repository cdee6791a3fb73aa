"""Observations: what is seen of a session, whatever told of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from hud_runtime.observe.messages import Status, get
from ujsx.tools import opened

# Careful access to data whose shape nobody has promised.

Record: TypeAlias = Mapping[str, object]
"""A JSON object."""


def json_of(text: str | bytes) -> object:
    """Return what a text holds; None where it is no JSON, or nested more deeply than anybody reads.

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
    """Return an object as it is, and anything else as an empty one."""
    # The first question is for speed: almost all are, and the second looks at more than the class.
    return cast("Record", value) if type(value) is dict or isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list as it is, and anything else as an empty one."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def string(value: object) -> str | None:
    """Return a text as it is, and anything else, the empty text too, as None."""
    return value if isinstance(value, str) and value else None


def whole(value: object) -> int:
    """Return a count as it is, and anything else as 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def count_in(digits: str, unit: str = "") -> int:
    """Return a count as programs print it: with commas, and in thousands or millions.

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

    A number below 10^11 counts seconds: as milliseconds it would lie before March 1973.

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
    r"""Return data with each half of a surrogate pair replaced, which no encoding can write.

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
    """Return the value at a place; None for nothing.

    >>> value_at({"a": {"b": 1}}, ("a", "b"))
    1
    """
    for key in path:
        holder = mapping(holder).get(key)
    return holder


FileEvent: TypeAlias = Literal["file.open", "file.edit", "file.close"]
"""What can happen to a file."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a call of the model used, each counted once.

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
        """All of them by their names."""
        return {
            "input": self.input,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "output": self.output,
        }

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
    """Something that was seen at a place in a file, or at a moment."""

    line: int = 0
    """The line in a file of lines, else the message's number; from 1."""

    timestamp: int | None = None
    """Milliseconds since the epoch, where that is known."""

    directory: str | None = None
    """The working directory from here on, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage(Observation):
    """The user says something."""

    text: str

    is_plan: bool = False
    """Whether it is a plan that the user approves by sending it."""

    message_id: str = ""
    """By which it can be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage(Observation):
    """The agent says something, or calls tools: a turn of its own for every new id."""

    text: str = ""
    message_id: str | None = None
    """Parts of one message share it; None is always a message of its own."""
    used: int | None = None
    """Tokens in the context after this message, where that is known; else the usage's total."""
    usage: Usage | None = None
    """Those tokens, apart by what became of them, where that is known."""
    model: str | None = None
    limit: int | None = None
    """Tokens that the model's context holds, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsed(Observation):
    """The context is this full, as told apart from any message."""

    used: int | None = None
    usage: Usage | None = None
    limit: int | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Observation):
    """The agent calls a tool."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    call_id: str | None = None
    in_text: bool = False
    """Whether it stands in the words of the message before, and so in their tokens, or is a sub-agent's."""
    of_server: bool = False
    """Whether its tool is a server's: what that answers, the user has not said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer(Observation):
    """A tool answers."""

    text: str = ""
    call_id: str | None = None
    """The call it answers; None is the oldest one without an answer."""
    status: Status = "unknown"
    exit_code: int | None = None
    """The exit status of a command, where that is known."""
    is_final: bool = True
    """Whether the call is over; a command may go on in the background."""
    open_file: str | None = None
    """The file that the agent's editor shows now; empty for none, None where nobody says."""
    is_read: bool = True
    """Whether the session's model reads it; a sub-agent's it does not."""
    wish: str = ""
    """What the user said while refusing the call."""
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the host tells beside the text: answers to questions, tasks, plans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanged(Observation):
    """A file was opened, changed or removed, as told apart from any call."""

    path: str
    event: FileEvent = "file.edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWritten(Observation):
    """The steps of the plan are these, as told apart from any call."""

    steps: tuple[tuple[str, str], ...]
    """Each step's text and status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Observation):
    """The user, or the agent, decided something, as told apart from any call."""

    summary: str
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Observation):
    """A fact, such as the branch; an empty value takes it away."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Observation):
    """Something went wrong apart from any call."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Observation):
    """The last turns of the user no longer count."""

    turns: int = 1
    """How many of the user's messages."""

    since: str = ""
    """The id of the first of them, where it has one; then that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(Observation):
    """Text that is in the agent's context and tells nothing: a system prompt."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Title(Observation):
    """The session gets a name."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(Observation):
    """The host compacts the conversation."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Observation):
    """The conversation so far is now this text."""

    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfChild(Observation):
    """Something that is seen of a sub-agent's own session."""

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


# The problem of a part that could not be read, and its place.


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a transcript that could not be read or recorded."""

    line: int | None
    """The line in a file of lines, else the message's number; from 1."""

    what: str
    """One sentence."""

    def __str__(self) -> str:
        return self.what if self.line is None else f"line {self.line}: {self.what}"


# Figures of usage in the words of many hosts: plain input, cached input read and written, and output, apart.


class UsageDialect(NamedTuple):
    """The names of figures; a dot goes into an object, a plus adds."""

    input: str
    output: str
    cache_read: str
    cache_write: str = ""
    is_apart: bool = False
    """Whether the input is told without what was cached."""


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
"""Tried in this order; the first counts of which a cached figure is there, else the first with an input."""


def usage_in(figures: Any, dialects: Iterable[UsageDialect] = DIALECTS) -> Usage | None:
    """Return the figures of one call, each token counted once; None where there are none.

    :param figures: data, or an object of an SDK with the same fields.

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
