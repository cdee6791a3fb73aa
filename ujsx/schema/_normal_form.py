"""The normal form of a schema: at each place a type with its keywords, listed values, a reference or a union; and patterns in one syntax.

JSON Schema allows any keywords side by side, and all of them hold. A provider takes one shape at a place, so
a schema is rewritten once, before a dialect converts it:

- ``allOf``, and keywords beside a reference, are joined into one schema;
- keywords beside a union move into each of its branches;
- a list of types that contains ``object`` or ``array`` becomes a union of these types;
- a place without a type gets the one that its keywords constrain.

Keywords that cannot be joined stay in ``allOf``; the description says them. A branch or a property that no
value fits is ``False``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from ujsx.schema._dialects import Dialect, KeywordVerdict, Loss, Outcome, reason, why_no_recursion
from ujsx.schema._keywords import (
    ANNOTATIONS,
    LISTED,
    SPEAKS_OF,
    TYPE_OF,
    VALUES,
    Schema,
    accepts_null,
    as_list,
    bases,
    described,
    escape,
    is_equal,
    is_object,
    is_plain,
    phrase,
    recursive,
    target,
    types_of,
    with_parts,
)

UNIONS = ("oneOf", "anyOf")

MOVED = frozenset({*TYPE_OF, "$ref", "const", "enum", "type"})
"""Keywords that move into the branches of a union; others stay beside it."""

SHAPES = frozenset(
    {
        *UNIONS, "$ref", "additionalProperties", "const", "enum", "items", "patternProperties",
        "prefixItems", "properties", "required", "type",
    }
)  # fmt: skip
"""Keywords that say what a value looks like; beside a union or a reference, they are joined with it."""

CONDITIONS = ANNOTATIONS | {
    "dependentRequired", "dependentSchemas", "else", "if", "maxProperties", "minProperties", "not",
    "required", "then",
}  # fmt: skip
"""Keywords of a branch without a shape of its own; a union of such branches is described."""

HAVE_PARTS = frozenset({"array", "object"})
"""Types whose values contain others, so that each needs a schema of its own."""

TYPES_OF_ANY = ("string", "number", "boolean", "null", "object", "array")
"""The types that a value of any type has; a whole number is a number."""

TIGHTEST: dict[str, Any] = {
    **dict.fromkeys(("exclusiveMinimum", "minItems", "minLength", "minProperties", "minimum"), max),
    **dict.fromkeys(("exclusiveMaximum", "maxItems", "maxLength", "maxProperties", "maximum"), min),
    "uniqueItems": max,
}
"""The function that picks the bound that holds out of several."""

CLASH = object()
"""The result of joining two values that have no common form."""

MOST_COPIES = 10_000
"""The largest number of places that are joined or inlined; each level of references may double it."""

TOO_MANY = f"written out and joined, it has over {MOST_COPIES:,} parts; use fewer references"
CONTRADICTION = "no value fits all that is said here; take out what contradicts the rest"
ONE_TYPE = "treated as {}: the keywords here constrain no other type, and other types are refused"


class SchemaPart(NamedTuple):
    """A schema that holds at a place, and its pointer in the schema that was given."""

    schema: Any
    pointer: str

    def without(self, keywords: Collection[str]) -> SchemaPart:
        """Return the part without some of its keywords."""
        if self.schema.keys().isdisjoint(keywords):
            return self
        return SchemaPart({k: v for k, v in self.schema.items() if k not in keywords}, self.pointer)

    def only(self, keywords: Collection[str]) -> SchemaPart:
        """Return the part with some of its keywords alone."""
        return SchemaPart({k: v for k, v in self.schema.items() if k in keywords}, self.pointer)

    def has_shape(self) -> bool:
        """Tell whether it says what a value looks like."""
        return bool(self.schema.keys() & SHAPES)

    def parts(self, keyword: str) -> Any:
        """Return the value of a keyword, with parts for the schemas in it that are joined with others."""
        value, at = self.schema[keyword], f"{self.pointer}/{keyword}"
        match keyword:
            case "properties" | "patternProperties":
                return {
                    name: [SchemaPart(each, f"{at}/{escape(name)}")] for name, each in value.items()
                }
            case "additionalProperties" | "items":
                return [SchemaPart(value, at)]
            case "allOf" | "anyOf" | "oneOf" | "prefixItems":
                return [SchemaPart(each, f"{at}/{place}") for place, each in enumerate(value)]
            case _:
                return value


_OF_PROPERTY = frozenset({"properties", "required"})
"""Keywords of an object that are lost, as ``False``, at the place of one of its properties."""


class NothingFitsError(Exception):
    """Schemas that no value fits together."""


class NormalForm:
    """The normal form of a schema, and the way back from its places to those of the schema.

    >>> from ujsx.schema._dialects import dialect_of
    >>> maybe = {"type": ["object", "null"], "properties": {"a": {"type": "string"}}}
    >>> NormalForm(maybe, dialect_of("openai-strict")).schema["anyOf"]
    [{'properties': {'a': {'type': 'string'}}, 'type': 'object'}, {'type': 'null'}]
    """

    def __init__(self, given: Schema, dialect: Dialect) -> None:
        self.losses: list[Loss] = []  # by places of the normal form
        self._given = given
        self._dialect = dialect
        self._recursive = recursive(given)
        self._places: dict[str, list[str]] = {}
        self._origins: dict[tuple[str, str], list[str]] = {}
        self._split: dict[str, str] = {}  # places that became unions, and the keyword that did
        self._copies = 0
        self.schema: Schema = self._place([SchemaPart(given, "")], "", frozenset())
        for name, each in given.get("$defs", {}).items():
            pointer = f"/$defs/{escape(name)}"
            made = self._place([SchemaPart(each, pointer)], pointer, frozenset())
            self.schema.setdefault("$defs", {})[name] = made

    def as_given(self, loss: Loss) -> Iterator[Loss]:
        """Yield a loss at each place of its keyword in the schema that was given.

        What becomes of a property as a whole is said wherever it is declared.
        """
        if loss.keyword == "anyOf" and loss.pointer in self._split:
            loss = replace(loss, keyword=self._split[loss.pointer], value=None)
        known = self._origins.get((loss.pointer, loss.keyword), [self._given_place(loss.pointer)])
        if loss.keyword == "default" or (loss.keyword in _OF_PROPERTY and loss.value is False):
            known = self._places.get(loss.pointer, known)
        for place in dict.fromkeys(known):
            found = target(self._given, f"#{place}")
            is_given = is_object(found) and (loss.value is None or loss.keyword in LISTED)
            value = found.get(loss.keyword, loss.value) if is_given else loss.value
            yield replace(loss, pointer=place, value=value)

    def _given_place(self, at: str) -> str:
        if at in self._places or not at:
            return self._places.get(at, [at])[-1]
        above, _, last = at.rpartition("/")
        known = self._origins.get((above, last))
        return f"{known[-1] if known else self._given_place(above)}/{last}"

    def _lose(self, at: str, keyword: str, value: Any, outcome: Outcome, why: str) -> None:
        self.losses.append(Loss(at, keyword, value, outcome, why))

    def _note(self, at: str, keyword: str, part: SchemaPart) -> None:
        """Remember where a keyword comes from."""
        self._origins.setdefault((at, keyword), []).append(part.pointer)

    def _place(self, parts: Sequence[SchemaPart], at: str, inlined: frozenset[str]) -> Any:
        """Return what holds at a place as one schema; ``False`` if no value fits.

        :param parts: what holds there; the last one says where the place is.
        :param at: the pointer to the place in the normal form.
        :param inlined: the references that have been written out on the way.
        """
        self._places[at] = [each.pointer for each in parts]
        self._copies += len(parts) > 1 or bool(inlined)
        if self._copies > MOST_COPIES:
            self._lose("", "$ref", None, "refused", TOO_MANY)
            return {}
        only = parts[0].schema if len(parts) == 1 else None
        if only is True:
            return only
        try:
            if not is_object(only):
                return self._joined(parts, at, inlined)
            said = self._joined([parts[0].without({"nullable"})], at, inlined)
        except NothingFitsError:
            if not is_object(only):
                return False
            keyword = next((each for each in ("allOf", "$ref", *UNIONS) if each in only), "type")
            why = reason(self._dialect, keyword) if keyword == "allOf" else CONTRADICTION
            self._lose(at, keyword, only.get(keyword), "refused", why)
            return {}
        return {**said, "nullable": True} if only.get("nullable") is True else said

    def _joined(self, parts: Sequence[SchemaPart], at: str, inlined: frozenset[str]) -> Schema:
        pieces, inlined = self._pieces(parts, at, inlined)
        for piece in pieces:
            for keyword in piece.schema:
                self._note(at, keyword, piece)
        nullable = [piece for piece in pieces if piece.schema.get("nullable") is True]
        others = [piece for piece in pieces if piece not in nullable]
        said = self._united([each.without({"nullable"}) for each in pieces], at, inlined)
        if nullable and all(accepts_null(each.schema, self._given) for each in others):
            said["nullable"] = True
        return said

    def _pieces(
        self, parts: Sequence[SchemaPart], at: str, inlined: frozenset[str], *, joined: bool = False
    ) -> tuple[list[SchemaPart], frozenset[str]]:
        """Return what holds at a place without ``allOf``, or a reference beside other shapes.

        A reference to elsewhere than a definition is written out too, and so is one in an ``allOf``.
        """
        pieces: list[SchemaPart] = []
        apart = [*self._apart(parts, at)]
        joined |= sum(each.has_shape() for each in apart) > 1
        for piece in apart:
            ref = str(piece.schema.get("$ref", ""))
            own = piece.without({"$ref"})
            joins = joined or own.has_shape()
            is_moved = piece.pointer not in {each.pointer for each in parts}
            stays = not ref or (
                is_plain(ref) and not joins and (not is_moved or ref in self._recursive)
            )
            found = None if stays else target(self._given, ref)
            if found is None:
                pieces.append(piece)
            elif ref in inlined:
                self._note(at, "$ref", piece)
                self._lose(at, "$ref", ref, "refused", why_no_recursion(self._dialect))
                pieces.append(own)
            else:
                both = [SchemaPart(found, ref.removeprefix("#")), own]
                more, inlined = self._pieces(both, at, inlined | {ref}, joined=joins)
                pieces += more
        return pieces, inlined

    def _apart(self, parts: Iterable[SchemaPart], at: str) -> Iterator[SchemaPart]:
        """Yield the schemas without ``allOf``; before each of them what it has there."""
        for part in parts:
            if part.schema is False:
                raise NothingFitsError
            if not is_object(part.schema):
                continue
            if "allOf" in part.schema:
                self._note(at, "allOf", part)
                self._lose(at, "allOf", part.schema["allOf"], "kept", "written as one schema")
                yield from self._apart(part.parts("allOf"), at)
            yield part.without({"$defs", "allOf", "definitions"})

    def _united(self, pieces: Sequence[SchemaPart], at: str, inlined: frozenset[str]) -> Schema:
        """Return what holds at a place, in each branch of its union if there is one."""
        unions = [
            SchemaPart({keyword: piece.schema[keyword]}, piece.pointer)
            for piece in pieces
            for keyword in UNIONS
            if keyword in piece.schema
        ]
        pieces = [each.without(UNIONS) for each in pieces]
        in_words = [each for each in unions if are_conditions(*each.schema.values())]
        unions = [each for each in unions if each not in in_words]
        if not unions:
            return self._typed(pieces, in_words, at, inlined)
        union, *moved = unions
        if moved or any(each.has_shape() for each in pieces):
            moved = [*(each.only(MOVED) for each in pieces), *moved]
            pieces = [each.without(MOVED) for each in pieces]
        [keyword] = union.schema
        branches = [[*moved, each] for each in union.parts(keyword)]
        said = self._typed(pieces, in_words, at, inlined)
        return {**said, keyword: self._branches(branches, f"{at}/{keyword}", inlined)}

    def _branches(
        self, given: Iterable[Sequence[SchemaPart]], at: str, inlined: frozenset[str]
    ) -> list[Any]:
        made = [self._place(parts, f"{at}/{place}", inlined) for place, parts in enumerate(given)]
        if all(each is False for each in made):
            raise NothingFitsError
        return made

    def _typed(
        self,
        pieces: Sequence[SchemaPart],
        in_words: list[SchemaPart],
        at: str,
        inlined: frozenset[str],
    ) -> Schema:
        """Return what holds at a place; for several types, of which one holds others, in a union of them."""
        said, clashing = joined(pieces)
        kinds = _kinds(said)
        known = next((each for each in ("type", "enum", "const") if each in said), None)
        if "const" in said and (at, "enum") in self._origins:
            self._lose(at, "enum", None, "dropped", "the constant is one of them")
        if len(pieces) > 1 and known:  # some of what is joined may be about values of other types
            said = _about(said, kinds)
        if kinds and not known:
            self._lose(at, "type", None, "dropped", ONE_TYPE.format(" or ".join(kinds)))
        is_split = self._splits(said) or not HAVE_PARTS.isdisjoint(kinds)
        if len(kinds) > 1 and is_split and not self._is_any(said, kinds):
            if known:
                self._split[at] = known
                self._lose(at, known, None, "kept", "written as anyOf, by type")
            here = self._given_place(at)
            branches = [
                [*(_of_type(each, kind) for each in pieces), SchemaPart({"type": kind}, here)]
                for kind in kinds
            ]
            said, clashing = joined([each.without(MOVED) for each in pieces])
            said["anyOf"] = self._branches(branches, f"{at}/anyOf", inlined)
        elif kinds and (self._splits(said) or HAVE_PARTS & {*kinds, *as_list(said.get("type"))}):
            said["type"] = _as_type(kinds)
        self._fill(said, at, inlined)
        for place, each in enumerate(in_words + clashing):
            self._places[f"{at}/allOf/{place}"] = [each.pointer]
            said.setdefault("allOf", []).append(each.schema)
        return said

    def _splits(self, said: Schema) -> bool:
        """Tell whether the dialect takes one type at a place; listed values say theirs."""
        return self._dialect.verdict("type") is KeywordVerdict.REWRITE and VALUES.isdisjoint(said)

    def _is_any(self, said: Schema, kinds: list[str]) -> bool:
        """Tell whether all types stand there, for a value of any."""
        is_bare = said.keys().isdisjoint(SHAPES - {"type"})
        return self._dialect.any_values and is_bare and {*kinds} >= {*TYPES_OF_ANY}

    def _fill(self, said: Schema, at: str, inlined: frozenset[str]) -> None:
        """Put the normal forms of the schemas inside in the place of their parts."""
        for keyword in said:  # in their order, in which losses are told
            if keyword in {"items", "additionalProperties"}:
                said[keyword] = self._place(said[keyword], f"{at}/{keyword}", inlined)
            elif keyword in {"properties", "patternProperties"}:
                said[keyword] = {
                    name: self._place(parts, f"{at}/{keyword}/{escape(name)}", inlined)
                    for name, parts in said[keyword].items()
                }
        if any(said.get("properties", {}).get(name) is False for name in said.get("required", ())):
            raise NothingFitsError
        if "prefixItems" in said:
            said["prefixItems"] = [
                self._place([each], f"{at}/prefixItems/{place}", inlined)
                for place, each in enumerate(said["prefixItems"])
            ]
        if said.get("items") is False:  # which the length says
            del said["items"]
            most = len(said.get("prefixItems", ()))
            said["maxItems"] = min(most, said.get("maxItems", most))
            self._origins.setdefault((at, "maxItems"), []).extend(self._origins[at, "items"])


def joined(pieces: Sequence[SchemaPart]) -> tuple[dict[str, Any], list[SchemaPart]]:
    """Return the keywords that hold together, with the parts of the schemas in them; and those that clash.

    >>> joined([SchemaPart({"minLength": 1}, ""), SchemaPart({"minLength": 2, "pattern": "a"}, ""), SchemaPart({"pattern": "b"}, "")])
    ({'minLength': 2, 'pattern': 'a'}, [SchemaPart(schema={'pattern': 'b'}, pointer='')])

    :raises NothingFitsError: if no value fits.
    """
    said: dict[str, Any] = {}
    clashing: list[SchemaPart] = []
    unjoined = _unjoined(pieces)
    for piece in pieces:
        for keyword in piece.schema:
            value = piece.parts(keyword)
            both = _both(keyword, said[keyword], value) if keyword in said else value
            if both is CLASH or keyword in unjoined:
                clashing.append(piece.only({keyword}))
            else:
                said[keyword] = both
    if "enum" in said and "const" in said:
        _both("enum", said.pop("enum"), [said["const"]])
    # What each says of members that it does not declare holds for those of others.
    for piece in pieces:
        if (
            piece.schema.get("additionalProperties", True) is not True
            and "additionalProperties" in said
        ):
            for name in said.get("properties", {}).keys() - piece.schema.get("properties", {}):
                said["properties"][name][:0] = piece.parts("additionalProperties")
    return said, clashing


def _unjoined(pieces: Sequence[SchemaPart]) -> set[str]:
    """Return keywords that are about what their own schema does not place, and would mean more when joined."""
    found: set[str] = set()
    for kind, placed in (("array", "prefixItems"), ("object", "patternProperties")):
        alike = [each.schema for each in pieces if not SPEAKS_OF[kind].isdisjoint(each.schema)]
        if len(alike) > 1 and any(placed in each for each in alike):
            found |= SPEAKS_OF[kind] - {"properties", "patternProperties"}
    return found


def _both(keyword: str, first: Any, second: Any) -> Any:
    """Return what two values of a keyword say together, or that no value says it.

    :raises NothingFitsError: if no value fits both.
    """
    if keyword in {"properties", "patternProperties"}:
        return {name: [*first.get(name, ()), *second.get(name, ())] for name in {**first, **second}}
    if keyword in {"items", "additionalProperties"}:
        return [*first, *second]
    if keyword == "required":
        return [*dict.fromkeys([*first, *second])]
    if keyword in TIGHTEST:
        return TIGHTEST[keyword](first, second)
    if keyword in ANNOTATIONS or is_equal(first, second):
        return second
    if keyword == "type":
        pairs = [{one, other} for one in as_list(first) for other in as_list(second)]
        both = [min(pair) for pair in pairs if len(pair) == 1 or pair == {"integer", "number"}]
    elif keyword == "enum":
        both = [one for one in first if any(is_equal(one, each) for each in second)]
    else:
        both = [] if keyword == "const" else [CLASH]
    if not both:
        raise NothingFitsError
    return both if keyword == "enum" or len(both) > 1 else both[0]


def _as_type(kinds: list[str]) -> str | list[str]:
    return kinds[0] if len(kinds) == 1 else kinds


def _kinds(said: Schema) -> list[str]:
    """Return the types that a place has: those of its listed values, the given ones, or what it speaks of."""
    given = as_list(said.get("type", []))
    values = said["enum"] if "enum" in said else [said["const"]] if "const" in said else None
    if values is None:
        spoken = SPEAKS_OF if not given and "$ref" not in said else ()
        return [*dict.fromkeys(given)] or [each for each in spoken if SPEAKS_OF[each] & said.keys()]
    fitting = ([kind for kind in types_of(each) if not given or kind in given] for each in values)
    return [*dict.fromkeys(each[0] for each in fitting if each)]


def _about(said: Schema, kinds: list[str]) -> Schema:
    """Return what is said of values of the types.

    :raises NothingFitsError: if none of the listed values has one of them.
    """
    if not kinds:
        raise NothingFitsError
    about = {key: said[key] for key in said if TYPE_OF.get(key) in {None, *bases(kinds)}}
    if "enum" in about:
        about["enum"] = [each for each in about["enum"] if not {*types_of(each)}.isdisjoint(kinds)]
    return {**about, "type": _as_type(kinds)} if "type" in about else about


def _of_type(part: SchemaPart, kind: str) -> SchemaPart:
    """Return what a schema says of the values of a type."""
    return part.only(VALUES | {key for key in part.schema if TYPE_OF.get(key) in bases([kind])})


def are_conditions(schemas: Sequence[Any]) -> bool:
    """Tell whether none of the schemas has a shape of its own.

    >>> are_conditions([{"required": ["a"]}, {"required": ["b"]}])
    True
    """
    return all(is_object(each) and each.keys() <= CONDITIONS for each in schemas)


# Regular expressions in the words of ECMA-262, and in words that every engine reads alike.

ANCHORS = {r"\A": "^", r"\z": "$", r"\Z": "$"}
"""The ends of a text, as other engines write them."""

GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
"""Beginnings of groups, beside named ones, that ECMA-262 has."""

ESCAPES = frozenset("dDwWsSbBtnvfr0123456789cxukpP")
"""Letters and digits that ECMA-262 gives a meaning behind a backslash."""

SYNTAX = frozenset(r"^$\.*+?()[]{}|/")
"""The characters that ECMA-262, in its Unicode mode, takes literally behind a backslash."""

_TOKEN = re.compile(
    r"(?P<escape>\\x\{|\\.)"
    r"|\(\?P<(?P<named>\w+)>"
    r"|\(\?P=(?P<again>\w+)\)"
    r"|(?P<comment>\(\?#[^)]*\))"
    r"|(?P<group>\(\?(?:<[=!]|<\w+>|.))"
    r"|(?P<most>\{,(?=\d+\}))"
    r"|(?P<possessive>[*+?}]\+)"
    r"|(?P<cls>\[\^?\]?)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_IN_CLASS = re.compile(r"(?P<escape>\\x\{|\\.)|(?P<end>\])|(?P<set>\[|&&|--|~~)|.", re.DOTALL)


def ecma(pattern: str) -> str | None:
    r"""Return the pattern as ECMA-262 writes it, or ``None`` where it has no form for it.

    >>> ecma(r"\A(?P<year>\d{4})\z"), ecma("(?i)a")
    ('^(?<year>\\d{4})$', None)
    """
    parts: list[str] = []
    place = 0
    while found := _TOKEN.match(pattern, place):
        part = _class(pattern, found) if found["cls"] else (_said(found), found.end())
        if part is None or part[0] is None:
            return None
        parts.append(part[0])
        place = part[1]
    return "".join(parts)


def _said(found: re.Match[str]) -> str | None:
    """One token outside of classes."""
    if found["escape"]:
        return ANCHORS.get(found[0]) or _escape(found[0], in_class=False)
    if found["named"]:
        return f"(?<{found['named']}>"
    if found["again"]:
        return rf"\k<{found['again']}>"
    if found["comment"]:
        return ""
    if found["most"]:
        return "{0,"
    if found["possessive"]:
        return None
    group = found["group"]
    if group and group not in GROUPS and not group.endswith(">"):
        return None
    return None if group == "(?>" else found[0]


def _class(pattern: str, opening: re.Match[str]) -> tuple[str, int] | None:
    """A class of characters, and where it ends."""
    parts = [opening[0].replace("]", r"\]")]
    place = opening.end()
    while found := _IN_CLASS.match(pattern, place):
        place = found.end()
        if found["set"]:
            return None
        part = _escape(found[0], in_class=True) if found["escape"] else found[0]
        if part is None:
            return None
        parts.append(part)
        if found["end"]:
            return "".join(parts), place
    return None


def _escape(text: str, *, in_class: bool) -> str | None:
    """What stands behind a backslash; a mark that needs none stands without."""
    char = text[1]
    if char.isascii() and char.isalnum():
        return text if char in ESCAPES and text != r"\x{" else None
    return text if char in SYNTAX or (in_class and char == "-") else char


def in_ecma(schema: Schema) -> tuple[Schema, list[Loss]]:
    """Return a schema whose patterns are ECMA-262's, and what became of each that was not."""
    losses: list[Loss] = []
    return _translated(schema, "", losses), losses


