"""Edits of variables of unknown types are not lost, although no request contains them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from apply.wanted import with_dim, without_sizes
from apply.world import KEY, SIZES, THEME, World, design, shape, two_batches

from tokensync.apply import applying
from tokensync.apply.sending import Stop
from tokensync.commands.apply import apply_plans
from tokensync.commands.rollback import rollback
from tokensync.system.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState

EASE = "VariableID:5:2"


def easing(id_: str = EASE, collection: str = SIZES, **values: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "name": "ease",
        "variableCollectionId": collection,
        "resolvedType": "EASING",
        "valuesByMode": values or {"2:0": [0, 0, 1, 1]},
    }


def edited(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(content)
    change(document["meta"]["variables"])
    return json.dumps(document).encode()


def world_with(folder: Path, variable: dict[str, Any]) -> World:
    return World(folder, edited(design(), lambda variables: variables.update({variable["id"]: variable})))


def somebody(world: World, change: Callable[[dict[str, Any]], None]) -> None:
    """Make an edit that is only possible in the editor."""
    world.emulator.seed(KEY, edited(world.reading().raw, change))


def revalued(variables: dict[str, Any]) -> None:
    variables[EASE]["valuesByMode"] = dict.fromkeys(variables[EASE]["valuesByMode"], "mine")


def without_sizes_in_two_requests(state: FileState) -> FileState:
    return two_batches(without_sizes(state))


@pytest.mark.parametrize("rebase", [False, True])
def test_an_edit_between_two_requests_stops_what_would_delete_it(tmp_path: Path, rebase: bool) -> None:
    world = world_with(tmp_path, easing())
    plan = world.plan(without_sizes_in_two_requests(world.state))
    assert len(plan.batches) == 2
    world.network.after_post = lambda number: somebody(world, revalued) if number == 0 else None
    with pytest.raises(
        Stop, match=r"somebody changed objects that the plan deletes \(collection Sizes \(deleted\)\); reverse it with"
    ):
        world.applier().apply(plan, force=True, rebase=rebase)
    assert SIZES in world.state.collections
    assert len(world.network.posted) == 1


def test_without_an_edit_all_of_it_is_carried_out(tmp_path: Path) -> None:
    world = world_with(tmp_path, easing())
    done = world.applier().apply(world.plan(without_sizes_in_two_requests(world.state)), force=True)
    assert (done.requests, done.differences) == (2, ())
    assert SIZES not in world.state.collections


def test_an_edit_elsewhere_between_two_requests_stops_nothing(tmp_path: Path) -> None:
    light = {"1:0": 1, "1:1": 2}
    world = world_with(tmp_path, easing(collection=THEME, **light))
    world.network.after_post = lambda number: somebody(world, revalued) if number == 0 else None
    done = world.applier().apply(world.plan(without_sizes_in_two_requests(world.state)), force=True)
    assert done.differences == ()


def test_a_plan_that_deletes_neither_collection_nor_mode_compares_nothing_on_their_behalf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences, compared = applying.differences, []

    def counting(before: FileState, after: FileState) -> tuple[Operation, ...]:
        compared.append(bool(before.opaque))
        return differences(before, after)

    monkeypatch.setattr(applying, "differences", counting)
    for name, world in (("plain", World), ("opaque", lambda folder: world_with(folder, easing()))):
        (tmp_path / name).mkdir()
        made = world(tmp_path / name)
        made.applier().apply(made.plan(two_batches(made.state)), force=True)
    assert compared.count(True) == compared.count(False) > 0


def test_what_somebody_made_in_a_new_collection_is_not_rolled_back(tmp_path: Path) -> None:
    world = World(tmp_path)
    done = world.applier().apply(world.plan(two_batches(world.state)))
    palette = next(each for each in world.state.collections.values() if each.name == "Palette")
    made = easing(collection=palette.ref, **{palette.default: "slow"})
    somebody(world, lambda variables: variables.update({EASE: made}))
    with pytest.raises(ConflictError, match=r"somebody has changed the same objects since \(Palette / ease \(new\)\)"):
        rollback(world.applier(), done.receipt)
    assert palette.ref in world.state.collections


def test_what_the_platform_filled_a_new_mode_with_goes_with_it(tmp_path: Path) -> None:
    world = world_with(tmp_path, easing(collection=THEME, **{"1:0": 1, "1:1": 2}))
    before = world.state
    done = world.applier().apply(world.plan(with_dim(world.state)))
    assert [value for _, value in world.state.opaque[THEME][0].values] == ["1", "2", "1"]
    result = rollback(world.applier(), done.receipt)
    apply_plans(world.applier(), result.path, force=True)
    assert shape(world.state) == shape(before)
    assert world.state.opaque == before.opaque


def test_what_somebody_gave_it_in_a_new_mode_does_not(tmp_path: Path) -> None:
    world = world_with(tmp_path, easing(collection=THEME, **{"1:0": 1, "1:1": 2}))
    done = world.applier().apply(world.plan(with_dim(world.state)))
    new = world.state.collections[THEME].modes[-1].ref
    somebody(world, lambda variables: variables[EASE]["valuesByMode"].update({new: "mine"}))
    with pytest.raises(ConflictError, match=r"Themes / ease: its value"):
        rollback(world.applier(), done.receipt)
