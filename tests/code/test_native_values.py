"""Raw values in Kotlin, Java, Swift and Android's XML, and the references that can replace them."""

import pytest
from commands.projects import output, project_in
from graphs import alias, collection, color, graph, token

from tokensync.code.files import parts
from tokensync.code.fitting import Fitting
from tokensync.code.literals import plain_color
from tokensync.code.native_values import imports, reference_in
from tokensync.code.raw_values import raw_values
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.project.configuration import load_project
from tokensync.tokens import Color, Quantity, Token, TokenKey, hexadecimal, shortest

LAYOUT = (
    '<LinearLayout xmlns:android="http://schemas.android.com/apk/res/android"'
    ' xmlns:app="http://schemas.android.com/apk/res-auto" xmlns:tools="http://schemas.android.com/tools"\n    {}/>\n'
)
COMPOSE = "package app\nimport androidx.compose.ui.graphics.Color\n"


def raw(path, text):
    return [value for part in parts(path, text) for value in raw_values(part, text)]


def shown(value):
    match value:
        case Color():
            return hexadecimal(value)
        case Quantity(number=number, unit=unit):
            return f"{shortest(number)}{unit}"
        case str():
            return value
    return shortest(value)


def found(path, text):
    """The raw values of a text, each as its text, its value and what it is for."""
    return [(value.text, shown(value.value), value.use) for value in raw(path, text)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Text(color = Color(0xFF112233))", ("Color(0xFF112233)", "#112233", "Text.color")),
        ("Box(Modifier.background(Color(0x80_11_22_33)))", ("Color(0x80_11_22_33)", "#11223380", "background")),
        ("val brand: Color = Color(17, 34, 51)", ("Color(17, 34, 51)", "#112233", "brand")),
        ("val a = Color(red = 0x11, green = 0x22, blue = 0x33)", (..., "#112233", "a")),
        ("val a = Color(1f, 0.5f, 0f, alpha = 0.5f)", (..., "#ff800080", "a")),
        ("Surface(color = Color.White) {}", ("Color.White", "#ffffff", "Surface.color")),
        ("x(androidx.compose.ui.graphics.Color(0xFF112233))", (..., "#112233", "x")),
        ("Modifier.padding(horizontal = 8.dp)", ("8.dp", "8", "padding.horizontal")),
        ("Modifier.offset(x = -1.5f.dp)", ("1.5f.dp", "1.5", "offset.x")),
        ("Text(fontSize = 14.sp)", ("14.sp", "14", "Text.fontSize")),
        ("clip(RoundedCornerShape(8.dp))", ("8.dp", "8", "RoundedCornerShape")),
        ("Text(fontWeight = FontWeight(600))", ("FontWeight(600)", "600", "fontWeight")),
        ("Text(fontWeight = FontWeight.SemiBold)", ("FontWeight.SemiBold", "600", "fontWeight")),
        ("Text(fontWeight = FontWeight.W300)", ("FontWeight.W300", "300", "fontWeight")),
        ("animateDpAsState(x, tween(200))", ("200", "200ms", "duration")),
        ("tween<Float>(durationMillis = 200, delayMillis = 50)", ("200", "200ms", "duration")),
        ("animate(\n    tween<Float>(\n        200,\n    )\n)", ("200", "200ms", "duration")),
        ('view.setBackgroundColor(Color.parseColor("#112233"))', (..., "#112233", "setBackgroundColor")),
        ('val accentColor = "#80112233".toColorInt()', (..., "#11223380", "accentColor")),
        ("view.setTextColor(0xFF112233.toInt())", ("0xFF112233.toInt()", "#112233", "setTextColor")),
        ("val colors = listOf(\n    0xFF112233,\n)", ("0xFF112233", "#112233", "colors")),
        ("paint.color = if (isDark) android.graphics.Color.WHITE else x", (..., "#ffffff", "color")),
        ("label.color =\n    Color.rgb(17, 34, 51)", ("Color.rgb(17, 34, 51)", "#112233", "color")),
    ],
)
def test_kotlin_has_values_of_compose_and_of_views(code, expected):
    (value,) = found("A.kt", COMPOSE + code)
    assert value == (value[0] if expected[0] is ... else expected[0], *expected[1:])


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('text.setTextColor(Color.parseColor("#123"));', ('Color.parseColor("#123")', "#112233", "setTextColor")),
        ("view.setBackgroundColor(0xFF112233);", ("0xFF112233", "#112233", "setBackgroundColor")),
        ("int accentColor = 0xff112233;", ("0xff112233", "#112233", "accentColor")),
        ("paint.setColor(Color.argb(128, 17, 34, 51));", ("Color.argb(128, 17, 34, 51)", "#11223380", "setColor")),
        ("x.setTint(ColorStateList.valueOf(0xFF112233));", ("0xFF112233", "#112233", "ColorStateList")),
        ("paint.setColor(Color.DKGRAY);", ("Color.DKGRAY", "#444444", "setColor")),
        ("private static final int[] COLORS = {\n  Color.RED };", ("Color.RED", "#ff0000", "COLORS")),
        ("animator.setDuration(200);", ("200", "200ms", "duration")),
    ],
)
def test_java_has_colours_and_durations(code, expected):
    assert found("A.java", code) == [expected]
    assert all(value.is_computed for value in raw("A.java", code)), "no reference surely compiles in Java"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (".foregroundColor(Color(red: 0.2, green: 0.4, blue: 0.6))", (..., "#336699", "foregroundColor")),
        ("let ink = Color(.sRGB, red: 17/255, green: 34.0 / 255, blue: 0.2, opacity: 0.5)", (..., "#11223380", "ink")),
        ('.fill(Color(hex: "#112233"))', ('Color(hex: "#112233")', "#112233", "fill")),
        ('.fill(Color(hex: "112233"))', ('Color(hex: "112233")', "#112233", "fill")),
        (".fill(Color(hex: 0x112233))", ("Color(hex: 0x112233)", "#112233", "fill")),
        (".fill(Color(hex: 0x80112233))", ("Color(hex: 0x80112233)", "#11223380", "fill")),
        ('.fill(Color(hex: "#11223380"))', ('Color(hex: "#11223380")', "#11223380", "fill")),
        ("let a = UIColor(displayP3Red: 0.5, green: 0.5, blue: 0.5, alpha: 1)", (..., "#808080", "a")),
        ('.fill(Color("#112233"))', ('Color("#112233")', "#112233", "fill")),
        ("view.backgroundColor = UIColor(red: 1, green: 0, blue: 0, alpha: 1)", (..., "#ff0000", "backgroundColor")),
        ("label.textColor = UIColor(white: 0.2, alpha: 1)", (..., "#333333", "textColor")),
        ("x.tintColor = .init(red: 0.2, green: 0.4, blue: 0.6, alpha: 1)", (..., "#336699", "tintColor")),
        ("let a = #colorLiteral(red: 0.2, green: 0.4, blue: 0.6, alpha: 1)", (..., "#336699", "a")),
        ("let a = Color(hue: 0.5, saturation: 1, brightness: 1)", (..., "#00ffff", "a")),
        ("let a = NSColor(calibratedRed: 0.2, green: 0.4, blue: 0.6, alpha: 1)", (..., "#336699", "a")),
        ("let (ink, gap) = (Color.white, 1)", ("Color.white", "#ffffff", "")),
        ("static let cardPadding: CGFloat = 8\n", ("8", "8", "cardPadding")),
        (".foregroundColor(.white)", (".white", "#ffffff", "foregroundColor")),
        (".foregroundStyle(isOn ? .white : .accent)", (".white", "#ffffff", "foregroundStyle")),
        (".background(Color.black.opacity(0.4))", ("Color.black", "#000000", "background")),
        (".background(Color(.white))", ("Color(.white)", "#ffffff", "background")),
        (".padding(8)", ("8", "8", "padding")),
        (".padding(.horizontal, 8)", ("8", "8", "padding")),
        (".padding([.top, .bottom], 8.5)", ("8.5", "8.5", "padding")),
        (".padding(.top, -8)", ("8", "8", "padding")),
        (".cornerRadius(8)", ("8", "8", "cornerRadius")),
        ("RoundedRectangle(cornerRadius: 8)", ("8", "8", "RoundedRectangle.cornerRadius")),
        ("VStack(alignment: .leading, spacing: isBig ? 8 : x) {", ("8", "8", "VStack.spacing")),
        (".frame(maxWidth: 8, height: height)", ("8", "8", "frame.maxWidth")),
        ("view.layer.cornerRadius = 8\n", ("8", "8", "cornerRadius")),
        (".font(.system(size: 14))", ("14", "14", "fontSize")),
        ("UIFont.systemFont(ofSize: 14)", ("14", "14", "fontSize")),
        (".font(.system(.body, weight: .bold))", (".bold", "700", "fontWeight")),
        (".fontWeight(.semibold)", (".semibold", "600", "fontWeight")),
        ("let a = Font.Weight.bold", ("Font.Weight.bold", "700", "fontWeight")),
        ("withAnimation(.easeInOut(duration: 0.2)) {", ("0.2", "0.2s", "duration")),
        ("UIView.animate(withDuration: 0.2) {", ("0.2", "0.2s", "duration")),
    ],
)
def test_swift_has_values_of_swiftui_and_uikit(code, expected):
    (value,) = found("A.swift", code)
    assert value == (value[0] if expected[0] is ... else expected[0], *expected[1:])


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ('android:textColor="#112233"', ("#112233", "#112233", "textColor")),
        ('android:background="#8123"', ("#8123", "#11223388", "background")),
        ('app:cardBackgroundColor="#80112233"', ("#80112233", "#11223380", "cardBackgroundColor")),
        ('android:textColor="@android:color/white"', ("@android:color/white", "#ffffff", "textColor")),
        ('android:layout_marginTop="8dp"', ("8dp", "8", "layout_marginTop")),
        ('android:textSize="14.5sp"', ("14.5sp", "14.5", "textSize")),
        ('android:padding=".5dip"', (".5dip", "0.5", "padding")),
        ('android:textFontWeight="600"', ("600", "600", "textFontWeight")),
        ('android:fontFamily="sans-serif-medium"', ("sans-serif-medium", "sans-serif-medium", "fontFamily")),
        ('android:duration="200"', ("200", "200ms", "duration")),
    ],
)
def test_attributes_of_android_have_values(attribute, expected):
    assert found("res/layout/a.xml", LAYOUT.format(attribute)) == [expected]


