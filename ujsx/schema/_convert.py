"""Dialects in both directions: conversion of a schema, with an account of every dropped keyword, and reading back of a
call's arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from ujsx.calls import resolving
from ujsx.errors import SchemaError, quoted, shown
from ujsx.schema._dialects import (
    Dialect,
    KeywordVerdict,
    Loss,
    Outcome,
    excesses,
    from_the_top,
    reason,
)
from ujsx.schema._generate import Model, as_schema
from ujsx.schema._keywords import (
    DEFS,
    LISTED,
    NESTED,
    TYPE_OF,
    VALUES,
    Schema,
    SchemaNode,
    accepts_null,
    as_list,
    bases,
    described,
    edges_of,
    escape,
    everywhere,
    is_list,
    is_object,
    ordered,
    phrase,
    pruned,
    reached,
    recursive,
    target,
    types_of,
    unescape,
    unrolled,
    with_parts,
)
from ujsx.schema._normal_form import TYPES_OF_ANY, UNIONS, NormalForm, are_conditions, in_ecma
from ujsx.schema._rewrites import (
    KEY,
    STEPS,
    VALUE,
    WRAPPED_ENTRIES,
    WRAPPED_JSON,
    WRAPPED_ROOT,
    alone,
    forms,
    is_dictionary,
    refers_to_itself,
    say_any,
    say_object,
    takes_any,
    takes_lists,
    with_types,
    with_wrapped_root,
)

# Recursion expanded to a depth, for dialects without it.
#
# Each recursive definition is copied once per level; at the last one, the deeper reference is cut: a branch of a union,
# the items of a list or an optional property is removed, and any part that requires it as well. Copies are linear in
# the depth.

DEPTH = 3
"""The default expansion of recursive models below the first one, for a dialect without recursion."""

MAX_DEPTH = 50
"""The largest allowed depth; no provider accepts such a nesting of objects."""

_NAMED = ("properties", "patternProperties")

_CUT = LISTED | {*_NAMED, "items", "additionalProperties"}
"""Keywords whose schemas are copied for a level, and may be cut."""


def check_depth(depth: int) -> None:
    """Refuse an invalid depth of expansion.

    :raises SchemaError: for a depth that is not between 1 and 50.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise SchemaError(f"depth is 1 to {MAX_DEPTH}, not {depth}")


def written_out(root: Schema, dialect: Dialect, depth: int) -> WrittenOut:
    """Return a schema with recursion expanded, if the dialect has none.

    >>> from ujsx.schema._dialects import dialect_of
    >>> node = {"type": "object", "properties": {"next": {"$ref": "#"}, "id": {"type": "string"}}}
    >>> said = written_out(node, dialect_of("gemini"), 1)
    >>> said.schema["$defs"]["Root2"]["properties"], [loss.pointer for loss in said.losses]
    ({'id': {'type': 'string'}}, ['/properties/next'])
    """
    if dialect.recursion and dialect.required_recursion:
        return WrittenOut(root, (), {})
    refs = recursive(root, required=dialect.recursion)
    return _Levels(root, refs, dialect, depth).made() if refs else WrittenOut(root, (), {})


class WrittenOut(NamedTuple):
    """A schema without recursion, its cuts, and the original definitions of its copies."""

    schema: Schema
    losses: tuple[Loss, ...]
    origins: Mapping[str, str]
    """The pointer of each copy's original, by name."""

    def as_given(self, loss: Loss) -> Loss:
        """Return a loss with its place in the original schema."""
        _, _, rest = loss.pointer.partition("/$defs/")
        name, slash, inside = rest.partition("/")
        origin = self.origins.get(unescape(name)) if loss.pointer.startswith("/$defs/") else None
        return loss if origin is None else replace(loss, pointer=f"{origin}{slash}{inside}")


class _Copy(NamedTuple):
    """A definition at a level: the number of recursion heads around it."""

    ref: str
    level: int


