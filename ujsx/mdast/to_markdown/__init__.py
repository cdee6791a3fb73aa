"""From an mdast tree to Markdown that reads back as the same tree.

Handlers of each kind of node are in ``_handlers``; texts, spans and their delimiter runs in ``_phrasing``; options and
separators of blocks in ``_state``; tables of escapes in ``_unsafe``. :class:`Rules` hold options, compiled once;
:class:`DocumentWriter` and ``ujsx.mdast.Writer`` use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from operator import eq
from typing import Any, NamedTuple, cast

from ujsx.errors import did_you_mean
from ujsx.mdast._nodes import (
    Delete,
    Emphasis,
    Extension,
    Holds,
    List,
    Node,
    Root,
    Strong,
    UnknownNode,
    fault_in,
    home_of,
    is_known,
    misplaced,
    not_a_node,
    resolved,
)
from ujsx.mdast.to_markdown._handlers import FLOW_HANDLERS, PHRASING_HANDLERS
from ujsx.mdast.to_markdown._phrasing import SPANS, Labels, Marks, Unwritable
from ujsx.mdast.to_markdown._state import ALLOWED as ALLOWED
from ujsx.mdast.to_markdown._state import Handler as Handler
from ujsx.mdast.to_markdown._state import Join as Join
from ujsx.mdast.to_markdown._state import Memo as Memo
from ujsx.mdast.to_markdown._state import WriterState as WriterState
from ujsx.mdast.to_markdown._state import checked_options, says_nothing, separator
from ujsx.mdast.to_markdown._unsafe import UNSAFE, USUAL, Escapes, line_starts
from ujsx.mdast.to_markdown._unsafe import Unsafe as Unsafe
from ujsx.mdast.util import run_length

_DOCUMENT = Root()


class Rules:
    """The rules of writing: the options, with the tables derived from them.

    ``handlers``, ``joins``, ``unsafe`` and ``options`` are those of ``Writer``.
    """

    def __init__(
        self,
        *,
        handlers: Mapping[type[Node], Handler] | None = None,
        joins: Iterable[Join] = (),
        unsafe: Iterable[Unsafe] = (),
        extensions: Iterable[Extension | str] = (),
        **options: Any,
    ) -> None:
        joins, unsafe = tuple(joins), tuple(unsafe)
        self.extensions = resolved(extensions)
        self.options = checked_options(options)
        self.flow_handlers: dict[type[Node], Handler] = {**FLOW_HANDLERS}
        self.phrasing_handlers: dict[type[Node], Handler] = {**PHRASING_HANDLERS}
        self.holds: dict[type[Node], Holds] = {}
        """The content of nodes of extensions."""
        self.canonical: dict[type[Node], Callable[[Any], Node | None]] = {}
        """The canonical form of nodes of extensions."""
        for extension in self.extensions:
            self.flow_handlers |= extension.flow
            self.phrasing_handlers |= extension.phrasing
            self.holds |= extension.holds
            self.canonical |= extension.canonical
        self.read_back = frozenset[type[Node]]().union(
            *[each.read_back for each in self.extensions]
        )
        """The phrasing with which a paragraph is read back."""
        self.flow_handlers |= handlers or {}
        self.phrasing_handlers |= handlers or {}
        self.joins: tuple[Join, ...] = (*joins, separator)
        more = (*unsafe, *[row for each in self.extensions for row in each.unsafe])
        self.escapes = Escapes((*UNSAFE, *more)) if more else USUAL
        self.line_starts = line_starts(
            [row for each in self.extensions for row in each.line_starts]
        )
        self.span_markers: dict[type[Node], str] = {
            Emphasis: self.options.emphasis,
            Strong: self.options.strong,
            Delete: "~",
        }
        # The markers of spans with a letter or digit at each end, unless a span is adjacent.
        self.plain_marks: dict[type[Node], Marks] = {
            kind: Marks(marker * SPANS[kind], False, False, False)
            for kind, marker in self.span_markers.items()
            if marker != "_"  # which depends on the text around a word
        }

    def handler_for(self, node: Node, handlers: dict[type[Node], Handler]) -> Handler:
        """Return the handler of a node's nearest base class, and cache it."""
        for base in type(node).__mro__:
            if base in handlers:
                return handlers.setdefault(type(node), handlers[base])
        known = {kind.__name__ for kind in {**self.flow_handlers, **self.phrasing_handlers}}
        name = type(node).__name__
        if not isinstance(cast("object", node), Node):
            raise Unwritable(node, not_a_node(node))
        if is_known(node):
            raise Unwritable(node, misplaced(node))
        if isinstance(node, UnknownNode):
            raise Unwritable(
                node, "nothing says how", "pass an extension that has it, or take it out"
            )
        if extension := home_of(str(node.__struct_config__.tag)):
            if extension in [each.name for each in self.extensions]:
                raise Unwritable(node, "it cannot stand there", "put it in another place")
            raise Unwritable(
                node, f'it is of the extension "{extension}"', f'pass extensions=["{extension}"]'
            )
        raise Unwritable(node, f"no handler for {name} here; {did_you_mean(name, known)}")


