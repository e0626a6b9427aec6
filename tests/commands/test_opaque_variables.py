"""Variables of unknown types: counted, their names reserved, never changed."""

import json
from pathlib import Path
from shutil import rmtree

import pytest
from commands.projects import COLORS, output, project_in, response, tokensync
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plan.opaque import ANY_JSON, SHAPES, with_opaque

from tokensync.emulator.cli.states import open_emulator
from tokensync.plan.plan import decoded

PLAN = Path(".tokensync/plan.json")
THEME, MOTION = "VariableCollectionId:1:1", "VariableCollectionId:5:1"
BLUE = {"colorSpace": "srgb", "components": [0, 0, 1], "hex": "#0000ff"}
EASE, PAUSE = "VariableID:5:2", "VariableID:5:3"


def opaque(id_, name, kind, value, **members):
    return {
        "id": id_,
        "name": name,
        "key": id_[-1] * 40,
        "variableCollectionId": MOTION,
        "resolvedType": kind,
        "valuesByMode": {"5:0": value},
        "remote": False,
        "description": "",
        "hiddenFromPublishing": False,
        "scopes": ["TRANSITION"],
        "codeSyntax": {},
        **members,
    }


def design(*more, value=SHAPES[0]):
    """Theme with two colours, Motion with an easing and a duration of a type of their own, and ``more`` variables."""
    document = json.loads(response(COLORS))
    meta = document["meta"]
    added = (opaque(EASE, "ease/in", "TWEEN", value), opaque(PAUSE, "pause", "DELAY", 0.3), *more)
    meta["variables"] |= {each["id"]: each for each in added}
    motion = {**meta["variableCollections"][THEME], "id": MOTION, "name": "Motion", "key": "d" * 40}
    motion |= {"modes": [{"modeId": "5:0", "name": "Value"}], "defaultModeId": "5:0"}
    motion["variableIds"] = [each["id"] for each in added if each["variableCollectionId"] == MOTION]
    meta["variableCollections"][MOTION] = motion
    return document


def seed(document):
    with open_emulator(None, None) as emulator:
        emulator.seed("key-one", json.dumps(document).encode())


def held():
    with open_emulator(None, None) as emulator:
        from emulator.platform import Platform

        return Platform(emulator).get(key="key-one").json["meta"]


@pytest.fixture
def project(folder):
    project_in(folder, outputs=output("css", "web"))
    seed(design())
    tokensync("-q", "pull")
    return folder


