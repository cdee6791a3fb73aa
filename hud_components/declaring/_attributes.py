"""The attributes of a section's body: which there are, and what kind of value each is.

What stands there is looked at before anything else is: an attribute of another kind would fail far from
where it is written, or say something else. A text where several names belong is such a one: it would be
taken for one name for each letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ujsx import DefinitionError
from ujsx.errors import did_you_mean, shown


class _Sort(NamedTuple):
    """What an attribute's value has to be."""

    fits: Callable[[Any], bool]
    is_what: str
    advice: Callable[[str, Any], str]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(each, str) for each in value)


def _are_texts_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(part, str) for pair in value.items() for part in pair
    )


_TEXT = _Sort(_is_text, "a text", lambda name, value: f"{name} = {str(value)!r}")
_FLAG = _Sort(lambda value: isinstance(value, bool), "yes or no", lambda name, _: f"{name} = True")
_NUMBER = _Sort(
    lambda value: isinstance(value, int) and not isinstance(value, bool),
    "a whole number",
    lambda name, _: f"{name} = 2",
)
_TEXTS = _Sort(
    _are_texts,
    "several texts",
    lambda name, value: f"{name} = ({shown(value) if isinstance(value, str) else '…'},)",
)
_WORDS = _Sort(_are_texts_by_name, "texts by their names", lambda name, _: f'{name} = {{"…": "…"}}')
_BY_NAME = _Sort(
    lambda value: isinstance(value, Mapping),
    "something by names",
    lambda name, _: f'{name} = {{"…": …}}',
)
_PREFIX = _Sort(
    lambda value: isinstance(value, str) and re.fullmatch(r"([^\W_][\w-]*)?", value) is not None,
    "what ids begin with: letters, digits, - and _",
    lambda name, _: f'{name} = "…"',
)
_NAME = _Sort(
    lambda value: isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_]*", value) is not None,
    "a name of lower-case letters, digits and underscores",
    lambda name, _: f'{name} = "…"',
)
_EVENT = _Sort(
    lambda value: (
        isinstance(value, str)
        and re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*", value) is not None
    ),
    "what types of events begin with: lower-case letters, digits, underscores, dots between them",
    lambda name, _: f'{name} = "…"',
)
_FIELD = _Sort(
    lambda value: value is None or isinstance(value, str),
    "a field",
    lambda name, _: f'{name} = "…"',
)

SORTS: Mapping[str, _Sort] = {
    **dict.fromkeys(("text", "key", "why_fixed"), _TEXT),
    **dict.fromkeys(("field", "prop"), _NAME),
    **dict.fromkeys(("done", "order"), _FIELD),
    **dict.fromkeys(("former", "opening"), _TEXTS),
    **dict.fromkeys(("texts", "texts_without_signs"), _WORDS),
    **dict.fromkeys(("on", "former_fields", "upcasts"), _BY_NAME),
    **dict.fromkeys(
        (
            *("is_reported", "has_operations", "is_cut", "is_sourced", "alerts", "stays_shown"),
            *(
                "from_project",
                "from_parent",
                "has_paragraphs",
                "can_replace",
                "shows_done",
                "in_line",
            ),
        ),
        _FLAG,
    ),
    "prefix": _PREFIX,
    "event": _EVENT,
    "revision": _NUMBER,
}
"""By attribute, what its value is; others are looked at where more is known of them."""

_OF_DISCLOSURE = ("ladder", "weight", "floor", "layer")
"""Parts of the disclosure that are no attributes of their own; a budget is one."""


def check_attributes(
    what: str, bases: tuple[type, ...], annotated: Iterable[str], own: Mapping[str, Any]
) -> None:
    """Refuse a plain attribute that no section has, as it would say nothing, and one of the wrong kind."""
    typed = set(annotated)
    for name, value in own.items():
        if name.startswith("_") or callable(value) or hasattr(value, "__get__"):
            continue
        if any(
            hasattr(base, name) or name in getattr(base, "__pydantic_fields__", ())
            for base in bases
        ):
            _check_sort(what, name, value)
        elif name not in typed:
            raise DefinitionError(_unknown(what, name, value, bases))


def _check_sort(what: str, name: str, value: object) -> None:
    sort = SORTS.get(name)
    if sort is not None and not sort.fits(value):
        raise DefinitionError(
            f"{what}.{name}: {shown(value)} is not {sort.is_what}; write {sort.advice(name, value)}"
        )


def _unknown(what: str, name: str, value: object, bases: tuple[type, ...]) -> str:
    if name == "ladder":
        return f"{what}.ladder: it is part of the disclosure; write disclosure = Disclosure(…)"
    if name in _OF_DISCLOSURE:
        return (
            f"{what}.{name}: it is part of the disclosure; write "
            f"disclosure = Disclosure(ladder, {name}={shown(value)})"
        )
    known = sorted({each for base in bases for each in _said_of(base)})
    return (
        f"{what}.{name}: a section has no such attribute; {did_you_mean(name, known)}; an attribute"
        f" of your own is annotated: {name}: ClassVar[{type(value).__name__}] = …"
    )


def _said_of(base: type) -> Iterable[str]:
    return (name for name in getattr(base, "__class_vars__", ()) if not name.startswith("_"))
