"""The operations on a state of the emulator: one table, from whose methods the commands and their JSON are derived."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from tokensync.emulator import Emulator, people
from tokensync.emulator.access import Sharing
from tokensync.emulator.apps import Apps
from tokensync.emulator.cli.states import file_key
from tokensync.emulator.editor import Events, Files
from tokensync.emulator.endpoints import timestamp
from tokensync.emulator.files import Teams
from tokensync.emulator.history import TextEvents
from tokensync.emulator.people import People
from tokensync.emulator.services.analytics import Analytics
from tokensync.emulator.services.comments import Comments
from tokensync.emulator.services.files import Versions
from tokensync.emulator.services.libraries import Libraries
from tokensync.emulator.services.variables.collections import Variables
from tokensync.emulator.store import Clock
from tokensync.emulator.tokens import Tokens
from tokensync.project.sources import read_file
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.wording import counted, suggestion


def _read_document(path: str) -> dict[str, Any]:
    """Return the JSON object in a file. Raises UsageError if it has none."""
    import msgspec

    try:
        return msgspec.json.decode(read_file(path).removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except DECODE_ERRORS as error:
        raise UsageError(f"{path}: not a JSON object ({error}); save a response of GET v1/files/:key") from None


DURATIONS: Final = ("ago", "seconds")
"""Parameters that users write as a duration."""
_UNITS: Final = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d|\Z)", re.ASCII)


def seconds(span: str) -> float:
    """Return the seconds in a duration such as ``90s``, ``30m``, ``3h`` or ``1h30m``; the default unit is seconds."""
    parts = _PART.findall(span)
    if not parts or "".join(map("".join, parts)) != span:
        raise UsageError(f"{span}: not a duration; write 90s, 30m, 3h, 7d or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


class Operation(NamedTuple):
    """A change of the emulator's state, or a question about it: ``name`` is the group and the name of its command.

    ``run`` is a function of the emulator, or a method of the emulator or of a part of it. Its docstring and parameters
    are those of the command: a parameter with a default is an option. ``says`` is the message about it, with the
    parameters as users write them. A result with ``columns`` is a table; one with columns or ``lines`` is also
    available as JSON. Other results are printed. ``delivers`` sends the events that are due afterwards.
    """

    name: str
    run: Callable[..., Any]
    says: str | Callable[[Mapping[str, Any], Any], str] = ""
    columns: tuple[str, ...] = ()
    lines: Callable[[Any], Iterable[str]] | None = None
    delivers: bool = False


class Parameter(NamedTuple):
    """An argument or option of an operation: its ``name`` in JSON, and its ``key`` for the method.

    ``kind`` is text, integer, number, flag, switch (a flag that can be off) or path (of a JSON file).
    """

    name: str
    key: str
    kind: str
    default: Any
    is_option: bool
    is_required: bool
    is_repeatable: bool
    may_be_none: bool

    @property
    def is_file(self) -> bool:
        """Return whether it names a design file."""
        return self.key in ("file_key", "library_key", "in_file")

    @property
    def option(self) -> str:
        """Return the name of its option."""
        name = f"--{(self.name.removesuffix('s') if self.is_repeatable else self.name).replace('_', '-')}"
        return f"{name}/--no-{name[2:]}" if self.kind == "switch" else name


_NAMES: Final = {"actor": "user", "client": "app", "address": "ip", "secret": "token"}
_KINDS: Final = {"int": "integer", "float": "number", "bool": "flag", "bool | None": "switch", "dict": "path"}
_NONE: Final = "none"


def parameters_of(operation: Operation) -> Iterator[Parameter]:
    """Yield the parameters of an operation."""
    _, *parameters = inspect.signature(operation.run).parameters.values()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:  # the details of events, of which each kind has its own
            yield from _DETAILS.values()
        else:
            yield _parameter(parameter)


def _parameter(parameter: inspect.Parameter) -> Parameter:
    annotation, has_default = str(parameter.annotation), parameter.default is not parameter.empty
    kind = _KINDS.get(annotation) or _KINDS.get(annotation.partition(" |")[0].partition("[")[0], "text")
    is_spread = parameter.kind is parameter.VAR_POSITIONAL
    is_by_name = parameter.kind is parameter.KEYWORD_ONLY or (has_default and kind != "path")
    return Parameter(
        _NAMES.get(parameter.name, parameter.name.removesuffix("_key").strip("_")),
        parameter.name,
        "switch" if parameter.default is True else kind,
        parameter.default if has_default and parameter.default not in ("", 0, people.FIRST, ()) else None,
        is_by_name,
        not has_default and not is_spread,
        is_spread or annotation.startswith(("Iterable", "tuple")),
        annotation.endswith("| None"),
    )


def _details_of(method: Callable[..., int]) -> tuple[inspect.Parameter, ...]:
    """Return what a kind of event requires or accepts beside its file."""
    return tuple(inspect.signature(method).parameters.values())[2:]


EVENTS: Final[dict[str, Callable[..., int]]] = {
    "FILE_UPDATE": Events.file_update,
    "FILE_DELETE": Events.file_delete,
    "FILE_VERSION_UPDATE": Events.file_version,
    "LIBRARY_PUBLISH": Events.library_publish,
    "FILE_COMMENT": Events.file_comment,
    "DEV_MODE_STATUS_UPDATE": Events.dev_status,
}
"""The kinds of event that can be raised."""
_DETAILS: Final = {
    detail.name: _parameter(detail.replace(default=None))
    for method in EVENTS.values()
    for detail in _details_of(method)
}


def _raise_event(emulator: Emulator, kind: str, *, file_key: str, **details: Any) -> int:
    """Raise an event of a file and deliver it to the file's webhooks.

    KIND is FILE_UPDATE, FILE_DELETE, FILE_VERSION_UPDATE, LIBRARY_PUBLISH, FILE_COMMENT or DEV_MODE_STATUS_UPDATE.
    """
    kind = kind.upper()
    if kind not in EVENTS:
        raise UsageError(f"{kind}: no kind of event; use one of {', '.join(EVENTS)}")
    accepted = {detail.name: _parameter(detail) for detail in _details_of(EVENTS[kind])}
    for name in details:
        if name not in accepted:
            use = ", ".join(detail.option for detail in accepted.values()) or "only --file"
            raise UsageError(f"{kind}: it does not accept {_DETAILS[name].option}; use {use}")
    for name, detail in accepted.items():
        if detail.is_required and name not in details:
            raise UsageError(f"{kind}: it requires a {name}; add {detail.option}")
    return EVENTS[kind](emulator.events, file_key, **details)


def _tokens(emulator: Emulator) -> list[dict[str, Any]]:
    """List tokens with their secrets. The secrets are valid only for this emulator."""
    return [{"token": token.secret, **token._replace(secret="")._asdict()} for token in emulator.tokens.all()]


def _change_token(
    emulator: Emulator,
    token: str,
    *,
    scopes: tuple[str, ...] = (),
    expires_in_days: float | None = None,
    account: str = "",
    permission: str = "",
    admin: bool | None = None,
    file_key: str | None = None,
) -> None:
    """Change the permissions of a token or its user. With --file, the permission is for this file only."""
    tokens, role = emulator.tokens, None if permission == _NONE else permission
    tokens.of(token)
    if scopes:
        tokens.set_scopes(token, None if scopes == (_NONE,) else scopes)
    if expires_in_days is not None:
        tokens.set_expiry(token, expires_in_days)
    if account:
        tokens.set_account(token, account)
    if admin is not None:
        tokens.set_admin(token, admin)
    if file_key is not None:
        tokens.permit(token, file_key, role)
    elif permission:
        tokens.set_permission(token, role)


def _add_asset(
    emulator: Emulator,
    kind: str,
    file_key: str,
    name: str,
    *,
    description: str = "",
    set_: str | None = None,
    type_: Any = "FILL",
    value: dict[str, Any] | None = None,
) -> str:
    """Create a component, component-set or style (KIND) in FILE. Prints its key.

    Publish it with tokensync emulator publish.
    """
    if value is not None and kind != "style":
        raise UsageError("--value is for styles only.")
    match kind:
        case "style":
            return emulator.libraries.add_style(file_key, name, type_, description=description, value=value)
        case "component":
            return emulator.libraries.add_component(file_key, name, description=description, component_set=set_)
        case "component-set":
            return emulator.libraries.add_component_set(file_key, name, description=description)
    raise UsageError(f"{kind}: no kind of asset; use component, component-set or style")


def _sample_library(emulator: Emulator, file_key: str, *, components: int = 12) -> str:
    """Fill FILE with a sample library and publish it. Also invents usage figures."""
    created = emulator.libraries.sample(file_key, components=components)
    emulator.publish(file_key)
    used = emulator.analytics.sample(file_key)
    return f"{file_key}: published {len(created)} components, sets and styles; {used} assets are in use"


def _record_request(
    emulator: Emulator,
    event: str,
    *,
    secret: str = "",
    source: str = "rest_api",
    address: str = "127.0.0.1",
    file_key: str | None = None,
    ago: float = 0.0,
) -> None:
    """Add a request to the developer logs. EVENT is a path such as /v1/me or a tool of an MCP server."""
    logs, secret = emulator.developer_logs, secret or emulator.default_token
    logs.add(secret, event, source=source, address=address, file_key=file_key, ago=ago)


def _record_activity(
    emulator: Emulator,
    action: str,
    *,
    actor: str = people.FIRST,
    client: str | None = None,
    file_key: str | None = None,
    ago: float = 0.0,
) -> None:
    """Add an ACTION, such as fig_file_view, to the activity logs.

    Without --file, it is an action on the organization.
    """
    entity = None if file_key is None else {"type": "file", "key": file_key}
    emulator.activity.add(action, entity=entity, actor=actor, client=client, ago=ago)


def _set_organization(emulator: Emulator, *, plan: str | None = None, governance: bool | None = None) -> None:
    """Change the emulator's organization. Logs and discovery need Enterprise, and most of them Governance+."""
    if plan is not None:
        emulator.organization.set_plan(plan)
    if governance is not None:
        emulator.organization.set_governance(governance)


