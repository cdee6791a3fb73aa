"""The page of ``ujsx preview`` in a real browser: its controls, and what it does not do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from statistics import median
from time import perf_counter

import pytest

from hud_runtime import HudStore
from tests.browser.conftest import PATIENCE, ROOT
from tests.hud_runtime.preview.hostile import hostile_session
from tests.hud_runtime.preview.many import long_session

DEMO = ROOT / "hud_runtime" / "data" / "demo.jsonl"

SHOWN = ("reading", "exact", "changes")
DETAILS = ("section", "omitted", "prefix", "tree", "events", "deliveries", "cost", "tools")
NARROW = {"width": 400, "height": 900}

APP = """
from hud_components import Hud, NotesSection

def shown():
    return Hud(title="Desk")[NotesSection()]
"""

WRITER = """
import sys, time
from hud_runtime import HudStore

with HudStore.open(sys.argv[1]) as store:
    session = store.session("shop")
    for turn in range(2, 32):
        own = {"turn": turn} if sys.argv[2] == "left" else {}
        session.record("note.add", content=f"{sys.argv[2]} {turn}", **own)
        time.sleep(0.05)
"""

SLOWER = """() => {
  const asked = window.fetch;
  window.fetch = async (...what) => {
    const answer = await asked(...what);
    await new Promise((later) => setTimeout(later, 100));
    return answer;
  };
}"""
"""Has the page wait a tenth of a second more for whatever it asks."""

LAYOUT = "# Desk\n\nPort 8080\n\n<NotesSection/>\n"


def open_all(page):
    """Open every tab, and wait for what it shows."""
    for name in (*SHOWN, *DETAILS):
        page.tab(name)
        page.until(f"document.getElementById('{name}').childElementCount > 0")
        page.settle()
        yield name


class TestControls:
    def test_sliders_by_arrow_keys(self, serve, opened):
        shown = opened(serve(DEMO))
        page = shown.page
        page.focus("#turn")
        page.keyboard.press("ArrowLeft")
        shown.until("document.getElementById('turn-is').textContent === '33 of 34'")
        page.keyboard.press("Home")
        shown.until("document.getElementById('turn-is').textContent === '0 of 34'")
        page.keyboard.press("End")
        shown.until("document.getElementById('turn-is').textContent.startsWith('34 of 34')")
        page.focus("#density")
        for name in ("minimal", "compact", "full"):
            page.keyboard.press("ArrowRight")
            shown.until(f"document.getElementById('density-is').textContent === '{name}'")
        shown.until("document.querySelectorAll('#reading ul').length > 1")
        page.focus("#budget")
        page.keyboard.press("ArrowRight")
        shown.until("document.getElementById('budget-is').textContent.endsWith(' tokens')")
        before = shown.text("#figures")
        page.keyboard.press("End")
        shown.until("document.getElementById('budget-is').textContent === 'none'")
        shown.until(f"document.getElementById('figures').textContent !== {before!r}")

    def test_colours_have_words_and_lines_of_their_own(self, serve, opened):
        shown = opened(serve(DEMO, "--density", "full"))
        for name in ("rung", "layer", "kind"):
            shown.page.check(f"[name=colour][value={name}]")
            shown.until("document.querySelectorAll('#legend li').length > 1")
            lines = shown.page.eval_on_selector_all(
                "#legend li", "all => all.map(each => getComputedStyle(each).borderLeftStyle)"
            )
            assert len({*lines}) == len(lines)
        shown.tab("changes")
        assert not shown.page.is_visible("#legend")  # there are no lines of parts
        shown.tab("exact")
        assert shown.page.is_visible("#legend")

    def test_every_control_says_what_it_means(self, serve, opened):
        shown = opened(serve(DEMO, "--density", "compact"))
        for selector in ("#controls .control", "#controls fieldset label"):
            titles = shown.page.eval_on_selector_all(selector, "all => all.map(each => each.title)")
            assert len(titles) == 3
            assert all(titles)
        shown.until("document.querySelectorAll('#section tbody tr').length > 3")
        assert "~ so many characters" in shown.text("#section")

    def test_costs_are_counted_while_sliders_are_moved(self, serve, opened, tmp_path):
        path = tmp_path / "hud.db"
        long_session(path, 150)
        domain = ("--domain", "tests.hud_runtime.preview.many:MANY")
        shown = opened(serve("long", "--store", path, *domain, PYTHONPATH=os.fspath(ROOT)))
        shown.tab("cost")
        shown.page.click("#cost button")
        shown.until("document.getElementById('cost').textContent.startsWith('counting')")
        shown.page.focus("#turn")
        shown.page.keyboard.press("Home")
        shown.until("document.getElementById('turn-is').textContent === '0 of 150'")
        assert shown.text("#cost").startswith("counting")
        shown.until("document.querySelectorAll('#cost table').length === 2")
        assert not shown.page.is_visible("#fault")

    def test_no_key_is_lost_while_a_view_is_on_its_way(self, serve, opened):
        shown = opened(serve(DEMO, "--density", "compact"))
        shown.page.evaluate(SLOWER)
        shown.page.focus("#turn")
        for _ in range(12):
            shown.page.keyboard.press("ArrowLeft")
            shown.page.wait_for_timeout(40)
        shown.until("document.getElementById('turn-is').textContent === '22 of 34'")
        assert shown.page.input_value("#turn") == "22"

    def test_two_pages_may_look_at_different_turns(self, serve, opened):
        address = serve(DEMO, "--density", "compact")
        first, second = opened(address), opened(address)
        for _ in range(8):
            for shown in (first, second):
                shown.page.focus("#turn")
                shown.page.keyboard.press("ArrowLeft")
        for shown in (first, second):
            shown.until("document.getElementById('turn-is').textContent === '26 of 34'")
            shown.until("document.querySelectorAll('#section tbody tr').length > 3")
            shown.tab("prefix")
            shown.until("document.getElementById('prefix').textContent.includes('turn 25')")

    def test_tabs_by_arrow_keys(self, serve, opened):
        shown = opened(serve(DEMO))
        shown.page.focus("#tab-section")
        for before, after in pairwise(DETAILS):
            shown.page.keyboard.press("ArrowRight")
            assert shown.page.is_visible(f"#{after}")
            assert not shown.page.is_visible(f"#{before}")
        shown.page.keyboard.press("ArrowRight")
        assert shown.page.is_visible("#section")

    def test_a_section_tells_of_its_rungs_and_what_the_next_would_show(self, serve, opened):
        shown = opened(serve(DEMO, "--density", "compact"))
        shown.page.click("#reading .tag:has-text('NextSteps')")
        shown.until("document.querySelectorAll('#section tbody tr').length > 3")
        shown.until("/next rung, .* more/.test(document.getElementById('section').textContent)")
        assert shown.page.locator("#section tr.is-shown").count() == 1

    def test_a_node_of_the_tree_is_marked_in_the_text(self, serve, opened):
        shown = opened(serve(DEMO, "--density", "full", "--turn", "12"))
        shown.tab("exact")
        shown.tab("tree")
        shown.page.hover("#tree .row:has-text('DecisionsList')")
        assert "DecisionsList" in shown.text("#exact .part.is-marked .tag")
        shown.page.click("#tree .row:has-text('DecisionsList')")
        strong = shown.page.locator("#tree .row:has-text('listItem')").first
        strong.wait_for()
        strong.focus()
        assert shown.text("#exact mark").startswith("- **")

    def test_where_the_prefix_broke_is_marked(self, serve, opened):
        shown = opened(serve(DEMO))
        shown.tab("exact")
        shown.until("document.querySelector('#exact .cut') !== null")
        assert "byte" in str(shown.page.get_attribute("#exact .cut", "title"))
        shown.tab("prefix")
        assert "usage.used was" in shown.text("#prefix")

    def test_light_and_dark(self, serve, opened):
        shown = opened(serve(DEMO), color_scheme="light")
        ground = "getComputedStyle(document.body).backgroundColor"
        light = shown.page.evaluate(ground)
        shown.page.click("#theme")
        assert shown.page.evaluate(ground) != light
        shown.page.click("#theme")
        assert shown.page.evaluate(ground) == light

    def test_nothing_is_wider_than_a_narrow_page(self, serve, opened):
        shown = opened(serve(DEMO, "--density", "full"))
        shown.page.set_viewport_size(NARROW)
        for name in open_all(shown):
            assert shown.page.evaluate("document.documentElement.scrollWidth") <= 400, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe(serve, opened, scheme):
    shown = opened(serve(DEMO, "--density", "full", "--turn", "12"), color_scheme=scheme)
    for name in open_all(shown):
        assert shown.serious() == [], name
    shown.page.set_viewport_size(NARROW)
    assert shown.serious() == []


class TestWhoMayAsk:
    def test_without_the_token_there_is_nothing(self, serve, browser):
        base = serve(DEMO).partition("?")[0]
        context = browser.new_context()
        answer = context.new_page().goto(base)
        assert answer.status == 403
        assert "with its token" in answer.text()
        context.close()

    def test_the_address_bar_does_not_keep_the_token(self, serve, opened):
        shown = opened(serve(DEMO))
        assert "token" not in shown.page.url
        shown.page.reload()
        shown.page.wait_for_selector("#reading .part")

    def test_hostile_texts_stay_texts(self, serve, opened, tmp_path):
        path = tmp_path / "hud.db"
        hostile_session(path)
        address = serve(
            "<script>s</script>", "--store", path, "--density", "full", "--budget", "off"
        )
        shown = opened(address)
        for turn in range(4):
            for _ in open_all(shown):
                pass
            if not turn:
                assert "<script>window.alarmed=1</script>" in shown.text("#reading")
            assert shown.page.evaluate("window.alarmed") is None
            assert shown.page.locator("iframe, img, object, embed, a:not(.skip), svg").count() == 0
            assert (
                shown.page.locator(
                    "script:not([src='/preview.js']), style, base, meta[http-equiv]"
                ).count()
                == 0
            )
            on = "[...document.querySelectorAll('*')].flatMap(each => [...each.attributes]).filter(each => each.name.startsWith('on')).length"
            assert shown.page.evaluate(on) == 0
            shown.page.focus("#turn")
            shown.page.keyboard.press("PageDown" if turn else "Home")


class TestWhatChanges:
    def test_a_broken_file_is_told_at_its_place_and_the_last_good_one_stays(
        self, serve, opened, tmp_path
    ):
        path = tmp_path / "hud.md"
        path.write_text(LAYOUT)
        shown = opened(serve(path))
        path.write_text(LAYOUT + "\n<Sektion/>\n")
        shown.page.wait_for_selector("#fault:visible")
        assert f"{path}:7:1" in shown.text("#fault")
        assert 'did you mean "Section"?' in shown.text("#fault")
        assert "Port 8080" in shown.text("#reading")
        path.write_text(LAYOUT.replace("8080", "9090"))
        shown.until("document.getElementById('fault').hidden")
        shown.until("document.getElementById('reading').textContent.includes('Port 9090')")

    def test_an_authors_code_is_broken_and_mended(self, serve, opened, tmp_path):
        path = tmp_path / "app.py"
        path.write_text("def shown():\n    return 'Port 8080'\n")
        shown = opened(serve(f"{path}:shown"))
        path.write_text("def shown():\n    return [][0]\n")
        shown.page.wait_for_selector("#fault:visible")
        assert "IndexError" in shown.text("#fault")
        assert f"{path}:2" in shown.text("#fault")
        path.write_text("def shown():\n    return 'Port 7070'\n")
        shown.until("document.getElementById('reading').textContent.includes('Port 7070')")
        assert not shown.page.is_visible("#fault")

    def test_a_session_that_another_process_writes_to_is_seen_live(self, serve, opened, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("shop").record("note.add", content="Port 8080", turn=1)
        shown = opened(serve("shop", "--store", path))
        said = [sys.executable, "-m", "hud_runtime", "record", "shop", "note.add", "--content"]
        subprocess.run(
            [*said, "Port 9090", "--turn", "2", "--store", str(path)],
            check=True,
            capture_output=True,
        )
        shown.until("document.getElementById('reading').textContent.includes('Port 9090')")
        shown.until("document.getElementById('turn-is').textContent.startsWith('2 of 2')")

    def test_two_processes_write_while_the_authors_file_is_broken_and_mended(
        self, serve, opened, tmp_path
    ):
        store, path = tmp_path / "hud.db", tmp_path / "app.py"
        path.write_text(APP)
        with HudStore.open(store) as opened_store:
            opened_store.session("shop").record("note.add", content="Port 8080", turn=1)
        shown = opened(serve(f"{path}:shown", "--session", "shop", "--store", store))
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, store, each])
            for each in ("left", "right")
        ]
        for broken in (
            "def shown(:\n",
            "def shown():\n    return [][0]\n",
            "raise SystemExit(3)\n",
        ):
            path.write_text(broken)
            shown.until("!document.getElementById('fault').hidden")
            assert "Desk" in shown.text("#reading")
            shown.page.focus("#density")
            shown.page.keyboard.press("ArrowRight")  # the last good one still answers
            path.write_text(APP)
            shown.until("document.getElementById('fault').hidden")
        path.write_text(APP.replace("Desk", "Mended"))
        assert [each.wait(PATIENCE / 1_000) for each in writers] == [0, 0]
        shown.until("document.getElementById('reading').textContent.includes('Mended')")
        with HudStore.open(store) as opened_store:
            version = opened_store.session("shop").version
        assert version > 2 * 30
        shown.until(f"document.getElementById('status').textContent.includes('version {version}')")
        shown.until("document.getElementById('turn-is').textContent.startsWith('31 of 31')")


def test_a_long_session_of_many_sections_answers_every_control(serve, opened, tmp_path):
    path = tmp_path / "hud.db"
    long_session(path)
    domain = ("--domain", "tests.hud_runtime.preview.many:MANY")
    shown = opened(serve("long", "--store", path, *domain, PYTHONPATH=os.fspath(ROOT)))
    figures = "document.getElementById('figures').textContent"
    turn = "document.getElementById('turn-is').textContent"
    density = "document.getElementById('density-is').textContent"
    chosen = "document.getElementById('legend').textContent"
    steps = {
        "turn": ("#turn", ["ArrowLeft"] * 7, turn),
        "density": ("#density", ["End", "ArrowLeft", "ArrowLeft", "End"], density),
        "budget": ("#budget", [*["ArrowRight"] * 7, "End"], figures),
        "turn, in full": ("#turn", ["PageDown"] * 3 + ["ArrowRight"] * 3, turn),
        "colour": ("[name=colour][value=rung]", ["ArrowRight"] * 2, chosen),
    }
    for name, (selector, keys, shows) in steps.items():
        shown.page.focus(selector)
        times = [_until_it_differs(shown, key, shows) for key in keys]
        print(f"{name}: {median(times):,.0f} ms, at most {max(times):,.0f}")
    for name in open_all(shown):
        assert shown.page.is_visible(f"#{name}")


def _until_it_differs(shown, key, shows):
    """Press a key, and return the milliseconds until the page shows something else."""
    before = json.dumps(shown.page.evaluate(shows))
    begun = perf_counter()
    shown.page.keyboard.press(key)
    shown.until(f"{shows} !== {before}")
    return 1_000 * (perf_counter() - begun)


def test_pictures_for_the_docs(serve, opened, pictures):
    pictures.mkdir(parents=True, exist_ok=True)
    shown = opened(
        serve(DEMO.relative_to(ROOT), "--density", "full", "--turn", "12"), color_scheme="light"
    )
    shown.page.set_viewport_size({"width": 1120, "height": 640})

    def take(name):
        shown.settle()
        path = pictures / f"{name}.png"
        shown.page.screenshot(path=path)
        assert path.stat().st_size < 150_000

    shown.page.click("#reading .tag:has-text('DecisionsList')")
    shown.until("document.querySelectorAll('#section tbody tr').length > 3")
    take("preview")
    shown.tab("exact")
    shown.tab("prefix")
    shown.until("document.querySelector('#exact .cut') !== null")
    shown.page.click("#theme")
    take("preview-prefix")
    shown.page.click("#theme")
    shown.tab("tree")
    shown.until("document.querySelectorAll('#tree .mono li').length > 3")
    take("preview-tree")
    shown.tab("reading")
    shown.tab("section")
    shown.page.set_viewport_size({"width": 400, "height": 640})
    take("preview-narrow")
