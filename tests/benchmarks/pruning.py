"""``make pruning``: print what smart pruning wins on recorded sessions, and what it loses.

    python -m tests.benchmarks.pruning [FOLDER_OR_FILE ...] [--each] [--lost]

Every output of a tool is pruned in each mode, whatever the pressure was. Won are tokens, as estimated. What an agent
used of an output is counted in the turns that follow, twenty by default: whole lines that stand in its words or in
the arguments of its calls, as an edit quotes them; and paths of the output that it names. A line is kept when it stands
in the pruned output, a path when it stands anywhere in it. All that was cut must come back by one call.

Without a folder, the sessions that the tables were tuned on and the others are told apart: ``UJSX_CORPORA`` names the
folder of both, else it is ``../shared/data``.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from hud_runtime import HudSession, HudStore, Limits, TranscriptError
from hud_runtime.context.pruning import MODES, ModeName, SmartPruning, ToolOutput
from hud_runtime.observe import AgentMessage, OfChild, ToolAnswer, ToolCall
from tests.benchmarks._inside import open_source, recognised

ROOT = Path(__file__).parents[2]

AHEAD = 20
"""Turns of the agent in which it is counted what it uses."""

SHORTEST = 12
"""Characters of a line that tells where it comes from."""

PATH = re.compile(
    r"[\w@.+-]*+(?:/[\w@.+-]++)++|\b[\w-]++\.(?:py|js|ts|tsx|go|rs|java|md|json|toml|c|h|cpp|rb|sh|ya?ml)\b"
)
"""A path in a text."""

NUMBERED = re.compile(r"^[ \t]*\d+(?:→|\t|[:|] ?)")
"""What a reading tool puts before each line of a file."""


@dataclass(slots=True)
class Step:
    """A turn of the agent: what it says and asks for, and what comes back."""

    said: list[str] = field(default_factory=list[str])
    outputs: list[ToolOutput] = field(default_factory=list[ToolOutput])


@dataclass(slots=True)
class Score:
    """What pruning in one mode comes to."""

    outputs: int = 0
    pruned: int = 0
    tokens: int = 0
    won: int = 0
    lines: int = 0
    """Lines that the agent used."""
    lines_kept: int = 0
    paths: int = 0
    paths_kept: int = 0
    cut: int = 0
    """Of lines and paths that were used, those of outputs of which something was cut."""
    brought_back: int = 0
    lost: list[str] = field(default_factory=list[str])

    def add(self, other: Score) -> None:
        """Count another one in."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def kept(self) -> float:
        """The part of what was used that is still there, in percent."""
        used = self.lines + self.paths
        return 100 * (self.lines_kept + self.paths_kept) / used if used else 100.0


def steps_of(path: Path) -> list[Step]:
    """Return a transcript's steps; those of sub-agents are their own and are left out.

    :raises TranscriptError: for a file that is no transcript.
    """
    source = open_source(path, Limits.of_environment())
    form, _ = recognised(source)
    steps = [Step()]
    calls: dict[str | None, ToolCall] = {}
    waiting: list[ToolCall] = []
    name: str | None = None
    for seen in form.observations(source):
        match seen:
            case AgentMessage():
                if seen.message_id is None or seen.message_id != name:
                    steps.append(Step())
                name = seen.message_id
                steps[-1].said.append(seen.text)
            case ToolCall():
                steps[-1].said.extend(_texts(seen.arguments))
                calls[seen.call_id] = seen
                waiting.append(seen)
            case ToolAnswer():
                call = calls.get(seen.call_id) if seen.call_id else next(iter(waiting), None)
                if call in waiting:
                    waiting.remove(call)
                if call is not None and seen.text:
                    steps[-1].outputs.append(
                        ToolOutput(text=seen.text, tool=call.name, arguments={**call.arguments})
                    )
            case OfChild() | _:
                pass
    return steps


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(each)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list | tuple):
        for each in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(each)  # pyright: ignore[reportUnknownArgumentType]


def _line(text: str) -> str:
    return NUMBERED.sub("", text).strip()


def score(steps: list[Step], mode: ModeName, policy: SmartPruning, ahead: int = AHEAD) -> Score:
    """Return what pruning each output of a session in a mode wins and loses."""
    made = Score()
    said = [[each for text in step.said for each in text.split("\n")] for step in steps]
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        for number, step in enumerate(steps):
            later = {_line(each) for each in chain(*said[number + 1 : number + 1 + ahead])}
            named = {path for each in later for path in PATH.findall(each)}
            for output in step.outputs:
                made.add(_one(session, output, (later, named), mode, policy))
    return made


