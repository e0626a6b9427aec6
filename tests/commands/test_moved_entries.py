"""``[[moved]]`` entries after further renamings of what they are about."""

import json
import tomllib
from pathlib import Path

import pytest
from commands.projects import output, pulled_in, tokensync
from commands.repositories import git
from commands.test_renaming import WIDE, sources_in


@pytest.fixture
def project(folder):
    return pulled_in(folder)


@pytest.fixture
def wide(folder):
    return pulled_in(folder, WIDE, outputs=output("css", "web"))


def entry_text(entry):
    """A ``[[moved]]`` entry as TOML."""
    return "".join(["\n\n[[moved]]", *(f"\n{key} = {json.dumps(value)}" for key, value in entry.items())])


def test_an_entry_about_an_earlier_name_of_a_mode_leads_to_the_new_one(project):
    config = Path("tokensync.toml")
    written = config.read_text("utf-8")
    for name in ("dark", "Dark"):
        entries = [
            {"kind": "mode", "collection": "theme", "from": "dim", "to": name},
            {"kind": "mode", "collection": "theme", "from": "bright", "to": "light"},
            {"kind": "mode", "collection": "other", "from": "dim", "to": "dark"},
            {"kind": "token", "collection": "theme", "from": "dim", "to": "dark"},
        ]
        config.write_text(written + "".join(map(entry_text, entries)), encoding="utf-8")
        tokensync("tokens", "rename-mode", "theme/dark", "Night")
        moved = tomllib.loads(config.read_text("utf-8"))["moved"]
        assert moved == [{**entries[0], "to": {"dark": "night", "Dark": "Night"}[name]}, *entries[1:]]
        tokensync("tokens", "rename-mode", "theme/night", "Dark")
        assert tomllib.loads(config.read_text("utf-8"))["moved"] == entries
    config.write_text(written + entry_text({**entries[0], "to": "dark"}), encoding="utf-8")
    tokensync("tokens", "rename-mode", "theme/dark", "dim")
    assert "moved" not in tomllib.loads(config.read_text("utf-8"))


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
    written = config.read_text("utf-8")
    config.write_text(written + "".join(map(entry_text, entries)), encoding="utf-8")
    tokensync("tokens", "rename", old, new)
    expected = [{**each, "to": changed.get(at, each["to"])} for at, each in enumerate(entries)]
    assert tomllib.loads(config.read_text("utf-8"))["moved"] == expected


@pytest.mark.parametrize("steps", [("text/quiet", "text/still"), ("words/quiet",), ("text/muted",)])
def test_names_without_and_with_ids_make_one_chain(wide, steps):
    path = Path("tokens/one/theme/light.tokens.json")
    content = json.loads(path.read_text("utf-8"))
    (id_of := content["theme"]["text"]["muted"]).pop("$extensions")
    path.write_text(json.dumps(content), encoding="utf-8")
    before = sources_in(wide)
    tokensync("-q", "tokens", "rename", "theme/text/muted", "theme/text/faint")
    content = json.loads(path.read_text("utf-8"))
    assert id_of == content["theme"]["text"]["faint"]
    content["theme"]["text"]["faint"]["$extensions"] = {"com.figma.variableId": "VariableID:1:77"}
    path.write_text(json.dumps(content), encoding="utf-8")
    name = "text/faint"
    for step in steps:
        tokensync("-q", "tokens", "rename", f"theme/{name}", f"theme/{step}")
        name = step
    content = json.loads(path.read_text("utf-8"))
    group = content["theme"][name.partition("/")[0]]
    del group[name.partition("/")[2]]["$extensions"]
    path.write_text(json.dumps(content), encoding="utf-8")
    if name == "text/muted":
        assert tomllib.loads(Path("tokensync.toml").read_text("utf-8")).get("moved") is None
        assert json.loads(path.read_text("utf-8")) == json.loads(before[path.as_posix()])
    else:
        (entry,) = tomllib.loads(Path("tokensync.toml").read_text("utf-8"))["moved"]
        assert entry == {"kind": "token", "collection": "theme", "from": "text/muted", "to": name}
        assert f'"text/muted" -> "{name}"' in tokensync("plan").output


def add_fresh_token():
    path = Path("tokens/one/theme/light.tokens.json")
    content = json.loads(path.read_text("utf-8"))
    content["theme"]["fresh"] = {"a": {"$type": "color", "$value": content["theme"]["slate"]["$value"]}}
    path.write_text(json.dumps(content), encoding="utf-8")
    tokensync("-q", "format")


