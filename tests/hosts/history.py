"""The history browser on a database that OpenCode itself has made: every command, while it runs and after it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from hud_runtime import read_transcript
from tests.hosts.model import Model
from tests.hosts.opencode import OpenCode, client
from tests.hosts.opencode_sessions import FIRST, SECOND, THIRD
from tests.hosts.place import NOT_THERE, Found

ASKED = """\
What did we do about the attempts?
!call memory {"call": {"op": "search", "query": "attempts hour"}}
!call memory {"call": {"op": "messages", "limit": 4}}
!call memory {"tool": "sessions", "args": {"limit": 5}}
!call memory {"call": {"op": "context"}}
!call memory {"call": {"op": "plans", "read": "1-quiet-otter.md"}}
!call memory {"call": {"op": "hud_note", "note": "Five attempts, we said"}}"""

TOLD = (
    "limit the wrong attempts", "What did we do about the attempts?", "ses_", "tokens used", "First the login", "Added n-",
)  # fmt: skip
"""What each of these calls is answered with."""

PLAN = "# The plan\n\nFirst the login, then the limit.\n"


def rows(folder: Path, *, rounds: int = 1) -> Found:
    """Make a database, and return what each command tells of it, and whether that is as it should be."""
    del rounds
    program = client()
    if program is None:
        return NOT_THERE
    found = Found()
    with Model() as model:
        place = OpenCode(folder / "history", program, model)
        plans = place.folder / "project" / ".opencode" / "plans"
        plans.mkdir(parents=True)
        (plans / "1-quiet-otter.md").write_text(PLAN)
        place.install("--memory")
        with place.running():
            first, second = place.begin(), place.begin()
            place.prompt(first, FIRST)
            place.compact(first)
            place.prompt(first, SECOND)
            place.prompt(second, THIRD)
            place.prompt(second, ASKED)
            found += _asked(place.call("GET", f"/session/{second}/message"))
            found += _commands(place, first, second, "in use")
            listed = place.call("GET", f"/session/{first}/message")
            _compare(found, place, first, listed)
        found += _commands(place, first, second, "closed")
    return found


def _commands(place: OpenCode, first: str, second: str, when: str) -> Found:
    """Run every command, and look whether a file of the database changes."""
    found = Found()
    before = _files(place) if when == "closed" else {}

    def told(what: str, *arguments: str, holds: Callable[[Any], bool]) -> None:
        data = _ujsx(place, "history", *arguments, "--json")
        text = _ujsx(place, "history", *arguments, as_json=False)
        found.append((f"{when}: {what}", _short(text), holds(data) and bool(text)))

    told("summary", "summary", holds=lambda data: data["counts"]["messages"] > 20)
    told(
        "sessions", "sessions", holds=lambda data: {each["id"] for each in data} == {first, second}
    )
    told("sessions of the project", "sessions", "--project", str(place.folder / "project"),
         holds=lambda data: len(data) == 2)  # fmt: skip
    told(
        "sessions of another folder",
        "sessions",
        "--project",
        "/nowhere",
        holds=lambda data: not data,
    )
    told("messages", "messages", first, "--limit", "100",
         holds=lambda data: [each["number"] for each in data["messages"]] == [*range(1, len(data["messages"]) + 1)])  # fmt: skip
    page = _ujsx(place, "history", "messages", first, "--json")
    name = page["messages"][-1]["id"]
    told("message", "message", name, holds=lambda data: data["id"] == name and bool(data["parts"]))
    told("search", "search", "attempts", "hour",
         holds=lambda data: bool(data["found"]) and not data["remark"])  # fmt: skip
    told("search in a result", "search", "assert", holds=lambda data: bool(data["found"]))
    told("search for nothing", "search", "xyzzy", holds=lambda data: not data["found"])
    told(
        "compactions",
        "compactions",
        first,
        holds=lambda data: len(data) == 1 and bool(data[0]["summary"]),
    )
    told("a compaction", "compactions", first, "1", holds=lambda data: bool(data["summary"]))
    told(
        "context",
        "context",
        first,
        holds=lambda data: data["used"] > 0 and data["limit"] == 200_000,
    )
    told(
        "children",
        "children",
        first,
        holds=lambda data: [each["parent"] for each in data] == [first],
    )
    told("plans", "plans", "--project", str(place.folder / "project"),
         holds=lambda data: [each["title"] for each in data] == ["The plan"])  # fmt: skip
    told("compare", "compare", first, second, holds=lambda data: data["left"]["compactions"] == 1)
    if before:
        found.append(
            (f"{when}: files of the database", ", ".join(sorted(before)), _files(place) == before)
        )
    return found


def _asked(messages: Any) -> Found:
    """What the agent's calls of the tool were answered with."""
    states = [
        part["state"]
        for message in messages
        for part in message["parts"]
        if part["type"] == "tool" and part["tool"] == "memory"
    ]
    answers = [str(each.get("output", each.get("error"))) for each in states]
    wrong = [
        answer for answer, told in zip(answers, TOLD, strict=True) if told not in answer
    ] if len(answers) == len(TOLD) else answers  # fmt: skip
    found = Found()
    told = str(wrong) if wrong else f"{len(answers)} calls"
    found.row("the tool memory, called by the model", told, holds=not wrong)
    return found


def _compare(found: Found, place: OpenCode, session: str, listed: Any) -> None:
    """Compare an export with what the host itself tells, and with what its database tells as a transcript."""
    target = place.folder / "exported.json"
    _ujsx(place, "history", "export", session, "--to", str(target), as_json=False)
    messages = json.loads(target.read_text("utf-8"))["messages"]
    same = [one == other for one, other in zip(messages, listed, strict=True)]
    found.append(
        ("export: messages as the host tells them", f"{sum(same)} of {len(same)}", all(same))
    )
    database = place.folder / "xdg" / "data" / "opencode" / "opencode.db"
    one = [each.type for each in read_transcript(target).drafts]
    other = [each.type for each in read_transcript(database, session=session).drafts]
    found.append(
        ("export: events of it, and of the database", f"{len(one)}, {len(other)}", one == other)
    )


def _ujsx(place: OpenCode, *arguments: str, as_json: bool = True) -> Any:
    call = [sys.executable, "-P", "-m", "hud_runtime", *arguments]
    done = subprocess.run(call, check=True, env=place.environment, capture_output=True, text=True)
    return json.loads(done.stdout) if as_json else done.stdout or done.stderr


def _files(place: OpenCode) -> Mapping[str, tuple[str, int]]:
    folder = place.folder / "xdg" / "data" / "opencode"
    return {
        each.name: (sha256(each.read_bytes()).hexdigest(), each.stat().st_mtime_ns)
        for each in folder.glob("opencode*.db*")
    }


def _short(text: str) -> str:
    lines = [each for each in text.splitlines() if each.strip()]
    return f"{len(lines)} lines, {lines[-1][:60]}"
