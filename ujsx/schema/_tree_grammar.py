"""Grammars of trees: a rule for each kind of content, and for each state that a caller tells apart."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from ujsx.components._component import Component
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.errors import SchemaError
from ujsx.mdast._content_model import Content
from ujsx.schema._convert import convert
from ujsx.schema._dialects import dialect_of
from ujsx.schema._expressions import (
    NOTHING,
    START,
    Choice,
    Expression,
    Rule,
    Text,
    choice,
    optional,
    repeat,
    sequence,
    used,
)
from ujsx.schema._generate import schemas_of
from ujsx.schema._grammar import DIALECT, Compiler, writer_of
from ujsx.schema._json_grammar import SPACE, constant
from ujsx.schema._keywords import Schema
from ujsx.schema._lint import to_dialect
from ujsx.schema._members import Member
from ujsx.schema._merged import merged, productive
from ujsx.schema._nodes import NAMES, TEXTS, Nodes
from ujsx.schema._refs import target
from ujsx.schema._tree import known_of


class Run(NamedTuple):
    """Children that follow each other: any number of them, each in one of some states, or one."""

    states: tuple[Hashable, ...]
    several: bool = True


class Way(NamedTuple):
    """One way in which a component may stand in a tree: its children, and its props.

    :param children: what its children are, one run after the other.
    :param props: schemas of objects, of which the props fit one: ``properties`` and ``required``. The
        schema of a property that is ``None`` is the component's own. All of the component's where
        ``props`` is ``None``.
    """

    children: tuple[Run, ...] = ()
    props: tuple[Schema, ...] | None = None


Ways: TypeAlias = "Callable[[type[Component | str], Any], Iterable[Way]]"
"""Tells in which ways a component, or a text (``str``), may stand where a state is asked for."""


def anywhere(_kind: type[Component | str], state: Hashable) -> tuple[Way]:
    """Return that all may stand everywhere that its content model lets it."""
    return (Way((Run((state,)),)),)


def tree_grammar(
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    syntax: str = "gbnf",
    root: ComponentClass | None = None,
    ways: Ways = anywhere,
    state: Hashable = None,
) -> str:
    """Return a grammar of the trees that a vocabulary can make, as JSON.

    What may stand where is part of it: a list holds items. Each text that it takes can be loaded with
    ``ujsx.load`` and rendered, and what ``ujsx.dump`` says of a tree without keys is one.

    What else has to be right of a tree can be said with states, of which a node is in one:
    where it is asked for in a state, ``ways`` tells what its children are then. Rules are made for
    the states that can be reached, and those that say the same are one.

    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param syntax: "gbnf" for llama.cpp and xgrammar, "lark" for llguidance and Lark.
    :param root: the component that the answer is; a ``Fragment`` when ``None``.
    :param ways: called with a component, or with ``str`` for a text, and a state.
    :param state: the state of the root.
    :raises SchemaError: for an unknown syntax, as :func:`tree_schema` does, and where ``ways``
        leave no tree.

    >>> from ujsx.elements import Item, List
    >>> "items ::=" in tree_grammar([List, Item])
    True
    >>> def filled(kind, state):  # nothing is empty
    ...     return [Way((Run((state,), several=False), Run((state,))))]
    >>> len(tree_grammar([List, Item], ways=filled)) > 0
    True
    """
    write = writer_of(syntax)
    known, top = known_of(vocabulary, root)
    compiler = _Trees(known, top, ways).compiled(top, state)
    return write(used(merged(productive(compiler.rules))))


class _Trees:
    """Makes rules of nodes, of those that may be asked for."""

    def __init__(self, known: Vocabulary, top: type[Component], ways: Ways) -> None:
        self._known = known
        self._ways = ways
        refs, defs = schemas_of(dict.fromkeys([*known.values(), top]))
        for ref in refs.values():
            target({"$defs": defs}, ref).pop("description", None)
        self._nodes = Nodes(known, dialect_of(DIALECT), refs, defs, 1, whole=True)
        places = {str(number): {"$ref": ref} for number, ref in enumerate(refs.values())}
        said = to_dialect({"type": "object", "properties": places, "$defs": defs}, DIALECT)
        self._compiler = Compiler(said.get("$defs", {}))
        self._own = {cls: said["properties"][str(number)] for number, cls in enumerate(refs)}
        self._schemas = {
            cls: target(said, each["$ref"]) if "$ref" in each else each
            for cls, each in self._own.items()
        }
        self._values: dict[str, Expression] = {}
        self._props_said: dict[tuple[type[Component], int], tuple[Any, Expression]] = {}
        self._rules: dict[tuple[Content, tuple[Hashable, ...]], Rule] = {}
        self._waiting: list[tuple[Content, Hashable]] = []

    def compiled(self, top: type[Component], state: Hashable) -> Compiler:
        """Return what has the rules: those of the root, and of all that it leads to."""
        self._compiler.rules[START] = self._alternatives([top], "flow", state)
        while self._waiting:
            place, each = self._waiting.pop(0)
            rule = self._rules[place, (each,)]
            self._compiler.rules[rule.name] = self._level(place, each)
        return self._compiler

    def _node(self, place: Content, states: tuple[Hashable, ...]) -> Rule:
        """A node of a kind of content, in one of those states."""
        if (place, states) not in self._rules:
            name = self._compiler.new(NAMES[place])
            self._rules[place, states] = Rule(name)
            if len(states) == 1:
                self._waiting.append((place, states[0]))
            else:
                several = [self._node(place, (each,)) for each in states]
                self._compiler.rules[name] = choice(several)
        return self._rules[place, states]

    def _level(self, place: Content, state: Hashable) -> Expression:
        """What may stand in a kind of content in a state; a line stands among blocks, too."""
        fitting = [cls for cls in self._known.values() if self._nodes.fits(cls, place)]
        if place == "flow":
            blocks = [cls for cls in fitting if not self._nodes.is_phrasing(cls)]
            line = self._node("phrasing", (state,))
            return choice([line, self._alternatives(blocks, place, state)])
        nodes = self._alternatives(fitting, place, state)
        takes_text = place in TEXTS and any(True for _ in self._ways(str, state))
        return choice([Rule("string"), nodes]) if takes_text else nodes

    def _alternatives(
        self, classes: Iterable[type[Component]], place: Content, state: Hashable
    ) -> Expression:
        """The ways of some components; those that differ by their names alone are one."""
        groups: dict[tuple[Expression, Expression], list[str]] = {}
        for cls in classes:
            for way in self._ways(cls, state):
                children = self._children(cls, place, way.children)
                if children is not None:
                    names = groups.setdefault((self._props(cls, way.props), children), [])
                    names.append(cls.__name__)
        return Choice(
            tuple(
                sequence([self._head(names, props), children])
                for (props, children), names in groups.items()
            )
        )

    def _head(self, names: Sequence[str], props: Expression) -> Expression:
        """A node up to its children."""
        types = choice(map(constant, dict.fromkeys(names)))
        head = sequence([Text("{"), *_named("type"), types, props])
        return self._compiler.shared(head, names[0])

    def _props(self, cls: type[Component], given: tuple[Schema, ...] | None) -> Expression:
        """The props with a comma before them, which may be left out where none is needed."""
        known = self._props_said.get((cls, id(given)))
        if known is None:
            known = self._props_said[cls, id(given)] = (given, self._said(cls, given))
        return known[1]

    def _said(self, cls: type[Component], given: tuple[Schema, ...] | None) -> Expression:
        name = cls.__name__
        if given is None:
            said, needed = (
                self._compiler.place(self._own[cls], name),
                "required" in self._schemas[cls],
            )
        else:
            alternatives = [self._alternative(cls, each) for each in given]
            said = self._compiler.object(alternatives, name)
            needed = all(any(each.needed for each in some) for some in alternatives)
        props = sequence([SPACE, Text(","), *_named("props"), self._compiler.shared(said, name)])
        return self._compiler.shared(props if needed else optional(props), f"{name}-props")

    def _alternative(self, cls: type[Component], schema: Schema) -> tuple[Member, ...]:
        """The members of props, in the order of the component's."""
        own: Schema = self._schemas[cls].get("properties", {})
        given = schema["properties"]
        required = schema.get("required", ())
        return tuple(
            self._member(name, own[name], given[name], name in required)
            for name in own
            if name in given
        )

    def _member(self, name: str, own: Schema, given: Schema | None, needed: bool) -> Member:
        before = self._compiler.shared(sequence(_named(name)), name)
        value = self._compiler.place(own, name) if given is None else self._value(given, name)
        return Member(name, before, self._compiler.shared(value, name), needed)

    def _value(self, given: Schema, name: str) -> Expression:
        """What a caller says that a prop may be; parts that several have in common are rules."""
        if given.keys() == {"anyOf"}:
            return choice([self._value(each, name) for each in given["anyOf"]])
        text = json.dumps(given)
        if text not in self._values:
            value = self._compiler.place(_in_dialect(given), name)
            self._values[text] = self._compiler.shared(value, name)
        return self._values[text]

    def _children(
        self, cls: type[Component], place: Content, runs: tuple[Run, ...]
    ) -> Expression | None:
        """What follows the props, to the end of the node; ``None`` where it cannot have those children."""
        holds = self._nodes.held(cls, place)
        may_lack = all(run.several for run in runs)
        if holds is None:
            if not may_lack:
                return None
            listed: Expression = NOTHING
        else:
            items = [(self._node(holds, run.states), run.several) for run in runs]
            listed = _listed(items)
        before = sequence([SPACE, Text(","), *_named("children"), Text("[")])
        children = sequence([self._compiler.shared(before, "list"), listed, SPACE, Text("]")])
        end = sequence([optional(children) if may_lack else children, SPACE, Text("}")])
        return self._compiler.shared(end, "children")


