"""Small changes of the code that guards tokens, hosts, the bridge and masks: a test must notice each.

``make mutants``, or ``python -m tests.mutants WORD…`` for files whose names have the words. The sites are all
comparisons, boundaries, negations, bounds and calls for their effect in the files of ``GUARDS``; ``COUNT`` of them are
drawn with a fixed seed, or with ``--all`` every one is taken. Each runs the examples and the tests of its own file in a
copy of the tree. A change that makes no difference stands in ``EQUIVALENT`` with the reason.
"""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory

from tests.mutations import ROOT, copy_of_the_tree

COUNT = 200
SEED = 1
WORKERS = 2
SECONDS = 120
"""After so long a run of tests is stopped: the change made something wait for ever, which is noticed."""

SHARE = 0.95
"""The part of the changes that must be noticed."""

_TESTS = "tests/hud_runtime"

_BRIDGE = (
    f"{_TESTS}/integrations/test_bridge_strangers.py",
    f"{_TESTS}/integrations/test_bridge.py",
)
_MASKS = (f"{_TESTS}/secrets",)

GUARDS: dict[str, tuple[str, ...]] = {
    "hud_runtime/preview/_server.py": (f"{_TESTS}/preview/test_guard.py",),
    "hud_runtime/serve/http/_access.py": (f"{_TESTS}/serving/test_tokens.py",),
    "hud_runtime/serve/http/_clients.py": (f"{_TESTS}/serving/test_application.py",),
    "hud_runtime/serve/http/_serve.py": (f"{_TESTS}/serving/test_http.py",),
    "hud_runtime/integrations/bridge/_place.py": _BRIDGE,
    "hud_runtime/integrations/bridge/_client.py": _BRIDGE,
    **{
        str(path.relative_to(ROOT)): _MASKS
        for path in sorted((ROOT / "hud_runtime/log/secrets").glob("_*.py"))
        if path.name != "__init__.py"
    },
}
"""By file: its own tests."""

TIME = "nobody notices so small a part of a time to wait"
INSTANT = "the two differ in one instant of a clock"
YES = "any number but 0 stands for yes"
ROOM = "the system writes what it has, in more room as well"

_TOKENS, _HTTP = "hud_runtime/serve/http/_access.py", "hud_runtime/serve/http/_serve.py"
_CLIENT = "hud_runtime/integrations/bridge/_client.py"
_SURROUNDINGS = "hud_runtime/log/secrets/_surroundings.py"

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (_TOKENS, "PATIENCE = 5_000", "5000 -> 5001"): TIME,
    (_TOKENS, 'file.write(json.dumps({"tokens": told}, indent=2) + "\\n")', "2 -> 3"): (
        "an indentation is for readers"
    ),
    (_HTTP, "IDLE = 75", "75 -> 76"): TIME,
    (_HTTP, "LAST_RESORT = 1", "1 -> 2"): TIME,
    (_HTTP, "made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)", "1 -> 2"): YES,
    (_HTTP, "made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)", "1 -> 2"): YES,
    (_CLIENT, "AGAIN = 1_800", "1800 -> 1801"): TIME,
    (
        _CLIENT,
        "if time.time() - os.stat(path).st_mtime < AGAIN:",
        "time.time() - os.stat(path).st_mtime < AGAIN -> time.time() - os.stat(path).st_mtime <= AGAIN",
    ): INSTANT,
    (
        _CLIENT,
        "if found is not None or not program or time.monotonic() > deadline:",
        "time.monotonic() > deadline -> time.monotonic() >= deadline",
    ): INSTANT,
    (
        _CLIENT,
        "found = wire.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)",
        "12 -> 13",
    ): ROOM,
    (_CLIENT, "found = wire.getsockopt(0, 1, 76)", "76 -> 77"): ROOM,
    (_CLIENT, "more = wire.recv(65536)", "65536 -> 65537"): ROOM,
    (_CLIENT, "part = os.read(0, 65536)", "65536 -> 65537"): ROOM,
    (
        _CLIENT,
        'head = b"%s %d %s\\n" % (kind.encode(), len(given), os.urandom(8).hex().encode())',
        "8 -> 9",
    ): "a longer id tells the same",
    (_SURROUNDINGS, 'return text[max(at - 400, 0) : at].rpartition("\\n")[2]', "400 -> 401"): (
        "the bound keeps the time in proportion; no meaning of a line depends on it"
    ),
    (
        _SURROUNDINGS,
        'behind = self.text[self.found.end() : self.found.end() + 400].split("\\n")',
        "400 -> 401",
    ): "as above",
    (
        _SURROUNDINGS,
        'before = self.text[max(self.found.start() - 400, 0) : self.found.start()].split("\\n")',
        "400 -> 401",
    ): "as above",
    (_SURROUNDINGS, "while stop > least:", "stop > least -> stop >= least"): (
        "the line that is looked at once more is empty, and an empty line ends a key"
    ),
}
"""By file, source line and change: why no test can tell the difference."""

_OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    file: str
    line: int
    source: str
    """The line, without its indentation and its comment."""
    change: str
    """What became of what."""
    text: str
    """The whole file with the change."""

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}  {self.change}   in: {self.source}"

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.source, self.change


