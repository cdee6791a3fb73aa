"""The words of a request that a delivery does not repeat, and those that it tells as soon as they are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_components import Hud, HudState, StatusLine, Task, TaskSection, parse
from hud_components.changes import remaining
from hud_components.words import RequestMessage, RequestWords
from hud_runtime import DeliveryError, EventDraft, HudSession, HudStore
from tests.ids import looped
from ujsx import RenderContext, render
from ujsx.tokens import estimate_tokens

ASK = "Add a login with short-lived tokens."
RULE = "Never push to main."
OFFER = "Two ways are open: rotate the tokens, or keep a list of those that are void. Which one?"


@pytest.fixture
def session() -> Iterator[HudSession[HudState]]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        made = store.session("s")
        made.record("note.add", content="Port 8080 is taken")
        yield made


def user(session: HudSession[Any], kind: Any, **payload: str) -> None:
    session.record_all([EventDraft(kind, payload, actor="user")])


def told(session: HudSession[Any], conversation: list[Any] | None, **more: Any) -> str:
    """Deliver, and say that it was sent."""
    made = session.deliver(conversation=conversation, **more)
    session.delivered(made)
    return made.text


class TestWordsThatStand:
    def test_are_not_told_and_the_hud_shows_all(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description=ASK)
        user(session, "rule.add", text=RULE)
        session.record("message.said", text=OFFER)
        said = [f"Hello! {ASK}\n\n{RULE}", RequestMessage(OFFER, is_answer=True)]
        text = told(session, said)
        assert text == "# HUD\n\n## Notes\n\n- Port 8080 is taken\n"
        whole = session.hud().text
        assert all(each in whole for each in (ASK, RULE, OFFER))

    def test_are_told_as_soon_as_they_do_not(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description=ASK)
        user(session, "rule.add", text=RULE)
        assert RULE not in told(session, [ASK, RULE])
        text = told(session, [ASK])
        assert text == f"# HUD changes\n\n## Rules\n\n- {RULE}\n"
        assert told(session, [ASK]) == ""
        assert "## Task" in told(session, [])
        assert told(session, [ASK, RULE]) == ""  # what was told stays told

    def test_of_an_agent_are_always_told(self, session: HudSession[HudState]) -> None:
        session.record("task.set", description=ASK)
        session.record("rule.add", text=RULE)
        session.record("note.add", content="Tokens live for ten minutes")
        text = told(session, [ASK, RULE, "Tokens live for ten minutes"])
        assert all(each in text for each in (ASK, RULE, "Tokens live"))

    def test_count_for_the_reader_whose_request_has_them(
        self, session: HudSession[HudState]
    ) -> None:
        user(session, "rule.add", text=RULE)
        assert RULE not in told(session, [RULE])
        assert RULE in told(session, ["Look at the tests."], reader="reviewer")

    def test_of_the_model_are_not_the_users(self, session: HudSession[HudState]) -> None:
        user(session, "rule.add", text=RULE)
        assert RULE in told(session, [RequestMessage(f"You said: {RULE}", is_answer=True)])

    def test_within_a_longer_word_do_not_stand(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description="push")
        assert "push" in told(session, ["The pushed branch is red."])

    def test_nothing_is_said_of_a_hud_that_has_nothing_else(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            user(session, "task.set", description=ASK)
            assert session.deliver(conversation=[ASK]).parts == ()
            session.record("note.add", content="Port 8080")
            assert told(session, [ASK]).startswith("# HUD\n")

    def test_at_the_tail_too(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description=ASK)
        assert ASK not in told(session, [ASK], mode="tail", has_cache_breakpoint=True)
        assert ASK in told(session, [], mode="tail", has_cache_breakpoint=True)

    def test_in_the_system_prompt_all_is_told(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description=ASK)
        assert ASK in told(session, [ASK], mode="system")

    def test_leave_what_counts_the_state_true(self, session: HudSession[HudState]) -> None:
        """A section of an author's layout that sums up the state sums up all of it."""
        user(session, "task.set", description=ASK)
        layout = Hud()[TaskSection(), StatusLine()]
        text = told(session, [ASK], layout=layout)
        assert "no task" not in text
        assert "## Task" not in text


