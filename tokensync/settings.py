"""The configuration as frozen structs with defaults."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from tokensync.system.problems import Level

# config/schemas/tokensync.schema.json has the same limits, with error messages; a test compares both.
Filled = Annotated[str, Meta(min_length=1)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Name = Annotated[
    str, Meta(pattern=r"^(?!(con|prn|aux|nul|com[0-9]|lpt[0-9])$)[a-z0-9]+(-[a-z0-9]+)*$(?!\n)", max_length=64)
]

Unsupported = Literal["ignore", "warn", "raise"]


StyleKind = Literal["text", "effect", "paint", "grid"]


class FileConfig(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A design file: its name in the project, its key or URL, and the published styles to pull: true for all kinds."""

    name: Name
    key: Filled
    styles: bool | tuple[StyleKind, ...] = False


class Selection(Struct, frozen=True, forbid_unknown_fields=True):
    """Globs for tokens by collection (handle or name), path (``a/b/c``) and theme name.

    ``*`` also matches ``/``. An empty list selects everything when it includes, and nothing when it excludes.
    """

    collections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class NamingConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The naming of an output's tokens.

    ``template`` is a Jinja expression for one name, in place of the name template. ``prefix`` and ``suffix`` are words
    added to names in the platform's spelling. ``code_syntax`` keeps names from code syntax, extends them with prefix
    and suffix, or ignores them. ``collisions`` is the severity of equal names.
    """

    template: Annotated[str, Meta(max_length=500)] = ""
    prefix: str = ""
    suffix: str = ""
    code_syntax: Literal["keep", "extend", "ignore"] = "keep"
    collisions: Literal["warn", "raise"] = "warn"


class OutputConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An ``[[outputs]]`` entry. ``path`` and ``templates`` are relative to the configuration file.

    ``unsupported`` determines whether unsupported tokens and modes are omitted silently, are omitted with a warning, or
    stop the build. ``options`` are the platform's options, which ``tokensync.project.configuration.typed_options``
    converts to their types.
    """

    platform: str
    path: Filled
    files: tuple[str, ...] = ()
    include: Selection = Selection()
    exclude: Selection = Selection()
    published: bool = False
    hidden: bool = True
    templates: str = ""
    naming: NamingConfig = NamingConfig()
    unsupported: Unsupported = "warn"
    options: dict[str, Any] = field(default_factory=dict)


TokenType = Literal[
    "color", "boolean", "string", "fontFamily", "number", "dimension", "fontWeight", "duration", "cubicBezier", "css"
]


class TypeRuleConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[types]]`` rule; config/type-rules.toml documents the members."""

    type: TokenType
    unit: Literal["opacity", "percent", "fraction", "rem", "ms", "s"] | None = None
    resolved_type: Literal["COLOR", "BOOLEAN", "STRING", "FLOAT"] | None = None
    scopes: tuple[str, ...] | None = None
    path: str | None = None
    collection: str | None = None


FontFamily = Annotated[str, Meta(pattern=r"""^[^\x00-\x1f\x7f"'\\<>{};,@]+$(?!\n)""", max_length=100)]
FontFile = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_ .+-]*(/[A-Za-z0-9_][A-Za-z0-9_ .+-]*)*\.(ttf|otf|ttc|woff|woff2)$(?!\n)",
        max_length=200,
    ),
]
PostScriptName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$(?!\n)", max_length=63)]


class FaceConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A font, or a variable one without a weight: its file below the folder of the fonts, and its name on iOS."""

    weight: Annotated[int, Meta(ge=1, le=1000)] | None = None
    italic: bool = False
    file: FontFile | None = None
    postscript: PostScriptName | None = None


class FontConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[fonts]]`` entry: a family of the design files, with the ``stack`` that a browser tries, and its fonts."""

    family: FontFamily
    stack: tuple[FontFamily, ...] = ()
    faces: tuple[FaceConfig, ...] = ()


Pattern = Annotated[str, Meta(min_length=1, max_length=200)]


class SyntaxConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How code syntax of one platform is written and read; ``{name}`` stands for the identifier.

    ``write`` is the text that ``plan --code-syntax`` writes; if empty, the reference of the output. ``read`` are
    patterns of further forms (``tokensync.generate.naming``).
    """

    write: Annotated[str, Meta(max_length=200)] = ""
    read: tuple[Pattern, ...] = ()


class CodeSyntaxConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The ``[code_syntax]`` tables."""

    web: SyntaxConfig = SyntaxConfig()
    android: SyntaxConfig = SyntaxConfig()
    ios: SyntaxConfig = SyntaxConfig()

    def by_platform(self) -> dict[str, SyntaxConfig]:
        """Return the tables by the design tool's names for the platforms."""
        return {"WEB": self.web, "ANDROID": self.android, "iOS": self.ios}


class DefaultConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[defaults]]`` entry: settings of new variables whose tokens do not have them.

    ``path`` and ``collection`` are globs for the variable's name and that of its collection (or its handle).
    ``code_syntax`` are the platforms for which the variable gets one. Each setting is that of the first entry that
    matches and has it. Scopes that the variable's type cannot have are ignored.
    """

    path: Pattern = "*"
    collection: Pattern = "*"
    scopes: tuple[Filled, ...] = ()
    hidden: bool | None = None
    code_syntax: tuple[Literal["web", "android", "ios"], ...] | None = None


class CompositeConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[composites]]`` rule: groups of variables that outputs write as one token (``normalize.composites``).

    ``match`` is a glob for names (``a/b``) with the last names of a group's variables in braces. ``members`` says where
    members come from whose name is not in them: a name in the braces, a constant, or a token's name in braces. A ``*``
    of ``name`` is the text of that of ``match``.
    """

    type: Literal["border", "shadow", "transition", "typography"]
    match: Pattern
    name: Annotated[str, Meta(max_length=200)] = ""
    collection: str = ""
    members: dict[str, Any] = field(default_factory=dict)
    layers: bool = False
    keep: bool = False


class MovedConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"from_": "from"}):
    """A ``[[moved]]`` entry: the former and the new name of a token, group, collection or mode.

    Names are the path (``a/b``) of tokens and groups, the handle of collections, and the name or context of modes.
    ``collection`` is the handle of their collection (not for collections); an empty ``file`` means any file.
    """

    kind: Literal["token", "group", "collection", "mode"]
    from_: Filled
    to: Filled
    collection: str = ""
    file: str = ""


class AllowConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An ``[[allow]]`` entry: a safety finding of a plan to permit. ``subject`` is a glob for the finding's subject.

    A ``share`` below 1, only with "change much", permits nothing: it is the threshold of that finding.
    """

    finding: Literal[
        "delete collection",
        "delete mode",
        "change type",
        "delete referred",
        "delete used",
        "change much",
        "overwrite code syntax",
    ]
    subject: Filled
    file: str = ""
    share: Annotated[float, Meta(ge=0, le=1)] = 1.0


ProblemLevels = dict[str, Level | dict[Filled, Level]]
"""The ``[problems]`` table: for each code, its level, or levels by globs of places, of which the first match counts."""


class ExtractConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The variables that a pull includes."""

    only_published: bool = False
    include_hidden: bool = True


class ClientConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Timeouts and retries of the client; times are in seconds.

    ``settling_time`` is the time in which the platform may still apply a request without a response.
    """

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 120.0
    attempts: Annotated[int, Meta(ge=1, le=20)] = 5
    longest_wait: Annotated[float, Meta(ge=0, le=86_400)] = 120.0
    settling_time: Annotated[float, Meta(ge=0, le=3_600)] = 90.0


class ContrastConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[lint.contrast]]`` entry: globs for the ``collection/path`` of colours that are used on each other.

    ``backdrop`` is the colour behind translucent backgrounds. ``minimum`` is a contrast ratio, or what WCAG requires it
    for: AA and AAA for text, ``large`` for large text, ``ui`` for parts of controls and graphics.
    """

    foreground: tuple[Filled, ...]
    background: tuple[Filled, ...]
    backdrop: str = ""
    minimum: Literal["AA", "AAA", "large", "ui"] | Annotated[float, Meta(ge=1, le=21)] = "AA"


class NamePatternConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[lint.naming]]`` entry: what the names of the tokens that ``match`` selects have to be.

    ``names`` are globs for the names of a path, from the outermost group on, with ``|`` between alternatives. The last
    one is for all further names.
    """

    match: tuple[Filled, ...]
    case: Literal["camel", "constant", "kebab", "pascal", "snake", "title"] | None = None
    names: tuple[Filled, ...] = ()


class ScaleConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[lint.scales]]`` entry: the numbers that tokens can have: multiples of ``step``, and ``values``."""

    match: tuple[Filled, ...]
    step: Annotated[float, Meta(ge=0)] = 0.0
    values: tuple[float, ...] = ()


class VisionConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ``[[lint.vision]]`` entry: colours that people tell apart, and the least distance (CIEDE2000) between them."""

    match: tuple[Filled, ...]
    minimum: Annotated[float, Meta(gt=0, le=100)] = 5.0


class LintConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of rules. ``layers`` lists collections from the highest layer to the lowest.

    The tokens of the collections ``aliases_only`` refer to others. ``depth`` is the most aliases between a token and
    its value. Colours are near if their distance (CIEDE2000) is less than ``near_colors``. The tokens that the globs
    ``descriptions`` select need a description.
    """

    contrast: tuple[ContrastConfig, ...] = ()
    layers: tuple[Filled, ...] = ()
    aliases_only: tuple[Filled, ...] = ()
    depth: Annotated[int, Meta(ge=1)] = 4
    near_colors: Annotated[float, Meta(ge=0, le=2)] = 0.0
    descriptions: tuple[Filled, ...] = ()
    naming: tuple[NamePatternConfig, ...] = ()
    scales: tuple[ScaleConfig, ...] = ()
    vision: tuple[VisionConfig, ...] = ()


class CodeConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The files and folders of code that a check includes, relative to the configuration file."""

    paths: tuple[Filled, ...] = ()


class Config(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole configuration. ``schema`` is for editors, and has no effect."""

    schema: str = field(default="", name="$schema")
    base_url: Filled = "figma"
    tokens: Filled = "tokens"
    files: tuple[FileConfig, ...] = ()
    themes: dict[Filled, dict[str, str]] = field(default_factory=dict)
    types: tuple[TypeRuleConfig, ...] = ()
    composites: tuple[CompositeConfig, ...] = ()
    fonts: tuple[FontConfig, ...] = ()
    code_syntax: CodeSyntaxConfig = CodeSyntaxConfig()
    defaults: tuple[DefaultConfig, ...] = ()
    moved: tuple[MovedConfig, ...] = ()
    allow: tuple[AllowConfig, ...] = ()
    extract: ExtractConfig = ExtractConfig()
    client: ClientConfig = ClientConfig()
    outputs: tuple[OutputConfig, ...] = ()
    problems: ProblemLevels = field(default_factory=dict)
    code: CodeConfig = CodeConfig()
    lint: LintConfig = LintConfig()
