"""``tokensync doctor --probe``: what the service says of each claim, with the quirks that a test switches on."""

import json
import os
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from commands.projects import tokensync
from emulator.platform import GAP, KEY, LABEL, Platform, response
from werkzeug.wrappers import Response

from tokensync.emulator.faults import Faults, read
from tokensync.emulator.server import Server
from tokensync.system import outlet

CANARY = "canary"
LOCAL, META, ME = f"/v1/files/{KEY}/variables/local", f"/v1/files/{KEY}/meta", "/v1/me"
EMPTY = "EmptyFileOfMine"


class Quirk:
    """A service that answers as the emulator does, but for what ``edit`` changes in the JSON of a path."""

    def __init__(self, application, path, edit, headers=()):
        self._application, self._path, self._edit, self._headers = application, path, edit, headers

    def __call__(self, environ, start_response):
        answer = Response.from_app(self._application, environ)
        if re.fullmatch(self._path, environ["PATH_INFO"]):
            body = json.loads(answer.get_data())
            edited = self._edit(body)
            answer.set_data(edited if isinstance(edited, bytes) else json.dumps(edited or body))
            answer.headers.extend(self._headers)
        return answer(environ, start_response)


@pytest.fixture
def service(monkeypatch):
    """Return a platform, and serve it, or what a test makes of it, for the probes of ``probed``."""
    platform = Platform()
    platform.emulator.seed(KEY, without_unknown_members())
    platform.emulator.files.create(EMPTY)
    monkeypatch.setenv("FIGMA_TOKEN", platform.emulator.default_token)
    with ExitStack() as servers:

        def serve(make=lambda application: application):
            server = servers.enter_context(Server(make(platform.emulator)))
            platform.base_url = server.base_url

        platform.serve = serve
        serve()
        yield platform
    platform.emulator.close()


def without_unknown_members():
    unknown = {"ofTomorrow", "i18n"}
    text = json.dumps(response())
    named = json.loads(text, object_hook=lambda members: {name: members[name] for name in members.keys() - unknown})
    return json.dumps(named).encode()


def without_objects(body):
    """Answer as a cache may: without what was created since."""
    body["meta"] = {"variables": {}, "variableCollections": {}}


def faults(script):
    return lambda application: Faults(application, read(json.dumps({"rules": script}), "script"))


def probed(service, *arguments, key=KEY, code=0):
    """Return the rows of a report: the answers and whether they are the same, by claim."""
    done = tokensync("doctor", "--probe", key, "--json", "--base-url", service.base_url, *arguments, code=code)
    return {row["claim"]: (row["answer"], row["same"]) for row in json.loads(done.output)["rows"]}


def different(rows):
    """Return the answers that are not the same, by claim."""
    return {claim: answer for claim, (answer, same) in rows.items() if not same}


def members(**more):
    """Add members to a body."""
    return lambda body: {**body, **more}


def variable(id_, **more):
    """Change the members of a variable."""

    def edit(body):
        body["meta"]["variables"][id_] |= more

    return edit


def without(id_, member):
    def edit(body):
        del body["meta"]["variables"][id_][member]

    return edit


@pytest.mark.parametrize("key", [KEY, f"https://www.figma.com/design/{KEY}/Harbor?m=dev"])
def test_the_emulator_keeps_its_claims_about_a_file_with_a_library_comments_and_versions(service, key):
    service.emulator.libraries.sample(KEY, components=2)
    service.emulator.publish(KEY)
    service.emulator.files.branch(KEY, "a-branch")
    service.emulator.comments.add(KEY, "a comment")
    service.emulator.versions.save(KEY, label="a version")
    rows = probed(service, key=key)
    assert different(rows) == {}
    assert len(rows) >= 38