class DocumentWriter:
    """The writer of one document's blocks in order, part by part; parts may already be written.

    A block's Markdown depends on the block before it, and on the bullet of a list there.
    """

    __slots__ = ("previous", "writing")

    def __init__(
        self, rules: Rules, labels: Labels | None, document: Sequence[Node] | None = None
    ) -> None:
        """``document`` are the blocks that provide the labels if ``labels`` is not passed."""
        self.writing = WriterState(rules, labels, document)
        """The state of the writing. Its ``mend`` is ``None`` to refuse an unwritable block."""

        self.previous: Node | None = None
        """The block before the next one. To continue after a part whose text is known, set it, and the bullet."""

    @property
    def place(self) -> tuple[object, ...]:
        """The part of the preceding text that the next block depends on."""
        previous = self.previous
        kind: object = previous.ordered if type(previous) is List else type(previous)
        is_usual = len(self.writing.joins) == 1
        return kind, self.writing.bullet, None if is_usual else previous

    def write(self, nodes: Sequence[Node], memo: Memo | None, *, is_last: bool) -> list[str]:
        """Return the Markdown of each block of a part, with the separator before it.

        :param memo: earlier results. Runs of blocks that stood in the last part, too, keep their texts.
        :param is_last: whether the document ends with this part.
        :raises Unwritable: for a node that Markdown cannot represent.
        """
        writing = self.writing
        writing.memo = memo
        last = self._last_of(nodes) if is_last else -1
        part, before = _Part(nodes, last), _NO_PART
        labels = None
        if memo is not None:
            labels = writing.labels()
            known = memo.get(PART)
            if known is not None and known[1] == (labels,):
                before = known[2]
        try:
            while (place := len(part.blocks)) < len(nodes):
                kept = before.run(part, self.place) if before.blocks else ()
                part.blocks += kept or [self._written(nodes[place], is_last=place == last)]
                _, _, self.previous, writing.bullet = part.blocks[-1]
        except (AttributeError, KeyError, TypeError) as error:
            raise fault_in(_root(nodes)) or error from None
        if memo is not None:
            memo[PART] = part, (labels,), part, ""
        return [block.text for block in part.blocks]

    def _last_of(self, nodes: Sequence[Node]) -> int:
        """Return the place of the last block that is written, or -1."""
        last = len(nodes) - 1
        while last >= 0 and self.writing.mend is not None and says_nothing(nodes[last]):
            last -= 1
        return last

    def _written(self, node: Node, *, is_last: bool) -> _WrittenBlock:
        writing, previous, around = self.writing, self.previous, self.place
        if writing.mend is not None and says_nothing(node):
            return _WrittenBlock(around, "", previous, writing.bullet)
        writing.is_first = previous is None
        writing.is_last = is_last
        writing.in_tight_item = False
        made, text = writing.mended_block(node, previous)
        if "\0" in text:
            raise Unwritable(node, "it holds U+0000, which is read as U+FFFD")
        if made is not None and previous is not None:
            text = writing.separator(previous, made, _DOCUMENT) + text
        return _WrittenBlock(around, text, made or previous, writing.bullet)


class _WrittenBlock(NamedTuple):
    """A block's Markdown."""

    around: tuple[object, ...]
    """The part of the text before it that it depends on."""

    text: str
    previous: Node | None
    """The block before the next one: this one, in its written form, unless nothing is written of it."""

    bullet: str
    """That of the last list."""


class _Part:
    """The blocks of a part of a document, as far as they are written.

    ``last`` is the place of the one that ends the document, or -1.
    """

    __slots__ = ("blocks", "keys", "nodes", "places")

    def __init__(self, nodes: Sequence[Node], last: int = -1) -> None:
        self.nodes = nodes
        self.keys = [*map(id, nodes)]
        if last >= 0:
            self.keys[last] = -self.keys[last]  # it may end otherwise than before others
        self.places: dict[int, int] = {}
        """The place of each key, once it is asked for."""
        self.blocks: list[_WrittenBlock] = []

    def run(self, part: _Part, around: tuple[object, ...]) -> Sequence[_WrittenBlock]:
        """Return the blocks that are next in another part, as far as they were written here in the same surroundings."""
        if not self.places:
            self.places.update(zip(self.keys, count(), strict=False))
        start = len(part.blocks)
        place = self.places.get(part.keys[start])
        if place is None or self.blocks[place].around != around:
            return ()
        there, here = self.keys[place:], part.keys[start:]
        length = run_length(map(eq, there, here), min(len(there), len(here)))
        return self.blocks[place : place + length]


_NO_PART = _Part(())

PART = 0
"""The key of a memo's last part; no node has this ``id``."""


def _root(nodes: Sequence[Node]) -> Root:
    return Root(children=nodes)  # type: ignore[arg-type]
