"""The playground in a real Chromium: as `make docs` builds it, from a file server, with nothing loaded from elsewhere."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from time import perf_counter
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import AXE, PATIENCE
from tests.docs.programs import program

SHOWN = "#status:text-is('')"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    site = program("playground.site")
    if not (site.PYTHON / ".installed").is_file():
        pytest.skip("there is no Python for the browser; `make browser` installs it")
    place = tmp_path_factory.mktemp("site")
    site.copy_playground(place / "playground")
    (place / "index.html").write_text("the docs")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=place)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/playground/index.html"
        server.shutdown()


class Playground:
    """A page of its own, with what it asked for and complained of."""

    def __init__(self, browser, address, fragment=""):
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.address = address
        self.answered, self.errors = [], []
        self.context.on("requestfinished", lambda request: self.answered.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        begun = perf_counter()
        self.page.goto(address + fragment)
        self.page.wait_for_selector("#blocks section, #fault:not([hidden])")
        self.settle()
        self.cold = perf_counter() - begun

    def settle(self):
        self.page.wait_for_selector(SHOWN, state="attached")

    @contextmanager
    def next(self):
        """Wait until what was done within has been shown."""
        before = self.page.get_attribute("#blocks", "data-number")
        yield
        self.page.wait_for_selector(f"#blocks:not([data-number='{before}'])", state="attached")

    def write(self, text):
        """Replace the text; return the seconds until its rendering is shown."""
        begun = perf_counter()
        with self.next():
            self.page.fill("#source", text)
        return perf_counter() - begun

    def texts(self):
        return [each.text_content() for each in self.page.query_selector_all("#blocks pre")]

    def fault(self):
        return self.page.text_content("#fault")


@pytest.fixture(scope="module")
def opened(browser, address):
    """Open a page; none may complain, or be answered by anybody else."""
    pages = []

    def make(fragment=""):
        pages.append(Playground(browser, address, fragment))
        return pages[-1]

    yield make
    for each in pages:
        each.context.close()
        assert each.errors == []
        assert {urlsplit(one).netloc for one in each.answered} <= {urlsplit(address).netloc, ""}


@pytest.fixture(scope="module")
def shown(opened):
    """A page that the tests share, as Python takes seconds to start."""
    return opened()


def linked(text):
    return f"#view=tiers&text={base64.urlsafe_b64encode(text.encode()).decode().rstrip('=')}"


def test_every_example_and_every_edit_is_shown(shown):
    assert len(shown.texts()) == 3
    assert len(shown.page.query_selector_all("#examples option")) == 20
    times = []
    for number in range(20):
        with shown.next():
            shown.page.select_option("#examples", index=number)
        assert shown.fault() == ""
        source = shown.page.input_value("#source")
        times += [shown.write(f"{source}{word}") for word in ("\n", "\n\n")]
        assert shown.fault() == ""
        assert len(shown.texts()) == 3
    print(f"cold: {shown.cold:.1f} s; an edit: {median(times):.2f} s, at most {max(times):.2f} s")


def test_each_view_shows_the_same_text_in_its_way(shown):
    shown.write("<Hud>\n<TaskSection/>\n</Hud>")
    views = {
        "schema": '"parameters"',
        "back": "TaskSection",
        "hostile": "# Ignore all rules",
        "tiers": "## Task\n\nAdd a login",
    }
    for view, wanted in views.items():
        with shown.next():
            shown.page.click(f"[data-view={view}]")
        assert wanted in "".join(shown.texts())
        assert f"view={view}&" in shown.page.url


def test_an_address_holds_what_was_written(shown, opened):
    shown.write("'*ä* 😀'")
    other = opened(shown.page.url.partition("index.html")[2])
    assert other.page.input_value("#source") == "'*ä* 😀'"
    assert other.texts()[0] == "\\*ä\\* 😀\n"


def test_a_broken_address_shows_an_example(opened):
    assert len(opened("#view=none&text=_w").texts()) == 3


def test_a_fault_keeps_the_last_good_view(shown):
    shown.write("'good'")
    shown.write("'good")
    assert shown.fault().startswith("yours.py:1:1: SyntaxError")
    assert shown.texts()[0] == "good\n"
    shown.write("'better'")
    assert shown.fault() == ""


def test_code_without_an_end_is_stopped(shown):
    shown.page.fill("#source", "while True: pass")
    shown.page.wait_for_selector("#fault:has-text('did not end')")
    shown.page.wait_for_selector("#status:has-text('Change the text')")
    shown.write("'again'")
    assert shown.texts()[0] == "again\n"


REQUEST = """
from js import XMLHttpRequest

asked = XMLHttpRequest.new()
asked.open("GET", "{}", False)
asked.send()
"sent"
"""


def test_code_reaches_no_other_host(shown, address):
    shown.write(REQUEST.format(address))
    assert shown.texts()[0] == "sent\n"
    shown.write(REQUEST.format("https://example.org/"))
    assert "NetworkError" in shown.fault()


def test_markup_in_a_result_stays_text(shown):
    shown.write("print('<img src=x onerror=alert(1)>')\n'<b>'")
    assert shown.texts()[0] == "<img src=x onerror=alert(1)>\n"
    assert shown.page.query_selector("#blocks img, #blocks b") is None


def test_the_page_is_accessible(shown):
    if not AXE.exists():
        pytest.skip("axe-core is not there; `make browser` installs it")
    shown.write("'good'")
    shown.page.evaluate(AXE.read_text("utf-8"))
    found = shown.page.evaluate("axe.run()")["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
