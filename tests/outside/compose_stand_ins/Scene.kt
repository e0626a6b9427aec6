// Not a stand-in: composes content without a screen, where the system is light or dark.
package scene

import androidx.compose.runtime.Composable
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.InternalComposeApi
import androidx.compose.ui.ImageComposeScene
import androidx.compose.ui.LocalSystemTheme
import androidx.compose.ui.SystemTheme

@OptIn(InternalComposeApi::class)
fun composed(dark: Boolean = false, content: @Composable () -> Unit) {
    val theme = if (dark) SystemTheme.Dark else SystemTheme.Light
    ImageComposeScene(8, 8) { CompositionLocalProvider(LocalSystemTheme provides theme, content = content) }.close()
}
