// Compose 1.9's shadows.
package androidx.compose.ui.graphics.shadow

import androidx.compose.ui.graphics.Color
import androidx.compose.ui.unit.Dp
import androidx.compose.ui.unit.DpOffset

data class Shadow(val radius: Dp, val color: Color, val spread: Dp = Dp(0f), val offset: DpOffset = DpOffset.Zero)
