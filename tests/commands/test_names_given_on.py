"""A name that moves from one token to another, through plan, apply and pull."""

import json

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync

FILES = ("tokens/one/theme/light.tokens.json", "tokens/one/theme/dark.tokens.json")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(project_in(tmp_path))
    on_the_platform(COLORS)
    tokensync("pull")
    return tmp_path


def test_a_new_token_under_the_name_of_a_renamed_one_is_in_sync_after_apply_and_pull(project):
    for number, name in enumerate(FILES):
        path = project / name
        document = json.loads(path.read_text(encoding="utf-8"))
        theme = document["theme"]
        theme["ink"] = theme.pop("slate")
        theme["text"]["muted"]["$value"] = "{theme.ink}"
        if not number:
            theme["slate"] = {"$type": "color", "$value": "{theme.ink}"}
        path.write_text(json.dumps(document), encoding="utf-8")
    planned = tokensync("plan").output
    assert "1 new, 1 changed" in planned
    tokensync("apply")
    for _ in range(2):
        assert "nothing to do" in tokensync("plan").output
        tokensync("pull")
