"""The emulator as other teams' programs meet it: kept-alive connections, web pages, dead proxies, secret scanners."""

import json
import os
import re
import shutil
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from threading import Thread

import pytest
import requests
from checkers import INSTALLED, missing, node_program, run
from emulator.platform import KEY, response
from outside.by_name import client_python

from tokensync.emulator.tokens import SCOPES
from tokensync.testing import running

pytestmark = pytest.mark.outside

COUNT = 200
DEAD = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")


@pytest.fixture
def platform():
    with running() as platform:
        platform.seed(KEY, response())
        platform.emulator.libraries.sample(KEY)
        yield platform


def asked_by_curl(platform, url):
    curl = shutil.which("curl") or missing("curl", "it is not on the path")
    words = (
        "--silent",
        "--header",
        f"X-Figma-Token: {platform.token}",
        "--write-out",
        "%{num_connects} %{time_total}\n",
    )
    output = run([curl, *words, *("--output", os.devnull) * COUNT, *[url] * COUNT], environment=platform.environment)
    rows = [line.split() for line in output.splitlines()]
    assert [int(connections) for connections, _ in rows] == [1] + [0] * (COUNT - 1)
    return [float(seconds) for _, seconds in rows]


def asked_by_fetch(platform, url):
    source = f"""
    const [url, token] = process.argv.slice(1), seconds = [];
    for (let count = 0; count < {COUNT}; count++) {{
      const start = performance.now();
      await (await fetch(url, {{ headers: {{ "X-Figma-Token": token }} }})).text();
      seconds.push((performance.now() - start) / 1000);
    }}
    console.log(JSON.stringify(seconds));"""
    words = [node_program("undici"), "--input-type=module", "--eval", source, url, platform.token]
    return json.loads(run(words, environment=platform.environment))


def asked_by_requests(platform, url):
    with requests.Session() as session:
        session.trust_env = False
        session.headers["X-Figma-Token"] = platform.token
        return [timed(partial(session.get, url, timeout=30)) for _ in range(COUNT)]


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


@pytest.mark.parametrize("client", [asked_by_curl, asked_by_fetch, asked_by_requests])
def test_no_request_on_a_kept_alive_connection_waits_for_an_acknowledgement(platform, client):
    """Such a wait, of 40 ms, is many times what a request on a connection of its own takes, in the same run."""
    url = f"{platform.base_url}/v1/me"
    kept = client(platform, url)
    alone = [timed(partial(asked_once, platform, url)) for _ in range(30)]
    print(f"kept alive {1000 * median(kept):.1f} ms, alone {1000 * median(alone):.1f} ms")
    assert median(kept) < 5 * median(alone)


def asked_once(platform, url):
    headers = {"X-Figma-Token": platform.token, "Connection": "close"}
    assert requests.get(url, headers=headers, timeout=30, proxies={"http": ""}).ok


PAGE_PROGRAM = """async ([url, token]) => {
  const headers = { "X-Figma-Token": token, "Content-Type": "application/json" };
  const file = await (await fetch(`${url}/v1/files/Harbor`, { headers })).json();
  const { images } = await (await fetch(`${url}/v1/images/Harbor?ids=100:1&format=svg`, { headers })).json();
  const picture = await (await fetch(images["100:1"])).text();
  const post = { method: "POST", headers, body: JSON.stringify({ message: "hello" }) };
  const { message } = await (await fetch(`${url}/v1/files/Harbor/comments`, post)).json();
  const controls = [];
  for (const mode of ["cors", "no-cors"]) {
    for (const type of ["application/json", "text/plain"]) {
      const request = { method: "POST", mode, headers: { "Content-Type": type }, body: "{}" };
      controls.push(await fetch(`${url}/_emulator/reset`, request).then((answer) => answer.type, () => "refused"));
    }
  }
  return [file.document.type, picture.slice(0, 4), message, controls, self.origin];
}"""


