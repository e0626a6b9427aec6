"""startEmulator of the npm package: how it finds the program, what it starts, and how that ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkers import MODULES, missing, node_program

from tokensync.testing import running

pytestmark = pytest.mark.outside

ROOT = Path(__file__).resolve().parents[2]
NPM = ROOT / "npm"
SEED = ROOT / "examples" / "quickstart" / "design.local.json"
START = "const { startEmulator } = require(process.env.NPM);\n(async () => {\n%s\n})();"
SEEDED = {"Harbor": str(SEED)}


@pytest.fixture
def tokensync(tmp_path):
    """A folder for the path with nothing but the program tokensync."""
    return program(tmp_path, "tokensync", f'exec "{sys.executable}" -m tokensync "$@"').parent


def program(tmp_path, name, command):
    folder = tmp_path / f"bin-{name}"
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    return folder / name


def node(source, **environment):
    """Run a program and return its output, each line decoded."""
    done = subprocess.run(
        [shutil.which("node") or missing("Node", "it is not on the path"), "--eval", START % source],
        env={"NPM": str(NPM), "PATH": "/nowhere", **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


USE = """
const seed = JSON.parse(process.env.SEEDED);
const emulator = await startEmulator({ seed, rateLimits: false, clock: "2030-01-01T00:00:00Z" });
const count = async (where, headers = { "X-Figma-Token": where.token }) => {
  const answer = await fetch(`${where.url}/v1/files/Harbor/variables/local`, { headers });
  return answer.status === 200 ? Object.keys((await answer.json()).meta.variables).length : answer.status;
};
const print = (value) => console.log(JSON.stringify(value));
const space = await emulator.space({ strict: true });
print([await count(emulator), await count(space)]);
print((await emulator.requests({ wait: 1 })).map(({ method, path, status }) => `${method} ${path} ${status}`));
await emulator.reset();
print([await count(emulator), (await emulator.requests()).length]);
const { time } = (await emulator.requests())[0];
print(time);
print(emulator.env);
await space.stop();
await emulator.stop();
print(await fetch(emulator.url).then(() => "still there", () => "gone"));
"""


def test_it_starts_the_program_on_the_path_with_files_spaces_and_a_reset(tokensync):
    first, requests, after, now, environment, end = node(USE, PATH=str(tokensync), SEEDED=json.dumps(SEEDED))
    variables = len(json.loads(SEED.read_text("utf-8"))["meta"]["variables"])
    assert first == [variables, 404]
    assert requests == ["GET /v1/files/Harbor/variables/local 200"]
    assert after == [variables, 1]
    assert 1893456000 <= now < 1893456000 + 600
    assert "127.0.0.1" in environment["NO_PROXY"]
    assert environment["FIGMA_ACCESS_TOKEN"].startswith("figd_")
    assert end == "gone"


def test_its_environment_leads_a_child_process_past_a_proxy(tokensync):
    source = """
    const emulator = await startEmulator();
    const child = `const headers = { "X-Figma-Token": process.env.FIGMA_ACCESS_TOKEN };
      fetch("https://api.figma.com/v1/me", { headers }).then((answer) => console.log(answer.status))`;
    const proxy = "http://127.0.0.1:9";
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: "1", ...emulator.env };
    const { execFileSync } = require("node:child_process");
    console.log(execFileSync(process.execPath, ["-e", child], { env, encoding: "utf8" }).trim());
    await emulator.stop();"""
    assert node(source, PATH=str(tokensync)) == [200]


def test_the_emulator_that_runs_already_gets_a_space():
    with running() as platform:
        source = """
        const emulator = await startEmulator({ strict: true });
        console.log(JSON.stringify(emulator.url));
        await emulator.stop();
        await startEmulator({ faults: "x.toml" }).catch((error) => console.log(JSON.stringify(error.message)));"""
        url, refusal = node(source, TOKENSYNC_EMULATOR_URL=f"{platform.base_url}/")
        assert url.startswith(f"{platform.base_url}/_space/")
        assert refusal.startswith("faults: the emulator at TOKENSYNC_EMULATOR_URL runs already")
        assert platform.requests == []


MESSAGE = "await startEmulator({ port: 'x' }).catch((error) => console.log(JSON.stringify(error.message)));"


def test_without_a_program_it_names_all_that_it_tried():
    (message,) = node(MESSAGE)
    lines = [line.strip() for line in message.splitlines()[1:]]
    names = ("TOKENSYNC_EMULATOR_URL", "TOKENSYNC_BIN", "tokensync", "uvx", "pipx", "python3 -m", "python -m", "py -m")
    assert [line.startswith(name) for name, line in zip(names, lines, strict=True)] == [True] * len(names)
    assert all(line.endswith((": not set", ": not found")) for line in lines)


def test_a_runner_without_the_package_is_followed_by_the_next(tmp_path):
    python = program(tmp_path, "python3", f'exec "{sys.executable}" "$@"').parent
    uvx = program(tmp_path, "uvx", "echo 'no such package' >&2; exit 2").parent
    source = "const emulator = await startEmulator(); console.log(1); await emulator.stop();"
    assert node(source, PATH=f"{uvx}:{python}") == [1]


def test_the_program_of_tokensync_bin_is_the_only_one_that_is_tried(tokensync, tmp_path):
    broken = program(tmp_path, "broken", "echo 'a broken installation' >&2; exit 1")
    (message,) = node(MESSAGE, TOKENSYNC_BIN=str(broken), PATH=str(tokensync))
    assert message.splitlines()[1:] == ["  TOKENSYNC_EMULATOR_URL: not set", f"  {broken}: a broken installation"]


def test_an_option_that_is_wrong_is_reported_by_the_program(tokensync):
    (message,) = node(MESSAGE, PATH=str(tokensync))
    assert "--port" in message
    assert "uvx" not in message


def test_another_server_is_no_emulator():
    source = """
    const server = require("node:http").createServer((request, answer) => answer.end("{}"));
    server.listen(0, "127.0.0.1", async () => {
      process.env.TOKENSYNC_EMULATOR_URL = `http://127.0.0.1:${server.address().port}`;
      await startEmulator().catch((error) => console.log(JSON.stringify(error.message)));
      server.close();
    });"""
    (message,) = node(source)
    assert message.endswith(": not a tokensync emulator")


@pytest.mark.skipif(os.name != "posix", reason="kill -9 of POSIX")
@pytest.mark.parametrize("end", ["", "process.kill(process.pid, 'SIGKILL');"])
def test_it_ends_with_node_however_that_ends(tokensync, tmp_path, end):
    own = program(tmp_path, "own", f'echo $$ >"{tmp_path}/pid"\nexec "{tokensync}/tokensync" "$@"')
    source = START % f"await startEmulator(); {end}"
    environment = {"NPM": str(NPM), "PATH": os.environ["PATH"], "TOKENSYNC_BIN": str(own)}
    done = subprocess.run(
        [shutil.which("node") or missing("Node", "it is not on the path"), "--eval", source],
        env=environment,
        check=False,
    )
    assert done.returncode == (-signal.SIGKILL if end else 0)
    process = int((tmp_path / "pid").read_text("utf-8"))
    for _ in range(600):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    pytest.fail("the emulator is still running")


def test_its_types_and_both_module_systems_are_right(tmp_path):
    """A TypeScript program under --strict, which then runs as an ES module."""
    (tmp_path / "node_modules").mkdir()
    os.symlink(NPM, tmp_path / "node_modules" / "tokensync")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    lines = (
        'import { startEmulator, type Emulator, type ReceivedRequest } from "tokensync";',
        "export async function use(): Promise<string[]> {",
        '  const emulator: Emulator = await startEmulator({ seed: { Sea: "sea.json" }, port: 0, tls: true });',
        "  const space = await emulator.space({ strict: true });",
        "  const requests: ReceivedRequest[] = await space.requests({ since: 1, wait: 2 });",
        "  await emulator.stop();",
        "  return requests.map((request) => request.path + emulator.env.NO_PROXY);",
        "}",
    )
    (tmp_path / "use.ts").write_text("\n".join(lines), encoding="utf-8")
    compiler = [node_program("typescript"), MODULES / "typescript" / "bin" / "tsc", "--strict", "--target", "es2022"]
    subprocess.run([*compiler, "--module", "nodenext", "use.ts"], cwd=tmp_path, check=True)
    subprocess.run([node_program("typescript"), "use.js"], cwd=tmp_path, check=True)
    required = [node_program("typescript"), "--require", "tokensync/redirect", "--eval", 'require("tokensync")']
    subprocess.run(required, cwd=tmp_path, check=True)


def test_the_package_has_every_file_that_it_names():
    listed = json.loads((NPM / "package.json").read_text("utf-8"))["files"]
    assert sorted(path.name for path in NPM.iterdir()) == sorted([*listed, "package.json"])
