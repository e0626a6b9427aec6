"""Commands in a project with a resolver document of another author: they read it, and never change it."""

import json
import subprocess
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, pulled_in, tokensync

PLATFORMS = ("css", "android", "ios", "json")
DOCUMENT = {
    "version": "2025.10",
    "sets": {"base": {"sources": [{"$ref": "shared/base.json"}]}},
    "modifiers": {
        "theme": {
            "contexts": {"light": [], "dark": [{"space": {"small": {"$value": {"value": 2, "unit": "px"}}}}]},
            "default": "light",
        },
        "size": {"contexts": {"normal": [], "big": [{"$ref": "shared/sizes/big.tokens.json"}]}, "default": "normal"},
    },
    "resolutionOrder": [{"$ref": "#/sets/base"}, {"$ref": "#/modifiers/theme"}, {"$ref": "#/modifiers/size"}],
}


def small(pixels):
    return {"space": {"$type": "dimension", "small": {"$value": {"value": pixels, "unit": "px"}}}}


@pytest.fixture
def project(folder):
    project_in(folder, outputs="".join(output(each, each) for each in PLATFORMS))
    shared = folder / "tokens" / "shared"
    (shared / "sizes").mkdir(parents=True)
    base = small(1)
    base["space"]["twice"] = {"$value": "{space.small}"}
    (shared / "base.json").write_text(json.dumps(base), encoding="utf-8")
    (shared / "sizes" / "big.tokens.json").write_text(json.dumps(small(3)), encoding="utf-8")
    (folder / "tokens" / "one.resolver.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return folder


def test_a_build_resolves_every_combination(project):
    stderr = tokensync("build").stderr
    assert "error" not in stderr
    assert "warning" not in stderr
    document = json.loads((project / "json" / "tokens.json").read_text("utf-8"))
    for name in ("space-small", "space-twice"):
        token = document["tokens"][name]
        values = {theme: each["value"] for theme, each in token["themes"].items()}
        assert token["value"] == 1
        assert values == {"theme/dark": 2, "size/big": 3, "theme/dark + size/big": 3}
    assert "withheld" not in (project / "css" / "tokens.css").read_text("utf-8")
    assert {each.name for each in project.iterdir()} >= set(PLATFORMS)


def test_a_change_of_any_source_is_noticed(project):
    tokensync("-q", "build")
    tokensync("build", "--check")
    tokensync("build")
    (project / "tokens" / "shared" / "sizes" / "big.tokens.json").write_text(json.dumps(small(4)), encoding="utf-8")
    tokensync("build", "--check", code=3)
    tokensync("-q", "build")
    assert "4" in (project / "json" / "tokens.json").read_text("utf-8")


def test_themes_of_the_configuration_name_its_modifiers(project):
    config = project / "tokensync.toml"
    config.write_text(config.read_text("utf-8") + '[themes.large]\ntheme = "dark"\nsize = "big"\n', encoding="utf-8")
    tokensync("-q", "build")
    document = json.loads((project / "json" / "tokens.json").read_text("utf-8"))
    assert document["tokens"]["space-small"]["themes"]["large"]["value"] == 3


def test_other_commands_read_it(project):
    listed = json.loads(tokensync("tokens", "list", "--json").output)
    assert [each["path"] for each in listed if each["names"]] == ["space.twice", "space.small"]
    assert "3px" in tokensync("tokens", "why", "space/small", "--theme", "size/big").output
    tokensync("-q", "report", "-o", "report.html")
    assert "space" in (project / "report.html").read_text("utf-8")


def test_git_has_its_sources_too(project):
    for arguments in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x"]):
        subprocess.run(["git", *arguments], check=True)
    tokensync("diff", "git:HEAD", "tokens")
    (project / "tokens" / "shared" / "base.json").write_text(json.dumps(small(9)), encoding="utf-8")
    tokensync("diff", "git:HEAD", "tokens", code=3)


@pytest.mark.parametrize("command", [("pull",), ("pull", "--theirs"), ("plan",), ("status",)])
def test_commands_that_compare_it_with_a_design_file_refuse_it(project, command):
    on_the_platform(COLORS)
    before = files_in(project)
    stderr = tokensync(*command, code=1).stderr
    assert "resolver-foreign" in stderr
    assert "tokens/one.resolver.json: " in stderr
    assert files_in(project) == before


@pytest.mark.parametrize("command", ["pull", "plan", "status"])
def test_they_refuse_it_before_they_need_a_login_or_a_server(project, command, monkeypatch):
    for name in ("FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN", "FIGMA_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    text = Path("tokensync.toml").read_text("utf-8").replace('"emulator:"', '"figma"')
    more = "".join(f'[[files]]\nname = "{name}"\nkey = "{name}"\n' for name in ("two", "three"))
    Path("tokensync.toml").write_text(f"{text}\n{more}", encoding="utf-8")
    Path("tokens/three.resolver.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    errors = [each for each in tokensync(command, code=1).stderr.splitlines() if each.startswith("error: ")]
    assert [each.split(": ")[1] for each in errors] == ["tokens/one.resolver.json", "tokens/three.resolver.json"]
    assert all("to continue with the other files, add --file two [resolver-foreign]" in each for each in errors)
    assert "no access token is set" in tokensync(command, "--file", "two", code=2).stderr


def test_format_says_that_it_found_no_files_of_its_own(project):
    stderr = tokensync("format").stderr
    assert stderr == "no token files of tokensync; 2 files of other tools' resolver documents left unchanged\n"


def test_format_leaves_it_and_its_sources_as_they_are(project):
    before = files_in(project)
    assert "2 files of other tools' resolver documents left unchanged" in tokensync("format").stderr
    tokensync("format", "--check")
    assert "resolver-foreign" in tokensync("format", "--file", "one", code=1).stderr
    assert files_in(project) == before


def test_a_source_behind_a_link_is_refused(project):
    source = project / "tokens" / "shared" / "base.json"
    source.rename(project / "elsewhere.json")
    source.symlink_to(project / "elsewhere.json")
    assert "path-refused" in tokensync("build", code=1).stderr


def exported(mode, white, text):
    """Return a file as Figma exports one mode: without the collection, and with literals for other collections."""
    component = [white] * 3
    page = {"colorSpace": "srgb", "components": component, "alpha": 1, "hex": "#FFFFFF" if white else "#000000"}
    target = {"targetVariableName": "white", "targetVariableSetName": "Primitives", "targetVariableId": "-1:-1"}
    figma = {
        "com.figma.variableId": "VariableID:1:2",
        "com.figma.scopes": ["ALL_SCOPES"],
        "com.figma.aliasData": target,
    }
    return {
        "bg": {"page": {"$type": "color", "$value": page, "$extensions": figma}},
        "text": {"$type": "color", "$value": text},
        "$extensions": {"com.figma.modeName": mode},
    }


def test_figmas_own_export_is_built_if_a_resolver_document_lists_its_files(folder):
    project_in(folder, outputs=output("css", "web"))
    (folder / "tokens" / "one").mkdir(parents=True)
    contexts = {}
    for mode, white in (("Light", 1), ("Dark", 0)):
        path = f"one/{mode}.tokens.json"
        (folder / "tokens" / path).write_text(json.dumps(exported(mode, white, "{bg.page}")), encoding="utf-8")
        contexts[mode] = [{"$ref": path}]
    document = {
        "version": "2025.10",
        "modifiers": {"theme": {"contexts": contexts, "default": "Light"}},
        "resolutionOrder": [{"$ref": "#/modifiers/theme"}],
    }
    (folder / "tokens" / "one.resolver.json").write_text(json.dumps(document), encoding="utf-8")
    assert tokensync("build").stderr == "2 tokens, 1 file (1 written, 0 unchanged)\n"
    css = (folder / "web" / "tokens.css").read_text("utf-8")
    assert "--text: var(--bg-page);" in css
    assert '[data-theme="dark"] {\n  color-scheme: dark;\n\n  --bg-page: #000;' in css
    tokensync("check")


def test_notes_do_not_suggest_commands_that_cannot_change_it(project):
    sizes = project / "tokens" / "shared" / "sizes" / "big.tokens.json"
    sizes.write_text(sizes.read_text("utf-8").replace('{"value": 3, "unit": "px"}', '"3px"'), encoding="utf-8")
    stderr = tokensync("build").stderr
    assert '"3px" is read as {"value": 3, "unit": "px"}; write it in this form, or do nothing' in stderr
    assert "tokensync format" not in stderr
    assert "rename-mode" not in stderr
    assert "mode-name-former" not in stderr


class TestBesideADesignFile:
    @pytest.fixture
    def both(self, folder):
        pulled_in(folder, outputs=output("css", "css"))
        with (folder / "tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('[[files]]\nname = "acme"\nkey = "Acme"\n[themes.both]\ntheme = "Dark"\nsize = "big"\n')
        (folder / "tokens" / "shared" / "sizes").mkdir(parents=True)
        (folder / "tokens" / "shared" / "base.json").write_text(json.dumps(small(1)), encoding="utf-8")
        (folder / "tokens" / "shared" / "sizes" / "big.tokens.json").write_text(json.dumps(small(3)), encoding="utf-8")
        scheme = {"day": [], "late": [{"space": {"small": {"$value": {"value": 2, "unit": "px"}}}}]}
        document = {
            **DOCUMENT,
            "modifiers": {"size": DOCUMENT["modifiers"]["size"], "scheme": {"contexts": scheme, "default": "day"}},
            "resolutionOrder": [{"$ref": f"#/{each}"} for each in ("sets/base", "modifiers/scheme", "modifiers/size")],
        }
        (folder / "tokens" / "acme.resolver.json").write_text(json.dumps(document), encoding="utf-8")
        tokensync("-q", "build")
        return folder

    def test_names_of_the_design_file_can_be_renamed(self, both):
        token = next(iter(COLORS))
        before = files_in(both / "tokens" / "shared")
        tokensync("tokens", "rename", f"theme/{token}", "theme/other")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        assert "--other:" in (tokensync("-q", "build"), (both / "css" / "tokens.css").read_text("utf-8"))[1]
        assert files_in(both / "tokens" / "shared") == before

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (
                ("rename", "size/space/small", "size/space/tiny"),
                "size/space/small: the resolver document of acme is another tool's, so tokensync only reads its files",
            ),
            (
                ("rename", "size/space/smll", "x/y"),
                "names in the resolver documents of other tools do not change: acme",
            ),
            (("rename-mode", "size/big", "Huge"), "names in the resolver documents of other tools do not change: acme"),
        ],
    )
    def test_its_own_names_are_refused_with_the_reason(self, both, arguments, reason):
        before = files_in(both)
        assert reason in tokensync("tokens", *arguments, code=2).stderr
        assert files_in(both) == before
