"""Breaking the code on purpose: each change of the table must make a test fail that it names.

``make mutations``, or ``python -m tests.mutations WORD…`` for those whose names have the words. A
change is made in a copy of the tree, so that nothing here is touched. One whose old text is not found
exactly once is an error: the code has moved on, and the table must follow.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]

COPIED = ("ujsx", "hud_components", "hud_runtime", "tests", "conftest.py", "pyproject.toml")
"""What the tests need of the tree."""

STORE = "tests/hud_runtime/store"
SESSION = "tests/hud_runtime/session"


@dataclass(frozen=True)
class Mutation:
    """One change that no test run may survive."""

    name: str
    """What is broken, in a few words."""
    file: str
    old: str
    """Text that stands in the file once."""
    new: str
    tests: tuple[str, ...]
    """What to run, as pytest is given it; at least one test of it must fail."""


MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "durable is ignored",
        "hud_runtime/log/store/_open_file.py",
        "    file.durable_users += durable\n    return file",
        "    return file",
        (f"{STORE}/test_promises.py::TestDisk",),
    ),
    Mutation(
        "synchronous is off",
        "hud_runtime/log/store/_open_file.py",
        "else 'NORMAL'",
        "else 'OFF'",
        (f"{STORE}/test_promises.py::TestDisk",),
    ),
    Mutation(
        "deleted bytes stay",
        "hud_runtime/log/store/_rows.py",
        '    "PRAGMA secure_delete = ON",\n',
        "",
        (f"{STORE}/test_promises.py::TestDeletedBytes",),
    ),
    Mutation(
        "an archive's file is not forced to the disk",
        "hud_runtime/log/store/_files.py",
        "        yield file\n        file.flush()\n        os.fsync(file.fileno())\n",
        "        yield file\n",
        (f"{STORE}/test_promises.py::TestDisk",),
    ),
    Mutation(
        "an archive's folder is not forced to the disk",
        "hud_runtime/log/store/_files.py",
        "            sync_folder(self.folder)\n",
        "",
        (f"{STORE}/test_promises.py::TestDisk",),
    ),
    Mutation(
        "links are followed",
        "hud_runtime/log/store/_files.py",
        'getattr(os, "O_NOFOLLOW", 0)',
        "0",
        (f"{STORE}/test_promises.py::TestLinks",),
    ),
    Mutation(
        "exclusive() locks nothing",
        "hud_runtime/log/store/_sqlite.py",
        "        with self._db.writing(f'exclusive() of session \"{session_id}\"', has_parts=True):\n"
        "            yield\n",
        "        yield\n",
        (f"{STORE}/test_promises.py::TestExclusive", f"{STORE}/test_sqlite.py::TestSqliteFile"),
    ),
    Mutation(
        "a file that is there is opened and closed",
        "hud_runtime/log/store/_files.py",
        "        _refuse_a_strangers(path)\n    except",
        "        os.close(os.open(path, os.O_RDONLY))\n        _refuse_a_strangers(path)\n    except",
        (f"{STORE}/test_sharing.py::TestSecondOpen",),
    ),
    Mutation(
        "a fork leaves files open",
        "hud_runtime/log/store/_open_file.py",
        "            with suppress(StoreError, sqlite3.Error):\n                self._leave()\n        if self.path is",
        "            return True\n        if self.path is",
        (f"{STORE}/test_sharing.py::TestFork",),
    ),
    Mutation(
        "a file that was replaced is not noticed",
        "hud_runtime/log/store/_open_file.py",
        "if self.inode is not None and inode_of(self.place) != self.inode:",
        "if False:",
        (f"{STORE}/test_sharing.py::TestMovedFile",),
    ),
    Mutation(
        "a commit is acknowledged before its files are compared",
        "hud_runtime/log/store/_open_file.py",
        "size = self._identity.after_commit(event)",
        "size = 0",
        (f"{STORE}/test_moved_files.py",),
    ),
    Mutation(
        "a second process may have a log of its own",
        "hud_runtime/log/store/_identity.py",
        "if (database is None) != (index is None):",
        "if False:",
        (f"{STORE}/test_moved_files.py::TestRefusal",),
    ),
    Mutation(
        "an older copy of the database is used after a checkpoint of another process",
        "hud_runtime/log/store/_identity.py",
        "is_there = self._read(0, *page) == frame[FRAME_HEADER:]",
        "pass",
        (f"{STORE}/test_moved_files.py::TestOlderCopy",),
    ),
    Mutation(
        "two processes set a store aside under one name",
        "hud_runtime/log/store/_replace.py",
        "partial.mkdir(mode=FOLDER)",
        "make_folder(partial)",
        (f"{STORE}/test_moved_files.py::TestRefusal",),
    ),
    Mutation(
        "a log of another store is used",
        "hud_runtime/log/store/_identity.py",
        "if not has_event(connection, (session_id, version, row[-1])):",
        "if False:",
        (f"{STORE}/test_moved_files.py::TestKilled",),
    ),
    Mutation(
        "a log is copied that is not what its index says",
        "hud_runtime/log/store/_identity.py",
        "if head[8:16] != index[SALT] or int.from_bytes(head[:4]) != page:",
        "if False:",
        (f"{STORE}/test_moved_files.py::TestRefusal",),
    ),
    Mutation(
        "the log is never looked at",
        "hud_runtime/log/store/_open_file.py",
        "self._checkpoints.look(size)",
        "pass",
        (f"{STORE}/test_sharing.py::TestLogSize",),
    ),
    Mutation(
        "a task joins another one's transaction",
        "hud_runtime/log/store/_protocol.py",
        "return threading.get_ident(), _task()",
        "return threading.get_ident(), None",
        (f"{SESSION}/test_transactions.py::TestTasks",),
    ),
    Mutation(
        "views learn of what is not committed",
        "hud_runtime/log/_recording.py",
        "            transaction.keep(self, known)",
        "            self.publish(known)",
        (f"{SESSION}/test_transactions.py::TestAborted",),
    ),
    Mutation(
        "a part that fails is not taken back",
        "hud_runtime/log/store/_open_file.py",
        '            db.execute(f"ROLLBACK TO part_{transaction.depth}")\n',
        "",
        (f"{SESSION}/test_transactions.py::TestAborted",),
    ),
    Mutation(
        "a transaction goes on after SQLite has rolled it back",
        "hud_runtime/log/store/_open_file.py",
        "if self._writer is None or not is_under_way or not self._writer.in_transaction:",
        "if self._writer is None or not is_under_way:",
        (f"{SESSION}/test_transactions.py::TestAborted",),
    ),
    Mutation(
        "a backup is not checked",
        "hud_runtime/log/store/_backup.py",
        "damages = made.verify()",
        "damages = made.verify()[:0]",
        (f"{STORE}/test_backup.py::TestBackup", f"{STORE}/test_backup.py::TestRestore"),
    ),
    Mutation(
        "a restored backup brings back what was purged since",
        "hud_runtime/log/store/_backup.py",
        "_sessions_purged_in(database) | purged",
        "_sessions_purged_in(database)",
        (f"{STORE}/test_backup.py::TestRestore",),
    ),
    Mutation(
        "what a restore replaces is not set aside",
        "hud_runtime/log/store/_backup.py",
        'aside = set_aside(store, "replaced")',
        "aside = None",
        (f"{STORE}/test_backup.py::TestRestore",),
    ),
    Mutation(
        "a backup goes away before the next one is there",
        "hud_runtime/log/store/_replace.py",
        "        made.chmod(FILE)\n",
        "        store.unlink(missing_ok=True)\n        made.chmod(FILE)\n",
        (f"{STORE}/test_backup.py::TestBackup",),
    ),
    Mutation(
        "a closed store is overwritten as if it were a backup",
        "hud_runtime/log/store/_backup.py",
        "    if _has_write_ahead_log(target / DATABASE):",
        "    if False:",
        (f"{STORE}/test_backup.py::TestBackup",),
    ),
    Mutation(
        "readers see half of a purge",
        "hud_runtime/log/store/_rows.py",
        'f"NOT EXISTS ({PURGED} WHERE session_id = ?)"',
        '"? IS NOT NULL"',
        (f"{STORE}/test_half_a_purge.py",),
    ),
    Mutation(
        "an index that a purge takes apart is asked",
        "hud_runtime/log/store/_erase.py",
        "            give_up(db)\n",
        "",
        (f"{STORE}/test_half_a_purge.py",),
    ),
    Mutation(
        "who is interrupted keeps the lock of writers",
        "hud_runtime/log/store/_protocol.py",
        "        except BaseException:\n            self.leave(transaction)\n            raise\n",
        "        except BaseException:\n            raise\n",
        (f"{SESSION}/test_interrupts.py",),
    ),
    Mutation(
        "a signal handler takes part in a write",
        "hud_runtime/log/store/_protocol.py",
        "        if innermost.is_busy:\n",
        "        if False:\n",
        (f"{SESSION}/test_interrupts.py",),
    ),
    Mutation(
        "a purge leaves copies of rows that were moved",
        "hud_runtime/log/store/_erase.py",
        "            database.rewrite()\n",
        "",
        (f"{STORE}/test_purge.py",),
    ),
    Mutation(
        "a purge leaves the search index",
        "hud_runtime/log/store/_search.py",
        'db.execute("DROP TABLE IF EXISTS hud_search_texts")',
        "pass",
        (f"{STORE}/test_purge.py",),
    ),
    Mutation(
        "a search takes what others throw away for damage",
        "hud_runtime/log/store/_search.py",
        '        with self._db.writing("a search", has_parts=True):\n            return answer()\n',
        "        return answer()\n",
        (f"{STORE}/test_index.py::TestThrownAway",),
    ),
    Mutation(
        "a check reads at several moments",
        "hud_runtime/log/store/_log_store.py",
        "        with self._db.at_one_moment():\n",
        "        if True:\n",
        (f"{STORE}/test_archive.py",),
    ),
    Mutation(
        "a preview takes any token of the right length",
        "hud_runtime/preview/_server.py",
        'return compare_digest(given.encode("utf-8", "replace"), self.token.encode())',
        "return len(given) == len(self.token)",
        ("tests/hud_runtime/preview/test_guard.py",),
    ),
    Mutation(
        "a server's name is looked at from its end",
        "hud_runtime/serve/http/_clients.py",
        "port.isdecimal() and bare in hosts",
        "port.isdecimal() and any(map(bare.endswith, hosts))",
        ("tests/hud_runtime/serving/test_application.py",),
    ),
    Mutation(
        "a proxy's word for the name of a host is passed over",
        "hud_runtime/serve/http/_clients.py",
        '"x-forwarded-host", ',
        "",
        ("tests/hud_runtime/serving/test_application.py",),
    ),
    Mutation(
        "overlapping secrets are masked to the first one's end",
        "hud_runtime/log/secrets/_policy.py",
        "max(end, apart[-1][1])",
        "apart[-1][1]",
        ("tests/hud_runtime/secrets",),
    ),
    Mutation(
        "a restored database's name is not forced to the disk",
        "hud_runtime/log/store/_replace.py",
        "        made.replace(store)\n        sync_folder(store.parent)\n",
        "        made.replace(store)\n",
        (f"{STORE}/test_promises.py::TestDisk",),
    ),
    Mutation(
        "what a restore replaces is not forced to the disk",
        "hud_runtime/log/store/_replace.py",
        "opened(file) as source, private_file(name) as copy",
        'opened(file) as source, name.open("xb") as copy',
        (f"{STORE}/test_promises.py::TestDisk",),
    ),
    Mutation(
        "an outbox is full one letter early",
        "hud_runtime/log/outbox.py",
        "if there + more > most:",
        "if there + more >= most:",
        ("tests/hud_runtime/outbox/test_outbox.py",),
    ),
    Mutation(
        "a host's settings are not forced to the disk",
        "hud_runtime/integrations/_settings_file.py",
        "                os.fsync(file.fileno())\n            os.chmod",
        "            os.chmod",
        ("tests/hud_runtime/integrations/test_settings_file.py",),
    ),
    Mutation(
        "a budget is not spent to its last token",
        "ujsx/rendering/_budget.py",
        "if tokens < 0:",
        "if tokens <= 0:",
        ("tests/ujsx/rendering/test_budget.py",),
    ),
    Mutation(
        "recording looks at all items",
        "hud_components/folding/_items.py",
        "        made.__dict__[INDEX] = index\n",
        "",
        ("tests/hud_runtime/projection/test_work.py",),
    ),
)


def copy_of_the_tree(tree: Path) -> Path:
    """Copy what the tests need into a new folder, and return that."""
    tree.mkdir()
    for one in COPIED:
        copy = shutil.copytree if (ROOT / one).is_dir() else shutil.copy
        copy(ROOT / one, tree / one)
    return tree


def fails(tree: Path, tests: Sequence[str]) -> bool:
    """Tell whether a test of these fails in a tree; nothing to run is an error."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, "HYPOTHESIS_PROFILE": "further"}  # properties are tried as by make laws
    result = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"pytest cannot run {' '.join(tests)}:\n{result.stdout}{result.stderr}")
    return result.returncode == 1


