"""The attributes of a section's body: which there are, and what kind of value each is.

What stands there is looked at before anything else is: an attribute of another kind would fail far from
where it is written, or say something else. A text where several names belong is such a one: it would be
taken for one name for each letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from hud_components.folding import Verb
from ujsx.components import unannotated
from ujsx.errors import did_you_mean, shown


class _Sort(NamedTuple):
    """What an attribute's value has to be."""

    fits: Callable[[object], bool]
    is_what: str
    example: str
    """What to write; ``{}`` is what was written."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_field(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_by_name(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_model(value: object) -> bool:
    return value is None or (isinstance(value, type) and issubclass(value, BaseModel))


def _are_verbs(value: object) -> bool:
    """Tell whether they are several, or one alone, which is refused with what to write instead."""
    return isinstance(value, Verb | Iterable) and not isinstance(value, type)


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(
        isinstance(each, str) for each in cast("Iterable[object]", value)
    )


def _are_texts_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(part, str)
        for pair in cast("Mapping[object, object]", value).items()
        for part in pair
    )


def _is_like(pattern: str) -> Callable[[object], bool]:
    like = re.compile(pattern)
    return lambda value: isinstance(value, str) and like.fullmatch(value) is not None


_TEXT = _Sort(_is_text, "a text", "'{}'")
_FLAG = _Sort(_is_flag, "yes or no", "True")
_NUMBER = _Sort(_is_number, "a whole number", "2")
_TEXTS = _Sort(_are_texts, "several texts", "('{}',)")
_WORDS = _Sort(_are_texts_by_name, "texts by their names", '{{"…": "…"}}')
_BY_NAME = _Sort(_is_by_name, "something by names", '{{"…": …}}')
_FIELD = _Sort(_is_field, "a field", '"…"')
_MODEL = _Sort(_is_model, "a class of items or values", "Item, a subclass of HudModel")
_VERBS = _Sort(_are_verbs, "several verbs", '("add", "update", "remove")')
_PREFIX = _Sort(
    _is_like(r"([^\W_][\w-]*)?"), "what ids begin with: letters, digits, - and _", '"…"'
)
_NAME = _Sort(
    _is_like("[a-z][a-z0-9_]*"), "a name of lower-case letters, digits and underscores", '"…"'
)
_EVENT = _Sort(
    _is_like(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*"),
    "what types of events begin with: lower-case letters, digits, underscores, dots between them",
    '"…"',
)

SORTS: Mapping[str, _Sort] = {
    **dict.fromkeys(("text", "key", "why_fixed"), _TEXT),
    **dict.fromkeys(("field", "prop"), _NAME),
    **dict.fromkeys(("done", "order"), _FIELD),
    **dict.fromkeys(("former", "opening", "columns"), _TEXTS),
    **dict.fromkeys(("texts", "texts_without_signs"), _WORDS),
    **dict.fromkeys(("on", "former_fields", "upcasts"), _BY_NAME),
    **dict.fromkeys(
        (
            *("is_reported", "has_operations", "is_cut", "is_sourced", "alerts", "stays_shown"),
            *(
                "from_project",
                "from_parent",
                "takes_results",
                "has_paragraphs",
                "can_replace",
                "shows_done",
                "in_line",
                "says_once",
                "keeps_lines",
            ),
        ),
        _FLAG,
    ),
    **dict.fromkeys(("draft", "value"), _MODEL),
    "verbs": _VERBS,
    "prefix": _PREFIX,
    "event": _EVENT,
    "revision": _NUMBER,
}
"""By attribute, what its value is; others are looked at where more is known of them."""

_ELSEWHERE: Mapping[str, str] = {
    "lines": "template templates format line row rows_template view text_template",
    "title": "heading header label caption",
    "noun": "singular plural item_name",
    "verbs": "operations actions ops methods",
    "value": "item model item_class item_type item_model value_class",
    "done": "done_field completed_field done_when",
    "aliases": "other_names synonyms",
}
"""By attribute, what others call it."""

_OF_DISCLOSURE = ("ladder", "weight", "floor", "layer")
"""Parts of the disclosure that are no attributes of their own; a budget is one."""


def faults_of_attributes(
    what: str, bases: tuple[type, ...], annotated: Iterable[str], own: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield each attribute that no section has, as it would say nothing, or of the wrong kind, and its fault."""
    typed = set(annotated)
    for name, value in own.items():
        if any(hasattr(base, name) for base in bases) or _is_prop(name, bases):
            sort = SORTS.get(name)
            if sort is not None and not sort.fits(value):
                example = sort.example.format(value)
                why = f"{shown(value)} is not {sort.is_what}"
                yield name, f"{what}.{name}: {why}; write {name} = {example}"
            elif name not in typed and _is_prop(name, bases):
                yield name, unannotated(what, name, value)
        elif name not in typed and isinstance(value, type) and name in _ELSEWHERE["value"].split():
            yield (
                name,
                f"{what}.{name}: write it in brackets: class {what}({bases[0].__name__}[{value.__name__}])",
            )
        elif not (
            name in typed or name.startswith("_") or callable(value) or hasattr(value, "__get__")
        ):
            yield name, _unknown(what, name, value, bases)


def _is_prop(name: str, bases: tuple[type, ...]) -> bool:
    return any(name in getattr(base, "__pydantic_fields__", ()) for base in bases)


def _unknown(what: str, name: str, value: object, bases: tuple[type, ...]) -> str:
    if name == "ladder":
        return f"{what}.ladder: it is part of the disclosure; write disclosure = Disclosure(…)"
    if name in _OF_DISCLOSURE:
        return (
            f"{what}.{name}: it is part of the disclosure; write "
            f"disclosure = Disclosure(ladder, {name}={shown(value)})"
        )
    for attribute, others in _ELSEWHERE.items():
        if name in others.split():
            return f"{what}.{name}: a section has no such attribute; write {attribute} = {shown(value)}"
    known = sorted({each for base in bases for each in _said_of(base)})
    return (
        f"{what}.{name}: a section has no such attribute; {did_you_mean(name, known)}; an attribute"
        f" of your own is annotated: {name}: ClassVar[{type(value).__name__}] = …"
    )


def _said_of(base: type) -> Iterable[str]:
    return (name for name in getattr(base, "__class_vars__", ()) if not name.startswith("_"))
