"""Values that a JSON Schema allows, for Hypothesis: the schema alone says what they are."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.ujsx.schema.keywords import TYPES, target

MAX_DEPTH = 3

FORMATS: dict[str, st.SearchStrategy[str]] = {
    "date-time": st.datetimes().map(lambda value: f"{value.isoformat()}Z"),
    "date": st.dates().map(str),
    "time": st.times().map(lambda value: f"{value.isoformat()}Z"),  # RFC 3339 asks for an offset
    "duration": st.integers(0, 999).map(lambda seconds: f"PT{seconds}S"),
    "uuid": st.uuids().map(str),
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
    "uri": st.sampled_from(["https://example.org", "mailto:a@example.org"]),
}

TEXT = st.characters(exclude_categories=["Cs", "Cc"])
"""Characters whose being white space is no matter of opinion between Python and Rust."""


PLAIN = frozenset({"null", "boolean", "integer", "number", "string"})
"""Types of values that hold no others."""


def values(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return values that ``schema``, a part of ``root``, allows."""
    if "$ref" in schema:
        return values(target(root, schema["$ref"]), root, depth)
    if schema.get("nullable"):  # a keyword of OpenAPI 3.0, of a type and not of a union
        assert "anyOf" not in schema
        rest = {key: each for key, each in schema.items() if key != "nullable"}
        return st.none() | values(rest, root, depth)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            branches = schema[keyword]
            if depth > MAX_DEPTH:
                branches = [each for each in branches if each.get("type") in PLAIN] or branches
            return st.one_of([values(each, root, depth) for each in branches])
    kinds: list[str] = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if depth > MAX_DEPTH and "null" in kinds:
        return st.none()
    return st.one_of([KINDS[kind](schema, root, depth) for kind in kinds])


def objects(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    made = {
        name: st.deferred(lambda each=each: values(each, root, depth + 1))
        for name, each in properties.items()
    }
    needed = {name: made[name] for name in properties if name in required}
    others = {name: made[name] for name in properties if name not in required}
    if depth > MAX_DEPTH:
        others = {}
    fixed = st.fixed_dictionaries(needed, optional=others).map(
        lambda given: {name: given[name] for name in properties if name in given}
    )
    patterns = schema.get("patternProperties", {})
    if patterns:
        [(pattern, each)] = patterns.items()
        return st.dictionaries(_matching(pattern), values(each, root, depth + 1), max_size=2)
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        named = {"type": "string", **schema.get("propertyNames", {})}
        least = schema.get("minProperties", 0)
        if depth > MAX_DEPTH and not least:
            return st.just({})
        return st.dictionaries(
            values(named, root, depth),
            st.deferred(lambda: values(more, root, depth + 1)),
            min_size=least,
            max_size=schema.get("maxProperties", 2),
        )
    return fixed


def arrays(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    if "prefixItems" in schema:
        places = (
            st.deferred(lambda each=each: values(each, root, depth + 1))
            for each in schema["prefixItems"]
        )
        return st.tuples(*places).map(list)
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if most == 0 or (not least and (depth > MAX_DEPTH or "items" not in schema)):
        return st.just([])
    return st.lists(
        st.deferred(lambda: values(schema["items"], root, depth + 1)),
        min_size=least,
        max_size=least + 2 if most is None else most,
        unique=schema.get("uniqueItems", False),
    )


def strings(schema: Any, root: Any, depth: int) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        texts = _matching(schema["pattern"])
        return texts.filter(lambda text: len(text) >= schema.get("minLength", 0))
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    return st.text(TEXT, min_size=schema.get("minLength", 0), max_size=schema.get("maxLength"))


def _matching(pattern: str) -> st.SearchStrategy[str]:
    """Texts in which the pattern is found; Python's ``$`` also stands before a last line break."""
    return st.from_regex(pattern, alphabet=TEXT).filter(lambda text: not text.endswith("\n"))


def integers(schema: Any, root: Any, depth: int) -> st.SearchStrategy[int]:
    least, most = schema.get("minimum"), schema.get("maximum")
    least = schema["exclusiveMinimum"] + 1 if "exclusiveMinimum" in schema else least
    most = schema["exclusiveMaximum"] - 1 if "exclusiveMaximum" in schema else most
    step = schema.get("multipleOf", 1)
    return st.integers(least, most).map(lambda value: value * step)


def numbers(schema: Any, root: Any, depth: int) -> st.SearchStrategy[float]:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    return st.floats(
        least,
        most,
        exclude_min="exclusiveMinimum" in schema,
        exclude_max="exclusiveMaximum" in schema,
        allow_nan=False,
        allow_infinity=False,
    )


KINDS: dict[str, Any] = {
    "object": objects,
    "array": arrays,
    "string": strings,
    "integer": integers,
    "number": numbers,
    "boolean": lambda schema, root, depth: st.booleans(),
    "null": lambda schema, root, depth: st.none(),
}
assert KINDS.keys() == set(TYPES.values())


def json_values() -> st.SearchStrategy[Any]:
    """Return any JSON data, with names that models have among its names."""
    names = st.sampled_from(["name", "left", "rest", "pet", "kind", "where"]) | st.text()
    leaves = st.none() | st.booleans() | st.integers() | st.text()
    return st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(names, inner))
