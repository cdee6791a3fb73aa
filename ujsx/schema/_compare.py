"""The changes between two schemas, and those that break callers or stored data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any, Final, TypeAlias

from ujsx.errors import SchemaError, listed, shown
from ujsx.schema._dialects import parameters_in
from ujsx.schema._generate import Model, as_schema, of_a_tool
from ujsx.schema._keywords import (
    ANNOTATIONS,
    TYPE_OF,
    Schema,
    as_list,
    bases,
    escape,
    is_equal,
    is_object,
    target,
    types_of,
    unescape,
)
from ujsx.schema._normal_form import TYPES_OF_ANY
from ujsx.tokens import estimate_tokens

# Containment of schemas: the structural proof that one accepts every value of another.
#
# The old schema becomes alternatives of one type each, which accept at least its values. The new one becomes parts that
# must all hold. A keyword of a part holds if the alternative is at least as strict. Unproved means refused.

MOST_ALTERNATIVES = 1_000
"""The most alternatives at a place; beyond, any value counts as accepted."""

COMBINING = frozenset({"$ref", "allOf", "anyOf", "oneOf"})

UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
"""Keywords that depend on all adjacent keywords."""

AS_WRITTEN = UNEVALUATED | {
    "$dynamicRef", "contains", "contentEncoding", "contentMediaType", "dependencies", "dependentRequired",
    "dependentSchemas", "else", "format", "if", "maxContains", "minContains", "multipleOf", "not", "then",
}  # fmt: skip
"""Keywords without a proof: they hold if the old schema has the same ones."""

TOGETHER = (
    frozenset({"if", "then", "else"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"additionalProperties", "patternProperties", "properties"}),
)
"""Keywords with a joint meaning."""

UNNAMED: Final[Any] = object()
"""The undeclared members of an open object. Callers do not know them, so they have no values."""


class Containment:
    """The containment of an old schema's parts in those of a new one.

    Parts are compared by identity, so their creator must keep them as long as this object.

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
        """Tell whether ``new`` provably accepts all values of ``old``.

        Recursive parts are assumed to hold. When one is refuted, all results based on it are computed again.
        """
        while True:
            refuted, self._assumed, self._judged = len(self._refuted), set(), {}
            found = self._holds(old, new)
            if refuted == len(self._refuted):
                self._proved |= self._assumed
                return found

    def refused(self, old: Any, new: Any) -> frozenset[str]:
        """Return the keywords of ``new`` that do not provably hold for all values of ``old``."""
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
        """Return schemas of one type, or one value, each: together they accept at least the values of ``old``."""
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
        """Return the requirements on a value of ``new``: keywords, a union alone, or ``False``."""
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
        """Yield the keywords of a part that do not provably hold for an alternative."""
        for keyword in {"not": {}} if part is False else part:
            rule = _RULES.get(keyword)
            concerns = TYPE_OF.get(keyword) in {None, *bases([atom["type"]])}
            if rule and concerns and (part is False or not rule(self, atom, part)):
                yield keyword

    def any_of(self, atom: Schema, part: Schema) -> bool:
        """Tell whether a branch accepts the alternative; for booleans, each value may have its own."""
        if atom["type"] == "boolean" and "const" not in atom:
            return all(self.any_of(each, part) for each in _TRUTHS)
        return any(self._takes(each, atom) for keyword in part for each in part[keyword])

    def one_of(self, atom: Schema, part: Schema) -> bool:
        """Tell whether a branch accepts the alternative, if constants or types distinguish the branches."""
        if id(part) not in self._exclusive:
            pairs = combinations(map(self._tags, part["oneOf"]), 2)
            self._exclusive[id(part)] = all(
                any(one[name].isdisjoint(other[name]) for name in one if name in other)
                for one, other in pairs
            )
        return self._exclusive[id(part)] and self.any_of(atom, part)

    def _tags(self, branch: Any) -> dict[str, set[str]]:
        """Return the possible texts of required members, and the type under the empty name."""
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
        """Tell whether the members of the old object are accepted: declared, by pattern, or with any name."""
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
        """Tell whether the items at each place are accepted."""
        before, after = (each.get("prefixItems", []) for each in (atom, part))
        places = max(len(before), len(after)) + 1
        before = before + [atom.get("items", True)] * (places - len(before))
        after = after + [part.get("items", True)] * (places - len(after))
        pairs = [*zip(before, after, strict=True)][: atom.get("maxItems")]
        return all(self._holds(old, new) for old, new in pairs)

    def names(self, atom: Schema, part: Schema) -> bool:
        """Tell whether the names of members are accepted."""
        return self._holds(atom.get("propertyNames", True), part["propertyNames"])

    def is_as_written(self, atom: Schema, part: Schema, keyword: str) -> bool:
        """Tell whether a keyword, with the related ones, has the same value in both."""
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
    """Return the bounds of a value, as keywords of its type."""
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
    """Return an alternative that accepts at least the common values of both; ``None`` if their types differ."""
    if bases([one["type"]]) != bases([other["type"]]):
        return None
    if "const" in one or "const" in other:
        return one if "const" in one else other
    taken = {key for group in TOGETHER if not group.isdisjoint(one) for key in group}
    said = {**{key: each for key, each in other.items() if key not in taken}, **one}
    said["required"] = [*one.get("required", ()), *other.get("required", ())]
    return {**said, "type": min(one["type"], other["type"])}  # an integer is a number


