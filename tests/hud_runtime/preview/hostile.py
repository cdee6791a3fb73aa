"""Texts that would like to be something else: markup, an address, a script, a terminal's orders."""

from __future__ import annotations

from pathlib import Path

from hud_runtime import HudStore

ALARM = "window.alarmed=1"

TEXTS = (
    f"<script>{ALARM}</script>",
    f"</script><script>{ALARM}</script>",
    f"<img src=x onerror={ALARM}>",
    f"<svg onload={ALARM}>",
    f"\"><iframe srcdoc='<script>parent.{ALARM}</script>'>",
    f"![x](javascript:{ALARM})",
    "![x](https://example.invalid/beacon.png)",
    f"[click](javascript:{ALARM})",
    "[click](https://example.invalid/leave)",
    "<https://example.invalid/auto>",
    "<link rel=stylesheet href=https://example.invalid/x.css>",
    "<base href=https://example.invalid/>",
    "<meta http-equiv=refresh content='0;url=https://example.invalid/'>",
    "<style>@import 'https://example.invalid/x.css'</style>",
    "[x]: https://example.invalid/definition",
    "</pre></div></body></html>",
    "${" + ALARM + "}{{" + ALARM + "}}",
    "\x1b[2J\x1b]0;title\x07 and a \u202eright-to-left\u202c word, 🙂",
    "| a | b |\n| - | - |\n| <b>x</b> | y |",
    "```html\n<script>" + ALARM + "</script>\n```",
    "__proto__ constructor toString",
)
"""What each field of a session says."""


def hostile_session(path: Path) -> None:
    """Record a session that says all of them, in every field that takes text."""
    with HudStore.open(path, clock=lambda: 0) as store:
        session = store.session("<script>s</script>", project="<img src=x>", started_at=0)
        for turn, text in enumerate(TEXTS, start=1):
            line = text.replace("\n", " ")
            session.record("task.set", description=text, turn=turn)
            session.record("task.goal", goal=text)
            session.record("decision.record", summary=line, details=text)
            session.record("note.add", content=text)
            session.record("step.add", description=line)
            session.record("blocker.add", description=line)
            session.record("error.encountered", message=text, actor="host")
            session.record("file.open", path=line)
            session.record("fact.set", name=f"fact {turn}", value=line, actor="host")
            session.record("context.snapshot", used=20_000, model=line, actor="host")
        session.record("compact.after", summary="\n\n".join(TEXTS))
        session.deliver()
