"""The order of items: where a verb changes it they move, all others stand as they were recorded."""

from __future__ import annotations

from typing import TypeAlias

from hud_components.folding import Reorder
from hud_runtime.editing._items import ListEdit

Ref: TypeAlias = int | str
"""An item: its number before the edit, or the name of a new one."""


def compare_order(edit: ListEdit) -> None:
    """Collect what an edit does to the order of a list."""
    verb = edit.kind.verb(Reorder)
    if verb is None:
        _refuse_moves(edit)
    else:
        _reorder(edit, verb)


def _refuse_moves(edit: ListEdit) -> None:
    last = -1
    for row, old in sorted(edit.pairs.old_of.items()):
        if old.known.number < last:
            edit.problem(
                f"{edit.pairs.spot.title} stand in the order in which they were recorded; put it "
                "back",
                edit.pairs.rows[row].place,
                None,
            )
        last = max(last, old.known.number)


def _reorder(edit: ListEdit, verb: Reorder) -> None:
    """Say the new order, as briefly as can be: the items that are not named keep their order."""
    if edit.problems or not edit.pairs.rows:
        return
    if not _is_a_run(edit):
        if _is_moved(edit):
            what = f"not all {edit.kind.several} are shown"
            edit.problem(f"{what}, {_UNTOLD}", edit.place, "order")
        return
    wanted = _wanted(edit)
    if wanted is None:
        return
    gone = {old.known.number for old in edit.pairs.gone}
    kept: list[Ref] = [number for number in range(edit.pairs.spot.listed) if number not in gone]
    first = _named_first(wanted, kept + [ref for ref in wanted if isinstance(ref, str)])
    if not first:
        return
    if edit.pairs.spot.unlisted:
        edit.problem(f"not all {edit.kind.several} are known, {_UNTOLD}", edit.place, "order")
        return
    edit.change(verb, {"ids": [_name(edit, ref) for ref in first]}, edit.place)


_UNTOLD = "so their order cannot be told; edit a HUD with all of them"


def _is_a_run(edit: ListEdit) -> bool:
    """Tell whether nothing is left out between the items that were shown."""
    shown = [old.known.number for old in edit.pairs.old]
    return not shown or len(shown) == max(shown) + 1 - min(shown)


def _is_moved(edit: ListEdit) -> bool:
    """Tell whether items stand in another order than before, or new ones before old ones."""
    pairs = edit.pairs
    numbers = [old.known.number for _, old in sorted(pairs.old_of.items())]
    last = max(pairs.old_of, default=-1)
    return numbers != sorted(numbers) or any(number < last for number in pairs.new)


def _wanted(edit: ListEdit) -> list[Ref] | None:
    """All items in their new order: what is not shown stays before and behind what is.

    None where nothing can be said of an order.
    """
    pairs, count = edit.pairs, edit.pairs.spot.listed
    shown = [old.known.number for old in pairs.old]
    start, end = (min(shown), max(shown) + 1) if shown else (count, count)
    last = max(pairs.old_of, default=-1)
    order: list[Ref] = []
    for number, row in enumerate(pairs.rows):
        if number in pairs.old_of:
            order.append(pairs.old_of[number].known.number)
        elif end == count and number > last:
            # It comes last without being named.
            order.append(row.told.get(edit.kind.text, "").strip())
        else:
            name = edit.name_of_new(row)
            if name is None:
                return None
            order.append(name)
    return [*range(start), *order, *range(end, count)]


def _named_first(wanted: list[Ref], natural: list[Ref]) -> list[Ref]:
    """The shortest beginning that, once named, leaves the others in the order that is wanted."""
    place = {ref: number for number, ref in enumerate(natural)}
    count = len(wanted)
    while count and (count == len(wanted) or place[wanted[count - 1]] <= place[wanted[count]]):
        count -= 1
    return wanted[:count]


def _name(edit: ListEdit, ref: Ref) -> str:
    if isinstance(ref, str):
        return ref
    row = edit.pairs.row_of(ref)
    return edit.name(ref, edit.place, None if row is None else row.told.get(edit.kind.text))
