"""The codes of the problems of a migration, for ``problems.CODES``: severity, meaning and outcome."""

from __future__ import annotations

from typing import Literal

MIGRATION_CODES: dict[str, tuple[Literal["error", "warning", "note"], str, str]] = {
    "migrate-token-reported": (
        "warning",
        "A token of the source does not become a token of the design file.",
        "It is in no token file; the ledger counts it as reported.",
    ),
    "migrate-token-replaced": (
        "note",
        "Later sets, or other sets, replace a definition of a token in all themes.",
        "The token has the values of the others; the ledger counts the definition as reported.",
    ),
    "migrate-token-unread": (
        "warning",
        "A part of a file of the source cannot be read as a token.",
        "It is omitted; the ledger counts it as reported if it is a token.",
    ),
    "migrate-token-partly": (
        "warning",
        "A member of a composite token does not become a token.",
        "The other members are migrated.",
    ),
    "migrate-alias-flattened": (
        "warning",
        "A reference cannot be an alias of a variable.",
        "Its token gets the literal value; the ledger counts it as flattened.",
    ),
    "migrate-token-contested": (
        "warning",
        "The modes of several collections give a token values.",
        "It is in the first collection whose modes change it; the values of the others are not migrated.",
    ),
    "migrate-value-changed": (
        "note",
        "A value is converted to one that a variable can have.",
        "The converted value is migrated.",
    ),
    "migrate-value-filled": (
        "note",
        "A token has no value in a mode, and the mapping says which one it gets.",
        "It gets the value of the default mode, or of the first mode that has one.",
    ),
    "migrate-token-lowered": (
        "note",
        "A composite token, such as a typography, cannot be one variable.",
        "Each of its members becomes a token.",
    ),
    "migrate-token-files-only": (
        "note",
        "A token cannot be a variable, but token files can have it.",
        "It is in the token files only.",
    ),
    "migrate-name-changed": (
        "note",
        "A name is invalid or too long on the platform, or differs from another one only in case or in outer spaces.",
        "The token gets the name in the message.",
    ),
    "migrate-variable-left": (
        "note",
        "A token has keys or ids of several variables, or the last migration wrote one that this one does not have.",
        "The variable stays as it is.",
    ),
    "migrate-edit-kept": (
        "note",
        "A migrated token was edited in the token files, or on the platform, since the last migration.",
        "The edit stays, unless --overwrite is given.",
    ),
    "migrate-edit-contested": (
        "warning",
        "A migrated token was edited since the last migration, and its source was changed in another way.",
        "The edit stays, unless --overwrite is given; the value of the source is not written.",
    ),
    "migrate-mapping": ("error", "A mapping file has an unknown or invalid entry.", "Nothing is written."),
    "migrate-mapping-unused": (
        "warning",
        "An entry of a mapping file matches no token.",
        "It has no effect.",
    ),
    "migrate-modes": (
        "note",
        "A collection has more modes than some plans of Figma allow.",
        "The plan is made; Figma refuses it in a plan with fewer modes.",
    ),
    "migrate-modes-guessed": (
        "note",
        "The source does not say that files, folders or selectors are modes, or what the default mode is called.",
        "The proposed mapping takes them for modes, and has a name for the default; a mapping can say something else.",
    ),
    "migrate-collection-full": (
        "error",
        "A collection would have more variables or modes than the platform allows.",
        "Nothing is written.",
    ),
    "migrate-rehearsal": (
        "error",
        "The rehearsal on the embedded emulator did not end with the migrated tokens.",
        "Nothing is written.",
    ),
    "renames-invalid": (
        "error",
        "A file of renames is malformed, or a value in it is unknown or invalid.",
        "No code is changed.",
    ),
}
