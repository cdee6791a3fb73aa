"""Values for any schema of Pydantic's: what a prop takes, constraints included.

The core schema of a model says all that its validator checks, but for what functions check. What a
function refuses, the model does, and Hypothesis looks for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from hypothesis import strategies as st
from pydantic_core import to_json

from ujsx.errors import StrategyError
from ujsx.testing.strategies._leaves import LEAVES, Schema

MAX_ITEMS = 4
"""How many items a collection has at most, beyond those that it must have."""

MAX_NESTING = 3
"""How many models of a kind lie in each other, the outermost included."""

Values: TypeAlias = st.SearchStrategy[Any]

_ADVICE = "give the prop values of your own: components(Kind, prop=strategy)"

_REFUSED = object()


class ValuesOf:
    """Strategies for the parts of one schema, whose definitions and depth it keeps in mind.

    :param given: the caller's own strategies for the fields of a model, wherever it stands.
    """

    def __init__(self, given: Mapping[type[Any], Mapping[str, Values]]) -> None:
        self._given = given
        self._definitions: dict[str, Schema] = {}
        self._open: list[str] = []
        self._kept: dict[tuple[str, ...], Values] = {}

    def __call__(self, schema: Schema) -> Values:
        """Return values for ``schema``; none at all where it would nest too deep.

        :raises StrategyError: for a kind of schema that says nothing about its values.
        """
        kind = schema["type"]
        if kind in LEAVES:
            return LEAVES[kind](schema)
        if kind not in _KINDS:
            raise StrategyError(
                f"nothing is known about the values of a {kind!r} schema; {_ADVICE}"
            )
        return _KINDS[kind](self, schema)

    def model(self, schema: Schema) -> Values:
        """Instances of a model, a component among them."""
        cls, inner = schema["cls"], schema["schema"]
        while inner["type"] in _TRANSPARENT:
            inner = inner["schema"]
        if schema.get("root_model"):
            return self(inner).map(_maker(cls.model_validate)).filter(_is_made)
        return self._made(cls, inner["fields"].items())

    def dataclass(self, schema: Schema) -> Values:
        """Instances of a dataclass or a named tuple, which are validated where they are used."""
        cls, inner = schema["cls"], schema
        while "fields" not in inner or isinstance(inner["fields"][0], str):
            inner = inner["schema"]
        fields = ((field["name"], field) for field in inner["fields"] if field.get("init", True))
        return self._made(cls, fields)

    def call(self, schema: Schema) -> Values:
        """The value that a callable makes of its arguments: a named tuple, in older versions of Pydantic."""
        arguments = schema["arguments_schema"]["arguments_schema"]
        return self._made(schema["function"], ((each["name"], each) for each in arguments))

    def _made(self, cls: type[Any], fields: Iterable[tuple[str, Schema]]) -> Values:
        """What the class makes of values for its fields, unless it refuses them."""
        given = self._given.get(cls, {})
        required: dict[str, Values] = {}
        optional: dict[str, Values] = {}
        for name, field in fields:
            key = _first_name(field.get("validation_alias", name))
            if name in given:
                required[key] = given[name]
                continue
            try:
                values = self(field["schema"])
            except StrategyError as error:
                error.within(f"{cls.__name__}.{name}")
                raise
            (optional if field["schema"]["type"] == "default" else required)[key] = values
        props = st.fixed_dictionaries(required, optional=optional)
        return props.map(_maker(lambda values: cls(**values))).filter(_is_made)

    def definitions(self, schema: Schema) -> Values:
        """Values of a schema with parts that are referred to by name."""
        self._definitions |= {each["ref"]: each for each in schema["definitions"]}
        return self(schema["schema"])

    def reference(self, schema: Schema) -> Values:
        """Values of a part with a name, which may lead to itself."""
        name = schema["schema_ref"]
        if self._open.count(name) >= MAX_NESTING:
            return st.nothing()
        key = (name, *sorted(self._open))
        if key not in self._kept:
            self._open.append(name)
            try:
                self._kept[key] = self(self._definitions[name])
            finally:
                self._open.pop()
        return self._kept[key]

    def sequence(self, schema: Schema) -> Values:
        """Tuples, of an item each or of any number of one."""
        items = [self(item) for item in schema["items_schema"]]
        if schema.get("variadic_item_index") is None:
            return st.tuples(*items)
        return self._many(st.lists, schema, items[0]).map(tuple)

    def _many(self, make: Callable[..., Values], schema: Schema, *parts: Values) -> Values:
        """As many items as the schema allows: fewer, the deeper they lie in themselves."""
        least, most = schema.get("min_length", 0), schema.get("max_length")
        usual = least + (MAX_ITEMS >> len(self._open) or 1)
        if any(part.is_empty for part in parts):
            return st.nothing() if least else make(*parts, max_size=0)
        return make(*parts, min_size=least, max_size=usual if most is None else min(most, usual))

    def collection(self, schema: Schema) -> Values:
        """Frozen sets."""
        return self._many(st.frozensets, schema, self(schema.get("items_schema", _ANY)))

    def mapping(self, schema: Schema) -> Values:
        """Dictionaries, of which frozen mappings are made."""
        keys, values = schema.get("keys_schema", _ANY), schema.get("values_schema", _ANY)
        return self._many(st.dictionaries, schema, self(keys), self(values))

    def choice(self, schema: Schema) -> Values:
        """Values of any member of a union."""
        choices: Any = schema["choices"]
        members: list[Any] = list(choices.values() if schema["type"] == "tagged-union" else choices)
        return st.one_of([self(each if "type" in each else each[0]) for each in members])

    def plain(self, schema: Schema) -> Values:
        """Values of a validator that says what it takes."""
        known = schema.get("json_schema_input_schema")
        if known is None or known["type"] == "any":
            raise StrategyError(f"its validator function does not say what it takes; {_ADVICE}")
        return self(known)

    def lax(self, schema: Schema) -> Values:
        """Values that a lax validator takes, or if it does not say which, a strict one."""
        try:
            return self(schema["lax_schema"])
        except StrategyError:
            return self(schema["strict_schema"])


def _first_name(alias: Any) -> str:
    """The name under which a value is given: the alias, or the first of a choice of paths."""
    return alias if isinstance(alias, str) else _first_name(alias[0])


def _maker(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def made(values: Any) -> Any:
        try:
            return make(values)
        except ValueError:  # Pydantic's ValidationError and our PropError
            return _REFUSED

    return made


def _is_made(value: Any) -> bool:
    return value is not _REFUSED


_ANY: Schema = {"type": "any"}

_TRANSPARENT = frozenset({"function-after", "function-before", "function-wrap", "default"})
"""Kinds whose values are those of their inner schema, as far as can be known."""

_KINDS: dict[str, Callable[[ValuesOf, Schema], Values]] = {
    **{kind: lambda of, schema: of(schema["schema"]) for kind in _TRANSPARENT | {"custom-error"}},
    "call": ValuesOf.call,
    "chain": lambda of, schema: of(schema["steps"][0]),
    "dataclass": ValuesOf.dataclass,
    "definition-ref": ValuesOf.reference,
    "definitions": ValuesOf.definitions,
    "dict": ValuesOf.mapping,
    "frozenset": ValuesOf.collection,
    "function-plain": ValuesOf.plain,
    "json": lambda of, schema: of(schema.get("schema", _ANY)).map(to_json),
    "json-or-python": lambda of, schema: of(schema["python_schema"]),
    "lax-or-strict": ValuesOf.lax,
    "model": ValuesOf.model,
    "named-tuple": ValuesOf.dataclass,
    "nullable": lambda of, schema: st.none() | of(schema["schema"]),
    "tagged-union": ValuesOf.choice,
    "tuple": ValuesOf.sequence,
    "union": ValuesOf.choice,
}
