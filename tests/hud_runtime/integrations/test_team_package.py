"""A team's package with components, a layout, words and a domain, installed into Claude Code as the page says, from another folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "do" / "claude-code.md"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="hooks need local sockets")


@pytest.fixture(scope="module")
def steps() -> dict[str, str]:
    """The package, and the commands, as the page has them."""
    part = PAGE.read_text("utf-8").partition("## Your own HUD")[2].partition("\n## ")[0]
    commands = re.findall(r"`(ujsx (?:install|hud) .*?)`", part)
    return {
        "package": part.partition("```python\n")[2].partition("```")[0],
        "install": commands[0],
        "hud": commands[1],
    }


class Machine:
    """An environment with ujsx in it, a home, and a folder in which somebody works."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.sockets: set[str] = set()
        venv.create(folder / "env", symlinks=True)
        self.python = folder / "env" / "bin" / "python"
        [self.site] = (folder / "env" / "lib").glob("python*/site-packages")
        # What `pip install` of ujsx and its dependencies would put there.
        (self.site / "ujsx.pth").write_text("\n".join([str(ROOT), *site.getsitepackages()]))
        self.env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "UJSX"))
        } | {"HOME": str(self.home), "UJSX_HOME": str(self.home / "ujsx")}
        self.env |= {"CLAUDE_CONFIG_DIR": str(self.home / ".claude"), "CODEX_HOME": str(self.home)}

    def run(self, call: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            call,
            cwd=self.work,
            env=self.env,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def ujsx(self, command: str) -> subprocess.CompletedProcess[str]:
        return self.run([str(self.python), "-P", "-m", "hud_runtime", *command.split()[1:]])

    def status_line(self) -> str:
        """Return the command of the status line that is installed."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        return str(settings["statusLine"]["command"])

    def hook(self, event: str, **more: Any) -> Any:
        """Run the hook of an event as Claude Code does, and return what it says."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        [entry] = [each for group in settings["hooks"][event] for each in group["hooks"]]
        self.sockets |= {each for each in entry["args"] if each.endswith(".sock")}
        told = {"hook_event_name": event, "session_id": "s-1", "cwd": str(self.work), **more}
        done = self.run([entry["command"], *entry["args"]], json.dumps(told))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout else {}


@pytest.fixture
def machine(tmp_path: Path) -> Any:
    made = Machine(tmp_path)
    yield made
    made.hook("SessionEnd", reason="exit")
    for each in made.sockets:
        made.run([str(made.python), "-c", END, each])


END = (
    "import sys; from pathlib import Path; from hud_runtime.integrations.bridge import END, BridgeLink\n"
    "BridgeLink(Path(sys.argv[1]), (), patience=5.0).ask(END, b'')"
)
"""Ends a bridge."""


OWN_SECTION = '''

from hud_components import Domain, Hud, NotesSection, TaskSection

DESK = Domain(
    "desk",
    sections=(TaskSection, NotesSection),
    layout=Hud(title="Desk")[TaskSection(), NotesSection()],
    words={"task.title": "Aufgabe"},
)


from hud_components import HudItem, ItemsSection, Line


class Remedy(HudItem):
    """Something that was tried for the customer."""

    what: Line


class Remedies(ItemsSection[Remedy]):
    """What was tried, oldest first."""

    lines = {"full": "**{what}**"}


DESK = Domain("desk", sections=(*DESK.sections, Remedies), layout=DESK.layout, words=DESK.words)
'''
"""A section of the team's own, behind what the page has."""


def test_reaches_the_agent_and_the_person(machine: Machine, steps: dict[str, str]) -> None:
    refused = machine.ujsx(steps["install"])
    assert (refused.returncode, "desk_hud" in refused.stderr) == (2, True)
    package = machine.site / "desk_hud"
    package.mkdir()
    (package / "__init__.py").write_text(steps["package"] + OWN_SECTION)
    layout = machine.work / "hud.md"
    layout.write_text('<Hud title="Own">\n<Remedies/>\n<TaskSection/>\n</Hud>\n')

    done = machine.ujsx(steps["install"])
    assert done.returncode == 0, done.stderr
    machine.hook("SessionStart", source="startup")
    said = machine.hook("UserPromptSubmit", prompt="The router is down.")
    assert "The router is down." in str(said)
    whole = machine.hook("SessionStart", source="compact")
    sent = whole["hookSpecificOutput"]["additionalContext"]
    shown = machine.ujsx(steps["hud"].replace("ID", "s-1"))
    assert shown.stdout.strip() == sent.strip()
    assert "# Desk" in sent
    assert "## Aufgabe" in sent

    # With a layout that replaces the domain's, an installation in its place.
    again = machine.ujsx(f"{steps['install']} --layout hud.md")
    assert again.returncode == 0, again.stderr
    machine.hook("SessionStart", source="startup", session_id="s-2")
    own = machine.hook("UserPromptSubmit", prompt="The router is down.", session_id="s-2")
    sent = own["hookSpecificOutput"]["additionalContext"]
    assert sent.startswith("# Own")

    # A mistake is told to the person, with its place.
    layout.write_text("<Hud>\n<Nope/>\n</Hud>\n")
    told = machine.hook("SessionStart", source="startup", session_id="s-3")
    assert f"{layout}:2:1: <Nope> is not a known component" in told["systemMessage"]
    first = machine.hook("UserPromptSubmit", prompt="It is down again.", session_id="s-3")
    assert first["hookSpecificOutput"]["additionalContext"].startswith("# Desk")
    assert f"{layout}:2:1" in machine.ujsx("ujsx doctor").stdout


KIT = """
from ujsx import Component
from ujsx.elements import Paragraph


class Badge(Component):
    text: str

    def render(self, ctx, children):
        return Paragraph()[f"Badge: {self.text}"]
"""


def test_components_of_a_package_reach_the_agent_and_the_person(machine: Machine) -> None:
    (machine.work / "hud.md").write_text('<Hud>\n<Badge text="red"/>\n<TaskSection/>\n</Hud>\n')
    install = "ujsx install claude-code --layout hud.md"
    assert "pass --with MODULE" in machine.ujsx(install).stderr
    assert 'there is no module "team_kit"' in machine.ujsx(f"{install} --with team_kit").stderr
    package = machine.site / "team_kit"
    package.mkdir()
    (package / "__init__.py").write_text("from team_kit._badge import Badge\n")
    (package / "_badge.py").write_text(KIT)
    done = machine.ujsx(f"{install} --with team_kit")
    assert done.returncode == 0, done.stderr
    assert "--with team_kit" in machine.status_line()

    machine.hook("SessionStart", source="startup")
    said = machine.hook("UserPromptSubmit", prompt="The router is down.")
    sent = said["hookSpecificOutput"]["additionalContext"]
    assert "Badge: red" in sent
    assert machine.ujsx("ujsx hud s-1 --with team_kit").stdout.strip() == sent.strip()
    assert "Badge: red" in machine.ujsx("ujsx deliver s-1 --reader new --with team_kit").stdout
    usual = machine.ujsx("ujsx hud s-1")  # the log names no code, so that it runs none
    assert "Badge: red" not in usual.stdout
    assert "pass --with MODULE" in usual.stderr
    assert "cannot use" not in machine.ujsx("ujsx doctor").stdout

    shutil.rmtree(package)
    assert 'there is no module "team_kit"' in machine.ujsx("ujsx doctor").stdout
