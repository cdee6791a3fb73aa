"""What is purged and closed is forgotten: nothing in the process leads to a word of it any more.

Everything is looked through that the garbage collector knows, and all that leads on from there: the
globals of modules, what classes keep, and the caches of ``functools``, whose entries are no objects of
Python themselves.
"""

from __future__ import annotations

import gc
import json
import pickle
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hud_components import Hud, Labelled, NoteDraft, NotesSection, StatusLine, parse
from hud_components.layout import SECTIONS
from hud_runtime import (
    At,
    EventDraft,
    HudSession,
    HudStore,
    SnapshotPolicy,
    UnknownItemError,
    replay,
)
from hud_runtime.editing import changes, for_editing, record_changes
from hud_runtime.history.exchange import export_session, import_session
from ujsx import (
    RenderContext,
    compare,
    dump,
    fold,
    load,
    read_layout,
    render,
    render_html,
    resolve,
    write_layout,
)
from ujsx.mdast import from_markdown, to_markdown
from ujsx.targets import XmlTarget
from ujsx.tools import Operation, ToolResult, Toolset

ROOT = Path(__file__).parents[3]


def holders(*words: str) -> list[list[str]]:
    """Return, for each word, what holds a text with it in it, and is not that very object."""
    gc.collect()
    found: list[list[str]] = [[] for _ in words]
    own = sys._getframe()
    seen = {id(found), id(own)}
    stack: list[Any] = [each for each in gc.get_objects() if each is not own]
    seen.update({id(each) for each in stack}, {id(stack), id(seen)})
    ignored = {id(stack), id(seen), id(found), *map(id, found)}
    while stack:
        each = stack.pop()
        if id(each) in ignored:
            continue
        for one in _led_to(each):
            if isinstance(one, str | bytes | bytearray):
                text = one if isinstance(one, str) else one.decode("latin-1")
                for word, held in zip(words, found, strict=True):
                    if word in text and one is not word:
                        held.append(f"{type(each).__module__}.{type(each).__name__}: {each!r:.200}")
            elif id(one) not in seen:
                seen.add(id(one))
                stack.append(one)
    return found


def _led_to(each: Any) -> Iterator[Any]:
    yield from gc.get_referents(each)
    if isinstance(each, msgspec.Struct):  # some kinds are not known to the collector
        for name in each.__struct_fields__:
            yield getattr(each, name)


def _calls(word: str) -> Iterator[tuple[str, object]]:
    """Calls as a model makes them: good ones, odd ones, wrong ones."""
    for arguments in (
        {"op": "notes.add", "content": word},
        {"call": {"op": "decisions.add", "summary": f"Use {word}"}},
        {"op": "notes.ad", "content": word},
        {"op": word},
        {"op": "notes.add", word: "x"},
        {"op": "notes.remove", "id": word},
        {"op": "notes.update", "id": "n-2", "content": None, word: None},
        {"op": "search", "query": word},
        {"op": "notes.list"},
        {"op": "snapshot"},
        {"op": "history"},
        {"op": "help", "operation": word},
        f'{{"op": "notes.add", "content": "{word}',
        json.dumps({"op": "notes.add", "content": f"in JSON: {word}"}),
        [word],
        word,
    ):
        yield "hud", arguments
    yield "hud_compact", {"reason": word}
    yield word, {}


def _recorded(session: HudSession, word: str) -> None:
    session.record("task.set", description=f"Add {word}")
    for number in range(40):
        session.record("note.add", content=f"Note {number} on {word}, *{word}* and `{word}`")
    session.record("decision.record", summary=f"Use {word}", details=word)
    session.record("file.open", path=f"src/{word}.py")
    session.record("step.add", description=f"Try {word}")
    session.record("blocker.add", description=f"No {word}")
    session.record("error.encountered", message=f"{word} failed")
    session.record("context.snapshot", used=50_000, limit=200_000)
    with pytest.raises(UnknownItemError):
        session.record("note.remove", id=word)
    with suppress(ZeroDivisionError), session.exclusive():  # what it records is taken back
        session.record("note.add", content=f"never {word}")
        raise ZeroDivisionError
    session.record("compact.after", summary=f"About {word}")


