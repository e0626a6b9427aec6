"""Text and effect styles that token files change, through the real plugin and a model of the editor."""

import json
import random
import time
from pathlib import Path

import pytest
from bridge.conftest import applying, styled_state
from bridge.test_verbs import VALUE, applied, color, edit, in_sync, rolled_back
from commands.projects import tokensync
from corpus.building import run_here

pytestmark = pytest.mark.outside

TEXT, EFFECT = (f"tokens/design/{kind}-styles/style.tokens.json" for kind in ("text", "effect"))
BOLD = {"family": "Inter", "style": "Bold"}


@pytest.fixture
def styled(opened):
    """Return a function that opens the file with styles, and has pulled it."""

    def open_(state=None, **settings):
        editor = opened(state or styled_state(), **settings)
        text = Path("tokensync.toml").read_text(encoding="utf-8")
        Path("tokensync.toml").write_text(text.replace("key =", 'styles = ["text", "effect"]\nkey ='), encoding="utf-8")
        tokensync("pull")
        in_sync()
        return editor

    return open_


def styles_of(editor):
    saved = editor.saved()
    return {style["name"]: style for style in (*saved["text"], *saved["effects"])}


def contents(editor):
    """Return the styles without ids and keys, which new ones have other ones of."""
    return {
        name: {member: value for member, value in style.items() if member not in ("id", "key")}
        for name, style in styles_of(editor).items()
    }


def note(change):
    """Change the token of the plain text style."""
    edit(TEXT, lambda document: change(document["text-styles"]["plain"]["note"]))


def resized(token):
    token["$value"]["fontSize"]["value"] = 14
    token["$value"]["fontWeight"] = 700


def test_a_value_of_a_text_style_reaches_figma_and_is_rolled_back(styled):
    editor = styled()
    before = contents(editor)
    note(resized)
    receipt = applied()
    style = styles_of(editor)["plain/note"]
    assert (style["fontSize"], style["fontName"]) == (14, BOLD)
    assert (style["textCase"], style["paragraphIndent"], style["lineHeight"]) == ("UPPER", 4, {"unit": "AUTO"})
    rolled_back(receipt)
    assert contents(editor) == before


def test_the_review_shows_members_and_names_of_variables(styled):
    styled()
    note(lambda token: token["$value"].update(fontSize="{typography.body.size}", lineHeight=1.5))
    edit(
        EFFECT,
        lambda document: document["effect-styles"]["depth"]["raised"]["$value"].update(
            color=color([1, 0, 0])["$value"]
        ),
    )
    lines = [line.split() for line in tokensync("plan", "--exit-code", code=3).output.splitlines()]
    assert ["styles:", "2", "changed"] in lines
    assert ["fontSize", "12", "->", "{typography.body.size}"] in lines
    assert ["lineHeight", '"auto"', "->", "150", "%"] in lines
    assert ["effects[0].color", "{theme.shadow}", "->", "#ff0000"] in lines


def test_lengths_in_em_and_percent_become_percent_and_keep_their_unit_in_the_token_files(styled):
    editor = styled()
    units = {"letterSpacing": {"value": -0.02, "unit": "em"}, "lineHeight": {"value": 140, "unit": "%"}}
    note(lambda token: token["$value"].update(units))
    applied()
    style = styles_of(editor)["plain/note"]
    assert style["letterSpacing"] == {"unit": "PERCENT", "value": -2}
    assert style["lineHeight"] == {"unit": "PERCENT", "value": 140}
    tokensync("pull")
    in_sync()
    entry = json.loads(Path(TEXT).read_text(encoding="utf-8"))["text-styles"]["plain"]["note"]
    stored = json.loads(entry["$extensions"]["org.tokensync"]["value"]["composite"])
    assert stored.items() >= units.items()


