"""A rendering by layers: what hardly ever changes, what changes when somebody acts, what always does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from ujsx._density import Layer
from ujsx.tokens import TokenCounter

if TYPE_CHECKING:
    from ujsx.rendering._rendered import RenderedNode

LAYERS: tuple[Layer, ...] = get_args(Layer)


@dataclass(frozen=True, slots=True)
class RenderedLayer:
    """All of a text that changes equally often."""

    layer: Layer

    text: str
    """Markdown, ending in one newline, or empty. Parts that do not stand together are joined."""

    tokens: int

    end: int
    """Where the last of it ends in the whole text, in characters; 0 where there is none. A layer whose
    end is that of the text before the next layer's begins there is a prefix of its own."""


def layers_of(nodes: Sequence[RenderedNode], count: TokenCounter) -> tuple[RenderedLayer, ...]:
    """Return the three layers of a rendering's nodes; a heading belongs to what follows it."""
    texts: dict[Layer, list[str]] = {layer: [] for layer in LAYERS}
    ends: dict[Layer, int] = dict.fromkeys(LAYERS, 0)
    layer: Layer = "static"
    for node in reversed(nodes):
        layer = node.layer or layer
        if node.text:
            texts[layer].append(node.text)
            ends[layer] = max(ends[layer], node.end)
    return tuple(_layer(each, texts[each], ends[each], count) for each in LAYERS)


def _layer(layer: Layer, texts: list[str], end: int, count: TokenCounter) -> RenderedLayer:
    text = "".join(reversed(texts)).strip("\n")
    text = f"{text}\n" if text else ""
    return RenderedLayer(layer, text, count(text) if text else 0, end)
