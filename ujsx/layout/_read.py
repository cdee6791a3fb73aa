"""The reading of layout documents and trees, and all that is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from ujsx import mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import Element, Node
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.errors import LayoutError, UjsxError
from ujsx.layout._nesting import (
    ComponentMaker,
    Nesting,
    PlacedTag,
    Unread,
    VerbatimText,
    place_of_prop,
)
from ujsx.layout._tags import LayoutFaults, layout_error
from ujsx.mdast._content_model import CONTENT_MODELS, Content, ContentModel, named, refusal
from ujsx.mdast._nodes import Text
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._transform import Transform
from ujsx.trees import load


def read_layout(
    text: str, vocabulary: Vocabulary | Iterable[ComponentClass] | None = None
) -> Element:
    r"""Return the tree of a layout document: Markdown with component tags. Nothing in it is run.

    A tag's props are literals, validated by its component. Text is Markdown; ``{"…"}`` is text as
    it stands, ``{/* … */}`` a comment, ``<>…</>`` a fragment. A tag in code is text. Several
    nodes come back in a ``Fragment``, and so does nothing.

    :param vocabulary: the components that may appear; the primitives when ``None``. Even a
        vocabulary cannot let ``TrustedMarkdown`` in.
    :raises LayoutError: with line, column and an excerpt, for a tag or a prop that is unknown,
        malformed or misplaced, a value that does not fit, raw HTML, and too deep a nesting.

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
    """Return a single node as it is, and several in a ``Fragment``."""
    if len(nodes) == 1 and not isinstance(nodes[0], str):
        return as_element(nodes[0])
    return Element.of(Fragment(), nodes)


def read_nodes(
    text: str, vocabulary: Vocabulary | Iterable[ComponentClass] | None = None
) -> tuple[Node, ...]:
    """Return what stands in a layout document, side by side.

    :raises LayoutError: as ``read_layout`` does.
    """
    return in_universal_tree(read_placed(text, vocabulary)[0])


def in_universal_tree(nodes: Iterable[Any]) -> tuple[Node, ...]:
    """Return mdast nodes with components among them as nodes of a universal tree."""
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
    """Return a layout's mdast nodes with components among them, and what is wrong with it.

    :param gathers: whether to go on after a mistake.
    :raises LayoutError: as ``read_layout`` does; of who gathers only for what ends all reading.
    """
    from ujsx.layout._parser import parse  # the tokenizer is imported when it is needed

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
    """Return the error for what nests deeper than can be read."""
    return LayoutError(
        "it nests too deep for the calls that are left; flatten it, or read it less deep",
        line=1,
        column=1,
    )


@cache
def _registry() -> TransformRegistry:
    from ujsx.transforms import registry

    rules = registry.copy()
    rules.rule("mdast -> ujsx", PlacedTag)(_placed)
    return rules


def _placed(node: PlacedTag, transform: Transform) -> Any:
    element = Element.of(node.component, transform.each(node.children))
    if node.key is not None:
        return element.keyed(node.key)
    return element if element.children or element.component.is_fragment else node.component


# ``check_layout``: all that is wrong with a layout document, and where.

Rule: TypeAlias = Callable[
    [Component, Sequence[Component], bool], Iterable[tuple[str, str | UjsxError]]
]
"""Yields what is wrong with a component beyond its props and its place: the name of the prop that it
is about, or ``""``, and a sentence, or the error that says it, which becomes the mistake's ``__cause__``. It is given the
components around, the innermost last, and whether there is anything between the component's tags."""

WITHOUT = "write what it says as text, or as code"
"""What to do about Markdown that may not stand in a layout."""

_STEP = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<place>.+)\])?")


