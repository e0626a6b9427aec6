"""Problems: their location, description and remedy.

Functions collect problems in a list and return them; ``errors.stop_on_errors`` raises all of them together. ``CODES``
declares the severity and meaning of every code; docs/problems.md is generated from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "note"]
Level = Literal["ignore", "note", "warning", "error"]
"""What a configuration can set a code to."""
LEVELS: tuple[Level, ...] = ("ignore", "note", "warning", "error")


class Code(NamedTuple):
    """The severity, meaning and outcome of a problem code.

    ``limits`` are the lowest and the highest level that a configuration can give it. By default, errors cannot change:
    they protect data, or there is no result without a correction. With ``is_of_design``, only a change of the design
    file ends such a finding, so that builds from token files, hooks and annotations only count it.
    """

    severity: Severity
    meaning: str
    outcome: str
    limits: tuple[Level, Level] | None = None
    is_of_design: bool = False

    @property
    def levels(self) -> tuple[Level, ...]:
        """Return the levels that a configuration can set; only the code's own severity if it cannot change."""
        lowest, highest = self.limits or (("error",) * 2 if self.severity == "error" else ("ignore", "error"))
        return LEVELS[LEVELS.index(lowest) : LEVELS.index(highest) + 1]


class Problem(NamedTuple):
    """A problem. ``where`` is ``file:line:column (JSON pointer)`` or ``collection / variable / mode``.

    ``names`` are the names of all objects that it is about, if ``what`` gives only their number. ``snippet`` is text to
    copy into the configuration, with a line for each setting. ``brief`` is ``what`` without the details of one token:
    several problems of a collection with the same one share a line, with the details of the first where it has dots.
    If it starts with "tokens", their number precedes it.
    ``is_accepted`` means that the project accepts it, so that it is counted and not shown. ``outputs`` are the platform
    and path of each output that it is about.
    """

    severity: Severity
    code: str
    where: str
    what: str
    what_to_do: str
    names: tuple[str, ...] = ()
    snippet: str = ""
    brief: str = ""
    is_accepted: bool = False
    outputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text(f" ({', '.join(self.names)})" if self.names else "")

    @property
    def is_of_design(self) -> bool:
        """Return whether the finding is about the design file, and none that stops a command or is accepted."""
        is_known = self.severity != "error" and not self.is_accepted and self.code in CODES
        return is_known and CODES[self.code].is_of_design

    def rewritten(self, change: Callable[[str], str]) -> Problem:
        """Return the problem with all its texts changed by a function, such as one that shortens paths."""
        where, what, what_to_do, snippet = map(change, (self.where, self.what, self.what_to_do, self.snippet))
        names = tuple(map(change, self.names))
        return self._replace(where=where, what=what, what_to_do=what_to_do, names=names, snippet=snippet)

    def text(self, details: str = "") -> str:
        """Return the problem as a line, with details after what is wrong."""
        where = f"{self.where}: " if self.where else ""
        return f"{where}{self.what}{details}; {self.what_to_do} [{self.code}]"


def _error(meaning: str, outcome: str = "Nothing is written.", limits: tuple[Level, Level] | None = None) -> Code:
    return Code("error", meaning, outcome, limits)


def _warning(meaning: str, outcome: str, limits: tuple[Level, Level] | None = None) -> Code:
    return Code("warning", meaning, outcome, limits)


def _note(meaning: str, outcome: str) -> Code:
    return Code("note", meaning, outcome)


def _design(meaning: str, outcome: str) -> Code:
    return Code("warning", meaning, outcome, is_of_design=True)


def _design_note(meaning: str, outcome: str) -> Code:
    return Code("note", meaning, outcome, is_of_design=True)


_NOTHING = "Nothing is changed."

