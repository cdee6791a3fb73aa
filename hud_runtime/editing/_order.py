"""The order of items: steps move, all others stand in the order in which they were recorded."""

from __future__ import annotations

from typing import TypeAlias

from hud_runtime.editing._items import ListEdit

Ref: TypeAlias = int | str
"""A step of the plan: its number before the edit, or the name of a new one."""


def compare_order(edit: ListEdit) -> None:
    """Collect what an edit does to the order of a list."""
    if edit.kind.name == "steps":
        _reorder(edit)
    else:
        _refuse_moves(edit)


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


def _reorder(edit: ListEdit) -> None:
    """Say the new order, as briefly as can be: the steps that are not named keep their order."""
    wanted = _wanted(edit)
    if wanted is None:
        return
    gone = {old.known.number for old in edit.pairs.gone}
    kept: list[Ref] = [number for number in range(len(edit.items)) if number not in gone]
    first = _named_first(wanted, kept + [ref for ref in wanted if isinstance(ref, str)])
    if not first:
        return
    if edit.pairs.spot.unlisted:
        edit.problem(
            "not all steps are known, so their order cannot be told; edit a HUD with all of them",
            edit.place,
            "order",
        )
        return
    edit.change("reorder", {"ids": [_name(edit, ref) for ref in first]}, edit.place)


def _wanted(edit: ListEdit) -> list[Ref] | None:
    """The whole plan in its new order: what is not shown stays before and behind what is.

    None where nothing can be said of an order.
    """
    pairs, count = edit.pairs, len(edit.items)
    if edit.problems or not pairs.rows:
        return None
    shown = [old.known.number for old in pairs.old]
    start, end = (min(shown), max(shown) + 1) if shown else (count, count)
    if len(shown) != end - start:
        return None
    order: list[Ref] = []
    for number, row in enumerate(pairs.rows):
        if number in pairs.old_of:
            order.append(pairs.old_of[number].known.number)
        elif end == count and all(n not in pairs.old_of for n in range(number, len(pairs.rows))):
            order.append(row.values["description"].strip())  # it comes last without being named
        else:
            name = edit.name_of_new(row)
            if name is None:
                return None
            order.append(name)
    return [*range(start), *order, *range(end, count)]


def _named_first(wanted: list[Ref], natural: list[Ref]) -> list[Ref]:
    """The shortest beginning that, once named, leaves the others in the order that is wanted."""
    for count in range(len(wanted)):
        head = set(wanted[:count])
        if wanted[count:] == [ref for ref in natural if ref not in head]:
            return wanted[:count]
    return wanted


def _name(edit: ListEdit, ref: Ref) -> str:
    if isinstance(ref, str):
        return ref
    row = edit.pairs.row_of(ref)
    return edit.name(ref, edit.place, None if row is None else row.values["description"])
