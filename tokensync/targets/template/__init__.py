"""Whatever a team's own templates render."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tokensync.boundary import flaw_of
from tokensync.generate.request import Target
from tokensync.targets import Named

Filled = Annotated[str, Meta(min_length=1)]

PLACEHOLDERS = ("theme", "collection")
"""What may stand in a path in braces: the file is then made for each."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class TemplateFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One file: ``template`` is a path below the output's ``templates`` folder, ``path`` one below its ``path``.

    ``{theme}`` or ``{collection}`` in ``path`` makes a file for each. ``names`` says whose names tokens have and
    ``values`` how values are written. ``reference`` is how a token refers to another one, with ``{name}`` in it;
    without it, values are always literals. ``reserved`` are names that get an underscore.
    """

    template: Annotated[Filled, Meta(description="The template's path below the output's `templates` folder.")]
    path: Annotated[
        Filled,
        Meta(
            description="The file's path below the output's. `{theme}` or `{collection}` in it makes a file for each."
        ),
    ]
    names: Annotated[
        Named,
        Meta(description="Whose names the tokens have."),
    ] = "typescript"
    values: Annotated[Literal["css", "json"], Meta(description="How a row's `value` is written.")] = "css"
    reference: Annotated[
        str,
        Meta(description='How a reference is written, such as `"var({name})"`; without it, values are literals.'),
    ] = ""
    reserved: Annotated[
        tuple[str, ...],
        Meta(description="Names that your language keeps for itself: they get an underscore at the end."),
    ] = ()


class TemplateOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The files of the output, in the order in which they are made."""

    files: Annotated[tuple[TemplateFile, ...], Meta(description="The files that your own templates render.")]

    def faults(self) -> list[tuple[tuple[str | int, ...], str]]:
        """Find paths that lead elsewhere or that not every system takes, and references without a name."""
        found: list[tuple[tuple[str | int, ...], str]] = []
        if not self.files:
            found.append((("files",), "no file is listed"))
        for index, each in enumerate(self.files):
            if what := _fault_of_path(each.path):
                found.append((("files", index, "path"), what))
            if flaw := flaw_of(each.template):
                found.append((("files", index, "template"), f"{each.template!r:.80}: {flaw.what} ({flaw.what_to_do})"))
            if each.reference and "{name}" not in each.reference:
                found.append((("files", index, "reference"), f"{each.reference!r:.80} has no {{name}} in it"))
        return found


def _fault_of_path(path: str) -> str:
    for name in _PLACEHOLDER.findall(path):
        if name not in PLACEHOLDERS:
            return f"{{{name:.40}}} is not a placeholder; there are {{theme}} and {{collection}}"
    plain = _PLACEHOLDER.sub("x", path)
    if "{" in plain or "}" in plain:
        return f"{path!r:.80}: unmatched brace"
    flaw = flaw_of(plain)
    return f"{path!r:.80}: {flaw.what} ({flaw.what_to_do})" if flaw else ""


TARGET = Target("template", "files of your own templates", TemplateOptions)
