"""The work for long texts, counted in this process: all of the room's tests that look inside are in this module."""

from __future__ import annotations

from weakref import ref

from hud_runtime import HudStore
from hud_runtime.preview._reading import States, by_node, changed_parts
from tests.work import lines_run
from ujsx import Renderer
from ujsx.elements import Item, List


def test_twice_the_text_is_twice_the_work():
    def work(size):
        return lines_run(lambda: by_node("- *a* [b](c)\n\n<i>\n\n" * size, range(0, size * 20, 20)))

    work(1)  # what is imported by the first
    assert work(80) < 2.3 * work(40)


def test_twice_the_lines_are_twice_the_work():
    def many(size):
        return tuple(
            Renderer().render(List()[(Item()[f"{word} {number % 7}"] for number in range(size))])
            for word in "ab"
        )

    def work(size):
        pair = many(size)
        return lines_run(lambda: changed_parts(*pair))

    assert work(400) < 2.3 * work(200)


def test_the_states_that_are_kept_are_few(tmp_path):
    with HudStore.open(tmp_path / "hud.db") as store:
        session = store.session("s")
        for number in range(60):
            session.record("note.add", content=f"Port {number}")
        found = States(session)
        kept = [ref(found.at(version)) for version in range(60)]
        assert sum(each() is not None for each in kept) <= 17
