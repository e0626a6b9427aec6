"""Access: tokens, scopes, accounts, plans and permissions, with the exact messages of the service."""

import pytest
from emulator.platform import GAP, KEY, NOW, Platform, start, update, variables

from tokensync.system.errors import UsageError

DAY = 86400
READ, WRITE = "file_variables:read", "file_variables:write"
CHANGE = variables(update(GAP, description="d"))


def message(answer):
    assert answer.json["error"] is True
    assert answer.json["status"] == answer.status_code
    assert answer.content_type == "application/json; charset=utf-8"
    return answer.status_code, answer.json["message"]


def test_a_personal_token_goes_in_its_own_header(platform):
    token = platform.emulator.tokens.create()
    assert platform.get(token=token).status_code == 200
    assert message(platform.get(headers={"Authorization": f"Bearer {token}"})) == (403, "Invalid token")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_an_oauth_token_goes_as_a_bearer(platform, scheme):
    token = platform.emulator.tokens.create(kind="oauth")
    assert platform.get(headers={"Authorization": f"{scheme} {token}"}).status_code == 200
    assert platform.post(CHANGE, headers={"Authorization": f"{scheme} {token}"}).status_code == 200
    assert message(platform.get(token=token)) == (403, "Invalid token")


def test_a_plan_token_reads_and_never_writes(platform):
    token = platform.emulator.tokens.create(kind="plan", scopes=(READ, WRITE))
    assert platform.get(token=token).status_code == 200
    assert message(platform.post(CHANGE, token=token)) == (
        403,
        f"Invalid scope(s): {READ}. This endpoint requires the {WRITE} scope",
    )


@pytest.mark.parametrize(
    "headers",
    [{"X-Figma-Token": ""}, {"X-Figma-Token": "nobody's"}, {"Authorization": "Basic abc"}, {"Authorization": "Bearer"}],
)
def test_an_unknown_token_is_invalid(platform, headers):
    assert message(platform.get(headers=headers)) == (403, "Invalid token")
    assert message(platform.post(CHANGE, headers=headers)) == (403, "Invalid token")


def test_no_token_is_401(platform):
    assert message(platform.get(headers={})) == (401, "Authentication required: send an access token")


def test_a_token_expires_and_is_revoked(platform):
    token = platform.emulator.tokens.create(expires_in_days=1)
    assert platform.get(token=token).status_code == 200
    platform.emulator.tokens.set_expiry(token, 0)
    assert message(platform.get(token=token)) == (403, "Token expired")
    platform.emulator.tokens.set_expiry(token, 5)
    assert platform.get(token=token).status_code == 200
    platform.emulator.tokens.revoke(token)
    assert message(platform.get(token=token)) == (403, "Invalid token")


@pytest.mark.parametrize("kind", ["personal", "oauth"])
def test_a_personal_or_oauth_token_lives_for_at_most_90_days(kind):
    now = NOW
    platform = Platform(start(clock=lambda: now))
    token = platform.emulator.tokens.create(kind=kind)
    header = {"X-Figma-Token": token} if kind == "personal" else {"Authorization": f"Bearer {token}"}
    now += 90 * DAY - 1
    assert platform.get(headers=header).status_code == 200
    now += 1
    assert message(platform.get(headers=header)) == (403, "Token expired")
    with pytest.raises(UsageError, match="91 days is more than the 90"):
        platform.emulator.tokens.create(kind=kind, expires_in_days=91)


@pytest.mark.parametrize("days", [-1e23, -36501.0, float("nan"), float("-inf")])
def test_a_token_does_not_expire_at_a_time_that_is_no_date(days):
    tokens = start().tokens
    with pytest.raises(UsageError, match="days is out of range"):
        tokens.create(expires_in_days=days)
    with pytest.raises(UsageError, match="days is out of range"):
        tokens.set_expiry(tokens.default(), days)


def test_reading_needs_the_read_scope_and_writing_the_write_scope(platform):
    tokens = platform.emulator.tokens
    reader, writer = tokens.create(scopes=(READ, "files:read")), tokens.create(scopes=(WRITE,))
    assert platform.get(token=reader).status_code == 200
    assert platform.get("published", token=reader).status_code == 200
    assert platform.post(CHANGE, token=writer).status_code == 200
    wrong = f"Invalid scope(s): {READ}, files:read. This endpoint requires the {WRITE} scope"
    assert message(platform.post(CHANGE, token=reader)) == (403, wrong)
    wrong = f"Invalid scope(s): {WRITE}. This endpoint requires the {READ} scope"
    assert message(platform.get(token=writer)) == message(platform.get("published", token=writer)) == (403, wrong)


def test_the_broad_scope_does_not_reach_variables_and_a_legacy_token_does(platform):
    tokens = platform.emulator.tokens
    token = tokens.create(scopes=("files:read",))
    assert platform.get(token=token).status_code == 403
    tokens.set_scopes(token, None)
    assert platform.get(token=token).status_code == 200
    tokens.set_scopes(token, ())
    assert message(platform.get(token=token))[1].startswith("Invalid scope(s): none. ")


def test_variables_are_for_the_enterprise_plan(platform):
    for plan in ("starter", "professional", "organization"):
        platform.emulator.files.set_plan(KEY, plan)
        for answer in (platform.get(), platform.get("published"), platform.post(CHANGE)):
            assert message(answer) == (403, "Limited by Figma plan")
    platform.emulator.files.set_plan(KEY, "enterprise")
    assert platform.post(CHANGE).status_code == 200


