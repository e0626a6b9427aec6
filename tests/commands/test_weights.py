"""Font weights that a design file keeps as text: pulled, edited, sent back, and taken over from earlier versions."""

import json
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from commands.projects import files_in, output, project_in, tokensync
from design_file import alias, collection, extension, response, variable
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tokensync.tokens.values import font_style

STYLE = ["FONT_STYLE"]
AS_BEFORE = '[[types]]\ntype = "string"\nresolved_type = "STRING"\n'
"""With this rule a pull writes token files and a lock as versions did that took every text for a string."""
SLOW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def text(number, name, owner, *values, scopes=STYLE, **more):
    return variable(f"VariableID:1:{number}", name, owner, "STRING", values, scopes=scopes, **more)


def seed(*variables, owner, more=()):
    Path("local.json").write_bytes(response([owner, *more], list(variables)))
    tokensync("-q", "emulator", "seed", "local.json", "--key", "key-one")
    Path("local.json").unlink()


def design():
    """A collection of two modes with weights of several spellings, and what refers to them."""
    owner = collection("VariableCollectionId:1:1", "Type")
    return {
        "owner": owner,
        "variables": [
            text(1, "weight/bold", owner, "Bold", "ExtraBold"),
            text(2, "weight/semi", owner, "SemiBold Italic", "Medium"),
            text(3, "heading", owner, alias("VariableID:1:1"), alias("VariableID:1:2")),
            text(4, "label", owner, alias("VariableID:1:1"), "Save", scopes=["ALL_SCOPES"]),
            text(5, "odd", owner, "Condensed", "Bold"),
            variable("VariableID:1:6", "number", owner, "FLOAT", [600, 700], scopes=["FONT_WEIGHT"]),
        ],
    }


@pytest.fixture
def project(folder):
    """A project with a CSS output, after a pull."""
    made = design()
    project_in(folder, outputs=output("css", "css"))
    seed(*made["variables"], owner=made["owner"])
    tokensync("-q", "pull")
    return folder


def group(folder, mode="light"):
    path = folder / "tokens" / "one" / "type" / f"{mode}.tokens.json"
    return json.loads(path.read_text("utf-8"))["type"]


def edit(folder, change, mode="light"):
    path = folder / "tokens" / "one" / "type" / f"{mode}.tokens.json"
    document = json.loads(path.read_text("utf-8"))
    change(document["type"])
    path.write_text(json.dumps(document), encoding="utf-8")


def values_on_the_platform():
    """Return the values of the platform's variables by name."""
    body = json.loads(tokensync("api", "variables", "local", "--file-key", "key-one").output)
    return {each["name"]: list(each["valuesByMode"].values()) for each in body["meta"]["variables"].values()}


def planned():
    (plan,) = json.loads(Path(".tokensync/plan.json").read_text("utf-8"))["plans"]
    return plan


def sent(code=3):
    """Return the texts that the plan sets."""
    tokensync("-q", "plan", "--exit-code", code=code)
    return [each["after"] for each in planned()["operations"] if each["type"] == "set value"]


class TestPulling:
    def test_nothing_is_to_plan_after_a_pull_and_nothing_to_pull_again(self, project):
        before = files_in(project)
        assert sent(code=0) == []
        assert tokensync("status").output == "one: in sync\n"
        tokensync("-q", "pull")
        assert files_in(project) == before

    def test_the_css_has_numbers_where_it_had_texts(self, project):
        tokensync("-q", "build")
        css = (project / "css" / "tokens.css").read_text("utf-8")
        assert "--weight-bold: 700;" in css
        assert "--heading: var(--weight-bold);" in css
        assert '--label: "Bold";' in css
        assert '--odd: "Condensed";' in css

    def test_the_list_and_a_single_token_show_the_type_of_dtcg_and_the_number(self, project):
        rows = {each["path"]: each for each in json.loads(tokensync("tokens", "list", "--json").output)}
        assert (rows["weight.semi"]["type"], rows["weight.semi"]["values"]["default"]) == ("fontWeight", 600)
        assert (rows["heading"]["type"], rows["heading"]["values"]["type/dark"]) == ("fontWeight", 500)
        assert (rows["label"]["type"], rows["label"]["values"]["default"]) == ("string", "Bold")
        shown = tokensync("tokens", "show", "weight/semi").output
        assert "(fontWeight, local)" in shown
        assert "light  'SemiBold Italic'" in shown
        assert "default, type/light: 600" in shown

    def test_what_is_no_weight_and_what_is_italic_is_noted(self, project):
        stderr = tokensync("-v", "pull").stderr
        assert (
            'note: Type / odd / Light: "Condensed" is not a font weight, so it stays a string; confirm it with a '
            '[[types]] rule of type = "string"'
        ) in stderr
        assert "note: Type: 1 font weight is also italic or oblique; outputs contain only the weight (weight/" in stderr


