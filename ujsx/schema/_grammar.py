"""Schemas as grammars, for engines that hold an open model to one.

In: a JSON Schema. Out: a grammar of the JSON texts that fit it, in one of two notations. A schema goes
into the dialect open-engines first, so what a grammar cannot hold stands in its descriptions, and
``lint(schema, "open-engines")`` lists it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import ceil, floor
from types import MappingProxyType
from typing import Any

from ujsx.errors import SchemaError, did_you_mean
from ujsx.schema._expressions import (
    NOTHING,
    START,
    Expression,
    Rule,
    Rules,
    Sequence,
    Text,
    choice,
    optional,
    parts_of,
    repeat,
    sequence,
    used,
    whole_number,
)
from ujsx.schema._generate import Model
from ujsx.schema._grammar_texts import gbnf, lark
from ujsx.schema._json_grammar import SPACE, VALUE, constant, json_rules, listed, text_like
from ujsx.schema._keywords import DEFS, Schema, as_list, is_object, unescape
from ujsx.schema._lint import to_dialect
from ujsx.schema._members import Member, members_of

DIALECT = "open-engines"
"""The dialect of which grammars are made."""

SYNTAXES: Mapping[str, Callable[[Rules], str]] = MappingProxyType({"gbnf": gbnf, "lark": lark})
"""The notations by name: that of llama.cpp, which xgrammar reads too, and that of llguidance and Lark."""

_LOWS = (("minimum", 0), ("exclusiveMinimum", 1))
_HIGHS = (("maximum", 0), ("exclusiveMaximum", 1))
"""Bounds of whole numbers, and how far from them the last number is that they allow."""

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def to_grammar(schema: Model | Schema, syntax: str = "gbnf") -> str:
    r"""Return a grammar of the JSON texts that fit ``schema``.

    Members stand in the order of their declaration. White space is free, up to 20 characters at a
    place. Whole numbers have at most 18 digits where the schema sets no bounds.

    :param schema: a JSON Schema, draft 2020-12, or a model.
    :param syntax: "gbnf" for llama.cpp and xgrammar, "lark" for llguidance and Lark.
    :raises SchemaError: for an unknown syntax, and what the dialect open-engines refuses.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 12}}}
    >>> print(to_grammar(schema))
    root ::= "{" (space "\"n\"" space ":" space ([1-9] | "1" [0-2]))? space "}"
    space ::= [ \t\n]{0,20}
    """
    write = writer_of(syntax)
    said = to_dialect(schema, DIALECT)
    compiler = Compiler(said.get("$defs", {}))
    compiler.rules[START] = compiler.place(said, START)
    return write(used(compiler.rules))


def writer_of(syntax: str) -> Callable[[Rules], str]:
    """Return what writes a grammar in a notation.

    :raises SchemaError: for an unknown one, with the nearest.
    """
    if syntax not in SYNTAXES:
        raise SchemaError(f'"{syntax}" is no syntax of grammars; {did_you_mean(syntax, SYNTAXES)}')
    return SYNTAXES[syntax]


class Compiler:
    """Makes rules of schemas that are in the dialect open-engines.

    :param defs: the definitions that they refer to, each of which has a rule.
    """

    def __init__(self, defs: Schema) -> None:
        self.rules: Rules = json_rules()
        self._names: dict[str, str] = {"#": START}
        self._shared_rules: dict[Expression, Rule] = {}
        self._numbers: dict[str, int] = {}
        for name in defs:
            self._names[f"{DEFS}{name}"] = self.new(name)
        for name, each in defs.items():
            rule = self._names[f"{DEFS}{name}"]
            self.rules[rule] = self.place(each, rule)

    def new(self, name: str) -> str:
        """A name that no rule has."""
        plain = _NOT_IN_NAMES.sub("-", name.lower()).strip("-") or "rule"
        plain = plain if plain[0].isalpha() else f"r-{plain}"
        found = plain
        while found in self.rules or found == START:
            self._numbers[plain] = self._numbers.get(plain, 1) + 1
            found = f"{plain}-{self._numbers[plain]}"
        self.rules[found] = NOTHING
        return found

    def place(self, schema: Any, at: str) -> Expression:
        """What may stand at a place; ``at`` is the rule in which it is."""
        if not is_object(schema):
            return VALUE
        if "$ref" in schema:
            ref: str = schema["$ref"]
            known = self._names.get(ref) or self._names[DEFS + unescape(ref.removeprefix(DEFS))]
            return Rule(known)
        if "const" in schema:
            return constant(schema["const"])
        if "enum" in schema:
            return choice(map(constant, schema["enum"]))
        if "anyOf" in schema:
            return choice([self.place(each, at) for each in schema["anyOf"]])
        kinds = as_list(schema["type"])
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        return choice([self._of_type(kind, schema, at) for kind in kinds])

    def _of_type(self, kind: str, schema: Schema, at: str) -> Expression:
        match kind:
            case "string":
                return text_like(schema)
            case "integer":
                return self._integer(schema)
            case "array":
                return self._array(schema, at)
            case "object":
                return self._object(schema, at)
            case _:  # of which the dialect says no more
                return Rule(kind)

    def _integer(self, schema: Schema) -> Expression:
        lows = [schema[key] + more for key, more in _LOWS if key in schema]
        highs = [schema[key] - less for key, less in _HIGHS if key in schema]
        if not lows and not highs:
            return Rule("integer")
        return whole_number(ceil(max(lows)) if lows else None, floor(min(highs)) if highs else None)

    def _array(self, schema: Schema, at: str) -> Expression:
        first: list[Any] = schema.get("prefixItems", [])
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if not first and "items" not in schema:
            return Rule("array")
        rest = schema.get("items") if most is None or most > len(first) else None
        if rest is None:
            most = min(len(first), len(first) if most is None else most)
        items = [sequence([SPACE, self.place(each, at)]) for each in first[: most or None]]
        if not items and rest is not None:
            return self._list(sequence([SPACE, self.place(rest, at)]), least, most)
        tail: Expression = NOTHING
        if rest is not None:
            one = sequence([SPACE, Text(","), SPACE, self.place(rest, at)])
            behind = None if most is None else most - len(items)
            tail = repeat(one, max(0, least - len(items)), behind)
        for place in range(len(items) - 1, -1, -1):
            comma: list[Expression] = [SPACE, Text(",")] if place else []
            tail = sequence([*comma, items[place], tail])
            tail = tail if place < least else optional(tail)
        return sequence([Text("["), tail, SPACE, Text("]")])

    def _list(self, item: Expression, least: int, most: int | None) -> Expression:
        if (least, most) == (0, None):
            return listed("[", item, "]")
        if most == 0:
            return sequence([Text("["), SPACE, Text("]")])
        more = sequence([SPACE, Text(","), item])
        rest = repeat(more, max(0, least - 1), None if most is None else most - 1)
        some = sequence([item, rest])
        return sequence([Text("["), some if least else optional(some), SPACE, Text("]")])

    def _object(self, schema: Schema, at: str) -> Expression:
        if "properties" not in schema:
            return self._dictionary(schema, at)
        return self.object([self.members(schema, schema["properties"], at)], at)

    def members(self, schema: Schema, properties: Mapping[str, Any], at: str) -> tuple[Member, ...]:
        """The members of an object, of which a schema says which are required."""
        required = schema.get("required", ())
        return tuple(
            Member(
                name,
                sequence([SPACE, constant(name), SPACE, Text(":"), SPACE]),
                self.place(each, at),
                name in required,
            )
            for name, each in properties.items()
        )

    def object(self, alternatives: Iterable[tuple[Member, ...]], at: str) -> Expression:
        """Objects that have the members of one of several, which all keep to one order."""
        said = members_of(alternatives, lambda part: self.shared(part, at))
        return sequence([Text("{"), said, SPACE, Text("}")])

    def shared(self, expression: Expression, name: str) -> Expression:
        """The expression, in a rule of its own; what is no longer than the names of two stays itself."""
        parts = (expression,) if isinstance(expression, Rule) else parts_of(expression)
        is_short = isinstance(expression, Rule | Sequence) and len(parts) < 3
        if is_short and all(isinstance(each, Rule) for each in parts):
            return expression
        known = self._shared_rules.get(expression)
        if known is None:
            known = self._shared_rules[expression] = Rule(self.new(name))
            self.rules[known.name] = expression
        return known

    def _dictionary(self, schema: Schema, at: str) -> Expression:
        more = schema.get("additionalProperties", True)
        if more is False:
            return sequence([Text("{"), SPACE, Text("}")])
        if more is True:
            return Rule("object")
        value = self.place(more, at)
        return listed("{", sequence([SPACE, Rule("string"), SPACE, Text(":"), SPACE, value]), "}")
