"""Files of the founding plugin for working memory, as a session remembers them from then on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hud_components import CODING
from hud_components.memory import CODING_MEMORY, AgentMemory, CoreGoal, CoreProgress
from hud_runtime import ExchangeError, HudStore
from hud_runtime.cli import main
from hud_runtime.history.exchange import CoreMemoryFile, WorkingMemoryFile, read_memory_file
from tests.ids import looped

CORE = {
    "sessionID": "ses_1",
    "blocks": {
        "goal": {"content": "Add a login", "chars": 11, "maxChars": 1000, "updatedAt": "…"},
        "progress": {"value": "- [x] schema\n- [ ] login", "charLimit": 2000, "lastModified": "…"},
        "context": {"content": ""},
    },
    "updatedAt": "2026-02-18T09:49:09.000Z",
}

WORKING = {
    "sessionID": "ses_1",
    "slots": {
        "error": [{"id": "wm_1", "type": "error", "content": "TypeError", "source": "tool:bash"}],
        "decision": [{"content": f"decision {n}", "source": "manual"} for n in range(5)],
        "todo": [],
        "dependency": [],
    },
    "pool": [
        {"type": "file-path", "content": "src/b.ts", "lastEventCounter": 9, "mentions": 2},
        {"type": "file-path", "content": "src/a.ts", "eventNumber": 4, "relevanceScore": 0.4},
    ],
    "eventCounter": 12,
    "updatedAt": "2026-02-18T09:49:09.000Z",
}

DOMAIN = ("--domain", "hud_components.memory:CODING_MEMORY")


def written(path: Path, data: object) -> str:
    path.write_text(json.dumps(data), "utf-8")
    return str(path)


def state_of(store: Path, name: str) -> Any:
    with HudStore.open(store, domain=CODING_MEMORY) as opened:
        return opened.session(name).state()


def test_j8_both_files_of_a_session_are_imported(tmp_path: Path, capsys: Any) -> None:
    store = tmp_path / "s.db"
    for data in (CORE, WORKING, CORE):  # a second time changes nothing
        file = written(tmp_path / "file.json", data)
        assert main(["session", "import", file, "--store", str(store), *DOMAIN]) == 0
    capsys.readouterr()
    state = state_of(store, "ses_1")
    assert state[CoreGoal].content == "Add a login"
    assert state[CoreProgress].content == "- [x] schema\n- [ ] login"
    assert state.session.started_at == 1_771_408_149_000
    items = state[AgentMemory]
    assert {(each.slot, each.content, each.said_by) for each in items} == {
        ("error", "TypeError", "tool"),
        *(("decision", f"decision {n}", "agent") for n in range(5)),
        ("pool", "src/a.ts", "host"),
        ("pool", "src/b.ts", "host"),
    }
    paths = [each.content for each in items if each.slot == "pool"]
    assert paths == ["src/a.ts", "src/b.ts"]  # what was heard last stands last


def test_j8_the_old_form_with_items_alone_is_imported(tmp_path: Path) -> None:
    old = {
        "sessionID": "old",
        "items": [
            {"type": "error", "content": "It fails"},
            {"type": "file-path", "content": "a.py"},
            {"type": "of another plugin", "content": "b"},
            "a text alone",
        ],
    }
    store = tmp_path / "s.db"
    file = written(tmp_path / "old.json", old)
    assert main(["session", "import", file, "--store", str(store), *DOMAIN]) == 0
    assert [(each.slot, each.content) for each in state_of(store, "old")[AgentMemory]] == [
        ("error", "It fails"),
        ("pool", "a.py"),
        ("pool", "b"),
        ("pool", "a text alone"),
    ]


def test_j8_more_than_a_slot_holds_is_not_lost(tmp_path: Path) -> None:
    many = {"sessionID": "many", "slots": {"error": [{"content": f"{n}"} for n in range(9)]}}
    store = tmp_path / "s.db"
    file = written(tmp_path / "many.json", many)
    assert main(["session", "import", file, "--store", str(store), *DOMAIN]) == 0
    items = state_of(store, "many")[AgentMemory]
    assert len(items) == 9
    assert sum(not each.fading for each in items) == 3


def block(**blocks: object) -> dict[str, object]:
    return {"sessionID": "x", "blocks": blocks}


@looped(
    ("data", "says"),
    [
        (block(goal={"content": "x" * 1_001}), "has 1,001 characters, and holds 1,000 at most"),
        (
            block(soul={"content": "x"}),
            "blocks.'soul': the domain 'coding-memory' has no such block",
        ),
        ({"sessionID": "x", "blocks": [1]}, "blocks: input should be an object"),
        (block(goal={"content": 7}), "blocks.goal.content: input should be a valid string"),
        ({"blocks": {}}, "sessionID: field required"),
        ({"sessionID": "", "blocks": {}}, "sessionID: string should have at least 1 character"),
        ({"sessionID": "project:x", "blocks": {}}, "is for a project's defaults"),
        ({"sessionID": "x", "items": [{"content": None}]}, "items.0.content: input should be"),
        ({"sessionID": "x", "slots": {"error": {"0": "x"}}}, "slots.error: input should be"),
        ({"sessionID": "x", "pool": [{"content": "a", "timestamp": -1}]}, "pool.0.timestamp: "),
        ({"sessionID": "x", "items": [], "updatedAt": "yesterday"}, "updatedAt: input should be"),
        (
            {"sessionID": "x", "level": "safe", "interventionsSent": 0},
            "readings of the pressure, and no memory",
        ),
        ({"sessionID": "x", "eventCounter": 1, "results": {}}, "a log of sweeps, and no memory"),
        ({"sessionID": "x", "compactionCount": 1}, "a log of compactions, and no memory"),
    ],
)
def test_j8_a_hostile_file_is_refused_with_its_place(
    tmp_path: Path, capsys: Any, data: object, says: str
) -> None:
    store = tmp_path / "s.db"
    file = written(tmp_path / "file.json", data)
    assert main(["session", "import", file, "--store", str(store), *DOMAIN]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "Traceback" not in error
    if store.exists():
        with HudStore.open(store, domain=CODING_MEMORY) as opened:
            assert list(opened.sessions()) == []  # nothing was begun


def test_j8_a_session_without_memory_says_what_to_do(tmp_path: Path, capsys: Any) -> None:
    store = tmp_path / "s.db"
    file = written(tmp_path / "file.json", CORE)
    assert main(["session", "import", file, "--store", str(store)]) == 2
    assert "--domain hud_components.memory:CODING_MEMORY" in capsys.readouterr().err
    with HudStore.open(store) as opened:
        opened.session("ses_1")
    assert main(["session", "import", file, "--store", str(store), *DOMAIN]) == 2
    error = capsys.readouterr().err
    assert 'session "ses_1" is of the domain "coding", which has none' in error
    assert main(["session", "import", file, "--name", "other", "--store", str(store), *DOMAIN]) == 0


def test_files_are_told_apart(tmp_path: Path) -> None:
    assert isinstance(read_memory_file(written(tmp_path / "a", CORE)), CoreMemoryFile)
    assert isinstance(read_memory_file(written(tmp_path / "b", WORKING)), WorkingMemoryFile)
    (tmp_path / "c").write_text("[" * 100_000)
    for wrong in ("c", "d"):
        with pytest.raises(ExchangeError):
            read_memory_file(tmp_path / wrong)
    with pytest.raises(ExchangeError, match="neither"):
        read_memory_file(written(tmp_path / "e", {"sessionID": "x"}))
    with pytest.raises(ExchangeError, match="has no working memory"):
        read_memory_file(written(tmp_path / "f", WORKING)).drafts(CODING)
