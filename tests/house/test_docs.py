"""Every command, option, setting and problem code is in the documentation, and what it cites exists."""

import json
import re
from pathlib import Path

import click
import pytest
import yaml

from tokensync.cli.main import tokensync
from tokensync.generate.targets import NAMES
from tokensync.system.problems import CODES

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
SCHEMA = json.loads((ROOT / "config" / "schemas" / "tokensync.schema.json").read_text("utf-8"))


def page(name):
    return (DOCS / name).read_text("utf-8")


def section(text, title):
    """The part of a page from a heading to the next one."""
    return re.split(r"^#+ ", text.partition(f" {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def commands(group, path):
    for name in group.commands if type(group).list_commands is click.Group.list_commands else group.list_commands(None):
        command = group.get_command(click.Context(group), name)
        yield f"{path} {name}", command
        if isinstance(command, click.Group) and name != "api":  # docs/platform.md has a test of its own
            yield from commands(command, f"{path} {name}")


COMMANDS = dict(commands(tokensync, "tokensync"))
IN_EVERY_COMMAND = {"-q", "--quiet", "-v", "--verbose", "--no-color"}


@pytest.mark.parametrize("path", COMMANDS)
def test_each_command_and_option_is_in_the_reference(path):
    found = section(page("commands.md"), path)
    assert found
    options = {
        option
        for each in COMMANDS[path].params
        if isinstance(each, click.Option) and not each.hidden
        for option in (*each.opts, *each.secondary_opts)
    }
    assert {each for each in options - IN_EVERY_COMMAND if not re.search(rf"`[^`]*{re.escape(each)}\b", found)} == set()


def test_the_readme_names_each_command_in_its_table():
    rows = re.findall(r"^\| (`tokensync [^|]*) \|", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    named = {word for row in rows for word in re.findall(r"`(?:tokensync )?([a-z-]+)`", row)}
    assert named == {path.split()[1] for path in COMMANDS}


PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]


def named_commands(text):
    """Yield the words of each command line, in inline code or on a line of a code block."""
    blocks = re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL)
    lines = [each for block in blocks for each in re.findall(r"^(?:\$ )?tokensync ([a-z].*)$", block, re.MULTILINE)]
    for line in [*lines, *re.findall(r"`tokensync ([a-z][^`\n]*)`", text)]:
        yield re.split(r"[;&>#\[]|\$\(| -- ", line)[0].split()


def unknown(words):
    """Return the first word that is neither a command nor an option of its command; None if all are known."""
    command = tokensync
    for word in words:
        if isinstance(command, click.Group) and command.name != "api" and word[0] != "-":
            names = word.split("\\|") if "\\|" in word else word.split("|")
            found = [command.get_command(click.Context(command), each) for each in names]
            if None not in found:
                command = found[-1]
            elif not command.invoke_without_command and word.islower():
                return word
        elif word[:2] == "--":
            own = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
            if command.name != "api" and re.match(r"[a-z-]*", word)[0] not in own | {"--help", "--version"}:
                return word
    return None


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_command_and_option_that_a_page_names_exists(path):
    found = {" ".join(words): unknown(words) for words in named_commands(path.read_text("utf-8"))}
    assert {line: word for line, word in found.items() if word is not None} == {}


def setting_names(schema):
    """The names of all members in a schema that are no options of a platform and no problem codes."""
    for name, member in schema.get("properties", {}).items():
        yield name
        if name != "problems":
            yield from setting_names(member)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from setting_names(schema[key])
    if "$ref" in schema:
        yield from setting_names(SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]])


def test_each_setting_is_in_the_reference_with_a_meaning():
    rows = re.findall(r"^\| `(\S+)` \| (.+?) \| (.+) \|$", page("settings.md"), re.MULTILINE)
    names = {re.sub(r"\[\]|\.\*", "", path).rpartition(".")[2] for path, _, meaning in rows if meaning.strip()}
    assert set(setting_names(SCHEMA)) - names == set()
    assert len(rows) > 60


@pytest.mark.parametrize("platform", NAMES)
def test_each_option_of_a_platform_is_on_its_page(platform):
    schema = json.loads((ROOT / "config" / "schemas" / "options" / f"{platform}.schema.json").read_text("utf-8"))
    assert [each for each in schema["properties"] if f"| `{each}` |" not in page(f"targets/{platform}.md")] == []


