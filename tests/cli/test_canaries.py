"""No command leaves a credential where others can read it: canaries are searched for in all forms and places."""

import base64
import gzip
import io
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
from corpus.building import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
SECRET = "figd_Kq3Vt8Zr6Xw1Np5Yb9Lm"


@pytest.fixture
def canaries(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import canaries

    return canaries


@pytest.fixture
def search(canaries):
    return canaries.Search({"canary": SECRET})


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner", content)
    return file.getvalue()


PLAIN = SECRET.encode()
PERCENT = "".join(f"%{byte:02X}" for byte in PLAIN)
FORMS = {
    "plain": PLAIN,
    "base64 at offset 0": base64.b64encode(PLAIN + b"?"),
    "base64 at offset 1": base64.b64encode(b"?" + PLAIN),
    "base64 at offset 2": base64.b64encode(b"u:" + PLAIN + b"???"),
    "base64url": base64.urlsafe_b64encode(b">?" + PLAIN),
    "hex": PLAIN.hex().encode(),
    "hex in upper case": PLAIN.hex().upper().encode(),
    "percent": PERCENT.encode(),
    "percent in lower case": PERCENT.lower().encode(),
    "percent twice": quote(PERCENT).encode(),
    "HTML entities": "".join(f"&#{byte};" for byte in PLAIN).encode(),
    "hexadecimal HTML entities": "".join(f"&#x{byte:x};" for byte in PLAIN).encode(),
    "JSON escapes": "".join(f"\\u{byte:04x}" for byte in PLAIN).encode(),
    "UTF-16LE": SECRET.encode("utf-16-le"),
    "UTF-16BE": SECRET.encode("utf-16-be"),
    "reversed": PLAIN[::-1],
    "the beginning": PLAIN[:12],
    "the end": PLAIN[-12:],
    "gzip": gzip.compress(b"x" * 99 + PLAIN),
    "gzip in zip": zipped(gzip.compress(PLAIN)),
    "gzip of base64": gzip.compress(base64.b64encode(b"ab" + PLAIN)),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_found_in_a_file_among_other_bytes(search, tmp_path, form):
    path = tmp_path / "file"
    path.write_bytes(b"before " + FORMS[form] + b" after" if "zip" not in form else FORMS[form])
    assert [*search.file(path)], form
    path.write_bytes(b"nothing of it " * 1000)
    assert [*search.file(path)] == []


@pytest.fixture
def scene(canaries, search, tmp_path):
    with canaries.Processes() as processes:
        yield canaries.Scene(tmp_path, search, processes)


def places(result):
    return [finding.place for finding in result.findings]


def test_each_place_is_searched(canaries, scene):
    assert places(scene.searched("nothing", {"stdout": b""})) == []
    assert places(scene.searched("streams", {"stdout": PLAIN, "stderr": PLAIN})) == ["stdout", "stderr"]
    for folder in (scene.project, scene.home, scene.temp):
        (folder / "new").write_bytes(PLAIN)
        assert places(scene.searched("files", {})) == [str(folder / "new")]
        (folder / SECRET).touch()
        assert places(scene.searched("names", {})) == [f"the name {folder / SECRET}"]
    with canaries.recorded(lambda environ: ("200 OK", [], b"")) as server:
        scene.foreign.append(("another host", server.requests, ()))
        urllib.request.urlopen(f"{server.base_url}/?{SECRET}", timeout=10).read()
        assert places(scene.searched("requests", {})) == ["a request to another host"]
    subprocess.run(["sleep", "0.5"], env={"X": SECRET}, check=True)
    assert places(scene.searched("environments", {})) == ["the environment of sleep"]
    subprocess.run([sys.executable, "-c", "import time; time.sleep(0.5)", SECRET], check=True)
    (place,) = places(scene.searched("command lines", {}))
    assert place.startswith("the command line ")


def test_a_credential_is_allowed_in_a_private_file_alone(scene):
    path = scene.home / "login"
    scene.private[path] = ("canary",)
    path.touch(0o600)
    path.write_bytes(PLAIN)
    assert places(scene.searched("private", {})) == []
    path.chmod(0o644)
    path.write_bytes(PLAIN + b" ")
    assert places(scene.searched("public", {})) == [str(path)]


@pytest.mark.campaign
def test_commands_leave_no_credential_anywhere(canaries, tmp_path):
    """A credential is never printed, and is stored only in a file of mode 0600; make secrets runs every command."""
    results = [*canaries.results(str(tmp_path), short=True)]
    assert [(result.name, result.findings) for result in results if result.findings] == []
    codes = {result.name: result.code for result in results}
    for name in ("apply --resume --json", "apply of the rollback", "auth login with OAuth", "pull; login with OAuth"):
        assert codes[name] == "0", name
    assert Path(tmp_path, "project", ".tokensync").is_dir()