class _Levels:
    """The copies of all recursive definitions, from the deepest level up."""

    def __init__(self, root: Schema, refs: frozenset[str], dialect: Dialect, depth: int) -> None:
        self._root = root
        self._refs = refs
        self._depth = depth
        where = " by way of required properties" if dialect.recursion else ""
        self._why = (
            f"{dialect.name} has no recursion{where}: written out {depth} deep, the rest is cut; depth="
            " says how deep"
        )
        edges = edges_of(root)
        self._reached = {ref: reached(ref, edges) for ref in refs}
        order, self._heads = _walked(edges)
        self._order = [each for each in order if each in refs]
        self._made: dict[_Copy, Any] = {}
        self._cuts: dict[_Copy, list[Loss]] = {}
        self._names = self._named(root.get("$defs", {}))

    def made(self) -> WrittenOut:
        for cycle in self._cycles():
            for level in range(self._depth, -1, -1):
                for ref in cycle:
                    copy = _Copy(ref, level)
                    self._made[copy] = self._copied(copy)
        top = _Copy("#", 0)
        body = self._made[top] if top in self._made else self._copied(top)
        if body is False:
            return WrittenOut(self._root, (), {})
        defs = {name: each for name, each in self._definitions() if each is not False}
        whole = pruned({**body, "$defs": defs} if defs else body)
        kept: Schema = whole.get("$defs", {})
        losses = (
            loss
            for copy, cuts in self._cuts.items()
            if copy.ref == "#" == self._names[copy] or self._names[copy] in kept
            for loss in cuts
        )
        origins = {
            name: copy.ref.removeprefix("#") for copy, name in self._names.items() if name in kept
        }
        return WrittenOut(whole, tuple(dict.fromkeys(losses)), origins)

    def _cycles(self) -> Iterator[list[str]]:
        """Yield the mutually recursive definitions, after those that they refer to."""
        together: dict[frozenset[str], list[str]] = {}
        for ref in self._order:
            kin = frozenset(each for each in self._refs if self._is_inside(each, ref))
            together[kin] = [*together.pop(kin, ()), ref]  # ordered by the last of each
        yield from together.values()

    def _is_inside(self, here: str, ref: str) -> bool:
        """Tell whether a reference is in the recursion that it refers to."""
        return here in self._refs and here in self._reached[ref] and ref in self._reached[here]

    def _named(self, taken: Mapping[str, Any]) -> dict[_Copy, str]:
        """Return the names of all copies; the first of a definition keeps its own."""
        names: dict[_Copy, str] = {}
        used = {*taken}
        for ref in ("#", *(f"{DEFS}{escape(name)}" for name in taken)):
            own = ref if ref == "#" else unescape(ref.removeprefix(DEFS))
            names[_Copy(ref, 0)] = own
            for level in range(1, self._depth + 1) if ref in self._refs else ():
                name = f"{'Root' if ref == '#' else own}{level + 1}"
                while name in used:
                    name += "_"
                used.add(name)
                names[_Copy(ref, level)] = name
        return names

    def _definitions(self) -> Iterator[tuple[str, Any]]:
        for copy, name in self._names.items():
            if copy == ("#", 0):
                continue
            made = self._made[copy] if copy in self._made else self._copied(copy)
            given = target(self._root, copy.ref)
            yield name, given if made is False and copy.level == 0 else made

    def _copied(self, copy: _Copy) -> Any:
        given = target(self._root, copy.ref)
        if is_object(given):
            given = {key: each for key, each in given.items() if key != "$defs"}
        return self._at_level(given, copy.ref.removeprefix("#"), copy)

    def _at_level(self, schema: Any, at: str, here: _Copy) -> Any:
        """Return a part of a copy, with its references to the copies of the right level; ``False`` if it is cut."""
        if not is_object(schema):
            return schema
        said = dict(schema)
        ref = schema.get("$ref")
        if isinstance(ref, str) and ref in self._refs:
            leads_to = self._entered(ref, here)
            if leads_to.level > self._depth:
                self._cuts.setdefault(here, []).append(Loss(at, "$ref", ref, "dropped", self._why))
                return False
            name = self._names[leads_to]
            if leads_to.level and self._made[leads_to] is False:
                return False
            said["$ref"] = name if name == "#" else f"{DEFS}{escape(name)}"
        said = with_parts(said, lambda part, below: self._at_level(part, at + below, here), _CUT)
        return _without_cuts(schema, said)

    def _entered(self, ref: str, here: _Copy) -> _Copy:
        if not self._is_inside(here.ref, ref):
            return _Copy(ref, 0)
        return _Copy(ref, here.level + (ref in self._heads))


