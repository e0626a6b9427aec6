"""A token of another type replaces its variable, and nothing is left to plan or pull afterwards."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands.projects import project_in, tokensync
from design_file import alias, collection, color, extension, response, variable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FITTING = {
    "FLOAT": ("ALL_SCOPES", "TEXT_CONTENT", "GAP", "OPACITY", "FONT_WEIGHT", "FONT_STYLE", "FONT_SIZE"),
    "STRING": ("ALL_SCOPES", "TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"),
    "COLOR": ("ALL_SCOPES", "TEXT_FILL", "STROKE_COLOR"),
    "BOOLEAN": ("ALL_SCOPES",),
}
VALUES: dict[str, Any] = {"FLOAT": 4, "STRING": "Inter", "COLOR": color(1.0, 0.0, 0.0, a=1.0), "BOOLEAN": True}
NEW: dict[str, Any] = {
    "dimension": {"value": 7, "unit": "px"},
    "number": 0.5,
    "fontWeight": 700,
    "color": {"colorSpace": "srgb", "components": [0, 1, 0]},
    "fontFamily": "Roboto",
    "string": "new",
}
SCOPES = st.sampled_from(sorted(FITTING)).flatmap(
    lambda kind: st.tuples(
        st.just(kind),
        st.sampled_from(((), ("ALL_SCOPES",)))
        | st.sets(st.sampled_from(FITTING[kind][1:] or ("ALL_SCOPES",)), min_size=1, max_size=3).map(tuple),
    )
)
ROOT, BRAND = "VariableCollectionId:2:1", "VariableCollectionId:3:1"


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory) -> Iterator[Path]:
    before = Path.cwd()
    folder = project_in(tmp_path_factory.mktemp("types"))
    os.chdir(folder)
    yield folder
    os.chdir(before)


def seed(kind: str, scopes: tuple[str, ...]) -> None:
    """A variable with all members and an alias to it, in two modes and in an extension that overrides it."""
    for folder in ("tokens", ".tokensync/applies"):
        shutil.rmtree(folder, ignore_errors=True)
    Path("tokensync.lock").unlink(missing_ok=True)
    root = collection(ROOT, "Sizes", ("A", "B"))
    root["modes"], root["defaultModeId"] = [{"modeId": "2:0", "name": "A"}, {"modeId": "2:1", "name": "B"}], "2:0"
    value = VALUES[kind]
    one = variable("VariableID:2:2", "gap", root, kind, (value, value), scopes=list(scopes))
    one |= {"description": "why", "codeSyntax": {"WEB": "var(--gap)"}, "hiddenFromPublishing": True}
    other = variable("VariableID:2:3", "ref", root, kind, (alias("VariableID:2:2"), value), scopes=list(scopes))
    brand = extension(BRAND, "Brand", root, {"VariableID:2:2": (value,)})
    Path("r.json").write_bytes(response([root, brand], [one, other]))
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("pull", "-q")


def retype(kind: str) -> bool:
    """Edit the type of the tokens in the files of all modes; return whether that changes them."""
    changed = False
    for path in sorted(Path("tokens").rglob("*.tokens.json")):
        document = json.loads(path.read_text("utf-8"))
        groups = [each for key, each in document.items() if not key.startswith("$")]
        for token in (group[name] for group in groups for name in ("gap", "ref") if name in group):
            changed = changed or token["$type"] != kind
            token["$type"] = kind
            if not isinstance(token["$value"], str) or not token["$value"].startswith("{"):
                token["$value"] = NEW[kind]
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return changed


def on_the_platform() -> dict[str, dict[str, Any]]:
    document = json.loads(
        tokensync("api", "variables", "local", "--file-key", "key-one", "-c", "tokensync.toml").output
    )
    return {each["name"]: each for each in document.get("meta", document)["variables"].values()}


@given(SCOPES, st.sampled_from(sorted(NEW)), st.booleans())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plan_after_a_change_of_type_is_empty_and_a_pull_changes_no_value(
    module_folder: Path, was: tuple[str, tuple[str, ...]], new: str, pulls: bool
):
    os.chdir(module_folder)
    kind, scopes = was
    seed(kind, scopes)
    if not retype(new):
        return
    tokensync("plan", "-q", "--prune")
    tokensync("apply", "-q", "--force")
    if pulls:
        tokensync("pull", "-q")
    tokensync("plan", "-q", "--exit-code")  # ends with 3 where there is something left
    tokensync("pull", "-q")
    tokensync("plan", "-q", "--exit-code")
    there = on_the_platform()
    members = ("description", "codeSyntax", "hiddenFromPublishing")
    assert [there["gap"][each] for each in members] == ["why", {"WEB": "var(--gap)"}, True]


@pytest.mark.parametrize(
    ("kind", "scopes", "new", "expected"),
    [
        ("FLOAT", ("GAP", "TEXT_CONTENT"), "string", ["TEXT_CONTENT"]),
        ("FLOAT", ("GAP",), "color", ["ALL_SCOPES"]),
        ("STRING", ("FONT_FAMILY",), "fontWeight", ["FONT_WEIGHT"]),
        ("COLOR", (), "string", []),
    ],
)
def test_scopes_that_fit_the_new_type_stay(module_folder, monkeypatch, kind, scopes, new, expected):
    monkeypatch.chdir(module_folder)
    seed(kind, scopes)
    assert retype(new)
    tokensync("plan", "-q", "--prune")
    tokensync("apply", "-q", "--force")
    assert on_the_platform()["gap"]["scopes"] == expected
    tokensync("plan", "-q", "--exit-code")
