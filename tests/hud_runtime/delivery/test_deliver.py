"""Deliveries: what is made, when all is sent again, and what is known once it was sent."""

from __future__ import annotations

import asyncio
import pickle
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import Delivery, DeliveryError, HudSession, HudStore, Reanchor
from hud_runtime.history.exchange import export_log, import_log
from tests.docs.domains.cases import SUPPORT
from tests.ids import looped
from tests.warm import python
from ujsx.tokens import estimate_tokens


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        session.record("task.set", description="Add a login")
        session.record("note.add", content="Port 8080")
        yield session


def sent(session: HudSession, **asked: object) -> Delivery:
    made = session.deliver(**asked)  # type: ignore[arg-type]
    session.delivered(made.id)
    return made


class TestAppending:
    """What goes into the history, and stays there."""

    def test_of_what_says_nothing_nothing_is_kept(self, session: HudSession) -> None:
        told = sent(session)
        quiet = session.deliver()
        assert (quiet.id, quiet.parts, quiet.why, quiet.version) == ("", (), None, told.version)
        assert [row.id for row in session.log.deliveries("s", "main")] == [told.id]
        assert session.delivered(quiet.id) == "known"

    def test_a_retry_of_what_said_nothing_says_nothing(self, session: HudSession) -> None:
        with pytest.raises(DeliveryError, match="there is no delivery"):
            session.deliver(retry_of="")
        sent(session, texts=["hello"], host_keeps_messages=False)
        quiet = session.deliver(texts=["hello", "so"], host_keeps_messages=False)
        session.record("note.add", content="Use JWT")
        again = session.deliver(texts=["hello", "so"], host_keeps_messages=False, retry_of=quiet.id)
        assert (again, bool(again.replay), again.parts) == (quiet, True, ())

    def test_what_says_nothing_takes_no_news_back_that_is_on_its_way(
        self, session: HudSession
    ) -> None:
        sent(session)
        session.record("note.add", content="Use JWT")
        news = session.deliver()
        session.record("note.remove", id="n-4")
        quiet = session.deliver()
        assert (bool(news.parts), quiet.parts) == (True, ())
        assert session.delivered(news.id) == "sent"
        assert "- *gone:* Use JWT" in session.deliver().text

    def test_o2_all_comes_first_then_what_changed_then_nothing(self, session: HudSession) -> None:
        first = sent(session)
        assert (first.why, first.text) == ("start", session.hud().text)
        session.record("note.add", content="Use JWT")
        second = sent(session)
        assert [(each.kind, each.since) for each in second.parts] == [("delta", first.version)]
        assert "- Use JWT" in second.text
        assert sent(session).parts == ()

    def test_what_was_made_and_never_sent_changes_nothing(self, session: HudSession) -> None:
        sent(session)
        session.record("note.add", content="Use JWT")
        made = session.deliver()
        session.record("note.add", content="Use TLS")
        again = session.deliver()
        assert made.text in again.text.replace("\n- Use TLS", "")

    def test_a_retry_says_the_same(self, session: HudSession) -> None:
        made = session.deliver()
        session.record("note.add", content="Use JWT")
        assert session.deliver(retry_of=made.id) == made
        session.delivered(made.id)
        session.delivered(made.id)
        assert session.deliver(retry_of=made.id) == made

    def test_a_delivery_is_confirmed_by_itself_or_its_id(self, session: HudSession) -> None:
        session.record("note.add", content="Use JWT")
        made = session.deliver()
        assert session.delivered(made) == "sent"
        assert session.delivered(made.id) == "known"
        assert session.delivered(session.deliver()) == "known"

    def test_a_compaction_a_fresh_history_and_a_cut_one_get_all(self, session: HudSession) -> None:
        first = sent(session)
        assert session.deliver(fresh=True).why == "fresh"
        assert session.deliver(texts=["hello"]).why == "cut"
        assert session.deliver(texts=["hello", f"> {first.text}"]).why is None
        session.record("compact.after", summary="so far")
        assert sent(session).why == "compaction"
        assert session.deliver().parts == ()

    @looped("shows", [True, False])
    def test_a_hud_that_became_empty_is_told_while_the_old_one_may_be_read(
        self, *, shows: bool
    ) -> None:
        with HudStore.open(":memory:", domain=SUPPORT.domain, clock=lambda: 0) as store:
            session: Any = store.session("s")
            noted = session.record("note.add", content="Port 8080")
            first = sent(session)
            session.record("note.remove", id=noted.payload.id)
            session.record("compact.after")
            texts = ["hello", first.text] if shows else None
            assert [each.kind for each in sent(session, texts=texts).parts] == ["whole"]
            session.record("compact.after")
            assert sent(session, texts=["so far"]).parts == ()

    def test_a_reading_that_is_only_a_share_is_kept_with_what_was_told(
        self, session: HudSession
    ) -> None:
        session.record("context.snapshot", percentage=20)
        assert [sent(session).why for _ in range(2)] == ["start", None]

    def test_the_beginning_may_be_cut_and_the_newest_words_still_there(
        self, session: HudSession
    ) -> None:
        sent(session)
        session.record("note.add", content="Use JWT")
        newest = sent(session)
        assert session.deliver(texts=["so far", newest.text]).why == "cut"

    def test_o2_all_is_not_sent_again_because_changes_cost_much(self, session: HudSession) -> None:
        for number in range(8):
            session.record("note.add", content=f"Port {number} is taken by another service")
        first = sent(session)
        whys: list[str | None] = []
        tokens = 0
        for number in range(40):
            session.record("task.set", description=f"Add a login with {number} factors")
            delivery = sent(session)
            whys.append(delivery.why)
            tokens += estimate_tokens(delivery.text)
        assert set(whys) == {None}
        assert tokens > 2 * estimate_tokens(first.text)

    def test_all_is_sent_where_one_change_would_take_more(self, session: HudSession) -> None:
        for number in range(60):
            session.record("note.add", content=f"Port {number} is taken by another service")
        sent(session, budget=10**6)
        for note in session.known.notes:
            session.record("note.remove", id=note.id)
        assert sent(session, budget=10**6).why == "grown"

    def test_what_stands_in_the_texts_was_sent(self, session: HudSession) -> None:
        first = session.deliver(texts=[])
        session.record("note.add", content="Use JWT")
        second = session.deliver(texts=[first.text])
        assert second.why is None
        assert session.deliver(texts=[first.text, second.text]).parts == ()

    def test_a_reading_is_news_when_its_level_is_another(self, session: HudSession) -> None:
        session.record("context.snapshot", used=10_000)
        sent(session)
        for used in (20_000, 60_000, 130_000):
            session.record("context.snapshot", used=used)
            assert sent(session).parts == ()
        session.record("context.snapshot", used=150_000)
        assert "🟡" in sent(session).text

    @pytest.mark.parametrize(
        ("texts", "refusal"), [("one text", r"write \[text\]"), ([b"x"], r"texts\[0\] is not text")]
    )
    def test_texts_are_messages(self, session: HudSession, texts: Any, refusal: str) -> None:
        with pytest.raises(DeliveryError, match=refusal):
            session.deliver(texts=texts)

    def test_readers_know_what_they_were_told(self, session: HudSession) -> None:
        sent(session)
        session.record("note.add", content="Use JWT")
        assert sent(session, reader="child").why == "start"
        assert sent(session).why is None

    def test_two_that_were_sent_unaware_of_each_other_are_followed_by_all(
        self, session: HudSession
    ) -> None:
        sent(session)
        session.record("note.add", content="Use JWT")
        one = session.deliver()
        session.record("note.add", content="Use TLS")
        other = session.deliver()
        session.delivered(one.id)
        session.delivered(other.id)
        assert session.deliver().why == "unclear"


