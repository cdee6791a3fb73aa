"""``ujsx record``: an event from the shell."""

from __future__ import annotations

import json
from typing import get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_runtime import PAYLOADS, HudStore
from ujsx.text import visible


@pytest.fixture
def record(ujsx, store):
    """Record in the session of the store."""
    return lambda *arguments: ujsx("record", "shop", *arguments, "--store", store)


@pytest.fixture
def state(store):
    """The session's state, as another program sees it."""

    def look(session="shop"):
        with HudStore.open(store) as opened:
            return opened.session(session).state()

    return look


class TestRecord:
    def test_takes_a_text_for_the_first_field_that_is_one(self, record, state):
        assert record("note.add", "Port 8080: open").status == 0
        assert state().notes[-1].content == "Port 8080: open"

    def test_takes_fields_as_options_and_shows_the_event(self, record, state):
        done = record("decision.record", "--summary", "Use JWT", "--details", "no sessions")
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith("    5  ")
        assert done.out.endswith(
            "  turn 3  user   decision.record  d-5 recorded: Use JWT — no sessions\n"
        )
        [decision] = state().decisions
        assert (decision.summary, decision.details) == ("Use JWT", "no sessions")

    def test_takes_fields_as_pairs_but_no_value_of_an_option(self, record, state):
        assert (
            record("decision.record", "summary=Use JWT", "details=a = b", "--turn", "3").status == 0
        )
        assert (state().decisions[-1].summary, state().decisions[-1].details) == (
            "Use JWT",
            "a = b",
        )
        assert record("note.add", "--json", "--content", "content=x").status == 0
        assert record("note.add", "port=8080").status == 0
        assert [each.content for each in state().notes[-2:]] == ["content=x", "port=8080"]

    def test_takes_fields_as_json(self, record, state):
        assert record("note.add", '{"content": "Port\\n9090"}').status == 0
        assert state().notes[-1].content == "Port\n9090"

    def test_takes_json_from_standard_input(self, record, state, piped):
        piped('{"content": "Port 9090"}')
        assert record("note.add", "-").status == 0
        assert state().notes[-1].content == "Port 9090"

    def test_takes_texts_for_what_they_are_in_the_field(self, record, state):
        for text in ("8080", "true", "[1]", "null", "-x", "$(id)", "a\x1b[2J"):
            assert record("note.add", f"--content={text}").status == 0
            assert state().notes[-1].content == text

    def test_takes_texts_for_numbers_lists_and_truth_values_where_the_field_is_one(
        self, record, state
    ):
        record("context.snapshot", "--used", "1200")
        record("step.add", "--description", "A", "--completed", "true")
        record("step.add", "--description", "B")
        record("step.reorder", "--ids", "B", "--ids", "A")
        assert state().usage.used == 1_200
        assert [(step.description, step.completed) for step in state().next_steps] == [
            ("B", False),
            ("A", True),
        ]

    def test_names_an_item_as_the_tools_do(self, record, state):
        assert record("note.remove", "--id", "Port 8080").status == 0
        assert state().notes == ()

    def test_says_who_and_in_which_turn(self, record):
        done = record("note.add", "--content", "x", "--actor", "agent", "--turn", 7, "--json")
        event = json.loads(done.out)
        assert (event["actor"], event["turn"], event["type"]) == ("agent", 7, "note.add")

    def test_remarks_on_what_changes_nothing(self, record):
        done = record("task.set", "--description", "Add a login")
        assert (done.status, done.err) == (0, "nothing changed\n")

    def test_names_the_item_that_is_over_already(self, record, state):
        record("step.add", "--description", "A")
        record("step.complete", "A")
        [step] = state().next_steps
        done = record("step.complete", step.id)
        assert (done.status, done.err) == (0, f"nothing changed: {step.id} is completed already\n")

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=st.text(min_size=1).filter(lambda text: text.strip() and text != "-"))
    def test_of_any_text_is_never_a_traceback_and_never_steers(self, ujsx, store, text):
        done = ujsx("record", "shop", "note.add", f"--content={text}", "--store", store)
        assert done.status in (0, 2)
        assert visible(done.out + done.err) == done.out + done.err