def _translated(schema: Any, pointer: str, losses: list[Loss]) -> Any:
    if not is_object(schema):
        return schema
    said = with_parts(schema, lambda part, below: _translated(part, pointer + below, losses))
    names = said.get("patternProperties")
    if is_object(names):
        losses += filter(None, (_of_pattern(name, "patternProperties", pointer) for name in names))
        said["patternProperties"] = {ecma(name) or name: each for name, each in names.items()}
    given = schema.get("pattern")
    loss = _of_pattern(given, "pattern", pointer) if isinstance(given, str) else None
    if loss is None:
        return said
    losses.append(loss)
    if loss.outcome == "kept":
        return {**said, "pattern": ecma(loss.value)}
    del said["pattern"]
    text = described(said.get("description", ""), [phrase("pattern", given)])
    return {**said, "description": text}


def _of_pattern(pattern: str, keyword: str, pointer: str) -> Loss | None:
    """What becomes of a pattern, of a text or of names; ``None`` if it stays as it is."""
    written = ecma(pattern)
    if written is None:
        why = "ECMA-262, whose patterns JSON Schema means, has no form for it"
        outcome: Outcome = "described" if keyword == "pattern" else "refused"
        return Loss(pointer, keyword, pattern, outcome, why)
    if written == pattern:
        return None
    return Loss(pointer, keyword, pattern, "kept", "written as ECMA-262 writes it")