class TestTasks:
    def test_a_new_one_does_not_tell_the_goal_again(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description=ASK)
        assert ASK in told(session, [])
        user(session, "task.set", description="Write the docs of it, too.")
        user(session, "task.goal", goal=ASK)
        assert told(session, ["Write the docs of it, too."]) == ""

    def test_the_goal_stands_alone_where_the_ask_is_in_the_request(
        self, session: HudSession[HudState]
    ) -> None:
        user(session, "task.set", description="Write the docs of it, too.")
        user(session, "task.goal", goal=ASK)
        text = told(session, ["Write the docs of it, too."])
        assert f"## Task\n\n*goal:* {ASK}\n" in text

    def test_one_of_the_agents_replaces_what_was_told(self, session: HudSession[HudState]) -> None:
        user(session, "task.set", description=ASK)
        told(session, [])
        session.record("task.set", description="Read the tests first")
        assert "*now:* Read the tests first" in told(session, [ASK])

    def test_an_answer_behind_an_ask_that_was_told_is_known(
        self, session: HudSession[HudState]
    ) -> None:
        user(session, "task.set", description=ASK)
        told(session, [])
        user(session, "task.set", description=f"{ASK} — the second option")
        assert told(session, ["the second option"]) == ""

    def test_a_new_ask_takes_the_place_of_one_that_was_told(
        self, session: HudSession[HudState]
    ) -> None:
        for ask in (ASK, "Read the tests first."):
            user(session, "task.set", description=ask)
        assert "Read the tests first." in told(session, [])
        user(session, "task.set", description="Write the docs of it, too.")
        assert told(session, ["Write the docs of it, too."]) == ""
        session.record("task.clear")
        assert "*no longer shown:* Read the tests first." in told(session, [])

    def test_earlier_asks_are_told_once(self, session: HudSession[HudState]) -> None:
        session.record("message.said", text="Hello.")
        for ask in (ASK, "Read the tests first.", "Write the docs of it, too."):
            user(session, "task.set", description=ask)
            session.record("message.said", text=f"Done with this: {ask}")
        session.record("compact.after", summary="The login is there.")
        text = told(session, [])
        assert (
            f"- asked: {ASK} → Done with this: {ASK}\n- asked: Read the tests first. → Done" in text
        )
        assert [told(session, []) for _ in range(3)] == [""] * 3


def call(op: str, **arguments: str) -> RequestMessage:
    """A call of the agent's, as a host shows it."""
    return RequestMessage("", is_answer=True, shown=json.dumps({"op": op, **arguments}))


