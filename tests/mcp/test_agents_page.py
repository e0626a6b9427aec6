"""What docs/agents.md, the skill and the list for agents say is true."""

import json
import re
import tomllib

from commands.projects import quickstart_in
from corpus.building import ROOT

from tokensync.cli.main import COMMANDS
from tokensync.mcp.answers import Answers
from tokensync.project.configuration import load_project

PAGE = (ROOT / "docs" / "agents.md").read_text("utf-8")
SKILL = (ROOT / "examples" / "agents" / "SKILL.md").read_text("utf-8")
TABLE = tomllib.loads((ROOT / "config" / "mcp.toml").read_text("utf-8"))


def test_the_page_shows_a_real_answer(tmp_path):
    config = quickstart_in(tmp_path / "project") / "tokensync.toml"
    shown = json.loads(re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[-1])
    found = Answers(lambda: load_project(str(config))).find_tokens("muted text on a card")
    assert found["tokens"][0] == shown


def test_each_tool_is_on_the_page_and_a_method_and_the_skill_names_no_other():
    tools = set(TABLE["tools"])
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == tools
    assert all(callable(getattr(Answers, tool)) for tool in tools)
    assert set(re.findall(r"[Cc]all `(\w+)`", SKILL)) <= tools
    assert "find_tokens" in SKILL


def test_the_skill_has_the_front_matter_that_clients_read():
    _, matter, text = SKILL.split("---\n", 2)
    members = dict(line.split(": ", 1) for line in matter.splitlines())
    assert re.fullmatch(r"[a-z][a-z-]{0,63}", members["name"])
    assert 0 < len(members["description"]) <= 1024
    assert "apply" in text


def test_the_list_for_agents_names_commands_with_their_lines():
    listed = (ROOT / "docs" / "llms.txt").read_text("utf-8").partition("## For agents")[2]
    lines = dict(re.findall(r"^- `tokensync ([a-z-]+)`: (.+)$", listed, re.MULTILINE))
    assert "mcp" in lines
    assert lines == {name: COMMANDS[name][1] for name in lines}