def check_layout(
    text: str,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    context: RenderContext | None = None,
    rule: Rule | None = None,
    without: Collection[type[mdast.Node]] = (),
) -> tuple[LayoutError, ...]:
    r"""Return all mistakes of a layout document, in their order; none if it can be used.

    What ``read_layout`` refuses, what stands where it cannot stand, and what a rendering refuses
    in that context. After a mistake the check goes on as if the nearest thing had been written
    that is right, so mend the first ones first: a later one may follow from them.

    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param context: what it is rendered in, at each density.
    :param rule: what else has to be right of a component.
    :param without: what Markdown may not stand in it, such as :class:`ujsx.mdast.Link`. A vocabulary
        is about tags alone.

    >>> found = check_layout("<Strong>\n\n# a\n\n</Strong>\n\n<List>\n<Itm/>\n</List>")
    >>> [(each.line, each.message) for each in found][0]
    (3, 'a Heading is a block and cannot go inside a line; put it next to the paragraph')
    >>> found[1].message
    '<Itm> is not a known component; did you mean "Item"?'
    """
    asked = _LayoutRequest(vocabulary, rule, frozenset(without))
    try:
        read_layout(text, vocabulary)
    except LayoutError as error:
        return _gathered(text, asked) or (error,)
    found, faults, nodes = _read(text, asked)
    if found:
        return found
    try:
        tree = as_tree(in_universal_tree(nodes))
        return tuple(_renders(tree, context or RenderContext(), faults, nodes))
    except RecursionError:
        message = "it nests too deep for the calls that are left; flatten it"
        return (layout_error(faults.source, message, 0),)


class _LayoutRequest(NamedTuple):
    """What a layout is asked for."""

    vocabulary: Vocabulary | Iterable[ComponentClass] | None
    rule: Rule | None
    without: frozenset[type[mdast.Node]]


def _gathered(text: str, asked: _LayoutRequest) -> tuple[LayoutError, ...]:
    try:
        return _read(text, asked)[0]
    except LayoutError as error:  # what ends all reading, such as too deep a nesting
        return (error,)


def _read(
    text: str, asked: _LayoutRequest
) -> tuple[tuple[LayoutError, ...], LayoutFaults, list[Any]]:
    """What is wrong before anything is rendered, and the document's nodes."""
    nodes, faults = read_placed(text, asked.vocabulary, gathers=True)
    _Content(faults, asked).check(nodes, "flow", 0)
    return tuple(faults.in_order()), faults, nodes


class _Content:
    """Checks what stands where."""

    def __init__(self, faults: LayoutFaults, asked: _LayoutRequest) -> None:
        self._faults = faults
        self._rule = asked.rule
        self._without = asked.without
        self._around: list[Component] = []

    def check(self, nodes: Iterable[Any], place: Content | None, offset: int) -> None:
        """Check nodes in a kind of content, or in one that nobody tells.

        :param offset: where what holds them stands.
        """
        for node in nodes:
            at = _offset(node, self._faults, offset)
            name, model = _model(node)
            if place is not None and model is not None and not model.fits(place):
                self._faults.add(refusal(name, model, place), at)
            if type(node) is PlacedTag:
                self._component(node, at)
            elif type(node) in self._without:
                self._faults.add(f"{named(name)} may not stand here; {WITHOUT}", at)
            children = getattr(node, "children", ())
            if model is None:
                self._inside(node, children, None, at)
            else:
                self._inside(node, children, place if model.is_transparent else model.holds, at)

    def _component(self, node: PlacedTag, at: int) -> None:
        if self._rule is None or type(node.component) is Unread:
            return
        for prop, wrong in self._rule(node.component, self._around, bool(node.children)):
            place = at
            if prop and node.tag is not None and node.origin is not None:
                path = f"{node.tag.name}.{prop}"
                place = node.origin.offset(place_of_prop(path, "", node.tag))
            self._faults.add(
                sentence(wrong), place, wrong if isinstance(wrong, UjsxError) else None
            )

    def _inside(self, node: Any, children: Iterable[Any], place: Content | None, at: int) -> None:
        if type(node) is not PlacedTag:
            self.check(children, place, at)
            return
        self._around.append(node.component)
        self.check(children, place, at)
        self._around.pop()


