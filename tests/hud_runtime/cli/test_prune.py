"""`ujsx prune` and `ujsx session outputs`: what is left of an output, and what was kept of it."""

from __future__ import annotations

import json

import pytest

from hud_runtime import HudStore

LISTING = "".join(f"src/module_{number}.py\n" for number in range(400))


@pytest.fixture
def listing(tmp_path):
    path = tmp_path / "listing.txt"
    path.write_text(LISTING)
    return path


def test_prints_what_is_left_and_what_it_wins(ujsx, listing):
    done = ujsx("prune", listing)
    assert done.status == 0
    assert "… 340 more lines: hud output o-09d9c63f 31-370\n" in done.out
    assert done.err.endswith("left (listing, normal)\n")


@pytest.mark.parametrize(("option", "value", "lines"), [("--percentage", 88, 41), ("--mode", "hyper", 21)])  # fmt: skip
def test_by_how_full_the_context_is_or_by_a_mode(ujsx, listing, option, value, lines):
    assert len(ujsx("prune", listing, option, value).out.splitlines()) == lines


def test_what_is_short_stays(ujsx, tmp_path):
    (tmp_path / "a.txt").write_text("all is well\n")
    done = ujsx("prune", tmp_path / "a.txt")
    assert done.out == "all is well\n"
    assert "nothing to win" in done.err


def test_as_data(ujsx, listing):
    data = json.loads(ujsx("prune", listing, "--json").out)
    [cut] = data["cuts"]
    assert (cut["first"], cut["last"], cut["why"]) == (31, 370, "more")
    assert data["after"] < data["before"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--mode", "hyperr"), 'did you mean "hyper"'),
        (("--percentage", "-1"), "a percentage is 0 or more"),
        (("--percentage", "nan"), "a percentage is 0 or more"),
        (("--percentage", "5", "--mode", "hyper"), "not allowed with argument --percentage"),
    ],
)
def test_refuses(ujsx, listing, options, says):
    assert says in ujsx("prune", listing, *options).refusal


class TestOutputs:
    @pytest.fixture
    def store(self, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path, clock=lambda: 0) as opened:
            opened.session("shop").keep_output("o-1f", "one\ntwo\x1b[31m\n", tool="Bash\x07")
        return path

    def test_lists_them(self, ujsx, store):
        done = ujsx("session", "outputs", "shop", "--store", store)
        assert done.out.startswith("o-1f  1970-01-01")
        assert done.out.endswith("normal  2 lines, 13 characters\n")
        assert "\x07" not in done.out
        [data] = ujsx("session", "outputs", "shop", "--store", store, "--json").data
        assert (data["id"], data["text"]) == ("o-1f", None)

    def test_prints_one_and_nothing_that_a_terminal_acts_on(self, ujsx, store):
        done = ujsx("session", "outputs", "shop", "o-1f", "--store", store)
        assert done.out.startswith("one\ntwo")
        assert "\x1b" not in done.out
        given = ("session", "outputs", "shop", "o-1f", "--store", store, "--json")
        assert ujsx(*given).data["text"] == "one\ntwo\x1b[31m\n"

    def test_knows_no_other(self, ujsx, store):
        done = ujsx("session", "outputs", "shop", "o-2", "--store", store)
        assert "no output" in done.refusal

    def test_says_where_there_is_none(self, ujsx, store):
        with HudStore.open(store) as opened:
            opened.session("t")
        assert "no output was pruned" in ujsx("session", "outputs", "t", "--store", store).err

    def test_says_that_it_was_swept(self, ujsx, store):
        assert ujsx("store", "sweep", "--days", 1, "--store", store).status == 0
        done = ujsx("session", "outputs", "shop", "o-1f", "--store", store)
        assert "was swept" in done.refusal
