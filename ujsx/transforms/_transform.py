"""One run of a direction: the registry's rules, applied to a tree from the top down.

Siblings of one class are transformed together, and so are their children: a rule that takes many
nodes looks once at all texts that stand in the same place of a list's items. Components with a
``render`` are opened on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from ujsx.components._component import Component, as_element
from ujsx.components._component_type import is_component_class
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Element
from ujsx.components._fragment import Fragment
from ujsx.errors import RenderError, UjsxError
from ujsx.text._hidden import escaped, hides_nothing
from ujsx.transforms._kept import Kept
from ujsx.trees._resolve import ALONE, disclosed_context, expand, place_of

if TYPE_CHECKING:
    from ujsx.transforms._registry import TransformRegistry

Rule: TypeAlias = "Callable[[Any, Transform], Any]"
"""Turns a node into a node of the target, or a list of them.

For a ``ujsx`` tree the node is an ``Element`` or ``str``, for others an object of the rule's class.
An element's children are as their author wrote them: ``transform`` opens those that have a
``render``.
"""


class Together:
    """A rule of a function that takes many nodes of its class, and returns a result for each."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Sequence[Any], Transform], Sequence[Any]]) -> None:
        self.function = function

    def __call__(self, node: Any, transform: Transform) -> Any:
        return self.function((node,), transform)[0]


class Transform:
    """What a rule is given to go on with its children.

    Called with a node, it returns what the rule for it makes. ``context.depth`` is the number of
    sections around the place; ``around`` are the classes of the primitives there, the innermost
    last, which is that of the node itself.
    """

    __slots__ = (
        "_found",
        "_level",
        "_locates",
        "around",
        "context",
        "direction",
        "kept",
        "registry",
    )

    def __init__(
        self,
        registry: TransformRegistry,
        direction: str,
        context: RenderContext,
        kept: Kept | None = None,
    ) -> None:
        self.registry = registry
        self.direction = direction
        self.context = context
        self.kept = kept
        self.around: list[type] = []
        self._found = registry.found(direction)
        self._level = 0
        self._locates = False

    def run(self, nodes: Sequence[Any], *, first: int = 0) -> list[Any]:
        """Return what the rules make of the roots of a tree, lists among it joined into one.

        :param first: the place of the first root among its siblings.
        :raises UjsxError: where a node cannot be transformed, with its path.
        """
        try:
            return self.all(nodes)
        except UjsxError:
            again = Transform(self.registry, self.direction, self.context)
            again._locates = True
            again.each(nodes, first=first)  # one by one: the error says where
            raise

    def __call__(self, node: Any) -> Any:
        (made,) = self.each((node,), first=ALONE)
        is_one = made.__class__ is list and len(made) == 1
        return made[0] if is_one and self._found.get(kinds_of((node,))[0]) is OPEN else made

    def each(self, nodes: Sequence[Any], *, first: int = 0) -> Sequence[Any]:
        """Return what the rules make of several nodes: a result, or a list of such, for each."""
        if len(nodes) == 1 and not self._locates:
            return self.alike(kinds_of(nodes)[0], nodes)
        kinds = kinds_of(nodes)
        if self._locates:
            located: list[Any] = []
            for place, node in enumerate(nodes, first):
                try:
                    located += self.alike(kinds[place - first], (node,))
                except UjsxError as error:
                    error.within(_name(node, place))
                    raise
            return located
        if not kinds or kinds.count(kinds[0]) == len(kinds):
            return self.alike(kinds[0], nodes) if kinds else []
        results: list[Any] = [None] * len(kinds)
        places: dict[type[Any], list[int]] = {}
        for place, kind in enumerate(kinds):
            places.setdefault(kind, []).append(place)
        together = {kind for kind in places if type(self._rule(kind)) is Together}
        for kind, found in places.items():
            if kind in together:
                made = self.alike(kind, [nodes[place] for place in found])
                for place, result in zip(found, made, strict=True):
                    results[place] = result
        for place, kind in enumerate(kinds):  # the others in the order of the document
            if kind not in together:
                results[place] = self.alike(kind, (nodes[place],))[0]
        return results

    def all(self, nodes: Iterable[Any]) -> list[Any]:
        """Return what the rules make of several nodes, lists among it joined into one."""
        return joined(self.each(nodes if isinstance(nodes, tuple) else tuple(nodes)))

    def deeper(self) -> Transform:
        """Return the transform for what stands in a section."""
        inner = self.within(self.context.deeper())
        inner.kept = None if self.kept is None else self.kept.deeper()
        return inner

    def within(self, context: RenderContext) -> Transform:
        """Return the transform for what stands in another context."""
        inner = Transform(self.registry, self.direction, context)
        inner.around = self.around
        inner._level = self._level
        inner._locates = self._locates
        return inner

    def seen(self, text: str) -> str:
        """Return a text as it is written: what it hides is seen, unless texts are trusted."""
        return text if self.context.trusts_text else escaped(text)

    def all_seen(self, texts: Sequence[str]) -> Sequence[str]:
        """Return texts as they are written, after one look at all of them."""
        if self.context.trusts_text or hides_nothing("\n".join(texts)):
            return texts
        return list(map(escaped, texts))

    def kept_or_made(
        self, kind: type[Any], nodes: Sequence[Any], make: Callable[[Any, Transform], Sequence[Any]]
    ) -> Sequence[Any]:
        """Return what siblings become; those that were there in the last rendering stay what they became.

        Beside the node and the context it depends on the primitives around the place.
        """
        kept = self.kept
        if kept is None:
            return make(nodes, self)
        self.kept = None  # what is in them is kept with them
        try:
            return kept.made((kind, *self.around), nodes, lambda new: make(new, self))
        finally:
            self.kept = kept

    def _disclosed(self, node: Element) -> Transform:
        context = disclosed_context(node.component, self.context)
        return self if context is self.context else self.within(context)

    @property
    def parent(self) -> type | None:
        """The class of the primitive in which the node stands, if it is in one."""
        return self.around[-2] if len(self.around) > 1 else None

    def _rule(self, kind: type[Any]) -> Any:
        return self._found.get(kind) or self.registry.find(self.direction, kind)

    def alike(self, kind: type[Any], nodes: Sequence[Any]) -> Sequence[Any]:
        """Return what the rule for a class makes of nodes that are all of that class."""
        rule: Any = self._found.get(kind) or self._rule(kind)
        stands_there = rule is not OPEN and kind is not Fragment
        discloses = False
        if stands_there and is_component_class(kind):
            discloses = kind.discloses
            nodes = [node if type(node) is Element else as_element(node) for node in nodes]
        self._level += 1
        if stands_there:
            self.around.append(kind)
        try:
            if self._level > MAX_DEPTH:
                raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
            if discloses:
                return [rule(node, self._disclosed(node)) for node in nodes]
            if rule.__class__ is Together:
                made: Sequence[Any] = rule.function(nodes, self)
                if len(made) != len(nodes):
                    raise RenderError(
                        f"the rule of {kind.__name__} is given {len(nodes)} nodes and returns "
                        f"{len(made)} results; it returns one for each"
                    )
                return made
            results: list[Any] = []
            for node in nodes:
                results.append(rule(node, self))  # noqa: PERF401 - a comprehension takes a frame
            return results
        finally:
            self._level -= 1
            if stands_there:
                self.around.pop()


