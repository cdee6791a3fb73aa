"""URLs: how they are written, and which may be followed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx.hast import is_safe_url, percent_encoded


class TestPercentEncoded:
    @looped(
        ("url", "encoded"),
        [
            ("https://a.co/b?c=d&e#f", "https://a.co/b?c=d&e#f"),
            ("a b", "a%20b"),
            ("ä", "%C3%A4"),
            ("%20", "%20"),
            ("100%", "100%25"),
            ("%zz", "%25zz"),
            ('"<>\\^`{|}[]', "%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D"),
            ("\ud800", "%EF%BF%BD"),
            ("!#$&'()*+,-./:;=?@_~", "!#$&'()*+,-./:;=?@_~"),
        ],
    )
    def test_writes_what_cannot_stand_as_bytes(self, url: str, encoded: str) -> None:
        assert percent_encoded(url) == encoded

    @given(st.text())
    def test_is_done_once(self, url: str) -> None:
        once = percent_encoded(url)
        assert percent_encoded(once) == once
        assert once.isascii()


class TestIsSafeUrl:
    @looped(
        "url",
        ["https://a.co", "mailto:a@b.co", "/a", "a", "", "#javascript:", "?a=data:", "./javascript:x",
         "made-up:x", "javascript", "java%0Ascript:x", "&#106;avascript:x"],
    )  # fmt: skip
    def test_is_what_runs_nothing(self, url: str) -> None:
        assert is_safe_url(url)

    @looped(
        "url",
        ["javascript:x", "JaVaScRiPt:x", "vbscript:x", "file:///etc/passwd", "data:text/html,x",
         " javascript:x", "\x01\x1fjavascript:x", "java\nscript:x", "java\tscript\r:x", "data:image/png,x"],
    )  # fmt: skip
    def test_is_not_what_does(self, url: str) -> None:
        assert not is_safe_url(url)

    @looped("kind", ["png", "gif", "jpeg", "webp", "PNG"])
    def test_of_a_picture_may_be_data(self, kind: str) -> None:
        assert is_safe_url(f"data:image/{kind};base64,AA", picture=True)

    @looped("kind", ["image/svg+xml", "text/html", "image/pngx"])
    def test_of_a_picture_may_not_be_other_data(self, kind: str) -> None:
        assert not is_safe_url(f"data:{kind};base64,AA", picture=True)
        assert not is_safe_url("javascript:x", picture=True)
