"""OpenCode, run for real: a session with a HUD, what each request holds, and what happens when something fails."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from hud_components import Hud
from hud_runtime import HudStore
from hud_runtime.tools import definitions
from tests.hosts.model import Model, Request
from tests.hosts.told import is_counted, kept, misses
from ujsx import render

VERSION = "1.18.33"
ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "hosts" / "opencode"

FIRST = """\
Add a login with JWT to the shop, with tests.
!call bash {"command": "echo one", "description": "x"}
!call hud {"call": {"op": "notes.add", "content": "The worker listens on port 8080"}}
!call hud {"call": {"op": "decisions.record", "summary": "Use JWT", "details": "no table of its own"}}
!call hud {"call": {"op": "notes.ad", "content": "this is refused"}}
!call write {"filePath": "FOLDER/test_login.py", "content": "def test_login():\\n    assert 0\\n"}
!call bash {"command": "PYTHON -m pytest -q -p no:cacheprovider test_login.py", "description": "x"}
!call read {"filePath": "FOLDER/nowhere.py"}
!call bash {"command": "sed -i s/0/1/ test_login.py", "description": "x"}
!call bash {"command": "PYTHON -m pytest -q -p no:cacheprovider test_login.py", "description": "x"}
!call task {"description": "look", "subagent_type": "general", "prompt": "SUBAGENT\\n!call bash {\\"command\\": \\"echo inside\\", \\"description\\": \\"x\\"}\\n!call hud {\\"call\\": {\\"op\\": \\"notes.add\\", \\"content\\": \\"The subagent was here\\"}}"}
!call todowrite {"todos": [{"content": "Write the middleware", "status": "completed", "priority": "high"}, {"content": "Limit wrong attempts", "status": "pending", "priority": "high"}]}
!call bash {"command": "echo done", "description": "x"}"""
SECOND = """\
Now limit the wrong attempts, please, with a test of its own.
!call hud {"call": {"op": "notes.add", "content": "Five attempts an hour"}}
!call bash {"command": "echo two", "description": "x"}"""
THIRD = """\
Go on with the rate limit of the other endpoints as well.
!call hud {"call": {"op": "notes.list"}}
!call bash {"command": "echo three", "description": "x"}"""

NEIGHBOUR = """\
export const Neighbour = async () => {
  let count = 0
  return {
    "experimental.chat.messages.transform": async (_, { messages }) => {
      const user = messages.findLast((each) => each.info.role === "user")
      if (!user) return
      const info = { ...user.info, id: `msg_neighbour_${count++}` }
      const part = { id: `prt_${count}`, sessionID: info.sessionID, messageID: info.id, type: "text", synthetic: true, text: `neighbour ${count}` }
      messages.push({ info, parts: [part] })
    },
    "experimental.session.compacting": async (_, output) => { output.context.push("from the neighbour") },
    "tool.execute.after": async (_, output) => { if (typeof output?.output === "string") output.output += "\\n(seen by the neighbour)" },
  }
}
"""


def client() -> Path | None:
    """Return the client's program; it is fetched where it is not there, with npm alone."""
    pattern = "node_modules/opencode-*-*/bin/opencode"
    found = sorted(CACHE.glob(pattern), key=lambda each: len(str(each)))
    if not found and shutil.which("npm"):
        CACHE.mkdir(parents=True, exist_ok=True)
        wanted = f"opencode-ai@{VERSION}"
        call = ["npm", "install", "--prefix", str(CACHE), wanted]
        call += ["--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(call, check=False, capture_output=True)
        found = sorted(CACHE.glob(pattern), key=lambda each: len(str(each)))
    return found[0] if found else None


@dataclass(eq=False)
class Place:
    """Folders in which the client runs apart from all else."""

    folder: Path
    program: Path
    model: Model
    mode: str = "append"
    neighbours: list[str] = field(default_factory=list[str])
    """Texts of other plugins, of which some come before ours and some behind it."""
    address: str = ""

    def __post_init__(self) -> None:
        project = self.folder / "project"
        (project / ".opencode" / "plugins").mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(project)], check=False)
        (project / "opencode.json").write_text(json.dumps(self._settings))
        for name, text in zip(("a.js", "z.js"), self.neighbours, strict=False):
            (project / ".opencode" / "plugins" / name).write_text(text)
        for each in (project / ".opencode", self.folder / "xdg" / "config" / "opencode"):
            _without_fetching(each)

    @property
    def _settings(self) -> dict[str, Any]:
        played = {
            "npm": "@ai-sdk/anthropic",
            "name": "Played",
            "options": {"baseURL": f"{self.model.address}/v1", "apiKey": "for-loopback-only"},
            "models": {
                name: {
                    "name": name,
                    "tool_call": True,
                    "limit": {"context": 200_000, "output": 8_192},
                }
                for name in ("claude-large", "claude-small")
            },
        }
        return {
            "autoupdate": False, "share": "disabled", "snapshot": False, "permission": {"*": "allow"},
            "model": "played/claude-large", "small_model": "played/claude-small",
            "enabled_providers": ["played"], "provider": {"played": played},
        }  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        """Variables of its own: none of another client's."""
        kept_ = {key: value for key, value in os.environ.items() if not key.startswith("OPENCODE")}
        xdg = {
            f"XDG_{name.upper()}_HOME": str(self.folder / "xdg" / name)
            for name in ("data", "config", "cache", "state")
        }
        off = (
            "AUTOUPDATE",
            "MODELS_FETCH",
            "LSP_DOWNLOAD",
            "DEFAULT_PLUGINS",
            "SHARE",
            "CLAUDE_CODE",
        )
        for each in ("home", "tmp"):
            (self.folder / each).mkdir(exist_ok=True)
        return kept_ | xdg | {f"OPENCODE_DISABLE_{each}": "1" for each in off} | {
            "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
            "UJSX_HOME": str(self.folder / "hud"), "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    @property
    def plugin(self) -> Path:
        """Where ours is put."""
        return self.folder / "project" / ".opencode" / "plugins" / "ujsx.js"

    def ujsx(self, *arguments: str) -> None:
        """Run the command."""
        call = [sys.executable, "-P", "-m", "hud_runtime", *arguments]
        subprocess.run(call, check=True, env=self.environment, capture_output=True)

    def install(self) -> None:
        """Give it a HUD."""
        self.ujsx(
            "install", "opencode", "--project", str(self.folder / "project"), "--mode", self.mode
        )

    @contextmanager
    def running(self) -> Generator[None]:
        """Run the server of the client."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        call = [str(self.program), "serve", "--port", str(port), "--hostname", "127.0.0.1"]
        with (self.folder / "errors.txt").open("ab") as errors:
            process = subprocess.Popen(
                [*call, "--print-logs"], cwd=self.folder / "project", env=self.environment,
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
            )  # fmt: skip
            self.address = f"http://127.0.0.1:{port}"
            try:
                _wait(lambda: self.call("GET", "/global/health", timeout=2) is not None)
                yield
                time.sleep(1)  # the last events are told
            finally:
                process.terminate()
                process.wait(30)

    def call(self, method: str, path: str, body: object = None, *, timeout: float = 120) -> Any:
        """Ask the server; None where it does not answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.loads(answer.read() or b"null")
        except (OSError, ValueError):
            return None

    def begin(self) -> str:
        """Begin a session."""
        return str(self.call("POST", "/session", {})["id"])

    def prompt(self, session: str, text: str) -> Any:
        """Let the user say something, and wait for the end of the turn."""
        folder = self.folder / "project"
        text = text.replace("FOLDER", str(folder)).replace("PYTHON", sys.executable)
        model = {"providerID": "played", "modelID": "claude-large"}
        body = {"model": model, "parts": [{"type": "text", "text": text}]}
        return self.call("POST", f"/session/{session}/message", body)

    def compact(self, session: str) -> None:
        """Let the host make a summary."""
        model = {"providerID": "played", "modelID": "claude-large"}
        self.call("POST", f"/session/{session}/summarize", model)

    def bridges(self) -> list[int]:
        """The processes that answer."""
        found: list[int] = []
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"--stdio" in words and str(self.store).encode() in words:
                found.append(int(each.parent.name))
        return found

    @property
    def store(self) -> Path:
        """Its store."""
        return self.folder / "hud" / "hud.db"


def _without_fetching(folder: Path) -> None:
    """Spare the client the package that it fetches wherever there are plugins."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    wanted = {"@opencode-ai/plugin": "*"}
    lock = {"name": "none", "lockfileVersion": 3, "packages": {"": {"dependencies": wanted}}}
    (folder / "package.json").write_text(json.dumps({"dependencies": wanted}))
    (folder / "package-lock.json").write_text(json.dumps(lock))


def _wait(is_so: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.3)


def huds(request: Request) -> list[str]:
    """Return what of the HUD stands in a request, in that order."""
    return [each for each in request.texts if each.startswith("# HUD")]


def missed(request: Request, session: Any) -> set[str]:
    """Return what a request does not tell of the state that it was made from.

    Some events are told while a request is on its way, so that one of the newest versions before it counts.
    """
    recorded = [each.version for each in session.events() if each.timestamp <= request.time]
    wrong = [misses(huds(request), session, each) for each in reversed(recorded[-4:])]
    return next((each for each in wrong if not each), wrong[0])


def is_compacted(request: Request) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("What did we do so far?" in each for each in request.texts)


Rows = list[tuple[str, str, bool]]


def rows(folder: Path, *, rounds: int = 5) -> Rows:
    """Run sessions, and return what was looked at, what was found, and whether it is as it should be."""
    program = client()
    if program is None:
        return [("client", "not there, and npm could not fetch it", False)]
    found: Rows = []
    with Model() as model:
        found += _session(Place(folder / "hud", program, model))
        found += _mode(Place(folder / "tail", program, model, "tail"))
        found += _mode(Place(folder / "system", program, model, "system"))
        neighbours = Place(folder / "neighbours", program, model, neighbours=[NEIGHBOUR, NEIGHBOUR])
        found += _beside(neighbours)
        found += _faults(Place(folder / "faults", program, model))
        found += _full(Place(folder / "full", program, model))
        found += _pressed(Place(folder / "pressed", program, model))
        found += _at_once(Place(folder / "at-once", program, model))
        found += _steps(folder, program, model, rounds)
    return found


def _row(found: Rows, what: str, value: object, *, holds: bool) -> None:
    found.append((what, str(value), bool(holds)))


def _session(place: Place) -> Rows:
    found: Rows = []
    model = place.model
    place.install()
    with place.running():
        name = place.begin()
        place.prompt(name, FIRST)
        place.compact(name)
        place.prompt(name, SECOND)
    first = len(model.requests)
    with place.running():
        place.prompt(name, THIRD)
        requests = list(model.requests)
        main = [each for each in requests if each.kind == "main"]
        _row(found, "requests of the main agent", len(main), holds=len(main) >= 14)
        with HudStore.open(place.store) as store:
            session = store.session(name)
            wrong = [each for one in main if (each := missed(one, session))]
            _row(found, "requests that tell another state", wrong or "none", holds=not wrong)
            state = session.state()
            notes = [each.content for each in state.notes]
            _row(found, "tools of the model reach its session", notes, holds=len(notes) == 2)
            inner = [
                note.content
                for each in store.sessions()
                if "/" in each
                for note in store.session(each).state().notes
            ]
            _row(found, "a subagent has its own", inner, holds=inner == ["The subagent was here"])
            failing = [(each.message, each.resolved) for each in state.errors]
            _row(
                found,
                "the failed check, and its mending",
                failing,
                holds=any(one for _, one in failing),
            )
            steps = [(each.description, each.completed) for each in state.next_steps]
            _row(
                found,
                "the plan is the todo list",
                steps,
                holds=[one for _, one in steps] == [True, False],
            )
            compactions = 0 if state.session is None else state.session.compactions
            _row(found, "compactions", compactions, holds=compactions == 1)
            usage = state.usage
            is_read = usage is not None and usage.limit == 200_000
            _row(
                found,
                "the context's size, and the window",
                usage and (usage.used, usage.limit),
                holds=is_read,
            )
        refused = [
            one
            for each in main
            for one in each.texts
            if "did you mean" in one and "notes.add" in one
        ]
        _row(found, "a refusal reaches the model", refused[:1], holds=bool(refused))
        after = next(
            n
            for n, each in enumerate(main)
            if '"notes.add"' in json.dumps(each.body["messages"][-1:])
            or any("8080" in one for one in huds(each))
        )
        _row(found, "the HUD of the next request has what the tool did", after, holds=after == 2)
        schemas = {each["name"]: each["input_schema"] for each in main[0].body["tools"]}
        ours = {each["name"]: each["parameters"] for each in definitions("json-schema")}
        is_same = {name: schemas.get(name) for name in ours} == ours
        _row(found, "the tools' schemas are as we have them", is_same, holds=is_same)
        at = next(n for n, each in enumerate(main) if is_compacted(each))
        shares = kept(main)
        others = [share for n, share in enumerate(shares) if n != at - 1]
        _row(found, "prefix kept, the least", f"{min(others):.1%}", holds=min(others) == 1.0)
        _row(found, "prefix kept, first after the compaction", f"{shares[at - 1]:.1%}", holds=True)
        ours = sum(len(text.encode()) for text in huds(main[at - 1]))
        whole = sum(len(block.encode()) for block in main[at - 1].blocks())
        _row(found, "the HUD's share of the bytes", f"{ours / whole:.1%}", holds=ours / whole < 0.1)
        small = [each for each in requests if each.kind == "small"]
        with_hud = [each for each in small if huds(each)]
        _row(
            found,
            "title requests with a HUD",
            f"{len(with_hud)} of {len(small)}",
            holds=bool(small) and not with_hud,
        )
        summaries = [each for each in requests if each.kind == "summary"]
        with_hud = [each for each in summaries if any("# HUD" in one for one in each.texts)]
        guided = [each for each in summaries if any("be brief about" in one for one in each.texts)]
        _row(
            found,
            "summary requests with a HUD",
            f"{len(with_hud)} of {len(summaries)}",
            holds=len(summaries) == 1 and not with_hud,
        )
        _row(
            found,
            "summaries that were guided",
            f"{len(guided)} of {len(summaries)}",
            holds=len(guided) == 1,
        )
        again = any(each.startswith("# HUD\n") for each in huds(main[at]))
        _row(found, "all of it again after the compaction", again, holds=again)
        subagents = [each for each in requests if each.kind == "subagent"]
        _row(
            found,
            "requests of the subagent with a HUD",
            f"{sum(map(bool, map(huds, subagents)))} of {len(subagents)}",
            holds=all(map(huds, subagents)) and bool(subagents),
        )
        _row(
            found,
            "requests before and after the resume",
            f"{first}, {len(requests) - first}",
            holds=True,
        )
        place.call("DELETE", f"/session/{name}")

        def is_gone() -> bool:
            with HudStore.open(place.store) as store:
                return not [*store.sessions()]

        _wait(is_gone, 10)
        _row(found, "a session that is deleted is gone", is_gone(), holds=is_gone())
    place.ujsx("uninstall", "opencode", "--project", str(place.folder / "project"))
    _row(
        found,
        "the plugin after taking it out",
        "there" if place.plugin.exists() else "gone",
        holds=not place.plugin.exists(),
    )
    _wait(lambda: not place.bridges(), 10)
    _row(found, "bridges that are left", len(place.bridges()), holds=not place.bridges())
    return found


def _mode(place: Place) -> Rows:
    """Run a session with a HUD that is sent with each request alone."""
    found: Rows = []
    mode = place.mode
    place.install()
    place.model.requests.clear()
    with place.running():
        name = place.begin()
        place.prompt(name, SECOND)
        place.compact(name)
        place.prompt(name, THIRD)
    main = [each for each in place.model.requests if each.kind == "main"]
    with HudStore.open(place.store) as store:
        session = store.session(name)
        wrong = [each for one in main if (each := _untold(one, session))]
    _row(found, f"{mode}: requests that do not tell the state", wrong or "none", holds=not wrong)
    ours = [_in_system(each) + _tails(each) for each in main]
    counts = {sum("# HUD" in one for one in each) for each in ours}
    _row(found, f"{mode}: HUDs in each request", counts, holds=counts == {1})
    last = all(not _tails(each) or each.texts[-1] == _tails(each)[-1] for each in main)
    _row(found, f"{mode}: what is behind the history is its end", last, holds=last)
    if mode == "system":
        prompts = {len(_in_system(each)) for each in main}
        _row(found, "system: of each request's prompt", prompts, holds=prompts == {1})
        first = {each.body["system"][0]["text"] for each in main}
        is_theirs = len(first) == 1 and "# HUD" not in "".join(first)
        _row(found, "system: the first part is the host's", is_theirs, holds=is_theirs)
    marks = [_marks(each) for each in main]
    what = f"{mode}: requests with a breakpoint before the end"
    _row(found, what, f"{sum(marks)} of {len(main)}", holds=all(marks))
    others = [each for each in place.model.requests if each.kind in ("small", "summary")]
    with_hud = [each for each in others if _in_system(each) or _tails(each)]
    what = f"{mode}: title and summary requests with a HUD"
    _row(found, what, f"{len(with_hud)} of {len(others)}", holds=not with_hud)
    return found


def _untold(request: Request, session: Any) -> set[str]:
    """Return what of the state stands in no line of a request's HUD."""
    told = {line for each in _in_system(request) + _tails(request) for line in each.splitlines()}
    recorded = [each.version for each in session.events() if each.timestamp <= request.time]
    wrong = [_shown(session, each) - told for each in reversed(recorded[-4:])]
    return next((each for each in wrong if not each), wrong[0])


def _shown(session: Any, version: int) -> set[str]:
    lines = render(Hud.of(session.state(at=version))).splitlines()
    return {each for each in lines if each and not is_counted(f"- {each}")}


def _tails(request: Request) -> list[str]:
    """What stands behind the history for one request."""
    return [
        each for each in request.texts[-1:] if each.startswith(("# HUD", "## ", "**Session", "🟢"))
    ]


def _in_system(request: Request) -> list[str]:
    system = request.body.get("system") or []
    texts = [system] if isinstance(system, str) else [each["text"] for each in system]
    return [each for each in texts if "# HUD" in each]


def _marks(request: Request) -> bool:
    """Whether what stands right before the HUD's end is marked for the provider's cache."""
    contents = [each["content"] for each in request.body["messages"]]
    blocks = [each for content in contents if isinstance(content, list) for each in content]
    end = blocks[:-1] if _tails(request) else blocks
    return "cache_control" in end[-1]


def _full(place: Place) -> Rows:
    """Run a session whose context is full in the middle of a turn, so that the host compacts by itself."""
    found: Rows = []
    place.install()
    place.model.requests.clear()
    place.model.full = 195_000
    with place.running():
        name = place.begin()
        place.prompt(name, SECOND)
        place.prompt(name, THIRD)
    requests = list(place.model.requests)
    main = [each for each in requests if each.kind == "main"]
    with HudStore.open(place.store) as store:
        session = store.session(name)
        wrong = [each for one in main if (each := missed(one, session))]
        state = session.state()
        counted = 0 if state.session is None else state.session.compactions
    summaries = [each for each in requests if each.kind == "summary"]
    what = "full in the middle of a turn: summaries, and compactions"
    _row(found, what, f"{len(summaries)}, {counted}", holds=counted == len(summaries) == 1)
    _row(found, "full: requests that tell another state", wrong or "none", holds=not wrong)
    with_hud = [each for each in summaries if any("# HUD" in one for one in each.texts)]
    _row(found, "full: summary requests with a HUD", len(with_hud), holds=not with_hud)
    at = next(n for n, each in enumerate(main) if is_compacted(each))
    shares = [each for n, each in enumerate(kept(main)) if n != at - 1]
    _row(found, "full: prefix kept, the least", f"{min(shares):.1%}", holds=min(shares) == 1.0)
    return found


def _pressed(place: Place) -> Rows:
    """Run a session whose context is nearly full once, so that its agent is told."""
    found: Rows = []
    place.install()
    place.model.requests.clear()
    place.model.full = 187_000
    with place.running():
        name = place.begin()
        place.prompt(name, SECOND)
        place.prompt(name, THIRD)
    main = [each for each in place.model.requests if each.kind == "main"]
    told = [sum(_NOTICE in text for text in each.texts) for each in main]
    _row(
        found,
        "nearly full: how often each request tells it",
        told,
        holds=told[-1] == max(told) == 1,
    )
    users = [each["role"] for each in main[-1].body["messages"] if _NOTICE in str(each)]
    _row(found, "nearly full: who says it", users, holds=users == ["user"])
    with HudStore.open(place.store) as store:
        session = store.session(name)
        kinds = [each.type for each in session.events(types=("context.intervention", "task.set"))]
        _row(
            found,
            "nearly full: it is recorded once",
            kinds,
            holds=kinds.count("context.intervention") == 1,
        )
        task = session.state().task
    _row(
        found,
        "nearly full: the task is the person's",
        task and task.description[:30],
        holds=bool(task) and _NOTICE not in str(task),
    )
    shares = kept(main)
    _row(
        found, "nearly full: prefix kept, the least", f"{min(shares):.1%}", holds=min(shares) == 1.0
    )
    return found


_NOTICE = "[Memory Pressure: 93% (critical)"


def _at_once(place: Place) -> Rows:
    """Run two programs with one store in one folder, at once."""
    found: Rows = []
    place.install()
    place.model.requests.clear()
    other = Place(place.folder, place.program, place.model)
    words = {place: "attempts an hour", other: "requests a minute"}

    def run(one: Place) -> str:
        name = one.begin()
        one.prompt(name, SECOND.replace("attempts an hour", words[one]))
        return name

    with place.running(), other.running(), ThreadPoolExecutor(2) as pool:
        names = dict(zip(words, pool.map(run, words), strict=True))
    with HudStore.open(place.store) as store:
        notes = {
            one: [each.content for each in store.session(name).state().notes]
            for one, name in names.items()
        }
    apart = all(notes[one] == [f"Five {words[one]}"] for one in words)
    _row(found, "two programs at once, each with its session", list(notes.values()), holds=apart)
    return found


def _steps(folder: Path, program: Path, model: Model, rounds: int) -> Rows:
    """Measure a step with the plugin and without, in turns."""
    call = '!call bash {"command": "true", "description": "x"}'
    without = Place(folder / "plain", program, model)
    resident = Place(folder / "timed", program, model)
    resident.install()
    times: list[tuple[float, float]] = []
    with without.running(), resident.running():
        for _ in range(rounds):
            pair: list[float] = []
            for place in (without, resident):
                name = place.begin()
                model.requests.clear()
                place.prompt(name, "Run these, please, one after the other.\n" + f"{call}\n" * 12)
                requests = [each for each in model.requests if each.kind == "main"]
                gaps = [1_000 * (b.began - a.answered) for a, b in pairwise(requests[2:])]
                pair.append(statistics.quantiles(gaps, n=4)[0])
            times.append((pair[0], pair[1]))
    ratio = statistics.median(two / one for one, two in times)
    plain, hooked = (statistics.median(each) for each in zip(*times, strict=True))
    # No verdict: beside other programs it tells more of them.
    what = "a step with the plugin beside one without"
    return [(what, f"{ratio:.2f} ({hooked:.0f} ms beside {plain:.0f} ms)", True)]


def _beside(place: Place) -> Rows:
    """Run a session between two plugins that put a message of theirs behind each request."""
    found: Rows = []
    place.install()
    place.model.requests.clear()
    with place.running():
        name = place.begin()
        place.prompt(name, SECOND)
        place.compact(name)
        place.prompt(name, THIRD)
    requests = list(place.model.requests)
    main = [each for each in requests if each.kind == "main"]
    with HudStore.open(place.store) as store:
        wrong = [each for one in main if (each := missed(one, store.session(name)))]
    _row(found, "beside others: requests that tell another state", wrong or "none", holds=not wrong)
    wholes = [sum(one.startswith("# HUD\n") for one in huds(each)) for each in main]
    _row(found, "beside others: whole HUDs in each request", wholes, holds=max(wholes) <= 2)
    theirs = all(sum("neighbour " in one for one in each.texts) == 2 for each in main)
    _row(found, "beside others: theirs are there", theirs, holds=theirs)
    summaries = ["\n".join(each.texts) for each in requests if each.kind == "summary"]
    both = all("from the neighbour" in each and "be brief about" in each for each in summaries)
    _row(found, "beside others: both in the summary's prompt", both, holds=both and bool(summaries))
    return found


def _faults(place: Place) -> Rows:
    found: Rows = []
    place.install()
    place.model.requests.clear()
    with place.running():
        name = place.begin()
        place.prompt(name, SECOND)
        for each in place.bridges():
            os.kill(each, signal.SIGKILL)
        done = place.prompt(name, THIRD)
        with HudStore.open(place.store) as store:
            wrong = missed(place.model.requests[-1], store.session(name))
        _row(
            found,
            "bridge killed: the turn ends, and the next request is right",
            wrong or "yes",
            holds=bool(done) and not wrong,
        )
        for each in place.bridges():
            os.kill(each, signal.SIGSTOP)
        before = time.monotonic()
        done = place.prompt(
            name, 'Go on, please.\n!call bash {"command": "echo four", "description": "x"}'
        )
        took = time.monotonic() - before
        for each in place.bridges():
            os.kill(each, signal.SIGCONT)
        _row(
            found,
            "bridge that does not answer: seconds of the turn",
            f"{took:.1f}",
            holds=bool(done) and took < 20,
        )
        with closing(sqlite3.connect(place.store, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            before = time.monotonic()
            done = place.prompt(
                name,
                'Go on with the store locked.\n!call bash {"command": "echo five", "description": "x"}',
            )
            took = time.monotonic() - before
            time.sleep(3)  # it is waited for a second, and more where an older answer is overdue
            other.execute("ROLLBACK")
        _row(
            found,
            "store locked: seconds of the turn",
            f"{took:.1f}",
            holds=bool(done) and took < 20,
        )
        time.sleep(6)
        place.prompt(name, "Go on with the store free.")
        second = place.begin()
        main = [each for each in place.model.requests if each.kind == "main"]
        shares = kept(main)
        _row(
            found, "faults: prefix kept, the least", f"{min(shares):.1%}", holds=min(shares) == 1.0
        )
        with HudStore.open(place.store) as store:
            wrong = missed(main[-1], store.session(name))
        _row(found, "after the faults, the request is right", wrong or "yes", holds=not wrong)
        place.model.requests.clear()
        place.prompt(second, SECOND)
        told = huds([each for each in place.model.requests if each.kind == "main"][-1])
        apart = bool(told) and not any("other endpoints" in each for each in told)
        _row(found, "another session in the folder is apart", apart, holds=apart)
    log = (place.folder / "errors.txt").read_text("utf-8", "replace")
    told = [each for each in log.splitlines() if "level=WARN" in each and "ujsx could not" in each]
    _row(found, "faults: what the person was told", told, holds=len(told) == 1)
    return found
