"""The transform registry: rules that convert one kind of tree to another, and their application to a tree.

A direction is a pair of tree kinds, written ``"ujsx -> mdast"``. A rule belongs to a direction and to classes, never to
names: it is found by the node's class, or its nearest base class. A rule that returns ``NotImplemented`` leaves its
node to the next one. A copy of a registry can be extended without changing the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from inspect import (
    isasyncgenfunction,
    iscoroutinefunction,
    isfunction,
    isgeneratorfunction,
    signature,
)
from operator import itemgetter
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from ujsx import mdast
from ujsx._density import Density
from ujsx.components._component import Component, as_element
from ujsx.components._context import Reads, RenderContext, SameContexts
from ujsx.components._definition import FACTS, Kinded, fields_of, is_component_class, keys_of
from ujsx.components._element import MAX_DEPTH, Child, Element, is_node, normalize_children
from ujsx.elements import item_of
from ujsx.errors import (
    DefinitionError,
    MissingRuleError,
    RenderError,
    UjsxError,
    did_you_mean,
    nearest,
    shown,
)
from ujsx.mdast._nodes import CONTENT_MODELS
from ujsx.mdast.util import map_changed
from ujsx.text import escaped
from ujsx.transforms._content import to_blocks
from ujsx.trees import ALONE, RenderCache, disclosed_context, expand, place_of

# Results that one rendering leaves for the next: equal siblings keep their results.


class SiblingResults:
    """The results of siblings, each with those of its children, for one turn.

    Results not used in the next rendering are dropped. So are those of another context, which may differ in this one.

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
        """Return the results for a context, and drop those of another one.

        :param reads: records reads of the context; the reads of kept results are added.
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
        """Return the results of siblings, reusing those from before.

        :param make: creates one, with the kept results of its children.
        :param of: creates the node of a value that is not one itself.
        :param depth: the number of enclosing sections.
        """
        before, self._before = self._before, None
        if before is not None and before._by != (of, depth):  # noqa: SLF001
            before = None
        known: Sequence[Any] = []
        results: Sequence[_Made] = []
        if before is not None:
            known, results = before._given, before._made  # noqa: SLF001
        # If there is one sibling, now and before, its children tell how far it is the same.
        is_one = of is None and len(given) == 1 == len(known) and type(given[0]) is Element

        def anew(new: Any, old: _Made | None) -> _Made:
            if of is not None:
                new = of(new.value if type(new) is Kinded else new)
            kind = kind_of(new)
            inner = None
            if kind is not str:
                inner = SiblingResults(old[2] if old is not None and old[1] is kind else None)
            return make(new, inner), kind, inner

        if is_one:
            results = [anew(given[0], results[0])]
        else:
            # Rows of a template are texts; other values may be equal and render differently.
            if of is not None and of is not item_of:
                given = keys_of(given)
            results = map_changed(known, results, given, anew)
        self._given, self._made, self._by = given, results, (of, depth)
        return [*map(_RESULT, results)]


def kind_of(node: Any) -> type[Any]:
    """Return the class that selects a node's rule: for an element, that of its component."""
    one: Any = node.component if type(node) is Element else node
    kind: type[Any] = one.__class__
    return kind


_Made: TypeAlias = tuple[Any, type[Any], SiblingResults | None]
"""A node's result, its class, and the results of its children."""

_RESULT = itemgetter(0)


Rule: TypeAlias = "Callable[[Any, Transform], Any]"
"""Converts a node to a node of the target, or a list of them.

For a ``ujsx`` tree the node is an ``Element`` or ``str``, for others an object of the rule's class. An element's
children are unresolved: ``transform`` opens those with a ``render``.
"""


