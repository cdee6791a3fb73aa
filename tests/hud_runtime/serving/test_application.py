"""Who may ask a server, how much, and what it counts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_runtime import HudStore, StoreUnavailableError
from hud_runtime.serve.http import Application, Tokens
from tests.hud_runtime.serving.asking import MODERN, Answer, Asking, driven, until
from tests.hud_runtime.serving.inside import Buckets
from tests.ids import looped

Make = Callable[..., Application]

REFUSALS = {
    "host": (421, "this server does not answer to that name; --allow-host adds it"),
    "origin": (403, "a page of another site asks for this$"),
    "token": (401, "send a token that is valid: Authorization: Bearer"),
    "tokens": (503, "the file of tokens cannot be read, so nobody is let in"),
    "project": (403, "this token is for /metrics alone"),
    "metrics": (403, "figures are for this machine, or for a token of `ujsx token add --metrics`$"),
    "path": (404, "there is /mcp, /health/live, /health/ready and /metrics$"),
    "method": (405, "send requests with POST; to listen, send subscriptions/listen"),
    "session": (400, "a session's name has 1 to 200 characters on one line"),
    "expired": (404, "there is no such session of the protocol; initialize a new one$"),
    "rate": (429, r"this token sends more requests than [\d,]+ a second; wait$"),
    "at_once": (503, r"[\d,]+ requests, or [\d,]+ of this token, are under way; try again$"),
    "streams": (503, r"[\d,]+ clients listen, or [\d,]+ of this token; poll instead$"),
    "size": (413, r"a request has [\d,]+ bytes at most$"),
    "slow": (408, r"a request is sent within [\d,]+ seconds$"),
    "left": (400, "the connection was closed before the request was complete$"),
    "stopping": (503, "this server is stopping; another one may answer$"),
}
"""Each refusal: the status that clients go by, and how what is said begins."""


def why(answer: Answer) -> str:
    """Return the key of a refusal, by its status and what is said."""
    said = answer.data["error"]["message"]
    for name, (status, words) in REFUSALS.items():
        if status == answer.status and re.match(words, said):
            return name
    return f"{answer.status} {said}"


class TestTokens:
    def test_are_needed_and_say_so(self, made: Make, tokens: Tokens) -> None:
        text = tokens.add("shop")[1]
        app = made()

        async def drive() -> None:
            for headers in (
                {}, {"authorization": ""}, {"authorization": text}, {"authorization": f"Basic {text}"},
                {"authorization": f"Bearer {text}x"}, {"authorization": "Bearer "},
            ):  # fmt: skip
                answer = await Asking(app).rpc("ping", headers=headers)
                assert why(answer) == "token"
                assert answer.headers["www-authenticate"] == 'Bearer realm="ujsx"'
            twice = [*({**Asking(app).headers}).items(), *[("authorization", f"Bearer {text}")] * 2]
            answer = await Asking(app).send(headers=[(a.encode(), b.encode()) for a, b in twice])
            assert why(answer) == "token"
            assert (await Asking(app, text).rpc("ping")).status == 200
            assert (
                await Asking(app).rpc("ping", headers={"authorization": f"bearer {text}"})
            ).status == 200

        driven(app, drive)

    def test_of_a_project_that_is_revoked_are_refused_at_once(
        self, made: Make, tokens: Tokens
    ) -> None:
        token, text = tokens.add("shop")
        app = made()

        async def drive() -> None:
            assert (await Asking(app, text).hud("notes.add", content="x")).status == 200
            tokens.revoke(token.id)
            assert why(await Asking(app, text).hud("notes.list")) == "token"

        driven(app, drive)

    def test_that_is_revoked_listens_no_more(self, made: Make, tokens: Tokens) -> None:
        (token, text), (_, other) = tokens.add("shop"), tokens.add("shop")
        app = made()
        given = {"notifications": {"resourceSubscriptions": ["hud://current"]}}
        heard: dict[str, list[bytes]] = {text: [], other: []}
        ended: list[str] = []

        async def listen(text: str) -> None:
            await Asking(app, text).modern(
                "subscriptions/listen", given, on_body=heard[text].append
            )
            ended.append(text)

        async def drive() -> None:
            async with anyio.create_task_group() as group:
                for each in heard:
                    group.start_soon(listen, each)
                await until(lambda: all(heard.values()))
                tokens.revoke(token.id)
                await until(lambda: ended)
                await anyio.sleep(0.05)
                assert ended == [text]
                app.stop()

        driven(app, drive)
        assert ended == [text, other]

    def test_whose_file_cannot_be_read_let_nobody_in(self, made: Make, tokens: Tokens) -> None:
        text = tokens.add("shop")[1]
        app = made()

        async def drive() -> None:
            tokens.path.chmod(0o644)
            assert why(await Asking(app, text).rpc("ping")) == "tokens"
            assert why(await Asking(app).send("/metrics", method="GET")) == "tokens"

        driven(app, drive)

    def test_of_the_figures_are_of_no_project(self, made: Make, tokens: Tokens) -> None:
        text, other = tokens.add(None)[1], tokens.add("shop")[1]
        app = made()

        async def drive() -> None:
            assert why(await Asking(app, text).rpc("tools/list")) == "project"
            assert (await Asking(app, text).send("/metrics", method="GET")).status == 200
            assert why(await Asking(app, other).send("/metrics", method="GET")) == "metrics"
            assert why(await Asking(app).send("/metrics", method="GET")) == "token"

        driven(app, drive)

    def test_are_asked_for_from_their_making_on(self, made: Make, tokens: Tokens) -> None:
        app = made(is_open=True, session="mine")

        async def drive() -> None:
            assert (await Asking(app).hud("notes.add", content="x")).status == 200
            token, _ = tokens.add("shop")
            assert why(await Asking(app).hud("notes.list")) == "token"
            tokens.revoke(token.id)
            tokens.path.unlink()
            assert why(await Asking(app).hud("notes.list")) == "token"

        driven(app, drive)


class TestHosts:
    @pytest.mark.parametrize(
        ("host", "is_known"),
        [
            ("127.0.0.1:80", True), ("localhost", True), ("LOCALHOST:8080", True), ("[::1]:80", True),
            ("evil.example", False), ("localhost.evil.example", False), ("evil.example:localhost", False),
            ("127.0.0.1.evil.example:80", False), ("", False), ("localhost:80:80", False),
            ("evil.localhost:80", False), ("evillocalhost:80", False), ("evillocalhost", False),
            ("localhost@evil.example", False), ("localhost:", False), ("[::1", False),
        ],
    )  # fmt: skip
    def test_are_checked(self, made: Make, tokens: Tokens, host: str, is_known: bool) -> None:
        app = made()
        text = tokens.add("shop")[1]

        async def drive() -> None:
            answer = await Asking(app, text).rpc("ping", headers={"host": host})
            assert (answer.status == 200) if is_known else (why(answer) == "host")
            if host and is_known:
                page = {"origin": f"http://{host}"}
                assert (await Asking(app, text).rpc("ping", headers=page)).status == 200
            if not is_known:
                page = {"origin": f"https://{host}"}
                assert why(await Asking(app, text).rpc("ping", headers=page)) == "origin"

        driven(app, drive)

    @pytest.mark.parametrize(
        "origin", ["null", "file://", "http://[", "", "localhost", "ftp://localhost"]
    )
    def test_of_pages_too(self, made: Make, tokens: Tokens, origin: str) -> None:
        app, text = made(), tokens.add("shop")[1]

        async def drive() -> None:
            assert why(await Asking(app, text).rpc("ping", headers={"origin": origin})) == "origin"

        driven(app, drive)

    def test_that_are_allowed_are_answered(self, made: Make, tokens: Tokens) -> None:
        app, text = made(hosts=("hud.example",)), tokens.add("shop")[1]

        async def drive() -> None:
            for host in ("hud.example", "hud.example:8443", "HUD.example"):
                assert (await Asking(app, text).rpc("ping", headers={"host": host})).status == 200
            assert why(await Asking(app, text).rpc("ping")) == "host"

        driven(app, drive)


class TestSessions:
    def test_are_named_by_a_header_or_in_the_address(
        self, made: Make, tokens: Tokens, log: Any
    ) -> None:
        app, text = made(), tokens.add("shop")[1]

        async def drive() -> None:
            client = Asking(app, text)
            for named in (
                {"headers": {"ujsx-session": "main"}}, {"query": b"session=main"},
                {"headers": {"ujsx-session": "shop/main"}}, {"query": b"session=shop%2Fmain"},
                {"headers": {"ujsx-session": "main"}, "query": b"session=main"},
            ):  # fmt: skip
                assert (await client.hud("notes.add", content=str(named), **named)).status == 200
            long = b"session=gr%C3%B6%C3%9Fe" + b"&a=1" * 19  # 20 parameters at most
            await client.hud("notes.add", content="x", query=long)
            await client.hud("notes.add", content="x", query="session=größe".encode())

        driven(app, drive)
        assert log.sessions() == ("shop/main", "shop/größe")
        assert log.head("shop/main").version == 6

    @pytest.mark.parametrize(
        "named",
        [
            {"headers": {"ujsx-session": " "}}, {"headers": {"ujsx-session": "a", "x": "y"}, "query": b"session=b"},
            {"query": b"session=a&session=b"}, {"query": b"session="}, {"query": b"session=%00"},
            {"query": b"session=a%0Ab"}, {"query": b"session=" + b"a" * 201}, {"query": b"session=%FF"},
            {"query": b"session=%20a"}, {"query": b"session=%ED%A0%80"}, {"query": b"&".join([b"a=1"] * 21)},
            {"headers": {"ujsx-session": "a\u00ff"}},
        ],
    )  # fmt: skip
    def test_that_cannot_be_are_refused(
        self, made: Make, tokens: Tokens, log: Any, named: Any
    ) -> None:
        app, text = made(), tokens.add("shop")[1]

        async def drive() -> None:
            if "ÿ" in str(named):
                named["headers"] = [
                    *[(a.encode(), b.encode()) for a, b in Asking(app, text).headers.items()],
                    (b"ujsx-session", b"a\xff"),
                ]
            assert why(await Asking(app, text).rpc("ping", **named)) == "session"

        driven(app, drive)
        assert log.sessions() == ()

    def test_of_the_protocol_are_the_clients_own(
        self, made: Make, tokens: Tokens, log: Any
    ) -> None:
        """Each that initializes has one, which any server with the store knows."""
        text = tokens.add("shop")[1]
        begin = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        ids: list[str] = []

        async def initialize() -> None:
            for _ in range(2):
                answer = await Asking(app, text).rpc("initialize", begin)
                ids.append(answer.headers["mcp-session-id"])
                own = {"mcp-session-id": ids[-1]}
                assert (
                    await Asking(app, text).hud("notes.add", content="x", headers=own)
                ).status == 200

        async def go_on() -> None:
            for each in ids:
                own = {"mcp-session-id": each}
                assert "x" in (await Asking(app, text).hud("notes.list", headers=own)).text
                assert (await Asking(app, text).send(method="DELETE", headers=own)).status == 200
                assert why(await Asking(app, text).send(method="GET", headers=own)) == "method"
            for wrong in ("x", ids[0][:-1], ids[0].upper() + "G", "../" + ids[0], ""):
                answer = await Asking(app, text).rpc("ping", headers={"mcp-session-id": wrong})
                assert why(answer) == "expired"

        app = made()
        driven(app, initialize)
        app = made()  # another server
        driven(app, go_on)
        assert log.sessions() == tuple(f"shop/mcp-{each}" for each in ids)

    def test_that_nobody_names_are_the_projects(self, made: Make, tokens: Tokens, log: Any) -> None:
        app, text = made(), tokens.add("shop")[1]

        async def drive() -> None:
            params = {"name": "hud", "arguments": {"op": "notes.add", "content": "x"}}
            assert (await Asking(app, text).modern("tools/call", params)).status == 200
            assert "mcp-session-id" not in (await Asking(app, text).modern("tools/list")).headers

        driven(app, drive)
        assert log.sessions() == ("shop",)
        assert HudStore(log).session("shop").state().session.project == "shop"

    def test_without_tokens_are_all_of_the_store(self, made: Make, log: Any, tmp_path: Any) -> None:
        app = made(is_open=True, folder=tmp_path)

        async def drive() -> None:
            await Asking(app).hud("notes.add", content="x")
            await Asking(app).hud("notes.add", content="x", headers={"ujsx-session": "till/main"})
            read = await Asking(app).rpc("resources/read", {"uri": "hud://session/till%2Fmain"})
            assert '"version": 2' in read.text

        driven(app, drive)
        assert log.sessions() == (str(tmp_path), "till/main")

    def test_in_memory_are_so_many_and_the_store_has_all(self, made: Make, tokens: Tokens) -> None:
        app, text = made("sessions=3"), tokens.add("shop")[1]

        async def drive() -> None:
            for _ in range(2):
                for name in "abcdef":
                    own = {"ujsx-session": name}
                    await Asking(app, text).hud("notes.add", content=name, headers=own)
            figures = (await Asking(app).send("/metrics", method="GET")).body.decode()
            assert "\nujsx_sessions_now 3\n" in figures
            assert "\nujsx_store_away 0\n" in figures
            assert (
                "\nujsx_events_recorded_total 12\n" in figures
            )  # the second note is there already

        driven(app, drive)


class TestLimits:
    def test_of_the_rate_say_when_to_try_again(self, made: Make, tokens: Tokens) -> None:
        app, text, other = made("rate=1", "burst=3"), tokens.add("shop")[1], tokens.add("shop")[1]

        async def drive() -> None:
            answers = [await Asking(app, text).rpc("ping") for _ in range(5)]
            assert [each.status for each in answers] == [200, 200, 200, 429, 429]
            assert why(answers[-1]) == "rate"
            assert answers[-1].headers["retry-after"] == "1"
            assert (await Asking(app, other).rpc("ping")).status == 200  # each token has its own

        driven(app, drive)

    @pytest.mark.parametrize("is_declared", [True, False])
    def test_of_the_size_hold_whatever_is_declared(
        self, made: Make, tokens: Tokens, is_declared: bool
    ) -> None:
        app, text = made("body=1000"), tokens.add("shop")[1]

        async def drive() -> None:
            client = Asking(app, text)
            length = {"content-length": "999999999999999999999999"} if is_declared else {}
            body = [] if is_declared else [b" " * 300] * 4
            assert why(await client.send(body=body, headers=length)) == "size"
            for wrong in ("-1", "x", "١"):
                answer = await client.send(
                    body=b"{}", headers={"content-length": wrong.encode().decode("latin-1")}
                )
                assert answer.status == 400
            fits = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode().ljust(1000)
            assert (await client.send(body=fits)).status == 200
            assert why(await client.send(body=fits + b" ")) == "size"

        driven(app, drive)

    def test_of_time_to_send_hold(self, made: Make, tokens: Tokens) -> None:
        app, text = made("sending=1"), tokens.add("shop")[1]

        async def drive() -> None:
            slow = Asking(app, text)
            with anyio.fail_after(5):
                assert why(await slow.send(body=[])) == "slow"

        driven(app, drive)

    def test_of_requests_at_once_are_of_all_and_of_a_token(
        self, made: Make, tokens: Tokens, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from hud_runtime.session import HudSession

        app = made("at_once=3", "at_once_of_token=2", "workers=9")
        texts = [tokens.add("shop")[1] for _ in range(2)]
        may_end = anyio.Event()
        real = HudSession.call

        def call(self: HudSession, tool: str, arguments: object) -> Any:
            anyio.from_thread.run(may_end.wait)
            return real(self, tool, arguments)

        monkeypatch.setattr(HudSession, "call", call)

        async def drive() -> None:
            async with anyio.create_task_group() as group:
                for text, name in ((texts[0], "a"), (texts[0], "b"), (texts[1], "c")):
                    own = {"ujsx-session": name}
                    group.start_soon(
                        lambda t=text, o=own: Asking(app, t).hud("notes.list", headers=o)
                    )
                await until(lambda: app.metrics.gauges["ujsx_requests_now"]() == 3)
                for text in texts:
                    answer = await Asking(app, text).rpc("ping")
                    assert why(answer) == "at_once"
                    assert answer.headers["retry-after"] == "1"
                may_end.set()
            assert (await Asking(app, texts[0]).rpc("ping")).status == 200

        driven(app, drive)

    @looped("given", ["rate", "rate=", "rate=0", "rate=-1", "rate=1.5", "rate=٣", "rats=3", "="])
    def test_that_cannot_be_are_told(self, given: str) -> None:
        from hud_runtime import LimitError
        from hud_runtime.serve.http import ServerLimits

        with pytest.raises(LimitError, match="limit"):
            ServerLimits.of([given])


class TestBuckets:
    @given(
        st.integers(1, 50), st.integers(1, 50),
        st.lists(st.floats(0, 3), min_size=1, max_size=80),
    )  # fmt: skip
    def test_give_no_more_than_the_burst_and_the_rate(
        self, rate: int, burst: int, pauses: list[float]
    ) -> None:
        now = 0.0
        buckets = Buckets(rate=rate, burst=burst, clock=lambda: now)
        for taken, pause in enumerate(pauses, 1):
            now += pause
            wait = buckets.wait("a")
            if wait:
                before, now = now, now + wait + 1e-6  # after that time there is one
                assert buckets.wait("a") == 0
                assert now - before <= 1 / rate + 1e-5
            assert taken <= burst + rate * now + 1e-3

    def test_of_many_are_forgotten_when_full(self) -> None:
        now = 0.0
        buckets = Buckets(rate=1, burst=1, clock=lambda: now)
        for number in range(5_000):
            now += 1
            buckets.wait(str(number))
        assert len(buckets._full_at) <= 1_001


class TestFigures:
    def test_are_in_the_format_of_prometheus_and_tell_no_text(
        self, made: Make, tokens: Tokens
    ) -> None:
        app, (token, text) = made(), tokens.add("shop")

        async def drive() -> None:
            client = Asking(app, text, **{"ujsx-session": "canary-session"})
            await client.hud("notes.add", content="canary-note")
            await client.rpc("canary/method")
            await client.send(body=b'{"method": "canary"')
            assert why(await client.send("/canary")) == "path"
            await client.rpc("ping", headers={"authorization": "Bearer canary"})
            answer = await client.send("/metrics", method="GET", headers={"authorization": "x"})
            assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
            figures = answer.body.decode()
            for secret in ("canary", token.id, text, "shop"):
                assert secret not in figures
            assert 'ujsx_requests_total{method="tools/call",status="200"} 1\n' in figures
            assert re.search(r'ujsx_requests_total\{method="other",status="\d+"\} ', figures)
            assert 'ujsx_refused_total{why="token"} 1\n' in figures
            assert 'ujsx_request_seconds_bucket{le="+Inf"' in figures or 'le="+Inf"} 1' in figures
            held_to_the_format(figures)

        driven(app, drive)

    def test_are_for_this_machine_alone(self, made: Make, tokens: Tokens) -> None:
        tokens.add("shop")
        app = made()

        async def drive() -> None:
            ask = Asking(app)
            for peer in ("10.0.0.7", "", "localhost", "::ffff:10.0.0.7"):
                assert why(await ask.send("/metrics", method="GET", peer=peer)) == "metrics"
            for proxied in ("x-forwarded-for", "x-forwarded-host", "forwarded", "via", "x-real-ip"):
                answer = await ask.send("/metrics", method="GET", headers={proxied: "127.0.0.1"})
                assert why(answer) == "metrics"
            answer = await ask.send("/metrics", method="GET", headers={"host": "evil.example"})
            assert why(answer) == "host"
            for peer in ("127.0.0.1", "::1"):
                assert (await ask.send("/metrics", method="GET", peer=peer)).status == 200

        driven(app, drive)


def held_to_the_format(figures: str) -> None:
    """Check lines, types, and that a histogram's buckets grow to its count."""
    line = re.compile(r'([a-z_]+)(\{[a-z_]+="[^"\\\n]*"(,[a-z_]+="[^"\\\n]*")*\})? (\d+(\.\d+)?)')
    assert figures.endswith("\n")
    known = {*re.findall(r"^# HELP (\w+) \w", figures, re.MULTILINE)}
    assert known == {
        *re.findall(r"^# TYPE (\w+) (?:counter|gauge|histogram)$", figures, re.MULTILINE)
    }
    assert known >= {"ujsx_requests_total", "ujsx_refused_total", "ujsx_store_away"}
    for each in figures.splitlines():
        if each.startswith("#"):
            assert each.split()[1] in {"HELP", "TYPE"}
            assert each.split()[2] in known
            continue
        match = line.fullmatch(each)
        assert match, each
        assert re.sub(r"_(bucket|sum|count)$", "", match[1]) in known
    for method in re.findall(r'_count\{method="([^"]+)"\}', figures):
        own = re.escape(method)
        buckets = [
            int(n) for n in re.findall(rf'_bucket\{{method="{own}",le="[^"]+"\}} (\d+)', figures)
        ]
        [count] = re.findall(rf'_count\{{method="{own}"\}} (\d+)', figures)
        assert buckets == sorted(buckets)
        assert buckets[-1] == int(count)


