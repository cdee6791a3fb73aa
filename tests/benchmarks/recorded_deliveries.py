"""``python -m tests.benchmarks.recorded_deliveries FOLDER [BUDGET]``: what deliveries cost and tell in recorded sessions.

Each answer of a Claude Code transcript is a request, with the messages before it. What the transcript records until then is
recorded in a session, and a delivery is appended. Tokens are estimated; the cache reads at 0.1, and writes at 1.25. A word of a
delivery is frame (a heading, a mark, a fixed text), or stands in the last 20,000 tokens of its own request, or is new.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hud_components import CODING
from hud_components.words import RequestMessage
from hud_runtime import HudStore, read_transcript
from hud_runtime.delivery import Delivery
from hud_runtime.delivery._economy import Turn, cost_of
from hud_runtime.delivery._prices import PRICES, Block
from hud_runtime.observation._json import mapping, sequence
from ujsx.tokens import estimate_tokens

NEAR = 20_000
"""Tokens at the end of a request in which a word counts as standing there already."""

RUN = 3
"""Words in a row that count as the same words; a line of fewer counts whole."""


class Message(NamedTuple):
    """A message of a request."""

    words: RequestMessage
    time: int
    tokens: int
    all: str
    """All that the model reads of it."""


class Request(NamedTuple):
    """The messages of a request; ``begins`` where a compaction has replaced the history."""

    messages: list[Message]
    begins: bool
    size: int | None
    """Tokens of the whole request, by the provider."""


@dataclass
class Tally:
    """What the deliveries of a session tell and cost."""

    frame: float = 0
    near: float = 0
    new: float = 0
    deltas: int = 0
    idle: int = 0
    """Deltas without a new word."""
    whys: Counter[str] = field(default_factory=Counter[str])
    ratio: float = 1.0
    requests: int = 0
    texts: list[str] = field(default_factory=list[str])

    @property
    def tokens(self) -> float:
        return self.frame + self.near + self.new


def requests(path: Path) -> Iterator[Request]:
    """Yield the requests of a transcript, oldest first."""
    chain: list[Message] = []
    answer, begins = "", True
    for line in path.read_text("utf-8", "replace").splitlines():
        record = mapping(_json(line))
        said = mapping(record.get("message"))
        if record.get("isSidechain") or record.get("type") not in ("user", "assistant") or not said:
            continue
        is_answer = record["type"] == "assistant"
        if record.get("isCompactSummary"):
            chain, begins = [], True
        if is_answer and said.get("id") != answer and said.get("model") != "<synthetic>":
            answer = str(said.get("id"))
            yield Request([*chain], begins, _size(mapping(said.get("usage"))))
            begins = False
        chain.append(_message(record, said.get("content"), is_answer=is_answer))


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _size(usage: Any) -> int | None:
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(int(usage.get(name) or 0) for name in names) or None


def _message(record: Any, content: Any, *, is_answer: bool) -> Message:
    from datetime import datetime

    moment = datetime.fromisoformat(str(record.get("timestamp", "1970-01-01T00:00:00+00:00")))
    if isinstance(content, str):
        said, shown = content, ""
    else:
        blocks = [mapping(each) for each in sequence(content)]
        said = "\n".join(str(each.get("text")) for each in blocks if each.get("type") == "text")
        tools = (each for each in blocks if each.get("type") in ("tool_use", "tool_result"))
        shown = "\n".join(one for each in tools for one in _strings(each.get("input", each.get("content"))))
    all_of_it = f"{said}\n{shown}"
    words = RequestMessage(said, is_answer, shown)
    return Message(words, int(moment.timestamp() * 1000), estimate_tokens(all_of_it), all_of_it)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def measured(path: Path, budget: int | None = None, *, prices: str = "anthropic") -> Tally:
    """Play a transcript, and return what its deliveries tell and cost."""
    found = Tally()
    transcript = read_transcript(path)
    drafts = [*transcript.drafts]
    turns: list[Turn] = []
    sent: list[tuple[int, str]] = []
    """What was appended: how many messages stand before it, and the text."""
    nothing = Block("", 0)
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s", started_at=transcript.started_at)
        size = 0
        for number, request in enumerate(requests(path)):
            until = max((each.time for each in request.messages), default=0)
            ready = next((n for n, each in enumerate(drafts) if (each.timestamp or 0) > until), len(drafts))
            session.record_all(drafts[:ready], refused=lambda _draft, _error: None)
            del drafts[:ready]
            sent = [] if request.begins else sent
            made = session.deliver(
                conversation=[each.words for each in request.messages], budget=budget,
                texts=[*(each.all for each in request.messages), *(text for _, text in sent)],
            )  # fmt: skip
            session.delivered(made)
            _count(found, made, _near(request, sent))
            sent += [(len(request.messages), each.text) for each in made.parts]
            history = sum(each.tokens for each in request.messages)
            whole = request.size or history + 12_000
            first = whole if number == 0 else first
            grown = whole - (0 if request.begins else size)
            size = whole
            appended = tuple(Block(each.text, estimate_tokens(each.text)) for each in made.parts)
            turns.append(Turn(max(1, grown), nothing, nothing, nothing, appended, request.begins))
    found.requests = len(turns)
    if turns:
        table = PRICES[prices]
        found.ratio = cost_of(turns, "append", table, 0) / cost_of(turns, "none", table, 0)
    return found


def _near(request: Request, sent: Sequence[tuple[int, str]]) -> str:
    """The last tokens of a request, with what was appended to it."""
    texts: list[str] = []
    for place, each in enumerate(request.messages):
        texts += [text for behind, text in sent if behind == place]
        texts.append(each.all)
    texts += [text for behind, text in sent if behind >= len(request.messages)]
    left, near = NEAR, list[str]()
    for text in reversed(texts):
        tokens = estimate_tokens(text)
        near.append(text if tokens <= left else text[-len(text) * left // tokens :])
        left -= tokens
        if left <= 0:
            break
    return _plain("\n".join(reversed(near)))


_WORD = re.compile(r"\w+(?:[./:@-]+\w+)*")

_MARK = re.compile(r"^#.*$|^\s*(?:[-*]|\d+\.)\s+(?:\[.\] )?(?:\*[^*]+:\*)?|\*\*[^*]+:\*\*", re.MULTILINE)
"""Headings, bullets and the words of changes in a delivery."""


def _fixed() -> frozenset[str]:
    """The words of the HUD's fixed texts."""
    words: set[str] = set()
    for section in CODING.sections:
        words |= {one for text in (*section.texts.values(), getattr(section, "title", "")) for one in _WORD.findall(text.lower())}
    return frozenset(words)


