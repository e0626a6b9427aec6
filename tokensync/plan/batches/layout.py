"""From operations to requests: what comes in which order, and what has to stay together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.batches.aim import Aim
from tokensync.plan.batches.encoding import Encoder
from tokensync.plan.batches.packing import Packer
from tokensync.plan.batches.phases import Phases
from tokensync.plan.state import BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.plan.batches.batch import Batch
    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState


def batches_of(operations: Sequence[Operation], before: FileState, *, limit: int = BODY_BYTES) -> tuple[Batch, ...]:
    """The requests that carry operations out, in order; the same for the same operations and state.

    One request if the platform's order within it allows (platform-api.md 4.3 rule 1) and ``limit`` bytes do. Otherwise
    each leaves a file that is valid and holds no value that nobody gave, and deletions come last. Only what no request
    can hold is parted: a new mode or a variable whose values alone take more than ``limit``. A single change that takes
    more makes a batch that is larger than ``limit``.
    """
    if not operations:
        return ()
    aim = Aim(operations, before)
    phases = Phases(aim, Encoder(aim.lengths.keys()))
    if not aim.takes_two:
        batch = Packer(aim.lengths, limit).only_batch(phases.atoms(together=True))
        if batch is not None:
            return (batch,)
    return tuple(Packer(aim.lengths, limit).batches(phases.atoms(together=False)))
