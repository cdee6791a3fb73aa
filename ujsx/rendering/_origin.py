"""The origin of a rendering's part, as data: all that a comparison of two renderings looks at.

In: a piece of a tree. Out: an :class:`Origin`, which knows nothing of rules, counters and writers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ujsx._density import Rung
from ujsx.rendering._outline import Piece


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a part, and its place in the tree."""

    label: str
    """What stands there: a component's name, ``Section`` for a heading, else the nodes' names."""

    around: str
    """The names of the composites around it, each with a slash behind it."""

    is_plain: bool
    """Whether it is what stands between components and headings."""

    rung: Rung | None
    """The rung that it stands on; ``None`` if it is hidden, or has no ladder."""

    depth: int
    """How many sections stand around it."""

    props: frozenset[str]
    """The names of its props, where it is a component with a ladder."""

    heading: object
    """The section that opens there."""

    content: object
    """The component with a ladder, or a tuple of the nodes that are rendered together."""

    values: Mapping[str, object]
    """What is bound to its context, by the name of its class."""

    texts: object
    """The fixed texts that are replaced, by name."""

    @classmethod
    def of(cls, piece: Piece) -> Origin:
        """Return what a piece is made of."""
        ladder, context = piece.ladder, piece.context
        return cls(
            label=piece.label,
            around=piece.around,
            is_plain=ladder is None and piece.heading is None,
            rung=piece.rung,
            depth=context.depth,
            props=frozenset(() if ladder is None else type(ladder).model_fields),
            heading=piece.heading,
            # A component with a ladder stands alone in its piece.
            content=piece.nodes if ladder is None else piece.nodes[0],
            values={kind.__name__: value for kind, value in context.values.items()},
            texts=context.texts,
        )