def test_a_style_refers_to_a_variable_that_the_same_plan_makes(styled):
    editor = styled()
    before = contents(editor)

    def moss(document):
        document["primitives"]["color"]["moss"] = {"500": color([0.25, 0.5, 0])}

    def raised(document):
        value = document["effect-styles"]["depth"]["raised"]["$value"]
        value.update(color="{primitives.color.moss.500}", blur={"unit": "px", "value": 10})

    edit(VALUE, moss)
    edit(EFFECT, raised)
    receipt = applied()
    (shadow, blur) = styles_of(editor)["depth/raised"]["effects"]
    made = next(each for each in editor.saved()["meta"]["variables"].values() if each["name"] == "color/moss/500")
    assert shadow["boundVariables"] == {"color": {"type": "VARIABLE_ALIAS", "id": made["id"]}}
    assert (shadow["radius"], blur["visible"]) == (10, False)
    tokensync("rollback", receipt, "--token-files")
    tokensync("apply")
    tokensync("pull")
    in_sync()
    assert (
        contents(editor)["depth/raised"]["effects"][0]["boundVariables"]
        == before["depth/raised"]["effects"][0]["boundVariables"]
    )


def test_a_binding_is_replaced_by_a_literal_and_a_literal_by_a_binding(styled):
    editor = styled()
    before = contents(editor)
    names = {each["name"]: each["id"] for each in editor.saved()["meta"]["variables"].values()}

    def body(document):
        document["text-styles"]["type"]["body"]["$value"].update(fontFamily="Inter", fontWeight=600)

    edit(TEXT, body)
    note(
        lambda token: token["$value"].update(
            fontFamily="{typography.font.display}", letterSpacing={"unit": "px", "value": 0.5}
        )
    )
    receipt = applied()
    style, plain = (styles_of(editor)[name] for name in ("type/body", "plain/note"))
    assert style["fontName"] == {"family": "Inter", "style": "Semi Bold"}
    assert not {"fontFamily", "fontWeight"} & style["boundVariables"].keys()
    assert style["boundVariables"]["lineHeight"]["id"] == names["body/line-height"]
    assert plain["boundVariables"]["fontFamily"]["id"] == names["font/display"]
    rolled_back(receipt)
    assert [style["boundVariables"] for style in contents(editor).values() if style["type"] == "TEXT"] == [
        style["boundVariables"] for style in before.values() if style["type"] == "TEXT"
    ]


def test_new_styles_are_made_and_stay_in_sight_of_a_file_that_publishes_others(styled):
    state = styled_state()
    state["published"] = [style["id"] for style in (*state["text"], *state["effects"])]
    editor = styled(state)
    before = contents(editor)

    def text(document):
        value = {"fontFamily": "{typography.font.text}", "fontSize": {"unit": "px", "value": 20}, "fontWeight": 700}
        value["letterSpacing"] = {"unit": "px", "value": 0}
        document["text-styles"]["fresh"] = {"$type": "typography", "$value": value, "$description": "Made in code"}

    def effect(document):
        layers = [document["effect-styles"]["depth"]["raised"]["$value"]] * 2
        document["effect-styles"]["fresh"] = {"$type": "shadow", "$value": [dict(layer) for layer in layers]}

    edit(TEXT, text)
    edit(EFFECT, effect)
    receipt = applied()
    fresh = {
        style["type"]: style
        for style in (*editor.saved()["text"], *editor.saved()["effects"])
        if style["name"] == "fresh"
    }
    assert (fresh["TEXT"]["fontSize"], fresh["TEXT"]["description"]) == (20, "Made in code")
    assert len(fresh["EFFECT"]["effects"]) == 2
    rolled_back(receipt)
    assert contents(editor) == before


def test_a_rename_and_a_description_keep_the_style(styled):
    editor = styled()
    before, key = contents(editor), styles_of(editor)["plain/note"]["key"]

    def renamed(document):
        group = document["text-styles"]
        group["plain"]["remark"] = group["plain"].pop("note") | {"$description": "A remark"}

    edit(TEXT, renamed)
    receipt = applied()
    style = styles_of(editor)["plain/remark"]
    assert (style["key"], style["description"], style["fontSize"]) == (key, "A remark", 12)
    rolled_back(receipt)
    assert contents(editor) == before


