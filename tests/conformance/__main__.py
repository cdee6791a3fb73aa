"""``make conformance``: the table of what is promised, measured for remark and for us in one run.

Exit status 1 if we miss a case that the readers agree about, 2 if something is not installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from tests.conformance import _corpora as corpora
from tests.conformance import _stress as stress
from tests.conformance._adversarial import adversarial
from tests.conformance._alike import alike
from tests.conformance._missing import MissingError
from tests.conformance._node import Node
from tests.conformance._oracles import commonmark_oracles, gfm_oracles
from tests.conformance._round_trips import random_round_trips, round_trips
from tests.conformance._sources import sources
from tests.conformance._table import Row, account, head, line


def measures(node: Node, trees: int, seed: int) -> Iterator[tuple[str, list[Row]]]:
    """Yield each part of the table with its title."""
    commonmark = _found(corpora.commonmark)
    gfm, extensions = _found(corpora.gfm), _found(corpora.gfm_extensions)
    of_commonmark, of_gfm = commonmark_oracles(node), gfm_oracles(node)
    yield (
        "html(write(read(text))) == html(text), by reader",
        [
            *round_trips("CommonMark", commonmark, of_commonmark, node, gfm=False),
            *round_trips("GFM", gfm, of_gfm, node, gfm=True),
            *round_trips("GFM extensions", extensions, of_gfm, node, gfm=True),
        ],
    )
    yield (
        "read(text) equal to remark's tree",
        [
            alike("CommonMark", commonmark, node, gfm=False),
            alike("CommonMark, read as GFM", commonmark, node),
            alike("GFM", gfm, node),
            alike("GFM extensions", extensions, node),
            alike("READMEs of installed packages", corpora.readmes(), node),
        ],
    )
    yield (
        f"What is shown of random documents, seed {seed}: write(read(text)) as text",
        [
            *random_round_trips(
                "CommonMark", sources(trees, seed, gfm=False), of_commonmark, gfm=False
            ),
            *random_round_trips("GFM", sources(trees, seed, gfm=True), of_gfm, gfm=True),
        ],
    )
    for name, is_gfm in (("CommonMark", False), ("GFM", True)):
        title = f"Adversarial {name} trees, seed {seed}: read(write(tree)) == tree"
        yield title, adversarial(trees, seed, node, gfm=is_gfm)


def _found(corpus: Callable[[], list[corpora.Document]]) -> list[corpora.Document]:
    """Return a corpus; nothing, with a plain word about it, if it is not on this machine."""
    try:
        return corpus()
    except MissingError as error:
        print(f"skipped: {error}", file=sys.stderr)
        return []


def main() -> int:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("trees", type=int, nargs="?", default=4_000, help="for each dialect")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=10, help="misses listed for a measure")
    options = parser.parse_args()
    started = time.monotonic()
    rows: list[Row] = []
    try:
        with Node() as node:
            for title, part in measures(node, options.trees, options.seed):
                print(head(title))
                measured = [row for row in part if row.cases]
                print("\n".join(map(line, measured)), flush=True)
                rows += measured
    except MissingError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    print("\nWhat makes parsers slow: at the size named, and compared with half of it\n")
    for text in stress.lines():
        print(text, flush=True)
    print("\n".join(account(rows, options.shown)))
    missed = sum(len(row.ours.misses) for row in rows)
    print(f"\n{missed or 'no'} missed; {time.monotonic() - started:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
