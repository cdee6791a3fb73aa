"""A layout, German words and a domain of one's own, in each host: what is sent first is what `ujsx hud` shows, and the rest adds up."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from hud_components.changes import Line
from hud_runtime import HudStore
from hud_runtime.cli import main
from hud_runtime.integrations import HostSession
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.integrations.codex import Codex
from hud_runtime.integrations.opencode import OpenCode
from hud_runtime.observe import ToolAnswer, ToolCall, UserMessage
from hud_runtime.session import GivenLook
from tests.hosts.told import lines_beside
from tests.hud_components.changes.reading import read
from tests.hud_runtime.delivery.test_law import is_of_the_context
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.claude import Claude, asking
from tests.hud_runtime.integrations.hosts import HOSTS, Run
from tests.hud_runtime.integrations.inside import lines_of
from tests.hud_runtime.integrations.looks import CAREFUL, LAYOUT, WORDS, Rule
from tests.hud_runtime.integrations.loopback import Asked, Call, Model, Reply
from tests.hud_runtime.integrations.test_opencode import Client
from ujsx import RenderContext, write_layout

CONVERSATION = str(UUID(int=23))
LOOKS = "tests.hud_runtime.integrations.looks"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def _no_inherited_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in [each for each in os.environ if each.startswith(("CLAUDE", "ANTHROPIC"))]:
        monkeypatch.delenv(each)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


@pytest.fixture(params=["tree and mapping", "files"])
def look(request: pytest.FixtureRequest, tmp_path: Path) -> GivenLook:
    if request.param != "files":
        return GivenLook(LAYOUT, WORDS)
    (tmp_path / "hud.md").write_text(write_layout(LAYOUT), "utf-8")
    (tmp_path / "de.json").write_text(json.dumps(WORDS), "utf-8")
    return GivenLook(tmp_path / "hud.md", tmp_path / "de.json")


def shown_by_the_command(path: Path, *more: str) -> str:
    """Return what `ujsx hud` prints of the conversation, told its domain and nothing of its layout or words."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        given = ["--store", str(path), "--domain", f"{LOOKS}:CAREFUL", *more]
        status = main(["hud", CONVERSATION, *given])
    assert status == 0, err.getvalue()
    return out.getvalue()


class Reader:
    """What a model reads of a HUD, held against what the command shows."""

    def __init__(self, path: Path, look: GivenLook) -> None:
        self.path = path
        is_file = look.layout is not LAYOUT
        self.more = ["--with", LOOKS] if is_file else ["--layout", f"{LOOKS}:LAYOUT"]
        self.requests = 0

    def reads(self, texts: Sequence[str], beside: Sequence[str] = ()) -> None:
        """Hold the texts of a HUD against what the command shows.

        :param beside: the other texts that the model reads; what stands there need not be told.
        """
        whole, changes = agents.said_in(texts)
        shown = lines_in(shown_by_the_command(self.path, *self.more))
        assert "Aufgabe" in {each.title for each in shown}
        unsaid = self.unsaid(shown, "\n".join(beside))
        if self.requests == 0:
            assert lines_in(whole) == unsaid
            assert not changes
        self.requests += 1
        context = RenderContext(texts=WORDS)
        known = {each for each in read(whole, changes, context) if not is_of_the_context(each)}
        everything = lines_in(shown_by_the_command(self.path, *self.more, "--budget", "off"))
        assert {*unsaid} <= known <= {*everything, *shown}

    def unsaid(self, shown: Sequence[Line], beside: str) -> list[Line]:
        """Return the lines that other texts do not say."""
        with HudStore.open(self.path, domain=CAREFUL, components=[Rule]) as store:
            said = lines_beside(store.session(CONVERSATION).state(), shown, beside)
        return [each for each in shown if each.text not in said and each.name not in beside]


def lines_in(text: str) -> list[Line]:
    """Return the lines of a HUD's text that are not of its context."""
    return [each.line for each in lines_of(text) if not is_of_the_context(each.line)]


def steps(tool: str, folder: Path) -> list[Reply]:
    def call(operation: str, **more: str) -> Call:
        return Call(tool, json.dumps({"op": operation, **more}))

    (folder / "a.py").write_text("import jwt\n")
    return [
        call("risks.add", what="The key leaks"),
        call("notes.add", content="Port 8080"),
        Call("Read", json.dumps({"file_path": str(folder / "a.py")})),
        call("decisions.record", summary="Use RS256"),
        "done",
    ]


@pytest.mark.parametrize("name", HOSTS)
def test_of_an_sdk(name: str, path: Path, tmp_path: Path, look: GivenLook) -> None:
    host = HOSTS[name]
    if not host.is_there:
        pytest.skip(f"{name} is not installed")
    reader = Reader(path, look)

    def seen(asked: Asked) -> None:
        if "Read" in asked.tools:  # not one for a title
            parted = host.shown(asked)
            reader.reads([each.text for each in parted.ours()], agents.beside_the_hud(parted))
            # No message says it, so the next request has to.
            if reader.requests == 2:
                store.session(CONVERSATION).record("risks.add", what="The disk is small")

    with HudStore.open(path, domain=CAREFUL, components=[Rule]) as store:
        with Model(steps(host.tool, tmp_path), seen) as model:
            run = Run(
                model, store, CONVERSATION, tmp_path, {"layout": look.layout, "words": look.words}
            )
            assert host.run(run) == "done"
        for each in model.asked:
            if each.error is not None:
                raise each.error
        assert reader.requests == 5
        assert store.session(CONVERSATION).state().risks[0].what == "The key leaks"


