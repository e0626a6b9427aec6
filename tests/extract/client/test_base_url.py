"""Servers and files by their URLs: base URLs, and references to files."""

import pytest

from tokensync.extract.client import Client, FileReference, parse_file
from tokensync.extract.client.addresses import is_loopback, resolve
from tokensync.system.errors import UsageError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("figma", "https://api.figma.com"),
        ("figma-gov", "https://api.figma-gov.com"),
        (" figma\n", "https://api.figma.com"),
        ("https://api.figma.com/", "https://api.figma.com"),
        ("HTTPS://API.Figma.com///", "https://api.figma.com"),
        ("https://gateway.example:8443/figma/api/", "https://gateway.example:8443/figma/api"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://[::1]:80/", "http://[::1]:80"),
        ("http://localhost:1", "http://localhost:1"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]"),
    ],
)
def test_a_name_or_a_url_becomes_an_address_without_a_slash_at_its_end(text, url):
    assert resolve(text).url == url


@pytest.mark.parametrize(
    "text",
    [
        "http://api.figma.com",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://127.1",
        "http://0.0.0.0",
        "http://[::ffff:127.0.0.1]",
        "http://2130706433",
        "http://10.0.0.1",
    ],
)
def test_plain_http_is_refused_unless_it_is_loopback(text):
    with pytest.raises(UsageError, match="plain http://"):
        resolve(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "figma.com",
        "ftp://api.figma.com",
        "file:///etc/passwd",
        "https://",
        "https://user:pa55word@api.figma.com",
        "http://127.0.0.1\\@evil.example",
        "http://localhost#@evil.example",
        "https://api.figma.com?token=pa55word",
        "https://api.figma.com#pa55word",
        "https://api.figma.com/a b",
        "https://api.figma.com/../x",
        "https://api.figma.com/%2e%2e",
        "https://api .figma.com",
        "https://api.figma.com:99999",
        "https://[::1",
        "https://[fe80::1%25eth0]",
        "https://www.figma.com",
        "https://figma.com/design/KEY",
        "https://api.figma.com/v1",
        "https://api.figma.com/v1/",
    ],
)
def test_an_unusable_address_is_refused_without_repeating_a_secret(text):
    with pytest.raises(UsageError) as caught:
        resolve(text, "tokensync.toml: base_url")
    assert str(caught.value).startswith("tokensync.toml: base_url: ")
    assert "pa55word" not in str(caught.value)


def test_the_emulator_needs_an_application_in_process(credential):
    assert resolve("emulator:").in_process
    with pytest.raises(UsageError, match="emulator:"):
        Client("emulator:", credential)


def test_only_this_machine_is_loopback():
    assert [is_loopback(host) for host in ("LOCALHOST", "127.0.0.1", "::1", "", "example.org", "::2")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


_EXPECTED = "https://www.figma.com/design/KEY/..."


@pytest.mark.parametrize(
    ("text", "main", "branch"),
    [
        ("AbC123", "AbC123", None),
        (" quick-start_1 \n", "quick-start_1", None),
        ("https://www.figma.com/design/KEY/My-File?node-id=0-1&t=x", "KEY", None),
        ("https://www.figma.com/file/KEY", "KEY", None),
        ("https://figma.com/file/KEY/", "KEY", None),
        ("www.figma.com/design/KEY/x", "KEY", None),
        ("https://www.figma.com/design/KEY/branch/BKEY/My-File", "KEY", "BKEY"),
        ("https://www.figma.com/file/KEY/branch/BKEY", "KEY", "BKEY"),
        ("KEY/branch/BKEY", "KEY", "BKEY"),
        ("https://www.figma.com/design/KEY/My-File?branch-id=BKEY", "KEY", "BKEY"),
        ("https://www.figma.com/board/KEY/Jam", "KEY", None),
        ("https://www.figma.com/slides/KEY", "KEY", None),
        ("https://www.figma.com/proto/KEY/x", "KEY", None),
        ("https://www.figma-gov.com/design/KEY/x", "KEY", None),
    ],
)
def test_a_key_or_a_url_names_a_file_and_perhaps_a_branch(text, main, branch):
    assert parse_file(text) == FileReference(main, branch)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "../../etc/passwd",
        "KEY/../x",
        "KEY?x=1",
        "KEY#x",
        "KEY%2F..",
        "K\u00c9Y",
        "K" * 129,
        "KEY\nX",
        "https://evil.example/design/KEY/x",
        "https://figma.com.evil.example/design/KEY",
        "https://notfigma.com/design/KEY",
        "ftp://www.figma.com/design/KEY",
        "https://www.figma.com/design/",
        "https://www.figma.com/design/..%2F..%2Fx/y",
        "https://www.figma.com/design/KEY/branch",
        "https://www.figma.com/design/KEY/branch/..%2Fx",
        "https://www.figma.com/files/project/123",
        "https://www.figma.com/community/file/123",
        "https://www.figma.com",
        "https://[/design/KEY",
        "figd_0123456789",
        "figu_0123456789",
    ],
)
def test_other_text_is_refused_with_its_location_and_advice(text):
    with pytest.raises(UsageError) as caught:
        parse_file(text, "[[files]] core")
    message = str(caught.value)
    assert message.startswith("[[files]] core: ")
    assert _EXPECTED in message or "duplicate it" in message or message.endswith("; use the file's key, KEY")
    assert text.strip() == "" or message.count(text) == _EXPECTED.count(text)


def test_a_branch_is_worked_on_by_its_own_key_and_written_with_both():
    assert FileReference("M", "B").working_key == "B"
    assert FileReference("M").working_key == "M"
    assert str(FileReference("M", "B")) == "M/branch/B"
    assert parse_file(str(FileReference("M", "B"))) == FileReference("M", "B")