def test_resources_and_shapes_have_values():
    shape = '<shape xmlns:android="http://schemas.android.com/apk/res/android">{}</shape>'
    solid = '<solid android:color="#112233"/><corners android:radius="8dp"/>'
    assert found("res/drawable/a.xml", shape.format(solid)) == [
        ("#112233", "#112233", "solid.color"),
        ("8dp", "8", "corners.radius"),
    ]
    resources = """<resources>
    <style name="A"><item name="android:textSize">14sp</item><item name="colorPrimary"> #112233 </item></style>
    <color name="ink">#123</color><dimen name="gap">8dp</dimen><item name="b" type="dimen">9dp</item>
    <array name="c"><item>#112233</item></array>
    <string name="color">#112233</string><string-array name="d"><item>#112233</item></string-array>
    <integer name="e">200</integer><color name="f">@color/ink</color>
</resources>
"""
    assert found("res/values/a.xml", resources) == [
        ("14sp", "14", "textSize"),
        ("#112233", "#112233", "colorPrimary"),
        ("#123", "#112233", "color.ink"),
        ("8dp", "8", "dimen.gap"),
        ("9dp", "9", "dimen.b"),
        ("#112233", "#112233", "color."),
    ]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("A.kt", "// Color(0xFF112233), 8.dp, #123\n/* FontWeight.Bold /* 8.dp */ tween(200) */"),
        ("A.kt", 'val a = "Color(0xFF112233) 8.dp $b"\nval c = """FontWeight.Bold"""\nval d = "#123456"'),
        (
            "A.kt",
            "val mask = 0xFFFFFFFF\nval hash = 31 * 0x811C9DC5\nval colorMask = 0xFF00FF00\nval x = c and 0xFF000000",
        ),
        ("A.kt", "val a = 0.dp\nval b = Color(0x00112233)\nval c = Color.Transparent\nval d = Color.Unspecified"),
        ("A.kt", "startActivityForResult(intent, 200)\ndelay(200)\nBitmap.createBitmap(200, 200, config)\nlist(8).dp"),
        ("A.kt", "@Preview(backgroundColor = 0xFFFFFFFF, widthDp = 320)\nfun a() {}"),
        ("A.kt", "assertEquals(Color(0xFF112233), b)\nassertThat(c).isEqualTo(8.dp)"),
        ("A.kt", "Font(R.font.inter_bold, FontWeight.Bold)"),
        ("A.kt", 'val issue = "#123"\nval url = "https://a.b/#112233"\nimport a.Color.White'),
        ("A.java", "int flags = 0xFF112233; int id = R.color.a; // Color.RED\nfoo(0xFF112233); Color.TRANSPARENT;"),
        ("A.java", "import static android.graphics.Color.WHITE;\nint x = color & 0xFF000000;"),
        ("A.swift", '// .padding(8)\n/* Color.white */ let a = ".padding(8) #112233"'),
        (
            "A.swift",
            "let a = 8\nfoo(8)\nlist[8]\n.lineLimit(8)\n.frame(width: width * 8)\n.padding(x + 8)\n.padding(0)",
        ),
        ("A.swift", "XCTAssertEqual(UIColor(red: 1, green: 0, blue: 0, alpha: 1), a)\n#expect(b == Color.white)"),
        ("A.swift", 'Color.clear; Color.blue; Color("Brand"); Color(.systemBackground); UIColor(named: "a")'),
        (
            "A.swift",
            "enum Piece { case white, black }\nlet a: Piece = .white\nmove(.black)\nDispatchQueue.main.async(8)",
        ),
        ("A.swift", 'let commit = "#a1b2c3"\nlet bits = 0xFFFFFF\nURLRequest(url: a, duration: 8)'),
        ("a.xml", LAYOUT.format('tools:background="#112233" android:text="#123" android:padding="0dp"')),
        ("a.xml", LAYOUT.format('android:background="#00112233" android:layout_width="2px" android:alpha="0.5"')),
        ("a.xml", LAYOUT.format('android:padding="@dimen/a" android:textColor="?attr/b" android:id="@+id/c8dp"')),
        ("a.xml", '<svg fill="#112233" xmlns:a="b" a:fill="#112233"/>'),
        ("a.xml", f"<!-- {LAYOUT.format('android:textColor=#112233')} --><a/>"),
        (
            "a.xml",
            '<vector xmlns:android="http://schemas.android.com/apk/res/android" android:width="24dp">'
            '<path android:fillColor="#FF000000" android:pathData="M8,8"/></vector>',
        ),
    ],
)
def test_what_is_no_value_of_a_design_is_none(path, code):
    assert found(path, code) == []


