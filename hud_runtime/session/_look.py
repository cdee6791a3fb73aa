"""A layout and words of a person's own: read where they are named, and kept with a session as text.

In: a tree, a mapping, or the path of a file. Out: a :class:`hud_components.Look`, which the log keeps, and the tree that
shows it. What cannot be used is reported with its file and line, and the usual look stands in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from hud_components import Domain, Look, State
from hud_runtime._errors import ProjectError
from hud_runtime._limits import Limits
from ujsx import Child, fragment
from ujsx.components import as_element
from ujsx.errors import PropError, UjsxError, shown

if TYPE_CHECKING:
    from ujsx import Component, Element, Vocabulary

LayoutSource: TypeAlias = "Child | Path"
"""A layout: a tree, or the path of a file with one (Markdown with tags, or ``.json`` for a tree as data)."""

WordsSource: TypeAlias = Mapping[str, str] | Path
"""Words by name: a mapping, or the path of a JSON or TOML file with one."""

TREES = ".json"
"""The suffix of a layout's file that is a tree as data."""


class GivenLook(NamedTuple):
    """A layout and words, as somebody names them, and components that may stand in the layout's text."""

    layout: LayoutSource = None
    words: WordsSource | None = None
    components: tuple[type[Component], ...] = ()

    @property
    def is_given(self) -> bool:
        """True if a layout or words are there."""
        return self.layout is not None or self.words is not None


def look_of_domain(domain: Domain[Any]) -> GivenLook:
    """Return what sessions of a domain are shown with where nothing else is given."""
    return GivenLook(domain.layout, domain.words, domain.components)


NO_LOOK = GivenLook()
"""Nothing of one's own."""

LONGEST_PATH = 255
"""Characters of a text that can be the name of a layout's file, and is repeated as such."""


def check_look(layout: object, words: object = None, *, takes_paths: bool = True) -> None:
    """Refuse what is neither a layout nor words.

    :param takes_paths: whether the path of a file stands for what is in it.
    :raises PropError: with what to pass instead.
    """
    if isinstance(layout, Domain):
        raise PropError(
            f"a layout is a tree, such as Hud()[…] of sections, not the domain {layout.name}: that is given to the store, "
            "HudStore.open(…, domain=…), and its sessions show its layout by themselves"
        )
    if isinstance(layout, str) or (isinstance(layout, Path) and not takes_paths):
        raise PropError(_no_tree(str(layout), ", or the Path of its file" if takes_paths else ""))
    if not isinstance(layout, Path):
        _root(layout)
    if words is not None and not isinstance(words, Mapping | Path):
        raise PropError(f"words are a mapping of texts by name, or a Path, not {shown(words)}")


def _no_tree(given: str, other: str) -> str:
    """What is said of a text in place of a layout: a file's name, or what stands in one."""
    is_path = len(given) <= LONGEST_PATH and not {*given} & {*"<\n"}
    text = f"Path({shown(given, width=2 * LONGEST_PATH)}).read_text()" if is_path else "text"
    return (
        f"a layout is a tree, such as Hud()[…] of sections{other}, not the text {shown(given)}; that of Markdown with tags "
        f"is read_layout({text}, layout_vocabulary() | session.domain.sections)"
    )


