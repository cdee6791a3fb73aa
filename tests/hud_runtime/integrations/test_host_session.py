"""What every host has in common: deliveries, observations, tools; and that no turn of the host ends by us."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    ActiveFiles,
    Domain,
    Each,
    FactsList,
    Hud,
    NotesSection,
    Value,
    View,
    When,
)
from hud_runtime import DeliveryError, HudStore, StoreLockedError
from hud_runtime.integrations import HostSession, SessionBegan, current
from hud_runtime.log.store import SqliteEventStore
from hud_runtime.observe import (
    AgentMessage,
    Compacted,
    ContextUsed,
    FileChanged,
    PlanWritten,
    ToolAnswer,
    ToolCall,
    Usage,
    UserMessage,
)
from tests.hud_runtime.clock import Ticking
from ujsx.elements import Paragraph
from ujsx.tools import Toolset


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


def ran(command: str, answer: str, exit_code: int = 0) -> tuple[Any, ...]:
    status = "failed" if exit_code else "done"
    call = ToolCall(name="Bash", arguments={"command": command}, call_id=command)
    result = ToolAnswer(text=answer, call_id=command, status=status, exit_code=exit_code)  # type: ignore[arg-type]
    return AgentMessage(), call, result


def reads(path: str) -> tuple[Any, ...]:
    return AgentMessage(), FileChanged(event="file.open", path=path)


class LastUse(View):
    """When a file was used last."""

    reads = (ActiveFiles,)
    at: int = 0

    @classmethod
    def of_state(cls, state: Any, usage: Any = None, now: Any = None) -> LastUse:
        return cls(at=max((each.last_accessed for each in state.active_files), default=0))

    def render(self, ctx: Any, children: Any) -> Any:
        return Paragraph()[f"Last used at {self.at}."]


class OwnFiles(ActiveFiles):
    """The files, and when each was used."""

    def rows(self, items: Any, ctx: Any, templates: Any) -> Any:
        rows = super().rows(items, ctx, templates)
        together = zip(rows, items, strict=True)
        return [(row[0], f"{row[1]} at {each.last_accessed}") for row, each in together]


SECTIONS = Hud()[NotesSection(), ActiveFiles()]
WHENS = Hud()[When(has="task")["A task."], Each(of="notes")[Value(of="content")], ActiveFiles()]
WITH_TIMES = Hud()[ActiveFiles(), Each(of="active_files")[" at ", Value(of="last_accessed")]]
LOOKS = {
    "coding": (CODING, None),
    "own": (CODING.with_sections(LastUse, name="careful"), None),
    "two": (Domain("two", sections=(ActiveFiles, FactsList)), None),
    "sections": (CODING, SECTIONS),
    "whens": (CODING, WHENS),
    "times": (CODING, WITH_TIMES),
    "own files": (CODING, Hud()[OwnFiles()]),
    "their domain": (Domain("three", sections=(OwnFiles, FactsList)), None),
}
"""Domains and layouts: of some, the times at which files were used show."""


class TestFilesUsedAgain:
    """Nothing is rendered for a file that is used again, unless somebody shows when that was."""

    @pytest.mark.parametrize("look", ["coding", "two", "sections", "whens"])
    def test_nothing_is_rendered(self, monkeypatch: pytest.MonkeyPatch, look: str) -> None:
        own, layout = LOOKS[look]
        with HudStore.open(":memory:", clock=Ticking(1_000, 10), domain=own) as store:
            session = store.session("s")
            host = HostSession(session, layout=layout)
            host.observe(*reads("a.py"), *reads("b.py"))
            assert host.before_request().parts
            monkeypatch.setattr(session, "shown", lambda _: pytest.fail("it was rendered"))
            for path in ("b.py", "a.py"):
                host.observe(*reads(path))
                assert host.before_request().parts == ()

    @pytest.mark.parametrize("look", LOOKS)
    @given(
        st.lists(st.sampled_from(["a", "b", "b", "c", "d", "e", "f", "!a", "!b"]), max_size=12),
        st.sampled_from([None, 40, 60]),
    )
    def test_as_much_is_told_as_by_a_rendering(
        self, look: str, used: list[str], budget: int | None
    ) -> None:
        own, layout = LOOKS[look]
        clocks = Ticking(1_000, 10), Ticking(1_000, 10)
        with (
            HudStore.open(":memory:", clock=clocks[0], domain=own) as store,
            HudStore.open(":memory:", clock=clocks[1], domain=own) as other,
        ):
            host = HostSession(store.session("s"), layout=layout, budget=budget)
            session = other.session("s", layout=layout)
            for each in used:
                event = "file.edit" if each[0] == "!" else "file.open"
                path = f"src/{each[-1]}/module.py"
                host.observe(AgentMessage(), FileChanged(event=event, path=path))
                session.record(event, path=path)
                made = session.deliver(budget=budget)
                session.delivered(made.id)
                assert host.before_request().text == made.text

    def test_a_section_of_ones_own_may_show_when(self) -> None:
        own = CODING.with_sections(LastUse, name="careful")
        with HudStore.open(":memory:", clock=Ticking(1_000, 10), domain=own) as store:
            host = HostSession(store.session("s"))
            host.observe(*reads("a.py"))
            host.before_request()
            host.observe(*reads("a.py"))
            assert "Last used at" in host.before_request().text

    def test_a_layout_of_ones_own_may_show_when(self) -> None:
        with HudStore.open(":memory:", clock=Ticking(1_000, 10)) as store:
            layout = Hud()[Each(of="active_files")["Last used at ", Value(of="last_accessed")]]
            host = HostSession(store.session("s"), layout=layout)
            host.observe(*reads("a.py"))
            host.before_request()
            host.observe(*reads("a.py"))
            assert "Last used at" in host.before_request().text


class TestInterventions:
    def test_l3_intervention_is_a_part_of_one_delivery(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.before_request()
        host.observe(ContextUsed(used=187_000, limit=200_000))
        assert [each.kind for each in host.before_request().parts] == ["delta", "notice"]
        host.observe(ContextUsed(used=188_000, limit=200_000))
        assert host.before_request().parts == ()

    def test_l3_intervention_comes_where_nothing_else_is_new(self, store: HudStore) -> None:
        """Another part of the program has told what changed, and not this."""
        host = HostSession(store.session("s"))
        host.observe(ContextUsed(used=187_000, limit=200_000))
        host.before_request(intervene=False)
        assert host.before_request(intervene=False).parts == ()
        assert [each.kind for each in host.before_request().parts] == ["notice"]
        assert host.before_request().parts == ()

    def test_l3_intervention_is_repeated_until_it_was_sent(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.observe(ContextUsed(used=187_000, limit=200_000))
        made = [host.before_request(sent=False) for _ in range(3)]
        assert all("Memory Pressure" in each.text for each in made)
        host.sent(made[-1])
        assert "Memory Pressure" not in host.before_request(fresh=True).text

    def test_l3_intervention_can_be_handed_on_by_the_host_itself(self, store: HudStore) -> None:
        host = HostSession(store.session("s"), intervenes=False)
        host.observe(ContextUsed(used=187_000, limit=200_000))
        assert "Memory Pressure" not in host.before_request().text
        seen, taken = host.intervention(take=False), host.intervention()
        assert seen == taken
        assert taken is not None
        assert (taken.level, taken.number) == ("critical", 1)
        assert host.intervention() is None

    def test_l3_intervention_is_the_main_agents(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.observe(ContextUsed(used=187_000, limit=200_000))
        reader = host.child("reader")
        assert "Memory Pressure" not in reader.before_request().text
        assert "Memory Pressure" in host.before_request().text

    def test_l3_intervention_of_a_subagent_is_its_own(self, store: HudStore) -> None:
        host = HostSession.of(store, "s")
        own = host.child("reviewer")
        own.observe(ContextUsed(used=187_000, limit=200_000))
        assert "Memory Pressure" not in host.before_request().text
        assert "Memory Pressure" in own.before_request().text

    @pytest.mark.parametrize("mode", ["tail", "system"])
    def test_l3_intervention_in_each_mode_comes_once(self, store: HudStore, mode: Any) -> None:
        host = HostSession(store.session("s"), mode=mode, has_cache_breakpoint=True)
        host.observe(ContextUsed(used=187_000, limit=200_000))
        found = ["Memory Pressure" in host.before_request().text for _ in range(3)]
        assert found == [True, False, False]

    def test_l3_intervention_ends_no_turn_of_the_host(self, store: HudStore) -> None:
        session = store.session("s")
        host = HostSession(session)
        host.observe(ContextUsed(used=187_000, limit=200_000))
        store.close()
        assert host.intervention() is None
        assert host.before_request().parts == ()

    def test_l3_intervention_fits_where_the_host_cuts(self, store: HudStore) -> None:
        host = HostSession(store.session("s"), longest=1_000)
        for number in range(40):
            host.session.record("note.add", content=f"Port {8_000 + number} is taken by a worker")
        host.observe(ContextUsed(used=187_000, limit=200_000))
        made = host.before_request()
        assert "Memory Pressure" in made.text
        assert len(made.text) <= 1_000

    def test_l3_intervention_that_is_too_long_leaves_the_hud(self, store: HudStore) -> None:
        host = HostSession(store.session("s"), longest=120)
        host.session.record("task.set", description="Add a login")
        host.observe(ContextUsed(used=187_000, limit=200_000))
        assert [each.kind for each in host.before_request().parts] == ["whole"]
        assert host.intervention() is not None


class TestObservations:
    def test_o3_usage_keeps_cached_tokens_apart(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        usage = Usage(input=600, cache_read=19_000, cache_write=400, output=100)
        host.observe(ContextUsed(usage=usage, model="claude-x", limit=1_000_000))
        [event] = host.session.events(after=1)
        assert event.payload.model_dump() == {
            "used": 20_100, "limit": 1_000_000, "model": "claude-x",
            "input": 600, "cache_read": 19_000, "cache_write": 400, "output": 100,
        }  # fmt: skip

    def test_an_error_is_resolved_by_what_follows(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.observe(*ran("pytest tests/a.py", "FAILED tests/a.py::test_x - assert 0\n1 failed", 1))
        assert [each.resolved for each in host.session.state().errors] == [False]
        host.observe(*ran("pytest tests/a.py", "1 passed"))
        assert [each.resolved for each in host.session.state().errors] == [True]

    @pytest.mark.parametrize(
        ("command", "failure", "success"),
        [
            ("pytest tests/a.py", "FAILED tests/a.py::test_x - assert 0\n1 failed", "1 passed"),
            (
                "python -m app.main --option 1",
                'Traceback (most recent call last):\n  File "a"\nValueError: no',
                "ok",
            ),
            (
                "pytest tests/test_one.py tests/test_two.py tests/test_three.py tests/test_four.py",
                "FAILED tests/test_four.py::test_x - assert 0\n1 failed",
                "1 passed",
            ),
            ("npm run build", "error TS2304: Cannot find name 'x'.", "done"),
        ],
    )
    def test_also_where_the_process_was_another_meanwhile(
        self, store: HudStore, command: str, failure: str, success: str
    ) -> None:
        HostSession(store.session("s")).observe(*ran(command, failure, 1))
        assert [each.resolved for each in store.session("s").state().errors] == [False]
        HostSession(store.session("s")).observe(*ran(command, success))
        assert [each.resolved for each in store.session("s").state().errors] == [True]

    def test_a_plan_goes_on_after_a_restart(self, store: HudStore) -> None:
        first = HostSession(store.session("s"))
        first.observe(PlanWritten(steps=(("Read", "completed"), ("Write", "pending"))))
        first.call("hud", {"op": "steps.add", "description": "My own step"})
        again = HostSession(store.session("s"))
        again.observe(PlanWritten(steps=(("Write", "completed"), ("Ship", "pending"))))
        steps = {each.description: each.completed for each in store.session("s").state().next_steps}
        assert steps["Write"] is True
        assert steps["Ship"] is False
        assert "My own step" in steps

    def test_calls_of_the_huds_own_tool_are_not_recorded_twice(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        arguments = {"call": {"op": "notes.add", "content": "Port 8080"}}
        answer = host.call("hud", arguments)
        host.observe(
            ToolCall(name="mcp__plugin_ujsx_hud__hud", arguments=arguments, call_id="1"),
            ToolAnswer(text=answer.text, call_id="1"),
        )
        assert len(host.session.state().notes) == 1

    def test_of_a_domain_that_knows_no_files_are_left_out_in_silence(self) -> None:
        from tests.docs.domains.cases import SUPPORT

        told: list[str] = []
        with HudStore.open(":memory:", domain=SUPPORT.domain) as opened:
            host = HostSession(opened.session("t"), on_warning=told.append)
            host.observe(FileChanged(path="a.py"), ContextUsed(used=5_000, limit=200_000))
            assert host.session.known.usage is not None
        assert told == []


class TestDeliveries:
    def test_all_comes_again_when_the_history_begins_anew(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.observe(UserMessage(text="Add a login with JWT."))
        assert host.before_request().why == "start"
        assert host.before_request().parts == ()
        host.observe(SessionBegan(source="resume"))
        assert host.before_request().why == "fresh"
        host.observe(Compacted(summary="so far"))
        assert host.before_request().why == "compaction"

    def test_what_did_not_go_out_is_said_again(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        made = host.before_request(sent=False)
        assert host.before_request(sent=False).parts == made.parts
        host.sent(made)
        assert host.before_request().parts == ()

    def test_a_tail_is_confirmed_or_refused_at_once(self, store: HudStore) -> None:
        with pytest.raises(DeliveryError, match="has_cache_breakpoint=True"):
            HostSession(store.session("s"), mode="tail")
        host = HostSession(store.session("s"), mode="tail", has_cache_breakpoint=True)
        assert [each.place for each in host.before_request().parts] == ["tail"]

    def test_a_subagent_is_a_child_and_its_files_are_its_parents_as_well(
        self, store: HudStore
    ) -> None:
        host = HostSession.of(store, "s")
        host.observe(UserMessage(text="Add a login with JWT."))
        child = host.child("a1")
        assert child is host.child("a1")
        assert "Add a login with JWT." in child.before_request().text
        child.observe(
            ToolCall(name="TodoWrite", arguments={"todos": [{"content": "x"}]}, call_id="1"),
            ToolAnswer(text="ok", call_id="1"),
            ToolCall(name="Read", arguments={"file_path": "a.py"}, call_id="2"),
            ToolAnswer(text="1", call_id="2"),
        )
        assert [each.path for each in host.session.state().active_files] == ["a.py"]
        assert host.session.state().next_steps == ()
        assert len(child.session.state().next_steps) == 1

    def test_subagents_of_subagents_are_children_of_those_that_they_work_for(
        self, store: HudStore
    ) -> None:
        host = HostSession.of(store, "s")
        host.observe(UserMessage(text="Add a login with JWT."))
        child = host.child("a")
        inner = child.child("b")
        assert inner is not host.child("b")
        assert "Add a login with JWT." in inner.before_request().text
        inner.call("hud", {"op": "notes.add", "content": "found deep down"})
        inner.observe(
            ToolCall(name="Read", arguments={"file_path": "deep.py"}, call_id="1"),
            ToolAnswer(text="1", call_id="1"),
        )
        assert [*store.sessions()] == ["s", "s/a", "s/a/b"]
        for each in (host, child):
            state = each.session.state()
            assert [one.path for one in state.active_files] == ["deep.py"]
            assert state.notes == ()

    def test_without_a_store_a_subagent_is_a_reader(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.before_request()
        child = host.child("a1")
        assert (child.before_request().reader, child.session) == ("a1", host.session)

    def test_the_current_one_is_known_in_tasks_and_threads(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))

        async def nested() -> HostSession | None:
            return await asyncio.to_thread(current)

        with host.running():
            assert asyncio.run(nested()) is host
        assert current() is None


class TestTools:
    def test_take_whatever_a_model_sends(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        tools = {each.name: each for each in host.tools("openai")}
        assert tools["hud"].parameters["type"] == "object"
        assert tools["hud"].description.startswith("Working state")
        answer = tools["hud"].call('```json\n{"op": "notes.add", "content": 8080}\n```')
        assert (answer.is_error, host.session.state().notes[0].content) == (False, "8080")
        assert asyncio.run(tools["hud"].acall('{"op": "notes.ad')).is_error

    def test_of_your_own_get_the_session_as_their_context(self, store: HudStore) -> None:
        shop = Toolset(name="shop")

        @shop.operation
        async def refund(ctx: Any, order: str) -> str:
            return f"{ctx.id}: {order}"

        host = HostSession(store.session("s"), toolsets=[shop])
        assert {each.name for each in host.tools()} == {"hud", "hud_compact", "shop"}
        assert host.call("shop", {"op": "refund", "order": "7"}).text == "s: 7"
        assert asyncio.run(host.acall("refund", {"order": "7"})).text == "s: 7"


class TestFaults:
    """Whatever goes wrong, the host's turn goes on; it is said once, and what was seen is recorded later."""

    def test_a_session_that_cannot_be_opened(self, store: HudStore) -> None:
        told: list[str] = []
        broken = [True]

        def opened() -> Any:
            if broken[0]:
                raise OSError(28, "No space left on device")
            return store.session("s")

        host = HostSession(opened, on_warning=told.append)
        for _ in range(3):
            host.observe(UserMessage(text="Add a login with JWT."))
            assert host.before_request(texts=["x"]).parts == ()
            assert host.call("hud", {"op": "snapshot"}).is_error
            assert host.tools() == ()
        assert len([each for each in told if "record" in each]) == 1
        broken[0] = False
        assert "Add a login with JWT." in host.before_request(texts=["x"]).text

    def test_a_store_that_is_locked_for_long(self, tmp_path: Path) -> None:
        told: list[str] = []
        clock = [0.0]
        path = tmp_path / "hud.db"
        with (
            HudStore(SqliteEventStore(path, busy_timeout=20)) as store,
            HudStore.open(path) as other,
        ):
            host = HostSession(
                store.session("s"), on_warning=told.append, monotonic=lambda: clock[0]
            )
            tries: list[int] = []
            session = host.session
            post_all = session.post_all

            def counted(*args: Any, **more: Any) -> Any:
                tries.append(1)
                return post_all(*args, **more)

            session.post_all = counted  # type: ignore[method-assign]
            entered, leave = threading.Event(), threading.Event()

            def hold() -> None:
                with other.session("other").exclusive():
                    entered.set()
                    leave.wait(30)

            thread = threading.Thread(target=hold)
            thread.start()
            entered.wait(30)
            for number in range(10):
                host.observe(UserMessage(text=f"Add a login with {number + 2} factors to it."))
                assert host.before_request().parts == ()
            assert len(tries) == 1  # the others did not wait for it
            leave.set()
            thread.join()
            clock[0] += 60
            assert "11 factors" in host.before_request().text
            assert sum(1 for each in session.events() if each.type == "task.set") == 10
        assert len(told) == 1

    def test_an_exception_in_a_component(self, store: HudStore) -> None:
        class Broken(HostSession):
            pass

        told: list[str] = []
        session = store.session("s")

        def hud(*args: Any, **more: Any) -> Any:
            raise ZeroDivisionError

        session.shown = hud  # type: ignore[method-assign]
        host = Broken(session, on_warning=told.append)
        host.observe(UserMessage(text="Add a login with JWT."))
        assert [host.before_request().parts for _ in range(3)] == [(), (), ()]
        assert told == ["ujsx could not deliver the HUD, and goes on without (ZeroDivisionError: )"]
        assert session.state().task is not None

    def test_words_that_never_went_out_are_not_among_those_of_before(self, store: HudStore) -> None:
        session = store.session("s")
        host = HostSession(session, on_warning=lambda _: None)
        session.record("note.add", content="Port 8080")
        host.sent(host.before_request(texts=["a"], host_keeps_messages=False, sent=False))
        session.record("note.add", content="Port 9090")
        lost = host.before_request(texts=["a", "b"], host_keeps_messages=False, sent=False)

        def fail(*args: Any, **more: Any) -> Any:
            raise ZeroDivisionError

        session.deliver = fail  # type: ignore[method-assign]
        made = host.before_request(texts=["a", "b", "c"], host_keeps_messages=False)
        assert made.replay == lost.replay
        assert "8080" in made.replay[0].text
        assert "9090" not in "".join(each.text for each in made.replay)

    def test_one_who_cannot_be_told(
        self, store: HudStore, caplog: pytest.LogCaptureFixture
    ) -> None:
        def tell(_: str) -> None:
            raise ValueError

        def opened() -> Any:
            raise StoreLockedError("locked")

        with caplog.at_level(logging.ERROR):
            HostSession(opened, on_warning=tell).observe(UserMessage(text="x"))
        assert "could not say" in caplog.text

    def test_what_stops_the_process_is_let_through(self) -> None:
        def opened() -> Any:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            HostSession(opened).before_request()

    def test_threads_and_tasks_share_one(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            host = HostSession(store.session("s"))

            async def step(number: int) -> None:
                await host.aobserve(
                    ToolCall(
                        name="Read", arguments={"file_path": f"{number}.py"}, call_id=f"{number}"
                    ),
                    ToolAnswer(text="", call_id=f"{number}"),
                )
                await host.abefore_request()
                await host.acall("hud", {"op": "notes.add", "content": f"note {number}"})

            async def run() -> None:
                await asyncio.gather(*(step(number) for number in range(20)))

            asyncio.run(run())
            state = host.session.state()
            assert (len(state.active_files), len(state.notes)) == (20, 20)
