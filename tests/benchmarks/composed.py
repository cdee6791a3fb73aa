"""``python -m tests.benchmarks.composed FOLDER [TO]``: whether a composed request says what the whole HUD says.

Each transcript of a folder is played as ``tests.benchmarks.words_twice`` does. At its end stand the request as the host sends it,
deliveries among the messages, and the whole HUD at the same version. A line of the HUD is told (the deliveries, read back, have
it), or shown (the words of the request have it), or missing. With a second folder, the texts and twelve questions are written
there for a reader; the answers follow from the state.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hud_components import HudState
from hud_components.words import RequestMessage
from hud_runtime import HudStore, read_transcript
from hud_runtime.context.delivery import Part
from tests.benchmarks.words_twice import new_words, recorded_until, requests
from tests.hud_components.changes.reading import read


class Composed(NamedTuple):
    """A request as the host sends it, and the HUD at the same version."""

    name: str
    messages: Sequence[RequestMessage]
    parts: Sequence[tuple[int, Part]]
    """Deliveries, each with the number of the messages before it."""
    whole: str
    state: HudState

    @property
    def request(self) -> str:
        """The text of the request."""
        texts: list[str] = []
        for place, each in enumerate(self.messages):
            texts += [part.text for behind, part in self.parts if behind == place]
            texts.append("\n".join(filter(None, (each.text, each.shown))))
        texts += [part.text for behind, part in self.parts if behind == len(self.messages)]
        return "\n\n".join(texts)

    @property
    def told(self) -> list[str]:
        """The lines that who reads the deliveries knows."""
        texts = [part.text for _, part in self.parts]
        return [each.name for each in read(texts[0], texts[1:])] if texts else []

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield what the whole HUD says of an item, and "told", "shown" or "missing"; counts and readings are no items."""
        told = "\n".join(self.told)
        texts = [f"{each.text}\n{each.shown}".replace("\\n", "\n") for each in self.messages]
        every = "\n".join([told, *texts]).translate(_QUOTES)
        for line in read(self.whole):
            for said in line.name.split(" · "):
                if _NO_ITEM.match(said):
                    continue
                pieces = [one.translate(_QUOTES) for one in _JOINTS.split(said)]
                if not any(new_words(piece, told) for piece in pieces):
                    yield said, "told"
                elif all(piece in every or not new_words(piece, every) for piece in pieces):
                    yield said, "shown"
                else:
                    yield said, "missing"


_QUOTES = str.maketrans("", "", "\\\"'")

_NO_ITEM = re.compile(r"…|\W* ?(?:Context: )?\d+% used")
"""Counts of what is left out, and readings."""

_JOINTS = re.compile(
    r"…| — goal: | → | \(\+\d+ more\)|^(?:[A-Z][\w ]+|agent|user|why|ran|asked): |(?:: (?:pass|fail)(?: in turn \d+)?| \(\w+\))(?:, | \d+ more$|$)|(?:, )?put in: |before later edits$|: "
)
"""The joints of an item, and what the HUD says of it in words of its own."""


def composed(path: Path) -> Composed | None:
    """Play a transcript; None for one without a request."""
    transcript = read_transcript(path)
    drafts, sent = [*transcript.drafts], list[tuple[int, Part]]()
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s", started_at=transcript.started_at)
        found: Composed | None = None
        for request in requests(path):
            sent = [] if request.begins else sent
            recorded_until(session, request, drafts)
            messages = [each.words for each in request.messages]
            texts = [*(each.text for each in request.messages), *(part.text for _, part in sent)]
            made = session.deliver(conversation=messages, texts=texts)
            session.delivered(made)
            sent = [*sent, *((len(messages), each) for each in made.parts)]
            found = Composed(path.stem, messages, sent, session.hud().text, session.known)
    return found


def questions(state: HudState) -> list[tuple[str, str]]:
    """Return twelve questions and their answers."""
    task = state.task
    steps, checks, files = state.next_steps, state.checks, state.active_files
    facts = {each.name: each.value for each in state.facts}

    def named(texts: Sequence[str]) -> str:
        return "; ".join(texts) or "none"

    return [
        ("What did the user ask for last?", task.description if task else "nothing"),
        ("What is the session about?", (task.goal or task.description) if task else "nothing"),
        ("What has the user ruled out, or asked for once and for all?", named([each.text for each in state.rules])),
        ("Which files does the agent change?", named([each.path for each in files if each.status == "editing"])),
        ("Which file was used last?", max(files, key=lambda each: each.last_accessed).path if files else "none"),
        ("Which checks failed when they ran last?", named([each.command for each in checks if each.result == "fail"])),
        ("Which checks passed, with no edit since?", named([each.command for each in checks if each.result == "pass" and not each.edited_since])),
        ("Which errors are open?", named([each.message for each in state.errors])),
        ("Which steps are open?", named([each.description for each in steps if not each.completed])),
        ("Which steps are done?", named([each.description for each in steps if each.completed])),
        ("What was decided?", named([each.summary for each in state.decisions])),
        ("Which branch is it?", facts.get("branch", "not known")),
    ]  # fmt: skip


def main() -> None:
    """Print the table, and write the materials."""
    print(f"{'session':32}{'parts':>7}{'told':>7}{'shown':>7}{'missing':>9}")
    for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
        made = composed(path)
        if made is None:
            continue
        lines = [*made.lines()]
        counts = [sum(how == one for _, how in lines) for one in ("told", "shown", "missing")]
        print(f"{made.name:32}{len(made.parts):7}{counts[0]:7}{counts[1]:7}{counts[2]:9}")
        print(*(f"    missing: {said}" for said, how in lines if how == "missing"), sep="\n")
        if len(sys.argv) > 2:
            to = Path(sys.argv[2]) / made.name
            to.mkdir(parents=True)
            (to / "request.md").write_text(made.request, "utf-8", "surrogatepass")
            (to / "whole.md").write_text(made.whole, "utf-8", "surrogatepass")
            asked = [{"question": one, "answer": two} for one, two in questions(made.state)]
            (to / "questions.json").write_text(json.dumps(asked, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
