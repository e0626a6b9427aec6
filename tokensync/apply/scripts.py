"""Carry out a plan without a connection: as one script for Figma's plugin API, whose receipt is a claim until read.

A script is made from a journal that has begun and sends nothing. It refuses a file that is not as the plan found it,
and returns a receipt, which the journal records as the answer to its requests. The next reading of the file decides.
"""

from __future__ import annotations

import json
import re
import sys
from array import array
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tokensync.apply.applying import ExecutionPlan, execution_of, known_ids
from tokensync.apply.journal import Answered, Finished, Journal, Sending, sha256_of, write_receipt
from tokensync.apply.sending import Reading, outcome_of
from tokensync.extract.wire import whole_characters, with_objects
from tokensync.plan.batches import Batch, ids_of_answer
from tokensync.plan.operations import MODES, STYLES
from tokensync.system.errors import DECODE_ERRORS, ConflictError, TokensyncError, UsageError
from tokensync.system.outlet import readable
from tokensync.system.positions import decoded
from tokensync.system.resources import plugin_source
from tokensync.system.wording import listed_once

if TYPE_CHECKING:
    from tokensync.plan.state import Ref

MOST_CHARACTERS = 50_000
"""The longest ``code`` that Figma's ``use_figma`` accepts, by its input schema."""

_FACTS = (
    *("name", "description", "hiddenFromPublishing", "resolvedType", "variableCollectionId", "valuesByMode"),
    *("scopes", "codeSyntax", "modes", "parentVariableCollectionId", "variableOverrides"),
)
"""What a script compares of each object, in the order of ``FACTS`` in script.js."""

_HEAD = """// tokensync: carries out the plan {plan}
// Give all of it to use_figma. In a console of Figma, leave out the last line. Save what it returns or prints, and run
// tokensync apply --receipt FILE. It changes nothing if the file has changed since the plan was made.
const DECISION = ""; // "complete" or "take back", if the script says that a request is half done
const receipt = await (async () => {{
{code}
return receiptOf(JSON.parse('{data}'), DECISION);
}})();
console.log(JSON.stringify(receipt));
return receipt;
"""


def script_of(journal: Journal, execution: ExecutionPlan) -> str:
    """Return the script that carries out the plan of a journal, in ASCII. Raises UsageError for changes of styles."""
    plan = execution.plan
    if any(isinstance(operation, STYLES) for operation in plan.operations):
        raise UsageError(f"{plan.file}: the plan changes styles, and a script does not; run tokensync apply instead")
    parts = [
        b'"plan":"%s"' % journal.started.plan.encode(),
        b'"key":%s' % msgspec.json.encode(plan.key),
        b'"expected":%s' % msgspec.json.encode(expected_of(execution.before.raw)),
        b'"bodies":[%s]' % b",".join(map(_body, execution.batches)),
    ]
    text = json.dumps(json.loads(b"{%s}" % b",".join(parts)), separators=(",", ":"))
    # Texts of the design file are data: a JSON text in a string of ASCII that neither JavaScript nor HTML can leave.
    for character in ("\\", "'", "<", "&"):
        text = text.replace(character, "\\\\" if character == "\\" else f"\\x{ord(character):02x}")
    code = _compact(plugin_source("engine.js", "script.js"))
    return _HEAD.format(plan=journal.started.plan, code=code, data=text)


def _body(batch: Batch) -> bytes:
    """Return a request, with the modes of extensions that come into being with its new modes: later ones use them."""
    body, modes = batch.body({}), [element for element in batch.elements if element.array == MODES]
    following = {element.ref: [pair[:2] for pair in element.following] for element in modes if element.following}
    return b"%s%s}" % (body[:-1], b',"following":%s' % msgspec.json.encode(following) if following else b"")


def _compact(code: str) -> str:
    """Return code without comments and most white space, for ``MOST_CHARACTERS``.

    It reads the plugin's own sources only: their literals hold no comment, no line ends and no backquote in a string.
    """
    code = re.sub(r"(?s:/\*\*.*?\*/) ?|^ *//.*\n|^\s+", "", code, flags=re.MULTILINE)
    lines = []
    for line in filter(None, code.splitlines()):
        parts = re.split(r'("(?:[^"\\]|\\.)*")', line)
        if not {"`", "/"} & {*line}:  # templates and regular expressions stay as they are
            parts[::2] = [re.sub(r" *([-=+*<>!&|?:,;(){}\[\]]) *", r"\1", part) for part in parts[::2]]
        lines.append("".join(parts) + "\n" * (not line.endswith((";", ",", "{", "("))))
    return "".join(lines)


class Expected(Struct, frozen=True):
    """What the file is like, as script.js computes it: ``marks`` are four digits of the digest of each object."""

    count: int
    digest: str
    marks: str


def expected_of(raw: bytes) -> Expected:
    """Return what a response says of the file's own variables and collections."""
    response = msgspec.json.decode(with_objects(whole_characters(raw, "")[0]))
    meta = response.get("meta", response)
    every = {**meta["variableCollections"], **meta["variables"]}
    local = {
        id_: document
        for id_, document in every.items()
        if not (document.get("remote") or document.get("deletedButReferenced"))
    }
    digests = [_digest(_facts_of(local[id_])) for id_ in sorted(local)]
    return Expected(len(digests), _digest(",".join(digests)), "".join(digest[-4:] for digest in digests))


