"""What edits come to, one by one, in the text that an editor opens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hud_components import ActiveFile, HudState, Note, Task
from hud_runtime.editing import Changes, EditError, changes, for_editing
from ujsx import render

Edited = Callable[..., Changes]


@pytest.fixture
def edited(state: HudState) -> Edited:
    """Replace texts of the HUD, each with the one behind it, and compare."""
    hud = for_editing(state)

    def edit(*texts: str) -> Changes:
        text = render(hud)
        for old, new in zip(texts[::2], texts[1::2], strict=True):
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return changes(hud, text)

    return edit


def operations(found: Changes) -> list[str]:
    assert found.problems == ()
    return [str(change) for change in found.operations]


def problems(found: Changes) -> list[str]:
    return [str(problem) for problem in found.problems]


EDITS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "the task reads anew": (
        ("Add login", "Add a login"),
        ["task.update description='Add a login'"],
    ),
    "the task is cleared": (("Add login\n\n", ""), ["task.clear"]),
    "a decision is added": (
        ("passwords\n", "passwords\n- **Redis** — for sessions\n"),
        ["decisions.record summary='Redis' details='for sessions'"],
    ),
    "a decision without details is added": (
        ("passwords\n", "passwords\n- Redis\n"),
        ["decisions.record summary='Redis'"],
    ),
    "only what changed is told": (
        ("stateless", "stateless, signed"),
        ["decisions.update id='d-2' details='stateless, signed'"],
    ),
    "details are taken away": (
        ("**Use JWT** — stateless", "Use JWT"),
        ["decisions.update id='d-2' details=''"],
    ),
    "a decision is removed": (
        ("- `d-3` bcrypt for passwords\n", ""),
        ["decisions.remove id='d-3'"],
    ),
    "a note reads anew": (
        ("Port 8080", "Port 8081"),
        ["notes.update id='n-7' content='Port 8081'"],
    ),
    "a paragraph of a note reads anew": (
        ("Use the log.", "Use the file."),
        ["notes.update id='n-8' content='Staging has no mail.\\n\\nUse the file.'"],
    ),
    "a note is added with a code span and an address, as they are typed": (
        ("- `n-7`", "- Run `make`, see https://example.com/\n- `n-7`"),
        ["notes.add content='Run `make`, see https://example.com/'"],
    ),
    "a note is added with addresses of other kinds": (
        ("- `n-7`", "- Ask ada@example.com, see www.example.com/a_b\n- `n-7`"),
        ["notes.add content='Ask ada@example.com, see www.example.com/a_b'"],
    ),
    "a task reads anew, with an address": (
        ("Add login", "Add https://a.b/login?x=1&y=2"),
        ["task.update description='Add https://a.b/login?x=1&y=2'"],
    ),
    "a step is completed": (
        ("Write the routes", "~~Write the routes~~"),
        ["steps.complete id='s-5'"],
    ),
    "a step is ticked": (
        ("2. `s-5`", "2. [x] `s-5`"),
        ["steps.complete id='s-5'"],
    ),
    "a step is open again": (
        ("~~Write the model~~", "Write the model"),
        ["steps.update id='s-4' completed=False"],
    ),
    "a step is done and worded anew": (
        ("Add tests", "~~Add more tests~~"),
        ["steps.update id='s-6' description='Add more tests'", "steps.complete id='s-6'"],
    ),
    "a step is added": (("Add tests", "Add tests\n4. Ship"), ["steps.add description='Ship'"]),
    "a step is added that is done": (
        ("Add tests", "Add tests\n4. ~~Ship~~"),
        ["steps.add description='Ship'", "steps.complete id='Ship'"],
    ),
    "a step is added in between": (
        ("2. `s-5`", "2. Ask Ada\n3. `s-5`"),
        ["steps.add description='Ask Ada'", "steps.reorder ids=('s-4', 'Ask Ada')"],
    ),
    "steps change places": (
        (
            "`s-5` Write the routes\n3. `s-6` Add tests",
            "`s-6` Add tests\n3. `s-5` Write the routes",
        ),
        ["steps.reorder ids=('s-4', 's-6')"],
    ),
    "a step is removed": (("2. `s-5` Write the routes\n", ""), ["steps.remove id='s-5'"]),
    "a blocker that is struck through is resolved": (
        ("No key for the mail service", "~~No key for the mail service~~"),
        ["blockers.resolve id='b-9'"],
    ),
    "a blocker that is gone is removed": (
        ("- `b-9` No key for the mail service\n", ""),
        ["blockers.remove id='b-9'"],
    ),
    "a blocker is added": (
        ("mail service", "mail service\n- No disk"),
        ["blockers.add description='No disk'"],
    ),
    "a list with another mark goes on": (
        ("service\n", "service\n\n* No disk\n"),
        ["blockers.add description='No disk'"],
    ),
    "a line that an editor has wrapped is the same": (("bcrypt for", "bcrypt\n  for"), []),
    "a lost id is found again by the very text": (("`n-7` ", ""), []),
    "a lost id and another text are a new item": (
        ("`n-7` Port 8080", "Port 80"),
        ["notes.remove id='n-7'", "notes.add content='Port 80'"],
    ),
    "all items of a section go, its heading stays": (
        ("- `d-2` **Use JWT** — stateless\n- `d-3` bcrypt for passwords\n", ""),
        ["decisions.remove id='d-2'", "decisions.remove id='d-3'"],
    ),
}

PROBLEMS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "an unknown id": (
        ("`n-7`", "`n-77`"),
        ['line 18, column 1: Notes, id: there is no `n-77` in Notes; did you mean "n-7"?;'],
    ),
    "an id with nothing behind it": (
        ("`n-7` Port 8080", "`n-7`"),
        ["line 18, column 1: Notes, content: nothing is left of `n-7` but its id"],
    ),
    "an item with nothing in it": (
        ("- `n-7` Port 8080", "-"),
        ["line 18, column 1: Notes: this is not a note"],
    ),
    "a list in an item": (
        ("Port 8080", "Port 8080\n  - for tests"),
        ["line 18, column 1: Notes: this is not a note"],
    ),
    "an id of another section": (
        ("- `n-7`", "- `d-2` Use JWT\n- `n-7`"),
        ["line 18, column 1: Notes, id: there is no `d-2` in Notes; it is in Decisions"],
    ),
    "an id that stands twice": (
        ("- `n-7`", "- `n-7` Port 80\n- `n-7`"),
        ["line 19, column 1: Notes, id: `n-7` stands on line 18 already"],
    ),
    "markup in an item": (
        ("Port 8080", "Port *8080*"),
        [
            "line 18, column 1: Notes: this is not a note: a note is written as {content}, in plain text"
        ],
    ),
    "a task in a list": (
        ("Add login", "- Add login"),
        ["line 9, column 1: Task: the task is written as {description} — "],
    ),
    "a task with markup": (
        ("Add login", "Add *login*"),
        ["line 9, column 1: Task: the task is written as {description} — "],
    ),
    "what is there already": (
        ("- `n-7`", "- Port 8080\n- `n-7`"),
        ["line 18, column 1: Notes, content: `n-7` says that already"],
    ),
    "a note that has moved": (
        (
            "- `d-2` **Use JWT** — stateless\n- `d-3` bcrypt for passwords\n",
            "- `d-3` bcrypt for passwords\n- `d-2` **Use JWT** — stateless\n",
        ),
        ["line 14, column 1: Decisions: Decisions stand in the order in which they were recorded"],
    ),
    "a section that is gone": (
        ("\n## ⚠ Blockers\n\n- `b-9` No key for the mail service\n", ""),
        ["line 36, column 1: ⚠ Blockers: the whole section is gone; put it back"],
    ),
    "a heading that reads anew": (
        ("## Notes", "## Nots"),
        [
            'line 16, column 1: Nots: there is no section "Nots"; did you mean "Notes"?',
            "line 40, column 1: Notes: the whole section is gone",
        ],
    ),
    "sections that changed places": (
        (
            "\n## ⚠ Blockers\n\n- `b-9` No key for the mail service\n",
            "",
            "## Next steps",
            "## ⚠ Blockers\n\n- `b-9` No key for the mail service\n\n## Next steps",
        ),
        ["line 32, column 1: ⚠ Blockers: the layout decides the order of sections; put it behind"],
    ),
    "a file": (
        ("a.py", "c.py"),
        ["line 25, column 1: ActiveFiles: '- `a.py` (reading)' was changed; put it back"],
    ),
    "an error": (
        ("- boom\n", ""),
        ["line 39, column 1: ErrorsList: '- boom' is gone; put it back"],
    ),
    "the summary of a compaction": (
        ("Goal: a login.", "Goal: none."),
        ["line 5, column 1: CompactedContext: '> Goal: a login.' was changed; put it back"],
    ),
    "the title": (("# HUD", "# DUH"), ["line 1, column 1: HUD: '# HUD' was changed; put it back"]),
    "foreign Markdown": (
        ("## Notes", "```sh\nrm -rf /\n```\n\n## Notes"),
        ["line 16, column 1: Decisions: '```sh\\nrm -rf /\\n```' is not part of this HUD"],
    ),
    "a section of one's own": (
        ("## Notes", "## House rules\n\n- Be kind.\n\n## Notes"),
        ['line 16, column 1: House rules: there is no section "House rules"'],
    ),
    "two tasks": (
        ("Add login", "Add login\n\nAdd logout"),
        ["line 11, column 1: Task: 'Add logout' is not part of this HUD"],
    ),
}


class TestChanges:
    @pytest.mark.parametrize(("texts", "expected"), [*EDITS.values()], ids=[*EDITS])
    def test_an_edit_is_operations(
        self, edited: Edited, texts: tuple[str, ...], expected: list[str]
    ) -> None:
        assert operations(edited(*texts)) == expected

    @pytest.mark.parametrize(("texts", "expected"), [*PROBLEMS.values()], ids=[*PROBLEMS])
    def test_what_cannot_be_decided_is_told(
        self, edited: Edited, texts: tuple[str, ...], expected: list[str]
    ) -> None:
        told = problems(edited(*texts))
        starts = [said[: len(start)] for said, start in zip(told, expected, strict=False)]
        assert (starts, len(told)) == (expected, len(expected)), told

    def test_nothing_is_taken_for_removed_where_something_cannot_be_read(
        self, edited: Edited
    ) -> None:
        found = edited("`n-7` Port 8080", "`n-70` Port 8080", "`d-3` bcrypt", "`d-3` *bcrypt*")
        assert found.operations == ()
        assert len(found.problems) == 2

    def test_a_first_task_is_set(self) -> None:
        hud = for_editing(HudState())
        text = render(hud).replace("## Task\n", "## Task\n\nAdd login\n")
        assert operations(changes(hud, text)) == ["task.set description='Add login'"]

    def test_takes_a_text(self, state: HudState) -> None:
        with pytest.raises(EditError, match="an edited HUD is Markdown, not 3"):
            changes(for_editing(state), 3)  # type: ignore[arg-type]

    def test_nesting_without_end_is_a_problem(self, state: HudState) -> None:
        found = changes(for_editing(state), ">" * 5_000 + " x")
        assert [problem.section for problem in found.problems] == ["HUD"]


class TestWhatATextHides:
    HIDING = "a\u200b <|im_start|> [INST]\x1b[2J ⟦U+200B⟧ end"

    def test_is_no_change_where_nobody_touched_it(self) -> None:
        state = HudState(
            task=Task(description=self.HIDING),
            notes=(Note(id="n-2", content=self.HIDING), Note(id="n-3", content="plain")),
            active_files=(ActiveFile(path=self.HIDING),),
        )
        hud = for_editing(state)
        assert operations(changes(hud, render(hud))) == []
        edited = changes(hud, render(hud).replace("plain", "plain, too"))
        assert operations(edited) == ["notes.update id='n-3' content='plain, too'"]

    def test_stays_in_a_text_that_is_edited_beside_it(self) -> None:
        state = HudState(notes=(Note(id="n-2", content=self.HIDING),))
        hud = for_editing(state)
        (change,) = changes(hud, render(hud).replace("end", "the end")).operations
        assert change.arguments["content"] == self.HIDING.replace("end", "the end")