# Patterns that every engine of open models reads alike.
#
# The part of regular expressions that llama.cpp, xgrammar, llguidance and outlines-core share: a whole
# text (``^…$``) of characters, classes, groups, alternatives and repetitions. Whatever else can be said
# in it is: ``\d`` as a class, ``(?:…)`` as a group. White space (``\s``), borders of words, looking
# around, and quotes and backslashes, which JSON writes in two characters, cannot.

DEEPEST = 20
"""Groups inside each other in a pattern that is plain."""

MOST = 1_000
"""The largest number of times in a repetition that is plain; engines write them out."""

CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_"}
r"""The characters of an abbreviated class: ECMA-262 means ASCII by ``\d`` and ``\w``."""


PLAIN_ESCAPES = frozenset("^$.*+?()[]{}|/-")
"""Marks that may stand behind a backslash for themselves."""

NOT_PLAIN = frozenset({'"', "\\", *map(chr, range(0x20)), "\x7f"})
"""Characters that JSON writes in several, or that not every engine reads in a pattern."""


class _NotPlainError(Exception):
    """A pattern that has more in it."""


@lru_cache(maxsize=1024)
def plain_pattern(pattern: str) -> str | None:
    r"""Return the pattern as every engine reads it; ``None`` where there is no such form.

    :param pattern: one of ECMA-262's.

    >>> plain_pattern(r"^(?:v|(?<w>w))\d{1,3}$")
    '^(v|(w))[0-9]{1,3}$'
    >>> plain_pattern(r"^(a|b)$"), plain_pattern("^a|b$"), plain_pattern(r"\S")
    ('^(a|b)$', None, None)
    """
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    body = pattern[1:-1]
    reader = _PatternReader(body)
    try:
        parts = reader.sequence(0)
    except _NotPlainError:
        return None
    whole = reader.at == len(body)  # "^a|b$" is anchored at one end of each
    return f"^{''.join(parts)}$" if whole else None