CODES: dict[str, Code] = {
    # outputs
    "output-foreign": _error(
        "A file that tokensync did not write is in the way of an output.", "Nothing is written without --force."
    ),
    "output-repeated": _error("Two outputs write the same file, or one writes below a file of the other."),
    "output-left": _warning(
        "A former output has been edited, or nothing proves that tokensync wrote it.",
        "The file stays.",
        ("ignore", "warning"),
    ),
    "output-stale": _error(
        "A generated file is not what the token files and the configuration give, or it is missing.",
        "Reported by `check`, which then exits with 3 if there are no other errors.",
    ),
    "catalog-unsigned": _error("A template of an asset catalog does not name tokensync as its author."),
    "token-files-absent": _error("There are no token files."),
    "token-files-forgotten": _warning(
        "There are token files of a design file that is not configured, or no longer.", "They are kept, but not read."
    ),
    "token-file-unread": _warning(
        "A token file is where no command reads it: in the tokens folder, or in another folder of the project.",
        "The file is kept, but not read.",
    ),
    "token-files-replaced": _warning(
        "Token files with errors are replaced by the state in Figma, as --theirs demands.",
        "Edits, composite tokens and other values that only they contained are gone.",
    ),
    "apply-unfinished": _warning(
        "An apply of the file is carried out in part.", "The token files may get its temporary names and values."
    ),
    "claim-not-shown": _warning(
        "The receipt of a script claims changes that the design file does not show.",
        "The token files are merged with what the design file shows.",
    ),
    "merge-conflict": _error(
        "The token files and the design file have changed the same thing in different ways.",
        "Nothing is written but the conflicts file (exit code 4). In GitHub Actions, each conflict is annotated.",
    ),
    "lock-conflicted": _warning(
        "tokensync.lock contains a conflict that git has left.",
        "Both sides count as states that were agreed on. tokensync apply refuses to work (exit code 4), and tokensync "
        "check reports `conflict-marks`. status exits with 3. The next pull resolves the conflict.",
        ("warning", "warning"),
    ),
    "lock-unreadable": _warning(
        "A line of tokensync.lock is invalid.",
        "The line is ignored, so a deletion of its object is not detected. The next pull rewrites the lock.",
        ("warning", "error"),
    ),
    # themes
    "theme-unknown-collection": _error(
        "A theme names a collection that does not exist.",
        "Nothing is written; as a warning: the theme is built without it.",
        ("ignore", "error"),
    ),
    "theme-unknown-mode": _error(
        "A theme names a mode that its collection does not have.",
        "Nothing is written; as a warning: the theme is built with the default mode.",
        ("ignore", "error"),
    ),
    "theme-unknown": _warning("The options of an output name a theme that it does not have.", "They have no effect."),
    "theme-contested": _warning("Two themes apply to the same devices.", "The first one is used."),
    # config
    "config-malformed": _error("The configuration is not valid TOML.", "Nothing is done."),
    "config-invalid": _error("A configuration value is unknown or invalid.", "Nothing is done."),
    "path-refused": _error(
        "A path leads out of the git work tree, to a folder that outputs must not use, or to something that is not a"
        " file; or token files are behind a link."
    ),
    "manifest-unreadable": _warning(
        "tokensync.outputs.json cannot be read.",
        "Former outputs without the mark of tokensync are left.",
        ("warning", "error"),
    ),
    "manifest-path": _warning(
        "An entry of tokensync.outputs.json names a path that no output can have.",
        "The entry is ignored.",
        ("warning", "warning"),
    ),
    "name-case": _warning("git does not notice that a name has changed in case.", "Other systems get the old one."),
    "selection-unmatched": _warning(
        "A glob of an output's include or exclude matches no collection, token or theme; for exclude, it is a note.",
        "The glob has no effect.",
    ),
    "type-rule-unused": _warning("A [[types]] rule changes no token's type.", "The rule has no effect."),
    "type-rule-unfit": _warning(
        "A [[types]] rule matches variables that cannot have its type.", "The rule has no effect on them."
    ),
    "composite-parts-missing": _warning(
        "A [[composites]] rule matches groups that lack a part.", "Their variables stay tokens of their own."
    ),
    "composite-name-taken": _warning(
        "A [[composites]] rule assembles a token whose name is another token's.", "The parts stay tokens of their own."
    ),
    "composite-rule-unused": _warning("A [[composites]] rule matches no variables.", "The rule has no effect."),
    # wire: a response that cannot be read
    "response-malformed": _error("A response is not JSON, or is truncated."),
    "response-shape": _error("A response is JSON, but does not have the structure that the API documents."),
    "response-text": _design("A text of a response has half of a surrogate pair.", "It is read as U+FFFD."),
    "response-is-error": _error("A saved response is an error response."),
    # emulator
    "seed-unreadable": _error(
        "A saved response for the emulator cannot be read.", "The emulator's state is unchanged."
    ),
    # extract
    "variable-withheld": _note(
        "An option omits local variables.", "They are not declared; aliases to them become literals."
    ),
    # normalize: oddities of a response
    "extension-cycle": _design(
        "Collections extend each other in a cycle.", "The first of them is read as a collection that extends nothing."
    ),
    "extension-parent-absent": _design(
        "An extended collection's parent is not in the response.",
        "Its own overrides are kept; inherited values are unknown.",
    ),
    "parent-mode-unknown": _design(
        "A mode inherits from a mode that its parent collection does not have.", "It inherits nothing."
    ),
    "modes-absent": _design("A collection has no modes.", "It is read with one empty mode."),
    "mode-repeated": _design("Two modes of a collection have the same id.", "The first is kept."),
    "default-mode-unknown": _design(
        "A collection's default mode is not among its modes.", "The first mode is the default."
    ),
    "collection-absent": _design(
        "A variable's collection is not in the response.", "The variable is read as a deleted one, with unnamed modes."
    ),
    "name-repeated": _design(
        "Two variables of a collection have the same name.", "A number is added to the path of the later one."
    ),
    "type-unknown": _design(
        "A variable has a type that tokens cannot have, or a motion variable a value in an unknown form.",
        "It is not changed in Figma and not written to token files.",
    ),
    "override-of-absent": _design(
        "An extended collection overrides a variable that is not in the response.",
        "The override is kept, but not declared.",
    ),
    "override-misplaced": _design(
        "An extended collection overrides a variable that its parent does not have.", "The override is omitted."
    ),
    "mode-unknown": _design("A variable has a value for a mode that its collection does not have.", "It is omitted."),
    "value-mismatch": _design(
        "A value does not have its variable's type, or cannot be stored by Figma.", "It is omitted."
    ),
    "font-weight-range": _design("A font weight is not between 1 and 1000.", "The token is a number."),
    "font-weight-text": _design_note(
        "A text with the scopes of a font weight is not the name of a weight.", "The token and its aliases stay text."
    ),
    "collection-name-repeated": _design(
        "Several collections have the same name.", "Each gets its own handle; local collections come first."
    ),
    "remote-copy-stale": _design(
        "The response has several copies of a variable with the same key.", "An alias refers to the copy that it names."
    ),
    "variable-deleted": _design(
        "A deleted variable is still referred to.", "It is not declared; references to it become literals."
    ),
    "leaf-and-group": _design_note(
        "A variable has the name of a group.", "Token files contain it as the group's $root."
    ),
    "name-encoded": _design_note(
        "A variable's name contains characters that DTCG does not allow.", "They are percent-encoded in token files."
    ),
    "scopes-empty": _design_note("A variable has no scopes.", "A number's type follows from its aliases and name."),
    "ratio-as-length": _note(
        "A number has the scope of a length, and all of its values are too small for one: a line height up to 4.",
        "The token is a number without a unit: a multiple of the font size.",
    ),
    "number-unit-unknown": _note(
        "Neither rules, scopes, aliases nor names give the unit of a number.", "The token is a number without a unit."
    ),
    "opacity-mixed": _warning(
        "Opacities are written as fractions (0.4) and as percentages (40) in one token or collection.",
        "A token with a value above 1 is a percentage; others are fractions.",
    ),
    # normalize: what a graph cannot show
    "font-weight-slant": _design_note(
        "The text of a font weight also contains italic or oblique.", "Outputs contain only the weight."
    ),
    "alias-dangling": _design(
        "An alias refers to a variable that is not in the response.", "That declaration is omitted."
    ),
    "alias-type-unknown": _design(
        "An alias refers to a variable of a type that tokens cannot have.",
        "That declaration is omitted; the alias is kept.",
    ),
    "alias-cycle": _warning("Aliases form a cycle.", "The declarations of all its tokens are omitted."),
    "alias-mismatch": _warning("An alias refers to a value of another type.", "That declaration is omitted."),
    "value-absent": _warning("A token has no value in a mode.", "That declaration is omitted."),
    # code that uses tokens
    "code-raw-value": _warning(
        "Code has a raw value that a token could replace.",
        "Reported by `check` with the token that fits. `check --fix` writes it where the choice is certain.",
    ),
    "code-unknown-token": _error(
        "Code uses a name that no token has: it is one slip away from a token's, has its words in another order, or has"
        " the prefix of all tokens, and nothing declares it.",
        "Reported by `check`, which then exits with 5.",
        ("ignore", "error"),
    ),
    "code-deprecated-token": _warning(
        "Code uses a deprecated token.",
        "Reported by `check`, with the successor if the token is an alias of it, or its deprecation names it.",
    ),
    "code-file-unread": _note("A file of code cannot be read, or is larger than 4 MiB.", "It is not checked."),
    "code-directive-unused": _note(
        "A comment switches findings off, and hides none or gives no reason.", "The comment has no other effect."
    ),
    # formats: token files
    "tokens-text": _warning("A text of a token file has half of a surrogate pair.", "It is read as U+FFFD."),
    "tokens-malformed": _error("A token file is not JSON, or is nested too deeply."),
    "tokens-name-repeated": _error("An object in a token file repeats a name."),
    "tokens-number": _error("A number in a token file is out of range."),
    "tokens-structure": _error("A token file contains something other than groups and tokens."),
    "tokens-root-group": _error("A token file's root group is not the handle of its collection."),
    "tokens-name": _error("A token or group has a name that DTCG does not allow."),
    "tokens-member-unknown": _warning(
        "A token or group has a member that DTCG does not define.", "It is kept, but ignored."
    ),
    "tokens-member-mistyped": _error("A member has nearly the name of one of DTCG."),
    "tokens-member-removed": _note(
        "A token file has a member that has no place after a deletion in Figma.", "A pull removes it."
    ),
    "tokens-member-unplaced": _error("A token file has a member that would replace another one after a pull."),
    "tokens-inherited": _note(
        "A group inherits a token that the design file does not have, or no longer has.",
        "The token stays in the token files.",
    ),
    "tokens-mode-parent": _error("A mode's parent is not among the modes before it."),
    "mode-id-copied": _error("Two token files of a collection have the same mode id or context."),
    "mode-name-former": _note(
        "A mode was renamed in Figma, so its name differs from that of its token files, or is equal again.",
        "Token files, themes and code keep the former name.",
    ),
    "mode-unregistered": _note(
        "The resolver document does not list the file of a mode.",
        "tokensync reads the file. Other tools that read the document do not.",
    ),
    "mode-name-copied": _error("The file of a new mode names another mode of its collection."),
    "resolver-structure": _error("A resolver document does not have the structure that DTCG defines."),
    "resolver-source-absent": _error("A resolver document names a missing token file."),
    "resolver-source-misplaced": _error("A resolver document of tokensync lists the token file of another mode."),
    "resolver-foreign": _error(
        "A resolver document that tokensync did not write would have to be merged with a design file."
    ),
    "resolver-unused": _warning(
        "A resolver document of another tool does not use one of its sets or modifiers, or files in its folder.",
        "Their tokens are not read.",
    ),
    "resolver-default-absent": _note(
        "A modifier of a resolver document has no default.", "Outputs use its first context."
    ),
    "resolver-default-differs": _note(
        "The default of a modifier in the resolver document is not the default mode of the collection.",
        "Other tools use it. Outputs use the collection's default mode.",
    ),
    "resolver-token-omitted": _warning(
        "A token of another tool's resolver document is invalid.",
        "It has no value in the contexts in which it is invalid.",
    ),
    "group-extends": _error("A group extends something that it cannot extend."),
    "token-in-one-mode": _error(
        "A token is missing in the file of the default mode, for example because it was renamed in one file only."
    ),
    "token-repeated": _error("Two files of a mode contain the same token."),
    "token-type": _error("A token has no type, or a type that DTCG does not define."),
    "token-value": _error("A token's value does not have its type."),
    "token-notation": _note(
        "A value has its obvious meaning, but DTCG writes it in another form.",
        "It is used. `tokensync format` writes the other form.",
    ),
    "composite-incomplete": _warning("A composite token lacks a part, or has another one.", "Outputs omit it."),
    "color-edited": _note(
        "Of a colour's hex and components, only one was edited since the last synchronization.",
        "The edited one is used. `tokensync format` and an apply update the other one.",
    ),
    "color-converted": _note(
        "Colours are outside sRGB, and an output or a variable holds only sRGB.", "The closest colour in sRGB is used."
    ),
    "extension-unheeded": _warning(
        "An extension of a token or group would change it in another tool.",
        "The extension is preserved, and has no effect.",
    ),
    "token-reference": _error("A token refers to a token that does not exist."),
    "token-reference-type": _error("A token refers to a token of another type."),
    "token-member": _error("A token's description or extension is invalid."),
    "token-id-repeated": _warning("Two tokens have the same variable id.", "The token with the known path keeps it."),
    "token-value-stale": _note(
        "A token's $value differs from the value in org.tokensync that it represents.",
        "The value in org.tokensync is used.",
    ),
    "token-value-edited": _note(
        "A token's $value was edited, and org.tokensync has a composition, a reference or a text style for it.",
        "The $value is used. The next pull removes what it replaces, but not the members of a pulled text style that "
        "its $value cannot have.",
    ),
    "token-text-stale": _note("A font weight's $value and its text mean different weights.", "The $value is used."),
    "token-cycle": _warning("References form a cycle.", "It has no value."),
    # naming
    "code-syntax-unusable": _warning(
        "A code syntax contains no name, or belongs to the platform itself.", "The token is named by the name template."
    ),
    "naming-mixed": _warning(
        "Code syntax and the name template spell names differently.", "Names of both spellings are in the output."
    ),
    "code-syntax-unwritable": _warning(
        "A name cannot be written as code syntax.", "The token's code syntax is unchanged."
    ),
    "code-syntax-unstable": _error("Writing names as code syntax would change them.", "There is no plan."),
    "code-syntax-renames": _warning(
        "An output reads the code syntax that another output's names are written to.", "Its names change."
    ),
    "code-syntax-undeclared": _note(
        "Code syntax refers to something that no output declares, so the text from Dev Mode does not compile.",
        "The token has the name; `tokens list --names --json` gives the text that compiles.",
    ),
    "identifier-collision": _warning(
        "Two tokens have the same name on a platform.", "The first one in collection order keeps it."
    ),
    "asset-symbol": _note(
        "Xcode derives the same symbol from two colours of an asset catalog.",
        "Xcode declares only the first one, and warns in each build.",
    ),
    "asset-shared": _warning(
        "Two ios outputs that one Xcode target may contain have assets with the same name.",
        "Both are written. In one target, the app shows either of the two.",
    ),
    "template-failed": _error("A template cannot be rendered."),
    "template-alone": _warning("Of two templates that belong together, one is replaced.", "They may differ."),
    # plan: what cannot be done to the platform
    "plan-name-held": _error(
        "A token or mode has the name of one whose deletion is waiting for --prune.", "There is no plan."
    ),
    "plan-target-held": _error(
        "A token refers to one whose change of type is waiting for --prune.", "There is no plan."
    ),
    "plan-name": _error("Figma does not allow a new name.", "There is no plan."),
    "plan-name-path": _error("A pull would read a new name as another path.", "There is no plan."),
    "plan-name-taken": _error(
        "Two variables or two modes of a collection would have the same name.", "There is no plan."
    ),
    "plan-collection-repeated": _error(
        "A new collection would have the name of several others, one of which may be meant.", "There is no plan."
    ),
    "plan-limit": _error(
        "A collection would exceed the limits of modes or variables, or a text would be too long.", "There is no plan."
    ),
    "plan-default-mode": _error("A collection would get the wrong default mode.", "There is no plan."),
    "plan-extension": _error(
        "An extension would differ from its parent in something that they share.", "There is no plan."
    ),
    "plan-changeless": _error("A property would change that cannot change after creation.", "There is no plan."),
    "plan-fixed": _error("A change concerns an object of another file.", "There is no plan."),
    "plan-value-absent": _error("A variable would have no value in a mode.", "There is no plan."),
    "plan-value": _error("A variable cannot have a value.", "There is no plan."),
    "plan-alias": _error("A token has a reference that Figma does not allow.", "There is no plan."),
    "plan-circle": _error("References would form a cycle in some combination of modes.", "There is no plan."),
    "plan-scopes": _error("A variable cannot have these scopes.", "There is no plan."),
    "plan-scope-unknown": _warning(
        "A variable would get a scope that tokensync does not know.", "It is sent; Figma decides."
    ),
    "plan-text": _error("A description or code syntax cannot be sent.", "There is no plan."),
    "styles-omitted": _note("Published styles have values that no token can have.", "They stay only in Figma."),
    "styles-unread": _note(
        "The published styles of a file cannot be read: a scope is missing, a limit is reached, or the request failed.",
        "The variables are read, and the styles of the last pull stay.",
    ),
    "style-edited": _note(
        "Token files have other styles than the design file, and the connection cannot write styles: only `bridge:` "
        "can, text and effect styles.",
        "The token files keep the edits, and a plan omits them.",
    ),
    "style-name-taken": _warning(
        "A token of the token files has the name of a new published style.", "The token files keep its value."
    ),
    "motion-not-written": _warning(
        "Motion variables (TIMING, EASING) differ, and Figma's REST API writes none.",
        "The plan leaves them as they are.",
    ),
    "token-without-variable": _note(
        "Tokens have a type that variables cannot have.", "They stay only in the token files."
    ),
    "color-profile": _error(
        "A colour of another space than srgb would be converted to sRGB for a design file in Display P3.",
        "There is no plan.",
    ),
    "token-left-out": _warning(
        "A new token has a value that variables cannot have.", "It stays only in the token files."
    ),
    "token-inexpressible": _error(
        "A token with a variable would get a value that variables cannot have.", "There is no plan."
    ),
    # plan: the merge
    "conflicts-unreadable": _error("The conflicts file cannot be read."),
    # plan: which thing is which
    "token-id-copied": _warning(
        "Several tokens have the same variable id.", "The token with the known path keeps it; the others are new."
    ),
    "token-changed-collection": _warning(
        "A token has the id of a variable of another collection.", "It is a new token."
    ),
    "moved-ambiguous": _error("Entries of [[moved]] are ambiguous about a token's former name."),
    # generate
    "unresolved-value": _warning("A token has no value in a mode.", "It is omitted from that mode."),
    "mode-value-absent": _warning(
        "A token has no value in a mode, where the platform would show that of another mode.",
        "It is omitted from the output.",
    ),
    "default-value-absent": _warning(
        "A token has values in some modes, but no default value, which an output needs.",
        "It is omitted from that output in every mode.",
    ),
    "alias-dangling-omitted": _design(
        "An output needs a value of a token whose alias refers to a variable that is not in the response.",
        "The token is omitted from that output.",
    ),
    "breakpoint-varies": _warning(
        "A theme changes a breakpoint or a container of Tailwind.",
        "Variants use the default value: media and container queries cannot contain references.",
    ),
    "breakpoint-order": _warning(
        "Two breakpoints or containers of Tailwind differ by less than one rem.",
        "Both are written; Tailwind may order their variants wrongly.",
    ),
    "type-unsupported": _warning("An output does not support a token's type.", "It is omitted from that output."),
    "library-token-gone": _warning(
        "Tokens refer to tokens that a file of the project no longer has.",
        "Outputs contain their last values as literals. A plan refers to the copy that the design file has.",
    ),
    "remote-inlined": _note("Tokens refer to tokens of other files.", "Their values are written as literals."),
    "theme-unsupported": _note(
        "An output does not support some modes.", "The values of those modes are omitted from that output."
    ),
    "modes-not-followed": _warning(
        "A token's value depends on too many combinations of modes for a style sheet.",
        "CSS uses the default modes of some collections.",
    ),
    "dark-mode-ambiguous": _design(
        "A collection has a dark mode, but it is not clearly the counterpart of its default mode.",
        "The collection is omitted from Android's night resources and iOS's dark appearances.",
    ),
    "character-unrepresentable": _warning(
        "A string contains a character that an output cannot contain, or `</style` in CSS.",
        "The character, or the `<`, is written as U+FFFD.",
    ),
    "material-role-contested": _warning(
        "The options name a token that cannot fill a role of Material, or several tokens could fill it.",
        "The role has Material's own value, or that of the first token.",
    ),
    "material-roles-unfilled": _note("No token fills some roles of Material.", "They have Material's own values."),
    "material-roles-possible": _note(
        "Tokens have the names of roles of Material, and the option that lets them fill these roles is not set.",
        "They do not fill them.",
    ),
    "value-too-large": _warning(
        "A text or a length is larger than Android resources can be.",
        "The text is omitted from that output; the length is the largest possible one.",
    ),
    # check and lint
    "conflict-marks": _error(
        "A token file, the configuration or another file of tokensync has conflict marks of git.",
        "Nothing is written, and tokensync check exits with 5.",
    ),
    "contrast-low": _error(
        "The contrast of a pair of [[lint.contrast]] is too low in a theme.",
        "tokensync lint exits with 5.",
        ("ignore", "error"),
    ),
    "contrast-unknown": _error(
        "The contrast of a pair of [[lint.contrast]] cannot be determined in a theme.",
        "tokensync lint exits with 5.",
        ("ignore", "error"),
    ),
    "lint-unknown-name": _error(
        "A setting of [lint] names no token or collection.", "The other settings and rules still apply."
    ),
    "lint-pairs-many": _error(
        "An entry of [[lint.contrast]] selects too many pairs of colours.", "The entry is ignored."
    ),
    "layer-order": _error(
        "A token refers to a collection whose tokens usually refer to this one's.",
        "tokensync lint exits with 5.",
        ("ignore", "error"),
    ),
    "layer-order-unclear": _note(
        "The tokens of two collections refer to each other, without a usual direction.", "Nothing is changed."
    ),
    "deprecated-in-use": _warning("A token refers to a deprecated one.", "Nothing is changed."),
    "code-syntax-missing": _warning(
        "A token lacks the code syntax that almost all others have.", "The template of the output names it."
    ),
    "modes-equal": _warning("All tokens have the same values in two modes.", "Nothing is changed."),
    "limit-near": _note("A collection almost has as many modes or variables as are allowed.", "Nothing is changed."),
    "composites-possible": _note(
        "Groups of variables are the parts of composite tokens, and no rule assembles them.",
        "Each variable is a token of its own.",
    ),
    "scopes-unfit": _warning("A variable of this type cannot have the scope.", "A plan that writes it is refused."),
    "scopes-all": _note("A token has no limits of its use, while almost all others of its type do.", _NOTHING),
    "name-pattern": _warning("A name breaks a pattern of [[lint.naming]].", _NOTHING),
    "name-mixed": _note("A name is not in the case that the others of its group are in.", _NOTHING),
    "literal-in-layer": _warning("A token of lint.aliases_only does not refer to another one.", _NOTHING),
    "literal-repeated": _note(
        "A colour is that of a token of the lowest of lint.layers.", "lint --fix can refer to it."
    ),
    "alias-deep": _note("More aliases than lint.depth are between a token and its value.", _NOTHING),
    "primitive-unused": _note("No token in use refers to a primitive.", _NOTHING),
    "number-off-scale": _warning("A number is not on its scale in [[lint.scales]].", _NOTHING),
    "colors-near": _note("Two colours of a collection differ by less than lint.near_colors.", _NOTHING),
    "colors-indistinct": _note("Two colours of [[lint.vision]] look alike to people who see few colours.", _NOTHING),
    "description-missing": _warning("A token that lint.descriptions selects has no description.", _NOTHING),
    # migrate
    "migrate-token-reported": _warning(
        "A token of the source does not become a token of the design file.",
        "It is in no token file; the ledger counts it as reported.",
    ),
    "migrate-token-replaced": _note(
        "Later sets, or other sets, replace a definition of a token in all themes.",
        "The token has the values of the others; the ledger counts the definition as reported.",
    ),
    "migrate-token-unread": _warning(
        "A part of a file of the source cannot be read as a token.",
        "It is omitted; the ledger counts it as reported if it is a token.",
    ),
    "migrate-token-partly": _warning(
        "A member of a composite token does not become a token.", "The other members are migrated."
    ),
    "migrate-alias-flattened": _warning(
        "A reference cannot be an alias of a variable.",
        "Its token gets the literal value; the ledger counts it as flattened.",
    ),
    "migrate-token-contested": _warning(
        "The modes of several collections give a token values.",
        "It is in the first collection whose modes change it; the values of the others are not migrated.",
    ),
    "migrate-value-changed": _note(
        "A value is converted to one that a variable can have.", "The converted value is migrated."
    ),
    "migrate-value-filled": _note(
        "A token has no value in a mode, and the mapping says which one it gets.",
        "It gets the value of the default mode, or of the first mode that has one.",
    ),
    "migrate-token-lowered": _note(
        "A composite token, such as a typography, cannot be one variable.", "Each of its members becomes a token."
    ),
    "migrate-token-files-only": _note(
        "A token cannot be a variable, but token files can have it.", "It is in the token files only."
    ),
    "migrate-name-changed": _note(
        "A name is invalid or too long in Figma, or differs from another one only in case or in outer spaces.",
        "The token gets the name in the message.",
    ),
    "migrate-variable-left": _note(
        "A token has keys or ids of several variables, or the last migration wrote one that this one does not have.",
        "The variable stays as it is.",
    ),
    "migrate-edit-kept": _note(
        "A migrated token was edited in the token files, or in Figma, since the last migration.",
        "The edit stays, unless --overwrite is given.",
    ),
    "migrate-edit-contested": _warning(
        "A migrated token was edited since the last migration, and its source was changed in another way.",
        "The edit stays, unless --overwrite is given; the value of the source is not written.",
    ),
    "migrate-mapping": _error("A mapping file has an unknown or invalid entry."),
    "migrate-mapping-unused": _warning("An entry of a mapping file matches no token.", "It has no effect."),
    "migrate-modes": _note(
        "A collection has more modes than some plans of Figma allow.",
        "The plan is made; Figma refuses it in a plan with fewer modes.",
    ),
    "migrate-modes-guessed": _note(
        "The source does not say that files, folders or selectors are modes, or what the default mode is called.",
        "The proposed mapping takes them for modes, and has a name for the default; a mapping can say something else.",
    ),
    "migrate-collection-full": _error("A collection would have more variables or modes than Figma allows."),
    "migrate-rehearsal": _error("The rehearsal on the embedded emulator did not end with the migrated tokens."),
    "audit-value": _warning("Code has another value of a token than the design file has.", "`audit` exits with 3."),
    "audit-name": _note("Code has a token by another name than the outputs give it.", "`audit` exits with 3."),
    "audit-absent": _note("Code does not have a token of the design file.", "`audit` exits with 3."),
    "audit-extra": _note("Code has a token that the design file does not have.", "`audit` exits with 3."),
    "renames-invalid": _error(
        "A file of renames is malformed, or a value in it is unknown or invalid.", "No code is changed."
    ),
}


def problem(
    code: str, where: str, what: str, what_to_do: str, names: Sequence[str] = (), *, brief: str = ""
) -> Problem:
    """Return a problem with the severity of its code. Raise KeyError for an undeclared code."""
    return Problem(CODES[code].severity, code, where, what, what_to_do, tuple(names), brief=brief)