def read_look(given: Sequence[GivenLook], domain: Domain[Any]) -> tuple[Look | None, list[str]]:
    """Return the look that a session of a domain is given, and what of it cannot be used.

    :param given: by rank: the first layout that can be used counts, and the words of all, the first ones before later ones.
    """
    problems: list[str] = []
    layouts = (_layout_text(each.layout, given, domain, problems) for each in given)
    layout = next((each for each in layouts if each is not None), None)
    words: dict[str, str] = {}
    for each in reversed(given):
        words |= _words_of(each.words, domain, problems)
    problems = [*dict.fromkeys(problems)]
    if layout is None and not words:
        return None, problems
    told = json.dumps([layout, words], sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
    return Look.model_validate({"layout": layout, "words": words, "digest": digest}), problems


def _layout_text(
    layout: LayoutSource,
    given: Iterable[GivenLook],
    domain: Domain[Any],
    problems: list[str],
) -> str | None:
    from hud_components import check_layout
    from ujsx import write_layout

    if layout is None:
        return None
    name = str(layout) if isinstance(layout, Path) else "the layout"
    known = vocabulary_of(domain.state, own_components(given))
    try:
        if isinstance(layout, Path):
            text = file_text(layout)
            if layout.suffix.lower() == TREES:
                text = write_layout(tree_of_data(text, name, known))
        else:
            text = write_layout(_root(layout))
        mistakes = check_layout(text, known, state=domain.state)
    except UjsxError as error:
        told = str(error)
        problems.append(f"{told if name in told else f'{name}: {told}'}; this layout is not shown")
        return None
    for each in mistakes:
        place = f"{name}:{each.line}:{each.column}" if isinstance(layout, Path) else name
        problems.append(f"{place}: {each.message}; this layout is not shown")
    return None if mistakes else text


def _words_of(
    words: WordsSource | None, domain: Domain[Any], problems: list[str]
) -> Mapping[str, str]:
    from hud_components.layout import usable_texts

    if words is None:
        return {}
    name = str(words) if isinstance(words, Path) else "the words"
    if isinstance(words, Path):
        try:
            words = words_in(file_text(words), name)
        except UjsxError as error:
            problems.append(f"{error}; these words are not used")
            return {}
    usable, refused = usable_texts(words, domain.sections)
    problems += [f"{name}: {each}; this text is not used" for each in refused]
    return usable


def words_in(text: str, name: str) -> dict[str, str]:
    r"""Return the words in the text of a file: an object of JSON, or tables of TOML.

    :param name: the file's, whose suffix says which.
    :raises ProjectError: for what is neither.

    >>> words_in('[notes]\ntitle = "Notizen"', "de.toml"), words_in('{"hud.title": "Lage"}', "de.json")
    ({'notes.title': 'Notizen'}, {'hud.title': 'Lage'})
    """
    import tomllib

    is_toml = name.lower().endswith(".toml")
    try:
        data: object = tomllib.loads(text) if is_toml else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{name} is not {'TOML' if is_toml else 'JSON'}: {error}") from None
    if not isinstance(data, dict):
        raise ProjectError(f"{name}: words are an object, a text for each name, not {shown(data)}")
    return dict(_flat(cast("dict[str, object]", data), ""))


def _flat(table: Mapping[str, object], before: str) -> Iterator[tuple[str, Any]]:
    for name, each in table.items():
        if isinstance(each, dict):
            yield from _flat(cast("dict[str, object]", each), f"{before}{name}.")
        else:
            yield f"{before}{name}", each


def file_text(path: Path) -> str:
    """Return the text of a file that a person names.

    :raises ProjectError: for what cannot be read, is not UTF-8, or is too long.
    """
    limits = Limits.of_environment()
    try:
        found = path.exists(), path.is_file()  # a pipe would be waited for
        data: bytes | None = b""
        if all(found):
            with path.open("rb") as file:
                data = limits.whole(file)
    except (OSError, ValueError) as error:
        raise ProjectError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not all(found):
        raise ProjectError(f"{path} {'is not a file' if found[0] else 'does not exist'}")
    if data is None:
        raise ProjectError(f"{path} {limits.refusal('read')}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProjectError(f"{path} is not UTF-8") from None


def tree_of_data(text: str, name: str, vocabulary: Vocabulary) -> Element:
    """Return the tree of a layout that is data: JSON, as ``ujsx.dump`` writes it.

    :param name: what errors call the file.
    :raises ProjectError: for what is no JSON.
    :raises UjsxError: for what is no tree of these components.
    """
    from ujsx import load

    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{name} is no JSON: {error}") from None
    return load(data, vocabulary)


def own_components(given: Iterable[GivenLook]) -> frozenset[type[Component]]:
    """Return the components of looks: those that are given, and those in layouts that are trees."""
    looks = [*given]
    found = {own for each in looks for own in each.components}
    pending: list[Any] = [_root(each.layout) for each in looks if not isinstance(each.layout, Path)]
    while pending:
        node = pending.pop()
        if not isinstance(node, str):
            element = as_element(node)
            found.add(type(element.component))
            pending += element.children
    return frozenset(found)


def _root(layout: object) -> Any:
    """The node of a tree, whatever form of child it was given as.

    :raises PropError: for what is not a child.
    """
    children = fragment(cast("Any", layout)).children
    return children[0] if len(children) == 1 else fragment(*children)


def check_components(components: Iterable[type[Component]], state: type[State]) -> None:
    """Refuse components that cannot stand in a layout of such states.

    :raises UjsxError: for one that has the name of another.
    """
    if own := tuple(components):
        from hud_runtime._layout_components import layout_components

        _ = layout_components(state) | own


def vocabulary_of(state: type[State], own: Iterable[type[Component]]) -> Vocabulary:
    """Return what a layout may hold: the domain's sections, the HUD's components, and components of one's own."""
    from hud_runtime._layout_components import layout_components

    known = layout_components(state)
    more = [each for each in own if each.__name__ not in known]
    return known | more if more else known


class KeptLook:
    """The reader of a session's look, its layout's tree and its words; both are read once for each look."""

    def __init__(self) -> None:
        self._read: tuple[object, Element | None, Mapping[str, str]] | None = None

    def of(
        self,
        state: State,
        look: Look,
        own: frozenset[type[Component]],
        tell: Callable[[str], object],
    ) -> tuple[Element | None, Mapping[str, str]]:
        """Return the tree and the words that a state is shown with; None for the usual layout.

        :param own: components of one's own that may stand in the layout.
        :param tell: called with each reason why something of it cannot be used.
        """
        from hud_components.layout import words_of

        kind = type(state)
        key = look, kind, own
        if self._read is None or self._read[0] != key:
            self._read = key, self._tree(look, kind, own, tell), words_of(state)
        return self._read[1:]

    def _tree(
        self,
        look: Look,
        state: type[State],
        own: Iterable[type[Component]],
        tell: Callable[[str], object],
    ) -> Element | None:
        from ujsx import read_layout

        if look.layout is None:
            return None
        try:
            return read_layout(look.layout, vocabulary_of(state, own))
        except UjsxError as error:
            tell(f"the session's layout is not shown: {error}")
            return None
