"""The example of a fleet: its compose file can be read, and says what the docs say."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hud_runtime.cli import main
from tests.ids import looped

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "fleet"

COMPOSE = FOLDER / "compose.yaml"


def read(text: str) -> Any:
    """Read what a compose file needs of YAML: mappings and lists by their indents, and scalars; all else is refused."""
    lines = [
        (len(line) - len(line.lstrip()), line.strip())
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    value, rest = _block(lines)
    assert not rest, rest[0]
    return value


def _block(lines: list[tuple[int, str]]) -> tuple[Any, list[tuple[int, str]]]:
    depth = lines[0][0]
    if lines[0][1].startswith("- "):
        items = []
        while lines and lines[0][0] == depth and lines[0][1].startswith("- "):
            items.append(_scalar(lines[0][1][2:]))
            lines = lines[1:]
        return items, lines
    found: dict[str, Any] = {}
    while lines and lines[0][0] == depth:
        match = re.fullmatch(r"([A-Za-z_][\w-]*):(?: (.+))?", lines[0][1])
        assert match, lines[0]
        assert match[1] not in found, lines[0]
        lines = lines[1:]
        if match[2]:
            found[match[1]] = _scalar(match[2])
        elif lines and lines[0][0] > depth:
            found[match[1]], lines = _block(lines)
        else:
            found[match[1]] = None
    assert not lines or lines[0][0] < depth, lines[0]
    return found, lines


def _scalar(text: str) -> Any:
    if text[0] in '["':
        return json.loads(text)
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"\d+", text):
        return int(text)
    assert re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9._-]*", text), text
    return text


@pytest.fixture
def compose() -> Any:
    return read(COMPOSE.read_text())


@pytest.mark.skipif(find_spec("yaml") is None, reason="another reader of YAML is not installed")
def test_is_read_as_others_read_it(compose: Any) -> None:
    import yaml  # type: ignore[import-untyped,unused-ignore]

    assert yaml.safe_load(COMPOSE.read_text()) == compose


@looped(
    "wrong",
    ["a: [1", "a:\n b: 1\n  c: 2", "a: 1\na: 2", "a: *x", "- a\nb: 1", "a: {b: 1}", "<<: x"],
)
def test_what_is_not_understood_is_no_yaml_here(wrong: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        read(wrong)


def test_names_only_what_is_there(compose: Any) -> None:
    services, volumes = compose["services"], compose["volumes"]
    for name, service in services.items():
        assert ("image" in service) != ("build" in service), name
        for other in service.get("depends_on", {}):
            assert "healthcheck" in services[other]
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert (FOLDER / source).is_file() if source.startswith(".") else source in volumes
    assert services["server"]["deploy"] == {"replicas": 2}
    assert (FOLDER / services["server"]["build"] / "Dockerfile").is_file()


def test_only_the_proxy_is_reached_from_outside(compose: Any) -> None:
    published = {name for name, each in compose["services"].items() if "ports" in each}
    assert published == {"proxy"}
    proxied = (FOLDER / "Caddyfile").read_text()
    assert re.findall(r"handle (\S+)", proxied) == ["/mcp"]


def test_has_no_password_in_it(compose: Any) -> None:
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if "PASSWORD" in name:
                assert value.startswith("${HUD_PASSWORD:?")
    assert not re.search(r"postgresql://[^@\s]*:[^@\s]*@", COMPOSE.read_text())


def test_the_servers_are_started_with_options_that_there_are(
    compose: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *arguments = compose["services"]["server"]["command"]
    assert command == "serve"
    assert main(["serve", "--help"]) == 0
    told = capsys.readouterr().out
    named = [each for each in arguments if each.startswith("--")]
    assert [each for each in named if not re.search(rf"^ +{each}\b", told, re.MULTILINE)] == []
    options = {each.lstrip("-"): arguments[n + 1] for n, each in enumerate(arguments[:-1])}
    assert options["http"] == "0.0.0.0:8080"
    mounted = {each.split(":")[1] for each in compose["services"]["server"]["volumes"]}
    assert str(Path(options["tokens"]).parent) in mounted
    dockerfile = (FOLDER / "Dockerfile").read_text()
    assert 'ENTRYPOINT ["ujsx"]' in dockerfile
    assert re.search(r"--mode 0700 /tokens$", dockerfile, re.MULTILINE)
    assert "ujsx[mcp,postgres]" in dockerfile
