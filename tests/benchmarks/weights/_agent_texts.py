"""Texts as agents read them, made of the files of wheels: calls, their results, logs, diffs, answers, HUDs.

In: files by path. Out: texts by kind. Names, paths, sentences and code are those of the files; all else is a
template of what a tool or a host writes.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from random import Random
from textwrap import dedent
from typing import Any

from hud_runtime import HudSession, HudStore
from ujsx import Density, UjsxError

LONGEST = 4000
"""Characters of a text."""

SIZES = (200, 300, 500, 800, 1200, 2000, LONGEST)

ROOTS = (
    "/home/ann/work/app/",
    "/Users/kim/code/",
    "",
    "",
    "src/",
    "./",
    "/workspace/",
    "C:\\work\\",
)


CODE = (".py", ".js", ".ps1", ".yml", ".json", ".html", ".css")


class AgentTexts:
    """Makes texts of files, by lot."""

    verbs: tuple[str, ...] = (
        *("fix", "add", "check", "update", "remove", "look at", "can you review", "revert"),
    )
    """What is done with a name, in English."""

    def __init__(self, files: Mapping[str, str], lot: Random) -> None:
        self.lot, self.pick = lot, lot.choice
        self.paths = sorted(files)
        self.code: dict[str, list[tuple[str, str]]] = {}
        for path in self.paths:
            if path.endswith(CODE) and len(re.findall(r"[A-Za-z_]\w{3,}", files[path])) > 20:
                self.code.setdefault(path.rpartition(".")[2], []).append((path, files[path]))
        self.endings = [*self.code, "py", "py", "py", "js"]
        every = "\n".join(files.values())
        self.urls = sorted(set(re.findall(r"https?://[^\s<>\"'`)\]},]{12,160}", every)))
        said = re.findall(
            r"(?:\"\"\"|# |^    |^)([A-Z][a-z][^\n\"`=<>]{20,200}[.:\w])$", every, re.MULTILINE
        )
        self.sentences: list[str] = sorted({each for each in said if each.count(" ") > 4})
        said = re.findall(r"\n *\n((?: *[\w(][^\n=<>{};]{50,90}\n){2,12})", every)
        self.paragraphs = sorted(set(map(dedent, said)))

    def speaking(self, sentences: list[str]) -> AgentTexts:
        """Return what makes texts of the same files, in which other sentences are said."""
        found = copy(self)
        found.sentences = found.paragraphs = [" ".join(each.split()) for each in sentences]
        found.verbs = ()
        return found

    def texts(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each kind with its texts."""
        for kind, (make, count) in self.kinds().items():
            made: list[str] = []
            while len(made) < count:
                text = make()[:LONGEST]
                if len(text) >= 150:
                    made.append(text)
            yield kind, made
        yield from self.huds(240)

    def kinds(self) -> dict[str, tuple[Callable[[], str], int]]:
        """Return what makes a text of each kind, and how many there are."""
        return {
            "calls": (lambda: self.lines(self.call, 1, 6), 200),
            "commands": (lambda: self.lines(self.command, 3, 15), 60),
            "code": (lambda: self.part(self.file()[1]), 160),
            "numbered code": (self.numbered, 120),
            "matches": (self.matches, 100),
            "paths": (self.found_paths, 100),
            "listings": (lambda: self.lines(self.entry, 4, 40), 60),
            "status": (self.status, 60),
            "diffs": (self.diff, 120),
            "tracebacks": (self.traceback, 80),
            "test runs": (lambda: self.lines(self.test_line, 4, 16), 80),
            "commits": (lambda: self.lines(self.commit, 2, 25), 60),
            "links": (lambda: self.lines(self.link, 4, 30), 60),
            "JSON results": (self.json_result, 120),
            "answers": (lambda: self.lines(self.answer_line, 2, 10), 200),
            "prose": (lambda: self.lines(lambda: self.pick(self.paragraphs), 1, 5), 200),
            "service logs": (self.log, 80),
        }

    # parts

    def lines(self, line: Callable[[], str], least: int, most: int) -> str:
        return "\n".join(line() for _ in range(self.lot.randrange(least, most)))

    def file(self) -> tuple[str, str]:
        return self.pick(self.code[self.pick(self.endings)])

    def path(self) -> str:
        root, path = self.pick(ROOTS), self.pick(self.paths)
        return root + (path.replace("/", "\\") if "\\" in root else path)

    def name(self) -> str:
        names: list[str] = re.findall(r"[A-Za-z_]\w{3,}", self.file()[1])
        return names[self.number(len(names))]

    def sentence(self) -> str:
        return self.sentences[self.number(len(self.sentences))]

    def part(self, text: str, size: int | None = None) -> str:
        size = size or self.pick(SIZES)
        at = text.rfind("\n", 0, self.lot.randrange(max(1, len(text) - size))) + 1
        return text[at : at + size]

    def number(self, most: int = 1000) -> int:
        return self.lot.randrange(most)

    def digest(self, digits: int) -> str:
        return f"{self.lot.getrandbits(4 * digits):0{digits}x}"

    # what an agent writes

    def command(self) -> str:
        path, name = self.path(), self.name()
        folder = path.rpartition("/")[0] or "."
        return self.pick(
            (
                f"cd {folder} && git status",
                f'grep -rn "{name}" {path} | head -{self.number(60)}',
                f"python -m pytest {path}::test_{name} -x -q 2>&1 | tail -{self.number(50)}",
                f"sed -n '{self.number()},{self.number()}p' {path}",
                f'find . -name "*{name}*" -not -path "*/node_modules/*"',
                f'git commit -m "{self.sentence()}"',
                f"git diff HEAD~1 -- {path}",
                f"npm run {self.pick(('build', 'test', 'lint'))} -- --filter={name}",
                f"go test ./{folder}/... -run Test{name.title()} -count=1",
                f"git add -A && git commit -m \"$(cat <<'EOF'\n{self.sentence()}\n\n{self.sentence()}\nEOF\n)\"",
                f"gh pr view {self.number(9999)} --json title,body,files",
                f"mkdir -p {folder} && cp {path} /tmp/{name}.bak",
                f"curl -s http://localhost:{self.number(9999)}/api/{name.lower()} | jq .data",
            )
        )

    def call(self) -> str:
        name, arguments = self.arguments()
        key = "".join(
            self.lot.choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789", k=22)
        )
        text = json.dumps(arguments)
        return self.pick(
            (
                text,
                json.dumps({"name": name, "input": arguments}, ensure_ascii=False),
                json.dumps(
                    {"type": "tool_use", "id": f"toolu_01{key}", "name": name, "input": arguments}
                ),
                json.dumps(
                    {
                        "id": f"call_{key}",
                        "type": "function",
                        "function": {"name": name, "arguments": text},
                    }
                ),
            )
        )

    def arguments(self) -> tuple[str, dict[str, Any]]:
        path, name, code = self.path(), self.name(), self.file()[1]
        old = self.part(code, self.pick((60, 150, 400, 900)))
        steps = [
            {
                "content": self.sentence(),
                "status": self.pick(("pending", "in_progress", "completed")),
            }
            for _ in range(self.lot.randrange(1, 7))
        ]
        prompt = " ".join(self.sentence() for _ in range(self.lot.randrange(1, 8)))
        return self.pick(
            (
                ("Read", {"file_path": path}),
                ("Read", {"file_path": path, "offset": self.number(), "limit": self.number(200)}),
                (
                    "Edit",
                    {
                        "file_path": path,
                        "old_string": old,
                        "new_string": old.replace(" = ", ": int = "),
                    },
                ),
                ("Write", {"file_path": path, "content": self.part(code)}),
                ("Bash", {"command": self.command(), "description": self.sentence()[:60]}),
                ("Bash", {"command": self.command(), "timeout": 120000}),
                (
                    "Grep",
                    {
                        "pattern": f"def {name}\\(",
                        "path": path,
                        "output_mode": "content",
                        "-n": True,
                    },
                ),
                ("TodoWrite", {"todos": steps}),
                ("Task", {"description": self.sentence()[:50], "prompt": prompt}),
            )
        )

    def answer_line(self) -> str:
        name, path = self.name(), self.path()
        return self.pick(
            (
                self.sentence(),
                self.pick(self.paragraphs),
                self.pick(self.paragraphs),
                f"- `{name}` in `{path}`: {self.sentence()}",
                f"## {self.sentence()[:40]}\n",
                f"Let me check `{path}:{self.number()}` — {self.sentence()}",
                f"```python\n{self.part(self.file()[1], 300)}\n```",
                f"{self.number(9)}. **{name}**: {self.sentence()}",
                f"✅ {self.sentence()}",
            )
        )

    # what tools answer

    def numbered(self) -> str:
        first, mark = self.number(600), self.pick(("\t", "→"))
        lines = self.part(self.file()[1]).split("\n")
        return "\n".join(f"{number:6}{mark}{line}" for number, line in enumerate(lines, first))

    def matches(self) -> str:
        found: list[str] = []
        while len(found) < 12:
            (_, text), path, word = self.file(), self.path(), self.name()
            lines = enumerate(text.split("\n"), 1)
            hits = [
                f"{path}:{at}:{line}" for at, line in lines if word[:5] in line and len(line) < 200
            ]
            found += hits[: self.lot.randrange(1, 9)]
        return "\n".join(found)

    def found_paths(self) -> str:
        root, first, step = (
            self.pick(ROOTS[:-1]),
            self.number(len(self.paths)),
            self.pick((1, 1, 7, 100)),
        )
        count = self.lot.randrange(5, 60)
        return "\n".join(
            root + self.paths[(first + step * n) % len(self.paths)] for n in range(count)
        )

    def entry(self) -> str:
        size, name = (
            self.number(10 ** self.lot.randrange(1, 7)),
            self.pick(self.paths).rpartition("/")[2],
        )
        return (
            f"{self.pick(('-rw-r--r--', 'drwxr-xr-x'))}  {self.number(9)} ann staff {size:6} "
            f"Nov {self.number(30):2} {self.number(24):02}:{self.number(60):02} {name}"
        )

    def status(self) -> str:
        paths = self.lot.sample(self.paths, self.lot.randrange(5, 30))
        return self.pick(
            (
                "On branch main\nChanges not staged for commit:\n"
                + "\n".join(f"\tmodified:   {path}" for path in paths),
                "\n".join(self.pick((" M ", "?? ", "A  ")) + path for path in paths),
                "\n".join(
                    f" {path} | {self.number(200):3} {'+' * self.number(20)}" for path in paths
                )
                + f"\n {len(paths)} files changed, {self.number()} insertions(+)",
            )
        )

    def diff(self) -> str:
        path, text = self.file()
        old = text.split("\n")
        new = list(old)
        for _ in range(self.lot.randrange(1, 6)):
            at = self.lot.randrange(len(new))
            new[at : at + self.number(4)] = self.part(
                self.file()[1], self.pick((80, 200, 400))
            ).split("\n")
        hunks = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")
        index = f"index {self.digest(7)}..{self.digest(7)} 100644"
        return "\n".join((f"diff --git a/{path} b/{path}", index, *hunks))

    def traceback(self) -> str:
        calls = re.findall(r"^ *(\w.{5,90}\(.{0,40})$", self.file()[1], re.MULTILINE) or ["raise"]
        frames = (
            f'  File "{self.path()}", line {self.number(2000)}, in {self.name()}\n    {self.pick(calls)}'
            for _ in range(self.lot.randrange(2, 8))
        )
        error = self.pick(
            ("ValueError", "KeyError", "ModuleNotFoundError", "TypeError", "AttributeError")
        )
        return "\n".join(
            ("Traceback (most recent call last):", *frames, f"{error}: {self.sentence()}")
        )

    def test_line(self) -> str:
        path, name, other = self.pick(self.paths), self.name(), self.name()
        return self.pick(
            (
                f"{path} {'.' * self.number(50)}F  [ {self.number(99)}%]",
                f"{path}::Test{name.title()}::test_{other} PASSED [{self.number(100):3}%]",
                f"FAILED {path}::test_{name} - AssertionError: assert {self.number()} == {self.number()}",
                f"--- FAIL: Test{name.title()} (0.{self.number(99):02}s)\n    {other}_test.go:{self.number()}: {self.sentence()}",
                f"ok  \tgithub.com/{name.lower()}/{other.lower()}\t0.{self.number():03}s",
                f"{'=' * 20} {self.number(9)} failed, {self.number(300)} passed in {self.number()}.{self.number(99):02}s {'=' * 20}",
            )
        )

    def commit(self) -> str:
        digest = self.digest(40)
        return self.pick(
            (
                f"{digest[:7]} {self.sentence()}",
                (
                    f"commit {digest}\nAuthor: Ann Lee <ann.lee@example.com>\n"
                    f"Date:   Mon Nov {self.number(29)} {self.number(24):02}:{self.number(60):02}:07 2026 +0100\n\n    {self.sentence()}\n"
                ),
            )
        )

    def link(self) -> str:
        return f"{self.pick(('', '- ', 'see '))}{self.pick(self.urls)}{self.pick(('', '', f'#L{self.number()}'))}"

    def json_result(self) -> str:
        rows = [self.value(3) for _ in range(self.lot.randrange(1, 6))]
        return json.dumps(rows, indent=self.pick((None, None, 2, 4)))

    def value(self, depth: int) -> object:
        kinds: list[Callable[[], object]] = [
            lambda: self.number(10 ** self.lot.randrange(1, 10)),
            self.sentence,
            self.path,
            lambda: self.pick((True, False, None)),
            self.name,
            lambda: self.pick(self.urls),
            lambda: [self.value(depth - 1) for _ in range(self.number(4))],
            lambda: {self.name().lower(): self.value(depth - 1) for _ in range(self.number(7))},
            lambda: {self.name().lower(): self.value(depth - 1) for _ in range(self.number(7))},
        ]
        return self.pick(kinds if depth else kinds[:6])()

    def log(self) -> str:
        form = self.number(4)
        return self.lines(lambda: self.log_line(form), 4, 40)

    def log_line(self, form: int) -> str:
        day = f"2026-{self.lot.randrange(1, 13):02}-{self.lot.randrange(1, 29):02}"
        time = f"{self.number(24):02}:{self.number(60):02}:{self.number(60):02}"
        level, module = (
            self.pick(("INFO", "DEBUG", "ERROR", "WARN")),
            self.pick(self.paths)[:-3].replace("/", "."),
        )
        said, number = self.sentence(), self.number(10**6)
        return (
            f"{day} {time},{number % 1000:03} {level} {module}: {said}",
            f"[{day}T{time}.{number % 1000:03}Z] {level:7} {module} - {said} id={number}",
            f"{day}T{time}Z {level} [{module}:{number % 900}] {said} path={self.path()}",
            json.dumps(
                {
                    "ts": f"{day}T{time}Z",
                    "level": level,
                    "logger": module,
                    "msg": said,
                    "ms": number,
                }
            ),
        )[form]

    # what a HUD says

    def huds(self, count: int) -> Iterator[tuple[str, list[str]]]:
        """Yield HUDs at each density and what was appended of them, of sessions that record things by lot."""
        kinds = (*(f"HUDs, {density}" for density in Density), "deltas")
        made: dict[str, list[str]] = {kind: [] for kind in kinds}
        while len(made["deltas"]) < count:
            with HudStore.open(":memory:", clock=lambda: 0) as store:
                session = store.session("made")
                session.record("task.set", description=self.saying(), turn=1)
                for turn in range(2, self.lot.randrange(4, 14)):
                    for _ in range(self.lot.randrange(1, 5)):
                        self.record(session, turn)
                    delta = session.deliver().text
                    if len(delta) > 60 and not self.number(3):
                        made["deltas"].append(delta)
                    if not self.number(3):
                        for density in Density:
                            made[f"HUDs, {density}"].append(session.hud(density=density).text)
        yield from ((kind, texts[:count]) for kind, texts in made.items())

    def record(self, session: HudSession[Any], turn: int) -> None:
        events: list[tuple[str, dict[str, object]]] = [
            ("file.open", {"path": self.path()}),
            ("file.open", {"path": self.pick(self.paths)}),
            ("file.edit", {"path": self.path()}),
            ("file.edit", {"path": self.pick(self.paths)}),
            ("message.said", {"speaker": "agent", "text": self.saying()}),
            (
                "message.said",
                {"speaker": "agent", "text": " ".join(self.pick(self.paragraphs).split())},
            ),
            ("message.said", {"speaker": "ran", "text": self.command()}),
            ("message.said", {"speaker": "ran", "text": self.command()}),
            (
                "check.result",
                {"command": self.command()[:80], "result": self.pick(("pass", "fail"))},
            ),
            (
                "error.encountered",
                {"message": self.pick((self.saying(), f"exit code 1: {self.command()}"))},
            ),
            ("note.add", {"content": self.saying()}),
            (
                "decision.record",
                {"summary": self.saying(), "details": self.pick(("", self.saying()))},
            ),
            ("step.add", {"description": self.saying()}),
            ("fact.set", {"name": "branch", "value": f"ann/{self.name().lower()}-{self.number()}"}),
            ("fact.set", {"name": "commit", "value": f"{self.digest(7)} {self.sentence()[:40]}"}),
            (
                "context.snapshot",
                {"used": self.number(190_000), "limit": 200_000, "model": "claude-opus-4-6"},
            ),
            ("task.set", {"description": self.saying()}),
            ("blocker.add", {"description": self.saying()}),
        ]
        name, payload = self.pick(events)
        try:
            session.record(name, payload, turn=turn)
        except UjsxError:
            return  # the lot made a payload that no session takes

    def saying(self) -> str:
        """Return what a user or an agent says."""
        name, path = self.name(), self.path()
        if not self.verbs:
            return self.sentence()
        verb = self.pick(self.verbs)
        rest = self.pick(
            (
                "",
                f" in {path}",
                f" and `{name}`",
                " please",
                " — it breaks the build",
                f" (#{self.number(9999)})",
            )
        )
        return self.pick(
            (
                self.sentence(),
                self.sentence(),
                f"{verb} {name}{rest}",
                f"Let me {verb} {name}{rest}. {self.sentence()}",
                f"Now I'll {verb} `{name}`{rest}: {self.sentence()}",
            )
        )
