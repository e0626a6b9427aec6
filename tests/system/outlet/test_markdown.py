"""Texts escaped for Markdown and for messages of commits mean the same to a renderer, to a forge and to a reader."""

import re
import subprocess

import lxml.html
import pytest
from ci_runners import commands
from forge_rules import read_in_text, read_on_page
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from system.outlet.hostile_texts import FOREIGN, everywhere

from tokensync.system.outlet import readable, visible
from tokensync.system.outlet.documents import message
from tokensync.system.outlet.markdown import LARGEST, Block, code, document, header, plain, row, text

TEXTS = st.lists(st.sampled_from([*FOREIGN, *"@#/[]`|&<>:!*_-.\\~$% \n1aZ日"]), max_size=8).map("".join)


def rendered(markdown: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(markdown)


class TestTheReader:
    @pytest.mark.parametrize("foreign", ["@team", "fixes #1", "gh-1 closes gh-1", "[skip ci]", "/close", "bors r+"])
    def test_it_finds_each_of_these(self, foreign):
        assert read_in_text(foreign)

    @pytest.mark.parametrize("foreign", ["@team", "see #1", "https://example.com", "WEB-12", "a GH-1"])
    def test_it_finds_links_on_a_page_outside_code_only(self, foreign):
        assert read_on_page(f"<p>{foreign}</p>")
        assert read_on_page(f"<p>a <code>{foreign}</code> b</p>") == []

    def test_an_entity_alone_keeps_nothing_from_it(self):
        assert read_on_page(rendered("a &#x40;team"))


class TestForeignTexts:
    @pytest.mark.parametrize("foreign", FOREIGN, ids=ascii)
    def test_nothing_is_linked_closed_skipped_or_commanded(self, foreign):
        source = everywhere(foreign)
        assert read_on_page(rendered(source)) == []
        assert read_in_text(source) == []
        assert commands(source) == []

    @given(TEXTS)
    def test_nor_in_what_they_make_together(self, foreign):
        source = everywhere(foreign)
        assert read_on_page(rendered(source)) == []
        assert read_in_text(source) == []

    @given(TEXTS)
    def test_the_reader_sees_the_text(self, foreign):
        in_html = f"<summary>x {plain(foreign)} x</summary>"
        for page, shown in (
            (rendered(f"x {code(foreign)} x"), readable(foreign)),
            (rendered(f"x {plain(foreign)} x"), visible(foreign)),
            (in_html, visible(foreign)),
        ):
            seen = lxml.html.fromstring(page).text_content()
            assert re.sub(r"\s+", " ", seen).strip() == re.sub(r"\s+", " ", f"x {shown} x")

    def test_the_structure_is_ours(self):
        tags = {each.tag for each in lxml.html.fromstring(rendered(everywhere("a"))).iter()}
        for foreign in FOREIGN:
            page = lxml.html.fromstring(rendered(everywhere(foreign)))
            assert {each.tag for each in page.iter()} <= tags | {"code", "wbr"}
            assert len(page.xpath("//td")) == 2

    @pytest.mark.parametrize(
        ("foreign", "then"),
        [
            ("color/brand/500", "`color/brand/500`"),
            ("gray-500", "`gray-500`"),
            ("#ffaa00", "`#ffaa00`"),
            ("#112233", "<code>&#x23;112233</code>"),
            ("a|b", "<code>a&#x7c;b</code>"),
        ],
    )
    def test_usual_names_stay_as_they_are(self, foreign, then):
        assert code(foreign) == then

    def test_prose_stays_prose(self):
        assert plain("2 variables refer to it: at 40 %, see tokens/a.json") == (
            "2 variables refer to it: at 40 %, see tokens/a.json"
        )
        assert plain("ask @team") == "ask <code>&#x40;team</code>"


def table(rows: int, letters: str) -> Block:
    return Block(header("", "token"), tuple(row(plain(f"{at}"), code(letters)) for at in range(rows)))


class TestLength:
    @pytest.mark.parametrize("letter", ["a", "日", "🎨"])
    @pytest.mark.parametrize("size", [LARGEST - 1, LARGEST, LARGEST + 1])
    def test_it_is_whole_up_to_the_limit_of_a_comment(self, letter, size):
        rows = table(880, letter * 60)
        missing = size - len(document([rows], 10**6)) - 1
        whole = document([rows, Block((text("{}", plain("x" * missing)),))], 10**6)
        assert len(whole) == size
        cut = document([rows, Block((text("{}", plain("x" * missing)),))])
        assert len(cut) <= LARGEST
        assert (cut == whole) == (size <= LARGEST)

    def test_it_is_cut_at_whole_rows_with_a_count_and_uses_the_space(self):
        opened = (text("<details><summary>a</summary>"), text(""))
        tail = (text(""), text("</details>"))
        blocks = [
            table(5000, "日" * 40)._replace(head=(*opened, *header("", "token")), tail=tail, more=7) for _ in range(3)
        ]
        blocks.append(Block((text("last"),)))
        cut = document(blocks)
        assert LARGEST - 400 < len(cut) <= LARGEST
        assert cut.count("<details>") == cut.count("\n</details>\n") == 3
        shown = [len(re.findall(r"(?m)^\| \d+ \|", part)) for part in cut.split("</details>")[:3]]
        omitted = [int(each.replace(",", "")) for each in re.findall(r"\n\n… and ([\d,]+) more\n", cut)]
        assert [sum(each) for each in zip(shown, omitted, strict=True)] == [5007] * 3
        assert max(shown) - min(shown) < 10
        assert cut.endswith("\nlast\n")
        assert all(line.endswith("|") for line in cut.splitlines() if line.startswith("|"))

    def test_a_short_part_is_shown_whole_beside_a_long_one(self):
        cut = document([table(9000, "a" * 50), table(3, "short")])
        assert cut.count("`short`") == 3

    def test_parts_that_do_not_fit_are_counted(self):
        cut = document([Block((text("## {}", code("a" * 100)),)) for _ in range(2000)])
        shown = cut.count("##")
        assert len(cut) <= LARGEST
        assert cut.endswith(f"… and {2000 - shown:,} more parts\n")

    def test_the_rows_of_parts_that_do_not_fit_are_counted(self):
        long = Block((text("{}", plain("a" * (LARGEST - 300))),))
        assert document([long, table(3, "x")._replace(head=(plain("b" * 400),), more=2)]).endswith(
            "\n… and 1 more part with 5 rows\n"
        )


def test_mail_addresses_are_not_linked():
    assert "mailto:" not in rendered(everywhere("Reviewed-by: x <x@y.example>"))


def trailers(text: str) -> str:
    command = ["git", "interpret-trailers", "--parse"]
    return subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout.decode()


def cleaned(text: str) -> str:
    """What git makes of a message that was edited."""
    command = ["git", "stripspace", "--strip-comments"]
    return subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout.decode()


def test_git_finds_a_trailer_and_a_comment_where_there_is_one():
    assert trailers("a\n\nCo-authored-by: x <x@example.com>\n")
    assert cleaned("a\n\n# b\n") == "a\n"


@pytest.mark.parametrize("foreign", FOREIGN, ids=ascii)
def test_foreign_texts_mean_nothing(foreign):
    leads = ("+ ", "- ", "~ ", "  * ")
    text = message(foreign, [[(lead, foreign) for lead in leads], [("  * ", foreign)]])
    assert read_in_text(text) == []
    assert trailers(text) == ""
    assert cleaned(text) == text.rstrip() + "\n"
    assert commands(text) == []
    subject, empty, *body = text.splitlines()
    assert len(subject) <= 72
    assert empty == ""
    assert len(body) == 5


def test_usual_texts_stay_as_they_are():
    text = message("1 changed", [[("~ ", "theme / gray-500"), ("  * ", "in dark: #0b6e7a -> 16")]])
    assert text == "Update design tokens: 1 changed\n\n~ theme / gray-500\n  * in dark: #0b6e7a -> 16\n"


def test_a_long_body_is_cut_at_whole_changes_with_a_count():
    text = message("many", [[("+ ", f"token {at}"), ("  * ", "日" * 50)] for at in range(5000)], 11)
    lines = text.splitlines()
    shown = sum(line.startswith("+ ") for line in lines)
    assert len(text) < 21_000
    assert lines[-1] == f"… and {5011 - shown:,} more"
    assert lines[-2].startswith("  * ")


def test_a_message_without_changes_is_a_subject():
    assert message("no changes", []) == "Update design tokens: no changes"


def test_names_that_mention_nobody_stay_readable():
    kept = "icon@24 and #11223344"
    assert kept in message("x", [[("~ ", kept)]])
