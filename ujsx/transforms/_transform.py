"""One run of a direction: the registry's rules, applied to a tree from the top down.

It is one plain walk: a node's class tells its rule, and the rule goes on with the node's children.
Components with a ``render`` are opened on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ujsx.components._component import as_element
from ujsx.components._component_type import is_component_class
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Element
from ujsx.errors import RenderError, UjsxError
from ujsx.text._hidden import escaped
from ujsx.transforms._kept import Kept, kind_of
from ujsx.trees._resolve import ALONE, disclosed_context, expand, place_of

if TYPE_CHECKING:
    from ujsx.transforms._registry import TransformRegistry

Rule: TypeAlias = "Callable[[Any, Transform], Any]"
"""Turns a node into a node of the target, or a list of them.

For a ``ujsx`` tree the node is an ``Element`` or ``str``, for others an object of the rule's class.
An element's children are as their author wrote them: ``transform`` opens those that have a
``render``.
"""


class Transform:
    """The argument of a rule, with which it continues with its children.

    Called with a node, it returns what the rule for it makes. ``context.depth`` is the number of
    sections around the place; ``parent`` is the class of the primitive there, if there is one.
    """

    __slots__ = (
        "_found",
        "_kind",
        "_level",
        "_locates",
        "context",
        "direction",
        "kept",
        "parent",
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
        self.parent: type | None = None
        self._kind: type | None = None
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
        return made[0] if is_one and self._found.get(kind_of(node)) is OPEN else made

    def each(
        self,
        nodes: Sequence[Any],
        *,
        first: int = 0,
        of: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Return what the rules make of siblings: a result, or a list of such, for each.

        :param of: makes the node of what is given, and is asked only for what is new or changed.
        """
        kept, self.kept = self.kept, None
        # Texts are made as soon as compared.
        if kept is not None and (of is not None or {*map(type, nodes)} != _TEXTS):
            return kept.made(nodes, self._anew, of, self.context.depth)
        if of is not None:
            nodes = [*map(of, nodes)]
        return self._located(nodes, first) if self._locates else self.all(nodes, joins=False)

    def all(self, nodes: Iterable[Any], *, joins: bool = True) -> list[Any]:
        """Return what the rules make of several nodes.

        :param joins: whether lists among it are joined into one; each node has its own result else.
        """
        if joins and (self.kept is not None or self._locates):
            return joined(self.each(nodes if isinstance(nodes, tuple) else tuple(nodes)))
        found, kind_around, parent = self._found, self._kind, self.parent
        self.parent = kind_around
        self._level += 1
        try:
            if self._level > MAX_DEPTH and nodes:
                raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
            results: list[Any] = []
            for node in nodes:
                kind: Any = node.__class__
                if kind is Element:
                    kind = node.component.__class__
                elif kind is not str and is_component_class(kind):
                    node = as_element(node)  # noqa: PLW2901
                self._kind = kind
                made = (found.get(kind) or self._rule(kind))(node, self)
                if joins and made.__class__ is list:
                    results += made
                else:
                    results.append(made)
            return results
        finally:
            self._level -= 1
            self._kind, self.parent = kind_around, parent

    def _anew(self, node: Any, inner: Kept | None) -> Any:
        """Return what a node becomes that is not kept, and keep what becomes of its children."""
        self.kept = inner
        try:
            (made,) = self.all((node,), joins=False)
            return made
        finally:
            self.kept = None

    def _located(self, nodes: Sequence[Any], first: int) -> list[Any]:
        """Return the same, with the place of a node that cannot be transformed in the error's path."""
        results: list[Any] = []
        for place, node in enumerate(nodes, first):
            try:
                results += self.all((node,), joins=False)
            except UjsxError as error:
                error.within(_name(node, place))
                raise
        return results

    def deeper(self) -> Transform:
        """Return the transform for what stands in a section."""
        inner = self.within(self.context.deeper())
        inner.kept, self.kept = self.kept, None
        return inner

    def within(self, context: RenderContext) -> Transform:
        """Return the transform for what stands in another context."""
        inner = Transform(self.registry, self.direction, context)
        inner.parent, inner._kind = self.parent, self._kind
        inner._level = self._level
        inner._locates = self._locates
        return inner

    def opened(self) -> Transform:
        """Return the transform for what stands in the place of the node itself: it gives way to its children."""
        self._kind = self.parent
        return self

    def seen(self, text: str) -> str:
        """Return a text as it is written: what it hides is seen, unless texts are trusted."""
        return text if self.context.trusts_text else escaped(text)

    def _rule(self, kind: type[Any]) -> Rule:
        rule = self.registry.find(self.direction, kind)
        if rule is not OPEN and is_component_class(kind) and kind.discloses:
            rule = _on_its_rung(rule)
        self._found[kind] = rule
        return rule


_TEXTS = {str}


def _on_its_rung(rule: Rule) -> Rule:
    """Return a rule of a component with a ladder, which says itself what becomes of it on its rung."""

    def on_its_rung(node: Element, transform: Transform) -> Any:
        context = disclosed_context(node.component, transform.context)
        return rule(node, transform if context is transform.context else transform.within(context))

    return on_its_rung


def joined(results: Iterable[Any]) -> list[Any]:
    """Return results with those that are lists joined into one."""
    nodes: list[Any] = []
    for result in results:
        if result.__class__ is list:
            nodes += result
        else:
            nodes.append(result)
    return nodes


def _opened(node: Element, transform: Transform) -> list[Any]:
    """Return what a component becomes that is made of others."""
    own, context = expand(node, transform.context)
    inner = transform.opened()
    return (inner if context is transform.context else inner.within(context)).all(own)


OPEN: Rule = _opened
"""The rule of components that have a ``render``, and none of their own."""


def _name(node: Any, place: int) -> str:
    is_element = node.__class__ is Element or hasattr(node.__class__, "is_fragment")
    return place_of(as_element(node), place) if is_element else type(node).__name__
