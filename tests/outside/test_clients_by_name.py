"""Existing clients with Figma's addresses in them, which reach the emulator by its name, by a proxy or by a host."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from checkers import MODULES, missing, node_program, run
from emulator.platform import KEY
from optional import needs_cryptography
from outside.by_name import client_python, served

pytestmark = [pytest.mark.outside, needs_cryptography]

MCP_CLIENT = Path(__file__).with_name("mcp_client.mjs")
ME = "https://api.figma.com/v1/me"
HOST = """
import { Client } from "figma-js";
const [apiRoot, personalAccessToken] = process.argv.slice(2);
const client = Client({ personalAccessToken, apiRoot });
const { data } = await client.file("Harbor");
const { images } = (await client.fileImages("Harbor", { ids: ["100:1"], format: "svg" })).data;
const picture = await (await fetch(images["100:1"])).text();
console.log(JSON.stringify([data.document.type, (await client.me()).data.handle, picture.slice(0, 4)]));
"""
HTTPX = """
import os, httpx
with httpx.Client(headers={"X-Figma-Token": os.environ["TOKEN"]}) as client:
    print([client.get("https://api.figma.com/v1/me").status_code for _ in range(3)])
    try:
        client.get("https://example.com/")
    except httpx.ProxyError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def emulator(tmp_path_factory):
    with served(tmp_path_factory.mktemp("by-name")) as emulator:
        yield emulator


@pytest.mark.parametrize("way", ["--resolve", "--proxy"])
def test_curl_reads_by_a_resolved_name_and_by_a_proxy(emulator, way):
    curl = shutil.which("curl") or missing("curl", "it is not on the path")
    where = f"api.figma.com:{emulator.port}:127.0.0.1" if way == "--resolve" else emulator.proxy
    address = ME.replace(".com/", f".com:{emulator.port}/") if way == "--resolve" else ME
    words = [way, where, "--cacert", emulator.certificate, "--header", f"X-Figma-Token: {emulator.token}"]
    assert json.loads(run([curl, "--silent", "--fail", *words, address]))["handle"] == "owner"
    assert emulator.requests() == ["GET /v1/me 200"]


def test_the_proxy_lets_curl_reach_no_other_host(emulator):
    curl = shutil.which("curl") or missing("curl", "it is not on the path")
    words = ["--silent", "--show-error", "--proxy", emulator.proxy, "--cacert", emulator.certificate]
    done = subprocess.run([curl, *words, "https://example.com/"], check=False, capture_output=True, encoding="utf-8")
    assert (done.returncode, "response 403" in done.stderr) == (56, True), done.stderr


def test_httpx_reads_by_the_proxy_of_its_environment_and_reaches_no_other_host(emulator):
    output = run([client_python(), "-c", HTTPX], environment={**emulator.environment, "TOKEN": emulator.token})
    assert output.splitlines() == ["[200, 200, 200]", "403 Forbidden"]


def test_figma_js_reads_from_a_host_that_it_is_given_over_https(emulator, tmp_path):
    os.symlink(MODULES, tmp_path / "node_modules")
    (tmp_path / "host.mjs").write_text(HOST, encoding="utf-8")
    command = [node_program("figma-js"), "host.mjs", f"localhost:{emulator.port}", emulator.token]
    output = json.loads(run(command, cwd=tmp_path, environment=emulator.trust))
    assert output == ["DOCUMENT", "owner", "<svg"]


@pytest.mark.parametrize("setting", ["FIGMA_PROXY", "HTTPS_PROXY", "--proxy"])
def test_the_mcp_server_of_figma_context_reads_and_downloads_by_a_proxy(emulator, tmp_path, setting):
    os.symlink(MODULES, tmp_path / "node_modules")
    shutil.copy(MCP_CLIENT, tmp_path)
    program = MODULES / "figma-developer-mcp" / "dist" / "bin.js"
    options = ["--stdio", "--no-telemetry", "--image-dir", "."]
    environment = {**emulator.trust, "FIGMA_API_KEY": emulator.token}
    if setting.startswith("--"):
        options += [setting, emulator.proxy]
    else:
        environment[setting] = emulator.proxy
    pictures = [{"nodeId": "100:1", "fileName": "button.png"}, {"nodeId": "100:2", "fileName": "rest.svg"}]
    calls = [
        ["get_figma_data", {"fileKey": KEY}],
        ["download_figma_images", {"fileKey": KEY, "localPath": "pictures", "nodes": pictures}],
    ]
    words = [json.dumps([str(program), *options]), *map(json.dumps, calls)]
    read, downloaded = json.loads(
        run([node_program("figma-developer-mcp"), "mcp_client.mjs", *words], cwd=tmp_path, environment=environment)
    )
    assert "surface/page" in read
    assert "Downloaded 2 images" in downloaded
    assert (tmp_path / "pictures" / "button.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "pictures" / "rest.svg").read_text("utf-8").startswith("<svg")
    assert [line for line in emulator.requests() if not line.endswith(" 200")] == []
