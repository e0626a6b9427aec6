"""Android resources: one oddity a file, the wanted tokens by hand, counts by ElementTree."""

from xml.etree import ElementTree as ET

import pytest
from migrate.stylesheet_sources import notes, reasons, tables, themes

from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.readers import android
from tokensync.migrate.source import Location, Source
from tokensync.system.errors import UsageError

VALUES = "app/src/main/res/values/tokens.xml"


def resources(*elements: str) -> bytes:
    return "\n".join(["<resources>", *elements, "</resources>"]).encode()


def read_values(*elements: str) -> Source:
    return android.read({VALUES: resources(*elements)})


ELEMENTS = {
    "rgb": ('<color name="x">#abc</color>', "color.x", "#abc", "color"),
    "argb": ('<color name="x">#8abc</color>', "color.x", "#abc8", "color"),
    "rrggbb": ('<color name="x">#1F6FEB</color>', "color.x", "#1F6FEB", "color"),
    "aarrggbb": ('<color name="x">#801F6FEB</color>', "color.x", "#1F6FEB80", "color"),
    "spaces": ('<color name="x">\n  #fff\n </color>', "color.x", "#fff", "color"),
    "a framework colour": ('<color name="x">@android:color/white</color>', "color.x", "#ffffff", "color"),
    "a private framework colour": ('<color name="x">@*android:color/black</color>', "color.x", "#000000", "color"),
    "another colour": ('<color name="x">@color/y</color>', "color.x", "{color.y}", "color"),
    "a colour of a package": ('<color name="x">@com.acme:color/y</color>', "color.x", "{color.y}", "color"),
    "dp": ('<dimen name="x">16dp</dimen>', "dimen.x", "16px", "dimension"),
    "dip": ('<dimen name="x">-1.5dip</dimen>', "dimen.x", "-1.5px", "dimension"),
    "sp": ('<dimen name="x">14sp</dimen>', "dimen.x", "14px", "dimension"),
    "px": ('<dimen name="x">0px</dimen>', "dimen.x", "0px", "dimension"),
    "another dimension": ('<dimen name="x">@dimen/y</dimen>', "dimen.x", "{dimen.y}", ""),
    "a float": ('<item name="x" type="dimen" format="float">0.12</item>', "dimen.x", 0.12, "number"),
    "a colour item": ('<item name="x" type="color">#fff</item>', "color.x", "#fff", "color"),
    "an integer": ('<integer name="x">300</integer>', "integer.x", 300, "number"),
    "a hexadecimal integer": ('<integer name="x">0x1F</integer>', "integer.x", 31, "number"),
    "a negative integer": ('<integer name="x">-1</integer>', "integer.x", -1, "number"),
    "a boolean": ('<bool name="x">TRUE</bool>', "bool.x", True, "boolean"),
    "a fraction": ('<fraction name="x">50%p</fraction>', "fraction.x", "50%", "number"),
    "a text": ('<string name="x" translatable="false">a {b}</string>', "string.x", "a {b}", "string"),
    "an escaped text": (
        r'<string name="x" translatable="false">it\'s \u0041\n</string>',
        "string.x",
        "it's A\n",
        "string",
    ),
    "a quoted text": ('<string name="x" translatable="false">"a  b"</string>', "string.x", "a  b", "string"),
    "a text with markup": ('<string name="x" translatable="false">a <b>c</b></string>', "string.x", "a c", "string"),
    "another text": ('<string name="x" translatable="false">@string/y</string>', "string.x", "{string.y}", ""),
    "attributes of tools": ('<color name="x" tools:ignore="a">#fff</color>', "color.x", "#fff", "color"),
}


@pytest.mark.parametrize(("element", "path", "value", "type_"), ELEMENTS.values(), ids=ELEMENTS)
def test_a_resource_is_a_token_with_a_type(element, path, value, type_):
    source = read_values(element)
    (token,) = source.sets[0].tokens
    assert (token.path, token.value, token.type) == (path, value, type_)
    assert token.at == Location(VALUES, 2)
    assert token.is_text is (type_ == "string")


