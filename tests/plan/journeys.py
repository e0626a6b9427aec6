"""Plan, apply and roll back between two libraries on an emulator, without files or network."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from emulator.platform import Platform
from plan.matching import identified
from plan.wanted import without_new_ids

from tokensync.apply.rollback import inverse
from tokensync.emulator import Emulator
from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.plan.batches import batches_of, ids_of_answer
from tokensync.plan.desired import desired
from tokensync.plan.operations import conflicting
from tokensync.plan.planning import Planning
from tokensync.plan.state import BODY_BYTES, labels_of, state_of
from tokensync.system.errors import errors_among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plan.library import Library

    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import Plan
    from tokensync.plan.state import FileState, Ref
    from tokensync.tokens import TokenGraph

KEY = "Journey"


class Planned(NamedTuple):
    """A plan, and the state that it was made from."""

    plan: Plan
    before: FileState


def graph_of(response: bytes) -> TokenGraph:
    """The graph that ``pull`` reads from a response."""
    return normalize(snapshot("design", response))[0]


def plan_of(before: bytes, wanted: Library) -> Planned:
    """The plan from a file's content to a library; any problem fails the test."""
    theirs = graph_of(before)
    ours, ambiguities = identified(without_new_ids(graph_of(wanted.response())), theirs)
    aim = desired(ours, theirs, location_of=lambda key, _: str(key))
    was, will_be = state_of(theirs), state_of(aim.graph)
    labels = {**labels_of(theirs), **labels_of(aim.graph)}

    def where(ref: Ref, mode: Ref | None) -> str:
        return f"{labels.get(ref, ref)} {mode or ''}"

    plan, problems = Planning("design", KEY, "", labels, where, prune=True).plan(was, will_be)
    wrong = errors_among((*ambiguities, *aim.problems, *problems))
    assert not wrong, wrong
    assert not conflicting(plan.operations, was)  # or apply would take the plan for one that was edited by hand
    return Planned(plan, was)


class Journey:
    """An emulator that holds a response, and what is sent to it. A context, closed at its end."""

    def __init__(self, response: bytes) -> None:
        self._emulator = Emulator()
        self._emulator.seed(KEY, response)
        self._platform = Platform(self._emulator)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._emulator.close()

    def held(self) -> bytes:
        """The present response of GET."""
        data: bytes = self._platform.get(key=KEY).data
        return data

    def status_of(self, body: object) -> int:
        """Send one request; the status of the answer."""
        status: int = self._platform.post(body, KEY).status_code
        return status

    def carry_out(self, operations: Sequence[Operation], before: FileState, *, limit: int = BODY_BYTES) -> list[bytes]:
        """Send the batches, each accepted at once, and return the file's content after each."""
        ids: dict[Ref, str] = {}
        held = []
        for batch in batches_of(operations, before, limit=limit):
            body = batch.body(ids)
            assert len(body) <= BODY_BYTES
            answer = self._platform.post(body, KEY)
            assert answer.status_code == 200, (answer.json, body)
            ids |= ids_of_answer(batch, answer.json["meta"]["tempIdToRealId"], ids)
            held.append(self.held())
        return held

    def roll_back(self, before: FileState, left: FileState, *, limit: int = BODY_BYTES) -> None:
        """Roll back the plan that led from one state to the other."""
        now = state_of(graph_of(self.held()))
        back = inverse(before, (left,), now)
        assert not back.conflicts
        self.carry_out(back.operations, now, limit=limit)
