"""``write_layout``: from a tree to a layout document that reads back as that tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from ujsx import elements, mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Element, Node
from ujsx.components._vocabulary import Vocabulary
from ujsx.elements import Paragraph, TrustedMarkdown
from ujsx.errors import LayoutError, PropError, UjsxError
from ujsx.layout._nesting import KEY, takes_a_line
from ujsx.layout._read import read_nodes
from ujsx.mdast import Writer
from ujsx.mdast.to_markdown import Unsafe
from ujsx.text import escaped
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._transform import Transform

# A component's props as the attributes of its tag.

_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f-\x9f]*')
"""A string that can stand between quotes as it is."""


def tag(element: Element) -> str:
    """Return what stands between the brackets of an element's opening tag.

    Props that have their default are left out.

    :raises LayoutError: for a prop whose value no literal stands for.

    >>> from ujsx.elements import List
    >>> tag(List(ordered=True, start=3).keyed("steps"))
    'List key="steps" ordered start={3}'
    """
    component = element.component
    cls = type(component)
    if component.is_fragment and element.key is None:
        return ""
    words = [cls.__name__]
    if element.key is not None:
        if KEY in cls.model_fields:
            raise LayoutError(f'a key cannot be written beside a prop "{KEY}"', path=cls.__name__)
        words.append(_attribute(KEY, element.key))
    words += [_attribute(name, value) for name, value in _literals(component).items()]
    return " ".join(words)


def text(value: str) -> str:
    r"""Return a text as a layout writes it where Markdown has no form for it.

    >>> text("  a\n")
    '{"  a\\n"}'
    """
    # What looks like the form of a hidden character would be read as that character.
    return f"{{{_json(escaped(value))}}}"


def _literals(component: Component) -> dict[str, Any]:
    try:
        props = component.model_dump(mode="json", exclude_defaults=True)
        if type(component)(**props) == component:
            return props
    except (PropError, ValueError, TypeError):  # what Pydantic says of values it cannot dump
        pass
    raise LayoutError(
        "its props cannot be written as literals: read back, they would be others",
        path=type(component).__name__,
    )


def _attribute(name: str, value: object) -> str:
    if value is True:
        return name
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return f'{name}="{value}"'
    return f"{name}={{{_json(value)}}}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_CONTROLS)


_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Controls that JSON leaves as they are, and that steer a terminal."""


# Nodes as Markdown, where Markdown says exactly them; tags in it are written as they stand.

BLOCKS: tuple[type[Component], ...] = (
    elements.Heading,
    elements.Paragraph,
    elements.List,
    elements.BlockQuote,
    elements.CodeBlock,
    elements.Table,
    elements.ThematicBreak,
    elements.Definition,
    elements.FootnoteDefinition,
    elements.FrontMatter,
)
"""Primitives that Markdown has a block for."""

INLINE: tuple[type[Component], ...] = (
    elements.Strong,
    elements.Emphasis,
    elements.Strikethrough,
    elements.InlineCode,
    elements.Link,
    elements.LinkReference,
    elements.Image,
    elements.ImageReference,
    elements.FootnoteReference,
    elements.LineBreak,
)
"""Primitives that stand in a line."""

_UNSAFE = (
    Unsafe("<", "opens a tag", after=r"[^\W\d]|>"),
    Unsafe("{", "opens a text, a comment or what is refused"),
    Unsafe("}", "is refused without its partner"),
)
"""What means something in a layout, beside what does in Markdown."""


def blocks(nodes: Sequence[Node]) -> str:
    """Return the Markdown of blocks.

    :raises UjsxError: for what Markdown cannot represent.
    """
    transform = Transform(_registry(), "ujsx -> mdast", RenderContext())
    return _writer().write(mdast.Root(tuple(transform.all(nodes)))).removesuffix("\n")


def line(nodes: Sequence[Node]) -> str:
    """Return the Markdown of what stands in a line.

    :raises UjsxError: for what Markdown cannot represent.
    """
    return blocks([Element.of(elements.Paragraph(), tuple(nodes))])


