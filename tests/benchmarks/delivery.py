"""Delivery: what a HUD costs in each place, over 100 and 200 turns of a session.

The session is made up at random, as coding sessions go: each turn a file is read or edited, and now
and then a step is done, a note taken, something decided, or an error met; every forty turns comes a
new ask. Its HUDs are real, and so are the deltas. A turn adds 1,500 tokens to the history, behind
12,000 of system prompt and tools.

    python -m tests.benchmarks.delivery FOLDER [...]

compares the bill of recorded Claude Code sessions with the usage that stands in their files. Each is played again, with what
``deliver`` says before each request appended. What that costs is counted apart from the bill: in exact o200k tokens, brought
to the provider's by the growth of the recorded prompts, and read from the cache, or written to it, as the recorded request
was up to the place of each text. So are the HUD's tools and instructions, at the beginning of each request.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, combinations, pairwise
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from hud_components import CODING
from hud_components.words import RequestMessage
from hud_runtime import (
    EventDraft,
    HudSession,
    HudStore,
    Reanchor,
    TranscriptError,
    read_transcript,
    replay,
)
from hud_runtime.context.delivery import PRICES, Bill, Prices
from hud_runtime.history.exchange import replayed
from hud_runtime.tools import INSTRUCTIONS, definitions
from tests.benchmarks._inside import (
    EACH,
    WAYS,
    Block,
    Course,
    Record,
    Turn,
    cost_of,
    mapping,
    sequence,
    tool_tokens,
    whole,
)
from ujsx import Rendered
from ujsx.schema import schema_tokens
from ujsx.tokens import estimate_tokens, rs_bpe_counter

SEED = 7
WINDOW = 400_000
READS = (0.05, 0.1, 0.25, 0.5, 0.75)
"""Prices of tokens that are read from a cache, of which providers ask one or the other."""

FILES = tuple(
    f"src/{room}/{name}.py"
    for room in ("ledger", "api", "auth", "store")
    for name in ("models", "routes", "worker", "retry", "schema", "tests")
)
NOTES = (
    "The worker retries {n} times before it parks an event",
    "Port {n} is what the staging proxy expects",
    "Batch {n} took twice as long as the one before; the index is missing",
    "Fixtures live in tests/data/{n}; do not edit them by hand",
)


def edits(turns: int, seed: int = SEED) -> Iterator[list[EventDraft]]:
    """Yield what happens in each turn of a session."""
    source = random.Random(seed)
    yield [
        EventDraft("task.set", {"description": "Move the ledger service to PostgreSQL"}),
        *(
            EventDraft("step.add", {"description": f"Step {n}: migrate part {n} of the ledger"})
            for n in range(6)
        ),
    ]
    for turn in range(1, turns):
        file = FILES[min(int(source.expovariate(0.25)), len(FILES) - 1)]
        drafts = [
            EventDraft(source.choice(["file.open", "file.open", "file.edit"]), {"path": file})
        ]
        if turn % 40 == 0:
            drafts.append(EventDraft("task.set", {"description": f"Now part {turn} of the ledger"}))
        if source.random() < 0.15:
            words = source.choice(NOTES).format(n=turn)
            drafts.append(EventDraft("note.add", {"content": words}))
        if source.random() < 0.07:
            said = {
                "summary": f"Decision {turn}: keep the old tables",
                "details": "A week is enough",
            }
            drafts.append(EventDraft("decision.record", said))
        if source.random() < 0.12:
            drafts.append(
                EventDraft("step.add", {"description": f"Step {turn}: check part {turn}"})
            )
        if source.random() < 0.10:
            said = {"message": f"test_ledger_{turn} failed: 3 != {turn}"}
            drafts.append(EventDraft("error.encountered", said))
        yield [
            *drafts,
            EventDraft("context.snapshot", {"used": 12_000 + EACH * turn, "limit": WINDOW}),
        ]


def happen(session: HudSession, drafts: list[EventDraft], source: random.Random) -> None:
    """Record what happens in a turn; what is open is now and then done."""
    session.record_all(drafts)
    state = session.known
    steps = [step for step in state.next_steps if not step.completed]
    errors = [error for error in state.errors if not error.resolved]
    if steps and source.random() < 0.12:
        session.record("step.complete", id=steps[0].id)
    if errors and source.random() < 0.15:
        session.record("error.resolved", id=errors[0].id)
    if state.notes and source.random() < 0.03:
        note = source.choice(state.notes)
        session.record("note.update", id=note.id, content=f"{note.content}, as of now")


def block(text: str) -> Block:
    return Block(text, estimate_tokens(text))


@lru_cache(maxsize=8)
def played(turns: int, reanchor: int | None = None) -> tuple[list[Turn], list[Rendered]]:
    """Play a session, and return what was sent in each turn."""
    made: list[Turn] = []
    huds: list[Rendered] = []
    source = random.Random(SEED + 1)
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        for drafts in edits(turns):
            happen(session, drafts, source)
            rendered = session.hud()
            again = None if reanchor is None else Reanchor(tokens=reanchor)
            delivery = session.deliver(reanchor=again)
            session.delivered(delivery.id)
            static, *rest = rendered.layers
            huds.append(rendered)
            whole, behind = block(rendered.text), "\n".join(each.text for each in rest if each.text)
            appended = tuple(block(each.text) for each in delivery.parts)
            made.append(Turn(whole, whole, block(static.text), block(behind), appended))
    return made, huds


def ratios(turns: Sequence[Turn], prices: Prices, tools: int = 0) -> dict[str, float]:
    """Return by the way of sending how many times as much as without a HUD the requests cost; "tools" is tools alone."""
    course = Course(turns, tools=tools)
    without = cost_of(course, "none", prices)
    return {way: cost_of(course, way, prices) / without for way in (*WAYS, "tools")}


def print_costs() -> None:
    """Print what each way costs beside no HUD."""
    title = "What a HUD costs, beside none: requests of a session, real renderings"
    print(title, "=" * len(title), sep="\n")
    print(f"{'':28}" + "".join(f"{name:>24}" for name in PRICES))
    print(f"{'turns':28}" + f"{'100':>12}{'200':>12}" * len(PRICES))
    tools = tool_tokens(CODING)
    rows: dict[str, tuple[str, int | None]] = {way: (way, None) for way in (*WAYS, "tools")}
    rows |= {f"append, reanchor={tokens:,}": ("append", tokens) for tokens in (30_000, 60_000)}
    for name, (way, again) in rows.items():
        columns = [
            ratios(played(turns, again)[0], prices, tools)[way]
            for prices in PRICES.values()
            for turns in (100, 200)
        ]
        print(f"{name:28}" + "".join(f"{each:11.3f}×" for each in columns))
    print(f"tools and instructions have {tools:,} tokens in each request")
    print_cheapest()
    for turns in (100, 200):
        made, _ = played(turns)
        sent = [sum(each.tokens for each in turn.appended) for turn in made]
        quiet = sum(not each for each in sent)
        print(
            f"{turns} turns: {sum(sent):,} tokens appended in all, nothing in {quiet} turns;"
            f" a whole HUD has {made[-1].whole.tokens} tokens at the end"
        )
    print()


def print_cheapest() -> None:
    """Print how appending compares with a tail by what cached tokens cost, over 100 turns."""
    turns = played(100)[0]
    print("reads cost, of plain input:  " + "".join(f"{read:>8}" for read in READS))
    for way in ("append", "tail, marked"):
        columns = [ratios(turns, Prices("breakpoints", read=read))[way] for read in READS]
        print(f"  {way:27}" + "".join(f"{each:7.3f}×" for each in columns))


class Recorded(NamedTuple):
    """A request of a recorded session."""

    read: int
    written: int
    plain: int
    texts: tuple[str, ...]
    """What stands in the file since the request before: what is said, calls of tools, and their results."""

    messages: tuple[RequestMessage, ...]
    """The same as messages: what is said, and what calls and results show."""

    is_compacted: bool
    """Whether the history was compacted since the request before."""

    turn: int
    """The number of the message that answers it."""

    @property
    def prompt(self) -> int:
        return self.read + self.written + self.plain

    @property
    def cost(self) -> float:
        prices = PRICES["anthropic"]
        return prices.read * self.read + prices.write * self.written + prices.input * self.plain

    @property
    def price_of_head(self) -> float:
        """The price of a token at the beginning of the prompt, where the tools are."""
        prices = PRICES["anthropic"]
        return prices.read if self.read else prices.write if self.written else prices.input


def recorded_requests(path: Path) -> Iterator[Recorded]:
    """Yield the requests of a Claude Code transcript, with what its file says of each."""
    texts, messages, is_compacted = list[str](), list[RequestMessage](), False
    turn, last = 0, ""
    for line in path.read_text("utf-8", "replace").splitlines():
        record = mapping(json.loads(line) if line.startswith("{") else None)
        said = mapping(record.get("message"))
        if record.get("subtype") == "compact_boundary":
            is_compacted = True
            texts.clear()
            messages.clear()
        if record.get("isSidechain") or record.get("type") not in ("user", "assistant"):
            continue
        is_answer, usage = record["type"] == "assistant", mapping(said.get("usage"))
        is_new = is_answer and said["id"] != last
        if is_new:
            turn, last = turn + 1, str(said["id"])
        if is_new and usage and said.get("model") != "<synthetic>":
            names = ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
            cached, written, plain = (whole(usage.get(name)) for name in names)
            said_since = tuple(texts), tuple(messages)
            yield Recorded(cached, written, plain, *said_since, is_compacted, turn)
            is_compacted = False
            texts.clear()
            messages.clear()
        content = said.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in map(mapping, sequence(blocks)):
            is_said, text = block.get("type") == "text", _words(block)
            messages.append(
                RequestMessage(text if is_said else "", is_answer, "" if is_said else text)
            )
            texts.append(text)


def _words(block: Record) -> str:
    """What the model reads of a block of a message; of an image nothing, and of what it thought."""
    if block.get("type") == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False)
    content = block.get("content", block.get("text", ""))
    if isinstance(content, str):
        return content
    return "".join(_words(mapping(each)) for each in sequence(content))


class Agreement(NamedTuple):
    """How a bill agrees with the usage of the host; each is the bill's figure over the counted one, less 1."""

    requests: int
    counted: float
    """How many times as much as without a HUD the requests cost, in fact."""

    with_tools: float
    """The same with the HUD's tools and instructions in each request."""

    without: float
    extra: float


