"""The transform registry: rules that turn one kind of tree into another.

A direction is a pair of tree kinds, written ``"ujsx -> mdast"``. A rule belongs to a direction and
to classes, never to names: it is found by the node's class, or the nearest class that it derives
from. A registry can be copied, and the copy extended without touching the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import isfunction
from typing import Any, TypeVar

from ujsx.components._component import Component
from ujsx.components._context import RenderContext
from ujsx.errors import DefinitionError, MissingRuleError, did_you_mean, nearest
from ujsx.transforms._transform import OPEN, Rule, Transform

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
        self._nearest: dict[str, dict[type, Rule]] = {}
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
            self._nearest[direction], self._found[direction] = dict(rules), {}
            self.revision += 1
            return rule

        return register

    def find(self, direction: str, cls: type[Any]) -> Rule:
        """Return the rule for ``cls``, or for the nearest class in its ``__mro__`` that has one.

        A component that has a ``render`` is opened where it has no rule of its own.

        :raises MissingRuleError: if there is none; the message names the nearest rule.
        """
        nearest = self._nearest.get(direction, {})
        rule = nearest.get(cls)
        if rule is None:
            self.found(direction)
            rules = self._rules[direction]
            is_composite = issubclass(cls, Component) and not cls.is_primitive
            bases: list[Any] = [base for base in cls.__mro__ if base in rules]
            if is_composite:  # what it is made of counts, not which primitive it derives from
                bases = [base for base in bases if base is Component or not base.is_primitive]
            if bases:
                rule = rules[bases[0]]
            elif is_composite:
                rule = OPEN
            else:
                raise MissingRuleError(without_rule(cls, direction, rules))
            nearest[cls] = rule
        return rule

    def found(self, direction: str) -> dict[type, Rule]:
        """Return how the nodes of every class that was met so far are transformed in a direction.

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
        copied._nearest = {direction: dict(rules) for direction, rules in self._rules.items()}
        copied._found = {direction: {} for direction in self._rules}
        return copied

    def transform(self, direction: str, node: Any, context: RenderContext | None = None) -> Any:
        """Return ``node`` in the target's kind.

        :raises MissingRuleError: for a class that has no rule, with the path of its node.
        """
        return Transform(self, direction, context or RenderContext())(node)


def without_rule(cls: type[Any], direction: str, rules: Iterable[type]) -> str:
    """Return what is said of a class that no rule is for, the likeliest mistake first."""
    name = cls.__name__
    rule = f'@registry.rule("{direction}", {name})'
    near = nearest(name, [known.__name__ for known in rules])
    hint = f'; did you mean "{near}"?' if near else ""
    if not issubclass(cls, Component):
        return f'{name} has no rule for "{direction}"{hint or f"; give it one: {rule}"}'
    methods = [method for method, value in vars(cls).items() if isfunction(value)]
    misspelt = nearest("render", methods)
    meant = f"; is {misspelt} meant to be it?" if misspelt else hint
    return (
        f"{name} has no render(self, ctx, children){meant or '.'} "
        f'Without one it is a primitive, and needs a rule for "{direction}": {rule}'
    )
