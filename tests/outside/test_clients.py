"""Existing clients of the platform, unaware of tokensync, against the emulator on loopback.

The official variables example is no package: TOKENSYNC_VARIABLES_EXAMPLE names a checkout of it, with its packages.
"""

import json
import os
import shutil
from pathlib import Path

import pytest
from checkers import node_program, run
from emulator.platform import BLUE, KEY, REMOTE, response

from tokensync.system import resources
from tokensync.testing import running

pytestmark = pytest.mark.outside

REDIRECT = resources.path("npm", "redirect.cjs")
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

MAKING = """
import { Api } from "figma-api";
const api = new Api({ personalAccessToken: process.env.FIGMA_ACCESS_TOKEN });
const file_key = "Harbor";
const color = { action: "CREATE", variableCollectionId: "Sea", resolvedType: "COLOR" };
const answer = await api.postVariables({ file_key }, {
  variableCollections: [{ action: "CREATE", id: "Sea", name: "Sea", initialModeId: "day" }],
  variableModes: [
    { action: "UPDATE", id: "day", name: "day", variableCollectionId: "Sea" },
    { action: "CREATE", id: "night", name: "night", variableCollectionId: "Sea" },
  ],
  variables: [
    { ...color, id: "sea/deep", name: "sea/deep", description: "far out", hiddenFromPublishing: true,
      scopes: ["FRAME_FILL"], codeSyntax: { WEB: "var(--sea-deep)", ANDROID: "seaDeep", iOS: "Sea.deep" } },
    { ...color, id: "accent", name: "accent" },
  ],
  variableModeValues: [
    { variableId: "sea/deep", modeId: "day", value: { r: 0.12549, g: 0.25098, b: 0.50196 } },
    { variableId: "sea/deep", modeId: "night", value: { r: 0, g: 0, b: 0, a: 0.5 } },
    { variableId: "accent", modeId: "night", value: { type: "VARIABLE_ALIAS", id: "sea/deep" } },
  ],
});
const real = answer.meta.tempIdToRealId;
const { meta } = await api.getLocalVariables({ file_key });
const [deep, accent] = [meta.variables[real["sea/deep"]], meta.variables[real["accent"]]];
console.log(JSON.stringify({
  modes: meta.variableCollections[real["Sea"]].modes.map((each) => each.name), deep,
  night: deep.valuesByMode[real["night"]], aliased: accent.valuesByMode[real["night"]].id === deep.id,
}));
"""
DRAWING = """
import { Client } from "figma-js";
import { processFile } from "figma-transformer";
const client = Client({ personalAccessToken: process.env.FIGMA_ACCESS_TOKEN });
const { data } = await client.file("Harbor");
const { shortcuts } = processFile(data, "Harbor");
const ids = shortcuts.components.map((each) => each.id);
const { images } = (await client.fileImages("Harbor", { ids, format: "svg" })).data;
const picture = await (await fetch(images[ids[0]])).text();
console.log(JSON.stringify({
  components: shortcuts.components.map((each) => each.name), styles: shortcuts.styles.map((each) => each.name),
  pictures: Object.keys(images).length, picture,
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
    environment = {
        "TOKENSYNC_EMULATOR_URL": platform.base_url,
        "FILE_KEY": KEY,
        "PERSONAL_ACCESS_TOKEN": platform.token,
        "NODE_OPTIONS": f'--require "{REDIRECT}"',  # also of the Node that a program starts
    }
    return run([node_program(program), *arguments], cwd=cwd, environment={**platform.environment, **environment})


def modules(folder):
    """A folder whose programs find the installed packages."""
    from checkers import MODULES

    os.symlink(MODULES, folder / "node_modules")
    return folder


class TestTerrazzo:
    def imported(self, platform, folder, *options):
        program = modules(folder) / "node_modules" / "@terrazzo" / "cli" / "bin" / "cli.js"
        node(platform, "@terrazzo/cli", program, "import", URL, *options, "-o", "out.json", cwd=folder)
        return json.loads((folder / "out.json").read_text("utf-8"))

    def test_its_importer_reads_published_variables_and_styles(self, platform, tmp_path):
        document = self.imported(platform, tmp_path)
        text = json.dumps(document)
        assert BLUE in text
        assert document["sets"]["primitives"]["sources"][0]["blue"]["500"]["$value"]["components"] == [0.125, 0.25, 0.5]
        assert "surface" in json.dumps(document["sets"]["styles"])

    def test_its_importer_reads_local_variables(self, platform, tmp_path):
        document = self.imported(platform, tmp_path, "--unpublished", "--skip-styles")
        assert BLUE in json.dumps(document)
        assert REMOTE not in json.dumps(document["sets"]["primitives"])


def test_figma_api_reads_and_writes(platform, tmp_path):
    (modules(tmp_path) / "reading.mjs").write_text(READING, encoding="utf-8")
    document = json.loads(node(platform, "figma-api", "reading.mjs", cwd=tmp_path))
    assert document["variables"] == list(response()["meta"]["variables"])
    assert (document["made"], document["file"], document["comments"], document["posted"]) == (
        200,
        "DOCUMENT",
        0,
        "hello",
    )
    assert document["me"] == "owner"
    assert "surface/page" in document["styles"]


def test_figma_api_creates_a_collection_and_its_variables_by_temporary_ids(platform, tmp_path):
    (modules(tmp_path) / "making.mjs").write_text(MAKING, encoding="utf-8")
    document = json.loads(node(platform, "figma-api", "making.mjs", cwd=tmp_path))
    assert (document["modes"], document["aliased"]) == (["day", "night"], True)
    assert document["night"] == {"r": 0, "g": 0, "b": 0, "a": 0.5}
    deep = document["deep"]
    assert (deep["name"], deep["description"], deep["hiddenFromPublishing"]) == ("sea/deep", "far out", True)
    assert deep["scopes"] == ["FRAME_FILL"]
    assert deep["codeSyntax"] == {"WEB": "var(--sea-deep)", "ANDROID": "seaDeep", "iOS": "Sea.deep"}


def test_figma_js_and_figma_transformer_find_the_library_in_the_layers_and_its_pictures(platform, tmp_path):
    (modules(tmp_path) / "drawing.mjs").write_text(DRAWING, encoding="utf-8")
    document = json.loads(node(platform, "figma-transformer", "drawing.mjs", cwd=tmp_path))
    assert len(document["components"]) == document["pictures"] == 12
    assert "Button, State=Rest" in document["components"]
    assert "surface/page" in document["styles"]
    assert document["picture"].startswith("<svg")


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
    (work / "tokens" / "Sea.day.json").write_text(json.dumps(primitives), encoding="utf-8")
    (work / "tokens" / "Roles.light.json").write_text(
        json.dumps({"accent": {"$type": "color", "$value": "{sea.blue}", "$description": ""}}), encoding="utf-8"
    )
    program = Path("node_modules") / "tsx" / "dist" / "cli.mjs"
    to_platform = (program, "src/sync_tokens_to_figma.ts")
    assert "has been updated" in node(platform, "@terrazzo/cli", *to_platform, cwd=work)
    assert "already up to date" in node(platform, "@terrazzo/cli", *to_platform, cwd=work)
    node(platform, "@terrazzo/cli", program, "src/sync_figma_to_tokens.ts", cwd=work)
    assert json.loads((work / "tokens_new" / "Roles.light.json").read_text("utf-8"))["accent"]["$value"] == "{sea.blue}"
