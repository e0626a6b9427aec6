"""What people write in token files survives a pull and ``format``, or the pull names it."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from commands.projects import files_in, pulled_in, response, tokensync
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

LIGHT = "tokens/one/theme/light.tokens.json"
DARK = "tokens/one/theme/dark.tokens.json"
RESOLVER = "tokens/one.resolver.json"
NAMES = (
    "slate",
    "text/main",
    "text/quiet",
    "text/on/dark",
    "accent",
    "accent/base",
    "accent/soft",
    "old/one",
    "old/two",
)
VARIABLES = {
    **{name: (f"#1122{number:02}", f"#4455{number:02}") for number, name in enumerate(NAMES, 10)},
    "alias/main": ("{slate}", "{text/main}"),
    "label": ("Hello", "Hi"),
}


def changed(renames=(), deleted=(), values=()):
    """Return the response of ``VARIABLES`` after renames (whole names), deletions and new values for both modes."""
    document = json.loads(response(VARIABLES))
    variables, collections = document["meta"]["variables"], document["meta"]["variableCollections"]
    ids = {each["name"]: identity for identity, each in variables.items()}
    for name, new in renames:
        variables[ids[name]]["name"] = new
    for name in values:
        red = {"r": 1, "g": 0, "b": 0, "a": 1}
        variables[ids[name]]["valuesByMode"] = {"1:0": red, "1:1": red}
    for name in deleted:
        del variables[ids[name]]
        next(iter(collections.values()))["variableIds"].remove(ids[name])
    return json.dumps(document).encode()


def seed(folder, content):
    (folder / "edited.json").write_bytes(content)
    tokensync("-q", "emulator", "seed", "--key", "key-one", "edited.json")


SRGB = {"colorSpace": "srgb", "components": [0.06666667, 0.13333334, 0.08627451]}
LENGTH = {"value": 1, "unit": "px"}
COMPOSITES = {
    "shadow": {"color": SRGB, "offsetX": LENGTH, "offsetY": LENGTH, "blur": LENGTH, "spread": LENGTH},
    "border": {"width": LENGTH, "style": "solid", "color": SRGB},
    "transition": {
        "duration": {"value": 200, "unit": "ms"},
        "delay": {"value": 0, "unit": "ms"},
        "timingFunction": [0, 0, 1, 1],
    },
    "gradient": [{"position": 0, "color": SRGB}, {"position": 1, "color": SRGB}],
    "strokeStyle": {"lineCap": "round", "dashArray": [LENGTH, LENGTH]},
    "typography": {
        "fontSize": LENGTH,
        "fontFamily": "Inter",
        "fontWeight": 400,
        "lineHeight": 1.5,
        "letterSpacing": LENGTH,
    },
}
"""Values whose members are neither sorted nor all in the order of the specification."""


@pytest.fixture
def project(folder):
    return pulled_in(folder, VARIABLES)


def edit(folder, path, change, code=0):
    """Change a JSON file, and write it as ``tokensync format`` does, which exits with ``code``."""
    file = folder / path
    tree = json.loads(file.read_bytes())
    change(tree)
    file.write_text(json.dumps(tree, ensure_ascii=False), encoding="utf-8")
    tokensync("-q", "format", code=code)


def tree(folder, path):
    return json.loads((folder / path).read_bytes())


def line_of(folder, path, text):
    return next(n for n, line in enumerate((folder / path).read_text("utf-8").splitlines(), 1) if text in line)


class TestMembers:
    def test_they_survive_a_pull_that_changes_nothing_without_a_change_of_any_byte(self, project):
        def light(tree):
            tree |= {"$comment": "ours", "$description": "All", "$odd": [1]}
            tree["$schema"] = "https://example.org/schema.json"
            tree["$extensions"] |= {"com.example": {"b": 1, "a": [1.5, None]}}
            tree["$extensions"]["org.tokensync"] |= {"team": "web"}
            tree["$extensions"]["org.tokensync"]["collection"] |= {"owner": "Ann"}
            theme = tree["theme"]
            theme["text"] |= {"$description": "Text", "$extensions": {"com.figma.x": 1, "b": 2}, "$deprecated": "no"}
            theme["text"]["main"] |= {"$comment": "why", "$odd": 1, "$deprecated": False}
            theme["text"]["main"]["$extensions"] |= {"studio.tokens": {"z": 1, "a": 2}, "a.first": 1}
            theme["text"]["main"]["$extensions"]["org.tokensync"]["note"] = "x"
            theme["accent"]["$root"]["$comment"] = "root"
            theme |= {"empty": {}, "later": {"$description": "soon", "deep": {}}}

        def dark(tree):
            tree |= {"$comment": "dark", "$deprecated": False}
            tree["theme"]["text"] |= {"$description": "Dark text", "$extensions": {"com.example": True}}
            tree["theme"]["slate"] |= {"$description": "At night", "$deprecated": True, "$comment": "c"}
            tree["theme"]["slate"]["$extensions"] = {"com.example": "only dark"}

        def resolver(tree):
            tree |= {"description": "Ours", "$defs": {"a": 1}, "name": "Harbour"}
            tree["modifiers"]["theme"] |= {"description": "d", "$extensions": {"com.example": 1}}
            tree["$extensions"] = {"com.example": {"deep": [1, {"a": None}]}}

        edit(project, LIGHT, light)
        edit(project, DARK, dark)
        edit(project, RESOLVER, resolver)
        before = files_in(project / "tokens")
        done = tokensync("pull", "-v")
        assert files_in(project / "tokens") == before
        assert "changed" not in done.stderr
        assert tokensync("format", "--check").code == 0
        assert tokensync("-q", "status").output.strip() == "one: in sync"

    def test_a_renamed_group_carries_its_members_along(self, project):
        def light(tree):
            tree["theme"]["text"] |= {"$description": "Text", "$extensions": {"com.example": 1}}
            tree["theme"]["text"]["on"] = {"$description": "On colours", **tree["theme"]["text"]["on"]}
            tree["theme"]["text"]["main"]["$comment"] = "c"

        edit(project, LIGHT, light)
        edit(project, DARK, lambda tree: tree["theme"]["text"].update({"$description": "Dark"}))
        names = [name for name in VARIABLES if name.startswith("text/")]
        seed(project, changed([(name, name.replace("text/", "ink/deep/")) for name in names]))
        tokensync("-q", "pull")
        ink = tree(project, LIGHT)["theme"]["ink"]["deep"]
        assert ink["$description"] == "Text"
        assert ink["$extensions"] == {"com.example": 1}
        assert ink["on"]["$description"] == "On colours"
        assert ink["main"]["$comment"] == "c"
        assert tree(project, DARK)["theme"]["ink"]["deep"]["$description"] == "Dark"
        assert "text" not in tree(project, LIGHT)["theme"]

    def test_a_member_of_a_deleted_token_or_group_is_named_with_its_place(self, project):
        def light(tree):
            tree["theme"]["old"]["$description"] = "The old ones"
            tree["theme"]["old"]["one"]["$extensions"]["com.example"] = 1
            tree["theme"]["old"]["two"] |= {"$deprecated": "gone soon", "$comment": "c"}

        edit(project, LIGHT, light)
        group = f"{LIGHT}:{line_of(project, LIGHT, 'The old ones')}:"
        seed(project, changed(deleted=["old/one", "old/two"]))
        notes = tokensync("pull", "-v", "--dry-run").stderr
        assert tree(project, LIGHT)["theme"]["old"]
        assert tokensync("pull", "-v").stderr.splitlines()[:4] == notes.splitlines()[:4]
        assert f"{group}23 (#/theme/old/$description): a pull removes $description, because the tokens of the" in notes
        assert "(#/theme/old/one/$extensions): a pull removes $extensions.com.example, because the token was" in notes
        assert "(#/theme/old/two/$deprecated): a pull removes $deprecated, because the token was deleted" in notes
        assert "(#/theme/old/two/$comment): a pull removes $comment, because the token was deleted" in notes
        assert "old" not in tree(project, LIGHT)["theme"]

    def test_two_groups_that_become_one_keep_the_members_of_both(self, project):
        def light(tree):
            tree["theme"]["text"]["$description"] = "Text"
            tree["theme"]["old"]["$description"] = "Old"

        edit(project, LIGHT, light)
        seed(project, changed([("old/one", "text/one"), ("old/two", "text/two")]))
        tokensync("-q", "pull")
        theme = tree(project, LIGHT)["theme"]
        assert theme["text"]["$description"] == "Text"
        assert theme["old"] == {"$description": "Old"}

    def test_a_member_that_would_replace_another_one_stops_the_pull(self, project):
        """The default mode's file holds descriptions, and another mode's file now becomes it."""
        edit(project, LIGHT, lambda tree: tree["theme"]["slate"].update({"$description": "By day"}))
        edit(project, DARK, lambda tree: tree["theme"]["slate"].update({"$description": "By night"}))
        before = files_in(project / "tokens")
        content = json.loads(changed())
        next(iter(content["meta"]["variableCollections"].values()))["defaultModeId"] = "1:1"
        seed(project, json.dumps(content).encode())
        stderr = tokensync("pull", code=1).stderr
        line = line_of(project, DARK, "By night")
        assert f"{DARK}:{line}:23 (#/theme/slate/$description): a pull would replace $description" in stderr
        assert files_in(project / "tokens") == before

    def test_what_theirs_discards_of_invalid_files_is_said_and_members_stay(self, project):
        def light(tree):
            tree["theme"]["text"]["$description"] = "Text"
            tree["theme"]["slate"]["$value"] = "nonsense"

        edit(project, LIGHT, light, code=1)
        stderr = tokensync("pull", "--theirs", "-v").stderr
        assert "tokens/one: its token files have errors, so --theirs replaces all of them" in stderr
        assert tree(project, LIGHT)["theme"]["text"]["$description"] == "Text"
        assert tree(project, LIGHT)["theme"]["slate"]["$value"] != "nonsense"


class TestNotations:
    def test_types_of_groups_and_pointers_stay(self, project):
        def light(tree):
            theme = tree["theme"]
            theme["text"]["$type"] = "color"
            for name in ("main", "quiet"):
                del theme["text"][name]["$type"]
            theme["alias"]["main"]["$value"] = {"$ref": "#/theme/slate"}
            del theme["alias"]["main"]["$type"]
            theme["accent"]["soft"]["$value"] = {"colorSpace": "hsl", "components": [0, 100, 50]}

        def dark(tree):
            token = tree["theme"]["alias"]["main"]
            del token["$value"]
            token["$ref"] = "#/theme/text/main/$value"

        edit(project, LIGHT, light)
        edit(project, DARK, dark)
        before = files_in(project / "tokens")
        tokensync("-q", "pull")
        assert files_in(project / "tokens") == before
        seed(project, changed([("slate", "stone/1"), ("text/main", "text/first")], values=["text/quiet"]))
        tokensync("-q", "pull")
        theme = tree(project, LIGHT)["theme"]
        assert theme["alias"]["main"]["$value"] == {"$ref": "#/theme/stone/1"}
        assert tree(project, DARK)["theme"]["alias"]["main"]["$ref"] == "#/theme/text/first/$value"
        assert "$type" not in theme["text"]["first"]
        assert theme["text"]["quiet"]["$value"]["hex"] == "#ff0000"
        tokensync("-q", "pull")
        assert tokensync("diff", "remote", "tokens", code=3).output.splitlines() == [
            "~ theme / accent/soft",
            "    in light: #112216 -> #ff0000",
        ]

    @pytest.mark.parametrize("name", COMPOSITES)
    def test_the_members_of_values_stay_in_their_order(self, project, name):
        def light(tree):
            tree["theme"]["own"] = {"$type": name, "$value": COMPOSITES[name]}
            tree["theme"]["alias"]["soft"] = {"$type": "color", "$value": {**SRGB, "hex": "#11221680", "alpha": 0.5}}

        edit(project, LIGHT, light)
        written = tree(project, LIGHT)["theme"]
        for renames in ([], [("slate", "stone/1")]):
            seed(project, changed(renames))
            tokensync("-q", "pull", "--theirs")
            theme = tree(project, LIGHT)["theme"]
            assert json.dumps(theme["own"]) == json.dumps(written["own"])
            assert json.dumps(theme["alias"]["soft"]["$value"]) == json.dumps(written["alias"]["soft"]["$value"])
        assert list(written["own"]["$value"]) == list(COMPOSITES[name])

    def test_pointers_to_parts_of_values_stay(self, project):
        part = {"$ref": "#/theme/text/quiet/$value/components"}
        shadow = {
            "color": "{theme.text.main}",
            **{name: {"value": 1, "unit": "px"} for name in ("offsetX", "offsetY", "blur")},
            "spread": {"$ref": "#/theme/shadow/size/$value"},
        }
        size = {"$type": "dimension", "$value": {"value": 2, "unit": "px"}}

        def light(tree):
            theme = tree["theme"]
            theme["accent"]["soft"]["$value"] = {"colorSpace": "srgb", "components": part}
            theme["shadow"] = {"size": size, "low": {"$type": "shadow", "$value": shadow}}

        edit(project, LIGHT, light)
        edit(project, DARK, lambda tree: tree["theme"].update({"shadow": {"size": size}}))
        before = files_in(project / "tokens")
        tokensync("-q", "pull")
        assert files_in(project / "tokens") == before
        seed(project, changed([("text/main", "ink/main"), ("text/quiet", "ink/still")]))
        tokensync("-q", "pull")
        theme = tree(project, LIGHT)["theme"]
        assert theme["accent"]["soft"]["$value"]["components"] == {"$ref": "#/theme/ink/still/$value/components"}
        assert theme["shadow"]["low"]["$value"]["color"] == "{theme.ink.main}"
        assert theme["shadow"]["low"]["$value"]["spread"] == {"$ref": "#/theme/shadow/size/$value"}
        seed(project, changed([("text/main", "ink/main")], deleted=["text/quiet"]))
        stderr = tokensync("pull", "-v").stderr
        assert (
            "(#/theme/accent/soft/$value): a pull removes $ref, because the token that it refers to was del" in stderr
        )

    def test_a_token_that_the_platform_adds_to_a_deprecated_group_is_not_deprecated(self, project):
        edit(project, LIGHT, lambda tree: tree["theme"]["text"].update({"$deprecated": "use ink"}))
        seed(project, changed([("label", "text/label")]))
        tokensync("-q", "pull")
        text = tree(project, LIGHT)["theme"]["text"]
        assert text["label"]["$deprecated"] is False
        assert "$deprecated" not in text["main"]
        assert text["$deprecated"] == "use ink"


class TestExtends:
    @pytest.fixture
    def extending(self, project):
        """A project whose group ``night`` extends ``accent``, in sync with the platform."""
        own = {"$type": "color", "$value": "{theme.slate}"}
        edit(project, LIGHT, lambda tree: tree["theme"].update({"night": {"$extends": "{theme.accent}", "own": own}}))
        edit(project, DARK, lambda tree: tree["theme"].update({"night": {"$ref": "#/theme/accent", "own": own}}))
        tokensync("-q", "plan", "-o", "plan.json")
        tokensync("-q", "apply", "plan.json")
        tokensync("-q", "pull")
        tokensync("pull", "-q", "--snapshot-out", "saved")
        return project

    def state(self, project):
        return json.loads((project / "saved" / "one.local.json").read_bytes())

    def variable(self, document, name):
        return next(each for each in document["meta"]["variables"].values() if each["name"] == name)

    def test_a_group_still_extends_another_one_and_the_tokens_it_inherits_are_not_written(self, extending):
        assert list(tree(extending, LIGHT)["theme"]["night"]) == ["$extends", "own"]
        assert list(tree(extending, DARK)["theme"]["night"]) == ["$ref", "own"]
        assert tokensync("status").output.strip() == "one: in sync"
        listed = json.loads(tokensync("tokens", "list", "--json").output)
        assert {"night.base", "night.soft", "night", "night.own"} <= {each["path"] for each in listed}

    def test_a_change_of_an_inherited_token_is_written_beside_the_reference(self, extending):
        document = self.state(extending)
        self.variable(document, "night/base")["valuesByMode"]["1:0"] = {"r": 0, "g": 1, "b": 0, "a": 1}
        seed(extending, json.dumps(document).encode())
        tokensync("-q", "pull")
        night = tree(extending, LIGHT)["theme"]["night"]
        assert night["$extends"] == "{theme.accent}"
        assert night["base"]["$value"]["hex"] == "#00ff00"
        assert "soft" not in night
        assert list(tree(extending, DARK)["theme"]["night"]) == ["$ref", "own"]
        assert tokensync("status").output.strip() == "one: in sync"

    def test_a_change_of_the_extended_group_reaches_the_tokens_that_inherit_it(self, extending):
        document = self.state(extending)
        self.variable(document, "accent/base")["valuesByMode"]["1:0"] = {"r": 0, "g": 1, "b": 0, "a": 1}
        seed(extending, json.dumps(document).encode())
        tokensync("-q", "pull")
        assert list(tree(extending, LIGHT)["theme"]["night"]) == ["$extends", "own"]
        assert "theme / night/base: in light" in tokensync("status", code=3).output

    def test_references_follow_a_renamed_group(self, extending):
        document = self.state(extending)
        for name in ("accent", "accent/base", "accent/soft"):
            self.variable(document, name)["name"] = name.replace("accent", "tint/deep")
        seed(extending, json.dumps(document).encode())
        tokensync("-q", "pull")
        assert tree(extending, LIGHT)["theme"]["night"]["$extends"] == "{theme.tint.deep}"
        assert tree(extending, DARK)["theme"]["night"]["$ref"] == "#/theme/tint/deep"
        assert tokensync("status").output.strip() == "one: in sync"

    def test_a_deleted_group_is_no_longer_extended_and_the_tokens_are_written(self, extending):
        document = self.state(extending)
        for name in ("accent", "accent/base", "accent/soft"):
            identity = self.variable(document, name)["id"]
            del document["meta"]["variables"][identity]
            next(iter(document["meta"]["variableCollections"].values()))["variableIds"].remove(identity)
        seed(extending, json.dumps(document).encode())
        stderr = tokensync("pull", "-v").stderr
        assert f"{LIGHT}:" in stderr
        assert "a pull removes $extends, because the group that it names was deleted" in stderr
        assert {"$root", "base", "soft", "own"} == {*tree(extending, LIGHT)["theme"]["night"]}
        assert tokensync("status").output.strip() == "one: in sync"

    def test_an_inherited_token_that_the_design_file_lacks_is_named(self, extending):
        document = self.state(extending)
        identity = self.variable(document, "night/soft")["id"]
        del document["meta"]["variables"][identity]
        next(iter(document["meta"]["variableCollections"].values()))["variableIds"].remove(identity)
        seed(extending, json.dumps(document).encode())
        line = line_of(extending, LIGHT, '"$extends"')
        stderr = tokensync("pull", "-v").stderr
        assert f"{LIGHT}:{line}:" in stderr
        assert "the group inherits night.soft, which the design file does not have" in stderr
        assert list(tree(extending, LIGHT)["theme"]["night"]) == ["$extends", "own"]


MEMBERS = (
    "$description",
    "$comment",
    "$odd",
    "$extensions/com.example",
    "$extensions/org.tokensync/team",
    "$deprecated",
)


def nodes_of(tree):
    """Return the objects of a token file with their kind: the file, its groups and its tokens."""
    found = [("file", (), tree)]
    pending = [((name,), each) for name, each in tree.items() if name[:1] != "$"]
    while pending:
        pointer, node = pending.pop()
        found.append(("token" if "$value" in node else "group", pointer, node))
        inner = (item for item in node.items() if item[0] == "$root" or item[0][:1] != "$")
        pending += [((*pointer, name), each) for name, each in inner if "$value" not in node]
    return sorted(found, key=lambda each: each[1])


@st.composite
def changes(draw):
    """Renames of tokens and groups, deletions and new values, of distinct variables."""
    groups = draw(st.lists(st.sampled_from(["text", "accent", "old"]), unique=True, max_size=2))
    renames = {}
    for group in groups:
        new = draw(st.sampled_from([f"{group}2", f"deep/{group}", "text", "moved/to/here"]))
        renames |= {name: name.replace(group, new, 1) for name in NAMES if name.split("/")[0] == group}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=2)):
        renames[name] = draw(st.sampled_from(["fresh", "text/fresh", "accent/fresh/er"])) + name[-1]
    deleted = draw(
        st.lists(
            st.sampled_from([name for name in NAMES if name not in ("slate", "text/main")]), unique=True, max_size=3
        )
    )
    renames = {name: new for name, new in renames.items() if name not in deleted}
    final = [renames.get(name, name) for name in VARIABLES if name not in deleted]
    if len(set(final)) < len(final):
        renames = {}
    values = [name for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=2)) if name not in deleted]
    return [*renames.items()], deleted, values


@given(st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[*HealthCheck])
def test_every_member_survives_a_pull_and_format_or_is_named(pulled_once, data):
    folder = Path(tempfile.mkdtemp(dir=pulled_once.parent))
    shutil.copytree(pulled_once, folder, dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        markers = {}
        for path in (LIGHT, DARK):
            tree_of_file = json.loads((folder / path).read_bytes())
            nodes = nodes_of(tree_of_file)
            for _ in range(data.draw(st.integers(0, 4))):
                kind, pointer, node = data.draw(st.sampled_from(nodes))
                member = data.draw(st.sampled_from(MEMBERS))
                if kind == "token" and path == LIGHT and member in ("$description", "$deprecated"):
                    continue  # members of the token, which a merge decides about
                *outer, name = member.split("/")
                for each in outer:
                    node = node.setdefault(each, {})
                if name not in node:
                    marker = f"marker {len(markers)}"
                    node[name] = marker
                    markers[marker] = (path, pointer, member)
            (folder / path).write_text(json.dumps(tree_of_file), encoding="utf-8")
        tokensync("-q", "format")
        texts = {path: (folder / path).read_text("utf-8") for path in (LIGHT, DARK)}
        assert all(f'"{marker}"' in texts[path] for marker, (path, *_) in markers.items())
        seed(folder, changed(*data.draw(changes())))
        stderr = tokensync("-v", "pull").stderr
        after = "".join((folder / path).read_text("utf-8") for path in (LIGHT, DARK))
        for marker, (path, pointer, member) in markers.items():
            if f'"{marker}"' in after:
                continue
            owner = "/".join(("#", *pointer))
            name = member.replace("/", ".").removesuffix(".team")  # it may be all of our extension
            named = rf"{path}:\d+:\d+ \({re.escape(owner)}/\$[a-z]+\): a pull removes [^;]*{re.escape(name)}"
            assert re.search(named, stderr), (marker, path, pointer, member, stderr)
        assert tokensync("format", "--check").code == 0
        before = files_in(folder / "tokens")
        tokensync("-q", "pull")
        assert files_in(folder / "tokens") == before
        assert tokensync("-q", "status").output.strip() == "one: in sync"
    shutil.rmtree(folder)


@pytest.fixture
def pulled_once(tmp_path):
    folder = tmp_path / "pulled"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        pulled_in(folder, VARIABLES)
    return folder


def test_the_default_of_a_modifier_is_kept_and_named(project):
    path = project / RESOLVER
    edited = path.read_text("utf-8").replace('"default": "light"', '"default": "dark"')
    path.write_text(edited, encoding="utf-8")
    tokensync("format")
    assert "the default is 'dark', but outputs and Figma use 'light'" in tokensync("build", "-o", "out").stderr
    seed(project, changed(values=["slate"]))
    tokensync("pull")
    assert path.read_text("utf-8") == edited
    assert "nothing to do" in tokensync("pull").stderr
    assert "nothing to do" in tokensync("plan").output
    path.write_text(edited.replace('"default": "dark"', '"default": "drak"'), encoding="utf-8")
    before = files_in(project)
    for command in ("pull", "build -o out", "plan"):
        stderr = tokensync(*command.split(), code=1).stderr
        assert (
            "(#/modifiers/theme/default): the default 'drak' is not a context of this modifier; use \"dark\"" in stderr
        )
    assert files_in(project) == before


@pytest.mark.parametrize("name", ["$extends", "$ref"])
def test_a_file_that_extends_a_group_as_a_whole_stops_the_pull_with_its_place(project, name):
    reference = {"$extends": "{theme.text}", "$ref": "#/theme/text"}[name]
    edit(project, LIGHT, lambda tree: tree.update({name: reference}))
    tokensync("format")
    assert tree(project, LIGHT)[name] == reference
    before = files_in(project)
    for command in ("pull", "build -o out", "plan"):
        errors = [each for each in tokensync(*command.split(), code=1).stderr.splitlines() if each.startswith("error")]
        (error,) = errors
        assert f"(#/{name}): the file as a whole extends a group" in error
        assert error.endswith("move it into the group that inherits the tokens, or remove it [group-extends]")
    assert files_in(project) == before


def test_a_pull_keeps_a_text_style_with_a_length_as_its_line_height_as_it_is_written(project):
    style = {**COMPOSITES["typography"], "fontSize": {"value": 16, "unit": "px"}}
    style = {**style, "lineHeight": {"value": 24, "unit": "px"}, "fontStyle": "italic"}
    edit(project, LIGHT, lambda tree: tree["theme"].update(style={"$type": "typography", "$value": style}))
    tokensync("-q", "build", "-o", "before", "--platform", "css")
    tokensync("-q", "pull")
    (entry,) = [tree(project, LIGHT)["theme"]["style"]]
    assert entry == {"$type": "typography", "$value": style}
    tokensync("-q", "build", "-o", "after", "--platform", "css")
    assert files_in(project / "before") == files_in(project / "after")
    assert b'--style: italic 400 16px/24px "Inter";' in (project / "after" / "css" / "tokens.css").read_bytes()
