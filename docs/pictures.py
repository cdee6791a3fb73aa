"""Make the pictures of the docs by running what they show: ``make pictures``.

``ladder.svg`` is the bundled session's HUD at each density. ``minute.cast`` is a terminal in which the commands of
``MINUTE`` are run, in a folder with the files of ``examples/minute``; ``minute.svg`` is the same as a film that needs
no player. What a command prints is what it printed here; only how long it took is not told, and the times in the
recording are those of a reader. The same code gives the same bytes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from hud_runtime import HudStore, replay

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
COLUMNS, LINES = 92, 34
SECONDS = 60.0
"""How long the recording takes."""

TYPING, PRINTING = 0.03, 0.04
"""Seconds for a character that is typed, and for a line that is printed."""

MINUTE = (
    ("A section of a HUD, in 25 lines.", "cat desk.py"),
    (
        "An agent of Pydantic AI, with a model that is played, fills it, and has it after a compaction.",
        "python agent.py",
    ),
    (
        "A person edits the HUD's Markdown (sed is the editor here).",
        "EDITOR=\"sed -i '/cable/s/failed/worked/'\" ujsx edit 4711 --store hud.db --domain desk:DESK",
    ),
    ("The next request has it.", "python agent.py"),
    ("A test holds what is shown, and how many tokens that is.", "pytest -q --snapshot-update"),
    (
        "Somebody makes the compact line longer, and the test says what that costs.",
        "sed -i 's/{what}: {outcome}/{what} was tried for them: {outcome}/' desk.py; pytest -q --tb=short",
    ),
)
"""What is typed in the recording, each with what it shows."""

UNTOLD = (
    (re.compile(r" in \d+\.\d+s"), ""),
    (re.compile(r"^(\.|F)+ +\[100%\]\n", re.MULTILINE), ""),
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    (re.compile(r"/\S*/ujsx-minute-[^/\s]*"), "~/desk"),
)
"""What is another text at each run."""


class Scene(NamedTuple):
    """A command, and what it printed."""

    about: str
    command: str
    output: list[str]
    """Its lines, none longer than the terminal is wide."""


# --- Text as a picture ---

SIZE, ADVANCE, LEADING, EDGE = 13, 7.83, 18, 16
"""Pixels: of the font, of a character, from line to line, around it all."""

WIDTH = 52
"""Characters in a column of the ladder."""

STYLES = (
    (re.compile(r"^#+ (?!A |The |Some).*"), "h"),
    (re.compile(r"^(E +)?[-+] .*→.*|^E .*|^FAILED.*"), "e"),
    (re.compile(r"^# .*|^-- .*"), "c"),
    (re.compile(r"^\$ .*"), "p"),
    (re.compile(r"^\*… .*"), "c"),
)
"""How a line looks, by how it begins: a heading, an error, a remark, a prompt."""

SHEET = f"""
text {{ font: {SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #dfe3ea; white-space: pre; }}
.h {{ fill: #8ec7ff; font-weight: 600; }} .e {{ fill: #ff9b8e; }} .c {{ fill: #9aa4b2; }} .p {{ fill: #9fdc8c; }}
"""


def text_at(x: float, y: float, line: str) -> str:
    """Return a line of text as an element of SVG."""
    style = next((name for pattern, name in STYLES if pattern.match(line)), "")
    mark = f' class="{style}"' if style else ""
    return f'<text x="{x:g}" y="{y:g}"{mark} xml:space="preserve">{escape(line)}</text>'


def svg(width: float, height: float, title: str, style: str, body: list[str]) -> str:
    """Return a picture with a dark background."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{SHEET}{style}</style>",
            f'<rect width="{width:g}" height="{height:g}" rx="10" fill="#171a20"/>',
            *body,
            "</svg>\n",
        ]
    )


def wrapped(text: str, columns: int) -> list[str]:
    """Return the lines of a text, none longer than so many characters."""
    return [
        part
        for line in text.rstrip("\n").split("\n")
        for part in wrap(line, columns, subsequent_indent="  ", break_on_hyphens=False) or [""]
    ]


# --- The ladder ---


def ladder() -> str:
    """Return the bundled session's HUD at each density, side by side."""
    with (
        as_file(files("hud_runtime") / "data" / "demo.jsonl") as path,
        HudStore.open(":memory:", clock=lambda: 0) as store,
    ):
        session = store.session("demo")
        replay(path, session)
        shown = {each: session.hud(density=each) for each in ("full", "compact", "minimal")}
    full, compact, minimal = (
        [f"$ {density}: {rendered.tokens} tokens", "", *wrapped(rendered.text, WIDTH)]
        for density, rendered in shown.items()
    )
    middle = full.index("", len(full) // 2)
    columns = [full[:middle], ["", *full[middle:]], [*compact, "", "", *minimal]]
    body = [
        text_at(EDGE + column * (WIDTH * ADVANCE + EDGE), EDGE + LEADING * place, line)
        for column, lines in enumerate(columns)
        for place, line in enumerate(lines, 1)
        if line
    ]
    height = LEADING * max(map(len, columns)) + 3 * EDGE
    return svg(
        len(columns) * (WIDTH * ADVANCE + EDGE) + EDGE,
        height,
        "One HUD at three densities",
        "",
        body,
    )


# --- The minute ---


def scenes() -> list[Scene]:
    """Run the commands of the minute, one after the other, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="ujsx-minute-") as name:
        folder = Path(name)
        for path in (DOCS / "examples" / "minute").glob("*.py"):
            shutil.copy(path, folder)
        (folder / "pytest.ini").write_text(
            "[pytest]\naddopts = --no-header -p no:cacheprovider\n", "utf-8"
        )
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": name,
            "LANG": "C.UTF-8",
            "PYTHONPATH": f"{folder}{os.pathsep}{DOCS.parent}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "UJSX_HOME": str(folder / "home"),
            "COLUMNS": str(COLUMNS),
        }
        return [
            Scene(about, command, wrapped(_run(command, folder, environment), COLUMNS))
            for about, command in MINUTE
        ]


def _run(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(  # our own commands, which a shell is to read
        command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, encoding="utf-8", check=False,
    )  # fmt: skip
    text = done.stdout
    for pattern, instead in UNTOLD:
        text = pattern.sub(instead, text)
    return text


def reading_time(found: list[Scene]) -> float:
    """Return the seconds that a reader has for a line, so that all fits the minute."""
    typed = sum(len(each.command) for each in found) * TYPING
    lines = sum(len(each.output) for each in found)
    return (SECONDS - typed - lines * PRINTING) / (lines + 4 * len(found))


def cast(found: list[Scene]) -> str:
    """Return the recording, as asciinema's players read it (asciicast, version 2)."""
    header = {"version": 2, "width": COLUMNS, "height": LINES, "title": "ujsx in a minute"}
    events: list[tuple[float, str]] = []
    now, pause = 0.0, reading_time(found)
    for scene in found:
        events.append((now, f"\x1b[2J\x1b[H\x1b[2m# {scene.about}\x1b[0m\r\n\x1b[32m$\x1b[0m "))
        now += pause * 2
        for character in scene.command:
            events.append((now, character))
            now += TYPING
        events.append((now, "\r\n"))
        for line in scene.output:
            now += PRINTING
            events.append((now, f"{line}\r\n"))
        now += pause * (len(scene.output) + 2)
    events.append((now, "\x1b[32m$\x1b[0m "))
    lines = [
        json.dumps(header),
        *(json.dumps([round(at, 3), "o", text], ensure_ascii=False) for at, text in events),
    ]
    return "\n".join(lines) + "\n"


def film(found: list[Scene]) -> str:
    """Return the recording as a picture that changes: each command, and then what it printed."""
    frames: list[tuple[float, list[str]]] = []
    now, pause = 0.0, reading_time(found)
    for scene in found:
        head = [f"# {scene.about}", *wrapped(f"$ {scene.command}", COLUMNS), ""]
        frames.append((now, head))
        now += pause * 2 + len(scene.command) * TYPING
        frames.append((now, head + scene.output))
        now += pause * (len(scene.output) + 2) + len(scene.output) * PRINTING
    style, body = "", []
    starts = [100 * at / now for at, _ in frames]
    for number, ((_, lines), (start, end)) in enumerate(
        zip(frames, pairwise([*starts, 100.0]), strict=True)
    ):
        before = "" if start == 0 else "0% { opacity: 0 } "
        after = "" if end == 100 else f" {end:.2f}% {{ opacity: 0 }}"
        style += f"@keyframes f{number} {{ {before}{start:.2f}% {{ opacity: 1 }}{after} }}\n"
        style += f"#f{number} {{ animation: f{number} {now:.0f}s step-end infinite; opacity: 0 }}\n"
        shown = lines[-LINES:]
        body += [
            f'<g id="f{number}">',
            *(
                text_at(EDGE, EDGE + LEADING * place, line)
                for place, line in enumerate(shown, 1)
                if line
            ),
            "</g>",
        ]
    style += f"@media (prefers-reduced-motion) {{ g {{ animation: none !important }} #f{len(frames) - 1} {{ opacity: 1 }} }}\n"
    return svg(
        COLUMNS * ADVANCE + 2 * EDGE,
        LINES * LEADING + 2 * EDGE,
        "ujsx in a minute, in a terminal",
        style,
        body,
    )


def pictures() -> dict[str, str]:
    """Return all pictures by the names of their files."""
    found = scenes()
    return {"ladder.svg": ladder(), "minute.cast": cast(found), "minute.svg": film(found)}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, text in pictures().items():
        (PICTURES / name).write_text(text, "utf-8")
        print(PICTURES / name)
