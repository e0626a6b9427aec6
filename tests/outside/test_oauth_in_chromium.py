"""``tokensync auth login`` with a person's browser: Chromium shows the page, and brings the answer to a button."""

import signal
import sys
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from cli.logging_in import SCOPES
from cli.logging_in import platform as served
from cli.programs import COMMAND

pytestmark = pytest.mark.outside

posix = pytest.mark.skipif(sys.platform == "win32", reason="stops a process for a while")
OTHER_CHALLENGE = "x" * 43


@pytest.fixture
def platform(tmp_path):
    with served(tmp_path) as instance:
        yield instance


either_way = pytest.mark.parametrize("page", [True, False], ids=["with scripts", "without scripts"], indirect=True)
"""Whether the browser runs scripts: neither page has any."""


@pytest.fixture
def page(browser, request):
    """A page of a new browser; whatever the platform's or our own page has wrong with it fails."""
    context = browser.chromium.new_context(java_script_enabled=getattr(request, "param", True))
    page = context.new_page()
    links = []
    page.on("pageerror", lambda error: links.append(f"error: {error}"))
    page.on("console", lambda output: links.append(output.text) if "Content Security Policy" in output.text else None)
    yield page
    context.close()
    assert links == []


def changed(address, **parameters):
    """The address with other parameters, as one who stands between could make it."""
    parts = urlsplit(address)
    return parts._replace(query=urlencode(dict(parse_qsl(parts.query)) | parameters)).geturl()


def decide(page, address, decision="Allow", **options):
    page.goto(address)
    page.get_by_label("You are").select_option(label="ann (full)")
    page.get_by_role("button", name=decision).click(**options)


def heading(page):
    return page.get_by_role("heading").inner_text()


@either_way
def test_allowing_logs_in(page, platform):
    with platform.login() as login:
        decide(page, login.address)
        assert heading(page) == "Access allowed"
        code, output = login.ended()
    assert (code, "logged in to" in output, "as ann" in output) == (0, True, True)
    assert page.url.startswith(platform.callback + "?code=")


def test_the_page_names_the_app_and_its_scopes(page, platform):
    with platform.login() as login:
        page.goto(login.address)
        assert heading(page) == "Harbor asks for access"
        assert page.get_by_role("listitem").all_inner_texts() == list(SCOPES)
        assert page.get_by_role("button").all_inner_texts() == ["Allow", "Reject"]


@either_way
def test_rejecting_sends_no_callback(page, platform):
    with platform.login("--timeout", "2") as login:
        decide(page, login.address, "Reject")
        assert heading(page) == "Rejected"
        assert page.url.startswith(f"{platform.base_url}/oauth")
        code, output = login.ended()
    assert (code, "nobody allowed access" in output) == (1, True)
    assert not platform.credentials.exists()


def test_an_answer_with_another_state_is_refused(page, platform):
    with platform.login() as login:
        decide(page, changed(login.address, state="of somebody else"))
        assert heading(page) == "Login failed"
        code, output = login.ended()
    assert (code, "the state is not that of this login" in output) == (1, True)
    assert not platform.credentials.exists()


@posix
def test_a_code_that_came_too_late_is_refused(page, platform):
    with platform.login(program=COMMAND) as login:  # a signal does not stop a prepared process
        login.process.send_signal(signal.SIGSTOP)
        decide(page, login.address, no_wait_after=True)
        page.wait_for_timeout(500)  # in real time: the answer is with the stopped process
        platform.clock.now += 30
        login.process.send_signal(signal.SIGCONT)
        code, output = login.ended()
    assert (code, '"Code expired"' in output) == (1, True)
    assert not platform.credentials.exists()


def test_a_code_is_of_no_use_a_second_time(page, platform):
    with platform.login() as first:
        decide(page, first.address)
        assert first.ended()[0] == 0
    used = parse_qs(urlsplit(page.url).query)["code"][0]
    with platform.login() as second:
        state = parse_qs(urlsplit(second.address).query)["state"][0]
        page.goto(f"{platform.callback}?{urlencode({'code': used, 'state': state})}")
        code, output = second.ended()
    assert (code, '"Code was used already"' in output) == (1, True)


def test_a_code_for_another_challenge_is_refused(page, platform):
    with platform.login() as login:
        decide(page, changed(login.address, code_challenge=OTHER_CHALLENGE))
        code, output = login.ended()
    assert (code, '"Invalid code_verifier"' in output) == (1, True)
    assert not platform.credentials.exists()


def test_an_unregistered_address_is_never_a_redirect_target(page, platform):
    with platform.login() as login:
        page.goto(changed(login.address, redirect_uri="http://127.0.0.1:9/elsewhere"))
        assert heading(page) == "Not possible"
        assert page.get_by_role("button").count() == 0


def test_a_form_of_another_site_grants_no_access(page, platform):
    with platform.login() as login:
        parameters = dict(parse_qsl(urlsplit(login.address).query)) | {"user": platform.user, "decision": "allow"}
        fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in parameters.items())
        page.goto("about:blank")
        page.set_content(
            f'<form method="post" action="{platform.base_url}/oauth">{fields}<button>Prize</button></form>'
        )
        page.get_by_role("button", name="Prize").click()
        assert heading(page) == "Not possible"


def test_the_page_is_not_shown_in_a_frame(browser, platform):
    context = browser.chromium.new_context()
    page = context.new_page()
    with platform.login() as login:
        page.set_content(f'<iframe src="{login.address.replace("&", "&amp;")}"></iframe>')
        page.wait_for_load_state("networkidle")
        assert all("asks for access" not in frame.content() for frame in page.frames)
    context.close()