class TestReanchoring:
    """What matters most is said again."""

    def test_after_so_many_tokens(self, session: HudSession) -> None:
        session.record("context.snapshot", used=10_000)
        sent(session)
        session.record("context.snapshot", used=39_000)
        assert sent(session, reanchor=30_000).parts == ()
        session.record("context.snapshot", used=41_000)
        brief = sent(session, reanchor=30_000)
        assert [each.kind for each in brief.parts] == ["brief"]
        assert "Add a login" in brief.text
        assert sent(session, reanchor=30_000).parts == ()

    def test_after_repeated_errors(self, session: HudSession) -> None:
        sent(session)
        session.record("error.encountered", message="a test failed")
        often = Reanchor(errors=2)
        assert [each.kind for each in sent(session, reanchor=often).parts] == ["delta"]
        session.record("error.encountered", message="another failed")
        assert [each.kind for each in sent(session, reanchor=often).parts] == ["delta", "brief"]


class TestAnchors:
    """Hosts that store none of our words are told where each stands."""

    def test_everything_stays_where_it_was_said(self, session: HudSession) -> None:
        first = sent(session, host_keeps_messages=False, texts=["hello"])
        assert [each.behind for each in first.parts] == [1]
        session.record("note.add", content="Use JWT")
        second = sent(session, host_keeps_messages=False, texts=["hello", "hi", "go on"])
        assert second.replay == first.parts
        assert [each.behind for each in second.parts] == [3]
        third = sent(session, host_keeps_messages=False, texts=["hello", "hi", "go on", "done"])
        assert (third.replay, third.parts) == ((*first.parts, *second.parts), ())

    def test_other_messages_before_it_are_another_history(self, session: HudSession) -> None:
        sent(session, host_keeps_messages=False, texts=["hello", "hi"])
        assert session.deliver(host_keeps_messages=False, texts=["hi"]).why == "cut"
        made = session.deliver(host_keeps_messages=False, texts=["what was said so far", "hi"])
        assert (made.why, made.replay) == ("cut", ())

    def test_texts_are_needed(self, session: HudSession) -> None:
        with pytest.raises(DeliveryError, match="pass texts="):
            session.deliver(host_keeps_messages=False)


