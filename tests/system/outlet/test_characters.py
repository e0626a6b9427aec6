"""What nobody sees is never written raw, in all of Unicode and by every outlet; emoji and words stay readable."""

import json
import shutil
import subprocess
import tomllib
import unicodedata
from functools import cache

import pytest

from tokensync.extract.client.responses import one_line
from tokensync.report import script_json
from tokensync.system import resources
from tokensync.system.outlet import readable
from tokensync.system.outlet.characters import _spelled, javascript, visible
from tokensync.system.outlet.documents import in_json, in_toml, message, page
from tokensync.system.outlet.findings import Finding, sarif, workflow_commands
from tokensync.system.outlet.markdown import code, fenced, plain
from tokensync.system.outlet.terminal import line, shown, table
from tokensync.system.problems import problem

LISTED = "\xad\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0" + "".join(
    chr(code)
    for first, last in ((0x180B, 0x180F), (0x206A, 0x206F), (0xFE00, 0xFE0F), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F))
    for code in range(first, last + 1)
)
EVERY = "".join(map(chr, range(0x110000)))
PIECES = [EVERY[at : at + 0x1000] for at in range(0, 0x110000, 0x1000)]
SOME = [*PIECES[:0x40], PIECES[0xE0], EVERY[0x40000::61]]
"""From there on, all are unassigned or private, except in the piece of the tags."""

EMOJI = (*("❤️", "👨‍👩‍👧‍👦", "👩🏽‍🚀", "🏳️‍🌈", "🏴‍☠️", "1️⃣", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇺🇦", "👁️‍🗨️", "🧑‍🦰", "🐦‍⬛", "🏃‍➡️", "☎️", "🤷🏿‍♀️"),)
WORDS = (
    *("می‌خواهم", "نیم‌فاصله", "۱۴۰۰ ه‍", "क्‍ष", "क्‌ष", "र‍्य", "ശ്‍", "ক্‌ষ", "র‍্যাব", "ಕ್‌ಷ", "ශ්‍රී"),
    *("日本　語", "Größe", "e\u0301", "ก่ำ", "עִבְרִית", "нитка №1", "a…b – “c”"),
)
OUTLETS = {
    "terminal": line,
    "part of a line": shown,
    "name": lambda text: readable(text, 10**9),
    "Markdown code": lambda text: "".join(code(text[at : at + 10]) for at in range(0, len(text), 10)),
    "Markdown text": plain,
    "Markdown block": fenced,
    "message": lambda text: "".join(message("", [[("+ ", text[at : at + 1024])]]) for at in range(0, len(text), 1024)),
    "HTML": lambda text: page(text.encode("utf-8", "replace")),
    "JSON": lambda text: in_json(json.dumps(text, ensure_ascii=False)),
    "JSON in a page": script_json,
    "TOML": in_toml,
    "server's answer": one_line,
    "annotation": lambda text: "".join(in_annotations(text)),
    "SARIF": lambda text: json.dumps(sarif([Finding(problem("limit-near", "", text, ""))]), ensure_ascii=False),
}


@cache
def unseen():
    """Return the characters that nobody sees. Each worker loads this module, and one of them needs these."""
    named = {each for each in EVERY if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    return named | {*LISTED, *map(chr, range(0xE0100, 0xE01F0))}


def in_annotations(text):
    for at in range(0, len(text), 256):
        piece = text[at : at + 256]
        yield from workflow_commands([Finding(problem("limit-near", "", piece, ""), piece, 1)])


@pytest.mark.parametrize("name", OUTLETS)
def test_no_outlet_writes_what_nobody_sees(name):
    pieces = PIECES if name in ("terminal", "JSON") else SOME
    written = set().union(*map(OUTLETS[name], pieces))
    assert sorted(written & unseen() - {"\n"})[:5] == []
    assert set("Aé日🎨\u0627") <= written


def test_no_table_does_either():
    assert set("".join(table([[f"a{each}b", each] for each in (*LISTED, "\x1b", "\u202e")]))) & unseen() == set()


@pytest.mark.parametrize("text", EMOJI + WORDS, ids=ascii)
def test_emoji_and_words_stay(text):
    for around in ("{}", "a {} b", "{0}{0}"):
        whole = around.format(text)
        assert visible(whole) == whole
        assert line(whole) == shown(whole) == readable(whole) == whole
        assert code(whole) in (f"`{whole}`", f"<code>{whole.replace('#', '&#x23;')}</code>")


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("a\u200db", r"a\u200db"),
        ("a\u200cb", r"a\u200cb"),
        ("\u200d👩", "\\u200d👩"),
        ("👩\u200d", "👩\\u200d"),
        ("👩\u200d\u200d🚀", "👩\\u200d\\u200d🚀"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f\\ufe0f"),
        ("a\ufe0f", r"a\ufe0f"),
        ("\U0001faff\ufe0f", r"\U0001faff\ufe0f"),
        ("🏴\U000e0061\U000e007f", "🏴\\U000e0061\\U000e007f"),
        ("\U000e0041", r"\U000e0041"),
        ("م\u200c\u200cم", "م\\u200c\\u200cم"),
        ("\ud800 \x1b[2J\r\n", r"\ud800 \x1b[2J\r\n"),
        ("a\u00a0b", r"a\xa0b"),
        ("Z" + "\u0301" * 11, "Z" + "\u0301" * 8 + r"\u0301" * 3),
        ("\u3164", r"\u3164"),
    ],
    ids=ascii,
)
def test_the_rest_is_spelled_in_one_unambiguous_way(text, then):
    assert visible(text) == then
    assert visible(then) == then
    assert json.loads(in_json(json.dumps(text, ensure_ascii=False))) == text
    assert all(each.isprintable() for each in in_json(json.dumps(text, ensure_ascii=False)))


def test_toml_and_json_read_back_as_every_character():
    for piece in SOME:
        text = "".join(each for each in piece if not "\ud800" <= each <= "\udfff")
        assert (json.loads(in_json(json.dumps(text, ensure_ascii=False))) == text) is True  # without a long diff
        assert (tomllib.loads(f"a = {in_toml(text)}")["a"] == text) is True


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not on the path")
def test_the_report_s_script_shows_the_same():
    source = f"""
        const UNSEEN = /{javascript()}/gu;
        {resources.read_text("templates", "report", "words.js")}
        const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify(texts.map(visible)));
    """
    sequences = [
        "a\u200db",
        "👩\u200d\u200d🚀",
        "🏴\U000e0061\U000e007f",
        "Z" + "\u0301" * 11,
        "a\ufe0f",
        "م\u200c\u200cم",
    ]
    # Another version of Unicode may have assigned more characters.
    texts = [*EMOJI, *WORDS, *sequences, *(each for each in EVERY if unicodedata.category(each) != "Cn")]
    done = subprocess.run(["node", "-e", source], input=json.dumps(texts).encode(), check=True, capture_output=True)
    pairs = zip(map(visible, texts), json.loads(done.stdout), strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]][:5] == []


def test_a_character_is_spelled_by_its_code_point():
    assert [_spelled(each) for each in "\n\x1b\u202e\U000e0041"] == [r"\n", r"\x1b", r"\u202e", r"\U000e0041"]
