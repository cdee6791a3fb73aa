"""What is kept of the turns that were looked at, and made ready of those that may be: the answers are those of a fresh look."""

from __future__ import annotations

import random
import signal
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.log.events import EventDraft
from hud_runtime.preview import FaultError, LeftError, Preview, PreviewLook, Subject
from tests.hud_runtime.preview.many import FEW, long_session

TURNS = 60
DOMAIN = "tests.hud_runtime.preview.many:FEW"

CODE = """
import sys
import time
from contextlib import suppress

from hud_components import State
from ujsx import Component, Density, Disclosure, Rung

class Noted(Component):
    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 1), Rung(Density.FULL)))

    def render(self, ctx, children):
        state = ctx.get(State)
        turn = len(state.notes) if state else 0
        self.note(f"{turn} {ctx.density}")
        if str(ctx.density) == "minimal":
            self.least()
        self.more()
        return f"Turn {turn}, {ctx.density}"

    def note(self, line):
        with open(LOG, "a") as file:
            file.write(line + "\\n")

    def least(self):
        pass

    def more(self):
        pass

class Endless(Noted):
    def least(self):
        while True:
            with suppress(Exception):  # as an author may write it
                sum(range(100))

class Waiting(Noted):
    def least(self):
        time.sleep(SECONDS)
        self.note("over")

class Raising(Noted):
    def least(self):
        raise ValueError("an old turn")

class Leaving(Noted):
    def least(self):
        sys.exit(3)

class Slow(Noted):
    def more(self):
        time.sleep(0.02)
"""
"""Components that write down each time that they are rendered, and what an author may do in one."""


class Author:
    """An author's code, and a session in which each turn adds a note."""

    def __init__(self, folder, *, turns=0, seconds=0.0):
        self._log = folder / "log.txt"
        self._log.touch()
        self.code, self.store = folder / "noted.py", folder / "hud.db"
        self.code.write_text(f"LOG, SECONDS = {str(self._log)!r}, {seconds}\n{CODE}")
        self.turns = turns
        if turns:
            with HudStore.open(self.store) as store:
                drafts = [EventDraft("note.add", {"content": f"Port {turn}"}, turn=1 + turn) for turn in range(turns)]  # fmt: skip
                store.session("s").record_all(drafts)

    def subject(self, name):
        stored = {"store": str(self.store), "session": "s"} if self.turns else {}
        return Subject("x", object=f"{self.code}:{name}", **stored)

    @property
    def rendered(self):
        """The turns and densities that were rendered, in that order, without the first look's."""
        return [tuple(each.split()) for each in self._log.read_text().splitlines()]

    def has_all(self):
        return {each[0] for each in self.rendered} == {str(each) for each in range(self.turns + 1)}


def text(preview, *look):
    return preview.ask("view", PreviewLook(*look))["nodes"][0]["text"]


class TestStates:
    def test_of_far_off_are_read_from_a_snapshot(self, tmp_path, preview):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            drafts = [EventDraft("task.set", {"description": f"no {each}"}, turn=1) for each in range(2_100)]  # fmt: skip
            store.session("s").record_all(drafts)
            store.session("s").record("note.add", content="Port 8080", turn=2)
        shown = preview(Subject("s", store=str(path), session="s"))
        view = shown.ask("view", PreviewLook(turn=1))
        assert "no 2099" in str(view["nodes"])
        assert "Port 8080" not in str(view["nodes"])

    def test_forget_what_was_erased(self, tmp_path, preview):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            session = store.session("s")
            noted = session.record("note.add", content="sk-secret", turn=1)
            session.record("note.add", content="Port 8080", turn=2)
            shown = preview(Subject("s", store=str(path), session="s"))
            assert "sk-secret" in str(shown.ask("view", PreviewLook(turn=1)))
            store.keeping.erase("s", noted.version)
            assert "sk-secret" not in str(shown.ask("view", PreviewLook(turn=1)))


