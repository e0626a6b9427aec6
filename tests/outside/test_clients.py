"""Existing clients of the platform, unaware of tokensync, against the emulator on loopback.

Two are no packages. TOKENSYNC_VARIABLES_EXAMPLE names a checkout of the official variables example with its packages.
`make verify` downloads the scripts of Figma's Simple Design System; TOKENSYNC_SIMPLE_DESIGN_SYSTEM names a checkout.
"""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
import requests
from checkers import INSTALLED, node_program, run
from emulator.platform import BLUE, KEY, REMOTE, alias, collection, response, variable

from tokensync.emulator.tokens import SCOPES
from tokensync.system import resources
from tokensync.testing import running

pytestmark = pytest.mark.outside

REDIRECT = resources.path("npm", "redirect.cjs")
MCP_CLIENT = Path(__file__).with_name("mcp_client.mjs")
EXAMPLE = "TOKENSYNC_VARIABLES_EXAMPLE"
DESIGN_SYSTEM = "TOKENSYNC_SIMPLE_DESIGN_SYSTEM"
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


def node(platform, program, *arguments, cwd, **settings):
    environment = {
        "TOKENSYNC_EMULATOR_URL": platform.base_url,
        "FILE_KEY": KEY,
        "PERSONAL_ACCESS_TOKEN": platform.token,
        "NODE_OPTIONS": f'--require "{REDIRECT}"',  # also of the Node that a program starts
        "DO_NOT_TRACK": "1",
    }
    environment = {**platform.environment, **environment, **settings}
    return run([node_program(program), *arguments], cwd=cwd, environment=environment)


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
    work = checkout("figma/variables-github-action-example", EXAMPLE, tmp_path / "example", "tokens")
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


@pytest.mark.parametrize("kind", ["personal", "oauth"])
def test_the_mcp_server_of_figma_console_reads_and_comments_with_both_kinds_of_token(platform, tmp_path, kind):
    """It sends a token that begins like one of an OAuth app as a bearer, and any other in a header of its own."""
    token = platform.emulator.tokens.create(kind=kind, scopes=SCOPES)
    file = {"fileUrl": URL}
    calls = [
        ["figma_get_variables", {**file, "format": "full"}],
        ["figma_get_styles", file],
        ["figma_get_file_data", {**file, "depth": 2}],
        ["figma_post_comment", {**file, "message": "hello"}],
        ["figma_get_comments", file],
        ["figma_get_file_versions", file],
    ]
    shutil.copy(MCP_CLIENT, modules(tmp_path))
    program = [str(tmp_path / "node_modules" / "figma-console-mcp" / "dist" / "local.js")]
    words = [json.dumps(document) for document in (program, *calls)]
    settings = {"FIGMA_ACCESS_TOKEN": token, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "FIGMA_WS_PORT": "0"}
    answers = json.loads(node(platform, "figma-console-mcp", "mcp_client.mjs", *words, cwd=tmp_path, **settings))
    variables, styles, file, posted, comments, _ = (json.loads(answer) for answer in answers)
    assert variables["local"]["summary"]["totalVariables"] == len(response()["meta"]["variables"])
    assert "surface/page" in [style["name"] for style in styles["styles"]]
    assert file["document"]["type"] == "DOCUMENT"
    assert posted["comment"]["message"] == comments["comments"][0]["message"] == "hello"
    assert [str(request) for request in platform.requests if request.status != 200] == []


TEMPLATE = """// url=https://www.figma.com/design/Harbor/Harbor?node-id=NODE
// component=Button
import figma from "figma";
const state = figma.selectedInstance.getEnum("State", { Rest: "rest", Hover: "hover" });
export default { id: "button", example: figma.code`<Button state="${state}" />` };
"""


def test_code_connect_publishes_and_deletes_at_the_address_that_it_is_given(platform, tmp_path):
    headers = {"X-Figma-Token": platform.token}
    sets = requests.get(f"{platform.base_url}/v1/files/{KEY}/component_sets", headers=headers, timeout=30).json()
    number = next(entry["node_id"] for entry in sets["meta"]["component_sets"] if entry["name"] == "Button")
    template = TEMPLATE.replace("NODE", number.replace(":", "-"))
    (modules(tmp_path) / "Button.figma.ts").write_text(template, encoding="utf-8")
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    config = {"codeConnect": {"include": ["*.figma.ts"], "label": "React", "language": "jsx"}}
    (tmp_path / "figma.config.json").write_text(json.dumps(config), encoding="utf-8")
    platform.own.journal.clear()
    program = tmp_path / "node_modules" / "@figma" / "code-connect" / "bin" / "figma"
    options = ("--api-url", f"{platform.base_url}/v1", "--skip-update-check")
    for command in ("publish", "unpublish", "unpublish"):
        arguments = (program, "connect", command, *options)
        node(platform, "@figma/code-connect", *arguments, cwd=tmp_path, NODE_OPTIONS="")
    validated, published, *deleted = platform.requests
    assert str(validated).startswith(f"GET /v1/files/{KEY}/nodes?ids={number} 200")
    assert str(published) == "POST /v1/code_connect 200"
    assert json.loads(published.body)[0]["component"] == "Button"
    assert [str(request) for request in deleted] == ["DELETE /v1/code_connect 200"] * 2