def add(name, path="tokens/one/motion/value.tokens.json", group="motion", **members):
    """A new number, or what ``members`` say, in a token file."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    document.setdefault(group, {})[name] = members or {"$type": "number", "$value": 1}
    Path(path).write_text(json.dumps(document), encoding="utf-8")


def without_motion():
    rmtree("tokens/one/motion")
    path = Path("tokens/one.resolver.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["sets"].pop("motion", None)
    document["resolutionOrder"] = [each for each in document["resolutionOrder"] if "motion" not in each["$ref"]]
    path.write_text(json.dumps(document), encoding="utf-8")


def unwrapped(done):
    return " ".join(done.output.split())


def plan():
    (only,) = decoded(PLAN.read_bytes()).plans
    return only


@pytest.mark.parametrize("value", SHAPES, ids=str)
def test_values_of_any_shape_leave_the_rest_as_it_is(folder, value):
    project_in(folder, outputs=output("css", "web"))
    seed(design(value=value))
    done = tokensync("pull")
    assert "Motion / ease/in: its type TWEEN is not supported; it stays unchanged in the design file" in done.stderr
    tokensync("plan", "--exit-code")
    tokensync("build")
    assert "--slate" in Path("web/tokens.css").read_text(encoding="utf-8")
    content = b"".join(
        path.read_bytes() for path in Path().rglob("*") if path.is_file() and ".tokensync" not in path.parts
    )
    assert EASE.encode() not in content.replace(EASE.encode() + b"4", b"")


def test_a_deleted_collection_counts_them_and_is_reported_as_not_restorable(project):
    before = held()["variables"]
    without_motion()
    shown = unwrapped(tokensync("plan", "--prune", "-q"))
    assert (
        "delete collection: motion: the collection is deleted with 2 variables; rollback cannot restore "
        "2 of these variables (unknown types: TWEEN, DELAY)"
    ) in shown
    tokensync("apply", code=4)
    tokensync("apply", "--force")
    assert before.keys() - held()["variables"].keys() == {EASE, PAUSE}
    (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
    shown = unwrapped(tokensync("rollback", receipt))
    assert "variables of types that no request can have are not recreated (motion / ease/in; motion / pause)" in shown
    tokensync("apply")
    assert "Motion" in {each["name"] for each in held()["variableCollections"].values()}


def test_a_token_cannot_have_the_name_of_one(project):
    add("ease")
    add("pause")
    done = tokensync("plan", code=1)
    assert '"Motion" already has a variable "pause" of the unknown type DELAY' in done.stderr
    assert "rename the token [plan-name-taken]" in done.stderr
    assert not PLAN.exists()


def test_nor_get_it_by_a_rename(project):
    add("quick")
    tokensync("plan")
    tokensync("apply")
    tokensync("-q", "pull")
    path = Path("tokens/one/motion/value.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["motion"]["pause"] = document["motion"].pop("quick")
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "[plan-name-taken]" in tokensync("plan", code=1).stderr
    document["motion"]["fast"] = document["motion"].pop("pause")
    path.write_text(json.dumps(document), encoding="utf-8")
    tokensync("plan")
    tokensync("apply")
    assert {each["name"] for each in held()["variables"].values()} >= {"fast", "pause", "ease/in"}


def test_a_change_of_one_makes_a_plan_outdated_and_stops_only_what_would_delete_it(project):
    add("quick")
    tokensync("plan")
    seed(design(value=SHAPES[2]))
    assert "the design file has changed since the plan was made" in tokensync("apply", code=4).stderr
    tokensync("apply", "--rebase")
    tokensync("-q", "pull", "--theirs")
    without_motion()
    tokensync("plan", "--prune")
    document = {"meta": held()}
    document["meta"]["variables"][EASE]["valuesByMode"]["5:0"] = "somebody's"
    seed(document)
    done = tokensync("apply", "--force", "--rebase", code=4)
    assert "somebody changed the same objects (collection Motion (deleted))" in done.stderr


def test_an_alias_to_one_is_reported_with_the_type_and_stays(folder):
    project_in(folder)
    document = design()
    slate = next(each for each in document["meta"]["variables"].values() if each["name"] == "slate")
    slate["valuesByMode"]["1:0"] = {"type": "VARIABLE_ALIAS", "id": EASE}
    seed(document)
    done = tokensync("pull")
    assert "2 tokens refer to Motion / ease/in, whose type TWEEN is not supported (slate, text/muted)" in done.stderr
    assert "[alias-type-unknown]" in done.stderr
    assert "alias-dangling" not in done.stderr
    tokensync("plan", "--exit-code")
    add("copy", "tokens/one/theme/light.tokens.json", "theme", **read_slate())
    add("copy", "tokens/one/theme/dark.tokens.json", "theme", **{"$type": "color", "$value": BLUE})
    error = tokensync("plan", code=1).stderr
    assert 'it refers to "ease/in", which is not a token: its type is TWEEN; refer to a token that is a COLOR' in error


def read_slate():
    """What the token file says of a colour whose alias leads to what it does not hold."""
    slate = json.loads(Path("tokens/one/theme/light.tokens.json").read_text(encoding="utf-8"))["theme"]["slate"]
    del slate["$extensions"]["com.figma.variableId"]
    slate.pop("$value", None)
    return slate | {"$value": "#000000"} if "$value" in slate else slate


def test_what_one_refers_to_is_not_deleted_without_a_word(folder):
    project_in(folder)
    document = design()
    muted = next(each["id"] for each in document["meta"]["variables"].values() if each["name"] == "text/muted")
    document["meta"]["variables"][EASE]["valuesByMode"]["5:0"] = [{"deep": {"type": "VARIABLE_ALIAS", "id": muted}}]
    seed(document)
    tokensync("-q", "pull")
    for mode in ("light", "dark"):
        path = Path(f"tokens/one/theme/{mode}.tokens.json")
        tokens = json.loads(path.read_text(encoding="utf-8"))
        del tokens["theme"]["text"]
        path.write_text(json.dumps(tokens), encoding="utf-8")
    shown = unwrapped(tokensync("plan", "--prune", "-q"))
    assert "delete referred: theme/text/muted: it is deleted, and motion / ease/in refers to it" in shown
    tokensync("apply", code=4)


def test_they_count_where_a_collection_is_full(folder):
    project_in(folder)
    many = (opaque(f"VariableID:6:{number}", f"many/{number}", "TWEEN", 1) for number in range(4998))
    seed(design(*many))
    tokensync("-q", "pull")
    add("one")
    stderr = tokensync("plan", code=1).stderr
    assert "it would have 5,001 variables; Figma allows 5,000" in stderr


def extended(document):
    """The design with an extension of Motion that overrides the easing."""
    extension = {**document["meta"]["variableCollections"][MOTION], "id": "VariableCollectionId:7:1", "name": "Calm"}
    extension |= {"key": "e" * 40, "isExtension": True, "parentVariableCollectionId": MOTION}
    extension |= {"rootVariableCollectionId": MOTION, "defaultModeId": "VariableCollectionId:7:1/5:0"}
    extension["modes"] = [{"modeId": "VariableCollectionId:7:1/5:0", "name": "Value", "parentModeId": "5:0"}]
    extension["variableOverrides"] = {
        EASE: {"VariableCollectionId:7:1/5:0": ["calm"]},
        "VariableID:9:9": {"VariableCollectionId:7:1/5:0": {"of": ["nobody"]}},
        "VariableID:9:8": {"VariableCollectionId:7:1/5:0": ["nor this"]},
    }
    document["meta"]["variableCollections"][extension["id"]] = extension
    return document


def test_overrides_of_one_stay_with_the_extension_and_go_with_it(folder):
    project_in(folder)
    seed(extended(design()))
    stderr = tokensync("pull").stderr
    assert "it overrides VariableID:9:8, which is not in the response, with unsupported values" in stderr
    tokensync("plan", "--exit-code")
    add("quick")
    tokensync("plan")
    tokensync("apply")
    overrides = held()["variableCollections"]["VariableCollectionId:7:1"]["variableOverrides"]
    assert overrides[EASE] == {"VariableCollectionId:7:1/5:0": ["calm"]}
    tokensync("-q", "pull")
    rmtree("tokens/one/calm")
    path = Path("tokens/one/motion/value.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["$extensions"]["org.tokensync"]["extensions"]
    path.write_text(json.dumps(document), encoding="utf-8")
    Path("tokens/one.resolver.json").unlink()
    shown = unwrapped(tokensync("plan", "--prune", "-q"))
    assert (
        "the extension is deleted with its overrides; rollback cannot restore those of 1 variable (unknown type: TWEEN)"
    ) in shown
    tokensync("apply", "--force")
    (*_, receipt) = sorted(Path(".tokensync/applies").glob("*/receipt.json"))
    shown = unwrapped(tokensync("rollback", receipt))
    assert "values of types that no request can have are not restored (motion / ease/in)" in shown


def test_a_mode_that_goes_is_counted_with_their_values(folder):
    project_in(folder)
    document = design()
    motion = document["meta"]["variableCollections"][MOTION]
    motion["modes"].append({"modeId": "5:1", "name": "Reduced"})
    for id_ in (EASE, PAUSE):
        document["meta"]["variables"][id_]["valuesByMode"]["5:1"] = None
    seed(document)
    tokensync("-q", "pull")
    Path("tokens/one/motion/reduced.tokens.json").unlink()
    Path("tokens/one.resolver.json").unlink()
    shown = unwrapped(tokensync("plan", "--prune", "-q"))
    assert (
        "delete mode: motion/Reduced: the mode is deleted with 2 values; rollback cannot restore 2 of these values "
        "(unknown types: TWEEN, DELAY)"
    ) in shown


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), ANY_JSON, ANY_JSON)
def test_whatever_they_hold_a_pull_works_and_leaves_nothing_to_plan(folder, data, scopes, syntax):
    """Even their scopes and code syntax may be of any form."""
    rmtree("tokens", ignore_errors=True)
    project_in(folder)
    content, made = data.draw(with_opaque(response(COLORS)))
    document = json.loads(content)
    for id_ in made:
        document["meta"]["variables"][id_] |= {"scopes": scopes, "codeSyntax": syntax}
    seed(document)
    tokensync("-q", "pull", "--theirs")
    tokensync("plan", "--exit-code")
    variables = held()["variables"]
    assert {id_: variables[id_] for id_ in made} == {id_: document["meta"]["variables"][id_] for id_ in made}


def test_a_deleted_variable_that_had_a_value_of_an_unknown_form_is_restored_without_it(folder):
    project_in(folder)
    document = design()
    muted = next(each for each in document["meta"]["variables"].values() if each["name"] == "text/muted")
    muted["valuesByMode"]["1:1"] = {"ofTomorrow": [1]}
    seed(document)
    tokensync("-q", "pull")
    for mode in ("light", "dark"):
        path = Path(f"tokens/one/theme/{mode}.tokens.json")
        tokens = json.loads(path.read_text(encoding="utf-8"))
        tokens["theme"].pop("text", None)
        path.write_text(json.dumps(tokens), encoding="utf-8")
    tokensync("plan", "--prune", "-q")
    tokensync("apply")
    (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
    shown = unwrapped(tokensync("rollback", receipt))
    assert "text/muted referred to variables that were already deleted" in shown
    assert "or had values of unknown forms: such values cannot be restored" in shown
    tokensync("apply")
    restored = next(each for each in held()["variables"].values() if each["name"] == "text/muted")
    assert restored["valuesByMode"]["1:0"]["type"] == "VARIABLE_ALIAS"


def test_a_collection_gets_a_mode_although_its_extension_overrides_a_variable_that_is_absent(folder):
    project_in(folder)
    seed(extended(design()))
    tokensync("-q", "pull")
    add("quick")
    tokens = {"$extensions": {"com.figma.modeName": "Slow"}, "motion": {"quick": {"$type": "number", "$value": 2}}}
    Path("tokens/one/motion/slow.tokens.json").write_text(json.dumps(tokens), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    assert [each["name"] for each in held()["variableCollections"][MOTION]["modes"]] == ["Value", "Slow"]
    overrides = held()["variableCollections"]["VariableCollectionId:7:1"]["variableOverrides"]
    assert overrides["VariableID:9:9"] == {"VariableCollectionId:7:1/5:0": {"of": ["nobody"]}}
