"""Layout documents: read into trees, checked, and written as text that reads back as its tree."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from ujsx import elements, mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Element, Node
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import Paragraph, TrustedMarkdown
from ujsx.errors import LayoutError, PropError, UjsxError
from ujsx.layout._nesting import (
    KEY,
    ComponentMaker,
    Nesting,
    PlacedTag,
    Unread,
    VerbatimText,
    place_of_prop,
    takes_a_line,
)
from ujsx.layout._tags import LayoutFaults, layout_error
from ujsx.mdast import Writer
from ujsx.mdast._nodes import CONTENT_MODELS, Content, ContentModel, named, refusal
from ujsx.mdast.to_markdown import Unsafe
from ujsx.text import escaped
from ujsx.transforms._registry import Transform, TransformRegistry
from ujsx.trees import load

# The reading of layout documents and trees, and the list of their mistakes.


def read_layout(
    text: str, vocabulary: Vocabulary | Iterable[ComponentClass] | None = None
) -> Element:
    r"""Return the tree of a layout document: Markdown with component tags. Nothing in it is run.

    A tag's props are literals, validated by its component. Text is Markdown; ``{"…"}`` is literal text, ``{/* … */}`` a
    comment, ``<>…</>`` a fragment. A tag in code is text. Several nodes, or none, are returned in a ``Fragment``.

    :param vocabulary: the allowed components; the primitives when ``None``. ``TrustedMarkdown`` is never allowed.
    :raises LayoutError: with line, column and an excerpt, for an unknown, malformed or misplaced tag or prop, an
        invalid value, raw HTML, and too deep a nesting.

    >>> read_layout('<Section title="Notes">Use *make*.</Section>')
    Section(title='Notes')['Use ', Emphasis()['make'], '.']
    >>> read_layout("Hello\n\n<Sectoin/>")
    Traceback (most recent call last):
    ujsx.errors.LayoutError: line 3, column 1: <Sectoin> is not a known component; did you mean "Section"?
      <Sectoin/>
      ^
    """
    return as_tree(read_nodes(text, vocabulary))


def as_tree(nodes: tuple[Node, ...]) -> Element:
    """Return a single node unchanged, and several in a ``Fragment``."""
    if len(nodes) == 1 and not isinstance(nodes[0], str):
        return as_element(nodes[0])
    return Element.of(Fragment(), nodes)


def read_nodes(
    text: str, vocabulary: Vocabulary | Iterable[ComponentClass] | None = None
) -> tuple[Node, ...]:
    """Return the nodes of a layout document.

    :raises LayoutError: as ``read_layout`` does.
    """
    return in_universal_tree(read_placed(text, vocabulary)[0])


def in_universal_tree(nodes: Iterable[Any]) -> tuple[Node, ...]:
    """Return mdast nodes, and components among them, as nodes of a universal tree."""
    try:
        return tuple([_registry().transform("mdast -> ujsx", node) for node in nodes])
    except RecursionError:
        raise too_deep() from None


def read_placed(
    text: str,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    gathers: bool = False,
) -> tuple[list[Any], LayoutFaults]:
    """Return a layout's mdast nodes, with components among them, and its mistakes.

    :param gathers: whether to continue after a mistake.
    :raises LayoutError: as ``read_layout`` does; when gathering, only for errors that end reading.
    """
    from ujsx.layout._parser import parse  # the tokenizer is imported on demand

    given: object = text
    if not isinstance(given, str):
        raise LayoutError(f"a layout is a str, not {type(given).__name__}")
    try:
        root, found, faults = parse(text, gathers=gathers)
        nesting = Nesting(found, faults, ComponentMaker(vocabulary, faults))
        return nesting.blocks(root.children), faults
    except RecursionError:
        raise too_deep() from None


def too_deep() -> LayoutError:
    """Return the error for nesting that is too deep to read."""
    return LayoutError(
        "it is nested too deep for the remaining call stack; flatten it, or read it from fewer nested calls",
        line=1,
        column=1,
    )


@cache
def _registry() -> TransformRegistry:
    from ujsx.transforms import registry

    rules = registry.copy()
    rules.rule("mdast -> ujsx", PlacedTag)(_placed)
    rules.rule("ujsx -> mdast", Component, *_TAGS)(_as_html)
    return rules


def _placed(node: PlacedTag, transform: Transform) -> Any:
    element = Element.of(node.component, transform.each(node.children))
    if node.key is not None:
        return element.keyed(node.key)
    return element if element.children or element.component.is_fragment else node.component


# ``check_layout``: all mistakes of a layout document, with their places.

Rule: TypeAlias = Callable[
    [Component, Sequence[Component], bool], Iterable[tuple[str, str | UjsxError]]
]
"""Yields the mistakes of a component beyond its props and its place: the name of the prop, or ``""``, with a sentence,
or an error that becomes the mistake's ``__cause__``. Its arguments are the component, the enclosing ones, innermost
last, and whether there is content between the component's tags.
"""

WITHOUT = "write what it says as text, or as code"
"""The remedy for Markdown that is not allowed in a layout."""

_STEP = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<place>.+)\])?")


def check_layout(
    text: str,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    context: RenderContext | None = None,
    rule: Rule | None = None,
    without: Collection[type[mdast.Node]] = (),
) -> tuple[LayoutError, ...]:
    r"""Return all mistakes of a layout document, in order; none if it is valid.

    These are the errors of ``read_layout``, misplaced nodes, and errors of a rendering in that context. After a mistake
    the check continues with the nearest valid form, so fix the first mistakes first: later ones may follow from them.

    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param context: the context of the renderings, one for each density.
    :param rule: what else has to be right of a component.
    :param without: Markdown nodes that are not allowed, such as :class:`ujsx.mdast.Link`. A vocabulary restricts tags
        only.

    >>> found = check_layout("<Strong>\n\n# a\n\n</Strong>\n\n<List>\n<Itm/>\n</List>")
    >>> [(each.line, each.message) for each in found][0]
    (3, 'a Heading is a block and cannot go inside inline text; put it next to the paragraph')
    >>> found[1].message
    '<Itm> is not a known component; did you mean "Item"?'
    """
    try:
        nodes, faults = read_placed(text, vocabulary, gathers=True)
    except LayoutError as error:  # an error that ends reading, such as too deep a nesting
        return (error,)
    for trail, prop, wrong in _mistakes(nodes, "flow", rule, without):
        cause = wrong if isinstance(wrong, UjsxError) else None
        faults.add(sentence(wrong), _offset_of(trail, prop, faults), cause)
    if found := tuple(faults.in_order()):
        return found
    try:
        tree = as_tree(in_universal_tree(nodes))
        return tuple(_renders(tree, context or RenderContext(), faults, nodes))
    except LayoutError as error:
        return (error,)
    except RecursionError:
        message = "it is nested too deep for the remaining call stack; flatten it"
        return (layout_error(faults.source, message, 0),)


Trail: TypeAlias = tuple[tuple[int, Any], ...]
"""A node after its ancestors, each with its place among its siblings."""


def _mistakes(
    nodes: Iterable[Any],
    place: Content | None,
    rule: Rule | None,
    without: Collection[type[mdast.Node]] = (),
    trail: Trail = (),
) -> Iterator[tuple[Trail, str, str | UjsxError]]:
    """Yield misplaced nodes and a rule's mistakes: the node, the prop, and the fault.

    :param place: the content kind of the nodes' place, if known.
    """
    for number, node in enumerate(nodes):
        here = (*trail, (number, node))
        name, model = _model(node)
        if place is not None and model is not None and not model.fits(place):
            yield here, "", refusal(name, model, place)
        if type(node) in without:
            yield here, "", f"{named(name)} is not allowed here; {WITHOUT}"
        if rule is not None and type(node) is PlacedTag and type(node.component) is not Unread:
            around = tuple([each.component for _, each in trail if type(each) is PlacedTag])
            for prop, wrong in rule(node.component, around, bool(node.children)):
                yield here, prop, wrong
        inner = _content_in(model, place)
        yield from _mistakes(getattr(node, "children", ()), inner, rule, without, here)


def _content_in(model: ContentModel | None, place: Content | None) -> Content | None:
    """Return the content kind of a node's children in a place, if its model defines it."""
    if model is None:
        return None
    return place if model.is_transparent else model.holds


