"""Ask the service what the emulator and the client assume of it, and compare: ``tokensync doctor --probe``.

The claims about bodies are those of ``config/openapi.json``, which the emulator is tested against. A report holds no
text of the service but names of members and headers, and words of its enumerations: everything else is a number, or the
kind of a JSON value.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.extract import wire
from tokensync.extract.client.endpoints import BY_NAME, ENDPOINTS, Endpoint, within
from tokensync.extract.client.responses import RATE_LIMITED, Lost, meaning
from tokensync.normalize.graph import normalize
from tokensync.normalize.mapping import ALL_SCOPES, KNOWN_SCOPES
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, TokensyncError, UsageError
from tokensync.system.outlet.markdown import Block, Markdown, code, document, header, plain, row, text
from tokensync.system.resources import read_bytes
from tokensync.system.wording import counted
from tokensync.tokens.values import float32, normalized
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.extract.client import Client, FileReference

_LOCAL: Final = "variables local"
_REFUSED: Final[tuple[tuple[str, str, int, dict[str, Any]], ...]] = (
    (", no token", _LOCAL, 401, {"with_token": False}),
    (", no such file", _LOCAL, 404, {"file_key": "NoSuchFileAnywhere"}),
    (", no such file", "files meta", 404, {"file_key": "NoSuchFileAnywhere"}),
    (", page_size=0", "versions list", 400, {"page_size": 0}),
)
"""Requests that the emulator refuses: what is wrong, the endpoint, the status, and what differs from others."""
_LIMITS: Final = {
    "Retry-After": r"\d+",
    "X-Figma-Plan-Tier": "enterprise|org|pro|starter|student",
    "X-Figma-Rate-Limit-Type": "low|high",
}
"""The headers of a 429, with patterns of their values (developers.figma.com/docs/rest-api/rate-limits)."""
_WORD: Final = re.compile(r"[A-Za-z_-]{1,40}\d{0,2}[A-Za-z_-]{0,40}")  # such as i18n, but no id or hash
_OTHER: Final = "another form"


class Row(NamedTuple):
    """A claim and what the service said. ``same`` is None if it said nothing about the claim."""

    claim: str
    answer: str
    same: bool | None = None


class Report(NamedTuple):
    """The rows of a probe, and names of headers. ``left`` is what a write test has left in the file, if anything."""

    server: str
    rows: tuple[Row, ...]
    headers: tuple[str, ...]
    left: str


def probe(client: Client, file: FileReference, server: str, *, writes: bool, agrees: Callable[[str], bool]) -> Report:
    """Return the report about a file. With ``writes``, create, read and delete a collection in it.

    ``agrees`` asks the user whether to write to a file that has variables. Raises PlatformError if the service cannot
    be reached, and UsageError without the user's consent.
    """
    asked = _Probe(client, file)
    local = asked.read()
    left = ""
    if writes and local is None:
        asked.rows.append(Row("a collection can be created and deleted", "not tried: the variables cannot be read"))
    elif writes:
        held = sum(not within(variable, "remote") for variable in local.values())
        what = f"file has {counted(held, 'variable')} of its own"
        if held and not agrees(f"The {what}. Create a collection in it, and delete it again?"):
            raise UsageError(f"--write: the {what}; use an empty design file, or agree in a terminal")
        left = asked.write()
    return Report(server, tuple(asked.rows), tuple(sorted(asked.headers)), left)


class _Probe:
    """Sends requests about one file, and collects rows. Every failure is a row, but for that of the first request."""

    def __init__(self, client: Client, file: FileReference) -> None:
        self.rows: list[Row] = []
        self.headers: set[str] = set()
        self._client = client
        self._file = file
        self._limited: set[int | None] = set()
        self._may_have_made = False
        self._document = msgspec.json.decode(read_bytes("config", "openapi.json"))

    def read(self) -> Any:
        """Ask what can be asked of a file alone. Return its variables by id, or None if they are unknown."""
        answers = {endpoint.name: self._ask(endpoint.name) for endpoint in ENDPOINTS if _is_asked(endpoint)}
        for about, name, status, differing in _REFUSED:
            self._ask(name, about, status, **differing)
        if self.headers:
            limits = ", ".join(sorted(name for name in self.headers if re.search("limit|retry", name.lower())))
            self.rows.append(Row("successes have no headers about rate limits", limits or "none", not limits))
        variables = within(answers[_LOCAL] or {}, "meta", "variables")
        if not isinstance(variables, dict):
            return None
        self.rows += _about_variables(answers[_LOCAL], answers["variables published"])
        return variables

    def write(self) -> str:
        """Create a collection with a variable and an alias, read it and delete it. Return what is left in the file."""
        name, made = f"tokensync probe {secrets.token_hex(4)}", None
        self._post(", no changes", {}, 400)
        try:
            self._post(", a collection, a variable and an alias", _creation(name))
            made = _made(self._ask(_LOCAL, ", after it"), name)
            self.rows += _as_sent(made.variables if made else ())
        except BaseException:  # Ctrl-C, after which there is no report
            if left := self._delete(name, made):
                raise TokensyncError(f"--write: {left}") from None
            raise
        return self._delete(name, made)

    def _delete(self, name: str, made: _Made | None) -> str:
        self._limited.clear()  # what is left in the file matters more than a further 429
        if made is None:
            made = _made(self._ask(_LOCAL, ", before the deletion"), name)
        is_unknown = self._may_have_made and not (made and made.ids)
        if made and made.ids:
            self._post(", the deletion", {"variableCollections": [{"action": "DELETE", "id": id_} for id_ in made.ids]})
            made = _made(self._ask(_LOCAL, ", after the deletion"), name, made.ids)
        if made is None or is_unknown:
            self.rows.append(Row("nothing is left", "unknown"))
            return f"it is unknown whether the collection {name!r} is in the file; look for it in Figma, and delete it"
        parts = (counted(len(part), noun) for part, noun in zip(made, ("collection", "variable"), strict=True) if part)
        left = ", ".join(parts)
        self.rows.append(Row("nothing is left", left or "nothing", not left))
        return left and f"of the collection {name!r}, the file still has {left}; delete them in Figma"

    def _post(self, about: str, changes: Any, status: int = 200) -> None:
        self._ask("variables post", about, status, body=msgspec.json.encode(changes))

    def _ask(self, name: str, about: str = "", status: int = 200, *, with_token: bool = True, **values: Any) -> Any:
        """Send a request, and compare status and body with the claims. Return the document of a success, or None."""
        endpoint = BY_NAME[name]
        claim = f"{name}{about}: {status}"
        if endpoint.tier in self._limited:
            self.rows.append(Row(claim, f"not asked: tier {endpoint.tier} has reached its limit"))
            return None
        if "{file_key}" in endpoint.path:
            key = self._file.main_key if endpoint.main_file_only else self._file.working_key
            values = {"file_key": key, **values}
        request = endpoint.request(values)
        answer = self._client.exchange(request, with_token=with_token)
        self._may_have_made |= request.changes and (isinstance(answer, Lost) or not 400 <= answer.status < 500)
        if isinstance(answer, Lost):
            if not self.rows:
                self._client.call_without_waiting(endpoint, **values)  # raises an error that says what to do
            self.rows.append(Row(claim, "no usable response"))
            return None
        is_same, means = answer.status == status, meaning(request, answer)
        is_refused = with_token and answer.status in (401, 403, 404, RATE_LIMITED) and not is_same
        self.rows.append(Row(claim, f"{answer.title}{means and f': {means}'}", None if is_refused else is_same))
        if answer.status == RATE_LIMITED:
            self._limited.add(endpoint.tier)
            self.rows.append(_limits(answer.headers))
        if answer.succeeded:
            self.headers.update(name.title() for name in answer.headers if _WORD.fullmatch(name))
        place = f"{name}{about}, {answer.status}"
        try:
            body = msgspec.json.decode(answer.body)
        except DECODE_ERRORS:
            self.rows.append(Row(f"{place}: JSON", "not JSON", same=False))
            return None
        if schema := self._schema(endpoint, answer.status):
            differences = Counter(_differences(schema, body)) or {("documented members and types", "no others"): 0}
            for (what, instead), count in differences.items():
                times = f" ({count:,} times)" if count > 1 else ""
                self.rows.append(Row(f"{place}: {what}", f"{instead}{times}", not count))
        return body if answer.succeeded else None

    def _schema(self, endpoint: Endpoint, status: int) -> Any:
        """Return the documented schema of a body, with all members that it may have; None without one."""
        operation = self._document["paths"][f"/{endpoint.path}"][endpoint.method.lower()]
        response = operation["responses"].get(str(status), {})
        if "$ref" not in response:
            return _closed(response.get("content", {}).get("application/json", {}).get("schema"))
        kinds = ("Error", "FileError") if "/File" in response["$ref"] else ("Error",)
        parts = [self._document["components"]["schemas"][kind] for kind in kinds]
        members = {name: schema for part in parts for name, schema in part["properties"].items()}
        return _closed({"required": [name for part in parts for name in part["required"]], "properties": members})


def _is_asked(endpoint: Endpoint) -> bool:
    """Return whether an endpoint reads something of a file or of the token's user, and needs nothing else.

    Those of tier 1 are omitted: some seats have six requests a month.
    """
    needs = {parameter.name for parameter in endpoint.parameters if parameter.required}
    is_of_file = "{file_key}" in endpoint.path or endpoint.group == "users"
    return endpoint.method == "GET" and is_of_file and needs <= {"file_key"} and endpoint.tier != 1


def _limits(headers: Mapping[str, str]) -> Row:
    present = {name: headers[name] for name in _LIMITS if headers.get(name)}
    values = {name: value if re.fullmatch(_LIMITS[name], value) else _OTHER for name, value in present.items()}
    shown = ", ".join(f"{name}: {value}" for name, value in values.items()) or "none of them"
    return Row(f"429 has {', '.join(_LIMITS)}", shown, len(values) == len(_LIMITS) and _OTHER not in values.values())


def _closed(schema: Any) -> Any:
    """Return a schema whose objects have only the documented members."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items()}
    return {**closed, "additionalProperties": False} if "properties" in schema else closed


