"""The plugin as OpenCode runs it, under Node.js, with a host that is played."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.integrations.bridge import place_of
from hud_runtime.integrations.opencode import PLUGIN, SETTINGS, plugin_text
from tests.hud_runtime.integrations.inside import place

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node.js, to run the plugin")

PATIENCE = {"starting": 5_000, "request": 300, "late": 50, "call": 5_000, "hung": 60_000}

TOOLS = [
    {
        "name": name,
        "description": name,
        "parameters": {"type": "object", "properties": {"call": {}}},
    }
    for name in ("hud", "hud_compact", "bad", "die")
]

Play = Callable[..., tuple[Any, list[dict[str, Any]]]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run a scenario: the body of a function of a host, which returns what it has found."""
    log = tmp_path / "asked.jsonl"

    def noted() -> list[dict[str, Any]]:
        """What the bridge was asked, once it has ended: it outlives its host for a moment."""
        for _ in range(500):
            lines = log.read_text().splitlines() if log.exists() else []
            if lines and "ended" in lines[-1]:
                break
            time.sleep(0.02)
        return [json.loads(each) for each in lines]

    def run(
        body: str,
        how: str = "well",
        *,
        mode: str = "append",
        prune: bool = False,
        program: list[str] | None = None,
        others: tuple[str, ...] = (),
        plugin: str | None = None,
        directory: str = "/srv/shop",
        **patience: int,
    ) -> tuple[Any, list[dict[str, Any]]]:
        played = [
            place.interpreter(),
            "-I",
            "-S",
            str(FOLDER / "opencode_bridge.py"),
            how,
            str(log),
        ]
        settings = {"program": program or played, "mode": mode, "prune": prune, "tools": TOOLS}
        line = SETTINGS + json.dumps({**settings, "patience": {**PATIENCE, **patience}})
        text = PLUGIN.read_text("utf-8") if plugin is None else plugin
        ours = "\n".join(
            line if each.startswith(SETTINGS) and plugin is None else each
            for each in text.split("\n")
        )
        texts = {"m.mjs": ours, **{f"{n}.mjs": each or ours for n, each in enumerate(others)}}
        for name, each in texts.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(each)
        paths = json.dumps([str(tmp_path / name) for name in sorted(texts)])
        scenario = tmp_path / "scenario.mjs"
        scenario.write_text(
            f"import {{ Host, settled }} from {json.dumps(str(FOLDER / 'opencode_host.mjs'))}\n"
            f"const host = await Host.with({paths}, {json.dumps(directory)})\n"
            f"const found = await (async () => {{ {body} }})()\n"
            "await host.ends()\nconsole.log(JSON.stringify(found))\n"
        )
        done = subprocess.run(
            [str(NODE), str(scenario)],
            capture_output=True,
            check=False,
            timeout=60,
            text=True,
            cwd=ROOT,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), [] if program or plugin else noted()

    return run


def kinds(asked: list[dict[str, Any]]) -> list[str]:
    return [each["type"] for each in asked if "type" in each]


class TestOutputs:
    """N3: the model gets what is left of an output; the HUD sees all of it."""

    BODY = """
        const results = [{ output: "x".repeat(900) }, { output: "short" }, { content: [{ type: "text", text: "y".repeat(900) }] }]
        for (const each of results)
          await host.trigger("tool.execute.after", { tool: "bash", sessionID: "ses_1", callID: "c", args: {} }, each)
        await settled()
        return [results, host.toasts]
        """

    def test_n3_an_output_is_replaced_before_the_model_gets_it(self, play: Play) -> None:
        (results, toasts), asked = play(self.BODY, prune=True)
        assert results == [{"output": "less of it"}, {"output": "short"}, {"content": [{}]}]
        assert toasts == []
        seen = [each for each in asked if each.get("type") == "tool.execute.after"]
        assert [len(each["output"].get("output") or "") for each in seen] == [900, 5, 0]

    def test_n3_nothing_changes_where_it_was_not_asked_for(self, play: Play) -> None:
        (results, _), asked = play(self.BODY)
        assert results[0]["output"] == "x" * 900
        assert "prune" not in kinds(asked)

    def test_n3_without_an_answer_in_time_the_model_gets_the_whole(self, play: Play) -> None:
        (results, _), _ = play(self.BODY, "late", prune=True, starting=250)
        assert results[0]["output"] == "x" * 900


