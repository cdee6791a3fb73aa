"""Calls in every file at hand: those that are read, and that are told as left out, are those in its raw data."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from hud_runtime import Limits, TranscriptError, read_transcript
from hud_runtime.observe import OfChild, ToolCall
from tests.hud_runtime.inside import open_source, recognised
from tests.hud_runtime.transcripts.test_records import RECORDS, SAMPLES, nodes
from tests.ids import looped

ROOT = RECORDS.parents[3]
CORPORA = Path(os.environ.get("UJSX_CORPORA") or ROOT.parent / "shared" / "data")

TYPES = {
    "tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call", "local_shell_call",
    "shell_call", "apply_patch_call", "computer_call", "mcp_call", "web_search_call", "file_search_call",
    "image_generation_call", "code_interpreter_call", "tool_search_call", "backend_tool_call", "tool_call",
    "toolCall", "tool-call", "dynamic-tool", "tool-invocation",
}  # fmt: skip
OTHER_TYPES = {
    ("part_kind", "tool-call"), ("part_kind", "builtin-tool-call"), ("kind", "ActionEvent"),
    ("type", "tool.execution_start"),
}  # fmt: skip
LISTS = ("tool_calls", "toolCalls", "toolRequests")
KEYS = ("functionCall", "toolUse", "function_call")
"""The forms of calls in data."""

IDS = ("call_id", "toolCallId", "tool_call_id", "callID", "toolUseId", "tool_id", "id")

NAMES = ("name", "toolName", "tool_name")
"""The members of a call's id and of its tool."""

IN_TEXTS = {
    each.form or each.file.partition(".")[0]: each.calls
    for each in SAMPLES
    if each.file.startswith(
        ("SWE-agent", "mini", "OpenHands trajectory", "aider", "Cline", "codex")
    )
}
"""Formats whose calls stand in texts, or in forms of their own."""

LEFT_OUT = ("repeated", "demonstration", "earlier session", "other sample", "copied step", "backend_tool_call")  # fmt: skip
"""Kinds of records that are told as left out, or as not understood, and may have calls."""


def _files() -> Iterator[Path]:
    """Every file, and every folder that is one session."""
    for folder in (RECORDS, ROOT / "hud_runtime" / "data", CORPORA / "sessions"):
        stores = [one.parent for one in folder.rglob("message") if (one.parent / "part").is_dir()]
        yield from stores
        inner = (one for one in folder.rglob("*") if not {*one.parents} & {*stores})
        yield from (one for one in inner if one.is_file() and one.name != "EXPECTED.json")


def _values(path: Path) -> Iterator[Any]:
    """The data in a file: a value, lines, a database's cells, a zip's members, a folder's files."""
    if path.is_dir():
        yield from (json.loads(one.read_bytes()) for one in sorted(path.rglob("*.json")))
        return
    data = path.read_bytes()
    if data.startswith(b"SQLite"):
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            rows = db.execute("SELECT data FROM message UNION ALL SELECT data FROM part")
            yield from (json.loads(one) for (one,) in rows)
    elif data.startswith(b"PK"):
        with zipfile.ZipFile(path) as file:
            yield from (json.loads(file.read(one)) for one in file.namelist() if "samples/" in one)
    elif path.suffix == ".md":
        yield from data.decode().splitlines()
    else:
        try:
            yield json.loads(data)
        except ValueError:
            yield from _lines(data)


def _lines(data: bytes) -> Iterator[Any]:
    for line in data.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # broken, or cut off: told as a problem


def _calls(value: Any) -> Iterator[Mapping[str, Any]]:
    for one in nodes(value):
        kind = one.get("type")
        is_part = kind == "tool" and "state" in one
        is_window = str(kind).startswith("tool-") and "toolCallId" in one and kind != "tool-result"
        is_part |= kind == "function" and not one.keys().isdisjoint(IDS)
        is_named = any(one.get(name) == word for name, word in OTHER_TYPES)
        if (isinstance(kind, str) and kind in TYPES) or is_part or is_window or is_named:
            yield {**one, **(one["data"] if isinstance(one.get("data"), dict) else {})}
        lists = (one[name] for name in LISTS if isinstance(one.get(name), list))
        yield from (each for calls in lists for each in calls if isinstance(each, dict))
        yield from (one[name] for name in KEYS if isinstance(one.get(name), dict))


def in_file(path: Path) -> int:
    """The number of calls in a file's data; of those with the same id and tool one counts."""
    found: set[object] = set()
    for number, value in enumerate(_values(path)):
        for place, call in enumerate(_calls(value)):
            call_id = next((call[each] for each in IDS if isinstance(call.get(each), str)), None)
            named = {**call, **call["function"]} if isinstance(call.get("function"), dict) else call
            name = next((named[each] for each in NAMES if each in named), "")
            found.add((number, place) if call_id is None else (call_id, name))
    return len(found)


def _read(path: Path) -> int:
    """The number of calls that are read, those of sub-agents among them."""
    source = open_source(path, Limits())
    form, _ = recognised(source)
    told = [one.seen if isinstance(one, OfChild) else one for one in [*form.observations(source)]]
    calls = (one for one in told if isinstance(one, ToolCall) and not one.by_user)
    return len({id(one.arguments) for one in calls})


@looped("path", [*_files()], ids=lambda path: path.name)
def test_each_call_in_a_file_is_read_or_told_as_left_out(path: Path) -> None:
    try:
        transcript = read_transcript(path)
    except TranscriptError:
        return  # refused by its name
    count = IN_TEXTS.get(transcript.format)
    found = in_file(path) if count is None else sum(map(count, _values(path)))
    counts = {**transcript.unread, **transcript.skipped}
    left_out = sum(counts.get(kind, 0) for kind in LEFT_OUT)
    assert _read(path) <= found <= _read(path) + left_out or transcript.others