class Transform:
    """The argument of a rule, for transforming its children.

    Called with a node, it returns the result of the node's rule. ``context.depth`` is the number of enclosing sections;
    ``parent`` is the class of the enclosing primitive, if any.
    """

    __slots__ = (
        "_found",
        "_kind",
        "_level",
        "_locates",
        "cache",
        "context",
        "direction",
        "kept",
        "parent",
        "registry",
        "seen",
    )

    def __init__(
        self,
        registry: TransformRegistry,
        direction: str,
        context: RenderContext,
        kept: SiblingResults | None = None,
        cache: RenderCache | None = None,
    ) -> None:
        self.registry = registry
        self.direction = direction
        self.context = context
        self.kept = kept
        self.cache = cache
        self.parent: type | None = None
        self.seen: Callable[[str], str] = str if context.trusts_text else escaped
        """Returns a text in written form: hidden characters become visible, unless texts are trusted."""
        self._kind: type | None = None
        self._found = registry.found(direction)
        self._level = 0
        self._locates = False

    def run(self, nodes: Sequence[Any], *, first: int = 0) -> list[Any]:
        """Return the results of a tree's roots, flattened into one list.

        :param first: the place of the first root among its siblings.
        :raises UjsxError: for a node that cannot be transformed, with its path.
        """
        try:
            return self.all(nodes)
        except UjsxError as error:
            without_place = error
        again = Transform(self.registry, self.direction, self.context)
        again._locates = True
        again.each(nodes, first=first)  # one by one: the error has the place
        raise without_place

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
        """Return the result of each sibling: a node, or a list of nodes.

        :param of: creates the node of a value; called only for new or changed values.
        """
        kept, self.kept = self.kept, None
        # Creating a text is as fast as comparing it.
        if kept is not None and (of is not None or {*map(type, nodes)} != _TEXTS):
            return kept.made(nodes, self._anew, of, self.context.depth)
        if of is not None:
            nodes = [*map(of, nodes)]
        return self._located(nodes, first) if self._locates else self.all(nodes, joins=False)

    def all(self, nodes: Iterable[Any], *, joins: bool = True) -> list[Any]:
        """Return the results of several nodes.

        :param joins: whether to flatten lists into one; otherwise each node has its own result.
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
            node: Any
            for node in nodes:
                kind: Any = type(node)  # pyright: ignore[reportUnknownVariableType]
                if kind is Element:
                    kind = type(node.component)  # pyright: ignore[reportUnknownVariableType]
                elif kind is not str and (kind in FACTS or is_component_class(kind)):
                    node = Element(node)  # noqa: PLW2901
                self._kind = kind
                made = (found.get(kind) or self._rule(kind))(node, self)
                if type(made) is list and joins:
                    results += made
                else:
                    results.append(made)
            return results
        finally:
            self._level -= 1
            self._kind, self.parent = kind_around, parent

    def _anew(self, node: Any, inner: SiblingResults | None) -> Any:
        """Return the result of a node that is not cached, and cache those of its children."""
        self.kept = inner
        try:
            (made,) = self.all((node,), joins=False)
            return made
        finally:
            self.kept = None

    def _located(self, nodes: Sequence[Any], first: int) -> list[Any]:
        """Return the results, with the place of a failing node in the error's path."""
        results: list[Any] = []
        for place, node in enumerate(nodes, first):
            try:
                results += self.all((node,), joins=False)
            except UjsxError as error:
                error.within(_name(node, place))
                raise
        return results

    def deeper(self) -> Transform:
        """Return the transform for the content of a section."""
        inner = self.within(self.context.deeper())
        inner.kept, self.kept = self.kept, None
        return inner

    def within(self, context: RenderContext) -> Transform:
        """Return the transform for another context."""
        inner = Transform(self.registry, self.direction, context, cache=self.cache)
        inner.parent, inner._kind = self.parent, self._kind
        inner._level = self._level
        inner._locates = self._locates
        return inner

    def opened(self) -> Transform:
        """Return the transform for children that replace the node itself."""
        self._kind = self.parent
        return self

    def _rule(self, kind: type[Any]) -> Rule:
        rule = self.registry.find(self.direction, kind)
        if rule is not OPEN and is_component_class(kind) and kind.discloses:
            rule = _on_its_rung(rule)
        self._found[kind] = rule
        return rule


