"""The redirect for Node leads requests to the emulator, and lets no other connection or lookup reach the service.

The judge is below Node's own modules: it sees each name that is looked up, in workers and child processes, too.
"""

import os
import subprocess
from pathlib import Path

import pytest
from checkers import MODULES, node_program

from tokensync.system import resources
from tokensync.testing import running

pytestmark = pytest.mark.outside

JUDGE = Path(__file__).with_name("lookup_judge.cjs")
REDIRECT = resources.path("npm", "redirect.cjs")
HEADERS = '{ "X-Figma-Token": process.env.FIGMA_ACCESS_TOKEN }'
ME = "https://api.figma.com/v1/me"

LED = {
    "fetch": f'console.log((await fetch("{ME}", {{ headers: {HEADERS} }})).status);',
    "a Request with a body": f"""
        const method = "POST", headers = {HEADERS}, body = "{{}}";
        const request = new Request("https://api.figma.com/v1/files/Sea/variables", {{ method, headers, body }});
        const answer = await fetch(request);
        console.log((await answer.json()).status === 404 && answer.headers.has("x-tokensync-emulator") ? 200 : 0);""",
    "https.get of a URL": f"""
        import {{ get }} from "node:https";
        const headers = {HEADERS};
        get(new URL("{ME}"), {{ headers }}, (answer) => {{ console.log(answer.statusCode); answer.resume(); }});""",
    "https.request with options and an agent": f"""
        import https from "node:https";
        const agent = new https.Agent({{ keepAlive: false }});
        const options = {{ host: "api.figma.com", port: 443, path: "/v1/me", headers: {HEADERS}, agent }};
        https.request(options, (answer) => {{ console.log(answer.statusCode); answer.resume(); }}).end();""",
    "a whole URL for a proxy": f"""
        import http from "node:http";
        const options = {{ host: "127.0.0.1", port: 9, path: "{ME}", headers: {HEADERS} }};
        http.get(options, (answer) => {{ console.log(answer.statusCode); answer.resume(); }});""",
    "undici": f"""
        import {{ request }} from "undici";
        console.log((await request("{ME}", {{ headers: {HEADERS} }})).statusCode);""",
    "undici's fetch": f"""
        import {{ fetch }} from "undici";
        console.log((await fetch("{ME}", {{ headers: {HEADERS} }})).status);""",
    "a worker thread": f"""
        import {{ Worker }} from "node:worker_threads";
        const source = `fetch("{ME}", {{ headers: {HEADERS} }}).then((answer) => console.log(answer.status));`;
        new Worker(source, {{ eval: true }});""",
    "a child process": f"""
        import {{ execFileSync }} from "node:child_process";
        const source = `fetch("{ME}", {{ headers: {HEADERS} }}).then((answer) => console.log(answer.status));`;
        console.log(execFileSync(process.execPath, ["-e", source], {{ encoding: "utf8" }}).trim());""",
    "the government's host": f"""
        console.log((await fetch("https://API.figma-gov.com./v1/me", {{ headers: {HEADERS} }})).status);""",
}
"""Programs that print 200 if the emulator answered."""

REFUSED = {
    "http2": 'import http2 from "node:http2"; http2.connect("https://api.figma.com");',
    "tls": 'import tls from "node:tls"; tls.connect(443, "api.figma.com");',
    "a tunnel of a proxy": """
        import tls from "node:tls";
        import { PassThrough } from "node:stream";
        tls.connect({ socket: new PassThrough(), servername: "api.figma.com" });""",
    "a socket": 'import { connect } from "node:net"; connect({ port: 443, host: "www.figma.com" });',
    "a socket of the old form": 'import { Socket } from "node:net"; new Socket().connect(443, "api.figma-gov.com");',
    "another host of the service": 'await fetch("https://embed.figma.com/");',
    "an agent of undici": """
        import { Agent, request } from "undici";
        await request("https://api.figma.com/v1/me", { dispatcher: new Agent() })""",
    "a lookup": 'import { lookup } from "node:dns"; lookup("api.figma.com", () => {});',
    "a lookup by promise": 'import { lookup } from "node:dns/promises"; await lookup("api.figma.com");',
    "a resolver": 'import { Resolver } from "node:dns"; new Resolver().resolve4("api.figma.com", () => {});',
    "a worker thread": """
        import { Worker } from "node:worker_threads";
        new Worker('require("node:tls").connect(443, "api.figma.com")', { eval: true });""",
}
"""Programs that end with an error."""


