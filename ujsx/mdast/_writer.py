"""``Writer`` and ``to_markdown``: write a tree, in canonical form or checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias, cast

import msgspec

from ujsx.errors import MdastError, shown
from ujsx.mdast._extension import Extension
from ujsx.mdast._nodes import Html, List, ListItem, Node, Paragraph, Root, Text
from ujsx.mdast._normalize import canonical_blocks
from ujsx.mdast.from_markdown import from_markdown
from ujsx.mdast.to_markdown import Handler, Join, Memo, Unsafe
from ujsx.mdast.to_markdown._document import DocumentWriter, Rules
from ujsx.mdast.to_markdown._links import Labels
from ujsx.mdast.to_markdown._phrasing import SPANS, Unwritable, block_fault, is_inline, mdast_error

# The first difference between two trees.


def first_difference(left: Any, right: Any, path: str = "$") -> tuple[str, Any, Any]:
    """Return the place where two trees that are not equal part, and what stands there in each.

    >>> from ujsx.mdast import Paragraph, Text
    >>> first_difference(Paragraph([Text("a")]), Paragraph([Text("b")]))
    ('$.children[0].value', 'a', 'b')
    """
    while type(left) is type(right) and isinstance(left, msgspec.Struct):
        name = next(
            (
                each
                for each in left.__struct_fields__
                if getattr(left, each) != getattr(right, each)
            ),
            None,
        )
        if name is None:
            break
        left, right, path = getattr(left, name), getattr(right, name), f"{path}.{name}"
        if name == "children":
            place = next(i for i in range(len(left) + 1) if _at(left, i) != _at(right, i))
            left, right, path = _at(left, place), _at(right, place), f"{path}[{place}]"
    return path, left, right


def _at(nodes: Sequence[Any], place: int) -> Any:
    return nodes[place] if place < len(nodes) else None


OnUnwritable: TypeAlias = Literal["error", "normalize"]


class Writer:
    r"""Writes trees as Markdown.

    ``extensions`` are those that the tree was read with: names of those in
    ``ujsx.mdast.extensions``, or your own. ``handlers`` (a node class to a function of the node and the state), ``joins`` (what parts two
    blocks) and ``unsafe`` (characters that mean something to a reader of yours) extend what the
    writer knows; all options are described at ``Options``. ``on_unwritable`` says what becomes
    of a tree that Markdown has no form for: ``"error"`` raises ``MdastError`` with the node's
    path, ``"normalize"`` writes the tree's canonical form. ``verify`` parses what was written
    and raises ``MdastError`` if it is not the same tree.

    >>> Writer(bullet="*").write(Root(children=[Paragraph(children=[Text("1. *a*")])]))
    '1\\. \\*a\\*\n'
    """

    def __init__(
        self,
        *,
        on_unwritable: OnUnwritable = "error",
        verify: bool = False,
        handlers: Mapping[type[Node], Handler] | None = None,
        joins: Iterable[Join] = (),
        unsafe: Iterable[Unsafe] = (),
        extensions: Iterable[Extension | str] = (),
        **options: Any,
    ) -> None:
        self.rules = Rules(
            handlers=handlers, joins=joins, unsafe=unsafe, extensions=extensions, **options
        )
        self.options = self.rules.options
        if on_unwritable not in ("error", "normalize"):
            raise MdastError(
                f"on_unwritable={on_unwritable!r} is not possible; it is 'error' or 'normalize'"
            )
        self.on_unwritable = on_unwritable
        self.verify = verify

    def write(self, node: Node) -> str:
        """Return a tree's Markdown: it ends in one line end, or is ``""`` if there is nothing.

        A node that is no document is written as if it were alone in one.
        """
        nodes = self._as_blocks(node)
        complete = isinstance(node, Root)
        text = "".join(self._written(nodes, None, complete=complete, document=nodes))
        text = f"{text}\n" if text else ""
        if self.verify:
            self._verify(nodes, text, complete=complete)
        return text

    def _as_blocks(self, node: Node) -> Sequence[Node]:
        if isinstance(node, Root):
            return node.children
        if isinstance(node, ListItem):
            return (List(children=(node,)),)
        if isinstance(node, Html) and (
            not isinstance(cast("object", node.value), str)
            or block_fault(node.value) is None
            or not is_inline(node.value)
        ):
            return (node,)
        if type(node) in self.rules.phrasing_handlers or type(node) in SPANS or type(node) is Text:
            return (Paragraph(children=(node,)),)  # type: ignore[arg-type]
        return (node,)

    def blocks(
        self, nodes: Sequence[Node], memo: Memo | None = None, *, labels: Labels | None = None
    ) -> list[str]:
        r"""Return the Markdown of each block of a document, what parts it from the one before
        included: ``"".join(blocks)`` and a line end are the document.

        With a ``memo`` a block that was written before, in the same surroundings, keeps its text:
        only blocks that are new objects cost time. References are not checked, as their
        definitions may stand elsewhere. With ``on_unwritable="normalize"``, blocks that have no
        canonical form are left out of the list. ``labels`` are what the document defines
        (``labels_in``); when ``None``, text in brackets is written as if all of it were defined
        elsewhere.

        >>> Writer().blocks([Paragraph(children=[Text("a")]), Paragraph(children=[Text("b")])])
        ['a', '\n\nb']
        """
        return self._written(nodes, memo, complete=False, labels=labels)

    def document(self, labels: Labels | None) -> DocumentWriter:
        """Return what writes a document part by part; ``labels`` are what all of it defines."""
        return DocumentWriter(self.rules, labels)

    def _written(
        self,
        nodes: Sequence[Node],
        memo: Memo | None,
        *,
        complete: bool,
        labels: Labels | None = None,
        document: Sequence[Node] | None = None,
    ) -> list[str]:
        normalizes = self.on_unwritable == "normalize"
        mend = partial(self._canonical, complete=False) if normalizes else None
        for is_canonical in (False, True):
            writer = DocumentWriter(self.rules, labels, document)
            writer.mend = mend
            try:
                written = writer.written(nodes, memo, is_last=True)
                if complete:
                    writer.check_references()
            except Unwritable as error:
                if not normalizes or is_canonical:
                    root = Root(children=nodes)  # type: ignore[arg-type]
                    raise mdast_error(error, root) from None
                nodes = self._canonical(nodes, complete=complete)
            else:
                _forget(memo, nodes)
                return [*filter(None, written)]
        raise AssertionError("what is canonical is written or refused")

    def _canonical(self, nodes: Sequence[Node], *, complete: bool) -> tuple[Any, ...]:
        try:
            return canonical_blocks(nodes, self.rules, complete=complete)
        except RecursionError:
            raise MdastError("the tree is nested too deep for the calls left; flatten it") from None

    def _verify(self, nodes: Sequence[Node], text: str, *, complete: bool) -> None:
        wanted = Root(children=self._canonical(nodes, complete=complete))
        read = from_markdown(text, extensions=self.rules.extensions)
        if read != wanted:
            path, meant, found = first_difference(wanted, read)
            raise MdastError(
                f"what was written reads back as another tree: {_brief(found)}, not {_brief(meant)}; "
                "please report it",
                path=path,
            )


@lru_cache(maxsize=32)
def _writer(options: tuple[tuple[str, object, Any], ...]) -> Writer:
    # The type is part of the key, as 1 is equal to True but no value of an option.
    return Writer(**{name: value for name, _, value in options})


def to_markdown(node: Node, **options: Any) -> str:
    r"""Return the Markdown of a tree: in one line end at its end, or ``""`` if there is nothing.

    ``options`` are those of ``Writer``. Raises ``MdastError`` for an unknown option, and for a
    tree that Markdown has no form for unless ``on_unwritable="normalize"``.

    >>> from ujsx.mdast import Heading, Text
    >>> to_markdown(Heading(depth=2, children=[Text("C# *and* more")]))
    '## C# \\*and\\* more\n'
    """
    try:
        writer = _writer(
            tuple([(name, cast("object", type(value)), value) for name, value in options.items()])
        )
    except TypeError:  # a table of handlers cannot be hashed
        writer = Writer(**options)
    return writer.write(node)


def _forget(memo: Memo | None, nodes: Sequence[Node]) -> None:
    """Drop what a memo holds of other nodes, once that is most of it."""
    if not isinstance(memo, dict):
        return
    known = cast("dict[int, Any]", memo)
    if len(known) > 4 * len(nodes) + 64:
        used = set(map(id, nodes))
        for key in [key for key in known if key not in used]:
            del known[key]


def _brief(value: object) -> str:
    return "nothing" if value is None else shown(value)