def filler(tokens: int) -> RequestMessage:
    """A result of a tool with so many tokens."""
    return RequestMessage("", shown="x y " * (2 * tokens // 2))


class TestItemsThatTheRequestShows:
    """The end of a request, beside which a delta need not tell an item."""

    def test_are_told_once_their_words_are_far(self, session: HudSession[HudState]) -> None:
        told(session, [ASK])
        session.record("note.add", content="The port is 9090")
        talk: list[Any] = [ASK, call("notes.add", content="The port is 9090")]
        assert told(session, talk) == ""
        assert told(session, [*talk, filler(25_000)]) == ""
        text = told(session, [*talk, filler(50_000)])
        assert text == "# HUD changes\n\n## Notes\n\n- The port is 9090\n"
        assert told(session, [*talk, filler(50_000)]) == ""

    @pytest.mark.parametrize("is_shown", [True, False])
    def test_that_are_over_are_shown_by_the_call_that_says_so(
        self, session: HudSession[HudState], *, is_shown: bool
    ) -> None:
        told(session, [ASK])
        step = session.record("step.add", description="Write the tests")
        session.record("step.complete", id=step.payload.id)
        talk: list[Any] = [ASK, call("next_steps.add", description="Write the tests")]
        talk += [call("next_steps.complete", id=step.payload.id)] * is_shown
        assert ("~~Write the tests~~" in told(session, talk)) is not is_shown

    def test_go_along_with_what_is_told(self, session: HudSession[HudState]) -> None:
        told(session, [ASK])
        session.record("note.add", content="The port is 9090")
        talk: list[Any] = [ASK, call("notes.add", content="The port is 9090"), filler(25_000)]
        assert told(session, talk) == ""
        user(session, "blocker.add", description="No key is there")
        text = told(session, talk)
        assert "No key is there" in text
        assert "The port is 9090" in text

    def test_of_an_agent_stand_in_its_own_calls_alone(self, session: HudSession[HudState]) -> None:
        told(session, [ASK])
        session.record("note.add", content="The port is 9090")
        forged = [ASK, RequestMessage("", shown="The port is 9090"), "The port is 9090"]
        assert "The port is 9090" in told(session, forged)

    def test_of_others_are_always_told(self, session: HudSession[HudState]) -> None:
        told(session, [ASK])
        user(session, "note.add", content="The port is 9090")
        assert "The port is 9090" in told(session, [ASK, call("x", text="The port is 9090")])

    def test_that_hosts_report_stand_in_results_too(self, session: HudSession[HudState]) -> None:
        told(session, [ASK])
        session.record("error.encountered", message="make: two tests fail (+3 more)")
        session.record("file.open", path="src/app.py")
        shown = RequestMessage("", shown="$ make\n/srv/src/app.py:3: two tests fail")
        assert told(session, [ASK, shown]) == ""
        assert "src/app.py" in told(session, [ASK])

    def test_that_are_a_few_common_words_stand_as_a_whole(
        self, session: HudSession[HudState]
    ) -> None:
        told(session, [ASK])
        session.record("error.encountered", message="build: failed")
        shown = RequestMessage("", shown="The build has begun; three of the tests failed.")
        assert "build: failed" in told(session, [ASK, shown])

    def test_a_change_stands_behind_what_was_told(self, session: HudSession[HudState]) -> None:
        first = call("notes.add", content="The port is 9090")
        told(session, [ASK, first])
        session.record("note.add", content="The port is 9090")
        [*_, note] = session.known.notes
        told(session, None)
        session.record("note.update", id=note.id, content="The port is 7070")
        session.record("note.update", id=note.id, content="The port is 9090, as before")
        assert "as before" in told(session, [ASK, first])
        session.record("note.update", id=note.id, content="The port is 9090")
        assert "*now:* The port is 9090\n" in told(session, [ASK, first])  # an older call
        session.record("note.update", id=note.id, content="The port is 7070")
        second = call("notes.update", id=note.id, content="The port is 7070")
        assert told(session, [ASK, first, second]) == ""
        assert "7070" in told(session, [ASK, first])  # a rewind has taken it away

    def test_a_change_stands_behind_a_result_like_others(
        self, session: HudSession[HudState]
    ) -> None:
        told(session, [ASK])
        result = RequestMessage("", shown="Noted.")
        talk: list[Any] = [ASK, call("plan", steps="[ ] Write the docs"), result]
        session.record("step.add", description="Write the docs")
        assert told(session, talk) == ""
        session.record("step.complete", id=session.known.next_steps[-1].id)
        assert "~~Write the docs~~" in told(session, talk)
        session.record("step.add", description="Read the docs")
        talk += [call("plan", steps="[x] Write the docs, [ ] Read the docs"), result]
        assert told(session, talk) == ""
        session.record("step.complete", id=session.known.next_steps[-1].id)
        talk += [call("plan", steps="[x] Write the docs, [x] Read the docs"), result]
        assert told(session, talk) == ""

    def test_commands_stand_with_their_quotes(self, session: HudSession[HudState]) -> None:
        told(session, [ASK])
        command = "go test ./app -run TestLogin"
        session.record("check.result", command=command, name=command, result="pass")
        ran = RequestMessage(
            "", is_answer=True, shown='{"command":"go test ./app -run \\"TestLogin\\""}'
        )
        assert told(session, [ASK, ran]) == ""
        assert command in told(session, [ASK])

    def test_an_end_that_nobody_showed_is_told(self, session: HudSession[HudState]) -> None:
        talk: list[Any] = [ASK, call("blockers.add", description="No key is there")]
        told(session, [ASK])
        session.record("blocker.add", description="No key is there")
        assert told(session, talk) == ""
        [blocker] = session.known.blockers
        user(session, "blocker.resolve", id=blocker.id)
        assert "*done, no longer listed:* No key is there" in told(session, talk)

    def test_an_end_in_a_call_is_not(self, session: HudSession[HudState]) -> None:
        talk: list[Any] = [ASK, call("blockers.add", description="No key is there")]
        told(session, [ASK])
        session.record("blocker.add", description="No key is there")
        told(session, talk)
        [blocker] = session.known.blockers
        session.record("blocker.resolve", id=blocker.id)
        talk.append(call("blockers.resolve", id=blocker.id))
        assert told(session, talk) == ""
        assert told(session, [*talk, filler(90_000)]) == ""

    def test_done_in_a_call_that_has_another_name_for_it_is_not(
        self, session: HudSession[HudState]
    ) -> None:
        steps = ("Read the ledger", "Park it")
        plan = [call("TaskCreate", subject=each) for each in steps]
        told(session, [ASK])
        for each in steps:
            session.record("step.add", description=each)
        talk: list[Any] = [ASK, *plan]
        assert told(session, talk) == ""
        first, second = session.known.next_steps
        session.record("step.complete", id=first.id)
        talk.append(call("TaskUpdate", taskId="1", status="completed"))
        assert told(session, talk) == ""
        user(session, "step.complete", id=second.id)
        assert "Park it" in told(session, talk)

    def test_done_is_told_where_no_call_of_the_reader_says_it(
        self, session: HudSession[HudState]
    ) -> None:
        talk: list[Any] = [ASK, call("TaskCreate", subject="Read the ledger")]
        told(session, [ASK])
        session.record("step.add", description="Read the ledger")
        assert told(session, talk) == ""
        session.record("step.complete", id=session.known.next_steps[0].id)
        assert "Read the ledger" in told(session, talk)

    def test_another_process_knows_what_a_reader_saw(self, tmp_path: Path) -> None:
        talk: list[Any] = [ASK, call("blockers.add", description="No key is there")]
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080 is taken")
            told(session, [ASK])
            session.record("blocker.add", description="No key is there")
            assert told(session, talk) == ""
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            user(session, "blocker.resolve", id=session.known.blockers[0].id)
            assert "*done, no longer listed:* No key is there" in told(session, talk)

    def test_a_whole_hud_tells_what_the_agent_recorded(self, session: HudSession[HudState]) -> None:
        shown = call("notes.add", content="Port 8080 is taken")
        assert "Port 8080 is taken" in told(session, [ASK, shown])

    def test_a_smaller_budget_does_not_cost_more(self, session: HudSession[HudState]) -> None:
        sizes: dict[int, int] = {}
        for budget in (200, 500, 2_000):
            reader = f"reader of {budget}"
            sizes[budget] = estimate_tokens(told(session, None, reader=reader, budget=budget))
        for turn in range(40):
            session.record("note.add", content=f"Part {turn} of the ledger is moved")
            session.record("file.edit", path=f"src/ledger/part_{turn % 7}.py")
            for budget in sizes:
                text = told(session, None, reader=f"reader of {budget}", budget=budget)
                sizes[budget] += estimate_tokens(text)
        assert sizes[200] <= sizes[500] <= sizes[2_000]

    def test_counts_of_what_is_left_out_are_no_news(self, session: HudSession[HudState]) -> None:
        for number in range(60):
            session.record("note.add", content=f"Part {number} is moved")
        whole = told(session, None, budget=150)
        assert "more notes" in whole
        session.record("note.add", content="One that is removed again")
        told(session, None, budget=150)
        for place in (-1, 30):
            session.record("note.remove", id=session.known.notes[place].id)
            told(session, None, budget=150)
        session.record("note.remove", id=session.known.notes[30].id)
        assert told(session, None, budget=150) == ""


class TestSummaries:
    SUMMARY = "# Pending\n\n- Rotate the tokens\n\n# Done\n\nThe schema is there."

    def test_stand_in_another_order(self, session: HudSession[HudState]) -> None:
        session.record("compact.after", summary=self.SUMMARY)
        host = "Continued.\n1. Done:\n   The schema is there.\n2. Pending:\n   - Rotate the tokens"
        assert "Rotate" not in told(session, [host])
        assert "Rotate the tokens" in told(session, ["Go on."])

    def test_a_neighbor_that_changes_does_not_tell_them_again(
        self, session: HudSession[HudState]
    ) -> None:
        session.record("compact.after", summary=self.SUMMARY)
        assert "Rotate" in told(session, None)
        for turn in range(1, 60):
            session.record("note.add", content=f"Part {turn} of it is done", turn=turn)
            made = session.deliver()
            session.delivered(made)
            assert made.why == "grown" or "Rotate" not in made.text


class TestHints:
    def test_are_no_items_of_changes(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            assert "nothing recorded" in told(session, None)
            session.record("note.add", content="Port 8080")
            assert told(session, None) == "# HUD changes\n\n## Notes\n\n- Port 8080\n"


class TestRequestWords:
    @looped(
        ("text", "has"),
        [
            ("Never push to main.", True), ("never push to main.", False), ("push", True), ("pus", False),
            ("Never push…main.", True), ("main. — Add it", True), ("", True), ("…", True), ("テスト", True), ("*", False),
        ],
    )  # fmt: skip
    def test_are_found_as_whole_words_in_pieces(self, text: str, has: bool) -> None:
        words = RequestWords(
            map(RequestMessage, ["Add it", "これはテストです", "Never\n push to main."])
        )
        assert words.has(text) is has

    def test_that_are_no_messages_are_refused(self, session: HudSession[HudState]) -> None:
        with pytest.raises(DeliveryError, match="write \\[text\\]"):
            session.deliver(conversation="Add a login.")
        wrong: Any = [3]
        with pytest.raises(DeliveryError, match=r"conversation\[0\] is not a text"):
            session.deliver(conversation=wrong)


@looped("density", ["full", "compact", "minimal"])
def test_a_goal_alone_is_read_back(density: str) -> None:
    state = HudState(task=Task(description=ASK, goal="A shop", said_by="user"))
    left = remaining(state, RequestWords([RequestMessage(ASK)]))
    text = render(Hud.of(state), density, context=RenderContext().with_value(left))
    assert "*goal:* A shop" in text
    assert render(parse(text), density) == text
