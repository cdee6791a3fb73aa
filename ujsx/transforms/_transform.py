"""One run of the registry's rules over a tree, and results that it leaves for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ujsx._renewed import renewed
from ujsx.components._component import as_element
from ujsx.components._context import Reads, RenderContext, SameContexts
from ujsx.components._definition import is_component_class, kinds_in
from ujsx.components._element import MAX_DEPTH, Element
from ujsx.elements import item_of
from ujsx.errors import RenderError, UjsxError
from ujsx.text import escaped
from ujsx.trees import ALONE, disclosed_context, expand, place_of

if TYPE_CHECKING:
    from ujsx.transforms._registry import TransformRegistry

# Results that one rendering leaves for the next: equal siblings keep what they became.


class SiblingResults:
    """The results of siblings, each with those of its children, for one turn.

    What the next rendering does not ask for is forgotten. What was made in another context is forgotten,
    too, as it may become something else in this one.

    >>> here = RenderContext()
    >>> first = SiblingResults().within(here)
    >>> first.made([1, 2, 3], lambda new, inner: f"{new}.")
    ['1.', '2.', '3.']
    >>> SiblingResults(first).within(here).made([1, 5, 3], lambda new, inner: f"{new}!")
    ['1.', '5!', '3.']
    >>> SiblingResults(first).within(here.deeper()).made([1], lambda new, inner: f"{new}!")
    ['1!']
    """

    __slots__ = ("_are_same", "_before", "_by", "_context", "_given", "_made", "_reads")

    def __init__(
        self, before: SiblingResults | None = None, are_same: SameContexts | None = None
    ) -> None:
        self._are_same = are_same
        self._before = before if before is not None and before._made else None  # noqa: SLF001
        self._given: Sequence[Any] = ()
        self._made: Sequence[_Made] = ()
        self._by: object = None
        self._context: RenderContext | None = None
        self._reads: Reads | None = None

    def within(self, context: RenderContext, reads: Reads | None = None) -> SiblingResults:
        """Return it for what stands in that context, and forget what was made in another.

        :param reads: what is read of the context from now on; what was read for what is kept is noted there, too.
        """
        before = self._before
        are_same, self._are_same = self._are_same or SameContexts(), None
        if before is not None:
            known, read = before._context, before._reads  # noqa: SLF001
            if known is None or not are_same.as_read(known, context, read):
                self._before = None
            elif reads is not None and read is not None:
                reads.again(read)
        self._context, self._reads = context, reads
        return self

    def made(
        self,
        given: Sequence[Any],
        make: Callable[[Any, SiblingResults | None], Any],
        of: Callable[[Any], Any] | None = None,
        depth: int = 0,
    ) -> list[Any]:
        """Return what siblings become; those that were there before are not made again.

        :param make: makes one, with what is kept of its children.
        :param of: makes the node of what is given, where that is none itself.
        :param depth: how many sections are around them.
        """
        before, self._before = self._before, None
        if before is not None and before._by != (of, depth):  # noqa: SLF001
            before = None
        known: Sequence[Any] = []
        results: Sequence[_Made] = []
        if before is not None:
            known, results = before._given, before._made  # noqa: SLF001
        # Where only one stands there and stood there, what is in it tells how far it is the same.
        is_one = of is None and len(given) == 1 == len(known) and type(given[0]) is Element
        # Rows of a template are texts; others may be equal and show something else.
        are_values = of is not None and of is not item_of

        def anew(new: Any, old: _Made | None) -> _Made:
            if of is not None:
                new = of(new[0] if are_values else new)
            kind = kind_of(new)
            inner = None
            if kind is not str:
                inner = SiblingResults(old[2] if old is not None and old[1] is kind else None)
            return make(new, inner), kind, inner

        if is_one:
            results = [anew(given[0], results[0])]
        else:
            if are_values:
                given = [*zip(given, map(kinds_in, given), strict=True)]
            results = renewed(known, results, given, anew)
        self._given, self._made, self._by = given, results, (of, depth)
        return [result for result, _, _ in results]


def kind_of(node: Any) -> type[Any]:
    """Return the class that a node's rule is for: an element's is its component's."""
    one: Any = node.component if type(node) is Element else node
    kind: type[Any] = one.__class__
    return kind


_Made: TypeAlias = tuple[Any, type[Any], SiblingResults | None]
"""A node's result, its class, and the results of its children."""


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
        kept: SiblingResults | None = None,
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

    def _anew(self, node: Any, inner: SiblingResults | None) -> Any:
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