LOOKS = st.builds(
    PreviewLook,
    turn=st.integers(0, TURNS),
    density=st.sampled_from([None, "minimal", "full"]),
    budget=st.sampled_from([None, "off", 40, 300]),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Previews of a session of 60 turns in a domain of ten sections, as its agent sees it and in an author's layout."""
    path = tmp_path_factory.mktemp("long") / "hud.db"
    long_session(path, TURNS, domain=FEW)
    subjects = [
        Subject("long", store=str(path), session="long", domain=DOMAIN, object=tree)
        for tree in (None, f"{DOMAIN}_BOUND")
    ]
    with Preview(subjects[0]) as whole, Preview(subjects[1]) as bound:
        yield whole, bound


class TestAhead:
    @settings(max_examples=6)
    @given(st.lists(LOOKS, min_size=1, max_size=3), st.floats(0, 0.4), st.sampled_from([0, 1]))
    def test_changes_no_answer(self, kept, looks, pause, which):
        with Preview(kept[which].subject) as fresh:
            for look in looks:
                time.sleep(pause)  # in which it makes some of the turns ahead
                for what in ("view", "rungs", "change"):
                    assert kept[which].ask(what, look) == fresh.ask(what, look)

    def test_leaves_nothing_to_do_for_the_next_look(self, tmp_path, preview, until):
        """Turns that lie far from one another come first, then the other sliders' moves, then all other turns."""
        author = Author(tmp_path, turns=TURNS)
        shown = preview(author.subject("Noted"))
        until(author.has_all)
        rendered = author.rendered
        usual = rendered[0][1]
        turns = [int(turn) for turn, density in rendered if density == usual and turn != str(TURNS)]
        assert sorted(turns[:8]) == [0, 8, 16, 24, 32, 40, 48, 56]
        assert len(turns) == len({*turns}) == TURNS
        others = [rendered.index((str(TURNS), each)) for each in ("minimal", "compact")]
        assert rendered.index((str(turns[7]), usual)) < min(others)
        assert max(others) < rendered.index((str(turns[8]), usual))
        for look in [(33,), (7,), (0,), (None, "minimal"), (None, "compact"), (None, None, "off")]:
            assert text(shown, *look).startswith(f"Turn {TURNS if look[0] is None else look[0]}, ")
        assert author.rendered == rendered

    def test_looks_anew_beside_a_turn_that_somebody_wrote_to(self, tmp_path, preview, until):
        author = Author(tmp_path, turns=2)
        shown = preview(author.subject("Noted"))
        until(author.has_all)
        with HudStore.open(author.store) as store:
            store.session("s").record("note.add", content="Port 9090", turn=2)
        assert text(shown).startswith("Turn 3, ")
        until(lambda: {("3", "minimal"), ("3", "compact")} <= {*author.rendered})

    def test_is_left_for_what_somebody_waits_for_and_gone_on_with(self, tmp_path, preview, until):
        author = Author(tmp_path, turns=TURNS)
        shown = preview(author.subject("Slow"))
        dice = random.Random(1)
        for _ in range(12):
            turn = dice.randrange(TURNS)
            time.sleep(0.11 + dice.random() / 20)  # in which it begins, and is somewhere within
            assert text(shown, turn).startswith(f"Turn {turn}, ")
            with suppress(LeftError):
                assert shown.ask("change", PreviewLook(turn))["turn"] == (
                    turn - 1 if turn else None
                )
        until(author.has_all)
        for turn in range(TURNS):
            assert text(shown, turn).startswith(f"Turn {turn}, ")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="only where there is a timer")
class TestAStep:
    """One in the process that an author's code runs in: at the least density, which nobody has asked for."""

    @pytest.fixture
    def begun(self, tmp_path, preview, until):
        def show(name, seconds=0.0):
            author = Author(tmp_path, seconds=seconds)
            shown = preview(author.subject(name))
            until(lambda: ("0", "minimal") in author.rendered)
            return author, shown

        return show

    def test_without_an_end_is_given_up(self, begun):
        _, shown = begun("Endless")
        before = shown.revision
        assert text(shown, None, "full") == "Turn 0, full"
        assert (shown.revision, shown.fault) == (before, None), "by the same process"

    def test_that_takes_long_without_a_processor_is_given_up_for_somebody_who_waits(self, begun):
        author, shown = begun("Waiting", 60.0)
        assert text(shown, None, "full") == "Turn 0, full"
        assert ("over",) not in author.rendered

    def test_that_takes_long_without_a_processor_may_end_while_nobody_waits(self, begun, until):
        """Other work on the machine, and an author's pauses, hold nobody up."""
        author, _ = begun("Waiting", 1.6)
        until(lambda: ("over",) in author.rendered)

    def test_that_raises_is_told_to_who_asks_for_it(self, begun, tmp_path):
        for name, said in (("Raising", "an old turn"), ("Leaving", "with the status 3")):
            _, shown = begun(name)
            before = shown.revision
            assert text(shown, None, "full") == "Turn 0, full"
            assert (shown.revision, shown.fault) == (before, None)
            with pytest.raises(FaultError, match=said):
                text(shown, None, "minimal")