def _in_dialect(schema: Schema) -> Any:
    """A schema that says all that it says in a grammar.

    :raises SchemaError: for one that does not.
    """
    whole: Schema = {
        "type": "object",
        "properties": {"value": schema},
        "additionalProperties": False,
    }
    said, losses = convert(whole, dialect_of(DIALECT))
    for loss in losses:
        if loss.outcome != "kept":
            raise SchemaError(f"a grammar does not hold it: {loss}")
    return said["properties"]["value"]


def _named(name: str) -> Iterator[Expression]:
    """What stands before the value of a member."""
    yield from (SPACE, constant(name), SPACE, Text(":"), SPACE)


def _listed(items: Sequence[tuple[Rule, bool]]) -> Expression:
    """One run after the other, with commas between nodes: what may come first, and what behind it."""
    behind: Expression = NOTHING
    first: list[Expression] = [NOTHING]
    for node, several in reversed(items):
        one = sequence([SPACE, Text(","), SPACE, node])
        then = behind
        behind = sequence([repeat(one, 0, None) if several else one, behind])
        start = sequence([SPACE, node, behind if several else then])
        first = [start, *first] if several else [start]
    some = [each for each in first if each != NOTHING]
    return choice(some) if len(some) == len(first) else optional(choice(some)) if some else NOTHING
