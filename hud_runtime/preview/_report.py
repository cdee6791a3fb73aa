"""A preview as one file for offline use: to attach, and to read anywhere.

It shows one look as the page does, with the page's own style; or the gallery of a file, with a search as its
only script. It is built as a tree of elements, so that a subject's content can only be text.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from typing import Any

from hud_runtime.preview._preview import Preview, PreviewLook
from ujsx import hast

HEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="ujsx preview">
"""
"""The beginning of a report, which identifies a file that the next report may replace."""

_SHELL = """\
{head}\
{sources}\
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
{body}
</body>
</html>
"""
"""The file around the content."""

_LIVE = """\
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="/preview.css">
<script src="/gallery.js" defer></script>
"""
"""The style and the script of a served gallery, whose guard allows only those of its own server."""

CLASSES = {"full": "c1", "compact": "c2", "minimal": "c3", None: "c4"}
"""The class of a section's line, by the density of its rung; the same as on the page."""


def report(preview: Preview, look: PreviewLook) -> str:
    """Return the report of a look.

    :raises FaultError: for a subject that cannot be shown.
    """
    view = preview.ask("view", look)
    body = _el(
        "main", "report",
        _section("The HUD", _parts(view)),
        _section("Left out", _omitted(view["omitted"])),
        _section("Rungs", _rungs(preview.ask("rungs", look))),
        *([_section("Prefix", _prefix(preview.ask("change", look)))] if view["has_turns"] else []),
        _section("Exact text", [_el("pre", "block", "".join(each["text"] for each in view["nodes"]))]),
        _section("Tree", _trees(view, preview.ask("trees", look))),
    )  # fmt: skip
    return _page(view["name"], hast.Root((_header(view), body)), _inside())


def gallery(preview: Preview, *, is_live: bool = False) -> str:
    """Return the gallery of a file: the examples of its components at every density, with their tokens.

    :param is_live: whether it is served, and follows changes; else it is self-contained.
    :raises FaultError: for a subject that cannot be shown.
    """
    view = preview.ask("view")
    count = sum(len(each["examples"]) for each in view["components"])
    faults = [] if preview.fault is None else [_fault(str(preview.fault), preview.fault.excerpt)]
    search = hast.Element(
        "input",
        {
            "id": "search",
            "type": "search",
            "placeholder": "Search",
            "ariaLabel": "Search the examples",
        },
    )
    found = hast.Element(
        "span", {"id": "found", "role": "status"}, (hast.Text(f"{count:,} examples"),)
    )
    header = _el("header", "", _el("h1", "", view["name"]), search, found)
    body = _el("main", "report", *map(_component, view["components"]))
    page = _page(
        view["name"],
        hast.Root((header, *faults, body)),
        _LIVE if is_live else _inside("gallery.js"),
    )
    return (
        page.replace('<html lang="en">', '<html lang="en" data-live="yes">', 1) if is_live else page
    )


def _page(name: str, body: hast.Root, sources: str) -> str:
    title = _html(hast.Text(f"{name} – ujsx preview"))
    return _SHELL.format(head=HEAD, sources=sources, title=title, body=_html(body))


def _inside(script: str | None = None) -> str:
    """The style and a script as parts of the file, whose policy allows only these, by their digests."""
    named = [("style", "", "preview.css")]
    if script is not None:
        named.append(("script", ' type="module"', script))  # a module waits for the page
    page = files("hud_runtime.preview").joinpath("page")
    parts = [(tag, kind, page.joinpath(name).read_text("utf-8")) for tag, kind, name in named]
    allowed = "; ".join(
        f"{tag}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for tag, _, text in parts
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; {allowed}">\n'
        + "".join(f"<{tag}{kind}>{text}</{tag}>\n" for tag, kind, text in parts)
    )


def _component(told: dict[str, Any]) -> hast.Element:
    about = [_el("p", "quiet", told["about"])] if told["about"] else []
    fault = [_fault(told["fault"]["message"], "")] if "fault" in told else []
    return _section(told["name"], [*about, *fault, *map(_example, told["examples"])])


