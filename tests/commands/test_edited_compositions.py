"""The values next to composed colours that people edit by hand, through the commands."""

import json
import re
from pathlib import Path

import pytest
from commands.projects import files_in, project_in, tokensync
from commands.test_hand_edits import DARK, LIGHT, WEB, edit, edit_hex, notes, value_of
from design_file import alias, collection, color, composed, response, variable


@pytest.fixture(autouse=True)
def composed_colors(folder):
    """Three colours in two modes: ``scrim`` is ``first`` at half opacity, ``veil`` is half of that in light."""
    project_in(folder, outputs=WEB)
    seed_composed()


def seed_composed(share=50):
    theme = collection("VariableCollectionId:1:1")
    over_first = composed(alias("VariableID:1:1"), share)
    base, white = color(), color(1.0, 1.0, 1.0)
    values = {
        "first": (base, white),
        "scrim": (over_first, over_first),
        "veil": (composed(alias("VariableID:1:2"), 50), white),
    }
    variables = [
        variable(f"VariableID:1:{at}", name, theme, "COLOR", values[name]) for at, name in enumerate(values, 1)
    ]
    Path("one.local.json").write_bytes(response([theme], variables))
    tokensync("-q", "emulator", "seed", "one.local.json", "--key", "key-one")
    if not LIGHT.exists():
        tokensync("-q", "pull")


def stored_in(path, name):
    return (
        json.loads(path.read_text("utf-8"))["theme"][name].get("$extensions", {}).get("org.tokensync", {}).get("value")
    )


SOLID = '{"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}'


@pytest.mark.parametrize("path", [LIGHT, DARK])
@pytest.mark.parametrize("text", ['"#ff0000"', SOLID, '"{theme.first}"'])
def test_an_edited_value_of_a_composed_colour_wins_in_every_command(path, text):
    edit(path, "scrim", text)
    mode, other = ("light", DARK) if path == LIGHT else ("dark", LIGHT)
    (note,) = notes(tokensync("build"), "token-value-edited")
    assert f"note: {path}:" in note
    assert '{"color": {"alias": "theme.first"}, "opacity": 50}' in note
    planned = tokensync("plan", "-o", "plan.json")
    becomes = "first" if "theme" in text else "#ff0000"
    assert re.search(rf"{mode} +\S*first\S* .*50.* -> \S*{becomes}", planned.output), planned.output
    done = tokensync("pull")
    assert len(notes(done, "token-value-edited")) == 1
    assert f'"$value": {text}' in path.read_text("utf-8")
    assert stored_in(path, "scrim") is None
    assert stored_in(other, "scrim") is not None
    assert not notes(tokensync("build"), "token-value-edited")
    assert becomes in tokensync("plan").output
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    assert "nothing to do" in tokensync("plan").output
    assert f'"$value": {text}' in path.read_text("utf-8")


def test_an_edited_hex_of_a_composed_colour_keeps_its_alpha():
    edit_hex(LIGHT, "scrim", "#ff0000")
    tokensync("-q", "pull")
    value = json.loads(value_of(LIGHT, "scrim"))
    assert (value["components"], value["alpha"], value["hex"]) == ([1, 0, 0], 0.5, "#ff0000")
    assert stored_in(LIGHT, "scrim") is None
    assert stored_in(LIGHT, "veil") is not None


def test_an_edited_target_leaves_composed_colours_composed():
    """Also if it is edited again after a pull, and if an apply elsewhere brings only its lock back."""
    for digits in ("#112233", "#445566"):
        edit(LIGHT, "first", f'"{digits}"')
        done = tokensync("build")
        assert not notes(done, "token-value-edited")
        assert "token-value-stale" in done.stderr
        tokensync("-q", "pull")
        assert not notes(tokensync("build"), "token-value-stale")
    edit(LIGHT, "first", '"#778899"')
    before = LIGHT.read_bytes()
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    LIGHT.write_bytes(before)
    tokensync("-q", "pull")
    assert stored_in(LIGHT, "scrim") == {"color": {"alias": "theme.first"}, "opacity": 50}
    assert json.loads(value_of(LIGHT, "scrim"))["hex"] == "#778899"
    assert "nothing to do" in tokensync("plan").output


