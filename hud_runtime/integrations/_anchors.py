"""Our words among a host's own messages, for hosts that store none of ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TypeVar

from hud_runtime.delivery import Delivery, Part

ItemT = TypeVar("ItemT")


def interleaved(
    own: Sequence[ItemT], delivery: Delivery, wrap: Callable[[Part], ItemT]
) -> list[ItemT]:
    """Return a host's messages with ours among them, each where it was first said.

    :param own: the host's messages, as many as the texts that the delivery was made for.
    :param wrap: makes a message of the host's of one of our parts.

    >>> from hud_runtime.delivery import Delivery, Part
    >>> said = Part("# HUD", "whole", "append", behind=1)
    >>> made = Delivery("d", "s", "main", "append", 3, replay=(said,))
    >>> interleaved(["hello", "hi", "go on"], made, lambda part: part.text)
    ['hello', '# HUD', 'hi', 'go on']
    """
    ours = [*delivery.replay, *delivery.parts]
    merged: list[ItemT] = []
    for place in range(len(own) + 1):
        merged += [wrap(each) for each in ours if _place(each, own) == place]
        merged += own[place : place + 1]
    return merged


def digest_of(text: str) -> str:
    """Return a short text that tells a message, or a summary, from another one."""
    # What a program has printed may have halves of surrogate pairs in it.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _place(part: Part, own: Sequence[object]) -> int:
    """Behind how many messages it stands; a part that names no place stands behind all of them."""
    return len(own) if part.behind is None else min(part.behind, len(own))
