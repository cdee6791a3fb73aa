"""The parts of a delivery: the request, and the HUD as it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hud_components import THRESHOLDS, Thresholds
from hud_components.words import RequestMessage
from hud_runtime._errors import DeliveryError
from hud_runtime.delivery._delivery import Mode, Reanchor
from ujsx.errors import PropError, shown

if TYPE_CHECKING:
    from hud_components import Room
    from ujsx import Child, RenderContext, Rendered


class Shown(NamedTuple):
    """A HUD, and what it was rendered from."""

    node: Child
    rendered: Rendered
    context: RenderContext
    """With the density of the rendering."""
    room: Room
    """How much of it was to be shown."""


class Asked(NamedTuple):
    """What somebody asks for who is about to send a request."""

    mode: Mode = "append"
    reader: str = "main"
    texts: tuple[str, ...] | None = None
    fresh: bool = False
    stores: bool = True
    marked: bool = False
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
        raise DeliveryError("conversation is messages, several or none, not one text; write [text]")
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
        raise DeliveryError("texts are messages, several or none, not one text; write [text]")
    texts = tuple(given)
    for place, each in enumerate(texts):
        one: object = each
        if not isinstance(one, str):
            raise DeliveryError(f"texts[{place}] is no text, but {shown(one)}")
    return texts
