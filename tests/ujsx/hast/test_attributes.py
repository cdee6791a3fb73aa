"""Properties become attributes."""

from __future__ import annotations

import pytest

from tests.ids import looped
from ujsx import HastError
from ujsx.hast import Element, PropertyValue, to_html


def written(properties: dict[str, PropertyValue], tag_name: str = "p", **options: bool) -> str:
    return to_html(Element(tag_name, properties), **options).partition(">")[0][len(tag_name) + 1 :]


class TestNames:
    @looped(
        ("name", "attribute"),
        [
            ("className", "class"),
            ("htmlFor", "for"),
            ("httpEquiv", "http-equiv"),
            ("colSpan", "colspan"),
            ("ariaDescribedBy", "aria-describedby"),
            ("dataFootnoteRef", "data-footnote-ref"),
            ("data-x", "data-x"),
            ("dataset", "dataset"),
        ],
    )
    def test_are_those_of_html(self, name: str, attribute: str) -> None:
        assert written({name: "x"}) == f' {attribute}="x"'

    @looped("name", ["", "a b", 'a"', "a=", "a>", "/", "a\n", "'", "é", "<"])
    def test_that_are_none_are_refused(self, name: str) -> None:
        with pytest.raises(HastError, match="cannot be an attribute's name"):
            written({name: "x"})

    def test_that_come_to_the_same_attribute_are_written_once(self) -> None:
        assert written({"className": "a", "class": "b", "CLASS": "c"}) == ' class="a"'

    def test_keep_their_order(self) -> None:
        assert written({"title": "a", "id": "b", "lang": "c"}) == ' title="a" id="b" lang="c"'


class TestValues:
    @looped(
        ("value", "shown"),
        [
            ("a \"b\" <c> & 'd'", " x=\"a &quot;b&quot; &lt;c&gt; &amp; 'd'\""),
            (3, ' x="3"'),
            (True, ' x=""'),
            (False, ""),
            (None, ""),
            (("a", 1), ' x="a 1"'),
            ((), ' x=""'),
        ],
    )
    def test_are_written_by_their_kind(self, value: PropertyValue, shown: str) -> None:
        assert written({"x": value}) == shown

    def test_of_some_attributes_are_parted_by_commas(self) -> None:
        assert written({"srcSet": ("a 1x", "b 2x")}, "img") == ' srcset="a 1x, b 2x"'


class TestUrls:
    @looped("name", ["href", "src", "HREF", "action", "formAction", "xLinkHref"])
    def test_that_run_code_are_dropped(self, name: str) -> None:
        assert written({name: "javascript:f()", "id": "a"}) == ' id="a"'

    def test_stay_in_attributes_that_nobody_follows(self) -> None:
        assert written({"title": "javascript:f()"}) == ' title="javascript:f()"'

    def test_that_are_data_stay_in_an_image(self) -> None:
        picture = "data:image/png;base64,AA"
        assert written({"src": picture}, "img") == f' src="{picture}"'
        assert written({"src": picture}, "embed") == ""
        assert written({"href": picture}, "a") == ""

    def test_stay_when_allowed(self) -> None:
        assert written({"href": "file:///a"}, "a", allow_dangerous_urls=True) == ' href="file:///a"'

    def test_cannot_come_in_behind_one_that_was_dropped(self) -> None:
        assert written({"href": "javascript:f()", "HREF": "vbscript:f()"}, "a") == ""