def survives(tree: Path, mutation: Mutation) -> bool:
    """Make the change in the tree, run its tests, and undo it."""
    path = tree / mutation.file
    text = path.read_text()
    if text.count(mutation.old) != 1:
        sys.exit(
            f"{mutation.name}: {mutation.file} has its old text {text.count(mutation.old)} times,"
            f" not once; bring the table up to date:\n{mutation.old}"
        )
    path.write_text(text.replace(mutation.old, mutation.new))
    try:
        return not fails(tree, mutation.tests)
    finally:
        path.write_text(text)


def main(words: Sequence[str]) -> int:
    """Make the changes whose names have the words, one after the other; return the exit status."""
    chosen = [one for one in MUTATIONS if all(word in one.name for word in words)]
    with TemporaryDirectory() as name:
        tree = copy_of_the_tree(Path(name) / "tree")
        tests = sorted({test for mutation in chosen for test in mutation.tests})
        if fails(tree, tests):
            sys.exit("these tests fail without any change; mend that first: " + " ".join(tests))
        survivors = 0
        for mutation in chosen:
            survived = survives(tree, mutation)
            survivors += survived
            sys.stdout.write(f"{'SURVIVED' if survived else 'caught':8}  {mutation.name}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - survivors} of {len(chosen)} caught\n")
    return 1 if survivors or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
