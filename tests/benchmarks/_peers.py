"""The peers: an f-string and Jinja2, compiled, that escape what they write as the library does.

They give the same bytes, which is asserted wherever they are measured. What escapes is the library's
own, behind a quick look of the same kind as the library's: one pass in C tells of most texts that
nothing in them needs thought. It is taken text by text, before anything else is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import htpy as html
from jinja2 import Environment
from pydantic_promptmodel import PromptModel

from hud_components import HudState
from hud_components.words import line
from ujsx.mdast.to_markdown._handlers import code_span
from ujsx.mdast.to_markdown._phrasing import NO_LABELS, closes
from ujsx.mdast.to_markdown._unsafe import USUAL, USUAL_STARTS
from ujsx.text import _TELLING as _HIDING
from ujsx.text import escaped, labelled, paragraphs, width, without_blank_lines

# --- Escaping ---

_TELLING = bytes(one == 1 or two > 0 for one, two in zip(USUAL._telling, _HIDING, strict=True))
"""1 for each byte of UTF-8 that needs thought, beside the start of a line, and ``www.``."""

_STARTERS = frozenset(USUAL_STARTS.starters)


def is_plain(text: str) -> bool:
    """Tell, by a quick look, that a text is one line that stays as it is, but for how it starts."""
    is_quiet = 1 not in text.encode("utf-8", "surrogatepass").translate(_TELLING)
    return is_quiet and ("." not in text or ("w." not in text and "W." not in text))


def inline(text: str) -> str:
    """Make a text inert within a line."""
    return text if is_plain(text) else USUAL.text(escaped(text))


def starting(text: str) -> str:
    """Make a text inert that begins a line."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    return USUAL_STARTS.escape(USUAL.text(escaped(text)))


def code(text: str) -> str:
    """Make a text inert as code."""
    if is_plain(text) and text[:1] != " ":
        return f"`{text}`"
    return code_span(escaped(line(text)))


def rest(text: str) -> str:
    """Make a text inert that stands at the end of an item's line, and may take more lines."""
    if is_plain(text):
        return text
    return _indented(further(text))


def further(text: str) -> str:
    """Make a text inert that goes on in a paragraph's line, and may take more lines."""
    if is_plain(text):
        return text
    written = USUAL.text(escaped(text))
    return USUAL_STARTS.escape(f"x{written}")[1:] if "\n" in written else written


def lined(text: str) -> str:
    """Make a text inert within a line, which it does not break."""
    return text if is_plain(text) else USUAL.text(escaped(line(text)))


def lined_start(text: str) -> str:
    """Make a text inert that begins a line, which it does not break."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    return USUAL_STARTS.escape(USUAL.text(escaped(line(text))))


def blocks(text: str) -> str:
    """Make a text inert that is an item: each part of it between blank lines is a paragraph."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    if "\n" not in text:
        return lined_start(text)
    return _indented("\n\n".join(map(starting, paragraphs(text))))


def title(text: str) -> str:
    """Make a text inert that is all of a heading."""
    return text if is_plain(text) else _lone(escaped(line(text)), one_line=True)


def cell(text: str) -> str:
    """Make a text inert that is all of a table's cell."""
    if is_plain(text) and "|" not in text:
        return text
    return _PIPE.sub(r"\\|", _lone(escaped(without_blank_lines(text)), one_line=True))


def padded(rows: Rows) -> list[Sequence[str]]:
    """Return the rows of a table behind its head, with their texts inert, and as wide as their columns."""
    cells: list[Sequence[str]] = [[*map(cell, row), "yes"] for row in rows]
    cells.insert(0, ("What", "Why", "File", "Done"))
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * each for each in widths])
    return [
        [text + " " * (most - width(text)) for text, most in zip(row, widths, strict=True)]
        for row in cells
    ]


def alone(text: str) -> str:
    """Make a text inert that is all of a block, of one or more lines."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    return USUAL_STARTS.escape(_lone(escaped(without_blank_lines(text))))


def item(text: str) -> str:
    """Make a text inert that is all of an item."""
    return _indented(alone(text))


def label(text: str) -> str:
    """Make a text inert between brackets."""
    return (
        text if is_plain(text) and "]" not in text else USUAL.text(labelled(escaped(text)), "label")
    )


def _lone(text: str, *, one_line: bool = False) -> str:
    if USUAL.is_quiet(text):
        return text
    brackets = "[" in text and "]" in text and closes(text, None, lambda: NO_LABELS)
    return USUAL.lone(text, one_line=one_line, brackets=brackets)


_PIPE = re.compile(r"\|")


def _indented(written: str) -> str:
    return written.replace("\n", "\n  ").replace("\n  \n", "\n\n")


FILTERS: dict[str, Callable[[Any], object]] = {
    "inline": inline,
    "rest": rest,
    "code": code,
    "lined": lined,
    "lined_start": lined_start,
    "blocks": blocks,
    "title": title,
    "cell": cell,
    "alone": alone,
    "item": item,
    "label": label,
    "table": padded,
    "further": further,
}

_JINJA = Environment(autoescape=False, keep_trailing_newline=True)  # it is Markdown
_JINJA.filters.update(FILTERS)


# --- The HUD ---


def hud_with_f_string(state: HudState) -> str:
    """Return the HUD as an f-string makes it."""
    usage = state.usage
    assert state.task is not None
    assert usage is not None
    decisions = "\n".join(f"- **{lined(d.summary)}** — {lined(d.details)}" for d in state.decisions)
    steps = "\n".join(
        f"{n}. ~~{lined(s.description)}~~" if s.completed else f"{n}. {lined_start(s.description)}"
        for n, s in enumerate(state.next_steps, 1)
    )
    notes = "\n".join(f"- {blocks(n.content)}" for n in state.notes)
    files = "\n".join(f"- {code(f.path)} ({f.status})" for f in state.active_files)
    return f"""# HUD

