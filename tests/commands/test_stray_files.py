"""Files of a tokens folder that no command reads are named, with the place where they would be read."""

import json
import re
import shutil

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, pulled_in, tokensync

TOKEN = {"$type": "number", "$value": 1}
OTHERS = {
    "tokens/tokens.json": ({"size": {"a": TOKEN}}, "move it to tokens/one/size/value.tokens.json"),
    "tokens/colors.tokens.json": ({"size": {"a": TOKEN}}, "move it to tokens/one/size/colors.tokens.json"),
    "tokens/one/oops.tokens.json": ({"theme": {"a": TOKEN}}, "move it to tokens/one/theme/oops.tokens.json"),
    "tokens/one/all.json": (
        {"color": {"a": TOKEN}, "size": {"b": TOKEN}},
        "move it to tokens/one/color/all.tokens.json",
    ),
    "tokens/one/theme/dark.json": (
        {"theme": {"a": TOKEN}},
        "move its tokens to tokens/one/theme/dark.tokens.json",
    ),
    "tokens/one/theme/dark.tokens.json.json": (
        {"theme": {"a": TOKEN}},
        "move its tokens to tokens/one/theme/dark.tokens.json",
    ),
    "tokens/one/theme/dim.tokens.json.json": (
        {"theme": {"a": TOKEN}},
        "move it to tokens/one/theme/dim.tokens.json",
    ),
    "tokens/one/theme/dim.json": ({"theme": {"a": TOKEN}}, "move it to tokens/one/theme/dim.tokens.json"),
    "tokens/one/theme/dim.tokens": ({"theme": {"a": TOKEN}}, "move it to tokens/one/theme/dim.tokens.json"),
    "tokens/one/theme/more/dim.tokens.json": (
        {"theme": {"a": TOKEN}},
        "move it to tokens/one/theme/dim.tokens.json",
    ),
    "tokens/one/theme/Dim.TOKENS.JSON": ({"theme": {"a": TOKEN}}, "move it to tokens/one/theme/Dim.tokens.json"),
    "tokens/one/theme/dim.tokens.json5": ({"theme": {"a": TOKEN}}, "move it to tokens/one/theme/dim.tokens.json"),
    "tokens/Tokens.JSON": ({"size": {"a": TOKEN}}, "move it to tokens/one/size/Tokens.tokens.json"),
    "tokens/theme.json": (
        {"theme": {"a": TOKEN}},
        "move its tokens to the files of the collection, tokens/one/theme/dark.tokens.json, "
        "tokens/one/theme/light.tokens.json",
    ),
    "tokens/theme/dim.json": ({"theme": {"a": TOKEN}}, "move it to tokens/one/theme/dim.tokens.json"),
    "tokens/theme/dark.tokens.json": ({"theme": {"a": TOKEN}}, "move its tokens to tokens/one/theme/dark.tokens.json"),
    "tokens/brand/light.json": ({"brand": {"a": TOKEN}}, "move it to tokens/one/brand/light.tokens.json"),
    "tokens/brand/dark.json": (
        {"colours": {"a": TOKEN}},
        "move it to tokens/one/brand/dark.tokens.json",
    ),
    "tokens/flat.json": (
        {"a": TOKEN},
        "move it to tokens/one/flat/value.tokens.json",
    ),
    "tokens/resolver.json": (
        {"version": "2025.10", "sets": {}, "resolutionOrder": []},
        "remove it, because tokens/one.resolver.json exists",
    ),
    "tokens/one/one.resolver.json": ({}, "remove it, because tokens/one.resolver.json exists"),
    "tokens/one/old.json": (
        {"color": {"red": {"value": "#f00", "type": "color"}}},
        "import it with tokensync migrate tokens/one/old.json --to one, or move it out of the tokens folder",
    ),
    "tokens/answer.json": ({"meta": {"variables": {}}}, "build from it with --snapshot tokens/answer.json"),
}  # fmt: skip


@pytest.fixture
def project(folder):
    pulled_in(folder, outputs=output("css", "web"))
    tokensync("-q", "build")
    tokensync("build")
    return folder


def put(project, path, content):
    target = project / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("path", OTHERS)
@pytest.mark.parametrize(
    "command", [("build",), ("build", "--check"), ("tokens", "list", "-v"), ("plan",), ("status", "-v")]
)
def test_each_command_names_an_unread_file_and_its_place(project, path, command):
    content, advice = OTHERS[path]
    put(project, path, content)
    before = files_in(project)
    stderr = tokensync(*command).stderr
    assert f"warning: {path}: tokensync reads no tokens from this file; {advice}" in stderr
    assert {each: text for each, text in files_in(project).items() if each in before} == before


