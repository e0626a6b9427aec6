"""Published styles in pulls, plans and what follows from them."""

import json
import random
import shutil
from pathlib import Path

import pytest
from commands.projects import DESIGN, files_in, output, project_in, tokensync

from tokensync.commands.plan import make_plan
from tokensync.commands.pull import pull
from tokensync.commands.status import status
from tokensync.commands.usage import usage
from tokensync.dtcg import read_folder
from tokensync.emulator import Emulator
from tokensync.emulator.cli.states import open_emulator
from tokensync.extract.client import Client, Credential
from tokensync.project.configuration import load_project
from tokensync.system.errors import ConflictError
from tokensync.tokens import float32
from tokensync.tokens.collection import DEFAULT_THEME

KEY = "key-one"
FONT, SIZE, SPACE = "VariableID:34:2", "VariableID:34:11", "VariableID:3:31"
BODY = {"fontFamily": "Inter", "fontWeight": 400, "fontSize": 16, "lineHeightPx": 24, "lineHeightUnit": "INTRINSIC_%"}
RED = {"r": 1, "g": 0, "b": 0, "a": 1}
SHADOW = {"type": "DROP_SHADOW", "color": RED, "offset": {"x": 0, "y": 2}, "radius": 4, "spread": 0}


def alias(id_):
    return {"type": "VARIABLE_ALIAS", "id": id_}


def text(size=16, **bound):
    members = {name: [alias(id_)] for name, id_ in bound.items()}
    return {"style": BODY | {"fontSize": size}, "boundVariables": members}


class Platform:
    """The quickstart's variables as ``key-one``, and the requests of the last command. ``refusals`` has the status and
    headers of the responses to some paths, by their ends."""

    def __init__(self):
        self.emulator = Emulator()
        self.refusals = {}
        self.paths = []
        self.sleeps = 0
        self.keys = {}
        self.emulator.seed(KEY, *(path.read_bytes() for path in DESIGN[:2]))

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        self.paths.append(path.removeprefix(f"/v1/files/{KEY}"))
        for end, (status_, headers) in self.refusals.items():
            if path.endswith(end):
                start_response(f"{status_} Refused", [("Content-Type", "application/json"), *headers])
                return [json.dumps({"status": status_, "err": "refused"}).encode()]
        return self.emulator(environ, start_response)

    def publish(self, *styles):
        for name, kind, value in styles:
            if name in self.keys:
                self.emulator.libraries.change(self.keys[name], value=value)
            else:
                self.keys[name] = self.emulator.libraries.add_style(KEY, name, kind, value=value)
        self.emulator.clock.advance(60)
        self.emulator.publish(KEY)

    def run(self, command, *arguments, **options):
        self.paths = []
        credential = Credential("personal", self.emulator.default_token, "a test")
        with Client("https://emulator.invalid", credential, wsgi=self) as client:
            return command(load_project(None), client, *arguments, **options)

    def pull(self, **options):
        return self.run(pull, **options)


@pytest.fixture
def platform(folder):
    project_in(folder, files=())
    configured("true")
    platform = Platform()
    platform.publish(
        ("body/regular", "TEXT", text(fontFamily=FONT)),
        ("low", "EFFECT", {"effects": [SHADOW | {"boundVariables": {"radius": alias(SPACE)}}]}),
        ("danger", "FILL", {"fills": [{"type": "SOLID", "color": RED}]}),
    )
    yield platform
    platform.emulator.close()


def configured(styles, *more):
    table = f'[[files]]\nname = "one"\nkey = "{KEY}"\n' + (f"styles = {styles}\n" if styles else "")
    Path("tokensync.toml").write_text('base_url = "emulator:"\n' + table + "".join(more), encoding="utf-8")


def file_of(kind="text"):
    return Path("tokens", "one", f"{kind}-styles", "style.tokens.json")


def tokens(kind="text"):
    return json.loads(file_of(kind).read_text(encoding="utf-8"))[f"{kind}-styles"]


def edit(kind, change):
    document = json.loads(file_of(kind).read_text(encoding="utf-8"))
    change(document[f"{kind}-styles"])
    file_of(kind).write_text(json.dumps(document), encoding="utf-8")


def codes(result):
    return [problem.code for problem in result.problems if problem.code.startswith("style")]


def test_the_first_pull_writes_styles_with_references(platform):
    platform.pull()
    assert platform.paths == ["/variables/local", "/variables/published", "/styles", "/nodes"]
    assert tokens()["body"]["regular"]["$value"]["fontFamily"] == "{typography.font.text}"
    assert tokens("effect")["low"]["$value"]["blur"] == "{primitives.size.8}"
    assert tokens("paint")["danger"]["$value"]["hex"] == "#ff0000"
    assert '"one","","","styles",' in Path("tokensync.lock").read_text(encoding="utf-8")


