"""The layout and the words that a person gives a session: kept in its log, and shown by whoever shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hud_components import (
    CODING,
    Domain,
    Hud,
    HudItem,
    ItemsSection,
    Line,
    NotesSection,
    State,
    TaskSection,
    check_texts,
)
from hud_components.words import TextError
from hud_runtime import At, HudStore
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.integrations import HostSession
from hud_runtime.session import RenderOptions
from hud_runtime.tools import status_line
from tests.hud_runtime.store.list_store import ListEventStore
from tests.ids import looped
from tests.warm import python
from ujsx import Component, DefinitionError, component, dump, h
from ujsx.elements import Paragraph, TrustedMarkdown
from ujsx.errors import PropError, UjsxError
from ujsx.tokens import estimate_tokens

LAYOUT = '<Hud title="Lage">\n<NotesSection/>\n</Hud>\n'
WORDS = {"notes.title": "Notizen", "notes.noun": "Notiz|Notizen", "delta.title": "Neues"}
SHOWN = "# Lage\n\n## Notizen\n\n- Port 8080\n"


class Risk(HudItem):
    """What may go wrong."""

    what: Line
    """What."""


class Risks(ItemsSection[Risk]):
    """What may go wrong."""

    name = "risks"
    lines = MappingProxyType({"full": "{what}"})


class Banner(Component):
    """A line of one's own."""

    text: str
    """What it says."""

    def render(self, ctx: Any, children: Any) -> Any:
        state = ctx.get(State)
        if self.text == "broken" and state is not None and state.notes:
            raise ZeroDivisionError
        return Paragraph()[self.text]


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    path = tmp_path / "hud.md"
    path.write_text(LAYOUT, "utf-8")
    return path


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "de.json"
    path.write_text(json.dumps(WORDS), "utf-8")
    return path


def noted(store: HudStore[Any], name: str = "s") -> Any:
    session = store.session(name)
    session.record("note.add", content="Port 8080")
    return session


def types(session: Any) -> list[str]:
    return [each.type for each in session.events()]


class TestComponentsOfOnesOwn:
    def test_stand_in_a_layout_that_is_a_file(self, tmp_path: Path, layout: Path) -> None:
        layout.write_text('<Hud>\n<Banner text="Ask first."/>\n<NotesSection/>\n</Hud>\n', "utf-8")
        path = tmp_path / "hud.db"
        with HudStore.open(path, layout=layout, components=[Banner]) as store:
            shown = noted(store).hud().text
            assert shown.startswith("# HUD\n\nAsk first.\n")
            assert (
                store.session("child", parent=store.session("s"))
                .hud()
                .text.startswith("# HUD\n\nAsk first.\n")
            )
        with HudStore.open(path, components=[Banner]) as store:
            assert store.session("s").hud().text == shown
        with HudStore.open(path) as store:
            assert "Ask first." not in store.session("s").hud().text

    def test_are_those_of_the_domain_as_well(self, layout: Path) -> None:
        layout.write_text('<Hud>\n<Banner text="Ask first."/>\n</Hud>\n', "utf-8")
        desk = Domain("desk", (NotesSection,), layout=layout, components=[Banner])
        for domain in (desk, desk | Domain("more", (TaskSection,))):
            with HudStore.open(":memory:", domain=domain, layout=layout) as store:
                assert store.session("s").hud().text == "# HUD\n\nAsk first.\n"

    def test_of_a_taken_name_are_refused(self) -> None:
        taken = type("NotesSection", (Banner,), {"__doc__": "Another."})
        with pytest.raises(UjsxError, match='two components are called "NotesSection"'):
            HudStore.open(":memory:", components=[taken])
        with pytest.raises(UjsxError, match='two components are called "NotesSection"'):
            HudStore.open(":memory:", domain=Domain("desk", (NotesSection,), components=[taken]))


@looped("by", ["person", "agent"])
def test_the_cost_is_that_of_the_layout_that_is_shown(by: str) -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = noted(store)
        usual = session.cost().turns[-1].tokens
        if by == "person":
            session.set_look(
                Hud(title="Lage")[Banner(text="Ask first. " * 30), NotesSection()], WORDS
            )
        else:
            session.record(
                "layout.set", text=f"<Hud>\n{'Ask first. ' * 30}\n\n<NotesSection/>\n</Hud>\n"
            )
        [last] = session.cost().turns
        assert last.tokens == session.hud().tokens > usual + 30
        assert last.appended == estimate_tokens(session.deliver().text)


