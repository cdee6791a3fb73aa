"""Who is answered: nobody without the token, by another name, from another page, or who would change something."""

from __future__ import annotations

import signal
import socket

from hypothesis import given
from hypothesis import strategies as st

from tests.hud_runtime.preview.conftest import PATIENCE, serving
from tests.hud_runtime.preview.hostile import HEADERS


def raw(served, *lines: str) -> bytes:
    """The answer to a request as it is written, until the server closes the connection or has no more to say."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as connection:
        connection.sendall("".join(f"{each}\r\n" for each in [*lines, ""]).encode())
        found = b""
        while part := connection.recv(100_000):
            found += part
        return found


class TestAToken:
    def test_the_address_gives_a_cookie_and_leaves_the_token_behind(self, served):
        status, headers, body = served.get(f"/?token={served.token}", cookie=None)
        assert (status, headers["location"], body) == (303, "/", b"")
        assert headers["set-cookie"] == f"{served.cookie}; Path=/; HttpOnly; SameSite=Strict"
        assert served.get("/data/view", cookie=f"other=1; {served.cookie}").status == 200

    def test_without_it_nothing_is_answered(self, served):
        for path in ("/", "/preview.js", "/data/view", "/favicon.ico", "/nothing"):
            assert served.get(path, cookie=None).status == 403, path
        said = served.get("/data/view", cookie=None).body.decode()
        assert said == "open the whole address that `ujsx preview` printed, with its token\n"

    @given(st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60))
    def test_another_one_is_refused(self, served, given):
        if given != served.token:
            name = served.cookie.partition("=")[0]
            # 400 for what stands in no header
            assert served.get("/data/view", cookie=f"{name}={given}").status in (403, 400)

    def test_one_that_is_nearly_the_same_is_refused(self, served):
        token, name = served.token, served.cookie.partition("=")[0]
        for other in ("", "x", token[:-1] + ("a" if token[-1] != "a" else "b"), token[1:], f"{token}x"):  # fmt: skip
            assert served.get(f"/?token={other}").status == (403 if other else 200), other
            assert served.get("/data/view", cookie=f"{name}={other}").status == 403, other

    def test_it_is_in_no_address_but_the_first(self, served):
        assert served.get(f"/data/view?token={served.token}", cookie=None).status == 403

    def test_each_server_makes_its_own_and_ends_with_ctrl_c_in_silence(self, served, tmp_path):
        with serving(tmp_path) as other:
            name = other.cookie.partition("=")[0]
            assert other.get("/data/view", cookie=f"{name}={served.token}").status == 403
            other.process.send_signal(signal.SIGINT)
            assert other.process.wait(PATIENCE) == 130
            assert other.process.stderr.read() == "open it in a browser; Ctrl-C ends it\n"

    def test_who_has_it_is_no_stranger(self, served):
        """Of a stranger the connection is closed when a body does not come; the page's stays."""
        for cookie, is_closed in ((served.cookie, False), ("a=b", True)):
            with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as line:
                head = f"GET /favicon.ico HTTP/1.1\r\nHost: {served.host}\r\nCookie: {cookie}\r\nContent-Length: 9\r\n\r\n"
                line.sendall(head.encode())
                answer = line.recv(100_000)
                assert answer.startswith(b"HTTP/1.1 403" if is_closed else b"HTTP/1.1 200")
                line.settimeout(PATIENCE if is_closed else 0.3)
                try:
                    while line.recv(100_000):
                        pass
                except TimeoutError:
                    assert not is_closed
                else:
                    assert is_closed


class TestWhence:
    def test_another_name_is_refused(self, served):
        port = served.port
        for host in (
            "example.invalid", f"example.invalid:{port}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{port}", "",
            f"127.0.0.1.nip.io:{port}",
        ):  # fmt: skip
            assert served.get("/data/view", host=host).status == 421, host
        assert served.get("/data/view", host=f"localhost:{port}").status == 200

    def test_two_names_and_none_are_refused(self, served):
        cookie, own, other = f"Cookie: {served.cookie}", f"Host: {served.host}", "Host: a.invalid"
        for names in ((own, other), (other, own), (own, own), ()):
            answer = raw(served, "GET /data/view HTTP/1.1", *names, cookie, "Connection: close")
            assert answer.startswith(b"HTTP/1.1 400 "), names
        assert raw(served, "GET /data/view HTTP/1.0", cookie).startswith(b"HTTP/1.1 421 ")

    def test_another_origin_is_refused(self, served):
        """A browser that says no ``Sec-Fetch-Site`` says this."""
        for origin in ("null", "http://127.0.0.1:1", "https://example.invalid", f"http://localhost.evil:{served.port}"):  # fmt: skip
            assert served.get("/data/view", origin=origin).status == 403, origin

    def test_its_own_origin_is_answered(self, served):
        for name in ("127.0.0.1", "localhost"):
            own = f"{name}:{served.port}"
            assert served.get("/data/view", host=own, origin=f"http://{own}").status == 200

    def test_another_page_is_refused(self, served):
        for site in ("cross-site", "same-site", "x"):
            assert served.get("/data/view", sec_fetch_site=site).status == 403, site
        for site in ("same-origin", "none"):
            assert served.get("/data/view", sec_fetch_site=site).status == 200, site

    def test_nothing_is_changed(self, served):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            assert served.get("/data/view", method=method).status == 405, method

    def test_no_socket_is_opened(self, served):
        upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="]  # fmt: skip
        for cookie in (served.cookie, "a=b"):
            lines = ["GET /data/view HTTP/1.0", f"Host: {served.host}", f"Cookie: {cookie}"]
            assert b" 101 " not in raw(served, *lines, *upgrade).splitlines()[0]


def test_every_answer_has_the_policy(served):
    token = f"/?token={served.token}"
    for path, more in (("/", {}), ("/", {"cookie": None}), ("/", {"host": "x"}), (token, {}), ("/nothing", {})):  # fmt: skip
        headers = {name.lower(): each for name, each in served.get(path, **more).headers.items()}
        assert {name: headers[name] for name in HEADERS} == HEADERS
