"""``python -m tests.benchmarks.words_twice [FOLDER [BUDGET]]``: the words that a delivery repeats of its own request.

A scripted client of Claude Code: four prompts, two of them long ones with a rule, work in between, and a compaction whose
summary quotes some of them. Of the characters of task, goal, rules, where the work stands and the summary that the deliveries
have, those count that stand word for word in the messages of the same request.

With a folder of Claude Code transcripts, its sessions are played: each answer of a transcript is a request, with the messages
before it, and what happened until then is recorded. A word of a delivery is frame (a heading, a mark, a fixed text), or stands near,
in the last 20,000 tokens of its own request, or is new; a path is one word. Costs are beside the same requests without a HUD, at 0.1
for what a cache reads and 1.25 for what it writes. An idle delta has no new word.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hud_components import CODING, RulesList, TaskSection, WhereWeAre
from hud_components.changes import Line
from hud_components.words import RequestMessage
from hud_runtime import EventDraft, HudSession, HudStore, read_transcript
from hud_runtime.context.delivery import PRICES, Delivery
from hud_runtime.integrations.claude_code import texts_shown, words_said
from tests.benchmarks._inside import Block, mapping, spent
from tests.hosts.told import parts_of
from tests.hud_components.changes.reading import read
from tests.hud_runtime.integrations.claude_files import Client
from ujsx.tokens import estimate_tokens

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
        for line in read(text):
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


# --- Recorded sessions ---

NEAR = 20_000
"""Tokens at the end of a request."""

RUN = 3
"""Words in a row that count as the same words; a line of fewer counts whole."""


class Message(NamedTuple):
    """A message of a request."""

    words: RequestMessage
    time: int

    @property
    def text(self) -> str:
        """All that the model reads of it."""
        return f"{self.words.text}\n{self.words.shown}"


class Request(NamedTuple):
    """The messages of a request."""

    messages: list[Message]
    begins: bool
    """Whether it is the first one of its history."""
    size: int
    """Tokens of the whole, by the provider; 0 where it does not say."""


@dataclass
class Tally:
    """The deliveries of a session."""

    frame: float = 0
    near: float = 0
    new: float = 0
    deltas: int = 0
    idle: int = 0
    requests: int = 0
    ratio: float = 1.0
    whys: Counter[str] = field(default_factory=Counter[str])

    def count(self, made: Delivery, near: str) -> None:
        """Count what a delivery tells beside the end of its request."""
        if made.why is not None and made.parts:
            self.whys[made.why] += 1
        for part in made.parts:
            there, new = _shares(part.text, f" {near} ")
            tokens = estimate_tokens(part.text)
            self.near += tokens * there
            self.new += tokens * new
            self.frame += tokens * (1 - there - new)
            self.deltas += part.kind == "delta"
            self.idle += part.kind == "delta" and not new

    def row(self, name: str) -> str:
        """The line of a table."""
        tokens = self.frame + self.near + self.new
        shares = "".join(
            f"{each / (tokens or 1):7.0%}" for each in (self.frame, self.near, self.new)
        )
        whys = ", ".join(f"{count} {why}" for why, count in self.whys.most_common())
        return f"{name:40}{self.requests:9,}{self.ratio:9.4f}{tokens:8,.0f}{shares}{self.deltas:8}{self.idle:6}  {whys}"


def requests(path: Path) -> Iterator[Request]:
    """Yield the requests of a transcript, oldest first."""
    chain: list[Message] = []
    answer, begins = None, True
    for line in path.read_text("utf-8", "replace").splitlines():
        record = mapping(_json(line))
        said = mapping(record.get("message"))
        if record.get("isSidechain") or record.get("type") not in ("user", "assistant") or not said:
            continue
        if record.get("isCompactSummary"):
            chain, begins = [], True
        is_answer = record["type"] == "assistant"
        if is_answer and said.get("id") != answer and said.get("model") != "<synthetic>":
            answer = said.get("id")
            usage: Any = mapping(said.get("usage"))
            size = sum(int(usage.get(f"{each}input_tokens") or 0) for each in SIZES)
            yield Request([*chain], begins, size)
            begins = False
        chain.append(_message(record, said.get("content"), is_answer=is_answer))


SIZES = ("", "cache_read_", "cache_creation_")


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _message(record: Any, content: Any, *, is_answer: bool) -> Message:
    data = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
    moment = datetime.fromisoformat(str(record.get("timestamp") or "1970-01-01T00:00:00+00:00"))
    tools = data if isinstance(content, list) else b""
    words = RequestMessage(words_said(data), is_answer, texts_shown(tools))
    return Message(words, int(moment.timestamp() * 1000))


def played(path: Path, budget: int | None = None) -> Tally:
    """Play a transcript, and return what its deliveries tell and cost."""
    found, plain, size = Tally(), list[Block](), 0
    bare: list[list[Block]] = []
    full: list[list[Block]] = []
    ours: list[Block] = []
    transcript = read_transcript(path)
    drafts = [*transcript.drafts]
    sent: list[tuple[int, str]] = []  # behind how many messages, and the text
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s", started_at=transcript.started_at)
        for request in requests(path):
            sent = [] if request.begins else sent
            recorded_until(session, request, drafts)
            words = [each.words for each in request.messages]
            texts = [*(each.text for each in request.messages), *(text for _, text in sent)]
            made = session.deliver(conversation=words, texts=texts, budget=budget)
            session.delivered(made)
            found.count(made, _near(request, sent))
            sent += [(len(words), each.text) for each in made.parts]
            grown, size = request.size - (0 if request.begins else size), request.size
            plain, ours = ([], []) if request.begins else (plain, ours)
            added = Block(f"request {len(bare)}", max(1, grown))
            plain = [*plain, added]
            ours = [
                *ours,
                added,
                *(Block(each.text, estimate_tokens(each.text)) for each in made.parts),
            ]
            bare.append(plain)
            full.append(ours)
    found.requests = len(bare)
    found.ratio = _cost(full) / (_cost(bare) or 1.0)
    return found


def _cost(made: Sequence[Sequence[Block]]) -> float:
    """What requests cost with a cache breakpoint at the end of each, in tokens of plain input."""
    prices = PRICES["anthropic"]
    marked = ([*each[:-1], each[-1]._replace(is_marked=True)] for each in made)
    return sum(each.cost(prices) for each in spent(marked, prices.cache))


def recorded_until(session: HudSession[Any], request: Request, drafts: list[EventDraft]) -> None:
    """Record the drafts of what happened before a request, and take them away."""
    until = max((each.time for each in request.messages), default=0)
    later = (place for place, each in enumerate(drafts) if (each.timestamp or 0) > until)
    ready = drafts[: next(later, len(drafts))]
    del drafts[: len(ready)]
    session.record_all(ready, refused=lambda _draft, _error: None)


def _near(request: Request, sent: Sequence[tuple[int, str]]) -> str:
    """The words at the end of a request, with what was appended to it."""
    texts: list[str] = []
    for place, each in enumerate(request.messages):
        texts += [*(text for behind, text in sent if behind == place), each.text]
    near: list[str] = []
    left = NEAR
    for text in reversed(texts):
        tokens = estimate_tokens(text)
        near.append(text if tokens <= left else text[-len(text) * left // tokens :])
        left -= tokens
        if left <= 0:
            break
    return " ".join(_WORD.findall("\n".join(reversed(near)).lower()))


_WORD = re.compile(r"\w+(?:[./:@-]+\w+)*")

_MARK = re.compile(
    r"^#.*$|^\s*(?:[-*]|\d+\.)\s+(?:\[.\] )?(?:\*[^*]+:\*)?|\*\*[^*]+:\*\*", re.MULTILINE
)
"""Headings, bullets and the words of changes."""

FIXED = frozenset(
    word
    for section in CODING.sections
    for text in (*section.texts.values(), getattr(section, "title", ""))
    for word in _WORD.findall(text.lower())
)
"""The words of the HUD's fixed texts."""


