"""The operations on a state file of the emulator: one table, from which the command line is made."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tokensync.emulator import people
from tokensync.emulator.cli.states import file_key
from tokensync.emulator.endpoints import timestamp
from tokensync.project.sources import read_file
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.wording import counted, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.emulator import Emulator
    from tokensync.emulator.tokens import Token


def read_document(path: str) -> dict[str, Any]:
    """Return the JSON object in a file. Raises UsageError if it has none."""
    import msgspec

    try:
        return msgspec.json.decode(read_file(path).removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except DECODE_ERRORS as error:
        raise UsageError(f"{path}: not a JSON object ({error}); save a response of GET v1/files/:key") from None


def raise_event(emulator: Emulator, kind: str, *, file: str, **details: Any) -> int:
    """Raise an event of a file, by its key, and return the number of webhooks that it notifies.

    Raises UsageError for a detail that the kind does not accept, and for a missing one that it requires.
    """
    method, required, optional = _KINDS[kind]
    unknown = [name for name in details if name not in (*required, *optional)]
    if unknown:
        accepted = ", ".join(f"--{_OPTIONS.get(name, name)}" for name in (*required, *optional))
        option = _OPTIONS.get(unknown[0], unknown[0])
        raise UsageError(f"{kind}: it does not accept --{option}; use {accepted or 'only --file'}")
    missing = [name for name in required if name not in details]
    if missing:
        raise UsageError(f"{kind}: it requires a {missing[0]}; add --{missing[0]}")
    return method(emulator)(file, **details)


_OPTIONS: Final = {"mentions": "mention"}
_KINDS: Final[dict[str, tuple[Callable[[Emulator], Callable[..., int]], tuple[str, ...], tuple[str, ...]]]] = {
    "FILE_UPDATE": (lambda emulator: emulator.events.file_update, (), ()),
    "FILE_DELETE": (lambda emulator: emulator.events.file_delete, (), ("user",)),
    "FILE_VERSION_UPDATE": (lambda emulator: emulator.events.file_version, (), ("description", "user")),
    "LIBRARY_PUBLISH": (
        lambda emulator: emulator.events.library_publish,
        (),
        ("asset", "created", "modified", "deleted", "description", "user"),
    ),
    "FILE_COMMENT": (lambda emulator: emulator.events.file_comment, ("text",), ("mentions", "user")),
    "DEV_MODE_STATUS_UPDATE": (lambda emulator: emulator.events.dev_status, ("status",), ("node", "message", "user")),
}
KINDS: Final = tuple(_KINDS)
"""The kinds of event that can be raised."""


_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:s|min|m|h|d))+", re.ASCII)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d)", re.ASCII)


def seconds(span: str) -> float:
    """Return the seconds in a duration such as ``90s``, ``30m``, ``3h`` or ``1h30m``; the default unit is seconds."""
    if re.fullmatch(r"\d+(?:\.\d+)?", span, re.ASCII):
        return float(span)
    if not _SPAN.fullmatch(span):
        raise UsageError(f"{span}: not a duration; write 90s, 30m, 3h, 7d or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(span))


class Parameter(NamedTuple):
    """An argument of an operation, or an option if its name begins with dashes, such as ``--admin/--no-admin``.

    ``key`` is its name for the operation. ``choices`` are the values that it can have, and ``least`` is the lowest
    number. ``converted`` returns what the operation gets for the value that a user writes.
    """

    name: str
    help: str = ""
    metavar: str | None = None
    key: str = ""
    kind: Literal["text", "integer", "number", "path", "flag"] = "text"
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    is_required: bool = False
    is_repeatable: bool = False
    is_file: bool = False
    converted: Callable[[Any], Any] | None = None


class Table(NamedTuple):
    """A result as a table: the headings, the row of an element, and the columns that may be omitted.

    ``is_shown_empty`` tells whether the headings of a result without elements are shown.
    """

    headings: tuple[str, ...]
    row: Callable[[Mapping[str, Any]], tuple[str, ...]]
    optional: tuple[str, ...] = ()
    is_shown_empty: bool = True


class Operation(NamedTuple):
    """A change of the emulator's state, or a question about it: ``name`` is the group and the name of its command.

    A parameter without any attribute is only its name. ``run`` is the path of a method of the emulator, or a function
    of the emulator; it gets the arguments in order, and the options that are specified. ``says`` is the message about
    it, with the parameters as users write them. A result with a ``table``, or with ``lines``, is available as JSON,
    too. One without them and without a message is printed. ``delivers`` sends the events that are due afterwards.
    """

    name: str
    about: str
    parameters: tuple[str | Parameter, ...]
    run: str | Callable[..., Any]
    says: str | Callable[[Mapping[str, Any], Any], str | Sequence[str]] = ""
    lines: Callable[[Any], Iterable[str]] | None = None
    table: Table | None = None
    delivers: bool = False


class ConflictingOptions(UsageError):
    """Options of an operation that exclude or need each other, or a change without any option."""


GROUPS: Final = {
    "apps": "Create, configure, publish, submit and approve OAuth apps.",
    "events": "Raise and deliver webhook events, and advance the clock.",
    "files": "Set up files, folders, teams and users. FILE is the key, the URL or the name of a file.",
    "library": "Manage components and styles of files, and their usage.",
    "records": "Add sample entries to the logs and to discovery.",
    "tokens": "Create, list, change and revoke access tokens.",
    "variables": (
        "Use a library's variables in other files, and bind text. FILE and LIBRARY are keys, URLs or names of files."
    ),
}
"""The groups of operations, with their help texts."""

_NO_ROLE: Final = "none"


def _role(word: str) -> str | None:
    """Return the role of a word of the command line; None for no access."""
    return None if word == _NO_ROLE else word


def _create_token(emulator: Emulator, *, scopes: tuple[str, ...] = (), legacy: bool, **settings: Any) -> dict[str, Any]:
    secret = emulator.tokens.create(**settings, **_scopes_of(scopes, legacy=legacy))
    return _token_document(emulator.tokens.of(secret))


def _change_token(
    emulator: Emulator,
    token: str,
    *,
    scopes: tuple[str, ...] = (),
    legacy: bool,
    file: str | None = None,
    **settings: Any,
) -> None:
    if file is not None and "permission" not in settings:
        raise ConflictingOptions("--file needs --permission; add --permission, or remove --file.")
    new_scopes = _scopes_of(scopes, legacy=legacy)
    if not new_scopes and not settings:
        raise ConflictingOptions("Nothing to change; give --scope, --account or another option.")
    tokens = emulator.tokens
    tokens.of(token)
    if new_scopes:
        tokens.set_scopes(token, new_scopes["scopes"])
    if file is not None:
        tokens.permit(token, file, settings.pop("permission"))
    setters: dict[str, Callable[[str, Any], None]] = {
        "expires_in_days": tokens.set_expiry,
        "account": tokens.set_account,
        "admin": tokens.set_admin,
        "permission": tokens.set_permission,
    }
    for name, value in settings.items():
        setters[name](token, value)


def _scopes_of(scopes: tuple[str, ...], *, legacy: bool) -> dict[str, Any]:
    """Return the keyword argument ``scopes`` for --scope and --legacy, or no argument without them."""
    if legacy and scopes:
        raise ConflictingOptions("--legacy excludes --scope; remove one of them.")
    if legacy:
        return {"scopes": None}
    return {"scopes": scopes} if scopes else {}


def _revoke_token(emulator: Emulator, token: str) -> None:
    emulator.tokens.of(token)
    emulator.tokens.revoke(token)


def _token_document(token: Token) -> dict[str, Any]:
    members = token._asdict()
    return {"token": members.pop("secret"), **members, "expires": timestamp(token.expires)}


def _token_row(token: Mapping[str, Any]) -> tuple[str, ...]:
    scopes = "(legacy)" if token["scopes"] is None else " ".join(token["scopes"])
    return (*(token[name] for name in ("token", "kind", "name", "user", "expires")), scopes)


def _app_row(app: Mapping[str, Any]) -> tuple[str, ...]:
    return (*(app[name] for name in ("client_id", "name", "visibility", "state")), " ".join(app["scopes"]))


def _file_documents(emulator: Emulator) -> list[dict[str, Any]]:
    files = emulator.files.all()
    keys = {file.number: file.key for file in files}
    return [
        {
            **{name: getattr(file, name) for name in ("key", "name", "editor", "plan", "folder", "version")},
            "branch_of": None if file.main is None else keys.get(file.main),
            "last_modified": timestamp(file.modified),
        }
        for file in files
    ]


def _file_row(file: Mapping[str, Any]) -> tuple[str, ...]:
    columns = (file[name] for name in ("key", "name", "editor", "plan", "folder"))
    return (*columns, str(file["version"]), file["branch_of"] or "")


def _folder_tree(places: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield one line per team and folder, indented by depth."""

    def below(team: str, parent: str | None, depth: int) -> Iterator[str]:
        for folder in places["folders"]:
            if (folder["team"], folder["parent"]) == (team, parent):
                access = "" if folder["access"] == "team" else f" ({folder['access']})"
                yield f"{'  ' * depth}folder {folder['id']}: {folder['name']}{access}"
                yield from below(team, folder["id"], depth + 1)

    for team in places["teams"]:
        yield f"team {team['id']}: {team['name']} ({team['plan']})"
        yield from below(team["id"], None, 1)


