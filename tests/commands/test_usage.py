"""``tokensync usage`` and ``tokens unused``: analytics joined with references."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from commands.projects import project_in, response, tokensync

from tokensync.emulator.cli.states import open_emulator

NAMES = {
    "slate": ("#112233", "#445566"),
    "text/muted": ("{slate}", "{slate}"),
    "ink": ("#000000", "#ffffff"),
    "old": ("{ink}", "{ink}"),
    "lonely": ("#123456", "#123456"),
}
KEY = "key-one"


def key_of(name):
    return f"{[*NAMES].index(name) + 1:040x}"


@pytest.fixture
def project(folder):
    """A pulled, published project, of which one file uses text/muted."""
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, response(NAMES))
        emulator.publish(KEY)
        emulator.files.create("App", name="App")
        emulator.analytics.use(KEY, "variable", key_of("text/muted"), "App", 4)
        for days_ago in (10, 100):
            emulator.analytics.act(
                KEY, "variable", key_of("text/muted"), insertions=3, detachments=1, days_ago=days_ago
            )
    tokensync("pull", "-q")
    return folder


def usage_by_path(*arguments):
    return {each["path"]: each for each in json.loads(tokensync("usage", "--json", *arguments).output)}


@pytest.fixture
def code(project):
    """Code that uses ``old``, which refers to ``ink``."""
    (project / "app").mkdir()
    (project / "app" / "a.css").write_text("\na { color: var(--old) }\nb { color: var(--old) }\n", encoding="utf-8")
    return project


def test_each_token_has_counts_and_a_status(project):
    found = usage_by_path()
    muted = found["text.muted"]
    counts = {name: muted[name] for name in ("usages", "files", "teams", "insertions", "detachments")}
    assert counts == {"usages": 4, "files": 1, "teams": 1, "insertions": 6, "detachments": 2}
    assert {path: each["status"] for path, each in found.items()} == {
        "slate": "referred",
        "text.muted": "used",
        "ink": "unused",
        "old": "unused",
        "lonely": "unused",
    }
    assert {each["code"] for each in found.values()} == {None}
    assert [path for path, each in found.items() if not each["unused_in_design_files"]] == ["text.muted"]
    assert {each["unused_in_code"] for each in found.values()} == {None}


def test_unused_leaves_out_what_is_used_and_since_what_is_older(project):
    assert set(usage_by_path("--unused")) == {"slate", "ink", "old", "lonely"}
    since = (datetime.now(UTC) - timedelta(days=50)).date().isoformat()
    assert usage_by_path("--since", since)["text.muted"]["insertions"] == 3


def test_the_table_begins_with_what_is_used_most_and_ends_in_a_summary(project):
    done = tokensync("usage")
    lines = done.output.splitlines()
    assert lines[0].split() == ["COLLECTION", "TOKEN", "USAGES", "FILES", "TEAMS", "INSERTED", "DETACHED"]
    assert lines[1].split() == ["theme", "text/muted", "4", "1", "1", "6", "2"]
    unused = "3 unused in the other design files; code was not searched (--code PATH), layers were not read (--layers)"
    assert f"5 tokens: 1 used, 1 used only through other tokens, {unused}" in done.stderr


def test_files_and_teams_have_rows_of_their_own(project):
    assert json.loads(tokensync("usage", "--by", "file", "--json").output) == [
        {"library": "one", "file": "App", "team": "Design system", "workspace": "Organization", "usages": 4}
    ]
    assert tokensync("usage", "--by", "team").output.splitlines()[1].split()[-2:] == ["6", "2"]
    assert "remove --by file" in tokensync("usage", "--by", "file", "--unused", code=2).stderr


def test_a_token_that_is_not_published_is_never_unused(project):
    with open_emulator(None, None) as emulator:
        document = json.loads(response(NAMES))
        for each in document["meta"]["variables"].values():
            each["hiddenFromPublishing"] = each["name"] == "old"
        emulator.seed(KEY, json.dumps(document).encode())
        emulator.publish(KEY)
    found = usage_by_path()
    assert found["old"]["status"] == "not published"
    assert found["ink"]["status"] == "referred"


def test_a_deprecated_token_that_is_used_is_pointed_out(project):
    (path,) = Path("tokens").rglob("light.tokens.json")
    text = path.read_text(encoding="utf-8")
    marked = re.sub(r'("muted": \{)', r'\1"$deprecated": true, ', text)
    assert marked != text
    path.write_text(marked, encoding="utf-8")
    assert usage_by_path()["text.muted"]["deprecated_and_used"] is True
    assert "1 deprecated but still used" in tokensync("usage").stderr


def test_without_the_plan_usage_fails_and_unused_uses_references(project):
    with open_emulator(None, None) as emulator:
        emulator.tokens.set_scopes(emulator.default_token, ("file_variables:read",))
    assert "library_analytics:read" in tokensync("usage", code=1).stderr
    done = tokensync("tokens", "unused")
    assert "usage is unknown" in done.stderr
    assert "library_analytics:read" in done.stderr
    assert "but other files may use it" in done.stderr
    assert done.output.split("\n")[:3] == ["theme / text/muted", "theme / old", "theme / lonely"]


UNUSED = "unused in the other design files; code was not searched (--code PATH), layers were not read (--layers)"


def unused(*arguments):
    """Return what is known of each unused token: of design files, and of code."""
    found = json.loads(tokensync("tokens", "unused", "--json", *arguments).output)
    return {each["path"]: (each["unused_in_design_files"], each["unused_in_code"]) for each in found}


def test_unused_by_analytics_says_nothing_about_code_that_was_not_searched(project):
    assert unused() == dict.fromkeys(("ink", "old", "lonely"), (True, None))
    done = tokensync("tokens", "unused")
    assert f"{UNUSED}:" in done.stderr
    assert "safe" not in done.stderr
    rows = tokensync("usage", "--unused").output.splitlines()[1:]
    assert sum(row.endswith("unused by files") for row in rows) == 3


@pytest.mark.parametrize("limits", [(), ("--offline",), ("--code", "app")])
def test_names_alone_never_hide_what_is_not_known(code, limits):
    quiet, done = tokensync("tokens", "unused", "-q", *limits), tokensync("tokens", "unused", *limits)
    assert quiet.output == done.output != ""
    reasons = [line for line in done.stderr.splitlines() if "unused" in line or "may use it" in line]
    assert [line for line in reasons if line.endswith(":")] == quiet.stderr.splitlines() != []
    if limits != ("--code", "app"):
        assert UNUSED in tokensync("-q", "usage", "--unused").stderr
    assert "layers were not read" in tokensync("usage", "-q", "--code", "app").stderr
    assert tokensync("usage", "-q", "--code", "app", "--layers").stderr == ""


def test_names_alone_do_not_hide_that_there_are_no_analytics(project):
    with open_emulator(None, None) as emulator:
        emulator.tokens.set_scopes(emulator.default_token, ("file_variables:read",))
    assert "usage is unknown: " in tokensync("tokens", "unused", "-q").stderr


def test_tokens_that_code_uses_are_not_unused_nor_those_that_they_refer_to(code):
    assert unused("--code", "app") == {"lonely": (True, True)}
    done = tokensync("tokens", "unused", "--code", "app")
    assert done.output == "theme / lonely\n"
    assert "used only in code:\n  theme / old: app/a.css:2, app/a.css:3\nsearched 1 file of code\n" in done.stderr
    assert "unused in the other design files and in the code searched; layers were not read (--layers):" in done.stderr
    found = usage_by_path("--code", "app")
    assert {path: each["status"] for path, each in found.items()} == {
        "slate": "referred",
        "text.muted": "used",
        "ink": "referred",
        "old": "used in code",
        "lonely": "unused",
    }
    uses = [{"path": "app/a.css", "line": line, "name": "--old"} for line in (2, 3)]
    assert [each["code"] for each in found.values()] == [[], [], [], uses, []]


def test_several_paths_follow_one_option(code):
    (code / "lib").mkdir()
    (code / "lib" / "b.css").write_text("a { color: var(--lonely) }", encoding="utf-8")
    for arguments in (("--code", "app", "lib"), ("--code", "app", "--code", "lib")):
        assert unused(*arguments) == {}
        assert "searched 2 files of code" in tokensync("usage", *arguments).stderr
    assert "unexpected extra argument (app)" in tokensync("usage", "app", code=2).stderr
    assert "remove --by file" in tokensync("usage", "--by", "file", "--code", "app", code=2).stderr


def test_the_table_counts_uses_in_code_and_v_lists_them(code):
    done = tokensync("usage", "--code", "app", "-v")
    assert done.output.splitlines()[0].split() == [
        *("COLLECTION", "TOKEN", "USAGES", "FILES", "TEAMS", "INSERTED", "DETACHED", "CODE")
    ]
    assert "theme / old: app/a.css:2: --old" in done.stderr
    assert "1 used only in code" in done.stderr
    assert "1 unused in the other design files and in the code searched; layers were not read (--layers)" in done.stderr


def test_analytics_say_nothing_about_a_library_that_nobody_uses(folder):
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, response(NAMES))
        emulator.publish(KEY)
    tokensync("pull", "-q")
    done = tokensync("usage")
    assert "one: no other file uses this library yet, so analytics say nothing about its tokens" in done.stderr
    assert {each["status"] for each in usage_by_path().values()} == {"library unused", "referred"}
    assert unused() == dict.fromkeys(("text.muted", "old", "lonely"), (None, None))
    assert "no file uses its library yet" in tokensync("tokens", "unused").stderr


def test_offline_and_of_a_saved_response_it_is_what_nothing_refers_to(project):
    Path("saved.json").write_bytes(response(NAMES))
    for arguments in (("--offline",), ("--snapshot", "saved.json")):
        assert unused(*arguments) == dict.fromkeys(("text.muted", "old", "lonely"), (None, None))
    assert (
        "remove --snapshot" in tokensync("tokens", "unused", "--snapshot", "saved.json", "--code", ".", code=2).stderr
    )
    assert "add --snapshot" in tokensync("tokens", "unused", "--published", "saved.json", code=2).stderr


@pytest.fixture
def layered(code):
    """A design file of which one layer uses ``lonely``."""
    with open_emulator(None, None) as emulator:
        (id_,) = (v["id"] for v in json.loads(response(NAMES))["meta"]["variables"].values() if v["name"] == "lonely")
        bound = {"fills": [{"type": "VARIABLE_ALIAS", "id": id_}]}
        layer = {"id": "9:1", "name": "Card", "type": "FRAME", "boundVariables": bound}
        page = {"id": "0:1", "name": "P", "type": "CANVAS", "children": [layer]}
        emulator.files.set_document(KEY, {"id": "0:0", "type": "DOCUMENT", "children": [page]})
    return code


def test_layers_of_the_file_itself_use_tokens_too(layered):
    assert unused("--layers") == dict.fromkeys(("ink", "old"), (True, None))
    assert unused("--layers", "--code", "app") == {}
    found = usage_by_path("--layers")
    assert {path: each["status"] for path, each in found.items()}["lonely"] == "used in layers"
    assert {path: each["unused_in_layers"] for path, each in found.items() if path in ("lonely", "old")} == {
        "old": True,
        "lonely": False,
    }
    assert "1 used only in layers of its own files" in tokensync("usage", "--layers").stderr


def test_confidence_grows_with_what_was_asked(layered):
    def confidence(*arguments):
        found = json.loads(tokensync("tokens", "unused", "--json", *arguments).output)
        return {each["path"]: each["confidence"] for each in found}.get("old")

    assert [confidence(), confidence("--layers")] == ["low", "medium"]
    (layered / "app" / "a.css").write_text("a { color: red }", encoding="utf-8")
    assert [confidence("--code", "app"), confidence("--code", "app", "--layers")] == ["medium", "high"]
    assert confidence("--offline") == "low"


def test_without_analytics_layers_still_answer(layered):
    with open_emulator(None, None) as emulator:
        emulator.tokens.set_scopes(emulator.default_token, ("file_variables:read", "file_content:read"))
    assert "lonely" in unused("--code", "app")
    assert unused("--code", "app", "--layers") == {"text.muted": (None, True)}
    assert "remove --offline" in tokensync("tokens", "unused", "--layers", "--offline", code=2).stderr
