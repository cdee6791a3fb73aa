"""What the site has beside the pages: a first page, lists of folders, and a reference of all public names.

The pages are copied to where Sphinx reads, as they are; what is generated is written beside them. A name stands in
full on one page, that of the package with the shortest name, and every other name it has leads there.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils.nodes import document
from playground.site import copy_playground
from public_names import PACKAGES, ROOT, Definition, homes, packages, public_names, source_of, uses
from search import load_search, write_search
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry
from sphinx.environment import BuildEnvironment
from sphinx.ext.autodoc.mock import mock

from ujsx import Component, Density, render
from ujsx.components import examples_of, has_examples

PAGES = "look-up/reference"

MOCKED = [
    "agent_framework", "agents", "anthropic", "claude_agent_sdk", "crewai", "google", "langchain", "langchain_core",
    "langgraph", "litellm", "openai", "opentelemetry", "pydantic_ai", "rs_bpe", "strands",
]  # fmt: skip
"""SDKs, which are not there where only the site is built, and stood in for where they are, so that all build the same."""

SECTIONS = {
    "Learn": ("learn/your-first-hud", "learn/*"),
    "Do": ("do/*",),
    "Agents and SDKs": ("do/hosts/*",),
    "Look up": ("look-up/*", f"{PAGES}/index"),
    "Understand": ("understand/*", "decisions/index"),
    "More": ("examples/index", "pictures/index", "CHANGELOG"),
}
"""The parts of the list of pages, and what stands in each."""


# --- What is written ---

UP_LINK = re.compile(rb"\]\(\.\./((?:\.\./)*CHANGELOG\.md)")
"""A link to a page above the docs, which stands among them in a site."""

FOLDER_LINK = re.compile(rb"(\]\((?:\.\./)*(?:decisions|examples))/?(?=\))")
"""A link to a folder, which forges list and a site does not: it leads to our own list."""


def titled(text: str) -> list[str]:
    """Return the lines of a title."""
    return [text, "=" * len(text), ""]


def entry(at: Definition, names: list[str]) -> list[str]:
    """Return the lines that describe a name in full."""
    name = names[0]
    if at.kind == "data":
        kind = "type" if at.is_alias else "data"
        text = re.sub(r"\n    ", "\n", at.doc)
        package, _, own = name.rpartition(".")
        lines = [
            f".. py:{kind}:: {own}",
            f"   :module: {package}",
            "",
            *(f"   {line}" for line in text.splitlines()),
        ]
    elif at.kind == "module":
        return []
    else:
        lines = [f".. auto{at.kind}:: {name}"]
    others = ", ".join(f"``{each}``" for each in names[1:])
    pages = ", ".join(f":doc:`/{place}`" for place in uses().get(at, ())[:4])
    also = [f"Also {others}."] if others else []
    seen = [f"Used in {pages}."] if pages else []
    shown = examples(at) if at.kind == "class" else []
    about_it = [line for line in [" ".join([*also, *seen])] if line]
    return [*lines, "", *(f"   {line}".rstrip() for line in [*about_it, *shown]), ""]


def examples(at: Definition) -> list[str]:
    """Return the lines that show a component's examples, each at full and at minimal density."""
    kind = getattr(import_module(at.module), at.name)
    if not (isinstance(kind, type) and issubclass(kind, Component) and has_examples(kind)):
        return []
    lines: list[str] = []
    for name, node in examples_of(kind).items():
        for density in (Density.FULL, Density.MINIMAL):
            text = render(node, density=density) or "(nothing)"
            lines += ["", f"Its example *{name}* at {density.value} density:", ""]
            lines += [".. code-block:: markdown", "", *(f"   {line}" for line in text.splitlines())]
    return lines


def about(package: str) -> str:
    """Return the first sentence of a package's docstring."""
    source = source_of(package)
    text = (ast.get_docstring(source) if source else None) or ""
    return " ".join(re.split(r"(?<=\.)\s|\n\n", text)[0].split())