QUIRKS = {
    "another member of the envelope": (
        LOCAL,
        members(i18n=None),
        "variables local, 200: the body has no other members",
        "i18n: null",
    ),
    "a member that is not there": (
        LOCAL,
        without(GAP, "scopes"),
        "variables local, 200: meta/variables/*: 'scopes' is a required property",
        "absent",
    ),
    "another type of a member": (
        LOCAL,
        variable(GAP, description=None),
        'variables local, 200: meta/variables/*/description: type "string"',
        "null",
    ),
    "another form of a value": (
        LOCAL,
        variable(GAP, resolvedType="EASING", valuesByMode={"1:0": {"easingType": 7, "bezierValues": {}}}),
        "variables local, 200: meta/variables/*/valuesByMode/* has one of 6 forms",
        "object with bezierValues, easingType",
    ),
    "a value of another type": (
        LOCAL,
        variable(GAP, valuesByMode={"1:0": [1]}),
        "the client reads the variables",
        "response-shape (1)",
    ),
    "another type of variables": (
        LOCAL,
        variable(GAP, resolvedType="EASING", valuesByMode={}),
        "a type is one of BOOLEAN, COLOR, FLOAT, STRING",
        "EASING (1)",
    ),
    "another scope": (
        LOCAL,
        variable(GAP, scopes=["TRANSFORM"]),
        "a scope is one that the client knows",
        "TRANSFORM (1)",
    ),
    "another platform": (
        LOCAL,
        variable(GAP, codeSyntax={"KOTLIN": "x"}),
        "code syntax is for WEB, ANDROID and iOS",
        "KOTLIN (1)",
    ),
    "a number of 64 bits": (
        LOCAL,
        variable(GAP, valuesByMode={"1:0": 0.1}),
        "a number is a float32",
        "another form (1)",
    ),
    "an override among the values": (
        LOCAL,
        variable(LABEL, valuesByMode={"9:9": "x"}),
        "a value is of a mode of the variable's collection",
        "another form (1)",
    ),
    "another form of ids": (
        LOCAL,
        lambda body: body["meta"]["variables"].__setitem__("x", {**body["meta"]["variables"][GAP], "id": "x"}),
        "an id has the documented form",
        "another form (1)",
    ),
    "another word": (
        META,
        lambda body: body["file"].update(editorType="motion"),
        "files meta, 200: file/editorType is a known word",
        "motion",
    ),
    "a page": (META, lambda _: b"<html>", "files meta, 200: JSON", "not JSON"),
    "another family of errors": (
        "/v1/files/NoSuchFileAnywhere/meta",
        lambda _: {"status": 404, "err": "Not found"},
        "files meta, no such file, 404: the body: 'message' is a required property",
        "absent",
    ),
}


@pytest.mark.parametrize(("path", "edit", "claim", "answer"), QUIRKS.values(), ids=QUIRKS)
def test_a_quirk_of_the_service_is_a_row(service, path, edit, claim, answer):
    assert claim not in different(probed(service))
    service.serve(lambda application: Quirk(application, path, edit))
    assert probed(service)[claim] == (answer, False)


@pytest.mark.parametrize(
    "body", [b"null", b"[]", b"{}", b'{"meta": {"variables": {"a": 1}, "variableCollections": {}}}']
)
def test_a_response_of_any_shape_is_a_row(service, body):
    service.serve(lambda application: Quirk(application, r"/v1/files/\w+/variables/\w+", lambda _: body))
    rows = probed(service)
    assert [answer for claim, answer in different(rows).items() if claim.startswith("variables local, 200: ")] != []
    assert rows.get("the client reads the variables", ("", False))[1] is False


def test_a_limit_in_the_headers_of_a_success_is_a_row(service):
    service.serve(lambda application: Quirk(application, ME, lambda body: body, [("X-RateLimit-Remaining", "7")]))
    assert probed(service)["successes have no headers about rate limits"] == ("X-Ratelimit-Remaining", False)


class TestRefusals:
    def test_a_403_says_what_the_client_takes_it_for(self, service):
        service.emulator.files.set_plan(KEY, "professional")
        rows = probed(service)
        said = "403 Forbidden: the plan does not include this part of the API, which requires an Enterprise plan"
        assert rows["variables local: 200"] == (said, None)
        assert rows["variables local, 403: documented members and types"] == ("no others", True)
        assert "the client reads the variables" not in rows

    def test_a_404_is_a_row(self, service):
        rows = probed(service, key="NoFileOfThisKey")
        assert rows["files meta: 200"] == ("404 Not Found: no such file, or the token's user may not see it", None)

    @pytest.mark.parametrize(
        ("headers", "answer"),
        [
            (
                {"Retry-After": "396749", "X-Figma-Plan-Tier": "org", "X-Figma-Rate-Limit-Type": "low"},
                ("Retry-After: 396749, X-Figma-Plan-Tier: org, X-Figma-Rate-Limit-Type: low", True),
            ),
            ({"Retry-After": "soon"}, ("Retry-After: another form", False)),
            ({}, ("none of them", False)),
        ],
    )
    def test_a_429_has_its_headers_in_the_report_and_its_tier_is_left_alone(self, service, headers, answer):
        service.serve(faults([{"path": LOCAL, "status": 429, "headers": headers}]))
        rows = probed(service)
        assert rows["variables local: 200"] == ("429 Too Many Requests", None)
        assert rows["429 has Retry-After, X-Figma-Plan-Tier, X-Figma-Rate-Limit-Type"] == answer
        assert rows["variables published: 200"] == ("not asked: tier 2 has reached its limit", None)
        assert rows["files meta: 200"] == ("200 OK", True)

    def test_a_refused_token_is_no_failure(self, service, monkeypatch):
        monkeypatch.setenv("FIGMA_TOKEN", "figd_none")
        rows = probed(service)
        said = "403 Forbidden: the access token is invalid, expired or revoked"
        for claim in ("users me: 200", "variables local, no such file: 404", "versions list, page_size=0: 400"):
            assert rows[claim] == (said, None)
        assert different(rows).keys() == {claim for claim, (answer, _) in rows.items() if answer == said}
        done = tokensync("doctor", "--probe", KEY, "--base-url", service.base_url)
        assert "no request was answered as asked" in done.stderr

    def test_a_lost_response_is_a_row_unless_it_is_the_first(self, service):
        service.serve(faults([{"path": LOCAL, "drop": "before"}]))
        assert probed(service)["variables local: 200"] == ("no usable response", None)
        service.serve(faults([{"drop": "before"}]))
        done = tokensync("doctor", "--probe", KEY, "--base-url", service.base_url, code=1)
        assert (done.output, "the connection was dropped" in done.stderr) == ("", True)


