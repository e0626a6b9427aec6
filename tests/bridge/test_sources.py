"""Code is the same from every source of one file: the REST API's response, the bridge, and a capture of the plugin."""

import json
import shutil
from pathlib import Path

import pytest
from bridge.conftest import KEY
from commands.projects import DESIGN, files_in, tokensync
from corpus.building import each_corpus_file

pytestmark = pytest.mark.outside

PLATFORMS = ("css", "json", "android", "ios")


def code_from(*options):
    """Pull from a source and build; return the files of the four platforms."""
    for path in ("tokens", "code"):
        shutil.rmtree(path, ignore_errors=True)
    for path in ("tokensync.lock", "tokensync.outputs.json"):
        Path(path).unlink(missing_ok=True)
    tokensync("-q", "pull", *options)
    tokensync("-q", "build")
    return files_in(Path("code"))


def compare(opened, response):
    """Build a response from the three sources, compare the bytes."""
    document = json.loads(response.read_bytes())
    state = {"key": KEY, "name": "Harbor", "meta": document.get("meta", document)}
    outputs = (f'[[outputs]]\nplatform = "{platform}"\npath = "code/{platform}"\n' for platform in PLATFORMS)
    editor = opened(state)
    Path("tokensync.toml").write_text(
        f'base_url = "bridge:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n{"".join(outputs)}', encoding="utf-8"
    )
    shutil.copy(response, "rest.json")
    editor.do("click", id="save")
    sources = {"rest": ("--snapshot", "rest.json"), "capture": ("--snapshot", f"Harbor.{KEY}.json"), "bridge": ()}
    code = {name: code_from(*options) for name, options in sources.items()}
    assert {path.split("/")[0] for path in code["rest"]} == {*PLATFORMS}
    assert code["bridge"] == code["rest"]
    assert code["capture"] == code["rest"]


def test_code_of_the_quickstart_is_the_same_from_every_source(opened):
    compare(opened, DESIGN[0])


@each_corpus_file
def test_code_of_a_saved_response_is_the_same_from_every_source(opened, response):
    compare(opened, response)