def reference_page(package: str) -> str:
    """Return the page of a package."""
    is_function_too = any(package in names for names in homes().values())
    lines = [*titled(package), f".. automodule:: {package}", "   :no-members:"]
    lines += ["   :no-index:", ""] if is_function_too else [""]
    elsewhere: list[str] = []
    for at, names in homes().items():
        if names[0].rpartition(".")[0] == package:
            lines += entry(at, names)
        else:
            elsewhere += [
                f":py:obj:`{name.rpartition('.')[2]} <{names[0]}>`"
                for name in names[1:]
                if name.rpartition(".")[0] == package
            ]
    if elsewhere:
        lines += [f"It also gives {', '.join(elsewhere)}.", ""]
    return "\n".join(lines)


def listing(title: str, text: str, pages: dict[str, str]) -> str:
    """Return a page that lists others, given with what stands behind each."""
    return "\n".join(
        [*titled(title), text, "", *(f"- :doc:`{page}`{more}" for page, more in pages.items()), ""]
    )


def first_page() -> str:
    """Return the README, with the list of all pages beside it."""
    lines = [".. include:: /README.md", "   :parser: myst_parser.sphinx_", ""]
    for caption, pages in SECTIONS.items():
        lines += [".. toctree::", "   :hidden:", "   :glob:", f"   :caption: {caption}", ""]
        lines += [*(f"   {page}" for page in pages), ""]
    return "\n".join(lines)


def pages_named(pattern: str, pages: Iterable[str]) -> list[str]:
    """Return the pages that a pattern names; a ``*`` is for those of one folder."""
    return sorted(each for each in pages if re.fullmatch(pattern.replace("*", "[^/]*"), each))


UNREADABLE = ((re.compile(r"<(\w+\.\w+): [^<>]*>"), r"\1"), (re.compile(r"<[^<>]*>"), "..."))
"""What a default looks like that is no Python, such as an enumeration's, and what is written instead."""


MADE_BY_A_STORE = frozenset({"hud_runtime.HudSession"})
"""Classes that nobody calls by themselves."""


def readable_signature(
    _app: Sphinx,
    _what: str,
    name: str,
    _object: object,
    _options: object,
    arguments: str | None,
    result: str | None,
) -> tuple[str | None, str | None]:
    """Write defaults so that the signature is Python; what a store makes shows none."""
    if name in MADE_BY_A_STORE:
        return "", result
    for pattern, instead in UNREADABLE:
        arguments = arguments and pattern.sub(instead, arguments)
    return arguments, result