@pytest.fixture
def node(tmp_path):
    """Run a program; return its output and the names that were looked up."""
    os.symlink(MODULES, tmp_path / "node_modules")

    def execute(source, environment, *preloaded):
        (tmp_path / "program.mjs").write_text(source, encoding="utf-8")
        (tmp_path / "judged").touch()
        required = " ".join(f'--require "{path}"' for path in (JUDGE, *preloaded))
        done = subprocess.run(
            [node_program("undici"), "program.mjs"],
            env={**os.environ, "NODE_OPTIONS": required, "JUDGED": str(tmp_path / "judged"), **environment},
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return done, (tmp_path / "judged").read_text("utf-8").split()

    return execute


@pytest.fixture(scope="module")
def environment():
    with running() as platform:
        yield {**platform.environment, "TOKENSYNC_EMULATOR_URL": platform.base_url}


@pytest.mark.parametrize("means", LED)
def test_a_request_is_led_to_the_emulator(node, environment, means):
    done, names = node(LED[means], environment, REDIRECT)
    assert (done.stdout.strip(), names) == ("200", []), done.stderr


@pytest.mark.parametrize("means", REFUSED)
def test_what_is_not_led_throws(node, environment, means):
    done, names = node(REFUSED[means], environment, REDIRECT)
    assert "would reach Figma itself" in done.stderr
    assert (done.returncode, names) == (1, [])


@pytest.mark.parametrize("url", [None, "https://api.figma.com", "nonsense"])
def test_without_an_emulator_a_request_throws(node, url):
    done, names = node(LED["fetch"], {"TOKENSYNC_EMULATOR_URL": url} if url else {}, REDIRECT)
    assert f"TOKENSYNC_EMULATOR_URL is {url or 'not set'}; set it to " in done.stderr
    assert (done.returncode, names) == (1, [])


def test_the_judge_sees_a_lookup_where_nothing_is_redirected(node, environment):
    done, names = node('import tls from "node:tls"; tls.connect(443, "api.figma.invalid");', environment)
    assert (done.returncode, names) == (1, ["api.figma.invalid"])


def test_other_hosts_and_promisified_functions_are_as_they_were(node, environment):
    source = """
        import dns from "node:dns";
        import { promisify } from "node:util";
        const { address } = await promisify(dns.lookup)("127.0.0.1");
        console.log(address, (await fetch(process.env.TOKENSYNC_EMULATOR_URL + "/_emulator/health")).status);"""
    done, _ = node(source, environment, REDIRECT)
    assert done.stdout == "127.0.0.1 200\n", done.stderr


def test_a_space_is_selected_by_its_address(node):
    with running() as server, server.space() as space:
        environment = {**space.environment, "TOKENSYNC_EMULATOR_URL": space.base_url}
        done, _ = node('console.log((await fetch("https://api.figma.com/v1/me")).status);', environment, REDIRECT)
        assert [str(entry) for entry in space.requests] == [f"GET /v1/me {done.stdout.strip()}"]


def test_imported_it_redirects_too(tmp_path, environment):
    program = LED["fetch"]
    url = Path(REDIRECT).as_uri()
    command = [node_program("undici"), f"--import={url}", "--input-type=module", "--eval", program]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, encoding="utf-8", check=False
    )
    assert done.stdout == "200\n", done.stderr
