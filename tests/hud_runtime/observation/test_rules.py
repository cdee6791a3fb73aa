"""The tables of the reader: what a command checks, touches, and how its failure reads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime.observe import AgentMessage, Reader, ToolAnswer, ToolCall, UserMessage
from tests.hud_runtime.observation.inside import (
    all_commands,
    ask_in,
    check_of,
    command_in,
    failure_in,
    limit_for,
    patched,
    plan_in,
    plan_title,
    summary_in,
    touched,
)
from tests.ids import looped
from tests.work import Act, growth

TWICE = 2.3
"""The most that twice the text may take."""


class TestFiles:
    @looped(
        ("script", "files"),
        [
            ("sed -i 's/a/b/' x.py", "edit x.py"),
            ("sed -i -e 's/a/b/' -e 's/c/d/' x.py y.py", "edit x.py, edit y.py"),
            ("sed -n 1,5p x.py", "open x.py"),
            ("perl -pi -e 's/a/b/' x.py", "edit x.py"),
            ("git mv a.py b.py", "close a.py, edit b.py"),
            ("mv a.py b.py src/", "close a.py, edit src/a.py, close b.py, edit src/b.py"),
            ("cp a.py b.py", "open a.py, edit b.py"),
            ("git rm -f a.py", "close a.py"),
            ('for f in a.py b.py; do\n  sed -i s/x/y/ "$f"\ndone', "edit a.py, edit b.py"),
            ("bash -lc \"cat > a.py <<'EOF'\nrm b.py\nEOF\"", "edit a.py"),
            ("sudo env X=1 timeout 5 rm a.py", "close a.py"),
            ("echo 'a > b' && echo \"rm c.py\"", ""),
            ("cat a.py | tee b.py >> c.py", "open a.py, edit b.py, edit c.py"),
            ("OUT=a.txt; echo x > $OUT", "edit a.txt"),
            ("open a.py +359", "open a.py"),
            ("git commit -m \"$(cat <<'EOF'\nrm x.py (it works\nEOF\n)\" && rm y.py", "close y.py"),
            ("python - <<'EOF'\np = 'a.py'\nopen(p, 'w').write('x')\nEOF", "edit a.py"),
            ("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\nEOF", "edit a.py"),
            ("git apply <<'EOF'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\nEOF", "edit x.py"),
            ("cd src && cd app && touch a.py", "edit src/app/a.py"),
            ("if [ -f a ]; then rm a; fi", "close a"),
            ("make 2>&1 | tail -3 # > log.txt", ""),
        ],
    )  # fmt: skip
    def test_are_those_that_a_script_names(self, script: str, files: str) -> None:
        told = [f"{one.event.removeprefix('file.')} {one.path}" for one in touched(script)]
        assert ", ".join(told) == files

    @given(script=st.text(alphabet="abc rm>|&;'\"\\\n<EOF$()`{}#=-./", max_size=60))
    def test_of_any_script_are_found_without_a_failure(self, script: str) -> None:
        list(touched(script))
        assert all(isinstance(one.words, list) for one in all_commands(script))

    def test_of_a_patch_follow_its_moves(self) -> None:
        text = (
            "*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: c\n*** End Patch"
        )
        told = [(one.event, one.path) for one in patched(text)]
        assert told == [("file.close", "a"), ("file.close", "b"), ("file.edit", "c")]

    @looped(
        ("path", "old", "new", "names"),
        [
            ("a.py", "def load():\n    x = 1\n", "def load():\n    x = 2\n", "load"),
            ("a.py", "", "class A:\n    def f(self):\n        pass\n\n\ndef g():\n    pass\n", "A, g"),
            ("a.py", "import re\n", "import os\n", ""),
            ("a.py", "def old():\n    return 1\n", "", "old"),
            ("a.go", "func (s *T) Close() {\n\treturn\n}", "func (s *T) Close() {\n\ts.end()\n}", "Close"),
            ("a.ts", "", "export async function load() {}\nconst save = (x) => x\n", "load, save"),
            ("a.rs", "", "pub fn run() {}\nimpl<T> Show for A<T> {\n    fn show() {}\n}", "run, Show for A<T>"),
            ("A.java", "", "public class A {\n  private int count() { return 1; }\n}", "A"),
            ("a.c", "", "static int count(int a) {\n  return a;\n}\n#define MOST 5", "count, MOST"),
            ("a.rb", "", "def ready?\n  true\nend", "ready?"),
            ("a.sh", "", "build() {\n  make\n}\nPORT_A=1", "build, PORT_A"),
            ("a.sql", "", "CREATE TABLE IF NOT EXISTS users (id int);", "users"),
            ("a.css", "", ".card, .row {\n  color: red;\n}", ".card, .row"),
            ("README.md", "# A\n\n## Use\n\nOld\n", "# A\n\n## Use\n\nNew\n\n### Options\n\nx\n", "Use, Options"),
            ("README.md", "| `-a` | all |", "| `-a` | all |\n| `-b` | both |", "-b"),
            ("ci.yml", "jobs:\n  lint:\n    run: a\n", "jobs:\n  lint:\n    run: b\n", "run"),
            ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'b'\n", "name"),
            ("package.json", '{\n  "name": "a"\n}', '{\n  "name": "b"\n}', "name"),
            ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest -q\n", "test"),
            ("a.unknown", "def load():\n    x = 1\n", "def load():\n    x = 2\n", ""),
        ],
    )  # fmt: skip
    def test_of_an_edit_is_told_which_names_it_changes(
        self, path: str, old: str, new: str, names: str
    ) -> None:
        assert told_of_edit({"file_path": path, "old_string": old, "new_string": new}) == names

    def test_a_name_around_an_edit_is_found_in_the_file_as_its_host_tells_it(self) -> None:
        file = (
            "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
        )
        edit = {"file_path": "a.py", "old_string": "return 2", "new_string": "return 3"}
        assert told_of_edit(edit, {"originalFile": file}) == "g"
        whole = {"file_path": "a.py", "content": file.replace("return 1", "return 5")}
        assert told_of_edit(whole, {"originalFile": file}) == "f"
        assert told_of_edit(edit, {"originalFile": file[:40]}) == ""

    def test_a_patch_tells_the_names_in_its_hunks(self) -> None:
        text = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n     x = 1\n-    y = 1\n+    y = 2\n*** End Patch"
        assert [one.names for one in patched(text)] == ["f"]

    @looped("unit", ["def f():\n", " ", "def ", "## a\n", "[", "| `", "x" * 9, "a = (", "\t{\n"])
    @looped("path", ["a.py", "a.ts", "a.md", "a.c", "a.java", "a.toml", "a.css"])
    def test_of_edits_twice_as_long_they_take_twice_the_time(self, unit: str, path: str) -> None:
        def prepared(count: int) -> Act:
            text = unit * count
            edit = {"file_path": path, "old_string": text[:-5], "new_string": text}
            return lambda: told_of_edit(edit, {"originalFile": text})

        assert growth(prepared, 200) <= TWICE


def told_of_edit(given: dict[str, object], data: dict[str, object] | None = None) -> str:
    """Return the names that an edit changes, as its event tells them."""
    reader = Reader()
    call = ToolCall(
        name="Edit" if "content" not in given else "Write", arguments=given, call_id="c"
    )
    answer = ToolAnswer(text="ok", call_id="c", data=data or {})
    told = [each.payload for seen in (call, answer) for each in reader.feed(seen)]
    return str(told[-1].get("names", ""))


class TestChecks:
    @looped(
        ("command", "name"),
        [
            ("pytest -q", "pytest"),
            ("python -m pytest -x --tb=short tests/a.py", "pytest tests/a.py"),
            ("python3.11 -m pytest -k login", "pytest -k login"),
            ("go test -race -count=1 ./...", "go test"),
            ("go test ./a -run TestX", "go test -run TestX ./a"),
            ("npm run build", "npm run build"),
            ("npm --prefix web run lint", "npm run lint in web"),
            ("make -j4 test", "make test"),
            ("tsc --noEmit", "tsc"),
            ("ruff check --fix src", "ruff check src"),
            ("node scripts/x.js", "scripts/x.js"),
            ("git -C /a push -u origin b", "git push"),
            ("docker compose exec -T web pytest -q tests/a.py", "pytest tests/a.py"),
            ("docker run --rm -v /a:/a image cargo test", "cargo test"),
            ("docker buildx build --platform linux/arm64 -t app .", "docker build"),
            ("coverage run -m pytest", "pytest"),
            ("yarn test:unit", "yarn run test:unit"),
            ("dotnet test -c Release -v q", "dotnet test"),
            ("./gradlew :app:test --tests AppTest", "gradle :app:test --tests AppTest"),
            ("terraform -chdir=infra plan -out=a", "terraform plan in infra"),
            ("psql -f a.sql", "psql"),
            ("psql -c 'select 1'", None),
            ("yarn start", None),
            ("pytest --version", None),
            ("npm run dev", None),
            ("ls -l", None),
            ("git status", None),
            ("python -c 'print(1)'", None),
        ],
    )
    def test_are_the_same_however_they_are_spelled(self, command: str, name: str | None) -> None:
        [one] = all_commands(command)
        found = check_of(one.words)
        assert (found.name if found else None) == name

    @looped("runner", ["uv run", "npx", "poetry run", "env CI=1", "timeout 60", "sudo"])
    def test_are_the_same_with_any_runner(self, runner: str) -> None:
        [one] = all_commands(f"{runner} pytest tests/a.py 2>&1")
        found = check_of(one.words)
        assert found is not None
        assert found.name == "pytest tests/a.py"


class TestFailures:
    @looped(
        ("chain", "output", "what"),
        [
            ("pytest", "FAILED a.py::test_x - assert 1\n1 failed in 0.1s", "a.py::test_x - assert 1"),
            ("pytest", "1 passed, 2 xfailed in 0.2s", None),
            ("unittest", "FAIL: test_x (a.T)\n\nFAILED (failures=1)", "test_x (a.T)"),
            ("jest", "  ● suite › adds\nTests:       1 failed, 1 passed", "suite › adds"),
            ("jest", "Tests:       2 passed, 2 total", None),
            ("vitest", "\x1b[31m FAIL \x1b[39m a.ts > adds\n Tests  1 failed (1)", "a.ts > adds"),
            ("tsc", "a.ts(1,7): error TS2322: Type", "a.ts(1,7): error TS2322: Type"),
            ("tsc", "Found 0 errors. Watching for file changes.", None),
            ("eslint", "  1:7   error  'q' is unused  no-unused\n✖ 1 problem (1 error, 0 warnings)", "1:7 error 'q' is unused no-unused"),
            ("eslint", "✖ 3 problems (0 errors, 3 warnings)", None),
            ("cargo", "error[E0308]: mismatched types\nerror: could not compile `x`", "error[E0308]: mismatched types (+0"),
            ("cargo", "test result: ok. 1 passed; 0 failed", None),
            ("go", "--- FAIL: TestClock (0.01s)\nFAIL\tpkg\t0.1s", "TestClock"),
            ("go", "ok  \tpkg\t1.2s\n?   \tpkg\t[no test files]", None),
            ("golangci-lint", "0 issues.", None),
            ("make", "make: *** [Makefile:2: all] Error 1", "[Makefile:2: all] Error 1"),
            ("gcc", "a.c:1:19: error: expected ';'", "a.c:1:19: error: expected ';'"),
            ("gcc", "a.c:1:19: warning: unused", None),
            ("mypy", "Success: no issues found in 1 source file", None),
            ("ruff", "Found 2 errors.\n[*] 2 fixable", "2 errors."),
            ("npm", 'npm error Missing script: "x"\nnpm error code E', 'Missing script: "x"'),
            ("npm", "npm warn deprecated x", None),
            ("git", "CONFLICT (content): Merge conflict in a.py", "CONFLICT (content): Merge conflict in a.py"),
            ("git", "Already up to date.", None),
        ],
    )  # fmt: skip
    def test_are_read_in_the_words_of_their_tool(
        self, chain: str, output: str, what: str | None
    ) -> None:
        found = failure_in(output, "command", chain=chain)
        assert (found or "").startswith((what or "").removesuffix(" (+0"))
        assert (found is None) is (what is None)


class TestAsks:
    @looped(
        "text",
        ["yes", "Yes, go on.", "ok do it", "continue", "1", "👍", "LGTM, thanks!", "",
         "[Request interrupted by user]\n", "```\nTraceback\n```\n+ a\n+ b\n- c\n| d"],
    )  # fmt: skip
    def test_are_none_that_only_go_on(self, text: str) -> None:
        assert ask_in(text) is None or text.startswith("[Request")

    @looped("text", ["push", "what else?", "draft PR please", '"make test" fails'])
    def test_may_be_short(self, text: str) -> None:
        assert ask_in(text) == text

    def test_of_a_plan_is_its_title(self) -> None:
        plan = plan_in(
            "Implement the following plan:\n\n# Implementation Plan: Add a login\n\n## Steps"
        )
        assert plan is not None
        assert plan_title(plan) == "Add a login"

    def test_of_a_slash_command_are_its_arguments(self) -> None:
        text = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the login</command-args>"
        assert command_in(text) == "/fix the login"


def test_a_summary_begins_with_what_is_left() -> None:
    text = (
        "This session is being continued from a previous conversation that ran out of context.\n"
        "<analysis>\nLong.\n</analysis>\n\n<summary>\n1. Primary Request and Intent:\n   A login.\n\n"
        "7. Pending Tasks:\n   - Tests\n\n8. Current Work:\n   The form.\n\n9. Optional Next Step:\n   Run them.\n</summary>"
    )
    titles = [line for line in summary_in(text).splitlines() if line.startswith("#")]
    assert titles == [
        "# Pending Tasks",
        "# Current Work",
        "# Optional Next Step",
        "# Primary Request and Intent",
    ]


def test_a_part_of_a_section_of_a_summary_stays_with_it() -> None:
    text = "# Summary\n## Files\n### Next step file\na\n## Pending\nb\n"
    assert summary_in(text) == "# Pending\n\nb\n\n# Files\n\n### Next step file\na"


@looped(
    ("text", "told"),
    [
        ("We port it.\n\n## Files\na\n## Pending\nb", "# Pending\n\nb\n\n# Summary\n\nWe port it.\n\n# Files\n\na"),
        ("# The port\n## Files\na\n## Pending\nb", "# Pending\n\nb\n\n# Summary\n\n# The port\n\n# Files\n\na"),
        ("1. Fix the login\n2. Add tests", "1. Fix the login\n2. Add tests"),
        ("# Files\n1. First part\n   a\n2. Second part\n   b\n# Pending\nc",
         "# Pending\n\nc\n\n# Files\n\n1. First part\n   a\n2. Second part\n   b"),
        ("# Files\n```sh\n# build\nx\n# run\ny\n```\n# Pending\nz",
         "# Pending\n\nz\n\n# Files\n\n```sh\n# build\nx\n# run\ny\n```"),
        ("# Files\n<p>\n</p>\n# Pending\nz\n# None", "# Pending\n\nz\n\n# Files\n\n<p>\n</p>\n\n# None"),
        ("## Pending\n- a\n\n## Summary\nb", "# Pending\n\n- a\n\n# Summary\n\nb"),
        ("<analysis>\nIt ends before", "It ends before"),
        ("Say it in German.\n\nSummary:\n1. Current Work:\n   A.\n2. Pending Tasks:\n   B.",
         "# Pending Tasks\n\nB.\n\n# Current Work\n\nA.\n\n# Summary\n\nSay it in German."),
        ("## Ab\nx\nPlease continue the conversation.\n## Bc\ny", "# Ab\n\nx\nPlease continue the conversation.\n\n# Bc\n\ny"),
    ],
)  # fmt: skip
def test_nothing_of_a_summary_is_lost(text: str, told: str) -> None:
    assert summary_in(text) == told
    assert summary_in(told) == told


@given(st.lists(st.sampled_from(
    ["# A", "## Pending", "1. First Part:", "2. One", "<notes>", "</notes>", "```", "Summary:", "words", "  - item", ""]
)))  # fmt: skip
def test_every_word_of_a_summary_is_told_in_some_place(lines: list[str]) -> None:
    told = summary_in(
        "\n".join(
            [
                f"{line} w{number}" if line in {"words", "  - item"} else line
                for number, line in enumerate(lines)
            ]
        )
    )
    for number, line in enumerate(lines):
        assert line not in {"words", "  - item"} or f"w{number}" in told


def test_a_summary_that_is_too_long_says_how_much_is_missing() -> None:
    told = summary_in("word " * 10_000)
    assert len(told) < 20_001
    assert told.endswith("… 30,039 more characters")
    assert summary_in(told) == told


def test_a_limit_that_is_below_what_is_used_is_none() -> None:
    assert [
        limit_for("claude-sonnet-4-6[1m]", 5),
        limit_for("claude-sonnet-4-6[1m]", 3_000_000),
    ] == [
        1_000_000,
        None,
    ]


class TestReader:
    def read(self, *calls: tuple[str, str, bool]) -> dict[str, list[str]]:
        """Run commands, one a turn; return the messages of errors by what happened to them."""
        reader = Reader()
        found: dict[str, list[str]] = {"error.encountered": [], "error.resolved": []}
        seen: list[object] = [UserMessage(text="Make it work, please.")]
        for number, (command, output, failed) in enumerate(calls):
            seen.append(AgentMessage(message_id=str(number)))
            seen.append(ToolCall(name="Bash", arguments={"command": command}, call_id=str(number)))
            status = "failed" if failed else "done"
            seen.append(ToolAnswer(text=output, call_id=str(number), status=status))  # type: ignore[arg-type]
        for one in seen:
            for draft in reader.feed(one):  # type: ignore[arg-type]
                if draft.type in found:
                    found[draft.type].append(str(next(iter(draft.payload.values()))))
        return found

    def test_a_wider_check_that_passes_proves_a_tighter_one(self) -> None:
        found = self.read(
            ("pytest tests/a.py", "FAILED tests/a.py::x", True),
            ("uv run pytest", "9 passed", False),
        )
        assert found["error.resolved"] == found["error.encountered"] != []

    def test_a_tighter_check_that_passes_proves_no_wider_one(self) -> None:
        found = self.read(
            ("pytest", "FAILED tests/a.py::x", True), ("pytest tests/b.py", "9 passed", False)
        )
        assert found["error.resolved"] == []

    def test_a_search_that_finds_nothing_is_no_error(self) -> None:
        found = self.read(
            ("grep -rn TODO src", "", True), ("./app --nosuch; echo $?", "Error: no\n2", False)
        )
        assert found["error.encountered"] == []

    def test_a_conflict_is_closed_by_the_commit(self) -> None:
        found = self.read(
            ("git merge main", "CONFLICT (content): Merge conflict in a.py", True),
            ("git add -A && git commit --no-edit", "[b 1a2b3c4] Merge", False),
        )
        assert (
            found["error.resolved"]
            == found["error.encountered"]
            == ["git merge main: CONFLICT in a.py"]
        )

    def test_an_error_that_nobody_comes_back_to_grows_old(self) -> None:
        found = self.read(
            ("python run.py", "Traceback (most recent call last):\nValueError: x", True),
            *[("ls", "", False)] * 20,
        )
        assert found["error.resolved"] == found["error.encountered"] != []

    @given(cut=st.integers(0, 6))
    def test_what_was_told_is_not_told_otherwise_later(self, cut: int) -> None:
        calls = [("pytest", "FAILED a::b", True), ("pytest", "1 passed", False)] * 3
        whole, part = self.read(*calls), self.read(*calls[:cut])
        assert all(whole[kind][: len(told)] == told for kind, told in part.items())
