"""Names in Swift source: which are declared, and which are reserved words that stand there bare.

tree-sitter-swift accepts ``static let default``; a compiler does not. The words are those of The Swift Programming
Language, Lexical Structure, Keywords and Punctuation: declarations, statements, expressions and types.
"""

from collections.abc import Iterator
from functools import cache

RESERVED = frozenset(
    "associatedtype class deinit enum extension fileprivate func import init inout internal let open operator "
    "precedencegroup private protocol public rethrows static struct subscript typealias var "
    "break case catch continue default defer do else fallthrough for guard if in repeat return throw switch where "
    "while Any as await false is nil rethrows self Self super throw throws true try".split()
)
_WHERE_WORDS_ARE_NAMES = (
    *("navigation_suffix", "prefix_expression", "value_argument_label", "value_argument"),
    "identifier",  # of a module, or where Self == Color
)
_DECLARING = frozenset(
    "class_declaration enum_entry function_declaration property_declaration protocol_declaration "
    "protocol_property_declaration typealias_declaration".split()
)


def declared(tree) -> Iterator[str]:
    """The name of each declaration, as written."""
    for node in of_type(tree, *_DECLARING):
        name = node.child_by_field_name("name")
        if name is not None:
            yield name.text.decode()


def bare_words(tree) -> list[str]:
    """Reserved words that are used as names without back-ticks, with their lines.

    After a dot most words are names as they are (``.default``), so there only ``self``, ``init`` and ``Type`` count as
    what the language makes of them, and none is a fault.
    """
    declarations = []
    for node in of_type(tree, "simple_identifier"):
        if node.text.decode() in RESERVED:
            parent = node.parent.type if node.parent is not None else ""
            following = node.next_sibling.type if node.next_sibling is not None else ""
            is_label = parent == "parameter" and following == "simple_identifier"  # in of (in theme: Theme)
            is_type = parent == "navigation_expression" and node.text == b"Self"  # the type around it
            if parent not in _WHERE_WORDS_ARE_NAMES and not is_label and not is_type:
                declarations.append(f"{node.start_point.row + 1}: {node.text.decode()}")
    return declarations


def of_type(tree, *types: str) -> list:
    """The nodes of these types in the order of the source, which tree-sitter finds: it is much quicker."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(_query(tree.language, types))
    return [node for _, captured in cursor.matches(tree.root_node) for (node,) in captured.values()]


@cache
def _query(language, types: tuple[str, ...]):
    from tree_sitter import Query

    return Query(language, " ".join(f"({each}) @found" for each in types))