class TestStart:
    def test_begins_a_session_and_its_store(self, ujsx, tmp_path):
        path = tmp_path / "new" / "hud.db"
        done = ujsx("record", "api", "session.start", "--project", "/srv/api", "--store", path)
        assert done.status == 0
        with HudStore.open(path) as opened:
            assert opened.sessions() == ("api",)
            assert opened.session("api").state().session.project == "/srv/api"

    def test_gives_it_a_title_and_what_its_parent_knows(self, ujsx, store, state):
        given = ("--parent", "shop", "--title", "Sign-in")
        assert ujsx("record", "child", "session.start", *given, "--store", store).status == 0
        assert state("child").session.title == "Sign-in"
        assert state("child").task.description == "Add a login"

    def test_begins_the_defaults_of_a_project(self, ujsx, store):
        name = "project:/srv/api"
        assert ujsx("record", name, "session.start", "--store", store).status == 0
        assert ujsx("record", name, "note.add", "--content", "make", "--store", store).status == 0
        with HudStore.open(store) as opened:
            assert opened.session("x", project="/srv/api").state().notes[0].content == "make"

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ((), 'session "shop" has begun already'),
            (("--actor", "user"), "--actor is not for session.start"),
            (('{"inherited": {}}',), '"inherited" is not a field that a beginning of shop takes'),
        ],
    )
    def test_is_refused_with_a_reason(self, record, given, why):
        assert why in record("session.start", *given).refusal

    def test_of_a_projects_defaults_takes_neither_project_nor_parent(self, ujsx, store):
        given = ("record", "project:x", "session.start", "--project", "y", "--store", store)
        assert (
            '"project" is not a field that a beginning of project:x takes' in ujsx(*given).refusal
        )

    def test_that_is_refused_makes_no_store(self, ujsx, tmp_path):
        path = tmp_path / "new.db"
        assert ujsx("record", "x", "session.start", "--turn", 1, "--store", path).refusal
        assert ujsx("record", "x", "session.start", "--title", " ", "--store", path).refusal
        assert not path.exists()

    def test_of_a_child_of_nobody_is_refused(self, ujsx, store):
        done = ujsx("record", "child", "session.start", "--parent", "shpo", "--store", store)
        assert 'there is no session "shpo" to be the parent' in done.refusal


class TestRefusal:
    @pytest.mark.parametrize(
        ("given", "why"),
        [
            (("note.ad", "--content", "x"), 'unknown event type "note.ad"; did you mean "note.add", or note.update?'),
            (("note.add", "--contnt", "x"), 'there is no --contnt; did you mean "--content"?'),
            (("note.add", "--summary", "x"), 'note.add: unknown field "summary"; known: content, id'),
            (("note.add",), 'note.add: the field "content" is missing'),
            (("note.add", "--content", " "), 'note.add: the field "content" is \' \''),
            (("note.add", '{"contnt": "x"}'), 'unknown field "contnt"; did you mean "content"?'),
            (("note.add", "{"), "JSON: it is not JSON: "),
            (("section.clear", "notes"), "it is not a JSON object; fields are options: --section notes"),
            (("step.add", "--description", "a", "--description", "b"), "record an event for each of ['a', 'b']"),
            (("steps.set", "a"), 'did you mean "section.replace" with next_steps=[…]?'),
            (("task.clear", "now"), "it is not a JSON object; task.clear has no fields"),
            (("note.add", "[]"), "JSON: the fields are a JSON object"),
            (("note.add", "{}", "--content", "x"), "give either JSON or --content, not both"),
            (("note.add", "text=x"), "note.add has no field text; write content=x"),
            (("note.remove", "--id", "n-33"), 'there is no "n-33" in notes; known: n-3 "Port 8080"'),
            (("context.snapshot", "--used", "many"), 'the field "used" is \'many\''),
            (("note.add", "--content", "x", "--actor", "usr"), '"usr" is not an actor; did you mean "user"?'),
            (("note.add", "--content", "x", "--turn", "-1"), 'the field "turn" is -1'),
        ],
    )  # fmt: skip
    def test_says_what_is_wrong_and_what_is_near(self, record, state, given, why):
        before = state()
        assert why in record(*given).refusal
        assert state() == before

    @pytest.mark.parametrize(
        "given",
        [
            ("task.set", "--description", "x", "--session", "shop"),
            ("task.set", "--description", "x", "--session=shop"),
            ("--session", "shop", "task.set", "--description", "x"),
        ],
    )
    def test_of_a_session_as_an_option_says_where_it_comes(self, ujsx, store, given):
        assert ujsx("record", *given, "--store", store).refusal == (
            "ujsx record: there is no --session; give it by position: ujsx record SESSION TYPE"
        )

    def test_of_a_text_that_looks_like_an_option_is_none(self, record, state):
        assert record("note.add", "--content=--session").status == 0
        assert state().notes[-1].content == "--session"

    def test_of_an_unknown_session_names_the_nearest_and_begins_none(self, ujsx, store):
        done = ujsx("record", "shpo", "note.add", "--content", "x", "--store", store)
        assert done.refusal == (
            f'ujsx record: {store} has no session "shpo"; did you mean "shop"?'
            " (to begin one, record session.start)"
        )
        assert len(ujsx("session", "list", "--store", store, "--json").data) == 1

    def test_of_a_store_that_is_not_there_makes_none(self, ujsx, tmp_path):
        path = tmp_path / "none.db"
        done = ujsx("record", "shop", "note.add", "--content", "x", "--store", path)
        begins = f"ujsx record shop session.start --store {path}"
        assert f"there is no store {path} yet; `{begins}` makes it" in done.refusal
        given = ("--store", path, "--domain", "hud_components:CODING")
        elsewhere = ujsx("record", "shop", "note.add", "x", *given)
        assert f"`{begins} --domain hud_components:CODING` makes it" in elsewhere.refusal
        assert not path.exists()
        assert ujsx(*begins.split()[1:]).status == 0
        assert ujsx("record", "shop", "note.add", "x", "--store", path).status == 0
        near = ujsx("record", "shop", "note.add", "x", "--store", tmp_path / "nne.db")
        assert f'did you mean "{path}"?' in near.refusal

    def test_of_a_type_in_the_place_of_the_session_says_the_order(self, ujsx, store):
        done = ujsx("record", "note.add", "Port 8080", "--store", store)
        assert done.refusal == (
            "ujsx record: the session comes first: ujsx record SESSION note.add …"
        )

    def test_of_a_purged_session_says_so(self, ujsx, record, store):
        ujsx("session", "purge", "shop", "--yes", "--store", store)
        assert "was purged" in record("note.add", "--content", "x").refusal