def _user_row(user: Mapping[str, Any]) -> tuple[str, ...]:
    return user["id"], user["handle"], user["account"], user["permission"] or _NO_ROLE, "admin" * user["admin"]


def _add_asset(
    emulator: Emulator,
    kind: str,
    file: str,
    name: str,
    *,
    style_type: Any = "FILL",
    component_set: str | None = None,
    value: dict[str, Any] | None = None,
    **settings: str,
) -> str:
    libraries = emulator.libraries
    if kind == "style":
        return libraries.add_style(file, name, style_type, value=value, **settings)
    if value is not None:
        raise ConflictingOptions("--value is for styles only.")
    if kind == "component":
        return libraries.add_component(file, name, component_set=component_set, **settings)
    return libraries.add_component_set(file, name, **settings)


def _change_asset(emulator: Emulator, key: str, **settings: Any) -> None:
    if not settings:
        raise ConflictingOptions("Nothing to change; give --name, --description or --value.")
    emulator.libraries.change(key, **settings)


def _sample_library(emulator: Emulator, file: str, *, components: int) -> str:
    created = emulator.libraries.sample(file, components=components)
    emulator.publish(file)
    used = emulator.analytics.sample(file)
    return f"{file}: published {len(created)} components, sets and styles; {used} assets are in use"


