import json
from wsgiref.validate import validator

import pytest
from extract.client.answering import SECRET, SUCCESS, Waits

from tokensync.extract.client import Client
from tokensync.system.errors import AccessError, NetworkError


class Application:
    """A WSGI application that records requests and returns a fixed response."""

    def __init__(self, body=SUCCESS, status="200 OK", headers=()):
        self.answer = (status, [("Content-Type", "application/json"), *headers], body)
        self.requests = []
        self.closed = 0

    def __call__(self, environ, start_response):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        self.requests.append((environ, environ["wsgi.input"].read(length)))
        status, headers, body = self.answer
        start_response(status, headers)
        return self._chunks(body)

    def _chunks(self, body):
        try:
            yield body[:10]
            yield body[10:]
        finally:
            self.closed += 1


def _client(application, credential, base_url="emulator:"):
    return Client(base_url, credential, wsgi=application, clock=Waits().clock)


def test_an_application_in_process_is_asked_as_over_https(credential):
    application = Application()
    assert _client(validator(application), credential).variables.local("KEY") == SUCCESS
    environ, body = application.requests[0]
    assert environ["REQUEST_METHOD"] == "GET"
    assert environ["PATH_INFO"] == "/v1/files/KEY/variables/local"
    assert environ["wsgi.url_scheme"] == "https"
    assert environ["HTTP_X_FIGMA_TOKEN"] == SECRET
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert body == b""
    assert application.closed == 1


def test_a_body_reaches_the_application_whole(credential):
    application = Application()
    _client(validator(application), credential).variables.post("KEY", b'{"variables":[]}')
    environ, body = application.requests[0]
    assert (environ["REQUEST_METHOD"], environ["CONTENT_LENGTH"], environ["CONTENT_TYPE"]) == (
        "POST",
        "16",
        "application/json",
    )
    assert body == b'{"variables":[]}'


def test_the_applications_refusals_are_explained_like_the_platforms(credential):
    body = json.dumps({"status": 403, "error": True, "message": "Limited by Figma plan"}).encode()
    application = Application(body, "403 Forbidden")
    with pytest.raises(AccessError, match=r"GET emulator/v1/files/KEY/variables/local: .*Enterprise plan"):
        _client(application, credential).variables.local("KEY")


def test_an_application_that_promises_more_than_it_sends_is_incomplete(credential):
    application = Application(headers=[("Content-Length", str(len(SUCCESS) + 1))])
    with pytest.raises(NetworkError, match="response is incomplete"):
        _client(application, credential).variables.local("KEY")
    assert len(application.requests) == 5


def test_an_application_stands_for_any_base_url(credential):
    application = Application()
    _client(application, credential, "http://127.0.0.1:9").variables.local("KEY")
    assert application.requests[0][0]["wsgi.url_scheme"] == "http"
    assert application.requests[0][0]["SERVER_PORT"] == "9"
    _client(application, credential, "figma").variables.local("KEY")
    assert application.requests[1][0]["HTTP_HOST"] == "api.figma.com"


def test_a_fault_of_the_application_is_not_hidden_as_a_network_failure(credential):
    def faulty(environ, start_response):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _client(faulty, credential).variables.local("KEY")