_TEXTS = {str}


def _on_its_rung(rule: Rule) -> Rule:
    """Wrap the rule of a component with a ladder, which transforms it on its rung."""

    def on_its_rung(node: Element, transform: Transform) -> Any:
        context = disclosed_context(node.component, transform.context)
        return rule(node, transform if context is transform.context else transform.within(context))

    return on_its_rung


def joined(results: Iterable[Any]) -> list[Any]:
    """Return results as one flat list."""
    results = [*results]
    if list not in {*map(type, results)}:
        return results
    nodes: list[Any] = []
    for result in results:
        if type(result) is list:
            nodes += result
        else:
            nodes.append(result)
    return nodes


def _opened(node: Element, transform: Transform) -> list[Any]:
    """Return the result of a component that is composed of others."""
    own, context = expand(node, transform.context, transform.cache)
    inner = transform.opened()
    return (inner if context is transform.context else inner.within(context)).all(own)


OPEN: Rule = _opened
"""The rule of components with a ``render`` and without their own rule."""


def _name(node: Any, place: int) -> str:
    is_element = node.__class__ is Element or hasattr(node.__class__, "is_fragment")
    return place_of(as_element(node), place) if is_element else type(node).__name__


# The registry: rules by direction and class.

R = TypeVar("R", bound=Callable[..., Any])
C = TypeVar("C", bound=Component)
N = TypeVar("N", bound=mdast.Node)

_TREES = frozenset({"ujsx", "mdast", "hast"})
"""The targets in which a rule's ``None`` would silently drop a node."""

_Fault = Callable[[Any], str | None]
"""Returns the fault of a rule's result, or None."""


