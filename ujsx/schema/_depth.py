"""Recursion written out to a depth, for the dialects that have none.

Each definition that leads back to itself is copied once for each level; at the last one, the reference that
would go deeper is cut: a branch of a union, the items of a list or an optional property goes, and what cannot
do without it goes as well. Copies are linear in the depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ujsx.errors import SchemaError
from ujsx.schema._dialects import Dialect
from ujsx.schema._keywords import DEFS, Schema, as_list, escape, is_list, is_object, unescape
from ujsx.schema._loss import Loss
from ujsx.schema._refs import edges_of, pruned, reached, recursive, target

DEPTH = 3
"""How many recursive models stand inside each other below the first one, where a dialect has no recursion."""

MAX_DEPTH = 50
"""The largest depth that is taken; no provider takes as many objects inside each other."""

_NAMED = ("properties", "patternProperties")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_NESTED = ("items", "additionalProperties")


def check_depth(depth: int) -> None:
    """Refuse a depth that no schema is written out to.

    :raises SchemaError: for a depth that is not between 1 and 50.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise SchemaError(f"depth is 1 to {MAX_DEPTH}, not {depth}")


def written_out(root: Schema, dialect: Dialect, depth: int) -> WrittenOut:
    """Return a schema without the recursion that a dialect does not have.

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
    """A schema without recursion, what was cut, and the definitions that its copies are of."""

    schema: Schema
    losses: tuple[Loss, ...]
    origins: Mapping[str, str]
    """By the name of a copy, the pointer of what it is a copy of."""

    def as_given(self, loss: Loss) -> Loss:
        """Return a loss at the place in the schema that was given."""
        _, _, rest = loss.pointer.partition("/$defs/")
        name, slash, inside = rest.partition("/")
        origin = self.origins.get(unescape(name)) if loss.pointer.startswith("/$defs/") else None
        return loss if origin is None else replace(loss, pointer=f"{origin}{slash}{inside}")


class _Copy(NamedTuple):
    """A definition at a level: how many heads of its recursion stand around it."""

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
        """Yield the definitions that lead to each other, behind those that they lead to."""
        together: dict[frozenset[str], list[str]] = {}
        for ref in self._order:
            kin = frozenset(each for each in self._refs if self._is_inside(each, ref))
            together[kin] = [*together.pop(kin, ()), ref]  # ordered by the last of each
        yield from together.values()

    def _is_inside(self, here: str, ref: str) -> bool:
        """Tell whether a reference stands in the recursion that it leads to."""
        return here in self._refs and here in self._reached[ref] and ref in self._reached[here]

    def _named(self, taken: Mapping[str, Any]) -> dict[_Copy, str]:
        """The names of all copies; the first of a definition keeps its own."""
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
        for keyword, value in schema.items():
            inside = f"{at}/{keyword}"
            if keyword in _NAMED and is_object(value):
                said[keyword] = {
                    name: self._at_level(each, f"{inside}/{escape(name)}", here)
                    for name, each in value.items()
                }
            elif keyword in _LISTED and is_list(value):
                said[keyword] = [
                    self._at_level(each, f"{inside}/{place}", here)
                    for place, each in enumerate(value)
                ]
            elif keyword in _NESTED:
                said[keyword] = self._at_level(value, inside, here)
        return _without_cuts(schema, said)

    def _entered(self, ref: str, here: _Copy) -> _Copy:
        if not self._is_inside(here.ref, ref):
            return _Copy(ref, 0)
        return _Copy(ref, here.level + (ref in self._heads))


def _walked(edges: Mapping[str, Mapping[str, None]]) -> tuple[list[str], frozenset[str]]:
    """Return references in the order in which a walk in depth leaves them, and those that it comes back to.

    Each cycle has one that it comes back to: its head.
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
    """Return a part without what was cut in it; ``False`` where no value is left.

    A branch stays as ``False``: so the others keep their places.
    """

    def cut(keyword: str) -> list[Any]:
        """The names, or places, of what was cut under a keyword."""
        before, after = given.get(keyword), said.get(keyword)
        if is_object(before) and keyword in _NAMED:
            return [name for name in before if said[keyword][name] is False is not before[name]]
        pairs = enumerate(zip(as_list(before), as_list(after), strict=True))
        return [place for place, (one, other) in pairs if other is False is not one]

    if cut("allOf") or any(said.get(each) and not any(map(_stays, said[each])) for each in _UNIONS):
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


_UNIONS = ("anyOf", "oneOf")


def _stays(branch: Any) -> bool:
    return branch is not False


def _of_other_types(said: Schema, kind: str, about: tuple[str, ...]) -> Any:
    """Return what is said of values of other types than the one that is cut; ``False`` if there are none."""
    left = [each for each in as_list(said.get("type", kind)) if each != kind]
    rest = {key: each for key, each in said.items() if key not in about}
    return {**rest, "type": left[0] if len(left) == 1 else left} if left else False
