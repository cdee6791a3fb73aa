"""Events of another log taken in, and payloads without their texts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from hud_runtime._errors import EventError
from hud_runtime._limits import Limits
from hud_runtime.log.events import Event, Stored, check_size, explain
from hud_runtime.log.secrets import Place, Secrets, place_name, replaced, texts_in
from hud_runtime.log.store import as_json, erased_words
from ujsx.errors import did_you_mean, quoted

if TYPE_CHECKING:
    from hud_runtime.session._hud_store import HudStore

# A payload without its texts: what an erasure leaves of an event.
#
# What it names stays, ids, sections, and words of a fixed set, so that the event means the same and every
# later one has what it refers to. In the place of all other texts stands ``[erased 12]``, with the event's
# version, or, where secrets alone are meant, a mask.

IS_ERASED = re.compile(r"\[erased [0-9]+(?:\.[0-9]+)?\]")
"""What an erasure has left."""

NAMES = frozenset({"id", "ids", "section", "domain", "project", "parent"})
"""Fields that name something: erased only where they are asked for."""

OF_FIXED_SETS = frozenset({"literal_error", "enum"})
"""Errors of fields that take some words only: those are no texts."""


@dataclass(frozen=True, slots=True)
class Erased:
    """The erased texts."""

    session_id: str
    version: int
    fields: tuple[str, ...]
    """Where the texts stood; empty where there was nothing to erase."""

    elsewhere: tuple[tuple[str, int], ...] = ()
    """Other events, by session and version, that say one of the texts: a copy that a child inherited, say."""


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """The texts of an event to erase."""

    fields: Collection[str] = ()
    """Places of texts, or of what holds them; all texts where there are none."""

    secrets: Secrets | None = None
    """What secrets look like, where nothing else is to go."""

    def change(
        self, model: type[BaseModel] | None, version: int, payload: str
    ) -> tuple[str, dict[str, str]]:
        """Return an event's payload without the texts, and each of them by its place.

        :param model: of the payload; None where nobody knows it.
        """
        data: Any = json.loads(payload)
        made, gone = self._changed(data, version, frozenset())
        if kept := _of_fixed_sets(model, made) & gone.keys():  # once more, with those as they were
            made, gone = self._changed(data, version, kept)
        return as_json(made), {place_name(place): text for place, text in gone.items()}

    def _changed(
        self, data: Any, version: int, kept: Collection[Place]
    ) -> tuple[Any, dict[Place, str]]:
        gone: dict[Place, str] = {}
        return replaced(data, partial(self._left, kept, gone, erased_words(version))), gone

    def check(self, payload: str, what: str) -> None:
        """Refuse a field that the payload does not have.

        :raises EventError: that names it, and the nearest one.
        """
        places = [place for place, _ in texts_in(json.loads(payload))]
        names = {place_name(place[: end + 1]) for place in places for end in range(len(place))}
        for field in sorted(set(self.fields) - names):
            hint = did_you_mean(field, map(place_name, places))
            raise EventError(f"{what}: there is no text at {quoted(field)}; {hint}")

    def _left(
        self,
        kept: Collection[Place],
        gone: dict[Place, str],
        words: Iterator[str],
        place: Place,
        text: str,
    ) -> str:
        if not text or place in kept or IS_ERASED.fullmatch(text) or not self._is_asked(place):
            return text
        left = next(words) if self.secrets is None else self.secrets.masked(text)
        if left != text:
            gone[place] = text
        return left

    def _is_asked(self, place: Place) -> bool:
        within = {place_name(place[:end]) for end in range(1, len(place))}
        if place_name(place) in self.fields:
            return True
        if self.fields and within.isdisjoint(self.fields):
            return False
        is_name = not NAMES.isdisjoint(each for each in place if isinstance(each, str))
        return self.secrets is not None or not is_name


def _of_fixed_sets(model: type[BaseModel] | None, data: Any) -> set[Place]:
    if model is None:
        return set()
    try:
        model.model_validate(data)
    except ValidationError as error:
        return {each["loc"] for each in error.errors() if each["type"] in OF_FIXED_SETS}
    return set()


PAGE = 1_000
"""Events that are appended in one transaction."""


def new_pages(
    store: HudStore[Any], session_id: str, events: Sequence[Event], limits: Limits
) -> Iterator[tuple[int, list[Event]]]:
    """Yield the events that a session does not have yet, as it takes them in, page by page, each with the version before it.

    :raises EventError: for a text above the limits, and for a session that tells another story.
    """
    given, events = events, [_taken(event, store.options.secrets) for event in events]
    known = 0
    for raw, event, there in zip(given, events, _there(store, session_id, events), strict=False):
        # What is there may be from a time when secrets were kept.
        if not _is_same(event, there) and not _is_same(raw, there):
            raise EventError(
                f'session "{session_id}" is there, and its event {event.version} is another'
                " one; import under another name"
            )
        known += 1
    for event in events[known:]:
        check_size(event.type, event.payload, limits)
    for start in range(known, len(events), PAGE):
        page = events[start : start + PAGE]
        yield page[0].version - 1, page


def _taken(event: Event, secrets: Secrets) -> Event:
    """An event of another log with masks for secrets, unless they are refused."""
    if isinstance(event.payload, Stored):
        said: Any = json.loads(event.payload.text)
        whole: Mapping[str, object] = {"payload": said}
        taken = secrets.taken(event.type, whole)
        if taken is whole:
            return event
        text = json.dumps(taken["payload"], ensure_ascii=False)
        return event.model_copy(update={"payload": event.payload.model_copy(update={"text": text})})
    given = vars(event.payload)
    taken = secrets.taken(event.type, given)
    if taken is given:
        return event
    model = type(event.payload)
    try:
        payload = model.model_validate(
            {k: v for k, v in taken.items() if k in event.payload.model_fields_set}
        )
    except ValidationError as error:
        raise EventError(explain(event.type, model, error)) from None
    return event.model_copy(update={"payload": payload})


def _there(store: HudStore[Any], session_id: str, events: Sequence[Event]) -> Iterator[Event]:
    if not events:
        return iter(())
    within = range(events[0].version, events[-1].version + 1)
    return (each for each in store.events(session_id) if each.version in within)


def _is_same(one: Event, other: Event) -> bool:
    """Tell whether two events say the same, whatever their ids."""
    return one.model_copy(update={"id": other.id}) == other