class TestEditing:
    @pytest.mark.parametrize(
        ("value", "is_sent"),
        [(600, "SemiBold"), ("extra-light", "ExtraLight"), (900, "Black"), (700, None), ("bold", None)],
    )
    def test_a_weight_is_sent_as_the_file_writes_it(self, project, value, is_sent):
        edit(project, lambda tokens: tokens["weight"]["bold"].update({"$value": value}))
        assert sent(code=3 if is_sent else 0) == ([is_sent] if is_sent else [])

    def test_an_edit_that_is_applied_and_pulled_is_the_edit_and_what_was_italic_stays_italic(self, project):
        edit(project, lambda tokens: tokens["weight"]["semi"].update({"$value": "bold"}))
        edit(project, lambda tokens: tokens["weight"]["bold"].update({"$value": 300}), "dark")
        assert sent() == ["Light", "Bold Italic"]
        tokensync("-q", "apply")
        assert sent(code=0) == []
        assert values_on_the_platform()["weight/semi"][0] == "Bold Italic"
        tokensync("-q", "pull")
        assert (group(project)["weight"]["semi"]["$value"], group(project, "dark")["weight"]["bold"]["$value"]) == (
            700,
            300,
        )
        assert group(project)["weight"]["semi"]["$extensions"]["org.tokensync"]["text"] == "Bold Italic"
        assert group(project, "dark")["weight"]["bold"]["$extensions"]["org.tokensync"]["text"] == "Light"
        assert tokensync("status").output == "one: in sync\n"

    def test_a_text_that_is_edited_with_its_weight_is_sent_as_it_is(self, project):
        def change(tokens):
            tokens["weight"]["bold"]["$value"] = 800
            tokens["weight"]["bold"]["$extensions"]["org.tokensync"]["text"] = "ultra bold OBLIQUE"

        edit(project, change)
        assert sent() == ["ultra bold OBLIQUE"]

    def test_a_token_that_becomes_a_plain_text_again_is_sent_and_read_so(self, project):
        def change(tokens):
            bold = tokens["weight"]["bold"]
            bold.update({"$type": "string", "$value": "Roman"})
            del bold["$extensions"]["org.tokensync"]["text"]

        edit(project, change)
        edit(project, lambda tokens: tokens["weight"]["bold"].update({"$type": "string", "$value": "Bold"}), "dark")
        assert sent() == ["Roman", "Bold"]
        assert not [each for each in planned()["notes"] if "read another type" in each]
        tokensync("-q", "pull")
        assert group(project)["weight"]["bold"]["$type"] == "string"
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        assert (group(project)["weight"]["bold"]["$value"], group(project)["heading"]["$type"]) == ("Roman", "string")
        assert sent(code=0) == []
        assert tokensync("status").output == "one: in sync\n"

    def test_a_plain_text_that_names_a_weight_by_now_becomes_one_with_the_next_pull(self, project):
        edit(project, lambda tokens: tokens["odd"].update({"$value": "Light"}))
        assert sent() == ["Light"]
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        assert (group(project)["odd"]["$type"], group(project)["odd"]["$value"]) == ("fontWeight", 300)
        assert sent(code=0) == []

    def test_a_new_weight_is_a_text_in_the_design_file(self, project):
        new = {"$type": "fontWeight", "$value": "semi-bold", "$extensions": {"com.figma.type": "string"}}
        edit(project, lambda tokens: tokens["weight"].update({"new": new, "near": {**new, "$value": "{type.heading}"}}))
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        assert values_on_the_platform()["weight/new"] == ["SemiBold", "SemiBold"]
        tokensync("-q", "pull")
        assert group(project)["weight"]["new"]["$extensions"]["com.figma.scopes"] == STYLE
        assert sent(code=0) == []

    def test_a_weight_without_a_name_is_refused_with_its_place(self, project):
        edit(project, lambda tokens: tokens["weight"]["bold"].update({"$value": 450}))
        stderr = tokensync("-q", "plan", code=1).stderr
        assert "(#/type/weight/bold)" in stderr
        assert 'the weight 450 has no name; write "regular" or "medium" [token-inexpressible]' in stderr

    def test_a_rollback_brings_the_text_back(self, project):
        before = values_on_the_platform()
        edit(project, lambda tokens: tokens["weight"]["semi"].update({"$value": 700}))
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
        tokensync("-q", "rollback", receipt)
        tokensync("-q", "apply")
        assert values_on_the_platform() == before