Rule: TypeAlias = Callable[[Containment, Schema, Schema], bool]
"""Returns whether a keyword of a part, the last argument, holds for all values of an alternative."""


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
"""The values of types with few of them."""


def _is_at_least(keyword: str) -> Rule:
    return lambda _, atom, part: atom.get(keyword, 0) >= part[keyword]


def _is_at_most(keyword: str) -> Rule:
    return lambda _, atom, part: atom.get(keyword, math.inf) <= part[keyword]


def _is_within(inside: str, outside: str, sign: int) -> Rule:
    """Return the rule for a number's lower bounds, or, mirrored, for its upper ones."""

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


UNIONS = ("anyOf", "oneOf")

BELOW = frozenset({"additionalProperties", "items", "propertyNames"})
"""Keywords with a single schema."""

WALKED = frozenset(
    {"$defs", "$ref", "allOf", "definitions", "patternProperties", "prefixItems", "properties", "required", *UNIONS}
)  # fmt: skip
"""Keywords that are compared by their schemas and names."""

MOST_RENAMED = 20
"""The most removed members searched under other names, and new ones tried."""

REMEDIES = {
    "additionalProperties": "ignore other members, as before",
    "enum": "keep the values that are gone",
    "properties": "keep it, with a default",
    "required": "give it a default",
    **dict.fromkeys(UNIONS, "keep the branch"),
}
"""The remedies that keep calls valid, by the keyword that changed."""


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One difference between two schemas.

    ``pointer`` is its place, a JSON pointer (RFC 6901) into the new schema, or into the old one for removed parts;
    inside a reference it starts at the definition. ``keyword`` changed there from ``before`` to ``after``, with
    ``None`` for absence. ``remedy`` is the line to write if the change ``is_breaking``.

    >>> print(SchemaChange("/properties/by", "required", False, True, True, "a value without it is refused", "give it a default"))
    /properties/by: required: a value without it is refused: breaking: give it a default
    """

    pointer: str
    keyword: str
    before: Any
    after: Any
    is_breaking: bool
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        verdict = "breaking" if self.is_breaking else "compatible"
        parts = (self.pointer or "(root)", self.keyword, self.reason, verdict, self.remedy)
        return ": ".join(filter(None, parts))


def compare_schemas(
    old: Model | Schema, new: Model | Schema, *, event: str | None = None
) -> list[SchemaChange]:
    """Return the changes from one schema to another, and whether each of them breaks.

    The verdict applies to calls by a model that knows the old schema, and to payloads recorded under it: a valid value
    stays valid. It is a structural proof, so an unprovable change is breaking, such as that of a pattern. Formats count
    as constraints; descriptions and defaults do not. Undeclared members of an open object have no values, so a new
    optional property is compatible. Repairs of calls, ``former_fields`` and ``upcasts`` are not considered: they are
    remedies.

    :param old: a JSON Schema, draft 2020-12, a tool's definition, or a model. Strict dialects require every property,
        so compare the validated form: the model, or ``json-schema``.
    :param new: the current one, in the same form.
    :param event: the type of events with these payloads; remedies are then lines of the section's declaration.
    :raises SchemaError: for anything else, and definitions nested more than about 100 deep.

    >>> from pydantic import create_model
    >>> old = create_model("Add", what=(str, ...), __config__={"extra": "forbid"})
    >>> new = create_model("Add", tried=(str, ...), by=(str, "me"), __config__={"extra": "forbid"})
    >>> for change in compare_schemas(old, new, event="remedies.add"):
    ...     print(change.pointer, change.is_breaking, change.remedy or "-")
    /properties/what True former_fields = {'what': 'tried'}
    /properties/tried True former_fields = {'what': 'tried'}
    /properties/by False -
    """
    before, after = (
        as_schema(of_a_tool(parameters_in(each) if is_object(each) else each))
        for each in (old, new)
    )
    try:
        return [] if before == after else _Comparison(before, after, event).changes()
    except RecursionError:
        raise SchemaError(
            "the definitions are nested too deep to be compared; compare them one by one"
        ) from None


class _Comparison:
    def __init__(self, old: Schema, new: Schema, event: str | None) -> None:
        self._old, self._new, self._event = old, new, event
        self._containment = Containment(old, new)
        self._visited: set[tuple[int, int, bool]] = set()
        # The containment compares parts by identity, so these are kept.
        self._made: list[Schema] = []

    def changes(self) -> list[SchemaChange]:
        fits = self._containment.holds(self._old, self._new)
        found: dict[tuple[str, str], SchemaChange] = {}
        for each in self._place(self._old, self._new, "", fits=fits):
            key = each.pointer, each.keyword
            if key not in found or each.is_breaking:  # a definition may fit in one place only
                found[key] = each
        if not fits and not any(each.is_breaking for each in found.values()):
            why = "not all values of the old schema are proved to be valid"
            found["", ""] = SchemaChange("", "", None, None, True, why)
        return [*found.values()]

    def _place(self, old: Any, new: Any, at: str, *, fits: bool) -> Iterator[SchemaChange]:
        """Yield the changes at a place and inside it.

        :param fits: whether all old values of the place are known to be valid.
        """
        if (id(old), id(new), fits) in self._visited:
            return
        self._visited.add((id(old), id(new), fits))
        ref: str = new.get("$ref", "") if is_object(new) else ""
        at = ref[1:] if ref.startswith("#") else at
        fits = fits or self._containment.holds(old, new)
        refused = frozenset[str]() if fits else self._containment.refused(old, new)
        refused |= {"enum"} if "const" in refused else set[str]()
        before, after = _behind(old, self._old), _behind(new, self._new)
        if _is_union(before) != _is_union(after):
            before, after = self._as_union(before), self._as_union(after)
        for keyword in sorted({*before, *after} - WALKED):
            was, now = before.get(keyword), after.get(keyword)
            if keyword in BELOW and is_object(was) and is_object(now):
                yield from self._place(was, now, f"{at}/{keyword}", fits=fits)
            elif not is_equal(was, now):
                yield self._change(at, keyword, was, now, breaks=keyword in refused)
        yield from self._members(before, after, at, refused, fits=fits)
        yield from self._lists(before, after, at, fits=fits)
        if _is_union(before):
            yield from self._branches(before, after, new, at, fits=fits)

    def _members(
        self, before: Schema, after: Schema, at: str, refused: frozenset[str], *, fits: bool
    ) -> Iterator[SchemaChange]:
        olds, news = before.get("properties", {}), after.get("properties", {})
        required, now_required = {*before.get("required", ())}, {*after.get("required", ())}
        today = self._renamed(before, after)
        former = {new: old for old, new in today.items()}
        rest = before.get("additionalProperties", UNNAMED)
        now_rest = after.get("additionalProperties", True)
        for name in dict.fromkeys([*olds, *news, *sorted(required ^ now_required)]):
            below = f"{at}/properties/{escape(name)}"
            was, now = olds.get(name), news.get(name)
            if name in olds and name in news:
                yield from self._place(was, now, below, fits=fits)
            elif name in olds:
                breaks = not (fits or self._containment.holds(was, now_rest))
                yield self._change(
                    below, "properties", was, None, breaks=breaks, renamed=(name, today.get(name))
                )
            elif name in news and name not in now_required:
                breaks = not (fits or rest is UNNAMED or self._containment.holds(rest, now))
                yield self._change(below, "properties", None, now, breaks=breaks)
            if name in now_required - required:
                renamed = (former[name], name) if name in former else None
                yield self._change(
                    below, "required", False, True, breaks="required" in refused, renamed=renamed
                )
            elif name in required - now_required and name in news:
                yield self._change(below, "required", True, False, breaks=False)

    def _renamed(self, before: Schema, after: Schema) -> dict[str, str]:
        """Return members that seem to be renamed: exactly one new member accepts the same values."""
        olds, news = before.get("properties", {}), after.get("properties", {})
        found: dict[str, str] = {}
        added = [each for each in news if each not in olds]
        for name in [each for each in olds if each not in news][:MOST_RENAMED]:
            fitting = [
                each
                for each in added[:MOST_RENAMED]
                if (name in before.get("required", ())) == (each in after.get("required", ()))
                and self._containment.holds(olds[name], news[each])
            ]
            if len(fitting) == 1 and fitting[0] not in found.values():
                found[name] = fitting[0]
        return found

    def _lists(
        self, before: Schema, after: Schema, at: str, *, fits: bool
    ) -> Iterator[SchemaChange]:
        for keyword in ("allOf", "prefixItems"):
            pairs = zip_longest(before.get(keyword, ()), after.get(keyword, ()), fillvalue=True)
            for place, (was, now) in enumerate(pairs):
                yield from self._place(was, now, f"{at}/{keyword}/{place}", fits=fits)
        olds, news = (each.get("patternProperties", {}) for each in (before, after))
        for name in {**olds, **news}:
            was, now = olds.get(name, True), news.get(name, True)
            yield from self._place(was, now, f"{at}/patternProperties/{escape(name)}", fits=fits)

    def _branches(
        self, before: Schema, after: Schema, new: Any, at: str, *, fits: bool
    ) -> Iterator[SchemaChange]:
        """Compare the branches of two unions, each with the first one of its kind."""
        keyword = next(each for each in UNIONS if each in after)
        waiting = [
            (place, _kind_of(each, self._new), each) for place, each in enumerate(after[keyword])
        ]
        for place, branch in enumerate(before[next(each for each in UNIONS if each in before)]):
            below, kind = f"{at}/{keyword}/{place}", _kind_of(branch, self._old)
            is_valid = fits or self._containment.holds(branch, new)
            alike = next((each for each in waiting if each[1] == kind), None)
            if alike is None:
                yield self._change(below, keyword, branch, None, breaks=not is_valid)
            else:
                waiting.remove(alike)
                yield from self._place(branch, alike[2], below, fits=is_valid)
        for place, _, each in waiting:
            yield self._change(f"{at}/{keyword}/{place}", keyword, None, each, breaks=False)

    def _as_union(self, schema: Schema) -> Schema:
        """Return a schema as a union, with a single branch if it is not one."""
        if _is_union(schema):
            return schema
        branch = {key: each for key, each in schema.items() if key not in ANNOTATIONS}
        self._made.append(branch)
        return {"anyOf": [branch], **{key: schema[key] for key in ANNOTATIONS & schema.keys()}}

    def _change(
        self,
        at: str,
        keyword: str,
        before: Any,
        after: Any,
        *,
        breaks: bool,
        renamed: tuple[str, str | None] | None = None,
    ) -> SchemaChange:
        """Return a change; ``renamed`` is a removed member with its current name."""
        why = _reason(keyword, before, after, breaks=breaks)
        remedy = self._remedy(at, keyword, renamed) if breaks else ""
        return SchemaChange(at, keyword, before, after, breaks, why, remedy)

    def _remedy(self, at: str, keyword: str, renamed: tuple[str, str | None] | None) -> str:
        name, today = renamed or ("", None)
        if self._event is None:
            return REMEDIES.get(keyword, "allow the old values as well")
        is_own = at.count("/") == at.startswith("/properties/") * 2
        if is_own and renamed:
            return f"former_fields = {{{name!r}: {today!r}}}"
        if is_own and keyword == "required":
            member = unescape(at.rpartition("/")[2])
            return f"upcasts = {{{self._event!r}: lambda said: {{{member!r}: …, **said}}}}"
        return f"upcasts = {{{self._event!r}: function}}"


def _behind(schema: Any, root: Schema) -> Schema:
    """Return the keywords of a place with references resolved; a constant is an enumeration of one."""
    seen: set[str] = set()
    while is_object(schema) and "$ref" in schema and schema["$ref"] not in seen:
        seen.add(schema["$ref"])
        found = target(root, schema["$ref"])
        beside = {key: each for key, each in schema.items() if key != "$ref"}
        schema = {**found, **beside} if is_object(found) else beside
    if not is_object(schema):
        return {"not": {}} if schema is False else {}
    constant = {"enum": [schema["const"]]} if "const" in schema else {}
    return {**{key: each for key, each in schema.items() if key != "const"}, **constant}


def _is_union(schema: Schema) -> bool:
    return not schema.keys().isdisjoint(UNIONS)


def _kind_of(branch: Any, root: Schema) -> tuple[Any, list[tuple[str, Any]]]:
    """Return the type of a branch, and its distinguishing constants."""
    schema = _behind(branch, root)
    members = ((each, _behind(one, root)) for each, one in schema.get("properties", {}).items())
    listed = ((each, one.get("enum", ())) for each, one in members)
    return schema.get("type"), [(each, values) for each, values in listed if len(values) == 1]


def _reason(keyword: str, before: Any, after: Any, *, breaks: bool) -> str:
    match keyword:
        case "required" if breaks:
            return "a value without it is refused"
        case "required":
            return "it is required" if after else "it is optional"
        case "properties":
            ignored = "it is gone, and refused" if breaks else "it is gone, and ignored"
            return "it is new, and optional" if before is None else ignored
        case "anyOf" | "oneOf":
            return "a branch is new" if before is None else "a branch is gone"
        case "enum" if before and after:
            gone = [each for each in before if not any(is_equal(each, one) for one in after)]
            new = [each for each in after if not any(is_equal(each, one) for one in before)]
            told = [f"{listed([*map(repr, gone)])} gone"] if gone else []
            told += [f"{listed([*map(repr, new)])} new"] if new else []
            return ", ".join(told) or "reordered"
        case "description":
            was, now = (estimate_tokens(each or "") for each in (before, after))
            return f"{was} → {now} tokens"
        case _:
            return " → ".join("absent" if each is None else shown(each) for each in (before, after))
