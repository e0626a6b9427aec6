"""Minified style sheets and modules stay whole inside <style> and <script>."""

import pytest
from graphs import collection, graph, token
from targets.hostile_graphs import hostile_examples

from tokensync.generate import OutputRequest
from tokensync.targets import generate

pytestmark = pytest.mark.outside

MARKUP = (
    *("</style>", "</STYLE >", "</script>", "</ScRiPt/x", "<!--", "-->", "]]>", "\\</style>", "\\3c /style>"),
    *("<\\/style>", "\0</style>", "\ud800</style\t", "</style", "<!--<script>"),
)


def marked():
    """A graph with markup wherever a design file has text."""
    of = collection("</style>", "</style>", "Dark </style> <!--")
    return graph(
        of,
        *(
            token(
                of,
                f"{text} {type_}",
                text,
                type=type_,
                description=text,
                code_syntax=(("WEB", f"var(--{text})"),),
                deprecated=text,
            )
            for text in MARKUP
            for type_ in ("string", "fontFamily")
        ),
    )


def test_no_text_ends_the_element_that_a_minified_file_is_put_into(minify):
    graphs = [marked(), *hostile_examples(12)]

    def files(platform):
        several = (generate(each, OutputRequest(platform=platform))[0] for each in graphs)
        return [content.decode() for files in several for path, content in files if path.endswith((".css", ".js"))]

    sheets, modules = [*files("css"), *files("tailwind")], files("typescript")
    minified = minify(sheets, modules)
    assert len(minified) == 2 * len(sheets) + len(modules)
    for each in minified[: 2 * len(sheets)]:
        assert "</style" not in each.lower()
    for each in minified[2 * len(sheets) :]:
        assert "</script" not in each.lower()
