"""The command that installs a package fits the way in which tokensync is installed."""

import sys
from importlib import metadata

import pytest

from tokensync.commands.doctor import checks
from tokensync.migrate.readers.documents import missing_package
from tokensync.system.wording import extras, install_command

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


def test_several_packages_are_installed_by_one_command(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_command("pyyaml", "tinycss2") == "python -m pip install pyyaml tinycss2"
    (tmp_path / "pipx_metadata.json").write_text("{}", encoding="utf-8")
    assert install_command("pyyaml", "tinycss2") == f"pipx inject {tmp_path.name} pyyaml tinycss2"
    (tmp_path / "pipx_metadata.json").unlink()
    (tmp_path / "uv-receipt.toml").write_text('tool.requirements = [{ name = "tokensync" }]', encoding="utf-8")
    assert install_command("pyyaml", "tinycss2") == "uv tool install --with pyyaml --with tinycss2 tokensync"


@pytest.fixture
def without_readers(tmp_path, monkeypatch):
    """Give the test an environment with tokensync and pyyaml, and without the other packages of its extras."""
    requirements = metadata.requires("tokensync")
    for name, lines in {"tokensync": [f"Requires-Dist: {each}" for each in requirements], "pyyaml": []}.items():
        folder = tmp_path / "site" / f"{name}-1.dist-info"
        folder.mkdir(parents=True)
        text = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", "Version: 1", *lines])
        (folder / "METADATA").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.setattr(sys, "prefix", str(tmp_path))


def test_the_extra_of_migrations_is_named_with_one_command_for_all_that_it_lacks(without_readers):
    lacking = [name for name, version in extras()["migrate"].items() if not version]
    assert lacking in (["defusedxml", "pyjson5", "tinycss2"], ["defusedxml", "tinycss2"])  # no wheel for Python 3.15
    command = f"python -m pip install tinycss2 {' '.join(lacking[:-1])}"
    assert str(missing_package("tinycss2", "to read CSS, tokensync")).endswith(
        f"needs the package tinycss2 of the extra 'migrate'; run `{command}`"
    )
    (shown,) = (check for check in checks(None, {}) if check.name == "extra migrate")
    assert shown.value == f"not installed; to add it, run `python -m pip install {' '.join(lacking)}`"
    assert shown.to_do == ""  # most people need no migration
