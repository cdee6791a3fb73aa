"""What a person does to a conversation of Claude Code: each request tells the state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components.words import RequestWords
from hud_runtime import HudStore
from hud_runtime.integrations import claude_code
from tests.hud_runtime.integrations.claude_files import Client


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        made = Client(tmp_path, store)
        monkeypatch.setattr(claude_code, "_now", made.clock)
        yield made
        assert made.wrong == []


def begun(client: Client) -> None:
    client.turn("Add a login.", partial(client.notes, "Port 8080"))
    client.turn("Choose the token.", partial(client.notes, "Use JWT"))
    client.turn("Go on, please.")


class TestForks:
    def test_one_whose_file_is_not_there_yet_has_all_of_the_original(self, client: Client) -> None:
        begun(client)
        original = client.session
        client.fork()
        assert not client.path.exists()
        client.turn("Go on with the limit.", partial(client.notes, "only here"))
        notes = [each.content for each in client.store.session(client.session).state().notes]
        assert notes == ["Port 8080", "Use JWT", "only here"]
        assert len(client.store.session(original).state().notes) == 2

    def test_the_original_is_the_one_whose_context_is_as_large(self, client: Client) -> None:
        begun(client)
        first = client.session
        client.begin("startup")
        client.turn("Something else.", partial(client.notes, "of the other"))
        client.resume(first)
        client.fork()
        client.turn("Go on.")
        notes = [each.content for each in client.store.session(client.session).state().notes]
        assert notes == ["Port 8080", "Use JWT"]

    def test_where_nothing_tells_the_original_the_copy_begins_empty(self, client: Client) -> None:
        begun(client)
        client._copy({})
        client.begin("fork", keeps=False)
        client.turn("Go on.")
        assert client.store.session(client.session).state().notes == ()

    def test_a_branch_has_all_of_the_original(self, client: Client) -> None:
        begun(client)
        client.branch()
        client.turn("Go on.", partial(client.notes, "only here"))
        assert len(client.store.session(client.session).state().notes) == 3


class TestRewinds:
    def test_what_a_rewind_has_taken_is_told_with_the_next_prompt(self, client: Client) -> None:
        begun(client)
        client.rewind(1)
        client.turn("Do it another way.", partial(client.notes, "sessions"))
        client.rewind(0)
        client.turn("Begin anew.")

    def test_without_the_status_line_it_is_told_one_request_later(self, client: Client) -> None:
        begun(client)
        client.rewind(1, is_shown=False)
        client.turn("Do it another way.", lambda: None)
        client.turn("And on.")
        [wrong] = client.wrong
        assert "Use JWT" in wrong
        client.wrong.clear()

    def test_it_is_told_once(self, client: Client) -> None:
        begun(client)
        client.rewind(1)
        client.meanwhile = client.status  # the file does not have the prompt yet
        client.turn("Do it another way.", lambda: None)
        client.turn("And on.", lambda: None)
        assert sum(each.startswith("# HUD\n") for each in client.huds) == 2

    def test_a_bridge_that_is_killed_meanwhile_changes_nothing(self, client: Client) -> None:
        begun(client)
        client.rewind(1)
        client.kill_bridge()
        client.turn("Do it another way.")

    def test_one_that_takes_none_of_our_words_tells_nothing_again(self, client: Client) -> None:
        begun(client)
        client.rewind(2, is_shown=False)
        client.turn("Do it another way.", lambda: None, lambda: None)
        assert sum(each.startswith("# HUD\n") for each in client.huds) == 1


class TestSubagents:
    """Their messages are in files of their own, beside the session's."""

    def test_are_told_again_what_a_compaction_has_taken(self, client: Client) -> None:
        begun(client)
        agent = {"agent_id": "a1", "agent_type": "general-purpose"}
        path = client.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
        path.parent.mkdir(parents=True)
        before, client.chain, client.pending = client.chain, [], []
        worked = partial(client.hook, "PostToolBatch", tool_calls=[], **agent)

        def write() -> None:
            with path.open("a") as file:
                for each in client.pending:
                    file.write(json.dumps({**each, "isSidechain": True, "agentId": "a1"}) + "\n")
            client.pending = []

        client.add("user", message={"role": "user", "content": "Look at the login."})
        client.attach("SubagentStart", client.hook("SubagentStart", **agent))
        client.answer([{"type": "text", "text": "I look."}])
        write()
        assert worked() == ""
        client.chain = []
        client.add("system", subtype="compact_boundary")
        client.add("user", isCompactSummary=True, message={"role": "user", "content": "I looked."})
        client.answer([{"type": "text", "text": "I go on."}])
        write()
        assert worked().startswith("# HUD\n")
        assert worked() == ""
        client.chain = before