def agreement(
    path: Path, requests: list[Recorded], factor: float, count: Callable[[str], int]
) -> Agreement:
    """Compare a session's bill with its usage.

    :param factor: tokens of the provider for one of ``count``.
    """
    words = sum(schema_tokens(each, count) for each in definitions("mcp")) + count(INSTRUCTIONS)
    extra = factor * _extra(requests, [*deliveries(path, requests)], count)
    tools = factor * words * sum(each.price_of_head for each in requests)
    without = sum(each.cost for each in requests)
    bill = billed(path)
    own = bill.ways["append"] - bill.without
    return Agreement(
        len(requests),
        1 + extra / without,
        1 + (extra + tools) / without,
        bill.without / without - 1,
        own / extra - 1,
    )


def growth(requests: list[Recorded], count: Callable[[str], int]) -> Iterator[tuple[int, int]]:
    """Yield how prompts grew, in the provider's tokens, and what was said meanwhile, in ours."""
    for old, new in pairwise(requests):
        if not new.is_compacted and new.prompt > old.prompt:
            yield new.prompt - old.prompt, sum(map(count, new.texts))


def _slope(grown: list[tuple[int, int]]) -> float:
    """The provider's tokens for one of ours: the median of the slopes between any two requests, by weight."""
    slopes = sorted(
        ((b[0] - a[0]) / (b[1] - a[1]), abs(b[1] - a[1]))
        for a, b in combinations(grown, 2)
        if abs(b[1] - a[1]) >= 100
    )
    half = sum(own for _, own in slopes) / 2
    ends = accumulate(own for _, own in slopes)
    return next((slope for (slope, _), end in zip(slopes, ends, strict=True) if end >= half), 1.0)


