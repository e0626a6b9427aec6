"""``plan --prune`` reports deletions that other files of the project refer to as findings."""

import json
from pathlib import Path
from shutil import rmtree

import pytest
from commands.projects import output, tokensync
from design_file import alias, collection, color, composed, extension, key_of, response, variable

from tokensync import dtcg
from tokensync.emulator.cli.states import open_emulator
from tokensync.plan.plan import decoded

PLAN = Path(".tokensync/plan.json")
CORE = Path("tokens/core/core/light.tokens.json")
APP = Path("tokens/app/app/value.tokens.json")
RED, BLUE, SIZE = (f"VariableID:1:{number}" for number in (2, 3, 4))
FILES = {"core": "CoreFile123", "app": "AppFile456"}


def library():
    """A collection Core with light and dark, which has red, blue and a size."""
    core = own("VariableCollectionId:1:1", "Core", {"1:0": "Light", "1:1": "Dark"})
    made = [
        variable(id_, name, core, "COLOR", [color(1.0), color(0.5)]) for id_, name in ((RED, "red"), (BLUE, "blue"))
    ]
    return core, [*made, variable(SIZE, "size", core, "FLOAT", [50, 50])]


def own(id_, name, modes):
    listed = [{"modeId": each, "name": of} for each, of in modes.items()]
    return {**collection(id_, name, ()), "modes": listed, "defaultModeId": listed[0]["modeId"]}


def remote(id_):
    """A variable's id in files that use it."""
    return f"VariableID:{key_of(id_)}/{id_.removeprefix('VariableID:')}"


def copies():
    """The library as it is in the other file."""
    core, made = library()
    far = {**core, "id": f"VariableCollectionId:{core['key']}/1:1", "remote": True, "hiddenFromPublishing": True}
    return far, [{**each, "id": remote(each["id"]), "variableCollectionId": far["id"], "remote": True} for each in made]


def app(*values, **members):
    """The other file: App with bg, ink and so on that hold ``values``, beside copies of all that the library has."""
    far, made = copies()
    theme = own("VariableCollectionId:2:1", "App", {"2:0": "Value"})
    names = ("bg", "ink", "line", "more", "most")
    tokens = [
        variable(f"VariableID:2:{number + 2}", names[number], theme, "COLOR", [value], **members)
        for number, value in enumerate(values)
    ]
    return [far, theme], [*made, *tokens]


def seed(**designs):
    with open_emulator(None, None) as emulator:
        for name, (collections, variables) in designs.items():
            emulator.seed(FILES[name], response(collections, variables))


def project_of(**designs):
    """A project of the library and these other files, pulled."""
    tables = "".join(f'[[files]]\nname = "{name}"\nkey = "{key}"\n' for name, key in FILES.items())
    Path("tokensync.toml").write_text(f'base_url = "emulator:"\n{tables}', encoding="utf-8")
    core, made = library()
    seed(core=([core], made), **designs)
    tokensync("-q", "pull")


def without(*names, path=CORE):
    for each in path.parent.iterdir():
        document = json.loads(each.read_text(encoding="utf-8"))
        for name in names:
            document[path.parent.name].pop(name, None)
        each.write_text(json.dumps(document), encoding="utf-8")


def findings(*arguments):
    """Each finding that the plan of the library has, in one line."""
    tokensync("plan", "--prune", "-q", *arguments)
    plan = next(each for each in decoded(PLAN.read_bytes()).plans if each.file == "core")
    assert plan.operations
    return [f"{each.kind} {each.subject}: {each.what}" for each in plan.findings]


def notes():
    return [note for each in decoded(PLAN.read_bytes()).plans for note in each.notes]


def refused():
    """What apply says when it refuses the plan that was made last; the platform keeps its variables."""
    return tokensync("apply", code=4).stderr


@pytest.mark.parametrize("chosen", [(), ("--file", "core")], ids=["both files", "the library alone"])
def test_a_variable_that_another_file_refers_to_needs_a_word(folder, chosen):
    project_of(app=app(alias(remote(RED))))
    without("red")
    assert findings(*chosen) == ["delete referred core/red: it is deleted, and app / bg refers to it"]
    assert notes() == []
    done = tokensync("apply", code=4)
    assert (
        "core: the plan is unsafe (delete referred core/red: it is deleted, and app / bg refers to it)" in done.stderr
    )
    tokensync("apply", "--force")