class _PatternReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def group(self, depth: int) -> str:
        """Return the text between two brackets, in brackets; those around a single group go."""
        if depth > DEEPEST:
            self.fail()
        found = [self.sequence(depth)]
        while self.take("|"):
            found.append(self.sequence(depth))
        (first, *more) = found
        if not more and len(first) == 1 and first[0].startswith("(") and first[0].endswith(")"):
            return first[0]
        return f"({'|'.join(map(''.join, found))})"

    def sequence(self, depth: int) -> list[str]:
        """The parts up to an alternative or a bracket that closes."""
        parts: list[str] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self.repeated(self.atom(depth)))
        return parts

    def atom(self, depth: int) -> str:
        char = self.text[self.at]
        self.at += 1
        if char == "(":
            if self.take("?"):
                found = _GROUP.match(self.text, self.at)
                if found is None:
                    self.fail()
                self.at = found.end()
            inner = self.group(depth + 1)
            if not self.take(")"):
                self.fail()
            return inner
        if char == "[":
            return self.class_()
        if char == ".":
            return "."
        if char == "\\":
            return self.escaped()
        if char in "^$*+?{}]" or char in NOT_PLAIN:
            self.fail()
        return _literal(char)

    def escaped(self) -> str:
        """The character behind a backslash, outside of a class."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char in CLASSES:
            return _plain_class(_ranges(CLASSES[char]))
        if not char or char not in PLAIN_ESCAPES:
            self.fail()
        return _literal(char)

    def class_(self) -> str:
        negated = self.take("^")
        ranges: list[tuple[str, str]] = []
        while not self.take("]"):
            first = self.in_class()
            if isinstance(first, tuple):
                ranges += first
            elif self.text.startswith("-", self.at) and self.text[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                last = self.in_class()
                if isinstance(last, tuple) or last < first:
                    self.fail()
                ranges.append((first, last))
            else:
                ranges.append((first, first))
        if not ranges or any(low <= bad <= high for low, high in ranges for bad in NOT_PLAIN):
            self.fail()
        return _plain_class(tuple(ranges), negated)

    def in_class(self) -> str | tuple[tuple[str, str], ...]:
        """A character of a class, or those that an escape stands for."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char == "\\":
            char = self.text[self.at : self.at + 1]
            self.at += 1
            if char in CLASSES:
                return _ranges(CLASSES[char])
            if not char or char not in PLAIN_ESCAPES:
                self.fail()
        elif not char or char == "[":
            self.fail()
        return char

    def repeated(self, part: str) -> str:
        found = _TIMES.match(self.text, self.at)
        if found is None:
            return part
        self.at = found.end()  # a lazy one takes the same texts
        least, most = _BOUNDS.get(found[0][0], (0, None))
        if found["least"] is not None:
            least = int(found["least"])
            most = (
                least if found["comma"] is None else int(found["most"]) if found["most"] else None
            )
        if max(least, most or 0) > MOST or (most is not None and most < least):
            self.fail()
        if _TIMES.match(self.text, self.at):
            self.fail()
        bounds = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
        return f"{part}{_MARKS.get((least, most), bounds)}"

    def take(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) * found
        return found

    def fail(self) -> NoReturn:
        raise _NotPlainError


_GROUP = re.compile(r":|<[A-Za-z_]\w*>", re.ASCII)
_TIMES = re.compile(r"(?:[*+?]|\{(?P<least>\d{1,4})(?P<comma>,(?P<most>\d{1,4})?)?\})\??", re.ASCII)
_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MARKS = {bounds: mark for mark, bounds in _BOUNDS.items()}


def _ranges(text: str) -> tuple[tuple[str, str], ...]:
    """The ranges of a class that is written as one: ``a-z_``."""
    pairs = re.findall(r"(.)-(.)|(.)", text)
    return tuple((low or one, high or one) for low, high, one in pairs)


def _literal(char: str) -> str:
    return f"\\{char}" if char in PLAIN_ESCAPES - {"/", "-"} else char


def _plain_class(ranges: tuple[tuple[str, str], ...], negated: bool = False) -> str:
    """A class; one character alone needs none."""
    if not negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _literal(ranges[0][0])
    inside = "".join(
        _in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}"
        for low, high in ranges
    )
    return f"[{'^' * negated}{inside}]"


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "^]-[" else char