class TestRequests:
    def test_words_stand_where_they_were_said(self, play: Play) -> None:
        found, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            const first = await host.request("ses_1")
            await host.works("ses_1", "bash", { command: "ls" })
            return [first, await host.request("ses_1")]
            """
        )
        first, second = found
        assert first["texts"] == [["user", "Add a login.", "# HUD of msg_1"]]
        assert second["texts"] == [*first["texts"], ["assistant", "ok"], ["user", "# HUD of msg_2"]]
        assert first["system"] == ["Be brief.\n<env>\n</env>"]
        assert kinds(asked) == ["chat.message", "request", "tool.execute.after", "request"]
        assert [each["became"] for each in asked if "became" in each] == ["06"] * 4

    def test_calls_and_results_near_the_end_are_told(self, play: Play) -> None:
        _, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            await host.works("ses_1", "bash", { command: "old" }, "y")
            await host.works("ses_1", "bash", { command: "make" }, "x".repeat(200_000))
            await host.works("ses_1", "bash", { command: "ls" }, "a.py")
            return await host.request("ses_1")
            """
        )
        prompt, *works = next(each["said"] for each in asked if each.get("type") == "request")
        assert (prompt["text"], prompt["calls"], prompt["results"]) == ("Add a login.", "", "")
        assert (works[-1]["calls"], works[-1]["results"]) == ('{"command":"ls"}', "a.py")
        assert sum(len(each["calls"] + each["results"]) for each in works) == 160_000
        assert works[0]["calls"] == ""

    def test_l3_intervention_is_a_prompt_of_the_hosts_own(self, play: Play) -> None:
        found, asked = play(
            """
            const model = { providerID: "p", modelID: "m" }
            await host.says("ses_1", "Add a login.", { agent: "plan", model })
            await host.request("ses_1")
            await settled()
            await host.works("ses_1", "bash", { command: "ls" })
            return [host.prompted, await host.request("ses_1")]
            """,
            "intervenes",
        )
        [prompt], later = found
        assert prompt == {
            "session": "ses_1", "noReply": True, "agent": "plan",
            "model": {"providerID": "p", "modelID": "m"},
            "parts": [{"type": "text", "text": "[Memory Pressure: 93%]", "synthetic": True}],
        }  # fmt: skip
        assert ["user", "[Memory Pressure: 93%]", "# HUD of msg_2"] in later["texts"]
        assert kinds(asked).count("intervened") == 1

    def test_l3_intervention_goes_with_the_request_where_the_host_takes_no_prompt(
        self, play: Play
    ) -> None:
        found, asked = play(
            """
            host.refuses = true
            await host.says("ses_1", "Add a login.")
            await host.request("ses_1")
            await settled()
            return [host.prompted, await host.request("ses_1")]
            """,
            "intervenes",
        )
        prompted, later = found
        assert prompted == []
        assert later["texts"][-1] == ["user", "[Memory Pressure: 93%]"]
        assert "intervened" not in kinds(asked)

    def test_nothing_goes_into_summaries_but_guidance(self, play: Play) -> None:
        found, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            await host.request("ses_1")
            const summary = await host.compacts("ses_1")
            await settled()
            await host.says("ses_1", "Go on.")
            return [summary, await host.request("ses_1")]
            """
        )
        summary, after = found
        assert summary["context"] == ["be brief"]
        assert "HUD" not in summary["head"]
        assert after["texts"][0] == ["user", "compaction", "# HUD of msg_2"]
        [told] = [each for each in asked if each.get("type") == "session.compacted"]
        assert told["summary"] == {"id": "msg_3", "text": "We added a login."}
        assert [each.get("summary") for each in asked if each.get("type") == "request"] == [
            None,
            {"id": "msg_3", "text": "We added a login."},
        ]

    def test_n1_static_text_goes_to_the_prompts_of_agents_alone(self, play: Play) -> None:
        found, _ = play(
            """
            const title = ["You are a title generator."]
            await host.says("ses_1", "Add a login.")
            const { messages } = await host.trigger("experimental.chat.messages.transform", {}, { messages: host.messages("ses_1") })
            await host.trigger("experimental.chat.system.transform", { sessionID: "ses_1" }, { system: title })
            const agent = ["Be brief. <env></env>"]
            await host.trigger("experimental.chat.system.transform", { sessionID: "ses_1" }, { system: agent })
            const none = ["<env>"]
            await host.trigger("experimental.chat.system.transform", {}, { system: none })
            return [title, agent, none, messages.at(-1).parts]
            """,
            mode="system",
        )
        title, agent, none, tail = found
        assert title == ["You are a title generator."]
        assert agent == ["Be brief. <env></env>", "# HUD static"]
        assert none == ["<env>"]
        assert [each["text"] for each in tail] == ["rest"]

    def test_prompts_that_are_not_known_leave_it_behind_the_history(self, play: Play) -> None:
        found, _ = play(
            """
            await host.says("ses_1", "Add a login.")
            await host.request("ses_1", { env: false })
            await host.request("ses_1", { env: false })
            return await host.request("ses_1", { env: false })
            """,
            mode="system",
        )
        assert found["system"] == ["You are a title generator."]
        assert found["texts"][-1] == ["user", "# HUD static\nrest"]

    def test_without_a_session_nothing_is_asked(self, play: Play) -> None:
        found, asked = play(
            'return await host.trigger("experimental.chat.messages.transform", {}, { messages: [] })'
        )
        assert found == {"messages": []}
        assert kinds(asked) == []

    def test_n4_messages_that_others_put_behind_it_are_no_places(self, play: Play) -> None:
        other = """
        let count = 0
        export const Other = async () => ({
          "experimental.chat.messages.transform": async (_, { messages }) => {
            const info = { ...messages.at(-1).info, role: "user", id: `other_${count++}` }
            messages.push({ info, parts: [{ type: "text", text: "other", synthetic: true }] })
          },
        })
        """
        found, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            await host.request("ses_1")
            await host.works("ses_1", "bash", { command: "ls" })
            return await host.request("ses_1")
            """,
            others=(other,),
        )
        assert [each["messages"] for each in asked if each.get("type") == "request"] == [
            ["msg_1"],
            ["msg_1", "msg_2"],
        ]
        assert found["texts"][-2:] == [["user", "# HUD of msg_2"], ["user", "other"]]


