"""``Document``: a Markdown text with its tree, edited by splices that keep all other bytes.

It holds the wanted tree, and reads each new text back. ``_splices`` compares that tree with the original, list by list,
and returns the splices; new nodes are written in the style of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol

import msgspec

from ujsx.calls import Answering, AnsweringType, resolving
from ujsx.errors import MdastError, shown
from ujsx.mdast import _nodes as m
from ujsx.mdast._nodes import (
    ALERT,
    MARK,
    Extension,
    Node,
    Root,
    is_among_blocks,
    misplaced,
    refuses_depth,
    resolved,
    stands_in_line,
)
from ujsx.mdast._normalize import answered, normalize
from ujsx.mdast._splices import Original, Pieces, Splices, alike
from ujsx.mdast._writer import Habits, first_difference, habits_of, to_markdown
from ujsx.mdast.from_markdown import from_markdown
from ujsx.mdast.to_markdown._state import checked_options
from ujsx.mdast.util import Change, rewrite

_BYTE_ORDER_MARK = "\ufeff"
_WITHOUT_BLOCKS = (m.Paragraph, m.Heading, m.TableCell)
_ROUNDS = 8
"""The most repairs of a text that reads back wrong, before all of its blocks are rewritten."""


class NodePairs(Protocol):
    """A registry that pairs components with nodes, such as ``ujsx.TransformRegistry``."""

    def as_nodes(
        self, component: type[Any], change: Callable[[Any], Any]
    ) -> tuple[type[Node], Change[Any]]:
        """Return a component's node class, and a change of components as a change of nodes."""
        ...