def test_deleting_an_unreferenced_token_is_no_finding(folder):
    project_of(app=app(alias(remote(RED))))
    without("blue")
    assert findings() == []
    tokensync("apply")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ((composed(alias(remote(RED)), 50),), "red: it is deleted, and app / bg refers to it"),
        ((composed(color(), alias(remote(SIZE))),), "size: it is deleted, and app / bg refers to it"),
        ((alias(f"VariableID:{key_of(BLUE)}/7:7"),), "blue: it is deleted, and app / bg refers to it"),
        ((alias(remote(RED)),) * 2, "red: it is deleted, and app / bg, app / ink refer to it"),
        ((alias(remote(RED)),) * 5, "red: it is deleted, and app / bg, app / ink, app / line and 2 more refer to it"),
    ],
    ids=["a colour in another", "an opacity", "another publication", "two", "many"],
)
def test_every_form_of_a_reference_counts(folder, values, found):
    project_of(app=app(*values))
    without("red", "blue", "size")
    for chosen in ((), ("--file", "core")):
        assert f"delete referred core/{found}" in findings(*chosen)


def test_a_hidden_token_of_another_file_counts(folder):
    project_of(app=app(alias(remote(RED)), hiddenFromPublishing=True))
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write("[extract]\ninclude_hidden = false\n")
    without("red")
    assert findings() == ["delete referred core/red: it is deleted, and app / bg refers to it"]


def test_a_reference_that_the_same_plan_takes_away_does_not(folder):
    project_of(app=app(alias(remote(RED))))
    without("red")
    document = json.loads(APP.read_text(encoding="utf-8"))
    document["app"]["bg"]["$value"] = {"colorSpace": "srgb", "components": [0, 0, 1]}
    APP.write_text(json.dumps(document), encoding="utf-8")
    assert findings() == []


def test_a_reference_counts_until_its_removal_is_applied(folder):
    project_of(app=app(alias(remote(RED))))
    without("red")
    document = json.loads(APP.read_text(encoding="utf-8"))
    document["app"]["bg"]["$value"] = {"colorSpace": "srgb", "components": [0, 0, 1]}
    APP.write_text(json.dumps(document), encoding="utf-8")
    assert findings("--file", "core") == ["delete referred core/red: it is deleted, and app / bg refers to it"]
    assert "app / bg refers to it" in refused()
    tokensync("plan", "-q", "--file", "app")
    tokensync("apply", "-q")
    assert findings("--file", "core") == []
    tokensync("apply", "-q")


def test_a_new_reference_to_a_library_variable_does_not_stop_other_deletions_of_the_same_plan(folder):
    project_of(app=app(alias(remote(RED)), color()))
    without("size")
    document = json.loads(APP.read_text(encoding="utf-8"))
    document["app"]["ink"]["$value"] = "{core.blue}"
    APP.write_text(json.dumps(document), encoding="utf-8")
    assert findings() == []
    tokensync("apply", "-q")


def test_one_that_the_same_plan_makes_does(folder):
    project_of(app=app(color(), alias(remote(RED))))
    without("red")
    document = json.loads(APP.read_text(encoding="utf-8"))
    document["app"]["bg"]["$value"] = document["app"]["ink"]["$value"]
    APP.write_text(json.dumps(document), encoding="utf-8")
    assert findings() == ["delete referred core/red: it is deleted, and app / bg, app / ink refer to it"]


def test_the_file_is_named_where_its_collection_is_called_otherwise(folder):
    collections, variables = app(alias(remote(RED)))
    collections[1]["name"] = "Theme"
    project_of(app=(collections, variables))
    without("red")
    assert findings() == ["delete referred core/red: it is deleted, and theme / bg of app refers to it"]


def test_a_copy_of_a_library_that_is_not_configured_refers_as_well(folder):
    collections, variables = app(alias(f"VariableID:{key_of('M')}/8:2"))
    middle = {**collections[0], "id": f"VariableCollectionId:{key_of('m')}/8:1", "name": "Middle", "key": key_of("m")}
    made = variable(f"VariableID:{key_of('M')}/8:2", "accent", middle, "COLOR", [alias(remote(RED))], key=key_of("M"))
    project_of(app=([*collections, middle], [*variables, made]))
    without("red")
    assert findings() == ["delete referred core/red: it is deleted, and middle / accent of app refers to it"]


def test_a_variable_of_an_unknown_type_in_another_file_refers_as_well(folder):
    collections, variables = app(color())
    easing = variable("VariableID:2:9", "ease", collections[1], "EASING", [[{"of": alias(remote(RED))}]])
    project_of(app=(collections, [*variables, easing]))
    without("red")
    assert findings() == ["delete referred core/red: it is deleted, and app / ease refers to it"]


def extended(overrides):
    """The other file: an extension of the library's collection, which overrides some of its variables."""
    far, made = copies()
    brand = extension("VariableCollectionId:3:1", "Brand", far, overrides)
    return [far, brand], made