def sentence(wrong: str | UjsxError) -> str:
    """Return the fault that a rule reports, as a sentence."""
    return wrong.message if isinstance(wrong, UjsxError) else wrong


def _model(node: Any) -> tuple[str, ContentModel | None]:
    """Return a node's name, and its content model if it has one."""
    if type(node) is PlacedTag:
        kind = node.kind
        return ("", None) if kind is None else (kind.__name__, kind.content_model)
    cls: type[Any] = mdast.Text if type(node) is VerbatimText else node.__class__
    return cls.__name__, CONTENT_MODELS.get(cls)


def _offset_of(trail: Trail, prop: str, faults: LayoutFaults) -> int:
    """Return the place of a node, or of one of its props."""
    offset, (_, node) = 0, trail[-1]
    for _, each in trail:
        offset = _offset(each, faults, offset)
    if prop and node.tag is not None:
        offset = node.origin.offset(place_of_prop(f"{node.tag.name}.{prop}", "", node.tag))
    return offset


def _offset(node: Any, faults: LayoutFaults, around: int) -> int:
    """Return the place of a node, or at least of its ancestor."""
    if type(node) is PlacedTag and node.tag is not None and node.origin is not None:
        return node.origin.offset(node.tag.at)
    if type(node) is VerbatimText:
        return node.offset
    if node.position is None:
        return around
    start: mdast.Point = node.position.start
    return faults.source.starts[start.line - 1] + start.column - 1


