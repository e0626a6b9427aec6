"""What a build omits or refuses: unsupported values, and settings of the whole output."""

import json
import subprocess
import sys

import pytest
from commands.projects import files_in, output, project_in, tokensync

from tokensync.generate.output import as_configured
from tokensync.system.problems import problem

PROGRAM = """
import json, os, signal, sys, threading
from tokensync.generate import targets
from tokensync.commands import build as generation
from tokensync.project.sources import from_snapshot
from tokensync.project.configured_outputs import targets_of_snapshot
from tokensync.system.errors import ProblemsError
from tokensync.system.problems import problem

os.sched_getaffinity = lambda _: {0, 1}
generate, fork, own = targets.generate, os.fork, os.getpid()
source = from_snapshot(sys.argv[1])
selected = targets_of_snapshot(()).selected

def generated(fewest=0):
    "Return what was made, or the problems, and in how many processes."
    generation._MIN_TOKENS_FOR_WORKER = fewest
    forked = []
    os.fork = lambda: forked.append(1) or fork()
    try:
        files, problems = generation.generate_all(source.graph, selected, None)
    except ProblemsError as error:
        return [str(error), 1 + len(forked)]
    return [[[path, content.decode(), output.path] for path, content, output in files], problems, 1 + len(forked)]

def with_css(fault):
    "Generate with a fault of CSS, which is the second process's share."
    def faulty(graph, request, resolution):
        if request.platform == "css":
            fault()
        return generate(graph, request, resolution)
    targets.generate = faulty
    try:
        return generated()
    finally:
        targets.generate = generate

def elsewhere(action):
    return lambda: None if os.getpid() == own else action()

def unreadable():
    raise ProblemsError([problem("template-failed", "css", "no", "yes")])

def refused():
    raise BlockingIOError("no more processes")

shown = {
    "one": generated(10**9),
    "two": generated(),
    "killed": with_css(elsewhere(lambda: os.kill(os.getpid(), signal.SIGKILL))),
    "failed": with_css(elsewhere(lambda: 1 / 0)),
    "problem": with_css(unreadable),
}
usable = fork
fork = refused
shown["refused"] = generated()
fork = usable
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
shown["forgotten"] = generated()
over = threading.Event()
threading.Thread(target=over.wait).start()
shown["threads"] = generated()
over.set()
json.dump(shown, sys.stdout)
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return what the program made in each case. It is one of its own, since a test's process has other threads."""
    if sys.platform != "linux":
        pytest.skip("a second process is made on Linux only")
    response = tmp_path_factory.mktemp("generation") / "odd.json"
    response.write_text(json.dumps(RESPONSE), encoding="utf-8")
    program = [sys.executable, "-c", PROGRAM, str(response)]
    return json.loads(subprocess.run(program, capture_output=True, check=True, encoding="utf-8").stdout)


RESPONSE = {
    "meta": {
        "variableCollections": {
            "C": {
                "id": "C",
                "name": "Colours",
                "key": "c",
                "defaultModeId": "1",
                "modes": [{"modeId": "1", "name": "Light"}, {"modeId": "2", "name": "Dark"}],
                "variableIds": ["V1", "V2", "V3"],
            }
        },
        "variables": {
            identity: {
                "id": identity,
                "name": name,
                "key": identity,
                "variableCollectionId": "C",
                "resolvedType": kind,
                "valuesByMode": {"1": one, "2": other},
            }
            for identity, name, kind, one, other in (
                ("V1", "text/main", "COLOR", {"r": 0, "g": 0, "b": 0, "a": 1}, {"r": 1, "g": 1, "b": 1, "a": 1}),
                ("V2", "text/Main", "COLOR", {"type": "VARIABLE_ALIAS", "id": "V1"}, {"r": 1, "g": 0, "b": 0, "a": 1}),
                ("V3", "label", "STRING", "a \ufdd0", "b"),
            )
        },
    }
}


def test_two_processes_make_the_same_files_and_report_the_same_problems_as_one(shown):
    files, problems, processes = shown["two"]
    assert processes == 2
    assert [files, problems] == shown["one"][:2]
    assert {output for _, _, output in files} == {"css", "android", "ios"}
    assert {"identifier-collision"} < {code for _, code, *_ in problems}


@pytest.mark.parametrize("case", ["killed", "failed", "refused", "forgotten"])
def test_whatever_happens_to_the_second_process_nothing_is_missing(shown, case):
    assert shown[case] == shown["two"], case


def test_a_problem_that_stops_the_second_process_is_raised_here(shown):
    text, processes = shown["problem"]
    assert (text.count("template-failed"), processes) == (1, 2)


def test_beside_other_threads_and_for_few_tokens_there_is_one_process(shown):
    assert shown["threads"] == shown["one"]
    assert shown["one"][-1] == 1


STOPS = [{"color": {"colorSpace": "srgb", "components": [each] * 3}, "position": each} for each in (0, 1)]


def built(folder, policy, code=0):
    """Build Android from a gradient in two modes and a number, and return the messages."""
    project_in(folder, outputs=output("android", "out", *([f'unsupported = "{policy}"'] if policy else [])))
    for mode, stops in (("light", STOPS), ("dark", STOPS[::-1])):
        tokens = {"wide": {"$type": "gradient", "$value": stops}, "count": {"$type": "number", "$value": 1}}
        path = folder / "tokens" / "one" / "theme" / f"{mode}.tokens.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"theme": tokens}), encoding="utf-8")
    return tokensync("build", code=code).stderr


@pytest.mark.parametrize("policy", [None, "warn"])
def test_an_unsupported_type_is_one_warning_per_token(folder, policy):
    messages = built(folder, policy)
    assert messages.count("[type-unsupported]") == 1
    assert "warning: theme / wide: android does not support tokens of type gradient" in messages
    assert files_in(folder / "out")


def test_ignored_types_are_not_reported(folder):
    assert "unsupported" not in built(folder, "ignore")
    assert files_in(folder / "out")


def test_raised_it_stops_the_build_before_anything_is_written(folder):
    assert "error: theme / wide: android does not support tokens of type gradient" in built(folder, "raise", code=1)
    assert not (folder / "out").exists()
    assert not (folder / "tokensync.outputs.json").exists()


def test_another_word_is_refused(folder):
    assert "unknown value 'stop'" in built(folder, "stop", code=2)


@pytest.mark.parametrize(
    ("policy", "severities"),
    [("ignore", ["warning"]), ("warn", ["warning", "note", "warning"]), ("raise", ["error", "error", "warning"])],
)
def test_types_and_modes_are_under_it_and_nothing_else_is(policy, severities):
    found = [
        problem(code, "here", "what", "do") for code in ("type-unsupported", "theme-unsupported", "unresolved-value")
    ]
    assert [each.severity for each in as_configured([*found, *found], policy)] == severities