def _differences(schema: Any, body: Any) -> Iterator[tuple[str, str]]:
    """Yield a claim of the schema and what the body has instead, for each error.

    Places are those of the schema and not of the body: the names in its maps are ids of the user's objects.
    """
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(schema).iter_errors(body):
        steps = [str(step) for step in error.absolute_schema_path][:-1]
        parts = (
            step if before == "properties" else "*"
            for before, step in zip(("", *steps), steps, strict=False)
            if before == "properties" or step in ("items", "additionalProperties")
        )
        place = "/".join(parts) or "the body"
        match error.validator:
            case "required":
                yield f"{place}: {error.message}", "absent"  # the message names a member of the schema
            case "additionalProperties":
                for name in error.instance.keys() - error.schema["properties"].keys():
                    shown = name if _WORD.fullmatch(name) else "a name that is not a word"
                    yield f"{place} has no other members", f"{shown}: {_kind(error.instance[name])}"
            case "enum":
                is_word = isinstance(error.instance, str) and _WORD.fullmatch(error.instance)
                yield f"{place} is a known word", error.instance if is_word else _kind(error.instance)
            case "anyOf":
                names = sorted(filter(_WORD.fullmatch, error.instance)) if isinstance(error.instance, dict) else ()
                said = f"{_kind(error.instance)} with {', '.join(names[:10])}" if names else _kind(error.instance)
                yield f"{place} has one of {len(error.validator_value)} forms", said
            case keyword:
                yield f"{place}: {keyword} {msgspec.json.encode(error.validator_value).decode()}", _kind(error.instance)