class TestFilesOfEarlierVersions:
    @pytest.fixture
    def project(self, folder):
        """Token files and a lock in which every text is a string."""
        made = design()
        project_in(folder, more=AS_BEFORE)
        seed(*made["variables"], owner=made["owner"])
        tokensync("-q", "pull")
        assert "fontWeight" not in json.dumps([group(folder)["weight"], group(folder)["heading"]])
        project_in(folder)
        return folder

    def test_nothing_is_to_plan_and_nothing_conflicts(self, project):
        assert sent(code=0) == []
        assert planned()["findings"] == []

    def test_the_types_are_what_a_pull_would_bring(self, project):
        assert tokensync("status", code=3).output.splitlines() == [
            "one:",
            "  behind: changed in Figma; run tokensync pull (3)",
            "    type / weight/bold: type",
            "    type / weight/semi: type",
            "    type / heading: type",
        ]

    def test_a_pull_changes_the_type_and_then_all_is_in_sync(self, project):
        tokensync("-q", "pull")
        assert (group(project)["weight"]["bold"]["$type"], group(project)["weight"]["bold"]["$value"]) == (
            "fontWeight",
            700,
        )
        assert sent(code=0) == []
        assert tokensync("status").output == "one: in sync\n"

    def test_without_a_lock_it_is_the_same(self, project):
        (project / "tokensync.lock").unlink()
        assert sent(code=0) == []
        tokensync("-q", "pull")
        assert group(project)["weight"]["bold"]["$type"] == "fontWeight"

    def test_an_edit_that_was_made_before_is_planned_and_stands_after_a_pull(self, project):
        edit(project, lambda tokens: tokens["weight"]["bold"].update({"$value": "Heavy"}))
        assert sent() == ["Heavy"]
        tokensync("-q", "pull")
        assert (group(project)["weight"]["bold"]["$type"], group(project)["weight"]["bold"]["$value"]) == (
            "fontWeight",
            900,
        )
        assert sent() == ["Heavy"]

    def test_a_build_of_such_files_writes_texts_until_they_are_pulled_anew(self, project):
        project_in(project, outputs=output("css", "css"))
        tokensync("-q", "build")
        assert '--weight-bold: "Bold";' in (project / "css" / "tokens.css").read_text("utf-8")
        tokensync("-q", "pull")
        tokensync("-q", "build")
        assert "--weight-bold: 700;" in (project / "css" / "tokens.css").read_text("utf-8")

    def test_a_plan_that_was_applied_before_the_pull_leaves_the_pull_right(self, project):
        edit(project, lambda tokens: tokens["odd"].update({"$value": "Black"}))
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        assert sent(code=0) == []
        tokensync("-q", "pull")
        assert (group(project)["odd"]["$type"], group(project)["odd"]["$value"]) == ("fontWeight", 900)
        assert tokensync("status").output == "one: in sync\n"


