"""Copied mode files: every mode has one file and a unique name."""

import json
from pathlib import Path

import pytest
from commands.projects import COLORS, on_the_platform, output, pulled_in, response, tokensync

from tokensync.emulator.cli.states import open_emulator
from tokensync.plan.plan import decoded

PLAN = Path(".tokensync/plan.json")
THEME = Path("tokens/one/theme")
LIGHT, DARK, CONTRAST = (THEME / f"{mode}.tokens.json" for mode in ("light", "dark", "contrast"))


@pytest.fixture
def project(folder):
    """A project whose collection has a light and a dark mode, pulled and built."""
    pulled_in(folder, outputs=output("css", "web"))
    tokensync("-q", "build")
    return folder


def copied(to=CONTRAST, of=DARK, *, name=None, id_=None, context=None):
    """Copy a mode's file under another name; ``id_`` False removes the id."""
    document = json.loads(of.read_text(encoding="utf-8"))
    about = document["$extensions"]
    if name is not None:
        about["com.figma.modeName"] = name
    if id_ is False:
        del about["org.tokensync"]["mode"]["id"]
    if context is not None:
        about["org.tokensync"]["mode"]["context"] = context
    to.write_text(json.dumps(document), encoding="utf-8")


def refused(*command, code=1):
    """Return the only error of a command."""
    (error,) = tokensync("-q", *command, code=code).stderr.splitlines()
    return error


@pytest.mark.parametrize("command", [("plan",), ("build",), ("pull",), ("status",)])
def test_a_copied_file_is_an_error_that_names_both(project, command):
    copied()
    error = refused(*command)
    assert error.startswith(f"error: {CONTRAST.as_posix()}:1:")
    assert "(#/$extensions/org.tokensync/mode/id)" in error
    assert f'it has the same mode id as {DARK.as_posix()} ("Dark", 1:1)' in error
    assert 'remove the id and change com.figma.modeName, for example to "contrast"' in error
    assert "[mode-id-copied]" in error
    assert not PLAN.exists()


def test_a_copy_with_another_name_and_the_same_id_should_lose_the_id(project):
    copied(name="Contrast")
    error = refused("plan")
    assert "[mode-id-copied]" in error
    assert "if it is a new mode, remove the id; otherwise remove one of the two files" in error


@pytest.mark.parametrize("command", [("plan",), ("build",), ("pull",)])
def test_a_copy_without_the_id_that_keeps_the_name_is_an_error_that_names_both(project, command):
    copied(id_=False)
    error = refused(*command)
    assert error.startswith(f"error: {CONTRAST.as_posix()}:1:")
    assert f'it has the same mode name as {DARK.as_posix()} ("Dark")' in error
    assert 'change com.figma.modeName, for example to "contrast"' in error
    assert "[mode-name-copied]" in error


def test_two_new_files_of_one_name_are_an_error_that_names_both(project):
    for name in ("contrast", "other"):
        copied(THEME / f"{name}.tokens.json", name="Contrast", id_=False)
    error = refused("plan")
    assert f"error: {THEME.as_posix()}/other.tokens.json:1:" in error
    assert f'same mode name as {CONTRAST.as_posix()} ("Contrast")' in error


def test_a_copy_with_a_name_of_its_own_is_a_new_mode(project):
    copied(name="Contrast", id_=False)
    assert '+ new mode "Contrast"' in tokensync("plan").output
    tokensync("apply")
    tokensync("pull")
    tokensync("plan", "--exit-code")


def test_tokens_without_a_value_in_a_new_mode_are_one_line_until_an_apply(project):
    on_the_platform({f"t{at}": ("#112233", "#445566") for at in range(5)})
    tokensync("-q", "pull", "--theirs")
    copied(name="Contrast", id_=False)
    document = json.loads(CONTRAST.read_text(encoding="utf-8"))
    document["theme"] = {"t1": document["theme"]["t1"]}
    CONTRAST.write_text(json.dumps(document), encoding="utf-8")
    for command in ("build", "check", "pull"):
        (line,) = (each for each in tokensync(command).stderr.splitlines() if "value-absent" in each)
        assert line.startswith("warning: Theme: 4 tokens have no value in the new mode contrast (t0, t2, t3, ")
        assert line.endswith(
            "; add values to its file, or apply, which sets those of the default mode"
            " (until then, they have no value there) [value-absent]"
        )
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    for command in ("pull", "build"):
        assert "value-absent" not in tokensync(command).stderr


def test_a_copy_of_the_default_modes_file_does_not_become_the_default(project):
    """It says all that is said of the collection, too."""
    copied(THEME / "a.tokens.json", LIGHT, name="A", id_=False)
    (new,) = decoded_plan().operations
    assert new.name == "A"


def decoded_plan():
    tokensync("plan")
    (plan,) = decoded(PLAN.read_bytes()).plans
    return plan


def test_a_copied_context_is_an_error_that_names_both(project):
    copied(DARK, context="odd")
    copied(context="odd", name="Contrast", id_=False)
    error = refused("build")
    assert "(#/$extensions/org.tokensync/mode/context)" in error
    assert f'it has the same context as {CONTRAST.as_posix()} ("odd")' in error
    assert "[mode-id-copied]" in error


def renamed(name="Light", of=DARK):
    document = json.loads(of.read_text(encoding="utf-8"))
    document["$extensions"]["com.figma.modeName"] = name
    of.write_text(json.dumps(document), encoding="utf-8")


def test_a_mode_cannot_get_the_name_of_another_and_the_error_names_both_files(project):
    renamed()
    error = refused("plan")
    assert error.startswith(f"error: {DARK.as_posix()}:1:")
    assert f'another mode is already named "Light" ({LIGHT.as_posix()}:4:' in error
    assert "[plan-name-taken]" in error
    assert not PLAN.exists()


def test_modes_that_have_one_name_on_the_platform_are_no_copies(project):
    on_the_platform({name: (*values, values[0]) for name, values in COLORS.items()}, modes=("Light", "Dark", "Dark"))
    tokensync("pull")
    assert len(list(THEME.iterdir())) == 3
    tokensync("plan", "--exit-code")
    tokensync("build")


def test_a_name_that_somebody_else_has_given_since_stops_the_apply(project):
    copied(name="Contrast", id_=False)
    tokensync("plan")
    with open_emulator(None, None) as emulator:
        emulator.seed("key-one", with_mode("Contrast"))
    done = tokensync("apply", "--rebase", code=4)
    assert 'another mode is already named "Contrast"' in done.stderr


def with_mode(name):
    return response({key: (*values, values[0]) for key, values in COLORS.items()}, modes=("Light", "Dark", name))
