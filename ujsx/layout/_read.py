"""``read_layout``: from a layout document to a tree."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from ujsx.components._component import as_element
from ujsx.components._element import Element, Node
from ujsx.components._fragment import Fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.errors import LayoutError
from ujsx.layout._components import ComponentMaker
from ujsx.layout._faults import Faults
from ujsx.layout._nesting import Nesting, Placed
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._transform import Transform


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
    ujsx.errors.LayoutError: line 3, column 1: <Sectoin> is no component that may stand here; did you mean "Section"?
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
) -> tuple[list[Any], Faults]:
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
    rules.rule("mdast -> ujsx", Placed)(_placed)
    return rules


def _placed(node: Placed, transform: Transform) -> Any:
    element = Element.of(node.component, transform.each(node.children))
    if node.key is not None:
        return element.keyed(node.key)
    return element if element.children or element.component.is_fragment else node.component
