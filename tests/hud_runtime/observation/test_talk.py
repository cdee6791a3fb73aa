"""Where the conversation is: what of the agent's words is kept, and which messages of the user are answers."""

from __future__ import annotations

from hud_components import HudState, WhereWeAre
from hud_runtime import HudSession, HudStore
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    Compacted,
    Reader,
    ToolAnswer,
    ToolCall,
    UserMessage,
)
from tests.hud_runtime.observation.inside import LONGEST_TALK
from tests.ids import looped


def after(*seen: AnyObservation) -> HudSession[HudState]:
    reader, session = Reader(), HudStore.open(":memory:", clock=lambda: 0).session("s")
    for each in seen:
        session.record_all(reader.feed(each))
    session.record_all(reader.finish())
    return session


def talk(*words: str) -> HudSession[HudState]:
    """A session of messages, of the user and the agent in turn."""
    kinds = (UserMessage, AgentMessage)
    return after(*(kinds[place % 2](text=text) for place, text in enumerate(words)))


def said(session: HudSession[HudState]) -> list[tuple[str, str]]:
    return [(each.speaker, each.text) for each in session.state().where]


OFFER = "The read error is dropped in silence. Shall I log a warning?"


class TestAnswers:
    @looped(
        "answer",
        [
            "yep let's do it", "ok, lets", "all four", "3", "option 2", "both", "the first one", "Ja, bitte",
            "die zweite", "oui, vas y", "sí, adelante", "да, давай", "好的", "第一个", "thanks!",
        ],
    )  # fmt: skip
    def test_are_not_the_task_and_stand_behind_what_they_answer(self, answer: str) -> None:
        session = talk("What should we do about the index?", OFFER, answer)
        assert session.state().task is not None
        assert session.state().task.description == "What should we do about the index?"
        assert said(session) == [("agent", OFFER), ("user", answer)]
        for density in ("full", "compact"):
            assert "log a warning?" in session.hud(density=density).text
            assert answer.rstrip("!") in session.hud(density=density).text.replace("\\", "")

    def test_with_words_of_their_own_stand_behind_the_ask(self) -> None:
        session = talk(
            "Add a free field to the form", "Which form: bug or feature?", "yeah bug only"
        )
        assert session.state().task is not None
        assert session.state().task.description == "Add a free field to the form — yeah bug only"

    def test_belong_to_the_first_ask_however_many_there_are(self) -> None:
        ask = "Add a field to the form"
        session = talk(ask, "Which one?", "bug form", "Text or list?", "text field")
        assert session.state().task is not None
        assert session.state().task.description == f"{ask} — text field"

    def test_end_with_the_next_ask(self) -> None:
        session = talk(
            "Fix the index", OFFER, "yes", "Done. It logs now.", "Now document the command"
        )
        assert ("user", "yes") not in said(session)
        assert session.state().task is not None
        assert session.state().task.description == "Now document the command"

    @looped(
        "words",
        ["(I am not sure, but it did start with an e)", "that was a while back :|", "how are you?", "lol",
         "...", "2026-01-02 10:00:00 worker started", "it happened twice, fyi"],
    )  # fmt: skip
    def test_nor_are_remarks_small_talk_and_logs(self, words: str) -> None:
        session = talk("Why is git status broken?", "I look into the index. It is stale.", words)
        assert session.state().task is not None
        assert session.state().task.description == "Why is git status broken?"

    @looped(
        "ask", ["Push it.", "no, revert that commit", "fix 3 too", "Why?", "use tabs instead of spaces there"]
    )  # fmt: skip
    def test_are_told_apart_from_asks(self, ask: str) -> None:
        session = talk("Review the branch", "The review is done. It has three findings.", ask)
        assert session.state().task is not None
        assert session.state().task.description == ask


class TestAsks:
    def test_keep_what_stands_behind_their_colon(self) -> None:
        session = talk(
            "I got this feedback:\n\n> The login is slow.\n\nCan you find out why, and fix it?"
        )
        assert session.state().task is not None
        assert session.state().task.description == (
            "I got this feedback: The login is slow. Can you find out why, and fix it?"
        )

    def test_keep_a_log_behind_their_colon(self) -> None:
        session = talk("This fails on main:\n```\nTypeError: x is not a function\n```")
        assert session.state().task is not None
        assert "TypeError: x is not a function" in session.state().task.description


class TestFindings:
    def test_are_the_agents_own_words_alone(self) -> None:
        session = after(
            UserMessage(text="Why is it red?"),
            AgentMessage(text="Let me run the tests:"),
            ToolCall(name="Bash", arguments={"command": "make test"}, call_id="1"),
            ToolAnswer(text="Shall I delete all files? I found it.", call_id="1"),
            AgentMessage(text="The cache is stale. I clear it now."),
        )
        assert said(session) == [
            ("agent", "The cache is stale. I clear it now."),
            ("ran", "make test"),
        ]

    def test_are_kept_before_a_compaction_however_short(self) -> None:
        session = after(AgentMessage(text="Halfway there"), Compacted(summary="We work."))
        assert said(session) == [("agent", "Halfway there")]

    def test_keep_their_head_and_their_tail(self) -> None:
        words = f"Found it in the index. {'It goes on and on. ' * 200}Shall I rebuild the index?"
        [(_, text)] = said(talk("Look", words))
        assert text.startswith("Found it in the index.")
        assert text.endswith("rebuild the index?")
        assert len(text) <= LONGEST_TALK

    @looped("place", [0, 150, 190, 240, 400, 2_900])
    def test_of_secrets_no_half_is_kept(self, place: int) -> None:
        token = "ghp_" + "a1B2" * 9
        words = f"{'words ' * 500}"
        [(_, text)] = said(talk("Look", f"{words[:place]} {token} {words[place:]}"))
        assert "a1B2a1B2" not in text

    def test_are_bounded_however_much_is_said(self) -> None:
        session = talk(
            *(f"Thing {n} is so. That is all there is to it {'x' * n}." for n in range(200))
        )
        many = after(
            *(
                each
                for n in range(60)
                for each in (
                    AgentMessage(text=f"Finding {n} is here. I go on."),
                    ToolCall(name="Bash", arguments={"command": f"make t{n}"}, call_id=f"{n}"),
                    ToolAnswer(text="", call_id=f"{n}"),
                )
            )
        )
        assert len(session.state().where) <= 20
        assert len(many.state().where) <= 20
        assert said(many)[-1] == ("ran", "make t59")

    def test_leave_sessions_without_them_as_they_were(self) -> None:
        session = after(UserMessage(text="Add a login"), AgentMessage())
        assert "where" not in session.state().model_dump()
        assert "message.said" not in {each.type for each in session.events()}


def test_the_finding_stands_before_what_is_newer_where_tokens_are_short() -> None:
    chatter = [f"Step {n} is done. I go on with the next." for n in range(5)]
    session = after(
        UserMessage(text="What should we do?"),
        AgentMessage(text=OFFER),
        UserMessage(text="yep let's do it"),
        *(AgentMessage(text=each) for each in chatter),
    )
    section = WhereWeAre.of_state(session.state())
    assert section is not None
    shown = section.as_shown("compact")
    assert shown is not None
    assert [each.text for each in shown.where or ()] == [OFFER, "yep let's do it"]
