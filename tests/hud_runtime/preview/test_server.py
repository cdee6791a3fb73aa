"""The server as a browser finds it: a socket on this machine, and data for its page."""

from __future__ import annotations

import json
import re
import signal
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.hud_runtime.preview.inside import HEADERS, MORE
from tests.hud_runtime.preview.inside import SERVED as PAGE
from tests.ids import looped
from tests.warm import python

DEMO = Path(__file__).parents[3] / "hud_runtime" / "data" / "demo.jsonl"
FILES = Path(__file__).parents[3] / "hud_runtime" / "preview" / "page"


@contextmanager
def started(folder):
    """Start a preview; yield its process, and the address that it printed."""
    import os
    import subprocess

    default = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        command = [*python(), "-m", "hud_runtime", "preview", str(DEMO), "--density", "compact"]
        environ = os.environ | {"UJSX_CONFIG": str(folder / "none")}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environ
        )
    finally:
        signal.signal(signal.SIGINT, default)
    with process:
        yield process, process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with started(tmp_path_factory.getbasetemp()) as (_, printed):
        yield re.fullmatch(r"http://(127\.0\.0\.1):(\d+)/\?token=([\w-]{43})", printed)


@pytest.fixture(scope="module")
def get(address):
    """Ask for a path, and return status, headers and body."""

    def ask(path, *, cookie=True, **headers):
        connection = HTTPConnection(address[1], int(address[2]), timeout=60)
        given = {"Cookie": f"ujsx-preview-{address[2]}={address[3]}"} if cookie else {}
        connection.request(
            "GET", path, headers=given | {k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), body

    return ask


def test_the_address_leads_to_the_page(get, address):
    status, headers, _ = get(f"/?token={address[3]}", cookie=False)
    assert (status, headers["location"]) == (303, "/")
    status, headers, body = get("/")
    assert status == 200
    assert headers["content-type"].startswith("text/html")
    assert body == (FILES / "index.html").read_bytes()


@looped("path", [*PAGE, *(f"/data/{what}" for what in MORE), "/data/changes"])
def test_nothing_is_answered_without_the_token(get, path):
    assert get(path, cookie=False)[0] == 403
    assert get(path, Host="example.invalid")[0] == 421
    assert get(path, Sec_Fetch_Site="same-site")[0] == 403


@looped("path", PAGE)
def test_every_file_has_the_policy_and_is_not_kept(get, path):
    status, headers, _ = get(path)
    assert status == 200
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


@looped("what", MORE)
def test_data_is_json(get, what):
    more = {"node": "&index=3", "events": "&after=0", "schema": "&dialect=mcp"}.get(what, "")
    status, headers, body = get(f"/data/{what}?turn=12{more}")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body)["answer"]


@looped(
    ("path", "status", "said"),
    [
        ("/data/view?turn=x", 400, "a parameter is not a number"),
        ("/data/view?budget=-5", 400, "a budget must be a number of tokens, 0 or more, not -5"),
        ("/data/view?density=compct", 422, 'did you mean \\"compact\\"'),
        ("/data/schema?dialect=opnai", 422, "openai"),
        ("/data/stamp", 404, "there is nothing called stamp"),
        ("/data/__init__", 404, "there is nothing called"),
        ("/../pyproject.toml", 404, ""),
        ("/..%2f..%2f..%2fpyproject.toml", 404, ""),
        ("/page/../_server.py", 404, ""),
        ("/preview.js/../../_server.py", 404, ""),
        ("/data/..%2f..%2f_server.py", 404, ""),
        ("//example.invalid/", 404, ""),
        ("/etc/passwd", 404, ""),
        ("/index.html", 404, ""),
        ("/data/view?turn=99999999999999999999999", 200, "turn"),
        ("/data/node?index=-1", 200, "null"),
    ],
)
def test_what_cannot_be_answered_says_why(get, path, status, said):
    found, _, body = get(path)
    assert found == status
    assert said in body.decode()


SCRIPT = "<script>alert(1)</script>"


@looped(
    "path",
    [
        f"/{SCRIPT}",
        f"/data/{SCRIPT}",
        f"/data/view?density={SCRIPT}",
        f"/data/view?turn={SCRIPT}",
        f"/data/schema?dialect={SCRIPT}",
        f"/data/cost?prices={SCRIPT}",
        f"/data/changes?known={SCRIPT}",
        f"/?token={SCRIPT}",
    ],
)
def test_no_refusal_is_markup_and_each_has_the_policy(get, path):
    """What comes in the address is told as text or JSON, of which no browser makes a page."""
    status, headers, body = get(quote(path, safe="/?=&"))
    assert headers["content-type"].split(";")[0] in ("text/plain", "application/json")
    assert headers["x-content-type-options"] == "nosniff"
    assert {name: headers[name] for name in HEADERS} == dict(HEADERS)
    assert status >= 400 or json.loads(body)["revision"]
    assert b"Traceback" not in body


def test_no_answer_lets_another_page_read_it_or_holds_the_token(get, address):
    for path in [*PAGE, *(f"/data/{what}" for what in MORE), "/nothing", "/data/nothing"]:
        _, headers, body = get(path, Origin="https://example.invalid")
        assert not [name for name in headers if name.lower().startswith("access-control")]
        assert address[3].encode() not in body
        assert "set-cookie" not in {name.lower() for name in headers}


def test_what_is_new_is_told_with_the_first_look(get):
    told = json.loads(get("/data/changes?known=")[2])
    assert told["look"] == {"density": "compact"}
    assert told["fault"] is None


def test_it_listens_on_this_machine_alone(address):
    assert address[1] == "127.0.0.1"


def test_the_page_has_nothing_of_its_own_inside():
    page = (FILES / "index.html").read_text()
    assert not re.search(
        r"<script(?![^>]* src=\"/preview\.js\")|<style|\son\w+=|\sstyle=|https?:", page
    )
    script = (FILES / "preview.js").read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|https?:",
        script,
    )


def test_ctrl_c_ends_it_in_silence(tmp_path):
    with started(tmp_path) as (process, _):
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == "open it in a browser; Ctrl-C ends it\n"