_KINDS: Final = {dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "null")


def _about_variables(local: Any, published: Any) -> Iterator[Row]:
    """Yield the rows about what the client makes of the variables, and what it assumes beyond the document."""
    claim = "the client reads the variables"
    try:
        raw_published = None if published is None else msgspec.json.encode(published)
        snapshot = wire.snapshot("file", msgspec.json.encode(local), raw_published)
        graph, problems = normalize(snapshot)
        uses = [*_assumed(snapshot.local)]
    except ProblemsError as error:
        yield Row(claim, _counts(problem.code for problem in error.problems), same=False)
        return
    codes = _counts(problem.code for problem in problems) or "no problems"
    parts = ((snapshot.local.variables, "variable"), (snapshot.local.variable_collections, "collection"))
    held = ", ".join(counted(len(part), noun) for part, noun in (*parts, (graph.tokens, "token")))
    yield Row(claim, f"{held}; {codes}", same=True)
    by_claim: dict[str, list[str]] = {}
    for claim, flaw in uses:
        by_claim.setdefault(claim, []).append(flaw)
    for claim, flaws in by_claim.items():
        others = _counts(flaw if _WORD.fullmatch(flaw) else _OTHER for flaw in flaws if flaw)
        yield Row(claim, others or f"{len(flaws):,} of {len(flaws):,}", same=not others)


def _counts(words: Iterable[str]) -> str:
    return ", ".join(f"{word} ({count:,})" for word, count in sorted(Counter(words).items()))


