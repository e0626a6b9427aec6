from base64 import b64encode
from urllib.parse import quote

import pytest
from extract.client.answering import LOCAL, POST, PUBLISHED, SECRET, SUCCESS

from tokensync.extract.client import Client, Credential, FileReference
from tokensync.system.errors import AccessError, NetworkError, NotFoundError, PlatformError, RequestError, ServerError

REAL_SCOPE_TEXT = (
    "Invalid scope(s): files:read, file_comments:write. This endpoint requires the file_variables:read scope"
)

ROWS = [
    (
        "GET",
        403,
        REAL_SCOPE_TEXT,
        AccessError,
        "lacks the scope file_variables:read",
        "create a token with the scope",
    ),
    ("GET", 403, "Invalid scope", AccessError, "lacks the scope file_variables:read", "authorize the OAuth app again"),
    (
        "POST",
        403,
        "Invalid scope",
        AccessError,
        "lacks the scope file_variables:write",
        "a plan access token cannot have it",
    ),
    ("GET", 401, "Missing required scope", AccessError, "lacks the scope", "create a token"),
    (
        "GET",
        403,
        "Limited by Figma plan",
        AccessError,
        "requires an Enterprise plan",
        "base_url bridge: or snapshot:PATH",
    ),
    (
        "POST",
        403,
        "Limited by Figma plan",
        AccessError,
        "requires an Enterprise plan",
        "write them with base_url bridge: (tokensync explain without-enterprise",
    ),
    (
        "GET",
        403,
        "This endpoint cannot be used with public OAuth apps",
        AccessError,
        "public OAuth apps may not",
        "private to your organization",
    ),
    ("GET", 400, "Request too large. If applicable, filter by query params.", RequestError, "larger", "split the file"),
    ("GET", 403, "Incorrect account type", AccessError, "not as a guest", "token of a member"),
    ("POST", 403, "Incorrect account type", AccessError, "a full seat", "full member"),
    (
        "POST",
        403,
        "Insufficient file permissions",
        AccessError,
        "may not edit this file",
        "let the token's user edit it",
    ),
    ("GET", 403, "Insufficient file permissions", AccessError, "may not see this file", "let the token's user see it"),
    ("POST", 403, "API only available for design files", AccessError, "not a design file", "of a design file"),
    (
        "POST",
        403,
        "Plan access tokens cannot be used here",
        AccessError,
        "this kind of access token cannot be used",
        "use a personal access token or an OAuth token",
    ),
    ("GET", 403, "Invalid token", AccessError, "invalid, expired or revoked", "set it in FIGMA_TOKEN"),
    ("GET", 403, "Token expired", AccessError, "the access token has expired", "90 days"),
    ("GET", 401, "Unauthorized", AccessError, "invalid, expired or revoked", "belongs in FIGMA_OAUTH_TOKEN"),
    ("GET", 401, "", AccessError, "did not accept the access token", "create a new one"),
    ("GET", 403, "", AccessError, "refused access", "scope file_variables:read"),
    ("GET", 403, "Plain HTTP is not supported, use HTTPS", AccessError, "without encryption", "https:// base_url"),
    ("GET", 404, "Not found", NotFoundError, "no such file", "may see the file"),
    ("POST", 404, "File not found", NotFoundError, "no such file", "may edit the file"),
    (
        "PUBLISHED",
        400,
        "File key must not be a branch key",
        RequestError,
        "key is that of a branch",
        "URL of the main file",
    ),
    ("PUBLISHED", 404, "Not found", NotFoundError, "no such file", "for a branch, use the key of its main file"),
    ("PUBLISHED", 400, "", RequestError, "refused the request", "for a branch, use the key of its main file"),
    ("POST", 400, "Duplicate variable name", RequestError, "changed nothing", "correct the problem in the message"),
    ("GET", 400, "page_size must be at most 1000", RequestError, "refused a parameter", "correct the parameter"),
    ("GET", 400, "Bad key", RequestError, "refused the request", "check the key or URL"),
    ("POST", 413, "Request body too large", RequestError, "larger than Figma accepts", "smaller batches"),
    ("GET", 407, "", RequestError, "the proxy requires a user name", "HTTPS_PROXY"),
    ("GET", 418, "Teapot", RequestError, "refused the request", "check base_url"),
    ("GET", 500, "Oops", ServerError, "Figma failed", "try again later"),
    ("POST", 500, "Oops", ServerError, "Figma failed", "read the variables before you repeat it"),
]


def _call(client, platform, method, **answer):
    if method == "POST":
        platform.post(POST, **answer)
        return client.variables.post("KEY", b"{}")
    platform.get(PUBLISHED if method == "PUBLISHED" else LOCAL, **answer)
    return client.variables.published("KEY") if method == "PUBLISHED" else client.variables.local("KEY")


@pytest.mark.parametrize("family", ["message", "err"])
@pytest.mark.parametrize(("method", "status", "text", "kind", "meaning", "advice"), ROWS)
def test_each_refusal_has_a_location_a_meaning_and_advice(
    client, platform, family, method, status, text, kind, meaning, advice
):
    body = {"status": status, "err": text} if family == "err" else {"status": status, "error": True, "message": text}
    with pytest.raises(PlatformError) as caught:
        _call(client, platform, method, status=status, json=body)
    assert type(caught.value) is kind
    assert caught.value.status == status
    message = str(caught.value)
    where, rest = message.split(": ", 1)
    what, to_do = rest.split("; ", 1)
    assert where.endswith(
        " api.figma.com/v1/files/KEY/variables" + {"POST": "", "PUBLISHED": "/published"}.get(method, "/local")
    )
    assert meaning in what
    assert advice in to_do
    assert f"{status} " in what
    assert text in what


