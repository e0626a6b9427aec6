// Android's context of a composition, which has only one service.
package androidx.compose.ui.platform

import android.app.UiModeManager
import androidx.compose.runtime.ProvidableCompositionLocal
import androidx.compose.runtime.staticCompositionLocalOf

class Context {
    @Suppress("UNCHECKED_CAST")
    fun <T> getSystemService(type: Class<T>): T? = if (type == UiModeManager::class.java) UiModeManager() as T else null
}

val LocalContext: ProvidableCompositionLocal<Context> = staticCompositionLocalOf { Context() }
