"""Mixed requests from many threads against one served emulator that is killed now and then.

No answer may be a 5xx, no connection may break but by a kill, and after each kill (SIGKILL, between and amid requests)
and at the end every write that was answered is there, none that was refused, and none twice.

    python benchmarks/load.py                            10,000 requests from 8 threads, 3 kills
    python benchmarks/load.py --requests 100000 --threads 16 --kills 20 --seed 7
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from loading.ledger import Ledger  # noqa: E402
from loading.mix import COLLECTION, Worker, state_of  # noqa: E402
from loading.served import Served  # noqa: E402

FILES = ("Alpha", "Beta", "Gamma", "Delta")


def main() -> int:
    """Run the load and print what came of it; 1 when anything happened that must not."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seeds = tuple(_seed_file(folder, name) for name in FILES)
        with Served(os.path.join(folder, "state.sqlite"), *seeds) as served:
            return _run(served, wanted.requests, wanted.threads, wanted.kills, wanted.seed)


def _run(served: Served, requests: int, threads: int, kills: int, seed: int) -> int:
    ledger = Ledger()
    workers = [Worker(number, seed, served, ledger, FILES) for number in range(threads)]
    judge = Worker(threads, seed, served, ledger, FILES)
    begun = time.monotonic()
    faults: list[str] = []
    for part in range(kills + 1):
        share = requests * (part + 1) // (kills + 1) - requests * part // (kills + 1)
        _work(served, workers, share, kill=part < kills)
        faults += ledger.faults(state_of(judge, FILES))
    seconds = time.monotonic() - begun
    statuses = Counter[int]()
    for worker in workers:
        statuses.update(worker.statuses)
        faults += worker.faults
        worker.close()
    judge.close()
    answered, unanswered = sum(statuses.values()), sum(worker.unanswered for worker in workers)
    print(f"{answered} requests from {threads} threads in {seconds:.1f} s: {answered / seconds:.0f} a second")
    print("answers: " + ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items())))
    print(f"{kills} kills, {unanswered} requests without an answer; {len(ledger)} objects written")
    print(*faults[:20], sep="\n", end="\n" if faults else "")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def _work(served: Served, workers: list[Worker], share: int, *, kill: bool) -> None:
    """Let the workers send so many requests between them; with ``kill`` the process is killed amid the last tenth."""
    lock = threading.Lock()
    left = [share]
    late = threading.Event()

    def run(worker: Worker) -> None:
        while True:
            with lock:
                if left[0] == 0:
                    return
                left[0] -= 1
                if left[0] <= share // 10:
                    late.set()
            worker.step()

    running = [threading.Thread(target=run, args=(worker,)) for worker in workers]
    for thread in running:
        thread.start()
    if kill:
        late.wait()
        served.kill()
    for thread in running:
        thread.join()


def _seed_file(folder: str, name: str) -> str:
    """Write a response with one empty collection."""
    collection = {
        "id": COLLECTION,
        "name": "Load",
        "key": f"key-of-{name}",
        "modes": [{"modeId": "1:0", "name": "Value"}],
        "defaultModeId": "1:0",
        "remote": False,
        "hiddenFromPublishing": False,
        "variableIds": [],
    }
    meta = {"variables": {}, "variableCollections": {COLLECTION: collection}}
    path = os.path.join(folder, f"{name}.local.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"status": 200, "error": False, "meta": meta}, file)
    return path


if __name__ == "__main__":
    sys.exit(main())
