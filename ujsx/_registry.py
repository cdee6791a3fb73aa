"""The transform registry: rules that turn one kind of tree into another.

A direction is a pair of tree kinds, written ``"ujsx -> mdast"``. A rule belongs to a direction and
to classes, never to names: it is found by the node's class, or the nearest class that it derives
from. A registry can be copied, and the copy extended without touching the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from ujsx._component import as_element
from ujsx._context import RenderContext
from ujsx._element import MAX_DEPTH, Element
from ujsx._errors import DefinitionError, MissingRuleError, RenderError, UjsxError, did_you_mean
from ujsx._hidden import escaped

Rule: TypeAlias = "Callable[[Any, Transform], Any]"
"""Turns a node into a node of the target, or a list of them.

For a ``ujsx`` tree the node is an ``Element`` or ``str``, for others an object of the rule's class.
"""

R = TypeVar("R", bound=Callable[..., Any])


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

    def __init__(self) -> None:
        self._rules: dict[str, dict[type, Rule]] = {}
        self._found: dict[str, dict[type, Rule]] = {}
        self.revision = 0
        """How many rules were registered so far: another number, other rules."""

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that have rules."""
        return tuple(self._rules)

    def rule(self, direction: str, *classes: type) -> Callable[[R], R]:
        """Register the decorated function for those classes; a later rule replaces an earlier.

        :raises DefinitionError: for a direction that is not of the form ``"a -> b"``, or no class.
        """
        source, arrow, target = direction.partition(" -> ")
        if not (source and arrow and target):
            raise DefinitionError(f'"{direction}" is no direction; write it as "ujsx -> mdast"')
        if not classes:
            raise DefinitionError(f"a rule for {direction} needs the class that it is for")

        def register(rule: R) -> R:
            rules = self._rules.setdefault(direction, {})
            rules.update(dict.fromkeys(classes, rule))
            self._found[direction] = dict(rules)
            self.revision += 1
            return rule

        return register

    def find(self, direction: str, cls: type[Any]) -> Rule:
        """Return the rule for ``cls``, or for the nearest class in its ``__mro__`` that has one.

        :raises MissingRuleError: if there is none; the message names the nearest rule.
        """
        found = self.found(direction)
        rule = found.get(cls)
        if rule is None:
            rules = self._rules[direction]
            base = next((base for base in cls.__mro__ if base in rules), None)
            if base is None:
                hint = did_you_mean(cls.__name__, [known.__name__ for known in rules])
                raise MissingRuleError(
                    f'{cls.__name__} has no rule for "{direction}"; {hint}. Give it a render that '
                    f'makes it of others, or a rule: @registry.rule("{direction}", {cls.__name__})'
                )
            rule = found[cls] = rules[base]
        return rule

    def found(self, direction: str) -> dict[type, Rule]:
        """Return the rules of a direction by every class that was looked up so far.

        :raises MissingRuleError: for a direction without rules.
        """
        found = self._found.get(direction)
        if found is None:
            hint = did_you_mean(direction, self._rules)
            raise MissingRuleError(f'no rules for "{direction}"; {hint}')
        return found

    def copy(self) -> TransformRegistry:
        """Return a registry with the same rules, to be extended on its own."""
        copied = TransformRegistry()
        copied._rules = {direction: dict(rules) for direction, rules in self._rules.items()}
        copied._found = {direction: dict(rules) for direction, rules in self._rules.items()}
        return copied

    def transform(self, direction: str, node: Any, context: RenderContext | None = None) -> Any:
        """Return ``node`` in the target's kind.

        :raises MissingRuleError: for a class that has no rule, with the path of its node.
        """
        return Transform(self, direction, context or RenderContext())(node)


class Transform:
    """One run of a direction: what a rule is given to go on with its children.

    Called with a node, it returns what the rule for it makes. ``context.depth`` is the number of
    sections around the place.
    """

    __slots__ = ("_found", "_level", "context", "direction", "registry", "seen", "text")

    def __init__(self, registry: TransformRegistry, direction: str, context: RenderContext) -> None:
        self.registry = registry
        self.direction = direction
        self.context = context
        self._found = registry.found(direction)
        self._level = 0
        self.seen: Callable[[str], str] = str if context.trusts_text else escaped
        """From a text to the text as it is written: what it hides is seen, unless texts are trusted."""
        self.text: Rule | None = self._found.get(str)
        """The rule for text, which is a leaf: it neither nests nor fails."""

    def __call__(self, node: Any) -> Any:
        cls: type[Any] = node.__class__
        if cls is str and self.text is not None:
            return self.text(node, self)
        if cls is Element:
            cls = node.component.__class__
        elif hasattr(cls, "is_fragment"):  # a component; isinstance would run its metaclass's code
            node = as_element(node)
        self._level += 1
        try:
            if self._level > MAX_DEPTH:
                raise RenderError(f"nested more than {MAX_DEPTH} deep")
            rule = self._found.get(cls) or self.registry.find(self.direction, cls)
            return rule(node, self)
        except UjsxError as error:
            error.within(cls.__name__)
            raise
        finally:
            self._level -= 1

    def all(self, nodes: Iterable[Any]) -> list[Any]:
        """Return what the rules make of several nodes, lists among it joined into one."""
        text = self.text
        made: list[Any] = []
        for node in nodes:
            result = text(node, self) if type(node) is str and text is not None else self(node)
            if type(result) is list:
                made += result
            else:
                made.append(result)
        return made

    def deeper(self) -> Transform:
        """Return the transform for what stands in a section."""
        inner = Transform(self.registry, self.direction, self.context.deeper())
        inner._level = self._level
        return inner
