"""Any valid token file or resolver document in its canonical form, its meaning unchanged."""

from __future__ import annotations

from tokensync.errors import ProblemsError
from tokensync.formats.dtcg.faults import Faults
from tokensync.formats.dtcg.layout import resolver_file, token_file
from tokensync.formats.dtcg.parse import parsed
from tokensync.formats.dtcg.spelling import RESOLVER_SUFFIX


def format_bytes(content: bytes, path: str = "") -> bytes:
    """The canonical text of a file. ``path`` tells a resolver document from tokens, and names the file in problems.

    Only order, layout and the spelling of strings and numbers change; unknown members stay. Formatting what is
    formatted changes nothing. Raises ProblemsError for what is no JSON object.
    """
    tree, found = parsed(content)
    faults = Faults({path: content})
    faults.of_text(path, found)
    if not found and not isinstance(tree, dict):
        faults.at(path, (), "tokens-structure", "a token file is an object", "write groups and tokens into { }")
    problems = faults.problems()
    if problems:
        raise ProblemsError(problems)
    return resolver_file(tree) if path.endswith(RESOLVER_SUFFIX) else token_file(tree)