class TestResumes:
    @pytest.mark.parametrize("at", [0, 1, 2, 3])
    def test_behind_an_earlier_answer(self, client: Client, at: int) -> None:
        begun(client)
        client.resume_at(at)
        client.turn("Elsewhere.", lambda: None)

    def test_behind_an_earlier_answer_while_the_bridge_is_killed(self, client: Client) -> None:
        begun(client)
        client.resume_at(0)
        client.kill_bridge()
        client.turn("Elsewhere.")

    def test_after_another_session(self, client: Client) -> None:
        begun(client)
        first = client.session
        client.begin("clear")
        client.turn("Something else.", partial(client.notes, "of the other"))
        client.resume(first)
        client.turn("Go on.")


class TestFiles:
    def test_a_new_session_is_told_nothing_empty(self, client: Client) -> None:
        assert client.huds == []
        client.turn("Add a login.")
        [told] = client.huds
        assert "Add a login." not in told  # it stands in the prompt
        assert "nothing recorded" not in told

    def test_one_that_is_written_late_repeats_nothing(self, client: Client) -> None:
        client.is_lagging = True
        begun(client)
        client.turn("Go on.", *(partial(client.notes, f"note {n}") for n in range(6)))
        assert sum(each.startswith("# HUD\n") for each in client.huds) <= 2

    def test_words_that_never_came_are_told_again(self, client: Client) -> None:
        """The host took the answer, and dropped it."""
        client.turn("Add a login.", lambda: None)
        client.notes("note 1")
        assert "note 1" in client.hook("UserPromptSubmit", prompt="Another prompt.")
        client.turn("A third prompt.", lambda: None)
        client.wrong.clear()  # the one right behind
        client.turn("A fourth one.", lambda: None)

    def test_one_that_has_texts_in_another_form_is_not_looked_at_for_ever(
        self, client: Client
    ) -> None:
        client.writes_words = False
        begun(client)
        client.turn("Go on.", *(partial(client.notes, f"note {n}") for n in range(12)))
        assert sum(each.startswith("# HUD\n") for each in client.huds) <= 5

    @pytest.mark.parametrize(
        "line",
        [
            '{"uuid": 3}', '{"uuid": "x", "message": []}', '{"uuid": "x", "parentUuid": "x"}', '{"uuid"', "[]",
            '{"uuid": "x", "type": "attachment", "attachment": {"type": "hook_additional_context", "content": 3}}',
            '{"uuid": "x", "type": "assistant", "message": {"usage": {"input_tokens": "many"}}}',
        ],
    )  # fmt: skip
    def test_a_line_that_is_not_understood_ends_nothing(self, client: Client, line: str) -> None:
        begun(client)
        with client.path.open("a") as file:
            file.write(line + "\n")
        client.turn("Go on.", lambda: None)
        client.turn("Go on again.", lambda: None)

    def test_messages_of_a_subagent_are_none_of_the_chain(self, client: Client) -> None:
        begun(client)
        client.is_lagging = True

        def subagent_works() -> None:
            answer = next(each for each in reversed(client.chain) if each["type"] == "assistant")
            record = {**answer, "uuid": "x", "parentUuid": None, "isSidechain": True}
            with client.path.open("a") as file:
                file.write(json.dumps(record) + "\n")

        client.turn("Go on.", subagent_works, subagent_works)
        assert sum(each.startswith("# HUD\n") for each in client.huds) == 1

    def test_each_byte_is_read_once(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        read: list[int] = []
        add = claude_code.MessageChain._add
        monkeypatch.setattr(
            claude_code.MessageChain,
            "_add",
            lambda self, line: read.append(len(line)) or add(self, line),
        )
        begun(client)
        for number in range(10):
            client.turn("Go on.", partial(client.notes, f"note {number}"))
        assert sum(read) <= client.path.stat().st_size

    def test_one_that_is_written_anew_is_read_anew(self, client: Client) -> None:
        begun(client)
        lines = [json.dumps(each) for each in client.chain[:4]]
        client.path.write_text("\n".join(lines) + "\n")
        client.chain = client.chain[:4]
        client.turn("Go on.", lambda: None)
        client.wrong.clear()
        client.turn("Go on again.", lambda: None)


DOINGS = st.sampled_from(
    ["turn"] * 5
    + ["rewind", "rewind", "fork", "branch", "resume", "resume_at", "compact", "clear", "back"]
    + ["kill", "lag", "lose"]
)


@given(data=st.data())
def test_each_request_tells_the_state_whatever_the_person_does(data: st.DataObject) -> None:
    with (
        TemporaryDirectory() as folder,
        HudStore.open(":memory:", clock=lambda: 0) as store,
        pytest.MonkeyPatch.context() as patch,
    ):
        client = Client(Path(folder), store)
        patch.setattr(claude_code, "_now", client.clock)
        for number, what in enumerate(data.draw(st.lists(DOINGS, min_size=6, max_size=20))):
            if what == "turn":
                works = data.draw(st.lists(st.booleans(), max_size=4))
                client.turn(
                    f"Please do part {number}.",
                    *(
                        partial(client.notes, f"note {number}.{n}") if notes else lambda: None
                        for n, notes in enumerate(works)
                    ),
                )
            elif what in ("rewind", "resume_at"):
                getattr(client, what)(data.draw(st.integers(0, 9)))
            elif what in ("fork", "branch", "resume", "compact"):
                getattr(client, what)()
            elif what == "clear":
                client.begin("clear")
            elif what == "back" and (names := sorted(filter(None, client.chains))):
                client.resume(data.draw(st.sampled_from(names)))
            elif what == "kill":
                client.kill_bridge()
            elif what == "lag":
                client.is_lagging = not client.is_lagging
            elif what == "lose":
                client.loses = True
                client.turn(f"Please do part {number}.")
                client.loses = False
        assert client.wrong == []


class TestCallsAndResults:
    @staticmethod
    def line(number: int, kind: str, content: object) -> str:
        record = {
            "uuid": f"u-{number}", "parentUuid": f"u-{number - 1}" if number else None, "type": kind,
            "timestamp": f"2026-01-01T00:00:{number:02}.000Z", "message": {"content": content},
        }  # fmt: skip
        return json.dumps(record) + "\n"

    def test_stand_among_the_messages(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "src/ä.py"}}
        result = {"type": "tool_result", "tool_use_id": "t", "content": 'It has "quotes".'}
        lines = (("user", "Add a login."), ("assistant", [call]), ("user", [result]))
        path.write_text("".join(self.line(number, *each) for number, each in enumerate(lines)))
        messages = [*claude_code.MessageChain(path).conversation()]
        assert [each.is_answer for each in messages] == [False, True, False]
        assert [each.shown for each in messages] == ["", '{"path": "src/ä.py"}', 'It has "quotes".']
        words = RequestWords(messages)
        assert words.shows(["src/ä.py"], in_calls=True)
        assert words.shows(["quotes"])
        assert not words.shows(["quotes"], in_calls=True)

    def test_words_of_the_user_in_a_refusal_are_a_prompt(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        words = "To tell you how to proceed, the user said:\nUse JWT."
        results = [
            {"type": "tool_result", "is_error": is_error, "content": f"{begins} {words}"}
            for is_error, begins in (
                (True, "The user doesn't want to proceed with this tool use."),
                (True, "cat: notes.txt:"),  # a file that only looks like it
                (False, "The user doesn't want to proceed with this tool use."),
            )
        ]
        path.write_text("".join(self.line(n, "user", [each]) for n, each in enumerate(results)))
        assert [each.text for each in claude_code.MessageChain(path).conversation()] == [
            "Use JWT.",
            "",
            "",
        ]

    def test_of_old_messages_are_not_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(claude_code, "SHOWN", 1_000)
        path = tmp_path / "s.jsonl"
        results = ({"type": "tool_result", "content": f"{number} " * 100} for number in range(20))
        path.write_text(
            "".join(self.line(number, "user", [each]) for number, each in enumerate(results))
        )
        shown = [each.shown for each in claude_code.MessageChain(path).conversation() if each.shown]
        assert sum(map(len, shown)) < 1_000
        assert shown[-1].startswith("19 ")

    def test_that_are_broken_say_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        path.write_text(self.line(0, "user", [{"type": "tool_result"}, 3, {"type": "tool_use"}]))
        assert [each.shown for each in claude_code.MessageChain(path).conversation()] == [""]