def _publish(emulator: Emulator, file: str, **details: str) -> str:
    emulator.publish(file, **details)
    return f"published {file}"


def _event_documents(emulator: Emulator) -> list[dict[str, Any]]:
    return [{**event._asdict(), "due": timestamp(event.due)} for event in emulator.events.waiting()]


def _event_row(event: Mapping[str, Any]) -> tuple[str, ...]:
    return event["webhook"], event["event_type"], event["due"], str(event["failures"])


def _record_request(emulator: Emulator, event: str, *, secret: str = "", **details: Any) -> None:
    emulator.developer_logs.add(secret or emulator.default_token, event, **details)


def _record_activity(emulator: Emulator, action: str, *, file_key: str | None = None, **details: Any) -> None:
    entity = None if file_key is None else {"type": "file", "key": file_key}
    emulator.activity.add(action, entity=entity, **details)


def _set_organization(emulator: Emulator, *, plan: str | None = None, governance: bool | None = None) -> list[str]:
    if plan is None and governance is None:
        raise ConflictingOptions("Nothing to change; give --plan, --governance or --no-governance.")
    changes = []
    if plan is not None:
        emulator.organization.set_plan(plan)
        changes.append(f"the organization is on the plan {plan}")
    if governance is not None:
        emulator.organization.set_governance(governance)
        changes.append(f"the organization has {'' if governance else 'no '}Governance+")
    return changes


def _result(_: Mapping[str, Any], result: Any) -> Any:
    """Return the message about an operation whose result it is."""
    return result


_FILE: Final = Parameter("file", is_file=True)
_LIBRARY: Final = Parameter("library", is_file=True)
_FILE_CONCERNED: Final = Parameter(
    "--file", "The file concerned: a key, a URL or a name.", "FILE", "file_key", is_file=True
)
_AGO: Final = Parameter(
    "--ago", "The age of the entry, such as 90s, 30m, 3h or 7d.", "TIME", default="0s", converted=seconds
)
_ROLE: Final = Parameter("role", metavar="owner|editor|viewer|none", converted=_role)
_PLAN: Final = Parameter(
    "--plan", "starter, professional, organization or enterprise.", "PLAN", default=people.ENTERPRISE
)
_PERMISSIONS: Final = (
    Parameter("--scope", "Grant this scope (repeatable).", "SCOPE", "scopes", is_repeatable=True),
    Parameter("--legacy", "Make it a legacy token, which has no scopes.", kind="flag"),
    Parameter("--expires-in-days", "Days until expiry; 0 or less for an expired token.", "DAYS", kind="number"),
    Parameter("--account", "The user's seat: full, dev, collab, view or guest.", "SEAT"),
    Parameter(
        "--permission",
        "The user's role on files: owner, editor, viewer, or none for no access.",
        "ROLE",
        converted=_role,
    ),
    Parameter("--admin/--no-admin", "Set whether the user is an admin of the organization.", kind="flag"),
)
_APP_SETTINGS: Final = (
    Parameter("--redirect-url", "A redirect URL (repeatable).", "URL", "redirect_urls", is_repeatable=True),
    Parameter("--scope", "A scope that the app may request (repeatable).", "SCOPE", "scopes", is_repeatable=True),
    Parameter("--visibility", "The visibility (default: private).", choices=("private", "public")),
)
_ACCESS: Final = ("team", "view", "invite")
_VALUE: Final = Parameter(
    "--value",
    "A JSON file with members of a style's node, as in answers: fills, style, effects, layoutGrids, boundVariables.",
    "FILE",
    kind="path",
)
_PUBLISHED_KIND: Final = Parameter("kind", choices=("component", "style", "variable"))