def _tagged(element: Element, transform: Transform) -> list[Any]:
    opening = tag(element)
    if not element.children:
        return [mdast.Html(f"<{opening}/>")]
    return [
        mdast.Html(f"<{opening}>"),
        *transform.all(element.children),
        mdast.Html(f"</{opening.partition(' ')[0]}>"),
    ]


@cache
def _registry() -> TransformRegistry:
    from ujsx.transforms import registry

    rules = registry.copy()
    rules.rule(
        "ujsx -> mdast",
        Component,
        Fragment,
        elements.Section,
        elements.Omitted,
        elements.Html,
    )(_tagged)
    return rules


@cache
def _writer() -> Writer:
    return Writer(unsafe=_UNSAFE, handlers={mdast.Html: _as_it_stands})


def _as_it_stands(node: mdast.Html, _writing: object) -> str:
    return node.value


INDENT = "  "

WIDTH = 100
"""Columns up to which an element without Markdown stands in one line."""


def write_layout(tree: Node) -> str:
    """Return the layout document of a tree: ``read_layout`` gives the tree back.

    Props that have their default are left out. What Markdown cannot represent is written as tags,
    its texts as ``{"…"}``.

    :param tree: a tree of components whose props literals can stand for.
    :raises LayoutError: for a prop that no literal stands for, two components of one name,
        ``TrustedMarkdown``, and too deep a nesting.

    >>> from ujsx.elements import Heading, Paragraph, Section, strong
    >>> print(write_layout(Section(title="Notes")[Heading()["API"], Paragraph()[strong("v2")]]))
    <Section title="Notes">
      # API
    <BLANKLINE>
      **v2**
    </Section>
    <BLANKLINE>
    """
    roots = (tree,) if isinstance(tree, str) else _roots(as_element(tree))
    writing = _Writing(_vocabulary(roots))
    try:
        return writing.document(roots)
    except RecursionError:
        raise LayoutError(
            "it nests too deep for the calls that are left; flatten it, or write it less deep"
        ) from None


def _roots(tree: Element) -> tuple[Node, ...]:
    """What a document holds: a fragment's children, unless a single one would stand for itself."""
    if not tree.component.is_fragment or tree.key is not None:
        return (tree,)
    alone = len(tree.children) == 1 and not isinstance(tree.children[0], str)
    return (tree,) if alone else tree.children


