"""Markdown in which readers see the same, if that changes nothing that a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from hud_runtime.cli._arguments import UsageError
from ujsx.errors import MdastError, shown

if TYPE_CHECKING:
    from ujsx.mdast import Disagreement, Document, Node, Root
    from ujsx.mdast.extensions import Extension

KNOWN_TO_MISTUNE = frozenset({"math", "definition-lists"})
"""The extensions about which it has an opinion."""

BYTE_ORDER_MARK = "\ufeff"

_STEP = re.compile(r"\.children\[(\d+)\]")


class Rewritten(NamedTuple):
    """A block that readers understand differently, and that is written anew in a form that they agree about."""

    line: int
    words: str
    """What each of them sees."""


class Formatted(NamedTuple):
    """A text that was formatted."""

    text: str
    rewritten: tuple[Rewritten, ...] = ()


def formatted(
    text: str,
    name: str,
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    extensions: tuple[Extension, ...] = (),
    canonical: bool = False,
) -> Formatted:
    r"""Return a Markdown text in which readers see the same, as far as another form does that.

    Only what they understand differently is written anew, and what ``options`` of the writer are about; all else keeps its bytes.

    :param name: what the text is called in an error.
    :param canonical: write all of it in canonical form.
    :raises UsageError: if a reader would see something else in the result; it says where, and what.

    >>> formatted("* a\r\n* _b_\r\n", "a.md").text
    '* a\r\n* _b_\r\n'
    >>> formatted("* a\r\n* _b_\r\n", "a.md", {"bullet": "-"}).text
    '- a\r\n- _b_\r\n'
    >>> formatted("| b |\n| - |\nc\n", "a.md")
    Formatted(text='| b |\n| - |\n| c |\n', rewritten=(Rewritten(line=3, words="markdown-it sees tableRow 'c', mistune text"),))
    """
    from ujsx.mdast import Document

    try:
        document = Document(text, extensions=extensions, **options)
    except MdastError as error:
        raise UsageError(f"{name} is left as it is: {error}") from None
    source, tree = text.removeprefix(BYTE_ORDER_MARK), document.root
    try:
        if canonical:
            result = Formatted(document.canonical())
        else:
            for node in _about(tree, options):
                document.renew(node)
            result = _agreed(document, source, extensions) or Formatted(document.text)
    except MdastError as error:
        where = f"{place(tree, error.path)}: " if error.path else ""
        raise UsageError(f"{name} is left as it is: {where}{error}") from None
    if result.text != text:
        written = result.text.removeprefix(BYTE_ORDER_MARK)
        if change := first_change(source, tree, written, extensions):
            raise UsageError(f"{name} is left as it is: {change}")
    return result


_LISTS = frozenset(
    {"bullet", "bullet_other", "bullet_ordered", "increment_list_marker", "list_item_indent"}
)
_OF_BULLETS = frozenset({"bullet", "bullet_other"})
_OF_NUMBERS = frozenset({"bullet_ordered", "increment_list_marker"})
"""The options that are about lists of one kind alone."""

_ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "close_atx": "Heading",
        "emphasis": "Emphasis",
        "fence": "Code",
        "quote": "Link Image Definition",
        "resource_link": "Link",
        "rule": "ThematicBreak",
        "rule_repetition": "ThematicBreak",
        "rule_spaces": "ThematicBreak",
        "setext": "Heading",
        "strong": "Strong",
        "table_cell_padding": "Table",
        "table_pipe_align": "Table",
    }
)
"""The kinds of nodes that the other options are about; ``tight_definitions`` is about what is around them."""


def _about(tree: Root, options: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the blocks that options are about. What is beside a block of its kind is written with what holds both."""
    kinds = {kind for name in options for kind in _ABOUT.get(name, "").split()}

    def within(node: Any) -> bool:
        return type(node).__name__ in kinds or any(map(within, getattr(node, "children", ())))

    def blocks(parent: Any) -> Iterator[Node]:
        children = parent.children
        for one, other in pairwise(children):
            if type(one) is type(other) and _are_parted(one, options):
                yield parent
                return
        for child in children:
            if isinstance(child, mdast.List) and _is_about_list(child, options):
                yield child
            elif isinstance(child, mdast.Paragraph | mdast.Heading | mdast.Table) or not hasattr(
                child, "children"
            ):
                if within(child):
                    yield child
            else:
                yield from blocks(child)

    from ujsx import mdast

    yield from blocks(tree)


def _is_about_list(node: Any, options: Mapping[str, Any]) -> bool:
    others = _OF_BULLETS if node.ordered else _OF_NUMBERS
    return not (_LISTS - others).isdisjoint(options)


def _are_parted(node: Any, options: Mapping[str, Any]) -> bool:
    kind = type(node).__name__
    if kind == "Definition":
        return "tight_definitions" in options
    return kind == "List" and not _LISTS.isdisjoint(options)


