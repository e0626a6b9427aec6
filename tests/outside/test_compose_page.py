"""The commands of docs/targets/compose.md lead to a screen, which real Compose shows in light, dark and a brand."""

import re
import shutil

import pytest
from shown_commands import ROOT, differences

pytestmark = pytest.mark.outside

SECTION = (
    (ROOT / "docs" / "targets" / "compose.md")
    .read_text(encoding="utf-8")
    .partition("\n## From nothing to a themed screen\n")[2]
    .partition("\n## ")[0]
)
REPLACE = r"""```console
$ sed -i.bak '/^\[\[outputs/,$d' tokensync.toml && cat ../output.toml >> tokensync.toml
```"""
MAIN = """package ferry
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.InternalComposeApi
import androidx.compose.ui.ImageComposeScene
import androidx.compose.ui.LocalSystemTheme
import androidx.compose.ui.SystemTheme
import androidx.compose.ui.graphics.toArgb
import androidx.compose.ui.graphics.toComposeImageBitmap
import androidx.compose.ui.graphics.toPixelMap
import design.tokens.ThemeMode
@OptIn(InternalComposeApi::class)
fun main() {
    for (brand in listOf(ThemeMode.Light, ThemeMode.IslanderLight))
        for (system in listOf(SystemTheme.Light, SystemTheme.Dark)) {
            val scene = ImageComposeScene(320, 320) {
                CompositionLocalProvider(LocalSystemTheme provides system) { App(brand) }
            }
            val pixels = scene.render().toComposeImageBitmap().toPixelMap()
            val shown = (0 until 320).flatMap { x -> (0 until 320).map { y -> pixels[x, y].toArgb().toUInt() } }
            val counts = shown.groupingBy { it.toString(16) }.eachCount().entries.sortedBy { -it.value }
            println(counts.take(2).map { it.key })
            scene.close()
        }
}
"""
SHOWN = ["[fff5f7f9, ff13748a]", "[ff0c141b, ff7cc6d3]", "[fffffaf7, ffe0603f]", "[ff0c141b, fff2876b]"]
"""The two colours that most pixels have: those of the page and of the button."""


def test_the_commands_of_the_page_lead_to_a_screen_with_a_theme_dark_and_a_brand(kotlinc, tmp_path):
    shutil.copytree(ROOT / "examples" / "quickstart", tmp_path / "examples" / "quickstart")
    ((block, output),) = re.findall(r"(```toml\n(.*?)```\n\n<!-- .*? -->)", SECTION, re.DOTALL)
    (tmp_path / "output.toml").write_text(output, encoding="utf-8")
    actual = differences(SECTION.replace(block, REPLACE), tmp_path)
    assert not actual, "\n\n".join(actual)
    sources = tmp_path / "ferry" / "app" / "src" / "main" / "kotlin"
    files = {path.relative_to(sources).as_posix(): path.read_text("utf-8") for path in sources.rglob("*.kt")}
    (screen,) = re.findall(r"```kotlin\n(.*?)```", SECTION, re.DOTALL)
    answer = kotlinc({**files, "App.kt": screen, "Main.kt": MAIN}, "ferry.MainKt", "-progressive", "-Werror")
    assert answer.splitlines() == SHOWN
