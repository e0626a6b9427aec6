"""Plans at the platform's limits, where deletions must come first, and known difficult cases."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from plan.library import NEW, Library, alias
from plan.test_end_to_end import SMALL, assert_comes_about

from tokensync.plan.state import BODY_BYTES
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION

if TYPE_CHECKING:
    from plan.library import Document

LIMITS = pytest.mark.parametrize("limit", [BODY_BYTES, SMALL], ids=["one body", "small bodies"])


def edited(library: Library) -> Library:
    """A copy in which new things have new ids."""
    after = library.copy()
    after.session = NEW
    return after


def with_numbers(modes: list[str], count: int, *, extended: bool = False) -> tuple[Library, Document]:
    """A collection of so many numbers, each a mode's and variable's own."""
    library = Library()
    root = library.add_collection("Sizes", modes)
    if extended:
        library.add_extension("Brand", root)
    for number in range(count):
        library.add_variable(root, f"size {number}", "FLOAT", [number + at / 2 for at in range(len(modes))])
    return library, root


@LIMITS
@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("replaced", [1, 3, MODES_PER_COLLECTION - 1, MODES_PER_COLLECTION])
def test_modes_are_replaced_in_a_collection_that_has_as_many_as_it_may(replaced: int, limit: int, extended: bool):
    before, _ = with_numbers([f"Mode {number}" for number in range(MODES_PER_COLLECTION)], 3, extended=extended)
    after = edited(before)
    (root,) = after.roots()
    kept = [each["modeId"] for each in root["modes"]][replaced:]
    gone = [each["modeId"] for each in root["modes"]][:replaced]
    for number in range(replaced):
        mode = after.add_mode(root, f"Other {number}")
        for place, each in enumerate(after.owned(root["id"])):
            each["valuesByMode"][mode] = 1000 + number + place
    for each in gone:
        after.remove_mode(root, each)
    assert len(root["modes"]) == MODES_PER_COLLECTION
    assert len(kept) == MODES_PER_COLLECTION - replaced
    assert_comes_about(before.response(), after, limit)


@pytest.mark.parametrize("extended", [False, True])
def test_variables_are_replaced_in_a_collection_that_has_as_many_as_it_may(extended: bool):
    before, _ = with_numbers(["Light"], VARIABLES_PER_COLLECTION, extended=extended)
    after = edited(before)
    (root,) = after.roots()
    owned = after.owned(root["id"])
    for each in owned[:40]:
        after.remove_variable(each["id"])
    for number in range(40):
        after.add_variable(root, f"other {number}", "FLOAT", [alias(owned[100 + number]["id"])])
    owned[200]["name"], owned[201]["name"] = owned[201]["name"], owned[200]["name"]
    assert_comes_about(before.response(), after)


@LIMITS
def test_variables_of_a_full_collection_change_their_type(limit: int):
    before, _ = with_numbers(["Light"], VARIABLES_PER_COLLECTION)
    after = edited(before)
    (root,) = after.roots()
    for each in after.owned(root["id"])[:6]:
        after.remove_variable(each["id"])
        after.add_variable(root, each["name"], "STRING", ["a text"])
    assert_comes_about(before.response(), after, limit)


@LIMITS
@pytest.mark.parametrize("length", [2, 3, 7])
def test_names_are_exchanged_in_a_cycle(length: int, limit: int):
    before, _ = with_numbers(["Light"], 9)
    after = edited(before)
    owned = after.owned(after.roots()[0]["id"])[:length]
    names = [each["name"] for each in owned]
    for each, name in zip(owned, [*names[1:], names[0]], strict=True):
        each["name"] = name
    assert_comes_about(before.response(), after, limit)


@LIMITS
def test_a_chain_of_aliases_is_turned_round(limit: int):
    before, root = with_numbers(["Light", "Dark"], 8)
    chain = before.owned(root["id"])
    for each, target in pairwise(chain):
        each["valuesByMode"] = dict.fromkeys(each["valuesByMode"], alias(target["id"]))
    after = edited(before)
    turned = after.owned(root["id"])
    turned[0]["valuesByMode"] = dict.fromkeys(turned[0]["valuesByMode"], 1)
    for target, each in pairwise(turned):
        each["valuesByMode"] = dict.fromkeys(each["valuesByMode"], alias(target["id"]))
    assert_comes_about(before.response(), after, limit)


@LIMITS
def test_a_deleted_default_mode_and_aliases_that_form_a_cycle_without_it(limit: int):
    before, root = with_numbers(["Light", "Dark"], 2)
    one, other = before.owned(root["id"])
    light, dark = one["valuesByMode"]
    one["valuesByMode"][light] = alias(other["id"])
    after = edited(before)
    (root,) = after.roots()
    after.remove_mode(root, light)
    after.variables[other["id"]]["valuesByMode"][dark] = alias(one["id"])
    assert_comes_about(before.response(), after, limit)


@LIMITS
def test_a_default_mode_that_comes_back_has_its_values_whatever_others_have_by_then(limit: int):
    before, root = with_numbers(["Light", "Dark"], 30)
    after = edited(before)
    (root,) = after.roots()
    light = root["defaultModeId"]
    for each in after.owned(root["id"]):
        (dark,) = each["valuesByMode"].keys() - {light}
        each["valuesByMode"][dark] = each["valuesByMode"][light]
    after.remove_mode(root, light)
    assert_comes_about(before.response(), after, limit)


@LIMITS
def test_collections_swap_their_names_and_a_new_one_is_called_like_a_third(limit: int):
    before = Library()
    for name in ("Theme", "Base", "Other"):
        root = before.add_collection(name, ["Light"])
        before.add_variable(root, "gap", "FLOAT", [4])
    after = edited(before)
    one, other, _ = after.roots()
    one["name"], other["name"] = other["name"], one["name"]
    made = after.add_collection("Other", ["Light", "Dark"])
    after.add_variable(made, "gap", "FLOAT", [1, 2])
    extension = after.add_extension("Theme", made)
    extension["variableOverrides"][after.owned(made["id"])[0]["id"]] = {extension["modes"][1]["modeId"]: 3}
    assert_comes_about(before.response(), after, limit)


@LIMITS
def test_a_family_of_new_collections_of_which_each_extends_the_last(limit: int):
    before, _ = with_numbers(["Light"], 1)
    after = edited(before)
    parent = after.add_collection("Brands", ["Light", "Dark"])
    after.add_variable(parent, "accent", "FLOAT", [1, 2])
    (accent,) = after.owned(parent["id"])
    for number in range(5):
        parent = after.add_extension(f"Brand {number}", parent)
        parent["variableOverrides"][accent["id"]] = {parent["modes"][number % 2]["modeId"]: 10 + number}
    assert_comes_about(before.response(), after, limit)
