"""The archive of events: compressed, in a table of their own, in one transaction with all else."""

from __future__ import annotations

from hud_runtime._errors import StoreDamagedError
from hud_runtime.postgres._database import PostgresDatabase
from hud_runtime.store._archive import Archive
from hud_runtime.store._archive_files import ArchiveFiles


class FilesInTable(ArchiveFiles):
    """An :class:`ArchiveFiles` that is the table ``hud_archive_file``."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content under a name."""
        with self._db.writing("archiving") as db:
            db.execute(
                "INSERT INTO hud_archive_file (file, content) VALUES (?, ?)", (name, content)
            )

    def get(self, name: str) -> bytes:
        """Return a content."""
        for (content,) in self._db.rows(
            "SELECT content FROM hud_archive_file WHERE file = ?", name
        ):
            return bytes(content)
        raise StoreDamagedError(
            f"{self._db.place}: archived events are in the file {name}, and it is not there; restore a"
            " backup of the server"
        )

    def drop(self, name: str) -> None:
        """Forget a content, if it is there."""
        with self._db.writing("archiving") as db:
            db.execute("DELETE FROM hud_archive_file WHERE file = ?", (name,))

    def names(self) -> frozenset[str]:
        """Return the names of all that is kept."""
        return frozenset(name for (name,) in self._db.rows("SELECT file FROM hud_archive_file"))


class ArchiveInTables(Archive):
    """The archived part of a store in PostgreSQL."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database, FilesInTable(database))

    def sweep(self) -> None:
        """Delete the files that no row names: in one statement, since others archive meanwhile."""
        with self._db.writing("archiving") as db:
            db.execute(
                "DELETE FROM hud_archive_file WHERE NOT EXISTS"
                " (SELECT 1 FROM hud_archive WHERE hud_archive.file = hud_archive_file.file)"
            )
