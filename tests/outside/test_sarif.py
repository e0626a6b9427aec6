"""The SARIF logs of `check` and `lint` are valid by the schema of the standard."""

import json
from pathlib import Path

import pytest
from commands.projects import quickstart_in, tokensync

PAIRS = '\n[[lint.contrast]]\nforeground = ["theme/text/*"]\nbackground = ["theme/background/*"]\n'

pytestmark = pytest.mark.outside


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(quickstart_in(tmp_path / "a {0} #1 [x](y)"))
    config = Path("tokensync.toml")
    config.write_text(config.read_text(encoding="utf-8") + PAIRS, encoding="utf-8")
    Path("code/web/tokens.css").unlink()
    return json.loads(tokensync("check", "-v", "--format", "sarif", code=5).output)


def test_a_log_of_errors_notes_and_outdated_outputs_is_valid(log, sarif_problems):
    levels = {each["level"] for each in log["runs"][0]["results"]}
    assert levels == {"error", "note"}
    assert sarif_problems(log) == []


def test_the_schema_refuses_a_broken_log(log, sarif_problems):
    log["runs"][0]["results"][0]["level"] = "notice"
    log["runs"][0]["results"][1]["locations"] = {}
    assert len(sarif_problems(log)) == 2
