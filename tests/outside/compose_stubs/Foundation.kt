// The system's appearance, which a test sets.
package androidx.compose.foundation

import androidx.compose.runtime.Composable
import androidx.compose.runtime.ReadOnlyComposable

var systemIsDark: Boolean = false

@Composable
@ReadOnlyComposable
fun isSystemInDarkTheme(): Boolean = systemIsDark