def test_a_200_that_reports_an_error_is_an_error(client, platform):
    with pytest.raises(AccessError, match="Enterprise plan"):
        _call(client, platform, "GET", json={"status": 403, "error": True, "message": "Limited by Figma plan"})


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"[]", "not an object"),
        (b"17", "not an object"),
        (b"null", "not an object"),
        (b"<html>hello</html>", "not JSON"),
        (b'{"status": 200, "error": false}', "no meta object"),
        (b'{"status": 200, "error": false, "meta": []}', "no meta object"),
        (b'{"status": 200, "error": false, "meta": null}', "no meta object"),
        (b'{"error": true, "message": "no"}', "reports an error"),
        (b'{"err": "no", "meta": {}}', "reports an error"),
        (b'{"status": "403", "error": true, "meta": {}}', "reports an error"),
        (b'{"meta": {}} trailing', "not JSON"),
        (b'{"meta": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
        (b'{"err": "\xff", "meta": {}}', "not UTF-8"),
    ],
)
def test_an_invalid_success_response_is_a_server_error(client, platform, body, what):
    with pytest.raises(ServerError, match=what):
        _call(client, platform, "GET", body=body)


def test_a_success_without_a_status_member_is_accepted(client, platform):
    assert _call(client, platform, "GET", body=b' {"meta":{}} ') == b' {"meta":{}} '


def test_an_empty_success_is_incomplete(client, platform):
    with pytest.raises(NetworkError, match="JSON of the response is incomplete"):
        _call(client, platform, "GET", body=b"")


def test_a_page_of_a_proxy_is_distinguished_from_the_platform_and_shown_safely(client, platform):
    page = "<html><head><title>Blocked\x1b]0;x\x07 \u202e by\nCorp</title></head><body>" + "x" * 100_000
    with pytest.raises(AccessError) as caught:
        _call(client, platform, "GET", status=403, body=page)
    message = str(caught.value)
    assert '403 "Blocked ]0;x by Corp"' in message
    assert "proxy or firewall" in message
    assert message.isprintable()


def test_a_body_of_binary_rubbish_is_shown_safely_and_cut(client, platform):
    with pytest.raises(AccessError) as caught:
        _call(client, platform, "GET", status=403, body=bytes(range(256)) * 1000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("cut", [8191 - len(SECRET), 8180, 8188])
@pytest.mark.parametrize("form", ["json", "body"])
def test_no_part_of_a_token_is_shown_where_a_long_text_is_cut(client, platform, cut, form):
    """Spaces are removed from the text after it is cut, so its end gets into the message."""
    text = "x" + " " * cut + SECRET
    with pytest.raises(PlatformError) as caught:
        _call(client, platform, "GET", status=400, **{form: {"err": text} if form == "json" else text})
    assert SECRET[:5] not in str(caught.value)


@pytest.mark.parametrize("text", [SECRET, quote(SECRET), b64encode(SECRET.encode()).decode()])
def test_a_success_that_repeats_the_token_is_refused_without_showing_it(client, platform, text):
    """Its texts would get into token files, names and output. The platform itself never does this."""
    with pytest.raises(ServerError, match="the response repeats FIGMA_TOKEN") as caught:
        _call(client, platform, "GET", json={"status": 200, "error": False, "meta": {"name": f"a {text} b"}})
    assert text not in str(caught.value)


def test_a_short_token_may_be_in_a_response_by_chance(platform):
    platform.get(LOCAL, json={"meta": {"name": "token"}})
    assert Client("figma", Credential("personal", "token")).variables.local("KEY")


def test_a_long_message_of_the_platform_is_cut_after_a_thousand_characters(client, platform):
    with pytest.raises(RequestError) as caught:
        _call(
            client,
            platform,
            "POST",
            status=400,
            json={"status": 400, "error": True, "message": "VariableID:1:2 " * 900},
        )
    assert 1000 < len(str(caught.value)) < 1300


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(client, platform, status):
    platform.get("https://evil.example/", body=SUCCESS)
    with pytest.raises(ServerError, match="another address"):
        _call(client, platform, "GET", status=status, headers={"Location": "https://evil.example/"})
    assert len(platform.calls) == 1


def test_a_batch_over_four_megabytes_is_not_even_sent(client, platform):
    with pytest.raises(RequestError, match="4,000,001 bytes") as caught:
        client.variables.post("KEY", b" " * (4_000_000 + 1))
    assert caught.value.status == 413
    assert len(platform.calls) == 0


def test_a_batch_of_exactly_four_megabytes_is_sent(client, platform):
    assert _post(client, platform, b" " * 4_000_000) == SUCCESS


def _post(client, platform, body):
    platform.post(POST, body=SUCCESS)
    return client.variables.post("KEY", body)


def test_a_branch_serves_local_and_post_and_the_main_file_the_published_ones(client, platform):
    branch = FileReference("MAIN", "BRANCH")
    platform.get("https://api.figma.com/v1/files/BRANCH/variables/local", body=SUCCESS)
    platform.get("https://api.figma.com/v1/files/MAIN/variables/published", body=SUCCESS)
    platform.post("https://api.figma.com/v1/files/BRANCH/variables", body=SUCCESS)
    client.variables.local(branch)
    client.variables.published(branch)
    client.variables.post("https://www.figma.com/design/MAIN/branch/BRANCH/x", b"{}")
    assert len(platform.calls) == 3


def test_a_wrong_oauth_token_is_pointed_at_the_other_variables(platform):
    client = Client("figma", Credential("oauth", "abc", "FIGMA_OAUTH_TOKEN"))
    with pytest.raises(AccessError, match="personal or plan access token belongs in FIGMA_ACCESS_TOKEN"):
        _call(client, platform, "GET", status=403, json={"status": 403, "err": "Invalid token"})
