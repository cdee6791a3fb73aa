"""Files of other programs: a project's are not reached through links, a user's may be links."""

from __future__ import annotations

import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import InstallError, ServeError
from hud_runtime.integrations import claude_code, opencode
from tests.hud_runtime.integrations.inside import settings_file
from tests.ids import looped

CLAUDE = (".claude", ".claude/settings.local.json")
OPENCODE = (
    ".opencode",
    ".opencode/plugins",
    ".opencode/plugins/ujsx.js",
    ".git",
    ".git/info",
    ".git/info/exclude",
)
LINKS = [*((claude_code, each) for each in CLAUDE), *((opencode, each) for each in OPENCODE)]
"""Each host whose HUD can be for one project, and each name on the way to what it writes there."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "cloned"
    (folder / ".git" / "info").mkdir(parents=True)
    (folder / ".git" / "info" / "exclude").write_text("*.tmp\n")
    return folder


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "config").mkdir()
    return {"config": tmp_path / "config", "store": tmp_path / "hud" / "hud.db"}


def seen(folder: Path) -> dict[str, object]:
    """All that is below a folder: links, folders, and files with their bytes."""
    return {
        str(each.relative_to(folder)): each.readlink()
        if each.is_symlink()
        else each.is_file() and (each.read_bytes(), each.stat().st_mode)
        for each in sorted(folder.rglob("*"))
    }


def link_out(project: Path, name: str, *, is_there: bool = True) -> Path:
    """Let a name in a project be a link that leads out of it, to what had the name if anything had."""
    outside = project.with_name("outside") / Path(name).name
    outside.parent.mkdir(exist_ok=True)
    if (project / name).exists():
        (project / name).rename(outside)
    elif is_there and "." in Path(name).name[1:]:
        outside.write_text("{}" if name.endswith("json") else "// mine\n")
    elif is_there:
        outside.mkdir()
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).symlink_to(outside)
    return outside.parent


class TestLinksOfAProject:
    @pytest.mark.parametrize(
        ("host", "name", "is_there"),
        [
            (*each, is_there)
            for each in LINKS
            for is_there in (True, False)
            if is_there
            or each[1] != ".git"  # one that leads nowhere has no list, and none is written
        ],
    )
    def test_install_refuses_one_and_changes_nothing(
        self, project: Path, options: dict[str, Any], host: Any, name: str, is_there: bool
    ) -> None:
        if not is_there:
            shutil.rmtree(project / ".git")
            (project / ".git").mkdir()
        outside = link_out(project, name, is_there=is_there)
        before = seen(outside), seen(project), seen(options["config"])
        with pytest.raises(InstallError) as caught:
            host.install(project, **options)
        assert f"{project / name}: it is a link" in caught.value.message
        assert (seen(outside), seen(project), seen(options["config"])) == before

    @pytest.mark.parametrize(("host", "name"), LINKS)
    def test_uninstall_refuses_one_that_came_later(
        self, project: Path, options: dict[str, Any], host: Any, name: str
    ) -> None:
        host.install(project, **options)
        outside = link_out(project, name)
        before = seen(outside), seen(project), seen(options["config"])
        with pytest.raises(InstallError, match="it is a link"):
            host.uninstall(project, **options)
        assert (seen(outside), seen(project), seen(options["config"])) == before

    @pytest.mark.parametrize(("host", "name"), LINKS)
    def test_one_that_stays_inside_is_refused_as_well(
        self, project: Path, options: dict[str, Any], host: Any, name: str
    ) -> None:
        outside = link_out(project, name)
        outside.rename(project / "inside")
        (project / name).unlink()
        (project / name).symlink_to(project / "inside" / Path(name).name)
        with pytest.raises(InstallError, match="it is a link"):
            host.install(project, **options)

    @pytest.mark.parametrize(
        "host_and_name",
        [(claude_code, ".claude"), (opencode, ".opencode/plugins"), (opencode, ".git/info")],
    )
    @pytest.mark.parametrize("what", ["install", "uninstall"])
    def test_one_that_comes_in_between_leads_nowhere(
        self,
        project: Path,
        options: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
        host_and_name: tuple[Any, str],
        what: str,
    ) -> None:
        """The folder is exchanged for a link before each call that looks at, makes, writes or removes a file."""
        host, name = host_and_name
        outside = project.with_name("outside")
        outside.mkdir()
        for each in ("settings.local.json", "ujsx.js", "exclude"):
            (outside / each).write_text("mine\n")
        before, was = seen(outside), project.with_name("was")
        for number in itertools.count():
            (project / name).mkdir(parents=True, exist_ok=True)
            if what == "uninstall":
                host.install(project, **options)
            with monkeypatch.context() as patch:
                calls = _exchanged(patch, number, project / name, outside, was)
                with suppress(OSError, InstallError):
                    getattr(host, what)(project, **options)
            assert seen(outside) == before
            is_over = not (project / name).is_symlink()
            for left in (project / ".claude", project / ".opencode", was, options["store"].parent):
                shutil.rmtree(left, ignore_errors=True)
            if (project / name).is_symlink():
                (project / name).unlink()
            (options["config"] / ".claude.json").unlink(missing_ok=True)
            if is_over:
                break
        assert next(calls) > 5

    def test_the_folder_that_a_person_names_may_be_one(
        self, project: Path, options: dict[str, Any]
    ) -> None:
        link = project.with_name("link")
        link.symlink_to(project)
        for host in (claude_code, opencode):
            assert host.install(link, **options).changed
            assert host.uninstall(link, **options).changed


def _exchanged(
    patch: pytest.MonkeyPatch, number: int, folder: Path, link: Path, was: Path
) -> Iterator[int]:
    """Exchange a folder for a link before one of the calls; gives how many there were."""
    calls = itertools.count()

    def before(act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*given: Any, **options: Any) -> Any:
            if next(calls) == number and folder.exists():
                shutil.move(folder, was)
                folder.symlink_to(link)
            return act(*given, **options)

        return acting

    for name in ("open", "mkdir", "chmod", "replace", "unlink"):
        patch.setattr(os, name, before(getattr(os, name)))
    return calls


class TestLinksOfAUser:
    """Dotfiles that are kept elsewhere are links by intent."""

    @pytest.mark.parametrize("name", ["plugins", "plugins/ujsx.js"])
    def test_go_on_working(self, options: dict[str, Any], tmp_path: Path, name: str) -> None:
        link, dotfiles = options["config"] / name, tmp_path / "dotfiles"
        link.parent.mkdir(exist_ok=True)
        if name == "plugins":
            dotfiles.mkdir()
        link.symlink_to(dotfiles)
        opencode.install(**options)
        assert link.is_symlink()
        assert (dotfiles / "ujsx.js" if name == "plugins" else dotfiles).is_file()
        opencode.uninstall(**options)
        assert link.is_symlink()
        assert dotfiles.is_dir() == (name == "plugins")
        assert not (dotfiles / "ujsx.js").exists()


class TestModes:
    def test_what_is_made_is_the_owners_alone_whatever_the_umask(
        self, project: Path, options: dict[str, Any]
    ) -> None:
        (project / ".git" / "info" / "exclude").chmod(0o664)
        mask = os.umask(0)
        try:
            for host in (claude_code, opencode):
                host.install(project, **options)
        finally:
            os.umask(mask)
        made = [
            *project.rglob("*"),
            *options["config"].rglob("*"),
            *options["store"].parent.rglob("*"),
        ]
        for each in made:
            if ".git" not in each.parts:
                wanted = 0o700 if each.is_dir() else 0o600
                assert stat.S_IMODE(each.stat().st_mode) == wanted, each
        assert stat.S_IMODE((project / ".git" / "info" / "exclude").stat().st_mode) == 0o664

    @pytest.mark.parametrize("host", [claude_code, opencode])
    def test_what_others_could_have_put_beside_the_store_is_not_put_back(
        self, project: Path, options: dict[str, Any], host: Any
    ) -> None:
        host.install(project, **options)
        kept = options["store"].parent / "installed"
        kept.chmod(0o777)
        before = seen(project)
        for act in (host.install, host.uninstall):
            with pytest.raises(ServeError, match=f"others may write to {kept}"):
                act(project, **options)
        assert seen(project) == before


class TestFiles:
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "settings.json")
        for within in (None, tmp_path):
            with pytest.raises(InstallError, match="not a regular file"):
                settings_file.read_file(tmp_path / "settings.json", within)

    @looped("within", [True, False])
    def test_what_goes_wrong_is_told_with_the_whole_path(
        self, tmp_path: Path, within: bool
    ) -> None:
        path, root = tmp_path / "a" / "c.json", tmp_path if within else None
        path.mkdir(parents=True)
        opened = Path("/proc/self/fd")  # where the system shows them
        before = len([*opened.glob("*")])
        for act in (
            settings_file.read_file,
            settings_file.remove_file,
            lambda path, root: settings_file.write_file(path, "x", within=root),
        ):
            with pytest.raises(OSError, match=f"'{path}'"):
                act(path, root)
        assert len([*opened.glob("*")]) == before

    @pytest.mark.parametrize("within", [True, False])
    def test_are_written_whole_read_and_removed(self, tmp_path: Path, within: bool) -> None:
        path, root = tmp_path / "a" / "b" / "c.json", tmp_path if within else None
        assert settings_file.read_file(path, root) is None
        settings_file.write_file(path, "one", within=root)
        settings_file.write_file(path, "two", within=root)
        assert settings_file.read_file(path, root) == "two"
        settings_file.remove_file(path, root)
        assert [*path.parent.iterdir()] == []

    def test_a_link_that_comes_before_the_file_is_renamed_is_replaced(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outside, path = tmp_path / "outside.json", tmp_path / "project" / "c.json"
        outside.write_text("mine")
        path.parent.mkdir()
        path.symlink_to(outside)
        monkeypatch.setattr(settings_file, "_refuse_links", lambda *_: None)
        settings_file.write_file(path, "ours", within=path.parent)
        assert (outside.read_text(), path.is_symlink(), path.read_text()) == ("mine", False, "ours")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_without_descriptors_a_link_is_refused_as_well(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(settings_file, "HAS_DESCRIPTORS", False)
        self.test_are_written_whole_read_and_removed(tmp_path, within=True)
        (tmp_path / "link").symlink_to(tmp_path / "a")
        with pytest.raises(InstallError, match="it is a link"):
            settings_file.write_file(tmp_path / "link" / "c.json", "x", within=tmp_path)


def test_what_is_written_is_on_the_disk_before_it_has_its_name(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    fsync, replace = os.fsync, os.replace

    def force(handle: int) -> None:
        done.append(os.fstat(handle).st_ino)
        fsync(handle)

    def rename(made: Any, name: Any, **folders: Any) -> None:
        inode = os.stat(made, dir_fd=folders.get("src_dir_fd")).st_ino
        assert inode in done, name
        replace(made, name, **folders)

    monkeypatch.setattr(os, "fsync", force)
    monkeypatch.setattr(os, "replace", rename)
    claude_code.install(**options)
    settings = options["config"] / "settings.json"
    assert settings.stat().st_ino in done
