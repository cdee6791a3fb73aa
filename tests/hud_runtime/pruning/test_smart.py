"""Smart pruning: what each kind of output loses at each level, and what it never loses."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components.levels import Threshold
from hud_runtime import PruningError
from hud_runtime.context.pruning import (
    DETECTORS,
    MODES,
    Detector,
    Mode,
    ModeName,
    PrunedOutput,
    SmartPruning,
    ToolOutput,
    detector_of,
    mode_for,
)
from tests.hud_runtime.inside import lessen
from tests.ids import looped
from tests.strategies import texts
from ujsx import Density

CASES = Path(__file__).parent / "outputs"

PERCENTAGES = {"normal": 40, "aggressive": 88, "hyper": 97}

PRUNING = SmartPruning()


def paths(count: int) -> str:
    return "".join(f"src/package_{number % 7}/module_{number}.py\n" for number in range(count))


def pruned(
    text: str, tool: str = "Bash", *, mode: str = "normal", **arguments: object
) -> PrunedOutput:
    output = ToolOutput(text=text, tool=tool, arguments=arguments)
    made = PRUNING.prune(output, percentage=PERCENTAGES[mode])
    assert made is not None
    return made


def is_whole(text: str, tool: str = "Bash", *, mode: str = "normal", **arguments: object) -> bool:
    output = ToolOutput(text=text, tool=tool, arguments=arguments)
    return PRUNING.prune(output, percentage=PERCENTAGES[mode]) is None


def shown_of(made: PrunedOutput, text: str) -> list[str]:
    """The lines of an output that are left, without the notices."""
    return [each for each in made.text.splitlines() if each in set(text.splitlines())]


FORMS = """
src/main.c:12:5: něco je tu zvláštní
   --> src/main.rs:3:5