def _walked(edges: Mapping[str, Mapping[str, None]]) -> tuple[list[str], frozenset[str]]:
    """Return references in depth-first postorder, and those that close a cycle.

    Each cycle is closed by one of them: its head.
    """
    left: dict[str, None] = {}
    heads: set[str] = set()
    for start in edges:
        way = {start: iter(edges[start])} if start not in left else {}
        while way:
            ref = next(reversed(way))
            step = next(way[ref], None)
            if step is None:
                del way[ref]
                left[ref] = None
            elif step in way:
                heads.add(step)
            elif step in edges and step not in left:
                way[step] = iter(edges[step])
    return [*left], frozenset(heads)


def _without_cuts(given: Schema, said: Schema) -> Any:
    """Return a part without its cuts; ``False`` if no value is left.

    A branch stays as ``False``, so that the others keep their places.
    """

    def cut(keyword: str) -> list[Any]:
        """Return the names, or places, of cuts under a keyword."""
        before, after = given.get(keyword), said.get(keyword)
        if is_object(before) and keyword in _NAMED:
            return [name for name in before if said[keyword][name] is False is not before[name]]
        pairs = enumerate(zip(as_list(before), as_list(after), strict=True))
        return [place for place, (one, other) in pairs if other is False is not one]

    is_empty = [bool(said.get(each)) and not any(map(_stays, said[each])) for each in UNIONS]
    if cut("allOf") or any(is_empty):
        return False
    gone = cut("properties")
    if not set(gone).isdisjoint(said.get("required", ())):
        return _of_other_types(said, "object", _NAMED)
    for keyword in _NAMED:
        for name in cut(keyword):
            said[keyword] = {key: each for key, each in said[keyword].items() if key != name}
    if cut("additionalProperties") or cut("patternProperties"):
        more = said.get("patternProperties") or said.get("properties")
        if not more and said.get("additionalProperties") is False:
            if said.get("minProperties", 0) > 0:
                return _of_other_types(said, "object", _NAMED)
            said.pop("patternProperties", None)
            said |= {"additionalProperties": {"type": "null"}, "maxProperties": 0}
    first = cut("prefixItems")[:1] or ([len(said.get("prefixItems", ()))] if cut("items") else [])
    if first:
        if said.get("minItems", 0) > first[0]:
            return _of_other_types(said, "array", ("items", "prefixItems"))
        said["items"] = False
        if "prefixItems" in said:
            said["prefixItems"] = said["prefixItems"][: first[0]]
    return said


def _stays(branch: Any) -> bool:
    return branch is not False


def _of_other_types(said: Schema, kind: str, about: tuple[str, ...]) -> Any:
    """Return the schema for values of other types than the cut one; ``False`` if there are none."""
    left = [each for each in as_list(said.get("type", kind)) if each != kind]
    rest = {key: each for key, each in said.items() if key not in about}
    return {**rest, "type": left[0] if len(left) == 1 else left} if left else False


_SAYS_TYPE = frozenset({"type", "anyOf", "enum", "const", "$ref"})
"""Keywords of which a place needs one to define its values."""

_OF_OBJECTS = frozenset({"properties", "additionalProperties"})
"""Keywords of which an object has one as soon as it is said."""

_NO_OBJECTS = ("anyOf", "oneOf", "allOf", "enum", "const", "not")
"""Keywords of a root that is not a plain object."""


def convert(
    schema: Schema, dialect: Dialect, depth: int = DEPTH
) -> tuple[Schema, tuple[Loss, ...]]:
    """Return a schema in a dialect, and the fate of unsupported keywords.

    The schema is usable only if none of them was refused.

    :param depth: the maximum expansion of recursion, if the dialect has none; less if there would be too many parts.
    """
    check_depth(depth)
    root, patterns = in_ecma(with_types(unrolled(schema)))
    converted, losses = _converted(root, dialect, depth)
    is_cut = any((each.pointer, each.keyword) == ("", "type") for each in losses)
    is_refused = any(map(_is_of_root, losses)) or (is_cut and refers_to_itself(root))
    if dialect.object_root and is_refused:
        wrapped, inside = _converted(with_wrapped_root(root), dialect, depth)
        if not any(each.outcome == "refused" for each in inside):
            at = f"/properties/{WRAPPED_ROOT}"
            why = f"the parameters of a tool are one object: what they are is its {WRAPPED_ROOT}"
            losses = [replace(each, pointer=each.pointer.removeprefix(at)) for each in inside]
            losses.insert(0, Loss("", "type", root.get("type"), "kept", why))
            converted = wrapped
    told: dict[_Key, Loss] = {}
    for each in (*losses, *patterns):
        _tell(told, each)
    return converted, from_the_top(told.values(), root)