def deliveries(path: Path, requests: list[Recorded]) -> Iterator[str]:
    """Yield what is appended before each request of a recorded session."""
    drafts = [*read_transcript(path)]
    conversation: list[RequestMessage] = []
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        for request in requests:
            if request.is_compacted:
                conversation.clear()
            conversation += request.messages
            later = [place for place, one in enumerate(drafts) if (one.turn or 0) >= request.turn]
            replay(drafts[: later[0]], session)
            del drafts[: later[0]]
            delivery = session.deliver(conversation=conversation)
            session.delivered(delivery)
            yield delivery.text


def _extra(requests: list[Recorded], appended: list[str], count: Callable[[str], int]) -> float:
    """What texts cost that are appended to recorded requests."""
    prices, cost = PRICES["anthropic"], 0.0
    standing: list[tuple[int, int]] = []
    for request, text in zip(requests, appended, strict=True):
        if request.is_compacted:
            standing.clear()
        end = request.read + request.written
        for at, (place, tokens) in enumerate(standing):
            cost += tokens * (prices.read if place <= request.read else prices.write)
            standing[at] = (min(place, end), tokens)  # where the prompt has become shorter
        standing.append((end, count(text)))
        # What is new costs what the request's own new tokens did.
        cost += standing[-1][1] * (prices.write if request.written else prices.input)
    return cost


