"""The listener for the callback of a login: loopback only, one callback, with a timeout."""

import socket
import threading
from http.client import HTTPConnection

import pytest

from tokensync.extract.client import authorization as module
from tokensync.extract.client.authorization import Callback, CallbackServer, begin
from tokensync.system.errors import AccessError, NetworkError, UsageError


@pytest.fixture(autouse=True)
def _looking_often(monkeypatch):
    """Let listeners check often whether they should end."""
    monkeypatch.setattr(module, "_POLL_INTERVAL", 0.01)


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture
def authorization(port):
    return begin("id", f"http://127.0.0.1:{port}/callback", ("a:b",))


def call(port, target, method="GET", host=None, headers=()):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, target, headers={**({"Host": host} if host else {}), **dict(headers)})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def test_the_code_of_the_callback_with_the_right_state_is_returned(authorization, port):
    with CallbackServer(authorization) as listener:
        status, headers, page = call(port, f"/callback?code=a%2Bb&state={authorization.state}")
        assert listener.wait(10) == "a+b"
    assert status == 200
    assert "<script" not in page and "a+b" not in page and authorization.state not in page
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "query",
    ["code=c&state=guess", "code=c", "", "code=c&state=", "code=c&state={state}&state=guess", "&".join(["a=1"] * 50)],
)
def test_another_state_ends_the_login(authorization, port, query):
    with CallbackServer(authorization) as listener:
        status, _, page = call(port, f"/callback?{query.format(state=authorization.state)}")
        with pytest.raises(AccessError, match="; log in again"):
            listener.wait(10)
    assert status == 400
    assert "does not belong to this login" in page


def test_a_call_without_a_code_is_a_refusal(authorization, port):
    with CallbackServer(authorization) as listener:
        call(port, f"/callback?error=access_denied&state={authorization.state}")
        with pytest.raises(AccessError, match="access was not allowed"):
            listener.wait(10)


def test_the_first_call_alone_counts(authorization, port):
    with CallbackServer(authorization) as listener:
        assert call(port, f"/callback?code=first&state={authorization.state}")[0] == 200
        assert call(port, f"/callback?code=second&state={authorization.state}")[0] == 409
        assert listener.wait(10) == "first"


def test_the_waiting_ends_only_when_the_browser_has_its_page(authorization, port, monkeypatch):
    close, written = module._CallbackPage.close, threading.Event()

    def when_it_is_time(page):
        assert written.wait(10)
        close(page)

    monkeypatch.setattr(module._CallbackPage, "close", when_it_is_time)
    with CallbackServer(authorization) as listener:
        browser = threading.Thread(target=call, args=(port, f"/callback?code=c&state={authorization.state}"))
        browser.start()
        with pytest.raises(NetworkError, match="nobody allowed access"):
            listener.wait(0.3)
        written.set()
        assert listener.wait(10) == "c"
        browser.join(10)


def test_other_requests_than_the_callback_are_ignored(authorization, port):
    good = f"/callback?code=c&state={authorization.state}"
    with CallbackServer(authorization) as listener:
        assert call(port, "/favicon.ico")[0] == 404
        assert call(port, good.replace("/callback", "/callback/x"))[0] == 404
        assert call(port, good, host="evil.example")[0] == 404
        assert call(port, good, host=f"evil.example:{port}")[0] == 404
        assert call(port, good, method="POST")[0] == 405
        with pytest.raises(NetworkError, match=r"nobody allowed access within 0\.3 seconds; log in again"):
            listener.wait(0.3)
        assert call(port, good)[0] == 200


SUBRESOURCES = (
    {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Origin": "https://evil.example"},
    {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Origin": "https://evil.example"},
)


@pytest.mark.parametrize("headers", SUBRESOURCES)
@pytest.mark.parametrize("query", ["code=c&state=guess", "code=c", "error=access_denied&state={state}"])
def test_a_page_of_another_site_cannot_end_the_login_by_a_script_image_or_frame(authorization, port, query, headers):
    with CallbackServer(authorization) as listener:
        for _ in range(20):
            target = f"/callback?{query.format(state=authorization.state)}"
            assert call(port, target, headers=headers)[0] == 403
        assert call(port, f"/callback?code=c&state={authorization.state}")[0] == 200
        assert listener.wait(10) == "c"


def test_a_page_that_is_loaded_in_advance_does_not_count(authorization, port):
    good = f"/callback?code=c&state={authorization.state}"
    with CallbackServer(authorization) as listener:
        for headers in ({"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}):
            assert call(port, good, headers=headers)[0] == 403
        assert call(port, good, method="HEAD")[0] == 405
        assert call(port, good, headers={"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})[0] == 200
        assert listener.wait(10) == "c"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:80/callback", "http://127.0.0.1/callback", "http://LOCALHOST/callback"]
)
@pytest.mark.parametrize("port_shown", ["", ":80"])
def test_browsers_may_omit_the_default_port(monkeypatch, url, port_shown):
    bound = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr(module.serving, "bind", lambda host, port: bound)
    authorization = begin("id", url, ("a:b",))
    host = "localhost" if "LOCAL" in url else "127.0.0.1"
    with CallbackServer(authorization) as listener:
        target = f"/callback?code=c&state={authorization.state}"
        assert call(bound.getsockname()[1], target, host=f"{host}{port_shown}")[0] == 200
        assert listener.wait(10) == "c"


def test_silent_connections_do_not_keep_the_answer_out(authorization, port):
    with CallbackServer(authorization) as listener:
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
        assert call(port, f"/callback?code=c&state={authorization.state}")[0] == 200
        assert listener.wait(10) == "c"
        for each in silent:
            each.close()


def test_it_is_over_after_the_block(authorization, port):
    with CallbackServer(authorization):
        pass
    with pytest.raises(OSError, match="refused|actively"):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_it_listens_on_loopback_alone(authorization, port):
    with CallbackServer(authorization) as listener:
        assert listener._server._address == ("127.0.0.1", port)


def test_a_port_in_use_is_a_usage_error(authorization, port):
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(UsageError, match="stop the program that uses the port, or register another"),
    ):
        CallbackServer(authorization)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1:8000/callback",
        "http://192.168.0.7:8000/callback",
        "http://127.0.0.1.example:8000/callback",
        "http://0.0.0.0:8000/callback",
        "http://user@127.0.0.1:8000/callback",
        "http://127.0.0.1:8000/callback?a=b",
        "http://127.0.0.1:0/callback",
        "http://127.0.0.1:8000/call\tback",
        "http://127.0.0.1:port/callback",
        "com.example.app:/callback",
        "",
    ],
)
def test_only_this_machine_can_be_waited_on(url):
    with pytest.raises(UsageError, match=r"register one like http://127\.0\.0\.1:PORT/callback with the app"):
        CallbackServer(begin("id", url, ("a:b",)))


def test_many_calls_at_once_are_answered_and_one_counts(authorization, port):
    statuses = []

    def send(number):
        statuses.append(call(port, f"/callback?code={number}&state={authorization.state}")[0])

    with CallbackServer(authorization) as listener:
        threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert listener.wait(10) in "01234567"
    assert sorted(statuses) == [200] + [409] * 7


def test_the_text_of_a_callback_hides_its_code():
    assert "c0de" not in repr(Callback(code="c0de"))
