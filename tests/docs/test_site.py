"""The site that ``make docs`` has built, in the folder that ``UJSX_SITE`` names: what leads where, and what is in it.

How links are followed is tried on a small site of its own, which needs nothing to be built.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.programs import DOCS, program

SITE = Path(os.environ.get("UJSX_SITE") or "no site was built")

built = pytest.mark.skipif(not SITE.is_dir(), reason="make docs builds the site, and runs this")

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "link": "href",
    "source": "src",
    "object": "data",
}
"""What a browser fetches by itself, and the attribute that says from where."""


class Found(NamedTuple):
    """What a page says."""

    links: list[str]
    loads: list[str]
    ids: set[str]


class PageReader(HTMLParser):
    """Collects the links, the ids and what is loaded of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.found = Found([], [], set())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        if "id" in given:
            self.found.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.found.links.append(given["href"])
        if (where := given.get(LOADED.get(tag, ""))) is not None:
            self.found.loads.append(where)


@cache
def read(page: Path) -> Found:
    reader = PageReader()
    reader.feed(page.read_text("utf-8"))
    return reader.found


def pages_of(site: Path) -> list[Path]:
    return sorted(each for each in site.rglob("*.html") if "_modules" not in each.parts)


def target(page: Path, link: str) -> tuple[Path, str] | None:
    """The file and the anchor that a link leads to; None for one that leads out of the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return path, unquote(parts.fragment)


def is_well_formed(link: str) -> bool:
    """Tell whether a link that leads out could lead somewhere; nobody is asked."""
    parts = urlsplit(link)
    return parts.scheme == "mailto" or (
        parts.scheme in {"http", "https"}
        and re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.hostname or "") is not None
    )


def broken_links(site: Path) -> list[str]:
    """Each link whose file, anchor or form is wrong, with its page."""
    found: list[str] = []
    for page in pages_of(site):
        for link in read(page).links:
            at = target(page, link)
            if at is None:
                is_right = is_well_formed(link)
            else:
                file, anchor = at
                is_right = file.is_file() and (
                    not anchor or file.suffix != ".html" or anchor in read(file).ids
                )
            if not is_right:
                found.append(f"{page.relative_to(site)}: {link}")
    return found


def out_of_reach(site: Path, clicks: int) -> set[str]:
    """The pages that nobody finds from the first one by so many clicks."""
    found = ahead = {(site / "index.html").resolve()}
    for _ in range(clicks):
        links = [(page, link) for page in ahead for link in read(page).links]
        ahead = {at[0] for page, link in links if (at := target(page, link)) is not None}
        ahead = {each for each in ahead if each.suffix == ".html" and each.is_file()} - found
        found = found | ahead
    return {str(each.relative_to(site)) for each in pages_of(site) if each.resolve() not in found}


def loaded_from_elsewhere(site: Path) -> list[str]:
    """What a page or a style sheet would fetch from another host."""
    found = [
        f"{page.relative_to(site)}: {each}"
        for page in pages_of(site)
        for each in read(page).loads
        if urlsplit(each).scheme not in {"", "data"} or urlsplit(each).netloc
    ]
    for sheet in sorted(site.rglob("*.css")):
        outside = re.findall(
            r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", sheet.read_text("utf-8")
        )
        found += [f"{sheet.relative_to(site)}: {each}" for each in outside]
    return found


class TestASmallSite:
    @pytest.fixture
    def site(self, tmp_path: Path) -> Path:
        (tmp_path / "index.html").write_text(
            '<h1 id="top">x</h1><a href="a.html#there">a</a><a href="#top">x</a><a href="https://example.org/x">x</a>'
        )
        (tmp_path / "a.html").write_text(
            '<p id="there"><a href="b.html">b</a><img src="a.png"></p>'
        )
        (tmp_path / "b.html").write_text("<p>end</p>")
        return tmp_path

    def test_is_well(self, site: Path) -> None:
        assert broken_links(site) == []
        assert out_of_reach(site, 2) == set()
        assert loaded_from_elsewhere(site) == []

    def test_of_which_a_page_is_three_clicks_away(self, site: Path) -> None:
        assert out_of_reach(site, 1) == {"b.html"}

    @pytest.mark.parametrize(
        "link",
        ["c.html", "a.html#nowhere", "#nowhere", "https://", "https://no host/", "javascript:x"],
    )
    def test_with_a_link_that_leads_nowhere(self, site: Path, link: str) -> None:
        (site / "d.html").write_text(f'<a href="{link}">x</a>')
        assert broken_links(site) == [f"d.html: {link}"]

    @pytest.mark.parametrize(
        "tag", ['<script src="https://cdn.example/x.js">', '<link href="//fonts.example/x.css">']
    )
    def test_that_fetches_from_elsewhere(self, site: Path, tag: str) -> None:
        (site / "d.html").write_text(tag)
        (site / "x.css").write_text("p { src: url('https://fonts.example/x.woff2') }")
        assert len(loaded_from_elsewhere(site)) == 2


@built
class TestTheSite:
    def test_has_every_public_name(self) -> None:
        inventory = pytest.importorskip("sphinx.util.inventory").InventoryFile
        with (SITE / "objects.inv").open("rb") as file:
            there = inventory.load(file, "", lambda _, uri: uri)
        names = {
            name for kind, entries in there.items() if kind.startswith("py:") for name in entries
        }
        promised = program("public_names").public_names()
        assert len(promised) > 400
        assert [name for name in promised if name not in names] == []

    def test_has_every_page(self) -> None:
        pages = [path.relative_to(DOCS) for path in DOCS.rglob("*.md")]
        assert [
            str(page) for page in pages if not (SITE / page.with_suffix(".html")).is_file()
        ] == []

    def test_has_no_broken_link(self) -> None:
        assert broken_links(SITE) == []

    def test_has_every_page_within_two_clicks(self) -> None:
        generated = {"genindex.html", "search.html", "py-modindex.html"}
        assert out_of_reach(SITE, 2) - generated == set()

    def test_fetches_nothing_from_elsewhere(self) -> None:
        assert loaded_from_elsewhere(SITE) == []

    def test_is_searched_by_the_words_of_questions(self) -> None:
        line = (SITE / "_static" / "search.js").read_text("utf-8").partition("\n")[0]
        index = json.loads(line.removeprefix("const INDEX = ").removesuffix(";"))
        headings = [index["headings"][place] for place in index["words"]["gdpr"][1::2]]
        assert any(page == "do/govern-what-is-stored" for page, *_ in headings)