def test_values_have_the_offsets_of_what_a_reference_replaces():
    text = f'\ufeff{COMPOSE}/* ä */ val a = listOf("ü", Color(0xFF112233), 8.dp) // 9.dp\n'
    assert [text[value.start : value.end] for value in raw("A.kt", text)] == ["Color(0xFF112233)", "8.dp"]


@pytest.mark.parametrize("path", ["A.kt", "A.java", "A.swift", "a.xml"])
@pytest.mark.parametrize("unit", ["(", "1,", "=1,", "[{", '"', "1", "a.", "Color(", "<a ", ':x="#', "\\", "/*", "8.dp"])
def test_any_text_is_read_to_its_end_in_linear_time(path, unit):
    text = 'color <resources Color.white x="schemas.android.com/apk/res" y:z="' + unit * 50_000
    raw(path, text)


def written(value, type_, texts, *, scopes=(), is_constant=True):
    token = Token(key=TokenKey("one", "theme", "a"), type=type_, values=(), scopes=scopes)
    reference = reference_in(value, token, texts, is_constant=is_constant)
    return (reference.text, reference.is_exact) if reference else None


TEXTS = {
    "compose": ("Kite.base.a",),
    "android": ("R.color.a", "@color/a"),
    "ios": ("Color.a", ".a", "Tokens.a"),
}


