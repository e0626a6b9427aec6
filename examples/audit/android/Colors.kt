package ferry.ui

import androidx.compose.ui.graphics.Color

object LightColors {
    val backgroundPage = Color(0xFFF5F7F9)
    val textPrimary = Color(0xFF16212B)
    val textMuted = Color(0xFF6B7D8D)
}

object DarkColors {
    val backgroundPage = Color(0xFF0C141B)
    val textPrimary = Color(0xFFF5F7F9)
    val textMuted = Color(0xFFB1BEC8)
}