@pytest.mark.parametrize("code", CODES)
def test_each_problem_code_is_on_its_page(code):
    assert re.search(rf"^\| (<a id=\"{code}\"></a>)?`{code}` \|", page("problems.md"), re.MULTILINE)


def test_each_code_that_a_page_names_exists():
    """Codes stand in brackets at the end of messages."""
    for path in DOCS.rglob("*.md"):
        named = set(
            re.findall(r"^(?:error|warning|note): .* \[([a-z]+(?:-[a-z]+)+)\]$", path.read_text("utf-8"), re.MULTILINE)
        )
        assert named - set(CODES) == set(), path.name


SOURCES = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "tokensync").rglob("*.py")))
MESSAGES = re.findall(r"^\| `([^`]+)` \|", page("troubleshooting.md"), re.MULTILINE)


@pytest.mark.parametrize("message", MESSAGES)
def test_each_message_of_the_troubleshooting_page_is_one_of_ours(message):
    joined = re.sub(r'"\s*\n\s*f?"', "", SOURCES)
    assert message in joined


def test_each_page_that_the_sources_cite_exists():
    cited = set(re.findall(r"\bdocs/[\w/-]+\.md\b", SOURCES))
    assert {each for each in cited if not (ROOT / each).exists()} == set()
    explained = set(re.findall(r"tokensync explain ([a-z-]+)\b", SOURCES)) - {"lists"}
    assert {topic for topic in explained if not (DOCS / f"{topic}.md").exists()} == set()
    assert len(explained) > 5


def test_nothing_names_an_address_that_the_project_does_not_own():
    """The site's address stands in version.py, once a maintainer has registered it."""
    hosts = re.compile(r"https?://tokensync\.")
    files = [path for folder in ("tokensync", "templates", "config", "docs") for path in (ROOT / folder).rglob("*")]
    files = [path for path in files if path.is_file() and path.suffix not in (".png", ".pyc")]
    assert {path.name for path in files if hosts.search(path.read_text("utf-8"))} == set()


def pages_of(nav):
    for each in nav:
        for value in each.values() if isinstance(each, dict) else [each]:
            yield from pages_of(value) if isinstance(value, list) else [value]


def test_the_site_has_every_page_once():
    nav = list(pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    assert sorted(nav) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def test_the_page_of_the_python_interface_has_every_public_name():
    import tokensync as package

    assert [each for each in package.__all__ if f"`{each}" not in page("python.md")] == []


ACCEPTED_FROM_OTHERS = {
    "docs/configuration.md": "which servers a configuration may name",
    "tokensync/action/hosting.py": "a server that the runner names",
    "tokensync/action/job.py": "a server that the runner names",
    "tokensync/extract/client/authorization.py": "a redirect URL of the user",
    "tokensync/extract/client/addresses.py": "a server that a configuration names",
    "tokensync/emulator/apps.py": "a redirect URL of the user",
    "tokensync/testing.py": "what clients of a test ask without a proxy",
    "tokensync/emulator/server.py": "a name of the certificate, for clients that use it",
    "tokensync/bridge/cli.py": "the address in the plugin that it installs",
    "tokensync/bridge/plugin/manifest.json": "the only form in which Figma permits an address of this machine",
    "tokensync/bridge/plugin/ui.html": "the address that the manifest permits",
    "tokensync/bridge/server.py": "the host of the plugin's requests; it has the port on both loopbacks, or none",
}
"""The files that may name ``localhost``, and why: each compares it, or Figma knows no other name of this machine."""


def test_no_address_of_ours_is_a_name_that_windows_looks_up_as_ipv6_first():
    """Each connection to it takes a second longer there, and another program may listen on [::1]."""
    folders = ("tokensync", "templates", "config", "examples", "docs", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    named = {
        path.relative_to(ROOT).as_posix()
        for path in (*files, *ROOT.glob("*.md"), ROOT / "action.yml", ROOT / "Makefile")
        if path.suffix not in (".pyc", ".png") and b"localhost" in path.read_bytes().lower()
    }
    assert named == set(ACCEPTED_FROM_OTHERS)


def test_contributing_lists_each_target_of_make():
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert {target for target in targets if f"`make {target}`" not in contributing} == {"help", "clean"}
    assert set(re.findall(r"`make ([a-z-]+)[ `]", contributing)) <= set(targets)