def test_a_deletion_needs_prune_and_its_rollback_makes_the_style_again(styled):
    editor = styled()
    before = contents(editor)
    edit(TEXT, lambda document: document["text-styles"].pop("plain"))
    assert "style text-styles / plain/note" in tokensync("plan", "--exit-code", code=3).output
    receipt = applied("--prune", "text-styles/plain/note")
    assert "plain/note" not in styles_of(editor)
    assert (
        "deleted styles are recreated (text-styles / plain/note)"
        in tokensync("rollback", receipt, "--token-files").output
    )
    tokensync("apply")
    tokensync("pull")
    in_sync()
    assert contents(editor) == before


def test_edits_of_both_sides_are_merged_or_a_conflict(styled):
    editor = styled()
    note(lambda token: token["$value"]["fontSize"].update(value=14))
    editor.do(
        "edit", edits=[{"does": "restyle", "style": "type/body", "member": "description", "value": "by a designer"}]
    )
    editor.do(
        "edit", edits=[{"does": "restyle", "style": "plain/note", "member": "description", "value": "by a designer"}]
    )
    tokensync("pull")
    token = json.loads(Path(TEXT).read_text(encoding="utf-8"))["text-styles"]["plain"]["note"]
    assert (token["$value"]["fontSize"]["value"], token["$description"]) == (14, "by a designer")
    editor.do("edit", edits=[{"does": "restyle", "style": "plain/note", "member": "fontSize", "value": 99}])
    assert "#/text-styles/plain/note): in style was" in tokensync("pull", code=4).stderr
    tokensync("pull", "--ours")
    applied()
    assert styles_of(editor)["plain/note"]["fontSize"] == 14


def test_a_style_that_a_designer_changes_after_the_plan_is_not_overwritten(styled):
    editor = styled()
    note(resized)
    tokensync("plan", "--exit-code", code=3)
    editor.do("edit", edits=[{"does": "restyle", "style": "plain/note", "member": "fontSize", "value": 99}])
    assert "text style plain/note: its" in tokensync("apply", code=4).stderr
    assert styles_of(editor)["plain/note"]["fontSize"] == 99


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"fontFamily": "Nowhere"}, "the font family Nowhere is not available in this editor"),
        ({"fontWeight": 300}, "the font family Inter has no style of weight 300"),
    ],
)
def test_a_font_that_the_editor_does_not_have_refuses_the_whole_request(styled, value, words):
    editor = styled()
    before = editor.saved()
    note(lambda token: token["$value"].update(value))
    edit(VALUE, lambda document: document["primitives"]["color"].update(moss={"500": color([0.25, 0.5, 0])}))
    tokensync("plan", "--exit-code", code=3)
    done = tokensync("apply", code=1)
    assert words in done.stderr
    assert "changed nothing" in done.stderr
    assert editor.saved() == before


def test_a_font_that_does_not_load_refuses_the_whole_request(styled):
    editor = styled(options={"unloadable": ["Inter Bold"]})
    before = editor.saved()
    note(resized)
    tokensync("plan", "--exit-code", code=3)
    assert 'The font "Inter Bold" could not be loaded' in tokensync("apply", code=1).stderr
    assert editor.saved() == before


def test_what_a_style_cannot_hold_is_an_error_before_anything_is_sent(styled):
    styled()
    note(lambda token: token["$value"].update(fontSize="{primitives.color.slate.50}"))
    assert "plain" in tokensync("plan", code=1).stderr


