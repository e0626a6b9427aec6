"""Files that templates of the user's own render, or packaged ones for tools beside the targets."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tokensync.generate.target import Target
from tokensync.generate.targets import Named
from tokensync.system.boundary import flaw_of

Filled = Annotated[str, Meta(min_length=1)]

PLACEHOLDERS = ("theme", "collection")
"""The placeholders of a path; one file is written for each value."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class TemplateFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file that a template renders, or with placeholders in ``path`` a file for each theme or collection."""

    template: Annotated[
        Filled, Meta(description="The path of a packaged template, or of your own in the output's `templates` folder.")
    ]
    path: Annotated[
        Filled,
        Meta(description="The file's path in the output's folder. `{theme}` or `{collection}` writes one for each."),
    ]
    names: Annotated[Named, Meta(description="The platform whose names the tokens have.")] = "typescript"
    more_names: Annotated[
        tuple[Named, ...], Meta(description="More platforms whose names a template can take from `row.names`.")
    ] = ()
    values: Annotated[Literal["css", "json"], Meta(description="The notation of a row's `value`.")] = "css"
    reference: Annotated[
        str,
        Meta(description='The notation of references, such as `"var({name})"`; without it, all values are literals.'),
    ] = ""
    reserved: Annotated[
        tuple[str, ...],
        Meta(description="Reserved words of your language: tokens with such names get an underscore as suffix."),
    ] = ()


class TemplateOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a template output."""

    files: Annotated[tuple[TemplateFile, ...], Meta(description="The files to render.")]

    def faults(self) -> list[tuple[tuple[str | int, ...], str]]:
        """Return the option path and the error of unsafe or unportable paths, and of references without a name."""
        found: list[tuple[tuple[str | int, ...], str]] = []
        if not self.files:
            found.append((("files",), "it is empty; list at least one file"))
        for index, each in enumerate(self.files):
            if what := _fault_of_path(each.path):
                found.append((("files", index, "path"), what))
            if flaw := flaw_of(each.template):
                found.append((("files", index, "template"), f"{each.template!r:.80}: {flaw.what} ({flaw.what_to_do})"))
            if each.reference and "{name}" not in each.reference:
                found.append((("files", index, "reference"), f"{each.reference!r:.80} does not contain {{name}}"))
        return found


def _fault_of_path(path: str) -> str:
    for name in _PLACEHOLDER.findall(path):
        if name not in PLACEHOLDERS:
            return f"{{{name:.40}}} is not a placeholder; use {{theme}} or {{collection}}"
    plain = _PLACEHOLDER.sub("x", path)
    if "{" in plain or "}" in plain:
        return f"{path!r:.80}: unmatched brace"
    flaw = flaw_of(plain)
    return f"{path!r:.80}: {flaw.what} ({flaw.what_to_do})" if flaw else ""


TARGET = Target("template", "files of templates for any language or tool", TemplateOptions)
