"""What users of Figma's API met, each against the emulator over HTTP: seats, branches, refusals, sizes and pauses."""

import json
import re
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from commands.projects import COLORS, response, tokensync

from tokensync.emulator import Emulator
from tokensync.emulator.faults import Faults, script_of
from tokensync.emulator.server import Server

SCOPES = ("file_variables:read", "file_variables:write")
LOCAL = "/v1/files/*/variables/local"
LARGEST = 4_000_000
MAIN_URL = "https://www.figma.com/design/MAIN/Harbor"


class Service:
    """An emulator with the file MAIN, the faults of its answers, and the requests that reached it."""

    def __init__(self, emulator, monkeypatch):
        self.emulator = emulator
        self.requests = []
        self._log_in = monkeypatch.setenv
        self._application = emulator
        emulator.seed("MAIN", response(COLORS))
        self.has_token()

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        self.requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"], body))
        environ["wsgi.input"] = BytesIO(body)
        return self._application(environ, start_response)

    def answers(self, **rule):
        self._application = Faults(self.emulator, script_of([rule], "a test"))

    def answered_by(self, middleware):
        self._application = middleware(self.emulator)

    def has_token(self, more=(), **token):
        self._log_in("FIGMA_TOKEN", self.emulator.tokens.create(scopes=SCOPES + more, permission="owner", **token))

    def posted(self):
        """Return the bodies of the changes of variables."""
        return [body for method, path, body in self.requests if method == "POST" and path.endswith("/variables")]


@pytest.fixture
def service(folder, monkeypatch):
    with closing(Emulator()) as emulator:
        served = Service(emulator, monkeypatch)
        with Server(served) as server:
            monkeypatch.setenv("TOKENSYNC_BASE_URL", server.base_url)
            configured("MAIN")
            yield served


def configured(key):
    Path("tokensync.toml").write_text(
        f'[client]\nsettling_time = 0\n[[files]]\nname = "one"\nkey = "{key}"\n', encoding="utf-8"
    )


def edited():
    """Change a colour of the token files."""
    path = Path("tokens/one/theme/light.tokens.json")
    path.write_text(path.read_text(encoding="utf-8").replace("#112233", "#992233"), encoding="utf-8")


def added(name, *tokens):
    """Add tokens to a new collection with one mode."""
    path = Path(f"tokens/one/{name}/value.tokens.json")
    path.parent.mkdir()
    path.write_text(json.dumps({name: dict(tokens)}), encoding="utf-8")


@pytest.mark.parametrize("seat", ["dev", "collab", "view"])
def test_a_member_without_a_full_seat_reads_and_cannot_write(service, seat):
    service.has_token(account=seat)
    tokensync("-q", "pull")
    edited()
    tokensync("-q", "plan")
    done = tokensync("-q", "apply", code=1)
    assert '403 "Incorrect account type"' in done.stderr
    assert "a full seat in the organization that owns it" in done.stderr


def test_a_guest_needs_to_be_a_member_and_no_seat(service):
    service.has_token(account="guest")
    done = tokensync("-q", "pull", code=1)
    assert "membership in the organization that owns it, with any seat, but not as a guest" in done.stderr
    assert "full seat" not in done.stderr


@pytest.mark.parametrize(
    "url", [f"{MAIN_URL}?branch-id=BRANCH&t=x", "https://www.figma.com/design/MAIN?branch-id=BRANCH"]
)
def test_a_branch_by_its_id_in_the_query_is_written_and_not_its_main_file(service, url):
    service.emulator.files.branch("MAIN", "BRANCH")
    configured(url)
    tokensync("-q", "pull")
    edited()
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    paths = {path for method, path, _ in service.requests if method == "POST"}
    assert paths == {"/v1/files/BRANCH/variables"}


@pytest.mark.parametrize("query", ["branch-id=", "branch-id=..%2FMAIN", "branch-id=a b"])
def test_a_branch_without_a_usable_id_is_refused_and_not_its_main_file(service, query):
    configured(f"{MAIN_URL}?{query}")
    assert "a file key consists of" in tokensync("-q", "pull", code=2).stderr
    assert service.requests == []


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (403, "File not exportable", "ask its owner to allow it in the file's sharing settings"),
        (400, "Request too large. If applicable, filter by query params.", "split the file"),
        (403, "Access denied", "check that the token is valid"),
    ],
)
def test_a_refusal_is_advised_on_by_its_cause(service, status, message, advice):
    service.answers(path=LOCAL, status=status, message=message)
    stderr = tokensync("-q", "pull", code=1).stderr
    assert message in stderr
    assert advice in stderr
    assert "with depth" not in stderr
    assert "which requires" not in stderr


def test_a_webhook_on_a_plan_without_them_needs_another_plan(service, monkeypatch):
    service.emulator.files.set_plan("MAIN", "starter")
    service.has_token(more=("webhooks:write",))
    monkeypatch.setenv("PASSCODE", "open sesame")
    arguments = ("--endpoint", "https://receiver.example/", "--passcode-env", "PASSCODE")
    stderr = tokensync("webhooks", "create", *arguments, code=1).stderr
    assert '400 "Access Denied"' in stderr
    assert "which requires a Professional, Organization or Enterprise plan" in stderr
    assert "use a team of such a plan, and the token of its admin" in stderr


def test_an_answer_of_500_and_a_pause_with_decimals_are_waited_out(service):
    for rule in ({"status": 500}, {"status": 429, "headers": {"Retry-After": "0.05"}}):
        service.requests.clear()
        service.answers(path=LOCAL, nth=1, **rule)
        tokensync("-q", "pull")
        assert [path for _, path, _ in service.requests].count("/v1/files/MAIN/variables/local") >= 2


def without_scopes_of_booleans(application):
    """Return the application, whose answers have no scopes for BOOLEAN variables, as the documentation has none."""

    def answer(environ, start_response):
        body = b"".join(application(environ, lambda status, _: start_response(status, [])))
        return [re.sub(rb'("resolvedType":"BOOLEAN".*?"scopes":)\["ALL_SCOPES"\]', rb"\1[]", body)]

    return answer


@pytest.mark.parametrize("has_scopes", [True, False])
def test_a_new_boolean_is_sent_without_scopes_and_read_with_any(service, has_scopes):
    if not has_scopes:
        service.answered_by(without_scopes_of_booleans)
    tokensync("-q", "pull")
    number = {"$type": "number", "$value": 1}
    added("flags", ("beta", {**number, "$extensions": {"com.figma.type": "boolean"}}), ("gap", number))
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    (body,) = service.posted()
    scopes = {new["resolvedType"]: new.get("scopes") for new in json.loads(body)["variables"]}
    assert scopes["BOOLEAN"] is None
    assert scopes["FLOAT"]
    tokensync("-q", "plan", "--exit-code")
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--exit-code")


def test_no_request_has_more_than_four_million_bytes(service):
    tokensync("-q", "pull")
    added("texts", *((name, {"$type": "string", "$value": name * 2_050_000}) for name in "ab"))
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    sizes = [len(body) for body in service.posted()]
    assert LARGEST < sum(sizes) < 4 << 20
    assert max(sizes) <= LARGEST
