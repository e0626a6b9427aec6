"""For any plan, reading the platform shows whether a request was applied and which ids it created."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from emulator.platform import Platform
from hypothesis import example, given
from hypothesis import strategies as st
from plan.journeys import KEY, graph_of, plan_of
from plan.library import NEW, Library
from plan.pairs import Pair, pairs

from tokensync.apply.sending import outcome_of
from tokensync.emulator import Emulator
from tokensync.plan.batches import after, batches_of, ids_of_answer
from tokensync.plan.operations import conflicting
from tokensync.plan.state import BODY_BYTES, state_of

if TYPE_CHECKING:
    from tokensync.plan.plan import Plan
    from tokensync.plan.state import FileState

SMALL = 1_500  # bytes: makes many batches of a few operations
ELSEWHERE = {
    "variableCollections": [{"action": "CREATE", "id": "c", "name": "Somebody's", "initialModeId": "m"}],
    "variables": [
        {"action": "CREATE", "id": "v", "name": "own", "variableCollectionId": "c", "resolvedType": "STRING"}
    ],
    "variableModeValues": [{"variableId": "v", "modeId": "m", "value": "kept"}],
}


def followed_by_one_that_goes() -> Pair:
    """Create a mode, and delete an extension that would get it, with its own extension."""
    before = Library()
    theme = before.add_collection("Theme", ["Light"])
    before.add_variable(theme, "accent", "FLOAT", [1])
    going = before.add_extension("Brand 7", theme)
    before.add_extension("Brand 8", going)
    before.add_extension("Brand 10", theme)
    after = before.copy()
    after.session = NEW
    after.add_mode(after.collections[theme["id"]], "Mode 33")
    after.remove_collection(going["id"])
    return Pair(before, after, ("a mode is made", "an extension goes"))


@example(pair=followed_by_one_that_goes(), limit=BODY_BYTES, disturb=False)
@given(pair=pairs(), limit=st.sampled_from((SMALL, BODY_BYTES)), disturb=st.booleans())
def test_a_request_is_recognised_by_what_it_did_and_by_what_it_did_not(pair: Pair, limit: int, disturb: bool) -> None:
    before = pair.before.response()
    plan, state = plan_of(before, pair.after)
    emulator = Emulator()
    with contextlib.closing(emulator):
        emulator.seed(KEY, before)
        _recognised(Platform(emulator), plan, state, limit=limit, disturb=disturb)


def _recognised(platform: Platform, plan: Plan, state: FileState, *, limit: int, disturb: bool) -> None:
    def held() -> FileState:
        return state_of(graph_of(platform.get(key=KEY).data))

    assert conflicting(plan.operations, held()) == ()
    ids: dict[str, str] = {}
    for batch in batches_of(plan.operations, state, limit=limit):
        wanted = after(state, batch)
        found = outcome_of(held(), state, wanted, batch, ids)
        assert found.how == "not carried out", found
        answer = platform.post(batch.body(ids), KEY)
        made = ids_of_answer(batch, answer.json["meta"]["tempIdToRealId"], ids)
        if disturb:
            platform.post(json.dumps(ELSEWHERE).encode(), KEY)
        found = outcome_of(held(), state, wanted, batch, ids)
        assert (found.how, found.ids) == ("carried out", made)
        state, ids = wanted, ids | made
