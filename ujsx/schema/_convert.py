"""From JSON Schema to a dialect, with an account of every keyword that does not come along.

The way goes down the schema once. At each place the steps of :mod:`ujsx.schema._rewrites` say in the
dialect's words what they can; the table of verdicts decides on what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from ujsx.schema._depth import DEPTH, check_depth, written_out
from ujsx.schema._dialects import Dialect
from ujsx.schema._keywords import (
    DEFS,
    LISTED,
    NESTED,
    TYPE_OF,
    VALUES,
    Schema,
    as_list,
    bases,
    escape,
    everywhere,
    is_list,
    is_object,
    ordered,
    unescape,
)
from ujsx.schema._limits import excesses
from ujsx.schema._listed import with_types
from ujsx.schema._loss import Loss, Outcome, from_the_top, reason
from ujsx.schema._node import Node, described, phrase
from ujsx.schema._normal_form import TYPES_OF_ANY, NormalForm, are_conditions
from ujsx.schema._objects import say_object
from ujsx.schema._patterns import in_ecma
from ujsx.schema._refs import recursive, unrolled
from ujsx.schema._rewrites import STEPS
from ujsx.schema._unions import alone
from ujsx.schema._verdicts import Verdict

_SAYS_TYPE = frozenset({"type", "anyOf", "enum", "const", "$ref"})
"""Keywords of which a place needs one, to say what its value may be."""

_OF_OBJECTS = frozenset({"properties", "additionalProperties"})
"""Keywords of which an object has one as soon as it is said."""

_NO_OBJECTS = ("anyOf", "oneOf", "allOf", "enum", "const", "not")
"""Keywords by which a root is more, or less, than a plain object."""


def convert(
    schema: Schema, dialect: Dialect, depth: int = DEPTH
) -> tuple[Schema, tuple[Loss, ...]]:
    """Return a schema in a dialect, and what became of the keywords that it does not take.

    The schema is of use only if nothing among them was refused.

    :param depth: how deep recursion is written out at most where the dialect has none; less, where it would have
        too many parts.
    """
    check_depth(depth)
    root, patterns = in_ecma(with_types(unrolled(schema)))
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
            return convert(schema, dialect, depth - 1)
        found = (each for loss in conversion.losses.values() for each in form.as_given(loss))
        losses = [*out.losses, *map(out.as_given, found)]
    told: dict[_Key, Loss] = {}
    for each in (*losses, *kinds, *patterns):
        _tell(told, each)
    return converted, from_the_top(told.values(), root)


_RANK: tuple[Outcome, ...] = ("refused", "described", "dropped", "kept")

_Key: TypeAlias = tuple[str, str, bool]
"""A place, a keyword, and whether it is one that is not there: what may be left out has no ``required``."""


def _tell(told: dict[_Key, Loss], loss: Loss) -> None:
    """Put a loss on an account; of several of one keyword the worst stays."""
    key = (loss.pointer, loss.keyword, loss.value is False)
    known = told.get(key)
    if known is None or _RANK.index(loss.outcome) < _RANK.index(known.outcome):
        told[key] = loss


def _as_object(root: Schema, dialect: Dialect) -> tuple[Schema, list[Loss]]:
    """Return a root with the type of an object, if it takes any: the arguments of a tool are one."""
    given = root.get("type")
    if given == "object" or "object" not in as_list(given or "object") or root.keys() & VALUES:
        return root, []
    object_ = {**root, "type": "object"}
    losses = NormalForm(object_, dialect).losses
    if any(loss.outcome == "refused" and not loss.pointer for loss in losses):
        return root, []
    why = "the arguments of a tool are one object; no other value is taken"
    return object_, [Loss("", "type", given, "dropped", why)]


class Conversion:
    """A schema on its way into a dialect. ``losses`` has each loss once."""

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
        """Return the root as it stands, with the conditions in words that may not stand there."""
        node = Node("", {}, dict(self.root))
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

    def node(self, schema: Any, pointer: str) -> Node:
        """Return one part in the dialect, with its notes still apart."""
        self._parts += 1
        limit = self.dialect.limits.parts
        node = Node(pointer, dict(schema) if is_object(schema) else {})
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
            none = node.rest.get("maxItems") == 0  # what has no items may say anything of them
            node.rest.setdefault("items", {"type": "null"} if none else {})
        for keyword, value in node.rest.items():
            self._say(node, keyword, value)
        if not (node.said.keys() & _SAYS_TYPE or self._is_refused(pointer)):
            if self.dialect.any_values:
                node.said["type"] = [*TYPES_OF_ANY]
                self.lose(
                    pointer, "type", schema, "kept", "any value is written as one of all types"
                )
            else:
                self.lose(pointer, "type", schema, "refused", reason(self.dialect, "type"))
        return node

    def note(self, node: Node, keyword: str, value: Any) -> None:
        """Say a keyword in the description."""
        self.describe(node, keyword, value, phrase(keyword, value))

    def describe(self, node: Node, keyword: str, value: Any, text: str) -> None:
        """Say a keyword in the description, in words given."""
        node.notes.append(text)
        self.lose(node.pointer, keyword, value, "described", reason(self.dialect, keyword))

    def allow_null(self, node: Node, keyword: str, given: Any) -> None:
        """Say that null is allowed, as a keyword with the value ``given`` says it."""
        node.said["nullable"] = True
        self.lose(node.pointer, keyword, given, "kept", "null is written as nullable")

    def lose(self, pointer: str, keyword: str, value: Any, outcome: Outcome, why: str) -> None:
        """Put a loss on the account."""
        _tell(self.losses, Loss(pointer, keyword, value, outcome, why))

    def _is_refused(self, pointer: str) -> bool:
        """Tell whether something at this very place is refused already."""
        return any(
            loss.pointer == pointer and loss.outcome == "refused" for loss in self.losses.values()
        )

    def is_too_large(self) -> bool:
        """Tell whether it is refused for the number of its parts, once references are written out."""
        return any(
            (loss.pointer, loss.keyword, loss.outcome) == ("", "$ref", "refused")
            for loss in self.losses.values()
        )

    def refer(self, ref: str) -> None:
        """Remember that a definition is needed."""
        if ref.startswith(DEFS) and ref not in self._referred:
            self._referred.append(ref)

    def _say(self, node: Node, keyword: str, value: Any) -> None:
        verdict = self.dialect.verdict(keyword)
        kinds = bases(as_list(node.said.get("type", [])))
        if verdict is Verdict.KEEP and (
            not self.dialect.takes(keyword, value)
            or (keyword in TYPE_OF and not kinds)
            or (TYPE_OF.get(keyword) == "number" and not self._takes_bounds(node))
        ):
            verdict = Verdict.DESCRIBE
        match verdict:
            case _ if keyword in TYPE_OF and kinds and TYPE_OF[keyword] not in kinds:
                why = f"it says nothing about a value of type {' or '.join(sorted(kinds))}"
                self.lose(node.pointer, keyword, value, "dropped", why)
            case Verdict.DESCRIBE if keyword == "default" and _says_nothing(value, node.said):
                why = "leaving it out means the same as the only value, or as null"
                self.lose(node.pointer, keyword, value, "dropped", why)
            case Verdict.DESCRIBE:
                self.note(node, keyword, value)
            case Verdict.DROP | Verdict.REWRITE:  # which no step could
                outcome: Outcome = "dropped" if verdict is Verdict.DROP else "refused"
                self.lose(node.pointer, keyword, value, outcome, reason(self.dialect, keyword))
            case _:
                node.said[keyword] = self._inside(keyword, value, f"{node.pointer}/{keyword}")

    def _takes_bounds(self, node: Node) -> bool:
        return self.dialect.number_bounds or node.said.get("type") == "integer"

    def _inside(self, keyword: str, value: Any, pointer: str) -> Any:
        if keyword in LISTED and is_list(value):
            return [self.schema(each, f"{pointer}/{place}") for place, each in enumerate(value)]
        return self.schema(value, pointer) if keyword in NESTED else value

    def _definitions(self) -> Schema:
        """The definitions that are referred to, in the order in which they were given."""
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
    """Tell whether a default is null, or the only value there is."""
    return default is None or [default] in ([said.get("const")], said.get("enum"))