@pytest.mark.parametrize("chosen", [(), ("--file", "core")], ids=["both files", "the library alone"])
def test_a_variable_that_an_extension_in_another_file_overrides_needs_a_word(folder, chosen):
    project_of(app=extended({remote(RED): (color(0.0, 1.0), ...)}))
    without("red", "blue")
    assert findings(*chosen)[:1] == ["delete referred core/red: it is deleted, and brand / red of app refers to it"]


def test_so_does_what_an_override_refers_to(folder):
    project_of(app=extended({remote(RED): (alias(remote(BLUE)), ...)}))
    without("blue")
    assert findings() == ["delete referred core/blue: it is deleted, and core / red of app refers to it"]


def test_a_collection_that_another_file_extends_needs_a_word_and_so_does_a_mode(folder):
    project_of(app=extended({}))
    (CORE.parent / "dark.tokens.json").unlink()
    Path("tokens/core.resolver.json").unlink()
    assert "delete referred core/Dark: it is deleted, and brand of app extends its collection" in findings()
    rmtree("tokens/core")
    project = Path("tokens/core/other")
    project.mkdir(parents=True)
    (project / "value.tokens.json").write_text('{"other": {"a": {"$type": "number", "$value": 1}}}', encoding="utf-8")
    found = findings()
    assert "delete referred core: it is deleted, and brand of app extends it" in found


def test_a_deleted_collection_is_reported_with_each_of_its_variables_in_use(folder):
    project_of(app=app(alias(remote(RED)), composed(color(), alias(remote(SIZE)))))
    rmtree("tokens/core/core")
    other = Path("tokens/core/other")
    other.mkdir()
    (other / "value.tokens.json").write_text('{"other": {"a": {"$type": "number", "$value": 1}}}', encoding="utf-8")
    Path("tokens/core.resolver.json").unlink()
    assert findings() == [
        "delete collection core: the collection is deleted with 3 variables",
        "delete referred core/red: it is deleted, and app / bg refers to it",
        "delete referred core/size: it is deleted, and app / ink refers to it",
    ]


def test_a_change_of_type_is_reported_with_the_references_to_the_variable(folder):
    project_of(app=app(alias(remote(RED))))
    for each in CORE.parent.iterdir():
        document = json.loads(each.read_text(encoding="utf-8"))
        document["core"]["red"] |= {"$type": "number", "$value": 1}
        each.write_text(json.dumps(document), encoding="utf-8")
    assert [each.split(":")[0] for each in findings()] == ["change type core/red", "delete referred core/red"]


def test_an_allowed_finding_stops_nothing(folder):
    project_of(app=app(alias(remote(RED))))
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write('[[allow]]\nfinding = "delete referred"\nsubject = "core/*"\n')
    without("red")
    assert len(findings()) == 1
    tokensync("apply")


class TestWhatIsNotKnown:
    def test_nothing_is_deleted_without_force_while_a_file_has_no_token_files(self, folder):
        project_of(app=app(alias(remote(RED))))
        rmtree("tokens/app")
        Path("tokens/app.resolver.json").unlink()
        without("red")
        reason = "app may refer to deleted variables: it has no token files; run tokensync pull --file app"
        referred = "delete referred core/red: it is deleted, and app / bg refers to it"  # by the lock
        assert findings("--file", "core") == [referred, f"delete referred core: {reason}"]
        without("blue")
        assert findings("--file", "core", "core/blue") == [f"delete referred core: {reason}"]
        assert f"the plan is unsafe (delete referred core: {reason})" in refused()
        tokensync("apply", "-q", "--force")

    def test_a_file_without_token_files_is_asked_on_the_platform_if_it_is_planned_too(self, folder):
        project_of(app=app(alias(remote(RED))))
        rmtree("tokens/app")
        Path("tokens/app.resolver.json").unlink()
        without("red")
        assert findings() == ["delete referred core/red: it is deleted, and app / bg refers to it"]
        assert "app / bg refers to it" in refused()

    def test_what_no_file_on_the_platform_refers_to_is_then_deleted(self, folder):
        project_of(app=app(alias(remote(RED))))
        rmtree("tokens/app")
        Path("tokens/app.resolver.json").unlink()
        without("blue")
        assert findings() == []
        tokensync("apply", "-q")

    def test_nothing_is_deleted_without_force_while_token_files_of_another_file_have_errors(self, folder):
        project_of(app=app(alias(remote(RED)), alias(remote(BLUE))))
        document = json.loads(APP.read_text(encoding="utf-8"))
        document["app"]["ink"]["$value"] = "{core.nothing}"
        APP.write_text(json.dumps(document), encoding="utf-8")
        without("red", "blue")
        referred, _, unknown = findings("--file", "core")
        assert referred == "delete referred core/red: it is deleted, and app / bg refers to it"
        assert unknown.startswith(
            "delete referred core: app may refer to deleted variables: its token files have errors (tokens/app/"
        )
        assert "its token files have errors" in refused()
        tokensync("plan", "-q", "--file", "core")
        assert decoded(PLAN.read_bytes()).plans[0].findings == ()  # nothing is deleted

    def test_nothing_is_deleted_without_force_while_token_files_cannot_be_read(self, folder, monkeypatch):
        project_of(app=app(alias(remote(RED))))
        read = dtcg.read_folder

        def refusing(root, file, *texts, **options):
            if file == "app":
                raise PermissionError(13, "Permission denied")
            return read(root, file, *texts, **options)

        monkeypatch.setattr(dtcg, "read_folder", refusing)
        without("red")
        reason = "app may refer to deleted variables: its token files cannot be read (Permission denied)"
        assert findings("--file", "core")[1:] == [f"delete referred core: {reason}"]

    def test_nothing_is_asked_where_nothing_is_deleted(self, folder):
        project_of(app=app(alias(remote(RED))))
        rmtree("tokens/app")
        document = json.loads(CORE.read_text(encoding="utf-8"))
        document["core"]["red"]["$description"] = "new"
        CORE.write_text(json.dumps(document), encoding="utf-8")
        assert findings("--file", "core") == []
        assert notes() == []


