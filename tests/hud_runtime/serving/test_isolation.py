"""One project's token against all of another's sessions, through every operation, resource and list.

The operations are those that the tools have, so that a new one is tried without being named here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import anyio

from hud_runtime import HudStore
from hud_runtime.serve.http import Application, ProjectLog, Tokens
from hud_runtime.tools import hud_toolset
from tests.hud_runtime.serving.asking import Asking, driven, until

Make = Callable[..., Application]

CANARY = "xylophone"
"""A word that stands in all that the other project has recorded, and nowhere else."""

VICTIMS = ("till", "till/main", "till/main/reviewer")

NAMES = (
    *VICTIMS, "project:till", "../till/main", "shop/../till/main", "/till/main", "till%2Fmain", "till\\main",
    "./till/main", "shop/../../till", "project:shop/../till", "TILL/main", "till/main ",
)  # fmt: skip
"""How an attacker may call the other project's sessions."""


def filled(log: Any) -> None:
    """Record something in each section of each of the other project's sessions, and all that stands beside it."""
    store = HudStore(ProjectLog(log, "till"), agent_layouts="offer")
    store.project("till").record("note.add", content=f"{CANARY} of the project")
    for name in VICTIMS:
        parent = "till/main" if name.count("/") > 1 else None
        session = store.session(name, project="till" if parent is None else None, parent=parent)
        for operation in hud_toolset(session, layouts=True).operations.values():
            if not operation.reads:
                for given in arguments(operation, CANARY):
                    session.call("hud", {"call": {"op": operation.name, **given}})
        session.record("note.add", content=f"{CANARY} note")
        session.record("context.snapshot", used=142_500, model=CANARY)
        session.record("compact.after", summary=f"{CANARY} summary")
        session.record("decision.record", summary=f"{CANARY} decision")
        session.keep_output("o-1a2b", f"{CANARY} output", tool="Bash")
        session.delivered(session.deliver(reader=CANARY).id)
        assert CANARY in session.hud().text


def arguments(operation: Any, word: str) -> Iterator[dict[str, Any]]:
    """Yield arguments that fit an operation, with a word wherever a text may stand: those it needs, and all."""
    schema = operation.arguments.model_json_schema()
    defs, fields = schema.get("$defs", {}), schema.get("properties", {})

    def value(of: Any) -> Any:
        of = defs[of["$ref"].rpartition("/")[2]] if "$ref" in of else of
        for each in of.get("anyOf", ()):
            if each.get("type") != "null":
                return value(each)
        if "enum" in of or "const" in of:
            return of["enum"][0] if "enum" in of else of["const"]
        match of.get("type"):
            case "integer" | "number":
                return of.get("minimum", 1)
            case "boolean":
                return True
            case "array":
                return [value(of.get("items", {}))]
            case "object":
                return {name: value(each) for name, each in of.get("properties", {}).items()}
            case _:
                return word

    needed = {name: value(fields[name]) for name in schema.get("required", ())}
    yield needed
    yield {name: value(each) for name, each in fields.items()}


def everything(log: Any) -> dict[str, Any]:
    """All that the store has of the other project."""
    ids = [*VICTIMS, "project:till"]
    return {
        each: (
            [*log.read(each)],
            log.deliveries(each),
            log.outputs(each),
            log.output(each, "o-1a2b"),
        )
        for each in ids
    }


