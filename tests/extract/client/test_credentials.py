import copy
import html
import json
import logging
import pickle
import traceback
from base64 import b64encode, urlsafe_b64encode
from functools import partial
from urllib.parse import quote, quote_plus

import pytest
import requests
from extract.client.answering import LOCAL, POST, SECRET, SUCCESS, RawServer, Waits

from tokensync.extract.client import Client, Credential, from_environment, required_from_environment
from tokensync.system.errors import PlatformError, UsageError


def test_the_secret_is_hidden_percent_encoded_too():
    """As an address holds it, which a message of a lower layer may quote."""
    credential = Credential("personal", "figd_a/b+c=")
    assert credential.hide_in("with figd_a/b+c= and ?token=figd_a%2Fb%2Bc%3D") == "with [hidden] and ?token=[hidden]"


PASSCODE = 'p"ss<w&rd \\ \u00e9\U0001f511'


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(PASSCODE, id="as it is"),
        pytest.param(json.dumps(PASSCODE)[1:-1], id="JSON"),
        pytest.param("".join(f"\\u{ord(each):04X}" for each in PASSCODE[:-1]) + "\\uD83D\\uDD11", id="JSON in ASCII"),
        pytest.param(html.escape(PASSCODE), id="HTML"),
        pytest.param(html.escape(json.dumps(PASSCODE)[1:-1]), id="JSON in HTML"),
        pytest.param(json.dumps(json.dumps(PASSCODE))[3:-3], id="JSON in JSON"),
        pytest.param("".join(f"&#{ord(each)};" for each in PASSCODE), id="HTML in decimals"),
        pytest.param("".join(f"&#x{ord(each):X};" for each in PASSCODE), id="HTML in hexadecimals"),
        pytest.param(quote(PASSCODE, safe=""), id="URL"),
        pytest.param(quote_plus(PASSCODE).lower(), id="form"),
        *(
            pytest.param(b64encode(b"x" * size + PASSCODE.encode()).decode(), id=f"base64 at {size}")
            for size in range(3)
        ),
        pytest.param(urlsafe_b64encode(PASSCODE.encode()).decode(), id="base64 of URLs"),
    ],
)
def test_a_secret_is_hidden_in_every_form_that_programs_write(written):
    credential = Credential("personal", "figd_abc", others=(PASSCODE,))
    shown = credential.hide_in(f"before {written} after")
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert "[hidden]" in shown
    assert len(shown.replace("[hidden]", "")) < len("before  after") + 10  # base64 mixes both ends with other texts


def test_the_first_set_variable_wins_and_determines_the_kind():
    environment = {"FIGMA_TOKEN": "c", "FIGMA_ACCESS_TOKEN": "b", "FIGMA_OAUTH_TOKEN": "a"}
    values = []
    while environment:
        credential = from_environment(environment)
        values.append((credential.kind, credential.secret, credential.source))
        del environment[credential.source]
    assert values == [
        ("oauth", "a", "FIGMA_OAUTH_TOKEN"),
        ("personal", "b", "FIGMA_ACCESS_TOKEN"),
        ("personal", "c", "FIGMA_TOKEN"),
    ]


def test_a_blank_variable_counts_as_unset_and_a_missing_one_is_explained():
    assert from_environment({"FIGMA_TOKEN": "  \n"}) is None
    with pytest.raises(UsageError, match="and put it in FIGMA_ACCESS_TOKEN"):
        required_from_environment({})


def test_a_line_break_at_the_end_is_forgiven():
    assert Credential("personal", "abc\r\n").secret == "abc"


@pytest.mark.parametrize("secret", ["a\r\nX-Evil: 1", "a b", "a\x00b", "g\u00e9", "a\x7fb", "", "   "])
def test_a_token_that_cannot_be_a_header_is_refused_without_showing_it(secret):
    with pytest.raises(UsageError) as caught:
        Credential("personal", secret, "FIGMA_TOKEN")
    assert "X-Evil" not in str(caught.value)
    assert str(caught.value).startswith("FIGMA_TOKEN: ")


def test_an_oauth_token_is_a_bearer_and_a_personal_one_has_a_header_of_its_own(platform):
    for kind in ("oauth", "personal"):
        platform.get(LOCAL, body=SUCCESS)
        Client("figma", Credential(kind, SECRET)).variables.local("KEY")
    oauth, personal = (call.request.headers for call in platform.calls)
    assert oauth["Authorization"] == f"Bearer {SECRET}"
    assert "X-Figma-Token" not in oauth
    assert personal["X-Figma-Token"] == SECRET
    assert "Authorization" not in personal
    assert personal["User-Agent"].startswith("tokensync/")


def test_a_netrc_file_does_not_replace_the_token(platform, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("default login someone password else\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    platform.get(LOCAL, body=SUCCESS)
    Client("figma", Credential("personal", SECRET)).variables.local("KEY")
    assert "Authorization" not in platform.calls[0].request.headers


def test_a_credential_shows_and_copies_its_secret_nowhere(credential):
    assert SECRET not in repr(credential) + str(credential) + f"{credential}"
    with pytest.raises(TypeError):
        pickle.dumps(credential)
    with pytest.raises(TypeError):
        copy.deepcopy(credential)


ECHOES = [
    {"status": 403, "json": {"status": 403, "err": f"Invalid token {SECRET}"}},
    {"status": 403, "json": {"status": 403, "error": True, "message": "x" * 985 + SECRET}},
    {"status": 403, "body": f"<b>{SECRET}</b>"},
    {"status": 502, "body": f"<title>{SECRET}</title>"},
    {"status": 429, "headers": {"X-Figma-Plan-Tier": SECRET, "Retry-After": "9999"}},
    {"status": 302, "headers": {"Location": f"https://x.example/{SECRET}"}},
    {"status": 200, "body": f"{SECRET} is not JSON"},
    {"body": requests.ConnectionError(f"Bearer {SECRET}")},
    {"body": requests.exceptions.InvalidHeader(f"Bearer {SECRET}")},
]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("answer", ECHOES)
def test_no_error_traceback_or_log_has_the_token_even_if_the_server_echoes_it(
    client, platform, waits, answer, method, caplog
):
    caplog.set_level(logging.DEBUG)
    platform.add(method, LOCAL if method == "GET" else POST, **answer)
    call = client.variables.local if method == "GET" else partial(client.variables.post, body=b"{}")
    with pytest.raises(PlatformError) as caught:
        call("KEY")
    error = caught.value
    shown = "".join(traceback.TracebackException.from_exception(error).format())
    for text in (str(error), repr(error), shown, caplog.text, *(wait.reason for wait in waits.reported)):
        assert SECRET not in text
        assert SECRET[:12] not in text
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_token_given_as_the_file_key_is_not_shown(client, platform):
    with pytest.raises(UsageError) as caught:
        client.variables.local(SECRET)
    assert SECRET not in str(caught.value)


def test_the_debug_log_of_the_http_library_has_no_token(credential, caplog):
    caplog.set_level(logging.DEBUG)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(SUCCESS), SUCCESS)
    with RawServer(answer) as server:
        Client(server.url, credential, clock=Waits().clock).variables.local("KEY")
    assert SECRET.encode() in server.requests[0]
    assert "variables/local" in caplog.text
    assert SECRET not in caplog.text
