"""A change set of three times the size limit: the number of requests, and the cost of a kill in the middle.

Its size comes from long descriptions, not from tens of thousands of variables.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import msgspec
import pytest
from apply.world import KEY, Killed, World
from plan.journeys import plan_of
from plan.library import NEW, Library, alias
from plan.readings import differences_of, ids_in, reading_of

from tokensync.plan.state import BODY_BYTES

if TYPE_CHECKING:
    from pathlib import Path

COLLECTIONS, VARIABLES, MODES = 6, 1_500, 4
DESCRIPTION = "what this size is for, " * 360


def empty_library() -> Library:
    """A state with one collection that has content."""
    library = Library()
    root = library.add_collection("Existing", ["Value"])
    library.add_variable(root, "gap", "FLOAT", [4])
    return library


def large_library(before: Library) -> Library:
    """The state with many more variables: literals, and aliases from each collection to the next one.

    So what an alias leads to comes later in the library, and in another body than the alias at that.
    """
    library = before.copy()
    library.session = NEW
    names = [f"Area {number}" for number in range(COLLECTIONS)]
    modes = [f"M{number}" for number in range(MODES)]
    roots = [library.add_collection(name, modes) for name in names]
    made: list[list[str]] = [[] for _ in roots]
    for number in range(VARIABLES):
        at = COLLECTIONS - 1 - number * COLLECTIONS // VARIABLES
        targets = made[at + 1] if at + 1 < COLLECTIONS else []
        place = len(made[at])
        values = [
            alias(targets[place]) if place < len(targets) and (number + mode) % 3 else number + mode / 4
            for mode in range(MODES)
        ]
        variable = library.add_variable(
            roots[at], f"size {number}", "FLOAT", values, description=f"{number}: {DESCRIPTION}"
        )
        made[at].append(variable["id"])
    return library


@pytest.fixture(scope="module")
def libraries() -> tuple[bytes, Library]:
    before = empty_library()
    return before.response(), large_library(before)


def test_twelve_megabytes_need_few_requests_and_after_a_kill_none_is_sent_again(
    tmp_path: Path, libraries: tuple[bytes, Library]
):
    before, wanted = libraries
    world = World(tmp_path, before)
    plan = msgspec.structs.replace(
        plan_of(before, wanted).plan, file="kit", key=KEY, fingerprint=world.reading().fingerprint
    )

    def die(number: int) -> None:
        if number == 1:
            raise Killed

    world.network.after_post = die
    with pytest.raises(Killed):
        world.applier().apply(plan)
    world.network.after_post = lambda number: None
    done = world.applier().resume("kit")

    assert done is not None
    assert done.differences == ()
    sizes = [len(each) for each in world.network.posted]
    assert sum(sizes) > 12_000_000
    assert max(sizes) <= BODY_BYTES
    assert world.network.posted == world.network.committed
    assert len(sizes) == len(set(world.network.posted)) <= math.ceil(sum(sizes) / BODY_BYTES) + 2
    reached = world.reading().raw
    assert len(json.loads(reached)["meta"]["variables"]) == VARIABLES + 1
    known = ids_in(before)
    assert not differences_of(reading_of(reached, known), reading_of(wanted.response(), known))
