"""The filter ``lines`` of templates."""

from tokensync.generate.naming.templates import lines


def test_comments_stand_before_their_rows_with_the_margin_of_the_form():
    comments = {"--b": ["/* Group */", "/* At 50%\n   of %s. */"], "--c": ["/* Nobody's. */"]}
    written = lines([("--a", "1px"), ("--b", "2px")], "    %s: %s;", comments=comments)
    assert written.split("\n") == [
        "    --a: 1px;",
        "",
        "    /* Group */",
        "",
        "    /* At 50%",
        "       of %s. */",
        "    --b: 2px;",
    ]