def sidebar(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    """Make the list of pages from their titles: Sphinx makes it of the whole tree anew for each page, in a second."""
    there = app.env.titles

    def toctree(**_options: object) -> str:
        parts: list[str] = []
        for caption, patterns in SECTIONS.items():
            parts.append(
                f'<p class="caption" role="heading"><span class="caption-text">{caption}</span></p><ul>'
            )
            pages = [each for pattern in patterns for each in pages_named(pattern, there)]
            for each in dict.fromkeys(pages):
                mark = " current current-page" if each == page else ""
                link = f'<a class="reference internal" href="{context["pathto"](each)}">'
                parts.append(
                    f'<li class="toctree-l1{mark}">{link}{escape(there[each].astext())}</a></li>'
                )
            parts.append("</ul>")
        return "".join(parts)

    context["toctree"] = toctree


def example_page() -> str:
    """Return the page of the files in ``docs/examples``."""
    lines = titled("Examples")
    for path in sorted((ROOT / "docs" / "examples").glob("*.py")):
        lines += [path.name, "-" * len(path.name), "", f".. literalinclude:: {path.name}", ""]
    return "\n".join(lines)


def import_all(app: Sphinx) -> None:
    """Import every public name, and give private modules what they import for their types alone.

    Sphinx writes into the annotations of the classes that it looks at, of Pydantic's base too, which then makes no
    more models: so all are made before it looks. Signatures are made of types, which must be there.
    """
    with mock(MOCKED):
        for name in public_names():
            package, _, own = name.rpartition(".")
            getattr(import_module(package), own)
        for module in [each for each in sys.modules if each.partition(".")[0] in PACKAGES]:
            for one in typing_imports(module):
                exec(ast.unparse(one), vars(sys.modules[module]))  # an import of ours


def typing_imports(module: str) -> Iterator[ast.stmt]:
    """Yield the imports of a private module that only type checkers follow."""
    source = source_of(module)
    if module.rpartition(".")[2].startswith("_") and source is not None:
        for block in source.body:
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
                yield from (one for one in block.body if isinstance(one, ast.ImportFrom))


def picture_page() -> str:
    """Return the page of all pictures that there are."""
    lines = titled("Pictures")
    for path in sorted((ROOT / "docs" / "pictures").glob("*.[ps][nv]g")):
        lines += [f".. figure:: {path.name}", f"   :alt: {path.stem}", "", f"   {path.name}", ""]
    return "\n".join(lines)


def write_pages(app: Sphinx) -> None:
    """Copy the pages to where Sphinx reads, and write the generated ones beside them."""
    place = Path(app.srcdir)
    docs = ROOT / "docs"
    pages = {
        path.relative_to(docs).as_posix(): path.read_bytes()
        for path in docs.rglob("*")
        if path.is_file() and path.parent != docs and "__pycache__" not in path.parts
    }
    for name in ("README.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text("utf-8")
        pages[name] = re.sub(r"(\]\(|src=\")docs/", r"\1", text).encode()
    pages = {
        name: UP_LINK.sub(rb"](\1", FOLDER_LINK.sub(rb"\1/index.rst", data))
        if name.endswith(".md")
        else data
        for name, data in pages.items()
    }
    decisions = {path.stem: "" for path in sorted((docs / "decisions").glob("*.md"))}
    every = {package: f": {about(package)}" for package in packages()}
    generated = {
        "index": first_page(),
        "examples/index": example_page(),
        "pictures/index": picture_page(),
        "decisions/index": listing("Decisions", "What was decided, and why.", decisions),
        f"{PAGES}/index": listing(
            "Reference", "Every public name, by the package that it is imported from.", every
        ),
        **{f"{PAGES}/{package}": reference_page(package) for package in packages()},
    }
    pages |= {f"{name}.rst": text.encode() for name, text in generated.items()}
    for path in [each for each in place.rglob("*") if each.is_file()]:
        name = path.relative_to(place)
        if name.as_posix() not in pages:  # a page that is gone, and what was made of it
            path.unlink()
            (Path(app.outdir) / name).with_suffix(".html").unlink(missing_ok=True)
    for name, data in pages.items():  # what is as it was is not touched, and not read again
        path = place / name
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def add_playground(app: Sphinx, failure: Exception | None) -> None:
    """Put the playground into a site that was built."""
    if failure is None:
        copy_playground(Path(app.outdir) / "playground")


def add_other_names(app: Sphinx, env: BuildEnvironment) -> None:
    """Let each further name of a definition lead to where it stands in full."""
    objects = env.domains.python_domain.objects
    for names in homes().values():
        for other in names[1:]:
            if (full := objects.get(names[0])) is not None:
                objects[other] = ObjectEntry(full.docname, full.node_id, full.objtype, aliased=True)


def resolve_exactly(app: Sphinx, doctree: document) -> None:
    """Let a name lead to what has that very name, and look for no other that ends with it."""
    for reference in doctree.findall(pending_xref):
        reference.attributes.pop("refspecific", None)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add what is generated to Sphinx's build."""
    app.connect("builder-inited", import_all)
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", readable_signature)
    app.connect("doctree-read", resolve_exactly)
    app.connect("html-page-context", sidebar, priority=400)  # the theme reads it
    app.connect("env-updated", add_other_names)
    app.connect("html-page-context", load_search)
    app.connect("build-finished", add_playground)
    app.connect("build-finished", write_search)
    return {"parallel_read_safe": True, "env_version": 1}
