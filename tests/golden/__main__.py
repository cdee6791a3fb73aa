"""Compare the golden texts with their hashes, rewrite the hashes, or show what changed: ``make golden``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path

from tests.golden._difference import difference, latest_revision
from tests.golden._texts import HOW_TO_GO_ON, TOPICS, Hashes
from tests.golden._topics import golden


def main() -> int:
    """Run the command; return 1 where a topic has changed and nothing else was asked."""
    parser = ArgumentParser("make golden", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the hashes anew")
    parser.add_argument("--diff", metavar="REVISION", help="show the changes since this revision's code; "
                        "1 is the commit that last changed the hashes")  # fmt: skip
    parser.add_argument(
        "--own", action="store_true", help="run the revision's own program and inputs"
    )
    parser.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="write the texts, and compare nothing"
    )
    asked = parser.parse_args()
    texts = golden()
    if asked.texts:
        texts.write(asked.texts)
        return 0
    hashes = Hashes.of(texts)
    changes = hashes.changes(Hashes.read())
    for topic in (*TOPICS, *(changes.keys() - {*TOPICS})):
        skipped = texts.skipped.get(topic)
        state = f"skipped: {skipped}" if skipped else changes.get(topic, "as before")
        print(f"{topic:24} {hashes[topic]['cases'] if topic in hashes else '-':>6}  {state}")
    if asked.diff:
        revision = latest_revision() if asked.diff == "1" else asked.diff
        print(f"\nthe code of {revision} (-) and today's (+):")
        for line in difference(texts, revision, own=asked.own):
            print(line)
    if asked.update:
        hashes.write()
    elif changes and not asked.diff:
        print(f"\n{HOW_TO_GO_ON}")
    return bool(changes) and not asked.update and not asked.diff


sys.exit(main())