def sentence(wrong: str | UjsxError) -> str:
    """Return what a rule says is wrong, in words."""
    return wrong.message if isinstance(wrong, UjsxError) else wrong


def _model(node: Any) -> tuple[str, ContentModel | None]:
    """What a node is called, and its content model if it tells one."""
    if type(node) is PlacedTag:
        kind = node.kind
        return ("", None) if kind is None else (kind.__name__, kind.content_model)
    cls: type[Any] = mdast.Text if type(node) is VerbatimText else node.__class__
    return cls.__name__, CONTENT_MODELS.get(cls)


def _offset(node: Any, faults: LayoutFaults, around: int) -> int:
    """Where a node stands, or at least what is around it."""
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
    """What a rendering refuses, at any density; the same mistake once."""
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
                    offset = _place_in(nodes, tree, error.path or "", faults)
                    found = layout_error(faults.source, f"it cannot be rendered: {error}", offset)
                    found.__cause__ = error
                    yield found


def _place_in(nodes: Sequence[Any], tree: Element, path: str, faults: LayoutFaults) -> int:
    """Where in the document the innermost node of a path stands that the document has."""
    offset = 0
    level: Sequence[Any] = nodes
    for step in path.split(" / "):
        match = _STEP.fullmatch(step)
        if match is None:
            break
        named = [node for node in level if _model(node)[0] == match["name"]]
        node = named[0] if len(named) == 1 else _numbered(level, named, match["place"])
        if node is None:
            break
        offset = _offset(node, faults, offset)
        level = getattr(node, "children", ())
    return offset


def _numbered(level: Sequence[Any], named: Sequence[Any], place: str | None) -> Any:
    if place is None or not place.isdecimal() or int(place) >= len(level):
        return None
    node = level[int(place)]
    return node if any(node is each for each in named) else None


# ``check_tree``: all that is wrong with a tree that was given as data, and where in the data.


def check_tree(
    data: Mapping[str, Any],
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    rule: Rule | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield what stands where it cannot stand, and what a rule says: the place in the data, a sentence.

    The same as ``check_layout`` says of a document, but for what only a rendering refuses.

    :param data: a tree as :func:`ujsx.load` takes it.
    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param rule: what else has to be right of a component.
    :raises LoadError: for what cannot be loaded.

    >>> [*check_tree({"type": "List", "children": [{"type": "Strong", "children": ["a"]}]})]
    [('$.children[0]', 'a List holds Items, not a Strong')]
    """
    known = Vocabulary.of(vocabulary)
    load(data, known)
    yield from _Walk(known, rule).mistakes(data, "$", "flow", ())


class _Walk:
    """A walk through data that can be loaded: what is loaded has no place in the data any more."""

    def __init__(self, known: Vocabulary, rule: Rule | None) -> None:
        self._known = known
        self._rule = rule

    def mistakes(
        self, node: Any, path: str, place: Content | None, around: Sequence[Component]
    ) -> Iterator[tuple[str, str]]:
        if isinstance(node, str):
            model = CONTENT_MODELS[Text]
            if place is not None and not model.fits(place):
                yield path, refusal(Text.__name__, model, place)
            return
        component = load({**node, "children": []}, self._known).component
        children = node.get("children", ())
        told = type(component).content_model
        if told is not None and place is not None and not told.fits(place):
            yield path, refusal(type(component).__name__, told, place)
        if self._rule is not None:
            for prop, wrong in self._rule(component, around, bool(children)):
                yield (f"{path}.props.{prop}" if prop else path), sentence(wrong)
        inner = None if told is None else place if told.is_transparent else told.holds
        for number, child in enumerate(children):
            within = f"{path}.children[{number}]"
            yield from self.mistakes(child, within, inner, (*around, component))
