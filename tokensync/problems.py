"""What is wrong, where, and what to do about it.

A room that finds problems collects them all in a list and hands them on; ``errors.stop_on_errors`` raises them once.
Every code is declared here with its severity and meaning: docs/problems.md is made from ``CODES``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "note"]


class Code(NamedTuple):
    """What a problem code means, everywhere it appears."""

    severity: Severity
    meaning: str
    outcome: str


class Problem(NamedTuple):
    """One finding. ``where`` is ``file:line:column (JSON pointer)`` or ``collection / variable / mode``."""

    severity: Severity
    code: str
    where: str
    what: str
    what_to_do: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.what_to_do} [{self.code}]"


CODES: dict[str, Code] = {
    # outputs
    "output-foreign": Code(
        "error", "A file stands where an output would go, and it is not ours.", "Nothing is written without --force."
    ),
    "output-repeated": Code(
        "error", "Two outputs would write the same file, or one below another's file.", "Nothing is written."
    ),
    "output-left": Code(
        "warning", "What was an output of ours is not made any more, and holds something else now.", "The file stays."
    ),
    "catalog-unsigned": Code(
        "error", "A template of an asset catalog does not name tokensync as the author.", "Nothing is written."
    ),
    "token-files-absent": Code("error", "There are no token files to build from.", "Nothing is written."),
    "token-files-forgotten": Code(
        "warning", "There are token files of a file that is not configured any more.", "They stay, and are not built."
    ),
    "lock-unreadable": Code(
        "warning",
        "A line of tokensync.lock is not as we write it.",
        "It counts as absent: what it told of has no base, so a deletion of it is none; a pull writes the lock anew.",
    ),
    # themes
    "theme-unknown-collection": Code("error", "A theme names a collection that no file has.", "Nothing is written."),
    "theme-unknown-mode": Code("error", "A theme names a mode that its collection has not.", "Nothing is written."),
    "theme-unknown": Code(
        "warning", "The options of an output name a theme that it has not.", "What they say of it has no effect."
    ),
    "theme-contested": Code(
        "warning", "Two themes that exclude each other would be shown to the same devices.", "The first one is shown."
    ),
    # config
    "config-malformed": Code("error", "The configuration is not TOML.", "Nothing is done."),
    "config-invalid": Code("error", "A configuration value is unknown or cannot be used.", "Nothing is done."),
    "path-refused": Code(
        "error",
        "A path leads out of the git work tree, to a folder that is not for outputs, or to what is no file; or token"
        " files are behind a link.",
        "Nothing is written.",
    ),
    "manifest-path": Code(
        "warning", "An entry of tokensync.outputs.json names a place where no output may be.", "It is dropped."
    ),
    "type-rule-unused": Code("warning", "A [[types]] rule changes no token's type.", "Types are as without it."),
    "type-rule-unfit": Code(
        "warning", "A [[types]] rule matches variables that cannot have its type.", "Their types are as without it."
    ),
    # wire: a response that cannot be read
    "response-malformed": Code("error", "A response is not JSON, or is cut short.", "Nothing is written."),
    "response-shape": Code("error", "A response is JSON, but not what the API promises.", "Nothing is written."),
    "response-is-error": Code(
        "error", "A saved response is an error that the platform answered.", "Nothing is written."
    ),
    # emulator
    "seed-unreadable": Code(
        "error", "A saved response to seed the emulator with is not one.", "The emulator's state stays as it was."
    ),
    # extract
    "variable-withheld": Code(
        "note", "An option leaves local variables out.", "They are not declared; aliases to them become literals."
    ),
    # normalize: oddities of a response
    "extension-cycle": Code(
        "warning", "Collections extend each other in a cycle.", "The first of them is read as a collection of its own."
    ),
    "extension-parent-absent": Code(
        "warning",
        "An extended collection's parent is not in the response.",
        "Its own overrides are kept; what it inherits is not known.",
    ),
    "parent-mode-unknown": Code(
        "warning", "A mode inherits from a mode that its parent collection does not have.", "It inherits nothing."
    ),
    "modes-absent": Code("warning", "A collection has no modes.", "It is read with one empty mode."),
    "mode-repeated": Code("warning", "Two modes of a collection have one id.", "The first is kept."),
    "default-mode-unknown": Code(
        "warning", "A collection's default mode is not among its modes.", "The first mode is the default."
    ),
    "collection-absent": Code(
        "warning", "A variable's collection is not in the response.", "It is read with modes that have no names."
    ),
    "name-repeated": Code(
        "warning", "Two live variables of a collection have one name.", "The later one's path gets a number."
    ),
    "type-unknown": Code(
        "warning", "A variable's type has no token form.", "It stays on the platform as it is, and is in no token file."
    ),
    "override-of-absent": Code(
        "warning",
        "An extended collection overrides a variable that is not in the response.",
        "It is kept, not declared.",
    ),
    "override-misplaced": Code(
        "warning",
        "An extended collection overrides a variable that its parent does not have.",
        "The override is omitted.",
    ),
    "mode-unknown": Code("warning", "A variable has a value for a mode that its collection lacks.", "It is omitted."),
    "value-mismatch": Code(
        "warning", "A value does not fit its variable's type, or cannot be kept by the platform.", "It is omitted."
    ),
    "font-weight-range": Code("warning", "A font weight is not from 1 to 1000.", "The token is a plain number."),
    "font-weight-text": Code(
        "note",
        "A text with a font weight's scopes names no weight.",
        "It stays text, and so does what refers to it.",
    ),
    "collection-name-repeated": Code(
        "warning", "Several collections have one name.", "Each gets a handle of its own; local ones come first."
    ),
    "remote-copy-stale": Code(
        "warning",
        "A variable is in the response in several copies under one key.",
        "An alias follows the copy it names.",
    ),
    "variable-deleted": Code(
        "warning",
        "A variable was deleted in the editor and is still referred to.",
        "It is never declared; references to it become literals.",
    ),
    "leaf-and-group": Code("note", "A variable has the name of a group.", "Token files hold it as the group's $root."),
    "name-encoded": Code(
        "note",
        "A variable's name holds characters that a token's name may not.",
        "They are percent-encoded, reversibly.",
    ),
    "scopes-empty": Code("note", "A variable has no scopes at all.", "A number stays a plain number."),
    # normalize: what a graph cannot show
    "font-weight-slant": Code(
        "note", "The text of a font weight also says italic or oblique.", "Outputs hold the weight alone."
    ),
    "alias-dangling": Code(
        "warning", "An alias leads to a variable that is not in the response.", "That one declaration is omitted."
    ),
    "alias-type-unknown": Code(
        "warning",
        "An alias leads to a variable of a type that has no token form.",
        "That one declaration is omitted; the alias stays.",
    ),
    "alias-cycle": Code("warning", "Aliases form a cycle.", "The declarations of all tokens of it are omitted."),
    "alias-mismatch": Code("warning", "An alias leads to a value of another type.", "That one declaration is omitted."),
    "value-absent": Code("warning", "A token has no value in a mode.", "That one declaration is omitted."),
    # formats: token files
    "tokens-malformed": Code("error", "A token file is not JSON, or is nested absurdly deep.", "Nothing is written."),
    "tokens-name-repeated": Code("error", "A name stands twice in one object of a token file.", "Nothing is written."),
    "tokens-number": Code("error", "A number of a token file is beyond all range.", "Nothing is written."),
    "tokens-structure": Code("error", "A token file is not made of groups and tokens.", "Nothing is written."),
    "tokens-root-group": Code(
        "error", "A token file's root group is not the handle of its collection.", "Nothing is written."
    ),
    "tokens-name": Code("error", "A token or group has a name that DTCG does not allow.", "Nothing is written."),
    "tokens-member-unknown": Code("warning", "A token or group has a member that DTCG has not.", "It is ignored."),
    "tokens-mode-parent": Code("error", "A mode's parent is not among the modes before it.", "Nothing is written."),
    "mode-id-copied": Code(
        "error", "Two token files of a collection carry the id, or the context, of one mode.", "Nothing is written."
    ),
    "mode-name-copied": Code(
        "error", "The file of a new mode has the name of another mode of its collection.", "Nothing is written."
    ),
    "resolver-structure": Code("error", "A resolver document is not as DTCG has it.", "Nothing is written."),
    "resolver-source-absent": Code(
        "error", "A resolver document names a token file that is not there.", "Nothing is written."
    ),
    "group-extends": Code("error", "A group extends what it cannot.", "Nothing is written."),
    "token-repeated": Code("error", "Two files of one mode hold the same token.", "Nothing is written."),
    "token-type": Code("error", "A token has no type, or one that DTCG does not know.", "Nothing is written."),
    "token-value": Code("error", "A token's value does not fit its type.", "Nothing is written."),
    "color-space": Code("error", "A colour is of a space that variables cannot hold.", "Nothing is written."),
    "token-reference": Code("error", "A token refers to something that is not there.", "Nothing is written."),
    "token-reference-type": Code("error", "A token refers to a token of another type.", "Nothing is written."),
    "token-member": Code("error", "A token's description or extension is not what it is to be.", "Nothing is written."),
    "token-id-repeated": Code("warning", "Two tokens carry one variable id.", "The one at the known path keeps it."),
    "token-value-stale": Code(
        "note",
        "A token's $value only stands for a value that org.tokensync keeps, and does not fit it.",
        "The kept value counts.",
    ),
    "token-text-stale": Code(
        "note",
        "A font weight's $value and its text name different weights.",
        "The $value counts.",
    ),
    "token-cycle": Code("warning", "References come back to the token that they start at.", "It has no value."),
    # naming
    "code-syntax-unusable": Code(
        "warning", "A code syntax is no identifier on its platform.", "The name template names the token there."
    ),
    "code-syntax-unwritable": Code(
        "warning", "A name would not be read back from code syntax.", "The token's code syntax stays as it is."
    ),
    "code-syntax-unstable": Code(
        "error", "Names would be others once they are written as code syntax.", "There is no plan."
    ),
    "code-syntax-renames": Code(
        "warning", "An output reads code syntax that another one's names are written to.", "Its names change."
    ),
    "identifier-collision": Code(
        "warning", "Two tokens have one name on a platform.", "The first in collection order keeps it."
    ),
    "template-failed": Code("error", "A template cannot be rendered.", "Nothing is written."),
    # plan: what cannot be done to the platform
    "plan-name-held": Code(
        "error", "A token or mode has the name of one whose deletion is held back.", "There is no plan."
    ),
    "plan-target-held": Code("error", "A token refers to one whose change of type is held back.", "There is no plan."),
    "plan-name": Code("error", "A new name is one that the platform refuses.", "There is no plan."),
    "plan-name-path": Code(
        "error", "A new name is one that a pull would bring back at another path.", "There is no plan."
    ),
    "plan-name-taken": Code(
        "error", "Two variables, or two modes, of a collection would have one name.", "There is no plan."
    ),
    "plan-limit": Code(
        "error",
        "A collection would have too many modes or variables, or a variable too much text.",
        "There is no plan.",
    ),
    "plan-default-mode": Code(
        "error", "A collection's default mode would be another one than is wanted.", "There is no plan."
    ),
    "plan-extension": Code(
        "error", "An extension would differ in what it shares with its parent.", "There is no plan."
    ),
    "plan-changeless": Code("error", "Something is to change that is settled when it is made.", "There is no plan."),
    "plan-fixed": Code("error", "Something is to change that belongs to another file.", "There is no plan."),
    "plan-value-absent": Code("error", "A variable would have no value in a mode.", "There is no plan."),
    "plan-value": Code("error", "A value is none that its variable can hold.", "There is no plan."),
    "plan-alias": Code("error", "A token refers to what it cannot refer to on the platform.", "There is no plan."),
    "plan-circle": Code("error", "References would form a cycle, in some mixture of modes.", "There is no plan."),
    "plan-scopes": Code("error", "A variable cannot have these scopes.", "There is no plan."),
    "plan-scope-unknown": Code(
        "warning", "A variable is to have a scope that tokensync does not know.", "It is sent; the platform decides."
    ),
    "plan-text": Code("error", "A description or code syntax is none that can be sent.", "There is no plan."),
    "token-without-variable": Code(
        "note", "Tokens are of a type that variables do not have.", "They stay in the token files alone."
    ),
    "token-left-out": Code(
        "warning", "A new token has a value that no variable can hold.", "It stays in the token files alone."
    ),
    "token-inexpressible": Code(
        "error", "A token of the platform is to have a value that no variable can hold.", "There is no plan."
    ),
    # plan: the merge
    "conflicts-unreadable": Code("error", "The conflicts file cannot be read.", "Nothing is written."),
    # plan: which thing is which
    "token-id-copied": Code(
        "warning", "Several tokens carry one variable id.", "The one at the known path keeps it; the others are new."
    ),
    "token-changed-collection": Code(
        "warning", "A token carries the id of a variable of another collection.", "It is a new token."
    ),
    "moved-ambiguous": Code(
        "error", "Entries of [[moved]] do not tell which token one was before.", "Nothing is written."
    ),
    # generate
    "unresolved-value": Code(
        "warning", "A token has no value that can be worked out in a mode.", "It is omitted from that mode."
    ),
    "default-value-absent": Code(
        "warning",
        "A token has a value in some modes, but none by default, and an output needs a default value.",
        "It is omitted from that output in every mode.",
    ),
    "breakpoint-varies": Code(
        "warning",
        "A theme changes a breakpoint or a container of Tailwind.",
        "Variants have the default value: no reference can stand in a media or container query.",
    ),
    "breakpoint-order": Code(
        "warning",
        "Two breakpoints or two containers of Tailwind have different values in the same whole rem.",
        "Both are written; Tailwind may order their variants wrongly.",
    ),
    "type-unsupported": Code(
        "warning", "A token is of a type that an output has no form for.", "It is omitted from that output."
    ),
    "remote-inlined": Code(
        "note", "Tokens refer to tokens that are not of these files.", "Their values are written as literals."
    ),
    "theme-unsupported": Code(
        "note", "An output has no form for some modes.", "The values of those modes are not in that output."
    ),
    "modes-not-followed": Code(
        "warning",
        "The value of a token depends on more combinations of modes than a style sheet can hold.",
        "CSS shows it in the default modes of some collections.",
    ),
    "dark-mode-ambiguous": Code(
        "warning",
        "A collection has a dark mode, but not one that is plainly the counterpart of its default mode.",
        "Android's night resources and iOS's dark appearances leave the collection out.",
    ),
    "character-unrepresentable": Code(
        "warning", "A string holds a character that an output cannot hold.", "It is written as U+FFFD."
    ),
}


def problem(code: str, where: str, what: str, what_to_do: str) -> Problem:
    """A problem of a declared code, with the severity of its code. An undeclared code is a KeyError: a bug."""
    return Problem(CODES[code].severity, code, where, what, what_to_do)