REPORTED = {
    "a theme's colour": (
        '<color name="x">?attr/colorPrimary</color>',
        "?attr/colorPrimary depends on the theme of an app",
    ),
    "a short theme's color": ('<color name="x">?colorPrimary</color>', "?colorPrimary depends on the theme of an app"),
    "Android's own colour": (
        '<color name="x">@android:color/system_accent1_100</color>',
        "@android:color/system_accent1_100 belongs",
    ),
    "a drawable": ('<color name="x">@drawable/y</color>', "@drawable/y is not a design token"),
    "null": ('<color name="x">@null</color>', "'@null' is no value of <color>"),
    "millimetres": ('<dimen name="x">1mm</dimen>', "1mm is a length of paper"),
    "points": ('<dimen name="x">12pt</dimen>', "12pt is a length of paper"),
    "a word": ('<dimen name="x">match_parent</dimen>', "'match_parent' is no value of <dimen>"),
    "nothing": ('<color name="x"/>', "it has no value"),
    "no colour": ('<color name="x">#12345</color>', "'#12345' is no value of <color>"),
    "no boolean": ('<bool name="x">yes</bool>', "'yes' is no value of <bool>"),
    "a float as integer": ('<integer name="x">1.5</integer>', "'1.5' is no value of <integer>"),
    "a macro": ('<macro name="x">@color/y</macro>', "a macro is replaced by @color/y only when an app is built"),
    "a name with a brace": ('<color name="x{">#fff</color>', "this is no name of a resource; rename it"),
}


@pytest.mark.parametrize(("element", "reason"), REPORTED.values(), ids=REPORTED)
def test_what_has_no_value_of_its_own_is_reported_with_its_line(element, reason):
    source = read_values('<color name="ok">#fff</color>', element)
    (unread,) = [each for each in source.unread if each.is_token]
    assert unread.reason.startswith(reason)
    assert unread.at == Location(VALUES, 3)
    assert source.read == 2


def test_resources_without_a_value_are_counted_by_kind():
    source = read_values(
        '<attr name="a" format="color"/>',
        '<attr name="b"/>',
        '<style name="T"><item name="x">@color/a</item></style>',
        '<string name="title">Hello</string>',
        '<string-array name="s"><item>#fff</item></string-array>',
        '<declare-styleable name="V"><attr name="c"/></declare-styleable>',
        "<color>#fff</color>",
        '<weird name="w">1</weird>',
    )
    assert [(each.at.line, each.reason) for each in source.unread] == [
        (2, "<attr>, 2 times in 1 file: no design token has this form"),
        (4, "<style>, 1 time in 1 file: no design token has this form"),
        (5, "<string>, 1 time in 1 file: texts for people are not tokens"),
        (6, "<string-array>, 1 time in 1 file: no design token has this form"),
        (7, "<declare-styleable>, 1 time in 1 file: no design token has this form"),
        (8, "<color>, 1 time in 1 file: it has no name"),
        (9, "<weird>, 1 time in 1 file: this kind of resource is not read"),
    ]
    assert source.read == 0


QUALIFIERS = [
    ("night", "appearance", "light", "dark"),
    ("v31", "api", "default", "v31"),
    ("sw600dp", "smallest width", "default", "sw600dp"),
    ("w840dp", "width", "default", "w840dp"),
    ("land", "orientation", "default", "land"),
    ("ldrtl", "direction", "default", "rtl"),
    ("television", "device", "default", "television"),
    ("xlarge", "screen size", "default", "xlarge"),
    ("xxhdpi", "pixel density", "default", "xxhdpi"),
    ("de", "locale", "default", "de"),
    ("b+sr+Latn", "locale", "default", "b+sr+Latn"),
    ("pt-rBR", "locale", "default", "pt-rBR"),
    ("widecg", "gamut", "default", "widecg"),
    ("unheardof", "unheardof", "default", "unheardof"),
]


@pytest.mark.parametrize(("qualifier", "dimension", "default", "mode"), QUALIFIERS)
def test_qualifiers_are_modes(qualifier, dimension, default, mode):
    source = android.read(
        {
            "res/values/a.xml": resources('<color name="x">#fff</color>', '<color name="y">#fff</color>'),
            f"res/values-{qualifier}/a.xml": resources('<color name="x">#000</color>'),
        }
    )
    assert tables(source) == {
        "base": {"color.y": "#fff"},
        f"{dimension}/{default}": {"color.x": "#fff"},
        f"{dimension}/{mode}": {"color.x": "#000"},
    }
    assert [(each.group, each.name, each.is_default) for each in source.themes] == [
        ("base", "default", True),
        (dimension, default, True),
        (dimension, mode, False),
    ]


