"""Layouts of a domain of one's own: of ``--layout``, of the agent, of the session; checked and shown."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("warm_previews")

MODULE = '''
from hud_components import ContextUsage, Domain, HudItem, ItemsSection, Line, NotesSection, View
from ujsx.elements import Paragraph


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    """What was tried."""


class Remedies(ItemsSection[Remedy]):
    """What was tried."""

    name = "remedies"
    noun = "remedy|remedies"
    lines = {"full": "**{what}**"}


class Count(View):
    """How much was tried."""

    reads = (Remedies,)
    count: int | None = None

    @classmethod
    def of_state(cls, state, usage=None, now=None):
        return cls(count=len(state[Remedies]))

    def render(self, ctx, children):
        return Paragraph()[f"{self.count} tried"]


DESK = Domain("desk", sections=(Remedies, NotesSection, Count))
'''

OURS = '<Hud title="Ours">\n<Remedies/>\n\n<When has="remedies"><Count/></When>\n</Hud>\n'
SHOWN = "# Ours\n\n## Remedies\n\n- **Restart** *said by the user*\n\n1 tried\n"


@pytest.fixture
def desk(tmp_path, monkeypatch, ujsx):
    (tmp_path / "desk_of_layouts.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("UJSX_CONFIG", str(tmp_path / "config"))
    named = ("--domain", "desk_of_layouts:DESK", "--store", str(tmp_path / "hud.db"))
    assert ujsx("record", "t-1", "session.start", *named).status == 0
    assert ujsx("record", "t-1", "remedies.add", "--what", "Restart", *named).status == 0
    return named


@pytest.fixture
def ours(tmp_path):
    (tmp_path / "ours.md").write_text(OURS, "utf-8")
    return tmp_path / "ours.md"


def test_are_shown_when_they_are_asked_for(ujsx, desk, ours):
    assert ujsx("hud", "t-1", "--layout", ours, *desk).out == SHOWN
    assert ujsx("render", ours, "--session", "t-1", *desk).out == SHOWN
    done = ujsx("explain", ours, "--budget", 90, "--session", "t-1", *desk)
    assert "Remedies" in done.out


def test_are_checked_against_the_domain(ujsx, desk, ours, tmp_path):
    done = ujsx("layout", "check", ours, *desk[:2])
    assert (done.status, done.out) == (0, f"{ours} is a layout of Hud, Remedies, When, Count\n")
    assert "<Remedies> is not a known component" in ujsx("layout", "check", ours).out
    (tmp_path / "wrong.md").write_text('<When has="remedy"><DecisionsList/></When>\n', "utf-8")
    wrong = ujsx("layout", "check", tmp_path / "wrong.md", *desk[:2])
    assert wrong.status == 1
    assert "<DecisionsList> is not a known component" in wrong.out
    assert 'a DeskState has no field "remedy"; did you mean "remedies"?' in wrong.out


def test_without_their_domain_say_once_how_sections_of_ones_own_are_tags(ujsx, tmp_path):
    layout = tmp_path / "own.md"
    layout.write_text('<WeatherSection/>\n\n<Hives/>\n\n<Season month="may"/>\n\n<TaskSecton/>\n')
    said = ujsx("layout", "check", layout).out
    assert said.count("--domain module:NAME") == said.count("known: ") == 1
    assert [
        line.partition(" here")[2]
        for line in said.splitlines()
        if "<Hives> is" in line or "<TaskSecton> is" in line
    ] == [
        "",
        '; did you mean "TaskSection"?',
    ]
    assert said.count("did you mean") == 1
    for command in (("watch", "--once"), ("render",)):
        done = ujsx(*command, layout)
        assert (
            "<WeatherSection> is not a known component; for a section of your own name its domain"
            in done.out + done.err
        )


def test_with_their_domain_say_how_a_component_of_ones_own_is_a_tag(ujsx, tmp_path, desk):
    layout = tmp_path / "own.md"
    layout.write_text('<Season month="may"/>\n')
    said = ujsx("layout", "check", layout, *desk[:2]).out
    assert "read_layout(text, layout_vocabulary() | [Season])" in said
    assert "did you mean" not in said


@pytest.fixture
def own(tmp_path):
    """A file with a domain, a layout of it, and one that looks for its fields."""
    path = tmp_path / "farm.py"
    path.write_text(
        "from hud_components import Domain, Hud, HudItem, ItemsSection, Line, Value, When\n"
        "class Hive(HudItem):\n    name: Line\n    'What it is called.'\n"
        "class Hives(ItemsSection[Hive]):\n    'The hives.'\n    name = 'hives'\n    noun = 'hive|hives'\n"
        "    lines = {'full': '**{name}**'}\n"
        "FARM = Domain('farm', sections=(Hives,))\n"
        "layout = Hud(title='Farm')[Hives()]\n"
        "counted = Hud(title='Farm')[When(has='hives')['There are hives.']]\n"
    )
    return path


@pytest.mark.parametrize(
    "command", [["watch", "--once"], ["explain"], ["render"], ["layout", "check"]]
)
def test_of_another_domain_say_whose_state_they_show(ujsx, own, tmp_path, command):
    subject = f"{own}:counted"
    if command[0] in {"render", "layout"}:
        subject = tmp_path / "counted.md"
        subject.write_text(
            '<When has="hives">There are hives.</When>\n\n<When has="hives">Many.</When>\n'
        )
    done = ujsx(*command, subject)
    said = done.out + done.err
    assert done.status != 0
    assert (
        said.count(
            "no session is named, so an empty one of the coding domain is shown; give --session and --domain"
        )
        == 1
    )
    assert "no session is named, so an empty one" not in str(
        ujsx(*command, subject, "--domain", f"{own}:FARM")
    )


@pytest.mark.parametrize("command", [["watch", "--once"], ["explain"]])
def test_of_a_domain_without_a_session_show_an_example(ujsx, own, command):
    done = ujsx(*command, f"{own}:layout", "--domain", f"{own}:FARM")
    said = done.out + done.err
    assert done.status == 0
    assert ("**What it is called**" in said) == (command[0] == "watch")
    assert "nothing to show" not in said
    assert "no session is named, so an example of the domain is made up; give --session" in said


def test_of_the_agent_are_shown(ujsx, desk):
    assert ujsx("record", "t-1", "layout.set", "--layout", OURS, *desk).status == 0
    assert ujsx("hud", "t-1", *desk).out == SHOWN