def _deliver(_: Emulator) -> None:
    """Deliver events that are due. A running emulator does this automatically."""


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

HELP: Final = {
    "access": "Who has access: team, view (the team with view access) or invite (invited users).",
    "account": "The user's seat: full, dev, collab, view or guest.",
    "admin": "The user is an admin of the organization.",
    "ago": "The age of the entry, such as 90s, 30m, 3h or 7d.",
    "app": "The app that the user used.",
    "asset": "The kind of published asset: components, styles or variables.",
    "bound": "Bind it, or remove the binding.",
    "components": "The number of components.",
    "created": "The name of a newly published asset (repeatable).",
    "creator": "The user who creates the app (default: the first user).",
    "days_ago": "The age of the event in days.",
    "deleted": "The name of a deleted asset (repeatable).",
    "detachments": "The number of detachments.",
    "editor": "figma, figjam, slides, buzz, sites or make.",
    "expires_in_days": "Days until expiry; 0 or less for an expired token.",
    "file": "The file: a key, a URL or a name.",
    "folder": "The folder of the file.",
    "governance": "The organization has the add-on Governance+.",
    "insertions": "The number of insertions.",
    "ip": "The client's address.",
    "kind": "The kind: of a token, personal, oauth or plan; of a text, such as annotation.",
    "label": "The version's name; only named versions notify webhooks.",
    "mentions": "A user that the comment mentions (repeatable).",
    "message": "The message about a layer's status.",
    "modified": "The name of a changed asset (repeatable).",
    "parent": "The parent folder (default: the top of the team).",
    "permission": "The user's role on files: owner, editor, viewer, or none for no access.",
    "plan": "starter, professional, organization or enterprise.",
    "redirect_urls": "A redirect URL (repeatable).",
    "reply_to": "The comment to reply to.",
    "review_pages": "Testing instructions and review pages are complete.",
    "scopes": "A scope (repeatable); for a token, none makes it a legacy token, which has no scopes.",
    "set": "The component set of a component.",
    "source": "The source of the request: rest_api or mcp_server.",
    "status": "A layer's status: NONE, READY_FOR_DEV or COMPLETED.",
    "text": "The text of a comment.",
    "token": "The token of the request (default: the emulator's own).",
    "type": "A style's type: FILL, TEXT, EFFECT or GRID.",
    "usages": "The number of usages.",
    "user": "The user, by id (default: the first user; for a token, a new one).",
    "value": "A JSON file with members of a style's node: fills, style, effects, layoutGrids, boundVariables.",
    "visibility": "private or public.",
}
"""The help texts of options, by their names. Those of others need none beside the name."""