OPERATIONS: Final = (
    Operation(
        "apps create",
        "Create a draft app. Prints its client secret, which is not shown again.",
        (
            "name",
            Parameter("--team", "The team that owns the app (default: the organization).", "ID"),
            Parameter("--creator", "The user who creates the app (default: the emulator's first user).", "ID"),
            *_APP_SETTINGS,
        ),
        "apps.create",
        "store the secret, which is not shown again; publish the app so that other users can log in",
        lines=lambda app: (f"client id: {app['client_id']}", f"client secret: {app['client_secret']}"),
    ),
    Operation(
        "apps configure",
        "Change an app. Afterwards, a published public app needs a new approval.",
        (
            "client_id",
            Parameter("--name", "The app's name.", "TEXT"),
            Parameter("--description", "The description.", "TEXT"),
            Parameter("--logo", "The logo.", "URL"),
            *_APP_SETTINGS,
            Parameter(
                "--review-pages/--no-review-pages",
                "Set whether testing instructions and review pages are complete.",
                kind="flag",
            ),
        ),
        "apps.configure",
    ),
    Operation(
        "apps list",
        "List apps and their states, without secrets.",
        (),
        "apps.all",
        table=Table(("CLIENT ID", "NAME", "VISIBILITY", "STATE", "SCOPES"), _app_row, is_shown_empty=False),
    ),
    Operation("apps publish", "Publish a private app to its team or organization.", ("client_id",), "apps.publish"),
    Operation("apps submit", "Submit a public app for review.", ("client_id",), "apps.submit"),
    Operation("apps approve", "Approve a public app, as Figma does.", ("client_id",), "apps.approve"),
    Operation(
        "tokens create",
        "Create a token and print it. The default scopes are those to read and write variables.",
        (
            Parameter("--kind", "The kind of token.", choices=("personal", "oauth", "plan"), default="personal"),
            *_PERMISSIONS,
            Parameter("--user", "The owner (default: a new user).", "ID"),
            Parameter("--name", "The token's name.", "TEXT", default="token"),
        ),
        _create_token,
        lines=lambda token: (token["token"],),
    ),
    Operation(
        "tokens list",
        "List tokens with their secrets. The secrets are valid only for this emulator.",
        (),
        lambda emulator: list(map(_token_document, emulator.tokens.all())),
        table=Table(("TOKEN", "KIND", "NAME", "USER", "EXPIRES", "SCOPES"), _token_row, ("EXPIRES", "USER")),
    ),
    Operation(
        "tokens change",
        "Change the permissions of a token or its user.",
        (
            "token",
            *_PERMISSIONS,
            Parameter("--file", "Limit --permission to this file: a key, a URL or a name.", "FILE", is_file=True),
        ),
        _change_token,
        "changed",
    ),
    Operation("tokens revoke", "Revoke a token.", ("token",), _revoke_token, "revoked"),
    Operation(
        "files create",
        "Create an empty file. For a file with variables, use emulator seed.",
        (
            "key",
            Parameter("--name", "The file's name.", "TEXT", default="Untitled"),
            Parameter("--editor", "figma, figjam, slides, buzz, sites or make.", "EDITOR", default="figma"),
            _PLAN,
            Parameter("--folder", "The folder of the file.", "ID", default="1"),
        ),
        "files.create",
        "created {key}",
    ),
    Operation(
        "files list",
        "List files with their folders, editors and plans.",
        (),
        _file_documents,
        table=Table(("KEY", "NAME", "EDITOR", "PLAN", "FOLDER", "VERSION", "BRANCH OF"), _file_row),
    ),
    Operation(
        "files branch",
        "Create a branch of FILE with the same content. BRANCH is the key of the branch.",
        (_FILE, "branch", Parameter("--name", "The branch's name.", "TEXT", default="Branch")),
        "files.branch",
        "created {branch}, a branch of {file}",
    ),
    Operation(
        "files plan",
        "Set the plan of a file. PLAN is starter, professional, organization or enterprise.",
        (_FILE, "plan"),
        "files.set_plan",
        "{file} is on the plan {plan}",
    ),
    Operation(
        "files editor",
        "Set the editor of a file. EDITOR is figma, figjam, slides, buzz, sites or make.",
        (_FILE, "editor"),
        "files.set_editor",
        "{file} is a {editor} file",
    ),
    Operation(
        "files move",
        "Move a file to FOLDER. FOLDER is an id.",
        (_FILE, "folder"),
        "files.move",
        "{file} is in folder {folder}",
    ),
    Operation(
        "files document",
        "Replace the layers of a file. DOCUMENT is a JSON file: a DOCUMENT node, or a saved response of GET "
        "v1/files/:key.\n\nWithout DOCUMENT, restore the page that is generated from the file's variables.",
        (_FILE, Parameter("path", metavar="[DOCUMENT]", kind="path")),
        "files.set_document",
        lambda given, _: (
            f"{given['file']} has "
            + (f"the layers of {given['path']}" if given["path"] else "the page generated from its variables")
        ),
    ),
    Operation(
        "files largest-answer",
        "Refuse responses with layers that exceed BYTES. Clients reduce the size with the parameters ids and depth.",
        (Parameter("size", metavar="BYTES", kind="integer"),),
        "files.set_largest_answer",
        "responses with layers are limited to {size:,} bytes",
    ),
    Operation(
        "files version",
        "Save a file's current state as a version. Prints its id.",
        (
            _FILE,
            Parameter("--label", "The version's name; only named versions notify webhooks.", "TEXT"),
            Parameter("--description", "The description.", "TEXT"),
        ),
        "versions.save",
    ),
    Operation(
        "files comment",
        "Comment on a file. Prints the comment's id.",
        (
            _FILE,
            "message",
            Parameter("--reply-to", "The comment to reply to.", "ID"),
            Parameter("--user", "The author (default: the first user).", "ID"),
        ),
        "comments.add",
    ),
    Operation(
        "files resolve",
        "Mark a comment as resolved.",
        (_FILE, "comment"),
        "comments.resolve",
        "comment {comment} is resolved",
    ),
    Operation("files team", "Create a team and print its id.", ("name", _PLAN), "places.create_team"),
    Operation(
        "files team-plan",
        "Set the plan of TEAM. TEAM is an id; the team's files keep their own plans.",
        ("team", "plan"),
        "places.set_team_plan",
        "team {team} is on the plan {plan}",
    ),
    Operation(
        "files folder",
        "Create a folder and print its id.",
        (
            "name",
            Parameter("--team", "The folder's team.", "ID", default="1"),
            Parameter("--parent", "The parent folder (default: the top of the team).", "ID"),
            Parameter(
                "--access",
                "Who has access: the team, the team with view access, or invited users.",
                choices=_ACCESS,
                default="team",
            ),
        ),
        "places.create_folder",
    ),
    Operation(
        "files audience",
        "Set who has access to FOLDER. ACCESS is team, view (the team with view access) or invite.",
        ("folder", Parameter("access", choices=_ACCESS)),
        "places.set_access",
        "folder {folder}: {access}",
    ),
    Operation(
        "files places",
        "List teams and their folders as a tree.",
        (),
        lambda emulator: {"teams": emulator.places.teams(), "folders": emulator.places.folders()},
        lines=_folder_tree,
    ),
    Operation(
        "files access",
        "Set the role of a user or group in FOLDER. MEMBER is an id.\n\n"
        "The role also applies to nested folders; none denies access.",
        ("folder", "member", _ROLE),
        "sharing.share",
        "{member}: {role} in folder {folder}",
    ),
    Operation(
        "files member",
        "Add USER to TEAM. Both are ids; the role none removes the user.",
        ("team", "user", _ROLE),
        "sharing.set_team_role",
        "{user}: {role} in team {team}",
    ),
    Operation(
        "files user",
        "Create a user and print its id. To create a token for it, use emulator tokens create --user.",
        (
            "handle",
            Parameter("--account", "The seat: full, dev, collab, view or guest.", "SEAT", default="full"),
            Parameter("--permission", "The role on files, or none.", "ROLE", default="editor", converted=_role),
            Parameter("--admin", "Make the user an admin of the organization.", kind="flag"),
        ),
        "people.create",
    ),
    Operation(
        "files users",
        "List users.",
        (),
        "people.all",
        table=Table(("ID", "HANDLE", "SEAT", "PERMISSION", ""), _user_row),
    ),
    Operation(
        "files group",
        "Create a group of users and print its id. USER is an id.",
        ("name", Parameter("users", metavar="[USER]...", is_repeatable=True)),
        "sharing.create_group",
    ),
    Operation(
        "library add",
        "Create a component, component set or style in FILE. Prints its key.\n\n"
        "Publish it with tokensync emulator publish.",
        (
            Parameter("kind", choices=("component", "component-set", "style")),
            _FILE,
            "name",
            Parameter("--description", "The description.", "TEXT"),
            Parameter("--set", "The component set of a component.", "KEY", "component_set"),
            Parameter("--type", "A style's type: FILL, TEXT, EFFECT or GRID.", "TYPE", "style_type"),
            _VALUE,
        ),
        _add_asset,
    ),
    Operation(
        "library change",
        "Rename or describe an item, or set the value of a style.",
        (
            "key",
            Parameter("--name", "The new name.", "NAME"),
            Parameter("--description", "The new description.", "TEXT"),
            _VALUE,
        ),
        _change_asset,
        "changed {key}; publish the change with tokensync emulator publish",
    ),
    Operation(
        "library drop",
        "Delete a component, component set or style from its file.",
        ("key",),
        "libraries.drop",
        "dropped {key}; publish the change with tokensync emulator publish",
    ),
    Operation(
        "library sample",
        "Fill FILE with a sample library and publish it. Also invents usage figures.",
        (_FILE, Parameter("--components", "The number of components.", least=0, most=100_000, default=12)),
        _sample_library,
        _result,
    ),
    Operation(
        "library use",
        "Set how often a published asset is used in another file.",
        (
            _PUBLISHED_KIND,
            _FILE,
            "key",
            Parameter("--in", "The file that uses the asset.", "FILE", "in_file", is_required=True, is_file=True),
            Parameter("--usages", "The number of usages.", least=0, default=1),
        ),
        lambda emulator, kind, file, key, **usage: emulator.analytics.use(file, kind, key, **usage),
        lambda given, _: f"{given['in_file']} uses {given['key']} {counted(given['usages'], 'time')}",
    ),
    Operation(
        "library act",
        "Record insertions and detachments of a published asset.",
        (
            _PUBLISHED_KIND,
            _FILE,
            "key",
            Parameter("--insertions", "The number of insertions.", "N", least=0),
            Parameter("--detachments", "The number of detachments.", "N", least=0),
            Parameter("--days-ago", "The age of the event in days.", least=0, default=1),
            Parameter("--team", "The team of the users.", "ID", default="1"),
        ),
        lambda emulator, kind, file, key, **counts: emulator.analytics.act(file, kind, key, **counts),
        lambda given, _: (
            f"{given['key']}: recorded {counted(given['insertions'] or 0, 'insertion')} and "
            + counted(given["detachments"] or 0, "detachment")
        ),
    ),
    Operation(
        "variables use",
        "Let FILE use published variables of LIBRARY. Prints their remote ids.\n\n"
        "NAME is a name, a key or an id (default: all variables).",
        (_FILE, _LIBRARY, Parameter("names", metavar="[NAME]...", is_repeatable=True)),
        lambda emulator, file, library, names: emulator.variables.use(file, library, *names),
        lines=lambda ids: ids,
    ),
    Operation(
        "variables update",
        "Update FILE to the latest publication of LIBRARY.",
        (_FILE, _LIBRARY),
        "variables.update",
        lambda given, updated: f"updated {counted(updated, 'variable')} in {given['file']}",
    ),
    Operation(
        "variables bind-font",
        "Bind text in a shared font to a string variable. Requests can then no longer update the variable.",
        (_FILE, Parameter("variable_id", metavar="ID"), Parameter("--unbind", "Remove the binding.", kind="flag")),
        lambda emulator, file, variable_id, unbind: emulator.variables.bind_to_shared_font(
            file, variable_id, bound=not unbind
        ),
        lambda given, _: f"{'unbound' if given['unbind'] else 'bound'} {given['variable_id']} in {given['file']}",
    ),
    Operation(
        "events raise",
        "Raise an event of a file and deliver it to the file's webhooks.",
        (
            Parameter("kind", choices=KINDS, converted=str.upper),
            Parameter("--file", "The file: a key, a URL or a name.", "FILE", is_required=True, is_file=True),
            Parameter("--user", "The user who causes the event (default: the first user).", "ID"),
            Parameter("--description", "The description of a publication or version.", "TEXT"),
            Parameter("--text", "The text of a comment.", "TEXT"),
            Parameter(
                "--mention", "A user that the comment mentions (repeatable).", "ID", "mentions", is_repeatable=True
            ),
            Parameter("--status", "A layer's status: NONE, READY_FOR_DEV or COMPLETED.", "STATUS"),
            Parameter("--node", "The layer.", "ID"),
            Parameter("--message", "The message about a layer's status.", "TEXT"),
            Parameter("--asset", "The kind of published asset: components, styles or variables.", "KIND"),
            Parameter("--created", "The name of a newly published asset (repeatable).", "NAME", is_repeatable=True),
            Parameter("--modified", "The name of a changed asset (repeatable).", "NAME", is_repeatable=True),
            Parameter("--deleted", "The name of a deleted asset (repeatable).", "NAME", is_repeatable=True),
        ),
        raise_event,
        lambda given, notified: f"raised {given['kind'].upper()} for {counted(notified, 'webhook')}",
        delivers=True,
    ),
    Operation(
        "events advance",
        "Advance the clock by TIME and deliver events that become due. TIME is a duration such as 90s, 30m, 3h or "
        "7d.\n\nRetries and, after half an hour, FILE_UPDATE become due. All processes with the same state share the "
        "clock.",
        (Parameter("span", metavar="TIME", converted=seconds),),
        "clock.advance",
        lambda _, moment: f"the clock is at {timestamp(moment)}",
        delivers=True,
    ),
    Operation(
        "events deliver",
        "Deliver events that are due. A running emulator does this automatically.",
        (),
        lambda _: (),
        _result,
        delivers=True,
    ),
    Operation(
        "events list",
        "List events that wait for delivery or a retry.",
        (),
        _event_documents,
        table=Table(("WEBHOOK", "EVENT", "DUE", "FAILURES"), _event_row),
    ),
    Operation(
        "publish",
        "Publish FILE as a library and notify its webhooks. FILE is a key, URL or name.",
        (_FILE, Parameter("--description", "The description of the publication.", "TEXT")),
        _publish,
        _result,
        delivers=True,
    ),
    Operation(
        "records request",
        "Add a request to the developer logs. EVENT is a path such as /v1/me or a tool of an MCP server.",
        (
            "event",
            Parameter("--token", "The token of the request (default: the emulator's own).", "SECRET", "secret"),
            Parameter("--source", "The source of the request.", choices=("rest_api", "mcp_server"), default="rest_api"),
            Parameter("--ip", "The client's address.", "IP", "address", default="127.0.0.1"),
            _FILE_CONCERNED,
            _AGO,
        ),
        _record_request,
        "recorded a request to {event}",
    ),
    Operation(
        "records activity",
        "Add an ACTION, such as fig_file_view, to the activity logs.\n\n"
        "Without --file, it is an action on the organization.",
        (
            "action",
            Parameter("--user", "The user (default: the first user).", "ID", "actor"),
            Parameter("--app", "The app that the user used.", "NAME", "client"),
            _FILE_CONCERNED,
            _AGO,
        ),
        _record_activity,
        "recorded {action}",
    ),
    Operation(
        "records text",
        "Add a TEXT to discovery's text events. It appears there after an hour at the earliest.",
        (
            "text",
            Parameter("--kind", "The kind of text, such as annotation.", default="design_text"),
            Parameter("--node", "The layer.", "ID"),
            Parameter("--user", "The author (default: the first user).", "ID", "actor"),
            _FILE_CONCERNED,
            _AGO,
        ),
        "text_events.add",
        "recorded a text ({kind})",
    ),
    Operation(
        "organization",
        "Change the emulator's organization. Logs and discovery need Enterprise, and most of them Governance+.",
        (
            Parameter("--plan", "The plan: starter, professional, organization or enterprise.", "PLAN"),
            Parameter("--governance/--no-governance", "Set whether it has the add-on Governance+.", kind="flag"),
        ),
        _set_organization,
        _result,
    ),
)
"""All operations that change the state of the emulator or show it, by the groups and names of their commands."""