def test_a_pull_with_nothing_new_asks_for_the_list_only_and_writes_nothing(platform):
    platform.pull()
    before = files_in(Path())
    assert platform.pull().files[0].changed == ()
    assert platform.paths == ["/variables/local", "/variables/published", "/styles"]
    assert files_in(Path()) == before


def test_a_type_rule_is_for_variables_only(platform):
    configured("true", '[[types]]\ntype = "color"\npath = "danger"\n')
    assert "type-rule-unused" in [problem.code for problem in platform.pull().problems]


def test_without_the_setting_nothing_is_requested_or_written(platform):
    configured("")
    platform.pull()
    assert platform.paths == ["/variables/local", "/variables/published"]
    assert not file_of().exists()
    assert '"styles"' not in Path("tokensync.lock").read_text(encoding="utf-8")


def test_only_the_kinds_that_are_wanted_are_read(platform):
    configured('["effect"]')
    platform.pull()
    assert not file_of().exists()
    assert "low" in tokens("effect")


def random_styles(count):
    """Return styles by name with their type, value, and the numbers and names that their tokens hold."""
    chance = random.Random(40)

    def number(most):
        return float32(chance.uniform(0, most))

    for at in range(count):
        channels = {name: number(1) for name in "rgba"}
        match at % 3:
            case 0:
                font = {"fontFamily": f"Font {at}", "fontWeight": chance.randint(1, 1000), "fontSize": number(100)}
                font |= {"letterSpacing": number(2), "lineHeightPx": number(200), "lineHeightUnit": "PIXELS"}
                yield f"s{at}", "TEXT", {"style": font}, [font[name] for name in font if name != "lineHeightUnit"]
            case 1:
                shadow = SHADOW | {"color": channels, "offset": {"x": number(9), "y": number(9)}, "radius": number(50)}
                held = [*channels.values(), shadow["offset"]["x"], shadow["offset"]["y"], shadow["radius"]]
                yield f"s{at}", "EFFECT", {"effects": [shadow]}, held
            case _:
                paint = {"type": "SOLID", "color": channels}
                yield f"s{at}", "FILL", {"fills": [paint]}, [*channels.values()]


def held_by(token, literal):
    """Return the numbers and names of a resolved token, in the order of ``random_styles``."""
    match token.type:
        case "typography":
            value = json.loads(literal.json)
            lengths = [float32(value[name]["value"]) for name in ("fontSize", "letterSpacing", "lineHeight")]
            return [value["fontFamily"], value["fontWeight"], *lengths]
        case "shadow":
            value = json.loads(literal.json)
            lengths = [float32(value[name]["value"]) for name in ("offsetX", "offsetY", "blur")]
            return [*map(float32, (*value["color"]["components"], value["color"].get("alpha", 1))), *lengths]
        case _:
            return [literal.red, literal.green, literal.blue, literal.alpha]


def test_a_hundred_random_styles_are_tokens_with_equal_values(platform):
    styles = [*random_styles(100)]
    platform.publish(*(each[:3] for each in styles))
    platform.pull()
    graph = read_folder("tokens", "one").graph
    resolved = graph.resolver(DEFAULT_THEME)
    found = {
        token.key.path: held_by(token, resolved(key))
        for key, token in graph.tokens.items()
        if graph.collections[key[:2]].is_of_styles and key.path in dict.fromkeys(name for name, *_ in styles)
    }
    assert found == {name: held for name, _, _, held in styles}


def test_styles_refer_to_the_variables_of_libraries(platform):
    library = "VariableID:" + "a" * 40 + "/3:31"
    blurred = SHADOW | {"boundVariables": {"radius": alias(library)}}
    source = json.loads(DESIGN[0].read_bytes())
    local = source["meta"]["variables"][SPACE]
    home = {"id": "VariableCollectionId:" + "a" * 40 + "/3:1", "name": "Sizes", "key": "b" * 40, "remote": True}
    home |= {"modes": [{"modeId": "3:0", "name": "Value"}], "defaultModeId": "3:0", "variableIds": []}
    copy = local | {"id": library, "key": "a" * 40, "remote": True, "variableCollectionId": home["id"]}
    source["meta"]["variables"][library] = copy
    source["meta"]["variableCollections"][home["id"]] = home
    platform.emulator.seed(KEY, json.dumps(source).encode())
    platform.publish(("low", "EFFECT", {"effects": [blurred]}))
    platform.pull()
    assert tokens("effect")["low"]["$value"]["blur"] == "{sizes.size.8}"
    assert Path("tokens", "one", ".remote", "sizes").is_dir()


