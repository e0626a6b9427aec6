"""The command that installs a package fits the way in which tokensync is installed."""

import sys

import pytest

from tokensync.system.wording import install_command

TOOL = '{ name = "tokensync", '
RECEIPTS = {
    "from an index": (TOOL + 'specifier = "==1" }', "uv tool install --with tinycss2 tokensync"),
    "from a folder": (TOOL + 'directory = "/a b" }', "uv tool install --with tinycss2 '/a b'"),
    "from a checkout": (TOOL + 'editable = "/a" }', "uv tool install --with tinycss2 --editable /a"),
    "with extras": (
        TOOL + 'extras = ["keyring", "tls"], directory = "/a" }',
        "uv tool install --with tinycss2 '/a[keyring,tls]'",
    ),
    "with other packages": (
        TOOL + 'directory = "/a" }, { name = "pyyaml" }',
        "uv tool install --with pyyaml --with tinycss2 /a",
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="cmd.exe has other quotation marks")
@pytest.mark.parametrize(("requirements", "command"), RECEIPTS.values(), ids=RECEIPTS)
def test_a_tool_of_uv_is_installed_again_with_all_that_it_had(requirements, command, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "uv-receipt.toml").write_text(f"[tool]\nrequirements = [{requirements}]\n", encoding="utf-8")
    assert install_command("tinycss2") == command


def test_pipx_injects_a_package_into_the_environment_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "tokensync-next").mkdir()
    (tmp_path / "tokensync-next" / "pipx_metadata.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "tokensync-next"))
    assert install_command("tinycss2") == "pipx inject tokensync-next tinycss2"


def test_pip_installs_a_package_into_any_other_environment(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_command("tinycss2") == "python -m pip install tinycss2"
