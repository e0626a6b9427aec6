"""Where the instructions of a cold build go, a stage a row: a process for each stage, which ends after it.

The difference between two of these processes is the cost of a stage. A loop of plain Python comes first, so that stages
can be compared with it whatever the interpreter, the machine and the counter.

    python benchmarks/stages.py RESPONSE FOLDER COUNT    carry out so many stages, and write into the folder
"""

from __future__ import annotations

import os
import sys
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from costs import Program, counter

if TYPE_CHECKING:
    from collections.abc import Iterator

STAGES = (
    "Python", "calibration", "imports", "read and decode", "normalize, findings", "references and kinds",
    "CSS", "Android", "iOS", "write",
)  # fmt: skip


def stages(response: str, folder: str) -> Iterator[None]:
    """Carry out a cold build in one process, and stop after each of the ``STAGES``."""
    yield None
    words: dict[int, list[str]] = {}
    for number in range(300_000):  # of what tokensync does most: dictionaries, lists and texts
        words.setdefault(number % 1000, []).append("-".join((str(number), "word")))
    yield None
    from tokensync.commands.build import targets_of_snapshot, write_outputs
    from tokensync.extract.wire import snapshot
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import OutputRequest
    from tokensync.generate.targets import DEFAULTS, generate, renderer
    from tokensync.normalize.findings import findings
    from tokensync.normalize.graph import normalize
    from tokensync.normalize.mapping import TypeRules
    from tokensync.normalize.numbers import unclear_numbers
    from tokensync.project.outputs import File
    from tokensync.system.boundary import Boundary

    for target_name in DEFAULTS:
        renderer(target_name)
    yield None
    with open(response, "rb") as file:
        read = snapshot("response", file.read())
    yield None
    graph, _ = normalize(read)
    tuple(findings(graph)), tuple(unclear_numbers(graph, TypeRules()))
    yield None
    resolution = Resolution(graph)
    resolution.prepare()
    yield None
    targets = targets_of_snapshot(DEFAULTS)
    files: list[File] = []
    for target in targets.selected:
        made, _ = generate(graph, OutputRequest(platform=target.config.platform), resolution)
        files += [File(f"{target.output.path}/{path}", content, target.output) for path, content in made]
        yield None
    os.mkdir(folder)
    write_outputs(folder, files, targets.outputs(Boundary(os.path.realpath(folder), "the output folder", (), True)))
    yield None


def count(response: str, folder: str) -> dict[str, int]:
    """Return the instructions of each stage of a cold build. The folder must not exist yet."""
    command = (sys.executable, os.path.abspath(__file__), response, folder)
    totals = [
        Program((*command, str(number)), os.path.dirname(response), (folder,)).count()
        for number in range(1, len(STAGES) + 1)
    ]
    differences = [after - before for before, after in pairwise((0, *totals))]
    return dict(zip(STAGES, differences, strict=True))


def table_of(response: str, folder: str) -> str:
    """Return the stages of a cold build as a Markdown table."""
    if not counter():
        return "(nothing can count instructions here: this needs perf or valgrind)"
    counts = count(response, folder)
    total = sum(counts.values()) - counts["calibration"]
    lines = ["| stage | instructions, 10^9 | of the calibration | of all |", "| --- | ---: | ---: | ---: |"]
    for name, instructions in counts.items():
        share = "" if name == "calibration" else f"{instructions / total:.1%}"
        lines.append(f"| {name} | {instructions / 1e9:.2f} | {instructions / counts['calibration']:.2f} | {share} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for _ in islice(stages(sys.argv[1], sys.argv[2]), int(sys.argv[3])):
        pass
    os._exit(0)  # what Python frees at the end belongs to no stage
