"""Readers of docs/without-enterprise.md who use the plugin or an agent, with a model of the editor as Figma."""

import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
from bridge.conftest import MODEL, Editor, quickstart_state
from shown_commands import ROOT, differences

pytestmark = pytest.mark.outside

BRIDGE = """\
tokensync bridge --port {port} > ../bridge.out 2> ../bridge.err &
echo $! > ../bridge.pid
while ! grep -q "connected to" ../bridge.err; do sleep 0.05; done
"""


def path_of(title, end):
    """Return the section with a title up to an ``end``, with its commands as commands to run."""
    page = (ROOT / "docs/without-enterprise.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {title}\n")[2].partition(f"\n{end} ")[0]
    return section.replace("```shell-session", "```console")


def content_of(path):
    while not path.exists() or not path.read_text(encoding="utf-8").endswith("\n"):
        time.sleep(0.05)
    return path.read_text(encoding="utf-8")


def test_the_commands_of_the_path_of_the_plugin_print_what_the_page_shows(node, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "figma.json").write_text(json.dumps(quickstart_state()), encoding="utf-8")
    (tmp_path / "bridge.sh").write_text(BRIDGE.format(port=port), encoding="utf-8")
    page = path_of("The bridge", "###").replace("--install figma-plugin", f"--install figma-plugin --port {port}")
    page = page.replace("port 9427", f"port {port}").replace(
        "$ tokensync bridge\ncode  7KQ2-M4XC\n", "$ sh ../bridge.sh\n"
    )
    assert page.count(str(port)) == 2
    assert "bridge.sh" in page
    editors = []

    def person():
        code = content_of(tmp_path / "bridge.out").split()[1]
        editors.append(Editor(node, tmp_path, code=code, plugin=str(tmp_path / "harbor" / "figma-plugin")))

    opening = threading.Thread(target=person)
    opening.start()
    try:
        assert differences(page, tmp_path) == []
    finally:
        os.kill(int(content_of(tmp_path / "bridge.pid")), signal.SIGTERM)
        opening.join()
        (editor,) = editors
        renamed = [each["name"] for each in editor.saved()["meta"]["variables"].values()]
        editor.close()
    assert "color/slate/60" in renamed
    assert Path(tmp_path / "harbor/code/css/tokens.css").exists()


SAVE = """
import json, sys
meta = json.load(open("../figma.json", encoding="utf-8"))["meta"]
capture = {"file_key": "aBcDeFgH1234567890abcd", "time": f"2026-11-29T1{sys.argv[1]}:00:00Z"}
json.dump({"meta": meta, "capture": capture}, open("design/Harbor.json", "w", encoding="utf-8"))
"""
AGENT = """
import json, subprocess
done = subprocess.run(["node", "MODEL/script.mjs", "../settings.json"], check=True, capture_output=True)
json.dump(json.loads(done.stdout)["returned"], open("receipt.json", "w", encoding="utf-8"))
"""


def test_the_commands_of_the_path_of_an_agent_print_what_the_page_shows(node, tmp_path):
    (tmp_path / "figma.json").write_text(json.dumps(quickstart_state()), encoding="utf-8")
    (tmp_path / "settings.json").write_text('{"script": "plan.js", "state": "../figma.json"}', encoding="utf-8")
    (tmp_path / "save.py").write_text(SAVE, encoding="utf-8")
    (tmp_path / "agent.py").write_text(AGENT.replace("MODEL", str(MODEL)), encoding="utf-8")
    page = path_of("An agent, or the console", "##")
    steps = {"In Figma, run": "save.py 1", "Tell the agent": "agent.py", "Save a new capture": "save.py 2"}
    for words, program in steps.items():
        assert page.count(f"\n{words}") == 1
        page = page.replace(f"\n{words}", f"\n<!-- $ {sys.executable} ../{program} -->\n\n{words}")
    assert differences(page, tmp_path) == []
    meta = json.loads((tmp_path / "figma.json").read_text(encoding="utf-8"))["meta"]
    assert "color/slate/60" in [variable["name"] for variable in meta["variables"].values()]
