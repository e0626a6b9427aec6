// Compose 1.9's modifiers that draw shadows: here they remember what they draw.
package androidx.compose.ui.draw

import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Shape
import androidx.compose.ui.graphics.shadow.Shadow

data class DrawnShadow(val kind: String, val shape: Shape, val shadow: Shadow) : Modifier.Element

fun Modifier.dropShadow(shape: Shape, shadow: Shadow): Modifier = then(DrawnShadow("drop", shape, shadow))

fun Modifier.innerShadow(shape: Shape, shadow: Shadow): Modifier = then(DrawnShadow("inner", shape, shadow))
