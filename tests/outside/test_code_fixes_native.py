"""``check --code --fix`` names the tokens of raw values in the examples' apps, which compile before and after.

``X /* token: Y */`` in a planted file is a raw value that becomes Y; what has no such comment stays as it is.
"""

import re
import shutil
from contextlib import chdir

import pytest
from checkers import ROOT
from commands.projects import tokensync
from outside.test_examples_android import declared_in, sources_of
from outside.test_examples_ios import generated_in
from outside.test_examples_ios import sources_of as swift_sources

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("code_fixes_native")]

COMPOSE = """package kite

import androidx.compose.foundation.background
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.unit.Dp
import androidx.compose.ui.unit.dp
import androidx.compose.ui.unit.sp

val alarm: Color = Color(0xFF93000A)/* Kite.base.colorAlarm30 */
val dark = Color(red = 0x69, green = 0x00, blue = 0x05)/* Kite.base.colorAlarm20 */

/** A badge; its mask is 0xFF93000A, and issue #93000A is about it. */
@Composable
fun Badge(gap: Dp = 24.dp/* Kite.base.spaceLarge */) {
    val mask = 0xFF93000A
    Box(
        Modifier.background(
            androidx.compose.ui.graphics.Color(0xFF93000A)/* Kite.base.colorAlarm30 */,
            RoundedCornerShape(12.dp/* Kite.base.cornerMedium */),
        ).padding(start = 16.dp/* Kite.base.spaceMedium */ + gap, bottom = -16.dp/* Kite.base.spaceMedium */),
    )
    println("$mask ${13.dp} ${14.sp} Color(0xFF93000A)")
}
"""
LAYOUT = """<LinearLayout xmlns:android="http://schemas.android.com/apk/res/android"
    xmlns:app="http://schemas.android.com/apk/res-auto"
    xmlns:tools="http://schemas.android.com/tools"
    android:layout_width="match_parent"
    android:layout_height="48dp"
    android:background="#93000a|@color/kite_color_alarm_30|"
    android:paddingStart="24dp|@dimen/kite_space_large|"
    tools:background="#93000a">

    <com.google.android.material.card.MaterialCardView
        android:layout_width="0dp"
        android:layout_height="wrap_content"
        android:layout_marginTop="16dp|@dimen/kite_space_medium|"
        app:cardBackgroundColor="#FF690005|@color/kite_color_alarm_20|" />
</LinearLayout>
"""
RESOURCES = """<resources>
    <style name="Badge" parent="">
        <item name="android:background">#93000a|@color/kite_color_alarm_30|</item>
        <item name="android:padding">24dp|@dimen/kite_space_large|</item>
    </style>
    <color name="alarm">#93000a|@color/kite_color_alarm_30|</color>
    <string name="issue">#93000a</string>
</resources>
"""
SWIFT = """import SwiftUI
import UIKit

/// A badge; issue #7A120D is about .padding(16).
struct Badge: View {
    let isBig: Bool
    let ink = UIColor(red: 0.4784, green: 0.0706, blue: 0.051, alpha: 1)/* UIColor(Color.colorAlert20) */

    var body: some View {
        VStack(spacing: isBig ? 32/* Tokens.spaceXl */ : 24/* Tokens.spaceLg */) {
            Text(".padding(16) #7A120D")
                .foregroundStyle(Color(red: 1, green: 0.8549, blue: 0.8392)/* Color.colorAlert90 */)
                .opacity(0.5)
        }
        .padding(.vertical, 32/* Tokens.spaceXl */)
        .background(
            Color(.sRGB, red: 122 / 255, green: 18 / 255, blue: 13 / 255)/* Color.colorAlert20 */,
            in: RoundedRectangle(cornerRadius: 12/* Tokens.radiusControl */)
        )
        .frame(minWidth: 44, maxHeight: 45.5)
    }
}
"""
_MARK = re.compile(r"/\* (?P<code>[A-Z][\w.()]*) \*/|\|(?P<xml>@\w+/\w+)\|")


def planted(text):
    """The text with raw values, and that with references instead; a value is what its language reads before a mark."""
    value = re.compile(
        r"(?P<value>(?:[a-z]\w*\.)*(?:UI)?Color\([^()]*\)|#\w+|\d+(?:\.?dp)?)(?=/\* [A-Z]|\|@)",
    )
    fixed = value.sub("", text)
    return _MARK.sub("", text), _MARK.sub(lambda match: match["code"] or match["xml"], fixed)


def fixed_in(example, files, imported=("", "")):
    """Plant the files in a copy of an example, let ``--fix`` write, and hold the texts to the wanted ones."""
    wanted, paths = {}, list(files)
    for path, text in files.items():
        raw, fixed = planted(text)
        wanted[path] = fixed.replace(*imported, 1)
        assert raw != wanted[path]
        (example / path).parent.mkdir(parents=True, exist_ok=True)
        (example / path).write_text(raw, encoding="utf-8")
    with chdir(example):
        done = tokensync("check", "--code", *paths, "--fix")
        assert {path: (example / path).read_text(encoding="utf-8") for path in files} == wanted, done.stderr
        again = tokensync("check", "--code", *paths, "--fix")
    assert {path: (example / path).read_text(encoding="utf-8") for path in files} == wanted, again.stderr


def copied(name, folder, *built):
    shutil.copytree(ROOT / "examples" / name, folder, ignore=shutil.ignore_patterns(*built, ".build", "*.outputs*"))
    with chdir(folder):
        tokensync("build")
    return folder


@pytest.fixture(scope="module")
def android(tmp_path_factory):
    return copied("android", tmp_path_factory.mktemp("examples") / "android", "tokens-res")


@pytest.fixture(scope="module")
def ios(tmp_path_factory):
    return copied("ios", tmp_path_factory.mktemp("examples") / "ios", "Sources")


def test_values_of_compose_become_members_and_the_file_compiles(android, kotlinc):
    raw, _ = planted(COMPOSE)
    kotlinc({**sources_of(android), "kite/Badge.kt": raw}, "", "-progressive")
    imported = ("unit.sp\n", "unit.sp\nimport kite.tokens.Kite\n")
    fixed_in(android, {"app/src/main/kotlin/kite/Badge.kt": COMPOSE}, imported)
    kotlinc(sources_of(android), "", "-progressive")


def test_values_of_layouts_and_styles_become_references_and_the_resources_link(android, aapt2, tmp_path):
    main = "app/src/main/"
    files = {f"{main}res/layout/badge.xml": LAYOUT, f"{main}res/values/badge.xml": RESOURCES}
    fixed_in(android, files)
    linked = aapt2(declared_in(tmp_path), android / main / "tokens-res", android / main / "res")
    assert linked["color/alarm"] == {"": "@color/kite_color_alarm_30"}


def test_values_of_swiftui_and_uikit_become_members_and_the_file_compiles(ios, swift_module, swiftc):
    generated = swift_module("LanternTokens", swift_sources(generated_in(ios)), "-swift-version", "5")
    options = ("-parse-as-library", "-swift-version", "5", "-I", generated)
    raw, _ = planted(SWIFT)
    swiftc({**swift_sources(ios / "Lantern"), "Badge.swift": raw}, *options)
    imported = ("import SwiftUI\n", "import LanternTokens\nimport SwiftUI\n")
    fixed_in(ios, {"Lantern/Badge.swift": SWIFT}, imported)
    swiftc(swift_sources(ios / "Lantern"), *options)


def test_fixed_swift_is_whole_for_another_parser(ios, swift):
    raw, wanted = planted(SWIFT)
    swift(raw)
    swift(wanted)
