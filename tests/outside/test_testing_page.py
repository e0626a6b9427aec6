"""The examples of docs/testing.md and examples/testing, each run by the program that it is written for.

Docker is the exception: the container's command runs as PID 1 of a namespace, and Testcontainers gets a stand-in for
the class that would ask Docker for it. It is compiled with that class itself, too.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from checkers import INSTALLED, MODULES, missing, node_program

from tokensync.testing import running

pytestmark = pytest.mark.outside

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "testing"
STAND_INS = Path(__file__).with_name("testcontainers_stand_ins")
PAGE = (ROOT / "docs" / "testing.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = dict(BLOCK.findall(PAGE.partition("\n## In ")[0]))
"""The examples that the page starts with, by their language."""
SUPPORT = {
    name: text
    for _, text in BLOCK.findall(PAGE)
    for name in re.findall(r"\A// (\S+\.(?:go|java))$", text, re.MULTILINE)
}
"""The files to copy for tests in Java and Go, by their names."""


@pytest.fixture
def project(tmp_path):
    """A folder with harbor.local.json and the npm packages of a project."""
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    shutil.copy(ROOT / "examples" / "quickstart" / "design.local.json", tmp_path / "harbor.local.json")
    modules = tmp_path / "node_modules"
    (modules / "@playwright").mkdir(parents=True)
    for name in ("vitest", "jest", "@playwright/test"):
        os.symlink(MODULES / name, modules / name)
    os.symlink(ROOT / "npm", modules / "tokensync")
    return tmp_path


@pytest.fixture
def run(project):
    """Run a command in the project, where `tokensync` is on the path; return its output, or fail."""
    programs = project / "bin"
    programs.mkdir()
    (programs / "tokensync").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tokensync "$@"\n', encoding="utf-8")
    (programs / "tokensync").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"

    def execute(*command, **environment):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=project,
            env={**os.environ, "PATH": path, "CI": "1", **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return execute


def test_the_example_for_pytest_runs(run, project):
    (project / "test_harbor.py").write_text(f"import requests\n\n\n{BLOCKS['python']}", encoding="utf-8")
    assert "1 passed" in run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_harbor.py")


@pytest.mark.parametrize("pool", ["threads", "forks"])
def test_the_example_for_vitest_runs(run, project, pool):
    imports = 'import { expect, test } from "vitest";\nimport { startEmulator } from "tokensync";\n'
    (project / "harbor.test.ts").write_text(imports + BLOCKS["ts"], encoding="utf-8")
    program = MODULES / "vitest" / "vitest.mjs"
    assert "1 passed" in run(node_program("vitest"), program, "run", "--pool", pool, "--root", project)


def test_vitest_in_threads_is_redirected(run, project):
    lines = (
        'import { expect, test } from "vitest";',
        'import { connect } from "node:tls";',
        'import { isMainThread } from "node:worker_threads";',
        'import { startEmulator } from "tokensync";',
        'test("in a thread", async () => {',
        "  expect(isMainThread).toBe(false);",
        "  const emulator = await startEmulator();",
        "  process.env.TOKENSYNC_EMULATOR_URL = emulator.url;",
        '  const headers = { "X-Figma-Token": emulator.token };',
        '  const answer = await fetch("https://api.figma.com/v1/me", { headers });',
        "  expect(answer.status).toBe(200);",
        '  expect(() => connect(443, "api.figma.com")).toThrow("would reach Figma itself");',
        "  await emulator.stop();",
        "});",
    )
    (project / "threads.test.ts").write_text("\n".join(lines), encoding="utf-8")
    command = (node_program("vitest"), MODULES / "vitest" / "vitest.mjs", "run", "--pool", "threads", "--root", project)
    assert "1 passed" in run(*command, NODE_OPTIONS="--require tokensync/redirect")


def test_the_example_for_jest_runs(run, project):
    shutil.copy(EXAMPLES / "harbor.test.js", project)
    program = MODULES / "jest" / "bin" / "jest.js"
    assert "2 passed, 2 total" in run(node_program("jest"), program, "--rootDir", project, "--watchman=false")


def test_the_example_for_playwright_runs(run, project):
    shutil.copy(EXAMPLES / "harbor.spec.js", project)
    program = MODULES / "@playwright" / "test" / "cli.js"
    assert "2 passed" in run(node_program("@playwright/test"), program, "test", "--reporter=line")


def health(platform):
    return requests.get(f"{platform.base_url}/_emulator/health", timeout=30).json()


@pytest.fixture(params=["started", "running"])
def emulator(request):
    """The environment of tests that start an emulator of their own, or use one that runs."""
    if request.param == "started":
        yield {}
        return
    with running() as platform:
        before = health(platform)["spaces"]
        yield {"TOKENSYNC_EMULATOR_URL": platform.base_url, "PATH": os.defpath}
        assert (health(platform)["spaces"], platform.requests) == (before, [])


def test_the_example_for_go_runs(run, project, emulator):
    go = shutil.which("go") or missing("go", "it is not on the path")
    test = f'package harbor\n\nimport "testing"\n\n{BLOCKS["go"]}'
    for name, text in {**SUPPORT, "harbor_test.go": test, "go.mod": "module harbor\n\ngo 1.19\n"}.items():
        # A page has spaces, which every terminal shows alike, and gofmt wants tabs.
        tabbed = re.sub(r"^(?: {4})+", lambda indent: "\t" * (len(indent[0]) // 4), text, flags=re.MULTILINE)
        (project / name).write_text(tabbed, encoding="utf-8")
    settings = {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOCACHE": str(INSTALLED / "go"), **emulator}
    run(go, "vet", "./...", **settings)
    assert "--- PASS: TestItReadsVariables" in run(go, "test", "-count=1", "-v", "./...", **settings)
    assert run(Path(go).with_name("gofmt"), "-l", ".") == ""


@pytest.fixture
def junit(run):
    """Compile tests with JUnit and Testcontainers, without a warning, and run them."""
    javac, java = (shutil.which(name) or missing(name, "it is not on the path") for name in ("javac", "java"))
    jars = sorted((INSTALLED / "junit").glob("*.jar")) or missing("JUnit and Testcontainers", "`make verify` does it")
    classes = os.pathsep.join(map(str, jars))

    def execute(*sources, stand_ins=None, **environment):
        run(javac, "-Werror", "-Xlint:all,-processing,-classfile", "-cp", classes, "-d", "classes", *sources)
        if stand_ins:
            run(javac, "-cp", classes, "-d", "classes", "-sourcepath", stand_ins, *sources)
        console = ("org.junit.platform.console.ConsoleLauncher", "execute", "--scan-classpath", "classes")
        return run(java, "-cp", os.pathsep.join(("classes", classes)), *console, **environment)

    return execute


JAVA_IMPORTS = """
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
"""


def test_the_example_for_junit_runs(junit, project, emulator):
    (project / "TokensyncEmulator.java").write_text(SUPPORT["TokensyncEmulator.java"], encoding="utf-8")
    (project / "HarborTest.java").write_text(
        f"{JAVA_IMPORTS}\nclass HarborTest {{\n{BLOCKS['java']}}}\n", encoding="utf-8"
    )
    assert "1 tests successful" in junit("HarborTest.java", "TokensyncEmulator.java", **emulator)


def test_the_example_for_testcontainers_compiles_with_it_and_runs(junit):
    assert "1 tests successful" in junit(EXAMPLES / "HarborContainerTest.java", stand_ins=STAND_INS)


LINES = {"python": 5, "ts": 6, "sh": 2, "java": 6, "go": 6}


def test_every_example_that_the_page_starts_with_has_a_few_lines():
    assert {language: len(text.splitlines()) for language, text in BLOCKS.items()} == LINES


SWIFT_MAIN = """import XCTest