class TestHistories:
    def test_a_copy_is_told_of_before_all_else_of_it(self, play: Play) -> None:
        _, asked = play(
            """
            await host.says("ses_0", "Something else.")
            await host.says("ses_1", "Add a login.")
            await host.works("ses_1", "bash", { command: "ls" })
            await host.says("ses_1", "Go on.")
            host.forks("ses_1", "ses_2", 2)
            await host.says("ses_2", "Another way.")
            await host.request("ses_2")
            host.forks("ses_2", "ses_3")
            await host.request("ses_3")
            return 1
            """
        )
        told = [each for each in asked if each.get("line") in (["ses_2"], ["ses_3"])]
        assert [each["type"] for each in told] == [
            "session.forked", "chat.message", "request", "session.forked", "request"
        ]  # fmt: skip
        assert [each["origin"] for each in told if "origin" in each] == [["ses_1"], ["ses_2"]]
        assert told[0]["since"] == "msg_4"
        assert "since" not in told[3]

    def test_a_copy_whose_origin_is_gone_is_a_session_like_others(self, play: Play) -> None:
        _, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            host.forks("ses_1", "ses_2")
            host.born.delete("ses_1")
            await host.says("ses_2", "Another way.")
            return 1
            """
        )
        assert [each["type"] for each in asked if each.get("line") == ["ses_2"]] == ["chat.message"]


class TestWhatIsTold:
    def test_the_hosts_events(self, play: Play) -> None:
        _, asked = play(
            """
            const session = { sessionID: "ses_1" }
            const info = { id: "msg_a", role: "assistant", ...session, providerID: "p", modelID: "m", time: {} }
            await host.trigger("chat.params", { ...session, agent: "build", model: { id: "m", providerID: "p", limit: { context: 640 } } }, {})
            host.event("session.updated", { ...session, info: { id: "ses_1", title: "A" } })
            host.event("session.updated", { ...session, info: { id: "ses_1", title: "A" } })
            for (const completed of [undefined, undefined, 1, 1]) host.event("message.updated", { info: { ...info, time: { completed } } })
            host.event("message.updated", { info: { ...info, role: "user" } })
            host.event("message.part.updated", { part: { type: "tool", sessionID: "ses_1", state: { status: "running" } } })
            host.event("message.part.updated", { part: { type: "tool", sessionID: "ses_1", state: { status: "error" } } })
            host.event("todo.updated", { ...session, todos: [] })
            host.event("message.removed", { ...session, messageID: "msg_1" })
            host.event("session.deleted", { ...session, info: { id: "ses_1" } })
            host.event("something.else", {})
            host.event("session.updated", undefined)
            await settled()
            """
            "return 1"
        )
        assert kinds(asked) == [
            "session.updated", "message.updated", "message.updated", "message.part.updated", "todo.updated",
            "message.removed", "session.deleted",
        ]  # fmt: skip
        assert [each["limit"] for each in asked if each.get("type") == "message.updated"] == [
            640,
            640,
        ]

    def test_a_file_belongs_to_the_one_call_under_way(self, play: Play) -> None:
        _, asked = play(
            """
            const edited = (file) => host.event("file.edited", { file })
            const begins = (callID, sessionID, tool) => host.trigger("tool.execute.before", { tool, sessionID, callID }, {})
            edited("nobody.py")
            await begins("c1", "ses_1", "task")
            await begins("c2", "ses_2", "edit")
            edited("inner.py")
            await begins("c3", "ses_1", "edit")
            edited("whose.py")
            await settled()
            return 1
            """
        )
        told = [each for each in asked if each.get("type") == "file.edited"]
        assert [(each["line"], each["properties"]) for each in told] == [
            (["ses_2"], {"file": "inner.py"})
        ]

    def test_a_subagent_comes_with_those_that_it_works_for(self, play: Play) -> None:
        _, asked = play(
            """
            host.parents = { ses_2: "ses_1", ses_4: "ses_3" }
            host.event("session.created", { info: { id: "ses_3", parentID: "ses_2" } })
            await host.says("ses_4", "Look.")
            await host.request("ses_4")
            return 1
            """
        )
        assert [each["line"] for each in asked if "line" in each] == [
            ["ses_1", "ses_2", "ses_3", "ses_4"]
        ] * 2

    def test_tools_answer_or_refuse(self, play: Play) -> None:
        found, asked = play(
            """
            const context = { sessionID: "ses_1" }
            await host.trigger("chat.params", { ...context, agent: "build", model: { id: "m", providerID: "p" } }, {})
            const refused = await host.tools.bad.execute({}, context).catch((error) => error.message)
            const done = await host.tools.hud.execute({ call: { op: "notes.list" } }, context)
            await host.tools.hud_compact.execute({}, context)
            const before = host.summarized.length
            host.event("session.idle", context)
            await settled()
            const definition = await host.trigger("tool.definition", { toolID: "hud" }, { jsonSchema: { required: ["call"] } })
            return [refused, done, before, host.summarized, definition]
            """
        )
        refused, done, before, summarized, definition = found
        assert (refused, done, before) == ("did bad", "did hud", 0)
        assert summarized == [["ses_1", {"providerID": "p", "modelID": "m"}]]
        assert definition["jsonSchema"] == TOOLS[0]["parameters"]
        assert [each["arguments"] for each in asked if each.get("tool") == "hud"] == [
            {"call": {"op": "notes.list"}}
        ]


class TestFaults:
    def test_a_bridge_that_dies_is_started_again_and_nothing_is_lost(self, play: Play) -> None:
        found, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            const first = await host.request("ses_1")
            const died = host.tools.die.execute({}, { sessionID: "ses_1" }).catch((error) => error.message)
            await host.works("ses_1", "bash", { command: "ls" })
            const second = await host.request("ses_1")
            return [first, second, host.toasts, await died]
            """,
            "dies",
            call=400,
        )
        first, second, toasts, died = found
        assert second["texts"][0] == first["texts"][0]
        assert second["texts"][-1] == ["user", "# HUD of msg_2"]
        assert "cannot be reached" in died
        assert "tool.execute.after" in kinds(asked)
        assert toasts == []
        assert [each["tool"] for each in asked if "tool" in each].count("die") == 2

    def test_a_call_that_a_bridge_died_at_is_answered_by_the_next(self, play: Play) -> None:
        """So it is with the first call after an update, too: the bridge that is there ends without an answer."""
        found, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            const answer = await host.tools.die.execute({}, { sessionID: "ses_1" })
            await host.tools.hud.execute({}, { sessionID: "ses_1" })
            return [answer, host.toasts]
            """,
            "dies once",
        )
        assert found == ["did die", []]
        calls = [each["telling"] for each in asked if each.get("tool") in ("die", "hud")]
        once, again, other = calls
        assert once == again
        teller, number = again.split(".")
        assert other == f"{teller}.{int(number) + 1}"

    def test_n5_one_that_is_late_is_not_waited_for_and_words_stay(self, play: Play) -> None:
        found, asked = play(
            """
            await host.says("ses_1", "Add a login.")
            const first = await host.request("ses_1")
            await host.works("ses_1", "bash", { command: "ls" })
            const before = Date.now()
            const second = await host.request("ses_1")
            const took = Date.now() - before
            await settled(900)
            return [first, second, took, await host.request("ses_1")]
            """,
            "late",
            request=200,
        )
        first, second, took, _ = found
        assert first["texts"] == [["user", "Add a login.", "# HUD of msg_1"]]
        assert second["texts"] == [*first["texts"], ["assistant", "ok"]]
        assert took < 5_000
        assert "15" in [each.get("became") for each in asked]

    @pytest.mark.parametrize(
        "program", [["/nowhere/ujsx"], [sys.executable, "-c", "raise SystemExit(3)"]]
    )
    def test_one_that_does_not_start_is_told_of_once(self, play: Play, program: list[str]) -> None:
        found, _ = play(
            """
            const said = []
            for (const text of ["Add a login.", "Go on."]) {
              await host.says("ses_1", text)
              said.push(await host.request("ses_1"))
            }
            return [said, host.toasts]
            """,
            program=program,
        )
        said, toasts = found
        assert said[1]["texts"] == [["user", "Add a login."], ["user", "Go on."]]
        assert len(toasts) == 1
        assert "ujsx bridge --stdio" in toasts[0]

    def test_one_that_answers_nothing_is_replaced(self, play: Play, tmp_path: Path) -> None:
        silent = [sys.executable, "-S", "-c", "import sys,time; open(sys.argv[1], 'a').write('x'); time.sleep(60)"]  # fmt: skip
        found, _ = play(
            """
            for (let n = 0; n < 6; n++) {
              await host.says("ses_1", "Add a login.")
              await host.request("ses_1")
              await settled(100)
            }
            return host.toasts
            """,
            program=[*silent, str(tmp_path / "began")],
            starting=150,
            hung=200,
        )
        assert len(found) <= 1
        assert len((tmp_path / "began").read_text()) >= 2

    def test_a_hook_that_is_given_nonsense_raises_nothing(self, play: Play) -> None:
        found, _ = play(
            """
            const names = [...new Set(host.all.flatMap(Object.keys))].filter((name) => !["tool", "dispose"].includes(name))
            for (const name of names) for (const given of [undefined, {}, { event: { type: "session.updated" } }])
              await host.trigger(name, given, name === "event" ? undefined : given)
            return names
            """
        )
        assert len(found) == 8

    def test_installed_twice_it_works_once(self, play: Play) -> None:
        _, asked = play('await host.says("ses_1", "Add a login."); return 1', others=("",))
        assert kinds(asked) == ["chat.message"]

    @pytest.mark.parametrize("where", ["shop", "shop/src"])
    def test_a_projects_own_goes_before_the_one_for_all_projects(
        self, play: Play, tmp_path: Path, where: str
    ) -> None:
        own = tmp_path / "shop" / ".opencode" / "plugins" / "ujsx.js"
        own.parent.mkdir(parents=True)
        own.write_text("export const Ujsx = async () => ({ chosen: true })")
        (tmp_path / "shop" / "src").mkdir()
        found, _ = play(
            "return host.all.map((each) => Object.keys(each))",
            plugin=PLUGIN.read_text("utf-8"),
            directory=str(tmp_path / where),
        )
        assert found == [[]]


def test_with_the_bridge_itself(play: Play, tmp_path: Path) -> None:
    place = place_of(tmp_path / "hud.db")
    found, _ = play(
        """
        await host.says("ses_1", "Add a login.")
        const first = await host.request("ses_1")
        const answer = await host.tools.hud.execute({ call: { op: "notes.add", content: "Port 8080" } }, { sessionID: "ses_1" })
        await host.works("ses_1", "edit", { filePath: "/srv/shop/app.py" })
        return [first, answer, await host.request("ses_1"), Object.keys(host.tools)]
        """,
        plugin=plugin_text(place),
    )
    first, answer, second, tools = found
    assert first["texts"][0][2].startswith("# HUD\n")
    assert "1 note" in answer
    assert second["texts"][0] == first["texts"][0]
    assert "Port 8080" in second["texts"][-1][1]
    assert "app.py" not in second["texts"][-1][1]  # the call shows it
    assert tools == ["hud", "hud_compact"]
    with HudStore.open(place.store) as store:
        assert [each.content for each in store.session("ses_1").state().notes] == ["Port 8080"]
