"""The check that a pair of rules is a lens: written components are read back, and documents are rewritten unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from ujsx import (
    Component,
    Element,
    LoadError,
    TransformRegistry,
    UjsxError,
    dump,
    from_mdast,
    load,
    mdast,
    to_mdast,
)
from ujsx import registry as default_registry
from ujsx.components._component import as_element
from ujsx.elements import List, Paragraph, Strong, Table, TableRow
from ujsx.mdast._nodes import CONTENT_MODELS, FLOW
from ujsx.mdast.util import rewrite, walk
from ujsx.testing.strategies import canonical_roots, components, hostile_texts
from ujsx.text import escaped, unhidden

_Extensions = Iterable["mdast.Extension | str"]


def assert_lens(
    registry: TransformRegistry,
    component: type[Component],
    *,
    values: st.SearchStrategy[Any] | None = None,
    examples: int = 100,
    extensions: _Extensions = (),
) -> None:
    r"""Assert that a component's pair of rules is the same in both directions, over generated values.

    Writing and reading: the Markdown of a component is read back as the component, with equal props, and children that
    are written the same. Reading and writing: a document keeps its meaning, whether its nodes match the component,
    nearly match, or do not. Both rules are deterministic.

    :param registry: the registry with the pair.
    :param component: the component of the pair.
    :param values: a Hypothesis strategy of components, or trees with such; any valid props by default,
        and texts or paragraphs as children where the component takes some. Texts of props are made single lines without
        white space at their edges, which is what a line of Markdown keeps.
    :param examples: the number of values, and of documents, to try, the same ones each time.
    :param extensions: the Markdown extensions for reading and writing.
    :raises MissingRuleError: for a component without a pair.
    :raises AssertionError: with the smallest value, or document, for which the pair is not a lens.

    Needs the extra ``ujsx[testing]``.

    >>> from typing import ClassVar, Literal
    >>> from ujsx import Component, mdast, registry
    >>> from ujsx.elements import BlockQuote
    >>> class Mood(Component):
    ...     takes_children: ClassVar[bool] = False
    ...     word: Literal["calm", "busy"]
    >>> def write(element, transform):
    ...     return transform(BlockQuote()[element.component.word])
    >>> def read(quote, transform):
    ...     match quote.children:
    ...         case (mdast.Paragraph(children=(mdast.Text("calm" | "busy" as word),)),):
    ...             return Mood(word=word)
    ...     return NotImplemented
    >>> mine = registry.copy()
    >>> mine.pair(Mood, mdast.Blockquote, write=write, read=read)
    >>> assert_lens(mine, Mood, examples=10)
    """
    node, _ = registry.as_nodes(component, as_element)
    lens = _Lens(registry, component, tuple(extensions))
    given_values = _values(lens, node) if values is None else values.map(as_element)
    trees = given_values.map(lambda tree: _plain(tree, component))
    run = partial(
        settings,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list[Any](HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )

    @run(max_examples=examples)
    @given(trees)
    def written_is_read(tree: Element) -> None:
        lens.check_value(tree)

    @run(max_examples=examples)
    @given(canonical_roots())
    def read_is_written(root: mdast.Root) -> None:
        lens.check_document(root)

    @run(max_examples=max(1, examples // 10))
    @given(trees)
    def nearly_written_is_read(tree: Element) -> None:
        for root in _nearly(lens.written(tree)):
            lens.check_document(root)

    written_is_read()
    read_is_written()
    nearly_written_is_read()


class _Lens(msgspec.Struct, frozen=True):
    """A pair under test."""

    registry: TransformRegistry
    component: type[Component]
    extensions: tuple[mdast.Extension | str, ...]

    def check_value(self, tree: Element) -> None:
        """Assert that a written component is read back."""
        text = self._text(tree)
        self._check(text == self._text(tree), "is written differently the second time", text)
        parsed = mdast.from_markdown(text, extensions=self.extensions)
        read = from_mdast(parsed, registry=self.registry)
        is_read = [*self._found(read)] == [*self._found(tree)]
        self._check(is_read, "is not read back", text, meant=tree, read=read.children)
        again = self._text(read)
        self._check(again == text, "has other children when it is read", text, again=again)

    def _found(self, tree: Element) -> Iterator[Component]:
        """Yield the components of the kind in a tree."""
        if type(tree.component) is self.component:
            yield tree.component
        for child in tree.children:
            if not isinstance(child, str):
                yield from self._found(as_element(child))

    def check_document(self, root: mdast.Root) -> None:
        """Assert that a document is written as it was read."""
        try:
            root = self._canonical(root)
            usual = self._canonical(self._again(root, default_registry))
        except UjsxError:  # what was changed is no tree any more
            return
        own = self._canonical(self._again(root, self.registry))
        if own != usual:
            text, again = self._markdown(usual), self._markdown(own)
            self._check(False, "reads a document that is written differently", text, again=again)

    def can_write(self, tree: Element) -> bool:
        """Tell whether the component accepts its children."""
        try:
            self.written(tree)
        except UjsxError:
            return False
        return True

    def written(self, tree: Element) -> mdast.Root:
        return self._canonical(to_mdast(tree, registry=self.registry))

    def _again(self, root: mdast.Root, registry: TransformRegistry) -> mdast.Root:
        return to_mdast(from_mdast(root, registry=registry), registry=registry)

    def _text(self, tree: Any) -> str:
        return self._markdown(to_mdast(tree, registry=self.registry))

    def _canonical(self, root: mdast.Root) -> mdast.Root:
        return mdast.normalize(root, extensions=self.extensions)

    def _markdown(self, root: mdast.Root) -> str:
        return mdast.to_markdown(root, on_unwritable="normalize", extensions=self.extensions)

    def _check(self, holds: bool, what: str, text: str, **others: object) -> None:
        if holds:
            return
        told = "".join(
            f"\n{name}:\n{value if isinstance(value, str) else repr(value)}"
            for name, value in others.items()
        )
        raise AssertionError(f"{self.component.__name__} {what}\nwritten:\n{text}{told}")


def _values(lens: _Lens, node: type[mdast.Node]) -> st.SearchStrategy[Any]:
    """Return components with any props, and with children that the node can hold, or what the rule puts around them."""
    model = CONTENT_MODELS.get(node, FLOW)
    values: st.SearchStrategy[Any] = components(lens.component)
    if lens.component.takes_children:
        texts = hostile_texts()
        lines = texts.map(lambda text: (text,)) | texts.map(lambda text: (Strong()["x"], text))
        block = texts.map(lambda text: Paragraph()[text])
        blocks = st.tuples(block) | st.tuples(block, block)
        held = st.builds(Element.of, values, lines if model.holds == "phrasing" else blocks)
        is_part = model.holds not in ("flow", "phrasing")
        values |= held.filter(lens.can_write) if is_part else held
    return values.map(_HOLDERS.get(model.stands_as[0], as_element))


_HOLDERS: dict[str, Callable[[Any], Element]] = {
    "list": lambda item: List()[item],
    "table": lambda row: Table()[row],
    "row": lambda cell: Table()[TableRow()[cell]],
}
"""The parent of a component that is a part of a list, a table or a row."""


def _plain(tree: Element, component: type[Component]) -> Element:
    """Return a tree in which the props of such components have texts that Markdown preserves in a line."""
    children = [
        child if isinstance(child, str) else _plain(as_element(child), component)
        for child in tree.children
    ]
    if type(tree.component) is not component:
        return Element.of(tree.component, children)
    data = dump(Element.of(tree.component, ()))
    try:
        plain = load({**data, "props": _plain_texts(data["props"])}, [component])
    except LoadError:  # the prop does not accept the plain text
        assume(False)
        raise
    return Element.of(as_element(plain).component, children)


def _plain_texts(data: Any) -> Any:
    if isinstance(data, str):
        text = " ".join("".join(each for each in data if escaped(each) == each).split())
        assume(unhidden(text) == text == escaped(text))
        return text
    if data.__class__ is dict:
        return {_plain_texts(key): _plain_texts(value) for key, value in data.items()}
    return [*map(_plain_texts, data)] if data.__class__ is list else data


def _nearly(root: mdast.Root) -> Iterator[mdast.Root]:
    """Yield a document, and variants with one change: a field of a node, or one of its children."""
    yield root
    for node in [*walk(root)][1 : MOST_CHANGED + 1]:
        for name in node.__struct_fields__:
            if name in ("position", "data"):
                continue
            for value in _others(getattr(node, name)):
                new = msgspec.structs.replace(node, **{name: value})
                yield rewrite(
                    root,
                    type(node),
                    lambda each, old=node, new=new: new if each is old else each,  # type: ignore[misc]
                )


MOST_CHANGED = 6
"""The number of nodes of a document that are changed, one at a time."""


def _others(value: Any) -> Iterable[Any]:
    """Return other possible values of a field."""
    if value.__class__ is tuple:
        places = range(len(value))
        less = [value[:place] + value[place + 1 :] for place in places]
        other = [
            (*value[:place], form, *value[place + 1 :])
            for place in places
            for form in _other_forms(value[place])
        ]
        return [*less, *other, value + value[-1:], value[::-1]]
    if isinstance(value, bool):
        return (not value, None)
    if isinstance(value, int):
        return (value + 1, 0)
    if isinstance(value, str):
        return (f"{value}x", f"x {value}", f"\n{value}\n", "x", "")
    return (None, True, False, "x")


def _other_forms(node: Any) -> Iterable[mdast.Node]:
    """Return other nodes with the same words."""
    if isinstance(node, mdast.Text):
        return (mdast.InlineCode(node.value), mdast.Strong((node,)))
    if isinstance(node, mdast.Paragraph):
        return (mdast.Heading(1, node.children), mdast.Blockquote((node,)))
    return ()