XCTMain([testCase([("testItReadsVariables", asyncTest(HarborTests.testItReadsVariables))])])
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="XCTMain is of XCTest on Linux")
def test_the_example_for_swift_runs(swift_command, project):
    """The emulator runs already: where the compiler is in a namespace of its own, there is no Python to start it."""
    (project / "main.swift").write_text(SWIFT_MAIN, encoding="utf-8")
    sources = [project / "main.swift", EXAMPLES / "HarborTests.swift", EXAMPLES / "TokensyncEmulator.swift"]
    swift_command("swiftc", "-swift-version", "6", "-warnings-as-errors", "-o", project / "tests", *sources)
    with running() as platform:
        setting = f"TOKENSYNC_EMULATOR_URL={platform.base_url}"
        output = swift_command("env", setting, "sh", "-c", f'cd "{project}" && exec ./tests')
    assert "Executed 1 test, with 0 failures" in output


def test_the_workflow_with_a_service_is_right(actionlint):
    assert actionlint((EXAMPLES / "github-services.yml").read_text("utf-8")) == []


def image():
    """The environment and the command of the image."""
    text = (ROOT / "packaging" / "docker" / "Dockerfile").read_text("utf-8")
    words = [
        *json.loads(re.search(r"^ENTRYPOINT (.*)", text, re.MULTILINE)[1]),
        *json.loads(re.search(r"^CMD (.*)", text, re.MULTILINE)[1]),
    ]
    settings = dict(word.split("=") for word in re.search(r"^ENV (.*)", text, re.MULTILINE)[1].split())
    return words, settings


