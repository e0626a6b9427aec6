"""A token can refer to any library variable that the design file's response has."""

import json
from pathlib import Path

import pytest
from commands.projects import output, tokensync
from commands.test_plan_of_libraries import APP, RED, alias, app, color, project_of, remote, seed

ALONE = 'base_url = "emulator:"\n[[files]]\nname = "app"\nkey = "AppFile456"\n'


def refer(to, token="ink"):
    """Make a token of the other file refer to ``to``."""
    document = json.loads(APP.read_text(encoding="utf-8"))
    document["app"][token]["$value"] = to
    APP.write_text(json.dumps(document), encoding="utf-8")


def value(token="ink"):
    return json.loads(APP.read_text(encoding="utf-8"))["app"][token]["$value"]


@pytest.fixture(params=["the library is configured", "it is not", "nothing refers to the library yet"])
def project(folder, request):
    """The other file is pulled. Its response has red and blue of the library, and at most red is referred to."""
    design = app(color(1.0) if "nothing" in request.param else alias(remote(RED)), color(0.0, 0.0, 1.0))
    if "is configured" in request.param:
        project_of(app=design)
    else:
        Path("tokensync.toml").write_text(ALONE, encoding="utf-8")
        seed(app=design)
        tokensync("-q", "pull")


def test_a_plan_aliases_a_library_variable_that_nothing_referred_to(project):
    refer("{core.blue}")
    assert "~ ink\n      value  #0000ff -> {core.blue}" in tokensync("plan").output
    tokensync("apply", "-q")
    assert "behind: changed in Figma; run tokensync pull (1)\n    core: copies" in tokensync("status", code=3).output
    tokensync("pull", "-q")
    assert tokensync("status").output.endswith("app: in sync\n")
    assert value() == "{core.blue}"
    assert "changed" not in tokensync("plan").output


def test_a_pull_before_the_plan_keeps_the_edit_and_makes_it_build(project):
    refer("{core.blue}")
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(output("css", "web"))
    tokensync("build", code=1)
    assert "app / ink: in value" in tokensync("status", code=3).output.replace("ahead:", "")
    tokensync("pull", "-q")
    assert value() == "{core.blue}"
    tokensync("build", "-q")
    assert "--ink: " in Path("web/tokens.css").read_text(encoding="utf-8")


def test_a_library_variable_that_the_file_lacks_is_an_error_that_says_how_to_get_it(folder):
    collections, variables = app(alias(remote(RED)), color(0.0, 0.0, 1.0))
    project_of(app=(collections, [each for each in variables if each["name"] != "blue"]))
    refer("{core.blue}")
    for command in ("plan", "pull", "status"):
        assert (
            "(#/app/ink/$value): no such token: {core.blue} (of the library core, only tokens in use here are known); "
            "did you mean {core.red}? If not, use the token once in this design file in Figma, and run tokensync pull"
        ) in " ".join(tokensync(command, code=1).stderr.split())
    seed(app=app(alias(remote(RED)), color(0.0, 0.0, 1.0)))
    tokensync("plan", "-q")
    tokensync("apply", "-q")