E0601 the crate has nothing to run
2026-11-02 10:00:01,123 [main] ERR app.Db - gone
[E] gone away
(EE) no screens
<3>gone away
{"level": 50, "msg": "gone"}
E/AndroidRuntime( 123): gone
make[1]: *** Waiting for unfinished jobs....
ld returned 1 exit status
rc=137
Exit-Code: 4
Beendet mit Code 3
code de sortie 2
código de salida 2
終了コード 1
退出代码 1
код завершения 5
MyProblem: it broke
requests.exceptions.Timeout: gone
HIBA: nincs
BŁĄD: brak
ΣΦΑΛΜΑ: όχι
ГРЕШКА: не
🔴 down
SQLSTATE[42P01]: gone
< HTTP/2 502
404 Not Found
read ECONNRESET
lvl=eror msg=gone
PC=0x1 m=0 sigcode=1
Hangup
^C
x509: certificate signed by unknown authority
Msg 208, Level 16, State 1, Line 1
status=500 path=/x
""".strip().splitlines()
"""Lines that tell of an error by their form, in words that no table has."""


class TestForms:
    @pytest.mark.parametrize("mode", ["normal", "hyper"])
    @pytest.mark.parametrize("arguments", [{"command": "cat notes.txt"}, {}])
    def test_stay_whatever_is_read(self, mode: str, arguments: dict[str, str]) -> None:
        prose = [f"the count of server {number} goes on as it did before." for number in range(900)]
        lines = [each for line in FORMS for each in (*prose[:12], line)]
        text = "\n".join([*prose, *lines, *prose])
        left = shown_of(pruned(text, mode=mode, **arguments), text)
        assert [each for each in FORMS if each not in left] == []


class TestModes:
    """K1: what is kept by how full the context is."""

    @looped(("mode", "keep"), [("normal", 30), ("aggressive", 20), ("hyper", 10)])
    def test_k1_a_listing_keeps_its_first_and_last_lines(self, mode: str, keep: int) -> None:
        text = paths(400)
        lines = text.splitlines()
        shown = pruned(text, "Glob", mode=mode).text.splitlines()
        assert shown[:keep] == lines[:keep]
        assert shown[-keep:] == lines[-keep:]
        assert len(shown) == 2 * keep + 1

    @looped(("used", "name"), [(0, "normal"), (84.9, "normal"), (85, "aggressive"), (92, "aggressive"), (92.1, "hyper"), (95, "hyper"), (140, "hyper")])  # fmt: skip
    def test_k1_the_one_table_of_levels_decides(self, used: float, name: str) -> None:
        assert mode_for(used).name == name

    def test_k1_thresholds_are_an_option(self) -> None:
        own = (
            Threshold("green", Density.FULL, 0),
            Threshold("critical", Density.MINIMAL, 50),
        )
        assert mode_for(60, thresholds=own).name == "hyper"
        policy = SmartPruning(thresholds=own)
        made = policy.prune(ToolOutput(text=paths(60), tool="LS"), percentage=60)
        assert made is not None
        assert made.mode == "hyper"

    @looped(("mode", "longest"), [("normal", 80), ("aggressive", 50), ("hyper", 25)])  # fmt: skip
    def test_k1_a_cut_takes_as_many_lines_as_the_two_figures_differ_by(
        self, mode: str, longest: int
    ) -> None:
        wide = "src/hud/" * 8
        assert is_whole("".join(f"{wide}/{n}\n" for n in range(longest)), "LS", mode=mode)
        made = pruned("".join(f"{wide}/{n}\n" for n in range(longest + 1)), "LS", mode=mode)
        assert sum(cut.last - cut.first + 1 for cut in made.cuts) == MODES[mode].least + 1  # type: ignore[index]

    def test_k1_an_unknown_level_is_refused(self) -> None:
        with pytest.raises(PruningError, match="not a level; did you mean"):
            mode_for(level="gren")  # type: ignore[arg-type]

    def test_figures_are_a_table_of_yours(self) -> None:
        modes = {
            name: Mode(name, threshold=8, keep=4, run=5, elements=2, longest=300) for name in MODES
        }
        made = SmartPruning(modes=modes).prune(ToolOutput(text=paths(100), tool="LS"))
        assert made is not None
        assert len(made.text.splitlines()) == 9


def case(name: str) -> tuple[str, str, list[str]]:
    """A command, its output, and the lines of it that are facts: in the file they begin with ``!! ``."""
    command, _, marked = (CASES / f"{name}.txt").read_text("utf-8").partition("\n")
    lines = marked.splitlines(keepends=True)
    facts = [each[3:].rstrip("\n") for each in lines if each.startswith("!! ")]
    return command.removeprefix("$ "), "".join(each.removeprefix("!! ") for each in lines), facts


class TestDetectors:
    """K2: each kind of output, and what of it stays."""

    @looped(
        ("name", "kind"),
        [
            ("pytest", "tests"),
            ("jest", "tests"),
            ("cargo-test", "tests"),
            ("go-test", "tests"),
            ("pip-install", "build"),
            ("log", "log"),
            ("tree", "listing"),
            ("ls-l", "listing"),
            ("grep", "search"),
        ],
    )
    def test_k2_a_kind_is_known_by_the_command_and_by_its_looks(self, name: str, kind: str) -> None:
        command, text, _ = case(name)
        for output in (
            ToolOutput(text=text, tool="Bash", arguments={"command": command}),
            ToolOutput(text=text, tool="Bash", arguments={"command": "./run.sh"}),
        ):
            assert detector_of(output, text.splitlines(keepends=True)).name == kind

    @looped("mode", PERCENTAGES)
    @looped("name", sorted(each.stem for each in CASES.glob("*.txt")))
    def test_k2_every_line_that_must_stay_does(self, name: str, mode: str) -> None:
        command, text, facts = case(name)
        output = ToolOutput(text=text, tool="Bash", arguments={"command": command})
        made = PRUNING.prune(output, percentage=PERCENTAGES[mode])
        shown = (text if made is None else made.text).splitlines()
        assert [each for each in facts if each not in shown] == []
        if mode == "hyper":
            assert made is not None
            assert made.won > 0.3 * made.before

    @pytest.mark.parametrize("mode", PERCENTAGES)
    def test_k2_every_error_stays(self, mode: str) -> None:
        errors = [f"src/file_{n}.py:{n}: error: Name 'x{n}' is not defined" for n in range(300)]
        noise = [f"checked module {n}" for n in range(6_000)]
        lines = [line for n, error in enumerate(errors) for line in (*noise[n * 20 :][:20], error)]
        made = pruned("\n".join(lines), command="mypy .", mode=mode)
        assert [each for each in errors if each not in made.text.splitlines()] == []

    def test_k2_the_same_error_again_is_said_once(self) -> None:
        line = "2026-01-02 10:00:{:02} ERROR pool refused connection after {} ms\n"
        text = "".join(line.format(n % 60, n) for n in range(500))
        made = pruned(text, mode="hyper")
        assert len(made.text.splitlines()) < 30
        assert line.format(0, 0).strip() in made.text

    @looped("mode", PERCENTAGES)
    def test_k2_synthetic_parts_are_left_alone(self, mode: str) -> None:
        output = ToolOutput(text=paths(5_000), tool="LS", synthetic=True)
        assert PRUNING.prune(output, percentage=PERCENTAGES[mode]) is None

    @looped("tool", ["skill", "Skill", "hud", "mcp__ujsx__hud", "hud_read"])
    def test_k2_some_tools_are_never_pruned(self, tool: str) -> None:
        assert is_whole(paths(5_000), tool, mode="hyper")

    @looped("mode", ["normal", "aggressive"])
    @looped(
        ("tool", "arguments"),
        [
            ("Read", {"file_path": "src/a.py"}),
            ("read", {"filePath": "src/a.ts"}),
            ("Bash", {"command": "cat src/a.py"}),
            ("Bash", {"command": "sed -n '1,600p' src/a.py"}),
            ("Bash", {"command": "cd src && cat a.py b.py | head -900"}),
            ("str_replace_editor", {"command": "view", "path": "a.py"}),
        ],
    )
    def test_k2_code_that_is_read_is_whole(
        self, tool: str, arguments: dict[str, object], mode: str
    ) -> None:
        text = "".join(f"    assert f({n}) == {n}  # error {n}\n" for n in range(900))
        assert is_whole(text, tool, mode=mode, **arguments)

    @pytest.mark.parametrize("line", ["x" * 40 + "\n", "x" * 40 + " "])
    @pytest.mark.parametrize("tool", ["Read", "Task", "fetch_all"])
    def test_no_output_fills_a_context(self, tool: str, line: str) -> None:
        text = "".join(f"{n} {line}" for n in range(40_000))
        made = pruned(text, tool)
        assert made.after < 26_000
        assert made.text.startswith(text[:80])
        assert made.text.endswith(text[-40:])

    def test_rows_of_figures_are_not_alike(self) -> None:
        text = "".join(f"{n},{n * 7 % 13},{n * n}\n" for n in range(200))
        assert is_whole(text)

    def test_k2_a_long_file_loses_its_middle_only_at_the_last_level(self) -> None:
        text = "".join(f"def f{n}():\n" if n % 40 == 0 else f"    x = {n}\n" for n in range(2_000))
        made = pruned(text, "Read", mode="hyper", file_path="a.py")
        assert all(f"def f{n}():" in made.text for n in range(0, 2_000, 40))

    def test_k2_a_file_of_logs_is_a_log_whoever_reads_it(self) -> None:
        text = "".join(f"2026-01-02 10:00:{n % 60:02} INFO tick {n}\n" for n in range(900))
        for tool, arguments in (
            ("Read", {"file_path": "app.log"}),
            ("Bash", {"command": "tail -n 900 app.log"}),
        ):
            assert pruned(text, tool, **arguments).kind == "log"

    def test_k2_progress_in_one_line_keeps_its_last_state(self) -> None:
        text = "".join(f"\rfetching {n}% of 12 MB" for n in range(101)) + "\rdone\nnext\n"
        made = pruned(text)
        assert made.text.endswith("done\nnext\n")
        assert re.search(r"… 9\d lines of what passed or is under way: hud output", made.text)

    def test_k2_json_keeps_the_ends_of_its_array(self) -> None:
        text = "[" + ", ".join(f'{{"id": {n}, "name": "user {n}"}}' for n in range(500)) + "]"
        made = pruned(text, "fetch_users", mode="aggressive")
        assert made.text.startswith('[{"id": 0,')
        assert made.text.endswith('{"id": 499, "name": "user 499"}]')
        assert re.search(r"… 488 more elements: hud output o-[\da-f]{8} ", made.text)

    def test_k2_groups_of_lines_that_come_again_are_said_once(self) -> None:
        text = "".join(f"job {n}\n  state: ok\n  took {n} ms\n\n" for n in range(200))
        made = pruned(text)
        assert made.text.startswith(text[:60])
        assert len(made.text.splitlines()) < 30

    def test_k2_a_users_detector_stands_before_the_table(self) -> None:
        mine = Detector("queue", line=re.compile(r"^job \d+"), dull=re.compile(r"^job \d+ done$"))
        text = "".join(f"job {n} {'stuck' if n == 77 else 'done'}\n" for n in range(400))
        policy = SmartPruning(detectors=(mine, *DETECTORS))
        made = policy.prune(ToolOutput(text=text, tool="Bash"))
        assert made is not None
        assert made.kind == "queue"
        assert "job 77 stuck" in made.text

    def test_k2_a_detector_that_cannot_be_is_refused(self) -> None:
        with pytest.raises(PruningError, match="not a mode; did you mean"):
            Detector("x", ends="agressive")  # type: ignore[arg-type]
        with pytest.raises(PruningError, match="share above 0"):
            Detector("x", share=0)

    def test_k2_own_frames_stay_and_those_of_libraries_go(self) -> None:
        library = '  File "/venv/site-packages/lib/a.py", line {0}, in f{0}\n    g()\n'
        own = '  File "/app/src/{0}.py", line {0}, in own{0}\n    lib()\n'
        text = (
            "Traceback (most recent call last):\n"
            + own.format(1)
            + "".join(library.format(n) for n in range(20))
            + own.format(2)
            + "".join(library.format(n) for n in range(20, 40))
            + "ValueError: broken\n"
        )
        made = pruned(text)
        assert own.format(1) in made.text
        assert own.format(2) in made.text
        assert made.text.endswith(library.format(39) + "ValueError: broken\n")
        assert len(made.text.splitlines()) == 10


def test_of_tests_what_failed_stays_and_what_passed_goes() -> None:
    passed = "".join(f"tests/test_{n}.py ....... [{n // 9:3d}%]\n" for n in range(898))
    failed = ["E   assert 1 == 2", "FAILED tests/test_a.py::test_total - assert 1 == 2"]
    end = "=== 2 failed, 98 passed in 3.21s ==="
    text = "\n".join(["collected 900 items", passed, "=== FAILURES ===", *failed, end, ""])
    made = pruned(text, command="pytest -rA")
    assert {*failed, end} <= {*shown_of(made, text)}
    assert len(made.text) < 2_000


def test_the_quick_look_for_errors_finds_all(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {line for path in CASES.glob("*.txt") for line in path.read_text("utf-8").splitlines()}
    among = [each for line in sorted(lines) for each in (*["a plain line"] * 12, line)]
    parts = [among[place : place + 1300] for place in range(0, len(among), 1300)]
    texts = ["\n".join(["a plain line"] * 60 + each + ["a plain line"] * 60) for each in parts]

    def stays() -> list[str]:
        return [made.text for each in texts if (made := pruned(each))]

    quick = stays()
    lessen(monkeypatch, "STEMS", ("",))
    assert stays() == quick


# --- Laws ---

ANY_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "", "ok", "    at f (node_modules/x.js:1:2)", '  File "a.py", line 3, in f', "Compiling x v0.1",
                "tests/test_a.py::test_b PASSED", "2026-01-02 10:00:00 INFO tick", "ERROR: no such file",
                "src/a.py", "src/a.py:12: x = 1", "FAILED tests/test_a.py::test_c - assert 0",
                "… 12 more lines: hud output o-00000000 1-12", "{", "[1,", "]", "@@ -1 +1 @@",
            ]
        ),
        st.text(max_size=30),
        st.integers(0, 999).map(lambda n: f"step {n} of 1000"),
    ),
    max_size=40,
)  # fmt: skip

OUTPUTS = st.builds(
    lambda lines, times, end, tool, command: ToolOutput(
        text=end.join(lines * times), tool=tool, arguments={"command": command}
    ),
    ANY_LINES,
    st.integers(1, 12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["Bash", "Read", "Glob", "Grep", "mcp__db__query"]),
    st.sampled_from(["pytest", "ls -R", "cat x.py", "make", "git diff", "x | y", "'", ""]),
)


@given(OUTPUTS, st.sampled_from([10, 88, 97]))
def test_what_is_shown_and_what_is_cut_are_the_whole(output: ToolOutput, percentage: int) -> None:
    made = PRUNING.prune(output, percentage=percentage)
    if made is None:
        return
    text, shown, place = output.text, made.text, 0
    for cut in made.cuts:
        kept = text[place : cut.start]
        assert shown.startswith(kept)
        shown = shown[len(kept) :]
        notice = re.match(rf" ?… [^\n]*?hud output {made.id}(?: (\d+)-(\d+))?[ \n]?", shown)
        assert notice is not None
        lines = text.split("\n")
        if notice[1]:
            asked = "\n".join(lines[int(notice[1]) - 1 : int(notice[2])])
            assert text[cut.start : cut.end].strip("\n") in asked
        shown = shown[notice.end() :]
        place = cut.end
    assert shown == text[place:]
    assert made.after < made.before


@given(OUTPUTS, st.sampled_from([10, 88, 97]))
def test_the_same_output_is_pruned_alike(output: ToolOutput, percentage: int) -> None:
    first = PRUNING.prune(output, percentage=percentage)
    again = ToolOutput(text=output.text, tool=output.tool, arguments=output.arguments)
    assert SmartPruning().prune(again, percentage=percentage) == first


FAILED = "E: error a", "x error b", "fatal: c"


@given(st.lists(st.sampled_from(["ok 1", *FAILED, "step"]), max_size=200))
def test_no_error_is_lost(lines: list[str]) -> None:
    numbered = [f"{line} {number}" for number, line in enumerate(lines)]
    text = "\n".join(numbered)
    made = PRUNING.prune(ToolOutput(text=text, tool="Bash"), percentage=99)
    shown = text if made is None else made.text
    assert {each for each in FAILED if each in lines} <= {each for each in FAILED if each in shown}


@given(texts)
def test_hostile_text_is_text(text: str) -> None:
    made = PRUNING.prune(ToolOutput(text=f"{text}\n" * 90, tool=text, arguments={"command": text}), percentage=99)  # fmt: skip
    assert made is None or made.after < made.before


def test_k2_lines_of_an_answer_that_name_a_file_stay() -> None:
    lines = [
        f"I have looked at part {number} of the whole, and there is nothing in it."
        for number in range(600)
    ]
    lines[300] = "The handler is in src/login/handler.py, and nobody calls it."
    lines[301] = "Its settings are read by config.toml alone."
    shown = pruned("".join(f"{each}\n" for each in lines), "Task", mode="hyper").text.splitlines()
    assert len(shown) < 300
    assert lines[300] in shown
    assert lines[301] in shown


NAMES = [
    "alpha",
    "beta",
    "store",
    "view",
    "user",
    "cart",
    "order",
    "item",
    "test",
    "api",
    "core",
    "base",
    "form",
    "list",
    "page",
    "node",
]


def varied(make: Callable[[random.Random], str]) -> Callable[[int], str]:
    """The lines of a listing that have names of their own."""
    return lambda number: make(random.Random(number))


def named(draw: random.Random, most: int = 6) -> list[str]:
    return draw.choices(NAMES, k=draw.randint(1, most))


LISTINGS: dict[str, tuple[str, dict[str, object], str | Callable[[int], str]]] = {
    "paths": ("Glob", {}, "src/module_{}.py"),
    "paths of errors": ("Bash", {"command": "find ."}, "./src/errors/failed_{}.py"),
    "matches": ("Grep", {}, "src/a.py:{}:    raise Error(x)"),
    "a tree": ("Bash", {"command": "tree"}, "│   ├── file_{}.ts"),
    "a diff": ("Bash", {"command": "git diff"}, "+    line {}"),
    "jobs": ("Bash", {"command": "./run.sh"}, "job{}"),
    "a log": ("Bash", {"command": "./serve"}, "2026-01-02 10:00:00 INFO request {}"),
    "ls -l": ("Bash", {"command": "ls -l"}, "-rw-r--r-- 1 root root {} Nov 29 10:25 note.md"),
    "passes": ("Bash", {"command": "pytest -v"}, "tests/test_a.py::test_{} PASSED"),
    "go passes": ("Bash", {"command": "go test ./..."}, "ok  	example.com/pkg{}	0.01s"),
    "compiling": ("Bash", {"command": "cargo build"}, "   Compiling crate{} v0.1.0"),
    "progress": ("Bash", {"command": "npm ci"}, "npm http fetch GET 200 https://r/{} 12ms"),
    "table": ("Bash", {"command": "kubectl get pods"}, "web-{}   1/1   Running   0   3m"),
    "csv": ("mcp__db__query", {}, "{},alice,3.5,2026-01-02"),
    "sql": ("Bash", {"command": "psql -c 'select 1'"}, " {} | alice | t"),
    "prose": ("Bash", {"command": "./talk"}, "the count of server {} goes on as it did before."),
    "read prose": ("Bash", {"command": "cat notes.txt"}, "the count of server {} goes on as it did before."),
    "read code": ("Read", {"file_path": "a.py"}, "    value_{} = compute(1)"),
    "numbered code": ("Read", {"file_path": "a.py"}, "{}\t    value = compute(1)"),
    "answer": ("Task", {}, "I looked at part {} of the whole and saw that it is fine."),
    "kv": ("Bash", {"command": "env"}, "NAME_{}=value"),
    "json lines": ("Bash", {"command": "./serve"}, '{{"level": "info", "n": {}, "msg": "tick"}}'),
    "urls": ("Bash", {"command": "./links"}, "https://example.com/page/{}"),
    "hashes": ("Bash", {"command": "git log --oneline"}, "a1b2c3d Fix thing number {}"),
    "ps": ("Bash", {"command": "ps aux"}, "root  {}  0.0  0.1  1234  567 ?  Ss  10:00  0:00 /usr/bin/x"),
    "dots": ("Bash", {"command": "pytest"}, "tests/test_{}.py ........                  [ 12%]"),
    "tap": ("Bash", {"command": "node --test"}, "ok {} - adds up"),
    "yaml": ("Bash", {"command": "kubectl get x -o yaml"}, "  name_{}: value"),
    "syslog": ("Bash", {"command": "journalctl"}, "Nov 29 10:00:00 host app[12]: request {} served"),
    "docker": ("Bash", {"command": "docker build ."}, "#{} 0.123 extracting sha256"),
    "find": ("Bash", {"command":"find ."}, varied(lambda draw: "/".join([".", *named(draw)]) + draw.choice([".py", ".test.js", ""]))),
    "glob": ("Glob", {}, varied(lambda draw: "/".join([".", *named(draw)]) + draw.choice([".py", ".test.js", ""]))),
    "du": ("Bash", {"command":"du -a"}, varied(lambda draw: f"{draw.randint(4, 900)}K\t./{'/'.join(named(draw, 2))}")),
    "rg": ("Bash", {"command":"rg alpha"}, varied(lambda draw: f"src/{draw.choice(NAMES)}.py:{draw.randint(1, 900)}:    {' '.join(named(draw))}")),
    "server": ("Bash", {"command":"./serve"}, varied(lambda draw: f"2026-01-02T10:00:{draw.randint(10, 59)}Z {draw.choice(['INFO', 'DEBUG'])} x: {' '.join(named(draw))}")),
    "docker ps": ("Bash", {"command":"docker ps"}, varied(lambda draw: f"{draw.choice(NAMES):12} {draw.randint(1, 99):4} {draw.choice(['active', 'done']):8} {draw.randint(1, 60)}d")),
    "pretty json": ("Bash", {"command":"./show"}, varied(lambda draw: f'    "{draw.choice(NAMES)}": {draw.randint(1, 99)},')),
    "bullets": ("Bash", {"command":"./notes"}, varied(lambda draw: f"- {draw.choice(NAMES)}: {' '.join(named(draw))}")),
    "jest": ("Bash", {"command":"npx jest"}, "    ✓ adds number {} (3 ms)"),
    "cargo tests": ("Bash", {"command":"cargo test"}, "test tests::adds_{} ... ok"),
    "pip": ("Bash", {"command":"pip install x"}, "Collecting package{}"),
    "apt": ("Bash", {"command":"apt install x"}, "Get:{} http://deb.debian.org/debian stable/main amd64 x"),
    "make": ("Bash", {"command":"make"}, "  CC      src/module_{}.o"),
    "cmake": ("Bash", {"command":"cmake --build b"}, "[ 12%] Building C object a/file_{}.c.o"),
    "bar": ("Bash", {"command":"pip download x"}, "     ━━━━━━━━━━━━━ {}.0/500.0 kB 12.0 MB/s"),
    "tar": ("Bash", {"command":"tar xvf a.tar"}, "package/lib/file_{}.js"),
    "git status": ("Bash", {"command":"git status --short"}, " M src/file_{}.py"),
    "branches": ("Bash", {"command":"git branch -a"}, "  remotes/origin/topic-{}"),
    "pip list": ("Bash", {"command":"pip list"}, "package-{}        1.2.3"),
    "ids": ("mcp__x__list", {}, "550e8400-e29b-41d4-a716-4466554400{:02d}"),
    "numbers": ("Bash", {"command":"seq 500"}, "{}"),
    "numbered read": ("Read", {"file_path":"a.md"}, "   {}→The text of a line"),
    "markdown table": ("Bash", {"command":"./t"}, "| {} | alpha | beta |"),
    "xml": ("Bash", {"command":"./x"}, '  <item id="{}"/>'),
    "echo": ("Bash", {"command":"./x"}, "step {} of 500: copying"),
    "web": ("WebFetch", {}, "* [Page {}](https://example.com/p)"),
    "ping": ("Bash", {"command":"ping x"}, "64 bytes from 1.2.3.4: icmp_seq={} ttl=5 time=1.2 ms"),
    "env vars": ("Bash", {"command":"printenv"}, "VAR_{}=/usr/local/bin:/usr/bin"),
    "columns": ("Bash", {"command":"ls"}, "file_{}.py   other.py   third.py"),
}  # fmt: skip
"""Kinds of listings: the tool, its arguments, and a line with its number."""

ERRORS = [
    line.replace("\\x1b", "\x1b").replace("\\t", "\t")
    for line in (CASES.parent / "errors.txt").read_text("utf-8").splitlines()
]
"""Lines that tell of an error, as programs print them."""


AT_ONCE = len(ERRORS) // 7

SOME = [ERRORS[number::AT_ONCE] for number in range(AT_ONCE)]
"""The errors, a few of different kinds at once."""


def listing(kind: str, count: int = 0) -> tuple[ToolOutput, list[str]]:
    """An output without its text, and its lines: as many as make it long."""
    tool, arguments, line = LISTINGS[kind]
    is_read = tool in ("Read", "Task", "WebFetch") or "cat" in str(arguments) or kind == "a diff"
    numbers = range(count or (420 if is_read else 250))
    lines = [line.format(each) if isinstance(line, str) else line(each) for each in numbers]
    return ToolOutput(text="", tool=tool, arguments=arguments), lines


def lost(kind: str, errors: Sequence[str], mode: ModeName) -> list[str]:
    """Those of a few errors that a listing of a kind loses."""
    output, lines = listing(kind)
    for place, error in enumerate(errors):
        lines.insert(len(lines) // 2 + 13 * place, error)
    pruned = SmartPruning().prune(replace(output, text="\n".join(lines)), mode=MODES[mode])
    left = {*lines} if pruned is None else {*pruned.text.splitlines()}
    return [each for each in errors if each not in left]


TRACES = [
    """Traceback (most recent call last):
  File "/app/src/main.py", line 9, in main
    run()
  File "/app/src/run.py", line 5, in run
    go()
