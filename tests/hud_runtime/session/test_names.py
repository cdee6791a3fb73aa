"""Nothing that a caller names becomes a path, SQL, or the name of something else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import EventError, HudStore

HOSTILE = (
    "../../etc/passwd", "a/b", "C:\\x", "a\0b", "'; DROP TABLE hud_event; --", '"', "%", "_", "*",
    "s", "S", "s ", "project:s", "parent:d-1", "日本", "\u202e", "é", "e\u0301", "\ud800", "x" * 5_000,
)  # fmt: skip
"""What has broken other programs."""

names = st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=20)


def used(folder: Path) -> set[str]:
    """Return the names of all files in a folder; those in the archive without their random part."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {name.split("/")[0] for name in found}


class TestNames:
    @given(ids=st.lists(names, min_size=1, max_size=4), text=names)
    def test_are_names_and_nothing_else(self, ids: list[str], text: str) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "hud.db"
            with HudStore.open(path) as store:
                taken: list[str] = []
                for name in ids:
                    try:
                        session = store.session(name, project=name)
                        session.record("note.add", content=text)
                        session.record("compact.after", summary=text)
                    except EventError:
                        continue
                    if name not in taken:
                        taken.append(name)
                assert store.sessions() == tuple(taken)
                for name in taken:
                    before = list(store.session(name).events())
                    assert {event.session_id for event in before} == {name}
                    assert store.keeping.archive(name) > 0
                    assert list(store.session(name).events()) == before
                    assert {hit.session_id for hit in store.session(name).search(text)} <= {name}
                for name in taken:
                    assert store.keeping.purge(name) > 0
                assert store.sessions() == ()
                assert store.keeping.verify() == ()
            assert used(Path(folder)) <= {"hud.db", "hud.db-wal", "hud.db-shm", "hud.db-lock"}
