"""The official MCP client for TypeScript: it drives the server with a domain and tools of one's own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.hosts.place import CACHES, NOT_THERE, ROOT, Found

VERSION = "2.4.0"

PROGRAM = Path(__file__).with_name("mcp_client.mjs")

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How a client begins, and the version of the protocol that it then speaks."""

TOOLS = '''
from ujsx.tools import Toolset

SHOP = Toolset(name="shop")


@SHOP.operation(reads=True)
def price(order: str) -> dict[str, float]:
    """What an order cost."""
    return {order: 9.5}
'''


def modules() -> Path | None:
    """Return the folder in which the client is installed; it is fetched where it is not there."""
    folder = CACHES / "mcp-typescript"
    package = folder / "node_modules" / "@modelcontextprotocol" / "client" / "package.json"
    if not package.is_file() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        call = [
            "npm",
            "install",
            "--prefix",
            str(folder),
            f"@modelcontextprotocol/client@{VERSION}",
        ]
        call += ["--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(call, check=False, capture_output=True)
    return folder if package.is_file() and shutil.which("node") else None


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Drive the server in both ways of the protocol."""
    installed = modules()
    if installed is None:
        return NOT_THERE
    return Found(
        row
        for way in ("stdio", "http")
        for era in ERAS
        for row in _driven(folder / way / era, installed, era, over_http=way == "http")
    )


@contextmanager
def _serving(call: list[str], env: dict[str, str], folder: Path) -> Iterator[list[str]]:
    """Run a server over HTTP; give what its client is told: the address, a token, and a session."""
    token = [*call[:3], "token", "add", "shop", "--store", str(folder / "hud.db")]
    made = subprocess.run(token, capture_output=True, text=True, check=True, env=env)
    process = subprocess.Popen(
        [*call, "--http", "0"], stderr=subprocess.PIPE, text=True, env=env, cwd=folder
    )
    assert process.stderr is not None
    try:
        address = process.stderr.readline().split()[2].rstrip(",")
        yield [address, made.stdout.strip(), "t-4711"]
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _driven(folder: Path, installed: Path, era: str, *, over_http: bool) -> Found:
    folder.mkdir(parents=True)
    (folder / "shop.py").write_text(TOOLS)
    hud = [sys.executable, "-m", "hud_runtime"]
    store = ["--store", str(folder / "hud.db"), "--domain", "support:SUPPORT"]
    own = [*store, "--tools", "shop:SHOP", "--read-tool"]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "docs" / "examples", folder)))
    env = {**os.environ, "PYTHONPATH": path}
    name = "shop/t-4711" if over_http else "t-4711"
    beside = shlex.join([*hud, "record", name, "note.add", "--content", "Elsewhere", *store])
    with ExitStack() as stack:
        server = [*hud, "serve", *own]
        told = (
            stack.enter_context(_serving(server, env, folder))
            if over_http
            else [*server, "--session", "t-4711"]
        )
        done = subprocess.run(
            ["node", str(PROGRAM), str(installed), era, *told],
            check=False,
            capture_output=True,
            text=True,
            input=beside,
            cwd=folder,
            env=env,
            timeout=120,
        )
    (folder / "said.txt").write_text(done.stdout + done.stderr)
    what_for = f"{ERAS[era]}{' over HTTP' if over_http else ''}"
    if done.returncode:
        return Found([(f"{what_for}: runs", done.stderr.strip()[-200:], False)])
    seen: dict[str, Any] = json.loads(done.stdout)
    return Found((f"{what_for}: {what}", *found) for what, found in _looked_at(seen, name).items())


def _looked_at(seen: dict[str, Any], name: str) -> dict[str, tuple[str, bool]]:
    tools, read, history = seen["tools"], seen["read"], seen["history"]
    whats = [each["what"] for each in (read["data"] or {}).get("data", {}).get("items", [])]
    return {
        "tools, with titles and hints": (
            ", ".join(tools),
            [*tools] == ["hud", "hud_read", "hud_compact", "price"]
            and tools["hud_read"] == {"title": "Read the HUD", "reads": True, "output": "object"}
            and tools["price"]["reads"],
        ),
        "calls are mended": (seen["mended"]["text"].splitlines()[0], not seen["mended"]["isError"]),
        "what only reads refuses to write": (
            seen["refused"]["text"].splitlines()[0],
            seen["refused"]["isError"] and seen["refused"]["data"] is None,
        ),
        "answers as data": (str(whats), whats == ["Port 8080", "Port 9090"]),
        "the history as data": (
            f"{history['data']['data']['total']} events",
            history["data"]["operation"] == "history",
        ),
        "a tool of one's own": (
            str(seen["price"]["data"]),
            seen["price"]["data"] == {"A-7": 9.5} and seen["broken"]["isError"],
        ),
        "resources, read": (
            f"{len(seen['resources'])} and {len(seen['templates'])} templates",
            len(seen["resources"]) == len(seen["templates"]) == 2 and "Port 9090" in seen["hud"],
        ),
        "ids are completed": (str(seen["completed"]), seen["completed"] == [name]),
        "the prompt": (str(seen["prompts"]), "Port 9090" in seen["prompt"]),
        "hears of what others record": (
            seen.get("unsubscribed") or str(seen["updated"]),
            # An older client cannot subscribe over HTTP, and is told so; it sees what is new when it reads.
            (seen["updated"] or "unsubscribed" in seen) and "Elsewhere" in seen["hudAfter"],
        ),
    }