def test_without_a_token_it_says_where_to_get_one(monkeypatch):
    monkeypatch.setenv("TOKENSYNC_CREDENTIALS", os.path.abspath("no-logins"))
    said = tokensync("doctor", "--probe", KEY, code=2).stderr
    assert "create a personal access token in Figma (Settings, Security) and put it in FIGMA_ACCESS_TOKEN" in said


@pytest.mark.parametrize("arguments", [("--write",), ("--base-url", "figma")])
def test_options_of_a_probe_need_one(arguments):
    assert "add --probe FILE" in tokensync("doctor", *arguments, code=2).stderr


class TestRedaction:
    """Every text of the file, of its users and of the service contains the canary."""

    @pytest.fixture
    def quirky(self, service):
        body = json.dumps(response())
        for name in ("blue/500", "gap", "muted", "Hello", "Primitives", "Theme", "Light", "Dark", "Library", "logo"):
            body = body.replace(f'"{name}"', f'"{CANARY} {name}"')
        service.emulator.seed(KEY, body.encode(), name=CANARY)
        service.emulator.libraries.add_style(KEY, CANARY, "FILL", description=CANARY)
        service.emulator.publish(KEY)
        service.emulator.comments.add(KEY, CANARY)
        service.emulator.versions.save(KEY, label=CANARY)

        def edit(body):
            if "meta" not in body:
                return
            body["meta"]["variables"][GAP] |= {
                "scopes": [f"{CANARY} 1"],
                "codeSyntax": {f"{CANARY} 2": CANARY},
                "resolvedType": f"{CANARY} 3",
                "ofTheUser": {f"{CANARY}/4": CANARY, CANARY + "5": CANARY},
                f"{CANARY}/6": 1,
                "description": [CANARY],
                "valuesByMode": {"1:0": {f"{CANARY}/7": CANARY}},
            }
            body["meta"]["variables"][f"VariableID:{CANARY}"] = CANARY

        header = [("X-Own", CANARY), ("Set-Cookie", CANARY)]
        message = f"Invalid scope(s): {CANARY}. This endpoint requires the {CANARY}:read scope of {KEY}"
        refused = {"path": "/v1/files/*/styles", "status": 403, "message": message, "headers": {"X-Other": CANARY}}
        limited = {"path": "/v1/files/*/meta", "status": 429, "headers": {"Retry-After": CANARY}}
        service.serve(lambda application: faults([refused, limited])(Quirk(application, LOCAL, edit, header)))
        return service

    @pytest.mark.parametrize("form", [(), ("--json",)])
    def test_no_name_key_token_or_text_is_in_a_report(self, quirky, form):
        done = tokensync("doctor", "--probe", KEY, "--base-url", quirky.base_url, *form)
        for text in (CANARY, KEY, quirky.emulator.default_token, quirky.base_url.partition("//")[2], "owner"):
            assert text not in (done.output + done.stderr).lower().replace(KEY.lower(), KEY), text
        assert "ofTheUser: object" in done.output
        assert "a name that is not a word: number" in done.output

    def test_a_file_gets_it_whole(self, quirky):
        tokensync("doctor", "--probe", KEY, "--base-url", quirky.base_url, "-o", "report.md")
        report = Path("report.md").read_text(encoding="utf-8")
        assert report.startswith("## What the service said")
        assert CANARY not in report.lower()


