"""The changes that an edit makes to an item or a value: field by field, as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hud_components.folding import Verb
from hud_components.words import line
from hud_runtime.editing._arguments import merged
from hud_runtime.editing._layout import Spot
from hud_runtime.editing._result import Problem
from hud_runtime.editing._rows import Row
from ujsx.errors import shown


class Reworded:
    """An item before and after an edit: what changed of it, and what must not.

    :param before: as the text had it.
    :param after: as the text has it.
    :param full: what it says where nothing is cut.
    :param verb: what changes it; None where nothing does.
    """

    def __init__(
        self,
        spot: Spot,
        item: Any,
        before: Row,
        after: Row,
        *,
        full: Mapping[str, str],
        verb: Verb | None,
    ) -> None:
        self.changed: dict[str, object] = {}
        """The fields with their new values, as they were written."""

        self.problems: list[Problem] = []
        self._spot = spot
        self._item = item
        self._before, self._after = before, after
        self._full = full
        for field in spot.kind.fields:
            was, now = before.told.get(field), after.told.get(field)
            if was == now:
                continue
            wrong = self._wrong(field, was, is_cut=field in before.values, verb=verb)
            if wrong is not None:
                self._problem(wrong, field)
            elif now is None and field not in after.said:
                self._take_away(field)
            else:
                self._change(field)

    def _wrong(self, field: str, was: str | None, *, is_cut: bool, verb: Verb | None) -> str | None:
        """Why a field cannot be changed, if it cannot."""
        kind = self._spot.kind
        if not kind.takes(verb, field):
            return "no operation of an edit sets it; put it back as it was"
        if is_cut and was and was != self._full.get(field) and self._is_cut(field):
            if kind.kind is None:
                return (
                    f"only the beginning of it was shown: {shown(was)}; put that back, or edit the "
                    "HUD in full"
                )
            return (
                f"only the beginning of it, or a short form, was shown: {shown(was)}; put "
                "that back, or edit the HUD in full"
            )
        if was is None and self._full.get(field):
            return (
                f"it says something that is not shown here: {shown(self._full[field])}; leave "
                "this out, or edit the HUD in full"
            )
        return None

    def _is_cut(self, field: str) -> bool:
        """Tell whether the line did not have all that it has of the field's value."""
        written = self._before.form.text_of(field, getattr(self._item, field))
        return self._before.values[field] != line(written)

    def _change(self, field: str) -> None:
        try:
            self.changed[field] = merged(self._after, field, getattr(self._item, field))
        except ValueError as error:
            self._problem(f"{error}; put it back as it was, or change it by a call", field)

    def _take_away(self, field: str) -> None:
        """Set a field that is not written any more to its default, if that is not written either."""
        info = self._spot.kind.section.value.model_fields[field]
        usual = info.get_default(call_default_factory=True)
        if not info.is_required():
            without = self._item.model_copy(update={**self.changed, field: usual})
            if not self._spot.tells(without, field):
                self.changed[field] = usual
                return
        self._problem(f"it is gone; put it back: {shown(self._full.get(field, ''))}", field)

    def _problem(self, message: str, field: str) -> None:
        place, title = self._after.place, self._spot.title
        self.problems.append(Problem(message, place.line, place.column, title, field))
