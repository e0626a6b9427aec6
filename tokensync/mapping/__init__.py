"""The one translator between the platform's words and DTCG's: variable and token, name and path, type and scopes."""

from tokensync.mapping.handles import slug, unique
from tokensync.mapping.names import key_of_remote_id, name_of_path, path_of_id, path_of_name
from tokensync.mapping.types import KINDS, RESOLVED_TYPES, ResolvedType, TypeRule, TypeRules, type_rules
from tokensync.mapping.values import BadValue, ValueReader

__all__ = [
    "KINDS",
    "RESOLVED_TYPES",
    "BadValue",
    "ResolvedType",
    "TypeRule",
    "TypeRules",
    "ValueReader",
    "key_of_remote_id",
    "name_of_path",
    "path_of_id",
    "path_of_name",
    "slug",
    "type_rules",
    "unique",
]