def test_a_plugin_that_is_closed_in_the_middle_of_styles_is_completed(styled):
    editor = styled(faults=[{"call": "set_fontSize", "nth": 1, "does": "close"}])
    note(resized)
    tokensync("plan", "--exit-code", code=3)
    with applying() as apply:
        while editor.do("see")["open"]:
            time.sleep(0.05)
        editor.do("open")
    assert "tokensync bridge --complete" in apply.stderr
    tokensync("bridge", "--complete")
    tokensync("apply", "--resume")
    tokensync("pull")
    in_sync()
    assert (styles_of(editor)["plain/note"]["fontSize"], styles_of(editor)["plain/note"]["fontName"]) == (14, BOLD)


def test_without_a_bridge_an_edit_of_a_style_names_the_connection_that_writes_it(styled):
    editor = styled()
    note(resized)
    saved = editor.saved()
    Path("saved.json").write_text(json.dumps({"meta": saved["meta"]}), encoding="utf-8")
    text = Path("tokensync.toml").read_text(encoding="utf-8")
    Path("tokensync.toml").write_text(text.replace('"bridge:"', '"snapshot:saved.json"'), encoding="utf-8")
    done = tokensync("plan")
    assert 'plan with base_url = "bridge:"' in done.stderr
    assert "nothing to do" in done.output


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
def test_whatever_happens_to_the_plugin_styles_are_changed_once_and_as_a_whole(styled, seed):
    randomly = random.Random(seed)
    fault = {
        "nth": randomly.randint(1, 16),
        "does": randomly.choice(["close", "throw"]),
        "after": randomly.random() < 0.5,
    }
    editor = styled(faults=[fault])
    note(resized)

    def text(document):
        value = {"fontFamily": "Inter", "fontSize": {"unit": "px", "value": 20}, "fontWeight": 700}
        document["text-styles"]["fresh"] = {"$type": "typography", "$value": value}

    edit(TEXT, text)
    edit(VALUE, lambda document: document["primitives"]["color"].update(moss={"500": color([0.25, 0.5, 0])}))
    edit(
        EFFECT,
        lambda document: document["effect-styles"]["depth"]["raised"]["$value"].update(
            color="{primitives.color.moss.500}"
        ),
    )
    tokensync("plan", "--exit-code", code=3)
    options = ()
    for _ in range(4):
        with applying(*options) as apply:
            while apply.process.poll() is None:
                if not editor.do("see")["open"]:
                    editor.do("open")
                time.sleep(0.05)
        if apply.code == 0:
            break
        if "--complete" in apply.stderr:
            run_here("bridge", randomly.choice(["--complete", "--take-back"]))
        options = ("--resume",)
    assert apply.code == 0, apply.stderr
    tokensync("pull")
    in_sync()
    styles = [style["name"] for style in editor.saved()["text"]]
    assert styles.count("fresh") == 1


def test_another_mode_of_styles_is_an_error(styled):
    styled()
    document = json.loads(Path(TEXT).read_text(encoding="utf-8"))
    document["$extensions"] = {"com.figma.modeName": "Dark"}
    Path(TEXT).with_name("dark.tokens.json").write_text(json.dumps(document), encoding="utf-8")
    note(resized)
    title = {"value": 13.5, "unit": "px"}  # of a style with members that its $value does not have
    edit(TEXT, lambda styles: styles["text-styles"]["type"]["title"]["$value"].update(fontSize=title))
    refused = tokensync("plan", code=1).stderr
    assert refused.count("styles have one mode, and text-styles has 2 in the token files; remove the other files") == 1
    Path(TEXT).with_name("dark.tokens.json").unlink()
    tokensync("plan", "--exit-code", code=3)


def test_another_size_keeps_the_line_height_of_a_variable(styled):
    """The multiple in ``$value`` is that of the old size, and no edit."""
    editor = styled()
    size = {"value": 13.5, "unit": "px"}
    edit(TEXT, lambda styles: styles["text-styles"]["type"]["title"]["$value"].update(fontSize=size))
    applied()
    title = styles_of(editor)["type/title"]
    assert title["fontSize"] == 13.5
    assert "lineHeight" in title["boundVariables"]
