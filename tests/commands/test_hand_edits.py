"""Values that people edit by hand, through the commands: what is built, planned, applied, pulled and formatted."""

import itertools
import json
import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from commands.projects import files_in, on_the_platform, output, project_in, tokensync
from design_file import collection, response, variable

LIGHT, DARK = (Path(f"tokens/one/theme/{mode}.tokens.json") for mode in ("light", "dark"))
WEB, P3 = output("css", "web"), output("css", "p3", '[outputs.options]\nprofile = "display-p3"')


@pytest.fixture(autouse=True)
def project(folder):
    project_in(folder, outputs=WEB)
    on_the_platform(
        {"first": ("#112233", "#445566"), "second": ("{first}", "#0f0f0f"), "third": ("#000000", "#ffffff")}
    )
    tokensync("-q", "pull")
    tokensync("-q", "build")
    return folder


def value_of(path, name):
    return re.search(rf'"{name}": {{\n.*\n +"\$value": (.*),\n', path.read_text("utf-8"))[1]


def edit(path, name, text):
    """Replace the ``$value`` of a token, as an editor does."""
    before = path.read_text("utf-8")
    after = re.sub(rf'("{name}": {{\n.*\n +"\$value": ).*(,\n)', lambda found: found[1] + text + found[2], before)
    assert after != before
    path.write_text(after, encoding="utf-8")


def edit_hex(path, name, digits):
    """Replace only ``hex``, as a colour picker does."""
    edit(path, name, re.sub("#[0-9a-f]{6}", digits, value_of(path, name)))


def in_css(name, folder="web"):
    """Return a value of the style sheet, with six digits for a colour of three."""
    text = re.search(rf"--{name}: (.*);", Path(folder, "tokens.css").read_text("utf-8"))[1]
    return re.sub("^#(.)(.)(.)$", r"#\1\1\2\2\3\3", text)


def notes(done, code="token-notation"):
    return re.findall(rf"note: \S+:\d+:\d+ \(\S+\): .* \[{code}\]", done.stderr)


SHORT = [
    ('"#ff0000"', "#ff0000"),
    ('"#f00"', "#ff0000"),
    ('"#ff000080"', "#ff000080"),
    ('"rgba(255, 0, 0, 0.5)"', "#ff000080"),
    ('"hsl(120 100% 50%)"', "#00ff00"),
    ('"tomato"', "#ff6347"),
]


@pytest.mark.parametrize(("text", "meant"), SHORT)
def test_every_command_reads_the_obvious_meaning(project, text, meant):
    tokensync("-q", "pull")
    unedited = files_in(project)
    edit(LIGHT, "first", text)
    (note,) = notes(tokensync("build"))
    assert str(LIGHT) in note
    assert f"{text} is read as {{" in note
    opaque = f"rgb({int(meant[1:3], 16)} {int(meant[3:5], 16)} {int(meant[5:7], 16)} / 50"
    assert in_css("first").startswith(opaque if len(meant) > 7 else meant)
    planned = tokensync("plan")
    assert f"#112233 -> {meant}" in planned.output
    assert len(notes(planned)) == 1
    assert "theme / first: in light" in tokensync("status", code=3).output
    assert len(notes(tokensync("status", "-v", code=3))) == 1
    assert len(notes(tokensync("pull", "-v", "--dry-run"))) == 1
    listed = json.loads(tokensync("tokens", "list", "--json").output)
    assert next(each["values"]["default"]["hex"] for each in listed if each["path"] == "first") == meant[:7]
    assert len(notes(tokensync("report", "-v", "-o", "report.html"))) == 1
    changed = tokensync("diff", "lock", "tokens", "--file", "one", code=3)
    assert meant in changed.output
    assert len(notes(tokensync("diff", "tokens", "lock", "-v", code=3))) == 1
    assert unedited[str(LIGHT)] != LIGHT.read_bytes()