@pytest.mark.parametrize("path", OTHERS)
def test_following_the_advice_leads_to_a_check_without_problems(project, path):
    content, _ = OTHERS[path]
    put(project, path, content)
    to_do = re.search(rf"{path}: tokensync reads no tokens from this file; (.*) \[", tokensync("check").stderr)[1]
    tree = {"tokens/flat.json": {"flat": content}, "tokens/one/all.json": {"color": {"a": TOKEN}}}.get(path, content)
    if path == "tokens/brand/dark.json":  # a build says so
        tree = {"brand": content["colours"]}
    target = re.match(r"(?:move|rename) it to ([^,]*)", to_do)
    (project / path).unlink()
    if target is not None:
        if "/theme/" in target[1]:  # a mode has the tokens of the default mode
            tree = {"theme": json.loads((project / "tokens/one/theme/light.tokens.json").read_text("utf-8"))["theme"]}
            tree = json.loads(re.sub(r', "\$extensions": \{.*?\}\}(?=\})', "", json.dumps(tree)))
        put(project, target[1], tree)
    elif "move its tokens to" in to_do:
        assert [(project / each).exists() for each in re.findall(r"tokens/\S*\.tokens\.json", to_do)] != []
    tokensync("-q", "build")
    done = tokensync("check")
    assert "token-file-unread" not in done.stderr


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("tokens/one/theme/dark.tokens.json", "dark.json"),
        ("tokens/one/theme/dark.tokens.json", "dark.TOKENS.JSON"),
        ("tokens/one/theme/light.tokens.json", "light.tokens"),
    ],
)
def test_a_token_file_with_another_ending_has_advice_with_its_new_name(project, path, name):
    renamed = (project / path).rename((project / path).with_name(name))
    stderr = tokensync("check", code=5).stderr
    assert (
        f"{renamed.relative_to(project).as_posix()}: tokensync reads no tokens from this file; move it to {path}"
        in stderr
    )
    assert {*re.findall(r"\[([a-z-]+)\]$", stderr, re.MULTILINE)} == {"resolver-source-absent", "token-file-unread"}
    assert "1 error" in stderr
    renamed.rename(project / path)
    tokensync("check")


def test_a_missing_collection_is_one_error_and_not_one_for_each_reference(folder):
    project_in(folder, outputs=output("css", "web"))
    put(folder, "tokens/one/base/value.tokens.json", {"base": {"a": TOKEN}})
    put(folder, "tokens/one/theme/value.tokens.json", {"theme": {"b": {"$type": "number", "$value": "{base.a}"}}})
    sources = [{"$ref": f"one/{each}/value.tokens.json"} for each in ("base", "theme")]
    sets = {each: {"sources": [source]} for each, source in zip(("base", "theme"), sources, strict=True)}
    order = [{"$ref": "#/sets/base"}, {"$ref": "#/sets/theme"}]
    put(folder, "tokens/one.resolver.json", {"version": "2025.10", "sets": sets, "resolutionOrder": order})
    tokensync("-q", "build")
    (folder / "tokens/one/base/value.tokens.json").unlink()
    assert re.findall(r"\[([a-z-]+)\]$", tokensync("build", code=1).stderr, re.MULTILINE) == ["resolver-source-absent"]


def test_each_build_names_a_mode_that_the_resolver_document_does_not_list(project):
    tree = json.loads((project / "tokens/one/theme/dark.tokens.json").read_text("utf-8"))
    del tree["$extensions"]
    put(project, "tokens/one/theme/dim.tokens.json", tree)
    (note,) = re.findall("note: .*mode-unregistered", tokensync("build").stderr)
    for arguments in (("build",), ("build", "--check"), ("build", "--check")):
        assert note in tokensync(*arguments).stderr


def test_each_run_names_it_again_and_none_once_it_is_gone(project):
    put(project, "tokens/tokens.json", {"size": {"a": TOKEN}})
    put(project, "tokens/one/theme/more/dim.tokens.json", {"theme": {"a": TOKEN}})
    for _ in range(3):
        assert tokensync("build").stderr.count("token-file-unread") == 2
    (project / "tokens" / "tokens.json").unlink()
    shutil.rmtree(project / "tokens" / "one" / "theme" / "more")
    assert "token-file-unread" not in tokensync("build").stderr


def test_a_pull_names_it_and_keeps_it(project):
    put(project, "tokens/one/theme/dark.json", {"theme": {"a": TOKEN}})
    assert tokensync("pull").stderr.count("token-file-unread") == 1
    assert (project / "tokens" / "one" / "theme" / "dark.json").exists()