@pytest.mark.parametrize(
    ("path", "code", "type_", "expected"),
    [
        ("A.kt", "x(Color(0xFF112233))", "color", ("Kite.base.a", True)),
        ("A.kt", "x(8.dp)", "dimension", ("Kite.base.a", True)),
        ("A.kt", "x(8.dp)", "number", ("Kite.base.a.dp", True)),
        ("A.kt", "x(8.sp)", "dimension", ("Kite.base.a.value.sp", False)),
        ("A.kt", "x(tween(200))", "duration", ("Kite.base.a.inWholeMilliseconds.toInt()", True)),
        ("A.kt", "x(FontWeight.Bold)", "fontWeight", ("Kite.base.a", True)),
        ("A.kt", "x(FontWeight.Bold)", "number", None),
        ("A.kt", "x.setTextColor(0xFF112233)", "color", ("Kite.base.a", False)),
        ("A.java", "x.setTextColor(0xFF112233)", "color", ("R.color.a", False)),
        ("A.swift", ".fill(Color(hex: 0x112233))", "color", ("Color.a", True)),
        ("A.swift", ".fill(.white)", "color", ("Color.a", True)),
        ("A.swift", ".fill(Color(hex: 0xFF112233))", "color", ("Color.a", False)),
        ("A.swift", "Badge(color: .white)", "color", ("Color.a", False)),
        ("A.swift", "HStack(spacing: 8)", "dimension", ("Color.a", True)),
        ("A.swift", "Badge(spacing: 8)", "dimension", ("Color.a", False)),
        ("A.swift", "x.tintColor = UIColor.white", "color", ("UIColor(Color.a)", True)),
        ("A.swift", "x.tintColor = .white", "color", ("Color.a", False)),
        ("A.swift", ".fontWeight(.bold)", "fontWeight", ("Color.a", False)),
        ("a.xml", LAYOUT.format('android:textColor="#112233"'), "color", ("@color/a", True)),
        ("a.xml", '<resources><color name="a">#112233</color></resources>', "color", ("@color/a", False)),
        ("a.xml", LAYOUT.format('android:padding="8dp"'), "dimension", None),
    ],
)
def test_references_have_the_form_of_the_place_and_say_whether_they_surely_compile(path, code, type_, expected):
    text = COMPOSE + code if path == "A.kt" else code
    (value,) = raw(path, text)
    assert written(value, type_, TEXTS) == expected