def _agreed(document: Document, source: str, extensions: tuple[Extension, ...]) -> Formatted | None:
    """Return the text with the blocks written anew that two readers understand differently, where that ends it."""
    tree = document.root
    parted = {each.path: each for each in _parted(source, extensions, tree)}
    tried: set[str] = set()
    told: list[Rewritten] = []
    for _ in range(_ROUNDS):  # of each container's blocks, the first that differs hides the others
        blocks = {
            path: block
            for path in _causes(parted.keys() - tried)
            if (block := _block_at(tree, path)) is not None
        }
        if not blocks:
            break
        tried |= blocks.keys()
        for block in blocks.values():
            document.renew(block)
        found, parted = parted, _parted_now(document, extensions)
        for path in sorted(blocks):
            if path in parted:
                document.restore(blocks[path])
            else:
                words = str(found[path]).partition(": ")[2]
                told.append(Rewritten(found[path].line, words))
    return Formatted(document.text, tuple(sorted(told))) if told else None


_ROUNDS = 32
"""The number of times that a text is looked at; each costs two readings."""


def _causes(paths: Iterable[str]) -> Iterator[str]:
    """Yield the first path in each block of the document, unless the block before has one: that may be why."""
    last = -2
    for path in sorted(paths, key=_places):
        top = _places(path)[0]
        if top > last + 1:
            yield path
        last = top


def _places(path: str) -> list[int]:
    return [*map(int, _STEP.findall(path))]


def _parted_now(document: Document, extensions: tuple[Extension, ...]) -> dict[str, Disagreement]:
    from ujsx.mdast import from_markdown

    text = document.text.removeprefix(BYTE_ORDER_MARK)
    read = from_markdown(text, extensions=extensions)
    return {each.path: each for each in _parted(text, extensions, read)}


def _parted(text: str, extensions: tuple[Extension, ...], tree: Root) -> Sequence[Disagreement]:
    """Return where the second reader sees something else; it is not asked about extensions that it does not have."""
    from ujsx.mdast import disagreements, from_markdown

    if not {each.name for each in extensions} <= KNOWN_TO_MISTUNE:
        return ()
    return disagreements(tree, from_markdown(text, engine="mistune", extensions=extensions))


def _block_at(tree: Root, path: str) -> Node | None:
    """Return the block that can be written anew at a path: a leaf, or a container that is no item.

    None for what the second reader alone sees: it follows from what is before it.
    """
    from ujsx import mdast

    node: Any = tree
    block: Node | None = None
    for step in _STEP.findall(path):
        children = getattr(node, "children", ())
        if int(step) >= len(children):
            return None
        node = children[int(step)]
        if not isinstance(block, mdast.Paragraph | mdast.Heading | mdast.Table | mdast.ListItem):
            block = node
    return block


def first_change(
    source: str, tree: Root, result: str, extensions: tuple[Extension, ...] = ()
) -> str | None:
    """Return the first place of ``source`` at which a reader sees something else in ``result``.

    The default engine must see the same tree, and show the same HTML. Where mistune sees the
    structure in ``source`` that the default engine sees, it must see it in ``result``, too; it is not
    asked about extensions that it does not have.
    """
    from ujsx.mdast import first_difference, from_markdown, normalize

    read = from_markdown(result, extensions=extensions)
    canonical = [normalize(each, extensions=extensions) for each in (read, tree)]
    if canonical[0] != canonical[1] or _html(read) != _html(tree):
        path, was, would_be = first_difference(tree, read)
        return (
            f"{place(tree, path)} would mean something else\n"
            f"  before: {_named(was)}\n  after:  {_named(would_be)}"
        )
    if _parted(source, extensions, tree):
        return None
    for found in _parted(result, extensions, read):
        return (
            f"{place(tree, found.path)}: readers would disagree\n"
            f"  markdown-it would see: {found.markdown_it}\n"
            f"  mistune would see:     {found.mistune}"
        )
    return None


def place(tree: Root, path: str) -> str:
    r"""Return where in a text the node at ``path`` stands, or the block that it is in.

    >>> from ujsx.mdast import from_markdown
    >>> place(from_markdown("a\n\n> b *c*"), "$.children[1].children[0].children[1]")
    'line 3, column 3'
    """
    node: Any = tree
    point = None
    for step in ["", *_STEP.findall(path)]:
        children = getattr(node, "children", ())
        if step and int(step) >= len(children):
            break
        node = children[int(step)] if step else node
        point = node.position.start if node.position is not None else point
    return "line 1" if point is None else f"line {point.line}, column {point.column}"


def _html(tree: Root) -> str:
    from ujsx import registry
    from ujsx.hast import to_html

    return to_html(registry.transform("mdast -> hast", tree))


def _named(value: Any) -> str:
    """Return a node's type and words, or a field's value."""
    if not hasattr(value, "__struct_config__"):
        return "nothing" if value is None else shown(value)
    kind, words = str(value.__struct_config__.tag), _words(value)
    return f"{kind} {shown(words)}" if words else kind


def _words(node: Any) -> str:
    own = getattr(node, "value", None) or getattr(node, "url", None) or ""
    return " ".join([own, *map(_words, getattr(node, "children", ()))]).strip()