_APP_COLUMNS: Final = ("client_id", "name", "visibility", "state", "scopes")
_CHANGED: Final = "changed {key}; publish the change with tokensync emulator publish"

OPERATIONS: Final = (
    Operation(
        "apps create",
        Apps.create,
        "store the secret, which is not shown again; publish the app so that other users can log in",
        lines=lambda app: (f"client id: {app['client_id']}", f"client secret: {app['client_secret']}"),
    ),
    Operation("apps configure", Apps.configure),
    Operation("apps list", Apps.all, columns=_APP_COLUMNS),
    Operation("apps publish", Apps.publish),
    Operation("apps submit", Apps.submit),
    Operation("apps approve", Apps.approve),
    Operation("tokens create", Tokens.create),
    Operation("tokens list", _tokens, columns=("token", "kind", "name", "user", "expires", "scopes")),
    Operation("tokens change", _change_token, "changed"),
    Operation("tokens revoke", Tokens.revoke, "revoked"),
    Operation("files create", Files.create, "created {key}"),
    Operation("files list", Files.all, columns=("key", "name", "editor", "plan", "folder", "version")),
    Operation("files branch", Files.branch, "created {branch}, a branch of {file}"),
    Operation("files plan", Files.set_plan, "{file} is on the plan {plan}"),
    Operation("files editor", Files.set_editor, "{file} is a {editor} file"),
    Operation("files move", Files.move, "{file} is in folder {folder}"),
    Operation("files document", Files.set_document, "{file} has new layers"),
    Operation("files largest-answer", Files.set_largest_answer, "responses with layers are limited to {size:,} bytes"),
    Operation("files version", Versions.save),
    Operation("files comment", Comments.add),
    Operation("files resolve", Comments.resolve, "comment {comment} is resolved"),
    Operation("files team", Teams.create_team),
    Operation("files team-plan", Teams.set_team_plan, "team {team} is on the plan {plan}"),
    Operation("files folder", Teams.create_folder),
    Operation("files audience", Teams.set_access, "folder {folder}: {access}"),
    Operation("files places", Teams.folders, columns=("id", "name", "team", "parent", "access")),
    Operation("files access", Sharing.share, "{member}: {role} in folder {folder}"),
    Operation("files member", Sharing.set_team_role, "{user}: {role} in team {team}"),
    Operation("files user", People.create),
    Operation("files users", People.all, columns=("id", "handle", "account", "permission", "admin")),
    Operation("files group", Sharing.create_group),
    Operation("library add", _add_asset),
    Operation("library change", Libraries.change, _CHANGED),
    Operation("library drop", Libraries.drop, _CHANGED.replace("changed", "dropped")),
    Operation("library sample", _sample_library, lambda _, result: str(result)),
    Operation("library use", Analytics.use, "{in_file} uses {key}: {usages}"),
    Operation("library act", Analytics.act, "recorded actions with {key}"),
    Operation("variables use", Variables.use, lines=lambda ids: ids),
    Operation(
        "variables update",
        Variables.update,
        lambda given, updated: f"updated {counted(updated, 'variable')} in {given['file']}",
    ),
    Operation("variables bind-font", Variables.bind_to_shared_font, "changed {id}"),
    Operation(
        "events raise",
        _raise_event,
        lambda given, notified: f"raised {given['kind'].upper()} for {counted(notified, 'webhook')}",
        delivers=True,
    ),
    Operation("events advance", Clock.advance, lambda _, moment: f"the clock is at {timestamp(moment)}", delivers=True),
    Operation("events deliver", _deliver, lambda *_: "", delivers=True),
    Operation("events list", Events.waiting, columns=("webhook", "event_type", "due", "failures")),
    Operation("publish", Emulator.publish, "published {file}", delivers=True),
    Operation("records request", _record_request, "recorded a request to {event}"),
    Operation("records activity", _record_activity, "recorded {action}"),
    Operation("records text", TextEvents.add, "recorded a text ({kind})"),
    Operation("organization", _set_organization, "changed the organization"),
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
        value: Any = given.get(parameter.name)
        if value in (None, ()):
            continue
        if parameter.is_file:
            value = file_key(emulator, value, configured)
        elif parameter.key in DURATIONS:
            value = seconds(value)
        elif parameter.may_be_none and value in (_NONE, (_NONE,)):
            value = None
        if parameter.is_option:
            options[parameter.key] = value
        else:
            arguments += value if parameter.is_repeatable else (value,)
    if not options and operation.name.endswith(("change", "organization")):
        raise UsageError("Nothing to change; add an option.")
    parts, name = vars(emulator).values(), operation.run.__name__
    part = next((part for part in parts if getattr(type(part), name, None) is operation.run), emulator)
    result = _plain(operation.run(part, *arguments, **options))
    return Outcome(result, emulator.deliver_due() if operation.delivers else 0)


def read_given(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters with the documents of the files that they name."""
    paths = [parameter.name for parameter in parameters_of(operation) if parameter.kind == "path"]
    return {**given, **{name: _read_document(given[name]) for name in paths if given[name] is not None}}


def messages_about(operation: Operation, given: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield the messages about an operation that was carried out."""
    says = operation.says
    if message := says.format_map(given) if isinstance(says, str) else says(given, outcome.result):
        yield message
    if outcome.sent:
        yield f"sent {counted(outcome.sent, 'event')}"


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

    Raises UsageError for an unknown name and for values of other types.
    """
    from jsonschema import ValidationError, validate

    operation = next((known for known in OPERATIONS if known.name == name), None)
    if operation is None:
        what = f"{name[:100]}: no operation of the emulator has this name"
        raise UsageError(f"{what}; {suggestion(name, [known.name for known in OPERATIONS])}")
    try:
        validate(given, _schema_of(operation))
    except ValidationError as error:
        raise UsageError(f"{name}: {error.message[:300]}") from None
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    return carry_out(operation, emulator, {**given, **lists}, {})._asdict()


_TYPES: Final = {"integer": "integer", "number": "number", "path": "object", "flag": "boolean", "switch": "boolean"}


def _schema_of(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's parameters."""
    properties: dict[str, Any] = {}
    for parameter in parameters_of(operation):
        kind = "text" if parameter.key in DURATIONS else parameter.kind
        schema = {"type": _TYPES.get(kind, "string")}
        properties[parameter.name] = {"type": "array", "items": schema} if parameter.is_repeatable else schema
    required = [parameter.name for parameter in parameters_of(operation) if parameter.is_required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_TIMES: Final = ("created", "due", "expires", "modified", "updated")


def _plain(value: Any) -> Any:
    """Return a value with dictionaries in place of named tuples, and with times, as JSON has them."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {
            name: timestamp(member) if name in _TIMES and isinstance(member, float) else _plain(member)
            for name, member in value.items()
        }
    return [_plain(member) for member in value] if isinstance(value, (list, tuple)) else value