class TestWrite:
    def test_it_leaves_an_empty_file_as_it_was(self, service):
        before = service.get(key=EMPTY).data
        rows = probed(service, "--write", key=EMPTY)
        assert different(rows) == {}
        assert rows["a new alias comes back with the new id"] == ("yes", True)
        assert rows["nothing is left"] == ("nothing", True)
        assert service.get(key=EMPTY).data == before

    @pytest.mark.parametrize("answer", [None, False])
    def test_a_file_with_variables_is_not_written_to_without_consent(self, service, monkeypatch, answer):
        if answer is not None:
            monkeypatch.setattr(outlet, "can_ask", lambda: True)
            monkeypatch.setattr(outlet, "confirm", lambda *_, **__: answer)
        service.serve(faults([{"method": "POST", "status": 500}]))
        done = tokensync("doctor", "--probe", KEY, "--write", "--base-url", service.base_url, code=2)
        assert "the file has 9 variables of its own; use an empty design file" in done.stderr

    def test_with_consent_the_others_stay_as_they_are(self, service, monkeypatch):
        monkeypatch.setattr(outlet, "can_ask", lambda: True)
        monkeypatch.setattr(outlet, "confirm", lambda question, default: "9 variables of its own" in question)
        before = service.get().data
        assert probed(service, "--write")["nothing is left"] == ("nothing", True)
        assert service.get().data == before

    def test_an_unreadable_file_is_not_written_to(self, service):
        service.emulator.files.set_plan(EMPTY, "professional")
        rows = probed(service, "--write", key=EMPTY)
        assert rows["a collection can be created and deleted"] == ("not tried: the variables cannot be read", None)

    def test_what_cannot_be_deleted_is_named(self, service):
        service.serve(faults([{"method": "POST", "nth": 3, "status": 403}]))
        done = tokensync("doctor", "--probe", EMPTY, "--write", "--base-url", service.base_url, code=1)
        (collection,) = service.state(key=EMPTY).collections.values()
        left = "the file still has 1 collection, 2 variables; delete them in Figma"
        assert f"of the collection '{collection['name']}', {left}" in done.stderr
        assert "`nothing is left` | `1 collection, 2 variables` | no" in done.output

    def test_variables_that_outlive_their_collection_are_left(self, service):
        seen = {}

        def edit(body):
            seen.update(body["meta"]["variables"])
            body["meta"]["variables"] |= seen

        service.serve(lambda application: Quirk(application, LOCAL.replace(KEY, EMPTY), edit))
        done = tokensync("doctor", "--probe", EMPTY, "--write", "--base-url", service.base_url, code=1)
        assert "the file still has 2 variables; delete them in Figma" in done.stderr

    def test_a_creation_whose_response_is_lost_is_found_and_deleted(self, service):
        before = service.get(key=EMPTY).data
        service.serve(faults([{"method": "POST", "nth": 2, "drop": "after"}]))
        assert probed(service, "--write", key=EMPTY)["nothing is left"] == ("nothing", True)
        assert service.get(key=EMPTY).data == before

    @pytest.mark.parametrize("fault", [{"drop": "before"}, {"status": 503}])
    def test_a_creation_whose_outcome_is_unknown_says_so(self, service, fault):
        service.serve(faults([{"method": "POST", "nth": 2, **fault}]))
        done = tokensync("doctor", "--probe", EMPTY, "--write", "--base-url", service.base_url, code=1)
        assert re.search("unknown whether the collection 'tokensync probe [0-9a-f]{8}' is in the file", done.stderr)

    def test_a_creation_that_no_later_response_shows_is_not_called_gone(self, service):
        service.serve(lambda application: Quirk(application, LOCAL.replace(KEY, EMPTY), without_objects))
        done = tokensync("doctor", "--probe", EMPTY, "--write", "--base-url", service.base_url, code=1)
        assert len(service.state(key=EMPTY).collections) == 1
        assert re.search("unknown whether the collection 'tokensync probe [0-9a-f]{8}' is in the file", done.stderr)

    @pytest.mark.parametrize("is_deleted", [True, False])
    def test_after_ctrl_c_it_deletes_and_says_what_is_left(self, service, monkeypatch, is_deleted):
        def interrupted(variables):
            raise KeyboardInterrupt

        monkeypatch.setattr("tokensync.commands.probe._as_sent", interrupted)
        if not is_deleted:
            service.serve(faults([{"method": "POST", "nth": 3, "status": 403}]))
        code = 130 if is_deleted else 1
        done = tokensync("doctor", "--probe", EMPTY, "--write", "--base-url", service.base_url, code=code)
        assert ("the file still has" in done.stderr) == (not is_deleted)
        assert len(service.state(key=EMPTY).collections) == (not is_deleted)

    def test_a_token_that_may_not_write_is_a_row(self, service, monkeypatch):
        token = service.emulator.tokens.create(scopes=("file_variables:read",), permission="viewer")
        monkeypatch.setenv("FIGMA_TOKEN", token)
        rows = probed(service, "--write", key=EMPTY)
        said = "403 Forbidden: the token lacks the scope file_variables:write"
        assert rows["variables post, a collection, a variable and an alias: 200"] == (said, None)
        assert rows["nothing is left"] == ("nothing", True)