def flag_of(field: str, annotation: object) -> str:
    """A field as the help has it; one of several texts is given several times."""
    flag = f"--{field.replace('_', '-')}"
    return f"{flag} A {flag} B" if get_origin(annotation) is tuple else flag


def test_the_help_has_every_type_with_its_fields(ujsx):
    text = " ".join(ujsx("record", "--help").out.split())
    for name, model in PAYLOADS.items():
        if name not in ("session.start", "step.reorder"):
            fields = model.model_fields.items()
            flags = (flag_of(field, each.annotation) for field, each in fields)
            assert f"{name} {', '.join(flags)}".strip() in text
    assert "step.reorder --ids A --ids B" in text


def test_the_help_leaves_out_what_only_a_store_knows(ujsx):
    text = " ".join(ujsx("record", "--help").out.split())
    assert "session.start --project, --parent, --title session.title" in text


class TestData:
    """What a caller gives is data, whatever it looks like."""

    @pytest.mark.parametrize(
        ("payload", "why"),
        [
            ('{"content": "x", "turn": 9}', 'unknown field "turn"'),
            ('{"content": "x", "self": 9}', 'unknown field "self"'),
            ('{"content": "x", "event_type": 9}', 'unknown field "event_type"'),
            ('{"content": "\\ud800"}', "content"),
            ("[" * 100_000, "it is not JSON"),
            ('{"content": NaN}', 'the field "content" is nan'),
        ],
        ids=range(6),
    )
    def test_of_json_that_does_not_fit_is_refused(self, record, payload, why):
        assert why in record("note.add", payload).refusal

    @pytest.mark.parametrize("name", ["\udcff", "a\x00b", "x" * 9_999, "project:", " ", ""])
    def test_of_a_name_that_cannot_be_begins_nothing(self, ujsx, store, name):
        done = ujsx("record", name, "note.add", "--content", "x", "--store", store)
        assert done.status == 2
        assert done.err.count("\n") == 1

    @pytest.mark.parametrize("name", ["\udcff", "project:", " ", ""])
    def test_of_a_name_that_cannot_be_is_refused_for_a_beginning(self, ujsx, store, name):
        assert ujsx("record", name, "session.start", "--store", store).refusal

    def test_of_a_text_that_is_no_utf_8_is_refused(self, record):
        assert "content" in record("note.add", "--content", "\udcff").refusal

    def test_of_a_title_that_cannot_be_begins_nothing(self, ujsx, store):
        done = ujsx("record", "api", "session.start", '{"title": [5]}', "--store", store)
        assert 'the field "title" is of one item' in done.refusal
        assert "has no session" in ujsx("session", "show", "api", "--store", store).refusal
