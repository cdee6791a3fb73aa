"""The holes of a verb's words: what its answer, and the line of the history, can name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Formatter
from typing import Any

from hud_components.folding import Change, Reorder, Update, Verb
from ujsx import DefinitionError
from ujsx.components import fields_of
from ujsx.errors import did_you_mean, shown

OF_EVERY_VERB = frozenset({"id", "section", "said", "text", "item", "details", "done"})
"""What the history knows of whatever happens to a section; another hole is a field of the event first."""


def check_words(section: Any, verb: Verb) -> None:
    """Refuse an answer, or a line of the history, with a hole that nothing fills."""
    place = f"{section.__name__}.verbs: {shown(verb.name)}"
    _check(f"{place} answers", verb.answer, {"id"}, _instead(section, verb.answer))
    known = {*OF_EVERY_VERB, *_told(section, verb)}
    if {*_holes(f"{place} is told as", verb.told)} - known:  # the model is made where it is needed
        known |= fields_of(verb.payload_of(section)).keys()
        _check(f"{place} is told as", verb.told, known, _instead(section, f"{verb.told}{{item}}"))


def _instead(section: Any, words: str) -> tuple[str, Iterable[str]]:
    """The words with an item's id for the fields of the item, which stand in no hole; and these fields."""
    fields = fields_of(section.value).keys() - {"id"} if section.holds_items else ()
    for name in fields:
        words = words.replace(f"{{{name}}}", "{id}")
    return words, fields


def _told(section: Any, verb: Verb) -> Iterator[str]:
    """The holes of a line of the history that are filled from something else than the event's fields."""
    yield from {"status"} & fields_of(section.value).keys()
    if not section.holds_items:
        yield "was"
    if isinstance(verb, Update) or (verb.payload is not None and issubclass(verb.payload, Change)):
        yield "changes"
    if isinstance(verb, Reorder):
        yield "order"


def _check(
    place: str, words: str, known: Iterable[str], instead: tuple[str, Iterable[str]]
) -> None:
    filled = {*known}
    for name in _holes(place, words):
        if name not in filled:
            better, of_item = instead
            hint = f"write {shown(better)}" if name in of_item else did_you_mean(name, filled)
            raise DefinitionError(f"{place} {shown(words)}, and nothing fills {{{name}}}; {hint}")


def _holes(place: str, words: str) -> list[str]:
    try:
        parts = [*Formatter().parse(words)]
    except ValueError as error:
        raise DefinitionError(
            f"{place} {shown(words)}: {error}; a brace is written twice"
        ) from None
    for _, name, form, conversion in parts:
        if form or conversion:
            raise DefinitionError(
                f"{place} {shown(words)}: a hole holds a name alone; write {{{name}}}"
            )
    return [name for _, name, _, _ in parts if name is not None]
