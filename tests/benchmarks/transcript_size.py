"""Long transcripts of each line-based format: the time as a ratio to ``json.loads``, and the memory.

Each is read in a process of its own, so that its memory is told apart. ``python -m
tests.benchmarks.transcript_size 100`` reads 100 MB of each; without a figure, 10. Names behind it choose formats.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from hud_runtime import read_transcript
from tests.hud_runtime.transcripts.stories import STORIES

FORMATS = (
    "Claude Code", "Codex rollout", "Codex rollout of 2025", "chat messages with blocks", "OpenHands events",
    "Copilot CLI", "messages in lines", "Gemini CLI, in lines",
)  # fmt: skip
IDS = ("uuid", "id", "$rewindTo")
MEGABYTES = 10
PADDING = "x" * 1_500
"""What is said beside the story, so that a line is as long as lines are."""


def write(name: str, path: Path, megabytes: int) -> None:
    """Write a file of that size: the story, again and again, each with ids of its own."""
    with TemporaryDirectory() as folder:
        story = STORIES[name](Path(folder)).read_text("utf-8").splitlines()
    size = number = 0
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes * 1_000_000:
            number += 1
            for line in story:
                record = {**json.loads(line), "padding": PADDING}
                record |= {key: f"{number}-{record[key]}" for key in IDS if key in record}
                size += file.write(json.dumps(record) + "\n")


def measure(path: Path) -> dict[str, float]:
    """Return the seconds of both readers, and the memory in MB."""
    begun = time.process_time()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    loaded = time.process_time()
    transcript = read_transcript(path)
    done = time.process_time()
    return {
        "loads": loaded - begun,
        "read": done - loaded,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "turns": transcript.turns,
    }


def main(megabytes: int = MEGABYTES, *names: str) -> None:
    print(f"\nTranscripts of {megabytes} MB: time beside json.loads, and memory")
    with TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        for name in names or FORMATS:
            write(name, path, megabytes)
            done = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.transcript_size", "--of", str(path)],
                capture_output=True,
                text=True,
                check=True,
            )
            told = json.loads(done.stdout)
            ratio = told["read"] / told["loads"]
            print(f"  {name:28} {ratio:5.1f} x  {told['memory']:5.0f} MB  {told['turns']:7,} turns")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--of"]:
        print(json.dumps(measure(Path(sys.argv[2]))))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else MEGABYTES, *sys.argv[2:])
