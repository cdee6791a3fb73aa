"""All that is stored, rendered, sent and exported is what its hashes in the repository say."""

from __future__ import annotations

from tests.golden._texts import Hashes
from tests.golden._topics import golden


def test_no_topic_changes_without_its_hash() -> None:
    changes = Hashes.of(golden()).changes(Hashes.read())
    assert not changes, (
        "\n".join(f"{topic}: {how}" for topic, how in changes.items())
        + "\n`make golden DIFF=1` shows what changed; if all of it was meant, `make golden UPDATE=1`"
    )
