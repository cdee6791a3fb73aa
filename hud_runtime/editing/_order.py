"""The order of items: steps move, all others stand in the order in which they were recorded."""

from __future__ import annotations

from typing import TypeAlias

from hud_runtime.editing._items import ListEdit

Ref: TypeAlias = int | str
"""A step of the plan: its place before the edit, or the name of a new one."""


def compare_order(edit: ListEdit) -> None:
    """Collect what an edit does to the order of a list."""
    if edit.kind.name == "steps":
        _reorder(edit)
    else:
        _refuse_moves(edit)


def _refuse_moves(edit: ListEdit) -> None:
    last = -1
    places = {id(old): place for place, old in enumerate(edit.old)}
    for number, old in sorted(edit.pairs.items()):
        place = places[id(old)]
        if place < last:
            edit.problem(
                f"{edit.spot.title} stand in the order in which they were recorded; put it back",
                edit.rows[number].place,
                None,
            )
        last = max(last, place)


def _reorder(edit: ListEdit) -> None:
    """Say the new order, as briefly as can be: the steps that are not named keep their order."""
    wanted = _wanted(edit)
    if wanted is None:
        return
    gone = {id(old.item) for old in edit.gone}
    kept: list[Ref] = [n for n, item in enumerate(edit.all) if id(item) not in gone]
    natural = kept + [ref for ref in wanted if isinstance(ref, str)]
    first = _named_first(wanted, natural)
    place = edit.after.place
    if not first or place is None:
        return
    if edit.spot.unlisted:
        edit.problem(
            "not all steps are known, so their order cannot be told; edit a HUD with all of them",
            place,
            "order",
        )
        return
    now = {id(old.item): edit.rows[number] for number, old in edit.pairs.items()}
    names: list[str] = []
    for ref in first:
        if isinstance(ref, str):
            names.append(ref)
            continue
        row = now.get(id(edit.all[ref]))
        text = None if row is None else row.values["description"]
        names.append(edit.name(edit.all[ref], place, text))
    edit.change("reorder", {"ids": names}, place)


def _wanted(edit: ListEdit) -> list[Ref] | None:
    """The whole plan in its new order: what is not shown stays before and behind what is."""
    if edit.problems or not edit.rows:
        return None
    places = {id(item): n for n, item in enumerate(edit.all)}
    shown = [places[id(old.item)] for old in edit.old]
    start, end = (min(shown), max(shown) + 1) if shown else (len(edit.all), len(edit.all))
    order: list[Ref] = []
    for number, row in enumerate(edit.rows):
        if number in edit.pairs:
            order.append(places[id(edit.pairs[number].item)])
        elif _is_last(edit, number) and end == len(edit.all):
            order.append(row.values["description"].strip())  # it stands there without being named
        else:
            name = edit.name_of_new(row)
            if name is None:
                return None
            order.append(name)
    if len(shown) != end - start:  # only the next step was shown: nothing about an order
        return None
    return [*range(start), *order, *range(end, len(edit.all))]


def _is_last(edit: ListEdit, number: int) -> bool:
    """Tell whether only new steps follow."""
    return all(later not in edit.pairs for later in range(number, len(edit.rows)))


def _named_first(wanted: list[Ref], natural: list[Ref]) -> list[Ref]:
    """The shortest beginning that, once named, leaves the others in the order that is wanted."""
    for count in range(len(wanted)):
        head = set(wanted[:count])
        if wanted[count:] == [ref for ref in natural if ref not in head]:
            return wanted[:count]
    return wanted
