import pytest

from tokensync.client import FileReference, parse_file
from tokensync.errors import UsageError

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
    assert _EXPECTED in message or "duplicate it" in message
    assert text.strip() == "" or message.count(text) == _EXPECTED.count(text)


def test_a_branch_is_worked_on_by_its_own_key_and_written_with_both():
    assert FileReference("M", "B").working_key == "B"
    assert FileReference("M").working_key == "M"
    assert str(FileReference("M", "B")) == "M/branch/B"
    assert parse_file(str(FileReference("M", "B"))) == FileReference("M", "B")
