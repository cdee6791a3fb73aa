"""A domain, a layout, German words and components of one's own in each real client: what is sent is what `ujsx hud` shows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hud_runtime import HudStore
from hud_runtime.projects import load_components
from tests.hosts import claude_code, codex, opencode
from tests.hosts.model import Model
from tests.hosts.place import Found, Place
from tests.hosts.responses import ResponsesModel
from tests.hosts.told import is_counted
from tests.hud_components.changes.reading import read
from tests.hud_runtime.integrations.inside import lines_of
from tests.hud_runtime.integrations.looks import CAREFUL, WORDS
from ujsx import RenderContext


class Client(NamedTuple):
    """A client, where it runs, the model that it asks, and what finds HUDs in a request."""

    fetched: Callable[[], Path | None]
    place: type[Place]
    model: type[Model]
    huds: Callable[[Any], list[str]]


CLIENTS = {
    "claude-code": Client(claude_code.client, claude_code.ClaudeCode, Model, claude_code.huds),
    "codex": Client(codex.client, codex.Codex, ResponsesModel, codex.huds),
    "opencode": Client(opencode.client, opencode.OpenCode, Model, opencode.huds),
}

KIT = """
from tests.hud_runtime.integrations.looks import Rule
from ujsx import Component
from ujsx.elements import Paragraph

__all__ = ["Badge", "Rule"]


class Badge(Component):
    "A line of a team's."

    text: str

    def render(self, ctx, children):
        return Paragraph()[self.text]
"""

LAYOUT = """\
<Hud>
<Badge text="Erst fragen, dann ausliefern."/>

<Rule/>

<TaskSection/>

<Risks/>

<DecisionsList/>

<NotesSection/>

<ActiveFiles/>
</Hud>
"""


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session of each client, and return what was looked at."""
    found = Found()
    for name, client in CLIENTS.items():
        program = client.fetched()
        if program is None:
            found.row(name, "not there, and npm could not fetch it", holds=False)
            continue
        with client.model() as model:
            _session(found, client, client.place(folder / name, program, model))
    return found


def _session(found: Found, client: Client, place: Place) -> None:
    given = _installed(place)
    with place.running():
        place.turn("Add a login with JWT to the shop, with tests.", begins=True)
        whole, *changes = said = client.huds(_main(place)[-1])
        shown = _at_the_start(place) if changes else _shown(place, given)
        is_same = whole.strip() == shown.strip()
        found.row(
            f"{place.NAME}: the first delivery is what `ujsx hud` shows", is_same, holds=is_same
        )
        gaps = _gaps(said, _shown(place, given))
        found.row(
            f"{place.NAME}: what the first request adds up to", gaps or "the same", holds=not gaps
        )
        own = all(each in "".join(said) for each in ("Erst fragen, dann ausliefern.", "## Aufgabe"))
        found.row(f"{place.NAME}: it has its own layout, words and components", own, holds=own)
        risk = json.dumps({"call": {"op": "risks.add", "what": "The key leaks"}})
        calls = f"!call {place.TOOL} {risk}\n{place.note('Port 8080')}\n{place.work('one')}"
        place.turn(f"Now the limit of attempts.\n{calls}")
        gaps = _gaps(client.huds(_main(place)[-1]), _shown(place, given))
        found.row(
            f"{place.NAME}: what later deliveries add up to", gaps or "the same", holds=not gaps
        )
        answers = [each for each in _main(place)[-1].texts if "Risiko" in each or "1 Notiz" in each]
        found.row(f"{place.NAME}: answers have its words", bool(answers), holds=bool(answers))
        news = place.hear()
        found.row(f"{place.NAME}: faults that were told", news or "none", holds=not news)
    place.kill_bridge()


def _installed(place: Place) -> list[str]:
    """Install what a team has, and return the options by which `ujsx hud` shows it."""
    own = place.folder / "own"
    own.mkdir()
    (own / "hud.md").write_text(LAYOUT, "utf-8")
    (own / "de.json").write_text(json.dumps(WORDS), "utf-8")
    (own / "kit.py").write_text(KIT, "utf-8")
    given = [
        "--domain",
        "tests.hud_runtime.integrations.looks:CAREFUL",
        "--with",
        f"{own / 'kit.py'}",
    ]
    place.install(*given, "--layout", f"{own / 'hud.md'}", "--words", f"{own / 'de.json'}")
    return given


def _main(place: Place) -> list[Any]:
    return [each for each in place.model.requests if each.kind == "main"]


def _shown(place: Place, given: list[str]) -> str:
    """Return what the command shows of the newest session, told no layout and no words."""
    with HudStore.open(place.store, domain=CAREFUL) as store:
        name = place.session_in(store)
    call = [sys.executable, "-P", "-m", "hud_runtime", "hud", name, "--store", str(place.store)]
    done = subprocess.run(
        [*call, *given], env=place.environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def _at_the_start(place: Place) -> str:
    """Return the HUD before the first prompt, for a host that has a place there: what the prompt changes comes behind it."""
    own = load_components(f"{place.folder / 'own' / 'kit.py'}")
    with HudStore.open(place.store, domain=CAREFUL, components=own) as store:
        session = store.session(place.session_in(store))
        said = next(each.version for each in session.events() if each.actor == "user")
        return session.shown(state=session.state(said - 1)).rendered.text


def _gaps(said: list[str], shown: str) -> set[str]:
    """Return the lines that texts do not tell of a HUD, or tell, and are not so."""
    start = max(n for n, each in enumerate(said) if not each.startswith("# HUD changes"))
    known = {each.text for each in read(said[start], said[start + 1 :], RenderContext(texts=WORDS))}
    lines = {each.line.text for each in lines_of(shown)}
    return {each for each in known ^ lines if not is_counted(each)}
