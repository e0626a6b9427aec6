"""Settings that name a mode or a collection which was renamed on the platform: code keeps the former names."""

import json
from pathlib import Path

import pytest
from commands.projects import output, project_in, pulled_in, quickstart_in, tokensync
from design_file import collection, response, variable

NIGHT = '[themes.evening]\nTheme = "Dark"\n'


@pytest.fixture
def project(folder):
    pulled_in(folder, outputs=output("css", "web") + NIGHT)
    tokensync("-q", "build")
    return folder


def rename_on_the_platform(old, new):
    """Rename a mode or a collection in the design file, and pull."""
    for path in Path("tokens/one/theme").iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(f'"{old}"', f'"{new}"'), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")


def numbers_on_the_platform():
    """Seed the emulator with numbers whose unit is unknown."""
    theme = collection("VariableCollectionId:1:1", "Theme", ["Light", "Dark"])
    depths = [variable(f"VariableID:1:{each}", f"depth/{each}", theme, "FLOAT", [each, 4]) for each in (3, 5)]
    Path("one.local.json").write_bytes(response([theme], depths))
    tokensync("-q", "emulator", "seed", "one.local.json", "--key", "key-one", "-c", "tokensync.toml")


@pytest.mark.parametrize(("old", "new"), [("Dark", "Night"), ("Theme", "Colour scheme")])
def test_a_build_finds_the_former_name(project, old, new):
    before = Path("web/tokens.css").read_text(encoding="utf-8")
    rename_on_the_platform(old, new)
    assert f'"{new}"' in Path("tokensync.lock").read_text(encoding="utf-8")
    tokensync("build", "--force")
    assert Path("web/tokens.css").read_text(encoding="utf-8") == before
    assert '[data-theme="evening"]' in before


@pytest.mark.parametrize("choice", ['Theme = "Dusk"', 'Schema = "Dark"'])
def test_a_name_that_was_never_used_is_still_an_error(project, choice):
    config = Path("tokensync.toml")
    config.write_text(config.read_text(encoding="utf-8").replace('Theme = "Dark"', choice), encoding="utf-8")
    assert "[theme-unknown-" in tokensync("build", code=1).stderr


@pytest.mark.parametrize("choice", ["include", "exclude"])
def test_an_output_selects_a_collection_by_its_former_name(folder, choice):
    pulled_in(folder, outputs=output("css", "web", f'{choice} = {{ collections = ["Theme"] }}'))
    tokensync("-q", "build")
    before = Path("web/tokens.css").read_text(encoding="utf-8")
    assert ("--slate" in before) == (choice == "include")
    rename_on_the_platform("Theme", "Colour scheme")
    done = tokensync("build", "--force")
    assert "selection-unmatched" not in done.stderr
    assert Path("web/tokens.css").read_text(encoding="utf-8") == before


def test_a_collection_that_has_the_name_now_is_selected_instead(folder):
    pulled_in(folder, outputs=output("css", "web", 'include = { collections = ["Theme"] }'))
    rename_on_the_platform("Theme", "Colour scheme")
    new = Path("tokens/one/brand")
    new.mkdir()
    (new / "value.tokens.json").write_text(
        '{"$extensions": {"org.tokensync": {"collection": {"name": "Theme"}}},'
        ' "brand": {"ink": {"$type": "color", "$value": "#123456"}}}',
        encoding="utf-8",
    )
    tokensync("-q", "build")
    css = Path("web/tokens.css").read_text(encoding="utf-8")
    assert "--ink" in css
    assert "--slate" not in css


def test_a_check_finds_the_former_name_in_lint_layers(folder):
    pulled_in(folder, outputs=output("css", "web"), more='[lint]\nlayers = ["Theme"]\n')
    rename_on_the_platform("Theme", "Colour scheme")
    tokensync("-q", "build")
    assert "lint-unknown-name" not in tokensync("check").stderr


@pytest.mark.parametrize("wanted", ["dimension", "duration"])
def test_a_type_rule_finds_the_former_name(folder, wanted):
    rule = f'[[types]]\ncollection = "Theme"\npath = "depth/*"\ntype = "{wanted}"\n'
    project_in(folder, outputs=output("css", "web"), more=rule)
    numbers_on_the_platform()
    tokensync("-q", "pull")
    tokensync("-q", "build")
    before = Path("web/tokens.css").read_text(encoding="utf-8")
    assert f"3{'px' if wanted == 'dimension' else 'ms'}" in before
    rename_on_the_platform("Theme", "Colour scheme")
    tokens = Path("tokens/one/theme/light.tokens.json").read_text(encoding="utf-8")
    assert ('"dimension"' in tokens) == (wanted == "dimension")
    for command in ("pull", "status", "plan"):
        assert "type-rule-unused" not in tokensync("-v", command).stderr
    tokensync("build", "--force")
    assert Path("web/tokens.css").read_text(encoding="utf-8") == before


def test_a_pull_gives_a_new_token_the_type_by_a_rule_for_the_former_name(folder):
    project_in(folder, more='[[types]]\ncollection = "Theme"\npath = "depth/*"\ntype = "dimension"\n')
    numbers_on_the_platform()
    tokensync("-q", "pull")
    rename_on_the_platform("Theme", "Colour scheme")
    path = Path("tokens/one/theme/light.tokens.json")
    new = {"$type": "number", "$value": 5}
    document = json.loads(path.read_text(encoding="utf-8"))
    document["theme"]["depth"]["9"] = new
    path.write_text(json.dumps(document), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    pulled = json.loads(path.read_text(encoding="utf-8"))["theme"]["depth"]
    assert {each["$type"] for each in pulled.values()} == {"dimension"}


@pytest.mark.parametrize("mode", ["theme-islander/dark", "theme/theme-islander.dark", "theme-islander.dark"])
def test_the_mode_of_an_extension_names_the_mode_that_it_extends(folder, mode):
    quickstart_in(folder / "q")
    done = tokensync("tokens", "rename-mode", mode, "Night", "-c", "q/tokensync.toml", code=2)
    assert f"{mode}: it has the name of the mode that it extends; rename theme/dark, which includes it" in done.stderr


@pytest.mark.parametrize("mode", ["theme/night", "one/theme/night", "theme/Night", "theme/dark"])
def test_rename_mode_finds_the_name_on_the_platform_in_the_form_of_handles(project, mode):
    rename_on_the_platform("Dark", "Night")
    tokensync("tokens", "rename-mode", mode, "Dusk")
    assert sorted(each.name for each in Path("tokens/one/theme").iterdir()) == ["dusk.tokens.json", "light.tokens.json"]
