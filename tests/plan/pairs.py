"""Pairs of design files: before and after random edits."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st
from plan import edits
from plan.library import NEW, TYPES, Library, alias, targets

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn


class Pair(NamedTuple):
    """Two libraries, and the edits that lead from the first to the second."""

    before: Library
    after: Library
    edits: tuple[str, ...]

    @property
    def leads_back(self) -> bool:
        """Whether requests can restore the first library: no deleted name is one that only the editor allows.

        Nor can it make an alias to what is not there.
        """
        held = [values[mode] for each in self.before.local() for values, mode in self.before.places(each)]
        if any(target not in self.before.variables for value in held for target in targets(value)):
            return False
        odd = [each for each in self.before.local() if set(each["name"]) & set(".{}")]
        return all(self.after.variables.get(each["id"], {}).get("name") == each["name"] for each in odd)

    def __repr__(self) -> str:
        return f"Pair({', '.join(self.edits)})\nbefore = {self.before.response()!r}\nafter = {self.after.response()!r}"


def seeded(dice: Random) -> Library:
    """A library of a few collections, extensions of them and of one another, aliases, overrides; at times a remote one.

    Names are at times those that only a design file can have: dots, braces, a leaf that is a group as well. And at
    times something refers to what is deleted, or not there.
    """
    library = Library()
    for number in range(dice.randint(1, 3)):
        modes = ("Light", "Dark", "Touch v1.5")[: dice.randint(1, 3)]
        root = library.add_collection(("Theme", "base tokens", ".size")[number], list(modes))
        for place in range(dice.randint(1, 6)):
            name = ("accent", "group/leaf", "group", "a.b{c}", "text 50%", "deep/er/still")[place]
            kind = dice.choice(TYPES)
            values = [edits.value(dice, library, kind) for _ in modes]
            library.add_variable(root, name, kind, values, scopes=dice.choice(edits.SCOPES[kind]))
        for _ in range(dice.randrange(3)):
            parents = [root, *library.extensions(root["id"])]
            library.add_extension(edits.fresh(library, "Brand"), dice.choice(parents))
    if not dice.randrange(3):
        _add_remote(library)
    again, _ = edits.edited(dice, library, dice.randint(0, 6))
    library = again if not again.ghosts else library
    if not dice.randrange(4):
        _add_leftovers(dice, library)
    return library


def _add_leftovers(dice: Random, library: Library) -> None:
    """A deleted variable that one still refers to, and an alias to what the response does not hold at all."""
    referring = dice.choice(library.local() or [None])
    if referring is None:
        return
    root = library.collections[referring["variableCollectionId"]]
    mode = dice.choice([*referring["valuesByMode"]])
    if dice.randrange(2):
        referring["valuesByMode"][mode] = alias("VariableID:77:7")
        return
    kind = referring["resolvedType"]
    values = [edits.literal(dice, kind) for _ in root["modes"]]
    gone = library.add_variable(root, "gone", kind, values, deletedButReferenced=True)
    library.leftovers[gone["id"]] = library.variables.pop(gone["id"])
    referring["valuesByMode"][mode] = alias(gone["id"])


def _add_remote(library: Library) -> None:
    """A library of another file that is in use here."""
    key = "0123456789abcdef0123456789abcdef01234567"
    library.session += 1
    root = library.add_collection("Library", ["Light"], remote=True, hiddenFromPublishing=True)
    library.collections[f"VariableCollectionId:{key}/7:1"] = root
    del library.collections[root["id"]]
    root["id"] = f"VariableCollectionId:{key}/7:1"
    made = library.add_variable(root, "brand/logo", "COLOR", [{"r": 1, "g": 0, "b": 0, "a": 1}])
    del library.variables[made["id"]]
    made["id"], made["key"] = f"VariableID:{key}/7:2", key
    library.variables[made["id"]] = made
    root["variableIds"] = [made["id"]]


def pair(dice: Random, *, most: int = 8) -> Pair | None:
    """A seeded library and up to ``most`` edits of it; None where that cannot be planned."""
    before = seeded(dice)
    after = before.copy()
    after.session = NEW
    after, done = edits.edited(dice, after, dice.randint(0, most))
    return Pair(before, after, tuple(done)) if edits.is_possible(before, after) else None


def whole_pair(dice: Random, *, most: int = 8) -> Pair:
    """The first pair of these dice that leads back as well, and leaves no alias to something deleted."""
    while True:
        found = pair(dice, most=most)
        if found is not None and found.leads_back and not found.after.refers_to_ghosts():
            return found


@st.composite
def pairs(draw: DrawFn, *, most: int = 8) -> Pair:
    """Pairs, drawn so that hypothesis can make a failing one smaller."""
    found = pair(draw(st.randoms(use_true_random=True)), most=most)
    return whole_pair(Random(1), most=most) if found is None else found
