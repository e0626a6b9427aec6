"""A number of any size is built as written. It comes back from the platform, or a plan refuses it with its place."""

import json
import os
import re
import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from commands.projects import output, project_in, tokensync
from corpus.building import run_here
from design_file import collection, response, variable
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

ROUNDING = Decimal(2) ** -24
"""The relative error of a fraction as a 32-bit float."""
PLACE = r"value\.tokens\.json:\d+:\d+"
NUMBERS = st.one_of(
    st.integers().map(str),
    st.integers(min_value=-(2**70), max_value=2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.tuples(st.integers(-99, 99), st.integers(-60, 60)).map(lambda each: f"{each[0]}E{each[1]:+d}"),
)


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """The token file of a number, which the project of the working folder has on the emulator."""
    before = Path.cwd()
    os.chdir(project_in(tmp_path_factory.mktemp("numbers"), outputs=output("css", "web")))
    numbers = collection("VariableCollectionId:2:1", "Numbers", ("Value",))
    numbers["modes"], numbers["defaultModeId"] = [{"modeId": "2:0", "name": "Value"}], "2:0"
    number = variable("VariableID:2:2", "number", numbers, "FLOAT", (4,), scopes=["ALL_SCOPES"])
    Path("r.json").write_bytes(response([numbers], [number]))
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("pull", "-q")
    (path,) = Path("tokens").rglob("*.tokens.json")
    yield path.absolute()
    os.chdir(before)


def write(tokens, number):
    tokens.write_text(
        re.sub(r'("\$value": )[^,\s]+', lambda found: found[1] + number, tokens.read_text("utf-8")), encoding="utf-8"
    )


def in_css():
    (css,) = Path("web").glob("*.css")
    return Decimal(re.search(r"--[\w-]*number: (.*);", css.read_text("utf-8"))[1])


def is_same(found, wanted):
    if wanted == wanted.to_integral_value() and abs(wanted) < 2**53:
        return found == wanted
    return abs(found - wanted) <= abs(wanted) * ROUNDING


@given(NUMBERS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example("1e308")
@example("1e400")
@example("1" * 400)
@example("1e-45")
@example("9007199254740993")
@example("2147483647")
@example("2147483648")
@example("-0.0")
@example("1e38")
def test_a_number_comes_back_or_is_refused(tokens, number):
    os.chdir(tokens.parents[3])
    shutil.rmtree(".tokensync/applies", ignore_errors=True)
    original = tokens.read_text("utf-8")
    write(tokens, number)
    built = run_here("build", "-q")
    if built.code:
        tokens.write_text(original, encoding="utf-8")
        assert built.code == 1
        assert re.search(PLACE + "(.* number .*is too large|.*has more digits)", built.stderr)
        return
    wanted = Decimal(number)
    assert is_same(in_css(), wanted)
    plan = run_here("plan", "-q")
    if plan.code:
        tokens.write_text(original, encoding="utf-8")
        assert plan.code == 1
        assert re.search(PLACE + "(.*would become|.*does not fit)", plan.stderr)
        return
    tokensync("apply", "-q")
    tokensync("pull", "-q")
    tokensync("plan", "-q", "--exit-code")
    found = Decimal(
        json.loads(tokens.read_text("utf-8"), parse_float=str, parse_int=str)["numbers"]["number"]["$value"]
    )
    assert is_same(found, wanted)


@pytest.mark.parametrize(("number", "nearest"), [("2147483647", "2147483648"), ("16777217", "16777216")])
def test_a_plan_gives_the_nearest_number_that_the_platform_can_store(tokens, number, nearest):
    os.chdir(tokens.parents[3])
    write(tokens, number)
    for command in ("build", "format --check", "diff tokens tokens", "tokens list", "report --out r.html"):
        tokensync("-q", *command.split())
    assert in_css() == int(number)
    plan = tokensync("-q", "plan", code=1)
    assert re.search(f"{PLACE}.*{number} would become {nearest}, .*; write {nearest} ", plan.stderr)
    write(tokens, nearest)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "plan", "--exit-code")
    write(tokens, number)  # the platform has what it would become, and pulls keep the edit
    tokensync("-q", "pull")
    assert number in tokens.read_text("utf-8")
    assert f"write {nearest} " in tokensync("-q", "plan", code=1).stderr
    write(tokens, nearest)


def test_a_number_without_a_variable_is_not_refused(tokens):
    os.chdir(tokens.parents[3])
    original = tokens.read_text("utf-8")
    try:
        content = json.loads(original)
        token = content["numbers"]["number"]
        token["$type"], token["$value"] = "duration", {"value": 2147483647, "unit": "ms"}
        del token["$extensions"]
        content["numbers"]["time"] = content["numbers"].pop("number")
        content["numbers"]["number"] = json.loads(original)["numbers"]["number"]
        tokens.write_text(json.dumps(content), encoding="utf-8")
        tokensync("-q", "build")
        assert "2147483647ms" in Path("web/tokens.css").read_text("utf-8")
        tokensync("-q", "plan", "--exit-code")
    finally:
        tokens.write_text(original, encoding="utf-8")
