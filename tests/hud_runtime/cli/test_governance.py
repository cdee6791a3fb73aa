"""Secrets are found, texts erased and old sessions swept from the shell."""

from __future__ import annotations

import random
import string

import pytest

from hud_runtime import HudStore
from hud_runtime.session import StoreKeeping
from tests.hud_runtime.store.test_purge import bytes_of

KEY = "ghp_" + "".join(random.Random(2).choices(string.ascii_letters + string.digits, k=36))
PASSWORD = "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=14)) + "7x"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path, secrets="off") as store:
        session = store.session("s")
        session.record("note.add", content=f"push with {KEY}, says Ann Lee of Elm Street")
        session.record("decision.record", summary=f"DB_PASSWORD={PASSWORD}")
        store.session("child", parent="s")
    return path


class TestDoctor:
    def test_finds_secrets_and_never_says_them(self, ujsx, path):
        done = ujsx("doctor", "--secrets", path.parent, "--json")
        assert done.status == 1
        found = [each for each in done.data["findings"] if each["verdict"] == "secret"]
        assert [each["value"] for each in found] == [
            'session "s", version 2, note.add, content: github-token, begins with "ghp_"',
            'session "s", version 3, decision.record, summary: password',
            'session "child", version 1, session.start, inherited.decisions.0.summary: password',
        ]
        words = ujsx("doctor", "--secrets", path.parent).out
        assert "ujsx session erase s 2 --secrets" in words
        assert words.endswith("\nA store seems to contain a secret.\n")
        for said in (done.out, words):
            for secret in (KEY, PASSWORD):
                assert secret not in said
                assert secret[4:12] not in said

    def test_does_not_look_for_them_unless_asked(self, ujsx, path):
        done = ujsx("doctor", path.parent)
        assert done.status == 0
        assert "github-token" not in done.out

    def test_finds_those_beside_the_log(self, ujsx, path):
        with HudStore.open(path, secrets="off") as store:
            store.session("s").keep_output("o-1", "ok", tool=f"push {KEY}")
        said = ujsx("doctor", "--secrets", path.parent).out
        assert 'session "s", hud_output, tool: github-token' in said

    def test_tells_how_much_there_is(self, ujsx, path):
        done = ujsx("doctor", path.parent, "--json")
        held = [each["value"] for each in done.data["findings"] if each["name"] == "held by hud.db"]
        assert any(each.startswith("events: 4 rows, ") for each in held)


class TestErase:
    def test_masks_secrets_until_there_are_none(self, ujsx, path):
        for session, version in (("s", 2), ("s", 3), ("child", 1)):
            done = ujsx("session", "erase", session, version, "--secrets", "--yes", "--store", path)
            assert done.status == 0
            assert f'erased in event {version} of "{session}": ' in done.out
        assert ujsx("doctor", "--secrets", path.parent).status == 0
        left = bytes_of(path.parent)
        assert KEY.encode() not in left
        assert PASSWORD.encode() not in left
        assert b"Elm Street" in left

    def test_erases_all_texts_and_says_where_else_they_are(self, ujsx, path):
        done = ujsx("session", "erase", "s", 3, "--yes", "--store", path)
        assert done.out.splitlines() == [
            'erased in event 3 of "s": summary',
            'the same text is in event 1 of "child"',
        ]
        again = ujsx("session", "erase", "s", 3, "--yes", "--store", path, "--json")
        assert again.data == {"session_id": "s", "version": 3, "fields": [], "elsewhere": []}

    def test_asks_and_refuses(self, ujsx, path):
        done = ujsx("session", "erase", "s", 2, "--store", path)
        assert (done.status, "confirm it with --yes" in done.err) == (2, True)
        for arguments, said in (
            (("s", 99), 'there is no event 99 in session "s"'),
            (("s", 2, "--field", "contnet"), 'did you mean "content"?'),
            (("nobody", 2), 'has no session "nobody"'),
        ):
            done = ujsx("session", "erase", *arguments, "--yes", "--store", path)
            assert done.status == 2
            assert said in done.err
        with HudStore.open(path) as store:
            assert store.keeping._sqlite("ask").erasures() == []


class TestExpire:
    @pytest.mark.parametrize("more", [["--newest", "3"], ["--days", "3"], ["--log"]])
    def test_takes_no_option_of_another_sweep(self, ujsx, path, more):
        done = ujsx(
            "store", "sweep", "--sessions", "--older-than", "1h", "--yes", *more, "--store", path
        )
        assert (done.status, "not allowed with argument --sessions" in done.err) == (2, True)
        with HudStore.open(path) as store:
            assert store.sessions()

    def test_deletes_what_nobody_has_used(self, ujsx, path, monkeypatch):
        done = ujsx("store", "expire", "--older-than", "90d", "--yes", "--store", path)
        assert done.out == "every session was used since\n"
        late = StoreKeeping.unused_for
        monkeypatch.setattr(
            StoreKeeping, "unused_for", lambda self, age: late(self, age, now=2**45)
        )
        done = ujsx(
            "store", "expire", "--older-than", "12w", "--dry-run", "--store", path, "--json"
        )
        assert done.data["dry_run"] is True
        assert {each["session"] for each in done.data["sessions"]} == {"s", "child"}
        done = ujsx("store", "expire", "--older-than", "12w", "--store", path)
        assert (done.status, "deletes 2 sessions for good" in done.err) == (2, True)
        done = ujsx("store", "expire", "--older-than", "12w", "--yes", "--store", path)
        assert 'purged "s": 3 events' in done.out
        with HudStore.open(path) as store:
            assert store.sessions() == ()
        assert KEY.encode() not in bytes_of(path.parent)

    @pytest.mark.parametrize("age", ["90", "d", "0d", "-1d", "90 days", "1y", "9999999d"])
    def test_an_age_that_is_none(self, ujsx, path, age):
        done = ujsx("store", "expire", f"--older-than={age}", "--yes", "--store", path)
        assert done.status == 2
        assert "is not an age; write 90d, 12w or 36h" in done.err