READ_ONLY = """
mount --make-rprivate / && mount --rbind / "$0" || exit 1
findmnt -rno TARGET | grep "^$0" | while read -r target; do mount -o remount,bind,ro "$target" 2>/dev/null; done
touch "$0/tmp/$$" "$0/dev/shm/$$" 2>/dev/null && exit 1
exec chroot "$0" "$@"
"""
"""Runs a program on a file system of which nothing can be written, as Docker does with --read-only."""


@contextmanager
def container(read_only=None, **environment):
    """Run the image's command as PID 1 of a namespace. Yields the process, and what sends a signal to PID 1.

    ``read_only`` is an empty folder for a copy of the file system that cannot be written.
    """
    unshare = shutil.which("unshare") or missing("unshare", "it is not on the path")
    isolated = [unshare, "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    if read_only:
        isolated += ["sh", "-c", READ_ONLY, str(read_only)]
    if subprocess.run([*isolated, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this machine permits no namespaces")
    words, settings = image()
    assert words[-3:] == ["tokensync", "emulator", "serve"]
    shutil.which(words[0]) or missing(words[0], "`make verify` installs it")
    command = [*isolated, *words[:-3], sys.executable, "-m", *words[-3:]]
    environment = {**os.environ, **settings, "TOKENSYNC_EMULATOR_PORT": "0", **environment}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def send(number):
            while not (child := children.read_text("ascii").split()):
                time.sleep(0.001)
            os.kill(int(child[0]), number)

        try:
            yield process, send
        finally:
            process.kill()


def test_the_container_answers_the_lines_of_the_page_and_ends_by_sigterm():
    curl = shutil.which("curl") or missing("curl")
    with container() as (process, send):
        port = json.loads(process.stdout.readline())["base_url"].rpartition(":")[2]
        start, request = BLOCKS["sh"].splitlines()
        assert start == "docker run --detach --publish 127.0.0.1:8000:8000 your-team/tokensync"
        words = [curl, "--silent", *request.replace(":8000", f":{port}").split()[1:]]
        answer = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        assert set(answer) == {"space", "base_url", "token"}
        send(signal.SIGTERM)
        assert process.wait(30) == 0


def test_the_container_needs_no_file_that_it_can_write(tmp_path):
    with container(tmp_path) as (process, send):
        base_url = json.loads(process.stdout.readline())["base_url"]
        space = requests.post(f"{base_url}/_emulator/spaces", json={}, timeout=30).json()
        seed = {
            "file_key": "Harbor",
            "local": json.loads((ROOT / "examples/quickstart/design.local.json").read_bytes()),
        }
        assert requests.post(f"{space['base_url']}/_emulator/seed", json=seed, timeout=30).ok
        url = f"{space['base_url']}/v1/files/Harbor/variables/local"
        assert requests.get(url, headers={"X-Figma-Token": space["token"]}, timeout=30).ok
        send(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.mark.parametrize("after", [0.05, 0.1, 0.3])
def test_sigterm_ends_the_container_however_early_it_comes(after):
    with container() as (process, send):
        time.sleep(after)
        send(signal.SIGTERM)
        assert process.wait(30) in (0, 128 + signal.SIGINT, 128 + signal.SIGTERM)  # it may not serve yet
