"""The readable difference: golden texts of an earlier revision's code beside today's, line by line."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden._outside import RECORDED
from tests.golden._texts import HASHES, TOPICS, Texts
from tests.golden._topics import EXAMPLES, ROOT, TRANSCRIPTS

OVERLAID = ("tests/golden", EXAMPLES, RECORDED, *TRANSCRIPTS)
"""The program and its inputs. They are today's on both sides, so that only the code differs."""

NUMBERS = re.compile(r"\b[0-9a-f]{16,}\b|[0-9]+")
"""What differs between changes that are alike: counts, versions, times and digests."""


def latest_revision() -> str:
    """Return the commit that last changed the hashes; HEAD where none did."""
    return _git("log", "-1", "--format=%H", "--", str(HASHES)).decode().strip() or "HEAD"


def difference(texts: Texts, revision: str, *, own: bool = False) -> Iterator[str]:
    """Yield the lines that tell how texts differ from those of a revision's code.

    The revision is unpacked into a temporary folder; the checkout stays as it is.

    :param own: run the revision's own program on its own inputs, where today's cannot run on its code.
    """
    with TemporaryDirectory() as folder:
        tree, then, now = (Path(folder, name) for name in ("tree", "then", "now"))
        with tarfile.open(fileobj=io.BytesIO(_git("archive", revision))) as packed:
            packed.extractall(tree, filter="data")
        for place in () if own else OVERLAID:
            shutil.rmtree(tree / place, ignore_errors=True)
            shutil.copytree(
                ROOT / place, tree / place, ignore=shutil.ignore_patterns("__pycache__")
            )
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        program = [sys.executable, "-m", "tests.golden", "--texts", then]
        subprocess.run(program, cwd=tree, env=environ, check=True, stdout=subprocess.DEVNULL)
        texts.write(now)
        for topic in TOPICS:
            if topic not in texts.skipped:
                yield from changes_of_topic(topic, then / topic, now / topic)


def changes_of_topic(topic: str, then: Path, now: Path) -> Iterator[str]:
    """Yield the changes of a topic; of those that differ in numbers alone the first is shown."""
    places: dict[str, Counter[str]] = {}
    first: dict[str, str] = {}
    for name in sorted({path.name for folder in (then, now) for path in folder.glob("*")}):
        sides = [str(side / name) if (side / name).exists() else os.devnull for side in (then, now)]
        patch = _git("diff", "--no-index", "--no-color", "--text", "-U2", *sides, ends=(0, 1))
        group = name.removesuffix(".txt")
        for hunk in patch.decode("utf-8", "backslashreplace").split("\n@@ ")[1:]:
            head, *lines = hunk.rstrip("\n").split("\n")
            kind = NUMBERS.sub("0", "\n".join(line for line in lines if line[:1] in {"+", "-"}))
            places.setdefault(kind, Counter())[group] += 1
            first.setdefault(kind, "\n".join((f"@@ {group}: {head.partition(' @@ ')[2]}", *lines)))
    if places:
        count = sum(groups.total() for groups in places.values())
        yield f"=== {topic}: {len(places)} kinds of change, places: {count}"
    for kind, groups in places.items():
        yield _visible(first[kind])
        if groups.total() > 1:
            names = ", ".join(f"{group} ({count})" for group, count in groups.items())
            yield f"@@ {groups.total()} places, but for numbers: {names}"


def _visible(text: str) -> str:
    """Return text that a terminal shows as it is: what controls it or cannot be seen is escaped."""
    return "".join(
        each if each == "\n" or each.isprintable() else each.encode("unicode_escape").decode()
        for each in text
    )


def _git(*arguments: str, ends: tuple[int, ...] = (0,)) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    if done.returncode not in ends:
        raise SystemExit(f"git {' '.join(arguments[:2])}: {done.stderr.decode().strip()}")
    return done.stdout