def test_variables_are_for_full_members(platform):
    platform.emulator.tokens.set_account(platform.emulator.default_token, "guest")
    for answer in (platform.get(), platform.get("published"), platform.post(CHANGE)):
        assert message(answer) == (403, "Incorrect account type")


def test_writing_needs_the_permission_to_edit(platform):
    token = platform.emulator.tokens.create(permission="viewer")
    assert platform.get(token=token).status_code == 200
    assert message(platform.post(CHANGE, token=token)) == (403, "Insufficient file permissions")
    platform.emulator.tokens.permit(token, KEY, "editor")
    assert platform.post(CHANGE, token=token).status_code == 200
    platform.emulator.tokens.permit(token, KEY, None)
    assert message(platform.get(token=token)) == (403, "Insufficient file permissions")
    platform.emulator.tokens.set_permission(token, "owner")
    assert message(platform.get(token=token)) == (403, "Insufficient file permissions")


@pytest.mark.parametrize("editor", ["figjam", "slides", "buzz", "sites", "make"])
def test_only_design_files_are_written(platform, editor):
    platform.emulator.files.set_editor(KEY, editor)
    assert message(platform.post(CHANGE)) == (403, "API only available for design files")


def test_a_file_that_is_not_there_is_404(platform):
    for answer in (platform.get(key="Nowhere"), platform.get("published", "Nowhere"), platform.post(CHANGE, "Nowhere")):
        assert message(answer) == (404, "Not found")


def test_a_branch_has_its_own_variables_and_publishes_nothing(platform):
    before = platform.get().json
    platform.emulator.files.branch(KEY, "Branch")
    assert platform.get(key="Branch").json == before
    assert platform.post(CHANGE, "Branch").status_code == 200
    assert platform.get().json == before
    assert platform.get(key="Branch").json["meta"]["variables"][GAP]["description"] == "d"
    wrong = (400, "File key must be the key of a main file, not of a branch")
    assert message(platform.get("published", "Branch")) == wrong
    with pytest.raises(UsageError, match="is a branch itself"):
        platform.emulator.files.branch("Branch", "Twig")
    with pytest.raises(UsageError, match="a branch cannot be published"):
        platform.emulator.publish("Branch")


def test_new_objects_of_a_branch_and_its_main_file_have_different_ids(platform):
    from emulator.platform import new_variable

    platform.emulator.files.branch(KEY, "Branch")
    answers = [platform.post(variables(new_variable()), key).json["meta"]["tempIdToRealId"] for key in (KEY, "Branch")]
    assert answers[0] != answers[1]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v2/files/Harbor/variables/local",
        "/v1/files//variables/local",
        "/v1/files/Harbor/variables/local/",
        "/v1/files/a%2Fb/variables/local",
        "/v1/%ff",
    ],
)
def test_an_unknown_path_is_404(platform, path):
    assert message(platform.request("GET", path))[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("POST", "/local", "GET, HEAD"), ("DELETE", "/published", "GET, HEAD"), ("GET", "", "POST"), ("PUT", "", "POST")],
)
def test_a_wrong_method_is_405(platform, method, path, allowed):
    answer = platform.request(method, f"/v1/files/{KEY}/variables{path}")
    assert message(answer) == (405, "Method not allowed")
    assert set(answer.headers["Allow"].split(", ")) >= set(allowed.split(", ")) - {"HEAD"}


def test_plain_http_is_403_and_not_redirected_unless_it_stays_on_this_machine(platform):
    for host in ("http://example.com", "http://192.168.0.7:8000", "http://emulator.invalid"):
        assert message(platform.get(base_url=host)) == (403, "Only HTTPS is supported")
    for host in ("http://localhost:1", "http://127.0.0.1", "http://127.0.0.1:8000", "http://[::1]:8000"):
        assert platform.get(base_url=host).status_code == 200
    wrong = platform.get(base_url="http://127.0.0.1", environ_overrides={"REMOTE_ADDR": "10.0.0.1"})
    assert message(wrong) == (403, "Only HTTPS is supported")


def test_a_fault_of_the_emulator_is_500_with_the_same_kind_of_body(platform, monkeypatch, caplog):

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("tokensync.emulator.services.variables._local", fail)
    assert message(platform.get()) == (500, "Internal server error")
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    "wrong",
    [
        lambda e: e.files.create(KEY),
        lambda e: e.files.create("a/b"),
        lambda e: e.files.create("New", editor="paint"),
        lambda e: e.files.create("New", plan="free"),
        lambda e: e.files.set_plan("Nowhere", "starter"),
        lambda e: e.tokens.create(kind="magic"),
        lambda e: e.tokens.create(permission="god"),
        lambda e: e.tokens.permit("nobody's", KEY, "editor"),
        lambda e: e.tokens.set_scopes("nobody's", ()),
        lambda e: e.publish("Nowhere"),
    ],
)
def test_a_state_that_the_platform_does_not_have_cannot_be_set(platform, wrong):
    with pytest.raises(UsageError, match=r"; (use|create|give|seed|stay)"):
        wrong(platform.emulator)
    assert platform.emulator.files.keys() == (KEY,)


@pytest.mark.parametrize(("kind", "prefix"), [("personal", "figd_"), ("oauth", "figu_"), ("plan", "figd_")])
def test_the_kind_of_a_token_is_known_by_its_prefix(platform, kind, prefix):
    assert platform.emulator.tokens.create(kind=kind).startswith(prefix)