def billed(path: Path) -> Bill:
    """Return the bill of a recorded session."""
    with replayed(path) as found:
        return found.session.cost(words=found.words())


def print_agreement(folders: list[Path]) -> None:
    """Print how the bills of recorded sessions agree with the usage in their files."""
    count = rs_bpe_counter("o200k_base")
    sessions: dict[Path, list[Recorded]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.jsonl")) if folder.is_dir() else [folder]:
            with suppress(TranscriptError, KeyError, json.JSONDecodeError):
                requests = [*recorded_requests(path)]
                if len(requests) >= 5 and any(each.read for each in requests):
                    sessions[path] = requests
    factor = _slope([each for one in sessions.values() for each in growth(one, count)])
    print(f"{'session':34}{'requests':>9}{'HUD':>8}{'and tools':>11}{'without':>9}{'extra':>8}")
    found = {path: agreement(path, one, factor, count) for path, one in sessions.items()}
    for path, (number, hud, tools, without, extra) in found.items():
        print(f"{path.stem:34}{number:9}{hud:8.4f}{tools:11.4f}{without:+9.1%}{extra:+8.1%}")
    columns: list[tuple[float, ...]] = [*zip(*found.values(), strict=True)]
    hud, tools, without, extra = (mean(map(abs, each)) for each in columns[1:])
    print(f"{'on average; the bill is off by':43}{hud:8.4f}{tools:11.4f}{without:9.1%}{extra:8.1%}")
    hud, tools = (
        max(getattr(each, name) for each in found.values()) for name in ("counted", "with_tools")
    )
    print(f"{'at worst':43}{hud:8.4f}{tools:11.4f}")


def main() -> None:
    """Measure and print."""
    print_costs()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What a HUD costs.")
    parser.add_argument("folder", nargs="*", type=Path, help="folders of recorded sessions")
    folders = parser.parse_args().folder
    if folders:
        print_agreement(folders)
    else:
        main()
