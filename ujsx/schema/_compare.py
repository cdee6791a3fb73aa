"""The changes between two schemas, and which of them break callers and stored events.

A change breaks where the new schema is not proved to take every value that the old one takes: a caller
that knows the old schema is refused, and so is a payload that was recorded under it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ujsx.errors import SchemaError, listed, shown
from ujsx.schema._containment import UNNAMED, Containment
from ujsx.schema._dialects import parameters_in
from ujsx.schema._generate import Model, as_schema, of_a_tool
from ujsx.schema._keywords import ANNOTATIONS, Schema, escape, is_equal, is_object, unescape
from ujsx.schema._refs import target
from ujsx.tokens import estimate_tokens

UNIONS = ("anyOf", "oneOf")

BELOW = frozenset({"additionalProperties", "items", "propertyNames"})
"""Keywords that hold one schema."""

WALKED = frozenset(
    {"$defs", "$ref", "allOf", "definitions", "patternProperties", "prefixItems", "properties", "required", *UNIONS}
)  # fmt: skip
"""Keywords that are compared by the schemas and names that they hold."""

MOST_RENAMED = 20
"""How many members that are gone are looked for under other names, and how many new ones are tried."""

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

    ``pointer`` is its place, a JSON pointer (RFC 6901) into the new schema, or into the old one for what is gone; behind
    a reference it starts at the definition. ``keyword`` changed there from ``before`` to ``after``, where ``None`` stands
    for absence. ``remedy`` is the line to write where the change ``is_breaking``.

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

    The verdict holds for calls by a model that knows the old schema, and for payloads that were recorded under it: a value that
    was valid stays valid. It is proved by structure, so a change without a proof is breaking, such as that of a pattern.
    Formats count as constraints; descriptions and defaults do not. Members that an open
    object does not declare have no values, so a new optional property is compatible. Repairs of calls, ``former_fields`` and ``upcasts`` are not
    considered: they are remedies.

    :param old: a JSON Schema, draft 2020-12, a tool's definition, or a model. Strict dialects require every property, so compare
        what validation takes: the model, or ``json-schema``.
    :param new: the same, as it is today.
    :param event: the type of the events with these payloads; remedies are then lines of the section's declaration.
    :raises SchemaError: for anything else, and definitions that lead over about 100 deep into each other.

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
            "the definitions lead too deep into each other to be compared; compare them one by one"
        ) from None


class _Comparison:
    def __init__(self, old: Schema, new: Schema, event: str | None) -> None:
        self._old, self._new, self._event = old, new, event
        self._containment = Containment(old, new)
        self._visited: set[tuple[int, int, bool]] = set()
        self._made: list[Schema] = []  # the containment knows parts by identity, so these stay

    def changes(self) -> list[SchemaChange]:
        fits = self._containment.holds(self._old, self._new)
        found: dict[tuple[str, str], SchemaChange] = {}
        for each in self._place(self._old, self._new, "", fits=fits):
            key = each.pointer, each.keyword
            if key not in found or each.is_breaking:  # a definition may fit in one place alone
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
        rest, now_rest = (
            before.get("additionalProperties", UNNAMED),
            after.get("additionalProperties", True),
        )
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
        """Return members that seem to have another name today: exactly one new member takes the same values."""
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
        """Return a schema that is no union as one with a single branch."""
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
        """Return a change; ``renamed`` is a member that is gone, with its name today."""
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
    """Return the keywords of a place, behind its references; a constant is an enumeration of one."""
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
    """Return the type of a branch, and the constants that tell it from others."""
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
