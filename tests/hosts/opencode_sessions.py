"""Sessions of OpenCode: what its requests hold, in each mode, beside other plugins, and what a step costs."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from hud_runtime import HudStore
from hud_runtime.tools import definitions
from tests.hosts.model import Model, Request
from tests.hosts.opencode import OpenCode, client, huds, is_compacted, waited, wrong
from tests.hosts.place import NOT_THERE, Found
from tests.hosts.told import (
    kept,
    look_at_bytes,
    look_at_state,
    look_at_steps,
    misses,
    step_time,
)

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


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run sessions, and return what was looked at, what was found, and whether it is as it should be."""
    program = client()
    if program is None:
        return NOT_THERE
    found = Found()
    with Model() as model:

        def place(name: str, **more: Any) -> OpenCode:
            return OpenCode(folder / name, program, model, **more)

        _session(found, place("hud"))
        _mode(found, place("tail", mode="tail"))
        _mode(found, place("system", mode="system"))
        _beside(found, place("neighbours", neighbours=[NEIGHBOUR, NEIGHBOUR]))
        _silent(found, place("silent"))
        _compacted_in_a_turn(found, place("full"))
        _nearly_full(found, place("pressed"))
        _steps(found, place("plain"), place("timed"), rounds)
    return found


def _session(found: Found, place: OpenCode) -> None:
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
        requests = [*model.requests]
        place.keep(requests)
        main = [each for each in requests if each.kind == "main"]
        found.row("requests of the main agent", len(main), holds=len(main) >= 14)
        with HudStore.open(place.store) as store:
            state = look_at_state(found, store, requests, wrong).state()
        steps = [(each.description, each.completed) for each in state.next_steps]
        is_so = [one for _, one in steps] == [True, False]
        found.row("the plan is the todo list", steps, holds=is_so)
        usage = state.usage
        is_read = usage is not None and usage.limit == 200_000
        size = usage and (usage.used, usage.limit)
        found.row("the context's size, and the window", size, holds=is_read)
        _tools(found, main)
        look_at_bytes(
            found, main, huds, next(n for n, each in enumerate(main) if is_compacted(each))
        )
        _others(found, requests)
        found.row("requests before and after the resume", f"{first}, {len(requests) - first}")
        place.call("DELETE", f"/session/{name}")

        def is_gone() -> bool:
            with HudStore.open(place.store) as store:
                return not [*store.sessions()]

        found.row("a session that is deleted is gone", is_so := waited(is_gone, 10), holds=is_so)
    place.ujsx("uninstall", "opencode", "--project", str(place.project))
    is_there = place.plugin.exists()
    found.row("the plugin after taking it out", "there" if is_there else "gone", holds=not is_there)
    is_over = waited(lambda: not place.bridges(), 10)
    found.row("bridges that are left", len(place.bridges()), holds=is_over)


def _tools(found: Found, main: list[Request]) -> None:
    """Look at what the HUD's tools are, answer and do."""
    texts = [one for each in main for one in each.texts]
    refused = [each for each in texts if "did you mean" in each and "notes.add" in each]
    found.row("a refusal reaches the model", refused[:1], holds=bool(refused))
    schemas = {each["name"]: each["input_schema"] for each in main[0].body["tools"]}
    ours = {each["name"]: each["parameters"] for each in definitions("json-schema")}
    is_same = {name: schemas.get(name) for name in ours} == ours
    found.row("the tools' schemas are as we have them", is_same, holds=is_same)


def _others(found: Found, requests: list[Request]) -> None:
    """Look at the requests that are not the main agent's."""
    small = [each for each in requests if each.kind == "small"]
    ours = [each for each in small if huds(each)]
    is_well = bool(small) and not ours
    found.row("title requests with a HUD", f"{len(ours)} of {len(small)}", holds=is_well)
    summaries = [each for each in requests if each.kind == "summary"]
    ours = [each for each in summaries if any("# HUD" in one for one in each.texts)]
    is_well = len(summaries) == 1 and not ours
    found.row("summary requests with a HUD", f"{len(ours)} of {len(summaries)}", holds=is_well)
    guided = [each for each in summaries if any("be brief about" in one for one in each.texts)]
    what = "summaries that were guided"
    found.row(what, f"{len(guided)} of {len(summaries)}", holds=len(guided) == 1)


def _mode(found: Found, place: OpenCode) -> None:
    """Run a session with a HUD that is sent with each request alone."""
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
        gaps = [each for one in main if (each := _untold(one, session))]
    found.row(f"{mode}: requests that do not tell the state", gaps or "none", holds=not gaps)
    ours = [_in_system(each) + _tails(each) for each in main]
    counts = {sum("# HUD" in one for one in each) for each in ours}
    found.row(f"{mode}: HUDs in each request", counts, holds=counts == {1})
    last = all(not _tails(each) or each.texts[-1] == _tails(each)[-1] for each in main)
    found.row(f"{mode}: what is behind the history is its end", last, holds=last)
    if mode == "system":
        prompts = {len(_in_system(each)) for each in main}
        found.row("system: of each request's prompt", prompts, holds=prompts == {1})
        first = {each.body["system"][0]["text"] for each in main}
        is_theirs = len(first) == 1 and "# HUD" not in "".join(first)
        found.row("system: the first part is the host's", is_theirs, holds=is_theirs)
    marks = [_marks(each) for each in main]
    what = f"{mode}: requests with a breakpoint before the end"
    found.row(what, f"{sum(marks)} of {len(main)}", holds=all(marks))
    others = [each for each in place.model.requests if each.kind in ("small", "summary")]
    with_hud = [each for each in others if _in_system(each) or _tails(each)]
    what = f"{mode}: title and summary requests with a HUD"
    found.row(what, f"{len(with_hud)} of {len(others)}", holds=not with_hud)


