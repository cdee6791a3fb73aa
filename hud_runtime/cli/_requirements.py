"""The distributions that ujsx needs, by its own metadata, and whether the installed ones suffice.

The bounds stand in ``pyproject.toml`` alone; an installed ujsx carries them in its metadata.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires

_LINE = re.compile(
    r"(?P<name>\w+(?:[.-]+\w+)*)\s*(?:>=\s*(?P<oldest>\d+(?:\.\d+)*))?"
    r"\s*(?:;\s*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?"
)
"""A requirement of ours: a name, the oldest version that will do, the extra that it belongs to."""

_RELEASE = re.compile(
    r"v?(?:\d+!)?(?P<release>\d+(?:\.\d+)*)(?P<before>[-_.]?(?:a|b|c|rc|dev)\d*)?"
)
"""The beginning of a version (the specification "Version specifiers" of PyPA): the release, and
whether it is one before that."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A distribution that ujsx needs, or that one of its extras needs."""

    name: str
    oldest: str | None = None
    """The oldest version that will do; ``None`` where any will."""
    extra: str | None = None

    @classmethod
    def parse(cls, line: str) -> Requirement:
        """Return what a line of the metadata says.

        :raises ValueError: for a line that says more than ours do.

        >>> Requirement.parse("pytest>=8; extra == 'testing'")
        Requirement(name='pytest', oldest='8', extra='testing')
        """
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"{line!r} is no requirement of the form NAME>=VERSION; extra == EXTRA"
            )
        return cls(**match.groupdict())

    def is_met_by(self, version: str) -> bool:
        """Tell whether an installed version is new enough; one that cannot be read is taken to be.

        >>> needed = Requirement("pydantic", "2.12")
        >>> [needed.is_met_by(version) for version in ("2.9", "2.12.0rc1", "2.12", "2.12.0.post1", "3")]
        [False, False, True, True, True]
        """
        found = _RELEASE.match(version)
        if self.oldest is None or found is None:
            return True
        release, oldest = _numbers(found["release"]), _numbers(self.oldest)
        return release > oldest or (release == oldest and found["before"] is None)


def requirements() -> Sequence[Requirement] | None:
    """Return what the installed ujsx needs; ``None`` where it runs without being installed."""
    try:
        lines = requires("ujsx")
    except PackageNotFoundError:
        return None
    return [Requirement.parse(line) for line in lines or ()]


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release, without the zeros at its end: 2.12 and 2.12.0 are one."""
    numbers = [int(number) for number in release.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
