"""Apply batches on an emulator, and compare its content with the expected states."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from emulator.platform import Platform
from plan.states import response_of, state_in

from tokensync.emulator import Emulator
from tokensync.plan.batches import after as state_after
from tokensync.plan.batches import batches_of, ids_of_answer, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.state import BODY_BYTES, FileState, ObjectValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.plan.batches import Batch
    from tokensync.plan.operations import Operation
    from tokensync.plan.state import Ref, VariableState

KEY = "carriedout"


class Run(NamedTuple):
    """The batches, and the states that the platform had: before, after each, in real ids."""

    batches: tuple[Batch, ...]
    states: tuple[FileState, ...]
    ids: dict[Ref, str]


def carried_out(
    before: FileState, operations: Sequence[Operation], *, limit: int = BODY_BYTES, seed: bytes | None = None
) -> Run:
    """Send every batch once; fail if one is refused or has another result than ``after``."""
    batches = batches_of(operations, before, limit=limit)
    assert batches == batches_of(operations, before, limit=limit)
    with closing(Emulator()) as emulator:
        emulator.seed(KEY, response_of(before) if seed is None else seed)
        run = _sent(Platform(emulator), before, batches)
    assert sum(batch.operations for batch in batches) == len(operations)
    return run


def _sent(platform: Platform, before: FileState, batches: tuple[Batch, ...]) -> Run:
    ids: dict[Ref, str] = {}
    expected = before
    states = [before]
    made: list[Ref] = []
    for batch in batches:
        body = batch.body(ids)
        assert len(body) <= batch.largest
        if not ids:
            assert len(body) == batch.largest
        answer = platform.post(body, KEY)
        assert answer.status_code == 200, (answer.json, body, [each.why for each in batches])
        ids |= ids_of_answer(batch, answer.json["meta"]["tempIdToRealId"], ids)
        made += batch.makes
        expected = state_after(expected, batch)
        found = state_in(platform.get(key=KEY).data)
        assert comparable(found) == comparable(with_ids(expected, ids))
        if batch.guarded:
            assert (
                platform.post(
                    batch.body({ref: id_ for ref, id_ in ids.items() if ref not in batch.makes}), KEY
                ).status_code
                == 400
            )
        states.append(found)
    assert sorted(made) == sorted(ids)
    return Run(batches, tuple(states), ids)


def led_to(before: FileState, after: FileState, *, limit: int = BODY_BYTES) -> Run:
    """Apply the operations from one state to the other, and check the result."""
    run = carried_out(before, differences(before, after), limit=limit)
    assert comparable(run.states[-1]) == comparable(with_ids(after, run.ids))
    return run


def comparable(state: FileState) -> tuple[object, object]:
    """A state without the order of objects, modes and values."""
    collections = {ref: (each, {mode.ref: mode for mode in each.modes}) for ref, each in state.collections.items()}
    return (
        {
            ref: (each.name, each.root, each.parent, each.default, each.hidden, modes)
            for ref, (each, modes) in collections.items()
        },
        dict(state.variables),
    )


def targets(variables: Iterable[VariableState]) -> set[Ref]:
    """What variables refer to."""
    return {
        target
        for variable in variables
        for value in variable.values.values()
        if isinstance(value, ObjectValue)
        for target in value.targets()
    }