def _example(told: dict[str, Any]) -> hast.Element:
    shown = [_el("p", "gone", each) for each in told["notes"]]
    if "fault" in told:
        shown.append(_fault(_said(told["fault"]), ""))
    tiers = [
        _el(
            "div",
            "tier",
            _el("h3", "", f"{each['tier']} · {each['tokens']:,} t"),
            _el("div", "prose", *map(_grown, each["reading"]))
            if each["text"].strip()
            else _el("p", "quiet", "nothing is shown"),
            _el("details", "", _el("summary", "", "Exact text"), _el("pre", "block", each["text"])),
        )
        for each in told.get("tiers", ())
    ]
    tree = _el("details", "", _el("summary", "", "Tree"), _rows([_primitive(told["tree"])]))
    return _el(
        "div", "example", _el("h3", "name", told["name"]), *shown, _el("div", "tiers", *tiers), tree
    )


def _said(fault: dict[str, Any]) -> str:
    place = f"{fault['file']}:{fault['line']}: " if fault.get("line") else ""
    return f"{place}{fault.get('kind') or 'error'}: {fault['message']}"


def _fault(message: str, excerpt: str) -> hast.Element:
    code = [_el("pre", "", excerpt)] if excerpt else []
    return _el("div", "fault", _el("strong", "", message), *code)


def _header(view: dict[str, Any]) -> hast.Element:
    turn = f"turn {view['turn']} of {view['turns']}, " if view["has_turns"] else ""
    budget = "no budget" if view["budget"] is None else f"budget {view['budget']:,}"
    used = "" if view["used"] is None else f", context {view['used']:.0f} % full"
    over = ", over the budget: the least that can be shown" if view["over_budget"] else ""
    layers = ", ".join(f"{each['layer']} {each['tokens']:,}" for each in view["layers"])
    return _el(
        "header",
        "",
        _el("h1", "", view["name"]),
        _el(
            "p",
            "quiet",
            f"{turn}{view['domain']}, version {view['version']:,}{used}: {view['tokens']:,} tokens,"
            f" density {view['density'] or 'full'}, {budget}{over}; by layer: {layers}",
        ),
        *(_el("p", "gone", each) for each in view["notes"]),
    )


def _parts(view: dict[str, Any]) -> Iterator[hast.Element]:
    for node, blocks in zip(view["nodes"], view["reading"], strict=True):
        kind = CLASSES[node["density"]] if node["is_section"] else "c5"
        tag = _el("div", f"tag {kind}", _el("b", "", node["name"]), _el("small", "", _told(node)))
        yield _el("div", "part", tag, _el("div", "prose", *map(_grown, blocks)))


def _told(node: dict[str, Any]) -> str:
    rung = [node["rung"] or "hidden"] if node["is_section"] else []
    tokens = [f"{node['tokens']:,} t"] if node["text"] else []
    layer = [node["layer"]] if node["layer"] else []
    return " · ".join([*rung, *layer, node["kind"], *tokens])


def _grown(node: Any) -> Any:
    if isinstance(node, str):
        return hast.Text(node)
    tag, kind, title, children = node
    given = {"className": kind} if kind else {}
    title = {"title": title} if title else {}
    return hast.Element(tag, {**given, **title}, tuple(map(_grown, children)))


def _omitted(rows: list[dict[str, Any]]) -> Iterator[hast.Element]:
    if not rows:
        yield _el("p", "quiet", "Nothing is left out.")
        return
    how = {"texts": "shortened", "items": "not shown"}
    yield _table(
        ("section", "how much", "tokens", "shown by"),
        (
            (each["section"], f"{each['count']:,} {how[each['what']]}", each["tokens"], each["handle"] or "a higher rung")
            for each in rows
        ),
    )  # fmt: skip