def _is_of_root(loss: Loss) -> bool:
    """Tell whether a schema is refused for its root, not for a part of it."""
    return loss.outcome == "refused" and not loss.pointer


def _converted(root: Schema, dialect: Dialect, depth: int) -> tuple[Schema, list[Loss]]:
    """Return a normalized schema in a dialect, and its losses by place."""
    given, kinds = _as_object(root, dialect) if dialect.object_root else (root, [])
    if dialect.verdicts is None:
        conversion = Conversion(given, dialect)
        converted = conversion.run()
        losses = [*conversion.losses.values()]
    else:
        out = written_out(given, dialect, depth)
        form = NormalForm(out.schema, dialect)
        conversion = Conversion(form.schema, dialect, form.losses)
        converted = conversion.run()
        if out.losses and depth > 1 and conversion.is_too_large():
            return _converted(root, dialect, depth - 1)
        found = (each for loss in conversion.losses.values() for each in form.as_given(loss))
        losses = [*out.losses, *map(out.as_given, found)]
    return converted, [*losses, *kinds]


_RANK: tuple[Outcome, ...] = ("refused", "described", "dropped", "kept")

_Key: TypeAlias = tuple[str, str, bool]
"""A place, a keyword, and whether the keyword is absent: an optional property has no ``required``."""


def _tell(told: dict[_Key, Loss], loss: Loss) -> None:
    """Add a loss to an account; of several for one keyword the worst is kept."""
    key = (loss.pointer, loss.keyword, loss.value is False)
    known = told.get(key)
    if known is None or _RANK.index(loss.outcome) < _RANK.index(known.outcome):
        told[key] = loss


def _as_object(root: Schema, dialect: Dialect) -> tuple[Schema, list[Loss]]:
    """Return a root with the type of an object, if it allows one, as a tool's arguments must be."""
    given = root.get("type")
    if given == "object" or "object" not in as_list(given or "object") or root.keys() & VALUES:
        return root, []
    object_ = {**root, "type": "object"}
    losses = NormalForm(object_, dialect).losses
    if any(map(_is_of_root, losses)):
        return root, []
    why = "the arguments of a tool are one object; no other value is taken"
    return object_, [Loss("", "type", given, "dropped", why)]