class Document(Answering, metaclass=AnsweringType):
    r"""A Markdown text that keeps the bytes of all unedited parts.

    ``root`` is its tree, with the positions of all nodes in the original text. ``replace``, ``insert``, ``remove`` and
    ``rewrite`` change the tree; ``text`` is the text of that tree, with as few changes as possible. New parts follow
    the style of the text: its bullets, fences, emphasis marks, indents and line ends, unless the writer's ``options``
    override it.

    A changed text is read back before it is returned. If it reads as another tree, the differing leaf block is
    rewritten, and then its container.

    ``extensions`` are used for reading. With a ``registry``, ``rewrite`` accepts a component that the registry pairs
    with a node. Raises ``MdastError`` as ``from_markdown`` does, and for an unknown option.

    >>> from ujsx.mdast import Heading, Text
    >>> from ujsx.mdast.util import find, replace
    >>> document = Document("Title\n=====\n\n* _one_\n* two\n")
    >>> heading = next(find(document.root, Heading))
    >>> document.replace(heading, replace(heading, children=[Text("A *new* title")]))
    >>> print(document.text, end="")
    A \*new\* title
    =====
    <BLANKLINE>
    * _one_
    * two
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "Document(text)": "fromfile read load open create",
        "document.insert(node, after=…)": "insertafter insertbefore append add prepend addafter addbefore appendchild",
        "document.root.children": "children nodes blocks tree ast body",
        "document.text": "tomarkdown markdown tostring render write dump dumps save",
        "find(document.root, Heading), from ujsx.mdast.util import find": "section sections heading headings find findall select",
    }

    _of_class: ClassVar[Mapping[str, str]] = {"_of": "frommarkdown fromtext fromstring parse loads"}

    @classmethod
    def _of(cls, text: str) -> Document:
        return cls(text)

    def __init__(
        self,
        text: str,
        *,
        extensions: Iterable[Extension | str] = (),
        registry: NodePairs | None = None,
        **options: Any,
    ) -> None:
        checked_options(options)
        self._registry = registry
        self._options = options
        self._extensions = resolved(extensions)
        self._tree = from_markdown(text, positions="all", extensions=self._extensions)
        self._mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
        self._source = text.removeprefix(_BYTE_ORDER_MARK)
        self._root = self._tree
        self._text: str | None = None
        self._habits: Habits | None = None
        self._anew: set[int] = set()
        self._stand_ins: dict[int, tuple[Node, Node]] = {}

    @property
    def root(self) -> Root:
        """The current tree. Unedited nodes are the original ones."""
        return self._root

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The Markdown of ``root``: the original text, if nothing is edited.

        Raises ``MdastError`` for a tree that Markdown cannot represent, as ``to_markdown`` does.
        """
        if self._text is None:
            self._text = self._spliced()
        return f"{self._mark}{self._text}"

    def replace(self, node: Node, new: Node | Iterable[Node]) -> None:
        """Replace a node of the tree by one or several nodes.

        Raises ``MdastError`` for a node that is not, or no longer, in the tree.
        """
        nodes = _nodes(new, beside=node)
        if len(nodes) == 1 and type(nodes[0]) is type(node):
            nodes = (self._in_place_of(nodes[0], node),)
        self._change(node, nodes)

    @resolving(write="write document.insert(node, after=document.root.children[0])")
    def insert(
        self,
        new: Node | Iterable[Node],
        *,
        before: Node | None = None,
        after: Node | None = None,
        into: Node | None = None,
    ) -> None:
        r"""Insert one or several nodes before or after another one, or into one after its last child.

        Raises ``MdastError`` unless exactly one place is passed, and it is in the tree.

        >>> from ujsx.mdast import ListItem, Paragraph, Text
        >>> document = Document("1) a\n2) b\n")
        >>> item = ListItem(children=[Paragraph(children=[Text("c")])])
        >>> document.insert(item, into=document.root.children[0])
        >>> document.text
        '1) a\n2) b\n3) c\n'
        """
        places = [each for each in (before, after, into) if each is not None]
        if len(places) != 1:
            raise MdastError("insert takes one place: before=, after= or into= a node of the tree")
        nodes = _nodes(new, beside=before or after)
        if into is not None:
            found: Any = self._path(into)[-1]
            if not hasattr(found, "children"):
                raise MdastError(f"nothing can be put into a {type(found).__name__}")
            _check_places(found, nodes)
            self._change(into, (_with_children(found, (*found.children, *nodes)),))
        elif before is not None:
            self._change(before, (*nodes, self._path(before)[-1]))
        elif after is not None:
            self._change(after, (self._path(after)[-1], *nodes))

    def remove(self, node: Node) -> None:
        """Remove a node from the tree. Raises ``MdastError`` for one that is not in it."""
        self._change(node, ())

    def rewrite(self, kind: type[Any], change: Callable[[Any], Any]) -> None:
        r"""Change all nodes of a kind, as ``ujsx.mdast.util.rewrite`` does.

        For a component of the registry, ``change`` gets its element and returns the replacement.

        >>> from ujsx.mdast import Link
        >>> from ujsx.mdast.util import replace
        >>> document = Document("See [a](/x 'y')  \nand __b__.\n")
        >>> document.rewrite(Link, lambda link: replace(link, url="/z"))
        >>> document.text
        "See [a](/z 'y')  \nand __b__.\n"
        """
        if not issubclass(kind, Node):
            if self._registry is None:
                raise MdastError(
                    f"{kind.__name__} is not a class of mdast nodes; for a component pass the registry that "
                    "pairs it with one: Document(text, registry=…)"
                )
            kind, change = self._registry.as_nodes(kind, change)

        def changed(node: Node) -> Any:
            new = change(node)
            if isinstance(new, Node) and type(new) is type(node):
                return self._in_place_of(new, node)
            return new

        root = rewrite(self._root, kind, changed)
        self._set(rewrite(root, m.Blockquote, _without_lost_mark))

    def renew(self, node: Node) -> None:
        r"""Rewrite an unedited block like a new one, to apply ``options``.

        The content of a container keeps its bytes, except for indentation. Raises ``MdastError`` for a node that is not
        in the tree, or not from the original text.

        >>> document = Document("* _a_\n\n_b_\n", bullet="-", emphasis="*")
        >>> document.renew(document.root.children[0])
        >>> document.text
        '- _a_\n\n_b_\n'
        """
        position = self._path(node)[-1].position
        if position is None:
            raise MdastError(f"{shown(node)} was not read; it is written anew in any case")
        self._anew.add(id(position))
        self._text = None

    def restore(self, node: Node) -> None:
        """Undo ``renew``. Raises ``MdastError`` for a node that is not in the tree."""
        self._anew.discard(id(self._path(node)[-1].position))
        self._text = None

    def canonical(self) -> str:
        r"""Return the original tree's text in canonical form, with the ``options``, whatever its style.

        Blocks that GFM readers interpret differently keep their source, as any other spelling changes the result in
        some of them: addresses with brackets, cells with several backslashes before a pipe.

        >>> Document("* _a_\n* https://a.example/[b]\n").canonical()
        '- *a*\n- https://a.example/[b]\n'
        """
        end = self._own_habits().line_end
        habits = Habits(self._options, end, nesting=None, setext=False)
        original = Original(self._source, self._tree, habits, self._extensions)
        sources = Splices(original, self._tree, set()).source_of

        def source_of(node: Node) -> str | None:
            source = sources(node)
            return source if source is not None and is_disputed(node, source) else None

        blocks = Pieces(habits, self._tree, self._extensions, source_of).blocks(self._tree.children)
        return f"{self._mark}{blocks}{end}" if blocks else self._mark

    def _own_habits(self) -> Habits:
        if self._habits is None:
            self._habits = habits_of(self._source, self._tree).with_options(self._options)
        return self._habits

    def _set(self, root: Root) -> None:
        self._root, self._text = root, None

    def _in_place_of(self, new: Node, old: Node) -> Node:
        """Return a node with the place of the one that it replaces."""
        if new.position is old.position:
            return new
        placed = msgspec.structs.replace(new, position=old.position)
        self._stand_ins[id(new)] = (new, placed)
        return placed

    def _change(self, node: Node, new: tuple[Node, ...]) -> None:
        given: object = node
        if not isinstance(given, Node):
            line = "write document.root.children[0], or find(document.root, Heading)"
            raise MdastError(f"{shown(node)} is not a node of the document; {line}")
        *parents, found = self._path(node)
        if not parents:
            if len(new) != 1 or not isinstance(new[0], Root):
                raise MdastError("the document itself can only be replaced by another Root")
            self._set(new[0])
            return
        nodes = new
        _check_places(parents[-1], new)
        for parent in reversed(parents):
            children: Any = parent.children
            place = next(i for i, child in enumerate(children) if child is found)
            found = parent
            children = (*children[:place], *nodes, *children[place + 1 :])
            nodes = (_without_lost_mark(_with_children(parent, children)),)
        self._set(nodes[0])  # type: ignore[arg-type]

    @refuses_depth
    def _path(self, node: Node) -> list[Any]:
        """Return the nodes from the root to this one, or its replacement."""
        given, stand_in = self._stand_ins.get(id(node), (None, node))
        for target in (node, stand_in if given is node else node):
            for place in (target.position, None):
                path = _path_to(self._root, target, place)
                if path is not None:
                    return path
        raise MdastError(
            f"{shown(node)} is not in the tree; pass a node of the document's root as it is now"
        )

    # --- The text ---------------------------------------------------------------------------------

    @refuses_depth
    def _spliced(self) -> str:
        if self._root is self._tree and not self._anew:
            return self._source
        habits = self._own_habits()
        original = Original(self._source, self._tree, habits, self._extensions)
        anew = {*self._anew}
        wanted = cache(lambda: self._canonical(self._root))
        # A reference without a definition is its text, as in the canonical form.
        root = self._root if answered(self._root) is self._root else wanted()
        read = self._tree
        for _ in range(_ROUNDS):
            text = Splices(original, root, anew).result()
            if text is None:
                anew.add(id(self._tree.position))
                continue
            read = self._read(text)
            if read == root or self._canonical(read) == wanted():
                return text
            if not _mend(wanted(), self._canonical(read), anew):
                break
        for options in (habits.options, {}):
            whole = to_markdown(
                root, on_unwritable="normalize", extensions=self._extensions, **options
            ).replace("\n", habits.line_end)
            read = self._read(whole)
            if self._canonical(read) == wanted():
                return whole
        path, meant, found = first_difference(wanted(), self._canonical(read))
        raise MdastError(
            f"the edited tree has no Markdown that reads back as it: {shown(found)}, not {shown(meant)}; "
            "please report it",
            path=path,
        )

    def _read(self, text: str) -> Root:
        return from_markdown(text, extensions=self._extensions)

    def _canonical(self, tree: Root) -> Root:
        return normalize(rewrite(tree, Node, _as_read), extensions=self._extensions)