class TestKept:
    def test_with_the_session_when_it_starts(
        self, tmp_path: Path, layout: Path, words: Path
    ) -> None:
        with HudStore.open(tmp_path / "hud.db", layout=layout, words=words) as store:
            session = noted(store)
            assert session.hud().text == SHOWN
            assert types(session) == ["session.start", "session.look", "note.add"]
            assert len(session.state().look.digest) == 64
        layout.unlink()
        words.unlink()
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.session("s").hud().text == SHOWN
            assert noted(store, "other").hud().text.startswith("# HUD")

    def test_as_text_whatever_it_was_given_as(self, tmp_path: Path, layout: Path) -> None:
        data = tmp_path / "hud.json"
        data.write_text(json.dumps(dump(Hud(title="Lage")[NotesSection()])), "utf-8")
        toml = tmp_path / "de.toml"
        toml.write_text('[notes]\ntitle = "Notizen"\nnoun = "Notiz|Notizen"\n', "utf-8")
        kept = set()
        for given in (layout, data, Hud(title="Lage")[NotesSection()]):
            with HudStore.open(":memory:", layout=given, words=toml) as store:
                session = noted(store)
                assert session.hud().text == SHOWN
                kept.add(session.state().look.layout.strip())
        assert len(kept) <= 2  # the file as it is, and the tree as it is written

    def test_as_nothing_by_default(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = noted(store)
            assert types(session) == ["session.start", "note.add"]
            assert "look" not in session.state().model_dump_json()

    def test_of_the_domain_beneath_the_stores(self, layout: Path) -> None:
        desk = Domain(
            "desk",
            (TaskSection, NotesSection),
            layout=Hud(title="Desk")[TaskSection()],
            words=WORDS,
        )
        with HudStore.open(":memory:", domain=desk) as store:
            assert noted(store).hud().text == "# Desk\n"
        with HudStore.open(
            ":memory:", domain=desk, layout=layout, words={"notes.title": "Merker"}
        ) as store:
            look = noted(store).state().look
            assert (look.layout, dict(look.words)) == (LAYOUT, WORDS | {"notes.title": "Merker"})

    def test_at_each_turn_in_exports_and_gone_with_a_purge(
        self, tmp_path: Path, layout: Path
    ) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            session = noted(store)
            session.record("note.add", content="Use JWT", turn=1)
            session.set_look(layout)
            session.record("note.add", content="Retry", turn=2)
            assert session.hud(turn=0).text.startswith("# HUD")
            assert session.hud(turn=2).text.startswith("# Lage")
            assert session.state(at=At.version(2)).look is None
            lines = [*export_session(session)]
            with HudStore.open(":memory:") as other:
                import_session(other, lines, session_id="copy")
                assert other.session("copy").hud().text.startswith("# Lage")
            store.keeping.purge("s")
        assert b"Lage" not in (tmp_path / "hud.db").read_bytes()

    def test_in_a_snapshot(self, tmp_path: Path, layout: Path, words: Path) -> None:
        with HudStore.open(tmp_path / "hud.db", layout=layout, words=words) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            for _ in range(300):
                session.record("context.snapshot", used=1)
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.session("s").hud(usage=None, density="full").text.startswith(SHOWN)

    def test_not_in_a_projects_defaults(self, layout: Path) -> None:
        with HudStore.open(":memory:", layout=layout) as store:
            assert types(store.project("shop")) == ["session.start"]


class TestGiven:
    def test_again_is_not_recorded_again(self, layout: Path) -> None:
        with HudStore.open(":memory:") as store:
            session = noted(store)
            for _ in range(3):
                session.set_look(layout, WORDS)
            assert types(session).count("session.look") == 1
            layout.write_text(LAYOUT.replace("Lage", "Stand"), "utf-8")
            session.set_look(layout, WORDS)
            assert session.hud().text.startswith("# Stand")

    def test_beneath_what_a_call_and_the_agent_say(self) -> None:
        with HudStore.open(":memory:", layout=Hud(title="Lage")[NotesSection()]) as store:
            session = noted(store)
            session.record("layout.set", layout='<Hud title="Agent">\n<NotesSection/>\n</Hud>')
            assert session.hud().text.startswith("# Agent")
            assert session.hud(agent_layout=False).text.startswith("# Lage")
            assert session.hud(layout=Hud(title="Call")).text.startswith("# Call")
            assert session.hud(words={"notes.title": "Merker"}).text.count("## Merker") == 1

    def test_by_two_processes_at_once_leaves_one_look(self, tmp_path: Path, layout: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            noted(store)
        code = (
            "import sys; from pathlib import Path; from hud_runtime import HudStore\n"
            "with HudStore.open(sys.argv[1]) as s: s.session('s').set_look(Path(sys.argv[2]))"
        )
        call = [*python(), "-c", code, str(path), str(layout)]
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
        running = [subprocess.Popen(call, env=env) for _ in range(2)]
        assert [each.wait() for each in running] == [0, 0]
        with HudStore.open(path) as store:
            session = store.session("s")
            assert session.hud().text.startswith("# Lage")
            assert (
                len({each.payload.digest for each in session.events(types=["session.look"])}) == 1
            )

    def test_with_a_beginning_that_is_cut_short_begins_with_both_or_not_at_all(
        self, layout: Path
    ) -> None:
        class Failing(ListEventStore):
            def append(self, session_id: str, expected_version: int, events: Any) -> None:
                if any(each.type == "session.look" for each in events):
                    raise KeyboardInterrupt
                super().append(session_id, expected_version, events)

        log = Failing()
        with pytest.raises(KeyboardInterrupt):
            HudStore(log, layout=layout).session("s")
        assert log.head("s").version == 0

    @looped("given", ["hud.md", "the HUD", CODING], ids=str)
    def test_as_what_it_is_not_is_refused(self, given: Any) -> None:
        for call in (
            lambda: HudStore.open(":memory:", layout=given),
            lambda: HudStore.open(":memory:").session("s").set_look(given),
        ):
            with pytest.raises(PropError, match="a layout is a tree"):
                call()

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ({"layout": "<Hud><TaskSektion/></Hud>"}, 'did you mean "TaskSection"'),
            ({"layout": Path("no.md")}, "no.md does not exist"),
            ({"words": {"notes.titel": "Merker"}}, 'did you mean "notes.title"'),
        ],
    )
    def test_that_cannot_be_used_is_refused(self, given: Any, told: str, layout: Path) -> None:
        with HudStore.open(":memory:", layout=layout) as store:
            session = noted(store)
            with pytest.raises(PropError, match=told):
                session.set_look(**given)
            assert types(session).count("session.look") == 1

    def test_as_words_that_are_none_are_refused(self) -> None:
        with pytest.raises(PropError, match="words are a mapping"):
            HudStore.open(":memory:", words="de.toml")  # type: ignore[arg-type]
        with pytest.raises(DefinitionError, match="words: they are texts by name"):
            Domain("desk", (NotesSection,), words="de.toml")  # type: ignore[arg-type]
        with pytest.raises(DefinitionError, match=r"not the text 'hud\.md'"):
            Domain("desk", (NotesSection,), layout="hud.md")

    def test_as_text_is_the_layout_of_a_session_a_store_or_a_domain(self) -> None:
        text = '<Hud title="Desk">\n<NotesSection/>\n</Hud>'
        desk = Domain("desk", (TaskSection, NotesSection), layout=text)
        for options in ({}, {"layout": text}, {"domain": desk}):
            with HudStore.open(":memory:", **options) as store:
                session = store.session("s")
                session.record("task.set", description="Ship it")
                session.record("note.add", content="Port 8080")
                if not options:
                    session.set_look(text)
                assert session.hud().text == "# Desk\n\n## Notes\n\n- Port 8080\n"

    def test_as_texts_is_refused_with_the_name(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            calls: list[Callable[..., Any]] = [
                *(session.hud, session.deliver, session.set_look, session.intervention),
                *(partial(HudStore, ":memory:"), partial(HudStore.open, ":memory:")),
                partial(Domain, "desk", (NotesSection,)),
                partial(HostSession, session),
                HostSession(session).before_request,
            ]
            for call in calls:
                with pytest.raises(UjsxError, match=r"fixed texts by name are words=\{…\}"):
                    call(texts={"notes.title": "Notizen"})


class TestUnusable:
    def test_layout_is_told_with_its_place_and_the_usual_one_stands_in(
        self, layout: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        layout.write_text("<Hud>\n  <NotsSection/>\n</Hud>\n", "utf-8")
        with HudStore.open(":memory:", layout=layout) as store:
            session = noted(store)
            assert session.hud().text.startswith("# HUD")
            assert f"{layout}:2:3: <NotsSection> is not a known component" in caplog.text
            told: list[str] = []
            session.set_look(Hud(title="Lage")[NotesSection()])
            session.set_look(layout, on_warning=told.append)
            assert session.hud().text.startswith("# Lage")  # what it has, stays
            assert len(told) == 1

    @looped(
        ("name", "data", "problem"),
        [
            ("hud.md", None, "does not exist"),
            ("hud.md", b"\xff", "is not UTF-8"),
            ("hud.json", b"{", "is not JSON"),
            ("hud.json", b'{"type": "Nope"}', "Nope"),
            ("hud.md", b'<When has="blokers">x</When>', ':1:11: "blokers"'),
        ],
    )
    def test_file_is_told_of(
        self, tmp_path: Path, name: str, data: bytes | None, problem: str
    ) -> None:
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        told: list[str] = []
        with HudStore.open(":memory:") as store:
            session = noted(store)
            session.set_look(path, on_warning=told.append)
            assert session.hud().text.startswith("# HUD")
            assert types(session) == ["session.start", "note.add"]
        assert len(told) == 1
        assert problem in told[0]
        assert str(path) in told[0]

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
    def test_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "hud.md")
        told: list[str] = []
        with HudStore.open(":memory:") as store:
            noted(store).set_look(tmp_path / "hud.md", tmp_path / "hud.md", on_warning=told.append)
        assert ["is not a file" in each for each in told] == [True, True]

    def test_words_are_told_of_and_the_others_are_used(self, tmp_path: Path) -> None:
        path = tmp_path / "de.json"
        path.write_text(json.dumps({**WORDS, "nots.title": "x", "more": "{n}", "hud.title": 3}))
        told: list[str] = []
        with HudStore.open(":memory:") as store:
            session = noted(store)
            session.set_look(words=path, on_warning=told.append)
            assert "## Notizen" in session.hud().text
        assert [str(path) in each for each in told] == [True] * 3
        assert 'did you mean "notes.title"?' in told[0]

    def test_words_that_fit_no_more_are_left_out(self) -> None:
        with HudStore.open(":memory:") as store:
            session = noted(store)
            session.record(
                "session.look", words={"more": "{gone}", "notes.title": "Notizen"}, digest="a"
            )
            assert "## Notizen" in session.hud().text
            assert session.call("hud", {"op": "notes.list"}).text.endswith("no task · 1 note")

    def test_component_that_raises_gives_way(self, caplog: pytest.LogCaptureFixture) -> None:
        with HudStore.open(":memory:", layout=Hud()[Banner(text="broken")]) as store:
            session = noted(store)
            assert session.hud().text.startswith("# HUD")
            assert session.deliver().text.startswith("# HUD")
            assert "Banner[0]: render raised" in caplog.text
            assert caplog.text.count("ZeroDivisionError") == 1

    def test_tree_that_no_text_stands_for_is_told_of(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        tree = Hud()[TrustedMarkdown(source="**x**")]
        with HudStore.open(":memory:", layout=tree) as store:
            assert noted(store).hud().text.startswith("# HUD")
        assert "a layout cannot hold it" in caplog.text

    def test_text_with_a_secret_has_a_mask_or_is_refused(self) -> None:
        secret = "ghp_" + "a1B2c3D4e5" * 3 + "abcdef"
        tree = Hud()[Paragraph()[f"Key: {secret}"]]
        with HudStore.open(":memory:", layout=tree) as store:
            session = noted(store)
            assert secret not in str([*session.events()])
            assert "[secret: " in session.hud().text
            session.set_look(tree)  # compared by the digest of what was given
            assert types(session).count("session.look") == 1
        with HudStore.open(":memory:", layout=tree, secrets="refuse") as store:
            session = noted(store)
            assert session.hud().text.startswith("# HUD")
            assert "session.look" not in types(session)


class TestOwnComponents:
    def test_stand_in_a_layout_of_the_domain_the_store_or_the_session(self, tmp_path: Path) -> None:
        tree = Hud(title="Lage")[Banner(text="Ruhe"), Risks()]
        domain = Domain("desk", (Risks, NotesSection), layout=tree)
        path = tmp_path / "hud.db"
        with HudStore.open(path, domain=domain) as store:
            assert store.session("s").hud().text == "# Lage\n\nRuhe\n"
        with HudStore.open(path, domain=domain) as store:
            assert store.session("s").hud().text == "# Lage\n\nRuhe\n"
        without = Domain("desk", (Risks, NotesSection))
        for given in ({"layout": tree}, {}):
            with HudStore.open(path, domain=without, **given) as store:
                session = store.session("s")
                if not given:
                    assert "Ruhe" not in session.hud().text
                    session.set_look(tree)
                assert session.hud().text == "# Lage\n\nRuhe\n"

    def test_of_a_function_stand_in_one(self) -> None:
        @component
        def Note(ctx: Any, children: Any, *, text: str) -> Any:
            return Paragraph()[text]

        with HudStore.open(":memory:", layout=h(Hud, None, Note(text="Ruhe"))) as store:
            assert store.session("s").hud().text == "# HUD\n\nRuhe\n"

    def test_that_are_not_at_hand_are_named(self, caplog: pytest.LogCaptureFixture) -> None:
        with HudStore.open(":memory:") as store:
            session = noted(store)
            session.record("session.look", layout="<Hud><Mine/></Hud>", digest="a")
            assert session.hud().text.startswith("# HUD")
        assert "<Mine> is not a known component" in caplog.text


class TestWords:
    def test_reach_changes_the_status_line_and_answers(self) -> None:
        words = {
            **WORDS,
            "delta.new": "neu",
            "status.no task": "keine Aufgabe",
            "notes.add.answer": "{id} ist notiert.",
        }
        with HudStore.open(":memory:", words=words) as store:
            session = noted(store)
            session.delivered(session.deliver())
            answer = session.call("hud", {"op": "notes.add", "content": "Use JWT"}).text
            assert answer == "n-4 ist notiert.\nkeine Aufgabe · 2 Notizen"
            assert session.deliver().text == "# Neues\n\n## Notizen\n\n- Use JWT\n"
            assert status_line(session.known) == "keine Aufgabe · 2 Notizen"

    def test_that_change_in_the_middle_are_told_with_all_of_the_hud(self) -> None:
        with HudStore.open(":memory:") as store:
            session = noted(store)
            session.delivered(session.deliver())
            session.set_look(words=WORDS)
            session.record("note.add", content="Use JWT")
            made = session.deliver()
            assert (made.why, "Port 8080" in made.text) == ("unsaid", True)
            session.delivered(made)
            session.record("note.add", content="Retry")
            assert [each.kind for each in session.deliver().parts] == ["delta"]

    def test_reach_what_the_agent_is_told_of_its_context(self) -> None:
        with HudStore.open(":memory:", words={"pressure.critical": "kritisch"}) as store:
            session = store.session("s")
            session.record("context.snapshot", used=199_000)
            assert "(kritisch)" in session.deliver(intervene=True).text

    def test_are_listed_that_are_missing(self) -> None:
        with pytest.raises(TextError) as caught:
            check_texts({"risks.title": "Risiken"}, sections=(Risks,), complete=True)
        missing = caught.value.message.removeprefix("not translated: ").split(", ")
        assert "risks.noun" in missing
        assert "risks.title" not in missing
        assert not {"notes.title", "risks.handle", "status.separator", "plurals"} & {*missing}


def test_who_shows_the_session_shows_the_same(layout: Path, words: Path) -> None:
    with HudStore.open(":memory:", layout=layout, words=words) as store:
        session = noted(store)
        texts = {
            session.hud().text,
            session.shown(RenderOptions()).rendered.text,
            session.deliver().text,
        }
        assert texts == {SHOWN}
