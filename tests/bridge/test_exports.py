"""Figma's own export of variables as the platform, and the files of its import, read by another reader."""

import contextlib
import json
import random
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from bridge.read_export import read_export, read_response
from commands.projects import DESIGN, files_in, tokensync
from corpus.building import CORPUS, NO_CORPUS

from tokensync.bridge.captures import response_of
from tokensync.extract.wire import snapshot
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.normalize.graph import normalize
from tokensync.system.errors import TokensyncError
from tokensync.tokens import Collection, Mode, Token, TokenGraph, TokenKey

PUBLISHED = Path(__file__).parent / "published" / "flutter-bison-design-system"
KEY = "hB7rQ2mLkX94vTzWcYp1Nd"
CONFIGURATION = f"""base_url = "snapshot:export"

[[files]]
name = "harbor"
key = "{KEY}"

[[outputs]]
platform = "css"
path = "code/css"

[[outputs]]
platform = "json"
path = "code/json"

[[outputs]]
platform = "android"
path = "code/android"

[[outputs]]
platform = "figma"
path = "figma"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The quickstart, pulled from its responses and built, and the files of its import as an export."""
    (tmp_path / "tokensync.toml").write_text(CONFIGURATION.replace("snapshot:export", "snapshot:design"), "utf-8")
    (tmp_path / "design").mkdir()
    for path in DESIGN[:2]:
        (tmp_path / "design" / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    tokensync("pull")
    tokensync("build")
    shutil.copytree("figma", "export")
    (tmp_path / "tokensync.toml").write_text(CONFIGURATION, "utf-8")
    return tmp_path


def edited(path, *changes):
    text = Path(path).read_text("utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    Path(path).write_text(text, "utf-8")


def new_project(folder, monkeypatch, export=None):
    """A project of nothing but an export."""
    folder.mkdir()
    (folder / "tokensync.toml").write_text(CONFIGURATION, "utf-8")
    if export is not None:
        shutil.copytree(export, folder / "export")
    monkeypatch.chdir(folder)


def tokens_in(folder):
    """{file: {path: token}} of token files, without what is of the file only."""
    found = {}

    def walk(node, path, tokens):
        for name, member in node.items():
            if name[:1] != "$" or name == "$root":
                here = path if name == "$root" else (*path, name)
                if "$value" in member:
                    tokens["/".join(here)] = member
                walk({key: value for key, value in member.items() if isinstance(value, dict)}, here, tokens)

    for path in Path(folder).rglob("*.tokens.json"):
        walk(json.loads(path.read_bytes()), (), found.setdefault(path.relative_to(folder).as_posix(), {}))
    return found


def test_an_export_of_the_pulled_state_changes_nothing(project):
    before = files_in(project / "tokens"), (project / "tokensync.lock").read_bytes(), files_in(project / "code")
    assert "nothing to do" in tokensync("pull").stderr
    tokensync("build")
    assert "in sync" in tokensync("status").output
    assert (
        files_in(project / "tokens"), (project / "tokensync.lock").read_bytes(), files_in(project / "code")
    ) == before  # fmt: skip


def test_code_of_an_export_is_that_of_the_response_where_it_has_the_facts(tmp_path, monkeypatch):
    """The response has keys, which are in the JSON, and the order of modes, as a zip has it."""
    capture = next(iter(sorted(CORPUS.glob("sds*local*.json"))), None)
    if capture is None:
        pytest.skip(NO_CORPUS)
    new_project(tmp_path / "a", monkeypatch)
    shutil.copy(capture, "capture.json")
    edited("tokensync.toml", ("snapshot:export", "snapshot:capture.json"))
    tokensync("pull")
    tokensync("build")
    code = files_in(Path("code"))
    collections = json.loads(capture.read_bytes())["meta"]["variableCollections"].values()
    with zipfile.ZipFile("export.zip", "w") as archive:
        for collection in collections:
            for mode in collection["modes"]:
                name = f"{collection['name']}.{mode['name']}.tokens.json"
                archive.write(f"figma/{name}", name)
    new_project(tmp_path / "b", monkeypatch)
    edited("tokensync.toml", ("snapshot:export", "snapshot:export.zip"))
    shutil.copy(tmp_path / "a" / "export.zip", "export.zip")
    tokensync("pull")
    tokensync("build")
    keys = re.compile(rb',\n      "key": "[^"]*"')  # an export has only those of the targets of aliases
    assert {name: keys.sub(b"", content) for name, content in files_in(Path("code")).items()} == {
        name: keys.sub(b"", content) for name, content in code.items()
    }


def test_the_styles_of_the_last_pull_stay_without_a_note(project):
    shutil.copy(DESIGN[2], "design")
    edited("tokensync.toml", (f'key = "{KEY}"\n', f'key = "{KEY}"\nstyles = true\n'))
    tokensync("pull", "--snapshot", "design")
    before = files_in(project / "tokens" / "harbor")
    assert "styles-unread" not in tokensync("pull", "-v").stderr
    assert files_in(project / "tokens" / "harbor") == before
    assert any("text-styles" in name for name in before)


def test_a_rename_is_followed_by_id_and_edits_of_the_token_files_stay(project):
    edited("export/Primitives.Value.tokens.json", ('"300": {', '"350": {'))
    edited("tokens/harbor/primitives/value.tokens.json", ('"value": 64', '"value": 72'))
    tokensync("pull")
    text = (project / "tokens/harbor/primitives/value.tokens.json").read_text("utf-8")
    assert ('"350"' in text, '"300"' in text, '"value": 72' in text) == (True, False, True)
    # The files of the other collections are older, and name the target as it was.
    assert '"{primitives.color.slate.350}"' in (project / "tokens/harbor/theme/light.tokens.json").read_text("utf-8")
    assert "value  64 -> 72" in tokensync("plan").output
    done = tokensync("plan", "--script", "plan.js", code=2)
    assert "--script: harbor: Figma's own export does not have the ids of all collections and modes" in done.stderr


def test_a_variable_that_its_collection_is_exported_without_is_deleted(project):
    before = tokens_in("tokens")["harbor/theme/light.tokens.json"].keys()
    for mode in ("Light", "Dark"):
        path = project / "export" / f"Theme.{mode}.tokens.json"
        document = json.loads(path.read_bytes())
        del document["text"]["muted"]
        path.write_text(json.dumps(document), "utf-8")
    tokensync("pull")
    assert before - tokens_in("tokens")["harbor/theme/light.tokens.json"].keys() == {"theme/text/muted"}


def test_collections_and_modes_that_are_not_exported_stay(project):
    before = files_in(project / "tokens")
    for path in (project / "export").iterdir():
        if path.name != "Theme.Light.tokens.json":
            path.unlink()
    assert "nothing to do" in tokensync("pull").stderr
    assert files_in(project / "tokens") == before


def test_a_renamed_collection_and_a_renamed_mode_keep_their_files(project):
    before = tokens_in("tokens")
    for mode, name in (("Light", "Light"), ("Dark", "Night")):
        path = project / "export" / f"Theme.{mode}.tokens.json"
        edited(path, (f'"com.figma.modeName": "{mode}"', f'"com.figma.modeName": "{name}"'))
        path.rename(project / "export" / f"Colours.{name}.tokens.json")
    tokensync("pull")
    assert tokens_in("tokens") == before
    assert '"com.figma.modeName": "Night"' in Path("tokens/harbor/theme/dark.tokens.json").read_text("utf-8")
    assert '"name": "Colours"' in Path("tokens/harbor/theme/light.tokens.json").read_text("utf-8")


def test_a_new_mode_is_one_more(project):
    path = project / "export" / "Theme.Dim.tokens.json"
    shutil.copy(project / "export" / "Theme.Dark.tokens.json", path)
    edited(path, ('"com.figma.modeName": "Dark"', '"com.figma.modeName": "Dim"'))
    tokensync("pull")
    files = sorted(path.name for path in Path("tokens/harbor/theme").iterdir())
    assert files == ["dark.tokens.json", "dim.tokens.json", "light.tokens.json"]


def test_files_that_are_named_for_modes_only_do_not_rename_collections(project):
    before = files_in(project / "tokens")
    for path in (project / "export").glob("Theme.*"):
        path.rename(path.with_name(path.name.removeprefix("Theme.")))
    assert "nothing to do" in tokensync("pull").stderr
    assert files_in(project / "tokens") == before


def test_a_capture_after_exports_finds_collections_and_modes_by_name(project, tmp_path, monkeypatch):
    new_project(tmp_path / "later", monkeypatch, tmp_path / "export")
    tokensync("pull")
    folders = {path.parent for path in Path("tokens").rglob("*.tokens.json")}
    assert '"export:Theme"' in Path("tokensync.lock").read_text("utf-8")
    edited("tokensync.toml", ("snapshot:export", "snapshot:design"))
    shutil.copytree(project / "design", "design")
    tokensync("pull")
    assert "export:" not in Path("tokensync.lock").read_text("utf-8")
    new = {path.parent for path in Path("tokens").rglob("*.tokens.json")} - folders
    assert new == {Path("tokens/harbor/theme-islander")}  # the export has no extended collections
    assert "in sync" in tokensync("status").output


def test_a_zip_and_a_single_file_are_exports_too(project, tmp_path, monkeypatch):
    before = files_in(project / "tokens")
    with zipfile.ZipFile("harbor.zip", "w") as archive:
        for path in sorted(Path("export").iterdir()):
            archive.write(path, path.name)
    for source in ("harbor.zip", "export/Theme.Dark.tokens.json"):
        assert "nothing to do" in tokensync("pull", "--snapshot", source).stderr
        assert files_in(project / "tokens") == before


def test_the_files_of_the_snapshot_are_no_strays(project):
    assert "token-file-unread" not in tokensync("build", "-v").stderr
    edited("tokensync.toml", ("snapshot:export", "snapshot:export/Theme.Dark.tokens.json"))
    assert "export/Density.Comfortable.tokens.json" in tokensync("build", "-v").stderr  # only its own file is none


def test_two_files_of_one_mode_are_refused(project):
    shutil.copy("export/Theme.Dark.tokens.json", "export/Theme.Dark.tokens (1).json")
    done = tokensync("pull", code=2)
    assert done.stderr == (
        "error: export: Theme.Dark.tokens (1).json and Theme.Dark.tokens.json are both the mode Dark of the collection "
        "Theme; remove the older file\n"
    )


@pytest.mark.parametrize("content", [b"PK\x03\x04 cut off", b""])
def test_a_broken_zip_is_reported(project, content):
    Path("cut.zip").write_bytes(content)
    assert "cut.zip: this is no complete zip (" in tokensync("pull", "--snapshot", "cut.zip", code=2).stderr


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_with_another_compression_than_that_of_figma_is_refused(project, method):
    """Their decoders have errors of their own, and Figma uses neither."""
    with zipfile.ZipFile("harbor.zip", "w", method) as archive:
        archive.write("export/Theme.Dark.tokens.json", "Theme.Dark.tokens.json")
    message = "harbor.zip: Theme.Dark.tokens.json is compressed by another method than deflate; zip the files again"
    assert message in tokensync("pull", "--snapshot", "harbor.zip", code=2).stderr


def test_files_beyond_the_limit_are_refused(project, monkeypatch):
    """A file that is left out would look like deleted variables."""
    monkeypatch.setattr("tokensync.bridge.captures._MOST_FILES", 5)
    with zipfile.ZipFile("harbor.zip", "w") as archive:
        for path in Path("export").iterdir():
            archive.write(path, path.name)
    for source in ("export", "harbor.zip"):
        assert f"{source}: more than 1,000 files; name" in tokensync("pull", "--snapshot", source, code=2).stderr


def test_motion_variables_of_which_an_export_has_no_form_stay(project):
    design = project / "design" / "design.local.json"
    document = json.loads(design.read_bytes())
    variables = document["meta"]["variables"]
    like = next(each for each in variables.values() if each["name"] == "size/64")
    wait = {**like, "id": "VariableID:99:1", "key": "9" * 40, "name": "wait", "resolvedType": "TIMING", "scopes": []}
    variables[wait["id"]] = {**wait, "valuesByMode": dict.fromkeys(like["valuesByMode"], 0.2)}
    document["meta"]["variableCollections"][like["variableCollectionId"]]["variableIds"].append(wait["id"])
    design.write_text(json.dumps(document), "utf-8")
    tokensync("pull", "--snapshot", "design")
    assert "primitives/wait" in tokens_in("tokens")["harbor/primitives/value.tokens.json"]
    tokensync("pull")
    assert "primitives/wait" in tokens_in("tokens")["harbor/primitives/value.tokens.json"]


def test_a_colour_that_is_none_is_reported(project):
    edited("export/Primitives.Value.tokens.json", ('"colorSpace": "srgb"', '"colorSpace": "rgb"'))
    assert "color/slate/0: the colour space" in tokensync("pull", code=2).stderr


def composed(color, opacity, alpha=0.5):
    value = {"colorSpace": "srgb", "components": [1, 0, 0], "alpha": alpha, "hex": "#FF0000"}
    parts = {"colorArg": color, "opacityArg": opacity}
    own = {"com.figma.variableId": "VariableID:1:1", "com.figma.composedColor": parts}
    return {"$type": "color", "$value": value, "$extensions": own}


LIBRARY = {
    "targetVariableId": f"VariableID:{'a' * 40}/5552:1665",
    "targetVariableName": "red/500",
    "targetVariableSetId": f"VariableCollectionId:{'b' * 40}/5552:1080",
    "targetVariableSetName": "colors",
}


def test_targets_in_a_library_are_remote_variables_with_their_keys(tmp_path, monkeypatch):
    new_project(tmp_path / "a", monkeypatch)
    (tmp_path / "a" / "export").mkdir()
    tint = composed({"type": "alias", "alias": LIBRARY}, {"type": "number", "value": 50})
    document = {"tint": tint, "$extensions": {"com.figma.modeName": "Light"}}
    Path("export/Light.tokens.json").write_text(json.dumps(document), "utf-8")
    tokensync("pull")
    tokensync("build")
    assert "--tint: rgb(255 0 0 / 50%);" in Path("code/css/tokens.css").read_text("utf-8")
    (remote,) = Path("tokens/harbor/.remote").rglob("*.tokens.json")
    assert f'"key": "{"a" * 40}"' in remote.read_text("utf-8")
    written = json.loads(next(Path("figma").iterdir()).read_bytes())["tint"]
    assert written["$extensions"]["com.figma.composedColor"] == tint["$extensions"]["com.figma.composedColor"]
    assert written["$value"] == tint["$value"]


def test_a_published_export_is_pulled_built_and_written_with_its_ids(tmp_path, monkeypatch):
    new_project(tmp_path / "a", monkeypatch, PUBLISHED)
    tokensync("pull")
    tokensync("build")
    read = {}
    for path in PUBLISHED.glob("*.json"):
        document = json.loads(path.read_bytes())
        mode = document["$extensions"]["com.figma.modeName"]
        name = {"Baseline.tokens.json": "Typeface", "Wireframe.tokens.json": "Typeface"}.get(path.name, path.stem)
        copy = tmp_path / "named" / f"{name}.{mode}.tokens.json"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    read = read_export(tmp_path / "named")
    assert sum(map(len, read.values())) == 4 + 4 + 5 + 30
    assert read_export("figma") == read


def test_an_edit_of_a_published_export_is_written(tmp_path, monkeypatch):
    new_project(tmp_path / "a", monkeypatch, PUBLISHED)
    tokensync("pull")
    edited("tokens/harbor/shape/baseline.tokens.json", ('"value": 8,', '"value": 9,'))
    tokensync("build")
    before = read_export_values(PUBLISHED / "Shape.json")
    assert read_export_values("figma/Shape.Baseline.tokens.json") == before | {"Corner/Small": 9}


def read_export_values(path):
    corners = json.loads(Path(path).read_bytes())["Corner"]
    return {f"Corner/{name}": token["$value"] for name, token in corners.items()}


ODD = (None, True, -1.5, "", "{a.b}", "{H1.Font}", [], {}, {"$value": 1}, {"$value": {"$value": 2}}, "a/b.c{}", "$x")


def places_in(node):
    for name, member in [*(node.items() if isinstance(node, dict) else enumerate(node))]:
        yield node, name
        if isinstance(member, dict | list):
            yield from places_in(member)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_export_is_read_or_refused(seed, tmp_path):
    dice = random.Random(seed)
    document = json.loads((PUBLISHED / "TypescaleTokens.json").read_bytes())
    document["tint"] = composed({"type": "alias", "alias": LIBRARY}, {"type": "number", "value": 50})
    for _ in range(dice.randint(1, 4)):
        node, name = dice.choice([*places_in(document)])
        if isinstance(node, dict) and dice.random() < 0.2:
            node[dice.choice(("", "$root", "a.b", "a/b", "$value", "$type", "\n"))] = node[name]
        else:
            node[name] = dice.choice(ODD)
    (tmp_path / "T.Mode.tokens.json").write_text(json.dumps(document), "utf-8")
    with contextlib.suppress(TokensyncError):
        response = response_of(str(tmp_path))
        if response is not None:
            normalize(snapshot("harbor", response))


@pytest.mark.parametrize(
    ("collection", "mode", "wanted"),
    [
        ("../up", "a\\b", "-up.a-b"),
        ("con", "Value", None),
        ("x" * 300, "Value", None),
        ("a\u202eb", "Value", None),
        ("..", ".", None),
    ],
)
def test_the_names_of_files_are_those_that_every_system_takes(collection, mode, wanted):
    family = Collection(file="f", handle="handle", name=collection, modes=(
        Mode(name=mode, collection="handle", slug="slug", context="slug"),
    ))  # fmt: skip
    token = Token(key=TokenKey("f", "handle", "a"), type="number", values=(1.0,))
    ((path, _),) = generate(TokenGraph([family], [token]), OutputRequest(platform="figma"))[0]
    assert path == f"{wanted or 'handle.slug'}.tokens.json"


CAPTURES = ("quickstart", "moon", "sds", "primer", "synthetic")
NOT_WRITTEN = {"primer": 65, "synthetic": 2}
"""Variables without a value in a mode, or with a text in braces."""


@pytest.mark.parametrize("name", CAPTURES)
def test_another_reader_reads_a_capture_in_the_files_of_the_import(name, tmp_path, monkeypatch):
    capture = DESIGN[0] if name == "quickstart" else next(iter(sorted(CORPUS.glob(f"{name}*local*.json"))), None)
    if capture is None:
        pytest.skip(NO_CORPUS)
    new_project(tmp_path / "a", monkeypatch)
    edited("tokensync.toml", ("snapshot:export", "snapshot:capture.json"))
    shutil.copy(capture, "capture.json")
    tokensync("pull")
    tokensync("build")
    wanted = read_response(capture)
    found = read_export("figma")
    assert found.keys() == wanted.keys()
    missing = {(key[0], each) for key, facts in wanted.items() for each in facts.keys() - found[key].keys()}
    assert len(missing) == NOT_WRITTEN.get(name, 0)
    for key, facts in found.items():
        assert facts == {variable: wanted[key][variable] for variable in facts}


@pytest.mark.parametrize("name", CAPTURES)
def test_the_files_of_the_import_are_pulled_as_the_capture_that_they_are_from(name, tmp_path, monkeypatch):
    capture = DESIGN[0] if name == "quickstart" else next(iter(sorted(CORPUS.glob(f"{name}*local*.json"))), None)
    if capture is None:
        pytest.skip(NO_CORPUS)
    new_project(tmp_path / "a", monkeypatch)
    edited("tokensync.toml", ("snapshot:export", "snapshot:capture.json"))
    shutil.copy(capture, "capture.json")
    tokensync("pull")
    tokensync("build")
    written = files_in(Path("figma"))
    new_project(tmp_path / "b", monkeypatch, tmp_path / "a" / "figma")
    tokensync("pull")
    tokensync("build")
    assert read_export("figma") == read_export("export")
    assert files_in(Path("figma")).keys() == written.keys()
