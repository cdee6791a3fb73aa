"""Containment of schemas: whether one takes every value that another takes, proved by structure.

The old schema becomes alternatives of one type each, which take what it takes, or more. The new one becomes parts that all
have to hold. A keyword of a part holds where the alternative says at least as much. What is not proved counts as refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, Final, TypeAlias

from ujsx.schema._keywords import (
    ANNOTATIONS,
    TYPE_OF,
    Schema,
    as_list,
    bases,
    is_equal,
    is_object,
    types_of,
)
from ujsx.schema._normal_form import TYPES_OF_ANY
from ujsx.schema._refs import target

MOST_ALTERNATIVES = 1_000
"""How many alternatives are told apart at a place; where there are more, any value counts as taken."""

COMBINING = frozenset({"$ref", "allOf", "anyOf", "oneOf"})

UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
"""Keywords that depend on all that stands beside them."""

AS_WRITTEN = UNEVALUATED | {
    "$dynamicRef", "contains", "contentEncoding", "contentMediaType", "dependencies", "dependentRequired",
    "dependentSchemas", "else", "format", "if", "maxContains", "minContains", "multipleOf", "not", "then",
}  # fmt: skip
"""Keywords of which nothing is proved: they hold where the old schema has the same ones."""

TOGETHER = (
    frozenset({"if", "then", "else"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"additionalProperties", "patternProperties", "properties"}),
)
"""Keywords that mean something together."""

UNNAMED: Final[Any] = object()
"""The members that an open object does not declare. No caller is told of them, so they hold no values."""


class Containment:
    """The containment of an old schema's parts in those of a new one.

    Parts are known by identity, so whoever makes one keeps it as long as this.

    >>> old = {"type": "object", "properties": {"n": {"enum": [1, 2]}}}
    >>> new = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
    >>> Containment(old, new).holds(old, new), Containment(new, old).holds(new, old)
    (True, False)
    """

    def __init__(self, old: Schema, new: Schema) -> None:
        self._old, self._new = old, new
        self._alternatives: dict[int, tuple[Any, list[Schema]]] = {}
        self._parts: dict[int, tuple[Any, list[Any]]] = {}
        self._exclusive: dict[int, bool] = {}
        self._proved: set[tuple[int, int]] = set()
        self._refuted: set[tuple[int, int]] = set()
        self._assumed: set[tuple[int, int]] = set()
        self._judged: dict[tuple[int, int], bool] = {}

    def holds(self, old: Any, new: Any) -> bool:
        """Tell whether ``new`` is proved to take all that ``old`` takes.

        Parts that lead back to themselves are assumed to hold. When one is refuted, all that assumed it is judged again.
        """
        while True:
            refuted, self._assumed, self._judged = len(self._refuted), set(), {}
            found = self._holds(old, new)
            if refuted == len(self._refuted):
                self._proved |= self._assumed
                return found

    def refused(self, old: Any, new: Any) -> frozenset[str]:
        """Return the keywords of ``new`` that are not proved to hold for all that ``old`` takes."""
        return frozenset(
            keyword
            for atom in self._alternatives_of(old)
            for part in self._parts_of(new)
            for keyword in self._failing(atom, part)
        )

    def _holds(self, old: Any, new: Any) -> bool:
        pair = id(old), id(new)
        if pair in self._refuted:
            return False
        if pair not in self._proved and pair not in self._assumed:
            self._assumed.add(pair)
            if not all(self._takes(new, atom) for atom in self._alternatives_of(old)):
                self._refuted.add(pair)
                return False
        return True

    def _alternatives_of(self, old: Any) -> list[Schema]:
        """Return schemas of one type, or one value, each: together they take what ``old`` takes, if not more."""
        if id(old) not in self._alternatives:
            self._alternatives[id(old)] = old, [*_by_type({})]  # as long as it leads to itself
            self._alternatives[id(old)] = old, self._expanded(old)
        return self._alternatives[id(old)][1]

    def _expanded(self, old: Any) -> list[Schema]:
        if not is_object(old):
            return [] if old is False else [*_by_type({})]
        found = [*_by_type(_plain(old))]
        joined = [[target(self._old, old["$ref"])]] if "$ref" in old else []
        joined += [[each] for each in old.get("allOf", ())]
        joined += [old[each] for each in ("anyOf", "oneOf") if each in old]
        for branches in joined:
            others = [each for branch in branches for each in self._alternatives_of(branch)]
            pairs = (_both(one, other) for one in found for other in others)
            found = [both for both in pairs if both is not None]
            if len(found) > MOST_ALTERNATIVES:
                return [*_by_type({})]
        return found

    def _parts_of(self, new: Any) -> list[Any]:
        """Return what has to hold for a value of ``new``: keywords, a union alone, or ``False``."""
        if not is_object(new):
            return [False] if new is False or new is None else []
        if id(new) not in self._parts:
            self._parts[id(new)] = new, [False]  # as long as it leads to itself
            parts: list[Any] = [_plain(new)]
            parts += self._parts_of(target(self._new, new["$ref"])) if "$ref" in new else []
            parts += [part for each in new.get("allOf", ()) for part in self._parts_of(each)]
            parts += [{each: new[each]} for each in ("anyOf", "oneOf") if each in new]
            self._parts[id(new)] = new, parts
        return self._parts[id(new)][1]

    def _takes(self, new: Any, atom: Schema) -> bool:
        pair = id(atom), id(new)
        if pair not in self._judged:
            self._judged[pair] = False  # as long as it leads to itself
            parts = self._parts_of(new)
            self._judged[pair] = not any(True for part in parts for _ in self._failing(atom, part))
        return self._judged[pair]

    def _failing(self, atom: Schema, part: Any) -> Iterator[str]:
        """Yield the keywords of a part that are not proved to hold for an alternative."""
        for keyword in {"not": {}} if part is False else part:
            rule = _RULES.get(keyword)
            concerns = TYPE_OF.get(keyword) in {None, *bases([atom["type"]])}
            if rule and concerns and (part is False or not rule(self, atom, part)):
                yield keyword

    def any_of(self, atom: Schema, part: Schema) -> bool:
        """Tell whether a branch takes the alternative; of the truth values, each may have its own."""
        if atom["type"] == "boolean" and "const" not in atom:
            return all(self.any_of(each, part) for each in _TRUTHS)
        return any(self._takes(each, atom) for keyword in part for each in part[keyword])

    def one_of(self, atom: Schema, part: Schema) -> bool:
        """Tell whether a branch takes the alternative, where constants or types keep the branches apart."""
        if id(part) not in self._exclusive:
            pairs = combinations(map(self._tags, part["oneOf"]), 2)
            self._exclusive[id(part)] = all(
                any(one[name].isdisjoint(other[name]) for name in one if name in other)
                for one, other in pairs
            )
        return self._exclusive[id(part)] and self.any_of(atom, part)

    def _tags(self, branch: Any) -> dict[str, set[str]]:
        """The texts that required members may be, and under the empty name the type."""
        found: dict[str, set[str]] = {}
        for part in (each for each in self._parts_of(branch) if each):
            for name in part.get("required", ()):
                member = part.get("properties", {}).get(name)
                said = member if is_object(member) else {}
                listed: list[Any] = said.get("enum", [said.get("const")])
                if all(isinstance(each, str) for each in listed):
                    found[name] = {*listed}
            if "type" in part:
                found[""] = bases(as_list(part["type"]))
        return found

    def members(self, atom: Schema, part: Schema) -> bool:
        """Tell whether the members of the old object are taken: declared, by pattern, or by whatever name."""
        olds, news = (each.get("properties", {}) for each in (atom, part))
        patterns, new_patterns = (each.get("patternProperties", {}) for each in (atom, part))
        if (patterns or new_patterns) and (olds or news or new_patterns.keys() - patterns.keys()):
            return self.is_as_written(atom, part, "properties")
        rest = atom.get("additionalProperties", UNNAMED if "properties" in atom else True)
        new_rest = part.get("additionalProperties", True)
        pairs = [(olds.get(name, rest), news.get(name, new_rest)) for name in {**olds, **news}]
        pairs += [(each, new_patterns.get(name, new_rest)) for name, each in patterns.items()]
        pairs += [(True if rest is UNNAMED else rest, new_rest)]
        return all(old is UNNAMED or self._holds(old, new) for old, new in pairs)

    def items(self, atom: Schema, part: Schema) -> bool:
        """Tell whether the items at each place are taken."""
        before, after = (each.get("prefixItems", []) for each in (atom, part))
        places = max(len(before), len(after)) + 1
        before = before + [atom.get("items", True)] * (places - len(before))
        after = after + [part.get("items", True)] * (places - len(after))
        pairs = [*zip(before, after, strict=True)][: atom.get("maxItems")]
        return all(self._holds(old, new) for old, new in pairs)

    def names(self, atom: Schema, part: Schema) -> bool:
        """Tell whether the names of members are taken."""
        return self._holds(atom.get("propertyNames", True), part["propertyNames"])

    def is_as_written(self, atom: Schema, part: Schema, keyword: str) -> bool:
        """Tell whether a keyword, with those that it means something with, has the same value in both."""
        group = next((each for each in TOGETHER if keyword in each), frozenset({keyword}))
        old, new = ({key: each[key] for key in group & each.keys()} for each in (atom, part))
        return keyword not in UNEVALUATED and "$ref" not in repr(new) and is_equal(old, new)


def _plain(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in COMBINING | ANNOTATIONS}


def _by_type(schema: Schema) -> Iterator[Schema]:
    kinds = as_list(schema.get("type", [*TYPES_OF_ANY]))
    if schema.get("nullable") is True:
        kinds = [*kinds, "null"]
    if "const" in schema or "enum" in schema:
        listed = [schema["const"]] if "const" in schema else schema["enum"]
        yield from (
            {"const": each, "type": types_of(each)[0], **_bounds_of(each)}
            for each in listed
            if not {*types_of(each)}.isdisjoint(kinds)
        )
    else:
        yield from ({**schema, "type": kind} for kind in kinds)


def _bounds_of(value: Any) -> Schema:
    """What a value holds, in the keywords of its type."""
    match value:
        case str():
            return {"minLength": len(value), "maxLength": len(value)}
        case bool() | None:
            return {}
        case int() | float():
            kind = "integer" if "integer" in types_of(value) else "number"
            return {"minimum": value, "maximum": value, "type": kind}
        case list():
            items: list[Schema] = [{"const": each} for each in as_list(value)]
            return {"prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        case _:
            members = {name: {"const": each} for name, each in value.items()}
            size = {"minProperties": len(members), "maxProperties": len(members)}
            closed = {"additionalProperties": False, "required": [*members]}
            return {"properties": members, **closed, **size}


_TRUTHS = [*_by_type({"enum": [True, False]})]


def _both(one: Schema, other: Schema) -> Schema | None:
    """Return an alternative that takes what both take, if not more; ``None`` where their types differ."""
    if bases([one["type"]]) != bases([other["type"]]):
        return None
    if "const" in one or "const" in other:
        return one if "const" in one else other
    taken = {key for group in TOGETHER if not group.isdisjoint(one) for key in group}
    said = {**{key: each for key, each in other.items() if key not in taken}, **one}
    said["required"] = [*one.get("required", ()), *other.get("required", ())]
    return {**said, "type": min(one["type"], other["type"])}  # a whole number is a number


Rule: TypeAlias = Callable[[Containment, Schema, Schema], bool]
"""Whether a keyword of a part, the last argument, holds for all values of an alternative."""


def _is_typed(_: Containment, atom: Schema, part: Schema) -> bool:
    kinds = [*as_list(part["type"]), *(["null"] if part.get("nullable") is True else [])]
    return atom["type"] in kinds or (atom["type"] == "integer" and "number" in kinds)


def _is_listed(keyword: str) -> Rule:
    def rule(_: Containment, atom: Schema, part: Schema) -> bool:
        listed = part["enum"] if keyword == "enum" else [part["const"]]
        values = [atom["const"]] if "const" in atom else _ALL.get(atom["type"], [_NOT_LISTED])
        return all(
            each in listed if isinstance(each, str) else any(is_equal(each, one) for one in listed)
            for each in values
        )

    return rule


_NOT_LISTED = object()

_ALL: Mapping[str, list[Any]] = {"boolean": [True, False], "null": [None]}
"""The values of types that have few."""


def _is_at_least(keyword: str) -> Rule:
    return lambda _, atom, part: atom.get(keyword, 0) >= part[keyword]


def _is_at_most(keyword: str) -> Rule:
    return lambda _, atom, part: atom.get(keyword, math.inf) <= part[keyword]


def _is_within(inside: str, outside: str, sign: int) -> Rule:
    """The rule of the bounds of a number, from below, or mirrored from above."""

    def bound(schema: Schema, kind: str) -> tuple[float, bool]:
        """The bound, and whether it is out of reach itself."""
        bounds = [(sign * schema[inside], False)] if inside in schema else []
        bounds += [(sign * schema[outside], True)] if outside in schema else []
        least, is_out = max(bounds, default=(-math.inf, False))
        if kind == "integer" and math.isfinite(least):
            return math.ceil(least) + (is_out and least == math.ceil(least)), False
        return least, is_out

    return lambda _, atom, part: bound(atom, atom["type"]) >= bound(part, atom["type"])


def _is_patterned(_: Containment, atom: Schema, part: Schema) -> bool:
    if "const" not in atom:
        return is_equal(atom.get("pattern"), part["pattern"])
    try:
        return re.search(part["pattern"], atom["const"]) is not None
    except re.error:  # another language's pattern
        return False


def _as_written(keyword: str) -> Rule:
    return lambda both, atom, part: both.is_as_written(atom, part, keyword)


_RULES: Mapping[str, Rule] = {
    "type": _is_typed,
    **{each: _is_listed(each) for each in ("const", "enum")},
    **{each: _is_at_least(each) for each in ("minLength", "minItems", "minProperties")},
    **{each: _is_at_most(each) for each in ("maxLength", "maxItems", "maxProperties")},
    **dict.fromkeys(("minimum", "exclusiveMinimum"), _is_within("minimum", "exclusiveMinimum", 1)),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), _is_within("maximum", "exclusiveMaximum", -1)),
    "pattern": _is_patterned,
    "required": lambda _, atom, part: {*part["required"]} <= {*atom.get("required", ())},
    "uniqueItems": lambda _, atom, part: not part["uniqueItems"] or atom.get("uniqueItems", False),
    **dict.fromkeys(TOGETHER[-1], Containment.members),
    "propertyNames": Containment.names,
    **dict.fromkeys(("items", "prefixItems"), Containment.items),
    "anyOf": Containment.any_of,
    "oneOf": Containment.one_of,
    **{each: _as_written(each) for each in AS_WRITTEN},
}  # fmt: skip