class Conversion:
    """The conversion of a schema to a dialect. ``losses`` has each loss once."""

    def __init__(self, root: Schema, dialect: Dialect, losses: Iterable[Loss] = ()) -> None:
        self.root = root
        self.dialect = dialect
        self.losses: dict[_Key, Loss] = {}
        for each in losses:
            _tell(self.losses, each)
        self.recursive = (
            frozenset[str]()
            if dialect.recursion and dialect.required_recursion
            else recursive(root, required=dialect.recursion)
        )
        self.inlined: list[str] = []
        self._referred: list[str] = []
        self._parts = 0

    def run(self) -> Schema:
        """Return the whole schema in the dialect."""
        if self.dialect.verdicts is None:
            converted: Schema = ordered(self._plain_root())
        else:
            body = {key: each for key, each in self.root.items() if key != "$defs"}
            converted = self.schema(body, "")
            defs = self._definitions()
            converted = {**({"$defs": defs} if defs else {}), **converted}
        if not (self.dialect.empty_objects or converted.get("properties")):
            converted.pop("properties", None)
        if self.dialect.object_root:
            self._check_root(converted)
        self._check_names(converted)
        for what, count, limit in excesses([converted], self.dialect.limits):
            self.lose("", what, count, "refused", f"{self.dialect.name} takes {limit}")
        return converted

    def _plain_root(self) -> Schema:
        """Return the root, with disallowed conditions as descriptions."""
        node = SchemaNode("", {}, dict(self.root))
        if self.dialect.object_root and not self.dialect.root_unions:
            for keyword in ("not", "allOf", "anyOf", "oneOf"):
                if keyword in self.root and (
                    keyword == "not" or are_conditions(self.root[keyword])
                ):
                    self.note(node, keyword, node.said.pop(keyword))
        text = described(node.said.get("description", ""), node.notes)
        return {**node.said, **({"description": text} if text else {})}

    def schema(self, schema: Any, pointer: str) -> Schema:
        """Return one part in the dialect."""
        return alone(self, self.node(schema, pointer).finished(), pointer)

    def node(self, schema: Any, pointer: str) -> SchemaNode:
        """Return one part in the dialect, with its notes still separate."""
        self._parts += 1
        limit = self.dialect.limits.parts
        node = SchemaNode(pointer, dict(schema) if is_object(schema) else {})
        if schema is False:
            self.lose(pointer, "type", schema, "refused", "no value is valid here; take it out")
        if limit is not None and self._parts > limit:
            why = f"{self.dialect.name} has no references; written out, it has over {limit:,} parts"
            self.lose("", "$ref", None, "refused", why)
            return node
        for keyword, step in STEPS.items():
            if keyword in node.rest:
                step(self, node)
        if node.said.get("type") == "object" and node.said.keys().isdisjoint(_OF_OBJECTS):
            say_object(self, node)
        is_tuple = "prefixItems" in node.rest
        if node.said.get("type") == "array" and "items" not in node.said and not is_tuple:
            # a schema without items may have any keywords about them
            none = node.rest.get("maxItems") == 0
            node.rest.setdefault("items", {"type": "null"} if none else {})
        for keyword, value in node.rest.items():
            self._say(node, keyword, value)
        if not (node.said.keys() & _SAYS_TYPE or self._refused(pointer)):
            if self.dialect.any_values:
                node.said["type"] = [*TYPES_OF_ANY]
                why = "any value is written as one of all types"
                self.lose(pointer, "type", schema, "kept", why)
            elif pointer:
                say_any(self, node, schema)
            else:
                self.lose(pointer, "type", schema, "refused", reason(self.dialect, "type"))
        return node

    def note(self, node: SchemaNode, keyword: str, value: Any) -> None:
        """Write a keyword in the description."""
        self.describe(node, keyword, value, phrase(keyword, value))

    def describe(self, node: SchemaNode, keyword: str, value: Any, text: str) -> None:
        """Write a keyword in the description, with a given text."""
        node.notes.append(text)
        self.lose(node.pointer, keyword, value, "described", reason(self.dialect, keyword))

    def allow_null(self, node: SchemaNode, keyword: str, given: Any) -> None:
        """Allow null, in the form of a keyword with the value ``given``."""
        node.said["nullable"] = True
        self.lose(node.pointer, keyword, given, "kept", "null is written as nullable")

    def lose(self, pointer: str, keyword: str, value: Any, outcome: Outcome, why: str) -> None:
        """Add a loss to the account."""
        _tell(self.losses, Loss(pointer, keyword, value, outcome, why))

    def _refused(self, pointer: str) -> set[str]:
        """Return the keywords at this place that are already refused."""
        at_place = (each for each in self.losses.values() if each.pointer == pointer)
        return {each.keyword for each in at_place if each.outcome == "refused"}

    def is_too_large(self) -> bool:
        """Tell whether it is refused for its number of parts after expanding references."""
        return "$ref" in self._refused("")

    def refer(self, ref: str) -> None:
        """Record that a definition is needed."""
        if ref.startswith(DEFS) and ref not in self._referred:
            self._referred.append(ref)

    def _say(self, node: SchemaNode, keyword: str, value: Any) -> None:
        verdict = self.dialect.verdict(keyword)
        kinds = bases(as_list(node.said.get("type", [])))
        if verdict is KeywordVerdict.KEEP and (
            not self.dialect.takes(keyword, value)
            or (keyword in TYPE_OF and not kinds)
            or (TYPE_OF.get(keyword) == "number" and not self._takes_bounds(node))
        ):
            verdict = KeywordVerdict.DESCRIBE
        match verdict:
            case _ if keyword in TYPE_OF and kinds and TYPE_OF[keyword] not in kinds:
                why = f"it says nothing about a value of type {' or '.join(sorted(kinds))}"
                self.lose(node.pointer, keyword, value, "dropped", why)
            case KeywordVerdict.DESCRIBE if keyword == "default" and _says_nothing(
                value, node.said
            ):
                why = "leaving it out means the same as the only value, or as null"
                self.lose(node.pointer, keyword, value, "dropped", why)
            case KeywordVerdict.DESCRIBE:
                self.note(node, keyword, value)
            case KeywordVerdict.DROP | KeywordVerdict.REWRITE:  # which no step could
                outcome: Outcome = "dropped" if verdict is KeywordVerdict.DROP else "refused"
                self.lose(node.pointer, keyword, value, outcome, reason(self.dialect, keyword))
            case _:
                node.said[keyword] = self._inside(keyword, value, f"{node.pointer}/{keyword}")

    def _takes_bounds(self, node: SchemaNode) -> bool:
        return self.dialect.number_bounds or node.said.get("type") == "integer"

    def _inside(self, keyword: str, value: Any, pointer: str) -> Any:
        if keyword in LISTED and is_list(value):
            return [self.schema(each, f"{pointer}/{place}") for place, each in enumerate(value)]
        return self.schema(value, pointer) if keyword in NESTED else value

    def _definitions(self) -> Schema:
        """Return the used definitions, in the original order."""
        converted: Schema = {}
        for ref in self._referred:  # it grows on the way
            name = unescape(ref.removeprefix(DEFS))
            converted[name] = self.schema(self.root["$defs"][name], f"/$defs/{escape(name)}")
        return {name: converted[name] for name in self.root.get("$defs", {}) if name in converted}

    def _check_names(self, converted: Schema) -> None:
        allowed = self.dialect.property_names
        if allowed is None:
            return
        for pointer, each in everywhere(converted):
            for name in each.get("properties", ()):
                if not allowed.fullmatch(name):
                    why = (
                        f"{self.dialect.name} takes names of properties that match "
                        f"{allowed.pattern}; give the field an alias that does"
                    )
                    self.lose(
                        f"{pointer}/properties/{escape(name)}", "properties", name, "refused", why
                    )

    def _check_root(self, converted: Schema) -> None:
        said = converted.keys() | (self.root.keys() & VALUES)  # some of which are described
        union = next((keyword for keyword in _NO_OBJECTS if keyword in said), None)
        if union is not None and not self.dialect.root_unions:
            self.lose("", union, self.root.get(union), "refused", reason(self.dialect, "root"))
        elif converted.get("type") != "object":
            self.lose("", "type", converted.get("type"), "refused", reason(self.dialect, "root"))