def of_claude_code(store: HudStore[Any], look: GivenLook) -> tuple[Claude, Callable[..., Any]]:
    client = ClaudeCode(lambda: store, look=look)
    handlers = {"claude-code": client.hook, "claude-code-call": client.call}
    claude = Claude(asking(handlers), session=CONVERSATION, joins=True)
    claude.begins()
    claude.asked(agents.ASK)
    return claude, lambda: claude.works("Read", {"file_path": "a.py"}, "import jwt")


def test_of_claude_code(path: Path, look: GivenLook) -> None:
    reader = Reader(path, look)
    with HudStore.open(path, domain=CAREFUL, components=[Rule]) as store:
        claude, works = of_claude_code(store, look)
        claude.history = [each for each in claude.history if each.startswith("# HUD")][-1:]
        whole = claude.begins("compact")
        claude.history = [whole]
        reader.reads(claude.history)
        for operation, more in (
            ("risks.add", {"what": "The key leaks"}),
            ("notes.add", {"content": "x"}),
        ):
            answer, _ = claude.hud(operation, **more)
            works()
            reader.reads([each for each in claude.history if each.startswith("# HUD")])
        assert "1 Notiz" in answer.splitlines()[-1]
        assert not claude.news


def test_of_codex(path: Path, look: GivenLook) -> None:
    reader = Reader(path, look)
    with HudStore.open(path, domain=CAREFUL, components=[Rule]) as store:
        codex = Codex(lambda: store, look=look)
        history: list[str] = []

        def hook(event: str, **more: Any) -> None:
            given = {"hook_event_name": event, "session_id": CONVERSATION, "cwd": "/srv", **more}
            answer = codex.hook(json.dumps(given).encode())
            if answer.arrived is not None:
                answer.arrived()
            if answer.text:
                history.append(json.loads(answer.text)["hookSpecificOutput"]["additionalContext"])

        hook("SessionStart", source="startup")
        hook("UserPromptSubmit", prompt=agents.ASK)
        history.clear()
        hook("SessionStart", source="compact")
        reader.reads(history)
        for number in range(3):
            store.session(CONVERSATION).record("risks.add", what=f"Risk {number}")
            hook("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response="x")
            reader.reads(history)


def test_of_opencode(path: Path, look: GivenLook) -> None:
    reader = Reader(path, look)
    with HudStore.open(path, domain=CAREFUL, components=[Rule]) as store:
        client = Client(OpenCode(lambda: store, look=look), session=CONVERSATION)
        reader.reads(client.says(agents.ASK))
        for number in range(3):
            client.hud("risks.add", what=f"Risk {number}")
            reader.reads(client.works("read", {"filePath": "a.py"}))


def test_of_a_program(path: Path, look: GivenLook) -> None:
    reader = Reader(path, look)
    with HudStore.open(path, domain=CAREFUL, components=[Rule]) as store:
        host = HostSession.of(store, CONVERSATION, layout=look.layout, words=look.words)
        history: list[str] = []
        for number in range(4):
            host.observe(UserMessage(text=f"{agents.ASK} {number}"))
            host.observe(
                ToolCall(name="Read", arguments={"file_path": f"{number}.py"}, call_id="1")
            )
            host.observe(ToolAnswer(text="x", call_id="1"))
            history += [each.text for each in host.before_request(texts=history).parts]
            reader.reads(history)
        child = host.child("reviewer")
        assert "Aufgabe" in child.before_request().text
        assert child.session.state().look == host.session.state().look


def test_of_a_session_that_has_begun(look: GivenLook) -> None:
    with HudStore.open(":memory:", domain=CAREFUL, components=[Rule]) as store:
        session = store.session("s")
        session.record("task.set", description="Login")
        host = HostSession(session, layout=look.layout, words=look.words)
        assert host.before_request().text == session.hud().text
        assert "Aufgabe" in session.hud().text


def test_that_cannot_be_used_is_told_to_the_person(tmp_path: Path) -> None:
    layout = tmp_path / "hud.md"
    layout.write_text("<Hud>\n<Nope/>\n</Hud>\n")
    with HudStore.open(":memory:") as store:
        client = ClaudeCode(lambda: store, look=GivenLook(layout))
        claude = Claude(asking({"claude-code": client.hook}))
        claude.begins()
        claude.asked("Add a login.")
        assert any(each.startswith("# HUD") for each in claude.history)
        [told] = claude.news
        assert told.startswith(f"{layout}:2:1: <Nope> is not a known component")
