"""Deliveries as data, and their inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, NoReturn, TypeAlias

import msgspec

from hud_components import THRESHOLDS
from hud_components.levels import Thresholds
from hud_components.words import RequestMessage
from hud_runtime._errors import DeliveryError
from ujsx.calls import Answering, WithText, resolving, with_attributes
from ujsx.components import Displayable
from ujsx.errors import CallError, PropError, shown

if TYPE_CHECKING:
    from hud_components import Room, State
    from ujsx import Child, RenderContext, Rendered

Mode: TypeAlias = Literal["append", "tail", "system"]
"""The place of a HUD: appended to the history once, and then its changes; after the history, for one
request only; or its static part in the system prompt, and the rest after the history.
"""

Why: TypeAlias = Literal[
    "start", "fresh", "compaction", "cut", "grown", "unclear", "restored", "unsaid"
]
"""The reason to send the whole HUD: it is the first delivery; the host's history starts over; the history
was compacted; earlier texts are missing from the request; the changes would be longer; two deliveries
were sent independently; the log is older than the sent texts; or the changes cannot be expressed.
"""


Acknowledged: TypeAlias = Literal["sent", "known", "fleeting", "superseded"]
"""The result of confirming a delivery: its reader knows it from now on; its reader knew it; it is not
part of the history, and needs no confirmation; or a later one was sent before, so that nothing changes.
"""


_MESSAGES = '[{"role": "user", "content": part.text} for part in delivery]'


class Part(msgspec.Struct, Answering, frozen=True):
    """A text to be sent, and where it belongs."""

    _instead: ClassVar[Mapping[str, str]] = {_MESSAGES: "role message"}
    _also: ClassVar[Mapping[str, str]] = {"text": "content markdown"}

    text: str
    """Markdown, ending in one newline."""

    kind: Literal["whole", "delta", "brief", "notice"]
    """The whole HUD; the changes since; the most important items again, without changes; or the one-time
    warning about the agent's context.
    """

    place: Mode
    """After the history, where it stays (append); after the history for this request only (tail); or the
    system prompt.
    """

    since: int | None = None
    """The session's version before a delta's changes."""

    layer: Literal["static", "session", "turn"] | None = None
    """Its layer, the first of several; None for all layers."""

    breakpoint: Literal["before", "behind"] | None = None
    """The place of a cache breakpoint, for a provider with breakpoints: at the end of the text before
    this one, or at its own end.
    """

    behind: int | None = None
    """The number of the host's own messages before it, if the host stores none of our texts."""


class Delivery(msgspec.Struct, WithText, Displayable, frozen=True):
    """The texts to send with one request, and their reader.

    It says nothing where nothing changed. It can be compared, kept and pickled; a retry of the same
    request gives an equal one.
    """

    _instead: ClassVar[Mapping[str, str]] = {
        _MESSAGES: "message role tolangchain",
        f"messages += {_MESSAGES}": "appendto addto insertinto applyto injectinto extend append inject apply",
        "session.delivered(delivery)": "confirm delivered ack acknowledge sent marksent done commit",
        "estimate_tokens(delivery.text), from ujsx.tokens import estimate_tokens": "tokens tokencount numtokens size",
        "bool(delivery)": "changed haschanged haschanges isnew isnone",
        "[part.kind for part in delivery]": "kind type",
        "[part.text for part in delivery], each with its layer": "system prefix suffix tail static dynamic user",
    }
    _also: ClassVar[Mapping[str, str]] = {
        "text": "content markdown",
        "__str__": "tomarkdown tostring totext astext render",
        "_message": "tomessage asmessage",
        "_messages": "messages tomessages asmessages toopenai toanthropic",
        "_is_empty": "isempty empty",
    }

    id: str
    """Its id; empty without changes: then there is nothing to confirm."""

    session: str
    reader: str
    mode: Mode

    version: int
    """The session's version that its reader then knows."""

    parts: tuple[Part, ...] = ()
    """The texts to send now, in order."""

    replay: tuple[Part, ...] = ()
    """The earlier texts, for a host that stores none of them: each keeps its position among the host's messages."""

    why: Why | None = None
    """The reason for the whole HUD; None if it is not whole, or always is."""

    def _as_document(self) -> str:
        return self.text

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __getitem__(self, place: int) -> Part:
        return self.parts[place]

    def __len__(self) -> int:
        return len(self.parts)

    def __enter__(self) -> NoReturn:
        raise CallError("write session.delivered(delivery), once it was sent, and no with")

    __exit__ = None

    @property
    def _is_empty(self) -> bool:
        return not self

    @with_attributes
    @resolving(write=f"write {_MESSAGES}")
    def _messages(self, dialect: str = "openai") -> list[dict[str, str]]:
        if dialect.startswith("gemini"):
            line = '[{"role": "user", "parts": [{"text": part.text}]} for part in delivery]'
            raise CallError(f"Gemini's messages have parts; write {line}")
        if any(each.place == "system" for each in self):
            raise CallError("a system prompt is not a message; write delivery.text")
        return [{"role": "user", "content": part.text} for part in self]

    def _message(self) -> dict[str, str]:
        if not self.parts:
            raise CallError("nothing changed, so there is no message; write delivery.messages()")
        return {**self._messages()[0], "content": self.text}

    @property
    def text(self) -> str:
        """The text to send now; empty without changes."""
        return "\n".join(each.text for each in self.parts)


