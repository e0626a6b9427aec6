"""``tokensync files styles``: published styles with their values."""

import json
import shutil

import pytest
from commands.projects import project_in, response, tokensync

from tokensync.commands.files import in_words
from tokensync.emulator.cli.states import open_emulator
from tokensync.extract.client.groups import PublishedItem
from tokensync.extract.wire import styles
from tokensync.extract.wire.styles import Style, style_in

KEY = "key-one"


@pytest.fixture
def project(folder):
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, response({"ink": ("#000000", "#ffffff")}))
        emulator.libraries.sample(KEY, components=0)
        emulator.publish(KEY)
    return folder


@pytest.mark.parametrize("file", ["one", KEY, f"https://www.figma.com/design/{KEY}/Name"])
def test_every_style_has_its_value(project, file):
    found = {each["name"]: each for each in json.loads(tokensync("files", "styles", file, "--json").output)}
    assert {each["type"] for each in found.values()} == {"FILL", "TEXT", "EFFECT", "GRID"}
    assert found["surface/page"]["value"][0]["type"] == "SOLID"
    assert found["heading/large"]["value"]["fontFamily"] == "Inter"
    assert found["elevation/low"]["value"][0]["type"] == "DROP_SHADOW"
    assert found["layout/twelve columns"]["value"][0]["pattern"] == "COLUMNS"


def test_many_styles_are_read_in_several_requests(project, monkeypatch):
    whole = tokensync("files", "styles", "one").output
    monkeypatch.setattr(styles, "NODES_AT_ONCE", 2)
    assert tokensync("files", "styles", "one").output == whole
    assert len(whole.splitlines()) == 10


def test_a_file_without_styles_is_reported(folder):
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, response({"ink": ("#000000", "#ffffff")}))
    done = tokensync("files", "styles", "one")
    assert done.output == ""
    assert "0 styles, 0 of them bound to variables" in done.stderr


@pytest.mark.parametrize(
    ("type_", "value", "words"),
    [
        ("FILL", [{"type": "SOLID", "color": {"r": 1, "g": 0, "b": 0, "a": 1}}], "#ff0000"),
        ("FILL", [{"type": "SOLID", "opacity": 0.5, "color": {"r": 0, "g": 0, "b": 0}}], "#00000080"),
        ("FILL", [{"type": "GRADIENT_LINEAR"}, {"type": "IMAGE"}], "gradient linear, image"),
        ("FILL", [], "nothing"),
        ("FILL", [{"type": "SOLID", "color": {"r": "x"}}], "solid"),
        ("TEXT", {"fontFamily": "Inter", "fontWeight": 400, "fontSize": 16.0, "lineHeightPx": 24.0}, "Inter 400 16/24"),
        ("EFFECT", [{"type": "LAYER_BLUR", "radius": 4}], "layer blur"),
        ("EFFECT", [{"type": "DROP_SHADOW", "color": {"r": 0, "g": 0, "b": 0, "a": 1}}], "drop shadow #000000"),
        ("FILL", None, "unknown"),
    ],
)
def test_a_value_is_shown_as_text(type_, value, words):
    assert in_words(Style(PublishedItem("k", style_type=type_), value)) == words


def test_the_variables_of_a_value_are_found_once():
    alias = {"type": "VARIABLE_ALIAS", "id": "VariableID:1:2"}
    paint = {"type": "SOLID", "boundVariables": {"color": alias}}
    node = {
        "fills": [paint, paint],
        "boundVariables": {"fills": [alias, {"type": "VARIABLE_ALIAS", "id": "VariableID:1:3"}]},
    }
    made = style_in(PublishedItem("k", style_type="FILL"), node)
    assert made.variables == ("VariableID:1:2", "VariableID:1:3")


def test_the_command_line_gives_a_style_a_value(project):
    project.joinpath("value.json").write_text('{"fills": [{"type": "IMAGE"}]}', encoding="utf-8")
    key = tokensync("emulator", "library", "add", "style", KEY, "photo", "--value", "value.json").output.strip()
    tokensync("emulator", "publish", KEY)
    assert "photo                  image" in tokensync("files", "styles", "one").output
    project.joinpath("value.json").write_text('{"fills": []}', encoding="utf-8")
    tokensync("emulator", "library", "change", key, "--value", "value.json")
    assert "photo                  nothing" in tokensync("files", "styles", "one").output
    assert (
        "--value is for styles only"
        in tokensync("emulator", "library", "add", "component", KEY, "Icon", "--value", "value.json", code=2).stderr
    )


def test_the_printed_styles_can_be_loaded_into_another_emulator(project):
    printed = tokensync("files", "styles", "one", "--json").output
    project.joinpath("saved.styles.json").write_text(printed, encoding="utf-8")
    project.joinpath("saved.local.json").write_bytes(response({"ink": ("#000000", "#ffffff")}))
    shutil.rmtree(project / ".tokensync")
    assert "saved.styles.json" in tokensync("emulator", "seed", "saved.styles.json", code=1).stderr
    tokensync("emulator", "seed", "saved.local.json", "saved.styles.json")
    assert tokensync("files", "styles", "one", "--json").output == printed
