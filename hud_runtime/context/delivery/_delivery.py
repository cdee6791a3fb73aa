"""Deliveries as data, and what one is made of."""

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
"""Where a HUD goes: into the history, once, and then what changed; behind the history, for one request
alone; or its static part into the system prompt, and the rest behind the history."""

Why: TypeAlias = Literal[
    "start", "fresh", "compaction", "cut", "grown", "unclear", "restored", "unsaid"
]
"""Why all of a HUD is sent: nothing was sent before; the host says that its history begins anew; the
history was compacted; what was said is missing from what the model is going to read; what changed would
by now cost more; two deliveries were sent that do not know of each other; the log is older than what
was said; or no words say what changed."""


Acknowledged: TypeAlias = Literal["sent", "known", "fleeting", "superseded"]
"""What became of word that a delivery was sent: its reader knows it from now on; its reader knew it; it
leaves no trace, so that nobody need know it; or it came too late, when its reader had been sent a later
one, so that it changes nothing."""


_MESSAGES = '[{"role": "user", "content": part.text} for part in delivery]'


class Part(msgspec.Struct, Answering, frozen=True):
    """A text to be sent, and where it belongs."""

    _instead: ClassVar[Mapping[str, str]] = {_MESSAGES: "role message"}
    _also: ClassVar[Mapping[str, str]] = {"text": "content markdown"}

    text: str
    """Markdown, ending in one newline."""

    kind: Literal["whole", "delta", "brief", "notice"]
    """All that the HUD shows; what changed since; what matters most once more, which changes nothing; or what the
    agent is told once of its context."""

    place: Mode
    """Behind the history, where it stays (append); behind the history for this request alone (tail); or
    the system prompt."""

    since: int | None = None
    """The version of the session that a delta goes on from."""

    layer: Literal["static", "session", "turn"] | None = None
    """The layer that it holds, the first where it holds several; None where it has all of them."""

    breakpoint: Literal["before", "behind"] | None = None
    """Where a cache breakpoint belongs for a provider that takes them: at the end of what stands before
    this text, or at its own end."""

    behind: int | None = None
    """How many of the host's own messages stand before it, where the host stores none of ours."""


class Delivery(msgspec.Struct, WithText, Displayable, frozen=True):
    """What is to be sent for one request, and to whom.

    It says nothing where nothing changed. It can be compared, kept and pickled; a retry of the same
    request gives an equal one.
    """

    _instead: ClassVar[Mapping[str, str]] = {
        _MESSAGES: "message asmessage tomessage role tolangchain",
        f"messages += {_MESSAGES}": "appendto addto insertinto applyto injectinto extend append inject apply",
        "session.delivered(delivery)": "confirm delivered ack acknowledge sent marksent done commit",
        "estimate_tokens(delivery.text), from ujsx.tokens import estimate_tokens": "tokens tokencount numtokens size",
        "bool(delivery)": "changed haschanged haschanges isnew isnone",
        "[part.kind for part in delivery]": "kind type",
        "[part.text for part in delivery], each with its layer": "system prefix suffix tail static dynamic user",
    }
    _also: ClassVar[Mapping[str, str]] = {
        "text": "content markdown",
        "_messages": "messages tomessages asmessages toopenai toanthropic",
        "_is_empty": "isempty empty",
    }

    id: str
    """Its name; empty where nothing changed: then there is nothing to confirm."""

    session: str
    reader: str
    mode: Mode

    version: int
    """The session's version that its reader knows with it."""

    parts: tuple[Part, ...] = ()
    """What to send now, in this order."""

    replay: tuple[Part, ...] = ()
    """What was said before, for a host that stores none of our words: each goes behind as many of the
    host's messages as before."""

    why: Why | None = None
    """Why all of the HUD is sent; None where it is not, or always is."""

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
    def _messages(self) -> list[dict[str, str]]:
        if any(each.place == "system" for each in self):
            raise CallError("a system prompt is not a message; write delivery.text")
        return [{"role": "user", "content": part.text} for part in self]

    @property
    def text(self) -> str:
        """The text to send now; empty where nothing changed."""
        return "\n".join(each.text for each in self.parts)


class Reanchor(msgspec.Struct, frozen=True):
    """When what was said long ago is said again in brief.

    >>> Reanchor(tokens=30_000)
    Reanchor(tokens=30000, errors=None)
    """

    tokens: int | None = None
    """After so many tokens of history since it was said, by the readings of the context."""

    errors: int | None = None
    """After so many things went wrong since: new items of sections that are alerts."""


# The parts of a delivery: the request, and the HUD as it is shown.


class ShownHud(NamedTuple):
    """A HUD, and what it was rendered from."""

    node: Child
    rendered: Rendered
    context: RenderContext
    """With the density of the rendering."""
    room: Room
    """How much of it was to be shown."""

    state: State


class DeliveryRequest(NamedTuple):
    """What somebody asks for who is about to send a request."""

    mode: Mode = "append"
    reader: str = "main"
    texts: tuple[str, ...] | None = None
    fresh: bool = False
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
    """Return the messages of a conversation; a text is one that the model did not write.

    Raises :class:`DeliveryError` for one text, and for what is no message.

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
    """Return what the model is going to read, message by message.

    Raises :class:`DeliveryError` for one text, whose characters would be messages, and for what is
    no text.

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
