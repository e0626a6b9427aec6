"""Random edits of a library as a team makes them: functions of a library and a random generator.

An edit does what it can or nothing at all; a library that is not sound afterwards is put back by ``edited``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from plan.library import ALIAS, TYPES, Library, alias, is_new, targets

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from plan.library import Document

_NUMBERS = (0, 1, 2, 4, 8, 12.5, 0.1, 33.3, 100)
_TEXTS = ("", "Inter", "Save", "{brace}", "naïve ☃", "a\nb", "0", "Bold", "Semi Bold Italic", "350")
_CHANNELS = (0, 0.25, 0.5, 0.2, 1)
SCOPES: dict[str, tuple[list[str], ...]] = {
    "COLOR": (["ALL_SCOPES"], [], ["ALL_FILLS"], ["TEXT_FILL", "STROKE_COLOR"]),
    "FLOAT": (["ALL_SCOPES"], ["GAP"], ["OPACITY"], ["FONT_WEIGHT"], ["FONT_SIZE", "LINE_HEIGHT"], []),
    "STRING": (["ALL_SCOPES"], ["FONT_FAMILY"], ["TEXT_CONTENT"], ["FONT_STYLE"], []),
    "BOOLEAN": (["ALL_SCOPES"],),
}


def literal(dice: Random, kind: str) -> Any:
    """A value of a type that refers to nothing."""
    if kind == "COLOR":
        r, g, b = (dice.choice(_CHANNELS) for _ in range(3))
        return {"r": r, "g": g, "b": b, "a": dice.choice((1, 1, 0.5))}
    return dice.choice({"FLOAT": _NUMBERS, "STRING": _TEXTS, "BOOLEAN": (True, False)}[kind])


def value(dice: Random, library: Library, kind: str) -> Any:
    """A literal, an alias to a variable of the type (a remote one too), or a composed colour."""
    fitting = [each["id"] for each in library.variables.values() if each["resolvedType"] == kind]
    shares = [each["id"] for each in library.variables.values() if each["resolvedType"] == "FLOAT"]
    way = dice.randrange(6)
    if way < 3 and fitting:
        return alias(dice.choice(fitting))
    if way == 3 and kind == "COLOR" and (fitting or shares):
        base = alias(dice.choice(fitting)) if fitting and dice.randrange(3) else literal(dice, kind)
        opacity: Any = alias(dice.choice(shares)) if shares and dice.randrange(2) else dice.choice((0, 12.5, 40, 100))
        if not isinstance(opacity, dict) and base.get("type") != ALIAS:
            return base
        return {"color": base, "opacity": opacity}
    return literal(dice, kind)


def fresh(library: Library, what: str) -> str:
    """An unused name."""
    return f"{what} {library.new_id().rpartition(':')[2]}"


def _rename(dice: Random, library: Library) -> None:
    if variables := library.local():
        dice.choice(variables)["name"] = fresh(library, dice.choice(("renamed", "group/renamed", "group/deep/renamed")))


def _rotate(dice: Random, library: Library) -> None:
    """Two variables swap their names, or several exchange them in a cycle."""
    owned = library.owned(dice.choice(library.roots())["id"])
    if len(owned) >= 2:
        chosen = dice.sample(owned, dice.randint(2, min(4, len(owned))))
        names = [each["name"] for each in chosen]
        for each, name in zip(chosen, [*names[1:], names[0]], strict=True):
            each["name"] = name


def _reuse(dice: Random, library: Library) -> None:
    """A new or existing variable gets the name of another one, which is renamed or deleted."""
    root = dice.choice(library.roots())
    owned = library.owned(root["id"])
    if not owned:
        return
    giver = dice.choice(owned)
    name, giver["name"] = giver["name"], fresh(library, "moved")
    others = [each for each in owned if each is not giver]
    if others and dice.randrange(2):
        dice.choice(others)["name"] = name
        if dice.randrange(2):
            _remove(dice, library, giver["id"])
    else:
        _add(dice, library, root, name)


def _add(dice: Random, library: Library, root: Document, name: str) -> None:
    kind = dice.choice(TYPES)
    values = [value(dice, library, kind) for _ in root["modes"]]
    library.add_variable(root, name, kind, values, scopes=_scopes(dice, kind, new=True))


def _scopes(dice: Random, kind: str, *, new: bool) -> list[str]:
    """Never no scopes: for a new token a plan would choose some."""
    return [*dice.choice([each for each in SCOPES[kind] if each or not new])]


def _new_variable(dice: Random, library: Library) -> None:
    _add(dice, library, dice.choice(library.roots()), fresh(library, dice.choice(("new", "group/new"))))


def _remove(dice: Random, library: Library, identity: str) -> None:
    library.remove_variable(identity)
    if dice.randrange(4):
        _let_go(dice, library)


def _delete_variable(dice: Random, library: Library) -> None:
    if variables := library.local():
        _remove(dice, library, dice.choice(variables)["id"])


def _let_go(dice: Random, library: Library) -> None:
    """Replace references to deleted variables by literals."""
    for each in library.local():
        for held, mode in [*library.places(each)]:
            if any(target in library.ghosts for target in targets(held[mode])):
                held[mode] = literal(dice, each["resolvedType"])


def _retype(dice: Random, library: Library) -> None:
    """Replace a variable by one of another type with its name."""
    if not (variables := library.local()):
        return
    old = dice.choice(variables)
    root = library.collections[old["variableCollectionId"]]
    library.remove_variable(old["id"])
    _let_go(dice, library)
    kind = dice.choice([each for each in TYPES if each != old["resolvedType"]])
    library.add_variable(root, old["name"], kind, [literal(dice, kind) for _ in root["modes"]])


def _set_value(dice: Random, library: Library) -> None:
    if variables := library.local():
        chosen = dice.choice(variables)
        mode = dice.choice([*chosen["valuesByMode"]])
        chosen["valuesByMode"][mode] = value(dice, library, chosen["resolvedType"])


def _reverse(dice: Random, library: Library) -> None:
    """Reverse an alias."""
    pairs = [
        (each, held, mode)
        for each in library.local()
        for held, mode in library.places(each)
        if isinstance(held[mode], dict) and held[mode].get("id") in library.variables
    ]
    if pairs:
        source, _, _ = dice.choice(pairs)
        aimed = [(held, mode) for each, held, mode in pairs if each is source]
        target = library.variables[aimed[0][0][aimed[0][1]]["id"]]
        for held, mode in library.places(source):
            held[mode] = literal(dice, source["resolvedType"])
        if not target["remote"]:
            mode = dice.choice([*target["valuesByMode"]])
            target["valuesByMode"][mode] = alias(source["id"])


def _override(dice: Random, library: Library) -> None:
    if extensions := library.extensions():
        chosen = dice.choice(extensions)
        if owned := library.owned(chosen["rootVariableCollectionId"]):
            variable = dice.choice(owned)
            mode = dice.choice(chosen["modes"])["modeId"]
            held = chosen["variableOverrides"].setdefault(variable["id"], {})
            held[mode] = value(dice, library, variable["resolvedType"])


def _follow_parent(dice: Random, library: Library) -> None:
    if held := [each["variableOverrides"] for each in library.extensions() if each["variableOverrides"]]:
        overrides = dice.choice(held)
        variable = dice.choice([*overrides])
        del overrides[variable][dice.choice([*overrides[variable]])]
        if not overrides[variable]:
            del overrides[variable]


def _describe(dice: Random, library: Library) -> None:
    if variables := library.local():
        chosen = dice.choice(variables)
        member = dice.choice(("description", "scopes", "hiddenFromPublishing", "codeSyntax"))
        chosen[member] = {
            "description": dice.choice(("", "What it is for", 'with "quotes"')),
            "scopes": _scopes(dice, chosen["resolvedType"], new=is_new(chosen["id"])),
            "hiddenFromPublishing": not chosen["hiddenFromPublishing"],
            "codeSyntax": dice.choice(({}, {"WEB": "--a"}, {"WEB": "var(--b)", "iOS": "b", "ANDROID": "b"})),
        }[member]


def _new_mode(dice: Random, library: Library) -> None:
    root = dice.choice(library.roots())
    mode = library.add_mode(root, fresh(library, "Mode"))
    for each in library.owned(root["id"]):
        if dice.randrange(2):
            each["valuesByMode"][mode] = value(dice, library, each["resolvedType"])


def _delete_mode(dice: Random, library: Library) -> None:
    roots = [each for each in library.roots() if len(each["modes"]) > 1]
    if roots:
        root = dice.choice(roots)
        library.remove_mode(root, dice.choice(root["modes"])["modeId"])


def _rename_modes(dice: Random, library: Library) -> None:
    """A mode gets a fresh name, or two swap theirs."""
    root = dice.choice(library.roots())
    one, other = dice.choice(root["modes"]), dice.choice(root["modes"])
    name = fresh(library, "Renamed") if one is other else other["name"]
    library.rename_mode(root, other["modeId"], one["name"])
    library.rename_mode(root, one["modeId"], name)


def _new_collection(dice: Random, library: Library) -> None:
    names = [fresh(library, "Mode") for _ in range(dice.randint(1, 3))]
    made = library.add_collection(fresh(library, "Collection"), names, hiddenFromPublishing=not dice.randrange(4))
    for _ in range(dice.randint(1, 3)):
        _add(dice, library, made, fresh(library, "new"))


def _new_extension(dice: Random, library: Library) -> None:
    parent = dice.choice([*library.roots(), *library.extensions()])
    library.add_extension(fresh(library, "Extension"), parent)


def _rename_collections(dice: Random, library: Library) -> None:
    """A collection gets a fresh name, or two swap theirs; or one is hidden or shown."""
    every = [*library.roots(), *library.extensions()]
    one, other = dice.choice(every), dice.choice(every)
    if one is not other:
        one["name"], other["name"] = other["name"], one["name"]
    elif dice.randrange(2):
        one["name"] = fresh(library, "Renamed")
    else:
        one["hiddenFromPublishing"] = not one["hiddenFromPublishing"]


def _delete_collection(dice: Random, library: Library) -> None:
    if len(library.roots()) > 1:
        library.remove_collection(dice.choice([*library.roots(), *library.extensions()])["id"])
        if dice.randrange(4):
            _let_go(dice, library)


_OFTEN: tuple[Callable[[Random, Library], None], ...] = (
    _new_variable,
    _set_value,
    _override,
    _rename,
    _rotate,
    _reverse,
    _describe,
)
_SELDOM: tuple[Callable[[Random, Library], None], ...] = (
    _reuse,
    _delete_variable,
    _retype,
    _follow_parent,
    _new_mode,
    _delete_mode,
    _rename_modes,
    _new_collection,
    _new_extension,
    _rename_collections,
    _delete_collection,
)


def edited(dice: Random, library: Library, count: int) -> tuple[Library, list[str]]:
    """The library after a number of valid edits, and their names in order."""
    first = library
    done: list[str] = []
    for _ in range(count):
        edit = dice.choice(_OFTEN) if dice.randrange(2) else dice.choice(_SELDOM)
        after = library.copy()
        edit(dice, after)
        if after.is_sound() and not _refers_anew(first, after):
            library = after
            done.append(edit.__name__.lstrip("_"))
    return library, done


def _refers_anew(before: Library, after: Library) -> bool:
    """Whether a new object or value has an alias to a deleted variable, which no request can create."""
    held = {
        (each["id"], mode): values[mode] for each in before.variables.values() for values, mode in before.places(each)
    }
    return any(
        target in after.ghosts and (is_new(each["id"]) or held.get((each["id"], mode)) != values[mode])
        for each in after.variables.values()
        for values, mode in after.places(each)
        for target in targets(values[mode])
    )


def is_possible(before: Library, after: Library) -> bool:
    """Whether requests can turn one library into the other without ambiguity.

    Nothing new has the name of something deleted, for which it would be taken unless its type differs; no name that
    only the editor allows has gone to another variable; and no new value refers to what was not there before.
    """
    if _dangling(after) - _dangling(before):
        return False
    odd = [each for each in after.local() if set(each["name"]) & set(".{}")]
    if any(before.variables.get(each["id"], {}).get("name") != each["name"] for each in odd):
        return False
    gone = [each for each in before.local() if each["id"] not in after.variables]
    names = {(each["variableCollectionId"], each["name"]): each["resolvedType"] for each in gone}
    new = [each for each in after.local() if each["id"] not in before.variables]
    places = [(each["variableCollectionId"], each["name"], each["resolvedType"]) for each in new]
    if any(names.get((collection, name)) == kind for collection, name, kind in places):
        return False
    return not (_called(before, after) & _called(after, before))


def _dangling(library: Library) -> set[tuple[str, str, str]]:
    """Values that refer to a variable that was missing before all edits."""
    known = library.variables.keys() | library.ghosts.keys()
    return {
        (each["id"], mode, target)
        for each in library.local()
        for held, mode in library.places(each)
        for target in targets(held[mode])
        if target not in known
    }


def _called(library: Library, other: Library) -> set[tuple[str, str]]:
    """Collections and modes of a library that the other lacks, by (owner, name).

    As handles are made: without regard to case and signs.
    """
    found = set()
    for id_, each in library.collections.items():
        there = other.collections.get(id_, {"modes": []})
        if not there["modes"]:
            found.add(("", each["name"]))
        known = {mode["modeId"] for mode in there["modes"]}
        found |= {(id_, mode["name"]) for mode in each["modes"] if mode["modeId"] not in known}
    return {(owner, re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")) for owner, name in found}
