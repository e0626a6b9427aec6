"""A checkout with CRLF line ends, as git for Windows makes one: files that are rewritten keep them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, tokensync

OUTPUTS = output("css", "web") + output("ios", "apple") + output("android", "droid")


def edit(pattern, before, after):
    for path in Path().glob(pattern):
        path.write_bytes(path.read_bytes().replace(before, after))


def change_a_value():
    edit("tokens/**/*.tokens.json", b'"#112233"', b'"#aabbcc"')


def change_it_on_the_platform():
    on_the_platform({**COLORS, "slate": ("#000000", "#ffffff")})


def change_it_on_both_sides():
    change_a_value()
    change_it_on_the_platform()


def plan_a_change():
    change_a_value()
    tokensync("-q", "plan")


def indent():
    edit("tokens/**/*.tokens.json", b"  ", b"    ")


def move_an_output():
    edit("tokensync.toml", b'"droid"', b'"android"')


def add_a_source():
    document = {"kit": {"$type": "number", "gap": {"$value": 4}}}
    Path("kit.json").write_text(json.dumps(document), encoding="utf-8")


def nothing():
    """Leave everything as it is."""


VERBS = {
    "pull": (change_it_on_the_platform, "pull"),
    "pull --theirs": (change_it_on_both_sides, "pull --theirs"),
    "build": (change_a_value, "build"),
    "build elsewhere": (move_an_output, "build"),
    "format": (indent, "format"),
    "apply": (plan_a_change, "apply"),
    "tokens rename": (nothing, "tokens rename theme/slate theme/stone"),
    "tokens rename-mode": (nothing, "tokens rename-mode theme/dark Night"),
    "migrate": (add_a_source, "migrate kit.json --to kit --offline"),
    "init": (nothing, "init --hook --workflows github"),
}


def run(verb, folder, *, with_crlf):
    """Run a verb in a new project, and return the committed files before and after it."""
    prepare, arguments = VERBS[verb]
    project_in(folder, outputs=OUTPUTS)
    os.chdir(folder)
    subprocess.run(["git", "init", "-q"], check=True)
    Path(".gitattributes").write_text("*.png binary\n", encoding="utf-8")
    Path(".pre-commit-config.yaml").write_text("repos: []\n", encoding="utf-8")
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    tokensync("-q", "build")
    for path, content in files_in(Path()).items() if with_crlf else ():
        Path(path).write_bytes(content.replace(b"\n", b"\r\n"))
    prepare()
    before = files_in(Path())
    tokensync("-q", *arguments.split())
    return before, files_in(Path())


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_writes_the_same_in_the_line_ends_of_the_checkout(folder, verb):
    _, expected = run(verb, folder / "lf", with_crlf=False)
    before, after = run(verb, folder / "crlf", with_crlf=True)
    assert after != before
    assert {path: content.replace(b"\r\n", b"\n") for path, content in after.items()} == expected
    for path in before.keys() & after.keys():
        assert after[path].count(b"\n") == after[path].count(b"\r\n"), path


def test_a_former_output_without_a_header_is_known_and_removed(folder):
    run("build", folder / "crlf", with_crlf=True)
    former = output("json", "data")
    Path("tokensync.toml").write_bytes(Path("tokensync.toml").read_bytes() + former.replace("\n", "\r\n").encode())
    tokensync("-q", "build")
    assert list(Path("data").iterdir())
    edit("tokensync.toml", b'"data"', b'"moved"')
    assert "output-left" not in tokensync("build").stderr
    assert not Path("data").exists()
