"""The variables endpoints' JSON as typed data (platform-api.md 2.4 to 2.6, 4.3).

A value on the wire is a scalar or one of several objects without a common tag (a composed colour has no ``type``), so
``WireObject`` has every member of all of them, optional. Members that are not named here stay in the raw bytes of the
snapshot. Everything a response may lack has a default: older responses lack ``isExtension``, for example.

The platform gets new types of variables without notice. A value is decoded by type only where the type is one of
``VALUE_TYPES``; a variable of another type is opaque: it is there, it has a name, and its values are any JSON.
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import Decoder

ALIAS = "VARIABLE_ALIAS"
EXPRESSION = "VARIABLE_EXPRESSION"
VALUE_TYPES: Final = frozenset({"BOOLEAN", "FLOAT", "STRING", "COLOR"})
"""The types of variables whose values are known."""


class WireObject(Struct, rename="camel", gc=False, frozen=True):
    """A colour, an alias, a composed colour or the older expression form of it (platform-facts section 1)."""

    r: float | None = None
    g: float | None = None
    b: float | None = None
    a: float | None = None
    type: str | None = None
    id: str | None = None
    color: WireObject | None = None
    opacity: float | WireObject | None = None
    expression_function: str | None = None
    expression_arguments: tuple[float | WireObject, ...] = ()


WireValue = bool | float | str | WireObject | None

decode_values = Decoder(dict[str, WireValue]).decode
"""Decodes the JSON of ``valuesByMode``; raises msgspec.ValidationError for what is no value."""


class WireMode(Struct, rename="camel", frozen=True):
    """One mode of a collection; ``parent_mode_id`` only in an extended one."""

    mode_id: str
    name: str
    parent_mode_id: str | None = None


class WireCollection(Struct, rename="camel", frozen=True):
    """A local or remote collection of ``GET variables/local`` (platform-api.md 2.5)."""

    id: str
    name: str
    modes: tuple[WireMode, ...]
    default_mode_id: str
    key: str = ""
    remote: bool = False
    hidden_from_publishing: bool = False
    variable_ids: tuple[str, ...] = ()
    is_extension: bool = False
    parent_variable_collection_id: str | None = None
    root_variable_collection_id: str | None = None
    raw_overrides: dict[str, Raw] = field(name="variableOverrides", default_factory=dict)
    deleted_but_referenced: bool = False

    def overrides_of(self, variable: str) -> dict[str, WireValue]:
        """Return mode id to value for a variable's id. ``read_local`` made sure of it for variables that are there and
        not opaque; for others it raises msgspec.DecodeError where the values are of no known form.
        """
        raw = self.raw_overrides.get(variable)
        return {} if raw is None else decode_values(raw)


class WireVariable(Struct, rename="camel", frozen=True):
    """A local or remote variable of ``GET variables/local`` (platform-api.md 2.4).

    The values are most of a response, and each is looked at once: they stay JSON until ``values_by_mode`` is asked for,
    which keeps the peak of a large library's memory at a third.
    """

    id: str
    name: str
    variable_collection_id: str
    resolved_type: str
    raw_values: Raw = field(name="valuesByMode")
    key: str = ""
    remote: bool = False
    description: str = ""
    hidden_from_publishing: bool = False
    scopes: tuple[str, ...] = ()
    code_syntax: dict[str, str] = field(default_factory=dict)
    deleted_but_referenced: bool = False

    @property
    def is_opaque(self) -> bool:
        """Whether the type is not known, so that the values are not read."""
        return self.resolved_type not in VALUE_TYPES

    @property
    def values_by_mode(self) -> dict[str, WireValue]:
        """Mode id to value, decoded anew at each call.

        ``read_local`` made sure that they can be, unless the variable is opaque.
        """
        return decode_values(self.raw_values)


class LocalMeta(Struct, rename="camel", frozen=True):
    """The payload of ``GET variables/local``, in the response's order."""

    variables: dict[str, WireVariable]
    variable_collections: dict[str, WireCollection]


class OpaqueWireVariable(Struct, rename="camel", frozen=True):
    """What a variable of an unknown type has to say in any case; everything else that it holds may be of any form."""

    id: str
    name: str
    variable_collection_id: str
    resolved_type: str
    raw_values: Raw = field(name="valuesByMode", default=Raw(b"{}"))
    key: object = ""
    remote: object = False
    deleted_but_referenced: object = False


class PartsOfMeta(Struct, rename="camel", frozen=True):
    """The payload of ``GET variables/local``, each variable and collection still as JSON."""

    variables: dict[str, Raw]
    variable_collections: dict[str, Raw]


class PublishedVariable(Struct, frozen=True):
    """A variable of ``GET variables/published``; the type comes under one of two names (platform-facts 2.1)."""

    id: str
    name: str
    key: str
    subscribed_id: str = ""
    variable_collection_id: str = field(default="", name="variableCollectionId")
    resolved_type_name: str = field(default="", name="resolvedType")
    resolved_data_type: str = field(default="", name="resolvedDataType")
    updated_at: str = field(default="", name="updatedAt")

    @property
    def resolved_type(self) -> str:
        """BOOLEAN, FLOAT, STRING or COLOR, whichever member it came in."""
        return self.resolved_type_name or self.resolved_data_type


class PublishedCollection(Struct, frozen=True):
    """A collection of ``GET variables/published``, without its modes."""

    id: str
    name: str
    key: str
    subscribed_id: str = ""
    updated_at: str = field(default="", name="updatedAt")


class PublishedMeta(Struct, rename="camel", frozen=True):
    """The payload of ``GET variables/published``."""

    variables: dict[str, PublishedVariable]
    variable_collections: dict[str, PublishedCollection]


class LocalResponse(Struct, rename="camel", frozen=True):
    """The envelope (2.1) around a LocalMeta; a saved response may also be the payload alone."""

    meta: LocalMeta | UnsetType = UNSET
    variables: dict[str, WireVariable] | UnsetType = UNSET
    variable_collections: dict[str, WireCollection] | UnsetType = UNSET


class PartsOfResponse(Struct, rename="camel", frozen=True):
    """The envelope around PartsOfMeta."""

    meta: PartsOfMeta | UnsetType = UNSET
    variables: dict[str, Raw] | UnsetType = UNSET
    variable_collections: dict[str, Raw] | UnsetType = UNSET


class PublishedResponse(Struct, rename="camel", frozen=True):
    """The envelope around a PublishedMeta."""

    meta: PublishedMeta | UnsetType = UNSET
    variables: dict[str, PublishedVariable] | UnsetType = UNSET
    variable_collections: dict[str, PublishedCollection] | UnsetType = UNSET