class Outcome(NamedTuple):
    """The result of an operation, and how many events were sent because of it."""

    result: Any
    sent: int


def carry_out(
    operation: Operation, emulator: Emulator, given: Mapping[str, Any], configured: Mapping[str, str]
) -> Outcome:
    """Carry out an operation with the values of its parameters. Files are read already, as ``read_given`` does.

    ``configured`` maps configured names of files to keys. Raises UsageError for invalid values.
    """
    arguments: list[Any] = []
    options: dict[str, Any] = {}
    for parameter in parameters_of(operation):
        value = given[parameter.key]
        if value is not None and parameter.is_file:
            value = file_key(emulator, value, configured)
        elif value is not None and parameter.converted is not None:
            value = parameter.converted(value)
        if not parameter.name.startswith("--"):
            arguments.append(value)
        elif given[parameter.key] not in (None, ()):
            options[parameter.key] = value
    run = attrgetter(operation.run)(emulator) if isinstance(operation.run, str) else partial(operation.run, emulator)
    result = _plain(run(*arguments, **options))
    return Outcome(result, emulator.deliver_due() if operation.delivers else 0)


def read_given(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters with the documents of the files that they name."""
    paths = [parameter.key for parameter in parameters_of(operation) if parameter.kind == "path"]
    return {**given, **{key: read_document(given[key]) for key in paths if given[key] is not None}}


def messages_about(operation: Operation, given: Mapping[str, Any], outcome: Outcome) -> tuple[str, ...]:
    """Return the messages about an operation that was carried out."""
    says = operation.says
    messages = says.format_map(given) if isinstance(says, str) else says(given, outcome.result)
    if isinstance(messages, str):
        messages = (messages,) if messages else ()
    return (*messages, *((f"sent {counted(outcome.sent, 'event')}",) if outcome.sent else ()))


def carry_out_at(url: str, operation: Operation, given: Mapping[str, Any]) -> Outcome:
    """Carry out an operation in the emulator that is served at an address, or in one of its spaces."""
    members = {key: value for key, value in given.items() if value not in (None, ())}
    document = ask(url, "POST", f"operations/{operation.name.replace(' ', '/')}", members)
    return Outcome(document["result"], document["sent"])


def ask(url: str, method: str, control: str, members: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the answer to a control of the emulator that is served at an address.

    Raises UsageError for what it refuses, and if it cannot be reached.
    """
    import requests

    address = f"{url.rstrip('/')}/_emulator/{control}"
    with suppress(requests.RequestException, ValueError), requests.Session() as session:
        session.trust_env = False  # a proxy does not lead to this machine, and .netrc has no password for it
        session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE") or True
        answer = session.request(method, address, json=members, timeout=_LONGEST_SECONDS, allow_redirects=False)
        if "X-Tokensync-Emulator" in answer.headers:  # another program may answer in JSON, too
            document: dict[str, Any] = answer.json()
            if answer.status_code != HTTPStatus.OK:
                raise UsageError(str(document["message"]))
            return document
    is_encrypted = url.startswith("https:")
    advice = "set REQUESTS_CA_BUNDLE to its certificate" if is_encrypted else "start one with tokensync emulator serve"
    raise UsageError(f"{url}: no emulator answers there; {advice}, and use its base_url")


_LONGEST_SECONDS: Final = 60.0


def operate(emulator: Emulator, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out the operation of a name with values from JSON, where files are documents; omitted ones are defaults.

    Raises UsageError for an unknown name and for values that the command line would not accept.
    """
    from jsonschema import ValidationError, validate

    operation = next((known for known in OPERATIONS if known.name == name), None)
    if operation is None:
        what = f"{name[:100]}: no operation of the emulator has this name"
        raise UsageError(f"{what}; {suggestion(name, [known.name for known in OPERATIONS])}")
    try:
        validate(given, schema_of(operation))
    except ValidationError as error:
        raise UsageError(f"{name}: {error.message[:300]}") from None
    defaults: dict[str, Any] = {}
    for parameter in parameters_of(operation):
        is_flag = parameter.kind == "flag" and "/" not in parameter.name
        defaults[parameter.key] = False if is_flag else () if parameter.is_repeatable else parameter.default
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    return carry_out(operation, emulator, {**defaults, **given, **lists}, {})._asdict()


_TYPES: Final = {"text": "string", "integer": "integer", "number": "number", "path": "object", "flag": "boolean"}


def schema_of(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's parameters."""
    properties, required = {}, []
    for parameter in parameters_of(operation):
        schema: dict[str, Any] = {"type": "integer" if parameter.least is not None else _TYPES[parameter.kind]}
        bounds = {"enum": list(parameter.choices) or None, "minimum": parameter.least, "maximum": parameter.most}
        schema |= {name: bound for name, bound in bounds.items() if bound is not None}
        properties[parameter.key] = {"type": "array", "items": schema} if parameter.is_repeatable else schema
        if parameter.is_required or not (parameter.name.startswith("--") or (parameter.metavar or "").startswith("[")):
            required.append(parameter.key)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def parameters_of(operation: Operation) -> Iterator[Parameter]:
    """Yield the parameters of an operation with all their attributes."""
    for parameter in operation.parameters:
        described = Parameter(parameter) if isinstance(parameter, str) else parameter
        yield described._replace(key=described.key or described.name.strip("-").partition("/")[0].replace("-", "_"))


def _plain(value: Any) -> Any:
    """Return a value with dictionaries in place of named tuples, as JSON has them."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if hasattr(value, "_asdict"):
        return value._asdict()
    return [_plain(member) for member in value] if isinstance(value, (list, tuple)) else value