def _renders(
    tree: Element, context: RenderContext, faults: LayoutFaults, nodes: Sequence[Any]
) -> Iterator[LayoutError]:
    """Report the errors of a rendering at any density, each once."""
    import warnings

    from ujsx._density import Density
    from ujsx.rendering._render import render_document

    told: set[str] = set()
    for density in Density:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                render_document(tree, density=density, context=context)
            except UjsxError as error:
                if error.message not in told:
                    told.add(error.message)
                    offset = _place_in(nodes, error.path or "", faults)
                    found = layout_error(faults.source, f"it cannot be rendered: {error}", offset)
                    found.__cause__ = error
                    yield found


def _place_in(nodes: Sequence[Any], path: str, faults: LayoutFaults) -> int:
    """Return the place of the innermost node of a path that the document has."""
    offset = 0
    level: Sequence[Any] = nodes
    for step in path.split(" / "):
        match = _STEP.fullmatch(step)
        if match is None:
            break
        named = {str(n): each for n, each in enumerate(level) if _model(each)[0] == match["name"]}
        place = next(iter(named)) if len(named) == 1 else match["place"]
        if place not in named:
            break
        node = named[place]
        offset = _offset(node, faults, offset)
        level = getattr(node, "children", ())
    return offset


# ``check_tree``: all mistakes of a tree as data, with their places in the data.


def check_tree(
    data: Mapping[str, Any],
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    rule: Rule | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield misplaced nodes and a rule's mistakes: the place in the data, and a sentence.

    These are the mistakes of ``check_layout``, without the errors of a rendering.

    :param data: a tree in the form of :func:`ujsx.load`.
    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param rule: what else has to be right of a component.
    :raises LoadError: for data that cannot be loaded.

    >>> [*check_tree({"type": "List", "children": [{"type": "Strong", "children": ["a"]}]})]
    [('$.children[0]', 'a List holds Items, not a Strong')]
    """
    known = Vocabulary.of(vocabulary)
    load(data, known)
    for trail, prop, wrong in _mistakes([_as_placed(data, known)], "flow", rule):
        path = "$" + "".join([f".children[{number}]" for number, _ in trail[1:]])
        yield (f"{path}.props.{prop}" if prop else path), sentence(wrong)


def _as_placed(data: Any, known: Vocabulary) -> mdast.Node:
    """Return loadable data as a layout's node, as loaded nodes have no place in the data."""
    if isinstance(data, str):
        return mdast.Text(data)
    component = load({**data, "children": []}, known).component
    children = [_as_placed(child, known) for child in data.get("children", ())]
    return PlacedTag(component, None, tuple(children))


# A component's props as the attributes of its tag.

_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f-\x9f]*')
"""A string that needs no escapes between quotes."""