def repository_in(folder):
    git("init", "-q", "-b", "main", folder)
    Path(".gitignore").write_text(".tokensync/\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "-m", "Pull")


def applied_on_another_branch(lock="HEAD"):
    """Commit to main, and apply on the branch bot with another branch's lock; main's lock stays behind."""
    git("commit", "-q", "-a", "-m", "Edit tokens")
    lock = git("rev-parse", lock).stdout.strip()
    git("checkout", "-q", "-B", "bot")
    git("checkout", "-q", lock, "--", "tokensync.lock")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    git("commit", "-q", "-a", "-m", "Record the apply in the lock")
    git("checkout", "-q", "main")


def planned(is_waiting):
    """Return the plan with main's lock, or with the one that waits on the branch bot, as the action makes it."""
    if is_waiting:
        git("checkout", "-q", "bot", "--", "tokensync.lock")
    return tokensync("plan").output


@pytest.mark.parametrize("steps", [("fresh/b",), ("fresh/b", "fresh/c"), ("fresh/b", "first/b"), ("first/a",)])
@pytest.mark.parametrize("is_waiting", [True, False])
def test_a_token_whose_lock_waits_on_another_branch_is_renamed(wide, steps, is_waiting):
    repository_in(wide)
    add_fresh_token()
    applied_on_another_branch()
    assert "fresh" not in Path("tokensync.lock").read_text("utf-8")
    name = "fresh/a"
    for step in steps:
        group = step.partition("/")[0]
        is_group = not name.startswith(group)
        old, new = (name.partition("/")[0], group) if is_group else (name, step)
        tokensync("-q", "tokens", "rename", f"theme/{old}", f"theme/{new}")
        name = step
    plan = planned(is_waiting)
    assert "variables: 1 changed\n" in plan
    assert f'"fresh/a" -> "{name}"' in plan
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    tokensync("plan", "--exit-code")


@pytest.mark.parametrize("is_waiting", [True, False])
def test_a_token_whose_renaming_waits_on_another_branch_gets_its_former_name_back(wide, is_waiting):
    repository_in(wide)
    add_fresh_token()
    applied_on_another_branch()
    tokensync("-q", "tokens", "rename", "theme/fresh/a", "theme/fresh/b")
    applied_on_another_branch("bot")
    tokensync("-q", "tokens", "rename", "theme/fresh/b", "theme/fresh/a")
    (entry,) = tomllib.loads(Path("tokensync.toml").read_text("utf-8"))["moved"]
    assert entry == {"kind": "token", "collection": "theme", "from": "fresh/b", "to": "fresh/a"}
    plan = planned(is_waiting)
    assert "variables: 1 changed\n" in plan
    assert '"fresh/b" -> "fresh/a"' in plan


def test_a_renaming_that_is_in_no_commit_is_taken_back_without_an_entry(wide):
    repository_in(wide)
    add_fresh_token()
    applied_on_another_branch()
    before = sources_in(wide)
    tokensync("-q", "tokens", "rename", "theme/fresh/a", "theme/fresh/b")
    tokensync("-q", "tokens", "rename", "theme/fresh/b", "theme/fresh/a")
    assert sources_in(wide) == before


def test_a_new_token_that_is_in_no_commit_gets_no_entry(wide):
    repository_in(wide)
    add_fresh_token()
    before = Path("tokensync.toml").read_text("utf-8")
    tokensync("-q", "tokens", "rename", "theme/fresh/a", "theme/fresh/b")
    assert Path("tokensync.toml").read_text("utf-8") == before


@pytest.mark.parametrize("is_waiting", [True, False])
@pytest.mark.parametrize("names", [("night",), ("night", "dusk")])
def test_a_mode_whose_lock_waits_on_another_branch_is_renamed(project, names, is_waiting):
    repository_in(project)
    content = json.loads(Path("tokens/one/theme/dark.tokens.json").read_text("utf-8"))
    content["$extensions"] = {"com.figma.modeName": "Dusk"}
    Path("tokens/one/theme/dusk.tokens.json").write_text(json.dumps(content), encoding="utf-8")
    git("add", "-A")
    applied_on_another_branch()
    former = "Dusk"
    for at, name in enumerate(names):
        if at:
            applied_on_another_branch("bot")
        tokensync("-q", "tokens", "rename-mode", f"theme/{former.lower()}", name.title())
        git("add", "-A")
        former, before = name.title(), former
    plan = planned(is_waiting)
    assert f'      name  "{before}" -> "{former}"\n' in plan
    assert "modes: 1 changed\n" in plan


def test_an_entry_about_a_token_that_was_never_applied_is_silent(wide):
    repository_in(wide)
    add_fresh_token()
    git("commit", "-q", "-a", "-m", "Edit tokens")
    tokensync("-q", "tokens", "rename", "theme/fresh/a", "theme/fresh/b")
    tokensync("-q", "tokens", "rename", "theme/fresh", "theme/first")
    kinds = [each["kind"] for each in tomllib.loads(Path("tokensync.toml").read_text("utf-8"))["moved"]]
    assert kinds == ["token", "group"]
    tokensync("-q", "format")
    for command in ("plan", "apply", "pull", "format --check", "lint", "build", "check", "plan --exit-code", "pull"):
        done = tokensync(*command.split())
        assert "moved" not in done.output + done.stderr
        assert "+ first/b" in done.output or command != "plan"