def test_a_first_pull_names_the_files_that_were_there(folder):
    project_in(folder)
    put(folder, "tokens/tokens.json", {"size": {"a": TOKEN}})
    on_the_platform(COLORS)
    assert "warning: tokens/tokens.json: tokensync reads no tokens from this file" in tokensync("pull").stderr


def test_a_folder_without_a_configured_file_gets_the_nearest_name(folder):
    project_in(folder, files=("harbor", "two"), outputs=output("css", "web", 'files = ["two"]'))
    on_the_platform(COLORS, "two")
    tokensync("-q", "pull", "--file", "two")
    put(folder, "tokens/harbour/theme/light.tokens.json", {"theme": {"a": TOKEN}})
    put(folder, "tokens/other.resolver.json", {})
    stderr = tokensync("build").stderr
    assert (
        "warning: tokens/harbour: no file is called harbour in the configuration, so its token files are not read; "
        'rename it to tokens/harbor, or add a [[files]] table with name = "harbour" and the key of its design file, or '
        "remove it" in stderr
    )
    assert "warning: tokens/other.resolver.json: no file is called other in the configuration" in stderr
    assert stderr.count("token-files-forgotten") == 2


@pytest.mark.parametrize(
    "path",
    ["tokens/README.md", "tokens/.hidden.json", "tokens/.git/x.json", "tokens/one/theme/.x.json", "tokens/notes/a.txt"],
)
def test_other_files_are_of_no_concern(project, path):
    put(project, path, {})
    assert "warning" not in tokensync("build").stderr


def test_a_tokens_folder_that_is_the_projects_folder_has_other_files_too(folder):
    pulled_in(folder, outputs=output("css", "web"), more='tokens = "."')
    put(folder, "package.json", {})
    put(folder, "node_modules/x/y.tokens.json", {})
    assert "warning" not in tokensync("build").stderr
    put(folder, "dark.tokens.json", {"theme": {"a": TOKEN}})
    assert "dark.tokens.json: tokensync reads no tokens from this file" in tokensync("build").stderr


@pytest.mark.parametrize("command", [("build",), ("check",), ("format",), ("plan",), ("tokens", "list", "-v")])
def test_token_files_in_another_folder_of_the_project_are_named(project, command):
    for name in ("c", "a", "b", "d", "e"):
        put(project, f"src/theme/{name}.tokens.json", {"theme": {"a": TOKEN}})
    put(project, "design.tokens.json", {"theme": {"a": TOKEN}})
    for _ in range(2):
        stderr = tokensync(*command).stderr
        assert (
            "warning: src/theme/a.tokens.json: tokensync reads no tokens from this file, nor from 4 other files of "
            "this folder: b.tokens.json, c.tokens.json, d.tokens.json and 1 more; "
            "move them to tokens/one/COLLECTION/MODE.tokens.json"
        ) in stderr
        assert "warning: design.tokens.json: tokensync reads no tokens from this file; move it to " in stderr
    settings = re.findall(r'^\[problems.token-file-unread\]\n"\S+" = "ignore"$', stderr, re.MULTILINE)
    more = "\n".join([settings[0], *(each.splitlines()[1] for each in settings[1:])])
    with (project / "tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(f"{more}\n")
    assert "does not read" not in tokensync(*command).stderr


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/kit/theme/a.tokens.json",
        "examples/other/tokens/a.tokens.json",
        "web/a.tokens.json",
        ".cache/a.tokens.json",
        "src/theme/a.json",
    ],
)
def test_files_of_packages_other_projects_and_outputs_are_of_no_concern(project, path):
    put(project, path, {"theme": {"a": TOKEN}})
    (project / "examples").mkdir(exist_ok=True)
    (project / "examples" / "tokensync.toml").touch()
    for command in ("build", "check", "format"):
        assert "does not read" not in tokensync(command).stderr


@pytest.mark.parametrize("path", ["tokens/tokens.json", "design-tokens.json", "design.json", "colors.tokens.json"])
def test_token_files_elsewhere_are_named_where_there_are_none(folder, path):
    project_in(folder, outputs=output("css", "web"))
    (folder / "tokens").mkdir()
    put(folder, path, {"size": {"a": TOKEN}})
    stderr = tokensync("build", code=1).stderr
    assert (
        f"error: tokens/one: there are no token files here, but there is {path}; "
        f"run tokensync migrate {path} --to one to make variables and token files of them, "
        "put DTCG 2025.10 files at tokens/one/COLLECTION/MODE.tokens.json, name them in a resolver document "
        "tokens/one.resolver.json, or run tokensync pull --file one [token-files-absent]" in stderr
    )