app.exc.Oops: it broke""",
    """TypeError: x is not a function
    at run (/app/src/run.js:3:5)
    at async main (/app/src/main.js:9:3)""",
    """Exception in thread "main" java.lang.IllegalStateException: x
\tat com.acme.Run.go(Run.java:3)
Caused by: java.io.IOException: y
\tat com.acme.Io.read(Io.java:7)""",
    """panic: oops

goroutine 1 [running]:
main.run(0x1)
\t/app/run.go:3 +0x1d""",
    """thread 'main' panicked at src/main.rs:3:5:
index out of bounds: the len is 3
stack backtrace:
   0: app::run
             at ./src/run.rs:3:5""",
    "a.rb:3:in `x': oops (RuntimeError)\n\tfrom a.rb:5:in `y'",
    "PHP Fatal error:  Uncaught Exception: x\nStack trace:\n#0 /app/b.php(5): a()\n  thrown in /app/a.php on line 3",
    "Unhandled exception. System.Exception: x\n   at App.Run.Go() in /app/Run.cs:line 3",
    "==12==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x4008 in run /app/run.c:3:5",
    "** (RuntimeError) oops\n    (app 0.1.0) lib/run.ex:3: App.run/1",
    "  1) Login\n       should log in:\n      AssertionError: 1 is not 2\n      at Context.<anonymous> (test/a.js:3:5)",
]  # fmt: skip


class TestErrors:
    @pytest.mark.parametrize("mode", MODES)
    def test_keep_their_traces(self, mode: ModeName) -> None:
        for kind in LISTINGS:
            for few in (TRACES[::3], TRACES[1::3], TRACES[2::3]):
                output, lines = listing(kind, 500)
                for place, trace in enumerate(few):
                    lines[100 * place + 100 : 100 * place + 100] = trace.splitlines()
                text = "\n".join(lines)
                made = SmartPruning().prune(replace(output, text=text), mode=MODES[mode])
                left = {*text.splitlines()} if made is None else {*made.text.splitlines()}
                told = {line for trace in few for line in trace.splitlines()} - {""}
                assert told <= left, kind

    def test_that_come_again_keep_frames_that_are_new(self) -> None:
        title = "Traceback (most recent call last):"
        frames = [f'  File "/app/m{n}.py", line {n}, in f' for n in (1, 2)]
        found = [f"{title}\n{each}\nOops: {each[-9:]}\n" for each in frames]
        text = "".join([*[paths(300), *found] * 4, paths(300)])
        made = pruned(text, "Glob", mode="hyper").text
        assert [made.count(each) for each in frames] == [1, 1]

    @pytest.mark.parametrize("mode", MODES)
    def test_stay_whatever_the_rest_looks_like(self, mode: ModeName) -> None:
        for number, kind in enumerate(LISTINGS):
            assert lost(kind, SOME[number % AT_ONCE], mode) == [], kind

    @pytest.mark.parametrize("kind", LISTINGS)
    def test_none_is_lost_in_any_listing(self, kind: str) -> None:
        assert [each for few in SOME for each in lost(kind, few, "hyper")] == []

    @looped("dress", ["{}", {"error": "{}"}, {"id": 7, "reason": "{}"}])
    def test_stay_in_an_array(self, dress: object) -> None:
        items = [{"id": number, "name": f"user {number}"} for number in range(200)]
        for error in SOME[0]:
            told = json.dumps(dress).replace("{}", json.dumps(error)[1:-1])
            text = json.dumps([*items[:100], json.loads(told), *items[100:]])
            made = pruned(text, "list_users", mode="hyper")
            assert json.dumps(json.loads(told)) in made.text

    def test_of_a_call_that_failed_stay_in_any_form(self) -> None:
        # The lines of a text share no form.
        lines = [
            " ".join("word" if number >> bit & 1 else "1," for bit in range(14))
            for number in range(9_000)
        ]
        lines[4_500] = "  the request was denied"
        found = [
            SmartPruning().prune(
                ToolOutput(text="\n".join(lines), tool="Read", failed=failed),
                mode=MODES["hyper"],
            )
            for failed in (False, True)
        ]
        assert [each is not None and lines[4_500] in each.text for each in found] == [False, True]