def _one(
    session: HudSession, output: ToolOutput, used_by: tuple[set[str], set[str]], mode: ModeName, policy: SmartPruning
) -> Score:  # fmt: skip
    later, named = used_by
    made = Score(outputs=1, tokens=output.size)
    pruned = policy.prune(output, mode=policy.modes[mode])
    lines = {_line(each) for each in output.text.split("\n")}
    used = {each for each in lines & later if len(each) >= SHORTEST}
    paths = {each for each in named if len(each) > 4 and each in output.text}
    made.lines, made.paths = len(used), len(paths)
    if pruned is None:
        made.lines_kept, made.paths_kept = made.lines, made.paths
        return made
    left = {_line(each) for each in pruned.text.split("\n")}
    made.pruned, made.won, made.cut = 1, pruned.won, len(used) + len(paths)
    made.lines_kept = len(used & left)
    made.paths_kept = sum(each in pruned.text for each in paths)
    made.lost = [f"{pruned.kind}: {each}" for each in sorted(used - left)]
    made.lost += [
        f"{pruned.kind}: path {each}" for each in sorted(paths) if each not in pruned.text
    ]
    session.keep_output(pruned.id, output.text)
    call = {"op": "output", "id": pruned.id}
    answer = session.call("hud", {"call": call})
    whole = answer.text.rpartition("\n")[0]  # the last line is the HUD's status
    made.brought_back = int(whole == output.text)
    return made


def sessions(paths: Iterable[Path]) -> Iterator[tuple[str, list[Step]]]:
    """Yield the sessions among files and the files of folders; what is none is passed over."""
    for path in paths:
        files = (
            sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        )
        for file in files:
            try:
                found = steps_of(file)
            except (TranscriptError, UnicodeDecodeError):
                continue
            if any(step.outputs for step in found):
                yield file.name, found


def report(title: str, found: Iterable[tuple[str, list[Step]]], *, each: bool, lost: bool) -> None:
    """Print a table of what each mode comes to."""
    policy = SmartPruning()
    known = [*found]
    totals: dict[ModeName, Score] = {mode: Score() for mode in MODES}
    for name, steps in known:
        own: dict[ModeName, Score] = {mode: score(steps, mode, policy) for mode in MODES}
        for mode, one in own.items():
            totals[mode].add(one)
        if each:
            _table(name, own)
    _table(f"{title}: {len(known)} sessions", totals)
    if lost:
        for mode, one in totals.items():
            print(f"lost in {mode}:", *one.lost[:60], sep="\n  ")


def _table(title: str, scores: dict[ModeName, Score]) -> None:
    print(title, "=" * len(title), sep="\n")
    print(
        "| mode | outputs | pruned | tokens | won | lines used, kept | paths used, kept | kept | of what was pruned | back by one call |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for mode, one in scores.items():
        lost = one.lines + one.paths - one.lines_kept - one.paths_kept
        of_cut = f"{100 * (one.cut - lost) / one.cut:.1f} %" if one.cut else "-"
        print(
            f"| {mode} | {one.outputs:,} | {one.pruned:,} | {one.tokens:,} | {one.won:,} ({100 * one.won / max(1, one.tokens):.1f} %)"
            f" | {one.lines_kept:,} of {one.lines:,} | {one.paths_kept:,} of {one.paths:,} | {one.kept:.1f} % | {of_cut}"
            f" | {one.brought_back:,} of {one.pruned:,} |"
        )
    print()


def main(arguments: list[str] | None = None) -> int:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--each", action="store_true", help="a table for each session, too")
    parser.add_argument("--lost", action="store_true", help="name what was used and is gone")
    options = parser.parse_args(arguments)
    if options.paths:
        report("these", sessions(options.paths), each=options.each, lost=options.lost)
        return 0
    data = Path(os.environ.get("UJSX_CORPORA") or ROOT.parent / "shared" / "data") / "sessions"
    tuned = [data / "labelled"]
    others = [ROOT / "hud_runtime" / "data", *sorted(data.glob("*.*")), data / "formats"]
    report("tuned on", sessions(tuned), each=options.each, lost=options.lost)
    report("others", sessions(others), each=options.each, lost=options.lost)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
