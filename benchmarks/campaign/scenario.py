"""A scenario: two libraries, a plan that leads from one to the other, and what its batches come to without faults."""

from __future__ import annotations

import json
import os
import shutil
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from plan.library import is_new
from plan.pairs import whole_pair
from plan.readings import differences_of, ids_in, reading_of

if TYPE_CHECKING:
    from campaign.children import Done, Nursery
    from campaign.platform import DesignFile
    from campaign.proxy import Proxy
    from plan.pairs import Pair

SETTLING_TIME = 30.0
CLIENT_WAITS = 0.4  # seconds: what the proxy calls silence is longer
PROJECT = "project"


class Violation(Exception):
    """A broken guarantee."""


class World(NamedTuple):
    """The environment of every schedule of a worker. ``rivals`` runs commands while one of ``nursery`` is under way.

    ``detour`` is the proxy of a second clone.
    """

    scratch: str
    file: DesignFile
    proxy: Proxy
    nursery: Nursery
    rivals: Nursery
    detour: Proxy


class Scenario(NamedTuple):
    """``states`` are the responses of the file before the plan and after each of its batches.

    ``template`` is a project's folder with the plan in it; ``steps`` and ``reads`` count those of an apply that
    nothing disturbs.
    """

    pair: Pair
    template: str
    states: tuple[bytes, ...]
    steps: int
    reads: int

    @property
    def batches(self) -> int:
        """The number of requests of the plan."""
        return len(self.states) - 1


def project(world: World) -> str:
    """The folder that commands run in."""
    return os.path.join(world.scratch, PROJECT)


def new_scenario(world: World, seed: str) -> Scenario | None:
    """A scenario of several batches, or None where the dice of this seed give a plan that is smaller.

    Raises Violation when a plan that can be carried out is not, or does not come to what was wanted.
    """
    pair = whole_pair(Random(seed), most=14)
    before = pair.before.response()
    if world.proxy.base_url == "bridge:" and b'"remote": true' in before:
        return None  # the plugin API lists no variables of other libraries, so no plan refers to new ones
    filled = {variable["variableCollectionId"] for variable in pair.after.local()}
    if any(is_new(root["id"]) and root["id"] not in filled for root in pair.after.roots()):
        return None  # no plan creates a collection without a variable
    world.proxy.arm({}, {})
    _new_project(world)
    world.file.fill(before)
    expect(world.nursery.run(project(world), "-q", "pull"), "pull")
    _write_tokens(project(world), pair)
    expect(world.nursery.run(project(world), "-q", "plan", "--prune"), "plan")
    template = os.path.join(world.scratch, "template")
    shutil.rmtree(template, ignore_errors=True)
    shutil.copytree(project(world), template)
    states = [world.file.read()]
    world.proxy.arm({}, {}, after_post=lambda _: states.append(world.file.read()))
    done = world.nursery.run(project(world), "-q", "apply", "--force")
    expect(done, "apply")
    if refused := [each for each in world.proxy.seen if each.status != 200]:
        raise Violation(f"{len(refused)} requests of an undisturbed apply were refused")
    known = ids_in(before)
    differences = differences_of(reading_of(world.file.read(), known), reading_of(pair.after.response(), known))
    if differences:
        raise Violation(
            f"an undisturbed apply ({', '.join(pair.edits)}) has another result: {'; '.join(differences[:5])}"
        )
    reads = sum(each.method == "GET" for each in world.proxy.seen)
    return Scenario(pair, template, tuple(states), done.steps, reads) if len(states) > 2 else None


def reset(world: World, scenario: Scenario) -> None:
    """Put file and project back to where the plan has just been made."""
    shutil.rmtree(project(world), ignore_errors=True)
    shutil.copytree(scenario.template, project(world))
    world.file.fill(scenario.pair.before.response())


def expect(done: Done, what: str) -> None:
    """Raise Violation unless a command ended well."""
    if done.code != 0:
        raise Violation(f"tokensync {what} ended with {done.code}: {done.output[-1500:]}")


def meta_of(response: bytes) -> dict[str, dict[str, dict[str, object]]]:
    """The ``meta`` of a response."""
    meta: dict[str, dict[str, dict[str, object]]] = json.loads(response)["meta"]
    return meta


def _new_project(world: World) -> None:
    folder = project(world)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "tokensync.toml"), "w", encoding="utf-8") as file:
        file.write(
            f'base_url = "{world.proxy.base_url}"\n'
            f"[client]\nread_timeout = {CLIENT_WAITS}\nsettling_time = {SETTLING_TIME}\n"
            f'[[files]]\nname = "design"\nkey = "{world.file.key}"\n'
        )


def _write_tokens(folder: str, pair: Pair) -> None:
    """Write token files of the edited library, without the ids that only the platform assigns."""
    from plan.wanted import without_new_ids

    from tokensync.dtcg import write, write_folder
    from tokensync.extract.wire import snapshot
    from tokensync.normalize.graph import normalize, referenced

    graph, _ = normalize(snapshot("design", pair.after.response()))
    write_folder(os.path.join(folder, "tokens"), "design", write(referenced(without_new_ids(graph)), "design"))