class _Writing:
    """Writes with one vocabulary, the tree's own."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def document(self, roots: Sequence[Node]) -> str:
        """Return the text of a document.

        Its parts read back as they should, so that the whole does, but where one of them meets
        another; then Markdown is done without.
        """
        for lines in (self._blocks(roots), map(tagged, roots)):
            text = "".join(f"{line}\n" for line in lines)
            if self.reads_as(text, roots):
                return text
        raise LayoutError("it cannot be written: read back, it would be another tree")

    def reads_as(self, text: str, nodes: Sequence[Node]) -> bool:
        """Tell whether a document reads back as those nodes."""
        try:
            return read_nodes(text, self._vocabulary) == tuple(nodes)
        except LayoutError:
            return False

    def _blocks(self, nodes: Sequence[Node]) -> Iterator[str]:
        """Yield blocks, and a blank line at each side of Markdown."""
        was_markdown: bool | None = None
        for is_markdown, group in groupby(nodes, key=_has_markdown):
            for markdown, text in self._run([*group]) if is_markdown else self._tags([*group]):
                if was_markdown or (was_markdown is not None and markdown):
                    yield ""
                yield text
                was_markdown = markdown

    def _run(self, nodes: list[Node]) -> Iterator[tuple[bool, str]]:
        """Yield blocks as Markdown; those that it has no exact form for, as tags."""
        text = self._markdown(nodes)
        if text is not None:
            yield True, text
            return
        if len(nodes) == 1:
            yield from self._tags(nodes)
            return
        for exact, group in groupby(nodes, key=lambda node: self._markdown([node]) is not None):
            run = [*group]
            text = self._markdown(run) if exact else None
            if text is not None:
                yield True, text
            else:
                yield from self._tags(run)

    def _markdown(self, nodes: Sequence[Node]) -> str | None:
        try:
            text = blocks(nodes)
        except UjsxError:
            return None
        return text if self.reads_as(text, nodes) else None

    def _tags(self, nodes: Sequence[Node]) -> Iterator[tuple[bool, str]]:
        for node in nodes:
            yield False, text(node) if isinstance(node, str) else self._tag(node)

    def _tag(self, node: Component | Element) -> str:
        element = as_element(node)
        children = element.children
        if (
            takes_a_line(type(element.component))
            and len(children) == 1
            and _is(children[0], Paragraph)
        ):
            return tagged(element)  # on lines of its own, the paragraph would be the line
        opening, closing = brackets(element)
        if not children and not element.component.is_fragment:
            return f"{opening[:-1]}/>"
        if _is_line(children) or takes_a_line(type(element.component)):
            text = self._line(children)
            if text is not None and self.reads_as(f"{opening}{text}{closing}", (element,)):
                return f"{opening}{text}{closing}"
            line = tagged(element)
            if len(line) <= WIDTH:
                return line
        inner = "\n".join(self._blocks(children))
        return f"{opening}\n{_indented(inner)}\n{closing}"

    def _line(self, nodes: Sequence[Node]) -> str | None:
        try:
            text = line(nodes)
        except UjsxError:
            return None
        return None if "\n" in text else text


def _indented(text: str) -> str:
    return "\n".join(f"{INDENT}{line}" if line else line for line in text.split("\n"))


def _has_markdown(node: Node) -> bool:
    if isinstance(node, str):
        return False
    element = as_element(node)
    return element.key is None and type(element.component) in BLOCKS


def _is_line(nodes: Sequence[Node]) -> bool:
    """Whether nodes stand in a line: some of them can stand nowhere else, and the others do fit."""
    return all(map(_fits_a_line, nodes)) and any(map(_is_inline, nodes))


def _fits_a_line(node: Node) -> bool:
    if isinstance(node, str) or _is_inline(node):
        return True
    return not as_element(node).children and not _has_markdown(node)


def _is_inline(node: Node) -> bool:
    return isinstance(node, str) or type(as_element(node).component) in INLINE


def _is(node: Node, cls: type[Component]) -> bool:
    return not isinstance(node, str) and isinstance(as_element(node).component, cls)


def _vocabulary(roots: Sequence[Node]) -> Vocabulary:
    """The components of a tree.

    :raises LayoutError: for two classes of one name, and for what no layout may hold.
    """
    known: dict[str, type[Component]] = {Fragment.__name__: Fragment}
    pending = [(root, 0) for root in roots]
    while pending:
        node, level = pending.pop()
        if isinstance(node, str):
            continue
        element = as_element(node)
        cls = type(element.component)
        name = cls.__name__
        if level > MAX_DEPTH:
            raise LayoutError(f"nested more than {MAX_DEPTH} deep; flatten it", path=name)
        if isinstance(element.component, TrustedMarkdown):
            message = "a layout cannot hold it; write what it says as components"
            raise LayoutError(message, path=name)
        if known.setdefault(name, cls) is not cls:
            raise LayoutError(f'two components are called "{name}"; rename one', path=name)
        pending += [(child, level + 1) for child in element.children]
    return Vocabulary(*known.values())


def tagged(node: Node, level: int = 0) -> str:
    """Return a node without any Markdown, in one line.

    :raises LayoutError: for a prop that no literal stands for, and too deep a nesting.

    >>> from ujsx.elements import Item, strong
    >>> tagged(Item()["*a*", strong("b")])
    '<Item>{"*a*"}<Strong>{"b"}</Strong></Item>'
    """
    if isinstance(node, str):
        return text(node)
    if level > MAX_DEPTH:
        raise LayoutError(f"nested more than {MAX_DEPTH} deep; flatten it")
    element = as_element(node)
    opening, closing = brackets(element)
    if not element.children and not element.component.is_fragment:
        return f"{opening[:-1]}/>"
    return opening + "".join(tagged(child, level + 1) for child in element.children) + closing


def brackets(element: Element) -> tuple[str, str]:
    """Return an element's opening tag and its closing tag."""
    opening = tag(element)
    return f"<{opening}>", f"</{opening.partition(' ')[0]}>"