@pytest.mark.parametrize("text", [text for text, _ in SHORT])
def test_a_pull_after_an_apply_is_empty_and_keeps_the_line(project, text):
    edit(LIGHT, "first", text)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    after_apply = files_in(project)
    assert "nothing to do" in tokensync("pull").stderr
    assert files_in(project) == after_apply
    assert value_of(LIGHT, "first") == text
    assert "nothing to do" in tokensync("plan").output


@pytest.mark.parametrize("text", [text for text, _ in SHORT])
def test_format_writes_the_canonical_form_and_changes_no_meaning(project, text):
    edit(LIGHT, "first", text)
    tokensync("-q", "build")
    before = Path("web/tokens.css").read_bytes()
    assert f"not formatted: {LIGHT}" in tokensync("format", "--check", code=3).stderr
    tokensync("format")
    assert value_of(LIGHT, "first").startswith('{"colorSpace": ')
    tokensync("format", "--check")
    assert "note" not in tokensync("build", "--force").stderr
    assert Path("web/tokens.css").read_bytes() == before


def test_equal_errors_share_a_line_in_every_command_so_that_the_others_appear(folder):
    on_the_platform({f"t{at}": ("#112233", "#445566") for at in range(520)})
    tokensync("-q", "pull", "--theirs")
    at = itertools.count()
    texts = [*(f"bad {each}" for each in range(5)), *["worse"] * 515]
    LIGHT.write_text(
        re.sub(r'"\$value": {.*}', lambda _: f'"$value": "{texts[next(at)]}"', LIGHT.read_text("utf-8")),
        encoding="utf-8",
    )
    lines = [each for each in tokensync("build", code=1).stderr.splitlines() if each.startswith("error: ")]
    assert len(lines) == 6
    assert "(515 times: " in lines[5]
    shown = [each for each in tokensync("check", code=5).stderr.splitlines() if each.startswith("error: ")]
    assert shown == lines[: len(shown)]
    assert tokensync("check", "-v", code=5).stderr.count("error: ") == 520


def test_of_thousands_of_different_errors_every_command_shows_a_few(folder):
    on_the_platform({f"t{at}": ("#112233", "#445566") for at in range(2_000)})
    tokensync("-q", "pull", "--theirs")
    at = itertools.count()
    LIGHT.write_text(
        re.sub(r'"\$value": {.*}', lambda _: f'"$value": "bad {next(at)}"', LIGHT.read_text("utf-8")), encoding="utf-8"
    )
    rename = ("tokens", "rename", "theme/t0", "theme/u", "--dry-run")
    for command in (("build",), ("pull",), ("plan",), ("lint",), ("report", "-o", "a.html"), rename):
        lines = tokensync(*command, code=1).stderr.splitlines()
        assert len(lines) == 8
        assert all(each.startswith(f"error: {LIGHT}:") for each in lines[:-1])
        assert lines[-1] == "(-v shows all 2,000)"
    assert tokensync("build", "-v", code=1).stderr.count(" [token-value]") == 2_000
    done = tokensync("build", "--json", code=1)
    assert len(json.loads(done.output)["error"]["problems"]) == 2_000
    assert len(done.stderr.splitlines()) == len(lines)
    assert len(json.loads(tokensync("check", "--format", "sarif", code=5).output)["runs"][0]["results"]) == 2_000


@pytest.mark.parametrize("command", [("pull",), ("pull", "--dry-run"), ("build",), ("plan",), ("status",)])
def test_an_invalid_token_is_one_error_and_no_alias_to_it_dangles(command):
    edit(LIGHT, "first", '"nothing"')
    edit(LIGHT, "third", '"#f00"')
    done = tokensync(*command, code=1)
    assert [each.partition(":")[0] for each in done.stderr.splitlines()] == ["error", "note"]
    assert "alias-dangling" not in done.stderr


