"""What is typed by mistake: each line of ``wrong_input.txt`` ends with one sentence that says what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

LINES = [
    line
    for line in Path(__file__).with_name("wrong_input.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]

FILES = {
    "hud.md": "<Hud>\n  <TaskSection/>\n</Hud>\n",
    "tree.json": '{"type": "Hud", "props": 3}',
    "chat.jsonl": '{"role": "user", "content": "Add a login."}\n',
    "app.py": "layout = 'Port 8080'\nnumber = 7\n\n\ndef needs(what):\n    return what\n",
    "raising.py": "raise RuntimeError('no')\n",
    "broken.py": "x = (\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for ending in ("md", "jsonl", "db"):
        (tmp_path / f"empty.{ending}").touch()
        (tmp_path / f"binary.{ending}").write_bytes(b"a\0b\xff")
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(
        "uvicorn.Server.run", lambda *_: pytest.fail("a server runs until it is stopped")
    )
    yield tmp_path
    for name in ("app", "raising", "broken"):
        sys.modules.pop(name, None)


def test_each_mistake_is_answered_with_what_to_do(ujsx, folder):
    """All in one, as each line takes milliseconds; what is wrong with any of them is told together."""
    wrong = []
    for line in LINES:
        typed, _, said = (part.strip() for part in line.partition(" | "))
        status, _, rest = typed.partition(": ")
        wanted, arguments = (int(status), rest) if status.isdigit() else (2, typed)
        done = ujsx(*arguments.split())
        told = done.err + (done.out if wanted == 1 else "")
        if done.status != wanted or said not in told or (wanted == 2 and done.err.count("\n") != 1):
            wrong.append((typed, done))
    assert wrong == []