def joined(results: Iterable[Any]) -> list[Any]:
    """Return results with those that are lists joined into one."""
    nodes: list[Any] = []
    for result in results:
        if result.__class__ is list:
            nodes += result
        else:
            nodes.append(result)
    return nodes


def _opened(nodes: Sequence[Component | Element], transform: Transform) -> Sequence[Any]:
    """Return what components become that are made of others: a list for each."""
    return transform.kept_or_made(kinds_of(nodes[:1])[0], nodes, _opened_anew)


def _opened_anew(nodes: Sequence[Component | Element], transform: Transform) -> list[Any]:
    made: list[Any] = []
    children: list[Any] = []
    counts: list[int] = []
    for node in nodes:
        own, context = expand(node, transform.context)
        if context is transform.context:
            children += own
            counts.append(len(own))
            made.append(None)
        else:
            counts.append(0)
            made.append(transform.within(context).all(own))
    results = iter(transform.each(children))
    for place, count in enumerate(counts):
        if made[place] is not None:
            continue
        result: Any = next(results) if count == 1 else joined(islice(results, count))
        made[place] = result if type(result) is list else [result]
    return made


OPEN = Together(_opened)
"""The rule of components that have a ``render``, and none of their own."""


def kinds_of(nodes: Sequence[Any]) -> tuple[type[Any], ...]:
    """Return the classes that the nodes' rules are for: an element's is its component's."""
    kinds: list[Any] = [
        type(node.component) if type(node) is Element else type(node) for node in nodes
    ]
    return tuple(kinds)


def _name(node: Any, place: int) -> str:
    is_element = node.__class__ is Element or hasattr(node.__class__, "is_fragment")
    return place_of(as_element(node), place) if is_element else type(node).__name__
