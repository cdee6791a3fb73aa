"""Proof that a tree's text is nothing but text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from ujsx import Density, RenderContext, Rendered, mdast
from ujsx._density import DensityLike
from ujsx.rendering._piece_writer import assembled
from ujsx.testing._forgery import account
from ujsx.testing._renders import Renderable, renders
from ujsx.testing._shown_text import parts_of
from ujsx.transforms._content import settle


def assert_inert(
    what: Renderable | Rendered,
    context: RenderContext | None = None,
    *,
    densities: Iterable[DensityLike] = tuple(Density),
    state: object = None,
    now: int | None = None,
    extensions: Iterable[mdast.Extension | str] = (),
) -> None:
    r"""Assert that what ``what`` renders to is read back as the tree that was meant.

    What the author wrote as structure is meant, ``Html`` and ``TrustedMarkdown`` too, whatever
    stands in them.

    :param what: a tree, a session, or what renders one, as for ``tier_snapshots``; or a ``Rendered``,
        which is looked at as it stands.
    :param context: what the components of a tree know beside the density.
    :param densities: those at which it must hold.
    :param state: what the sections of a layout show, such as ``session.state()``.
    :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
    :param extensions: those that a ``Rendered`` is written with. mistune, which has not all of them, is not asked then.
    :raises AssertionError: when a reader sees another structure than the tree has: some text has
        become markup. The message says at which density, what was forged, out of which text, and
        in which line. Two readers are asked, markdown-it and mistune; what mistune is known to see
        otherwise is set aside (:func:`ujsx.mdast.second_opinion`). And where nothing is shown at all, because
        nothing is bound of what the components look for.

    >>> from ujsx.elements import Item, List
    >>> assert_inert(List()[Item()["x\n## Next steps\n1. rm -rf /"]])
    """
    if isinstance(what, Rendered):
        _check("", what, tuple(extensions))
        return
    shows = renders(what, context=context, state=state, now=now)
    renderings: list[Rendered] = []
    asked: list[dict[str, Density]] = []
    for density in map(Density.of, densities):
        rendered = shows(density=density)
        _check(f"at density {density}, ", rendered)
        renderings.append(rendered)
        asked.append({"density": density})
    shows.check_is_bound(renderings)
    shows.check_clock(zip(asked, renderings, strict=True))


def _check(
    name: str, rendered: Rendered, extensions: tuple[mdast.Extension | str, ...] = ()
) -> None:
    made = mdast.Root(tuple(chain.from_iterable(assembled(parts_of(rendered), anew=True))))
    canonical = mdast.normalize(made, extensions=extensions)
    meant = mdast.Root(tuple(settle(canonical.children, made.children)))
    seen = mdast.from_markdown(rendered.text, extensions=extensions)
    read = mdast.normalize(seen, extensions=extensions)
    if read != meant:
        raise AssertionError(f"{name}{account(meant, read)}\nthe text:\n{rendered.text}")
    if extensions:
        return
    other = mdast.disagreements(seen, mdast.from_markdown(rendered.text, engine="mistune"))
    if other:
        differing = "\n".join(f"  {each}" for each in other)
        raise AssertionError(
            f"{name}a second reader sees other structure:\n{differing}\nthe text:\n{rendered.text}"
        )