def test_the_message_in_json_begins_with_the_error():
    edit(LIGHT, "first", '"#f00"')
    edit(LIGHT, "third", '"nothing"')
    for command in ("pull", "build", "plan"):
        error = json.loads(tokensync(command, "--json", code=1).output)["error"]
        assert [each["severity"] for each in error["problems"]] == ["note", "error"]
        first, second = error["message"].splitlines()
        assert first.endswith("[token-value]")
        assert second.endswith("[token-notation]")


def test_only_hex_edited_is_built_planned_and_applied(project):
    edit_hex(LIGHT, "first", "#ff0000")
    built = tokensync("build")
    (note,) = notes(built, "color-edited")
    assert "hex #ff0000 is used, because it was edited and the components #112233 were not" in note
    assert in_css("first") == "#ff0000"
    assert "#112233 -> #ff0000" in tokensync("plan").output
    tokensync("build", "--check")
    tokensync("-q", "apply")
    assert value_of(LIGHT, "first") == '{"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}'
    after_apply = files_in(project)
    assert "nothing to do" in tokensync("pull").stderr
    assert "nothing to do" in tokensync("plan").output
    assert files_in(project) == after_apply
    tokensync("build")
    assert in_css("first") == "#ff0000"


@pytest.mark.parametrize(
    ("renaming", "path", "name"),
    [
        (("rename", "theme/first", "theme/start"), LIGHT, "start"),
        (("rename", "theme/second", "theme/start"), LIGHT, "first"),
        (("rename-mode", "theme/light", "day"), LIGHT.with_name("day.tokens.json"), "first"),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_an_edited_color_stays_the_same_if_its_token_or_mode_is_renamed(project, renaming, path, name, ends):
    edit_hex(LIGHT, "first", "#ff0000")
    LIGHT.write_bytes(LIGHT.read_bytes().replace(b"\n", ends.encode()))
    tokensync("tokens", *renaming)
    assert value_of(path, name) == '{"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}'
    assert set(re.findall(rb"\r?\n", path.read_bytes())) == {ends.encode()}
    assert "#112233 -> #ff0000" in tokensync("plan").output
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    assert "nothing to do" in tokensync("plan").output


def moved(path, steps, new_steps):
    """Move a member of a token file to another place, as people do with an editor."""
    tree = json.loads(path.read_text("utf-8"))
    *above, name = steps
    group = tree
    for step in above:
        group = group[step]
    token = group.pop(name)
    group = tree
    for step in new_steps[:-1]:
        group = group.setdefault(step, {})
    group[new_steps[-1]] = token
    path.write_text(json.dumps(tree), encoding="utf-8")


@pytest.mark.parametrize("mode", [LIGHT, DARK])
def test_an_edited_hex_wins_if_its_token_was_moved_by_hand(project, mode):
    (edit_hex_dark if mode == DARK else partial(edit_hex, LIGHT))("third", "#ff0000")
    for path in (LIGHT, DARK):
        moved(path, ["theme", "third"], ["theme", "group", "renamed"])
    (note,) = notes(tokensync("build"), "color-edited")
    assert "hex #ff0000 is used, because it was edited" in note
    name = "light" if mode == LIGHT else "dark"
    former = "#000000" if mode == LIGHT else "#ffffff"
    planned = tokensync("plan").output
    assert '"third" -> "group/renamed"' in planned
    assert f"{name}  {former} -> #ff0000" in planned
    tokensync("format")
    assert json.loads(mode.read_text("utf-8"))["theme"]["group"]["renamed"]["$value"]["components"] == [1, 0, 0]
    assert "note" not in tokensync("build").stderr


def test_an_edited_hex_wins_if_its_token_was_moved_to_another_collection_by_hand(project):
    edit_hex(LIGHT, "third", "#ff0000")
    other = Path("tokens/one/brand")
    other.mkdir()
    for path in (LIGHT, DARK):
        tree = json.loads(path.read_text("utf-8"))
        token = tree["theme"].pop("third")
        path.write_text(json.dumps(tree), encoding="utf-8")
        (other / path.name).write_text(json.dumps({"brand": {"third": token}}), encoding="utf-8")
    (note,) = notes(tokensync("build"), "color-edited")
    assert "hex #ff0000 is used" in note


def test_an_edited_hex_wins_if_the_file_of_its_mode_was_renamed_by_hand(project):
    edit_hex_dark("third", "#ff0000")
    DARK.rename(DARK.with_name("night.tokens.json"))
    (note,) = notes(tokensync("build", code=1), "color-edited")  # the resolver document names the former file
    assert "hex #ff0000 is used" in note


def test_a_length_without_a_unit_is_in_px(folder):
    project_in(folder / "sizes", outputs=WEB)
    os.chdir(folder / "sizes")
    sizes = collection("VariableCollectionId:2:1", "Sizes", ("Value",))
    Path("r.json").write_bytes(
        response([sizes], [variable("VariableID:2:2", "a", sizes, "FLOAT", (4,), scopes=["GAP"])])
    )
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("-q", "pull")
    (path,) = Path("tokens").rglob("*.tokens.json")
    edit(path, "a", "14")
    assert 'is read as {"value": 14, "unit": "px"}' in tokensync("build").stderr
    assert in_css("a") == "14px"
    assert "4 -> 14" in tokensync("plan").output
    tokensync("format")
    assert value_of(path, "a") == '{"value": 14, "unit": "px"}'


def test_a_length_without_a_unit_after_one_in_rem_asks_for_the_unit(folder):
    project_in(folder / "sizes", outputs=WEB)
    os.chdir(folder / "sizes")
    sizes = collection("VariableCollectionId:2:1", "Sizes", ("Value",))
    Path("r.json").write_bytes(
        response([sizes], [variable("VariableID:2:2", "a", sizes, "FLOAT", (24,), scopes=["GAP"])])
    )
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("-q", "pull")
    (path,) = Path("tokens").rglob("*.tokens.json")
    edit(path, "a", '{"value": 1.5, "unit": "rem"}')
    assert "nothing to do" in tokensync("plan").output
    edit(path, "a", "2")
    for command in ("check", "build", "plan", "format", "pull"):
        done = tokensync(command, code=5 if command == "check" else 1)
        assert 'write {"value": 2, "unit": "px"}' in done.stderr or 'or {"value": 2, "unit": "px"}' in done.stderr
    edit(path, "a", '{"value": 2, "unit": "rem"}')
    assert "24 -> 32" in tokensync("plan").output
    edit(path, "a", "20")
    assert 'is read as {"value": 20, "unit": "px"}; ' in tokensync("build").stderr


def test_a_new_length_in_rem_of_one_mode_is_in_rem_in_the_other_modes(folder):
    project_in(folder / "sizes", outputs=WEB)
    os.chdir(folder / "sizes")
    sizes = collection("VariableCollectionId:2:1", "Sizes", ("Light", "Dark"))
    first = variable("VariableID:2:2", "a", sizes, "FLOAT", (24, 16), scopes=["GAP"])
    Path("r.json").write_bytes(response([sizes], [first]))
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("-q", "pull")
    light, dark = (Path(f"tokens/one/sizes/{mode}.tokens.json") for mode in ("light", "dark"))
    tree = json.loads(light.read_text("utf-8"))
    tree["sizes"]["b"] = {"$type": "dimension", "$value": {"value": 1.5, "unit": "rem"}}
    light.write_text(json.dumps(tree), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    for path in (light, dark):
        assert json.loads(path.read_text("utf-8"))["sizes"]["b"]["$value"] == {"value": 1.5, "unit": "rem"}
    assert json.loads(dark.read_text("utf-8"))["sizes"]["a"]["$value"] == {"value": 16, "unit": "px"}
    assert "nothing to do" in tokensync("plan").output
    before = files_in(folder / "sizes" / "tokens")
    tokensync("-q", "pull")
    assert files_in(folder / "sizes" / "tokens") == before


def test_only_components_edited_are_used_as_well(project):
    edit(LIGHT, "first", '{"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#112233"}')
    assert "#112233 -> #00ff00" in tokensync("plan").output
    assert f"not formatted: {LIGHT}" in tokensync("format", "--check", code=3).stderr
    tokensync("format")
    assert value_of(LIGHT, "first") == '{"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#00ff00"}'


def test_format_asks_the_lock_also_for_paths(project):
    edit_hex_dark("third", "#ff0000")
    tokensync("format", DARK)
    assert value_of_dark("third") == '{"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}'


def value_of_dark(name):
    return re.search(rf'"{name}": {{\n.*\n +"\$value": (.*)\n', DARK.read_text("utf-8"))[1]


def edit_hex_dark(name, digits):
    text = DARK.read_text("utf-8")
    DARK.write_text(
        text.replace(value_of_dark(name), re.sub("#[0-9a-f]{6}", digits, value_of_dark(name))), encoding="utf-8"
    )


def test_the_lock_decides_for_each_mode(project):
    edit_hex_dark("third", "#ff0000")
    assert "dark  #ffffff -> #ff0000" in tokensync("plan").output


def test_both_edited_without_agreement_is_an_error_with_both_colours(project):
    edit(LIGHT, "first", '{"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#ff0000"}')
    before = files_in(project)
    for command in ("build", "plan", "pull", "format"):
        stderr = tokensync(command, code=1).stderr
        assert "hex is #ff0000, but the components are #00ff00; write " in stderr
        assert '"components": [1, 0, 0], "hex": "#ff0000"} for hex, or ' in stderr
        assert '"components": [0, 1, 0], "hex": "#00ff00"} for the components' in stderr
    assert files_in(project) == before


def test_without_a_lock_nothing_is_guessed(project):
    edit_hex(LIGHT, "first", "#ff0000")
    Path("tokensync.lock").unlink()
    assert "hex is #ff0000, but the components are #112233" in tokensync("build", code=1).stderr


def test_a_build_that_the_lock_decided_is_not_current_after_the_lock_changed(project):
    edit_hex(LIGHT, "first", "#ff0000")
    tokensync("-q", "build")
    lock = Path("tokensync.lock").read_text("utf-8")
    red = '["one","theme","first","in light",[1,0,0,1]]'
    Path("tokensync.lock").write_text(re.sub(r'\["one","theme","first","in light",.*\]', red, lock), encoding="utf-8")
    tokensync("build", "--check", code=3)
    tokensync("-q", "build")
    assert in_css("first") == "#112233"


def test_a_rollback_does_not_turn_an_unapplied_edit_around(project):
    edit_hex(LIGHT, "first", "#ff0000")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    edit_hex(LIGHT, "first", "#00ff00")
    (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
    tokensync("-q", "rollback", receipt)
    tokensync("-q", "apply")
    assert value_of(LIGHT, "first") == '{"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#00ff00"}'


WIDE = '{"colorSpace": "oklch", "components": [0.7, 0.3, 150]}'


def test_a_colour_outside_of_srgb_stays_in_the_files_and_is_converted_with_notes(project):
    edit(LIGHT, "first", WIDE)
    built = tokensync("build")
    (note,) = re.findall(r"note: .*\[color-converted\]", built.stderr)
    assert "css contains the closest sRGB colour for 1 token outside of sRGB: Theme / first" in note
    assert 'set the option profile = "display-p3" or colors = "oklch"' in note
    assert (in_css("first"), in_css("second")) == ("#00c248", "var(--first)")
    planned = tokensync("plan")
    assert "#112233 -> #00c248" in planned.output
    assert "a colour outside of sRGB is converted to the closest one in sRGB: theme / first" in planned.output
    tokensync("-q", "apply")
    before = files_in(project)
    assert "nothing to do" in tokensync("pull").stderr
    assert "nothing to do" in tokensync("plan").output
    tokensync("format", "--check")
    assert files_in(project) == before
    assert value_of(LIGHT, "first") == WIDE


def test_a_file_in_display_p3_gets_no_components_in_srgb(project):
    """The output's profile says that the components of the design file are in Display P3."""
    project_in(project, outputs=P3)
    edit(LIGHT, "first", '{"colorSpace": "hsl", "components": [210, 50, 40]}')
    tokensync("build")
    assert in_css("first", "p3") == "#336699"
    edit(LIGHT, "first", '{"colorSpace": "display-p3", "components": [0, 1, 0]}')
    tokensync("build")
    assert "--first: color(display-p3 0 1 0);" in Path("p3/tokens.css").read_text("utf-8")
    stderr = tokensync("plan", code=1).stderr
    assert f"{LIGHT}:" in stderr
    assert 'write the components of the design file: {"colorSpace": "srgb", "components": [0, 1, 0]}' in stderr
    assert "[color-profile]" in stderr


def test_a_colour_that_changed_on_the_platform_replaces_the_written_one(project):
    edit(LIGHT, "first", WIDE)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    on_the_platform(
        {"first": ("#123456", "#445566"), "second": ("{first}", "#0f0f0f"), "third": ("#000000", "#ffffff")}
    )
    tokensync("-q", "pull")
    assert value_of(LIGHT, "first").endswith('"hex": "#123456"}')


def test_lengths_keep_their_notation_after_an_apply(folder):
    project_in(folder / "sizes")

    os.chdir(folder / "sizes")
    sizes = collection("VariableCollectionId:2:1", "Sizes", ("Value",))
    numbers = [
        variable(f"VariableID:2:{index}", name, sizes, "FLOAT", (4,), scopes=["GAP"])
        for index, name in enumerate(("a", "b"), 2)
    ]
    Path("r.json").write_bytes(response([sizes], numbers))
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("-q", "pull")
    (path,) = Path("tokens").rglob("*.tokens.json")
    edit(path, "a", '"14px"')
    edit(path, "b", '"1.5rem"')
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    before = files_in(Path())
    assert "nothing to do" in tokensync("pull").stderr
    assert files_in(Path()) == before
    assert (value_of(path, "a"), value_of(path, "b")) == ('"14px"', '"1.5rem"')


def test_the_type_of_a_value_in_another_mode_is_found_for_format(project):
    document = json.loads(DARK.read_text("utf-8"))
    document["theme"]["first"] = {"$value": "#f00"}
    DARK.write_text(json.dumps(document), encoding="utf-8")
    tokensync("format")
    assert json.loads(DARK.read_text("utf-8"))["theme"]["first"]["$value"]["hex"] == "#ff0000"
    assert "note" not in tokensync("build").stderr


def test_differences_of_folders_and_revisions_use_the_lock_of_each(project):
    edit_hex(LIGHT, "first", "#ff0000")
    assert "#112233 -> #ff0000" in tokensync("diff", "lock", "tokens", code=3).output
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "edit")
    shutil.copytree(project, project / "copy", ignore=shutil.ignore_patterns(".git", ".tokensync"))
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("diff", "git:HEAD", "tokens")
    tokensync("diff", "copy/tokens", "tokens")
    tokensync("diff", "lock", "tokens")


def git(*arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], check=True)


def test_an_apply_to_two_files_writes_the_edited_colours_of_both(project):
    project_in(project, outputs=WEB, files=("one", "two"))
    on_the_platform({"first": ("#112233", "#445566")}, "two")
    tokensync("-q", "pull")
    other = Path("tokens/two/theme/light.tokens.json")
    edit_hex(LIGHT, "first", "#ff0000")
    edit(other, "first", '{"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#112233"}')
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    assert value_of(LIGHT, "first").endswith('[1, 0, 0], "hex": "#ff0000"}')
    assert value_of(other, "first").endswith('[0, 1, 0], "hex": "#00ff00"}')
    assert tokensync("pull").stderr.count("nothing to do") == 2
