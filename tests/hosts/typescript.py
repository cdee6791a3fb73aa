"""The official MCP client for TypeScript: it drives the server with a domain and tools of one's own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.hosts.opencode import CACHE, Rows

VERSION = "2.4.0"

ROOT = Path(__file__).parents[2]
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
    folder = CACHE / "mcp-typescript"
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


def rows(folder: Path, *, rounds: int = 5) -> Rows:
    """Drive the server in both ways of the protocol; see :func:`tests.hosts.opencode.rows`."""
    installed = modules()
    if installed is None:
        return [("client", "not there, and npm could not fetch it", False)]
    return [row for era in ERAS for row in _driven(folder / era, installed, era)]


def _driven(folder: Path, installed: Path, era: str) -> Rows:
    folder.mkdir(parents=True)
    (folder / "shop.py").write_text(TOOLS)
    hud = [sys.executable, "-m", "hud_runtime"]
    store = ["--store", str(folder / "hud.db"), "--domain", "support:SUPPORT"]
    serve = [*hud, "serve", *store, "--session", "t-4711", "--tools", "shop:SHOP", "--read-tool"]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "docs" / "examples", folder)))
    call = ["node", str(PROGRAM), str(installed), era, *serve]
    beside = shlex.join([*hud, "record", "t-4711", "note.add", "--content", "Elsewhere", *store])
    done = subprocess.run(
        call,
        check=False,
        capture_output=True,
        text=True,
        input=beside,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        timeout=120,
    )
    (folder / "said.txt").write_text(done.stdout + done.stderr)
    if done.returncode:
        return [(f"{ERAS[era]}: runs", done.stderr.strip()[-200:], False)]
    seen: dict[str, Any] = json.loads(done.stdout)
    return [(f"{ERAS[era]}: {what}", *found) for what, found in _looked_at(seen).items()]


def _looked_at(seen: dict[str, Any]) -> dict[str, tuple[str, bool]]:
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
        "ids are completed": (str(seen["completed"]), seen["completed"] == ["t-4711"]),
        "the prompt": (str(seen["prompts"]), "Port 9090" in seen["prompt"]),
        "hears of what others record": (
            str(seen["updated"]),
            seen["updated"] and "Elsewhere" in seen["hudAfter"],
        ),
    }
