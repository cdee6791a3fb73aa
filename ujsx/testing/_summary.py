"""The end of a run with snapshots: what differs in all tests, the figures that were written, a table of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ujsx.testing._difference import Difference, report
from ujsx.testing._snapshot_files import FOLDER
from ujsx.testing._token_figures import WrittenFigures, pull_request_table, write_agreed

Found = Iterable[Mapping[str, Any]]
"""What the fixtures of tests found, as their reports have it."""


def summary(found: Found, failed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what is to be told of a run, each with its title.

    :param failed: the tests that failed by snapshots alone.
    """
    differences = _all(found, "differences", Difference)
    if failed and differences:
        count = sum(each.is_failure for each in differences)
        more = f" and {len(failed) - 1:,} more tests" if len(failed) > 1 else ""
        them = "snapshot fails" if count == 1 else "snapshots fail"
        yield f"{count:,} {them}: {min(failed)}{more}", report(differences)
    written: list[WrittenFigures] = _all(found, "written", WrittenFigures)
    table = pull_request_table(
        {(*each.place, each.tier): (each.before or {}, each.now) for each in written}
    )
    if table:
        yield "tokens, as a table for a pull request", table


def write(found: Found, root: Path) -> None:
    """Write the figures that were agreed to.

    :param root: pytest's root directory.
    """
    write_agreed(root, root / FOLDER, _all(found, "written", WrittenFigures))


def _all(found: Found, name: str, kind: type[Any]) -> list[Any]:
    made = [msgspec.convert(one, kind) for each in found for one in each[name]]
    return sorted(made, key=lambda one: one.place)  # whichever worker was first