def _rungs(told: dict[str, Any]) -> Iterator[hast.Element]:
    yield _table(
        ("section", "rung", "tokens", ""),
        (
            (each["name"], one["rung"] or "hidden", one["tokens"], "" if one["useful"] else "never chosen: it saves nothing")
            for each in told["sections"]
            for one in each["rungs"]
        ),
    )  # fmt: skip
    if told["has_budget"]:
        yield _el("h3", "", f"{told['more']:,} more tokens buy {'' if told['next'] else 'nothing'}")
        yield _table(
            ("section", "from", "to", "tokens"),
            (
                (each["section"], each["before"] or "hidden", each["after"] or "hidden", each["tokens"])
                for each in told["next"]
            ),
        )  # fmt: skip


def _prefix(change: dict[str, Any]) -> Iterator[hast.Element]:
    if change["turn"] is None:
        yield _el("p", "quiet", "There is no turn before this one.")
        return
    broken = change["broken"]
    kept = f"{change['kept']:.0%} of the HUD of turn {change['turn']} is a prefix of this one"
    if broken is None:
        yield _el("p", "", f"{kept}; {change['new_tokens']:,} tokens are new behind it.")
    else:
        yield _el(
            "p",
            "",
            f"{kept}; {broken['path']} breaks it at byte {change['byte']:,}, in line {broken['line']}:"
            f" {'; '.join(broken['changes']) or 'its text differs'}. {change['lost_tokens']:,} tokens are lost,"
            f" {change['new_tokens']:,} are read and billed anew.",
        )
    for part in change["parts"]:
        gone, new = (
            [_el("span", kind, f"{sign} {line}\n") for line in part[kind]]
            for kind, sign in (("gone", "−"), ("new", "+"))
        )
        yield _el("h3", "", part["path"])
        yield _el("pre", "block", *gone, *new)
    if change["delta"]:
        yield _el("h3", "", f"The delta that says it: {change['delta_tokens']:,} tokens")
        yield _el("pre", "block", change["delta"])


def _trees(view: dict[str, Any], trees: list[dict[str, Any]]) -> Iterator[hast.Element]:
    for node, made in zip(view["nodes"], trees, strict=True):
        inner = [_el("h3", "", "Primitives"), _rows(_primitive(each) for each in made["tree"])]
        inner += [_el("h3", "", "mdast"), _rows(_mdast(each) for each in made["mdast"])]
        summary = _el("summary", "", f"{node['path']} ", _el("span", "quiet", _told(node)))
        yield _el("details", "", summary, *inner)


def _primitive(node: Any) -> hast.Element:
    if isinstance(node, str):
        return _el("li", "quiet", repr(node))
    name, props, children = node
    return _el("li", "", f"{name} ", _el("span", "quiet", props), _rows(map(_primitive, children)))


def _mdast(node: list[Any]) -> hast.Element:
    name, fields, children, *_ = node
    return _el("li", "", f"{name} ", _el("span", "quiet", fields), _rows(map(_mdast, children)))


def _rows(items: Iterable[hast.Element]) -> hast.Element:
    return _el("ul", "rows mono", *items)


def _section(title: str, inner: Iterable[hast.Element]) -> hast.Element:
    return _el("section", "", _el("h2", "", title), *inner)


def _table(names: tuple[str, ...], rows: Iterable[tuple[str | int, ...]]) -> hast.Element:
    head = _el("thead", "", _el("tr", "", *(_el("th", "", each) for each in names)))
    body = [_el("tr", "", *map(_cell, row)) for row in rows]
    return _el("table", "figures", head, _el("tbody", "", *body))


def _cell(value: str | int) -> hast.Element:
    return _el("td", "n", f"{value:,}") if isinstance(value, int) else _el("td", "", value)


def _el(tag: str, kind: str, *children: Any) -> hast.Element:
    inner = tuple(hast.Text(each) if isinstance(each, str) else each for each in children)
    return hast.Element(tag, {"className": kind} if kind else {}, inner)


def _html(node: Any) -> str:
    return hast.to_html(node)