@pytest.mark.parametrize("command", ["build", "check", "plan"])
def test_an_empty_tokens_folder_beside_json_is_an_error_that_names_migrate(folder, command):
    project_in(folder, outputs=output("css", "web"))
    on_the_platform({"ink": ("#000000", "#ffffff")})
    (folder / "tokens").mkdir()
    put(folder, "tokens/tokens.json", {"ink": {"value": "#000", "type": "color"}})
    stderr = tokensync(command, code=5 if command == "check" else 1).stderr
    assert "run tokensync migrate tokens/tokens.json --to one to make variables and token files of them" in stderr
    tokensync("migrate", "tokens/tokens.json", "--to", "one", "--format", "style-dictionary")
    (folder / "tokens" / "tokens.json").unlink()
    tokensync("apply")
    tokensync("build")


@pytest.mark.parametrize("path", ["tokens/tokens.json", "design.json", "tokens/other/theme/light.tokens.json"])
def test_a_check_of_a_tokens_folder_with_other_files_only_fails_as_a_build_does(folder, path):
    project_in(folder, outputs=output("css", "web"))
    put(folder, path, {"size": {"a": TOKEN}})
    stderr = tokensync("check", code=5).stderr
    assert "error: tokens/one: there are no token files here, but there is " in stderr
    assert "run tokensync build" not in stderr


@pytest.mark.parametrize("content", [{"name": "app", "value": 1}, ["$value"]])
def test_json_without_values_beside_an_empty_tokens_folder_is_not_taken_for_tokens(folder, content):
    project_in(folder, outputs=output("css", "web"))
    (folder / "tokens").mkdir()
    put(folder, "package.json", {"config": content})
    assert "there are no token files; run tokensync pull --file one first" in tokensync("build", code=1).stderr


def test_the_advice_of_an_empty_folder_works(folder):
    project_in(folder, outputs=output("css", "web"))
    put(folder, "tokens/tokens.json", {"size": {"a": TOKEN}, "other": {"b": TOKEN}})
    tokensync("build", code=1)
    sets = {"all": {"sources": [{"$ref": "tokens.json"}]}}
    document = {"version": "2025.10", "sets": sets, "resolutionOrder": [{"$ref": "#/sets/all"}]}
    put(folder, "tokens/one.resolver.json", document)
    assert "warning" not in tokensync("build").stderr
    assert "--size-a: 1" in (folder / "web" / "tokens.css").read_text("utf-8")


def test_a_file_of_another_tool_that_its_document_does_not_name_is_named(folder):
    project_in(folder, outputs=output("css", "web"))
    put(folder, "tokens/one/deep/er/a.json", {"size": {"a": TOKEN}})
    put(folder, "tokens/one/b.json", {"size": {"a": TOKEN}})
    sets = {"all": {"sources": [{"$ref": "one/deep/er/a.json"}]}}
    document = {"version": "2025.10", "sets": sets, "resolutionOrder": [{"$ref": "#/sets/all"}]}
    put(folder, "tokens/one.resolver.json", document)
    stderr = tokensync("build").stderr
    assert "tokens/one.resolver.json: it does not name 1 file of its folder: one/b.json" in stderr


def test_a_mode_that_the_resolver_document_does_not_list_is_read_and_named(project):
    put(project, "tokens/one/theme/dim.tokens.json", {"theme": {"slate": {"$type": "number", "$value": 1}}})
    path = project / "tokens/one/theme/dim.tokens.json"
    path.write_text(
        (project / "tokens/one/theme/dark.tokens.json").read_text("utf-8").replace('"id"', '"x"'), encoding="utf-8"
    )
    stderr = tokensync("tokens", "list", "-v", code=1).stderr
    assert "mode-name-copied" in stderr
    tree = json.loads(path.read_text("utf-8"))
    del tree["$extensions"]
    path.write_text(json.dumps(tree), encoding="utf-8")
    stderr = tokensync("tokens", "list", "-v").stderr
    assert (
        "note: tokens/one/theme/dim.tokens.json:1:1 (#): tokens/one.resolver.json does not list this mode, "
        "so other tools do not read it; if it is new, do nothing: the pull after apply lists it; otherwise remove it"
        in stderr
    )
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    assert "mode-unregistered" not in tokensync("tokens", "list", "-v").stderr


