"""``[[moved]]`` entries after further renamings of what they are about."""

import json
import tomllib
from pathlib import Path

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync
from commands.test_renaming import WIDE, sources_in


@pytest.fixture
def project(folder):
    project_in(folder)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    return folder


@pytest.fixture
def wide(folder):
    project_in(folder)
    on_the_platform(WIDE)
    tokensync("-q", "pull")
    return folder


def entry_text(entry):
    """A ``[[moved]]`` entry as TOML."""
    return "".join(["\n\n[[moved]]", *(f"\n{key} = {json.dumps(value)}" for key, value in entry.items())])


def test_an_entry_about_an_earlier_name_of_a_mode_leads_to_the_new_one(project):
    config = Path("tokensync.toml")
    written = config.read_text()
    for name in ("dark", "Dark"):
        entries = [
            {"kind": "mode", "collection": "theme", "from": "dim", "to": name},
            {"kind": "mode", "collection": "theme", "from": "bright", "to": "light"},
            {"kind": "mode", "collection": "other", "from": "dim", "to": "dark"},
            {"kind": "token", "collection": "theme", "from": "dim", "to": "dark"},
        ]
        config.write_text(written + "".join(map(entry_text, entries)))
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        moved = tomllib.loads(config.read_text())["moved"]
        assert moved == [{**entries[0], "to": {"dark": "night", "Dark": "Night"}[name]}, *entries[1:]]
        tokensync("tokens", "rename-mode", "theme/night", "Dark")
        assert tomllib.loads(config.read_text())["moved"] == entries
    config.write_text(written + entry_text({**entries[0], "to": "dark"}))
    tokensync("tokens", "rename-mode", "theme/dark", "dim")
    assert "moved" not in tomllib.loads(config.read_text())


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("theme/text/quiet", "theme/text/still", {0: "text/still"}),
        ("theme/text", "theme/words", {0: "words/quiet", 1: "words", 2: "words/deep"}),
        ("theme/text", "theme/a/b", {0: "a/b/quiet", 1: "a/b", 2: "a/b/deep"}),
        ("theme/text/loud", "theme/text/shout", {}),
        ("theme/slate", "theme/text/deep/slate", {}),
    ],
)
def test_an_entry_about_an_earlier_name_leads_to_the_new_one(wide, old, new, changed):
    tokensync("-q", "tokens", "rename", "theme/text/muted", "theme/text/quiet")
    config = Path("tokensync.toml")
    entries = [
        {"kind": kind, "collection": collection, "from": former, "to": name}
        for kind, collection, former, name in (
            ("token", "theme", "text/faint", "text/quiet"),
            ("group", "theme", "words/old", "text"),
            ("group", "theme", "flat", "text/deep"),
            ("token", "theme", "other", "textual"),
            ("token", "two", "text/faint", "text/quiet"),
            ("mode", "theme", "faint", "text"),
        )
    ]
    written = config.read_text()
    config.write_text(written + "".join(map(entry_text, entries)))
    tokensync("tokens", "rename", old, new)
    expected = [{**each, "to": changed.get(at, each["to"])} for at, each in enumerate(entries)]
    assert tomllib.loads(config.read_text())["moved"] == expected


@pytest.mark.parametrize("steps", [("text/quiet", "text/still"), ("words/quiet",), ("text/muted",)])
def test_names_without_and_with_ids_make_one_chain(wide, steps):
    path = Path("tokens/one/theme/light.tokens.json")
    content = json.loads(path.read_text())
    (id_of := content["theme"]["text"]["muted"]).pop("$extensions")
    path.write_text(json.dumps(content))
    before = sources_in(wide)
    tokensync("-q", "tokens", "rename", "theme/text/muted", "theme/text/faint")
    content = json.loads(path.read_text())
    assert id_of == content["theme"]["text"]["faint"]
    content["theme"]["text"]["faint"]["$extensions"] = {"com.figma.variableId": "VariableID:1:77"}
    path.write_text(json.dumps(content))
    name = "text/faint"
    for step in steps:
        tokensync("-q", "tokens", "rename", f"theme/{name}", f"theme/{step}")
        name = step
    content = json.loads(path.read_text())
    group = content["theme"][name.partition("/")[0]]
    del group[name.partition("/")[2]]["$extensions"]
    path.write_text(json.dumps(content))
    if name == "text/muted":
        assert tomllib.loads(Path("tokensync.toml").read_text()).get("moved") is None
        assert json.loads(path.read_text()) == json.loads(before[path.as_posix()])
    else:
        (entry,) = tomllib.loads(Path("tokensync.toml").read_text())["moved"]
        assert entry == {"kind": "token", "collection": "theme", "from": "text/muted", "to": name}
        assert f'"text/muted" -> "{name}"' in tokensync("plan").output