def test_each_file_has_styles_of_its_own(platform):
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write('[[files]]\nname = "two"\nkey = "key-two"\nstyles = ["text"]\n')
    platform.emulator.seed("key-two", DESIGN[0].read_bytes())
    platform.emulator.libraries.add_style("key-two", "other", "TEXT", value=text())
    platform.emulator.publish("key-two")
    platform.refusals = {f"{KEY}/nodes": (429, [])}
    result = platform.pull()
    assert [problem.where for problem in result.problems if problem.code == "styles-unread"] == ["one"]
    assert not file_of().exists()
    assert "other" in Path("tokens", "two", "text-styles", "style.tokens.json").read_text(encoding="utf-8")


def test_nodes_are_requested_by_the_hundred(platform):
    platform.publish(*((f"s{number}", "TEXT", text()) for number in range(250)))
    platform.pull()
    assert platform.paths.count("/nodes") == 3
    assert len(tokens()) == 251


def test_styles_without_the_setting_are_deleted_with_the_setting_gone(platform):
    platform.pull()
    configured("")
    platform.pull()
    assert not file_of().exists()
    assert '"styles"' not in Path("tokensync.lock").read_text(encoding="utf-8")


REFUSALS = [(403, []), (404, []), (429, [("Retry-After", "396749")]), (429, [("Retry-After", "1")]), (500, [])]


@pytest.mark.parametrize("end", ["/styles", "/nodes"])
@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_a_refusal_leaves_the_last_styles_and_updates_the_variables(platform, refusal, end):
    platform.pull()
    before = file_of().read_bytes()
    platform.refusals = {end: refusal}
    platform.publish(("body/regular", "TEXT", text(20)))
    renamed(platform, FONT, "font/words")
    result = platform.pull()
    assert codes(result) == ["styles-unread"]
    assert platform.paths.count(end) == 1  # no second attempt, and no wait
    assert file_of().read_bytes() == before.replace(b"{typography.font.text}", b"{typography.font.words}")
    platform.refusals = {}
    assert codes(platform.pull()) == []
    assert tokens()["body"]["regular"]["$value"]["fontSize"] == {"value": 20, "unit": "px"}


@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_a_refusal_at_the_first_pull_leaves_out_styles_only(platform, refusal):
    platform.refusals = {"/styles": refusal}
    assert codes(platform.pull()) == ["styles-unread"]
    assert Path("tokens", "one", "theme", "light.tokens.json").exists()
    assert not file_of().exists()


@pytest.mark.parametrize("body", [b"", b"[]", b'{"meta": {"styles": [{"key": 1}]}}', b'{"meta": {}}'])
def test_a_list_of_another_form_is_a_note(platform, body, monkeypatch):
    monkeypatch.setattr(Client, "call_without_waiting", lambda *_, **__: body)
    assert codes(platform.pull()) == ["styles-unread"]


def renamed(platform, variable, name):
    def post(_project, client):
        change = {"action": "UPDATE", "id": variable, "name": name}
        client.variables.post(KEY, json.dumps({"variables": [change]}).encode())

    platform.run(post)


def deleted(platform, variable):
    def post(_project, client):
        client.variables.post(KEY, json.dumps({"variables": [{"action": "DELETE", "id": variable}]}).encode())

    platform.run(post)


def test_a_renamed_style_is_renamed_and_keeps_its_members(platform):
    platform.pull()
    edit("text", lambda group: group["body"]["regular"]["$extensions"].update({"studio.tokens": 1}))
    platform.emulator.libraries.change(platform.keys["body/regular"], name="body/usual")
    platform.publish()
    platform.pull()
    assert list(tokens()["body"]) == ["usual"]
    assert tokens()["body"]["usual"]["$extensions"]["studio.tokens"] == 1


def test_a_deleted_style_is_deleted(platform):
    platform.pull()
    platform.emulator.libraries.drop(platform.keys["low"])
    platform.publish()
    platform.pull()
    assert not file_of("effect").exists()


def test_a_deleted_style_loses_nothing_that_a_person_wrote(platform):
    platform.publish(("body/regular", "TEXT", {"style": BODY | {"textCase": "SMALL_CAPS"}}))
    platform.pull()
    platform.emulator.libraries.drop(platform.keys["body/regular"])
    platform.publish()
    assert "tokens-member-removed" not in {problem.code for problem in platform.pull().problems}


