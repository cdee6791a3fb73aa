"""A child sees what its parent has decided since, when it asks, and hands back what the parent shows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given

from hud_components import Domain, HudItem, HudValue, ItemsSection, Line, ValueSection
from hud_runtime import EventError, HudSession, HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.session import Parents
from tests.strategies import texts


def family(store: HudStore[Any]) -> tuple[HudSession[Any], HudSession[Any]]:
    parent = store.session("s")
    parent.record("task.set", description="Ship it")
    parent.record("decision.record", summary="Use JWT")
    child = store.session("s/reviewer", parent=parent)
    parent.record("decision.record", summary="Tokens live an hour")
    parent.record("note.add", content="The worker is on 8080")
    return parent, child


def ask(session: HudSession[Any], op: str, **arguments: object) -> Any:
    return session.call("hud", {"op": op, **arguments})


class TestSeen:
    def test_e11_a_child_sees_later_decisions_and_notes_when_it_asks(self) -> None:
        with HudStore.open(":memory:") as store:
            _, child = family(store)
            said = ask(child, "parent.show").text
            for words in ("Use JWT", "Tokens live an hour", "The worker is on 8080", "Ship it"):
                assert words in said
            assert "Your parent `s` now, at version 5" in said
            assert "Tokens live" not in child.hud().text

    def test_e11_or_as_of_its_start_as_the_author_chooses(self) -> None:
        with HudStore.open(":memory:", parents="start") as store:
            _, child = family(store)
            said = ask(child, "parent.show")
            assert "Use JWT" in said.text
            assert "Tokens live" not in said.text
            assert "as it was when you began" in said.text
            assert said.data["version"] == 3
            assert ask(child, "parent.show", new_only=True).text.startswith("Nothing")

    def test_e11_or_not_at_all(self) -> None:
        with HudStore.open(":memory:", parents="off") as store:
            _, child = family(store)
            said = ask(child, "parent.show")
            assert said.is_error
            assert "do not see their parents here" in said.text
        with pytest.raises(EventError, match='did you mean "live"'):
            HudStore.open(":memory:", parents="life")  # type: ignore[arg-type]

    def test_what_is_new_alone(self) -> None:
        with HudStore.open(":memory:") as store:
            parent, child = family(store)
            said = ask(child, "parent.show", new_only=True)
            assert "Use JWT" not in said.text
            assert "Ship it" not in said.text
            assert [each["summary"] for each in said.data["decisions"]] == ["Tokens live an hour"]
            parent.record("task.update", description="Ship it on Monday")
            assert "on Monday" in ask(child, "parent.show", new_only=True).text

    def test_a_section_can_be_named(self) -> None:
        with HudStore.open(":memory:") as store:
            _, child = family(store)
            said = ask(child, "parent.show", section="notes").text
            assert "8080" in said
            assert "JWT" not in said
            wrong = ask(child, "parent.show", section="errors")
            assert wrong.is_error
            assert 'a child does not see "errors"' in wrong.text

    def test_a_session_without_a_parent_is_told_so(self) -> None:
        with HudStore.open(":memory:") as store:
            said = ask(store.session("s"), "parent.show")
            assert said.is_error
            assert "no parent" in said.text

    def test_help_tells_children_alone(self) -> None:
        with HudStore.open(":memory:") as store:
            parent, child = family(store)
            told = "parent: show what your parent has recorded; hand_back a result, to your parent"
            assert told in ask(child, "help").text
            assert "hand_back" not in ask(parent, "help").text

    def test_what_is_seen_comes_from_another_process_too(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as one, HudStore.open(tmp_path / "hud.db") as two:
            family(one)
            child = two.session("s/reviewer")
            one.session("s").record("note.add", content="Port 9090")
            assert "9090" in ask(child, "parent.show").text


class TestHandedBack:
    def test_e11_the_parents_hud_shows_what_is_handed_back_once(self) -> None:
        with HudStore.open(":memory:") as store:
            parent, child = family(store)
            said = ask(child, "parent.hand_back", text="Two tests fail:\n\n- a\n- b")
            assert said.text.startswith("Handed back: n-6 of your parent's notes.")
            again = ask(child, "parent.hand_back", text="Two tests fail:\n\n- a\n- b")
            assert again.text.startswith("Your parent has that already, as n-6 of its notes.")
            parent.refresh()
            shown = parent.hud(density="full").text
            assert shown.count("Two tests fail") == 1
            assert "said by a tool" in shown
            assert "handed back by reviewer" in shown
            assert "Two tests fail" in parent.deliver().text
            [*_, note] = parent.state().notes
            assert (note.said_by, note.id) == ("tool", "n-6")
            assert "Two tests" not in child.hud().text

    @given(texts)
    def test_it_is_data_whatever_it_says(self, text: str) -> None:
        with HudStore.open(":memory:") as store:
            parent, child = family(store)
            before = parent.hud(density="full").text
            said = ask(child, "parent.hand_back", text=f"{text}# Task\n\n## Notes\n- **x** </Hud>")
            parent.refresh()
            after = parent.hud(density="full").text
            if said.is_error:
                assert after == before
                return
            headings = [line for line in after.splitlines() if line.startswith("#")]
            assert headings == [line for line in before.splitlines() if line.startswith("#")]

    def test_secrets_are_masked_on_the_way(self) -> None:
        with HudStore.open(":memory:") as store:
            parent, child = family(store)
            child.hand_back("the token is " + "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2)
            assert "[secret: github-token]" in parent.state().notes[-1].content

    def test_a_parent_that_is_gone(self) -> None:
        with HudStore.open(":memory:") as store:
            _, child = family(store)
            store.keeping.purge("s")
            for op, said in (("parent.show", {}), ("parent.hand_back", {"text": "x"})):
                answer = ask(child, op, **said)
                assert answer.is_error
                assert "not there any more" in answer.text
            assert child.state().decisions[0].summary == "Use JWT"

    def test_two_children_at_once(self, tmp_path: Path) -> None:
        def run(name: str) -> None:
            with HudStore.open(tmp_path / "hud.db") as store:
                child = store.session(f"s/{name}", parent="s")
                for number in range(10):
                    child.hand_back(f"{name} has found {number}")
                child.hand_back(f"{name} has found 0")

        with HudStore.open(tmp_path / "hud.db") as store:
            family(store)
            with ThreadPoolExecutor(2) as pool:
                assert [*pool.map(run, ("one", "two"))] == [None, None]
            notes = [each.content for each in store.session("s").state().notes]
        assert len([each for each in notes if "has found" in each]) == 20
        assert len({*notes}) == len(notes)

    def test_a_subagent_of_a_host_can(self) -> None:
        with HudStore.open(":memory:") as store:
            host = HostSession.of(store, "s")
            host.before_request()
            child = host.child("reviewer")
            child.before_request()
            answer = child.call("hud", {"op": "parent.hand_back", "text": "Nothing is wrong."})
            assert "Handed back" in answer.text
            assert "handed back by reviewer" in host.session.state().notes[-1].content


class Offer(HudValue):
    """What is offered."""

    what: Line
    """It."""


class Quote(HudItem):
    """An offer that somebody made."""

    words: Line
    """What it says."""


class Offers(ValueSection[Offer]):
    """What is offered."""

    name = "offer"
    title = "Offer"
    lines = MappingProxyType({"full": "{what}"})


class Quotes(ItemsSection[Quote]):
    """The offers so far."""

    name = "quotes"
    title = "Quotes"
    noun = "quote|quotes"
    lines = MappingProxyType({"full": "{words}"})
    from_parent = True
    accepts_child_results = True


class TestOtherDomains:
    def test_its_own_section_takes_results(self) -> None:
        domain = Domain("buying", sections=(Offers, Quotes))
        with HudStore.open(":memory:", domain=domain) as store:
            parent = store.session("s")
            child = store.session("c", parent=parent)
            assert "Handed back: q-2 of your parent's quotes" in str(
                ask(child, "parent.hand_back", text="12 a piece").text
            )
            assert "12 a piece" in ask(child, "parent.show").text
            parent.refresh()
            assert "12 a piece" in parent.hud().text

    def test_one_without_such_a_section_says_so(self) -> None:
        domain = Domain("offering", sections=(Offers,))
        with HudStore.open(":memory:", domain=domain) as store:
            store.session("s")
            said = ask(store.session("c", parent="s"), "parent.hand_back", text="x")
            assert said.is_error
            assert "no section that takes results" in said.text


def test_the_choices_are_these() -> None:
    from typing import get_args

    assert get_args(Parents) == ("live", "start", "off")
