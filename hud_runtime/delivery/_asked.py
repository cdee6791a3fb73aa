"""What a delivery is made of: what was asked for, and the HUD as it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hud_components import THRESHOLDS, Thresholds
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