def test_a_style_of_a_deleted_variable_has_its_last_literal(platform):
    platform.publish(("body/regular", "TEXT", text(11, fontFamily=FONT, fontSize=SIZE)))
    platform.pull()
    assert tokens()["body"]["regular"]["$value"]["fontSize"] == "{typography.body.size}"
    deleted(platform, SIZE)
    platform.refusals = {"/nodes": (429, [])}
    platform.pull()
    assert tokens()["body"]["regular"]["$value"]["fontSize"] == {"value": 16, "unit": "px"}
    assert platform.pull().files[0].changed == ()


def test_an_edit_of_a_style_stays_and_is_noted_once_in_plans(platform):
    platform.pull()
    for kind, name in (("text", "body"), ("paint", "danger")):
        edit(kind, lambda group, name=name: group.pop(name))
    edit("effect", lambda group: group["low"]["$value"].update(spread={"value": 9, "unit": "px"}))
    platform.pull()
    assert tokens("effect")["low"]["$value"]["spread"] == {"value": 9, "unit": "px"}
    planned = platform.run(make_plan)
    assert "/styles" not in platform.paths
    assert codes(planned) == ["style-edited"]
    (note,) = [problem for problem in planned.problems if problem.code == "style-edited"]
    assert "this style, and 2 more styles" in note.what
    assert not planned.changes
    assert codes(platform.run(status)) == ["style-edited"]


def test_edits_of_both_sides_are_a_conflict(platform):
    platform.pull()
    edit("effect", lambda group: group["low"]["$value"].update(spread={"value": 9, "unit": "px"}))
    platform.publish(("low", "EFFECT", {"effects": [SHADOW | {"spread": 3}]}))
    with pytest.raises(ConflictError, match="low"):
        platform.pull()
    platform.pull(always="theirs")
    assert tokens("effect")["low"]["$value"]["spread"] == {"value": 3, "unit": "px"}


def test_a_member_without_a_form_in_dtcg_follows_the_platform(platform):
    platform.pull()
    platform.publish(("body/regular", "TEXT", {"style": BODY | {"textCase": "SMALL_CAPS"}}))
    platform.pull()
    assert tokens()["body"]["regular"]["$extensions"]["com.figma.style"] == {"textCase": "SMALL_CAPS"}
    platform.publish(("body/regular", "TEXT", {"style": BODY}))
    platform.pull()
    assert "com.figma.style" not in tokens()["body"]["regular"]["$extensions"]


def test_a_token_with_the_name_of_a_new_style_keeps_its_value(platform):
    platform.pull()
    own = {"$type": "shadow", "$value": {**tokens("effect")["low"]["$value"], "blur": {"value": 7, "unit": "px"}}}
    edit("effect", lambda group: group.update(high=own))
    platform.publish(("high", "EFFECT", {"effects": [SHADOW]}))
    result = platform.pull()
    assert codes(result) == ["style-name-taken"]
    assert tokens("effect")["high"]["$value"]["blur"] == {"value": 7, "unit": "px"}
    assert codes(platform.pull()) == []
    assert tokens("effect")["high"]["$value"]["blur"] == {"value": 7, "unit": "px"}


def test_a_variable_that_a_style_refers_to_can_be_renamed_on_both_sides(platform):
    platform.pull()
    tokensync("-q", "tokens", "rename", "typography/font/text", "typography/font/ours")
    renamed(platform, SPACE, "size/eight")
    planned = platform.run(make_plan, always="ours")
    assert codes(planned) == []
    platform.pull()
    assert tokens()["body"]["regular"]["$value"]["fontFamily"] == "{typography.font.ours}"
    assert tokens("effect")["low"]["$value"]["blur"] == "{primitives.size.eight}"


def test_the_status_tells_that_styles_were_published_without_reading_them(platform):
    platform.pull()
    assert platform.run(status).files[0].behind == ()
    platform.publish(("low", "EFFECT", {"effects": [SHADOW | {"radius": 5}]}))
    (change,) = platform.run(status).files[0].behind
    assert str(change) == "styles: published since the last pull"
    assert "/nodes" not in platform.paths


def test_a_comparison_with_the_platform_has_its_styles_of_now(folder):
    project_in(folder, files=())
    configured("true")
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, DESIGN[0].read_bytes())
        key = emulator.libraries.add_style(KEY, "low", "EFFECT", value={"effects": [SHADOW]})
        emulator.publish(KEY)
    tokensync("-q", "pull")
    with open_emulator(None, None) as emulator:
        emulator.libraries.change(key, name="lower")
        emulator.clock.advance(60)
        emulator.publish(KEY)
    assert 'name: "low" -> "lower"' in tokensync("diff", "tokens", "remote", code=3).output