class TransformRegistry:
    """Rules by direction and class.

    >>> from ujsx import Component, registry, to_mdast
    >>> from ujsx.mdast import Text
    >>> class Hashtag(Component):
    ...     word: str
    >>> mine = registry.copy()
    >>> @mine.rule("ujsx -> mdast", Hashtag)
    ... def hashtag(element, transform):
    ...     return Text("#" + element.component.word)
    >>> mine.transform("ujsx -> mdast", Hashtag(word="urgent"))
    Text(value='#urgent')
    """

    def __init__(
        self,
        rules: Mapping[str, Mapping[type, Rule] | Callable[[], Mapping[type, Rule]]] = (
            MappingProxyType({})
        ),
    ) -> None:
        """:param rules: rules by direction and class whose results need no check, or what gives those of a direction."""
        self._rules = {
            direction: each if callable(each) else dict(each) for direction, each in rules.items()
        }
        self._nearest: dict[str, dict[type, Rule]] = {}
        self._found: dict[str, dict[type, Rule]] = {direction: {} for direction in rules}
        self._pairs: dict[type[Component], type[mdast.Node]] = {}
        self.revision = 0
        """The number of registrations so far: it changes with the rules."""

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that have rules."""
        return tuple(self._rules)

    def rule(self, direction: str, *classes: type) -> Callable[[R], R]:
        """Register the decorated function for those classes; a later rule replaces an earlier one.

        The rule is called with a node and a :class:`Transform`. It returns a node of the target, a list of nodes
        (``[]`` for nothing), or ``NotImplemented`` to try the replaced rule, and next those of the node's base classes.
        ``None`` is an error in a direction to a tree.

        :raises DefinitionError: for a direction not of the form ``"a -> b"``, or a missing class.
        """
        source, arrow, target = direction.partition(" -> ")
        if not (source and arrow and target):
            raise DefinitionError(f'"{direction}" is not a direction; write it as "ujsx -> mdast"')
        if not classes:
            raise DefinitionError(f"a rule for {direction} needs the class that it is for")

        def register(rule: R) -> R:
            for cls in classes:
                self._register(direction, cls, rule, _fault_in(direction))
            return rule

        return register

    def _register(self, direction: str, cls: type, rule: Rule, fault: _Fault) -> None:
        self._rules.setdefault(direction, {})
        rules = self._table(direction)
        rules[cls] = _checked(rule, cls, rules.get(cls), fault)
        self._nearest[direction], self._found[direction] = dict(rules), {}
        self.revision += 1

    def pair(
        self,
        component: type[C],
        node: type[N],
        *,
        write: Callable[[Element[C], Transform], N],
        read: Callable[[N, Transform], C | Element[C]],
    ) -> None:
        r"""Register the conversion of a component to Markdown and back.

        :param component: the component, which needs no ``render``.
        :param node: the class of its mdast node.
        :param write: returns the node from the component's element and a transform. ``transform(tree)`` converts other
            components, which keep texts inert.
        :param read: returns the component from such a node and a transform, or ``NotImplemented`` for any other node:
            then earlier pairs are tried, and finally the node stays a primitive. ``transform(text)`` returns a text's
            string.
        :raises DefinitionError: for a pair that cannot work; later, when a rule returns a result of the wrong kind,
            such as ``None``.

        Test a pair with :func:`ujsx.testing.assert_lens`.

        >>> from ujsx import Component, from_mdast, mdast, registry, render
        >>> from ujsx.elements import BlockQuote, Paragraph
        >>> class Quip(Component):
        ...     words: str
        >>> def write(element, transform):
        ...     return transform(BlockQuote()[Paragraph()[element.component.words]])
        >>> def read(quote, transform):
        ...     match quote.children:
        ...         case (mdast.Paragraph(children=(mdast.Text() as words,)),):
        ...             return Quip(words=transform(words))
        ...     return NotImplemented
        >>> mine = registry.copy()
        >>> mine.pair(Quip, mdast.Blockquote, write=write, read=read)
        >>> print(render(Quip(words="so *it* goes"), registry=mine), end="")
        > so \*it\* goes
        >>> from_mdast(mdast.from_markdown("> so it goes"), registry=mine).children
        (Quip(words='so it goes'),)
        """
        faults = [*_faults_of_pair(component, node, write, read, self._pairs)]
        if faults:
            raise DefinitionError(*faults)
        self._pairs[component] = node
        pair = f"pair({component.__name__}, {node.__name__})"
        self._register("ujsx -> mdast", component, write, _fault_of_write(pair, node))
        self._register("mdast -> ujsx", node, read, _fault_of_read(pair, component))

    def as_nodes(
        self, component: type[C], change: Callable[[Element[C]], Child]
    ) -> tuple[type[mdast.Node], Callable[[mdast.Node], Any]]:
        """Return the node class of a component's pair, and a change of components as a change of nodes.

        Nodes of other components stay, as do those that the change leaves unchanged.

        :raises MissingRuleError: for a component without a pair.
        """
        kind = self._pairs.get(component)
        if kind is None:
            hint = did_you_mean(component.__name__, [known.__name__ for known in self._pairs])
            raise MissingRuleError(f"{component.__name__} is not paired with a node; {hint}")

        def changed(node: mdast.Node) -> Any:
            read = self.transform("mdast -> ujsx", node)
            element: Any = as_element(read) if is_node(read) and not isinstance(read, str) else None
            if element is None or type(element.component) is not component:
                return node
            new = normalize_children(change(element), element.component)
            if len(new) == 1 and new[0] == (element if element.children else element.component):
                return node
            made = Transform(self, "ujsx -> mdast", RenderContext()).run(new)
            is_block = CONTENT_MODELS[kind].stands_as == ("flow",)
            return to_blocks(made, trusts_text=False) if is_block else made

        return kind, changed

    def find(self, direction: str, cls: type[Any]) -> Rule:
        """Return the rule for ``cls``, or for the nearest class with one in its ``__mro__``.

        A component with a ``render`` and without its own rule is opened.

        :raises MissingRuleError: if there is none; the message names the nearest rule.
        :raises RenderError: if it is the rule of a primitive, to which ``cls`` adds props.
        """
        nearest = self._nearest.get(direction)
        rule = None if nearest is None else nearest.get(cls)
        if rule is None:
            self.found(direction)
            nearest = self._nearest.setdefault(direction, {})
            rule = self._among(cls.__mro__, cls, direction)
            if rule is None:
                raise MissingRuleError(without_rule(cls, direction, self._table(direction)))
            if rule is not OPEN and (unshown := _unshown(cls, rule, self._table(direction))):
                raise RenderError(
                    f"{cls.__name__} shows none of its props {', '.join(unshown)}; write "
                    f"def render(self, ctx, children), and class {cls.__name__}(Component)"
                )
            nearest[cls] = rule
        return rule

    def _table(self, direction: str) -> dict[type, Rule]:
        """Return the rules of a direction by class."""
        table = self._rules[direction]
        if callable(table):
            table = self._rules[direction] = dict(table())
        return table

    def _among(self, bases: Iterable[Any], cls: type[Any], direction: str) -> Rule | None:
        """Return the rule of the first base class with one."""
        rules = self._table(direction)
        is_composite = issubclass(cls, Component) and not cls.is_primitive
        for base in bases:
            # For a composite its content counts, not a primitive base class.
            if base in rules and not (is_composite and base is not Component and base.is_primitive):
                return rules[base]
        return OPEN if is_composite else None

    def beyond(self, base: type, node: Any, direction: str) -> Rule:
        """Return the next rule for a node, after those of one of its classes.

        :raises MissingRuleError: if there is none.
        """
        cls = kind_of(node)
        bases = cls.__mro__[cls.__mro__.index(base) + 1 :] if base in cls.__mro__ else ()
        rule = self._among(bases, cls, direction)
        if rule is None:
            raise MissingRuleError(
                f'every rule for {cls.__name__} in "{direction}" returned NotImplemented; let one of them '
                "return a node"
            )
        return rule

    def found(self, direction: str) -> dict[type, Rule]:
        """Return the rules of a direction, by the classes found so far.

        :raises MissingRuleError: for a direction without rules.
        """
        found = self._found.get(direction)
        if found is None:
            hint = did_you_mean(direction, self._rules)
            raise MissingRuleError(f'no rules for "{direction}"; {hint}')
        return found

    def copy(self) -> TransformRegistry:
        """Return a registry with the same rules, to be extended on its own."""
        copied = TransformRegistry(self._rules)
        copied._pairs = dict(self._pairs)
        return copied

    def transform(self, direction: str, node: Any, context: RenderContext | None = None) -> Any:
        """Return ``node`` in the target's kind.

        :raises MissingRuleError: for a class without a rule, with the path of its node.
        """
        return Transform(self, direction, context or RenderContext())(node)


def _checked(rule: Rule, cls: type, replaced: Rule | None, fault: _Fault) -> Rule:
    """Wrap a rule: ``NotImplemented`` calls the next one, and a wrong result is refused."""

    @wraps(rule)
    def checked(node: Any, transform: Transform) -> Any:
        made = rule(node, transform)
        if made is NotImplemented:
            following = replaced or transform.registry.beyond(cls, node, transform.direction)
            return following(node, transform)
        wrong = fault(made)
        if wrong is not None:
            raise DefinitionError(wrong).made_by(rule)
        return made

    return checked


def _fault_in(direction: str) -> _Fault:
    """Return the check of all results in a direction."""
    target = direction.partition(" -> ")[2]

    def fault(made: Any) -> str | None:
        if made is None and target in _TREES:
            remedy = "return [] for no node, NotImplemented to leave it to the next rule"
            return f'a rule for "{direction}" returned None; {remedy}'
        if target == "ujsx" and made.__class__ is not list and not is_node(made):
            return f'a rule for "{direction}" returned {shown(made)}, which is not a node'
        return None

    return fault


def _fault_of_write(pair: str, node: type[mdast.Node]) -> _Fault:
    # A span may be returned with the white space from its edges, so a list or a text depends on the data.
    kinds = (node, mdast.Text, list)

    def fault(made: Any) -> str | None:
        if isinstance(made, kinds):
            return None
        return f"write of {pair} returned {shown(made)}; return one {node.__name__}{_OR_THE_NEXT}"

    return fault


def _fault_of_read(pair: str, component: type[Component]) -> _Fault:
    def fault(made: Any) -> str | None:
        if is_node(made) and not isinstance(made, str):
            made = as_element(made).component
            if isinstance(made, component):
                return None
        name = component.__name__
        return f"read of {pair} returned {shown(made)}; return a {name}{_OR_THE_NEXT}"

    return fault


_OR_THE_NEXT = ", or NotImplemented to leave it to the next rule"


def _faults_of_pair(
    component: Any, node: Any, write: object, read: object, known: Mapping[type, type]
) -> Iterator[str]:
    """Yield the faults of a pair's declaration."""
    is_component = is_component_class(component)
    if not is_component or component is Component:
        yield f"a pair takes a component class, not {shown(component)}"
    if not _is_node_class(node):
        yield f"a pair takes the class of an mdast node, such as mdast.Blockquote, not {shown(node)}"
    elif node in (mdast.Node, mdast.Parent, mdast.Root, mdast.UnknownNode):
        yield f"{node.__name__} is not a node that a component can be written as; name a block or a span"
    for name, rule in (("write", write), ("read", read)):
        if not callable(rule):
            yield f"{name} is a function of a node and a transform, not {shown(rule)}"
        elif any(each(rule) for each in _NEVER_A_NODE):
            yield f"{name} is async or a generator; a rule returns its node"
        elif not _takes_two(rule):
            yield f"{name} takes two arguments, the node and the transform: def {name}(node, transform)"
    if callable(write) and write is read:
        yield "write and read are the same function; one makes the node, the other the component"
    if is_component and component in known:
        yield f"it is paired with {known[component].__name__} already; extend a copy of the registry"