def _rendered(session: HudSession, word: str) -> None:
    previous = session.hud()
    texts = {"notes.title": "Notizen", "notes.noun": "Notiz|Notizen"}
    context = RenderContext(texts=texts)
    layout = Hud()[Labelled(label="Backend")[NotesSection(show_ids=True), StatusLine()]]
    for rendered in (
        *(session.hud(density=each) for each in ("minimal", "compact", "full")),
        *(session.hud(budget=each, previous=previous) for each in (20, 100, 400)),
        session.hud(now=9**14),
        session.hud(words=texts),
        session.hud(layout=layout, words=texts, density="compact"),
    ):
        assert rendered.nodes
        assert rendered.omitted is not None
        assert compare(previous, pickle.loads(pickle.dumps(rendered))) is not None
        for each in (None, context):
            assert parse(rendered.text, context=each)
        assert to_markdown(from_markdown(rendered.text))
    assert word in session.hud().text
    read_layout(write_layout(NotesSection(notes=session.known.notes)), [NotesSection])


def _edited(session: HudSession, word: str) -> None:
    before = for_editing(session.state())
    text = render(before)
    changed = text.replace("Note 3 ", f"Note {word} 3 ")
    assert changes(before, f"{changed}\nWhat is {word}?\n").problems
    edit = changes(before, changed)
    record_changes(session, edit, since=session.version)


def _written_otherwise(session: HudSession, word: str) -> None:
    """What the session holds in other forms: HTML, XML, data, and a conversation that tells of it."""
    hud = Hud.of(session.known)
    assert word in render_html(hud)
    assert word in fold(hud, XmlTarget())
    assert resolve(load(dump(hud), vocabulary=[Hud, *SECTIONS])) == resolve(hud)


def _replayed(folder: Path, session: HudSession, word: str) -> None:
    command = {"name": "bash", "arguments": json.dumps({"command": f"cat src/{word}.py"})}
    asked = {"role": "assistant", "tool_calls": [{"id": "1", "function": command}]}
    answer = {"role": "tool", "tool_call_id": "1", "content": f"{word}: error: no such file"}
    messages = [{"role": "user", "content": f"Add {word}."}, asked, answer]
    path = folder / "messages.json"
    path.write_text(json.dumps(messages))
    assert replay(path, session).events


def _used(folder: Path, word: str) -> HudStore:
    """Do all that a session is for, and return the store, purged and closed."""
    with HudStore.open(folder / "hud.db") as store:
        name = f"s-{word}"
        store.project(f"p-{word}").record("note.add", content=f"All know {word}")
        session = store.session(name, project=f"p-{word}")
        _recorded(session, word)
        _rendered(session, word)
        for tool, arguments in _calls(word):
            session.call(tool, arguments)
        _edited(session, word)
        _written_otherwise(session, word)
        _replayed(folder, store.session(f"replayed-{word}"), word)
        for query in (word, word[:6], f'"{word} and"'):
            assert session.search(query)
            assert store.search(query)
        past = session.state(at=5)
        assert len(past.notes) < len(session.state(at=At.turn(0)).notes)
        assert session.projected("hud", at=4) != past
        lines = list(export_session(session))
        import_session(store, lines, session_id=f"again-{word}")
        store.keeping.archive(name)
        assert store.keeping.verify() == ()
        for each in (name, f"again-{word}", f"replayed-{word}", f"project:p-{word}"):
            assert store.keeping.purge(each) > 0
    return store


def forget(folder: str) -> None:
    """Use words, forget them, and look for them everywhere."""
    word, other = (f"w{secrets.token_hex(12)}" for _ in range(2))
    store, kept = _used(Path(folder), word), [f"it is {other}"]
    of_word, of_other = holders(word, other)
    assert of_word == []
    assert len(of_other) == 1  # what is kept is found
    assert store
    assert kept


class TestForgetting:
    def test_of_what_is_purged_and_closed_no_word_is_left(self, tmp_path: Path) -> None:
        """In a process of its own, as that of all tests has some million objects to look through."""
        code = f"from {__name__} import forget; forget({str(tmp_path)!r})"
        call = [sys.executable, "-c", code]
        done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    def test_no_parser_keeps_what_it_has_read(self, tmp_path: Path) -> None:
        """Pydantic's has a cache of strings that no garbage collector sees."""
        with HudStore.open(tmp_path / "hud.db", snapshots=SnapshotPolicy(every=2)) as store:
            for name in ("one", "two"):
                store.session(name).record_all([EventDraft("note.add", {"content": "Port 8080"})])
        with HudStore.open(tmp_path / "hud.db") as store:
            one, two = (store.session(name) for name in ("one", "two"))
            payloads = [list(each.events())[1].payload for each in (one, two)]
            notes = [each.known.notes[0] for each in (one, two)]
        read = Toolset(
            [Operation("add", NoteDraft, lambda note: ToolResult("", data=note))], name="read"
        )
        answers = [read.call("add", '{"content": "Port 8080"}').data for _ in range(2)]
        for first, second in (payloads, notes, answers):
            assert first.content == second.content == "Port 8080"
            assert first.content is not second.content
