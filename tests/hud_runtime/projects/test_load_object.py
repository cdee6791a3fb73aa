"""``load_object``: an object by its name, from what is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hud_runtime import ProjectError
from hud_runtime.projects import load_object
from tests.ids import looped

ROOT = Path(__file__).parents[3]

CANARY = "open('canary', 'a').write(__name__)\nNAME = 'mine'\n"


def run(folder: Path, code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


# A test of what is installed starts where nothing is: "-c" puts an empty name into sys.path.
LOAD = (
    "import sys; sys.path.remove(''); from hud_runtime.projects import load_object; "
    "from hud_runtime import ProjectError; sys.path.insert(0, '')\n"
    "try: print(load_object({name!r}))\nexcept ProjectError as error: print(error)"
)


class TestLoad:
    def test_finds_what_is_installed(self) -> None:
        import hud_components

        assert load_object("hud_components:Hud") is hud_components.Hud
        assert load_object("os.path:join") is os.path.join
        assert load_object("ujsx:render").__name__ == "render"  # made on demand

    @looped(
        ("name", "message"),
        [
            ("hud_components", "an object is named package.module:NAME"),
            ("hud_components:", "an object is named"),
            (":Hud", "an object is named"),
            ("../evil:NAME", "an object is named"),
            ("/tmp/no/evil.py:NAME", "there is no file /tmp/no/evil.py"),
            ("evil.py:NAME", "write the whole path"),
            (".evil:NAME", "an object is named"),
            ("a b:NAME", "an object is named"),
            ("hud_components:Hud.of", "an object is named"),
            ("no_such_module_here:NAME", 'there is no module "no_such_module_here"'),
            ("hud_components.nothing:NAME", 'there is no module "hud_components.nothing"'),
            ("hud_components:Hudd", 'did you mean "Hud"?'),
        ],
    )
    def test_refuses_what_is_none(self, name: str, message: str) -> None:
        with pytest.raises(ProjectError) as caught:
            load_object(name)
        assert message in caught.value.message

    @pytest.mark.parametrize(
        ("code", "message"),
        [
            (
                "import no_such_module_here",
                "ModuleNotFoundError: No module named 'no_such_module_here'",
            ),
            ("raise SystemExit(3)", "SystemExit: 3"),
            ("1 / 0", "ZeroDivisionError"),
            ("def", "SyntaxError"),
        ],
    )
    def test_says_why_a_module_cannot_be_imported(
        self, tmp_path: Path, monkeypatch, code: str, message: str
    ) -> None:
        name = f"broken_{abs(hash(code))}"
        (tmp_path / f"{name}.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(ProjectError) as caught:
            load_object(f"{name}:NAME")
        assert message in caught.value.message

    def test_leaves_the_path_as_it_was(self) -> None:
        before = [*sys.path]
        load_object("hud_components:Hud")
        assert sys.path == before


class TestWorkingFolder:
    @looped("name", ["mine:NAME", "package.inner:NAME"])
    def test_is_not_looked_into(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "mine.py").write_text(CANARY)
        (tmp_path / "package").mkdir()
        (tmp_path / "package" / "__init__.py").write_text(CANARY)
        (tmp_path / "package" / "inner.py").write_text(CANARY)
        done = run(tmp_path, LOAD.format(name=name), PYTHONPATH=str(ROOT))
        assert "there is no module" in done.stdout, done.stderr
        assert not (tmp_path / "canary").exists()

    def test_is_looked_into_if_pythonpath_names_it(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(CANARY)
        path = os.pathsep.join([str(ROOT), str(tmp_path)])
        done = run(tmp_path, LOAD.format(name="mine:NAME"), PYTHONPATH=path)
        assert done.stdout == "mine\n", done.stderr

    def test_does_not_shadow_what_an_installed_module_imports(self, tmp_path: Path) -> None:
        installed = tmp_path / "installed"
        here = tmp_path / "here"
        installed.mkdir()
        here.mkdir()
        (installed / "honest.py").write_text("import wave\nNAME = wave.__file__\n")
        (here / "wave.py").write_text(CANARY)
        path = os.pathsep.join([str(ROOT), str(installed)])
        done = run(here, LOAD.format(name="honest:NAME"), PYTHONPATH=path)
        assert str(here) not in done.stdout
        assert not (here / "canary").exists()