def _facts_of(document: dict[str, Any]) -> str:
    if "valuesByMode" in document:
        document = {"description": "", "hiddenFromPublishing": False, "codeSyntax": {}, "scopes": [], **document}
        document["scopes"] = sorted(document["scopes"])
        document["valuesByMode"] = _wired(document["valuesByMode"])
    elif document.get("isExtension"):
        overrides = document.get("variableOverrides") or {}
        document = {**document, "variableOverrides": {id_: _wired(values) for id_, values in overrides.items()}}
    return json.dumps([document["id"], *(_canonical(document.get(name)) for name in _FACTS)], separators=(",", ":"))


def _wired(values: dict[str, Any]) -> dict[str, Any]:
    return {mode: _wire(value) for mode, value in values.items()}


def _wire(value: Any) -> Any:
    """Return a value as the function ``wire`` of the plugin does."""
    match value:
        case {"expressionFunction": "COMPOSE_COLOR", "expressionArguments": [color, opacity]}:
            return {"color": _wire(color), "opacity": _wire(opacity)}
        case {"color": color, "opacity": opacity}:
            return {"color": _wire(color), "opacity": _wire(opacity)}
        case {"type": "VARIABLE_ALIAS", "id": id_}:
            return {"type": "VARIABLE_ALIAS", "id": id_}
        case {"r": red, "g": green, "b": blue}:
            return {"r": red, "g": green, "b": blue, "a": value.get("a", 1)}
    return value


def _canonical(value: Any) -> Any:
    """Return a value as the function ``canonical`` of script.js does; numbers as the bits of a float32."""
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, dict):
        return [[name, _canonical(value[name])] for name in sorted(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int.from_bytes(array("f", [value + 0.0]).tobytes(), sys.byteorder)
    return value


def _digest(text: str) -> str:
    """Return the digest of a text in ASCII, as the function ``digest`` of engine.js does."""
    first, second = 0x811C9DC5, 0x01000193
    for code in text.encode("ascii"):
        first = (first ^ code) * 0x01000193 & 0xFFFFFFFF
        second = (second ^ code) * 0x85EBCA6B & 0xFFFFFFFF
    return f"{first:x}{second:x}"


class ScriptReceipt(Struct, frozen=True):
    """What a script returns. ``plan`` is the SHA-256 of its plan; ``made`` maps temporary ids to real ones.

    ``made`` is None if they are too many to be returned; reading the file finds them.
    """

    plan: str
    state: Literal["done", "refused", "outdated", "half done"]
    message: str = ""
    made: dict[str, str] | None = None


def read_receipt(content: bytes, path: str) -> ScriptReceipt:
    """Return the receipt of a script that has carried out its plan.

    Raises UsageError for other files, ConflictError for a script that found another file or a half-done request, and
    TokensyncError for one that the editor has refused.
    """
    try:
        receipt = decoded(content, ScriptReceipt)
    except DECODE_ERRORS as error:
        to_do = "save what the script of tokensync plan --script has returned, as it is"
        raise UsageError(f"{path}: this is no receipt of a script ({str(error)[:200]}); {to_do}") from None
    message = readable(receipt.message, 1000)
    again = "capture the file anew, run tokensync pull, and make a new script with tokensync plan --script"
    match receipt.state:
        case "outdated":
            raise ConflictError(f"{path}: the script has changed nothing, since {message}; {again}")
        case "half done":
            raise ConflictError(f"{path}: {message}")
        case "refused":
            raise TokensyncError(f"{path}: the script has changed nothing: {message}")
    return receipt


def record_claim(journal: Journal, receipt: ScriptReceipt, path: str, now: float) -> None:
    """Record a receipt as the answer to the requests of its plan. Raises ConflictError for ids of other objects."""
    execution = execution_of(journal)
    foreign = (receipt.made or {}).keys() - {ref for batch in execution.batches for ref in batch.makes}
    if foreign:
        raise ConflictError(f"{path}: its plan makes no {listed_once(sorted(foreign))}; save the receipt as it is")
    ids: dict[Ref, str] = {}
    for index, batch in enumerate(execution.batches):
        body, made = batch.body(ids), ids_of_answer(batch, receipt.made or {}, ids)
        ids |= made
        if index >= journal.carried_out:
            journal.record(Sending(at=now, batch=index, digest=sha256_of(body), bytes=len(body)))
            journal.record(Answered(at=now, batch=index, ids=made))


class Claim(NamedTuple):
    """A claim, and why a reading of the file does not show the plan's result: ``missing`` is empty if it does."""

    journal: Journal
    reading: Reading
    missing: str

    def settle(self, now: float) -> None:
        """Close the journal of a claim that the reading shows, and write its receipt, from which to roll back."""
        before = execution_of(self.journal).plan.fingerprint
        write_receipt(self.journal, "finished", before, self.reading.fingerprint)
        self.journal.record(Finished(at=now))


def claim_of(journal: Journal, raw: bytes) -> Claim:
    """Compare a journal's claim with a response."""
    execution, reading = execution_of(journal), Reading(journal.started.file, raw)
    every = replace(execution.batches[-1], makes=tuple(ref for batch in execution.batches for ref in batch.makes))
    states, ids = execution.states, known_ids(journal)
    outcome = outcome_of(reading.state, states[0], states[-1], every, ids)
    if outcome.how == "carried out":
        return Claim(journal, reading, "")
    return Claim(journal, reading, outcome.why or "none of its changes found")