def opening_tag(element: Element) -> str:
    """Return the text between the brackets of an element's opening tag.

    Props that have their default are left out.

    :raises LayoutError: for a prop whose value has no literal.

    >>> from ujsx.elements import List
    >>> opening_tag(List(ordered=True, start=3).keyed("steps"))
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


def text_in_braces(value: str) -> str:
    r"""Return the layout form of a text that Markdown cannot represent.

    >>> text_in_braces("  a\n")
    '{"  a\\n"}'
    """
    # Text like the form of a hidden character would be read as that character.
    return f"{{{_json(escaped(value))}}}"


def _literals(component: Component) -> dict[str, Any]:
    try:
        props = component.model_dump(mode="json", exclude_defaults=True)
        if type(component)(**props) == component:
            return props
    except (PropError, ValueError, TypeError):  # Pydantic's error for values it cannot dump
        pass
    raise LayoutError(
        "its props cannot be written as literals that read back the same",
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
"""Controls that JSON does not escape, and that affect terminals."""


# Nodes as Markdown, where it represents them exactly; tags in it are written literally.

_TAGS: tuple[type[Component], ...] = (
    Fragment,
    elements.Section,
    elements.Omitted,
    elements.Html,
)
"""Primitives without an exact form in Markdown."""


@cache
def _in_markdown(place: Content) -> frozenset[type[Component]]:
    """Return the primitives with a Markdown form that are allowed in this content kind alone."""
    return frozenset(
        primitive
        for primitive in Vocabulary.of(None).values()
        if (model := primitive.content_model) is not None
        and model.stands_as == (place,)
        and primitive not in _TAGS
    )


_UNSAFE = (
    Unsafe("<", "opens a tag", after=r"[^\W\d]|>"),
    Unsafe("{", "opens a text, a comment or what is refused"),
    Unsafe("}", "is refused without its partner"),
)
"""Characters with a meaning in layouts, in addition to Markdown's."""


def _as_markdown(nodes: Sequence[Node]) -> str | None:
    """Return the Markdown of blocks; ``None`` if it cannot represent them."""
    transform = Transform(_registry(), "ujsx -> mdast", RenderContext())
    try:
        return _writer().write(mdast.Root(tuple(transform.all(nodes)))).removesuffix("\n")
    except UjsxError:
        return None


def _as_html(element: Element, transform: Transform) -> list[Any]:
    opening, closing = brackets(element)
    if not element.children:
        return [mdast.Html(f"{opening[:-1]}/>")]
    return [mdast.Html(opening), *transform.all(element.children), mdast.Html(closing)]


@cache
def _writer() -> Writer:
    return Writer(unsafe=_UNSAFE, handlers={mdast.Html: lambda tag, _: tag.value})


INDENT = "  "

WIDTH = 100
"""The most columns of an element without Markdown in one line."""


def write_layout(tree: Node) -> str:
    """Return the layout document of a tree, from which ``read_layout`` returns the tree.

    Props at their default are omitted. Nodes that Markdown cannot represent are written as tags, with texts as
    ``{"…"}``.

    :param tree: a tree of components whose props have literals.
    :raises LayoutError: for a prop without a literal, two components of the same name, ``TrustedMarkdown``, and too
        deep a nesting.

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
    writing = _LayoutWriting(_vocabulary(roots))
    try:
        return writing.document(roots)
    except RecursionError:
        raise LayoutError(
            "it is nested too deep for the remaining call stack; flatten it, or write it from fewer nested calls"
        ) from None


def _roots(tree: Element) -> tuple[Node, ...]:
    """Return the roots of a document: a fragment's children, unless there is only one."""
    if not tree.component.is_fragment or tree.key is not None:
        return (tree,)
    alone = len(tree.children) == 1 and not isinstance(tree.children[0], str)
    return (tree,) if alone else tree.children