def checkout(name, setting, folder, *omitted, installed=None):
    """Copy a checkout of a repository on GitHub that a variable names, or what is installed of it."""
    source = os.environ.get(setting) or installed
    if not (source and Path(source).is_dir()):
        pytest.skip(f"{name} is no package: clone it, and name the checkout in {setting}")
    return Path(shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(".git", ".env", *omitted)))


def design_system():
    """A response with the collections that the Simple Design System's script asks for."""
    white = {"r": 1, "g": 1, "b": 1, "a": 128 / 255}
    blue = {"r": 0x20 / 255, "g": 0x40 / 255, "b": 0x80 / 255, "a": 1}
    variables = [
        variable("VariableID:1:1", "sea/500", "VariableCollectionId:1:0", "COLOR", {"1:0": blue}),
        variable(
            "VariableID:2:1",
            "accent",
            "VariableCollectionId:2:0",
            "COLOR",
            {"2:0": alias("VariableID:1:1"), "2:1": white},
        ),
        variable("VariableID:3:1", "space/400", "VariableCollectionId:3:0", "FLOAT", {"3:0": 16}),
        variable("VariableID:4:1", "family/sans", "VariableCollectionId:4:0", "STRING", {"4:0": "Inter"}),
        variable("VariableID:5:1", "body", "VariableCollectionId:5:0", "STRING", {"5:0": alias("VariableID:4:1")}),
    ]
    modes = ("Value", "SDS Light", "Default", "Default", "Default")
    names = ("Color Primitives", "Color", "Size", "Typography Primitives", "Typography")
    collections = []
    for number, (name, mode) in enumerate(zip(names, modes, strict=True), 1):
        id_ = f"VariableCollectionId:{number}:0"
        dark = {"2:1": "SDS Dark"} if name == "Color" else {}
        own = [entry["id"] for entry in variables if entry["variableCollectionId"] == id_]
        collections.append(collection(id_, name, {f"{number}:0": mode, **dark}, own))
    members = {"variables": variables, "variableCollections": collections}
    meta = {name: {entry["id"]: entry for entry in entries} for name, entries in members.items()}
    return {"status": 200, "error": False, "i18n": None, "meta": meta}


class TestSimpleDesignSystem:
    @pytest.fixture
    def scripts(self, platform, tmp_path):
        """Run a script of a checkout in its own folder."""
        installed = INSTALLED / "simple-design-system"
        work = checkout("figma/sds", DESIGN_SYSTEM, tmp_path / "sds", "node_modules", installed=installed)
        (work / "src").mkdir(exist_ok=True)
        settings = {"FIGMA_ACCESS_TOKEN": platform.token, "FIGMA_FILE_KEY": KEY}

        def script(name):
            return node(platform, "undici", "app.mjs", cwd=work / "scripts" / name, **settings)

        return work, script

    def test_its_script_writes_css_of_the_variables(self, platform, scripts):
        work, script = scripts
        platform.reset()
        platform.seed(KEY, design_system())
        assert "Done!" in script("tokens")
        css = (work / "src" / "theme.css").read_text("utf-8")
        light, dark = css.split("@media (prefers-color-scheme: dark)")
        assert "--sds-color-sea-500: #204080;" in light
        assert "--sds-color-accent: var(--sds-color-sea-500);" in light
        assert "--sds-color-accent: #ffffff80;" in dark
        assert "--sds-size-space-400: 1rem;" in css

    def test_its_script_creates_links_once_and_replaces_them_when_they_move(self, platform, scripts):
        work, script = scripts
        nodes = {"<BUTTON>": "100-1", "<FIELD>": "100-6"}
        addresses = {name: f"https://figma.com/design/{KEY}?node-id={number}" for name, number in nodes.items()}
        config = {"codeConnect": {"documentUrlSubstitutions": addresses}}
        (work / "figma.config.json").write_text(json.dumps(config), encoding="utf-8")
        reports = []
        for host in ("first", "first", "second"):
            links = {name: [{"name": "Stories", "url": f"https://{host}.invalid/{name[1:-1]}"}] for name in nodes}
            text = f"export const devResources = {json.dumps(links)};\n"
            (work / "scripts" / "dev-resources" / "devResources.mjs").write_text(text, encoding="utf-8")
            reports.append(script("dev-resources").splitlines()[-1])
        moves = [re.search(r"New: (\d+) • Deleted: (\d+)", report).groups() for report in reports]
        assert moves == [("2", "0"), ("0", "0"), ("2", "2")]
        assert [str(request) for request in platform.requests if request.status != 200] == []