TEXTS = st.sampled_from(
    [
        "Bold",
        "SemiBold",
        "Semi Bold",
        "Extra Light Italic",
        "bold oblique",
        "Italic",
        "BLACK",
        "350",
        "Book",
        "demi-bold",
    ]
)
OTHERS = st.sampled_from(["Condensed", "", "{weight}", "Roman", "0", "1001", "Bold "]) | st.text(max_size=8)
SCOPES = st.sampled_from([STYLE, STYLE, STYLE, ["FONT_WEIGHT"], ["ALL_SCOPES"], ["FONT_STYLE", "FONT_FAMILY"], []])


@st.composite
def responses(draw):
    """Texts of all kinds, in two modes and an extension's, which refer to one another."""
    owner = collection("VariableCollectionId:1:1", "Type")
    made: list[dict] = []

    def value():
        known = [each["id"] for each in made]
        of_others = draw(st.integers(0, 5)) == 0
        refers = bool(known) and draw(st.integers(0, 2)) == 0
        return alias(draw(st.sampled_from(known))) if refers else draw(OTHERS if of_others else TEXTS)

    made += [text(0, "t0", owner, draw(TEXTS), draw(TEXTS))]
    for number in range(1, draw(st.integers(2, 7))):
        made += [text(number, f"t{number}", owner, value(), value(), scopes=draw(SCOPES))]
    overrides = {each["id"]: [value(), ...] for each in made if draw(st.integers(0, 3)) == 0}
    for each, (override, _) in overrides.items():  # nothing overrides itself with itself
        if override == alias(each):
            overrides[each] = ["Bold", ...]
    brand = extension("VariableCollectionId:2:1", "Type / Brand", owner, overrides)
    return owner, brand, made


def weights_in(folder):
    """Every weight that is kept as text and stands as a value in some mode's file: (path, names, value)."""
    for path in sorted(folder.glob("tokens/one/type*/*.tokens.json")):
        for name, token in json.loads(path.read_text("utf-8")).get("type", {}).items():
            if "text" in token.get("$extensions", {}).get("org.tokensync", {}):
                yield path, name, token


@given(responses())
@SLOW
def test_whatever_texts_a_file_holds_a_plan_after_a_pull_is_empty_and_so_it_is_after_an_upgrade(made):
    owner, brand, variables = made
    with TemporaryDirectory() as name, chdir(name):
        folder = project_in(Path(name), more=AS_BEFORE)
        seed(*variables, owner=owner, more=[brand])
        tokensync("-q", "pull")
        project_in(folder)
        assert sent(code=0) == []
        tokensync("-q", "pull")
        assert sent(code=0) == []
        pulled = files_in(folder)
        tokensync("-q", "pull")
        tokensync("-q", "format")
        assert files_in(folder) == pulled
        assert tokensync("status").output == "one: in sync\n"
        for _, _, token in weights_in(folder):
            assert font_style(token["$extensions"]["org.tokensync"]["text"]).weight == token["$value"]


@given(responses(), st.data())
@SLOW
def test_an_edited_weight_comes_back_as_it_was_edited(made, data):
    owner, brand, variables = made
    with TemporaryDirectory() as name, chdir(name):
        folder = project_in(Path(name))
        seed(*variables, owner=owner, more=[brand])
        tokensync("-q", "pull")
        found = list(weights_in(folder))
        assume(found)
        path, token_name, token = data.draw(st.sampled_from(found))
        weight, spelled = data.draw(
            st.sampled_from([(100, "thin"), (600, "demi-bold"), (700, 700), (950, "extra-black")])
        )
        slant = font_style(token["$extensions"]["org.tokensync"]["text"]).slant
        document = json.loads(path.read_text("utf-8"))
        document["type"][token_name]["$value"] = spelled
        path.write_text(json.dumps(document), encoding="utf-8")
        tokensync("-q", "plan")
        tokensync("-q", "apply", *(["--force"] if planned()["findings"] else []))
        assert sent(code=0) == []
        tokensync("-q", "pull")
        after = json.loads(path.read_text("utf-8"))["type"][token_name]
        assert after["$value"] == weight
        assert font_style(after["$extensions"]["org.tokensync"]["text"]) == (weight, slant)
        assert sent(code=0) == []
        assert tokensync("status").output == "one: in sync\n"
