"""Secrets that are found in all their dresses, texts that are taken for one, and the time of a look.

``python -m tests.benchmarks.masking FOLDER`` looks through each text file of a folder, and prints what was found in it
with the line around, for a person to judge: an example of a password in a manual is no false alarm. Without a folder,
it is the installed packages of this environment.
"""

from __future__ import annotations

import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hud_runtime.log.secrets import find, masked
from tests.benchmarks._timing import headed, medians
from tests.secret_shapes import DRESSES, recall, shapes

SHOWN = 200
"""Findings that are printed."""

LARGEST = 3_000_000
"""Bytes of a file that is looked through."""

HERE = Path(__file__).parents[2]


def texts_of(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the text files of a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
            data = path.read_bytes()
            if b"\0" not in data[:4_096]:
                yield path, data.decode("utf-8", "replace")


def _recall() -> None:
    total, missed = recall(masked)
    left = Counter(name for name, _ in missed)
    print(headed(f"Secrets: {len([*shapes()])} shapes in {len(DRESSES)} dresses"))
    for name in DRESSES:
        print(f"{name:24}  {left[name]:4} left")
    print(f"found {100 * (1 - len(missed) / total):.1f} % of {total:,}; aim: 95 %\n")


def _alarms(folder: Path) -> None:
    print(headed(f"Findings in {folder}"))
    lines = found = 0
    kinds: Counter[str] = Counter()
    for path, text in texts_of(folder):
        lines += text.count("\n") + 1
        for each in find(text):
            found += 1
            kinds[each.kind] += 1
            if found <= SHOWN:
                start = max(text.rfind("\n", 0, each.start) + 1, each.start - 60)
                around = text[start : each.start], text[each.start : each.end][:80]
                print(f"{path.relative_to(folder)}: {each.kind}: {around[0]}⟦{around[1]!r}⟧")
    rate = 10_000 * found / max(lines, 1)
    print(
        f"{found} in {lines:,} lines, {rate:.2f} in 10,000; aim: 1 that is none", dict(kinds), "\n"
    )


def _speed() -> None:
    code = "\n".join(
        path.read_text("utf-8") for path in sorted((HERE / "hud_runtime").glob("*/*.py"))
    )
    prose = "\n".join(path.read_text("utf-8") for path in sorted((HERE / "docs").glob("*/*.md")))
    given = {
        "a note of 120 characters": prose[2_000:2_120],
        "prose": prose[:100_000],
        "code": code[:100_000],
    }
    times = medians({name: partial(masked, text) for name, text in given.items()}, rounds=9)
    print(headed("A look, µs for 1,000 characters"))
    for name, time in times.items():
        print(f"{name:26}  {time * 1_000 / len(given[name]):8.1f}")
    print()


def main(folder: str | None = None) -> None:
    """Print what was measured."""
    _recall()
    _speed()
    _alarms(Path(folder or sysconfig.get_path("purelib")))


if __name__ == "__main__":
    main(*sys.argv[1:2])