FIXED = _fixed()


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _count(found: Tally, made: Delivery, near: str) -> None:
    if made.why is not None and made.parts:
        found.whys[made.why] += 1
    for part in made.parts:
        frame, there, new = _split(part.text, f" {near} ")
        tokens, letters = estimate_tokens(part.text), len(part.text)
        found.near += tokens * there / letters
        found.new += tokens * new / letters
        found.frame += tokens * (letters - there - new) / letters
        if part.kind == "delta":
            found.deltas += 1
            found.idle += not new
        found.texts.append(f"[{made.why or part.kind}; {tokens} tokens: {new / letters:.0%} new, {there / letters:.0%} near]\n{part.text}")


def _split(text: str, near: str) -> tuple[int, int, int]:
    """The characters of a text that are frame, that stand near, and that are new."""
    there = new = 0
    for line in _MARK.sub("", text).splitlines():
        words = _WORD.findall(line)
        known = [False] * len(words)
        run = min(RUN, len(words))
        for start in range(len(words) - run + 1):
            if f" {' '.join(words[start : start + run]).lower()} " in near:
                known[start : start + run] = [True] * run
        for word, is_known in zip(words, known, strict=True):
            if is_known:
                there += len(word) + 1
            elif word.lower() not in FIXED:
                new += len(word) + 1
    return max(0, len(text) - there - new), there, new


def main() -> None:
    """Measure each transcript of a folder, and print a line for each and for all."""
    folder, *rest = sys.argv[1:]
    budget = next((int(each) for each in rest if each.isdigit()), None)
    tallies = {path.stem: measured(path, budget) for path in sorted(Path(folder).rglob("*.jsonl"))}
    tallies = {name: each for name, each in tallies.items() if each.requests}
    print(f"{'session':40}{'requests':>9}{'cost':>8}{'tokens':>8}{'frame':>7}{'near':>6}{'new':>6}{'deltas':>8}{'idle':>6}  whole")
    for name, each in tallies.items():
        _print(name, each)
        if "texts" in rest:
            print(*each.texts, sep="\n")
    every = Tally()
    for each in tallies.values():
        for name in ("frame", "near", "new", "deltas", "idle", "requests"):
            setattr(every, name, getattr(every, name) + getattr(each, name))
        every.whys += each.whys
    every.ratio = sum(each.ratio for each in tallies.values()) / len(tallies)
    _print(f"all; the worst costs {max(each.ratio for each in tallies.values()):.4f}", every)


def _print(name: str, one: Tally) -> None:
    shares = [each / (one.tokens or 1) for each in (one.frame, one.near, one.new)]
    whys = ", ".join(f"{count} {why}" for why, count in one.whys.most_common())
    print(
        f"{name:40}{one.requests:9,}{one.ratio:8.4f}{one.tokens:8,.0f}{shares[0]:7.0%}{shares[1]:6.0%}{shares[2]:6.0%}"
        f"{one.deltas:8}{one.idle:6}  {whys}"
    )


if __name__ == "__main__":
    main()