def _assumed(local: wire.LocalMeta) -> Iterator[tuple[str, str]]:
    """Yield each use of an assumption, and what contradicts it there; empty if nothing does."""
    of_ids, of_modes = "an id has the documented form", "an extension's mode has the id of its collection and another"
    collections = local.variable_collections
    for collection in collections.values():
        yield of_ids, _flaw(collection.id, remote=collection.remote)
        for mode in collection.modes if collection.is_extension else ():
            yield of_modes, "" if mode.mode_id.startswith(f"{collection.id}/") else _OTHER
    for variable in local.variables.values():
        kind, home = variable.resolved_type, collections.get(variable.variable_collection_id)
        yield of_ids, _flaw(variable.id, remote=variable.remote)
        yield f"a type is one of {', '.join(sorted(wire.VALUE_TYPES))}", "" if kind in wire.VALUE_TYPES else kind
        for scope in variable.scopes:
            yield "a scope is one that the client knows", "" if scope in KNOWN_SCOPES else scope
        for platform in variable.code_syntax:
            yield "code syntax is for WEB, ANDROID and iOS", "" if platform in ("WEB", "ANDROID", "iOS") else platform
        values = wire.decode_values(variable.raw_values) if kind in wire.VALUE_TYPES else {}
        for mode_id, value in values.items():
            is_own = home is None or mode_id in (mode.mode_id for mode in home.modes)
            yield "a value is of a mode of the variable's collection", "" if is_own else _OTHER
            for number in (value.r, value.g, value.b) if isinstance(value, wire.WireObject) else (value,):
                if isinstance(number, float):
                    yield "a number is a float32", "" if normalized(number) == number else _OTHER


def _flaw(id_: str, *, remote: bool) -> str:
    number = r"[0-9a-f]{40}/\d+:\d+" if remote else r"\d+:\d+"
    return "" if re.fullmatch(rf"Variable(ID|CollectionId):{number}", id_) else _OTHER


_SENT: Final[dict[str, Any]] = {"number": 0.1, "alias": {"type": wire.ALIAS, "id": "number"}}
"""The values of the variables that a write test creates, by their names, which are their temporary ids, too."""


def _creation(name: str) -> Any:
    new = {"action": "CREATE", "variableCollectionId": "collection", "resolvedType": "FLOAT"}
    return {
        "variableCollections": [{"action": "CREATE", "id": "collection", "name": name, "initialModeId": "mode"}],
        "variables": [{**new, "id": id_, "name": id_} for id_ in _SENT],
        "variableModeValues": [{"variableId": id_, "modeId": "mode", "value": value} for id_, value in _SENT.items()],
    }


class _Made(NamedTuple):
    """The ids of the collections that a write test made, and their variables, also those that outlived them."""

    ids: tuple[str, ...]
    variables: tuple[Any, ...]


def _made(body: Any, name: str, known: tuple[str, ...] = ()) -> _Made | None:
    """Return what a body has of collections with this name or a ``known`` id; None if it is unreadable."""
    collections, variables = (within(body or {}, "meta", part) for part in ("variableCollections", "variables"))
    if not (isinstance(collections, dict) and isinstance(variables, dict)):
        return None
    ids = tuple(id_ for id_, collection in collections.items() if within(collection, "name") == name)
    homes = (*ids, *known)
    of_homes = (variable for variable in variables.values() if within(variable, "variableCollectionId") in homes)
    return _Made(ids, tuple(of_homes))


def _as_sent(variables: tuple[Any, ...]) -> Iterator[Row]:
    """Yield the rows about the variables of ``_creation`` as they come back."""
    by_name = {str(within(variable, "name")): variable for variable in variables}
    number, alias = (by_name.get(name, {}) for name in _SENT)
    defaults = {"description": "", "hiddenFromPublishing": False, "scopes": [ALL_SCOPES], "codeSyntax": {}}
    claims = {
        "a new number comes back as float32": _values(number) == [float32(_SENT["number"])],
        "a new alias comes back with the new id": _values(alias) == [{"type": wire.ALIAS, "id": within(number, "id")}],
        f"a new variable has the default {', '.join(defaults)}": all(
            within(number, member) == value for member, value in defaults.items()
        ),
    }
    for claim, is_same in claims.items():
        yield Row(claim, "yes" if is_same else "no", is_same) if variables else Row(claim, "nothing was created")


def _values(variable: Any) -> list[Any]:
    values = within(variable, "valuesByMode")
    return [*values.values()] if isinstance(values, dict) else []


def markdown_of(report: Report) -> Markdown:
    """Return a report as Markdown, with a table of its rows."""
    words = {True: "yes", False: "no", None: "not answered"}
    counts = Counter(words[same] for _, _, same in report.rows)
    numbers = [plain(f"{counts[word]:,}") for word in words.values()]
    head = (
        text("## What the service said about the claims of tokensync {}", code(__version__)),
        text(""),
        text("Asked: {}. The same: {}, different: {}, not answered: {}.", code(report.server), *numbers),
        text(""),
        *header("claim", "what the service said", "same?"),
    )
    rows = tuple(row(code(claim), code(answer), plain(words[same])) for claim, answer, same in report.rows)
    tail = (text(""), text("Headers of successes: {}.", code(", ".join(report.headers) or "none")))
    return document((Block(head, rows, tail=tail),))