def test_an_edited_composition_wins_over_the_value_next_to_it():
    LIGHT.write_text(
        LIGHT.read_text("utf-8").replace(
            '{"alias": "theme.first"}, "opacity": 50', '{"alias": "theme.first"}, "opacity": 25'
        ),
        encoding="utf-8",
    )
    done = tokensync("build")
    assert not notes(done, "token-value-edited")
    tokensync("-q", "pull")
    assert stored_in(LIGHT, "scrim")["opacity"] == 25
    assert json.loads(value_of(LIGHT, "scrim"))["alpha"] == 0.25


def test_a_value_that_is_edited_together_with_its_target_keeps_the_composition():
    """Replacing a colour in all files edits the values that follow it, too, and these fit."""
    for path in (LIGHT, DARK):
        path.write_text(
            path.read_text("utf-8").replace("[0, 0, 0]", "[1, 0, 0]").replace("#000000", "#ff0000"), encoding="utf-8"
        )
    assert not re.findall("token-value-", tokensync("build").stderr)
    tokensync("-q", "pull")
    assert stored_in(LIGHT, "scrim") is not None
    assert stored_in(LIGHT, "veil") is not None


def test_edited_values_that_follow_each_other_are_read_from_the_first_on():
    """The value of the second fits the edited first, so it stays composed."""
    before = files_in(Path())
    edit(LIGHT, "scrim", '"#ff000080"')
    tokensync("-q", "pull")
    fitting = value_of(LIGHT, "veil")
    for path in (str(LIGHT), "tokensync.lock"):
        Path(path).write_bytes(before[path])
    edit(LIGHT, "scrim", '"#ff000080"')
    edit(LIGHT, "veil", fitting)
    assert re.findall(r"token-value-\w+", tokensync("build").stderr) == ["token-value-edited"]
    tokensync("-q", "pull")
    assert (stored_in(LIGHT, "scrim"), value_of(LIGHT, "veil")) == (None, fitting)
    assert stored_in(LIGHT, "veil") is not None


def test_without_the_extension_a_value_is_a_literal():
    tree = json.loads(LIGHT.read_text("utf-8"))
    del tree["theme"]["scrim"]["$extensions"]["org.tokensync"]["value"]
    LIGHT.write_text(json.dumps(tree), encoding="utf-8")
    assert not re.findall("token-value-", tokensync("build").stderr)
    assert "#00000080" in tokensync("plan").output
    tokensync("-q", "pull")
    assert stored_in(LIGHT, "scrim") is None


def test_a_value_that_is_removed_is_written_again():
    before = LIGHT.read_bytes()
    tree = json.loads(before)
    del tree["theme"]["scrim"]["$value"]
    LIGHT.write_text(json.dumps(tree), encoding="utf-8")
    tokensync("-q", "pull")
    assert json.loads(LIGHT.read_bytes()) == json.loads(before)


def test_an_edited_value_and_a_changed_composition_are_a_conflict():
    edit(LIGHT, "scrim", '"#ff0000"')
    seed_composed(share=75)
    before = LIGHT.read_bytes()
    assert "theme/scrim" in tokensync("pull", code=4).stderr
    assert LIGHT.read_bytes() == before
    tokensync("-q", "pull", "--ours")
    assert value_of(LIGHT, "scrim") == '"#ff0000"'


def test_an_invalid_value_next_to_a_composition_is_an_error():
    edit(LIGHT, "scrim", '"nothing"')
    for command in ("build", "pull", "plan"):
        assert "[token-value]" in tokensync(command, code=1).stderr


def test_a_value_next_to_none_in_the_extension_is_read():
    tree = json.loads(LIGHT.read_text("utf-8"))
    scrim = tree["theme"]["scrim"]
    scrim["$extensions"]["org.tokensync"]["value"] = {"dangling": "VariableID:9:9"}
    del scrim["$extensions"]["org.tokensync"]["written"]
    scrim["$value"] = json.loads(SOLID)
    LIGHT.write_text(json.dumps(tree), encoding="utf-8")
    assert len(notes(tokensync("build"), "token-value-edited")) == 1
