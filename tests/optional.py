"""Skips tests of packages that have no wheel for each system and Python: see the markers in pyproject.toml."""

from functools import cache
from importlib.util import find_spec

import pytest

needs_cryptography = pytest.mark.skipif(
    find_spec("cryptography") is None, reason="cryptography has no wheel for this system"
)
needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="cryptography, which mcp needs, has no wheel here")
needs_json5 = pytest.mark.skipif(find_spec("pyjson5") is None, reason="pyjson5 has no wheel for this Python")


@cache
def tree_parser(language_package):
    """Return the parser of a tree-sitter grammar, or skip the test."""
    tree_sitter = pytest.importorskip("tree_sitter", reason="tree-sitter has no wheel for this Python")
    grammar = pytest.importorskip(language_package, reason=f"{language_package} has no wheel for this system")
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))