class TestHealth:
    def test_says_whether_the_store_is_there(
        self, made: Make, log: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = made()

        async def drive() -> None:
            ask = Asking(app, host="10.1.2.3")  # a load balancer asks by number
            assert (await ask.send("/health/live", method="GET")).data == {"status": "live"}
            assert (await ask.send("/health/ready", method="GET")).data == {"status": "ready"}

            def away(_: str) -> Any:
                raise StoreUnavailableError("postgresql://owner@db/hud: gone")

            monkeypatch.setattr(log, "head", away)
            await anyio.sleep(1.1)  # for so long it is known
            answer = await ask.send("/health/ready", method="GET")
            assert (answer.status, answer.data) == (503, {"status": "the store is away"})
            assert (await ask.send("/health/live", method="GET")).status == 200

        driven(app, drive)

    def test_is_not_ready_when_the_store_does_not_answer_in_time(
        self, made: Make, log: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import threading

        may_end = threading.Event()
        monkeypatch.setattr(log, "head", lambda _: may_end.wait(20))
        app = made()

        async def drive() -> None:
            try:
                assert (await Asking(app).send("/health/ready", method="GET")).status == 503
            finally:
                may_end.set()

        driven(app, drive)


class TestWhenTheStoreIsAway:
    def test_what_is_known_is_shown_and_records_are_refused(
        self, made: Make, tokens: Tokens, log: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app, text = made(), tokens.add("shop")[1]

        def away(*_: object, **__: object) -> Any:
            raise StoreUnavailableError("postgresql://db/hud: it went away; nothing was recorded")

        async def drive() -> None:
            client = Asking(app, text)
            await client.hud("notes.add", content="Port 8080")
            with monkeypatch.context() as patch:
                for name in ("head", "read", "append", "exclusive", "search"):
                    patch.setattr(log, name, away)
                hud = await client.rpc("resources/read", {"uri": "hud://current/markdown"})
                assert hud.text.startswith(
                    "The store cannot be reached: this is what was known of it at version 2."
                )
                assert "- Port 8080" in hud.text
                state = json.loads(
                    (await client.rpc("resources/read", {"uri": "hud://current"})).text
                )
                assert state["store"].startswith("The store cannot be reached")
                assert state["state"]["notes"][0]["content"] == "Port 8080"
                read = await client.hud("notes.list")
                assert read.data["result"]["isError"]
                assert "This is what was known at version 2:" in read.text
                assert "- Port 8080" in read.text
                record = await client.hud("notes.add", content="Port 9090")
                assert record.data["result"]["isError"]
                assert "nothing was recorded" in record.text
                assert "was known" not in record.text
                other = await client.rpc("resources/read", {"uri": "hud://session/shop%2Fx"})
                assert "error" in other.data
            assert "Port 9090" not in (await client.hud("notes.list")).text
            assert (await client.hud("notes.add", content="Port 9090")).text.startswith(
                "Added n-3."
            )

        driven(app, drive)


class TestStopping:
    def test_takes_no_new_request_and_ends_what_listens(self, made: Make, tokens: Tokens) -> None:
        app, text = made(), tokens.add("shop")[1]
        told: list[bytes] = []

        async def drive() -> None:
            async with anyio.create_task_group() as group:

                async def listen() -> None:
                    given = {"notifications": {"resourceSubscriptions": ["hud://current"]}}
                    answer = await Asking(app, text).modern(
                        "subscriptions/listen", given, on_body=told.append
                    )
                    assert answer.status == 200

                group.start_soon(listen)
                await until(lambda: told)
                assert app.metrics.gauges["ujsx_streams_now"]() == 1
                app.stop()
            assert app.metrics.gauges["ujsx_streams_now"]() == 0
            assert b'"result"' in told[-1]  # it ended, and was not broken off
            answer = await Asking(app, text).rpc("ping")
            assert why(answer) == "stopping"
            assert answer.headers["retry-after"] == "1"
            assert answer.headers["connection"] == "close"
            assert (await Asking(app).send("/health/ready", method="GET")).status == 503
            assert (await Asking(app).send("/health/live", method="GET")).status == 200

        driven(app, drive)


class TestListening:
    def test_is_told_of_its_own_sessions_and_of_no_other(
        self, made: Make, tokens: Tokens, log: Any
    ) -> None:
        app = made("streams_of_token=1", "streams=2")
        shop, till = tokens.add("shop")[1], tokens.add("till")[1]
        heard: dict[str, list[bytes]] = {"shop": [], "till": []}
        uris = [
            "hud://current", "hud://session/shop%2Fmain", "hud://session/shop", "hud://session/till",
            "hud://session/till%2Fmain/markdown", "hud://session/project%3Atill", "file:///etc/passwd",
        ]  # fmt: skip
        given = {"notifications": {"resourceSubscriptions": uris, "resourcesListChanged": True}}

        async def drive() -> None:
            async with anyio.create_task_group() as group:
                for name, text in (("shop", shop), ("till", till)):

                    async def listen(name: str = name, text: str = text) -> None:
                        await Asking(app, text).modern(
                            "subscriptions/listen", given, on_body=heard[name].append
                        )

                    group.start_soon(listen)
                await until(lambda: all(heard.values()))
                answer = await Asking(app, shop).modern("subscriptions/listen", given)
                assert why(answer) == "streams"
                assert answer.headers["retry-after"] == "30"
                await Asking(app, shop).hud("notes.add", content="x")
                HudStore(log).session("shop/main").record("note.add", content="by another process")
                await until(lambda: len(heard["shop"]) >= 4)
                await anyio.sleep(1.1)  # the log is looked at every second
                app.stop()

        driven(app, drive)
        told = [json.loads(each.split(b"data: ")[1]) for each in heard["shop"][1:-1]]
        assert {each["params"]["uri"] for each in told} == {
            "hud://current", "hud://session/shop", "hud://session/shop%2Fmain"
        }  # fmt: skip
        assert len(heard["till"]) == 2  # that it listens, and that it ended


class TestErrors:
    def test_that_break_a_request_are_counted_and_not_told(
        self,
        made: Make,
        tokens: Tokens,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        app, text = made(), tokens.add("shop")[1]

        async def drive() -> None:
            async def broken(*_: object) -> None:
                raise RuntimeError(f"with the secret {text}")

            monkeypatch.setattr(app._protocol, "handle_request", broken)
            answer = await Asking(app, text).rpc("ping")
            assert (answer.status, answer.data["error"]["message"]) == (
                500, "the request broke inside the server",
            )  # fmt: skip
            assert "\nujsx_errors_total 1\n" in app.metrics.text()

        driven(app, drive)
        assert text not in caplog.text

    def test_the_protocol_never_has_the_token(self, made: Make, tokens: Tokens) -> None:
        app, text = made(), tokens.add("shop")[1]
        seen: list[Any] = []

        async def drive() -> None:
            async def look(scope: Any, receive: Any, send: Any) -> None:
                seen.append((scope, await receive()))
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b""})

            app._protocol.handle_request = look  # type: ignore[method-assign,union-attr]
            await Asking(app, text).rpc("ping")

        driven(app, drive)
        assert seen
        assert text not in repr(seen)


JUNK = st.one_of(st.binary(max_size=60), st.sampled_from([
    b"[]", b"null", b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b"[" * 9_999,
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', b'{"jsonrpc":"2.0","method":"notifications/x"}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b'{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"id":1,"method":1}', b'{"method":"\xff"}', b"9" * 9_999,
]))  # fmt: skip

NAMES = st.sampled_from([
    b"host", b"origin", b"authorization", b"ujsx-session", b"mcp-session-id", b"mcp-protocol-version",
    b"content-type", b"accept", b"content-length", b"mcp-method", b"x-forwarded-for", b"last-event-id",
])  # fmt: skip


REQUESTS = st.fixed_dictionaries(
    {
        "path": st.sampled_from(["/mcp", "/mcp", "/mcp", "/metrics", "/health/ready", "/mcp/", "//mcp", "/..", "/mcp%00"]),
        "method": st.sampled_from(["POST", "POST", "GET", "DELETE", "PUT", "OPTIONS", "TRACE", "POST\u0130"]),
        "query": st.binary(max_size=40),
        "body": JUNK,
        "headers": st.lists(st.tuples(NAMES, st.binary(max_size=40)), max_size=4),
    }
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=REQUESTS, is_known=st.booleans())
def test_whatever_is_sent_is_answered_and_breaks_nothing(
    made: Make, tokens: Tokens, log: Any, request: Any, is_known: bool
) -> None:
    text = tokens.add("shop")[1]
    app = made()

    async def drive() -> None:
        own = Asking(app, text if is_known else None).headers
        usual = {name.encode(): value.encode() for name, value in own.items()}
        kept = [each for each in usual.items() if each[0] not in dict(request["headers"])]
        answer = await Asking(app).send(**{**request, "headers": [*kept, *request["headers"]]})
        assert 200 <= answer.status < 600
        assert answer.status != 500
        assert app.metrics._counts["ujsx_errors_total"][()] == 0
        held_to_the_format(app.metrics.text())

    driven(app, drive)
    assert all(each == "shop" or each.startswith("shop/") for each in log.sessions())


def test_sockets_are_closed_and_versions_are_told(made: Make, tokens: Tokens) -> None:
    app, text = made(), tokens.add("shop")[1]

    async def drive() -> None:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await app({"type": "websocket"}, None, send)
        assert sent == [{"type": "websocket.close", "code": 1008}]
        answer = await Asking(app, text).modern("server/discover")
        assert MODERN in answer.data["result"]["supportedVersions"]
        assert answer.data["result"]["capabilities"]["resources"]["subscribe"] is True

    driven(app, drive)