def test_members_of_collections_with_modes_are_not_written_in_kotlin_where_only_a_composition_reads_them():
    (value,) = raw("A.kt", f"{COMPOSE}val a = Color(0xFF112233)")
    assert written(value, "color", TEXTS, is_constant=False) == ("Kite.base.a", False)


def test_resources_are_read_in_compositions_if_no_output_is_for_compose():
    (color, length) = raw("A.kt", f"{COMPOSE}x(Color(0xFF112233), 8.dp)")
    assert written(color, "color", {"android": ("R.color.a", "@color/a")}) == ("colorResource(R.color.a)", False)
    assert written(length, "dimension", {"android": ("R.dimen.a",)}) == ("dimensionResource(R.dimen.a)", False)


def test_sizes_of_text_are_replaced_by_sizes_of_text_only():
    (value,) = raw("a.xml", LAYOUT.format('android:textSize="14sp"'))
    texts = {"android": ("R.dimen.a", "@dimen/a")}
    assert written(value, "dimension", texts, scopes=("FONT_SIZE",)) == ("@dimen/a", True)
    assert written(value, "dimension", texts, scopes=("GAP",)) == ("@dimen/a", False)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outputs = output("compose", "out/kotlin", "[outputs.options]", 'package = "kite.tokens"', 'name = "Kite"')
    project_in(tmp_path, outputs=outputs + output("ios", "Kit/Sources/KiteTokens"))
    return load_project()


@pytest.mark.parametrize(
    ("path", "text", "references", "expected"),
    [
        (
            "A.kt",
            "package a\n\nimport b.C\nimport z.Z\n",
            ["Kite.base.x"],
            "import b.C\nimport kite.tokens.Kite\nimport z.Z",
        ),
        ("A.kt", "package a\nfun b() {}\n", ["Kite.base.x"], "package a\nimport kite.tokens.Kite\nfun"),
        ("A.kt", "package a\r\nimport b.C\r\n", ["Kite.base.x"], "import b.C\r\nimport kite.tokens.Kite\r\n"),
        ("A.kt", "package kite.tokens\n", ["Kite.base.x"], None),
        ("A.kt", "import kite.tokens.*\n", ["Kite.base.x"], None),
        ("A.kt", "import kite.tokens.Kite\n", ["Kite.base.x"], None),
        ("A.kt", "import b.C\n", [], None),
        ("A.swift", "import SwiftUI\n\nstruct A {}\n", ["Tokens.x"], "import KiteTokens\nimport SwiftUI\n"),
        ("A.swift", "import UIKit\n", ["UIColor(Color.x)"], "import KiteTokens\nimport SwiftUI\nimport UIKit\n"),
        (
            "A.swift",
            "// A\n#if os(iOS)\nimport UIKit\n#endif\n",
            ["Tokens.x"],
            "import KiteTokens\n// A\n#if os(iOS)\n",
        ),
        ("A.kt", "\ufeffpackage a\n", ["Kite.base.x"], "\ufeffpackage a\nimport kite.tokens.Kite\n"),
        ("A.swift", "\ufeffimport SwiftUI\n", ["Tokens.x"], "\ufeffimport KiteTokens\nimport SwiftUI\n"),
        ("Kit/Sources/KiteTokens/A.swift", "import SwiftUI\n", ["Tokens.x"], None),
    ],
)
def test_files_import_what_their_references_name(project, path, text, references, expected):
    edits = imports(project, path, text, "swift" if path.endswith(".swift") else "kotlin", references)
    if expected is None:
        assert edits == ()
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    assert expected is None or expected in text


