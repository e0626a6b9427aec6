"""A fault campaign against write-back: apply plans while networks, servers, processes and other people interfere.

A schedule is a plan of several batches and what goes wrong while it is applied; both come of a seed, so that a schedule
that fails can be run again by its number. After resuming, the library has to be the plan's result, the untouched
original, or whole batches of the plan that a rollback takes back; other people's edits have to be there, and nothing
twice, lost or half done. That is judged by raw answers of the emulator, which runs in a process of its own, against an
expectation that shares no code with plans. The table that it prints is Markdown. Needs a POSIX system (fork, SIGKILL).

    python benchmarks/faults.py                          10,000 schedules, a quarter in each situation
    python benchmarks/faults.py --schedules 20000 --seed 7
    python benchmarks/faults.py --seed 1 --only 417      one schedule, and what its commands said
    python benchmarks/faults.py --situation bridge --schedules 200
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import ExitStack, suppress
from random import Random
from typing import TYPE_CHECKING, TextIO

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests")]

from campaign import scenario as scenarios  # noqa: E402
from campaign import schedules  # noqa: E402
from campaign.bridging import BridgeTrial, bridged_world  # noqa: E402
from campaign.children import Nursery  # noqa: E402
from campaign.clones import CloneTrial  # noqa: E402
from campaign.platform import DesignFile, Platform  # noqa: E402
from campaign.proxy import Proxy  # noqa: E402
from campaign.running import Trial  # noqa: E402
from campaign.scenario import SETTLING_TIME, Violation, World  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_MEMORY = "/dev/shm"  # noqa: S108  # a folder of one's own is made in it
SCHEDULES_PER_PLAN = 20
LARGEST_BODY = 900
"""Bytes: a few operations, so that a small plan is of many batches."""
ENDS = ("plan carried out", "untouched", "a part, taken back")
SITUATIONS = ("one project", "two clones", "lying readings", "bridge")
WORKERS = 3
"""For each processor: schedules wait most of the time."""


def main() -> int:
    """Run the campaign and print its results; return 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(description="A fault campaign against write-back.")
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=WORKERS * (os.cpu_count() or 1))
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one schedule of the seed, and print its log")
    parser.add_argument("--situation", choices=SITUATIONS, help="run schedules of this situation alone")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    memory = IN_MEMORY if os.access(IN_MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="tokensync-faults-") as scratch:
        os.environ["PYTHONPATH"] = CHECKOUT
        with Platform(scratch) as platform:
            os.environ["FIGMA_ACCESS_TOKEN"] = platform.token
            results: list[dict[str, str]] = []
            with suppress(KeyboardInterrupt):  # the table shows what there is
                for result in _results(options, platform, scratch):
                    results.append(result)
                    if len(results) % 500 == 0:
                        print(f"{len(results):,} after {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    _report(results, options, time.monotonic() - started)
    complete = len(results) == sum(len(group) for group, _ in _groups(options))
    return 0 if complete and not any("violation" in result for result in results) else 1


def _groups(options: argparse.Namespace) -> list[tuple[range, str]]:
    """Return the numbers of the schedules of each plan, and their situation. Situations take turns."""
    if options.only is not None:
        situation = SITUATIONS[options.only // SCHEDULES_PER_PLAN % len(SITUATIONS)]
        return [(range(options.only, options.only + 1), options.situation or situation)]
    starts = range(0, options.schedules, SCHEDULES_PER_PLAN)
    groups = [range(start, min(start + SCHEDULES_PER_PLAN, options.schedules)) for start in starts]
    return [(group, options.situation or SITUATIONS[number % len(SITUATIONS)]) for number, group in enumerate(groups)]


def _results(options: argparse.Namespace, platform: Platform, scratch: str) -> Iterator[dict[str, str]]:
    """Yield the result of each schedule, from all workers at once."""
    reading, writing = os.pipe()
    workers = min(options.workers, len(_groups(options)))
    pids = []
    for worker in range(workers):
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.close(reading)
            sink = os.fdopen(writing, "w", encoding="utf-8")
            _work(options, platform, os.path.join(scratch, f"worker-{worker}"), worker, workers, sink)
        pids.append(pid)
    os.close(writing)
    try:
        with os.fdopen(reading, encoding="utf-8") as lines:
            for line in lines:
                result: dict[str, str] = json.loads(line)
                if "violation" in result:
                    print(f"schedule {result['number']} ({result['kind']}): {result['violation']}", flush=True)
                yield result
    except KeyboardInterrupt:
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        raise
    finally:
        for pid in pids:
            os.waitpid(pid, 0)


def _work(
    options: argparse.Namespace, platform: Platform, scratch: str, worker: int, workers: int, sink: TextIO
) -> None:
    """Run one worker's share of the plans, with all their schedules."""
    code = 1
    try:
        os.makedirs(scratch)
        nursery, rivals = (Nursery(os.path.join(scratch, name), largest_body=LARGEST_BODY) for name in "ab")
        proxy = Proxy(platform.address, nursery.now, SETTLING_TIME)
        detour = Proxy(platform.address, rivals.now, SETTLING_TIME)
        world = World(scratch, DesignFile(platform, f"Campaign{worker}"), proxy, nursery, rivals, detour)
        groups = _groups(options)[worker::workers]
        with ExitStack() as closing:
            bridged = None
            for group, situation in groups:
                if situation == "bridge" and bridged is None:
                    bridged = closing.enter_context(bridged_world(world))
                for result in _group(
                    bridged if situation == "bridge" and bridged else world, options, group, situation
                ):
                    print(json.dumps(result), file=sink, flush=True)
        rivals.close()  # its process has the pipe of the other one
        nursery.close()
        code = 0
    except BaseException:  # noqa: BLE001 - reported by the exit code, which a fork must not pass on
        traceback.print_exc()
    os._exit(code)


def _group(world: World, options: argparse.Namespace, numbers: range, situation: str) -> Iterator[dict[str, str]]:
    """Run the schedules of one plan."""
    plan, seed = numbers[0] // SCHEDULES_PER_PLAN, options.seed
    try:
        scenario = _scenario(world, f"{seed}/{plan}")
    except Violation as violation:
        for number in numbers:
            kind = "no fault at all"
            yield {"number": str(number), "situation": situation, "kind": kind, "violation": str(violation)}
        return
    for number in numbers:
        dice = Random(f"{seed}/{plan}/{number}")
        match situation:
            case "two clones":
                trial: Trial = CloneTrial(world, scenario, dice)
            case "bridge":
                trial = BridgeTrial(world, scenario, dice)
            case "lying readings":
                trial = Trial(world, scenario, schedules.lying(dice, scenario))
            case _:
                trial = Trial(world, scenario, schedules.drawn(dice, scenario))
        result = {"number": str(number), "situation": situation, "kind": trial.schedule.kind}
        result |= {"requests": str(scenario.batches)}
        try:
            outcome = trial.run()
            result |= {"end": outcome.end, "resumed": str(outcome.resumptions), "rolled back": outcome.rolled_back}
            result |= {"edited": "yes"} if outcome.edited else {}
        except Violation as violation:
            result["violation"] = str(violation)
        if options.only is not None:
            print(
                f"{trial.schedule}\nedits: {', '.join(scenario.pair.edits)}\n" + "\n".join(trial.log), file=sys.stderr
            )
        yield result


def _scenario(world: World, seed: str) -> scenarios.Scenario:
    """Return the first plan of several batches for a seed."""
    number = 0
    while (scenario := scenarios.new_scenario(world, f"{seed}/{number}")) is None:
        number += 1
    return scenario


def _report(results: list[dict[str, str]], options: argparse.Namespace, seconds: float) -> None:
    """Print a table with a row per situation and fault, and the totals."""
    rows: dict[tuple[str, str], list[dict[str, str]]] = {}
    for result in sorted(results, key=lambda result: (SITUATIONS.index(result["situation"]), result["kind"])):
        rows.setdefault((result["situation"], result["kind"]), []).append(result)
    print("| situation | fault | schedules | " + " | ".join(ENDS) + " | resumptions | rolled back whole | violations |")
    print("| --- | --- |" + " ---: |" * 7)
    for (situation, kind), row in [*rows.items(), (("all", ""), results)]:
        ends = Counter(result.get("end", "") for result in row)
        cells = [str(len(row)), *(str(ends[end]) for end in ENDS)]
        cells.append(str(sum(int(result.get("resumed", 0)) for result in row)))
        cells.append(str(sum(result.get("end") == ENDS[0] and result["rolled back"] != "" for result in row)))
        cells.append(str(sum("violation" in result for result in row)))
        print(f"| {situation} | {kind} | {' | '.join(cells)} |")
    requests = [int(result["requests"]) for result in results if "requests" in result] or [0]
    print(f"\nPlans of {min(requests)} to {max(requests)} requests, {sum(requests) / len(requests):.1f} on average.")
    edits = sum("edited" in result for result in results)
    print(
        f"{len(results):,} schedules in {seconds:.0f} s, {sum(os.times()[:4]):.0f} s of them on a processor"
        f" (seed {options.seed}); {edits:,} with a concurrent edit."
    )
    violations = sum("violation" in result for result in results)
    print(f"{violations} violations" + ("." if violations else ": nothing doubled, lost or half done."))


if __name__ == "__main__":
    sys.exit(main())
