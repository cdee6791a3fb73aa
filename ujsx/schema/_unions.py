"""Unions with nothing beside them: their branches say what is said of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.schema._keywords import Schema
from ujsx.schema._node import described, phrase

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion


def alone(conversion: Conversion, said: Schema, pointer: str) -> Schema:
    """Return what was said of a place; a union says it in its branches, if the dialect has it alone.

    Null is allowed in each branch. Texts stand once, in the first branch, in front of its own: a router
    has dozens of branches, and its text is the longest. What no branch can say is described or refused.
    At the root, where no union may stand, nothing changes.
    """
    if not conversion.dialect.unions_alone or "anyOf" not in said or not pointer:
        return said
    beside = {key: each for key, each in said.items() if key != "anyOf"}
    branches = [each for each in said["anyOf"] if each.get("type") != "null"]
    nulls = [each for each in said["anyOf"] if each.get("type") == "null"]
    if "title" in beside:
        why = f"{conversion.dialect.name} takes nothing beside a union"
        conversion.lose(pointer, "title", beside["title"], "described", why)
    texts = [*filter(None, map(_text, [beside, *nulls]))]
    beside.pop("title", None)
    beside.pop("description", None)
    if nulls:
        conversion.lose(pointer, "anyOf", nulls, "kept", "null is written as nullable")
        beside["nullable"] = True
    branches = branches or [{"type": "null"}]
    if beside.pop("nullable", False):
        branches = [_nullable(each) for each in branches]
    for keyword, value in beside.items():
        why = f"{conversion.dialect.name} takes nothing beside a union; say it in the branches"
        conversion.lose(pointer, keyword, value, "refused", why)
    if texts:
        branches = [_told(branches[0], "\n".join(texts)), *branches[1:]]
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def _text(schema: Schema) -> str:
    """What a schema says in words."""
    titles = [phrase("title", schema["title"])] if "title" in schema else []
    return described(schema.get("description", ""), titles)


def _nullable(branch: Schema) -> Schema:
    """The branch, with null allowed."""
    if "anyOf" in branch:
        return {**branch, "anyOf": [_nullable(each) for each in branch["anyOf"]]}
    return _in_order({**branch, "nullable": True})


def _told(branch: Schema, text: str) -> Schema:
    """The branch, with a text in front of its own."""
    if "anyOf" in branch:
        first, *others = branch["anyOf"]
        return {**branch, "anyOf": [_told(first, text), *others]}
    own = branch.get("description")
    return _in_order({**branch, "description": f"{text}\n{own}" if own else text})


def _in_order(schema: Schema) -> Schema:
    return {key: schema[key] for key in sorted(schema)}