def _as_read(node: Node) -> Node:
    """Return a node without the parts that a reader cannot produce."""
    data = node.data
    if data is not None:
        data = {ALERT: data[ALERT]} if isinstance(node, m.Blockquote) and ALERT in data else None
    return node if data == node.data else msgspec.structs.replace(node, data=data)


def _mend(wanted: Any, read: Any, anew: set[int]) -> bool:
    """Record what to rewrite where two trees differ; return whether anything was added."""
    if wanted == read:
        return False
    if type(wanted) is type(read) and not isinstance(wanted, _WITHOUT_BLOCKS):
        one, other = getattr(wanted, "children", ()), getattr(read, "children", ())
        if len(one) == len(other):
            found = [_mend(*pair, anew) for pair in zip(one, other, strict=True)]
            if any(found):
                return True
        head = alike(one, other)
        tail = alike(one[head:][::-1], other[head:][::-1])
        around = one[max(0, head - 1) : len(one) - max(0, tail - 1)]
        if head < len(one) and sum([_add(each, anew) for each in around]):
            return True
    return _add(wanted, anew)


def _add(node: Any, anew: set[int]) -> bool:
    if node.position is None or id(node.position) in anew or isinstance(node, m.TableRow):
        return False
    anew.add(id(node.position))
    return True