@pytest.mark.parametrize("origin", ["another", "null"])
def test_a_page_reads_and_writes_as_at_figma_and_controls_nothing(browser, platform, tmp_path, origin):
    (tmp_path / "index.html").write_text("<iframe sandbox=allow-scripts srcdoc=plugin></iframe>", encoding="utf-8")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as pages:
        Thread(target=pages.serve_forever, daemon=True).start()
        context = browser.chromium.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{pages.server_port}/index.html")
        frame = page.main_frame if origin == "another" else page.frames[1]
        answers = frame.evaluate(PAGE_PROGRAM, [platform.base_url, platform.token])
        pages.shutdown()
        context.close()
    *read, controls, own = answers
    assert (own == "null") == (origin == "null")
    assert read == ["DOCUMENT", "<svg", "hello"]
    assert set(controls) <= {"refused", "opaque"}  # opaque: sent without asking, and refused by the emulator
    assert platform.own.journal.entries()[0].generation == 0
    url = f"{platform.base_url}/v1/files/{KEY}/comments"
    assert len(requests.get(url, headers={"X-Figma-Token": platform.token}, timeout=30).json()["comments"]) == 1


READING = (
    "import os, {0}; print({0}.get(os.environ['URL'], headers={{'X-Figma-Token': os.environ['TOKEN']}}).status_code)"
)
FETCHING = """
const headers = { "X-Figma-Token": process.env.TOKEN };
fetch(process.env.URL, { headers }).then((answer) => console.log(answer.status));
"""


CURL = 'curl --silent --output "$0" --write-out "%{http_code}" --header "X-Figma-Token: $TOKEN" "$URL"'
COMMANDS = {
    "requests": lambda: [sys.executable, "-c", READING.format("requests")],
    "httpx": lambda: [client_python(), "-c", READING.format("httpx")],
    "Node": lambda: [node_program("undici"), "--eval", FETCHING],
    "curl": lambda: ["sh", "-c", CURL, os.devnull],
    "tokensync": lambda: [sys.executable, "-m", "tokensync", "api", "GET", "/v1/me"],
}
"""Requests to the URL of the environment by clients that read a proxy there. They print the status, or the user."""


@pytest.mark.parametrize("client", COMMANDS)
def test_a_dead_proxy_of_the_environment_is_passed_by(platform, client, tmp_path):
    settings = {"URL": f"{platform.base_url}/v1/me", "TOKEN": platform.token, "NODE_USE_ENV_PROXY": "1"}
    output = run(COMMANDS[client](), cwd=tmp_path, environment={**DEAD, **platform.environment, **settings})
    assert output.strip() == "200" or json.loads(output)["handle"] == "owner"
    assert [str(request) for request in platform.requests] == ["GET /v1/me 200"]


SCANNING = """
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-figma";
const rules = [{ id: "figma", rule: creator, options: {} }];
const counts = [];
for (const content of JSON.parse(process.argv[1])) {
  const source = { filePath: "/fixture.json", content, contentType: "text" };
  counts.push((await lintSource({ source, options: { config: { rules } } })).messages.length);
}
console.log(JSON.stringify(counts));
"""
TRUFFLEHOG = re.compile(r"\bfig[duorh]{1,3}_[a-zA-Z0-9_-]{40}\b|figp_[a-zA-Z0-9_=-]{40,54}")
"""What TruffleHog's detectors of Figma's tokens match, in their versions 2 and 3."""


def test_no_token_of_the_emulator_is_a_secret_to_a_scanner(platform):
    app, secret = platform.emulator.apps.create("Harbor", redirect_urls=["https://app.invalid/"], scopes=SCOPES[:1])
    tokens = [platform.emulator.tokens.create(kind=kind) for kind in ("personal", "oauth", "plan")]
    with platform.space() as space:
        texts = [f"figma token = {text}" for text in (*tokens, platform.token, space.token, app, secret)]
    secret_of_figma = "figma token = figd_" + "aB3d" * 10
    words = [node_program("@secretlint/core"), "--input-type=module", "--eval", SCANNING]
    output = run([*words, json.dumps([*texts, secret_of_figma])], cwd=INSTALLED)
    assert json.loads(output) == [0] * len(texts) + [1]
    assert [bool(TRUFFLEHOG.search(text)) for text in (*texts, secret_of_figma)] == [False] * len(texts) + [True]