## Task

{lined_start(state.task.description)}

## Decisions

{decisions}

## Notes

{notes}

## Active files

{files}

## Next steps

{steps}

🟢 Context: {int(usage.percentage)}% used \
({usage.used:,} / {usage.limit:,} tokens, {lined(usage.model or "")}), {usage.trend}
"""


_HUD = _JINJA.from_string("""# HUD

## Task

{{ state.task.description | lined_start }}

## Decisions
{% for d in state.decisions %}
- **{{ d.summary | lined }}** — {{ d.details | lined }}
{%- endfor %}

## Notes
{% for n in state.notes %}
- {{ n.content | blocks }}
{%- endfor %}

## Active files
{% for f in state.active_files %}
- {{ f.path | code }} ({{ f.status }})
{%- endfor %}

## Next steps
{% for s in state.next_steps %}
{{ loop.index }}. {% if s.completed %}~~{{ s.description | lined }}~~{% else %}\
{{ s.description | lined_start }}{% endif %}
{%- endfor %}

🟢 Context: {{ state.usage.percentage | int }}% used ({{ "{:,}".format(state.usage.used) }} / \
{{ "{:,}".format(state.usage.limit) }} tokens, {{ state.usage.model | lined }}), {{ state.usage.trend }}
""")


def hud_with_jinja(state: HudState) -> str:
    """Return the HUD as Jinja2 makes it."""
    return _HUD.render(state=state)


# --- Components of a user's own ---

Row: TypeAlias = tuple[str, str, str]
"""What a thing is, why it matters, and the name of a file."""

Rows: TypeAlias = Sequence[Row]

_TEMPLATES: dict[str, str] = {
    "names": """# Failing tests
{% for what, why, name in rows %}
- {{ name | code }}
{%- endfor %}
""",
    "table": """\
{% for row in rows | table %}\
| {{ row | join(" | ") }} |
{% endfor %}""",
    "cards": """\
{%- macro card(cards, depth) %}
{%- set what, why, name = cards[0] %}
{{ "#" * depth }} {{ what | title }}

{{ why | alone }}
{% if cards[1:] %}{{ card(cards[1:], depth + 1) }}{% endif %}
{%- endmacro %}\
# Board
{% for cards in rows | batch(4) %}{{ card(cards, 2) }}{% endfor %}""",
    "report": """# Report
{% for what, why, name in rows %}
**{{ what | inline }}** — {{ why | further }} See [{{ what | label }}](https://example.org/s).
{% endfor %}""",
    "form": """# Form
{% for what, why, name in rows %}
- [{{ "x" if loop.index0 is even else " " }}] {{ name | code }}: {{ why | rest }}
{%- endfor %}
""",
    "changelog": """# Changelog
{% for version in rows | batch(5) %}
## 1.{{ loop.index0 }}

{% for what, why, name in version %}\
- **{{ what | inline }}** — {{ why | rest }}
{% endfor %}{% endfor %}""",
    "files": """# Files
{% for folder in rows | batch(5) %}
- {{ folder[0][0] | item }}
{%- for what, why, name in folder %}
  - {{ name | code }}
{%- endfor %}{% endfor %}
""",
    "hud": """# HUD

## Agreed
{% for what, why, name in rows[:rows | length // 2] %}
- **{{ what | inline }}** — {{ why | rest }}
{%- endfor %}

## Touched
{% for what, why, name in rows[rows | length // 2:] %}
- {{ name | code }}
{%- endfor %}
""",
}
"""The components of ``own_components`` as templates that give the same bytes."""


def with_jinja(kind: str) -> Callable[[Rows], str]:
    """Return what renders a component's template with Jinja2."""
    template = _JINJA.from_string(_TEMPLATES[kind])
    return lambda rows: template.render(rows=rows)


def names_with_f_string(rows: Rows) -> str:
    """Return the names as an f-string makes them."""
    items = "\n".join([f"- {code(name)}" for _, _, name in rows])
    return f"# Failing tests\n\n{items}\n"


def table_with_f_string(rows: Rows) -> str:
    """Return the table as an f-string makes it."""
    lines = [f"| {a} | {b} | {c} | {d} |" for a, b, c, d in padded(rows)]
    return "\n".join([*lines, ""])


def names_with_htpy(rows: Rows) -> str:
    """Return the names as htpy makes them: HTML, and its escaping."""
    listed = html.ul[(html.li[html.code[name]] for _, _, name in rows)]
    return str(html.section[html.h1["Failing tests"], listed])


def table_with_htpy(rows: Rows) -> str:
    """Return the table as htpy makes it: HTML, and its escaping."""
    head = html.tr[(html.th[each] for each in ("What", "Why", "File", "Done"))]
    body = (html.tr[(html.td[text] for text in (*row, "yes"))] for row in rows)
    return str(html.table[head, body])


class PromptNames(PromptModel):
    """The names as pydantic-promptmodel has them."""

    failing_tests: tuple[str, ...]


def names_with_promptmodel(rows: Rows) -> str:
    """Return the names as pydantic-promptmodel makes them: it escapes nothing."""
    return PromptNames(failing_tests=tuple([name for _, _, name in rows])).to_markdown()