class TestOtherModes:
    """A HUD behind the history, and one that is split."""

    def test_o1_a_tail_is_to_be_confirmed_and_leaves_no_trace(self, session: HudSession) -> None:
        session.record("context.snapshot", used=41_000)
        with pytest.raises(DeliveryError, match=r"bill all 41,000 tokens of history anew"):
            session.deliver(mode="tail")
        (part,) = sent(session, mode="tail", has_cache_breakpoint=True).parts
        assert (part.place, part.breakpoint, part.text) == ("tail", "before", session.hud().text)
        assert session.deliver().why == "start"

    def test_the_static_part_goes_to_the_system_prompt(self, session: HudSession) -> None:
        system, tail = sent(session, mode="system").parts
        assert (system.place, system.layer, system.breakpoint) == ("system", "static", "behind")
        assert "Add a login" in system.text
        assert "Port 8080" not in system.text
        assert (tail.place, tail.breakpoint) == ("tail", "before")
        session.record("note.add", content="Use JWT")
        assert session.deliver(mode="system").parts[0] == system

    def test_a_mode_that_is_none_is_refused(self, session: HudSession) -> None:
        with pytest.raises(DeliveryError, match='did you mean "append"'):
            session.deliver(mode="apend")  # type: ignore[arg-type]


class TestKeeping:
    """What readers know stands beside the log."""

    def test_a_delivery_is_data(self, session: HudSession) -> None:
        made = session.deliver()
        assert pickle.loads(pickle.dumps(made)) == made
        with pytest.raises(AttributeError):
            made.id = "other"  # type: ignore[misc]

    def test_what_is_not_kept_is_refused(self, session: HudSession) -> None:
        with pytest.raises(DeliveryError, match="pass the id that"):
            session.delivered("nothing")
        with pytest.raises(DeliveryError, match="leave retry_of out"):
            session.deliver(retry_of="nothing")
        made = session.deliver()
        for _ in range(20):
            session.deliver()
        with pytest.raises(DeliveryError, match="any more"):
            session.deliver(retry_of=made.id)

    def test_another_process_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            made = session.deliver()
            code = (
                "from hud_runtime import HudStore\n"
                f"with HudStore.open({str(path)!r}) as store:\n"
                "    session = store.session('s')\n"
                f"    session.delivered({made.id!r})\n"
                "    session.record('note.add', content='Use JWT')\n"
                "    print(session.deliver().text)\n"
            )
            run = [*python(), "-c", code]
            told = subprocess.run(run, capture_output=True, text=True, check=True)
            assert "- Use JWT" in told.stdout
            assert session.deliver().text.strip() == told.stdout.strip()

    def test_an_error_before_the_end_moves_nothing(self, session: HudSession) -> None:
        sent(session)
        session.record("note.add", content="Use JWT")

        def sent_in_vain() -> None:
            with session.exclusive():
                sent(session)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            sent_in_vain()
        assert "Use JWT" in session.deliver().text

    def test_a_restored_store_tells_everything_again(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            sent(session)
            store.keeping.backup(tmp_path / "backup")
            session.record("note.add", content="Use JWT")
            sent(session)
        with HudStore.open(tmp_path / "backup" / "hud.db") as copy:
            assert copy.session("s").deliver().why is None
        HudStore.restore(tmp_path / "backup", tmp_path / "hud.db", force=True)
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.session("s").deliver().why == "start"

    def test_a_purge_takes_it_along_and_an_export_leaves_it(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record("note.add", content="a secret")
            sent(session)
            lines = list(export_log(store, "s"))
            import_log(store, lines, session_id="copy")
            assert store.session("copy").deliver().why == "start"
            store.keeping.purge("s")
            store.keeping.purge("copy")
        data = b"".join(each.read_bytes() for each in tmp_path.iterdir() if each.is_file())
        assert b"a secret" not in data

    def test_what_a_bad_disk_has_changed_is_named_and_told_again(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            sent(session)
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE hud_delivery SET body = replace(body, '8080', '9090')")
            db.commit()
        with HudStore.open(path) as store:
            (damage,) = store.keeping.verify()
            assert damage.is_derived
            assert 'a delivery to the reader "main"' in damage.what
            assert store.session("s").deliver().why == "start"
        assert HudStore.repair(path).made_anew == ("deliveries",)

    def test_tasks_of_one_loop_take_turns(self, session: HudSession) -> None:
        async def ask(reader: str) -> Delivery:
            await asyncio.sleep(0)
            made = session.deliver(reader=reader)
            await asyncio.sleep(0)
            session.delivered(made.id)
            return made

        async def all_of_them() -> list[Delivery]:
            return await asyncio.gather(*(ask(f"reader {n}") for n in range(5)))

        made = asyncio.run(all_of_them())
        assert {each.why for each in made} == {"start"}
        assert len({each.id for each in made}) == 5
