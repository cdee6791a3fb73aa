"""The policy for secrets in recorded data: mask them, refuse them, or keep them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, Self, TypeAlias, cast, get_args

from pydantic import BaseModel

from hud_runtime._errors import EventError, LimitError
from hud_runtime.secrets._find import MASK, USUAL, Found, Table, find, masked
from hud_runtime.secrets._pattern import SecretPattern
from hud_runtime.secrets._patterns import PATTERNS
from hud_runtime.secrets._surroundings import STEMS
from hud_runtime.secrets._walk import Place, check_depth, place_name, replaced, texts_in
from ujsx.errors import did_you_mean, quoted

Mode: TypeAlias = Literal["mask", "refuse", "off"]

VARIABLE = "UJSX_SECRETS"
"""The environment's variable that sets the mode, for the command and where no other is given."""

MASKED = re.compile(r"\[secret: ([a-z0-9-]+)\]")
"""A mask, as :data:`hud_runtime.secrets._find.MASK` makes it."""

NAMES: Mapping[str, frozenset[str]] = {
    "session.start": frozenset({"project", "parent", "domain"}),
    "session.look": frozenset({"digest"}),
}
"""Fields, by type of event, that name something: the same as elsewhere, or it is not found again."""


@dataclass(frozen=True)
class Secrets:
    """The policy for secrets in recorded data.

    >>> Secrets("refuse").mode
    'refuse'
    """

    mode: Mode = "mask"
    """``"mask"`` puts a text like ``[secret: github-token]`` in a secret's place, ``"refuse"`` records
    nothing of the event, ``"off"`` looks for none."""

    patterns: Sequence[SecretPattern] = PATTERNS
    """The kinds of secrets to look for: ``(*PATTERNS, own)``, or others."""

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise LimitError(
                f"{quoted(str(self.mode))} is nothing to do with secrets;"
                f" {did_you_mean(str(self.mode), get_args(Mode))}"
            )

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Return what the environment asks for; masks where it says nothing.

        :raises LimitError: for a value of the variable that is no mode.

        >>> Secrets.of_environment({"UJSX_SECRETS": "off"}).mode
        'off'
        """
        environ = os.environ if environ is None else environ
        mode: Any = environ.get(VARIABLE) or "mask"
        try:
            return cls(mode)
        except LimitError as error:
            raise LimitError(f"{VARIABLE}: {error}") from None

    @cached_property
    def _table(self) -> Table:
        return USUAL if self.patterns is PATTERNS else Table(self.patterns)

    def find(self, text: str) -> list[Found]:
        """Return the secrets in a text, in their order."""
        return find(text, self._table)

    def masked(self, text: str) -> str:
        """Return a text with a mask in the place of each secret."""
        return masked(text, self._table)

    def taken(self, event_type: str, payload: Mapping[str, object]) -> Mapping[str, object]:
        """Return what of a payload is to be recorded: the same object where it has no secret.

        :raises EventError: where it has one, and secrets are refused; it says which, and where. Also for a payload that
            contains itself, or is nested too deep, in any mode.
        """
        if self.mode == "off":
            check_depth(payload)
            return payload
        names = NAMES.get(event_type, frozenset())
        found = self._first({k: v for k, v in payload.items() if k not in names})
        if found is None:
            return payload
        if self.mode == "refuse":
            place, kind = found
            raise EventError(
                f'{event_type}: the field "{place}" holds what looks like a secret, of the kind {kind};'
                f" leave it out, and say where it is kept instead; {VARIABLE}=mask masks secrets"
            )
        check_depth(payload)  # behind the secret, too
        return {
            name: part if name in names else self.masked_data(_data(part), (name,))
            for name, part in payload.items()
        }

    def masked_data(self, data: Any, place: Place = ()) -> Any:
        """Return JSON data with masks in the place of secrets: in texts, in keys, and behind keys that say "secret".

        :param place: where the data stands.

        >>> Secrets().masked_data({"env": {"DB_PASSWORD": "-".join(["correct", "horse"])}})
        {'env': {'DB_PASSWORD': '[secret: password]'}}
        """
        return replaced(data, self._masked_at, place, key=self.masked)

    def _masked_at(self, place: Place, text: str) -> str:
        kind = self._kind_behind(place, text)
        return self.masked(text) if kind is None else MASK.format(kind)

    def _kind_behind(self, place: Place, text: str) -> str | None:
        """Return the kind of a text that is a secret as a whole, by the key that it stands behind."""
        key = str(place[-1]) if place else ""
        if not _has_stem(key):
            return None
        quote = next((each for each in "\"'`" if each not in text), '"')
        before = f"{key}: {quote}"
        within = [each for each in self.find(f"{before}{text}{quote}") if each.start <= len(before)]
        is_all = bool(within) and within[-1].end >= len(before) + len(text)
        return within[-1].kind if is_all else None

    def _first(self, payload: Mapping[str, object]) -> tuple[str, str] | None:
        """The place and the kind of the first secret."""
        for name, value in payload.items():
            for place, text in texts_in(value, (name,), keys=True):
                if kind := self._kind_behind(place, text):
                    return place_name(place), kind
                if found := self.find(text):
                    return place_name(place), found[0].kind
        return None


@lru_cache(1024)
def _has_stem(key: str) -> bool:
    """Tell whether a key may say "secret"."""
    return any(map(key.lower().__contains__, STEMS))


def newly_masked(given: object, recorded: object) -> list[str]:
    """Return the kinds of secrets that were masked in what was given, by what was recorded of it.

    >>> newly_masked({"content": "the key"}, {"content": "the [secret: jwt]"})
    ['jwt']
    """
    there = Counter(_masks(recorded))
    return sorted(there - Counter(_masks(given))) if there else []


def _masks(value: object) -> list[str]:
    texts = [text for _, text in texts_in(value) if "[secret: " in text]
    return [kind for text in texts for kind in MASKED.findall(text)]


def _data(value: object) -> Any:
    """Return a value as data that can be changed; models are made of it again."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, (list, tuple)):
        return [_data(each) for each in cast("list[object]", value)]
    return value
