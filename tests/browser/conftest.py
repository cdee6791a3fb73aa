"""A real Chromium, the command's own server, and what a page did meanwhile.

``make browser`` installs what is needed. Where it is not there, these tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".cache" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

PATIENCE = 120_000
"""Milliseconds in which something has to have happened, however busy the machine is."""

QUIET = 200
"""Milliseconds without a request after which a page has all that it shows: more than its own pause."""

OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


def chromium() -> str | None:
    """Return the browser that is there."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="`make browser` installs playwright"
    )
    place = chromium()
    if place is None:
        pytest.skip("there is no Chromium; `make browser` installs one")
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=place, args=[OFFLINE, *rights])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start the command, and return the address that it prints; tests that ask for the same share one."""
    config = tmp_path_factory.mktemp("config") / "none"
    started: list[subprocess.Popen[str]] = []

    @cache
    def start(*arguments: object, **environ: str) -> str:
        process = subprocess.Popen(
            [sys.executable, "-m", "hud_runtime", "preview", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=ROOT,
            env=os.environ | {"UJSX_CONFIG": str(config)} | environ,
        )
        started.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield start
    for process in started:
        process.send_signal(signal.SIGTERM)
        with process:
            process.wait(60)


class Watched:
    """A page, and all that it asked for, said and complained of."""

    def __init__(self, browser: Any, address: str, **settings: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.address = address
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.awaited: set[Any] = set()
        self.page.on("request", self._asked)
        self.page.on("requestfinished", self._answered)
        self.page.on("requestfailed", self._answered)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._said)
        self.page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))
        self.page.goto(address)
        self.page.wait_for_selector("#reading .part")

    def _asked(self, request: Any) -> None:
        self.requests.append(request.url)
        if "/data/changes" not in request.url:  # it waits for the next change
            self.awaited.add(request)

    def _answered(self, request: Any) -> None:
        self.awaited.discard(request)

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def until(self, script: str) -> None:
        """Wait until an expression holds in the page, whose policy lets nobody evaluate one in it."""
        end = time.monotonic() + PATIENCE / 1_000
        while not self.page.evaluate(script):
            assert time.monotonic() < end, f"it did not come to hold: {script}"
            self.page.wait_for_timeout(20)

    def text(self, selector: str) -> str:
        return str(self.page.text_content(selector))

    def tab(self, name: str) -> None:
        self.page.click(f"#tab-{name}")

    def settle(self) -> None:
        """Wait until what was asked for is there, and the page has asked for nothing more in its own pause."""
        self.page.wait_for_load_state("load")
        quiet = 0
        while quiet < QUIET:
            self.page.wait_for_timeout(20)
            quiet = 0 if self.awaited else quiet + 20

    def serious(self) -> list[str]:
        """Return what axe-core finds that is serious."""
        if not AXE.exists():
            pytest.skip("axe-core is not there; `make browser` installs it")
        # evaluated by the driver, outside of the page's own policy
        self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("axe.run()")
        return [
            f"{each['id']}: {node['html'][:120]}"
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    def outside(self) -> list[str]:
        """Return what was asked of anybody else."""
        own = urlsplit(self.address).netloc
        return [each for each in self.requests if urlsplit(each).netloc != own]


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Watched]]:
    """Open an address; whatever the test is about, no page may complain, or ask anybody else."""
    pages: list[Watched] = []

    def make(address: str, **settings: Any) -> Watched:
        pages.append(Watched(browser, address, **settings))
        return pages[-1]

    yield make
    for each in pages:
        each.context.close()
        assert each.outside() == []
        assert each.errors == []


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go: into the docs, where the run is to make them anew."""
    named = os.environ.get("UJSX_PICTURES")
    return Path(named) if named else tmp_path_factory.mktemp("pictures")