def test_a_variable_cannot_refer_to_a_style(platform):
    platform.pull()
    path = Path("tokens", "one", "theme", "light.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["theme"]["danger"] = {"$type": "color", "$value": "{paint-styles.danger}"}
    path.write_text(json.dumps(document), encoding="utf-8")
    planned = platform.run(make_plan)
    assert "token-left-out" in [problem.code for problem in planned.problems]


def test_a_collection_with_the_name_of_styles_keeps_its_folder(platform):
    def post(_project, client):
        made = {"action": "CREATE", "id": "c", "name": "Text styles", "initialModeId": "m"}
        client.variables.post(KEY, json.dumps({"variableCollections": [made]}).encode())

    platform.run(post)
    platform.pull()
    assert (Path("tokens", "one", "text-styles") / "mode-1.tokens.json").exists()
    assert Path("tokens", "one", "text-styles-2", "style.tokens.json").exists()


def test_a_fresh_clone_builds_checks_and_knows_that_nothing_is_new(platform, tmp_path, monkeypatch):
    configured("true", output("css", "code"))
    platform.pull()
    tokensync("-q", "build")
    clone = tmp_path / "clone"
    shutil.copytree(Path(), clone, ignore=shutil.ignore_patterns(".tokensync", "clone"))
    monkeypatch.chdir(clone)
    tokensync("-q", "check")
    css = Path("code", "tokens.css").read_text(encoding="utf-8")
    assert "--low: 0px 2px var(--size-8) 0px #f00;" in css
    assert "--danger: #f00;" in css
    assert platform.pull().files[0].changed == ()
    assert platform.paths.count("/nodes") == 0


def test_a_lost_lock_means_that_styles_are_read_again(platform):
    platform.pull()
    before = files_in(Path())
    Path("tokensync.lock").unlink()
    platform.pull()
    assert "/nodes" in platform.paths
    assert files_in(Path()) == before


def test_both_sides_of_a_conflict_in_the_lock_know_their_lists(platform):
    platform.pull()
    ours = Path("tokensync.lock").read_text(encoding="utf-8")
    platform.publish(("high", "EFFECT", {"effects": [SHADOW]}))
    platform.pull()
    theirs = Path("tokensync.lock").read_text(encoding="utf-8")
    both = f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"
    Path("tokensync.lock").write_text(both, encoding="utf-8")
    platform.pull()
    assert "/nodes" not in platform.paths
    assert Path("tokensync.lock").read_text(encoding="utf-8") == theirs


@pytest.mark.parametrize(
    ("styles", "words"),
    [
        ('"text"', "write ['text']"),
        ('["texts"]', 'use "text"'),
        ("1", "expected true or false or an array, found an integer"),
    ],
)
def test_a_wrong_setting_is_refused(folder, styles, words):
    project_in(folder, files=())
    configured(styles)
    assert words.replace("'", '"') in tokensync("check", code=2).stderr.replace("'", '"')


def test_the_mark_of_a_large_pull_holds_until_styles_are_published(platform, monkeypatch):
    monkeypatch.setattr("tokensync.project.merging.LEAST", 1)
    platform.pull()
    (mark,) = Path("tokens").glob(".pulled-*")
    with monkeypatch.context() as context:
        context.setattr("tokensync.commands.pull.merged_file", None)  # the next one merges nothing
        platform.pull()
        context.setattr("tokensync.commands.plan.merged_file", None)
        assert not platform.run(make_plan).changes
    platform.publish(("low", "EFFECT", {"effects": [SHADOW | {"radius": 5}]}))
    platform.pull()
    assert [*Path("tokens").glob(".pulled-*")] != [mark]


def test_the_usage_of_variables_leaves_out_styles_but_counts_their_references(platform):
    platform.pull()
    rows = {row.token.key.path: row.status for row in platform.run(usage).rows}
    assert "body.regular" not in rows
    assert rows["font.text"] in ("referred", "used")


def test_a_style_that_is_deleted_in_the_file_but_still_published_is_noted(platform):
    platform.pull()
    platform.emulator.libraries.drop(platform.keys["low"])
    Path("tokensync.lock").unlink()  # so that the nodes are read again
    result = platform.pull(always="theirs")
    (note,) = [problem for problem in result.problems if problem.code == "styles-omitted"]
    assert note.names == ("low",)
    assert "deleted there, but not in the publication" in note.what