def _is_node_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, mdast.Node)


_NEVER_A_NODE = (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)


def _takes_two(rule: Callable[..., Any]) -> bool:
    try:
        with suppress(ValueError):  # a builtin without a signature
            signature(rule).bind(None, None)
    except TypeError:
        return False
    return True


def _unshown(cls: type[Any], rule: Rule, rules: Iterable[type]) -> list[str]:
    """Return the props that an author's class adds to the primitive whose rule it has, if the rule is ours."""
    is_lost = _is_ours(rule) and not _is_ours(cls) and is_component_class(cls)
    if not is_lost or not cls.is_primitive:
        return []
    base: Any = next(each for each in cls.__mro__ if each in rules)
    known = fields_of(cls if base is Component else base)  # whose rule asks that of Markdown
    return [each for each in fields_of(cls) if each not in known]


def _is_ours(one: Any) -> bool:
    return str(one.__module__).startswith("ujsx.")  # some builtins have None


def without_rule(cls: type[Any], direction: str, rules: Iterable[type]) -> str:
    """Return the error for a class without a rule, the likeliest mistake first."""
    name = cls.__name__
    rule = f'@registry.rule("{direction}", {name})'
    near = nearest(name, [known.__name__ for known in rules])
    hint = f'; did you mean "{near}"?' if near else ""
    if not issubclass(cls, Component):
        return f'{name} has no rule for "{direction}"{hint or f"; give it one: {rule}"}'
    methods = [method for method, value in vars(cls).items() if isfunction(value)]
    if own := [str(each) for each in Density if str(each) in methods]:
        each_else = "".join(f'self.{each}() if ctx.density == "{each}" else ' for each in own[:-1])
        line = f"def render(self, ctx, children): return {each_else}self.{own[-1]}()"
        return f"{name} has no render(self, ctx, children); write {line}"
    misspelt = nearest("render", methods)
    meant = f"; is {misspelt} meant to be it?" if misspelt else hint
    return (
        f"{name} has no render(self, ctx, children){meant or '.'} "
        f'Without one it is a primitive, and needs a rule for "{direction}": {rule}'
    )
