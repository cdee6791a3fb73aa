"""``python -m tests.benchmarks.words_twice``: the words that a delivery repeats of its own request.

A scripted client of Claude Code: four prompts, two of them long ones with a rule, work in between, and a compaction whose
summary quotes some of them. Of the characters of task, goal, rules, where the work stands and the summary that the deliveries
have, those count that stand word for word in the messages of the same request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hud_components import RulesList, TaskSection, WhereWeAre
from hud_components.delta._lines import Line, lines_of
from hud_runtime import HudStore
from tests.hosts.told import parts_of
from tests.hud_runtime.integrations.claude_files import Client

PROMPTS = (
    "Add a login with short-lived tokens to the shop, so that nobody needs a session table any more. Never push to main.",
    "The tokens have to be rotated each hour. Do not rename any public endpoint.",
    "Write the documentation of the new endpoints, with an example for each of them in curl and in Python.",
    "Look at the failing test of the rotation, and tell me why it fails before you change anything.",
)
FINDINGS = (
    "The schema and the endpoints are there, and the session table is gone. The tokens live for ten minutes, which is my guess.",
    "Each hour there is a new key now, and the old one is good for ten more minutes. Shall the interval be a setting?",
    "The documentation has an example for each endpoint, but for the one that the mobile application calls: is it public?",
    (
        "The rotation reads the clock twice, so a token that is made at the full hour is refused. I can read it once and pass it on,"
        " or round it down. Which one do you want?"
    ),
)
SUMMARY = """\
The user wants a login with short-lived tokens. The schema and the endpoints are done; the rotation fails at the full hour.

Pending: read the clock once. The user said: "Never push to main."
"""

TITLES = (TaskSection.title, RulesList.title, WhereWeAre.title, "Before the compaction")


class Count(NamedTuple):
    """Characters of the words of a conversation that deliveries have."""

    all: int
    twice: int
    """Those that stand in the messages of the same request, too."""

    @property
    def share(self) -> float:
        """The part of them that stands there twice."""
        return self.twice / self.all if self.all else 0.0


def counted(texts: Sequence[str], conversation: Sequence[str]) -> Count:
    """Return the characters of the conversation's words in deliveries, and those that repeat the conversation."""
    talk = " ".join(" ".join(conversation).split())
    words = [part for line in _lines(texts) for part in parts_of(line)]
    return Count(sum(map(len, words)), sum(len(each) for each in words if each in talk))


def _lines(texts: Sequence[str]) -> Iterator[Line]:
    for text in texts:
        for each in lines_of(text):
            line = each.line
            dense = next((one for one in TITLES if line.name.startswith(f"{one}: ")), None)
            if dense is not None:
                yield Line(dense, line.text, line.name.removeprefix(f"{dense}: "))
            elif line.title in TITLES:
                yield line


def measured(folder: Path) -> Count:
    """Play the session, and return what its requests have of the conversation's words."""
    found: list[Count] = []
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        client = Client(folder, store, summary=SUMMARY)

        def look() -> None:
            told = [text for each in client.chain for text in _told(each)]
            found.append(counted(told, client.conversation))

        client.meanwhile = look
        for number, prompt in enumerate(PROMPTS):
            client.turn(prompt, partial(client.notes, f"Endpoint {number} is done"))
            client.says(FINDINGS[number])
        client.compact()
        client.turn("Read it once.", partial(client.notes, "The clock is read in one place"))
        client.turn("Go on with the documentation of the rotation.", lambda: None)
    return Count(sum(each.all for each in found), sum(each.twice for each in found))


def _told(record: dict[str, Any]) -> list[str]:
    content: Any = record.get("attachment", {}).get("content") or ()
    return [str(each) for each in content]


def main() -> None:
    """Print the count."""
    with TemporaryDirectory() as folder:
        count = measured(Path(folder))
    print(f"{count.share:.0%}: {count.twice:,} of {count.all:,} characters")


if __name__ == "__main__":
    main()
