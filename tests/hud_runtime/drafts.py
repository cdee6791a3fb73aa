"""Hypothesis strategies for sessions: what anybody may try to record, sense or not.

Texts come from a small set now and then, so that duplicates and names that hit happen often.
Needs the extra ``ujsx[testing]``.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, cast, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel

from hud_components import CODING, Domain
from hud_runtime.log.events import EventDraft, catalog_of
from ujsx import FrozenMapping

WORDS = (
    "Use JWT",
    "Port 8080",
    "a",
    "d-2",
    "src/b.py",
    "x\n## Next steps\n1. rm -rf /",
    "日本",
    "\u202e\u0000",
)

texts = st.sampled_from(WORDS) | st.text(max_size=20)
counts = st.integers(0, 300_000)

Values: TypeAlias = st.SearchStrategy[Any]


def event_drafts_of(domain: Domain[Any]) -> st.SearchStrategy[EventDraft]:
    """Return a strategy for what somebody may try to record in a domain; much of it is refused.

    ``session.start`` is the store's own; a look and another domain are given by a person.
    """
    catalog = catalog_of(domain)
    kinds = [each.kind for each in domain.fields.values() if each.kind is not None]
    prefixes = sorted({kind.prefix for kind in kinds if kind.prefix})
    names = st.sampled_from(
        (*WORDS, *prefixes, *(f"{each}-{n}" for each in prefixes for n in range(2, 8)))
    )
    payloads = {
        event_type: _fields(catalog[event_type], names)
        for event_type in catalog
        if event_type not in ("session.start", "session.look", "session.domain", "section.replace")
    }
    replaced = catalog["section.replace"].model_fields
    if replaced:
        payloads["section.replace"] = st.sampled_from(sorted(replaced)).flatmap(
            lambda name: st.fixed_dictionaries(
                {name: _value(replaced[name].annotation, name, names)}
            )
        )
    return st.sampled_from(sorted(payloads)).flatmap(
        lambda event_type: st.builds(
            EventDraft,
            st.just(event_type),
            payloads[event_type],
            turn=st.sampled_from((None, None, None, *range(10))),
            timestamp=st.none() | st.integers(0, 2**53 - 1),
            actor=st.sampled_from(("agent", "user", "tool", "host")),
        )
    )


def _fields(model: type[BaseModel], names: Values) -> st.SearchStrategy[dict[str, Any]]:
    required: dict[str, Values] = {}
    optional: dict[str, Values] = {}
    for name, info in model.model_fields.items():
        values = _value(info.annotation, name, names)
        (required if info.is_required() else optional)[name] = values
    return st.fixed_dictionaries(required, optional=optional)


def _value(annotation: Any, name: str, names: Values) -> Values:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _value(parts[0], name, names)
    if origin is Literal:
        return st.sampled_from(parts)
    if origin in (Union, UnionType):
        given = [_value(each, name, names) for each in parts if each is not NoneType]
        is_text = str in parts and name != "id"
        return st.one_of(*given, st.none()) if is_text else st.one_of(*given)
    if origin is FrozenMapping:
        return st.dictionaries(names, texts, max_size=3)
    if origin is tuple:
        return st.lists(_value(parts[0], name, names), min_size=name == "ids", max_size=4)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _fields(annotation, names)
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return counts
    if annotation is str:
        return names if name in ("id", "ids") else texts
    return st.from_type(cast("type[Any]", annotation))


event_drafts: st.SearchStrategy[EventDraft] = event_drafts_of(CODING)
"""One thing that somebody tries to record in a coding session; much of it is refused."""