class _LayoutWriting(NamedTuple):
    """A writer with the tree's own vocabulary."""

    vocabulary: Vocabulary

    def document(self, roots: Sequence[Node]) -> str:
        """Return the text of a document.

        Each part reads back correctly, and so does the whole, unless adjacent parts interact; then no Markdown is used.
        """
        for lines in (self._blocks(roots), map(tagged, roots)):
            text = "".join(f"{line}\n" for line in lines)
            if self.reads_as(text, roots):
                return text
        raise LayoutError("it cannot be written as a layout that reads back the same")

    def reads_as(self, text: str, nodes: Sequence[Node]) -> bool:
        """Tell whether a document reads back as those nodes."""
        try:
            return read_nodes(text, self.vocabulary) == tuple(nodes)
        except LayoutError:
            return False

    def _blocks(self, nodes: Sequence[Node]) -> Iterator[str]:
        """Yield blocks, with a blank line on each side of Markdown."""
        was_markdown: bool | None = None
        for is_markdown, group in groupby(nodes, key=_has_markdown):
            for markdown, text in self._run([*group]) if is_markdown else self._tags([*group]):
                if was_markdown or (was_markdown is not None and markdown):
                    yield ""
                yield text
                was_markdown = markdown

    def _run(self, nodes: list[Node]) -> Iterator[tuple[bool, str]]:
        """Yield blocks as Markdown, and those without an exact form as tags."""
        text = self._markdown(nodes)
        if text is not None:
            yield True, text
            return
        for exact, group in groupby(nodes, key=lambda node: self._markdown([node]) is not None):
            run = [*group]
            text = self._markdown(run) if exact else None
            if text is not None:
                yield True, text
            else:
                yield from self._tags(run)

    def _markdown(self, nodes: Sequence[Node]) -> str | None:
        text = _as_markdown(nodes)
        return text if text is not None and self.reads_as(text, nodes) else None

    def _tags(self, nodes: Sequence[Node]) -> Iterator[tuple[bool, str]]:
        for node in nodes:
            yield False, text_in_braces(node) if isinstance(node, str) else self._tag(node)

    def _tag(self, node: Component | Element) -> str:
        element = as_element(node)
        children = element.children
        takes_line = takes_a_line(type(element.component))
        if takes_line and len(children) == 1 and _is(children[0], Paragraph):
            return tagged(element)  # on lines of its own, the paragraph would be the line
        opening, closing = brackets(element)
        if not children and not element.component.is_fragment:
            return f"{opening[:-1]}/>"
        if _is_line(children) or takes_line:
            text = _as_markdown([Element.of(Paragraph(), children)])
            line = f"{opening}{text}{closing}"
            if text is not None and "\n" not in text and self.reads_as(line, (element,)):
                return line
            line = tagged(element)
            if len(line) <= WIDTH:
                return line
        inner = "\n".join(self._blocks(children))
        return f"{opening}\n{_indented(inner)}\n{closing}"


def _indented(text: str) -> str:
    return "\n".join(f"{INDENT}{line}" if line else line for line in text.split("\n"))


def _has_markdown(node: Node) -> bool:
    if isinstance(node, str):
        return False
    element = as_element(node)
    return element.key is None and type(element.component) in _in_markdown("flow")


def _is_line(nodes: Sequence[Node]) -> bool:
    """Tell whether nodes form a line: some of them can only be inline, and the others fit."""
    return all(map(_fits_a_line, nodes)) and any(map(_is_inline, nodes))


def _fits_a_line(node: Node) -> bool:
    if isinstance(node, str) or _is_inline(node):
        return True
    return not as_element(node).children and not _has_markdown(node)


def _is_inline(node: Node) -> bool:
    return isinstance(node, str) or type(as_element(node).component) in _in_markdown("phrasing")


def _is(node: Node, cls: type[Component]) -> bool:
    return not isinstance(node, str) and isinstance(as_element(node).component, cls)


def _vocabulary(roots: Sequence[Node]) -> Vocabulary:
    """The components of a tree.

    :raises LayoutError: for two classes of the same name, and for nodes that no layout allows.
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
    """Return a node without Markdown, in one line.

    :raises LayoutError: for a prop without a literal, and too deep a nesting.

    >>> from ujsx.elements import Item, strong
    >>> tagged(Item()["*a*", strong("b")])
    '<Item>{"*a*"}<Strong>{"b"}</Strong></Item>'
    """
    if isinstance(node, str):
        return text_in_braces(node)
    if level > MAX_DEPTH:
        raise LayoutError(f"nested more than {MAX_DEPTH} deep; flatten it")
    element = as_element(node)
    opening, closing = brackets(element)
    if not element.children and not element.component.is_fragment:
        return f"{opening[:-1]}/>"
    return opening + "".join(tagged(child, level + 1) for child in element.children) + closing


def brackets(element: Element) -> tuple[str, str]:
    """Return an element's opening tag and its closing tag."""
    opening = opening_tag(element)
    return f"<{opening}>", f"</{opening.partition(' ')[0]}>"