def _says_nothing(default: Any, said: Schema) -> bool:
    """Tell whether a default is null, or the only possible value."""
    return default is None or [default] in ([said.get("const")], said.get("enum"))


# A call's arguments, read back from a dialect's substitutes: nulls for omissions, entries for dictionaries.
#
# If every property is required, a model writes null for omitted ones; the component has a default, and may not allow
# null at all. Without dictionaries, it writes a list of entries; without untyped values, JSON text; and an object for
# other arguments. The schema alone identifies these, whatever the dialect of the call.

ADVICE = "they come first, then the model"

MAX_LEVELS = 300
"""The depth to which arguments are searched; deeper values stay unchanged."""

Path: TypeAlias = tuple[str | int, ...]
"""The place of a value in the arguments."""


class ReadBackError(SchemaError):
    """Invalid substitutes of a dialect: a duplicate key of entries, or a text that is not JSON."""

    def __init__(self, message: str, at: Path) -> None:
        super().__init__(message, path="".join(f"/{escape(str(part))}" for part in at))
        self.at = at


@resolving(write="write from_dialect(arguments, Orders), of the model, for any dialect")
def from_dialect(arguments: Any, model: Model | Schema) -> Any:
    """Return a call's arguments for the model, from those of any dialect.

    A null is removed if the property is optional and cannot be null itself. A list of entries with only ``key`` and
    ``value`` becomes a dictionary if one is allowed and a list is not; so does ``{"as_entries": […]}`` if a list is
    also allowed. ``{"as_json": "…"}`` becomes the value of its text if any value is allowed, and ``{"root": …}`` the
    value itself if the arguments are not an object with members. Everything else stays, including invalid values:
    validation follows.

    :param arguments: a model's arguments, an object of JSON data; not modified.
    :param model: the called component or model, or its schema in the dialect json-schema.
    :raises SchemaError: for arguments that are not an object if the model needs one, including JSON text; for an
        invalid model; and, with the JSON pointer in the arguments, for a duplicate key of entries and a value's text
        that is not JSON.

    >>> from ujsx.elements import CodeBlock, List
    >>> from_dialect({"ordered": True, "start": None}, List)
    {'ordered': True}
    >>> from_dialect({"value": "x", "lang": None}, CodeBlock)
    {'value': 'x', 'lang': None}
    >>> labels = {"properties": {"labels": {"type": "object", "additionalProperties": {"type": "string"}}}}
    >>> from_dialect({"labels": [{"key": "tier", "value": "web"}]}, labels)
    {'labels': {'tier': 'web'}}
    """
    schema = as_schema(model)
    if not is_object(arguments) and _takes_objects_alone(schema):
        advice = "json.loads them first" if isinstance(arguments, str | bytes) else ADVICE
        raise SchemaError(f"the arguments are an object, not {shown(arguments)}; {advice}")
    return ReadBack(schema).read(arguments)


