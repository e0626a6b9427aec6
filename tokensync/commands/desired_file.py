"""What the platform should hold of one file by its token files: what ``plan`` and ``status`` compare it with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.commands.type_rules import rules_of
from tokensync.plan.desired import desired
from tokensync.tokens import targets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.commands.merging import MergedFile
    from tokensync.config import Project
    from tokensync.plan.desired import Desired
    from tokensync.tokens import TokenKey


def desired_file(
    project: Project, merged: MergedFile, code_syntax: Mapping[TokenKey, Mapping[str, str]] | None = None
) -> Desired:
    """Return the merged file as far as variables can hold it; ``code_syntax`` is what tokens, of any file,
    should say.
    """
    own = {key: texts for key, texts in (code_syntax or {}).items() if key in merged.graph.tokens}
    return desired(
        merged.graph,
        merged.theirs,
        place_of=merged.place_of,
        code_syntax=own,
        keys_elsewhere=_keys_elsewhere(project, merged),
        rules=rules_of(project),
    )


def _keys_elsewhere(project: Project, merged: MergedFile) -> Mapping[TokenKey, str]:
    """Return the variable keys of the tokens of other files that are referred to, from their token files."""
    from tokensync.formats.dtcg import read_folder

    others = {
        target[0]
        for token in merged.graph.tokens.values()
        for value in token.values
        for target in targets(value)
        if target.file != merged.file.name
    }
    configured = {each.name for each in project.config.files}
    graphs = (read_folder(project.tokens_folder, name).graph for name in sorted(others & configured))
    return {key: token.variable_key for graph in graphs for key, token in graph.tokens.items()}