def test_several_qualifiers_hold_in_androids_order_of_precedence():
    files = {
        f"res/values{qualifiers}/a.xml": resources(f'<integer name="x">{number}</integer>')
        for number, qualifiers in enumerate(["", "-v31", "-v34", "-night", "-night-v31"])
    }
    source = android.read(files)
    assert tables(source) == {
        "appearance + api/light": {"integer.x": 0},
        "appearance + api/v31": {"integer.x": 1},
        "appearance + api/v34": {"integer.x": 2},
        "appearance + api/dark": {"integer.x": 3},
        "appearance + api/dark v31": {"integer.x": 4},
    }
    group = "appearance + api"
    assert themes(source)[f"{group}: v34"] == [f"{group}/light", f"{group}/v31", f"{group}/v34"]
    assert themes(source)[f"{group}: dark v31"] == [
        f"{group}/light",
        f"{group}/v31",
        f"{group}/dark",
        f"{group}/dark v31",
    ]


def test_a_resource_of_the_night_alone_has_no_invented_default():
    source = android.read({"res/values-night/a.xml": resources('<color name="x">#000</color>')})
    assert [(each.name, each.is_default) for each in source.themes] == [("dark", True)]


STATE_LISTS = {
    "one item": ('<item android:color="#fff"/>', "#fff"),
    "another colour": ('<item android:color="@color/y"/>', "{color.y}"),
    "an opacity": ('<item android:alpha="0.5" android:color="@color/y"/>', "rgba({color.y}, 0.5)"),
    "an opacity by name": ('<item android:alpha="@dimen/o" android:color="@color/y"/>', "rgba({color.y}, {dimen.o})"),
    "an opacity of a colour with alpha": (
        '<item android:alpha="0.5" android:color="#80ffffff"/>',
        "rgba(#ffffff, 0.251)",
    ),
    "an opacity of the support library": ('<item app:alpha="0.5" android:color="#fff"/>', "rgba(#fff, 0.5)"),
}
HEADER = '<selector xmlns:android="a" xmlns:app="b">'


@pytest.mark.parametrize(("item", "wanted"), STATE_LISTS.values(), ids=STATE_LISTS)
def test_a_list_of_one_state_is_its_color(item, wanted):
    files = {
        "res/color/x.xml": f"{HEADER}\n{item}\n</selector>".encode(),
        VALUES: resources('<color name="y">#fff</color>', '<item name="o" type="dimen" format="float">0.2</item>'),
    }
    source = android.read(files)
    assert tables(source)["base"]["color.x"] == wanted
    assert next(token for _, token in source.tokens() if token.path == "color.x").at == Location("res/color/x.xml", 2)
    assert not source.unread


BAD_LISTS = {
    "two states": (
        '<item android:state_enabled="false" android:color="#000"/><item android:color="#fff"/>',
        "a colour that differs in 2 states; make a token of each",
    ),
    "no state": ("", "a colour that differs in 0 states; make a token of each"),
    "one state only": (
        '<item android:state_pressed="true" android:color="#fff"/>',
        "the colour of one state only (pressed)",
    ),
    "a theme's colour": (
        '<item android:alpha=".5" android:color="?attr/a"/>',
        "?attr/a depends on the theme of an app",
    ),
    "a lightness": ('<item android:lStar="98" android:color="#fff"/>', "lStar changes the lightness"),
    "no colour": ('<item android:alpha=".5"/>', "it has no value"),
    "a theme's opacity": (
        '<item android:alpha="?attr/a" android:color="#fff"/>',
        "?attr/a depends on the theme of an app",
    ),
}


@pytest.mark.parametrize(("items", "reason"), BAD_LISTS.values(), ids=BAD_LISTS)
def test_other_lists_of_states_are_reported(items, reason):
    source = android.read({"res/color-v31/x.xml": f"{HEADER}{items}</selector>".encode()})
    assert reasons(source)["color.x"].startswith(reason)
    assert source.read == 1


def test_a_list_of_states_replaces_a_colour_in_its_mode():
    source = android.read(
        {
            "res/values/a.xml": resources('<color name="x">#fff</color>'),
            "res/color-night/x.xml": f'{HEADER}<item android:color="#000"/></selector>'.encode(),
        }
    )
    assert tables(source) == {"appearance/light": {"color.x": "#fff"}, "appearance/dark": {"color.x": "#000"}}


