"""A call's arguments, read back from the words of a dialect: nulls for what is left out, entries for dictionaries.

Where every property is required, a model writes null for what it would leave out; the component has a default for
it, and may not know null at all. Where there are no dictionaries, it writes a list of entries; where no value of any type
is taken, JSON text; and an object for arguments that are none. The schema alone says which is which, whatever dialect a
call came from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from ujsx.errors import SchemaError, quoted, shown
from ujsx.schema._generate import Model, as_schema
from ujsx.schema._keywords import (
    Schema,
    accepts_null,
    as_list,
    escape,
    is_list,
    is_object,
    target,
    types_of,
)
from ujsx.schema._rewrites import (
    KEY,
    VALUE,
    WRAPPED_ENTRIES,
    WRAPPED_JSON,
    WRAPPED_ROOT,
    forms,
    is_dictionary,
    takes_any,
    takes_lists,
)

ADVICE = "they come first, then the model"

MAX_LEVELS = 300
"""How deep arguments are searched; what is nested deeper stays as it is."""

Path: TypeAlias = tuple[str | int, ...]
"""Where a value stands in the arguments."""


class ReadBackError(SchemaError):
    """Words of a dialect that say nothing: a key that entries have twice, or a text that is not JSON."""

    def __init__(self, message: str, at: Path) -> None:
        super().__init__(message, path="".join(f"/{escape(str(part))}" for part in at))
        self.at = at


def from_dialect(arguments: Any, model: Model | Schema) -> Any:
    """Return a call's arguments as the model takes them, from those of any dialect.

    A null goes where the property may be left out and cannot be null itself. A list of entries, each with a ``key`` and
    a ``value`` alone, becomes a dictionary where one is taken and no list is; so does ``{"as_entries": […]}`` where a list
    is taken, too. ``{"as_json": "…"}`` becomes the value of the text where any value is taken, and ``{"root": …}`` the value
    itself where the arguments are no object with members of their own. All else stays, wrong values included: validation
    comes after this.

    :param arguments: what a model sent, an object of JSON data; it is not changed.
    :param model: the component or model that is called, or its schema in the dialect json-schema.
    :raises SchemaError: for arguments that are no object where the model takes one, JSON text among them, what is no model,
        and, with its JSON pointer in the arguments, a key that entries have twice and text of a value that is not JSON.

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
    """Arguments on their way back, by the schema in the dialect json-schema.

    :param nulls: whether nulls that stand for leaving a property out go, too.
    """

    def __init__(self, schema: Schema, *, nulls: bool = True) -> None:
        self._root = schema
        self._nulls = nulls
        self.entries: list[Path] = []
        """Where lists of entries became dictionaries, and what stands for another value gave way to it."""

    def read(self, arguments: Any) -> Any:
        """Return arguments as the schema takes them.

        :raises ReadBackError: for a key that entries have twice, and text of a value that is not JSON.
        """
        if is_object(arguments) and arguments.keys() == {WRAPPED_ROOT}:
            given, at = arguments[WRAPPED_ROOT], (WRAPPED_ROOT,)
            if not self._is_member(given):
                self.entries.append(at)
                return self._read(given, self._root, at)
        return self._read(arguments, self._root, ())

    def _is_member(self, given: Any) -> bool:
        """Tell whether ``root`` is a member of the model's own, not what stands for arguments that are no object."""
        for form in forms(self._root, self._root):
            if WRAPPED_ROOT in form.get("properties", {}) or takes_any(form):
                return True
            if is_dictionary(form):
                held = forms(member_of(form, WRAPPED_ROOT), self._root)
                if any(self._may_be(given, each) for each in held):
                    return True
        return False

    def _may_be(self, given: Any, form: Schema) -> bool:
        """Tell whether a form without unions takes a value, by its type; entries only where objects are listed."""
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
            found = self._dictionary(value, schema)
            if found is not None:
                return self._of_entries(value, found, at)
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
        """The value that an object with one member stands for, where it does."""
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

    def _dictionary(self, value: Sequence[Any], schema: Any) -> Schema | None:
        """The schema of the dictionary that a list stands for, if it does: of several, the first that its values fit."""
        found = self._dictionaries(value, schema)
        return self._fitting(value, found) if found else None

    def _fitting(self, value: Sequence[Any], found: Sequence[Schema]) -> Schema:
        """The dictionary that entries are of: of several, the first that their values fit."""
        fitting = (
            each
            for each in found
            if all(self._fits(one[VALUE], member_of(each, str(one[KEY]))) for one in value)
        )
        return found[0] if len(found) == 1 else next(fitting, found[0])

    def _dictionaries(self, value: Sequence[Any], schema: Any) -> list[Schema]:
        """The dictionaries that a list may stand for; none where a list is taken as it is."""
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
        """The properties of an object whose null stands for leaving them out."""
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
        """The part of ``schema`` that is about ``value``: behind references, and the branch that fits."""
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
        """Tell whether ``value`` is meant for a branch, by its type, its names and its constants.

        A null that stands for leaving a property out is none of its constants, and speaks against none.
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
    """The value of a JSON text, as other programs read it: without numbers that JSON has not."""
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
    """Return the schema of a member of an object: its own, or that of members of any name."""
    properties: Schema = schema.get("properties", {})
    if name in properties:
        return properties[name]
    patterns: Schema = schema.get("patternProperties", {})
    return next(iter(patterns.values()), schema.get("additionalProperties"))