def test_a_rollback_of_what_another_file_has_begun_to_use_needs_a_word(folder):
    project_of(app=app(color()))
    for each in CORE.parent.iterdir():
        document = json.loads(each.read_text(encoding="utf-8"))
        document["core"]["fresh"] = {"$type": "color", "$value": "{core.red}"}
        each.write_text(json.dumps(document), encoding="utf-8")
    tokensync("plan", "-q", "--file", "core")
    tokensync("apply", "-q")
    tokensync("-q", "pull")
    made = json.loads(CORE.read_text(encoding="utf-8"))["core"]["fresh"]["$extensions"]
    key = made["org.tokensync"]["key"]
    collections, variables = app(alias(f"VariableID:{key}/1:9"))
    fresh = variable(f"VariableID:{key}/1:9", "fresh", collections[0], "COLOR", [color(), color()], key=key)
    seed(app=(collections, [*variables, fresh]))
    tokensync("-q", "pull", "--file", "app")
    (receipt,) = Path(".tokensync/applies").glob("*/receipt.json")
    shown = tokensync("rollback", receipt).output
    assert "delete referred: core/fresh: it is deleted, and app / bg refers to it" in " ".join(shown.split())
    tokensync("apply", code=4)


def test_a_build_reports_a_token_that_its_library_no_longer_has(folder):
    project_of(app=app(alias(remote(RED)), alias(remote(RED)), alias(remote(BLUE))))
    with open("tokensync.toml", "a", encoding="utf-8") as configuration:
        configuration.write(output("css", "web"))
    assert "library-token-gone" not in tokensync("build").stderr
    without("red")
    tokensync("plan", "--prune", "-q")
    tokensync("apply", "--force", "-q")
    tokensync("-q", "pull")
    assert tokensync("build").stderr.startswith(
        "warning: Core (app/core): 2 references to 1 token that core no longer has are written as literals (red); "
        "refer to other tokens, or restore it in core and pull [library-token-gone]\n"
    )


def test_a_plan_reports_an_alias_to_a_copy_of_a_token_that_its_library_no_longer_has(folder):
    project_of(app=app(alias(remote(BLUE)), color(0.1)))
    without("red")
    tokensync("plan", "--prune", "-q")
    tokensync("apply", "--force", "-q")
    tokensync("-q", "pull")
    assert "library-token-gone" not in tokensync("plan", "--exit-code").stderr
    document = json.loads(APP.read_text("utf-8"))
    document["app"]["ink"]["$value"] = "{core.red}"
    APP.write_text(json.dumps(document), encoding="utf-8")
    what = "core / red: a value is to refer to it, but core no longer has it; refer to another token"
    assert f"{what}, or restore it in core and pull [library-token-gone]" in tokensync("plan").stderr
    assert "[library-token-gone]" in tokensync("plan", "--strict", code=1).stderr


def test_an_apply_counts_the_wrong_references_of_a_file_that_was_not_planned(folder):
    project_of(app=app(alias(remote(RED)), color(0.1)))
    without("blue")
    tokensync("plan", "--prune", "-q", "--file", "core")
    document = json.loads(APP.read_text("utf-8"))
    document["app"]["ink"]["$value"] = "{core.bleu}"
    APP.write_text(json.dumps(document), encoding="utf-8")
    Path("kept.json").write_bytes(PLAN.read_bytes())
    error = tokensync("apply", "kept.json", code=4).stderr
    assert "app may refer to deleted variables: its token files have errors" in error