def mutants_of(file: str) -> Iterator[Mutant]:
    """Yield all changes of a file, in the order of its lines."""
    text = (ROOT / file).read_text()
    tree = ast.parse(text)
    lines = text.splitlines()
    for site in _sites(tree):
        old = ast.unparse(site)
        with _changed(site) as new:
            if new is None:
                continue
            source = lines[site.lineno - 1].partition("  # ")[0].strip()
            made = Mutant(file, site.lineno, source, f"{old} -> {new}", ast.unparse(tree))
        yield made


class _changed:  # noqa: N801 - it reads as a verb where it is used
    """Changes a node of a tree for a while, and gives its new source; None where nothing is to be changed."""

    def __init__(self, node: ast.AST) -> None:
        self._node, self._before = node, dict(vars(node))

    def __enter__(self) -> str | None:
        node = self._node
        match node:
            case ast.Compare(ops=[operator, *rest]) if type(operator) in _OPPOSITE:
                node.ops = [_OPPOSITE[type(operator)](), *rest]  # type: ignore[list-item]
            case ast.BoolOp():
                node.op = _OPPOSITE[type(node.op)]()  # type: ignore[assignment]
            case ast.Constant(value=bool()):
                node.value = not node.value
            case ast.Constant(value=int(value)):
                node.value = value + 1
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), operand)
            case ast.Expr(value=ast.Call() | ast.Await()):
                node.value = ast.Constant(None)
            case _:
                return None
        return ast.unparse(node)

    def __exit__(self, *_: object) -> None:
        vars(self._node).update(self._before)


def _sites(tree: ast.AST) -> list[ast.expr | ast.stmt]:
    """The nodes that may be changed: what runs, but for annotations, defaults of types and documentation."""
    found: list[ast.expr | ast.stmt] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Compare | ast.BoolOp | ast.Constant | ast.UnaryOp | ast.Expr):  # fmt: skip
            found.append(node)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases", "keywords") and not isinstance(node, ast.Call):  # fmt: skip
                continue
            stack += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)]  # fmt: skip
    return sorted(found, key=lambda node: (node.lineno, node.col_offset, ast.dump(node)))


def passes(file: str, tree: Path) -> bool:
    """Run a file's examples and tests in a tree, and tell whether they pass, and in time."""
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-p", "no:randomly"]
    with subprocess.Popen(
        [*command, file, *GUARDS[file]],
        cwd=tree,
        env={**os.environ, "HYPOTHESIS_PROFILE": "further"},  # properties are tried as by make laws
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as tests:
        try:
            return tests.wait(SECONDS) == 0
        except subprocess.TimeoutExpired:
            os.killpg(tests.pid, signal.SIGKILL)  # with what they have started
            return False


def caught(mutant: Mutant, tree: Path) -> bool:
    """Make the change in a tree, tell whether a test of its file fails, and undo it."""
    path = tree / mutant.file
    before = path.read_text()
    path.write_text(mutant.text)
    try:
        return not passes(mutant.file, tree)
    finally:
        path.write_text(before)


def main(words: Sequence[str]) -> int:
    """Draw the changes, try them, and return the exit status."""
    every = [each for file in GUARDS for each in mutants_of(file)]
    if gone := EQUIVALENT.keys() - {each.key for each in every}:
        sys.exit(f"the code has moved on; bring EQUIVALENT up to date: {sorted(gone)}")
    all_of_them, words = "--all" in words, [word for word in words if word != "--all"]
    drawn = every if all_of_them else Random(SEED).sample(every, min(COUNT, len(every)))
    chosen = [each for each in drawn if all(word in each.file for word in words)]
    tried = [each for each in chosen if each.key not in EQUIVALENT]
    with TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as workers:
        Path(folder).chmod(0o755)  # the tests of strangers are other users
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(WORKERS):
            trees.put(copy_of_the_tree(Path(folder) / str(number)))

        def attempt(mutant: Mutant) -> bool:
            tree = trees.get()
            try:
                return caught(mutant, tree)
            finally:
                trees.put(tree)

        files = sorted({each.file for each in tried})
        unchanged = [Mutant(file, 0, "", "nothing", (ROOT / file).read_text()) for file in files]
        if any(failing := [*workers.map(attempt, unchanged)]):
            sys.exit(f"without any change, tests fail of: {[*compress(files, failing)]}")
        survivors: list[Mutant] = []
        for mutant, was_caught in zip(tried, workers.map(attempt, tried), strict=True):
            survivors += [] if was_caught else [mutant]
            sys.stdout.write(f"{'caught' if was_caught else 'SURVIVED':8}  {mutant.name}\n")
            sys.stdout.flush()
    for mutant in chosen:
        if mutant.key in EQUIVALENT:
            sys.stdout.write(f"no change  {mutant.name}: {EQUIVALENT[mutant.key]}\n")
    count = len(tried) - len(survivors)
    sys.stdout.write(f"{count} of {len(tried)} caught, of {len(every)} possible changes\n")
    return 0 if tried and count >= SHARE * len(tried) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