def _shares(text: str, near: str) -> tuple[float, float]:
    """The shares of a text that stand near, and that are new."""
    there = new = 0
    for word, is_known in _known_words(text, near):
        there += (len(word) + 1) * is_known
        new += (len(word) + 1) * (not is_known and word.lower() not in FIXED)
    return there / len(text), new / len(text)


def new_words(text: str, near: str) -> list[str]:
    """Return the words of a text that are neither frame nor among those of another."""
    words = _known_words(text, f" {' '.join(_WORD.findall(near.lower()))} ")
    return [word for word, is_known in words if not is_known and word.lower() not in FIXED]


def _known_words(text: str, near: str) -> Iterator[tuple[str, bool]]:
    for line in _MARK.sub("", text).splitlines():
        words = _WORD.findall(line)
        known = [False] * len(words)
        run = min(RUN, len(words))
        for start in range(len(words) - run + 1):
            if f" {' '.join(words[start : start + run]).lower()} " in near:
                known[start : start + run] = [True] * run
        yield from zip(words, known, strict=True)


def print_recorded(folder: Path, budget: int | None = None) -> None:
    """Print a line for each transcript of a folder, and one for all."""
    tallies = {path.stem: played(path, budget) for path in sorted(folder.rglob("*.jsonl"))}
    tallies = {name: each for name, each in tallies.items() if each.requests}
    titles = f"{'frame':>7}{'near':>7}{'new':>7}{'deltas':>8}{'idle':>6}"
    print(f"{'session':40}{'requests':>9}{'cost':>9}{'tokens':>8}{titles}  whole")
    every = Tally(ratio=sum(each.ratio for each in tallies.values()) / max(1, len(tallies)))
    for name, each in tallies.items():
        print(each.row(name))
        for counted in ("frame", "near", "new", "deltas", "idle", "requests", "whys"):
            setattr(every, counted, getattr(every, counted) + getattr(each, counted))
    worst = max((each.ratio for each in tallies.values()), default=1.0)
    print(every.row(f"all; the worst costs {worst:.4f}"))


def main() -> None:
    """Print the count, or the table of a folder's sessions."""
    if len(sys.argv) > 1:
        print_recorded(Path(sys.argv[1]), *map(int, sys.argv[2:]))
        return
    with TemporaryDirectory() as folder:
        count = measured(Path(folder))
    print(f"{count.share:.0%}: {count.twice:,} of {count.all:,} characters")


if __name__ == "__main__":
    main()