def test_a_pull_restores_a_folder_that_was_deleted(project):
    before = files_in(project)
    shutil.rmtree(project / "tokens" / "one")
    assert "resolver-source-absent" in tokensync("build", code=1).stderr
    tokensync("-q", "pull", "--theirs")
    assert files_in(project) == before


@pytest.mark.parametrize("arguments", [(), ("--check",)])
def test_formatting_nothing_is_an_error(folder, arguments):
    project_in(folder)
    (folder / "tokens").mkdir()
    stderr = tokensync("format", *arguments, code=1).stderr
    assert "error: tokens: there are no files that end with .tokens.json, .tokens, .resolver.json; " in stderr
    assert "token-files-absent" in stderr
    assert "formatted" not in stderr
    put(folder, "tokens/tokens.json", {"size": {"a": TOKEN}})
    tokensync("format", *arguments, "tokens", code=1)


@pytest.mark.parametrize("path", ["tokens/tokens.json", "tokens/new/a.tokens.json", "tokens/one/theme/dark.json"])
def test_a_file_that_appears_after_a_run_without_work_is_noticed(project, path):
    answers = (tokensync("build").stderr for _ in range(20))  # only changes that are old enough are recorded
    assert "all outputs are current\n" in answers
    put(project, path, {"size": {"a": TOKEN}})
    assert "warning" in tokensync("build").stderr


def test_format_names_files_that_are_not_read(folder):
    pulled_in(folder, {"a": ("#000000", "#ffffff")})
    for path in ("tokens/tokens.json", "tokens/one/theme/dim.json"):
        (folder / path).write_text("{}", encoding="utf-8")
        for _ in range(2):
            assert f"warning: {path}: tokensync reads no tokens from this file" in tokensync("format").stderr


@pytest.mark.parametrize("arguments", [(), ("--file", "one"), ("tokens",), ("PATH",)])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("tokens/oops.tokens.json", "token-file-unread"),
        ("tokens/one/oops.tokens.json", "token-file-unread"),
        ("tokens/one/theme/more/dim.tokens.json", "token-file-unread"),
        ("tokens/other/theme/dim.tokens.json", "token-files-forgotten"),
        ("tokens/one/theme/oops.tokens.json", "mode-unregistered"),
    ],
)
def test_format_names_a_stray_file_that_it_formats_as_a_build_does(project, path, code, arguments):
    put(project, path, {"theme": {"slate": TOKEN}})
    arguments = [path if each == "PATH" else each for each in arguments]
    built = tokensync("build", code=int(code == "mode-unregistered"))
    named = [each for each in built.stderr.splitlines() if f"[{code}]" in each]
    assert len(named) == 1
    is_formatted = arguments != ["--file", "one"] or "/one/" in path
    for checking, exit_code in (["--check"], 3 * is_formatted), ([], 0), ([], 0):
        stderr = tokensync("format", *checking, *arguments, code=exit_code).stderr
        assert [each for each in stderr.splitlines() if f"[{code}]" in each] == named
    assert tokensync("format", "tokens/one/theme/light.tokens.json").stderr == "1 file, all formatted\n"


def test_format_of_a_folder_without_token_files_names_those_that_are_not_read(folder):
    project_in(folder)
    put(folder, "tokens/tokens.json", {"theme": {"a": TOKEN}})
    put(folder, "tokens/one/theme.json", {"theme": {"a": TOKEN}})
    for arguments in ((), ("--check",), ("--file", "one")):
        stderr = tokensync("format", *arguments, code=1).stderr
        assert "warning: tokens/tokens.json: tokensync reads no tokens from this file" in stderr
        assert "warning: tokens/one/theme.json: tokensync reads no tokens from this file" in stderr
        assert "run tokensync migrate tokens/tokens.json to make token files of tokens/tokens.json" in stderr


def test_format_of_an_empty_tokens_folder_names_the_migration_of_files_beside_it(folder):
    project_in(folder)
    (folder / "tokens").mkdir()
    put(folder, "design-tokens.json", {"theme": {"a": TOKEN}})
    for arguments in ((), ("--check",)):
        assert "run tokensync migrate design-tokens.json to make" in tokensync("format", *arguments, code=1).stderr


@pytest.mark.parametrize("path", ["tokens/tokens.json", "tokens/one/theme/dim.json"])
def test_commands_that_read_or_rename_tokens_name_them_too(project, path):
    put(project, path, {"theme": {"a": TOKEN}})
    for command in (("diff", "tokens", "lock"), ("tokens", "rename", "theme/slate", "theme/grey", "--dry-run")):
        assert f"warning: {path}: tokensync reads no tokens from this file" in tokensync(*command, "-v").stderr
