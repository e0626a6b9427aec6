"""Writes docs/templates.md from the contexts that templates declare; ``--check`` only says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from template_contexts import Field, fields_of, row_type, templates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.naming.contexts import Template

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "templates.md"

HEAD = """\
# Templates

<!-- Made from the declared contexts by `make docs`. Do not edit. -->

Every output file comes from a Jinja template. `templates = "folder"` in an `[[outputs]]` table names a folder of your
own: a file in it comes before the packaged one of the same path, so that `folder/css/tokens.css.j2` replaces
`templates/css/tokens.css.j2` and every other template stays the packaged one. Begin with a copy of the packaged file.

- What a template is given is **escaped for its language already**: names are identifiers there, values are literals or
  references. Nothing is escaped twice; a template that adds text of its own writes it as the language wants it.
- A row is a tuple. Unpack it in the loop (`{% for name, value in rows %}`); that is several times faster than looking a
  part up by its name.
- A name that the tables below do not list is an error, and says so with its line. So does a template that tries to
  leave Jinja's sandbox.
- The filters `kebab`, `snake`, `camel` and `pascal` join words.
"""


def page() -> str:
    """The whole page: a section a platform, its templates in it."""
    parts = [HEAD.rstrip()]
    platform = ""
    first: dict[type, str] = {}
    for each in templates():
        if each.platform != platform:
            platform = each.platform
            parts.append(f"## {platform}")
        parts.append(f"### {each.path}\n\n{each.renders}")
        known = first.setdefault(each.context, each.path)
        parts += tables(each) if known == each.path else [f"It is given what {known} is given."]
    return "\n\n".join(parts) + "\n"


def tables(template: Template) -> Iterator[str]:
    """The template's variables, and the rows among them with an example each, outermost first."""
    waiting = [("", fields_of(template.context))]
    if not waiting[0][1]:
        yield "It is given nothing."
        return
    seen = set()
    while waiting:
        owner, fields = waiting.pop(0)
        lines = ["| name | type | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{each.name}` | {each.words} | {cell(each.meaning)} |" for each in fields]
        table = "\n".join(lines)
        yield f"{row_sentence(owner, fields)}\n\n{table}" if owner else table
        for each in fields:
            row = row_type(each.type)
            if row is not None and row not in seen:
                seen.add(row)
                waiting.append((each.name, fields_of(row)))


def row_sentence(owner: str, fields: list[Field]) -> str:
    """How a row is unpacked, and what one looks like."""
    names = ", ".join(each.name for each in fields)
    example = ", ".join("..." if each.example is None else repr(each.example) for each in fields)
    return f"A row of `{owner}` is `({names})`, for example `({example})`:"


def cell(text: str) -> str:
    """The text as a table's cell."""
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` compare it: 1 when it is not current."""
    wanted = page()
    if arguments == ["--check"]:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
            return 0
        print("docs/templates.md: not current with the declared contexts; run `make docs`", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
