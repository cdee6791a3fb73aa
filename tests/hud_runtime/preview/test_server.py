"""The server as a browser finds it: a socket on this machine, and data for its page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.hud_runtime.preview.hostile import HEADERS

FILES = Path(__file__).parents[3] / "hud_runtime" / "preview" / "page"


PAGE = ["/", "/preview.css", "/preview.js", "/gallery.js", "/favicon.ico"]
DATA = ["view", "rungs", "change", "node", "events", "deliveries", "schema", "cost"]


def test_the_address_leads_to_the_page(served):
    status, headers, _ = served.get(f"/?token={served.token}", cookie=None)
    assert (status, headers["location"]) == (303, "/")
    status, headers, body = served.get("/")
    assert status == 200
    assert headers["content-type"].startswith("text/html")
    assert body == (FILES / "index.html").read_bytes()


def test_nothing_is_answered_without_the_token(served):
    for path in [*PAGE, *(f"/data/{what}" for what in DATA), "/data/changes"]:
        assert served.get(path, cookie=None).status == 403, path
        assert served.get(path, host="example.invalid").status == 421, path
        assert served.get(path, sec_fetch_site="same-site").status == 403, path


def test_every_file_has_the_policy_and_is_not_kept(served):
    for path in PAGE:
        status, headers, _ = served.get(path)
        assert status == 200, path
        assert {name: headers[name] for name in HEADERS} == HEADERS, path


def test_data_is_json(served):
    for what in DATA:
        more = {"node": "&index=3", "events": "&after=0", "schema": "&dialect=mcp"}.get(what, "")
        status, headers, body = served.get(f"/data/{what}?turn=12{more}")
        assert (status, headers["content-type"]) == (200, "application/json"), what
        assert json.loads(body)["answer"], what


@pytest.mark.parametrize(
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
def test_what_cannot_be_answered_says_why(served, path, status, said):
    found, _, body = served.get(path)
    assert found == status
    assert said in body.decode()


SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize(
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
def test_no_refusal_is_markup_and_each_has_the_policy(served, path):
    """What comes in the address is told as text or JSON, of which no browser makes a page."""
    status, headers, body = served.get(quote(path, safe="/?=&"))
    assert headers["content-type"].split(";")[0] in ("text/plain", "application/json")
    assert headers["x-content-type-options"] == "nosniff"
    assert {name: headers[name] for name in HEADERS} == dict(HEADERS)
    assert status >= 400 or json.loads(body)["revision"]
    assert b"Traceback" not in body


def test_no_answer_lets_another_page_read_it_or_holds_the_token(served):
    for path in [*PAGE, *(f"/data/{what}" for what in DATA), "/nothing", "/data/nothing"]:
        _, headers, body = served.get(path, origin="https://example.invalid")
        assert not [name for name in headers if name.lower().startswith("access-control")]
        assert served.token.encode() not in body
        assert "set-cookie" not in {name.lower() for name in headers}


def test_what_is_new_is_told_with_the_first_look(served):
    told = json.loads(served.get("/data/changes?known=")[2])
    assert told["look"] == {"density": "compact"}
    assert told["fault"] is None


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