class Reanchor(msgspec.Struct, frozen=True):
    """When what was said long ago is said again in brief.

    >>> Reanchor(tokens=30_000)
    Reanchor(tokens=30000, errors=None)
    """

    tokens: int | None = None
    """After so many tokens of history since then, by the readings of the context."""

    errors: int | None = None
    """After so many new errors since then: new items of sections that are alerts."""


# The parts of a delivery: the request, and the shown HUD.


class ShownHud(NamedTuple):
    """A HUD, and the input of its rendering."""

    node: Child
    rendered: Rendered
    context: RenderContext
    """The context, including the density of the rendering."""
    room: Room
    """The room for it."""

    state: State


class DeliveryRequest(NamedTuple):
    """A caller's request for a delivery."""

    mode: Mode = "append"
    reader: str = "main"
    texts: tuple[str, ...] | None = None
    fresh: bool = False
    retry_of: str | None = None
    host_keeps_messages: bool = True
    has_cache_breakpoint: bool = False
    reanchor: Reanchor | None = None
    thresholds: Thresholds = THRESHOLDS
    intervenes: bool = False
    words: Mapping[str, str] | None = None
    conversation: tuple[RequestMessage, ...] | None = None


def conversation_of(
    given: Iterable[RequestMessage | str] | None,
) -> tuple[RequestMessage, ...] | None:
    """Return the messages of a conversation; a text counts as not written by the model.

    Raises :class:`DeliveryError` for a single text, and for anything but messages.

    >>> conversation_of(["Add a login."])
    (RequestMessage(text='Add a login.', is_answer=False, shown=''),)
    """
    if given is None:
        return None
    if isinstance(given, str):
        raise DeliveryError("conversation is a list of messages, not one text; write [text]")
    messages: list[RequestMessage] = []
    for place, each in enumerate(given):
        one: object = each
        if not isinstance(one, str | RequestMessage):
            raise DeliveryError(
                f"conversation[{place}] is not a text or a RequestMessage, but {shown(one)}"
            )
        messages.append(RequestMessage(each) if isinstance(each, str) else each)
    return tuple(messages)


def texts_of(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the model's next request as texts, message by message.

    Raises :class:`DeliveryError` for a single text, whose characters would be messages, and for anything but
    texts.

    >>> texts_of(["Please go on."])
    ('Please go on.',)
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        raise PropError("texts= is what the model reads; fixed texts by name are words={…}")
    if isinstance(given, str):
        raise DeliveryError("texts is a list of messages, not one text; write [text]")
    texts = tuple(given)
    for place, each in enumerate(texts):
        one: object = each
        if not isinstance(one, str):
            line = 'write [each["content"] for each in messages]'
            raise DeliveryError(f"texts[{place}] is not text, but {shown(one)}; {line}")
    return texts
