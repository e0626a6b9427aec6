"""Writes docs/commands.md, docs/settings.md and docs/llms.txt from commands, schema and pages; ``--check`` compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from tokensync.cli.main import COMMANDS, tokensync
from tokensync.generate.targets import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SCHEMA = ROOT / "config" / "schemas" / "tokensync.schema.json"

_IN_EVERY_COMMAND = frozenset({"--quiet", "--verbose", "--no-color"})

OF_AGENTS = ("mcp", "tokens", "build", "check", "plan", "explain")
FOR_AGENTS = (
    "In a project with `tokensync.toml`, write no raw colours, lengths and fonts: ask `find_tokens` of the server"
    " `tokensync mcp` for the use ([Agents](agents.md)), and write the text under `code`. Change token files below"
    " `tokens/`, never generated code. A person applies plans."
)
COMMANDS_HEAD = """\
# Commands

<!-- Generated from the commands by `make docs`. Do not edit. -->

`tokensync COMMAND --help` prints the same. [Exit codes](exit-codes.md) are the same for all commands. The options of
this table can also precede the command; where a command below lists one of them, it has an effect there.
"""
SETTINGS_HEAD = """\
# Settings

<!-- Generated from the schema of tokensync.toml by `make docs`. Do not edit. -->

All settings of `tokensync.toml`, or of the table `[tool.tokensync]` of `pyproject.toml`. `[]` stands for each table of
an array, and `*` for any name. [Configuration](configuration.md) explains the settings with examples, and
[Problem codes](problems.md) lists the names in `problems`. The options of each platform are on its page:
"""


def commands_page() -> str:
    """Return the page of the commands: a section for each, in alphabetical order."""
    parts = [COMMANDS_HEAD.rstrip(), _options(tokensync)]
    with click.Context(tokensync, info_name="tokensync") as context:
        for path, command in _commands(tokensync, context, "tokensync"):
            parts += _section(path, command)
    return "\n\n".join(parts) + "\n"


def _commands(group: click.Group, context: click.Context, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group and of the groups in it, with the words to type."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        yield f"{path} {name}", command
        if isinstance(command, click.Group) and name != "api":  # docs/platform.md lists the endpoints
            yield from _commands(command, click.Context(command, context, info_name=name), f"{path} {name}")


def _section(path: str, command: click.Command) -> Iterator[str]:
    """Yield the heading, the synopsis, the description and the options of a command."""
    context = click.Context(command, info_name=path)
    yield f"{'#' * min(path.count(' ') + 1, 4)} {path}"
    yield f"```text\n{' '.join([path, *command.collect_usage_pieces(context)])}\n```"
    yield _escaped(" ".join((command.help or "").replace("\b", "").split()))
    if path == "tokensync api":
        yield "[Every endpoint](platform.md) is a command of its group."
    if table := _options(command):
        yield table


def _options(command: click.Command) -> str:
    """Return the table of a command's options, without those that every command has; empty if there are no others."""
    context = click.Context(command)
    lines = []
    for each in command.params:
        record = each.get_help_record(context) if isinstance(each, click.Option) else None
        if record is not None and (command is tokensync or not _IN_EVERY_COMMAND & set(each.opts)):
            lines.append(f"| `{_cell(record[0])}` | {_cell(_escaped(' '.join(record[1].split())))} |")
    return "\n".join(["| option | meaning |", "| --- | --- |", *lines]) if lines else ""


def settings_page() -> str:
    """Return the page of the settings: a table with each, in the order of the schema."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    targets = "\n".join(f"- [{name}](targets/{name}.md)" for name in sorted(NAMES))
    rows = [
        f"| `{path}` | {_values(each)} | {_cell(_escaped(each.get('description', '')))} |"
        for path, each in settings(schema)
    ]
    table = "\n".join(["| setting | values | meaning |", "| --- | --- | --- |", *rows])
    return f"{SETTINGS_HEAD.rstrip()}\n\n{targets}\n\n{table}\n"


def settings(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the schema of each setting; the levels of problem codes and the options have other pages."""
    definitions = schema["definitions"]

    def below(node: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        node = {**definitions[node["$ref"].rpartition("/")[2]], **node} if "$ref" in node else node
        if path:
            yield path, node
        if path == "problems":
            return
        for name, member in node.get("properties", {}).items():
            yield from below(member, f"{path}.{name}" if path else name)
        for key, step in (("items", "[]"), ("additionalProperties", ".*")):
            inner = node.get(key)
            if isinstance(inner, dict) and (
                inner.get("properties") or "$ref" in inner or key == "additionalProperties"
            ):
                entries = list(below(inner, f"{path}{step}"))
                yield from entries if key == "additionalProperties" else entries[1:]

    yield from below(schema, "")


def _values(node: dict[str, Any]) -> str:
    if "enum" in node:
        return ", ".join(f"`{each}`" for each in node["enum"])
    if "anyOf" in node:
        return " or ".join(map(_values, node["anyOf"]))
    kinds = node.get("type", "table")
    words = {
        "boolean": "`true`, `false`",
        "string": "text",
        "object": "table",
        "array": "list",
        "integer": "whole number",
    }
    return " or ".join(words.get(each, each) for each in ([kinds] if isinstance(kinds, str) else kinds))


def _escaped(text: str) -> str:
    """Return plain text as Markdown: what looks like an element or emphasis is not."""
    return text.replace("<", "&lt;").replace("*", "\\*")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def list_for_agents() -> str:
    """Return the list of pages that agents look for at the root of a site (llmstxt.org)."""
    index = (DOCS / "index.md").read_text(encoding="utf-8").split("\n\n")
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    lines = [index[0], "", f"> {' '.join(index[1].split())}"]
    for (title, pages), *_ in (section.items() for section in nav):
        if isinstance(pages, list):
            lines += ["", f"## {title}", "", *(f"- [{name}]({path})" for page in pages for name, path in page.items())]
    lines += [
        "",
        "## For agents",
        "",
        FOR_AGENTS,
        "",
        *(f"- `tokensync {name}`: {COMMANDS[name][1]}" for name in OF_AGENTS),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` compare them: 1 when one is not current."""
    code = 0
    texts = {"commands.md": commands_page(), "settings.md": settings_page(), "llms.txt": list_for_agents()}
    for page, text in ((DOCS / name, text) for name, text in texts.items()):
        if arguments != ["--check"]:
            page.write_text(text, encoding="utf-8", newline="\n")
        elif not page.is_file() or page.read_text(encoding="utf-8") != text:
            print(f"docs/{page.name}: not current; run `make docs`", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