BASE = collection("Base")
THEME = collection("Theme", "Light", "Dark")
SEMANTIC = collection("Semantic")
TOKENS = (
    token(BASE, "space/24", 24.0, type="dimension"),
    token(BASE, "font-size/14", 14.0, type="dimension", scopes=("FONT_SIZE",)),
    token(THEME, "gap", 16.0, 16.0, type="dimension"),
    token(THEME, "ink", color("#112233"), color("#112233")),
    token(SEMANTIC, "page/gap", alias("Theme", "gap"), type="dimension"),
    token(SEMANTIC, "page/top", 8.0, type="dimension"),
)


@pytest.mark.parametrize(
    ("path", "code", "reference", "is_written"),
    [
        ("A.kt", "padding(24.dp)", "DesignTokens.base.space24", True),
        ("A.kt", "Text(fontSize = 14.sp)", "DesignTokens.base.fontSize14", True),
        ("A.kt", "padding(16.dp)", "DesignTokens.semantic.pageGap", False),
        ("A.kt", "padding(8.dp)", "DesignTokens.semantic.pageTop", False),
        ("A.kt", "Text(color = Color(0xFF112233))", "DesignTokens.theme.ink", False),
        ("A.swift", ".foregroundColor(Color(hex: 0x112233))", "Color.ink", True),
        ("A.swift", ".padding(16)", "Tokens.pageGap", True),
        ("A.java", "setTextColor(0xFF112233)", "R.color.ink", False),
        ("a.xml", LAYOUT.format('android:textColor="#112233"'), "@color/ink", True),
        ("a.xml", LAYOUT.format('android:textSize="14sp"'), "@dimen/font_size_14", True),
    ],
)
def test_tokens_of_the_outputs_fit_and_are_written_if_that_compiles(
    tmp_path, monkeypatch, path, code, reference, is_written
):
    monkeypatch.chdir(tmp_path)
    project_in(tmp_path, outputs="".join(output(each, f"out/{each}") for each in ("compose", "android", "ios")))
    fitting = Fitting(load_project(), graph(BASE, THEME, SEMANTIC, *TOKENS))
    (value,) = raw(path, COMPOSE + code if path == "A.kt" else code)
    assert fitting.fits(value)[0].reference == reference
    written = fitting.unambiguous(value)
    assert (written is not None) == is_written


COLORS = ("#112233", "#11223380", "#ffffff", "#00ff0001", "#0969da")
LENGTHS = (1.0, 24.0, 7.5)


@pytest.mark.parametrize(("platform", "names"), [("compose", "{}{}"), ("android", "{}_{}")])
def test_what_an_output_declares_is_read_with_the_same_value(platform, names):
    tokens = [token(BASE, f"color/{number}", plain_color(digits)) for number, digits in enumerate(COLORS)]
    tokens += [token(BASE, f"gap/{int(length)}", length, type="dimension") for length in LENGTHS]
    files, problems = generate(graph(BASE, *tokens), OutputRequest(platform=platform))
    assert problems == ()
    declared = {}
    for file in files:
        for value in raw(file.path, file.content.decode()):
            declared[value.use.rpartition(".")[2]] = shown(value.value)
    expected = {names.format("color", number): digits for number, digits in enumerate(COLORS)}
    lengths = {names.format("gap", int(length)): shortest(length) for length in LENGTHS}
    assert declared == expected | lengths