def _untold(request: Request, session: Any) -> set[str]:
    """Return what of the state stands neither in a request's HUD nor in its conversation."""
    said = _in_system(request) + _tails(request)
    conversation = [each for each in request.texts if each not in said]
    recorded = [each.version for each in session.events() if each.timestamp <= request.time]
    gaps = [misses(said, session, each, conversation) for each in reversed(recorded[-4:])]
    return next((each for each in gaps if not each), gaps[0])


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


def _filled(place: OpenCode, used: int) -> tuple[str, list[Request], list[Request]]:
    """Run two turns of which the first fills the context; return the session, its requests, and those of the agent."""
    place.install()
    place.model.requests.clear()
    place.model.full = used
    with place.running():
        name = place.begin()
        place.prompt(name, SECOND)
        place.prompt(name, THIRD)
    requests = list(place.model.requests)
    return name, requests, [each for each in requests if each.kind == "main"]


def _compacted_in_a_turn(found: Found, place: OpenCode) -> None:
    """Run a session whose context is full in the middle of a turn, so that the host compacts by itself."""
    name, requests, main = _filled(place, 195_000)
    with HudStore.open(place.store) as store:
        session = store.session(name)
        gaps = [each for one in main if (each := wrong(one, session))]
        state = session.state()
        counted = 0 if state.session is None else state.session.compactions
    summaries = [each for each in requests if each.kind == "summary"]
    what = "full in the middle of a turn: summaries, and compactions"
    found.row(what, f"{len(summaries)}, {counted}", holds=counted == len(summaries) == 1)
    found.row("full: requests that tell another state", gaps or "none", holds=not gaps)
    with_hud = [each for each in summaries if any("# HUD" in one for one in each.texts)]
    found.row("full: summary requests with a HUD", len(with_hud), holds=not with_hud)
    at = next(n for n, each in enumerate(main) if is_compacted(each))
    shares = [each for n, each in enumerate(kept(main)) if n != at - 1]
    found.row("full: prefix kept, the least", f"{min(shares):.1%}", holds=min(shares) == 1.0)


NOTICE = "[Memory Pressure: 93% (critical)"


def _nearly_full(found: Found, place: OpenCode) -> None:
    """Run a session whose context is nearly full once, so that its agent is told."""
    name, _, main = _filled(place, 187_000)
    told = [sum(NOTICE in text for text in each.texts) for each in main]
    is_once = told[-1] == max(told) == 1
    found.row("nearly full: how often each request tells it", told, holds=is_once)
    users = [each["role"] for each in main[-1].body["messages"] if NOTICE in str(each)]
    found.row("nearly full: who says it", users, holds=users == ["user"])
    with HudStore.open(place.store) as store:
        session = store.session(name)
        count = len([*session.events(types=("context.intervention",))])
        task = session.state().task
    found.row("nearly full: it is recorded once", count, holds=count == 1)
    is_theirs = task is not None and NOTICE not in str(task)
    found.row(
        "nearly full: the task is the person's", task and task.description[:30], holds=is_theirs
    )
    least = min(kept(main))
    found.row("nearly full: prefix kept, the least", f"{least:.1%}", holds=least == 1.0)


def _steps(found: Found, without: OpenCode, resident: OpenCode, rounds: int) -> None:
    """Measure a step with the plugin and without, in turns."""
    resident.install()
    with without.running(), resident.running():
        times = [(_step(without), _step(resident)) for _ in range(rounds)]
    look_at_steps(found, "a step with the plugin beside one without", times)


def _step(place: OpenCode, count: int = 12) -> float:
    name = place.begin()
    place.model.requests.clear()
    calls = f"{place.work('one')}\n" * count
    place.prompt(name, f"Run these, please, one after the other.\n{calls}")
    return step_time(place.model.requests)


def _silent(found: Found, place: OpenCode) -> None:
    """Stop the bridge, so that it does not answer, and let it go on."""
    place.install()
    place.model.requests.clear()
    with place.running():
        place.turn(SECOND, begins=True)
        stopped = place.bridges()
        for each in stopped:
            os.kill(each, signal.SIGSTOP)
        before = time.monotonic()
        is_well = place.turn(f"Go on, please.\n{place.work('four')}")
        took = time.monotonic() - before
        for each in stopped:
            os.kill(each, signal.SIGCONT)
        what = "bridge that does not answer: seconds of the turn"
        found.row(what, f"{took:.1f}", holds=bool(stopped) and is_well and took < 20)
        place.turn("Go on, please.")
        main = [each for each in place.model.requests if each.kind == "main"]
        with HudStore.open(place.store) as store:
            gap = wrong(main[-1], store.session(place.newest))
        found.row("the same: the next request tells", gap or "the state", holds=not gap)
        least = min(kept(main))
        found.row("the same: prefix kept, the least", f"{least:.1%}", holds=least == 1.0)


def _beside(found: Found, place: OpenCode) -> None:
    """Run a session between two plugins that put a message of theirs behind each request."""
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
        gaps = [each for one in main if (each := wrong(one, store.session(name)))]
    found.row("beside others: requests that tell another state", gaps or "none", holds=not gaps)
    wholes = [sum(one.startswith("# HUD\n") for one in huds(each)) for each in main]
    found.row("beside others: whole HUDs in each request", wholes, holds=max(wholes) <= 2)
    theirs = all(sum("neighbour " in one for one in each.texts) == 2 for each in main)
    found.row("beside others: theirs are there", theirs, holds=theirs)
    summaries = ["\n".join(each.texts) for each in requests if each.kind == "summary"]
    both = all("from the neighbour" in each and "be brief about" in each for each in summaries)
    found.row("beside others: both in the summary's prompt", both, holds=both and bool(summaries))
