"""Clients of the platform that were never told about tokensync, against the emulator on loopback.

The official variables example is no package: TOKENSYNC_VARIABLES_EXAMPLE names a checkout of it, with its packages.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from checkers import node_program, run
from emulator.platform import BLUE, KEY, REMOTE, response

from tokensync.testing import running

pytestmark = pytest.mark.outside

PRELOADED = Path(__file__).with_name("to_loopback.mjs")
EXAMPLE = "TOKENSYNC_VARIABLES_EXAMPLE"
URL = f"https://www.figma.com/design/{KEY}/Harbor"

READING = """
import { Api } from "figma-api";
const api = new Api({ personalAccessToken: process.env.FIGMA_ACCESS_TOKEN });
const file_key = "Harbor";
const local = await api.getLocalVariables({ file_key });
const made = await api.postVariables({ file_key }, { variables: [
  { action: "UPDATE", id: "VariableID:1:3", description: "by figma-api" },
] });
const file = await api.getFile({ file_key });
const { comments } = await api.getComments({ file_key });
const posted = await api.postComment({ file_key }, { message: "hello" });
const me = await api.getUserMe();
const { meta } = await api.getFileStyles({ file_key });
console.log(JSON.stringify({
  variables: Object.keys(local.meta.variables), made: made.status, file: file.document.type, comments: comments.length,
  posted: posted.message, me: me.handle, styles: meta.styles.map((each) => each.name),
}));
"""


@pytest.fixture
def platform():
    with running() as platform:
        platform.seed(KEY, response())
        platform.emulator.libraries.sample(KEY)
        platform.emulator.publish(KEY)
        yield platform


def node(platform, program, *arguments, cwd):
    given = {
        "TOKENSYNC_LOOPBACK": platform.base_url,
        "FILE_KEY": KEY,
        "PERSONAL_ACCESS_TOKEN": platform.token,
        "NODE_OPTIONS": f"--import={PRELOADED.as_uri()}",  # also of the Node that a program starts
    }
    return run([node_program(program), *arguments], cwd=cwd, environment={**platform.environment, **given})


def modules(folder):
    """A folder whose programs find the installed packages."""
    from checkers import MODULES

    os.symlink(MODULES, folder / "node_modules")
    return folder


class TestTerrazzo:
    def imported(self, platform, folder, *options):
        program = modules(folder) / "node_modules" / "@terrazzo" / "cli" / "bin" / "cli.js"
        node(platform, "@terrazzo/cli", program, "import", URL, *options, "-o", "out.json", cwd=folder)
        return json.loads((folder / "out.json").read_text())

    def test_its_importer_reads_published_variables_and_styles(self, platform, tmp_path):
        document = self.imported(platform, tmp_path)
        found = json.dumps(document)
        assert BLUE in found
        assert document["sets"]["primitives"]["sources"][0]["blue"]["500"]["$value"]["components"] == [0.125, 0.25, 0.5]
        assert "surface" in json.dumps(document["sets"]["styles"])

    def test_its_importer_reads_local_variables(self, platform, tmp_path):
        document = self.imported(platform, tmp_path, "--unpublished", "--skip-styles")
        assert BLUE in json.dumps(document)
        assert REMOTE not in json.dumps(document["sets"]["primitives"])


def test_figma_api_reads_and_writes(platform, tmp_path):
    (modules(tmp_path) / "reading.mjs").write_text(READING)
    told = json.loads(node(platform, "figma-api", "reading.mjs", cwd=tmp_path))
    assert told["variables"] == list(response()["meta"]["variables"])
    assert (told["made"], told["file"], told["comments"], told["posted"]) == (200, "DOCUMENT", 0, "hello")
    assert told["me"] == "owner"
    assert "surface/page" in told["styles"]


def test_the_official_example_syncs_both_ways(platform, tmp_path):
    checkout = os.environ.get(EXAMPLE)
    if not checkout:
        pytest.skip(
            f"the official variables example: clone figma/variables-github-action-example, name it in {EXAMPLE}"
        )
    work = tmp_path / "example"
    shutil.copytree(checkout, work, symlinks=True, ignore=shutil.ignore_patterns("tokens", ".git", ".env"))
    (work / "tokens").mkdir()
    blue = {"$type": "color", "$value": "#204080", "$description": "of the sea", "$extensions": {"com.figma": {}}}
    primitives = {"sea": {"blue": blue}, "depth": {"$type": "number", "$value": 12}}
    (work / "tokens" / "Sea.day.json").write_text(json.dumps(primitives))
    (work / "tokens" / "Roles.light.json").write_text(
        json.dumps({"accent": {"$type": "color", "$value": "{sea.blue}", "$description": ""}})
    )
    program = Path("node_modules") / "tsx" / "dist" / "cli.mjs"
    to_platform = (program, "src/sync_tokens_to_figma.ts")
    assert "has been updated" in node(platform, "@terrazzo/cli", *to_platform, cwd=work)
    assert "already up to date" in node(platform, "@terrazzo/cli", *to_platform, cwd=work)
    node(platform, "@terrazzo/cli", program, "src/sync_figma_to_tokens.ts", cwd=work)
    assert json.loads((work / "tokens_new" / "Roles.light.json").read_text())["accent"]["$value"] == "{sea.blue}"