def _path_to(node: Any, target: Node, place: Any) -> list[Any] | None:
    if node is target or (place is not None and node.position is place):
        return [node]
    for child in getattr(node, "children", ()):
        if place is not None and child.position is not None and child.position is not place:
            start, end = child.position.start.offset, child.position.end.offset
            if not start <= place.start.offset <= end:
                continue
        path = _path_to(child, target, place)
        if path is not None:
            return [node, *path]
    return None


def _nodes(new: Node | Iterable[Node], beside: Node | None = None) -> tuple[Node, ...]:
    given: object = new
    if isinstance(given, str):
        line = f"mdast.Text({shown(given)})"
        if beside is None or not stands_in_line(beside):
            line = f"mdast.Paragraph(children=[{line}])"
        raise MdastError(
            f"{shown(given)} is not a node; write {line}, or for Markdown mdast.from_markdown(…).children"
        )
    nodes = (new,) if isinstance(new, Node) else tuple(new)
    for each in nodes:
        if not isinstance(each, Node):
            raise MdastError(f"{shown(each)} is not a node; pass nodes of ujsx.mdast")
    return nodes


def _check_places(parent: Node, nodes: Iterable[Node]) -> None:
    for each in nodes:
        if is_among_blocks(parent) and stands_in_line(each):
            raise MdastError(f"{misplaced(each)}: mdast.Paragraph(children=[…])")


def _without_lost_mark(node: Node) -> Node:
    """Return a quote as a plain one if its new first line no longer makes it an alert."""
    if not isinstance(node, m.Blockquote) or ALERT not in (node.data or ()):
        return node
    match node.children:
        case (m.Paragraph(children=(m.Text(value), *_)), *_) if MARK.match(value):
            return node
        case _:
            data = {key: value for key, value in (node.data or {}).items() if key != ALERT}
            return msgspec.structs.replace(node, data=data or None)


def _with_children(node: Any, children: tuple[Node, ...]) -> Any:
    return msgspec.structs.replace(node, children=children)


# Blocks that GFM readers interpret differently, where any other spelling changes the result in some of them.


def is_disputed(node: Node, source: str) -> bool:
    """Return whether a block must keep its source: it has brackets in a literal address, or several backslashes before
    a cell's pipe.
    """
    if isinstance(node, m.Table):
        return "\\\\|" in source
    return "[" in source and _has_brackets_in_addresses_alone(getattr(node, "children", ()))


def _has_brackets_in_addresses_alone(nodes: Sequence[Any]) -> bool:
    """Return whether literal addresses have opening brackets, and no other text has."""
    found = False
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, m.Link) and node.title is None and _is_address(node):
            found = found or "[" in node.url
        elif isinstance(node, m.Text) and "[" in node.value:
            return False
        else:
            stack.extend(getattr(node, "children", ()))
    return found


def _is_address(node: m.Link) -> bool:
    match node.children:
        case (m.Text(value),):
            return bool(value) and node.url.endswith(value)
        case _:
            return False
