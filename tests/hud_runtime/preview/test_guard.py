"""Who is answered: nobody without the token, by another name, from another page, or who would change something."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.hud_runtime.preview.inside import HEADERS, KNOWN, NO_HOST, POLICY, PageGuard
from tests.ids import looped

PORT = 4711
HOST = f"127.0.0.1:{PORT}"
TOKEN = "t" * 43
COOKIE = f"ujsx-preview-{PORT}={TOKEN}"


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await send({"type": "lifespan.startup.complete"})
        return
    known = b"known" if scope.get(KNOWN) else b"unknown"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"shown to a client that is " + known})


def answer(
    path: str = "/", *, method: str = "GET", query: str = "", kind: str = "http", **headers: str
) -> list[dict[str, Any]]:
    given = [
        (name.replace("_", "-").encode(), value.encode("latin-1", "replace"))
        for name, value in headers.items()
    ]
    scope = {
        "type": kind, "method": method, "path": path, "query_string": query.encode(), "headers": given,
    }  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(PageGuard(app, PORT, TOKEN)(scope, None, send))  # type: ignore[arg-type]
    return sent


def status(*given: Any, **more: Any) -> int:
    return answer(*given, **more)[0]["status"]


def headers_of(sent: list[dict[str, Any]]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


class TestAToken:
    def test_the_address_gives_a_cookie_and_leaves_the_token_behind(self):
        sent = answer(query=f"token={TOKEN}", host=HOST)
        told = headers_of(sent)
        assert sent[0]["status"] == 303
        assert told["location"] == "/"
        assert told["set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict"

    def test_the_cookie_is_answered(self):
        sent = answer("/data/view", host=HOST, cookie=f"other=1; {COOKIE}")
        assert sent[1]["body"] == b"shown to a client that is known"

    @looped("path", ["/", "/preview.js", "/data/view", "/favicon.ico", "/nothing"])
    def test_without_it_nothing_is_answered(self, path):
        assert status(path, host=HOST) == 403

    @given(st.text(max_size=60))
    def test_another_one_is_refused(self, given):
        if given == TOKEN:
            return
        name = COOKIE.partition("=")[0]
        assert status("/data/view", host=HOST, cookie=f"{name}={given}") == 403

    @looped("given", ["x", TOKEN[:-1] + chr(ord(TOKEN[-1]) ^ 1), TOKEN[1:], f"{TOKEN}x"])
    def test_another_one_in_the_address_is_refused(self, given):
        assert status(query=f"token={given}", host=HOST, cookie=COOKIE) == 403
        name = COOKIE.partition("=")[0]
        assert status("/data/view", host=HOST, cookie=f"{name}={given}") == 403

    def test_it_is_in_no_address_but_the_first(self):
        assert status("/data/view", query=f"token={TOKEN}", host=HOST) == 403

    def test_each_server_makes_its_own(self):
        first, second = PageGuard(app, PORT), PageGuard(app, PORT)  # type: ignore[arg-type]
        assert first.token != second.token
        assert len(first.token) >= 43  # 256 bits, six in a character
        assert first.address == f"http://{HOST}/?token={first.token}"


class TestWhence:
    @looped(
        "host",
        ["example.invalid", f"example.invalid:{PORT}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{PORT}", "", f"127.0.0.1.nip.io:{PORT}"],
    )  # fmt: skip
    def test_another_name_is_refused(self, host):
        assert status("/data/view", host=host, cookie=COOKIE) == 421

    @looped("origin", ["null", "http://127.0.0.1:1", "https://example.invalid", f"http://localhost.evil:{PORT}"])  # fmt: skip
    def test_another_origin_is_refused(self, origin):
        """A browser that says no ``Sec-Fetch-Site`` says this."""
        assert status("/data/view", host=HOST, cookie=COOKIE, origin=origin) == 403

    @looped("name", ["127.0.0.1", "localhost"])
    def test_its_own_origin_is_answered(self, name):
        own = f"{name}:{PORT}"
        assert status("/data/view", host=own, cookie=COOKIE, origin=f"http://{own}") == 200

    def test_two_names_are_refused_whichever_comes_last(self):
        for hosts in ((HOST, "example.invalid"), ("example.invalid", HOST)):
            given = [*((b"host", each.encode()) for each in hosts), (b"cookie", COOKIE.encode())]
            scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": given}  # fmt: skip
            assert PageGuard(app, PORT, TOKEN)._judged(scope) == NO_HOST  # type: ignore[arg-type]

    def test_no_name_is_refused(self):
        assert status("/data/view", cookie=COOKIE) == 421

    def test_localhost_is_this_machine(self):
        assert status("/data/view", host=f"localhost:{PORT}", cookie=COOKIE) == 200

    @looped("site", ["cross-site", "same-site", "x"])
    def test_another_page_is_refused(self, site):
        assert status("/data/view", host=HOST, cookie=COOKIE, sec_fetch_site=site) == 403

    @looped("site", ["same-origin", "none"])
    def test_its_own_page_is_answered(self, site):
        assert status("/data/view", host=HOST, cookie=COOKIE, sec_fetch_site=site) == 200

    @looped("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
    def test_nothing_is_changed(self, method):
        assert status("/data/view", method=method, host=HOST, cookie=COOKIE) == 405

    def test_a_socket_is_closed(self):
        assert answer(kind="websocket", host=HOST, cookie=COOKIE) == [
            {"type": "websocket.close", "code": 1008}
        ]

    def test_a_refusal_says_what_to_do(self):
        said = answer("/data/view", host=HOST)[1]["body"].decode()
        assert said == "open the whole address that `ujsx preview` printed, with its token\n"

    def test_the_start_and_the_end_of_the_server_are_told(self):
        assert answer(kind="lifespan") == [{"type": "lifespan.startup.complete"}]


@looped(
    "given",
    [{"host": HOST, "cookie": COOKIE}, {"host": HOST}, {"host": "x"}, {"host": HOST, "query": f"token={TOKEN}"}],
)  # fmt: skip
def test_every_answer_has_the_policy(given):
    told = headers_of(answer(**given))
    assert {name: told[name] for name in HEADERS} == HEADERS


def test_the_policy_lets_nothing_in_from_elsewhere():
    rules = dict(each.strip().split(" ", 1) for each in POLICY.split(";"))
    assert rules["default-src"] == "'none'"
    assert {*rules.values()} == {"'none'", "'self'"}