def _takes_objects_alone(schema: Schema) -> bool:
    return all(each.get("type", "object") == "object" for each in forms(schema, schema))


class ReadBack:
    """The reading back of arguments, by the schema in the dialect json-schema.

    :param nulls: whether to also remove nulls that mean an omitted property.
    """

    def __init__(self, schema: Schema, *, nulls: bool = True) -> None:
        self._root = schema
        self._nulls = nulls
        self.entries: list[Path] = []
        """The places where lists of entries became dictionaries, and substitutes were replaced."""

    def read(self, arguments: Any) -> Any:
        """Return arguments in the schema's form.

        :raises ReadBackError: for a duplicate key of entries, and a value's text that is not JSON.
        """
        if is_object(arguments) and arguments.keys() == {WRAPPED_ROOT}:
            given, at = arguments[WRAPPED_ROOT], (WRAPPED_ROOT,)
            if not (_takes_objects_alone(self._root) and self._is_member(given)):
                self.entries.append(at)
                return self._read(given, self._root, at)
        return self._read(arguments, self._root, ())

    def _is_member(self, given: Any) -> bool:
        """Tell whether ``root`` is the model's own member, not the wrapper of arguments other than objects."""
        for form in forms(self._root, self._root):
            if WRAPPED_ROOT in form.get("properties", {}) or takes_any(form):
                return True
            if is_dictionary(form):
                held = forms(member_of(form, WRAPPED_ROOT), self._root)
                if any(self._may_be(given, each) for each in held):
                    return True
        return False

    def _may_be(self, given: Any, form: Schema) -> bool:
        """Tell whether a schema without unions accepts a value, by its type; entries only if objects are allowed."""
        if is_list(given) and all(map(_is_entry, given)):
            items = forms(form.get("items"), self._root)
            return bool(given) and any("object" in as_list(each.get("type")) for each in items)
        if is_object(given) and given.keys() <= {WRAPPED_ENTRIES}:
            return False
        return takes_any(form) or not {*types_of(given)}.isdisjoint(as_list(form.get("type")))

    def _read(self, value: Any, schema: Any, at: Path) -> Any:
        if len(at) > MAX_LEVELS:
            return value
        if is_list(value):
            found = self._dictionaries(value, schema)
            if found:
                return self._of_entries(value, self._fitting(value, found), at)
            schema = self._branch(value, schema)
            return [
                self._read(each, item_of(schema, place), (*at, place))
                for place, each in enumerate(value)
            ]
        if not is_object(value):
            return value
        if len(value) == 1:
            wrapped = self._wrapped(value, schema, at)
            if wrapped is not _NOT_WRAPPED:
                return wrapped
        schema = self._branch(value, schema)
        gone = self._gone(value, schema) if self._nulls else frozenset[str]()
        return {
            name: self._read(each, member_of(schema, name), (*at, name))
            for name, each in value.items()
            if name not in gone
        }

    def _wrapped(self, value: Schema, schema: Any, at: Path) -> Any:
        """Return the value in a wrapper object with one member, if it is one."""
        [(member, given)] = value.items()
        inside = (*at, member)
        kinds = [*forms(schema, self._root)]
        is_any = any(map(takes_any, kinds)) if is_object(schema) else schema is not False
        if member == WRAPPED_JSON and isinstance(given, str) and is_any:
            self.entries.append(at)
            return _of_json(given, inside)
        found = [each for each in kinds if is_dictionary(each)]
        if (
            member == WRAPPED_ENTRIES
            and is_list(given)
            and found
            and all(map(_is_entry, given))
            and any(map(takes_lists, kinds))
        ):
            return self._of_entries(given, self._fitting(given, found), inside)
        return _NOT_WRAPPED

    def _fitting(self, value: Sequence[Any], found: Sequence[Schema]) -> Schema:
        """Return the dictionary's schema for entries: of several, the first that their values fit."""
        fitting = (
            each
            for each in found
            if all(self._fits(one[VALUE], member_of(each, str(one[KEY]))) for one in value)
        )
        return found[0] if len(found) == 1 else next(fitting, found[0])

    def _dictionaries(self, value: Sequence[Any], schema: Any) -> list[Schema]:
        """Return the possible dictionaries for a list; none if a list is allowed itself."""
        if not all(map(_is_entry, value)):
            return []
        kinds = [*forms(schema, self._root)]
        found = [each for each in kinds if is_dictionary(each)]
        return [] if any(map(takes_lists, kinds)) else found

    def _of_entries(self, entries: Sequence[Any], schema: Schema, at: Path) -> Any:
        self.entries.append(at)
        made: Schema = {}
        for place, each in enumerate(entries):
            key = str(each[KEY])
            if key in made:
                raise ReadBackError(
                    f"the key {quoted(key)} is repeated; send each key once", (*at, place, KEY)
                )
            made[key] = self._read(each[VALUE], member_of(schema, key), (*at, place, VALUE))
        return made

    def _gone(self, value: Any, schema: Schema) -> frozenset[str]:
        """Return the properties of an object whose null means omitted."""
        if not is_object(value):
            return frozenset()
        properties: Schema = schema.get("properties", {})
        return frozenset(
            name
            for name, each in value.items()
            if each is None
            and name in properties
            and name not in schema.get("required", ())
            and not accepts_null(properties[name], self._root)
        )

    def _branch(self, value: Any, schema: Any) -> Schema:
        """Return the part of ``schema`` for ``value``: references resolved, and the matching branch."""
        seen: set[str] = set()
        while is_object(schema):
            ref = schema.get("$ref")
            if isinstance(ref, str) and ref not in seen:
                seen.add(ref)
                schema = target(self._root, ref)
                continue
            branches = schema.get("anyOf") or schema.get("oneOf")
            if not branches:
                return schema
            fitting = [each for each in branches if self._fits(value, each)]
            whole = (each for each in fitting if not self._gone(value, self._branch(value, each)))
            schema = next(whole, fitting[0] if fitting else None)
        return {}

    def _fits(self, value: Any, schema: Any) -> bool:
        """Tell whether ``value`` matches a branch, by its type, names and constants.

        A null that means omitted is compatible with any constant.
        """
        if is_list(value) and self._dictionaries(value, schema):
            return True
        schema = self._branch(value, schema)
        kind = "array" if is_list(value) else "object"
        if schema.get("type", kind) != kind or not schema:
            return False
        if not is_object(value):
            return True
        properties: Schema = schema.get("properties", {})
        is_closed = schema.get("additionalProperties") is False
        said = value.keys() - self._gone(value, schema)
        return (not is_closed or value.keys() <= properties.keys()) and all(
            value[name] in each.get("enum", [each.get("const", value[name])])
            for name, each in properties.items()
            if name in said and is_object(each)
        )


_NOT_WRAPPED = object()


def _of_json(text: str, at: Path) -> Any:
    """Return the value of a JSON text, in strict JSON without other numbers."""
    try:
        return json.loads(text, parse_constant=_refused)
    except RecursionError:
        raise ReadBackError("this JSON is nested too deep; send less", at) from None
    except ValueError as error:
        raise ReadBackError(f"this is not JSON: {error}; send JSON text", at) from None


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _is_entry(value: Any) -> bool:
    if not is_object(value) or value.keys() != {KEY, VALUE}:
        return False
    key = value[KEY]
    return isinstance(key, str | int) and not isinstance(key, bool)


def item_of(schema: Schema, place: int) -> Any:
    """Return the schema of the item of a list at a place."""
    first: list[Any] = schema.get("prefixItems", [])
    return first[place] if place < len(first) else schema.get("items")


def member_of(schema: Schema, name: str) -> Any:
    """Return the schema of an object's member: its own, or that of additional members."""
    properties: Schema = schema.get("properties", {})
    if name in properties:
        return properties[name]
    patterns: Schema = schema.get("patternProperties", {})
    return next(iter(patterns.values()), schema.get("additionalProperties"))