def attempts(operations: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield what an attacker may ask: a method, its parameters, and how the session is named."""
    own = {"headers": {"ujsx-session": "child"}}
    for operation in operations.values():
        tool = "hud_read" if operation.reads else "hud"
        for word in ("till/main", "o-1a2b"):
            for given in arguments(operation, word):
                call = {"call": {"op": operation.name, **given}}
                yield "tools/call", {"name": tool, "arguments": call}, own
    for number, name in enumerate(NAMES):  # as the session that the request is of
        address = {"query": b"session=" + quote(name, safe="").encode()}
        named = {"headers": {"ujsx-session": name}} if number % 2 else address
        for op in ("snapshot", "notes.list", "history", "parent.show", "output", "search"):
            more = {"output": {"id": "o-1a2b"}, "search": {"query": CANARY[:5]}}.get(op, {})
            yield "tools/call", {"name": "hud_read", "arguments": {"op": op, **more}}, named
        yield "prompts/get", {"name": "compact"}, named
        for uri in ("hud://current", "hud://current/markdown"):
            yield "resources/read", {"uri": uri}, named
    for name in NAMES:  # as a resource
        once = quote(name, safe="")
        for part in (once, quote(name), name, quote(once, safe="")):
            for end in ("", "/markdown", "?part=2"):
                yield "resources/read", {"uri": f"hud://session/{part}{end}"}, own
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        yield method, {}, own


def test_a_token_reads_and_writes_nothing_of_another_project(
    made: Make, tokens: Tokens, log: Any
) -> None:
    filled(log)
    before = everything(log)
    text = tokens.add("shop")[1]
    app = made(agent_layouts="offer", read_tool=True)
    own = HudStore(ProjectLog(log, "shop"))
    child = own.session("shop/child", parent=own.session("shop"))
    operations = hud_toolset(child, layouts=True).operations
    every = {"parent.show", "parent.hand_back", "output", "search", "history", "help"}
    assert every <= {*operations}
    asked = 0

    async def drive() -> None:
        nonlocal asked
        client = Asking(app, text)
        for method, params, named in attempts(operations):
            answer = await client.rpc(method, params, **named)
            assert CANARY.encode() not in answer.body.lower(), (method, params, named)
            op = params.get("arguments", {}).get("call", {}).get("op")
            assert op is None or f'no operation "{op}"' not in answer.text
            asked += 1
        for prefix in ("", "t", "till", "till/", "project:", "shop/../", "%"):
            ref = {"type": "ref/resource", "uri": "hud://session/{id}"}
            params = {"ref": ref, "argument": {"name": "id", "value": prefix}}
            answer = await client.rpc("completion/complete", params)
            found = answer.data["result"]["completion"]["values"]
            assert all(each == "shop" or each.startswith("shop/") for each in found)

    driven(app, drive)
    assert asked > 300
    assert everything(log) == before
    known = [each for each in log.sessions() if each not in before]
    assert all(each == "shop" or each.startswith("shop/") for each in known)


def test_a_token_hears_nothing_of_another_project(made: Make, tokens: Tokens, log: Any) -> None:
    filled(log)
    text = tokens.add("shop")[1]
    app = made()
    heard: list[bytes] = []

    async def drive() -> None:
        async with anyio.create_task_group() as group:

            async def listen() -> None:
                uris = [f"hud://session/{quote(name, safe='')}" for name in NAMES]
                given = {"notifications": {"resourceSubscriptions": uris}}
                await Asking(app, text).modern("subscriptions/listen", given, on_body=heard.append)

            group.start_soon(listen)
            await until(lambda: heard)
            HudStore(log).session("till/main").record("note.add", content=CANARY)
            await Asking(app, text).hud("notes.add", content="x")  # and looks
            await anyio.sleep(0.02)
            app.stop()

    driven(app, drive)
    assert len(heard) == 2  # that it listens, and that it ended


def test_new_sessions_inherit_from_their_own_project_alone(
    made: Make, tokens: Tokens, log: Any
) -> None:
    filled(log)
    HudStore(log).project("shop").record("note.add", content="Tests run with make")
    text = tokens.add("shop")[1]
    app = made()

    async def drive() -> None:
        answer = await Asking(app, text, **{"ujsx-session": "new"}).hud("snapshot")
        assert "Tests run with make" in answer.text
        assert CANARY not in answer.text

    driven(app, drive)


def test_the_answer_is_the_same_whether_another_projects_session_is_there(
    made: Make, tokens: Tokens, log: Any
) -> None:
    """Nobody learns which names others use."""
    filled(log)
    text = tokens.add("shop")[1]
    app = made()

    async def drive() -> None:
        client = Asking(app, text)
        said = []
        for name in ("till/main", "till/nowhere"):
            part = quote(name, safe="")
            said.append(
                [
                    (await client.rpc("resources/read", {"uri": f"hud://session/{part}"})).body,
                    (await client.hud("snapshot", headers={"ujsx-session": name})).body,
                ]
            )
        told = json.dumps([[each.decode() for each in one] for one in said])
        assert told.count("main") == told.count("nowhere")
        for there, not_there in zip(*said, strict=True):
            assert there.replace(b"main", b"nowhere") == not_there

    driven(app, drive)
