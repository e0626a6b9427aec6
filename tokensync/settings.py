"""What can be configured, as frozen structs with their defaults."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

# The same limits stand in config/schemas/tokensync.schema.json, which words what is wrong; a test holds both together.
Filled = Annotated[str, Meta(min_length=1)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Name = Annotated[
    str,
    Meta(pattern=r"^(?!(con|prn|aux|nul|com[0-9]|lpt[0-9])$)[a-z0-9]+(-[a-z0-9]+)*$(?!\n)", max_length=64),
]

Unsupported = Literal["ignore", "warn", "raise"]


class FileConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One design file: its name here, and its key or address."""

    name: Name
    key: Filled


class Selection(Struct, frozen=True, forbid_unknown_fields=True):
    """Globs that pick tokens by collection (handle or name), path (``a/b/c``) and theme name; empty means no say."""

    collections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class NamingConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How an output names its tokens.

    ``prefix`` and ``suffix`` are words, joined to a name in the platform's own spelling. ``code_syntax`` tells whether
    a name from code syntax stays as it is written, gets them too, or does not count. ``collisions`` tells what two
    tokens of one name are.
    """

    prefix: str = ""
    suffix: str = ""
    code_syntax: Literal["keep", "extend", "ignore"] = "keep"
    collisions: Literal["warn", "raise"] = "warn"


class OutputConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[outputs]]`` entry; ``path`` and ``templates`` are relative to the configuration file.

    ``unsupported`` says whether tokens and modes that the platform does not support are omitted silently, omitted and
    reported, or stop the build. ``options`` are the platform's own, as written;
    ``tokensync.project.configuration.typed_options`` gives them their types.
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


class TypeRuleConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[types]]`` rule; config/type-rules.toml explains the members."""

    type: Literal["color", "boolean", "string", "fontFamily", "number", "dimension", "fontWeight"]
    resolved_type: Literal["COLOR", "BOOLEAN", "STRING", "FLOAT"] | None = None
    scopes: tuple[str, ...] | None = None
    path: str | None = None
    collection: str | None = None


class MovedConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"from_": "from"}):
    """One ``[[moved]]`` entry: what a token, group, collection or mode was called, and what it is called now.

    Tokens and groups go by their path (``a/b``), collections by their handle, modes by their name or context.
    ``collection`` is the handle that they are in (not said of a collection); ``file`` empty means any file.
    """

    kind: Literal["token", "group", "collection", "mode"]
    from_: Filled
    to: Filled
    collection: str = ""
    file: str = ""


class AllowConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[allow]]`` entry: a safety finding of a plan that is wanted. ``subject`` is a glob over what it names."""

    finding: Literal["delete collection", "delete mode", "change type", "delete referred", "delete used", "change much"]
    subject: Filled
    file: str = ""


class ExtractConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What a pull takes."""

    only_published: bool = False
    include_hidden: bool = True


class ClientConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """How patient the client is; times in seconds.

    ``settling_time`` is how long after it was sent a request without an answer may still be carried out.
    """

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 120.0
    attempts: Annotated[int, Meta(ge=1, le=20)] = 5
    longest_wait: Annotated[float, Meta(ge=0, le=86_400)] = 120.0
    settling_time: Annotated[float, Meta(ge=0, le=3_600)] = 90.0


class Config(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole configuration with its defaults."""

    base_url: Filled = "figma"
    tokens: Filled = "tokens"
    files: tuple[FileConfig, ...] = ()
    themes: dict[Filled, dict[str, str]] = field(default_factory=dict)
    types: tuple[TypeRuleConfig, ...] = ()
    moved: tuple[MovedConfig, ...] = ()
    allow: tuple[AllowConfig, ...] = ()
    extract: ExtractConfig = ExtractConfig()
    client: ClientConfig = ClientConfig()
    outputs: tuple[OutputConfig, ...] = ()