def test_a_resource_that_is_declared_twice_with_the_same_value_is_no_loss():
    source = read_values('<color name="x">#fff</color>', '<color name="x">#fff</color>')
    counts = convert(source, propose(source), "file").ledger.counts
    assert (counts.tokens_read, counts.tokens_migrated, reasons(source)) == (2, 2, {})


def test_a_resource_that_is_declared_twice_is_reported():
    source = read_values('<color name="x">#fff</color>', '<color name="x">#000</color>')
    assert reasons(source) == {"color.x": f"{VALUES}:3 replaces it in the same mode: '#fff' by '#000'"}
    assert source.read == 2


def test_names_of_two_types_do_not_clash_and_are_divided_at_underscores():
    source = read_values(
        *(f'<color name="brand_red_{number}">#fff</color>' for number in (50, 100, 200)),
        '<color name="x">@color/brand_red_50</color>',
        '<dimen name="x">1dp</dimen>',
    )
    assert [token.name for token in source.sets[0].tokens] == [
        ("color", "brand", "red", "50"),
        ("color", "brand", "red", "100"),
        ("color", "brand", "red", "200"),
        ("color", "x"),
        ("dimen", "x"),
    ]
    assert source.sets[0].tokens[3].value == "{color.brand.red.50}"
    assert source.sets[0].tokens[3].code_syntax == (("ANDROID", "R.color.x"),)


def test_pixels_of_a_screen_and_undeclared_names_are_noted():
    source = read_values('<dimen name="a">1px</dimen>', '<color name="b">@color/z</color>')
    assert notes(source) == {
        "": "1px are pixels of a screen; they were read as 1dp",
        "@color/z": "no file declares it; add the file that does, or give it a value",
    }


ENTITY = b'<!DOCTYPE resources [<!ENTITY a "b">]>\n<resources><color name="x">&a;</color></resources>'
BROKEN = {
    "cut off": (b'<resources>\n<color name="x">#fff</color>\n<color name="y">#f', 1, 3, "not valid XML"),
    "a wrong end": (b'<resources>\n<color name="x">#fff</colour>', 0, 2, "not valid XML"),
    "empty": (b"", 0, 1, "not valid XML"),
    "entities": (ENTITY, 0, 1, "it declares entities or refers to other files"),
    "another encoding": (b'<?xml version="1.0" encoding="utf-16"?><resources>\xff</resources>', 0, 1, "not valid XML"),
    "another document": (b"<menu/>", 0, 1, "<menu> is neither resources nor a list of colours"),
    "NUL": (b"\0", 0, 1, "not valid XML"),
}


@pytest.mark.parametrize(("content", "read", "line", "reason"), BROKEN.values(), ids=BROKEN)
def test_broken_files_are_reported_with_a_line_and_read_as_far_as_they_go(content, read, line, reason):
    source = android.read({VALUES: content})
    assert source.read == read
    assert source.unread[0].at == Location(VALUES, line)
    assert source.unread[0].reason.startswith(reason)


def test_an_encoding_that_the_bytes_do_not_have_is_no_obstacle():
    content = '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + resources(ELEMENTS["a text"][0]).decode()
    source = android.read({VALUES: content.replace("a {b}", "\N{LATIN SMALL LETTER E WITH ACUTE}").encode()})
    assert tables(source) == {"base": {"string.x": "\N{LATIN SMALL LETTER E WITH ACUTE}"}}


def test_every_resource_with_a_value_is_a_token_or_reported():
    elements = [element for element, *_ in [*ELEMENTS.values(), *REPORTED.values()]]
    numbered = [each.replace('name="x', f'name="x{number}') for number, each in enumerate(elements)]
    content = resources(*numbered).replace(b"<resources>", b'<resources xmlns:tools="t">')
    counted = [each for each in ET.fromstring(content) if each.get("name")]
    assert android.read({VALUES: content}).read == len(counted) == len(elements)


def test_only_folders_of_resources_are_recognized():
    assert android.recognized({VALUES: b"<resources/>"})
    assert android.recognized({"values-night/a.xml": b"<resources/>"})
    assert android.recognized({"res/color/a.xml": b"<selector/>"})
    assert not android.recognized(
        {"res/layout/a.xml": b"<resources/>", "values/a.xml": b"<x/>", "pom.xml": b"<resources/>"}
    )


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "defusedxml.sax", None)
    with pytest.raises(
        UsageError,
        match=r"to read XML, tokensync needs the package defusedxml of the extra 'migrate'; run `python -m pip",
    ):
        read_values()
